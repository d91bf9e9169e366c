"""What each kind of attention does, step by step: names, axes, operations and formulas.

Axis names are the interface: a contraction multiplies its inputs and adds up over every axis that
the result does not have. Formulas are NumPy expressions; the tests evaluate each one.
"""

from functools import lru_cache
from typing import NamedTuple

from .trace import Line, Plan


class Uses(NamedTuple):
    """Which optional steps a computation has."""

    scaled: bool = False
    softcapped: bool = False
    visible: int = 0  # number of axes of the boolean mask, 0 without one
    added: int = 0  # number of axes of the float mask, 0 without one
    dropped: bool = False
    shared: bool = False  # query heads share key/value heads
    cached: bool = False


def lead_axes(number: int) -> tuple[str, ...]:
    """The names of the axes in front of (token, feature): head, batch, and any before them."""
    if number < 3:
        return ("batch", "head")[2 - max(number, 0) :]
    return (*(f"batch_{place}" for place in range(number - 2, 0, -1)), "batch", "head")


def parameter(name: str, *axes: str) -> Line:
    return Line(name, axes, "parameter")


def number(name: str) -> Line:
    return Line(name, (), "number")


def plus(expression: str, bias: str | None) -> str:
    return f"{expression} + {bias}" if bias else expression


def linear(name: str, axes: tuple, source: str, weight: Line, bias: Line | None) -> list[Line]:
    """`source @ weight + bias` with its parameters before it."""
    given = [weight, bias] if bias else [weight]
    formula = plus(f"{source} @ {weight.name}", bias and bias.name)
    inputs = (source, *(line.name for line in given))
    return [*given, Line(name, axes, "contract", inputs, formula)]


def last_is_output(lines: list[Line], projected: bool = False, **also_called: str) -> Plan:
    """The plan with its last line called `output`; the name it had still answers, and so does `projected`."""
    *before, last = lines
    if last.name != "output":
        also_called[last.name] = "output"
    if projected:
        also_called["projected"] = "output"
    return Plan((*before, last._replace(name="output")), also_called)


def mask_axes(lead: tuple, n_axes: int) -> tuple:
    """The last `n_axes` of (batch, head, query, key)."""
    return (*lead, "query", "key")[-n_axes:]


def key_value_lines(lead: tuple, uses: Uses) -> list[Line]:
    """From k_heads and v_heads to what is attended to: a cache joined on, heads shared out."""
    lines = []
    kv_lead = (*lead[:-1], "kv_head") if uses.shared else lead
    key, value = "k_heads", "v_heads"
    if uses.cached:
        for part, past, present, new in (
            ("key_feature", "past_key", "present_key", key),
            ("value_feature", "past_value", "present_value", value),
        ):
            lines.append(parameter(past, *kv_lead, "past", part))
            formula = f"concatenate(({past}, {new}), axis=-2)"
            lines.append(Line(present, (*kv_lead, "key", part), "concat", (past, new), formula))
        key, value = "present_key", "present_value"
    if uses.shared:
        lines.append(number("n_shared"))
        for part, source, name in (
            ("key_feature", key, "k_repeated"),
            ("value_feature", value, "v_repeated"),
        ):
            formula = f"repeat_heads({source}, n_shared)"
            lines.append(Line(name, (*lead, "key", part), "repeat", (source, "n_shared"), formula))
    return lines


def score_lines(lead: tuple, uses: Uses, scores: Line) -> list[Line]:
    """scores -> scaled -> softcapped -> masked -> weights -> dropped, as far as they are used."""
    axes = (*lead, "query", "key")
    lines = [scores]

    def follow(name: str, op: str, formula: str, *parameters: Line):
        before = lines[-1].name
        inputs = (before, *(line.name for line in parameters))
        lines.extend([*parameters, Line(name, axes, op, inputs, formula.format(before))])

    if uses.scaled:
        follow("scaled", "scale", "{} * scale", number("scale"))
    if uses.softcapped:
        follow("softcapped", "softcap", "softcap * tanh({} / softcap)", number("softcap"))
    if uses.visible or uses.added:
        formula, given = "{}", []
        if uses.added:
            formula = "{} + attn_mask"
            given.append(parameter("attn_mask", *mask_axes(lead, uses.added)))
        if uses.visible:
            formula = f"where(visible, {formula}, masked_fill)"
            given += [parameter("visible", *mask_axes(lead, uses.visible)), number("masked_fill")]
        follow("masked", "mask", formula, *given)
    follow("weights", "softmax", "softmax({})")
    if uses.dropped:
        keep = parameter("keep", *axes)
        follow("dropped", "dropout", "where(keep, {} / (1 - dropout_p), 0)", keep, number("dropout_p"))
    return lines


def head_lines(lead: tuple, uses: Uses) -> list[Line]:
    """From q_heads, k_heads, v_heads (given before) to head_outputs; rows are tokens."""
    key, value = "k_heads", "v_heads"
    if uses.shared:
        key, value = "k_repeated", "v_repeated"
    elif uses.cached:
        key, value = "present_key", "present_value"
    scores = Line("scores", (*lead, "query", "key"), "contract", ("q_heads", key), f"q_heads @ {key}.mT")
    lines = [*key_value_lines(lead, uses), *score_lines(lead, uses, scores)]
    looked_at = lines[-1].name
    outputs = Line(
        "head_outputs",
        (*lead, "query", "value_feature"),
        "contract",
        (looked_at, value),
        f"{looked_at} @ {value}",
    )
    return [*lines, outputs]


def heads_axes(lead: tuple, uses: Uses) -> tuple[tuple, tuple, tuple]:
    """Axes of q_heads, k_heads and v_heads."""
    kv_lead = (*lead[:-1], "kv_head") if uses.shared else lead
    keys = "new_key" if uses.cached else "key"
    return (*lead, "query", "key_feature"), (*kv_lead, keys, "key_feature"), (*kv_lead, keys, "value_feature")


@lru_cache(maxsize=512)
def dot_product_plan(lead: tuple, uses: Uses) -> Plan:
    axes = heads_axes(lead, uses)
    given = [Line(name, axes[i], "input") for i, name in enumerate(("q_heads", "k_heads", "v_heads"))]
    lines = [*given, *head_lines(lead, uses)]
    return last_is_output(lines, query="q_heads", key="k_heads", value="v_heads")


class Projected(NamedTuple):
    """Which inputs and parameters a multi-head layer has."""

    batched: bool
    key_source: str = "x"  # or "memory" in cross-attention
    value_source: str = "x"  # or "memory" or "memory_values"
    b_q: bool = False
    b_k: bool = False
    b_v: bool = False
    w_o: bool = False
    b_o: bool = False
    viewed: bool = False  # heads cut out of the numbers as they lie, without the transpose


def projection_lines(has: Projected, uses: Uses) -> list[Line]:
    """x (and memory) -> q, k, v -> heads."""
    lead = ("batch",) if has.batched else ()
    inputs = {
        "x": ("token", "feature"),
        "memory": ("source", "source_feature"),
        "memory_values": ("source", "value_source_feature"),
    }
    sources = ("x", has.key_source, has.value_source)
    lines = [Line(name, (*lead, *inputs[name]), "input") for name in dict.fromkeys(sources)]
    for name, source, bias in zip("qkv", sources, (has.b_q, has.b_k, has.b_v), strict=True):
        tokens, features = inputs[source]
        channel = f"{name}_channel"
        weight = parameter(f"w_{name}", features, channel)
        lines += linear(
            name, (*lead, tokens, channel), source, weight, parameter(f"b_{name}", channel) if bias else None
        )
    counts = ("n_heads", "n_kv_heads", "n_kv_heads") if uses.shared else ("n_heads",) * 3
    lines += [number(name) for name in dict.fromkeys(counts)]
    for name, axes, count in zip("qkv", heads_axes((*lead, "head"), uses), counts, strict=True):
        op, formula = "split", f"split_heads({name}, {count})"
        if has.viewed:
            sizes = [f"{name}.shape[0]"] if has.batched else []
            sizes += [count, f"{name}.shape[{len(lead)}]", "-1"]
            op, formula = "reshape", f"{name}.reshape({', '.join(sizes)})"
        lines.append(Line(f"{name}_heads", axes, op, (name, count), formula))
    return lines


def merge_lines(
    lead: tuple, w_o: bool, b_o: bool, name: str = "output", features: str = "output_feature"
) -> list[Line]:
    """head_outputs -> merged, and -> `name` (..., query, features) when there is an output projection."""
    axes = (*lead, "query", "channel")
    merged = Line("merged", axes, "merge", ("head_outputs",), "merge_heads(head_outputs)")
    if not w_o:
        return [merged]
    weight = parameter("w_o", "channel", features)
    bias = parameter("b_o", features) if b_o else None
    return [merged, *linear(name, (*lead, "query", features), "merged", weight, bias)]


@lru_cache(maxsize=512)
def multi_head_plan(has: Projected, uses: Uses) -> Plan:
    lead = ("batch",) if has.batched else ()
    lines = projection_lines(has, uses) + head_lines((*lead, "head"), uses)
    return last_is_output(lines + merge_lines(lead, has.w_o, has.b_o), projected=has.w_o)


class Fused(NamedTuple):
    """What a layer with one matrix for Q, K and V has, and how its columns lie."""

    batched: bool
    per_head: bool = False  # [q k v] of each head in turn, not [Q | K | V]
    b_qkv: bool = False
    w_o: bool = False
    b_o: bool = False


def part_lines(lead: tuple, per_head: bool) -> list[Line]:
    """qkv -> qkv_split -> qkv_permuted: the columns labelled, and the part brought to the front."""
    axes = (*lead, "token", *(("head", "part") if per_head else ("part", "head")), "head_feature")
    permuted = ("part", *lead, "head", "token", "head_feature")
    sizes = [f"qkv.shape[{axis}]" for axis in range(len(lead) + 1)]
    sizes += ["n_heads", "3", "-1"] if per_head else ["3", "n_heads", "-1"]
    order = ", ".join(str(axes.index(axis)) for axis in permuted)
    return [
        Line("qkv_split", axes, "reshape", ("qkv", "n_heads"), f"qkv.reshape({', '.join(sizes)})"),
        Line("qkv_permuted", permuted, "permute", ("qkv_split",), f"qkv_split.transpose({order})"),
    ]


@lru_cache(maxsize=512)
def fused_plan(has: Fused, uses: Uses) -> Plan:
    lead = ("batch",) if has.batched else ()
    bias = parameter("b_qkv", "qkv_channel") if has.b_qkv else None
    weight = parameter("w_qkv", "feature", "qkv_channel")
    lines = [
        Line("x", (*lead, "token", "feature"), "input"),
        *linear("qkv", (*lead, "token", "qkv_channel"), "x", weight, bias),
        number("n_heads"),
        *part_lines(lead, has.per_head),
    ]
    for part, axes in enumerate(heads_axes((*lead, "head"), uses)):
        name = f"{'qkv'[part]}_heads"
        lines.append(Line(name, axes, f"pick_{part}", ("qkv_permuted",), f"qkv_permuted[{part}]"))
    lines += head_lines((*lead, "head"), uses) + merge_lines(lead, has.w_o, has.b_o)
    return last_is_output(lines, projected=has.w_o)


@lru_cache(maxsize=64)
def post_norm_plan(has: Projected, uses: Uses, gamma: bool, beta: bool) -> Plan:
    lead = ("batch",) if has.batched else ()
    axes = (*lead, "token", "feature")
    given = [parameter(name, "feature") for name, used in (("gamma", gamma), ("beta", beta)) if used]
    names = [line.name for line in given]
    arguments = "".join(f", {name}={name}" for name in [*names, "eps"])
    lines = [
        *projection_lines(has, uses),
        *head_lines((*lead, "head"), uses),
        *merge_lines(lead, True, False, "projected", "feature"),  # as wide as x, to which it is added
        Line("residual", axes, "add", ("projected", "x"), "projected + x"),
        *given,
        number("eps"),
        Line("output", axes, "layer_norm", ("residual", *names, "eps"), f"layer_norm(residual{arguments})"),
    ]
    return Plan(tuple(lines))


@lru_cache(maxsize=64)
def conv_plan(w_pe: bool, w_proj: bool, b_qkv: bool, b_pe: bool, b_proj: bool) -> Plan:
    """Channels first: q and k are (batch, head, feature, token), the scores Qᵀ K, the output V Aᵀ."""
    grid = ("height", "width")
    lead = ("batch", "head")
    uses = Uses(scaled=True)

    def conv(name, out_axis, source, weight, bias):
        given = [weight, bias] if bias else [weight]
        inputs = (source, *(line.name for line in given))
        return [
            *given,
            Line(name, ("batch", out_axis, *grid), "contract", inputs, f"conv1x1({', '.join(inputs)})"),
        ]

    lines = [
        Line("x", ("batch", "channel", *grid), "input"),
        *conv(
            "qkv",
            "qkv_channel",
            "x",
            parameter("w_qkv", "qkv_channel", "channel"),
            parameter("b_qkv", "qkv_channel") if b_qkv else None,
        ),
        number("n_heads"),
        number("key_dim"),
        number("height"),
        Line(
            "qkv_split",
            (*lead, "head_channel", "token"),
            "reshape",
            ("qkv", "n_heads"),
            "qkv.reshape(qkv.shape[0], n_heads, -1, qkv.shape[2] * qkv.shape[3])",
        ),
    ]
    cuts = (
        ("q_heads", ("key_feature", "query"), ":key_dim"),
        ("k_heads", ("key_feature", "key"), "key_dim:2 * key_dim"),
        ("v_heads", ("value_feature", "key"), "2 * key_dim:"),
    )
    for part, (name, axes, cut) in enumerate(cuts):
        inputs = ("qkv_split", "key_dim")
        lines.append(Line(name, (*lead, *axes), f"cut_{part}", inputs, f"qkv_split[:, :, {cut}]"))
    on_grid = "{0}.reshape({0}.shape[0], -1, height, {0}.shape[-1] // height)"
    scores = Line(
        "scores", (*lead, "query", "key"), "contract", ("q_heads", "k_heads"), "q_heads.mT @ k_heads"
    )
    outputs = ("v_heads", "weights"), "v_heads @ weights.mT"
    lines += [
        *score_lines(lead, uses, scores),
        Line("head_outputs", (*lead, "value_feature", "query"), "contract", *outputs),
        Line(
            "merged",
            ("batch", "channel", *grid),
            "reshape",
            ("head_outputs", "height"),
            on_grid.format("head_outputs"),
        ),
    ]
    last = "merged"
    if w_pe:
        given = [parameter("w_pe", "channel", "kernel_row", "kernel_column")]
        given += [parameter("b_pe", "channel")] if b_pe else []
        inputs = ("v_grid", *(line.name for line in given))
        axes = ("batch", "channel", *grid)
        formula = f"depthwise_conv3x3({', '.join(inputs)})"
        lines += [
            Line("v_grid", axes, "reshape", ("v_heads", "height"), on_grid.format("v_heads")),
            *given,
            Line("positional", axes, "depthwise", inputs, formula),
            Line("residual", axes, "add", ("merged", "positional"), "merged + positional"),
        ]
        last = "residual"
    if w_proj:
        bias = parameter("b_proj", "output_channel") if b_proj else None
        lines += conv(
            "output", "output_channel", last, parameter("w_proj", "output_channel", "channel"), bias
        )
    return last_is_output(lines, projected=w_proj)
