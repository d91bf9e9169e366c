"""To bring a class along: a link, as a QR code and for a page of one's own, and what students may do."""

import html
import os
from dataclasses import replace
from urllib.parse import urlsplit

import streamlit as st

from ui.scenario.link import CONTROLS, LOCKED, write_link
from ui.scenario.scenario import HERE, Locks, Scenario
from ui.serving.headers import SETTING
from ui.state.state import State, start_of
from ui.streamlit.page import PARAMETER, Desk
from ui.words import Words

MOST_IN_A_QR_CODE = 2_953  # characters, by the standard
EASY_TO_SCAN = 700  # characters up to which a phone reads it from a projector across a room
ONLY_HERE = ("localhost", "127.0.0.1", "::1")
HEIGHTS = (300, 2000)  # pixels of a frame
EMBED = (
    '<iframe src="{address}" title="{title}" width="100%" height="{height}" style="border: 0" '
    'allow="fullscreen; clipboard-write" loading="lazy"></iframe>'
)


def share(desk: Desk, state: State, words: Words) -> None:
    """The link for a class, with what it may change. The page itself stays as it is."""
    text, picture = st.columns([3, 2])
    locks = lock_controls(state.scenario, words) if desk.page.name == "lab" else Locks()
    address = shared_address(start_of(state) or state.scenario, locks)
    with text:
        st.markdown(words("share.how"))
        st.code(address, language=None, wrap_lines=True)
        if urlsplit(address).hostname in ONLY_HERE:
            st.warning(words("share.only_here"))
        start_controls(desk, state, words)
    with picture:
        show_qr_code(address, words)
    show_embedding(address, words)


def start_controls(desk: Desk, state: State, words: Words) -> None:
    """Where students begin, and the way back there for whoever shares it."""
    with st.container(horizontal=True):
        st.button(words("share.start"), key="share_start", on_click=lambda: desk.do(["start"]))
        if start_of(state) is not None:
            st.button(words("share.restart"), key="share_restart", on_click=lambda: desk.do(["restart"]))
    st.caption(words("share.started" if start_of(state) is not None else "share.starts"))


def lock_controls(scenario: Scenario, words: Words) -> Locks:
    """What students see but cannot change, and what they do not see; matrices can be fixed one by one."""
    there = {f"edit_{name}" for name in (*scenario.arrays, *scenario.options)}
    fixed = [control for control in LOCKED if control in there]  # a matrix of the computation is always seen
    chosen: dict[str, list[str]] = {}
    for kind in ("hidden", "locked"):
        chosen[kind] = st.multiselect(
            words(f"share.{kind}"),
            [
                one
                for one in (*CONTROLS, *(fixed if kind == "locked" else ()))
                if one not in chosen.get("hidden", [])
            ],
            key=f"lab_share_{kind}",
            format_func=lambda control: words(f"control.{control}"),
            placeholder=words("share.choose"),
        )
    return Locks(tuple(chosen["locked"]), tuple(chosen["hidden"]))


def shared_address(scenario: Scenario, locks: Locks) -> str:
    """The address of a page with a state that is its own start."""
    place = (st.context.url or "").partition("?")[0]
    return f"{place}?{PARAMETER}={write_link(replace(scenario, locks=locks, start=HERE))}"


def live_address(scenario: Scenario) -> str:
    """Where a file that is handed out can be had live; empty where only this machine could open it."""
    address = shared_address(scenario, Locks())
    return "" if urlsplit(address).hostname in ONLY_HERE else address


def show_qr_code(address: str, words: Words) -> None:
    """The address for phones; a long one says that it is hard to read, or too long."""
    if len(address) > MOST_IN_A_QR_CODE:
        st.caption(words("share.qr_none", given=len(address), most=MOST_IN_A_QR_CODE))
        return
    drawing = qr_code(address)
    st.image(drawing, width="stretch", alt=words("share.qr", address=address))
    if len(address) > EASY_TO_SCAN:
        st.caption(words("share.qr_dense"))
    if st.button(words("share.qr_large"), key="share_qr_large"):
        large = st.dialog(words("share.qr_title"), width="large")
        large(lambda: st.image(drawing, width="stretch", alt=words("share.qr", address=address)))()


def qr_code(address: str) -> str:
    """An address as a QR code in SVG: black on white with its quiet zone, in the dark theme too."""
    import segno  # only here, because most learners never see one

    code = segno.make(address, error="l", micro=False)
    return code.svg_inline(scale=8, border=4, dark="#000", light="#fff", omitsize=True)


def show_embedding(address: str, words: Words) -> None:
    """What to put into a page of one's own, and who may."""
    with st.expander(words("share.embed")):
        height = st.number_input(words("share.height"), *HEIGHTS, value=900, step=50, key="share_height")
        st.code(embedding(address, height, words("share.frame")), language="html", wrap_lines=True)
        setting = os.environ.get(SETTING, "")
        st.caption(words("share.framed_by", setting=f"`{SETTING}={setting or 'self'}`"))


def embedding(address: str, height: int, title: str) -> str:
    """The frame that shows an address without what surrounds the workbench."""
    return EMBED.format(address=html.escape(f"{address}&embed=true"), title=html.escape(title), height=height)
