"""Names of tensors are matched to arrays, and all that match are loaded as one change."""

import io
import json

import numpy as np
import pytest

from attention_core import AttentionError
from ui.files.loading import load_all
from ui.files.matching import Match, matches
from ui.files.upload import UploadError, tensors_in
from ui.scenario.layouts import laid_out
from ui.scenario.presets import load_preset
from ui.scenario.scenario import array_shape, build_array

from .test_loading import SMALL, exports
from .test_upload import safetensors

CAT = load_preset("cat_on_the_mat")


def targets(names, scenario=CAT):
    return {match.target: match.name for match in matches(names, scenario)}


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def all_of(file_name, content, scenario):
    names = [tensor.name for tensor in tensors_in(file_name, content)]
    return load_all(scenario, file_name, content, matches(names, scenario))


@pytest.mark.parametrize(
    ("names", "is_turned"),
    [
        (["x", "w_q", "w_k", "w_v", "w_o"], False),
        (["X", "Wq", "Wk", "Wv", "Wo"], False),
        (["x", "W_q", "W_k", "W_v", "W_o"], False),
        (["x", "wq.weight", "wk.weight", "wv.weight", "wo.weight"], True),
        (["x", *(f"layers.0.self_attn.{letter}_proj.weight" for letter in "qkvo")], True),
        (["x", "query.weight", "key.weight", "value.weight", "out_proj.weight"], True),
        (["x", "query", "key", "value", "out_proj"], False),
        (["x", "q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"], True),
        (
            ["x"]
            + [
                f"encoder.layer.3.attention.{part}.weight"
                for part in ("self.query", "self.key", "self.value")
            ]
            + ["encoder.layer.3.attention.output.dense.weight"],
            True,
        ),
    ],
)
def test_usual_spellings_are_known(names, is_turned):
    found = matches([*names[1:], names[0]], CAT)
    expected = [Match(name, target, is_turned) for name, target in zip(names, CAT.arrays, strict=True)]
    assert found == [Match(names[0], "x"), *expected[1:]]


def test_steps_and_other_names_are_not_taken_for_weights():
    assert targets(["q", "k", "v", "scores", "n_heads", "my_w_q2", "queryable", "norm.weight", ""]) == {}
    assert targets(["w_qkv"], load_preset("pixels_2x2")).keys() == {"w_q", "w_k", "w_v"}
    assert targets(["w_o", "out_proj.bias", "b_o"], load_preset("cross")) == {"w_o": "w_o", "b_o": "b_o"}
    assert targets(["x", "q"], load_preset("post_norm")) == {"q": "x"}  # there q is the step, x the input


def test_one_layer_of_many_is_taken():
    layers = [f"layers.{layer}.{letter}_proj.weight" for layer in (1, 0) for letter in "qkv"]
    found = targets(["layers.7.q_proj.weight", *layers])
    assert found == {f"w_{letter}": f"layers.1.{letter}_proj.weight" for letter in "qkv"}
    assert targets(["w_q", *layers])["w_q"] == "w_q"
    assert targets(["X", "x"]) == targets(["x", "X"]) == {"x": "x"}


@pytest.mark.parametrize("preset_id", SMALL)
def test_our_own_exports_give_the_same_computation(preset_id):
    scenario = load_preset(preset_id)
    for file_name, content in exports(scenario.trace()).items():
        names = [tensor.name for tensor in tensors_in(file_name, content)]
        assert targets(names, scenario).keys() == scenario.arrays.keys()
        found = all_of(file_name, content, scenario)
        np.testing.assert_array_equal(found.trace().output, scenario.trace().output)


def test_a_linear_of_pytorch_is_transposed():
    weights = {letter: np.arange(8.0).reshape(4, 2) + i for i, letter in enumerate("qkv")}
    scenario = load_preset("pixels_2x2")
    content = npz(**{f"attn.{letter}_proj.weight": weight.T for letter, weight in weights.items()})
    found = all_of("a.npz", content, scenario)
    for letter, weight in weights.items():
        np.testing.assert_array_equal(build_array(found.arrays[f"w_{letter}"]), weight)
    assert found.arrays["x"] == scenario.arrays["x"]


def test_a_fused_matrix_serves_every_layout_that_can_hold_it():
    fused = load_preset("fused_vit")
    matrix = np.arange(48.0).reshape(12, 4)
    entries = {"dtype": "F64", "shape": [12, 4], "data_offsets": [0, 384]}
    content = safetensors({"attn.in_proj_weight": entries}, matrix.tobytes())
    np.testing.assert_array_equal(all_of("a.safetensors", content, fused).arrays["w_qkv"], matrix.T)
    apart = all_of("a.safetensors", content, laid_out(fused, "three"))
    assert apart.arrays["w_k"] == matrix.T[:, 4:8].tolist()
    np.testing.assert_array_equal(
        apart.trace().output, all_of("a.safetensors", content, fused).trace().output
    )
    per_head = laid_out(fused, "per_head")
    assert targets(["in_proj_weight"], per_head) == {}
    assert targets(["w_qkv"], per_head) == {"w_qkv": "w_qkv"}


def test_a_fused_bias_is_split_too():
    apart = laid_out(load_preset("fused_vit"), "three")
    content = json.dumps({"in_proj_bias": list(range(12))}).encode()
    assert all_of("a.json", content, apart).arrays["b_v"] == [8, 9, 10, 11]


def test_a_wide_fused_matrix_is_loaded_whole():
    fused = load_preset("fused_vit")
    content = npz(x=np.ones((1, 2, 8)), w_qkv=np.ones((8, 24)), b_qkv=np.ones(24), w_o=np.ones((8, 8)))
    found = all_of("a.npz", content, fused)
    assert array_shape(found.arrays["w_qkv"]) == (8, 24)
    assert found.trace().output.shape == (1, 2, 8)


def test_what_does_not_fit_together_is_refused_with_both_shapes():
    found = all_of("a.npz", npz(x=np.ones((4, 4)), w_q=np.ones((5, 6))), load_preset("pixels_2x2"))
    with pytest.raises(AttentionError, match=r"w_q has 5 .*\(5, 6\).* 4 is needed to match x"):
        found.trace()


@pytest.mark.parametrize(
    ("arrays", "code"),
    [
        ({"x": np.ones((4, 4)), "q_proj.weight": np.ones((768, 768))}, "large"),
        ({"x": np.ones(4), "w_q": np.ones((4, 2))}, "target"),
        ({"in_proj_weight": np.ones((4, 4))}, "thirds"),
        ({"x": np.float64(1), "w_q": np.ones((4, 2))}, "axes"),
        ({"q_proj.weight": np.ones(4)}, "target"),
        ({"in_proj_weight": np.ones(6)}, "target"),
        ({"x": np.array([["a"]])}, "dtype"),
    ],
)
def test_what_cannot_be_loaded_is_refused(arrays, code):
    with pytest.raises(UploadError) as error:
        all_of("a.npz", npz(**arrays), load_preset("pixels_2x2"))
    assert error.value.code == code
