"""The shipped slices: they are cut from the model they name, and what is said of them is so."""

import json
import re

import numpy as np
import pytest

from attention_core import explain_cell, gradients
from attention_core.models import load_model, measure_all
from tests.reference.cut_slices import SLICES, cut
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import build_array
from ui.scenario.slices import FOLDER, PARTS, read_slice, slice_names, source_of
from ui.words import all_words, languages

from .checkpoints import minilm, stored

__all__ = ["minilm"]  # a fixture
TOLD, NUMBERS = stored("minilm_reference")
CASES = {case["sentence"]: (number, case) for number, case in enumerate(TOLD["cases"])}
CLOSE = 6e-4  # what float16 moves a weight by, at most


def weights_of(name):
    """The weights that a slice gives (query, key)."""
    return load_preset(name).trace()["weights"][0]


def torch_weights(name):
    """The weights of that head in PyTorch, from the whole model."""
    source = source_of(name)
    number, _ = CASES[source["sentence"]]
    return NUMBERS[f"weights_{number}"][source["layer"], source["head"]] / TOLD["steps"]


def weight(name, query, key):
    tokens = source_of(name)["tokens"]
    return weights_of(name)[tokens.index(query), tokens.index(key)]


def measures(name):
    _, case = CASES[source_of(name)["sentence"]]
    return measure_all(weights_of(name), (0, len(case["ids"]) - 1), case["ids"])


def test_every_slice_is_a_preset_and_has_its_source():
    assert set(slice_names()) == set(SLICES) == {name for name in preset_ids() if name.startswith("minilm")}
    assert {path.stem for path in FOLDER.glob("*.json")} == set(slice_names())
    for name in slice_names():
        source = source_of(name)
        assert source["licence"] == "Apache-2.0"
        assert source["model"] == "sentence-transformers/all-MiniLM-L6-v2"
        assert source["authors"]
        assert source["sha256"].startswith("53aa5117")
        assert source["sha256"].endswith("d9db")


@pytest.mark.parametrize("name", SLICES)
def test_a_slice_is_small_and_in_float16(name):
    path = FOLDER / f"{name}.npz"
    assert path.stat().st_size < 90_000
    with np.load(path, allow_pickle=False) as parts:
        assert set(parts) == ({"x"} if SLICES[name].of else set(PARTS))
        assert {array.dtype for array in parts.values()} == {np.dtype(np.float16)}


@pytest.mark.parametrize("name", SLICES)
def test_the_names_of_a_preset_are_the_tokens_of_its_slice(name):
    scenario, source = load_preset(name), source_of(name)
    assert scenario.names == {"token": source["tokens"]}
    assert source["tokens"] == CASES[source["sentence"]][1]["texts"]
    assert scenario.is_large
    assert {name: build_array(recipe).shape for name, recipe in scenario.arrays.items()} == {
        name: tuple(recipe["slice"]["shape"]) for name, recipe in scenario.arrays.items()
    }
    parts = {part: recipe["slice"]["part"] for part, recipe in scenario.arrays.items()}
    assert parts == {part: part for part in PARTS}
    others = {recipe["slice"]["name"] for part, recipe in scenario.arrays.items() if part != "x"}
    assert others == {SLICES[name].of or name}


@pytest.mark.parametrize("name", SLICES)
def test_a_slice_has_the_weights_of_torch(name):
    np.testing.assert_allclose(weights_of(name), torch_weights(name), rtol=0, atol=CLOSE)


@pytest.mark.parametrize("name", SLICES)
def test_a_slice_is_cut_from_the_model(minilm, name):
    arrays, told = cut(minilm, SLICES[name])
    assert source_of(name) == json.loads(json.dumps(told))
    for part, numbers in arrays.items():
        np.testing.assert_allclose(read_slice(name, part), numbers, rtol=2e-3, atol=1e-6)


@pytest.mark.parametrize("name", SLICES)
def test_cells_and_gradients_of_a_slice_are_those_of_any_trace(name):
    trace = load_preset(name).trace()
    found = explain_cell(trace, "weights", (0, 2, 1))
    assert found.total == pytest.approx(trace["weights"][0, 2, 1])
    assert len(explain_cell(trace, "q", (1, 2)).terms) == 384 + 1  # and the bias
    assert gradients(trace)["w_q"].shape == (384, 32)


# What is said of them


def test_the_previous_token_head():
    assert measures("minilm_previous")["previous"] == pytest.approx(0.9996, abs=5e-5)
    assert weights_of("minilm_previous").argmax(-1)[1:].tolist() == list(range(11))


def test_the_sink():
    assert measures("minilm_sink")["sink"] == pytest.approx(0.93, abs=5e-3)


def test_it_and_its_control():
    assert weight("minilm_it", "it", "cat") == pytest.approx(0.68, abs=5e-3)
    assert weight("minilm_it_soft", "it", "cat") == pytest.approx(0.64, abs=5e-3)
    assert weight("minilm_it_soft", "it", "mat") == pytest.approx(0.11, abs=5e-3)
    assert weight("minilm_big", "it", "trophy") == pytest.approx(0.37, abs=5e-3)
    assert weight("minilm_small", "it", "trophy") == pytest.approx(0.36, abs=5e-3)
    assert weight("minilm_small", "it", "suitcase") == pytest.approx(0.14, abs=5e-3)


@pytest.mark.parametrize(("name", "place"), [("minilm_it", (5, 11)), ("minilm_it_soft", (5, 11))])
def test_no_other_head_puts_more_on_the_cat(name, place):
    """So the head is a chosen case, as its words say."""
    number, case = CASES[source_of(name)["sentence"]]
    query, key = case["texts"].index("it"), case["texts"].index("cat")
    found = NUMBERS[f"weights_{number}"][:, :, query, key]
    assert np.unravel_index(found.argmax(), found.shape) == place


def test_the_head_of_repeated_words():
    weights = weights_of("minilm_repeated")
    assert source_of("minilm_repeated")["tokens"][2:4] == ["cat", "saw"]
    assert weights[3, 9] == pytest.approx(0.89, abs=5e-3)
    assert weights[2, 11] == pytest.approx(0.85, abs=5e-3)
    number, case = CASES[source_of("minilm_repeated")["sentence"]]
    found = measure_all(NUMBERS[f"weights_{number}"] / TOLD["steps"], (), case["ids"])["repeated"]
    assert np.unravel_index(found.argmax(), found.shape) == (2, 9)
    assert measures("minilm_once")["sink"] == pytest.approx(0.89, abs=5e-3)


@pytest.mark.parametrize("language", languages())
def test_the_numbers_of_the_words_are_the_ones_checked_here(language):
    said = {name: re.findall(r"0\.\d+", all_words(language)[f"preset.{name}.about"]) for name in SLICES}
    assert said == {
        "minilm_previous": ["0.9996"],
        "minilm_sink": ["0.93"],
        "minilm_it": ["0.68"],
        "minilm_it_soft": ["0.64", "0.11"],
        "minilm_big": ["0.37"],
        "minilm_small": ["0.36", "0.14"],
        "minilm_repeated": ["0.89", "0.85"],
        "minilm_once": ["0.89"],
    }


# What is refused


@pytest.mark.parametrize("name", ["", "nothing", "../presets/causal", "minilm_it.npz", "MINILM_IT"])
def test_only_names_of_files_are_taken(name):
    with pytest.raises(ValueError, match="no slice is called"):
        read_slice(name, "x")
    with pytest.raises(ValueError, match="no slice is called"):
        build_array({"slice": {"name": name, "part": "x", "shape": [12, 384]}})


def test_a_slice_cannot_be_changed():
    array = build_array(load_preset("minilm_it").arrays["x"])
    array[0, 0] = 7
    assert build_array(load_preset("minilm_it").arrays["x"])[0, 0] != 7
    assert not read_slice("minilm_it", "x").flags.writeable


def test_loading_twice_gives_the_same_model(minilm):
    assert load_model(minilm.folder) is minilm
