"""Which arrays and options each function takes, and which it cannot do without.

A scenario that `is_whole` can be computed, or the computation is refused with an AttentionError or a
ScenarioError that says why. Nothing else can happen, so whoever shows it need not expect anything else.
"""

import inspect

from ui.scenario.scenario import FUNCTIONS, Scenario, array_shape

# Every array a function takes, with how many axes it may have.
Counts = dict[str, tuple[int, ...]]
PROJECTIONS: Counts = {"w_q": (2,), "w_k": (2,), "w_v": (2,)}
BIASES: Counts = {"b_q": (1,), "b_k": (1,), "b_v": (1,), "b_o": (1,)}
ARRAYS: dict[str, Counts] = {
    "multi_head_attention": {"x": (2, 3), "memory": (2, 3), **PROJECTIONS, "w_o": (2,), **BIASES},
    "fused_qkv_attention": {"x": (2, 3), "w_qkv": (2,), "b_qkv": (1,), "w_o": (2,), "b_o": (1,)},
    "conv_attention": {
        **{"x": (4,), "w_qkv": (2,), "w_proj": (2,), "w_pe": (3,)},
        **{"b_qkv": (1,), "b_proj": (1,), "b_pe": (1,)},
    },
    "post_norm_attention": {"q": (2, 3), **PROJECTIONS, "w_o": (2,), "gamma": (1,), "beta": (1,)},
}
# Functions that hold the same numbers in another layout.
RELATED = {"multi_head_attention": "fused_qkv_attention", "fused_qkv_attention": "multi_head_attention"}
# The options each function takes.
OF_THE_SCORES = {"is_causal", "window", "scale", "softcap", "dropout_p", "rng", "masked_fill", "attn_mask"}
TAKEN: dict[str, set[str]] = {
    "multi_head_attention": OF_THE_SCORES | {"n_heads", "n_kv_heads", "split"},
    "fused_qkv_attention": OF_THE_SCORES | {"n_heads", "per_head"},
    "conv_attention": {"n_heads", "attn_ratio"},
    "post_norm_attention": {"n_heads", "attn_mask", "masked_fill", "dropout_p", "rng"},
}


def needed_by(function: str) -> set[str]:
    """What a function has no default for; `k` and `v` are the scenario's `q` (see `scenario.compute`)."""
    parameters = inspect.signature(FUNCTIONS[function]).parameters.values()
    return {
        one.name for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD
    } - {"k", "v"}


NEEDED: dict[str, set[str]] = {function: needed_by(function) for function in FUNCTIONS}


def is_whole(scenario: Scenario) -> bool:
    """Whether a scenario has all that its function needs and nothing that it does not take."""
    function, arrays, options = scenario.function, scenario.arrays, scenario.options
    known = set(arrays) <= set(ARRAYS[function]) and set(options) <= TAKEN[function]
    if not known or not NEEDED[function] <= {*arrays, *options}:
        return False
    axes = ARRAYS[function]
    if not all(len(array_shape(recipe)) in axes[name] for name, recipe in arrays.items()):
        return False
    # Without a seed every computation would drop other weights.
    return ("rng" in options or "dropout_p" not in options) and mask_fits(scenario)


def mask_fits(scenario: Scenario) -> bool:
    """Whether a mask has a cell for each query and key; one that were repeated could not be edited."""
    mask = scenario.options.get("attn_mask")
    if mask is None:
        return True
    given = array_shape(scenario.arrays["q" if scenario.function == "post_norm_attention" else "x"])
    looked_at = array_shape(scenario.arrays["memory"]) if "memory" in scenario.arrays else given
    return (len(mask), len(mask[0])) == (given[-2], looked_at[-2])
