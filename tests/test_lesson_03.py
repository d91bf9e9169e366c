"""Lesson 3: the six steps at the textbook's sizes, what one head blurs, one Wq or one per head."""

import numpy as np

from ui.course.lessons import several_heads as heads


def test_the_shapes_of_the_textbook_are_those_of_the_curriculum(student):
    page = student("several_heads")
    assert not page.blocks  # the table holds the answer
    page.do("answer", "(32, 20, 8, 64)")
    assert not page.panel["ask"]["right"]
    page.do("answer", "(32, 8, 20, 64)")
    assert page.panel["ask"]["right"]
    [shapes] = page.blocks
    assert [row[1] for row in shapes["rows"]] == [
        "32×20×512",
        "512×512",
        "32×20×512",
        "32×8×20×64",
        "32×8×20×20",
        "32×8×20×64",
        "32×20×512",
        "512×512",
        "32×20×512",
    ]
    assert [row[2] for row in shapes["rows"]][3:6] == ["2×4×2", "2×4×4", "2×4×2"]


def test_no_matrix_shows_a_shape_that_is_asked_for(student):
    def on_board(page):
        return [matrix["key"] for matrix in page.message["new_outline"]["matrices"]]

    page = student("several_heads")
    assert on_board(page) == ["weights"]
    page.at("merge")
    assert not {"merged", "output"} & set(on_board(page))
    page.do("show")
    assert {"merged", "output"} <= set(on_board(page))


def test_tasks_are_done_where_they_say(student):
    page = student("several_heads").at("apart").do("answer", "cat")
    page.do("open", "weights", [0, 1, 0])
    assert not page.panel["tried"]
    page.do("open", "weights", [1, 1, 2])
    assert page.panel["tried"]
    page.at("merge").do("edit", "w_o", 0, 0, "2")
    assert not page.panel["tried"]
    page.do("edit", "w_o", 0, 2, "1")
    assert page.panel["tried"]


def test_two_heads_keep_apart_what_one_blurs(student):
    page = student("several_heads").at("blur")
    facts = heads.what_sat_sees(page.here)
    assert facts["cat_of_two"] > 0.8
    assert facts["mat_of_two"] > 0.8
    np.testing.assert_allclose(facts["cat_of_one"], facts["mat_of_one"])
    assert facts["cat_of_one"] < 0.5
    page.do("answer", "both").do("choose", "n_heads", 1)
    assert page.is_done
    np.testing.assert_allclose(page.here.trace["output"][1], np.full(4, facts["cat_of_one"]))
    assert f"{facts['cat_of_one']:.2f}" in page.text()


def test_the_head_that_answers_depends_on_the_numbers(student):
    page = student("several_heads").at("apart")
    assert heads.most_looked_at(page.here, 0) == "cat"
    assert heads.most_looked_at(page.here, 1) == "mat"
    page.do("edit", "w_k", 0, 0, "0").do("edit", "w_k", 1, 0, "1")
    assert heads.most_looked_at(page.here, 0) == "sat"
    page.do("edit", "w_k", 1, 0, "0").do("edit", "w_k", 3, 0, "1").do("answer", "stop")
    assert page.panel["ask"]["right"]


def test_a_heads_own_columns_give_its_own_q(student):
    page = student("several_heads").at("one_wq").do("edit", "w_q", 0, 3, "2.5")
    assert page.blocks[0]["blocks"][2]["values"][0] == ["?", "?"]  # it is asked for
    page.do("answer", "same")
    for head in (0, 1):
        page.turn(head=head)
        above, below = page.blocks
        [_, own, alone], [big, whole] = above["blocks"], below["blocks"]
        assert alone["values"] == [row[2 * head : 2 * head + 2] for row in whole["values"]]
        assert own["values"] == [row[2 * head : 2 * head + 2] for row in big["values"]]
        assert own["values"] != alone["values"]  # X does something
        for each in (big, whole):
            assert {column for _, column, _ in each["marks"]} == {2 * head, 2 * head + 1}
    assert heads.difference_of_heads(page.here)["difference"] == 0


def test_values_may_be_wider_than_keys(student):
    page = student("several_heads").at("widths").turn(d_key=1, d_value=4)
    shapes = dict(page.blocks[0]["rows"])
    assert shapes["V by head"] == "2×4×4"
    assert shapes["Q by head"] == shapes["K by head"] == "2×4×1"
    assert shapes["merged"] == "4×8"
    assert shapes["output"] == "4×4"
