"""Lesson 5: one Linear makes Q, K and V; reshape and permute part them."""

from ui.board.comparing import with_beside
from ui.course.engine.sections import Choice, Knob, Number, Section, Shape, turned
from ui.course.lessons import reshape
from ui.streamlit.lesson import lesson

SECTIONS = (
    Section(
        "patches",
        preset="fused_vit",
        ask=Number(lambda here: reshape.patches_of(224, 16) + 1, 0),
        task=turned("patch"),
        knobs=(
            Knob("image", values=(32, 64, 96, 224), start=64),
            Knob("patch", values=(16, 32), start=32),
        ),
        blocks=reshape.patch_blocks,
        facts=reshape.patch_facts,
        step="input",
    ),
    Section(
        "fused",
        preset="fused_vit",
        ask=Number(lambda here: 3 * 768, 0),
        task=turned("bias", 1),
        knobs=(Knob("bias", options=("with", "without")),),
        blocks=reshape.product_blocks,
        facts=reshape.product_facts,
        step="project",
    ),
    Section(
        "labels",
        preset="fused_vit",
        ask=Choice(("nothing", "order", "sums"), right="nothing"),
        task=turned("step", 1),
        knobs=(Knob("step", options=("product", "split")),),
        blocks=reshape.label_blocks,
        step="split",
    ),
    Section(
        "permute",
        preset="fused_vit",
        ask=Shape(lambda here: here.trace["qkv_permuted"].shape),
        task=turned("step", 1),
        knobs=(Knob("step", options=("split", "permuted")),),
        blocks=reshape.permute_blocks,
        step="split",
    ),
    Section(
        "view",
        preset="view_or_transpose",
        change=with_beside,
        ask=Number(reshape.viewed_answer, 1),
        task=turned("how", 2),
        knobs=(Knob("how", options=("whole", "right", "wrong")),),
        blocks=reshape.view_blocks,
        facts=reshape.view_facts,
        step="split",
        confusion="view_or_transpose",
    ),
    Section(
        "real",
        preset="vit_base",
        ask=Shape(lambda here: here.trace["qkv_permuted"].shape),
        task=turned("step", 4),
        knobs=(Knob("step", most=4, play=1200),),
        blocks=reshape.size_blocks,
        step="split",
    ),
)

lesson(__file__, SECTIONS)
