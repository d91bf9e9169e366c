"""Lesson 10: how it learns. The loss, its slopes, the way back, softmax's part, and a real training run."""

from ui.course.engine.sections import Choice, Knob, Number, Section, Shape, edited, turned
from ui.course.lessons.learning import backward, jacobian, training
from ui.streamlit.lesson import lesson

TASK = Knob("task", options=training.NAMES)

SECTIONS = (
    Section(
        "miss",
        change=backward.untrained,
        board=("x", "w_v", "output"),
        ask=Choice(("a", "b", "c"), right=backward.wanted_letter),
        task=backward.has_less_loss,
        blocks=backward.miss_blocks,
        facts=backward.miss_facts,
        step="output",
    ),
    Section(
        "slope",
        change=backward.untrained,
        board=("w_v",),
        ask=Number(backward.tenth_of_slope, decimals=3),
        task=edited("w_v"),
        blocks=backward.slope_blocks,
        facts=backward.slope_facts,
        step="project",
    ),
    Section(
        "backward",
        change=backward.untrained,
        ask=Shape(lambda here: here.trace["w_q"].shape),
        task=turned("back", lambda stop: backward.STOPS[int(stop)] in ("w_q", "all")),
        knobs=(Knob("back", options=backward.STOPS),),
        blocks=backward.back_blocks,
        facts=backward.back_facts,
        step="output",
    ),
    Section(
        "jacobian",
        board=("scaled", "weights"),
        ask=Number(jacobian.column_sum),
        task=turned("times", jacobian.TIMES[-1]),
        knobs=(
            Knob("row", options=("p0", "p1", "p2", "p3"), above=1),
            Knob("times", values=jacobian.TIMES, start=1, play=700, above=1),
        ),
        blocks=jacobian.jacobian_blocks,
        facts=jacobian.jacobian_facts,
        step="softmax",
    ),
    Section(
        "train",
        change=backward.untrained,
        ask=Choice(("itself", "before", "alike"), right="before"),
        task=training.has_learned,
        knobs=(
            TASK,
            Knob("rate", values=training.RATES, start=1),
            Knob("epoch", values=training.EPOCHS, play=300),
        ),
        blocks=training.run_blocks,
        experiment=training.training_run,
        reaches=training.epochs_to_see,
        facts=training.run_facts,
    ),
    Section(
        "learned",
        change=training.trained,
        board=("x", "w_q", "w_k", "weights", "output"),
        ask=Choice(("w", "weights", "both"), right="weights"),
        task=edited("x"),
        blocks=training.learned_blocks,
        facts=training.learned_facts,
        step="softmax",
    ),
    Section(
        "table",
        change=training.trained,
        ask=Choice(("copy", "find", "both"), right="copy"),
        task=turned("task", 1),
        knobs=(TASK, Knob("sentence", most=11)),
        blocks=training.table_blocks,
        experiment=training.table_run,
        facts=training.table_facts,
    ),
)

lesson(__file__, SECTIONS)
