"""The parts of the Lab: its controls, the rail of steps, the step in focus."""

import streamlit as st

from attention_core import Trace
from ui import board, session
from ui.presets import load_preset, preset_ids
from ui.scenario import Scenario, build_array
from ui.words import Words

MOST_HEADS = 8
MASKS = ("none", "causal", "window", "own")
WINDOWS = range(0, 5)
SCALES = ("auto", "off")
DECIMALS = (0, 1, 2, 3, 4)

# The stages of the rail and the steps that belong to each; only those in use are shown.
STAGES = {
    "input": ("x", "memory", "memory_values"),
    "project": ("q", "k", "v", "qkv"),
    "split": ("qkv_split", "qkv_permuted", "q_heads", "k_heads", "v_heads"),
    "share": ("k_repeated", "v_repeated"),
    "scores": ("scores",),
    "scale": ("scaled",),
    "softcap": ("softcapped",),
    "mask": ("masked",),
    "softmax": ("weights",),
    "dropout": ("dropped",),
    "weighted_sum": ("head_outputs",),
    "merge": ("merged",),
    "position": ("v_grid", "positional"),
    "output": ("projected", "residual", "output"),
}


def axis_sizes(trace: Trace) -> dict[str, int]:
    return {axis: size for step in trace.steps for axis, size in zip(step.axes, step.shape, strict=True)}


def shown_places(scenario: Scenario, trace: Trace) -> dict[str, int]:
    """Which batch item and head the board shows."""
    sizes = axis_sizes(trace)
    n_heads, n_batch = sizes.get("head", 1), sizes.get("batch", 1)
    head, batch = min(scenario.view.head, n_heads - 1), min(scenario.view.batch, n_batch - 1)
    return {"n_heads": n_heads, "head": head, "batch": batch}


# Heads that divide


def head_widths(scenario: Scenario) -> list[int]:
    """The widths that the number of heads has to divide."""
    arrays = {name: build_array(value) for name, value in scenario.arrays.items()}
    match scenario.function:
        case "conv_attention":
            return [arrays["x"].shape[1]]
        case "fused_qkv_attention":
            return [arrays["w_qkv"].shape[1] // 3]
    return [arrays["w_q"].shape[1], arrays["w_v"].shape[1], arrays["w_k"].shape[1]]


def possible_heads(scenario: Scenario) -> list[int]:
    """Numbers of heads that divide every width; with shared heads, what the key/value heads allow."""
    widths = head_widths(scenario)
    shared = scenario.options.get("n_kv_heads")
    if shared:
        return [n for n in range(1, MOST_HEADS + 1) if widths[0] % n == 0 and n % shared == 0]
    return [n for n in range(1, MOST_HEADS + 1) if all(width % n == 0 for width in widths)]


# Controls: each fills its key before it is drawn, and changes the scenario in its callback


def control(widget, label: str, key: str, value, options, to_scenario, words: Words, name: str = "") -> None:
    """One choice among few. `to_scenario` makes the new scenario from the chosen option."""
    key = f"lab_{key}"
    st.session_state[key] = value

    def changed() -> None:
        chosen = st.session_state[key]
        if chosen is not None:
            session.change(to_scenario(chosen))

    shown = (lambda option: words(f"{name}.{option}")) if name else str
    widget(label, options, key=key, on_change=changed, format_func=shown)


def choose_preset(scenario: Scenario, words: Words) -> None:
    st.session_state["lab_preset"] = scenario.preset

    def changed() -> None:
        session.change(load_preset(st.session_state["lab_preset"]))

    st.selectbox(
        words("lab.preset"),
        preset_ids(),
        key="lab_preset",
        on_change=changed,
        format_func=lambda preset_id: words(f"preset.{preset_id}.title"),
        width=280,
    )


def controls(scenario: Scenario, trace: Trace, words: Words) -> None:
    """The row of choices above the board."""
    segmented = st.segmented_control
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        choose_preset(scenario, words)
        heads = possible_heads(scenario)
        control(
            segmented,
            words("lab.heads"),
            "n_heads",
            scenario.options["n_heads"],
            heads,
            lambda n: scenario.with_options(n_heads=n).looking(head=0, cell=()),
            words,
        )
        if scenario.function != "conv_attention":
            own = "attn_mask" in load_preset(scenario.preset).options
            control(
                segmented,
                words("lab.mask"),
                "mask",
                mask_of(scenario),
                MASKS if own else MASKS[:-1],
                lambda mask: masked(scenario, mask),
                words,
                "mask",
            )
        if scenario.function in ("multi_head_attention", "fused_qkv_attention"):
            control(
                segmented,
                words("lab.scale"),
                "scale",
                "off" if scenario.options.get("scale") == 1 else "auto",
                SCALES,
                lambda scale: scenario.with_options(scale=1 if scale == "off" else None),
                words,
                "scale",
            )
        control(
            segmented,
            words("lab.decimals"),
            "decimals",
            scenario.view.decimals,
            DECIMALS,
            lambda n: scenario.looking(decimals=n),
            words,
        )
    refused = [n for n in range(1, MOST_HEADS + 1) if n not in heads and n <= max(head_widths(scenario))]
    if refused and "n_kv_heads" not in scenario.options:
        widths = sorted(set(head_widths(scenario)))
        facts = {"refused": ", ".join(map(str, refused)), "widths": ", ".join(map(str, widths))}
        st.caption(words("lab.heads_refused", **facts))


def mask_of(scenario: Scenario) -> str:
    options = scenario.options
    if "attn_mask" in options:
        return "own"
    return "window" if "window" in options else "causal" if options.get("is_causal") else "none"


def masked(scenario: Scenario, mask: str) -> Scenario:
    """The scenario with another kind of mask."""
    own = load_preset(scenario.preset).options.get("attn_mask")
    if scenario.function == "post_norm_attention":  # which takes a mask of booleans only
        n = len(scenario.arrays["q"])
        causal = [[key <= query for key in range(n)] for query in range(n)]
        window = [[abs(key - query) <= 1 for key in range(n)] for query in range(n)]
        return scenario.with_options(attn_mask={"causal": causal, "window": window, "own": own}.get(mask))
    return scenario.with_options(
        is_causal=True if mask == "causal" else None,
        window=[1, 1] if mask == "window" else None,
        attn_mask=own if mask == "own" else None,
    )


def place_choosers(scenario: Scenario, trace: Trace, words: Words) -> None:
    """Batch item and head, where there is more than one."""
    sizes, shown = axis_sizes(trace), shown_places(scenario, trace)
    with st.container(horizontal=True):
        for axis in ("batch", "head"):
            if sizes.get(axis, 1) > 1:
                key = f"lab_{axis}"
                st.session_state[key] = shown[axis]

                def changed(axis=axis, key=key) -> None:
                    session.change(scenario.looking(**{axis: st.session_state[key]}))

                places = range(sizes[axis])
                st.select_slider(words(f"lab.{axis}"), places, key=key, on_change=changed, width=240)


# The rail


def stages(trace: Trace) -> list[str]:
    """The stages of this computation, in order."""
    return [stage for stage, steps in STAGES.items() if any(name in trace.names for name in steps)]


def stage_steps(trace: Trace, stage: str) -> list[str]:
    return [name for name in STAGES[stage] if name in trace.names]


def board_names(trace: Trace) -> list[str]:
    """Every matrix in order of flow: what a stage is given, then what it makes."""
    names: list[str] = []
    for stage in stages(trace):
        made = stage_steps(trace, stage)
        used = [name for step in made for name in trace.step(step).inputs if name in trace.parameters]
        names += [name for name in used if trace.step(name).op != "number"] + made
    return list(dict.fromkeys(names))


def present_stage(scenario: Scenario, trace: Trace) -> str:
    found = stages(trace)
    return scenario.view.step if scenario.view.step in found else "softmax"


def rail(scenario: Scenario, trace: Trace, words: Words) -> str:
    """The steps in order with their shapes; one is in focus. ← and → walk."""
    found = stages(trace)
    stage = present_stage(scenario, trace)
    place = found.index(stage)

    def walk(to: int) -> None:
        session.change(scenario.looking(step=found[max(0, min(to, len(found) - 1))], cell=()))

    def label(name: str) -> str:
        last = trace.step(stage_steps(trace, name)[-1])
        return f"{words(f'stage.{name}.title')} · {'×'.join(map(str, last.shape))}"

    st.session_state["lab_stage"] = stage

    def changed() -> None:
        if st.session_state["lab_stage"] is not None:
            walk(found.index(st.session_state["lab_stage"]))

    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        back, ahead = words("lab.back"), words("lab.ahead")
        st.button(back, shortcut="Left", on_click=walk, args=(place - 1,), disabled=place == 0)
        st.button(ahead, shortcut="Right", on_click=walk, args=(place + 1,), disabled=place == len(found) - 1)
        st.segmented_control(
            words("lab.steps"),
            found,
            key="lab_stage",
            on_change=changed,
            format_func=label,
            label_visibility="collapsed",
        )
    return stage


def history_buttons(words: Words) -> None:
    with st.container(horizontal=True, gap="small"):
        for stack, other in (("undo", "redo"), ("redo", "undo")):
            st.button(
                words(f"lab.{stack}"),
                on_click=session.go_back,
                args=(stack, other),
                disabled=not session.can_go(stack),
                key=f"lab_{stack}",
            )
        scenario = session.current()
        st.button(
            words("lab.reset"), on_click=lambda: session.change(load_preset(scenario.preset)), key="lab_reset"
        )


def notes(trace: Trace, words: Words) -> None:
    """What to know about the board."""
    if any(size > board.LARGEST for step in trace.steps for size in step.shape):
        st.caption(words("lab.too_large", most=board.LARGEST))
    st.caption(words("lab.how_to_edit"))


def events(scenario: Scenario, trace: Trace, names: list[str], shown: dict[str, int]) -> board.Events:
    """What the board may change: the chosen cell, the learner's numbers, and back and forth in time."""
    places = board.edit_places(trace, scenario, shown)

    def chosen(cell: object) -> None:
        if board.chosen_place(cell, trace, names, shown):
            session.change(scenario.looking(cell=tuple(cell)))

    def history(way: object) -> None:
        if way in ("undo", "redo"):
            session.go_back(way, "redo" if way == "undo" else "undo")

    return board.Events(chosen, lambda edits: session.apply_edits(edits, places), history)
