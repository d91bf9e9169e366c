"""What figures show: operands as the algebra writes them, and every moved number where it came from."""

import numpy as np
import pytest

from ui.board.matrices import Shown, matrices_of
from ui.figures.operands import moved_blocks, operands_in_order, shape_algebra, strip_of, whole_before
from ui.scenario.presets import load_preset, preset_ids

from .varied import varied_traces

SMALL = {
    preset_id: load_preset(preset_id).trace()
    for preset_id in preset_ids()
    if not load_preset(preset_id).is_large
}
LAYERS = {name: trace for name, trace in varied_traces().items() if "x" in trace.names}


@pytest.mark.parametrize("trace", [*SMALL.values(), *LAYERS.values()], ids=[*SMALL, *LAYERS])
def test_every_moved_number_is_found_in_the_whole(trace):
    shown = Shown(trace["weights"].shape[-3])
    for step in trace.steps:
        if not step.moved:
            continue
        if whole_before(step, trace).op == "concat":
            assert "past_key" in trace.parameters
            continue
        moved = moved_blocks(step, trace)
        whole = matrices_of(trace.step(moved["whole"]), shown)[0].whole
        blocks = trace.step(step.inputs[0]) if moved["merging"] else step
        value = blocks.value[0] if blocks.axes[0] == "batch" else blocks.value
        if "batch" in blocks.axes[1:]:  # the parts come before the batch
            value = value.take(0, axis=0) if blocks.axes[0] == "batch" else blocks.value[:, 0]
        numbers = sorted(whole[row, column] for block in moved["blocks"] for row, column in flat(block))
        np.testing.assert_array_equal(numbers, np.sort(value, axis=None))


def flat(block):
    return [tuple(cell) for row in block["cells"] for cell in row]


def test_heads_of_q_come_from_their_columns():
    trace = SMALL["cat_on_the_mat"]
    blocks = moved_blocks(trace.step("q_heads"), trace)["blocks"]
    for head, block in enumerate(blocks):
        assert block["of"] == ["head", head]
        for row, line in enumerate(block["cells"]):
            for column, (source_row, source_column) in enumerate(line):
                assert (source_row, source_column) == (row, 2 * head + column)
                assert trace["q_heads"][head, row, column] == trace["q"][source_row, source_column]


def test_merging_says_where_each_number_goes():
    trace = SMALL["cat_on_the_mat"]
    moved = moved_blocks(trace.step("merged"), trace)
    assert (moved["whole"], moved["merging"]) == ("merged", True)
    for head, block in enumerate(moved["blocks"]):
        for row, line in enumerate(block["cells"]):
            for column, (to_row, to_column) in enumerate(line):
                assert trace["head_outputs"][head, row, column] == trace["merged"][to_row, to_column]


def test_parts_and_heads_of_a_fused_matrix():
    trace = SMALL["fused_vit"]
    for name in ("qkv_split", "qkv_permuted"):
        blocks = moved_blocks(trace.step(name), trace)["blocks"]
        assert len(blocks) == 6
        for block in blocks:
            facts = dict(zip(block["of"][::2], block["of"][1::2], strict=True))
            heads = trace[f"{'qkv'[facts['part']]}_heads"][0, facts["head"]]
            found = [[trace["qkv"][0, row, column] for row, column in line] for line in block["cells"]]
            np.testing.assert_array_equal(found, heads)


@pytest.mark.parametrize("trace", SMALL.values(), ids=SMALL)
def test_products_multiply_as_they_stand(trace):
    shown = Shown(trace["weights"].shape[-3])
    for step in trace.steps:
        if step.op != "contract":
            continue
        operands = []
        for name, turned in operands_in_order(step, trace):
            matrix = matrices_of(trace.step(name), shown)[0].whole
            operands.append(matrix.T if turned else matrix)
        product = operands[0] @ operands[1]
        for bias in step.inputs[2:]:
            one = trace[bias]
            product = product + (one[:, None] if "height" in step.axes else one)
        np.testing.assert_allclose(product, matrices_of(step, shown)[0].whole, atol=1e-9)


def test_shapes_as_algebra():
    trace = SMALL["pixels_2x2"]
    assert shape_algebra(trace.step("scores"), trace) == "(1×4×2) · (1×2×4) → (1×4×4)"
    assert shape_algebra(trace.step("weights"), trace) == "(1×4×4) → (1×4×4)"


def test_strips_say_which_channel_belongs_to_whom():
    assert strip_of("q_channel", 4, SMALL["cat_on_the_mat"]) == [("q", 0), ("q", 0), ("q", 1), ("q", 1)]
    assert strip_of("q_channel", 2, SMALL["pixels_2x2"]) is None  # one head has them all
    fused = strip_of("qkv_channel", 12, SMALL["fused_vit"])
    assert [part for part, _ in fused] == list("qqqqkkkkvvvv")
    assert [head for _, head in fused] == [0, 0, 1, 1] * 3
    conv = strip_of("qkv_channel", 8, SMALL["conv_4_to_8"])
    assert conv == [("q", 0), ("k", 0), ("v", 0), ("v", 0), ("q", 1), ("k", 1), ("v", 1), ("v", 1)]
    viewed = load_preset("cat_on_the_mat").with_options(split="view").trace()
    assert strip_of("q_channel", 4, viewed) is None  # each channel is in every head
    assert strip_of("k_channel", 4, SMALL["grouped_query"]) == [("k", 0), ("k", 0), ("k", 1), ("k", 1)]
