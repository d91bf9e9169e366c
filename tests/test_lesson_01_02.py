"""Lessons 1 and 2 carry the figures of the 2x2-pixel example, and they come from the computation."""

import numpy as np
import pytest

from ui.scenario.presets import load_preset


def values(page, name):
    keys = [matrix["key"] for matrix in page.message["new_outline"]["matrices"]]
    return page.message["values"][keys.index(name)]


def test_lesson_1_shows_the_projections_of_the_worked_example(student):
    page = student("projection")
    assert values(page, "q") == [[1, 1], [2, 0], [3, 1], [4, 0]]
    assert "1 \\cdot 1 + 0 \\cdot 0 + 1 \\cdot 0 + 2 \\cdot 0 = 1" in page.do("show").text()
    page.at("swap")
    assert values(page, "k") == [[0, 1], [1, 2], [0, 3], [1, 4]]
    assert values(page, "v") == [[1, 0], [0, 1], [1, 0], [0, 1]]


def test_a_covered_matrix_is_hidden_until_the_question_is_answered(student):
    page = student("projection")
    assert page.message["covered"] == ["q"]
    page.do("answer", "2")
    assert page.message["covered"] == ["q"]
    page.do("answer", "3")
    assert "covered" not in page.message


def test_a_usual_mistake_is_named(student):
    page = student("attention").do("answer", "4")  # without the first term of 1·3 + 2·2
    assert not page.panel["ask"]["right"]
    assert "q_heads[mat, 0]" in page.panel["ask"]["hint"]


def test_the_prose_follows_an_edit(student):
    page = student("projection").at("blend").do("show").do("edit", "w_q", 3, 0, "0.5")
    assert "2 \\cdot 0.5 = 2" in page.text()
    assert page.is_done


def test_nobody_reads_the_fourth_channel(student):
    page = student("projection").at("lost").do("edit", "x", 0, 3, "100").do("show")
    assert "[1, 1]" in page.text()
    assert page.is_done


def test_only_the_fourth_channel_is_the_task(student):
    page = student("projection").at("lost").do("show").do("edit", "x", 0, 0, "5")
    assert not page.is_done
    page.at("blend").do("show").do("edit", "w_q", 0, 0, "5")
    assert not page.is_done


def test_the_scaled_score_is_asked_and_told_whatever_the_scale_is_now(student):
    page = student("attention").at("scale").do("choose", "scale", "off").do("answer", "3.54")
    assert page.panel["ask"]["right"]
    assert "5 / √2 = 5 / 1.414 = 3.54" in page.text()


def test_what_was_right_stays_right_after_an_edit(student):
    page = student("projection").do("answer", "3").do("edit", "x", 2, 0, "8")
    assert page.panel["ask"]["answer"] == "3"
    assert page.panel["changed"]


def test_a_wrong_number_without_a_known_mistake_gets_the_hint_of_the_section(student):
    page = student("projection").do("answer", "77")
    assert page.panel["ask"]["hint"].startswith("Row p2 of X")
    page.do("answer", "2")
    assert "Take x[p2, :] here" in page.panel["ask"]["hint"]


def test_both_orientations_agree(student):
    page = student("projection").at("orientation").turn(stored=1)
    [shown] = page.blocks
    assert shown["blocks"][2]["values"] == [[1, 2, 3, 4], [1, 0, 1, 0]]
    assert "is 0." in page.do("show").text()
    assert "1×1×2×4" in page.text()


def test_lesson_2_shows_the_figures_of_the_worked_example(student):
    page = student("attention").at("scale")
    scores = [[1, 3, 3, 5], [0, 2, 0, 2], [1, 5, 3, 7], [0, 4, 0, 4]]
    assert values(page, "scores") == scores
    np.testing.assert_allclose(values(page, "scaled"), np.array(scores) / np.sqrt(2), atol=5e-6)
    page.at("softmax")
    printed = [
        [0.038248, 0.157323, 0.157323, 0.647107],
        [0.097785, 0.402215, 0.097785, 0.402215],
        [0.010914, 0.184656, 0.044893, 0.759537],
        [0.027904, 0.472096, 0.027904, 0.472096],
    ]
    np.testing.assert_allclose(values(page, "weights"), printed, atol=5e-7)
    page.at("output")
    output = [[0.195570, 0.804430]] * 2 + [[0.055807, 0.944193]] * 2
    np.testing.assert_allclose(values(page, "output"), output, atol=5e-7)
    assert page.do("show").text().count("0.80") >= 3  # the output, and both sums


def test_lesson_2_opens_on_the_sentence_of_home_and_lab(student):
    page = student("attention")
    sentence = load_preset("cat_on_the_mat")
    assert page.here.scenario.names == sentence.names
    np.testing.assert_array_equal(values(page, "scores"), sentence.trace()["scores"][0])  # of its first head
    assert tuple(page.panel["ask"]["cell"]) == (5, 2)
    assert "3·1" not in page.do("answer", "7").do("show").text()
    assert "1 \\cdot 3 + 2 \\cdot 2 = 7" in page.text()


def test_the_asked_cell_comes_with_what_it_is_made_of_and_not_with_its_number(student):
    ask = student("projection").panel["ask"]
    assert (ask["matrix"], tuple(ask["cell"])) == ("q", (2, 0))
    assert ask["lit"]["x"] == [[2, column, "source"] for column in range(4)]
    assert ask["lit"]["w_q"] == [[row, 0, "source"] for row in range(4)]
    assert ask["help"].startswith("Row p2 of X")
    shape = student("several_heads").panel["ask"]  # a shape is not on the board before it is told
    assert "matrix" not in shape
    assert student("projection").at("swap").panel["ask"]["matrix"] == "k"


def test_the_outputs_part_only_when_they_really_do(student):
    page = student("attention").at("part").do("answer", "doubled")
    page.do("edit", "w_v", 3, 0, "1")  # the same for every pixel: both outputs move alike
    assert not page.is_done
    page.do("edit", "w_v", 0, 0, "1")
    assert page.is_done


@pytest.mark.parametrize("stored", [0, 1])
def test_the_output_with_channels_first_is_the_same_turned(student, stored):
    page = student("attention").at("sides").turn(stored=stored)
    [shown] = page.blocks
    output = np.array(shown["blocks"][2]["values"])
    expected = page.here.trace["output"]
    np.testing.assert_allclose(output.T if stored else output, expected, atol=1e-6)
