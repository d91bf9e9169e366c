"""Lesson 11: what is shown and said of the eight implementations comes from the computation."""

import math

import numpy as np
import pytest

from ui.course.lessons.implementations import dropout_sections as wild_dropout
from ui.course.lessons.implementations import mask_sections as wild_masks
from ui.course.lessons.implementations import sections as wild
from ui.course.lessons.implementations.catalogue import FILLS, IMPLEMENTATIONS, MASKS, Habits, Setting
from ui.course.lessons.implementations.divergence import FLOW
from ui.course.lessons.implementations.listings import code_steps, listing
from ui.words import all_words

IDS = list(IMPLEMENTATIONS)
WORDS = all_words("en")


def shared(family):
    prefix = f"lesson.implementations.shared.{family}."
    return {key.removeprefix(prefix): text for key, text in WORDS.items() if key.startswith(prefix)}


def text_of(block):
    """What a sentence says."""
    return "".join(block["pieces"])


def values(block):
    """The numbers of a matrix; NaN and infinity are words there."""
    words = {"NaN": math.nan, "−∞": -math.inf, None: -math.inf}
    return np.array([[words.get(value, value) for value in row] for row in block["values"]], float)


def marked(block):
    return {(row, column): mark for row, column, mark in block.get("marks", [])}


# Words


def test_every_id_has_its_words_and_no_word_is_left_over():
    assert set(shared("name")) == set(IDS)
    assert set(shared("at")) == set(FLOW)
    assert set(shared("because")) == set(shared("short")) == set(Habits._fields)
    used = {(name, step.name) for name in IDS for step in code_steps(name)}
    own = {tuple(key.split(".")) for key in shared("own")}
    assert own <= used
    assert {step for name, step in used - own} == set(shared("step"))


def test_an_implementation_has_one_name_throughout():
    for knob in ("same.knob.which", "part.knob.left", "part.knob.right"):
        for name in IDS:
            assert WORDS[f"lesson.implementations.{knob}_{name}"] == shared("name")[name]
    for name in wild_masks.READERS:
        assert WORDS[f"lesson.implementations.reader.knob.reader_{name}"] == shared("name")[name]
    assert f"{wild_dropout.SEEDS} " in WORDS["lesson.implementations.mean.knob.go"]


# One by one


def test_six_of_seven_agree_and_the_other_adds_x_back(student):
    page = student("implementations")
    agree = []
    for place, name in enumerate(IDS[1:], start=1):
        page.turn(which=place)
        pair, says, *_ = page.blocks
        left, right = pair["blocks"]
        if left["values"] == right["values"] or np.allclose(values(left), values(right), atol=1e-12):
            agree.append(name)
            assert "never diverge" in text_of(says)
            assert not marked(right)
        else:
            assert text_of(says).startswith(
                "They diverge at the step “X added”, row 0, column 0: 0.5619 against 0.6619."
            )
            assert "residual and norm" in text_of(says)
            assert marked(right) == {(0, 0): "first"}
    assert agree == [name for name in IDS[1:] if name != "multi_head_port"]
    page.do("answer", "7")
    assert not page.panel["ask"]["right"]
    page.do("answer", "6")
    assert page.is_done


def test_dividing_q_first_costs_a_digit_that_the_sentence_names(student):
    page = student("implementations").turn(which=IDS.index("temperature_module"))
    assert text_of(page.blocks[1]) == "They never diverge: the outputs agree to 16 digits."
    page.turn(which=IDS.index("detector_block"))
    assert text_of(page.blocks[1]) == "They never diverge: the outputs agree in every bit."


@pytest.mark.parametrize("name", IDS)
def test_the_code_shown_is_the_file_that_is_tested(student, name):
    page = student("implementations").turn(which=IDS.index(name))
    steps = [block for block in page.blocks if block["kind"] == "code"]
    assert [block["text"] for block in steps] == [step.code for step in code_steps(name)]
    assert [block["title"][:3] for block in steps] == [f"{n}. " for n in range(1, len(steps) + 1)]
    page.turn(shown=1)
    [whole] = [block for block in page.blocks if block["kind"] == "code"]
    assert whole["text"] == listing(name)


def test_an_edit_of_x_reaches_all_of_them(student):
    before = values(student("implementations").blocks[0]["blocks"][0])
    page = student("implementations").do("edit", "x", 0, 0, "3")
    for place in range(len(IDS)):
        bare, other = page.turn(which=place).blocks[0]["blocks"]
        assert not np.allclose(values(bare), before)
        assert np.allclose(values(bare), values(other)) == (IDS[place] != "multi_head_port")


# Two of them


@pytest.mark.parametrize(
    ("asked", "right", "step"),
    [
        ("bias", "vision_transformer", "q"),
        ("temperature", "temperature_module", "scaled"),
        ("heads", "three_linears", "scores"),
        ("causal", "torch_function", "masked"),
        ("dropout", "building_blocks", "dropped"),
        ("extras", "vision_transformer", "projected"),
        ("nothing", "multi_head_port", "residual"),
    ],
)
def test_each_habit_shows_at_its_own_step(student, asked, right, step):
    page = student("implementations").at("part")
    page.turn(asked=list(wild.ASKED).index(asked), right=IDS.index(right))
    found = wild.chosen(page.here)
    assert found.first.step == step
    says, pair, pairs = page.blocks
    assert f"“{shared('at')[step]}”" in text_of(says)
    left, other, flow = pair["blocks"]
    assert marked(left) == marked(other) == {found.first.cell[-2:]: "first"}
    assert values(left)[found.first.cell[-2:]] == pytest.approx(found.first.left)
    assert values(other)[found.first.cell[-2:]] == pytest.approx(found.first.right)
    assert flow["rows"][flow["marked"]][0] == shared("at")[step]
    [line] = [row for row in pairs["rows"] if row[0] == f"1 {shared('name')['bare_formula']}"]
    assert line[1 + IDS.index(right)] == shared("short")[found.lasting.reasons[0]]


def test_the_answer_of_the_question_is_what_is_computed(student):
    page = student("implementations").at("part")
    page.turn(asked=list(wild.ASKED).index("bias"), right=IDS.index("vision_transformer"))
    assert wild.chosen(page.here).first.step == page.section.ask.right == "q"


def test_two_that_part_and_meet_again(student):
    page = student("implementations").at("part")
    page.turn(asked=list(wild.ASKED).index("causal"), left=IDS.index("temperature_module"))
    page.turn(right=IDS.index("torch_function"))
    says = text_of(page.blocks[0])
    assert "row 0, column 1: −1e9 against −∞. Take the way of hiding away" in says
    assert "They agree again: the outputs agree to 16 digits." in says


def test_two_that_agree_again_and_then_diverge_for_good(student):
    page = student("implementations").at("part").turn(asked=list(wild.ASKED).index("causal"))
    page.turn(left=IDS.index("multi_head_port"), right=IDS.index("torch_function"))
    says, _, pairs = page.blocks
    assert "“masked”" in text_of(says)
    assert text_of(says).endswith("diverge for good at the step “X added”: there it is residual and norm.")
    assert pairs["rows"][2][1 + 3] == pairs["rows"][3][1 + 2] == "residual"


def test_only_steps_that_do_something_are_listed(student):
    page = student("implementations").at("part")
    flow = page.blocks[1]["blocks"][2]
    names = [row[0] for row in flow["rows"]]
    assert names == ["Q", "K", "V", "scaled", "weights", "merged", "X added", "output"]
    page.turn(asked=list(wild.ASKED).index("causal"))
    assert "masked" in [row[0] for row in page.blocks[1]["blocks"][2]["rows"]]


def test_the_table_of_pairs_mirrors_itself(student):
    page = student("implementations").at("part")
    for place in range(len(wild.ASKED)):
        rows = [row[1:] for row in page.turn(asked=place).blocks[2]["rows"]]
        assert rows == [list(column) for column in zip(*rows, strict=True)]
        assert {rows[i][i] for i in range(8)} == {"·"}
    same = page.turn(asked=0).blocks[2]["rows"]
    assert sum(cell == "residual" for row in same for cell in row) == 14


# Masks


def test_a_row_with_nothing_to_look_at_is_told_as_it_is(student):
    page = student("implementations").at("empty")
    weights = {}
    for place, fill in enumerate(FILLS):
        scores, shown = page.turn(fill=place).blocks[0]["blocks"]
        weights[fill] = dict(zip(IDS, values(shown), strict=True))
        assert scores["rows"] == shown["rows"] == list(shared("name").values())
    assert (weights["own"]["temperature_module"] == 0.25).all()
    assert np.isnan(weights["minus_infinity"]["temperature_module"]).all()
    assert (weights["minus_infinity"]["torch_function"] == 0).all()
    plain = weights["own"]["bare_formula"]
    unmoved = [name for name in IDS if all(np.allclose(weights[fill][name], plain) for fill in FILLS)]
    assert unmoved == ["bare_formula", "building_blocks", "vision_transformer", "detector_block"]
    assert [name for name in unmoved if IMPLEMENTATIONS[name].mask == "none"] == [unmoved[0], *unmoved[2:]]
    why = page.do("show").text()
    written = ", ".join(f"{value:.4f}" for value in plain)
    assert why.count(written) == 2  # with −1e9 added, and without a mask
    np.testing.assert_allclose(weights["minus_1e9"]["torch_function"], plain, atol=1e-6)


def test_the_lab_opens_with_that_mask(student):
    page = student("implementations").at("empty")
    np.testing.assert_array_equal(page.here.trace["visible"], MASKS["row"])


def test_the_tutorials_layer_does_not_read_its_mask(student):
    page = student("implementations").at("reader")
    assert not any(mark == "wrong" for mark in marked(page.blocks[0]["blocks"][1]).values())
    assert (values(page.blocks[0]["blocks"][1])[:, 3] == 0).all()
    page.turn(reader=1)
    leaking = page.blocks[0]["blocks"][1]
    assert marked(leaking) == {(row, 3): "wrong" for row in range(4)}
    np.testing.assert_allclose(values(leaking), page.here.trace["weights"][0], atol=1e-6)
    assert "attn_mask" not in page.blocks[1]["text"]
    assert f"weight of {values(leaking)[0, 3]:.4f} in the first row" in page.do("show").text()
    page.turn(mask=wild_masks.READ.index("causal"))
    assert "wrong" not in marked(page.blocks[0]["blocks"][1]).values()  # is_causal is handed on


def test_upside_down_a_causal_mask_shows_the_future_only(student):
    page = student("implementations").at("reader").turn(mask=wild_masks.READ.index("flipped"))
    weights = values(page.blocks[0]["blocks"][1])
    assert (np.tril(weights) == 0).all()
    assert not weights[3].any()
    assert set(marked(page.blocks[0]["blocks"][1]).values()) == {"wrong"}


# Dropout


def test_before_and_after_dropout(student):
    page = student("implementations").at("dropout").turn(p=0.5, seed=3)
    before, after, sums = page.blocks[0]["blocks"]
    kept = values(after) != 0
    np.testing.assert_allclose(values(after)[kept], 2 * values(before)[kept], atol=1e-6)
    assert set(marked(after)) == set(map(tuple, np.argwhere(~kept).tolist()))
    np.testing.assert_allclose(values(sums)[:, 0], 1)
    np.testing.assert_allclose(values(sums)[:, 1], values(after).sum(axis=1), atol=1e-6)
    assert values(sums)[1, 1] == 0  # with this seed nothing is left of row 1
    assert values(sums)[3, 1] > 1.5
    first = values(before)[0, 0]
    assert f"{first:.4f} divided by 0.5 is {2 * first:.4f}" in page.do("show").text()


def test_the_answer_is_not_on_the_screen_before_it_is_asked(student):
    page = student("implementations").at("dropout")
    after = page.blocks[0]["blocks"][1]
    assert not np.isclose(values(after), wild_dropout.kept_at_one_half(page.here), atol=5e-3).any()
    temperature = values(student("implementations").at("empty").blocks[0]["blocks"][1])[1]
    assert not np.isclose(temperature, 0.25).any()


def test_the_mean_over_seeds_is_reached_piece_by_piece(student):
    page = student("implementations").at("mean")
    assert [block["kind"] for block in page.blocks] == ["matrix"]  # nothing is drawn before it is asked for
    page.turn(go=1)
    shares = []
    while not shares or shares[-1] < 1:
        shares.append(page.blocks[0]["fraction"])
        assert len(shares) <= 8
        page.do("more")
    assert shares == [n / 8 for n in range(1, 9)]
    _, pair, plot = page.blocks
    weights, mean, sums = pair["blocks"]
    np.testing.assert_allclose(values(mean), values(weights), atol=0.02)
    np.testing.assert_allclose(values(sums), 1, atol=0.02)
    largest, typical, expected = (series["y"] for series in plot["series"])
    assert plot["x"] == [2**power for power in range(13)]
    np.testing.assert_allclose(np.array(expected[:-2]) / expected[2:], 2, rtol=1e-4)  # four times as many
    assert typical[-1] < typical[0] / 30
    assert largest[-1] < 3 * expected[-1]
    assert page.do("answer", "one").is_done


def test_another_press_draws_other_seeds(student):
    page = student("implementations").at("mean").turn(go=1)
    first = page.blocks[2]["series"][1]["y"]
    assert page.turn(go=2).blocks[2]["series"][1]["y"] != first


def test_two_still_drop_in_evaluation(student):
    page = student("implementations").at("evaluation")
    dropping = {}
    for mode in (0, 1):
        sums = page.turn(mode=mode).blocks[0]
        dropping[mode] = [IDS[row] for row in np.argwhere(np.abs(values(sums) - 1).max(axis=1) > 0.1).ravel()]
    assert len(dropping[0]) == 6  # two have no dropout at all
    assert dropping[1] == ["torch_function", "building_blocks"]
    assert {IDS[row] for row, _ in marked(sums)} == set(dropping[1])
    listings = {block["title"]: block["text"] for block in page.blocks[1]["blocks"]}
    titles = {one: wild.word(page.here, f"name.{one}") for one in IDS}
    assert listings.keys() == {titles[one] for one in dropping[0]}  # so that it can be told before it is seen
    assert [one for one in dropping[0] if "training" not in listings[titles[one]]] == dropping[1]
    assert page.do("answer", "2").is_done


def test_another_pair_computes_nothing_anew(student):
    """All pairs are in the table already; what was computed for it is kept."""
    page = student("implementations").at("part")
    assert page.blocks
    computed = wild.steps_of.cache_info().misses
    assert page.turn(right=5).blocks
    assert wild.steps_of.cache_info().misses == computed


def test_numbers_in_sentences(student):
    here = student("implementations").here
    assert wild.as_number(here, -1e9) == "−1e9"
    assert wild.as_number(here, -1.7976931348623157e308) == "−2e308"
    assert wild.as_number(here, math.nan) == "NaN"
    assert wild.as_number(here, -math.inf) == "−∞"
    assert wild.as_number(here, -0.07806) == "−0.0781"
    assert wild.in_digits(math.inf) == "✓"
    assert wild.in_digits(7.0) == "7"
    assert wild.ASKED["nothing"] == Setting()
