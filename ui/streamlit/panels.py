"""Panels above the workbench: what is changed less often, files, and links to share.

Each control is filled before it is drawn. Its callback asks the browser for a change of the present scenario,
which may be newer than the one the control was drawn for.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from attention_core.numerals import brief
from ui.limits import MOST_ALONG_AN_AXIS
from ui.numbers import NumberError, as_typed, parse_number
from ui.scenario import shaping
from ui.scenario.choices import has_options, mask_of
from ui.scenario.layouts import laid_out, layout_of, possible_layouts, why_not_fused
from ui.scenario.scenario import Scenario
from ui.state.lab import shown_panels
from ui.state.state import State
from ui.streamlit.file_panels import take_along, upload
from ui.streamlit.page import Desk
from ui.streamlit.share_panel import share
from ui.words import Words

SEEDS = (0, 9999)


def draw(desk: Desk, state: State, words: Words, offered: Sequence[str], **other: Callable) -> None:
    """The panel that is open, if it is offered; its place is always there, so that nothing moves.

    A page may draw one of them its own way: `other`.
    """
    panels = {"more": more, "upload": upload, "take": take_along, "share": share} | other
    with st.container(key="lab_top"):
        if state.panel in offered and state.panel not in state.scenario.locks.locked:
            with st.container(border=True, key="lab_panel"):
                panels[state.panel](desk, state, words)


def lab_panel(desk: Desk, state: State, words: Words) -> None:
    draw(desk, state, words, shown_panels(state.scenario))


def filled(desk: Desk, key: str, value: object) -> str:
    """The key of a control that holds a value.

    What is filled goes to the browser, which sends it back as if it had been pressed. So a control is left alone that
    holds the value, and one that was pressed, until the browser has done what was asked of it.
    """
    known = st.session_state.get(key)
    if known is None or (known != value and not desk.waits):
        st.session_state[key] = value
    return key


def control(
    desk: Desk, label: str, key: str, value, options, to_scenario: Callable, words: Words, name: str = ""
) -> None:
    """One choice among few. `to_scenario` makes a new scenario from the present one and the chosen option."""
    key = filled(desk, f"lab_{key}", value)

    def changed() -> None:
        chosen = st.session_state[key]
        if chosen is not None:
            desk.change(to_scenario(desk.state.scenario, chosen))

    shown = (lambda option: words(f"{name}.{option}")) if name else str
    st.segmented_control(label, options, key=key, on_change=changed, format_func=shown, required=True)


def number_control(
    desk: Desk, label: str, key: str, value: int, bounds: tuple[int, int], to_scenario: Callable
) -> None:
    """One whole number within bounds, which Streamlit would tell in English and by a sign alone."""
    key = filled(desk, f"lab_{key}", value)

    def changed() -> None:
        typed = st.session_state[key]
        if typed is not None and is_within(desk, typed, bounds, label):
            desk.change(to_scenario(desk.state.scenario, typed))

    st.number_input(label, key=key, on_change=changed, step=1, width=150)


def is_within(desk: Desk, typed: float, bounds: tuple[float, float], label: str) -> bool:
    """Whether a number can be taken; else the bounds are said."""
    least, most = bounds
    if not least <= typed <= most:
        desk.say("edit.bounds", name=label, least=brief(least, 4), most=brief(most, 4))
    return least <= typed <= most


def fraction_control(
    desk: Desk, label: str, key: str, value: float, bounds: tuple, to_scenario: Callable, words: Words
):
    """One number within bounds that need not be whole, typed with a comma or a point.

    Streamlit's own field for numbers reads them by the browser's language.
    """
    key = filled(desk, f"lab_{key}", as_typed(value, words.marks))

    def changed() -> None:
        try:
            typed = parse_number(st.session_state[key])
        except NumberError as error:
            desk.say("edit.no_number", text=error.text)
        else:
            if is_within(desk, typed, bounds, label):
                desk.change(to_scenario(desk.state.scenario, typed))

    st.text_input(label, key=key, on_change=changed, width=150)


def more(desk: Desk, state: State, words: Words) -> None:
    """What is changed less often: layout, parts, batch items, the finer options."""
    scenario = state.scenario
    if not scenario.is_fixed:
        layout_controls(desk, scenario, words)
        if shaping.can_be_resized(scenario):
            part_controls(desk, scenario, words)
            batch_control(desk, scenario, words)
    if has_options(scenario):
        option_controls(desk, scenario, words)


def layout_controls(desk: Desk, scenario: Scenario, words: Words) -> None:
    """Three matrices for Q, K and V, or one."""
    layouts = possible_layouts(scenario)
    if len(layouts) > 1:
        control(desk, words("lab.layout"), "layout", layout_of(scenario), layouts, laid_out, words, "layout")
    elif why_not_fused(scenario):
        st.caption(words(f"layout.why_{why_not_fused(scenario)}"))


def part_controls(desk: Desk, scenario: Scenario, words: Words) -> None:
    """Biases, an output projection, a memory: there or not."""
    for part in shaping.PARTS:
        key = filled(desk, f"lab_part_{part}", shaping.has_part(scenario, part))

        def changed(part=part, key=key) -> None:
            desk.change(shaping.with_part(desk.state.scenario, part, st.session_state[key]))

        st.toggle(words(f"part.{part}"), key=key, on_change=changed)


def batch_control(desk: Desk, scenario: Scenario, words: Words) -> None:
    """How many batch items there are, where X has an axis for them."""
    if items := shaping.sizes_of(scenario).n_batch:
        number_control(
            desk,
            words("size.n_batch"),
            "n_batch",
            items,
            (1, MOST_ALONG_AN_AXIS),
            lambda scenario, size: shaping.resized(scenario, n_batch=size),
        )


def option_controls(desk: Desk, scenario: Scenario, words: Words) -> None:
    options = scenario.options
    with st.container(horizontal=True):
        fraction_control(
            desk,
            words("option.softcap"),
            "softcap",
            float(options.get("softcap", 0)),
            (0.0, 100.0),
            lambda scenario, cap: scenario.with_options(softcap=cap or None),
            words,
        )
        if "dropout_p" in options:
            number_control(
                desk,
                words("option.seed"),
                "seed",
                options["rng"],
                SEEDS,
                lambda scenario, seed: scenario.with_options(rng=seed),
            )
    if mask_of(scenario) != "none":
        control(
            desk,
            words("option.hidden"),
            "hidden",
            "finite" if "masked_fill" in options else "infinite",
            ("infinite", "finite"),
            lambda scenario, kind: scenario.with_options(masked_fill=-1e9 if kind == "finite" else None),
            words,
            "hidden",
        )
