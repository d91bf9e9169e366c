"""Lesson 10: the loss and its slopes, the way back, softmax's Jacobian, and a run that reaches its goal."""

import re
from itertools import pairwise

import numpy as np
import pytest

from attention_core import gradients, multi_head_attention, softmax
from attention_core.tasks import find_equal
from attention_core.training import GOAL, Run, matches
from tests.student import as_read
from ui.course.lessons.learning import backward, jacobian, training


def values(block):
    return np.array(block["values"], dtype=float)


def until_trained(page):
    """Lets the experiment of the section finish, as the browser does by asking for more."""
    for _ in range(40):
        if not page.panel["working"]:
            return page
        page.do("more")
    raise AssertionError("the experiment does not end")


def block_of(page, kind, place=0):
    return [block for block in page.blocks if block["kind"] == kind][place]


# The loss


def test_the_loss_is_the_mean_squared_distance_to_the_letter_before(student):
    page = student("learning")
    tokens = page.here.scenario.names["token"]
    assert tokens == ["b", "a", "c", "a", "c"]
    assert page.blocks[0]["blocks"][0]["values"][-1] == ["?"] * 3  # the answer is not given away
    page.do("answer", "a")
    [wanted, far] = page.blocks[0]["blocks"]
    output = page.here.trace.output
    expected = [((output[i] - np.eye(3)["abc".index(tokens[i - 1])]) ** 2).sum() for i in range(1, 5)]
    assert ["abc"[place] for place in values(wanted)[1:].argmax(axis=1)] == tokens[:-1]
    np.testing.assert_allclose(values(far)[1:, 0], expected, rtol=1e-6)
    assert page.blocks[1]["latex"].endswith(f"= {np.mean(expected):.3f}")
    assert f"{np.mean(expected):.3f} now" in page.text("try")


def test_only_a_smaller_loss_does_the_task(student):
    page = student("learning").do("answer", "a").do("edit", "w_v", 0, 0, "-3")
    assert backward.loss_of(page.here.trace) > backward.loss_of(page.here.start.trace())
    assert not page.is_done
    page.do("edit", "w_v", 0, 0, "0.8")
    assert backward.loss_of(page.here.trace) < backward.loss_of(page.here.start.trace())
    assert page.is_done


# Its slopes


def test_the_steepest_slope_is_told_and_foretells_a_small_change(student):
    page = student("learning").at("slope")
    row, column = backward.steepest()
    slopes = values(page.blocks[0]["blocks"][0])
    assert abs(slopes[row, column]) == np.abs(slopes).max()
    assert page.blocks[0]["blocks"][0]["marks"] == [[row, column, "lit"]]
    before = backward.loss_of(page.here.trace)
    old = page.here.scenario.arrays["w_v"][row][column]
    page.do("edit", "w_v", row, column, str(old + 0.01))
    real = backward.loss_of(page.here.trace) - before
    assert real == pytest.approx(0.01 * slopes[row, column], rel=0.02)
    [says, really] = [float(line[1].replace("−", "-")) for line in page.blocks[0]["blocks"][1]["rows"]]
    assert says == pytest.approx(0.01 * slopes[row, column], abs=6e-5)
    assert really == pytest.approx(real, abs=6e-5)
    page.do("edit", "w_v", row, column, str(old + 5))
    [says, really] = [float(line[1].replace("−", "-")) for line in page.blocks[0]["blocks"][1]["rows"]]
    assert abs(says - really) > 0.5  # the curve bends


def test_a_tenth_of_the_slope_is_the_answer(student):
    page = student("learning").at("slope")
    slope = backward.slopes_of(page.here.trace)["w_v"][backward.steepest()]
    page.do("answer", f"{-slope / 10:.3f}")
    assert page.panel["ask"]["right"] is False
    page.do("answer", f"{slope / 10:.3f}")
    assert page.panel["ask"]["right"] is True


@pytest.mark.parametrize("name", ["x", "w_q", "w_k", "w_v"])
def test_slopes_foretell_a_change_of_whatever_was_given(student, name):
    page = student("learning").at("slope")
    old = page.here.scenario.arrays[name][0][1]
    page.do("edit", name, 0, 1, str(old + 0.001))
    real = backward.loss_of(page.here.trace) - backward.loss_of(page.here.start.trace())
    assert backward.foretold(page.here) == pytest.approx(real, rel=0.05, abs=1e-8)
    assert real != 0


# The way back


ASKED = np.array([[0], [1], [1], [1], [1]])
PRODUCTS = {  # of two operands on show; the others are matrix products
    "output": lambda output, target: 2 / 4 * ASKED * (output - target),
    "scaled": lambda weights, slopes: weights * (slopes - (weights * slopes).sum(axis=1, keepdims=True)),
    "q": lambda slopes, k: slopes @ k / np.sqrt(3),
}


def test_each_stop_shows_a_product_that_is_true(student):
    page = student("learning").at("backward")
    for stop, name in enumerate(backward.WAY_BACK):
        page.turn(back=stop)
        left, right, result = map(values, page.blocks[1]["blocks"])
        product = PRODUCTS.get(name, np.matmul)(left, right)
        np.testing.assert_allclose(result, product, atol=1e-6, err_msg=name)
        slopes = backward.slopes_of(page.here.trace)[name]
        np.testing.assert_allclose(result, slopes.reshape(result.shape), rtol=1e-6, atol=1e-9)
    assert "{N}" not in page.blocks[0]["latex"] + page.turn(back=0).blocks[0]["latex"]
    assert r"\frac{2}{4}" in page.turn(back=0).blocks[0]["latex"]
    assert r"\sqrt{3}" in page.turn(back=4).blocks[0]["latex"]


def test_the_last_stop_shows_the_slopes_of_the_whole_board(student):
    page = student("learning").at("backward").do("answer", "8x3")
    assert not page.turn(back=4).is_done
    page.turn(back=6)
    shown = [block for line in page.blocks for block in line["blocks"]]
    assert len(shown) == sum(map(len, backward.BOARD))
    slopes = backward.slopes_of(page.here.trace)
    for name, block in zip((name for names in backward.BOARD for name in names), shown, strict=True):
        np.testing.assert_allclose(values(block), slopes[name].reshape(values(block).shape), rtol=1e-6)
    assert page.is_done
    assert re.search(r"agree to 1\d decimal places", page.text())


# Softmax


def test_the_jacobian_is_what_small_changes_of_the_scores_do(student):
    page = student("learning").at("jacobian")
    for row in range(4):
        page.turn(row=row, times=1.5)
        scores = 1.5 * page.here.slice("scaled")[row]
        shown = values(page.blocks[1]["blocks"][1])
        for place in range(4):
            step = 1e-6 * np.eye(4)[place]
            found = (softmax(scores + step) - softmax(scores - step)) / 2e-6
            np.testing.assert_allclose(shown[:, place], found, atol=1e-6)
        np.testing.assert_allclose(shown.sum(axis=0), 0, atol=1e-6)
        fading = page.blocks[2]
        assert fading["at"] == 1.5
        assert fading["series"][0]["y"][fading["x"].index(1.5)] == pytest.approx(shown.max(), rel=1e-5)


def test_the_jacobian_is_what_gradients_uses():
    rng = np.random.default_rng(0)
    trace = multi_head_attention(*[rng.standard_normal((4, 4)) for _ in range(4)], n_heads=1)
    slopes = gradients(trace, rng.standard_normal((4, 4)))
    for row in range(4):
        found = jacobian.softmax_jacobian(trace["weights"][0, row])
        np.testing.assert_allclose(slopes["scaled"][0, row], found @ slopes["weights"][0, row], atol=1e-12)


def test_a_decided_row_passes_nothing_and_a_tie_a_quarter(student):
    page = student("learning").at("jacobian").do("answer", "0").turn(times=jacobian.TIMES[-1])
    assert page.is_done
    assert values(page.blocks[1]["blocks"][1]).max() < 0.01
    assert "0.647, that is 0.228" in page.text()
    assert "above 0.007" in page.text()
    assert "0.25 still passes" in page.text()
    for row in (1, 3):
        page.turn(row=row)
        assert values(page.blocks[1]["blocks"][1]).max() == pytest.approx(0.25, abs=0.002)


# The run


@pytest.mark.parametrize("task", [0, 1])
def test_the_run_on_the_page_reaches_the_stated_loss(student, task):
    page = student("learning").at("train").do("answer", "before").turn(task=task, epoch=0)
    until_trained(page)
    assert not page.is_done
    page.turn(epoch=training.N_EPOCHS)
    losses, alike, goal = block_of(page, "plot")["series"]
    assert len(losses["y"]) == training.N_EPOCHS + 1
    assert losses["y"][-1] < GOAL == goal["y"][0] < alike["y"][0] / 20
    run = Run(training.task_of(training.NAMES[task]))
    run.train(training.N_EPOCHS)
    np.testing.assert_allclose(losses["y"], run.losses, rtol=1e-5)
    assert page.is_done
    assert f"At epoch 200 the loss is {run.losses[-1]:.4f}" in page.text()


def test_every_epoch_has_its_own_w_and_weights_and_the_answer_is_not_given_away(student):
    page = until_trained(student("learning").at("train"))
    _, run, _ = training.run_here(page.here)
    seen = {}
    for epoch in (0, 60, 200):
        page.turn(epoch=epoch)
        weights, output = block_of(page, "row")["blocks"]
        for block, name in zip(block_of(page, "row", 1)["blocks"], ("w_q", "w_k", "w_v"), strict=True):
            np.testing.assert_allclose(values(block), getattr(run.learned[epoch], name), rtol=1e-6)
        x = run.task.unseen.x[training.SHOWN["copy"]]
        np.testing.assert_allclose(values(weights), run.trace(epoch, x)["weights"][0], rtol=1e-6)
        np.testing.assert_allclose(values(output), run.trace(epoch, x).output, rtol=1e-6)
        assert bool(weights.get("marks")) == (epoch > 0)
        seen[epoch] = values(weights)
    assert (seen[200][1:].argmax(axis=1) == [0, 1, 2, 3]).all()
    assert seen[0][1:].max() < 0.3


@pytest.mark.parametrize("task", [0, 1])
def test_steps_that_are_too_large_are_said_to_be(student, task):
    page = student("learning").at("train").turn(task=task, rate=2, epoch=200)
    until_trained(page)
    assert page.blocks[0]["tone"] == "warning"
    assert block_of(page, "progress")["fraction"] == 1
    page.do("answer", "before")
    assert not page.is_done
    until_trained(page.turn(rate=1))
    assert page.is_done
    assert page.blocks[0]["kind"] == "progress"


def test_training_can_be_stopped_and_taken_up(student):
    page = student("learning").at("train")
    before = block_of(page, "progress")["fraction"]
    page.do("stop")
    stopped = block_of(page, "progress")["fraction"]
    assert before <= stopped < 1
    assert not page.panel["working"]
    assert block_of(page, "progress")["fraction"] == stopped
    page.do("stop")
    until_trained(page)
    assert block_of(page, "progress")["fraction"] == 1


@pytest.mark.parametrize("section", ["train", "table"])
def test_the_last_message_of_a_training_shows_its_end(student, section):
    """Nobody asks again once nothing is working, so what is shown then must be all there is."""
    page = student("learning").at(section).do("show")
    for _ in range(60):
        share = block_of(page, "progress")["fraction"]
        assert page.panel["working"] == (share < 1)
        if not page.panel["working"]:
            break
        page.do("more")
    assert share == 1
    told = page.panel
    assert page.do("more").panel == told


def test_prose_and_figures_tell_of_the_same_epoch_while_it_trains(student):
    page = student("learning").at("train").do("show").turn(epoch=training.N_EPOCHS)
    told = shown = 0
    while told < training.N_EPOCHS:
        panel = page.panel  # one message
        [bar, seen] = panel["blocks"][:2]
        [told] = map(int, re.findall(r"At epoch (\d+) ", as_read(panel["why"][0])))
        [epoch] = map(int, re.findall(r"after (\d+) epochs", seen["title"]))
        assert told == epoch == shown + training.PIECE
        assert bar["fraction"] == pytest.approx(epoch / training.N_EPOCHS)
        shown = epoch
        page.do("more")


def test_pieces_give_the_same_numbers_as_one_run_and_leave_those_before_as_they_were():
    task = training.task_of("copy")
    pieces = [training.Training((Run(task), Run(task, with_table=True)))]
    while pieces[-1].fraction < 1:
        pieces.append(pieces[-1].further())
    n_epochs = training.PIECE // 2  # of each of the two
    assert [run.epoch for piece in pieces for run in piece.runs] == [
        n_epochs * place for place in range(len(pieces)) for _ in range(2)
    ]
    np.testing.assert_allclose(np.diff([piece.fraction for piece in pieces]), n_epochs / training.N_EPOCHS)
    at_once = Run(task)
    at_once.train(training.N_EPOCHS)
    assert pieces[-1].runs[0].losses == at_once.losses


# What was learned


def test_every_token_looks_at_its_twin_and_w_stays_when_the_sentence_changes(student):
    page = student("learning").at("learned")
    tokens = page.here.scenario.names["token"]
    weights = page.here.slice("weights")
    for place, token in enumerate(tokens):
        twin = int(weights[place].argmax())
        assert twin != place
        assert tokens[twin][0] == token[0]
        assert "123"[page.here.trace.output[place].argmax()] == tokens[twin][1]
    before = {name: page.here.trace[name] for name in ("w_q", "w_k", "w_v")}
    page.do("answer", "weights").do("edit", "x", 0, 0, "0").do("edit", "x", 0, 1, "1")
    assert page.is_done
    assert np.abs(page.here.slice("weights") - weights).max() > 0.3
    for name, array in before.items():
        np.testing.assert_array_equal(page.here.trace[name], array)


def test_what_is_said_about_the_numbers_learned_is_counted(student):
    page = student("learning").at("learned").do("show")
    assert "54 numbers in all" in page.text()
    assert "36 attention weights" in page.text()
    orders, digits = 720 // 2**3, 3**6
    assert f"{orders * digits:,}" in page.text()
    matched, tried = page.blocks[0]["blocks"]
    assert (values(matched)[:3, :3].argmax(axis=1) == [0, 1, 2]).all()
    assert [line[2] for line in tried["rows"]] == ["288 / 288"] * 2
    assert all(float(line[1]) < GOAL for line in tried["rows"])


def test_every_sentence_there_is_gets_the_right_answers():
    """As the lesson says of all the others, not only of those kept apart."""
    every = find_equal(n_sentences=training.task_of("find").n_possible // 2)
    learned = training.found_equal()
    for sentences in (every.seen, every.unseen):
        scaled = sentences.x @ matches(learned) @ sentences.x.mT
        output = softmax(np.where(every.visible, scaled, -np.inf)) @ (sentences.x @ learned.w_v)
        np.testing.assert_array_equal(output.argmax(axis=-1), sentences.target.argmax(axis=-1))


# A table in its place


def test_a_table_copies_and_does_not_find(student):
    page = until_trained(student("learning").at("table"))
    by_table, by_w, alike = (series["y"] for series in block_of(page, "plot")["series"])
    assert max(by_table[-1], by_w[-1]) < GOAL < alike[0]
    until_trained(page.do("answer", "copy").turn(task=1))
    by_table, by_w, alike = (series["y"] for series in block_of(page, "plot")["series"])
    assert by_w[-1] < GOAL
    assert by_table[-1] > 0.9 * alike[0]
    assert page.is_done
    assert f"a loss of {by_table[-1]:.3f}" in page.text()


def test_a_table_looks_alike_at_every_sentence(student):
    page = until_trained(student("learning").at("table").turn(task=1))
    shown = []
    for sentence in range(4):
        page.turn(sentence=sentence)
        shown.append([values(block) for block in block_of(page, "row")["blocks"]])
    for one, other in pairwise(shown):
        np.testing.assert_array_equal(one[0], other[0])
        assert np.abs(one[1] - other[1]).max() > 0.5
