"""Lesson 4: how many channels there are, in which order they lie, and what a wrong reading makes of them."""

import numpy as np
import pytest

from attention_core import AttentionError, conv1x1, depthwise_conv3x3
from ui.course.lessons.channels import (
    Sizes,
    by_head,
    by_part,
    cures,
    head_channels,
    misread,
    misread_order,
    mixing_projection,
    sizes_of,
)
from ui.scenario.presets import load_preset

NOTES_CASE = sizes_of(4, 2, 0.5)


def labels(channels):
    return [label for label, _, _ in channels]


def test_four_channels_become_eight():
    assert Sizes(4, 2, 0.5, head_dim=2, key_dim=1, n_channels=8) == NOTES_CASE
    assert load_preset("conv_4_to_8").trace()["qkv"].shape == (1, 8, 3, 3)
    assert sizes_of(256, 8, 0.5).n_channels == 512


def test_both_layouts_hold_the_same_channels():
    assert labels(by_head(NOTES_CASE)) == ["q0", "k0", "v0", "v0'", "q1", "k1", "v1", "v1'"]
    assert labels(by_part(NOTES_CASE)) == ["q0", "q1", "k0", "k1", "v0", "v0'", "v1", "v1'"]
    names = load_preset("conv_4_to_8").names["qkv_channel"]
    assert labels(by_head(NOTES_CASE)) == names  # the board says the same
    wide = by_head(sizes_of(16, 2, 0.5))
    assert len(set(labels(wide))) == len(wide) == 32


def test_a_misread_block_takes_the_channels_of_the_other_layout():
    scenario = load_preset("conv_4_to_8")
    right, wrong = scenario.trace(), misread(scenario)
    channels = right["qkv"].reshape(8, 9)
    taken = [labels(by_part(NOTES_CASE)).index(name) for name in ("q0", "k0", "v0", "v0'")]
    assert taken == [0, 2, 4, 5]  # of which only the first is what it is taken for
    np.testing.assert_array_equal(head_channels(wrong), channels[taken])
    np.testing.assert_array_equal(head_channels(right), channels[:4])
    assert wrong.output.shape == right.output.shape
    assert np.abs(wrong.output - right.output).max() > 1
    one_head = sizes_of(4, 1, 0.5)
    assert misread_order(one_head) == list(range(8))  # with one head the layouts are one


@pytest.mark.parametrize("dim", [4, 6, 8, 12])
@pytest.mark.parametrize("n_heads", range(1, 9))
@pytest.mark.parametrize("ratio", [0.25, 0.5, 1])
def test_every_cure_lets_the_block_be_built(dim, n_heads, ratio):
    try:
        sizes_of(dim, n_heads, ratio)
    except AttentionError:
        found = cures(dim, n_heads, ratio)
        assert found
        for name, value in found.items():
            sizes_of(**{"dim": dim, "n_heads": n_heads, "attn_ratio": ratio} | {CALLED[name]: value})


CALLED = {"heads": "n_heads", "dim": "dim", "ratio": "attn_ratio"}


def test_the_formula_fills_in(student):
    page = student("channels").at("eight")
    formula, table, strip = page.blocks
    assert formula["latex"].endswith(r"= 4 + 2 \cdot 2 \cdot 1 = 8")
    assert [line[-1] for line in table["rows"]] == ["2", "1", "2", "2", "4"]
    assert labels(strip["channels"]) == labels(by_head(NOTES_CASE))
    page.turn(dim=16, heads=4)
    assert page.blocks[0]["latex"].endswith(r"= 16 + 2 \cdot 4 \cdot 2 = 32")
    page.do("answer", "32").turn(ratio=1)
    assert page.is_done
    assert page.blocks[0]["latex"].endswith("= 48")
    assert "costs 8 multiplications instead of 16" in page.text("why")  # whatever the ratio is now
    page.turn(dim=4, heads=8)
    [refusal] = page.blocks
    assert refusal["pieces"][0].startswith("x has width 4, which 8 heads do not divide evenly.")


def test_what_does_not_divide_says_which_number_to_change(student):
    page = student("channels").at("divide")
    [refusal] = page.blocks
    assert "key_dim" not in refusal["pieces"][0]  # why is asked first
    page.do("answer", "channels")
    assert not page.panel["ask"]["answered"]
    page.do("answer", "key")
    refusal, table = page.blocks
    assert "rounds down to a key_dim of 0" in refusal["pieces"][0]
    assert refusal["tone"] == "warning"
    assert [line[1:] for line in table["rows"]] == [["8", "4"], ["8", "16"], ["0.5", "1"]]
    page.turn(heads=4)
    assert page.is_done
    assert page.blocks[0]["latex"].endswith(r"= 8 + 2 \cdot 4 \cdot 1 = 16")
    page.do("go", "lab")  # there it is compared with the eight heads that cannot be built
    assert page.here.scenario.view.kept


def test_reading_part_by_part_is_shown_wrong(student):
    page = student("channels").at("layout")
    assert page.blocks[1]["marks"] == []
    page.turn(read=1)
    lie, read, code, pictures = page.blocks
    wrong = [place for place in range(8) if lie["channels"][place] != read["channels"][place]]
    assert read["marks"] == wrong == [1, 2, 3, 4, 5]
    assert "split([2, 2, 4], dim=1)" in code["text"]
    first, *others = pictures["blocks"][1]["marks"]
    assert first == [1, 1, "first"]
    assert {mark for *_, mark in others} == {"wrong"}
    right, other = (np.array(block["values"]) for block in pictures["blocks"])
    assert (right[:2, :2] != other[:2, :2]).tolist() == [[False, False], [False, True]]
    page.do("answer", "q")
    assert "in row k0, pixel 1: 1 becomes 0" in page.text("why")


def test_position_and_projection_are_computed(student):
    page = student("channels").at("position")
    trace = page.here.trace
    [filtered] = page.blocks
    assert filtered["blocks"][2]["values"][2][1] == "?"  # it is asked for
    page.do("answer", "3")
    filtered, added = page.blocks
    values, kernel, positional = (np.array(block["values"]) for block in filtered["blocks"])
    np.testing.assert_array_equal(positional[1:], values[:-1])  # each pixel has the one above it
    assert kernel.sum() == kernel[0, 1] == 1
    np.testing.assert_array_equal(trace["positional"], depthwise_conv3x3(trace["v_grid"], trace["w_pe"]))
    merged, hint, both = (np.array(block["values"]) for block in added["blocks"])
    np.testing.assert_allclose(merged + hint, both, atol=1e-6)
    page.at("project")
    trace = page.here.trace
    np.testing.assert_allclose(trace["output"], conv1x1(trace["residual"], trace["w_proj"]))
    assert float(trace["output"][0, 0, 0, 0]) == pytest.approx(trace["residual"][0, [0, 2], 0, 0].sum())
    assert mixing_projection(load_preset("conv_4_to_8")).arrays["w_proj"][0] == [1, 0, 1, 0]
