"""To take along and to bring in: every intermediate, scripts, matrices from files."""

import json
import re
from collections.abc import Callable

import streamlit as st

from ui.files import export
from ui.files.handout import lab_handout, page_of
from ui.files.loading import Given, as_meant, load_all, loaded
from ui.files.matching import Match, matches, shown_name
from ui.files.upload import Tensor, UploadError, check_tensor, read_tensor, tensors_in
from ui.limits import MOST_ALONG_AN_AXIS
from ui.scenario.link import fits_a_link, most_along
from ui.scenario.scenario import Scenario, array_shape
from ui.serving.log import TALLY
from ui.state.state import State
from ui.streamlit.page import Desk
from ui.streamlit.share_panel import live_address
from ui.words import Words

ALL = ""  # in place of the name of a tensor; none is empty
WORD_JOINER = "\u2060"
FILES = ("csv", "tsv", "txt", "json", "npy", "npz", "safetensors")


def take_along(desk: Desk, state: State, words: Words) -> None:
    """Every intermediate as a file, and scripts that prove the numbers; made when asked for."""
    scenario, trace = state.scenario, state.scenario.trace()
    address = live_address(scenario)
    hand_out(lambda: page_of(lab_handout(scenario, trace, words, address), words), words)
    kinds = [
        ("script", lambda trace: export.as_numpy_script(trace, words, address), "attention_numpy.py"),
        ("torch", lambda trace: export.as_torch_script(trace, words, address), "attention_torch.py"),
        ("csv", export.as_csv, "attention.csv"),
    ]
    if export.too_large_for_a_script(trace):
        kinds = []
        st.caption(words("take.no_script"))
    kinds += [("npz", export.as_npz, "attention.npz"), ("json", export.as_json, "attention.json")]
    for kind, make, file in kinds:
        st.download_button(
            words(f"take.{kind}"),
            lambda make=make: make(trace),
            file_name=file,
            key=f"lab_take_{kind}",
            on_click="ignore",
            width="stretch",
        )


def hand_out(make: Callable[[], bytes], words: Words) -> None:
    """One file that opens by double click, without a network; made when asked for."""
    st.download_button(
        words("take.handout"),
        make,
        file_name="qkv-lab.html",
        mime="text/html",
        key="take_handout",
        on_click="ignore",
        width="stretch",
    )
    st.caption(words("take.handout_about"))


def upload(desk: Desk, state: State, words: Words) -> None:
    """A matrix from a file: choose the file, the tensor in it, and the matrix it replaces."""
    scenario = state.scenario
    targets = [name for name, recipe in scenario.arrays.items() if fits_a_link(name, array_shape(recipe))]
    if not targets:
        st.caption(words("bring.nowhere"))
        return
    # Streamlit's button knows English only; static/page/frame.css puts this word over it.
    word = json.dumps(words("bring.browse"), ensure_ascii=False)
    st.html(f"<style>:root {{ --word-for-upload: {word}; }}</style>")
    file = st.file_uploader(words("bring.file"), type=list(FILES), key="lab_file")
    st.caption(words("bring.how", most=MOST_ALONG_AN_AXIS))
    if file is None:
        return
    try:
        choose_tensor(desk, file.name, file.getvalue(), targets, scenario, words)
    except UploadError as error:
        TALLY.refused(f"upload.{error.code}")
        st.warning(as_plain(words(f"upload.{error.code}", **error.facts)))


def as_plain(text: str) -> str:
    """A sentence that may hold a learner's own text, with nothing in it that Markdown would obey.

    A backslash means something only before ASCII punctuation; before anything else it is seen. Addresses and
    :names: of emoji are looked for once the backslashes are gone, so a sign without width breaks them.
    """
    broken = re.sub(r"(?i)(www|:(?=[^\s:])|@)", f"\\1{WORD_JOINER}", text)
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", broken)


def choose_tensor(
    desk: Desk, file: str, content: bytes, targets: list[str], scenario: Scenario, words: Words
) -> None:
    """All that match the scenario's own arrays, or one tensor and the matrix it replaces."""
    tensors = {tensor.name: tensor for tensor in tensors_in(file, content)}
    found = [match for match in matches(tensors, scenario) if match.target in targets]

    def called(target: str) -> str:
        return words(f"name.{shown_name(scenario, target)}")

    def described(name: str) -> str:
        if name == ALL:
            return words("bring.all", count=len(found), names=", ".join(called(one.target) for one in found))
        return f"{name} ({'×'.join(map(str, tensors[name].shape))})"

    choices = [ALL, *tensors] if len(found) > 1 else list(tensors)
    name = st.selectbox(words("bring.tensor"), choices, format_func=described, key="lab_tensor")
    if name != ALL:
        choose_target(desk, file, content, tensors[name], targets, found, called, words)
    elif st.button(words("bring.do"), key="lab_upload"):
        desk.change(load_all(desk.state.scenario, file, content, found))


def choose_target(
    desk: Desk,
    file: str,
    content: bytes,
    tensor: Tensor,
    targets: list[str],
    found: list[Match],
    called: Callable[[str], str],
    words: Words,
) -> None:
    """One tensor: the matrix it replaces, at first the one of its name, and the part that is taken."""
    check_tensor(tensor)
    whole = {match.name: match for match in found if match.third is None}
    match = whole.get(tensor.name, Match(tensor.name, targets[0]))
    target = st.selectbox(
        words("bring.target"),
        targets,
        targets.index(match.target),
        format_func=called,
        key=f"lab_target_{tensor.name}",  # a choice for one tensor is none for the next
    )
    if match.is_turned:
        st.caption(words("bring.turned"))
    most = most_along(target)
    at = where_to_begin(tensor, most, words)
    if st.button(words("bring.do"), key="lab_upload"):
        rows = as_meant(match, read_tensor(file, content, tensor.name, at, most))
        desk.change(loaded(desk.state.scenario, {target: Given(tensor.name, rows)}))


def where_to_begin(tensor: Tensor, most: int, words: Words) -> tuple[int, int]:
    """For a tensor larger than a matrix here may be: where the part that is taken begins."""
    sizes = (1, *tensor.shape)[-2:]
    starts = [0, 0]
    for axis, (name, size) in enumerate(zip(("row", "column"), sizes, strict=True)):
        if size > most:
            starts[axis] = st.number_input(words(f"bring.{name}"), 0, size - most, key=f"lab_upload_{name}")
    return starts[0], starts[1]
