"""cost counts what a layer really has and does, and its formulas say the same."""

import numpy as np
import pytest

from attention_core import AttentionError, cost, multi_head_attention

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
