"""The controls of the Lab: example, heads, mask, scale, decimals, and behind "More" what is changed less often.

Each fills its key before it is drawn, and changes the scenario in its callback: the present one, which an
edit in the same message may have made newer than the one the control was drawn for.
"""

from collections.abc import Callable

import streamlit as st

from attention_core import AttentionError, Trace
from ui import session, shaping
from ui.layouts import laid_out, layout_of, possible_layouts, why_not_fused
from ui.link import MOST_ALONG_AN_AXIS, fits_a_link
from ui.presets import load_preset, preset_ids
from ui.scenario import Scenario, ScenarioError, array_shape, is_boolean
from ui.sharing import share, take_along, upload
from ui.words import Words

MOST_HEADS = 8
MASKS = ("none", "causal", "window", "padding", "free")
SCALES = ("auto", "off", "own")
DECIMALS = (0, 1, 2, 3, 4)
FREE_MASKS = ("look", "added")


def is_hidden(scenario: Scenario, control_id: str) -> bool:
    return control_id in scenario.locks.hidden


def is_locked(scenario: Scenario, control_id: str) -> bool:
    return control_id in scenario.locks.locked


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
    return [n for n in counts if n == present or can_be_computed(with_heads(scenario, n))]


def can_be_computed(scenario: Scenario) -> bool:
    try:
        scenario.trace()
    except (AttentionError, ScenarioError):
        return False
    return True


def control(
    label: str,
    key: str,
    value,
    options,
    to_scenario: Callable,
    words: Words,
    name: str = "",
    lock: str = "",
    scenario: Scenario | None = None,
) -> None:
    """One choice among few. `to_scenario` makes a new scenario from the present one and the chosen option."""
    if scenario is not None and is_hidden(scenario, lock):
        return
    key = f"lab_{key}"
    st.session_state[key] = value

    def changed() -> None:
        chosen = st.session_state[key]
        if chosen is not None:
            session.change(to_scenario(session.present(), chosen))

    shown = (lambda option: words(f"{name}.{option}")) if name else str
    locked = scenario is not None and is_locked(scenario, lock)
    st.segmented_control(
        label, options, key=key, on_change=changed, format_func=shown, required=True, disabled=locked
    )


def choose_preset(scenario: Scenario, words: Words) -> None:
    if is_hidden(scenario, "preset"):
        return
    st.session_state["lab_preset"] = scenario.preset

    def changed() -> None:
        now = session.present()
        view = {"decimals": now.view.decimals, "language": now.view.language}
        session.change(load_preset(st.session_state["lab_preset"]).looking(**view))

    st.selectbox(
        words("lab.preset"),
        preset_ids(),
        key="lab_preset",
        on_change=changed,
        format_func=lambda preset_id: words(f"preset.{preset_id}.title"),
        width=260,
        disabled=is_locked(scenario, "preset"),
    )


def draw_controls(scenario: Scenario, trace: Trace, words: Words) -> None:
    """The head of the Lab and the row of choices above the workbench."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lab_head"):
        st.page_link("app.py", label=words("lab.to_home"), icon=":material/home:")
        st.title(words("lab.title"), anchor=False, width="content")
        choose_preset(scenario, words)
        st.markdown(words(f"preset.{scenario.preset}.about"), width="stretch")
        share(scenario, words)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="lab_controls"):
        choose_heads(scenario, words)
        choose_mask(scenario, trace, words)
        choose_scale(scenario, words)
        control(
            words("lab.decimals"),
            "decimals",
            scenario.view.decimals,
            DECIMALS,
            lambda scenario, n: scenario.looking(decimals=n),
            words,
            lock="decimals",
            scenario=scenario,
        )
        if not is_hidden(scenario, "more"):
            more(scenario, trace, words)
        if not is_hidden(scenario, "upload"):
            upload(scenario, words, is_locked(scenario, "upload"))
        if not is_hidden(scenario, "take"):
            take_along(trace, words)


def choose_heads(scenario: Scenario, words: Words) -> None:
    heads = possible_heads(scenario)
    control(
        words("lab.heads"),
        "n_heads",
        scenario.options["n_heads"],
        heads,
        with_heads,
        words,
        lock="heads",
        scenario=scenario,
    )


def refused_heads(scenario: Scenario, words: Words) -> str:
    """Why some numbers of heads are not offered."""
    heads = possible_heads(scenario)
    widths = sorted(set(head_widths(scenario)))
    refused = [n for n in range(1, MOST_HEADS + 1) if n not in heads and n <= max(widths)]
    if not refused:
        return ""
    facts = {"refused": ", ".join(map(str, refused)), "widths": ", ".join(map(str, widths))}
    return words("lab.heads_refused", **facts)


def choose_mask(scenario: Scenario, trace: Trace, words: Words) -> None:
    if scenario.function == "conv_attention":
        return
    n_queries, n_keys = trace["weights"].shape[-2:]
    small = max(n_queries, n_keys) <= MOST_ALONG_AN_AXIS
    control(
        words("lab.mask"),
        "mask",
        mask_of(scenario),
        MASKS if small else MASKS[:3],
        lambda scenario, mask: masked(scenario, mask, n_queries, n_keys),
        words,
        "mask",
        lock="mask",
        scenario=scenario,
    )
    if mask_of(scenario) == "free":
        control(
            words("lab.free_mask"),
            "free_mask",
            "look" if is_boolean(scenario.options["attn_mask"]) else "added",
            FREE_MASKS,
            lambda scenario, kind: scenario.with_options(attn_mask=as_kind(scenario, kind)),
            words,
            "free_mask",
            lock="mask",
            scenario=scenario,
        )


def choose_scale(scenario: Scenario, words: Words) -> None:
    if not has_options(scenario):
        return
    control(
        words("lab.scale"),
        "scale",
        scale_of(scenario),
        SCALES,
        lambda scenario, scale: scenario.with_options(scale={"off": 1, "auto": None, "own": 0.5}[scale]),
        words,
        "scale",
        lock="scale",
        scenario=scenario,
    )
    if scale_of(scenario) == "own":
        number_control(
            words("option.scale"),
            "own_scale",
            float(scenario.options["scale"]),
            (-10.0, 10.0),
            lambda scenario, scale: scenario.with_options(scale=scale),
            0.1,
            disabled=is_locked(scenario, "scale"),
        )


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


def number_control(
    label: str, key: str, value: float, bounds: tuple, to_scenario: Callable, step=1, disabled: bool = False
) -> None:
    """One number within bounds."""
    key = f"lab_{key}"
    st.session_state[key] = value

    def changed() -> None:
        if st.session_state[key] is not None:
            session.change(to_scenario(session.present(), st.session_state[key]))

    st.number_input(label, *bounds, key=key, on_change=changed, step=step, disabled=disabled, width=150)


def more(scenario: Scenario, trace: Trace, words: Words) -> None:
    """What is changed less often: layout, parts, sizes, the finer options, filling a matrix."""
    with st.popover(words("lab.more"), disabled=is_locked(scenario, "more")):
        refused = refused_heads(scenario, words)
        if refused:
            st.caption(refused)
        layout_controls(scenario, words)
        if shaping.can_be_resized(scenario):
            part_controls(scenario, words)
            size_controls(scenario, words)
        if has_options(scenario):
            option_controls(scenario, words)
        fill_controls(scenario, words)


def layout_controls(scenario: Scenario, words: Words) -> None:
    """Three matrices for Q, K and V, or one."""
    layouts = possible_layouts(scenario)
    if len(layouts) > 1:
        control(words("lab.layout"), "layout", layout_of(scenario), layouts, laid_out, words, "layout")
    elif why_not_fused(scenario):
        st.caption(words(f"layout.why_{why_not_fused(scenario)}"))


def part_controls(scenario: Scenario, words: Words) -> None:
    """Biases, an output projection, a memory: there or not."""
    for part in shaping.PARTS:
        key = f"lab_part_{part}"
        st.session_state[key] = shaping.has_part(scenario, part)

        def changed(part=part, key=key) -> None:
            session.change(shaping.with_part(session.present(), part, st.session_state[key]))

        st.toggle(words(f"part.{part}"), key=key, on_change=changed)


def size_controls(scenario: Scenario, words: Words) -> None:
    sizes = shaping.sizes_of(scenario)
    n_heads = scenario.options["n_heads"]
    most = {"d_key": MOST_ALONG_AN_AXIS // n_heads, "d_value": MOST_ALONG_AN_AXIS // n_heads}
    names = ["n_batch"] if sizes.n_batch else []
    names += ["n_tokens", "n_features", "d_key", "d_value"]
    names += ["n_sources"] if "memory" in scenario.arrays else []
    with st.container(horizontal=True):
        for name in names:
            number_control(
                words(f"size.{name}"),
                name,
                getattr(sizes, name),
                (1, most.get(name, MOST_ALONG_AN_AXIS)),
                lambda scenario, size, name=name: shaping.resized(scenario, **{name: size}),
            )
    shared = [count for count in range(1, n_heads + 1) if n_heads % count == 0]
    if len(shared) > 1:
        control(
            words("size.n_kv_heads"),
            "n_kv_heads",
            sizes.n_kv_heads,
            shared,
            lambda scenario, count: shaping.resized(scenario, n_kv_heads=count),
            words,
        )


def option_controls(scenario: Scenario, words: Words) -> None:
    options = scenario.options
    with st.container(horizontal=True):
        for side, name in enumerate(("left", "right")) if "window" in options else ():
            number_control(
                words(f"option.{name}"),
                name,
                options["window"][side] or 0,
                (0, MOST_ALONG_AN_AXIS),
                lambda scenario, reach, side=side: scenario.with_options(
                    window=[reach if place == side else old for place, old in enumerate(options["window"])]
                ),
            )
        number_control(
            words("option.softcap"),
            "softcap",
            float(options.get("softcap", 0)),
            (0.0, 100.0),
            lambda scenario, cap: scenario.with_options(softcap=cap or None),
            0.5,
        )
        number_control(
            words("option.dropout"),
            "dropout",
            float(options.get("dropout_p", 0)),
            (0.0, 0.9),
            lambda scenario, p: scenario.with_options(
                dropout_p=p or None, rng=options.get("rng", 0) if p else None
            ),
            0.1,
        )
        if "dropout_p" in options:
            number_control(
                words("option.seed"),
                "seed",
                options["rng"],
                (0, 9999),
                lambda scenario, seed: scenario.with_options(rng=seed),
            )
    if mask_of(scenario) != "none":
        control(
            words("option.hidden"),
            "hidden",
            "finite" if "masked_fill" in options else "infinite",
            ("infinite", "finite"),
            lambda scenario, kind: scenario.with_options(masked_fill=-1e9 if kind == "finite" else None),
            words,
            "hidden",
        )


def fill_controls(scenario: Scenario, words: Words) -> None:
    """One matrix filled at once."""
    small = [name for name, recipe in scenario.arrays.items() if fits_a_link(name, array_shape(recipe))]
    if not small:
        return
    names = {"q": "x"} if scenario.function == "post_norm_attention" else {}
    with st.form("lab_fill", border=False):
        shown = {name: words(f"name.{names.get(name, name)}") for name in small}
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.selectbox(words("fill.which"), small, format_func=shown.get, width=130)
            fill = st.selectbox(
                words("fill.with"), shaping.FILLS, format_func=lambda fill: words(f"fill.{fill}"), width=210
            )
            seed = st.number_input(words("fill.seed"), 0, 9999, step=1, width=120)
            if st.form_submit_button(words("fill.do")):
                session.change(shaping.filled(session.present(), name, fill, seed))
                st.rerun()
