"""How the matrices of a step stand on the stage: what goes in, and what comes out at its place.

A product stands as on paper: one operand at the left, the other above, the result where they cross. It depends on
shapes alone.
"""

from attention_core import Trace
from attention_core.trace import Step
from ui.board.stages import shown_name
from ui.figures.operands import operands_in_order
from ui.message.types import About, Stand

LEARNED = ("w_", "b_", "gamma", "beta")  # what training sets, by how it is called


def stand_of(step: Step, trace: Trace) -> Stand:
    """The stand of a step; the input stands with everything that is learned."""
    lines = trace.plan.by_name
    if step.op == "input":
        given = [line.name for line in trace.plan.lines if line.op == "input"]
        parameters = [line.name for line in trace.plan.lines if line.op == "parameter"]
        return Stand("input", given, [name for name in parameters if name.startswith(LEARNED)])
    if step.op == "contract":
        (left, left_turned), (above, turned) = operands_in_order(step, trace)
        found = Stand("product", [shown_name(left, trace)], [shown_name(above, trace)])
        found.turned = [name for name, is_so in ((left, left_turned), (above, turned)) if is_so]
        found.turned = [shown_name(name, trace) for name in found.turned]
        found.bias = next(iter(step.inputs[2:]), None)
        return found
    sources = [shown_name(name, trace) for name in step.inputs if lines[name].op != "number"]
    return Stand("moved" if step.moved else "beside", sources, [])


def about_of(trace: Trace, names: list[str]) -> About | None:
    """The last step on a board that has all its operands there too: the one the board is about."""
    for name in reversed(names):
        step = trace.step(name)
        if step.op == "merge" and trace.step(step.inputs[0]).shape[-3] == 1:
            step = trace.step(step.inputs[0])  # with one head the output has the numbers of that head
        if step.op in ("input", "parameter", "number") or step.moved:
            continue
        stand = stand_of(step, trace)
        if all(operand in names for operand in (*stand.left, *stand.above)):
            return About(name, step.name, stand)
    return None
