"""Lesson 13: each claim of what a head shows is computed from the shipped slices, and is true of them."""

import json

import numpy as np
import pytest

from tests.checkpoints import stored
from ui.course.lessons import real_heads as heads
from ui.scenario.link import read_link
from ui.scenario.presets import load_preset
from ui.scenario.slices import source_of
from ui.state.state import State

TOLD, TORCH = stored("minilm_reference")
SPECIAL = [0, -1]


def weights(preset):
    return load_preset(preset).trace()["weights"][0]


def tokens(preset):
    return source_of(preset)["tokens"]


def at(page, section):
    return page.at(section).do("show")


def picture(page):
    return next(block for block in page.blocks if block["kind"] == "arcs")


def test_the_previous_token_head_looks_one_word_back(student):
    found = weights("minilm_previous")
    before = found.diagonal(-1)
    assert before.mean() == pytest.approx(0.9996, abs=5e-5)
    assert before.min() > 0.99
    assert found[0, 0] > 0.99
    page = student("real_heads").at("previous")
    assert page.section.ask.right == "mat" == tokens("minilm_previous")[found[7].argmax()]
    assert tokens("minilm_previous")[7] == "because"
    page.do("show")
    assert f"“because” gives “mat” {before[6]:.4f} of its weight" in page.text()
    assert "a token gives 0.9996 to the token before it" in page.text()


def test_the_row_that_is_asked_for_is_hidden_and_the_others_are_not(student):
    page = student("real_heads").at("previous")
    assert picture(page)["weights"][2] > 0.99  # sat looks at cat
    page.do("focus", 7)
    assert picture(page)["weights"] is None
    assert picture(page)["bars"][0]["values"] == []
    assert "0.99" not in json.dumps(picture(page))
    assert page.message["covered"] == ["weights"]
    page.do("answer", "mat")
    assert picture(page)["weights"][6] == pytest.approx(0.9967, abs=1e-4)


def test_a_sink_takes_more_than_nine_tenths_and_the_words_share_the_rest(student):
    found = weights("minilm_sink")
    shares = found[:, SPECIAL].sum(-1)
    assert shares.mean() == pytest.approx(0.93, abs=0.005)
    page = student("real_heads").at("sink")
    assert page.section.ask.right == "most"
    assert picture(page)["weights"] is None
    at(page, "sink")
    assert tokens("minilm_sink")[shares.argmin()] == "on"
    assert (
        f"{shares.mean():.2f}. Even “on”, which gives them least, gives them {shares.min():.2f}."
        in page.text()
    )


def test_without_the_sink_softmax_gives_the_weight_to_words_that_do_not_fit(student):
    trace = load_preset("minilm_sink").trace()
    scores = trace["scaled"][0][3]
    assert scores[1:-1].max() < 0 < scores[0]
    alone = np.exp(scores[1:-1]) / np.exp(scores[1:-1]).sum()
    page = at(student("real_heads"), "sink").turn(keys=1)
    assert page.is_done
    shown = np.array(picture(page)["weights"])
    np.testing.assert_allclose(shown[1:-1], alone, atol=1e-6)
    assert not shown[SPECIAL].any()
    assert page.blocks[1]["pieces"] == ["The weights of “sat” add up to 1."]
    assert f"the same score gets {alone.max():.2f}" in page.text()
    assert f"which gets {trace['weights'][0][3, 1]:.2f}" in page.text()


def test_it_looks_at_the_cat(student):
    found, names = weights("minilm_it"), tokens("minilm_it")
    row = found[names.index("it")]
    assert names[row.argmax()] == student("real_heads").at("it").section.ask.right == "cat"
    page = at(student("real_heads"), "it")
    assert "“it” gives “cat” 0.68 and “mat” 0.11." in page.text()
    assert "Layer 5, head 11." in page.text("text")
    page.do("cell", "weights", 8, 6)
    assert not page.is_done
    assert page.do("cell", "weights", 8, 2).is_done


def test_the_control_changes_nothing_that_matters(student):
    """The mat is meant, and the cat is looked at; the trophy gets as much in both sentences."""
    tired, soft, big, small = (
        weights(preset)[tokens(preset).index("it")] for preset in heads.PRESETS.values()
    )
    cat, mat = 2, 6
    assert soft[cat] == pytest.approx(0.64, abs=0.005)
    assert soft[cat] > 5 * soft[mat]
    assert abs(soft[cat] - tired[cat]) < 0.05
    trophy, suitcase = (tokens("minilm_big").index(word) for word in ("trophy", "suitcase"))
    assert abs(big[trophy] - small[trophy]) < 0.01
    assert small[trophy] > 2 * small[suitcase]
    page = student("real_heads").at("control")
    assert page.section.ask.right == "stays"
    assert picture(page)["weights"] is None
    assert [line[0] for line in page.blocks[1]["values"]] == [pytest.approx(tired[cat], abs=1e-6), *"???"]
    page.do("show")
    assert "“cat” still gets 0.64, “mat” 0.11." in page.text()
    assert "“trophy” 0.37 when the trophy is too big, and 0.36 when the suitcase is too small" in page.text()
    np.testing.assert_allclose(
        page.blocks[1]["values"],
        [
            [row[one], row[other]]
            for row, one, other in ((tired, 2, 6), (soft, 2, 6), (big, 2, 8), (small, 2, 8))
        ],
        atol=1e-6,
    )


@pytest.mark.parametrize("ending", heads.ENDINGS)
def test_whoever_asks_the_head_finds_the_same_noun(student, ending):
    page = at(student("real_heads"), "control").turn(ending=heads.ENDINGS.index(ending))
    found, names = weights(heads.PRESETS[ending]), tokens(heads.PRESETS[ending])
    target = found[names.index("it")].argmax()
    lookers = (found.argmax(-1) == target).sum()
    assert lookers > 0.8 * len(names)
    assert (
        f"{lookers} of {len(names)} tokens of the sentence shown look most at “{names[target]}”"
        in page.text()
    )
    shown = picture(page)
    assert (shown["names"], shown["names"][shown["focus"]]) == (names, "it")
    assert page.is_done == (ending in ("big", "small"))
    page.do("go", "lab", "")
    assert read_link(page.answer.leave.link).preset == heads.PRESETS[ending]


def test_other_words_can_be_pressed_where_the_sentence_has_its_length(student):
    page = at(student("real_heads"), "control").do("focus", 4)
    assert picture(page)["focus"] == 4
    assert picture(page)["press"]
    page.turn(ending=2)
    assert picture(page)["names"][picture(page)["focus"]] == "it"
    assert not picture(page)["press"]


@pytest.mark.parametrize("ending", heads.ENDINGS)
def test_all_heads_are_those_of_torch_and_of_the_slice(ending):
    found = heads.all_heads(ending)
    number = [case["sentence"] for case in TOLD["cases"]].index(source_of(heads.PRESETS[ending])["sentence"])
    assert found.tokens == TOLD["cases"][number]["texts"] == tokens(heads.PRESETS[ending])
    it = found.tokens.index("it")
    np.testing.assert_allclose(
        found.weights, TORCH[f"weights_{number}"][:, :, it] / TOLD["steps"], rtol=0, atol=3e-5
    )
    np.testing.assert_allclose(found.weights[5, 11], weights(heads.PRESETS[ending])[it], rtol=0, atol=2e-3)


def test_whose_heads_they_are():
    told, slice_ = json.loads(heads.HEADS.read_text("utf-8")), source_of("minilm_it")
    same = ("model", "authors", "licence", "got_from", "sha256")
    assert {key: told[key] for key in same} == {key: slice_[key] for key in same}


def test_the_best_of_all_heads_tells_any_story(student):
    found = heads.all_heads("tired")
    assert heads.best_head("cat") == (5, 11)
    assert heads.best_head("because") == (0, 2)  # the head of the first section
    assert (source_of("minilm_previous")["layer"], source_of("minilm_previous")["head"]) == (0, 2)
    best = {word: found.on(word).max() for word in heads.WANTED}
    assert best["because"] > 0.99
    assert min(best.values()) > 0.35
    page = student("real_heads").at("best")
    assert page.section.ask.right == "all"
    page.turn(word=1)
    assert {cell for line in page.blocks[0]["values"] for cell in line} == {"?"}
    text = page.do("show").text()
    assert f"“tired” gets {best['tired']:.2f}, “was” {best['was']:.2f}, “mat” {best['mat']:.2f}" in text
    assert (
        f"“cat” gets 0.68 from the best head, and {found.on('cat').mean():.2f} from the average one" in text
    )
    assert page.blocks[0]["marks"] == [[0, 2, "lit"]]
    np.testing.assert_allclose(page.blocks[0]["values"], found.on("because"), atol=1e-5)
    assert "MiniLM has 6 layers of 12 heads: 72 heads." in page.text("text")


def test_heads_that_pass_one_control_fail_another(student):
    tired, soft, big, small = (TORCH[f"weights_{number}"] / TOLD["steps"] for number in range(4))
    it, there = 8, 10  # where "it" stands
    changed = (tired[..., it, 2] > tired[..., it, 6]) & (soft[..., it, 6] > soft[..., it, 2])
    again = (big[..., there, 2] > big[..., there, 8]) & (small[..., there, 8] > small[..., there, 2])
    assert (changed.sum(), again.sum()) == (7, 0)
    text = at(student("real_heads"), "best").text()
    assert "In 7 of 72 heads “it” changes from “cat” to “mat”" in text
    assert "From “trophy” to “suitcase” it changes in 0 of them." in text


def test_a_large_weight_may_do_little(student):
    trace = load_preset("minilm_sink").trace()
    row, values, output = trace["weights"][0][8], trace["v"], trace["output"][8]
    without = {place: output - row[place] * values[place] for place in SPECIAL}
    first, last = (np.linalg.norm(output - without[place]) / np.linalg.norm(output) for place in SPECIAL)
    assert row[0] > 5 * row[-1]
    assert last > 10 * first
    lengths = np.linalg.norm(values, axis=-1)
    assert 50 * lengths[0] < lengths[1:].min()
    page = student("real_heads").at("explain")
    assert page.section.ask.right == "last"
    assert [bar["name"] for bar in picture(page)["bars"]] == ["weight"]  # the other is asked for
    text = page.do("show").text()
    assert (
        f"Without [CLS] the output moves by {first:.2f} of its length, without [SEP] by {last:.2f}." in text
    )
    assert (
        f"has length {lengths[0]:.2f}, those of the others {lengths[1:].min():.2f} to {lengths[1:].max():.2f}"
        in text
    )
    moved = picture(page)["bars"][1]["values"]
    assert moved[0] == pytest.approx(first, abs=1e-5)
    assert moved[-1] == pytest.approx(last, abs=1e-5)


def test_the_word_to_find_is_one_for_which_the_sink_matters(student):
    moved = heads.moves_of(load_preset("minilm_sink").trace())
    page = at(student("real_heads"), "explain")
    found = []
    for place in range(len(moved)):
        page.do("reset").do("show").do("focus", place)
        found += [place] if page.panel["tried"] else []
    assert found == [place for place in range(len(moved)) if moved[place].argmax() == 0]
    assert 10 in found  # tired
    assert 8 not in found


def test_the_same_output_from_other_weights_is_a_link_to_its_lesson(student):
    pixels = load_preset("pixels_2x2").trace()
    np.testing.assert_allclose(pixels["output"][0], pixels["output"][1], atol=1e-12)
    assert np.abs(pixels["weights"][0][0] - pixels["weights"][0][1]).max() > 0.2
    page = at(student("real_heads"), "explain")
    assert (
        "p0 and p1 with [0.04, 0.16, 0.16, 0.65] and [0.10, 0.40, 0.10, 0.40] have one output" in page.text()
    )
    [piece] = [piece for line in page.panel["why"] for piece in line if piece[0] == "lesson"]
    kind, lesson, link, text = piece
    assert (kind, lesson, text) == ("lesson", "attention", "lesson 2, “The output is a weighted average”")
    page.do("go", lesson, link)
    assert (page.answer.leave.page, page.answer.leave.link) == (lesson, link)
    there = student("attention")
    state = State(there.page.read(link), link)
    assert there.page.section(state).id == "output"


def test_each_section_says_whose_weights_they_are(student):
    page = student("real_heads")
    for section in page.sections:
        page.at(section.id)
        told = source_of(section.preset)
        line = page.blocks[-1]
        assert line["tone"] == "source"
        assert told["authors"] in line["pieces"][0]
        assert told["model"] in line["pieces"][0]
        assert f"layer {told['layer']}, head {told['head']}" in line["pieces"][0]
        assert line["pieces"][1] == ["code", told["licence"]]
