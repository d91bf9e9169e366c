"""Lesson 4: the 1x1 convolution block of detectors, in which 4 channels become 8."""

from ui.board.comparing import with_beside
from ui.course.engine.sections import Cell, Choice, Knob, Number, Section, edited, opened, turned
from ui.course.lessons.channels import (
    ASKED,
    can_be_built,
    divide_blocks,
    layout_blocks,
    layout_facts,
    mixing_projection,
    position_blocks,
    size_blocks,
    size_facts,
)
from ui.streamlit.lesson import lesson

SECTIONS = (
    Section(
        "conv",
        preset="conv_4_to_8",
        board=("x", "w_qkv", "qkv"),
        ask=Cell("qkv", 6, 4),
        covers=("qkv",),
        task=opened("qkv"),
        step="project",
    ),
    Section(
        "eight",
        preset="conv_4_to_8",
        ask=Number(lambda here: ASKED.n_channels, 0),
        task=turned("ratio", 1),
        knobs=(
            Knob("dim", values=(4, 8, 16, 32, 64, 128, 256), start=4),
            Knob("heads", values=(1, 2, 4, 8), start=2),
            Knob("ratio", values=(0.25, 0.5, 1), start=0.5),
        ),
        blocks=size_blocks,
        facts=size_facts,
        step="project",
    ),
    Section(
        "divide",
        preset="dims_that_divide",
        change=with_beside,
        ask=Choice(("channels", "key", "heads"), right="key"),
        task=can_be_built,
        knobs=(
            Knob("dim", values=(4, 6, 8, 12, 16, 24, 32), start=8),
            Knob("heads", 1, 8, 8),
            Knob("ratio", values=(0.25, 0.5, 1), start=0.5),
        ),
        blocks=divide_blocks,
        step="split",
        confusion="dims_that_divide",
    ),
    Section(
        "layout",
        preset="conv_4_to_8",
        ask=Choice(("q", "k", "v"), right="q"),
        task=turned("read", 1),
        knobs=(Knob("read", options=("by_head", "by_part"), above=1),),
        blocks=layout_blocks,
        facts=layout_facts,
        step="split",
    ),
    Section(
        "position",
        preset="conv_4_to_8",
        board=("w_pe",),
        ask=Cell("positional", 1, 7),
        task=turned("channel", lambda channel: channel != 1),
        knobs=(Knob("channel", start=1, options=("c0", "c1", "c2", "c3")),),
        blocks=position_blocks,
        step="position",
    ),
    Section(
        "project",
        preset="conv_4_to_8",
        change=mixing_projection,
        board=("residual", "w_proj", "output"),
        ask=Cell("output", 0, 0),
        covers=("output",),
        task=edited("w_proj"),
        step="output",
    ),
)

lesson(__file__, SECTIONS)
