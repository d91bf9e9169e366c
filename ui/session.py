"""The one place that knows the session and the address bar: what the learner has, and its history.

A run caused by a control trusts the control; any other run (first visit, Back, a pasted link) trusts the
address bar. Controls change the scenario in their callbacks, before the page is drawn.
"""

import streamlit as st

from attention_core import AttentionError
from ui.link import MOST_CHARACTERS, LinkError, read_link, write_link
from ui.numbers import NumberError, parse_block
from ui.presets import load_preset, preset_ids
from ui.scenario import Scenario

PARAMETER = "s"  # of the address
MOST_STEPS_BACK = 100


def current() -> Scenario:
    """The scenario of this run: the session's own, or the one the address bar asks for."""
    link = st.query_params.get(PARAMETER, "")
    first_visit = "scenario" not in st.session_state
    if first_visit:
        st.session_state["scenario"] = load_preset(preset_ids()[0])
        st.session_state["link"] = ""
    if link != st.session_state["link"]:
        follow(link)
    if first_visit:
        st.session_state["undo"] = []  # there was nothing before
    return st.session_state["scenario"]


def present() -> Scenario:
    """The scenario of this moment, for callbacks: they run before the page is drawn anew."""
    return st.session_state["scenario"]


def follow(link: str) -> None:
    """Takes over the state of a link; one that cannot be read leaves everything as it was."""
    try:
        scenario = read_link(link) if link else load_preset(preset_ids()[0])
        scenario.trace()
    except LinkError as error:
        say(f"link.{error.code}")
    except AttentionError as error:
        say(f"error.{error.code}", **error.facts)
    else:
        keep(scenario)
    st.session_state["link"] = link


def keep(scenario: Scenario) -> None:
    """Makes `scenario` the present one and remembers the one before."""
    before = st.session_state["scenario"]
    if (before.arrays, before.options, before.preset) != (scenario.arrays, scenario.options, scenario.preset):
        st.session_state.pop("sentence", None)  # what could not be done is over
        st.session_state.setdefault("undo", []).append(before)
        del st.session_state["undo"][:-MOST_STEPS_BACK]
        st.session_state["redo"] = []
    st.session_state["scenario"] = scenario


def change(scenario: Scenario) -> None:
    """A control changed something: computed first, kept only if it can be, then put into the address bar."""
    try:
        scenario.trace()
    except AttentionError as error:
        say(f"error.{error.code}", **error.facts)
        return
    link = write_link(scenario)
    if len(link) > MOST_CHARACTERS:
        say("link.too_much")
        return
    keep(scenario)
    point_at(link)


def point_at(link: str) -> None:
    st.session_state["link"] = link
    st.query_params[PARAMETER] = link


def go_back(stack: str, other: str) -> None:
    """Undo ("undo", "redo") or redo ("redo", "undo")."""
    if st.session_state.get(stack):
        scenario = st.session_state[stack].pop()
        st.session_state.setdefault(other, []).append(st.session_state["scenario"])
        st.session_state["scenario"] = scenario
        st.session_state["controls_changed"] = True
        point_at(write_link(scenario))


def query() -> dict[str, str]:
    """What a link to the Lab carries along, so that nothing is lost on the way."""
    link = st.session_state.get("link", "")
    return {PARAMETER: link} if link else {}


def controls_changed() -> bool:
    """Whether the last event changed what the controls show, so that the whole page has to run."""
    return st.session_state.pop("controls_changed", False)


def say(key: str, **facts) -> None:
    """Leaves a sentence for the page to show until the next change."""
    st.session_state["sentence"] = (key, facts)


def sentence() -> tuple[str, dict] | None:
    return st.session_state.get("sentence")


def apply_edits(edits: object, places: dict) -> None:
    """Numbers typed or pasted on the board: [count, matrix, row, column, text] each.

    The browser repeats edits until they are acknowledged, so that none is lost; each is applied once.
    `places` tells for each matrix that may be edited its size and the full index of a cell.
    """
    if not isinstance(edits, list) or len(edits) > 1000:
        return
    for edit in edits:
        match edit:
            case [int(count), str(matrix), int(row), int(column), str(text)]:
                if count > st.session_state.get("acknowledged", 0):
                    st.session_state["acknowledged"] = count
                    apply_edit(places.get(matrix), matrix, row, column, text)


def apply_edit(place, matrix: str, row: int, column: int, text: str) -> None:
    """One number or block, put in with its upper left corner at (row, column)."""
    if place is None or not (0 <= row < place.n_rows and 0 <= column < place.n_columns):
        return
    try:
        block = parse_block(text)
    except NumberError as error:
        say("edit.no_number", text=error.text)
        return
    if row + len(block) > place.n_rows or column + max(map(len, block)) > place.n_columns:
        say(
            "edit.too_large",
            rows=len(block),
            columns=max(map(len, block)),
            free_rows=place.n_rows - row,
            free_columns=place.n_columns - column,
        )
        return
    cells = {
        place.index(row + down, column + right): value
        for down, numbers in enumerate(block)
        for right, value in enumerate(numbers)
    }
    change(present().edited(matrix, cells))


def acknowledged() -> int:
    return st.session_state.get("acknowledged", 0)
