"""Eight implementations on the same X: the code shown is the code run, PyTorch agrees, and where two diverge."""

import inspect
import json
import math
import sys
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from attention_core import AttentionError, layer_norm, merge_heads, scaled_dot_product_attention, split_heads
from ui.course.lessons.implementations import divergence
from ui.course.lessons.implementations.catalogue import (
    FILLS,
    IMPLEMENTATIONS,
    LOWEST,
    MASKS,
    PLAIN,
    Habits,
    Setting,
    compute,
    habits_of,
    hidden_by,
    temperature,
)
from ui.course.lessons.implementations.divergence import (
    FLOW,
    SAME,
    compare,
    compare_all,
    shared_digits,
    steps_of,
)
from ui.course.lessons.implementations.dropout import MOST_AT_ONCE, DropoutMean, drop
from ui.course.lessons.implementations.given import given_in, usual
from ui.course.lessons.implementations.listings import ENTRY, FOLDER, MAKES, code_steps, listing
from ui.scenario.presets import load_preset

REFERENCE = Path(__file__).parent / "reference" / "implementations.json"
CASES = json.loads(REFERENCE.read_text(encoding="utf-8"))["cases"]
GIVEN = usual()
SETTINGS = [
    Setting(heads, bias, extras, warmth, mask, fill, dropout_p, 5, training)
    for heads, bias, extras, warmth, mask, fill, dropout_p, training in (
        *product(
            (1, 3), (False, True), (False, True), (None,), ("none", "causal"), ("own",), (0.0,), (True,)
        ),
        *product((1,), (False,), (False,), (None, 1.0), MASKS, FILLS, (0.0, 0.5), (True, False)),
        (3, True, True, 2.0, "padding", "minus_1e9", 0.3, True),
        (3, True, True, 2.0, "row", "minus_infinity", 0.3, True),
    )
]


def steps(name, setting):
    return steps_of(name, habits_of(name, setting), GIVEN)


def weights(name, **asked):
    """(query, key) of the only head."""
    return steps(name, Setting(**asked))["weights"][0]


# The code that is shown


def arguments(name, setting):
    """Everything a listing may ask for, by name; with heads already split where it takes no x."""
    row, arrays = IMPLEMENTATIONS[name], GIVEN
    mask, hidden = MASKS[setting.mask], hidden_by(row, setting.fill)
    attn_mask = mask
    if mask is not None and hidden.added:
        attn_mask = np.where(mask, 0.0, hidden.value)
    heads = {part: split_heads(arrays["x"] @ arrays[f"w_{part}"], setting.n_heads) for part in "qkv"}
    parts = ("w_q", "w_k", "w_v"), ("b_q", "b_k", "b_v")
    by_head = row.route == "channels_first"
    fused, fused_bias = (
        arrays.head_by_head(*names, n_heads=setting.n_heads) if by_head else arrays.side_by_side(*names)
        for names in parts
    )
    biases = {one: arrays[one] for one in parts[1]} | {"b_qkv": fused_bias}
    extras = {"b_o": arrays["b_o"], "b_proj": arrays["b_o"], "w_pe": arrays["w_pe"]}
    w_o = arrays["w_o"] if setting.extras else np.eye(3)
    return {
        **{one: arrays[one] for one in ("x", *parts[0])},
        **heads,
        **(biases if setting.bias else {}),
        **(extras if setting.extras else {}),
        "w_qkv": fused.T if by_head else fused,
        "w_o": w_o,
        "w_proj": w_o.T,
        "image": arrays["x"].T.reshape(3, 2, 2),
        "n_heads": setting.n_heads,
        "key_dim": 3 // setting.n_heads,
        "temperature": temperature(habits_of(name, setting)),
        "mask": mask,
        "fill": hidden.value,
        "attn_mask": attn_mask,
        "is_causal": setting.mask == "causal" and name == "building_blocks",
        "dropout_p": setting.dropout_p,
        "training": setting.training,
        "rng": np.random.default_rng(setting.seed),
    }


def run_listing(name, setting):
    """Runs a listing; the steps that its functions had when they returned, by name."""
    module, found = {}, {}
    exec(compile(listing(name), f"<{name}>", "exec"), module)
    wanted = inspect.signature(module[ENTRY]).parameters
    known = {key: value for key, value in arguments(name, setting).items() if key in wanted}

    def watch(frame, event, _):
        if event == "return" and frame.f_code.co_filename == f"<{name}>":
            found.update({key: value for key, value in frame.f_locals.items() if key in MAKES})

    sys.setprofile(watch)
    try:
        with np.errstate(all="ignore"):
            module[ENTRY](**known)
    finally:
        sys.setprofile(None)
    return found


def in_rows(name, key, value):
    """A local of a listing as `steps_of` has it: rows are tokens, heads in front or side by side."""
    channels_first = name == "detector_block"
    if key in ("q_heads", "k_heads", "v_heads"):
        return merge_heads(value.mT if channels_first else value)
    if key in ("q", "k", "v", "attended") and value.ndim == 3:
        return merge_heads(value)
    if key in ("scores", "scaled", "masked", "weights", "dropped"):
        return value if value.ndim == 3 else value[None]
    if key == "output" and name in ("temperature_module", "torch_function"):
        return merge_heads(value)
    return value.T if channels_first else value


CALLED = {"q_heads": "q", "k_heads": "k", "v_heads": "v", "attended": "merged"}


def test_every_implementation_has_its_code_and_every_code_its_implementation():
    assert len(IMPLEMENTATIONS) == 8
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(IMPLEMENTATIONS)


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_the_code_shown_computes_the_trace(name):
    for setting in SETTINGS:
        expected, found = steps(name, setting), run_listing(name, setting)
        compared = set()
        for key, value in found.items():
            step = CALLED.get(key, key)
            if step in FLOW:
                rows = in_rows(name, key, value)
                np.testing.assert_allclose(
                    rows, expected[step], rtol=1e-12, atol=1e-12, err_msg=f"{step} {setting}"
                )
                compared.add(step)
        assert {"q", "k", "v", "scaled", "weights", "output"} - compared <= {"q", "k", "v"}, compared


def test_only_the_function_that_divides_q_has_no_scores():
    without = [name for name in IMPLEMENTATIONS if "scores" not in steps(name, Setting())]
    assert without == ["temperature_module", "multi_head_port"]
    assert [name for name in IMPLEMENTATIONS if "scores" not in listing(name).split(f"def {ENTRY}")[1]] == [
        *without,
        "building_blocks",  # there the function that it calls has them
    ]


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_the_steps_of_the_code_are_all_of_it(name):
    """Line by line the body of the function, but for the return."""
    body = listing(name).split(f"def {ENTRY}")[1].split(":\n", 1)[1]
    lines = [line.removeprefix("    ") for line in body.splitlines() if "return" not in line]
    assert "\n".join(step.code for step in code_steps(name)).splitlines() == lines
    assert len({step.name for step in code_steps(name)}) == len(code_steps(name))


# PyTorch


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_agrees_with_torch(name, case):
    found = steps(name, Setting(**CASES[case]["setting"]))["output"]
    np.testing.assert_allclose(found, CASES[case]["outputs"][name], rtol=1e-10, atol=1e-12)


def test_the_cases_of_torch_have_every_habit_and_nan_among_them():
    asked = [Setting(**case["setting"]) for case in CASES.values()]
    for field in Habits._fields:
        assert any(
            getattr(habits_of(name, one), field) != getattr(PLAIN, field)
            for one in asked
            for name in IMPLEMENTATIONS
        )
    lost = np.isnan(CASES["row, minus infinity"]["outputs"]["temperature_module"]).all(axis=1)
    assert lost.tolist() == [False, True, False, False]


# Where two diverge


def test_the_learners_own_numbers_are_taken():
    scenario = load_preset("bare_formula")
    assert given_in(scenario) is GIVEN
    own = given_in(scenario.edited("x", {(0, 0): 7.5}))
    assert own["x"][0].tolist() == [7.5, 0.2, 0.3]
    assert (own["w_q"] == GIVEN["w_q"]).all()
    for name in IMPLEMENTATIONS:
        habits = habits_of(name, Setting(bias=True))
        assert not np.allclose(steps_of(name, habits, own)["q"], steps_of(name, habits, GIVEN)["q"])
    assert compare("bare_formula", "detector_block", Setting(), own).agree
    with pytest.raises(AttentionError) as error:
        given_in(replace(scenario, arrays=scenario.arrays | {"x": [[1.0, 2.0, 3.0]]}))
    assert error.value.code == "shape"


def test_x_is_the_input_of_the_bare_formula():
    assert GIVEN["x"].tolist() == [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9], [0.5, 0.2, 0.4]]


def test_without_anything_all_agree_but_the_one_with_residual_and_norm():
    apart = {pair for pair, found in compare_all(Setting(), GIVEN).items() if not found.agree}
    assert apart == {pair for pair in combinations(IMPLEMENTATIONS, 2) if "multi_head_port" in pair}
    digits = [found.digits["output"] for found in compare_all(Setting(), GIVEN).values() if found.agree]
    assert min(digits) >= 15
    output = steps("multi_head_port", Setting())["output"]
    expected = layer_norm(steps("bare_formula", Setting())["output"] + GIVEN["x"])
    np.testing.assert_allclose(output, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("asked", "pair", "step", "cell", "reasons"),
    [
        ({}, ("bare_formula", "multi_head_port"), "residual", (0, 0), ("residual_and_norm",)),
        ({"bias": True}, ("torch_function", "three_linears"), "q", (0, 0), ("bias",)),
        ({"temperature": 1.0}, ("bare_formula", "temperature_module"), "scaled", (0, 0, 0), ("scale",)),
        ({"n_heads": 3}, ("bare_formula", "vision_transformer"), "scores", (0, 0, 0), ("heads",)),
        (
            {"extras": True},
            ("three_linears", "vision_transformer"),
            "projected",
            (0, 0),
            ("output_projection",),
        ),
        ({"extras": True}, ("vision_transformer", "detector_block"), "positioned", (0, 0), ("position",)),
        ({"mask": "causal"}, ("bare_formula", "torch_function"), "masked", (0, 0, 1), ("mask",)),
        ({"mask": "padding"}, ("torch_function", "building_blocks"), "masked", (0, 0, 3), ("mask",)),
        ({"mask": "row"}, ("temperature_module", "torch_function"), "masked", (0, 1, 0), ("mask_value",)),
        (
            {"mask": "row", "fill": "minus_infinity"},
            ("three_linears", "torch_function"),
            "weights",
            (0, 1, 0),
            ("empty_row",),
        ),
        (
            {"mask": "row", "fill": "minus_infinity"},
            ("temperature_module", "torch_function"),
            "weights",
            (0, 1, 0),
            ("empty_row",),
        ),
        ({"dropout_p": 0.5}, ("three_linears", "detector_block"), "dropped", (0, 0, 0), ("dropout",)),
    ],
)
def test_the_first_place_and_the_reason(asked, pair, step, cell, reasons):
    found = compare(*pair, Setting(**asked), GIVEN)
    assert found.first[:2] == (step, cell)
    assert found.first.reasons == reasons
    assert found.first == found.lasting
    mirrored = compare(*pair[::-1], Setting(**asked), GIVEN).first
    assert mirrored._replace(left=found.first.left, right=found.first.right) == found.first
    np.testing.assert_equal((mirrored.left, mirrored.right), (found.first.right, found.first.left))


def test_every_parting_of_every_pair_has_a_reason_and_nothing_differs_before_it():
    partings = 0
    for setting in SETTINGS:
        for (left, right), found in compare_all(setting, GIVEN).items():
            ours, theirs = steps(left, setting), steps(right, setting)
            apart = [step for step in found.digits if found.digits[step] < SAME]
            assert (found.first is None) == (not apart)
            assert (found.lasting is None) == found.agree
            if found.first:
                partings += 1
                assert found.first.step == apart[0]
                for each in (found.first, found.lasting or found.first):
                    assert 1 <= len(each.reasons) <= 1 + (setting.n_heads == 3 and setting.temperature == 2)
                a, b = np.broadcast_arrays(ours[apart[0]], theirs[apart[0]])
                flat = np.ravel_multi_index(found.first.cell, a.shape)
                np.testing.assert_allclose(a.ravel()[:flat], b.ravel()[:flat], rtol=1e-8, atol=1e-9)
                with pytest.raises(AssertionError):
                    np.testing.assert_allclose(a.ravel()[flat], b.ravel()[flat], rtol=1e-9)
    assert partings > 1000


def test_a_habit_taken_away_from_both_is_what_makes_them_agree(monkeypatch):
    """Not a table: an implementation that stops adding its bias parts nowhere any more."""
    unbiased = IMPLEMENTATIONS["three_linears"]._replace(bias=False)
    asked = Setting(bias=True)
    assert compare("bare_formula", "three_linears", asked, GIVEN).first.reasons == ("bias",)
    monkeypatch.setitem(IMPLEMENTATIONS, "three_linears", unbiased)
    assert compare("bare_formula", "three_linears", asked, GIVEN).first is None


def test_two_reasons_are_found_where_one_is_not_enough():
    names, asked = ("temperature_module", "three_linears"), Setting(temperature=1.0, bias=True)
    habits = tuple(habits_of(name, asked) for name in names)
    assert divergence.divergence_at("weights", names, habits, GIVEN).reasons == ("bias", "scale")


def test_digits_are_counted():
    one = np.array([0.5, 123456.0, -math.inf, math.nan])
    assert shared_digits(one, one) == math.inf
    assert shared_digits(one, one + np.array([2e-4, 0, 0, 0])) == 3
    assert shared_digits(one, one * [1, 1 + 3e-7, 1, 1]) == 6
    assert shared_digits(one, one + np.array([0, 1e6, 0, 0])) == 0
    assert shared_digits(one, np.array([0.5, 123456.0, -1e9, math.nan])) == 0
    assert shared_digits(one, np.array([0.5, 123456.0, -math.inf, 0.0])) == 0


# Masks


def test_minus_1e9_and_minus_infinity_part_and_meet_again():
    found = compare("temperature_module", "torch_function", Setting(mask="causal"), GIVEN)
    assert (found.first.step, found.first.left, found.first.right) == ("masked", -1e9, -math.inf)
    assert found.agree
    assert found.lasting is None
    assert found.digits["weights"] >= 15


def test_a_row_with_nothing_to_look_at():
    """−1e9 averages, −∞ is 0/0, PyTorch's function guards it, and who reads no mask sees everything."""
    plain = weights("bare_formula")[1]
    assert weights("temperature_module", mask="row")[1].tolist() == [0.25] * 4
    assert weights("three_linears", mask="row")[1].tolist() == [0.25] * 4
    assert weights("torch_function", mask="row")[1].tolist() == [0.0] * 4
    for name in ("bare_formula", "building_blocks", "vision_transformer", "detector_block"):
        np.testing.assert_allclose(weights(name, mask="row")[1], plain, rtol=1e-12)
    for name in ("temperature_module", "multi_head_port", "three_linears"):
        found = steps(name, Setting(mask="row", fill="minus_infinity"))
        assert np.isnan(found["weights"][0, 1]).all()
        assert np.isnan(found["output"][1]).all()
        assert np.isfinite(np.delete(found["output"], 1, axis=0)).all()


def test_minus_1e9_added_instead_of_filled_in_hides_nothing_from_such_a_row():
    """What is added to every score of a row changes no weight; only rounding tells."""
    plain, added = weights("bare_formula")[1], weights("torch_function", mask="row", fill="minus_1e9")[1]
    assert 6 <= shared_digits(plain, added) < SAME
    single = [GIVEN[name].astype(np.float32) for name in ("x", "w_q", "w_k", "w_v")]
    q, k, v = (single[0] @ one for one in single[1:])
    mask = np.where(MASKS["row"], 0, np.float32(-1e9)).astype(np.float32)
    assert scaled_dot_product_attention(q, k, v, mask)["weights"][1].tolist() == [0.25] * 4


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("mask", ["causal", "padding"])
def test_the_fill_does_not_matter_where_something_is_left_to_look_at(mask, fill):
    for name in ("temperature_module", "torch_function", "three_linears"):
        np.testing.assert_allclose(
            weights(name, mask=mask, fill=fill), weights("torch_function", mask=mask), rtol=1e-12
        )
        assert (weights(name, mask=mask, fill=fill)[~MASKS[mask]] == 0).all()


def test_a_mask_that_is_accepted_and_never_passed_on():
    def heeds(name, mask):
        return not np.array_equal(weights(name, mask=mask), weights(name))

    assert [name for name in IMPLEMENTATIONS if heeds(name, "padding")] == [
        "temperature_module",
        "multi_head_port",
        "torch_function",
        "three_linears",
    ]
    assert "attn_mask" in listing("building_blocks").split(f"def {ENTRY}")[1].partition("):")[0]
    assert heeds("building_blocks", "causal")
    assert not heeds("building_blocks", "row")


def test_a_mask_read_upside_down_shows_the_future_only():
    right, wrong = weights("torch_function", mask="causal"), weights("torch_function", mask="flipped")
    assert (np.triu(right, 1) == 0).all()
    assert (np.tril(wrong) == 0).all()
    assert wrong[3].sum() == 0
    np.testing.assert_allclose(wrong[:3].sum(axis=1), 1)


def test_what_hugging_face_adds_swallows_every_score():
    assert LOWEST + 12.5 == LOWEST
    masked = steps("three_linears", Setting(mask="row"))["masked"][0, 1]
    assert (masked == LOWEST).all()


# Dropout


def test_dropout_that_is_still_on_in_evaluation():
    asked = Setting(dropout_p=0.5, seed=1, training=False)
    still = [name for name in IMPLEMENTATIONS if habits_of(name, asked).dropout.p]
    assert still == ["torch_function", "building_blocks"]
    for name in IMPLEMENTATIONS:
        sums = steps(name, asked)["dropped"].sum(axis=-1)
        assert (np.abs(sums - 1).max() > 0.1) == (name in still)


def test_a_row_after_dropout_is_what_stayed_over_one_minus_p():
    before = weights("torch_function")
    found = drop(before, 0.25, 4)
    trace = compute("torch_function", habits_of("torch_function", Setting(dropout_p=0.25, seed=4)), GIVEN)
    np.testing.assert_array_equal(found.after, trace["dropped"][0])
    np.testing.assert_array_equal(found.keep, trace["keep"][0])
    np.testing.assert_allclose(
        found.row_sums, [before[row][found.keep[row]].sum() / 0.75 for row in range(4)]
    )
    assert np.abs(found.row_sums - 1).max() > 0.1


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_the_mean_over_seeds_comes_back_to_the_weights(p):
    before = weights("torch_function")
    mean = DropoutMean(before, p, first_seed=100)
    for _ in range(5):
        mean = mean.more(MOST_AT_ONCE)
    assert [point.n for point in mean.points] == [2**power for power in range(13)]
    drawn = [drop(before, p, seed) for seed in range(100, 100 + mean.n)]
    np.testing.assert_allclose(mean.mean, np.mean([one.after for one in drawn], axis=0), rtol=1e-12)
    np.testing.assert_allclose(mean.row_sums, np.mean([one.row_sums for one in drawn], axis=0), rtol=1e-12)
    last = mean.points[-1]
    assert last.expected == pytest.approx(math.sqrt((before**2).mean() * p / (1 - p) / 4096))
    assert 0.5 < last.typical / last.expected < 1.6  # 16 cells: the ratio itself spreads by a sixth
    assert last.largest < 5 * last.expected
    assert last.largest < mean.points[0].largest / 10


def test_the_pieces_do_not_matter():
    before = weights("torch_function")
    whole = DropoutMean(before, 0.3).more(300)
    parts = DropoutMean(before, 0.3)
    for piece in (1, 2, 60, 100, 137):
        parts = parts.more(piece)
    assert (whole.n, whole.points) == (parts.n, parts.points) == (300, whole.points)
    np.testing.assert_array_equal(whole.mean, parts.mean)
    assert DropoutMean(before, 0.3).more(10**9).n == MOST_AT_ONCE
    assert not DropoutMean(before, 0.3).mean.any()
