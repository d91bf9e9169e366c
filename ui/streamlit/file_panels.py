"""To take along and to bring in: every intermediate, scripts, matrices from files."""

import json
import re
from collections.abc import Callable

import streamlit as st

from ui.files import export
from ui.files.handout import lab_book, page_of
from ui.files.upload import Tensor, UploadError, read_tensor, tensors_in
from ui.scenario import shaping
from ui.scenario.link import MOST_ALONG_AN_AXIS, fits_a_link
from ui.scenario.scenario import Scenario, array_shape
from ui.serving.log import TALLY
from ui.state import session
from ui.streamlit.share_panel import live_address
from ui.words import Words

WORD_JOINER = "\u2060"
FILES = ("csv", "tsv", "txt", "json", "npy", "npz", "safetensors")


def take_along(scenario: Scenario, words: Words) -> None:
    """Every intermediate as a file, and scripts that prove the numbers; made when asked for."""
    trace = session.trace()
    address = live_address(scenario)
    hand_out(lambda: page_of(lab_book(scenario, trace, words, address), words), words)
    kinds = [
        ("script", lambda trace: export.as_numpy_script(trace, words), "attention_numpy.py"),
        ("torch", lambda trace: export.as_torch_script(trace, words), "attention_torch.py"),
    ]
    if export.too_large_for_a_script(trace):
        kinds = []
        st.caption(words("take.no_script"))
    kinds += [
        ("npz", export.as_npz, "attention.npz"),
        ("json", export.as_json, "attention.json"),
        ("csv", export.as_csv, "attention.csv"),
    ]
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


def upload(scenario: Scenario, words: Words) -> None:
    """A matrix from a file: choose the file, the tensor in it, and the matrix it replaces."""
    targets = [name for name, recipe in scenario.arrays.items() if fits_a_link(name, array_shape(recipe))]
    if not targets:
        st.caption(words("bring.nowhere"))
        return
    # Streamlit's button knows English only; assets/frame.css puts this word over it.
    word = json.dumps(words("bring.browse"), ensure_ascii=False)
    st.html(f"<style>:root {{ --word-for-upload: {word}; }}</style>")
    file = st.file_uploader(words("bring.file"), type=list(FILES), key="lab_file")
    st.caption(words("bring.how", most=MOST_ALONG_AN_AXIS))
    if file is None:
        return
    try:
        choose_tensor(file.name, file.getvalue(), targets, scenario, words)
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


def choose_tensor(file: str, content: bytes, targets: list[str], scenario: Scenario, words: Words) -> None:
    tensors = {tensor.name: tensor for tensor in tensors_in(file, content)}

    def described(name: str) -> str:
        return f"{name or file} ({'×'.join(map(str, tensors[name].shape))})"

    name = st.selectbox(words("bring.tensor"), list(tensors), format_func=described, key="lab_tensor")
    names = {"q": "x"} if scenario.function == "post_norm_attention" else {}
    target = st.selectbox(
        words("bring.target"),
        targets,
        format_func=lambda target: words(f"name.{names.get(target, target)}"),
        key="lab_target",
    )
    at = where_to_begin(tensors[name], words)
    if st.button(words("bring.do"), key="lab_upload"):
        rows = read_tensor(file, content, name, at)
        session.change(shaping.placed(session.present(), target, rows))
        st.rerun()


def where_to_begin(tensor: Tensor, words: Words) -> tuple[int, int]:
    """For a tensor larger than a matrix here may be: where the part that is taken begins."""
    sizes = (1, *tensor.shape)[-2:]
    starts = [0, 0]
    for axis, (name, size) in enumerate(zip(("row", "column"), sizes, strict=True)):
        if size > MOST_ALONG_AN_AXIS:
            most = size - MOST_ALONG_AN_AXIS
            starts[axis] = st.number_input(words(f"bring.{name}"), 0, most, key=f"lab_upload_{name}")
    return starts[0], starts[1]
