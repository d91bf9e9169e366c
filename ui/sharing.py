"""To take along and to bring in: every intermediate, scripts, a link for a class, matrices from files."""

import re
from dataclasses import replace

import streamlit as st

from ui import export, session, shaping
from ui.link import CONTROLS, MOST_ALONG_AN_AXIS, fits_a_link, write_link
from ui.scenario import Locks, Scenario, array_shape
from ui.serving.log import TALLY
from ui.upload import Tensor, UploadError, read_tensor, tensors_in
from ui.words import Words

FILES = ("csv", "tsv", "txt", "json", "npy", "npz", "safetensors")


def take_along(scenario: Scenario, words: Words) -> None:
    """Every intermediate as a file, and scripts that prove the numbers; made when asked for."""
    trace = session.trace()
    kinds = [
        ("script", export.as_numpy_script, "attention_numpy.py"),
        ("torch", export.as_torch_script, "attention_torch.py"),
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


def share(scenario: Scenario, words: Words) -> None:
    """A link for a class, with some controls locked or hidden. The page itself stays as it is."""
    st.markdown(words("share.how"))
    chosen: dict[str, list[str]] = {}
    for kind in ("hidden", "locked"):
        chosen[kind] = st.multiselect(
            words(f"share.{kind}"),
            [control for control in CONTROLS if control not in chosen.get("hidden", [])],
            key=f"lab_share_{kind}",
            format_func=lambda control: words(f"control.{control}"),
        )
    locks = Locks(tuple(chosen["locked"]), tuple(chosen["hidden"]))
    link = write_link(replace(scenario, locks=locks))
    st.code(f"{address()}?{session.PARAMETER}={link}", language=None, wrap_lines=True)
    st.caption(words("share.what"))


def address() -> str:
    """Where this page is, without its state."""
    return (st.context.url or "").partition("?")[0]


def upload(scenario: Scenario, words: Words) -> None:
    """A matrix from a file: choose the file, the tensor in it, and the matrix it replaces."""
    targets = [name for name, recipe in scenario.arrays.items() if fits_a_link(name, array_shape(recipe))]
    if not targets:
        st.caption(words("bring.nowhere"))
        return
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
    """A sentence that may hold a learner's own text, with nothing in it that Markdown would obey."""
    return re.sub(r"([^\w\s.,;“”]|_)", r"\\\1", text)


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
