"""A link gives back the scenario it was made from, and a hostile one gives nothing."""

import base64
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

from ui import link
from ui.link import LinkError, read_link, write_link
from ui.presets import load_preset, preset_ids
from ui.scenario import build_array

# One link of every version there has been: it opens for ever.
KEPT = {
    "1": (
        "1RY3BCsIwEET_Zc5Liam97K-EUEK6aCBicVMtlPy7iYieZnm8nTmwgrGmXbLOdrcgBPCBHeycHSYydCLrydmW5nONP3b-Ml8J9_6VdI5h05DB5bEJQWPIAjbD1JRnV7RIX3xJulyLtrkouenuT1qnJywS0y1kBY-1vgE",
        "pixels_2x2",
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
        (pack("0" * 10_000_000), "broken"),  # ten megabytes in a few thousand characters
    ],
)
def test_refused(text, code):
    with pytest.raises(LinkError) as error:
        read_link(text)
    assert error.value.code in (code, "long")


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
    ):
        if rng.random() < 0.6:
            state[key] = {rng.choice(names): rng.choice(odd) for _ in range(rng.randint(0, 3))}
    return pack(json.dumps(state))


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
