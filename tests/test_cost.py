"""cost counts what a layer really has and does, and its formulas say the same."""

import numpy as np
import pytest

from attention_core import AttentionError, cost, crossing_length, growth, multi_head_attention

CONFIGURATIONS = (
    {"d_model": 8, "n_tokens": 5, "n_heads": 2},
    {
        "d_model": 12,
        "n_tokens": 7,
        "n_heads": 4,
        "n_kv_heads": 2,
        "n_layers": 3,
        "batch": 2,
        "vocabulary": 11,
    },
    {"d_model": 10, "n_tokens": 3, "n_heads": 3, "n_kv_heads": 1, "d_head": 4, "bytes_each": 4},
)


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_filled_formulas_give_the_amount(configuration):
    for name, amount in cost(**configuration).items():
        value = eval(amount.filled.replace("·", "*").replace("²", "**2"), {"__builtins__": {}})
        assert value == amount, name
        assert not any(letter in amount.filled for letter in "bsdakhLVw")


def test_short_forms_are_the_usual_ones():
    found = cost(**CONFIGURATIONS[0])
    assert found["layer_parameters"].formula == "12·d² + 13·d"
    assert found["attention_parameters"].filled == "4·8² + 4·8"
    assert found["forward_operations"].formula == "L·(24·b·s·d² + 4·b·s²·d) + 2·b·s·d·V"


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_attention_amounts_are_those_of_a_real_layer(configuration):
    found = cost(**configuration)
    d, heads = configuration["d_model"], configuration["n_heads"]
    kv_heads, width = configuration.get("n_kv_heads", heads), configuration.get("d_head", d // heads)
    batch = configuration.get("batch", 1)
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal((d, n * width)) for n in (heads, kv_heads, kv_heads)]
    biases = {f"b_{name}": np.zeros(weight.shape[1]) for name, weight in zip("qkv", weights, strict=True)}
    trace = multi_head_attention(
        rng.standard_normal((batch, configuration["n_tokens"], d)),
        *weights,
        rng.standard_normal((heads * width, d)),
        n_heads=heads,
        n_kv_heads=kv_heads,
        b_o=np.zeros(d),
        **biases,
    )
    parameters = [step.value.size for name, step in trace.parameters.items() if name[:2] in ("w_", "b_")]
    assert found["attention_parameters"] == sum(parameters)
    operations = {}
    for step in trace.steps:
        if step.op == "contract":
            summed = trace.step(step.inputs[0]).shape[-1]
            operations[step.name] = 2 * step.value.size * summed
    assert found["projection_operations"] == sum(operations[name] for name in ("q", "k", "v", "output"))
    assert found["attention_operations"] == operations["scores"] + operations["head_outputs"]
    layers, each = configuration.get("n_layers", 1), configuration.get("bytes_each", 2)
    cached = trace["k_heads"].size + trace["v_heads"].size
    assert found["kv_cache_bytes"] == cached * layers * each


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"n_heads": 3}, "heads_divide"),
        ({"n_heads": 0}, "count"),
        ({"d_model": 8.5}, "count"),
        ({"n_kv_heads": 3, "n_heads": 8}, "kv_heads_divide"),
        ({"vocabulary": -1}, "count"),
        ({"batch": True}, "count"),
    ],
)
def test_impossible_configurations_are_refused(change, code):
    with pytest.raises(AttentionError) as error:
        cost(**(CONFIGURATIONS[0] | change))
    assert error.value.code == code


# Where s² takes over

SHARED = [(8, 8), (8, 2), (4, 1), (6, 3)]


def first_length_by_search(linear, quadratic, **sizes):
    """The first length at which `quadratic` takes as much as all of `linear`, tried one by one."""
    n = 1
    while True:
        found = cost(n_tokens=n, **sizes)
        if sum(found[name] for name in quadratic) >= sum(found[name] for name in linear):
            return n
        n += 1


@pytest.mark.parametrize(("heads", "kv_heads"), SHARED)
@pytest.mark.parametrize("d_head", [2, 5])
@pytest.mark.parametrize("batch", [1, 3])
def test_the_crossing_is_the_one_found_by_search(heads, kv_heads, d_head, batch):
    sizes = {"d_model": heads * 2, "n_heads": heads, "n_kv_heads": kv_heads, "d_head": d_head, "batch": batch}
    layer = crossing_length("layer_operations", **sizes)
    square = ("attention_operations",)
    assert layer == first_length_by_search(("projection_operations", "mlp_operations"), square, **sizes)
    attention = crossing_length("projection_operations", *square, **sizes)
    assert attention == first_length_by_search(("projection_operations",), square, **sizes)
    whole = crossing_length("forward_operations", n_layers=3, vocabulary=50, **sizes)
    parts = cost(n_tokens=whole, n_layers=3, vocabulary=50, **sizes)
    before = cost(n_tokens=whole - 1, n_layers=3, vocabulary=50, **sizes)
    for found, over in ((parts, True), (before, False)):
        rest = found["forward_operations"] - 3 * found["attention_operations"]
        assert (3 * found["attention_operations"] >= rest) == over


@pytest.mark.parametrize("d", [8, 64, 768, 4096])
def test_in_a_plain_layer_it_is_six_and_two_widths(d):
    sizes = {"d_model": d, "n_heads": 4}
    assert crossing_length("layer_operations", **sizes) == 6 * d
    assert crossing_length("projection_operations", "attention_operations", **sizes) == 2 * d
    assert crossing_length("attention_operations", **sizes) == 1


@pytest.mark.parametrize("length", [1, 3, 50])
def test_both_parts_add_up_to_the_amount(length):
    sizes = {"d_model": 12, "n_heads": 4, "n_kv_heads": 2, "n_layers": 3, "vocabulary": 7}
    for name in ("layer_operations", "forward_operations", "activation_bytes"):
        p, q = growth(name, **sizes)
        assert p * length + q * length**2 == cost(n_tokens=length, **sizes)[name]
    assert growth("activation_bytes", **sizes) == (3 * 34 * 12, 3 * 5 * 4)


@pytest.mark.parametrize(("d", "heads"), [(8, 2), (768, 12), (100, 4)])
def test_activations_cross_where_both_terms_are_equal(d, heads):
    crossing = crossing_length("activation_bytes", d_model=d, n_heads=heads)
    assert 5 * crossing**2 * heads >= 34 * crossing * d
    assert 5 * (crossing - 1) ** 2 * heads < 34 * (crossing - 1) * d
