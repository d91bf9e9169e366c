"""Lesson 5: one product or three, and where every number goes on its way into the heads."""

import numpy as np
import pytest

from attention_core import origins
from ui.course.lessons.reshape import patches_of
from ui.scenario.presets import load_beside, load_preset


def at_places(block, at):
    """The texts of the cells that move, by their place in a layout."""
    places = block["layouts"][at]["places"]
    return {tuple(place): cell for place, cell in zip(places, block["cells"], strict=True)}


def inside(block, at, frame):
    """What stands in a frame, row by row."""
    left, top, columns, rows, _ = frame
    found = at_places(block, at)
    return [[found[left + column, top + line] for column in range(columns)] for line in range(rows)]


def test_an_image_of_224_in_patches_of_16_has_197_tokens(student):
    assert patches_of(224, 16) + 1 == 197 == load_preset("vit_base").trace()["x"].shape[1]
    page = student("reshape").at("patches").turn(image=224, patch=16)
    table, image = page.blocks
    assert [line[-1] for line in table["rows"]] == ["14", "196", "197", "768"]
    assert np.array(image["values"]).tolist() == (1 + np.arange(196)).reshape(14, 14).tolist()
    page.do("answer", "196")
    assert not page.panel["ask"]["answered"]
    page.do("answer", "197")
    assert page.is_done
    assert "1×197×768" in page.text("why")


@pytest.mark.parametrize("bias", [0, 1])
def test_one_product_is_the_three_side_by_side(student, bias):
    page = student("reshape").at("fused").turn(bias=bias)
    three, one = page.blocks
    apart = [np.array(block["values"]) for block in three["blocks"]]
    [together] = one["blocks"]
    np.testing.assert_array_equal(np.hstack(apart), together["values"])
    assert together["columns"][3:5] == ["q3", "k0"]
    plain = load_preset("fused_vit").trace()
    x, w_qkv = plain["x"][0], plain["w_qkv"]
    expected = x @ w_qkv + (0 if bias else plain["b_qkv"])
    np.testing.assert_array_equal(together["values"], expected)
    page.do("show")
    assert "between the two is 0, and in the output 0." in page.text("why")


def test_a_reshape_moves_nothing(student):
    block, code = student("reshape").at("labels").blocks
    before, after = (layout["places"] for layout in block["layouts"])
    assert before == after
    assert code["text"] == "qkv.reshape(1, 3, 3, 2, 2)"
    assert [frame[-1] for frame in block["layouts"][0]["frames"]] == ["CLS", "p0", "p1"]
    named = [frame[-1] for frame in block["layouts"][1]["frames"][:6]]
    assert named == [f"{part}, head {head}" for part in "QKV" for head in (0, 1)]


def test_a_permute_brings_each_number_to_its_head(student):
    page = student("reshape").at("permute").turn(step=1)
    block, code = page.blocks
    assert block["at"] == 1
    assert code["text"] == "q, k, v = qkv.reshape(1, 3, 3, 2, 2).permute(2, 0, 3, 1, 4)"
    heads = {"Q": "q_heads", "K": "k_heads", "V": "v_heads"}
    for frame in block["layouts"][1]["frames"]:
        part, _, head = frame[-1].replace(",", "").split()
        cells = inside(block, 1, frame)
        numbers = [[float(text.replace("−", "-")) for text, _, _ in line] for line in cells]
        np.testing.assert_array_equal(numbers, page.here.trace[heads[part]][0, int(head)])
        assert {(ink, own) for line in cells for _, ink, own in line} == {(part.lower(), int(head))}


def test_a_view_scrambles_the_heads(student):
    page = student("reshape").at("view")
    [block] = page.blocks  # the answer is not given away
    right, wrong = page.here.trace, load_beside("view_or_transpose").trace()
    for at, trace in ((1, right), (2, wrong)):
        for head, frame in enumerate(block["layouts"][at]["frames"]):
            numbers = [[float(text) for text, _, _ in line] for line in inside(block, at, frame)]
            np.testing.assert_array_equal(numbers, trace["q_heads"][head])
    scrambled = [inside(block, 2, frame) for frame in block["layouts"][2]["frames"]]
    colours = [{own for line in cells for *_, own in line} for cells in scrambled]
    assert colours == [{0, 1}, {0, 1}]
    page.do("answer", "1").turn(how=2)
    assert not page.is_done
    page.do("answer", "0,2")
    assert page.is_done
    first, second = page.blocks[1]["blocks"]
    assert second["marks"] == [[1, 0, "first"]]
    assert first["values"][1][0] != second["values"][1][0] == 0.2
    assert "q_heads[0, 1, 0] = q[1, 0] = 1, but by view alone q_heads[0, 1, 0] = q[0, 2] = 0.2" in page.text()
    kept = set(origins(wrong, "q_heads", "q").flat[0].ravel() // 4)
    assert kept == {0, 1}  # token 0 and half of token 1, as the words say


def test_real_sizes_are_walked(student):
    page = student("reshape").at("real")
    assert len(page.blocks[0]["rows"]) == 1
    page.do("answer", "3×1×12×197×64").turn(step=4)
    assert page.is_done
    assert [line[1] for line in page.blocks[0]["rows"]] == [
        "1×197×768",
        "1×197×2304",
        "1×197×3×12×64",
        "3×1×12×197×64",
        "1×12×197×64",
    ]


def test_the_lab_opens_the_view_beside_the_transpose(student):
    page = student("reshape").at("view")
    assert page.here.scenario.view.kept
    assert page.here.scenario.options == {"n_heads": 2}


def test_a_view_is_shown_of_the_numbers_that_are_there(student):
    page = student("reshape").at("view").turn(how=2).do("edit", "w_q", 0, 0, "\n".join(["1 0 0 0"] * 4))
    assert page.here.scenario.arrays["w_q"] == [[1, 0, 0, 0]] * 4
    page.do("show")
    sums = page.here.trace["x"].sum(axis=1)  # of each token, the only numbers in Q that are not 0
    right, wrong = (block["values"] for block in page.blocks[1]["blocks"])
    np.testing.assert_allclose(right, [[sums[0], 0], [sums[1], 0], [sums[2], 0]])
    np.testing.assert_allclose(wrong, [[sums[0], 0], [0, 0], [sums[1], 0]])


@pytest.mark.parametrize("name", ["w_q", "x"])
def test_where_a_view_does_no_harm_to_q_nothing_is_marked(student, name):
    page = student("reshape").at("view").turn(how=2)
    page.do("edit", name, 0, 0, "\n".join(["0 0 0 0"] * len(page.here.scenario.arrays[name])))
    assert page.answer.refused == ""
    page.do("show")
    assert page.answer.faults == ()
    assert not any(block.get("marks") for block in page.blocks[1]["blocks"])
    assert page.text()
