"""A link gives back the scenario it was made from, and a hostile one gives nothing."""

import base64
import inspect
import json
import random
import time
import tracemalloc
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.options import Choices
from ui.scenario import link, structure
from ui.scenario.layouts import laid_out, possible_layouts
from ui.scenario.link import LOCKED, LinkError, read_link, write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import FUNCTIONS, Locks, build_array

# One link of every version there has been: it opens for ever.
KEPT = {
    "1": (
        "1RY3BCsIwEET_Zc5Liam97K-EUEK6aCBicVMtlPy7iYieZnm8nTmwgrGmXbLOdrcgBPCBHeycHSYydCLrydmW5nONP3b-Ml8J9_6VdI5h05DB5bEJQWPIAjbD1JRnV7RIX3xJulyLtrkouenuT1qnJywS0y1kBY-1vgE",
        "pixels_2x2",
    ),
    "2": (
        "2xVLtboMwDHwX_84q0qrSxHPsH0IoIqYgQsKI-yFVvPvsAKXbC0xI4bBjn-_ME0bIoTZUBV9Ri9VgCBQYyJ_wgLwoPvThrD"
        "J5SlVk6qj0ijRjQTpl9Qtt95ZYiqhjWSq4V9_9TVquFer3e-v6N_ueWW_uuZ31FV9u6ZURcn91TmC_w9sCZwVBdI44VS0aC"
        "zlNV2TxRJ59iL0Mm6lUlW0urNP8X5B1xdBQbXhxJ5bgRQKFHhkU8NUir8-GC58xrTJ4PiiFl90eoOSym5RFQlm_9BvMg3M1"
        "Oidt7thdWorAXp6YcHFHc2Osu8G4yNTsk3PJt7gZN05ou5q2T4c-vg33OTOtk4ALdY9WeJLLCriMQHg6axcdZHpMczY8X3ONaOXvqXg16KljTfMP",
        "cat_on_the_mat",
    ),
}


def pack(text, version="1"):
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(text if isinstance(text, bytes) else text.encode()) + packer.flush()
    return version + base64.urlsafe_b64encode(packed).decode().rstrip("=")


@pytest.mark.parametrize("preset_id", preset_ids())
def test_a_preset_has_a_short_link(preset_id):
    scenario = load_preset(preset_id)
    assert read_link(write_link(scenario)) == scenario
    assert len(write_link(scenario)) < 60


NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: float(f"{value:.9g}"))


@given(
    st.sampled_from(["pixels_2x2", "cat_on_the_mat", "cross", "fused_vit"]),
    st.lists(st.tuples(st.integers(0, 99), NUMBERS), max_size=5),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([None, [1, 0], [None, 2]]),
    st.integers(0, 6),
)
def test_whatever_was_chosen_comes_back(preset_id, edits, n_heads, causal, window, decimals):
    scenario = load_preset(preset_id)
    for place, value in edits:
        name = sorted(scenario.arrays)[place % len(scenario.arrays)]
        shape = build_array(scenario.arrays[name]).shape
        index = tuple(int(i) for i in np.unravel_index(place % int(np.prod(shape)), shape))
        scenario = scenario.edited(name, {index: value})
    scenario = scenario.with_options(n_heads=n_heads, is_causal=causal or None, window=window, scale=0.25)
    scenario = scenario.looking(decimals=decimals, step="weights", cell=("weights", 1, 0), head=1)
    again = read_link(write_link(scenario))
    assert again.options == scenario.options
    assert again.view == scenario.view
    for name in scenario.arrays:
        np.testing.assert_array_equal(build_array(again.arrays[name]), build_array(scenario.arrays[name]))
    assert write_link(again) == write_link(scenario)


NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=link.MOST_IN_A_NAME)


@given(
    st.sampled_from(["pixels_2x2", "cat_on_the_mat", "cross", "grouped_query"]),
    st.sampled_from(["three", "fused", "per_head"]),
    st.lists(NAMES, min_size=2, max_size=7),
    st.lists(st.sampled_from(LOCKED), unique=True),
    st.dictionaries(st.sampled_from(["query", "key", "token"]), st.integers(0, 1000)),
    st.none() | st.lists(st.none() | st.integers(-9, 9), min_size=1, max_size=5),
)
def test_layouts_names_locks_and_masks_come_back(preset_id, layout, names, locked, lens, mask):
    scenario = load_preset(preset_id)
    if layout in possible_layouts(scenario):
        scenario = laid_out(scenario, layout)
    scenario = replace(scenario, names={**scenario.names, "token": names}, locks=Locks(tuple(locked), ()))
    if mask is not None:
        n_queries, n_keys = scenario.trace()["weights"].shape[-2:]
        mask = [[mask[(row + key) % len(mask)] for key in range(n_keys)] for row in range(n_queries)]
    scenario = scenario.with_options(attn_mask=mask).looking(lens=lens, all_heads=True, predict=True)
    again = read_link(write_link(scenario))
    assert replace(again, arrays={}) == replace(scenario, arrays={})
    assert {*again.arrays} == {*scenario.arrays}
    for name in scenario.arrays:
        np.testing.assert_array_equal(build_array(again.arrays[name]), build_array(scenario.arrays[name]))


def test_parts_that_were_taken_away_stay_away():
    scenario = load_preset("cross")
    arrays = {name: rows for name, rows in scenario.arrays.items() if name not in ("b_q", "w_o", "b_o")}
    assert set(read_link(write_link(replace(scenario, arrays=arrays))).arrays) == set(arrays)


def test_the_largest_state_fits_a_request_line():
    """Six matrices of 16 x 16 with two decimals each, and two biases."""
    scenario = load_preset("cross")
    rng = np.random.default_rng(0)
    arrays = {
        name: np.round(rng.standard_normal((16, 16)), 2).tolist()
        for name in ("x", "memory", "w_q", "w_k", "w_v", "w_o")
    }
    text = write_link(replace(scenario, arrays={**arrays, "b_q": [0.5] * 16, "b_o": [1.0] * 16}))
    assert len(text) <= link.MOST_CHARACTERS
    assert build_array(read_link(text).arrays["w_o"]).shape == (16, 16)


@pytest.mark.parametrize(("version", "kept"), KEPT.items())
def test_links_of_every_version_open(version, kept):
    text, preset_id = kept
    assert text.startswith(version)
    scenario = read_link(text)
    assert scenario.preset == preset_id
    scenario.trace()


def test_the_kept_link_of_version_2_holds_everything():
    scenario = read_link(KEPT["2"][0])
    assert scenario.function == "fused_qkv_attention"
    assert scenario.options["per_head"] is True
    assert scenario.options["attn_mask"][3] == [0, None, 0.5, 0, 0, 0, 0]
    assert build_array(scenario.arrays["x"])[0, 0] == -1.5
    assert scenario.names["token"][:3] == ["The", "dog", "sat"]
    assert scenario.locks == Locks(("mask", "edit"), ("take",))
    view = scenario.view
    assert (view.step, view.cell, view.head, view.decimals) == ("softmax", ("weights", 1, 3), 1, 3)
    assert (view.all_heads, view.predict, view.lens) == (True, True, {"token": 8})
    assert write_link(scenario) == KEPT["2"][0]


def test_the_present_version_has_a_kept_link():
    assert link.VERSION in KEPT


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "version"),
        ("9abc", "version"),
        ("1", "broken"),
        ("1!!!", "broken"),
        ("1" + "A" * 8000, "long"),
        (pack("[]"), "broken"),
        (pack("{"), "broken"),
        (pack(b"\xff\xfe"), "broken"),
        (pack("[" * 20000), "broken"),
        (pack(json.dumps({"p": "../../etc/passwd"})), "preset"),
        (pack(json.dumps({"p": ["pixels_2x2"]})), "preset"),
        (pack(json.dumps({"p": "pixels_2x2", "z": 1})), "broken"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"n_heads": 10**9}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"n_heads": True}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"rng": -1}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"past_key": [[1]]}})), "value"),
        (pack('{"p":"pixels_2x2","o":{"scale":1e999}}'), "value"),
        (pack('{"p":"pixels_2x2","o":{"scale":NaN}}'), "value"),
        (pack('{"p":"pixels_2x2","a":{"x":[[Infinity]]}}'), "array"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"x": [[0] * 17] * 2}})), "array"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"x": [[1, 2], [3]]}})), "array"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"x": [1, 2]}})), "array"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"x": []}})), "array"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"x": [["1"]]}})), "array"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"w_x": [[1]]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "v": {"cell": ["weights", -1, 0]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "v": {"step": "<script>"}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "v": {"decimals": 1e9}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "v": []})), "broken"),
        (pack(json.dumps({"p": "pixels_2x2", "v": {"language": "xx"}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "v": {"language": ["en"]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "v": {"lens": {"a": -1}}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "v": {"lens": {str(n): 1 for n in range(99)}}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "v": {"predict": 1}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "f": "conv_attention"})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "f": "__import__"})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "f": ["multi_head_attention"]})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "f": "fused_qkv_attention"})), "value"),
        (pack(json.dumps({"p": "conv_4_to_8", "f": None})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"attn_mask": [[True, 1.0]]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"attn_mask": [[1e10]]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "n": {"token": ["x" * 25]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "n": {"token": ["a\nb"]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "n": {"token": [1]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "n": {"<b>": ["a"]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "n": {f"a{n}": ["a"] for n in range(30)}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "l": {"locked": ["everything"]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "l": {"locked": [["mask"]]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "l": {"forever": ["mask"]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"memory": 3}})), "array"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"split": "transpose "}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"split": ["view"]}})), "value"),
        (pack(json.dumps({"p": "fused_vit", "o": {"split": "view"}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"per_head": True}})), "value"),
        (pack(json.dumps({"p": "conv_4_to_8", "o": {"is_causal": True}})), "value"),
        (pack(json.dumps({"p": "post_norm", "o": {"scale": 2}})), "value"),
        (pack('{"p":"pixels_2x2","a":{"x":[[' + "1" * 401 + "]]}}"), "array"),
        (pack('{"p":"pixels_2x2","o":{"scale":' + "1" * 401 + "}}"), "value"),
        (pack('{"p":"pixels_2x2","v":{"head":' + "1" * 5000 + "}}"), "value"),
        (pack('{"p":"pixels_2x2","a":{"x":' + "[" * 900 + "]" * 900 + "}}"), "array"),
        (pack('{"p":"pixels_2x2","o":{"attn_mask":' + "[" * 900 + "]" * 900 + "}}"), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"x": None}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"w_q": None}})), "value"),
        (pack(json.dumps({"p": "post_norm", "a": {"q": None}})), "value"),
        (pack(json.dumps({"p": "post_norm", "a": {"w_o": None}})), "value"),
        (pack(json.dumps({"p": "fused_vit", "a": {"w_qkv": None}})), "value"),
        (pack(json.dumps({"p": "conv_4_to_8", "a": {"x": None}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"n_heads": None}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"dropout_p": 0.5}})), "value"),
        (pack(json.dumps({"p": "dropout_rows", "o": {"rng": None}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"attn_mask": [[True]]}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "o": {"attn_mask": [[0, 1, 2, 3]]}})), "value"),
        (pack(json.dumps({"p": "cross", "o": {"attn_mask": [[0] * 9] * 9}})), "value"),
        (pack(json.dumps({"p": "pixels_2x2", "a": {"x": [[True]]}})), "array"),
        (pack(json.dumps({"p": "pixels_2x2", "v": {"moment": True}})), "value"),
        (pack("0" * 10_000_000), "broken"),  # ten megabytes in a few thousand characters
    ],
)
def test_refused(text, code):
    with pytest.raises(LinkError) as error:
        read_link(text)
    assert error.value.code in (code, "long")


UNREADABLE = [
    pack('{"p":"pixels_2x2","a":{"x":[[' + "1" * 401 + "]]}}"),
    pack('{"p":"pixels_2x2","a":{"x":' + "[" * 900 + "]" * 900 + "}}"),
    pack(json.dumps({"p": "pixels_2x2", "a": {"x": None}})),
    pack(json.dumps({"p": "pixels_2x2", "o": {"dropout_p": 0.5}})),
    write_link(load_preset("causal").looking(kept=write_link(load_preset("cross")))),  # one within one within
    write_link(replace(load_preset("causal"), start="1")),
    "2nonsense",
]


@pytest.mark.parametrize("inner", UNREADABLE)
def test_a_link_within_a_link_that_cannot_be_read_is_left_out(inner):
    honest = load_preset("pixels_2x2").edited("x", {(0, 0): 5.0})
    found = read_link(write_link(replace(honest, start=inner).looking(kept=inner)))
    assert found.arrays == honest.arrays
    assert (found.start, found.view.kept) == ("", "")


@pytest.mark.parametrize("start", ["0", "1", write_link(load_preset("causal"))])
def test_a_link_within_a_link_that_can_be_read_comes_back(start):
    scenario = replace(load_preset("cross"), start=start).looking(kept=write_link(load_preset("causal")))
    assert read_link(write_link(scenario)) == scenario


def test_links_within_links_are_read_one_deep(monkeypatch):
    text, read = write_link(load_preset("pixels_2x2")), []
    for _ in range(3):
        text = write_link(replace(load_preset("pixels_2x2"), start=text).looking(kept=text))
    unpack = link.unpack
    monkeypatch.setattr(link, "unpack", lambda packed: read.append(packed) or unpack(packed))
    assert read_link(text).start == ""
    assert len(read) == 3


def mutated(text, rng):
    """A link with a few characters changed, cut or doubled."""
    characters = list(text)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(characters))
        match rng.randrange(3):
            case 0:
                characters[place] = rng.choice("ABCxyz019-_=%/ <>\u00e9")
            case 1:
                del characters[place:]
                characters.append("A")
            case 2:
                characters[place:place] = characters[:place][-20:]
    return "".join(characters)


def hostile_json(rng):
    """JSON that looks like a state, with values that do not belong."""
    odd = [
        None,
        True,
        -1,
        1e308,
        10**40,
        "x" * 50,
        [],
        {},
        [[]],
        [[1] * 40],
        "NaN",
        float("nan"),
        -0.0,
        [[[[[1]]]]],
    ]
    state = {"p": rng.choice(["pixels_2x2", "cross", "vit_base", rng.choice(odd)])}
    for key, names in (
        ("a", ("x", "w_q", "w_k", "b_q")),
        ("o", tuple(link.OPTIONS)),
        ("v", tuple(link.VIEW)),
        ("n", ("token", "feature", "<b>")),
        ("l", tuple(link.LOCKS)),
    ):
        if rng.random() < 0.6:
            state[key] = {rng.choice(names): rng.choice(odd) for _ in range(rng.randint(0, 3))}
    if rng.random() < 0.2:
        state["f"] = rng.choice([*structure.ARRAYS, rng.choice(odd)])
    return pack(json.dumps(state), rng.choice(link.READABLE))


def test_a_thousand_hostile_links_do_no_harm():
    rng = random.Random(0)
    honest = [write_link(load_preset(preset_id).looking(decimals=3)) for preset_id in preset_ids()]
    links = [mutated(rng.choice(honest), rng) for _ in range(700)] + [hostile_json(rng) for _ in range(700)]
    tracemalloc.start()
    slowest = 0.0
    for text in links:
        start = time.process_time()
        try:
            scenario = read_link(text)
        except LinkError:
            scenario = None
        slowest = max(slowest, time.process_time() - start)
        assert scenario is None or scenario.preset in preset_ids()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000
    assert slowest < 0.25


def test_every_option_is_taken_by_a_function_and_that_function_takes_it():
    assert set().union(*structure.TAKEN.values()) == set(link.OPTIONS)
    for function, names in structure.TAKEN.items():
        parameters = set(inspect.signature(FUNCTIONS[function]).parameters)
        taken = parameters | set(Choices._fields) if "options" in parameters else parameters
        assert names == set(link.OPTIONS) & taken


def test_a_split_by_view_comes_back():
    scenario = load_preset("cat_on_the_mat").with_options(split="view")
    again = read_link(write_link(scenario))
    assert again == scenario
    assert again.trace().step("q_heads").op == "reshape"
