"""The choices above the board: what is offered can be had, and what is not says why."""

import numpy as np
import pytest

from ui.scenario import choices
from ui.scenario.layouts import laid_out
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import MOST_PRODUCTS, Scenario, ScenarioError, count_products
from ui.words import Words

WORDS = Words()
SMALL = [preset_id for preset_id in preset_ids() if not load_preset(preset_id).is_large]


def choose(scenario, choice, value):
    return choices.chosen(scenario, scenario.trace(), choice, value)


def offered(scenario):
    return {one["id"]: one for one in choices.offered(scenario, scenario.trace(), WORDS)}


@pytest.mark.parametrize("preset_id", SMALL)
def test_everything_that_is_offered_computes(preset_id):
    scenario = load_preset(preset_id)
    for choice, one in offered(scenario).items():
        for value, _, *reason in one.get("options", []):
            found = choose(scenario, choice, value)
            assert (found is None) == bool(reason)
            if found is not None:
                found.trace()
                assert choices.values(found)[choice] == value


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("choice", ["n_heads", "decimals", "left", "right", "own_scale", "mask", "preset"])
def test_true_is_no_number(choice, value):
    scenario = load_preset("cat_on_the_mat").with_options(window=[1, 1], scale=0.5)
    assert choice in choices.values(scenario)
    assert choose(scenario, choice, value) is None


def test_heads_that_do_not_divide_say_so():
    options = offered(load_preset("cat_on_the_mat"))["n_heads"]["options"]
    assert [option[0] for option in options] == [1, 2, 3, 4]
    [refused] = [option for option in options if len(option) == 3]
    assert refused[0] == 3
    assert "does not divide every width (4) evenly" in refused[2]
    assert [option[0] for option in offered(load_preset("vit_base"))["n_heads"]["options"]][-1] == 12


def test_heads_of_the_convolution_block_keep_a_key():
    refused = {
        option[0] for option in offered(load_preset("conv_4_to_8"))["n_heads"]["options"] if option[2:]
    }
    assert refused == {3, 4}  # 4 heads would leave key_dim 0


def test_other_heads_keep_q_and_k_in_every_layout():
    for layout in ("three", "fused", "per_head"):
        scenario = laid_out(load_preset("cat_on_the_mat"), layout)
        found = choose(scenario, "n_heads", 4)
        plain = choose(load_preset("cat_on_the_mat"), "n_heads", 4)
        np.testing.assert_allclose(found.trace().output, plain.trace().output, atol=1e-12)


@pytest.mark.parametrize("mask", choices.MASKS)
@pytest.mark.parametrize("preset_id", ["cat_on_the_mat", "post_norm", "fused_vit", "cross"])
def test_the_mask_that_was_chosen_stays_chosen(preset_id, mask):
    found = choose(load_preset(preset_id), "mask", mask)
    assert choices.mask_of(found) == mask
    assert ("masked" in found.trace().names) == (mask != "none")


def test_a_free_mask_means_the_same_as_numbers():
    free = choose(load_preset("cat_on_the_mat"), "mask", "free")
    added = choose(free, "free_mask", "added")
    np.testing.assert_array_equal(free.trace()["weights"], added.trace()["weights"])
    assert choose(added, "free_mask", "look") == free


def test_windows_and_own_scale():
    window = choose(load_preset("cat_on_the_mat"), "mask", "window")
    wider = choose(window, "left", 3)
    assert wider.options["window"] == [3, 1]
    own = choose(load_preset("pixels_2x2"), "scale", "own")
    assert choose(own, "own_scale", 2.5).trace()["scaled"][0, 0, 0] == 2.5


@pytest.mark.parametrize(
    ("choice", "value"),
    [
        *(("n_heads", 99), ("n_heads", "2"), ("mask", "wall"), ("preset", "../x"), ("decimals", 99)),
        *(
            ("left", 3),
            ("own_scale", 1.0),
            ("scale", None),
            ("nothing", 1),
            ("mask", ["causal"]),
            ("preset", {}),
        ),
    ],
)
def test_what_is_not_offered_is_not_done(choice, value):
    assert choose(load_preset("pixels_2x2"), choice, value) is None


def test_one_run_does_not_take_too_much_work():
    """The bound that keeps a run under 100 ms: beyond it a sentence says why, before anything is computed."""
    for preset_id in preset_ids():
        assert count_products(load_preset(preset_id)) <= MOST_PRODUCTS
    size = {"normal": {"shape": [4000, 768], "seed": 1}}
    weight = {"normal": {"shape": [768, 768], "seed": 1}}
    huge = Scenario("x", "multi_head_attention", {"x": size, "w_q": weight, "w_k": weight, "w_v": weight})
    with pytest.raises(ScenarioError) as error:
        huge.with_options(n_heads=1).trace()
    assert error.value.code == "too_much_work"
    assert "multiplications" in WORDS("scenario.too_much_work", **error.value.facts)
