"""The parts of the Lab beside its controls: what is shown, the rail of steps, what the board may change."""

import streamlit as st

from attention_core import Trace
from ui import board, session
from ui.presets import load_preset
from ui.scenario import Scenario
from ui.words import Words

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


def place_choosers(scenario: Scenario, trace: Trace, words: Words) -> None:
    """Batch item and head, where there is more than one."""
    sizes, shown = axis_sizes(trace), shown_places(scenario, trace)
    with st.container(horizontal=True):
        for axis in ("batch", "head"):
            if sizes.get(axis, 1) > 1:
                key = f"lab_{axis}"
                st.session_state[key] = shown[axis]

                def changed(axis=axis, key=key) -> None:
                    session.change(session.present().looking(**{axis: st.session_state[key]}))

                places = range(sizes[axis])
                st.select_slider(words(f"lab.{axis}"), places, key=key, on_change=changed, width=240)


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
    return scenario.view.step if scenario.view.step in found else found[0]


def rail(scenario: Scenario, trace: Trace, words: Words) -> str:
    """The steps in order with their shapes; one is in focus. ← and → walk."""
    found = stages(trace)
    stage = present_stage(scenario, trace)
    place = found.index(stage)

    def walk(to: int) -> None:
        session.change(session.present().looking(step=found[max(0, min(to, len(found) - 1))], cell=()))

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
        history_buttons(words)
        st.segmented_control(
            words("lab.steps"),
            found,
            key="lab_stage",
            on_change=changed,
            format_func=label,
            label_visibility="collapsed",
            required=True,
            wrap=True,
        )
    return stage


def history_buttons(words: Words) -> None:
    """Undo, redo, start over. They stand outside what an edit runs, so they are always ready."""
    with st.container(horizontal=True, gap="small"):
        for stack, other in (("undo", "redo"), ("redo", "undo")):
            st.button(
                words(f"lab.{stack}"), on_click=session.go_back, args=(stack, other), key=f"lab_{stack}"
            )
        st.button(words("lab.reset"), on_click=start_over, key="lab_reset")


def start_over() -> None:
    session.change(load_preset(session.present().preset))


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
            session.change(session.present().looking(cell=tuple(cell)))

    def history(way: object) -> None:
        if way in ("undo", "redo"):
            session.go_back(way, "redo" if way == "undo" else "undo")

    return board.Events(chosen, lambda edits: session.apply_edits(edits, places), history)
