"""The choices of the Lab: example, heads, mask, scale, sizes, decimals; what is offered, and what each does.

They are drawn by the workbench, so that a choice runs no more than an edit does.
"""

from dataclasses import replace

from attention_core import AttentionError, Trace
from ui.board.comparing import with_beside
from ui.limits import MOST_ALONG_AN_AXIS
from ui.scenario import shaping
from ui.scenario.layouts import laid_out, layout_of
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Scenario, ScenarioError, array_shape, is_boolean
from ui.words import Words

MOST_HEADS = 8
MASKS = ("none", "causal", "window", "padding", "free")
SCALES = ("auto", "off", "own")
DECIMALS = (0, 1, 2, 3, 4)
FREE_MASKS = ("look", "added")
REACHES = ("left", "right")
OWN_NUMBERS = ""  # in place of the example they began with
MOST_DROPPED = 0.9
SIZES = ("n_tokens", "n_features", "d_key", "d_value", "n_sources", "n_kv_heads")
LOCK = {
    **dict.fromkeys(("dropout", *SIZES), "more"),
    **dict.fromkeys(("free_mask", "left", "right"), "mask"),
    **{"n_heads": "heads", "own_scale": "scale"},
}


def lock_of(choice: str) -> str:
    """The control of a teacher's link that a choice belongs to."""
    return LOCK.get(choice, choice)


def values(scenario: Scenario) -> dict[str, object]:
    """What is chosen, by choice: only those that make sense here."""
    preset = load_preset(scenario.preset)
    is_its_own = not scenario.source and (preset.function, preset.arrays) == (
        scenario.function,
        scenario.arrays,
    )
    found: dict[str, object] = {"preset": scenario.preset if is_its_own else OWN_NUMBERS}
    found["n_heads"] = scenario.options["n_heads"]
    if scenario.function != "conv_attention":
        found["mask"] = mask_of(scenario)
        if found["mask"] == "free":
            found["free_mask"] = "look" if is_boolean(scenario.options["attn_mask"]) else "added"
    for side, reach in zip(REACHES, scenario.options.get("window", ()), strict=False):
        found[side] = reach or 0
    if has_options(scenario):
        found["scale"] = scale_of(scenario)
        if found["scale"] == "own":
            found["own_scale"] = scenario.options["scale"]
    if has_options(scenario):
        found["dropout"] = scenario.options.get("dropout_p", 0)
    if shaping.can_be_resized(scenario) and not scenario.is_fixed:
        found |= sizes_to_choose(scenario)
    found["decimals"] = scenario.view.decimals
    hidden = scenario.locks.hidden
    return {choice: value for choice, value in found.items() if lock_of(choice) not in hidden}


def sizes_to_choose(scenario: Scenario) -> dict[str, int]:
    """The sizes that can be chosen, as they are; shared heads only where there are several to share."""
    sizes = shaping.sizes_of(scenario)._asdict()
    if "memory" not in scenario.arrays:
        del sizes["n_sources"]
    if scenario.options["n_heads"] == 1:
        del sizes["n_kv_heads"]
    return {name: sizes[name] for name in SIZES if name in sizes}


def offered(scenario: Scenario, trace: Trace, words: Words) -> list[dict]:
    """Every choice with its label and its options; an option that cannot be had says why."""
    locked = scenario.locks.locked
    found = []
    for choice in values(scenario):
        one = {"id": choice, "label": words(f"choice.{choice}"), "locked": lock_of(choice) in locked}
        found.append(one | bounds_or_options(choice, scenario, trace, words))
    return found


def bounds_or_options(choice: str, scenario: Scenario, trace: Trace, words: Words) -> dict:
    match choice:
        case "own_scale":
            return {"least": -10, "most": 10, "step": 0.1}
        case "dropout":
            return {"least": 0, "most": MOST_DROPPED, "step": 0.1}
        case "n_kv_heads":
            return {"options": [[count, str(count)] for count in sharing(scenario)]}
        case "n_tokens" | "n_features" | "n_sources" | "d_key" | "d_value":
            return {"least": 1, "most": most_of(scenario, choice), "step": 1}
        case "left" | "right":
            return {"least": 0, "most": MOST_ALONG_AN_AXIS, "step": 1}
        case "preset":
            options = [[preset, words(f"preset.{preset}.title")] for preset in preset_ids()]
            source = scenario.source
            facts = {"layer": source.layer, "model": source.model} if source else {}
            otherwise = words("choice.of_model", **facts) if source else words("choice.own_numbers")
            return {"options": options, "otherwise": otherwise}
        case "n_heads":
            return {"options": head_options(scenario, words)}
        case "decimals":
            return {"options": [[places, str(places)] for places in DECIMALS]}
        case "mask":
            options = [mask for mask in MASKS if can_be_written(mask, *trace["weights"].shape[-2:])]
        case "free_mask":
            options = FREE_MASKS
        case _:
            options = SCALES
    return {"options": [[option, words(f"{choice}.{option}")] for option in options]}


def sharing(scenario: Scenario) -> list[int]:
    """How many heads of K and V there may be: each serves as many query heads."""
    n_heads = scenario.options["n_heads"]
    return [count for count in range(1, n_heads + 1) if n_heads % count == 0]


def most_of(scenario: Scenario, size: str) -> int:
    """A width per head is bounded by that of all heads."""
    per_head = size in ("d_key", "d_value")
    return MOST_ALONG_AN_AXIS // scenario.options["n_heads"] if per_head else MOST_ALONG_AN_AXIS


def head_options(scenario: Scenario, words: Words) -> list[list]:
    """1 to 8 heads, as far as there are channels for them; those that do not divide every width say so."""
    possible = possible_heads(scenario)
    widths = sorted(set(head_widths(scenario)))
    divided = words("choice.heads_refused", widths=", ".join(map(str, widths)))
    keyless, shared = words("choice.heads_keyless"), words("choice.heads_shared")

    def reason(n: int) -> str:
        if any(width % n for width in widths):
            return divided
        return keyless if scenario.function == "conv_attention" else shared

    counts = sorted({*range(1, min(MOST_HEADS, widths[-1]) + 1), *possible})
    return [[n, str(n)] if n in possible else [n, str(n), reason(n)] for n in counts]


def chosen(scenario: Scenario, trace: Trace, choice: str, value: object) -> Scenario | None:
    """The scenario with something else chosen; None for what is not offered."""
    if lock_of(choice) in (*scenario.locks.locked, *scenario.locks.hidden) or choice not in values(scenario):
        return None
    if isinstance(value, bool):  # which Python takes for a number, but a link does not
        return None
    n_queries, n_keys = trace["weights"].shape[-2:]
    match choice, value:
        case "preset", str() if value in preset_ids():
            view = {"decimals": scenario.view.decimals, "language": scenario.view.language}
            found = load_preset(value).looking(**view)
            return with_beside(replace(found, locks=scenario.locks, start=scenario.start))
        case "n_heads", int() if value in possible_heads(scenario):
            return with_heads(scenario, value)
        case "mask", str() if value in MASKS and can_be_written(value, n_queries, n_keys):
            return masked(scenario, value, n_queries, n_keys)
        case "free_mask", str() if value in FREE_MASKS:
            return scenario.with_options(attn_mask=as_kind(scenario, value))
        case "left" | "right", int() if 0 <= value <= MOST_ALONG_AN_AXIS:
            window = scenario.options["window"]
            return scenario.with_options(
                window=[value if side == choice else old for side, old in zip(REACHES, window, strict=True)]
            )
        case "scale", str() if value in SCALES:
            return scenario.with_options(scale={"off": 1, "auto": None, "own": 0.5}[value])
        case "own_scale", int() | float() if -10 <= value <= 10:
            return scenario.with_options(scale=value)
        case "n_kv_heads", int() if value in sharing(scenario):
            return shaping.resized(scenario, n_kv_heads=value)
        case (("n_tokens" | "n_features" | "n_sources" | "d_key" | "d_value"), int()) if (
            1 <= value <= most_of(scenario, choice)
        ):
            return shaping.resized(scenario, **{choice: value})
        case "dropout", int() | float() if 0 <= value <= MOST_DROPPED:
            seed = scenario.options.get("rng", 0)
            return scenario.with_options(dropout_p=value or None, rng=seed if value else None)
        case "decimals", int() if value in DECIMALS:
            return scenario.looking(decimals=value)
    return None


def head_widths(scenario: Scenario) -> list[int]:
    """The widths that the number of heads has to divide."""
    shapes = {name: array_shape(value) for name, value in scenario.arrays.items()}
    match scenario.function:
        case "conv_attention":
            return [shapes["x"][1]]
        case "fused_qkv_attention":
            return [shapes["w_qkv"][1] // 3]
    return [shapes[name][1] for name in ("w_q", "w_v", "w_k")]


def with_heads(scenario: Scenario, n_heads: int) -> Scenario:
    """Another number of heads over the same Q, K and V; columns that lie head by head are laid anew."""
    layout = layout_of(scenario)
    changed = laid_out(scenario, "three") if layout == "per_head" and not scenario.is_large else scenario
    changed = changed.with_options(n_heads=n_heads)
    return (laid_out(changed, layout) if layout else changed).looking(head=0, cell=())


def possible_heads(scenario: Scenario) -> list[int]:
    """Numbers of heads that divide every width, among them the present one."""
    present = scenario.options["n_heads"]
    counts = sorted({*range(1, MOST_HEADS + 1), present})
    if scenario.is_large:  # not computed for trying
        return [n for n in counts if all(width % n == 0 for width in head_widths(scenario))]
    three = laid_out(scenario, "three") if layout_of(scenario) == "per_head" else scenario
    return [n for n in counts if n == present or can_be_computed(three.with_options(n_heads=n))]


def can_be_computed(scenario: Scenario) -> bool:
    try:
        scenario.trace()
    except (AttentionError, ScenarioError):
        return False
    return True


def can_be_written(mask: str, n_queries: int, n_keys: int) -> bool:
    """Whether a mask is a rule, or few enough cells to stand in a link."""
    return mask in ("none", "causal", "window") or max(n_queries, n_keys) <= MOST_ALONG_AN_AXIS


def has_options(scenario: Scenario) -> bool:
    """Whether the function takes the options of the dot product."""
    return scenario.function in ("multi_head_attention", "fused_qkv_attention")


def scale_of(scenario: Scenario) -> str:
    scale = scenario.options.get("scale")
    return "auto" if scale is None else "off" if scale == 1 else "own"


def mask_rows(mask: str, n_queries: int, n_keys: int) -> list[list[bool]]:
    """A mask as rows of booleans; a free one starts with nobody looking at itself."""
    may_look = {
        "causal": lambda query, key: key <= query,
        "window": lambda query, key: abs(key - query) <= 1,
        "padding": lambda query, key: key < max(1, n_keys - 1),
        "free": lambda query, key: key != query or n_keys == 1,
    }[mask]
    return [[may_look(query, key) for key in range(n_keys)] for query in range(n_queries)]


def as_kind(scenario: Scenario, kind: str) -> list[list]:
    """The free mask as who may look, or as numbers that are added: 0, or −∞ (None) where nobody may."""
    mask = scenario.options["attn_mask"]
    if is_boolean(mask) == (kind == "look"):
        return mask
    if kind == "look":
        return [[number is not None for number in row] for row in mask]
    return [[0 if seen else None for seen in row] for row in mask]


def mask_of(scenario: Scenario) -> str:
    options = scenario.options
    rows = options.get("attn_mask")
    if rows is None:
        return "window" if "window" in options else "causal" if options.get("is_causal") else "none"
    known = ("causal", "window", "padding") if scenario.function == "post_norm_attention" else ("padding",)
    return next((mask for mask in known if rows == mask_rows(mask, len(rows), len(rows[0]))), "free")


def masked(scenario: Scenario, mask: str, n_queries: int, n_keys: int) -> Scenario:
    """The scenario with another kind of mask."""
    plain = scenario.function != "post_norm_attention"  # which takes a mask of booleans only
    as_rows = mask in ("padding", "free") or (mask != "none" and not plain)
    return scenario.with_options(
        is_causal=True if mask == "causal" and plain else None,
        window=[1, 1] if mask == "window" and plain else None,
        attn_mask=mask_rows(mask, n_queries, n_keys) if as_rows else None,
    )
