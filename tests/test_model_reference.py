"""Whole models, compared with what PyTorch and transformers computed: tests/reference/make_model_reference.py."""

from itertools import product

import numpy as np
import pytest

from attention_core import multi_head_attention

from .checkpoints import minilm, stored, tiny

__all__ = ["minilm"]  # a fixture
TOLD, NUMBERS = stored("tiny_reference")
CASES = TOLD["cases"]
MINILM_TOLD, MINILM_NUMBERS = stored("minilm_reference")
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def run_of(case, number=None):
    model = tiny(case["folder"])
    tokens = model.cut(case["sentence"])
    positions = list(range(len(tokens.ids)))
    if "swap" in case:
        first, second = case["swap"]
        positions[first], positions[second] = positions[second], positions[first]
    return model.run(tokens, hide=case.get("hide", ()), positions=positions)


def told(case):
    return " ".join(f"{value}" for name, value in case.items() if name not in ("ids", "texts"))


each_case = pytest.mark.parametrize(
    ("number", "case"), list(enumerate(CASES)), ids=[told(case) for case in CASES]
)


def test_the_numbers_were_computed_by_the_versions_that_are_named():
    assert TOLD["versions"] == MINILM_TOLD["versions"] == {"torch": "2.13.0", "transformers": "5.23.0"}


@each_case
def test_sentences_are_cut_alike(number, case):
    tokens = tiny(case["folder"]).cut(case["sentence"])
    assert list(tokens.ids) == case["ids"]
    assert list(tokens.texts) == case["texts"]


@each_case
def test_every_hidden_state_is_that_of_torch(number, case):
    hidden = run_of(case).hidden
    assert len(hidden) == tiny(case["folder"]).n_layers + 1
    for state, expected in zip(hidden, NUMBERS[f"hidden_{number}"], strict=True):
        assert state.dtype == np.float32
        np.testing.assert_allclose(state, expected, **CLOSE)


@each_case
def test_every_head_is_that_of_torch(number, case):
    weights = run_of(case).weights
    assert weights.dtype == np.float32
    np.testing.assert_allclose(weights, NUMBERS[f"weights_{number}"], **CLOSE)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-6)
    assert (weights[..., list(case.get("hide", ()))] == 0).all()


@each_case
def test_the_trace_of_a_layer_has_the_numbers_of_the_run(number, case):
    run = run_of(case)
    for layer in range(len(run.weights)):
        trace = run.trace(layer)
        np.testing.assert_allclose(trace["weights"], run.weights[layer], rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(trace["weights"], NUMBERS[f"weights_{number}"][layer], **CLOSE)


@each_case
def test_a_head_by_itself_has_the_weights_it_has_among_the_others(number, case):
    run = run_of(case)
    for layer, head in product(*map(range, run.weights.shape[:2])):
        alone = multi_head_attention(**run.head(layer, head), n_heads=1)
        np.testing.assert_allclose(alone["weights"][0], run.weights[layer, head], rtol=1e-5, atol=1e-7)


def test_the_cases_are_of_every_kind():
    kinds = {(case["folder"], key) for case in CASES for key in case if key in ("hide", "swap")}
    assert kinds == set(product(("tiny_bert", "tiny_gpt2"), ("hide", "swap")))
    apart = [run_of(case).weights for case in CASES if case["sentence"] == CASES[0]["sentence"]]
    assert all(np.abs(one - apart[0]).max() > 0.01 for one in apart[1:4])


# MiniLM


@pytest.mark.parametrize(("number", "case"), list(enumerate(MINILM_TOLD["cases"])), ids=str)
def test_all_heads_of_minilm_are_those_of_torch(minilm, number, case):
    tokens = minilm.cut(case["sentence"])
    assert (list(tokens.ids), list(tokens.texts)) == (case["ids"], case["texts"])
    run = minilm.run(tokens)
    assert run.weights.shape[:2] == (6, 12)
    np.testing.assert_allclose(run.weights, weights_of_minilm(number), rtol=0, atol=2e-5)
    first = np.stack([state[0] for state in run.hidden])
    np.testing.assert_allclose(first, MINILM_NUMBERS[f"first_{number}"], rtol=1e-4, atol=2e-5)
    for layer in range(6):
        np.testing.assert_allclose(run.trace(layer)["weights"], run.weights[layer], rtol=1e-5, atol=1e-6)


def weights_of_minilm(number):
    """The stored weights of all heads for a sentence."""
    return MINILM_NUMBERS[f"weights_{number}"] / np.float64(MINILM_TOLD["steps"])
