"""The tiny training runs: real gradients, stated losses, and weights that point where the answer stands."""

import numpy as np
import pytest

from attention_core import AttentionError, gradients
from attention_core.tasks import DIGITS, LETTERS, TASKS, copy_previous, find_equal
from attention_core.training import (
    GOAL,
    MOST_EPOCHS,
    Run,
    attend,
    descend,
    first_weights,
    loss_of,
    loss_without_looking,
    matches,
    right_weights,
    squared_error,
)

MADE = {name: make() for name, make in TASKS.items()}


def trained(name, **options):
    run = Run(MADE[name], **options)
    while not run.is_finished:
        run.train(50)
    return run


RUNS = {name: trained(name) for name in TASKS}
TABLES = {name: trained(name, with_table=True) for name in TASKS}


# The tasks


def letters_of(sentence):
    return [LETTERS[place] for place in sentence[:, : len(LETTERS)].argmax(axis=-1)]


@pytest.mark.parametrize("part", ["seen", "unseen"])
def test_the_answer_of_a_copied_token_is_the_letter_before_it(part):
    sentences = getattr(MADE["copy"], part)
    for x, target, holders in zip(sentences.x, sentences.target, sentences.holders, strict=True):
        letters = letters_of(x)
        assert [LETTERS[place] for place in target[1:].argmax(axis=-1)] == letters[:-1]
        assert holders[1:].tolist() == [0, 1, 2, 3]
        np.testing.assert_array_equal(x[:, len(LETTERS) :], np.eye(5))
        np.testing.assert_array_equal(target[0], 0)


@pytest.mark.parametrize("part", ["seen", "unseen"])
def test_the_answer_to_an_equal_token_is_the_digit_of_its_twin(part):
    sentences = getattr(MADE["find"], part)
    for x, target, holders in zip(sentences.x, sentences.target, sentences.holders, strict=True):
        letters = letters_of(x)
        digits = x[:, len(LETTERS) :]
        assert sorted(letters) == sorted(LETTERS * 2)
        for token, holder in enumerate(holders):
            assert holder != token
            assert letters[holder] == letters[token]
            np.testing.assert_array_equal(target[token], digits[holder])


@pytest.mark.parametrize("name", TASKS)
def test_every_row_is_one_hot_twice_and_fits_its_names(name):
    task = MADE[name]
    for sentences in (task.seen, task.unseen):
        assert sentences.x.shape == (48, task.n_tokens, len(task.features))
        assert sentences.target.shape == (48, task.n_tokens, len(task.channels))
        assert set(np.unique(sentences.x)) == {0, 1}
        assert (sentences.x.sum(axis=-1) == 2).all()
        assert (sentences.target[:, task.asked].sum(axis=-1) == 1).all()
    assert task.channels == (LETTERS if name == "copy" else DIGITS)


@pytest.mark.parametrize("name", TASKS)
def test_no_sentence_comes_twice_and_none_that_is_seen_is_unseen(name):
    task = MADE[name]
    every = [x.tobytes() for part in (task.seen, task.unseen) for x in part.x]
    assert len(set(every)) == 96


@pytest.mark.parametrize("name", TASKS)
def test_a_seed_decides_the_sentences(name):
    same, other = TASKS[name](0), TASKS[name](1)
    np.testing.assert_array_equal(same.seen.x, MADE[name].seen.x)
    assert (other.seen.x != MADE[name].seen.x).any()


@pytest.mark.parametrize("name", TASKS)
def test_nobody_can_change_a_task(name):
    task = MADE[name]
    arrays = [task.asked, *vars(task.seen).values(), *vars(task.unseen).values()]
    if task.visible is not None:
        arrays.append(task.visible)
    assert not any(array.flags.writeable for array in arrays)


def test_too_many_sentences_are_refused():
    assert len(copy_previous(0, 121).unseen) == 121
    with pytest.raises(AttentionError, match="n_sentences is 122, but must be at most 121"):
        copy_previous(0, 122)
    with pytest.raises(AttentionError, match="seed is -1"):
        find_equal(-1)


# The loss and its gradient


@pytest.mark.parametrize("name", TASKS)
def test_the_loss_is_the_mean_squared_distance_of_the_asked_tokens(name):
    task = MADE[name]
    output = np.random.default_rng(3).standard_normal(task.seen.target.shape)
    distances = [
        np.linalg.norm(output[sentence, token] - task.seen.target[sentence, token]) ** 2
        for sentence in range(48)
        for token in range(task.n_tokens)
        if task.asked[token]
    ]
    assert squared_error(task, output, task.seen.target)[0] == pytest.approx(np.mean(distances))
    one = squared_error(task, output[5], task.seen.target[5])[0]
    assert one == pytest.approx(np.mean(distances[5 * task.asked.sum() : 6 * task.asked.sum()]))


@pytest.mark.parametrize("with_table", [False, True])
@pytest.mark.parametrize("name", TASKS)
def test_an_epoch_moves_every_number_against_its_finite_difference(name, with_table):
    task, rate, step = MADE[name], 0.7, 1e-6
    learned = first_weights(task, 4, with_table)
    _, moved = descend(task, learned, rate)
    for which in learned.names:
        array = getattr(learned, which)
        for index in np.ndindex(array.shape):
            if not np.isfinite(array[index]):  # a token that may not be looked at stays so
                assert getattr(moved, which)[index] == array[index]
                continue
            up, down = array.copy(), array.copy()
            up[index] += step
            down[index] -= step
            rise = loss_of(task, learned._replace(**{which: up}), task.seen)
            rise -= loss_of(task, learned._replace(**{which: down}), task.seen)
            found = (array[index] - getattr(moved, which)[index]) / rate
            assert found == pytest.approx(rise / (2 * step), rel=1e-5, abs=1e-8), (which, index)


@pytest.mark.parametrize("name", TASKS)
def test_each_epoch_is_one_step_against_the_gradient(name):
    run, task = RUNS[name], MADE[name]
    for epoch in (0, 17, 120):
        trace = attend(task, run.learned[epoch], task.seen.x)
        loss, d_output = squared_error(task, trace.output, task.seen.target)
        found = gradients(trace, d_output)
        assert run.losses[epoch] == pytest.approx(loss)
        for which in ("w_q", "w_k", "w_v"):
            before, after = getattr(run.learned[epoch], which), getattr(run.learned[epoch + 1], which)
            np.testing.assert_allclose(after, before - run.rate * found[which], rtol=0, atol=1e-15)


# The runs


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", TASKS)
def test_the_stated_loss_is_reached_from_every_stated_seed(name, seed):
    run = trained(name, seed=seed)
    assert (run.epoch, run.rate) == (200, 1)
    assert run.losses[-1] < GOAL
    assert run.losses[0] > 0.8


@pytest.mark.parametrize("name", TASKS)
def test_training_beats_what_is_possible_without_looking(name):
    task = MADE[name]
    least = loss_without_looking(task)
    assert 0.4 < least < 0.6
    assert RUNS[name].losses[-1] < least / 50
    x, target = task.seen.x, task.seen.target
    total = x.sum(axis=1, keepdims=True)
    averages = (total - x) / 5 if name == "find" else np.broadcast_to(total / 5, x.shape)
    averages, target = averages[:, task.asked].reshape(-1, x.shape[-1]), target[:, task.asked].reshape(-1, 3)
    off = averages @ (np.linalg.pinv(averages) @ target) - target
    assert least == pytest.approx((off**2).sum(axis=1).mean())


@pytest.mark.parametrize("name", TASKS)
def test_the_weights_point_to_the_token_that_holds_the_answer(name):
    task, run = MADE[name], RUNS[name]
    for sentences in (task.seen, task.unseen):
        for epoch, check in ((0, lambda right: right.max() < 0.4), (200, lambda right: right.min() > 0.75)):
            weights = attend(task, run.learned[epoch], sentences.x)["weights"][:, 0]
            assert check(right_weights(task, weights, sentences.holders))
        largest = weights.argmax(axis=-1)[:, task.asked]
        np.testing.assert_array_equal(largest, sentences.holders[:, task.asked])


@pytest.mark.parametrize("name", TASKS)
def test_sentences_never_seen_are_answered_as_well(name):
    task, run = MADE[name], RUNS[name]
    assert loss_of(task, run.learned[-1], task.unseen) < GOAL
    output = attend(task, run.learned[-1], task.unseen.x).output[:, task.asked]
    answers = task.unseen.target[:, task.asked]
    np.testing.assert_array_equal(output.argmax(axis=-1), answers.argmax(axis=-1))


@pytest.mark.parametrize("name", TASKS)
def test_w_v_learns_to_hand_over_the_answer(name):
    """v of a token that holds an answer is nearly that answer."""
    task = MADE[name]
    v = task.unseen.x @ RUNS[name].learned[-1].w_v  # (sentence, token, channel)
    handed = np.take_along_axis(v, task.unseen.holders[..., None], axis=1)[:, task.asked]
    np.testing.assert_allclose(handed, task.unseen.target[:, task.asked], atol=0.15)
    untrained = np.take_along_axis(
        task.unseen.x @ RUNS[name].learned[0].w_v, task.unseen.holders[..., None], 1
    )
    assert np.abs(untrained[:, task.asked] - task.unseen.target[:, task.asked]).max() > 0.8


@pytest.mark.parametrize("name", TASKS)
def test_matches_are_the_scaled_scores_by_feature(name):
    task, run = MADE[name], RUNS[name]
    x = task.unseen.x[1]
    np.testing.assert_allclose(x @ matches(run.learned[-1]) @ x.T, run.trace(200, x)["scaled"][0], rtol=1e-12)


def test_to_copy_a_place_matches_the_place_before_it():
    by_place = matches(RUNS["copy"].learned[-1])[3:, 3:]
    assert by_place[1:].argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert by_place[1:].max(axis=1).min() > 2


def test_to_find_a_letter_matches_itself():
    found = matches(RUNS["find"].learned[-1])
    by_letter = found[:3, :3]
    assert (by_letter.diagonal() > 2).all()
    assert (by_letter[~np.eye(3, dtype=bool)] < -1).all()
    assert np.abs(found[3:]).max() < 0.3  # the digits say nothing about where to look
    assert np.abs(found[:, 3:]).max() < 0.3


def test_only_content_moves_the_weights_of_one_and_the_same_w():
    """Learned once: each sentence to find in has weights of its own, to copy in nearly the same."""
    spread = {}
    for name, run in RUNS.items():
        weights = attend(run.task, run.learned[-1], run.task.unseen.x)["weights"][:, 0, 1:]
        spread[name] = weights.std(axis=0).max()
    assert spread["copy"] < 0.1
    assert spread["find"] > 0.3


def test_a_learned_table_copies_but_cannot_find():
    assert TABLES["copy"].losses[-1] < GOAL
    assert TABLES["find"].losses[-1] > loss_without_looking(MADE["find"]) * 0.9
    assert TABLES["find"].losses[-1] > 100 * RUNS["find"].losses[-1]
    for run in TABLES.values():
        last = run.learned[-1]
        assert not last.w_q.any()
        assert not last.w_k.any()
        weights = attend(run.task, last, run.task.seen.x)["weights"][:, 0]
        assert (weights == weights[0]).all()  # whatever the sentence says
    assert (np.diagonal(TABLES["find"].learned[-1].table) == -np.inf).all()


# A run as an object


@pytest.mark.parametrize("chunks", [[60], [1] * 60, [7, 13, 40], [0, 59, 500]])
def test_chunks_of_any_length_give_the_same_numbers(chunks):
    run = Run(MADE["find"], seed=3, n_epochs=60)
    for n_epochs in chunks:
        run.train(n_epochs)
    whole = trained("find", seed=3, n_epochs=60)
    assert run.epoch == 60
    assert run.losses == whole.losses
    for one, other in zip(run.learned, whole.learned, strict=True):
        for which in one.names:
            np.testing.assert_array_equal(getattr(one, which), getattr(other, which))


def test_a_call_trains_no_more_than_it_was_asked_to():
    run = Run(MADE["copy"], n_epochs=30)
    assert (run.epoch, run.is_finished) == (0, False)
    run.train(20)
    assert (run.epoch, run.is_finished) == (20, False)
    run.train(20)
    assert (run.epoch, run.is_finished) == (30, True)
    run.train(20)
    assert run.epoch == 30
    assert len(run.losses) == len(run.learned) == 31


@pytest.mark.parametrize("name", TASKS)
def test_an_epoch_is_seen_on_one_sentence(name):
    task, run = MADE[name], RUNS[name]
    x = task.unseen.x[2]
    trace = run.trace(40, x)
    np.testing.assert_array_equal(trace["w_q"], run.learned[40].w_q)
    together = attend(task, run.learned[40], task.unseen.x)
    np.testing.assert_allclose(trace["weights"], together["weights"][2], rtol=1e-12)


@pytest.mark.parametrize("rate", [2, 5, 100])
@pytest.mark.parametrize("name", TASKS)
def test_steps_that_are_too_large_are_lost_and_stop(name, rate):
    run = trained(name, rate=rate)
    assert run.is_lost
    assert run.epoch < 60
    assert all(np.isfinite(getattr(run.learned[-1], which)).all() for which in ("w_q", "w_k", "w_v"))
    epoch = run.epoch
    run.train()
    assert run.epoch == epoch


@pytest.mark.parametrize("name", TASKS)
def test_small_steps_learn_too_but_slowly(name):
    losses = trained(name, rate=0.1).losses
    assert (np.diff(losses) < 0).all()
    assert 0.3 < losses[-1] < losses[0]


def test_nobody_can_change_what_was_learned():
    for run in (RUNS["copy"], TABLES["find"]):
        for learned in (run.learned[0], run.learned[1]):
            assert not any(getattr(learned, which).flags.writeable for which in learned.names)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"rate": 0}, "number"),
        ({"rate": 101}, "number"),
        ({"rate": np.nan}, "number"),
        ({"rate": "fast"}, "number"),
        ({"seed": -1}, "count"),
        ({"n_epochs": 0}, "count"),
        ({"n_epochs": MOST_EPOCHS + 1}, "number"),
    ],
)
def test_impossible_runs_are_refused(options, code):
    with pytest.raises(AttentionError) as error:
        Run(MADE["copy"], **options)
    assert error.value.code == code
