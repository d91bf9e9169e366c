"""The stages of attention, in the order in which a learner walks them, and the steps that belong to each."""

from attention_core import Trace
from attention_core.trace import Step

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


OF_STEP = {step: stage for stage, steps in STAGES.items() for step in steps}


def is_same(step: Step, trace: Trace) -> bool:
    """Whether a step has the very numbers of the step before it: with one head there is nothing to split or merge."""
    if step.op == "split":
        return step.shape[-3] == 1
    return step.op == "merge" and step.name != "output" and trace.step(step.inputs[0]).shape[-3] == 1


def shown_name(name: str, trace: Trace) -> str:
    """The step that shows the numbers of another one, where that shows nothing new."""
    while is_same(trace.step(name), trace):
        name = trace.step(name).inputs[0]
    return name


def steps_by_stage(trace: Trace) -> dict[str, list[str]]:
    """The stages of this computation in order, with the steps each has that show something new."""
    found: dict[str, list[str]] = {}
    for step in trace.plan.lines:
        if step.op in ("parameter", "number") or is_same(trace.step(step.name), trace):
            continue
        # Without an output projection the merged heads are the output.
        stage = "merge" if step.op == "merge" else OF_STEP[step.name]
        found.setdefault(stage, []).append(step.name)
    return {stage: found[stage] for stage in STAGES if stage in found}


def board_names(trace: Trace) -> list[str]:
    """Every matrix in order of flow: what a stage is given, then what it makes."""
    lines = trace.plan.by_name
    names: list[str] = []
    for made in steps_by_stage(trace).values():
        used = [shown_name(name, trace) for step in made for name in lines[step].inputs]
        names += [name for name in used if lines[name].op == "parameter"] + made
    return list(dict.fromkeys(names))


# Rows of the board: what is given, Q, K and V, the way from scores to weights, and what comes of them.
ROWS = [
    ("input",),
    ("project", "split", "share"),
    ("scores", "scale", "softcap", "mask", "softmax", "dropout"),
]
ROWS += [("weighted_sum", "merge", "position", "output")]


def board_rows(trace: Trace) -> dict[str, int]:
    """In which row of the board each matrix stands; the weights that make Q, K and V are beside the input."""
    lines = trace.plan.by_name
    rows = {}
    for stage, made in steps_by_stage(trace).items():
        row = next(place for place, stages in enumerate(ROWS) if stage in stages)
        for step in made:
            given = [name for name in lines[step].inputs if lines[name].op == "parameter"]
            rows |= dict.fromkeys(given, 0 if stage == "project" else row) | {step: row}
    return rows
