"""The sizes of known models give their published numbers of parameters."""

import json

import pytest

from ui.course.lessons.cost.models import FOLDER, Model, cache_by_sharing, load_model, model_ids

MODELS = [load_model(model_id) for model_id in model_ids()]
GENERATES = {"gpt2", "llama3_8b"}
NOT_PLAIN = {"llama3_8b"}  # a gated MLP, no biases, norms without a shift


def by_name(model):
    return model.id


def test_every_file_is_in_the_menu():
    assert sorted(model_ids()) == sorted(path.stem for path in FOLDER.glob("*.json"))
    assert len({model.name for model in MODELS}) == len(MODELS) >= 4
    assert [model.id for model in MODELS][:3] == ["vit_b", "gpt2", "bert_base"]


@pytest.mark.parametrize("model", MODELS, ids=by_name)
def test_formula_and_the_rest_give_the_published_number(model):
    others = model.other_parameters()
    assert model.cost()["parameters"] + sum(others.values()) == model.published_parameters


@pytest.mark.parametrize("model", MODELS, ids=by_name)
def test_the_formula_alone_is_close_where_the_layers_are_plain(model):
    missing = model.published_parameters - model.cost()["parameters"]
    assert model.is_plain == (model.id not in NOT_PLAIN)
    assert model.generates == (model.id in GENERATES)
    if model.is_plain:
        assert 0 <= missing < 0.02 * model.published_parameters
    else:
        assert abs(missing) > 0.2 * model.published_parameters


def test_a_gated_layer_counted_by_hand():
    """The matrices of Llama 3 8B without the formula: queries and output, keys and values, MLP, two norms."""
    model = load_model("llama3_8b")
    d, kv = model.d_model, model.n_kv_heads * (model.d_model // model.n_heads)
    layer = 2 * d * d + 2 * d * kv + 3 * d * 14336 + 2 * d
    assert model.n_layers * layer + 2 * model.vocabulary * d + d == model.published_parameters


@pytest.mark.parametrize("model", MODELS, ids=by_name)
def test_the_crossing_is_where_both_parts_are_equal(model):
    for names in (("projection_operations", "mlp_operations"), ("projection_operations",)):
        crossing = model.crossing(*names, "attention_operations")
        for length, over in ((crossing, True), (crossing - 1, False)):
            found = model.cost(length)
            assert (found["attention_operations"] >= sum(found[name] for name in names)) == over
    if model.n_heads == model.n_kv_heads:
        assert model.crossing("layer_operations") == 6 * model.d_model
        assert model.crossing("projection_operations", "attention_operations") == 2 * model.d_model


@pytest.mark.parametrize("model", MODELS, ids=by_name)
def test_sharing_divides_the_cache_by_heads_over_kv_heads(model):
    table = cache_by_sharing(model, 1000, batch=3, bytes_each=4)
    whole = table[0]
    assert (whole.n_kv_heads, whole.times_smaller, table[-1].n_kv_heads) == (model.n_heads, 1, 1)
    width = model.d_model // model.n_heads
    for row in table:
        assert row.times_smaller * row.n_kv_heads == model.n_heads
        assert row.cache * row.times_smaller == whole.cache
        assert row.cache == 2 * model.n_layers * row.n_kv_heads * width * 1000 * 4 * 3
    assert model.cost(1000, batch=3, bytes_each=4)["kv_cache_bytes"] in [row.cache for row in table]


def test_the_cache_of_one_long_text_in_llama_is_a_gibibyte():
    model = load_model("llama3_8b")
    assert model.cost()["kv_cache_bytes"] == 2**30
    assert cache_by_sharing(model)[0].cache == 4 * 2**30


def test_a_model_says_what_its_file_says():
    for model in MODELS:
        facts = json.loads((FOLDER / f"{model.id}.json").read_text(encoding="utf-8"))
        assert set(facts) - {"order"} == set(Model.__dataclass_fields__) - {"id"}
        assert (model.name, model.n_tokens) == (facts["name"], facts["n_tokens"])
        assert model.cost(5, n_layers=1)["layer_operations"] == model.cost(5)["layer_operations"]
