"""Panels above the workbench: what is changed less often, files, and links to share.

Each control fills its key before it is drawn. Its callback asks the browser for a change of the present scenario,
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
from ui.scenario.link import fits_a_link
from ui.scenario.scenario import Scenario, array_shape
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


def control(
    desk: Desk, label: str, key: str, value, options, to_scenario: Callable, words: Words, name: str = ""
) -> None:
    """One choice among few. `to_scenario` makes a new scenario from the present one and the chosen option."""
    key = f"lab_{key}"
    st.session_state[key] = value

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
    key = f"lab_{key}"
    st.session_state[key] = value

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
    key = f"lab_{key}"
    st.session_state[key] = as_typed(value, words.marks)

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
    """What is changed less often: layout, parts, sizes, the finer options, filling a matrix."""
    scenario = state.scenario
    if not scenario.is_fixed:
        layout_controls(desk, scenario, words)
        if shaping.can_be_resized(scenario):
            part_controls(desk, scenario, words)
            size_controls(desk, scenario, words)
    if has_options(scenario):
        option_controls(desk, scenario, words)
    if not scenario.is_fixed:
        fill_controls(desk, scenario, words)


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
        key = f"lab_part_{part}"
        st.session_state[key] = shaping.has_part(scenario, part)

        def changed(part=part, key=key) -> None:
            desk.change(shaping.with_part(desk.state.scenario, part, st.session_state[key]))

        st.toggle(words(f"part.{part}"), key=key, on_change=changed)


def size_controls(desk: Desk, scenario: Scenario, words: Words) -> None:
    sizes = shaping.sizes_of(scenario)
    n_heads = scenario.options["n_heads"]
    most = {"d_key": MOST_ALONG_AN_AXIS // n_heads, "d_value": MOST_ALONG_AN_AXIS // n_heads}
    names = ["n_batch"] if sizes.n_batch else []
    names += ["n_tokens", "n_features", "d_key", "d_value"]
    names += ["n_sources"] if "memory" in scenario.arrays else []
    with st.container(horizontal=True):
        for name in names:
            number_control(
                desk,
                words(f"size.{name}"),
                name,
                getattr(sizes, name),
                (1, most.get(name, MOST_ALONG_AN_AXIS)),
                lambda scenario, size, name=name: shaping.resized(scenario, **{name: size}),
            )
    shared = [count for count in range(1, n_heads + 1) if n_heads % count == 0]
    if len(shared) > 1:
        control(
            desk,
            words("size.n_kv_heads"),
            "n_kv_heads",
            sizes.n_kv_heads,
            shared,
            lambda scenario, count: shaping.resized(scenario, n_kv_heads=count),
            words,
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


def fill_controls(desk: Desk, scenario: Scenario, words: Words) -> None:
    """One matrix filled at once."""
    small = [name for name, recipe in scenario.arrays.items() if fits_a_link(name, array_shape(recipe))]
    if not small:
        return
    names = {"q": "x"} if scenario.function == "post_norm_attention" else {}
    with st.form("lab_fill", border=False):
        shown = {name: words(f"name.{names.get(name, name)}") for name in small}
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.selectbox(words("fill.which"), small, format_func=shown.__getitem__, width=130)
            fill = st.selectbox(
                words("fill.with"), shaping.FILLS, format_func=lambda fill: words(f"fill.{fill}"), width=210
            )
            seed = st.number_input(words("fill.seed"), value=0, step=1, width=120)
            if st.form_submit_button(words("fill.do")) and is_within(desk, seed, SEEDS, words("fill.seed")):
                desk.change(shaping.filled(desk.state.scenario, name, fill, seed))
