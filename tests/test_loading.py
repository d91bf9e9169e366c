"""Tensors of a file become arrays of the scenario, or a sentence says which shapes do not fit."""

import io
from contextlib import suppress

import numpy as np
import pytest
from safetensors.numpy import save

from attention_core import AttentionError
from ui.files import export
from ui.files.loading import Given, load_all, loaded
from ui.files.matching import matches
from ui.files.upload import UploadError, read_tensor, tensors_in
from ui.scenario.link import read_link, write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import ScenarioError, array_shape, build_array
from ui.words import Words, languages

SMALL = [preset_id for preset_id in preset_ids() if not load_preset(preset_id).is_large]


def ones(*shape):
    return Given("a", np.ones(shape).tolist())


def exports(trace):
    return {"a.npz": export.as_npz(trace), "a.json": export.as_json(trace), "a.csv": export.as_csv(trace)}


def shapes(scenario):
    return {name: array_shape(recipe) for name, recipe in scenario.arrays.items()}


@pytest.mark.parametrize("preset_id", SMALL)
def test_every_tensor_of_our_exports_is_loaded_or_refused_anywhere(preset_id):
    scenario = load_preset(preset_id)
    for file_name, content in exports(scenario.trace()).items():
        for tensor in tensors_in(file_name, content):
            for target in scenario.arrays:
                try:
                    rows = read_tensor(file_name, content, tensor.name)
                    found = loaded(scenario, {target: Given(tensor.name, rows)})
                    found.trace()
                except (UploadError, AttentionError, ScenarioError):
                    continue
                assert found.arrays == scenario.arrays | {target: rows}
                assert read_link(write_link(found)).arrays.keys() == scenario.arrays.keys()


@pytest.mark.parametrize("preset_id", SMALL)
def test_any_shape_is_loaded_or_refused(preset_id):
    scenario = load_preset(preset_id)
    rng = np.random.default_rng(0)
    for target in scenario.arrays:
        for _ in range(20):
            shape = rng.integers(1, 6, rng.integers(0, 5))
            with suppress(UploadError, AttentionError, ScenarioError):
                loaded(scenario, {target: ones(*shape)}).trace()


def test_the_number_of_axes_is_said():
    with pytest.raises(UploadError) as error:
        loaded(load_preset("pixels_2x2"), {"x": ones(3)})
    facts = {"name": "a", "shape": "3", "target": "x", "needed": "2–3", "present": "4, 4"}
    assert (error.value.code, error.value.facts) == ("target", facts)
    for language in languages():
        sentence = Words(language)("upload.target", **facts)
        assert all(fact in sentence for fact in facts.values())


def test_a_weight_matrix_does_not_alter_x():
    scenario = load_preset("pixels_2x2")
    found = loaded(scenario, {"w_q": ones(5, 6)})
    assert found.arrays["x"] == scenario.arrays["x"]
    with pytest.raises(AttentionError, match=r"w_q has 5 along .*\(5, 6\).* 4 is needed to match x"):
        found.trace()


def test_what_fits_together_is_loaded_together():
    given = {"x": ones(3, 5), "w_q": ones(5, 6), "w_k": ones(5, 6), "w_v": ones(5, 2)}
    found = loaded(load_preset("pixels_2x2"), given)
    assert shapes(found) == {"x": (3, 5), "w_q": (5, 6), "w_k": (5, 6), "w_v": (5, 2)}
    assert found.trace().output.shape == (3, 2)
    assert found.view.cell == ()


def test_a_mask_follows_the_tokens():
    found = loaded(load_preset("nothing_to_look_at"), {"x": ones(4, 2)})
    assert found.options["attn_mask"][0] == [True, True, False, True]
    assert found.trace().output.shape == (4, 2)
    found = loaded(load_preset("post_norm"), {"q": ones(2, 4)})
    assert found.options["attn_mask"] == [[True, False], [True, True]]
    assert found.trace().output.shape == (2, 4)


@pytest.mark.parametrize("preset_id", ["bare_formula", "minilm_it"])
def test_one_head_of_a_model_opens_by_its_names_when_it_is_small_enough(preset_id):
    """X and the weights of a head, as a model gives them; what is 384 wide is refused with its shape."""
    arrays = {name: array.astype(np.float32) for name, array in head_arrays().items()}
    scenario = load_preset(preset_id)
    for file_name, content in files_with(arrays).items():
        with pytest.raises(UploadError) as refused:
            load_all(scenario, file_name, content, matches(arrays, scenario))
        assert refused.value.code == "large"
        sentence = Words()(f"upload.{refused.value.code}", **refused.value.facts)
        assert "has the shape 12, 384" in sentence
    cut = {name: array[tuple(slice(8) for _ in array.shape)] for name, array in arrays.items()}
    for file_name, content in files_with(cut).items():
        found = load_all(scenario, file_name, content, matches(cut, scenario))
        assert found.trace()["weights"].shape == (1, 8, 8)
        assert read_link(write_link(found)).trace()["weights"].shape == (1, 8, 8)


def head_arrays():
    """X, Wq, Wk, Wv and biases of one head, 384 wide."""
    return {name: build_array(recipe) for name, recipe in load_preset("minilm_it").arrays.items()}


def files_with(arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return {"head.npz": file.getvalue(), "head.safetensors": save(plain)}
