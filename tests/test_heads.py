"""The page of heads without a browser: what each act does, what a link may say, what the message holds."""

import base64
import json
import re
import threading
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from tests.checkpoints import REFERENCE, copy_of, minilm  # noqa: F401
from tests.hostile.mutate import pack, unpack
from tests.hostile.tried import is_stable, try_link
from tests.learner import Reader
from ui import models
from ui.heads import seen
from ui.page.heads import HEADS
from ui.page.home import HOME
from ui.page.lab import LAB
from ui.paths import STATIC
from ui.scenario.link import SORTS, LinkError, read_link, write_link
from ui.scenario.presets import load_preset
from ui.scenario.source import Source, Wanted, plain, read_source
from ui.scenario.sourced import of_source
from ui.words import all_words

SENTENCE = "the cat sat on the mat because it was tired"


@pytest.fixture(params=["tiny_bert", "tiny_gpt2"])
def model(request, monkeypatch):
    monkeypatch.setenv(models.NAMED_BY, str(REFERENCE / request.param))
    return models.present_model()


@pytest.fixture
def bert(monkeypatch):
    monkeypatch.setenv(models.NAMED_BY, str(REFERENCE / "tiny_bert"))
    return models.present_model()


@pytest.fixture
def no_model(monkeypatch, tmp_path):
    monkeypatch.delenv(models.NAMED_BY, raising=False)
    monkeypatch.setattr(models, "DEFAULT", tmp_path / "none")


def shown(me):
    return me.message["heads"]


def every(me):
    return me.message["new_outline"]["heads"]


def weights_in(me):
    """The weights of all heads as the maps have them."""
    found, all_, at = [], base64.b64decode(every(me)["maps"]), 0
    for tile in every(me)["tiles"]:
        n = tile["size"]
        found.append(np.frombuffer(all_, np.uint8, n * n, at).reshape(n, n) / 255)
        at += -(-n * n // 3) * 3
    assert at == len(all_)
    return np.array(found) if len({len(one) for one in found}) == 1 else found


def refused(me):
    assert not me.answer.faults
    return me.answer.refused


# What is shown


def test_it_opens_with_every_head_of_the_model(model):
    me = Reader(HEADS)
    source = me.scenario.source
    run = model.run(model.cut(source.text))
    n = len(run.tokens.ids)
    assert (source.text, source.model) == (SENTENCE, model.name)
    np.testing.assert_allclose(weights_in(me), run.weights.reshape(-1, n, n), atol=0.5 / 255 + 1e-6)
    np.testing.assert_allclose(me.message["values"][0], run.weights[0, 0], atol=1e-6)
    assert every(me)["tokens"] == [
        piece.strip() or text for piece, text in zip(run.tokens.pieces, run.tokens.texts, strict=False)
    ]
    assert set(every(me)["measures"]) == set(every(me)["formulas"])
    assert all(len(values) == run.weights[..., 0, 0].size for values in every(me)["measures"].values())


def test_another_head_or_word_sends_the_numbers_of_one_head_only(bert):
    me = Reader(HEADS)
    for act in (["head", 1, 1], ["focus", 3], ["cell", 2, 5], ["sort", "previous"]):
        request = replace(me.request([act]), outline=me.answer.message.outline)
        message = HEADS.respond(request, "en").data().message
        assert message.new_outline is None
    me.do("head", 1, 1).do("cell", 2, 5)
    run = bert.run(bert.cut(SENTENCE))
    np.testing.assert_allclose(me.message["values"][0], run.weights[1, 1], atol=1e-6)
    pair, trace = shown(me)["pair"], run.trace(1)
    np.testing.assert_allclose(pair["q"], trace["q_heads"][1, 2], rtol=1e-5)
    np.testing.assert_allclose(pair["k"], trace["k_heads"][1, 5], rtol=1e-5)
    np.testing.assert_allclose(pair["v"], trace["v_heads"][1, 5], rtol=1e-5)
    np.testing.assert_allclose(sum(pair["products"]), pair["score"], rtol=1e-4)
    assert pair["weight"] == pytest.approx(run.weights[1, 1, 2, 5], rel=1e-4)


def test_pieces_of_a_word_say_so(bert):
    me = Reader(HEADS).do("sentence", "playing unknown cats")
    assert every(me)["tokens"] == ["[CLS]", "play", "ing", "un", "known", "cat", "s", "[SEP]"]
    assert every(me)["token_words"] == [-1, 0, 0, 1, 1, 2, 2, -1]
    assert every(me)["spans"][0] == (0, 4, 1)


def test_without_a_model_the_shipped_heads_are_there(no_model):
    me = Reader(HEADS)
    assert every(me)["can_type"] is False
    assert "make model" in every(me)["no_model"]
    assert {tile["example"] for tile in every(me)["tiles"]} == set(seen.slice_ids())
    for preset in seen.slice_ids():
        me.do("example", preset)
        assert not me.sentence
        assert shown(me)["example"] == preset
        weights = np.array(me.message["values"][0])
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
        place = seen.slice_ids().index(preset)
        np.testing.assert_allclose(weights_in(me)[place], weights, atol=0.5 / 255 + 1e-6)
        assert Reader(HEADS, me.link).message["heads"] == me.message["heads"]
    before = me.link
    assert refused(me.do("sentence", "my own words")) == "heads.no_model"
    assert me.link == before
    assert refused(me.do("hide", 2)) == ""
    assert me.link == before


def test_a_folder_that_is_no_model_is_told_of_and_the_shipped_heads_stay(monkeypatch, tmp_path):
    monkeypatch.setenv(models.NAMED_BY, str(tmp_path))
    me = Reader(HEADS)
    assert "config.json" in every(me)["no_model"]
    assert not me.sentence
    monkeypatch.setenv(models.NAMED_BY, str(copy_of("tiny_bert", tokenizer=b"{}")))
    me = Reader(HEADS)
    assert not me.answer.faults
    assert every(me)["tiles"][0]["example"]


# What is asked for


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "error.text_empty"),
        ("   \n\t ", "error.text_empty"),
        ("x" * 10_000, "heads.long"),
        ("cat " * 40, "error.too_many_tokens"),
        ("\ud83d", "error.text_empty"),
        ("\u202e\u200b", "error.text_empty"),
    ],
)
def test_what_is_no_sentence_gets_one_and_the_work_stays(bert, text, key):
    me = Reader(HEADS).do("sentence", "the cat sat").do("focus", 2)
    before = me.link
    assert refused(me.do("sentence", text)) == key
    assert me.sentence
    assert me.link == before


@pytest.mark.parametrize(
    "text", ["🙂 👩‍👩‍👧", "مرحبا بالعالم", "שלום cat", "cat\u0000 sat", "$x$ **b** <b>", "Ω" * 200]
)
def test_any_signs_can_be_a_sentence(bert, text):
    me = Reader(HEADS).do("sentence", text)
    assert not refused(me)
    assert me.scenario.source.text == plain(text)
    assert Reader(HEADS, me.link).scenario == me.scenario
    json.dumps(me.message, allow_nan=False)


def test_details_that_no_browser_sends_change_nothing(bert):
    me = Reader(HEADS)
    before = me.link
    for act in (
        ["sentence"],
        ["sentence", 3],
        ["head", 9, 0],
        ["head", 0, 9],
        ["head", -1, 0],
        ["head", True, 0],
    ):
        assert me.do(*act).link == before
        assert not me.answer.faults
    for act in (
        ["focus", 99],
        ["focus", None],
        ["cell", 0, 99],
        ["sort", "x"],
        ["example", "causal"],
        ["hide", -1],
    ):
        assert me.do(*act).link == before
        assert not me.answer.faults
    for act in (["swap", 0], ["swap", 0, 99], ["positions", 3, 3], ["swap", False, True]):
        assert me.do(*act).link == before
        assert not me.answer.faults


def test_the_link_brings_all_of_it_back(bert):
    me = Reader(HEADS).do("sentence", "playing cats").do("head", 1, 0).do("cell", 2, 1).do("sort", "previous")
    other = Reader(HEADS, me.link)
    assert other.scenario == me.scenario
    assert other.message == me.message
    assert len(me.link) < 300
    assert me.do("undo").scenario.source.layer == 0
    assert me.do("undo").scenario.source.text == SENTENCE


def test_a_word_that_is_hidden_is_looked_at_by_nobody(model):
    me = Reader(HEADS).do("hide", 2)
    source = me.scenario.source
    assert source.hide
    assert not me.sentence
    maps = weights_in(me)
    assert not maps[:, :, list(source.hide)].any()
    changes = seen.noticed(me.scenario)
    before = model.run(model.cut(SENTENCE)).weights
    np.testing.assert_allclose(
        changes, np.abs(seen.of_scenario(me.scenario).weights - before).sum(-1).mean(-1) / 2
    )
    np.testing.assert_allclose(every(me)["measures"]["noticed"], changes.ravel(), atol=1e-4)
    trace = me.scenario.trace()
    np.testing.assert_allclose(trace["weights"][0], me.message["values"][0], atol=1e-5)
    assert me.do("hide", 2).scenario.source.hide == ()
    assert "noticed" not in every(me)["measures"]


def test_not_every_word_can_be_hidden(bert):
    me = Reader(HEADS).do("sentence", "cat")
    assert [refused(me.do("hide", place)) for place in range(3)] == ["", "", "heads.no_place"]


def test_swapping_words_and_swapping_positions_give_the_same_weights_in_another_order(bert):
    words, positions = Reader(HEADS).do("swap", 1, 5), Reader(HEADS).do("positions", 2, 6)
    assert every(words)["tokens"][2] == "mat"
    assert every(positions)["tokens"][2] == "cat"
    order = [0, 1, 6, 3, 4, 5, 2, 7, 8, 9, 10, 11]
    one, other = (seen.of_scenario(me.scenario).weights for me in (words, positions))
    np.testing.assert_allclose(one, other[:, :, order][..., order], atol=1e-6)
    np.testing.assert_allclose(seen.noticed(words.scenario), seen.noticed(positions.scenario), atol=1e-6)
    assert words.do("swap").scenario.source.wanted == Wanted(SENTENCE)


def test_two_sentences_are_compared_and_what_differs_is_marked(bert):
    me = Reader(HEADS).do("keep").do("sentence", "the cat sat on the mat because it was soft")
    found = shown(me)["compare"]
    before = bert.run(bert.cut(SENTENCE)).weights[0, 0]
    here = np.array(me.message["values"][0])
    np.testing.assert_allclose(found["values"], before, atol=1e-6)
    assert found["other"] == [10]
    assert found["changed"] == [tuple(place) for place in np.argwhere(np.abs(here - before) > 0.1).tolist()]
    _row, _column, there, now = found["largest"]
    assert abs(now - there) == pytest.approx(np.abs(here - before).max(), abs=1e-6)
    assert "largest" not in shown(me.do("sentence", "the cat"))["compare"]
    assert "compare" not in shown(me.do("forget"))


# Links


def test_a_link_to_a_model_that_is_not_here_says_what_is_needed(bert, monkeypatch):
    link = Reader(HEADS).do("head", 1, 1).link
    monkeypatch.setenv(models.NAMED_BY, str(REFERENCE / "tiny_gpt2"))
    for page in (HEADS, LAB, HOME):
        me = Reader(page, link)
        assert refused(me) == "link.model"
        assert "tiny_bert" in me.sentence
        assert read_hash(link) in me.sentence
        assert me.scenario == page.opening()
    monkeypatch.setattr(models, "found_models", lambda: ())
    assert refused(Reader(HEADS, link)) == "link.model"


def read_hash(link):
    return unpack(link)["m"][1]


def test_a_layer_out_of_range_or_places_that_are_not_there_are_refused(bert):
    good = Source(bert.name, models.hash_of(bert), "the cat sat", 1, (1,), (0, 2), (1, 3)).written()
    assert write_link(read_link(pack(json.dumps({"p": "minilm_it", "m": good}))))
    for place, value in [
        *((0, name) for name in ("", "x" * 61, "\n", 3)),
        *((1, given) for given in ("", "g" * 16, "a" * 15, None)),
        *(
            (2, text)
            for text in ("", " ", " cat", "a  b", "x" * 301, "a\nb", "\u202ea", 4, "cat " * 31 + "cat")
        ),
        *((3, layer) for layer in (2, -1, 1e3, 0.5, True, None, 96)),
        *((4, hide) for hide in ([5], [-1], [1, 1], [2, 1], [True], [0, 1, 2, 3, 4], None, "ab", [[1]])),
        *((5, swap) for swap in ([0], [0, 3], [2, 0], [1, 1], [0, 1, 2], {}, [None, 1])),
        *((6, two) for two in ([0], [0, 5], [3, 0], "01")),
    ]:
        hostile = [*good[:place], value, *good[place + 1 :]]
        with pytest.raises(LinkError) as error:
            read_link(pack(json.dumps({"p": "minilm_it", "m": hostile})))
        assert error.value.code in ("value", "model"), hostile
    for whole in (None, [], good[:6], [*good, 1], "abc", {"a": 1}):
        with pytest.raises(LinkError):
            read_link(pack(json.dumps({"p": "minilm_it", "m": whole})))
    assert read_source(good) is not None


@pytest.mark.parametrize("group", range(3))
def test_changed_links_of_heads_are_refused_or_drawn(bert, group):
    from tests.hostile.trees import changed, written

    honest = [
        Reader(HEADS).do("focus", 1),
        Reader(HEADS).do("hide", 1),
        Reader(HEADS).do("swap", 0, 3).do("cell", 1, 2).do("keep"),
    ]
    drawn = 0
    for number in range(40):
        rng = Random(f"heads.{group}.{number}")
        link = pack(written(changed(rng, unpack(rng.choice(honest).link))))
        drawn += try_link(link, HEADS) == "drawn"
        try_link(link, LAB)
        assert is_stable(link)
    assert 0 < drawn < 40


def test_a_slice_opens_as_its_whole_layer_only_with_the_model_that_it_was_cut_from(bert):
    me = Reader(HEADS, write_link(load_preset("minilm_sink")))
    assert me.scenario.source is None
    assert shown(me)["example"] == "minilm_sink"
    me.do("sentence", "the cat")
    assert me.scenario.source.text == "the cat"


# In the Lab


def test_the_same_link_opens_the_head_in_the_lab(model):
    me = Reader(HEADS).do("head", 1, 1).do("cell", 3, 2)
    lab = Reader(LAB, me.link)
    assert not lab.sentence
    assert lab.scenario.view.cell == ("weights", 3, 2)
    assert lab.scenario.view.head == 1
    np.testing.assert_allclose(lab.trace["weights"][1], me.message["values"][0], atol=1e-5)
    assert model.name in lab.message["new_outline"]["about"]
    assert me.do("go", "numbers", "").answer.leave.page == "lab"
    assert read_link(me.answer.leave.link) == me.scenario


def test_a_number_of_the_first_x_goes_on_to_the_embedding(model):
    lab = Reader(LAB, Reader(HEADS).do("head", 0, 1).link).do("open", "x", [2, 3])
    run = model.run(model.cut(SENTENCE))
    normed, total = lab.message["lines"]
    embedding = run.embedding(2)
    assert "word" in total["text"]
    assert "position" in total["text"]
    printed = [
        float(number.replace("−", "-")) for number in re.findall(r"−?\d+\.\d+(?:e−?\d+)?", total["text"])
    ]
    rows = [float(row[3]) for row in embedding.rows.values()]
    np.testing.assert_allclose(printed, [*rows, sum(rows)], atol=1e-3)
    assert float(normed["text"].rpartition(" = ")[2].replace("−", "-")) == pytest.approx(
        embedding.x[3], abs=0.006
    )


def test_deeper_it_is_said_which_layer_x_comes_from(model):
    lab = Reader(LAB, Reader(HEADS).do("head", 1, 0).link).do("open", "x", [2, 3])
    [line] = lab.message["lines"]
    assert "layer 0" in line["text"]


def test_the_lab_changes_what_it_may_and_starts_over(bert):
    lab = Reader(LAB, Reader(HEADS).do("focus", 1).link)
    for act in (["choose", "mask", "causal"], ["choose", "scale", "off"], ["edit", "x", 0, 0, "1.5"]):
        assert not refused(lab.do(*act)), act
        assert Reader(LAB, lab.link).scenario == lab.scenario
    assert lab.do("reset").scenario.options == of_source(lab.scenario.source).options


# For everybody at once


def test_equal_sentences_are_computed_once_for_all(bert, monkeypatch):
    computed = []
    monkeypatch.setattr(models, "RUNS", models.Runs())
    real = models.computed
    monkeypatch.setattr(models, "computed", lambda *given: (computed.append(given), real(*given))[1])
    wanted = Wanted("the cat saw the dog")
    threads = [threading.Thread(target=models.run_of, args=(bert, wanted)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(computed) == 1
    for number in range(2 * models.MOST_KEPT):
        models.run_of(
            bert, Wanted("cat " * (number % 14 + 1), (), (), (0, number % 3 + 1) if number > 14 else ())
        )
    assert len(models.RUNS.kept) <= models.MOST_KEPT
    assert not models.RUNS.coming


def test_when_too_many_wait_a_sentence_is_refused_and_the_work_stays(bert, monkeypatch):
    me = Reader(HEADS)
    before = me.link
    monkeypatch.setattr(models, "is_busy", lambda: True)
    assert refused(me.do("sentence", "the cat")) == "heads.busy"
    assert me.link == before


def test_a_run_that_fails_is_not_kept(bert, monkeypatch):
    monkeypatch.setattr(models, "RUNS", models.Runs())
    with pytest.raises(IndexError):
        models.run_of(bert, Wanted("the cat", (), (), (0, 40)))
    assert not models.RUNS.coming
    assert not models.RUNS.kept


# Words


def test_no_word_of_heads_is_left_over():
    scripts = "".join(path.read_text("utf-8") for path in (STATIC / "heads").glob("*.js"))
    python = "".join(path.read_text("utf-8") for path in (STATIC.parent / "ui").rglob("*.py"))
    words = {key.removeprefix("heads.") for key in all_words("en") if key.startswith("heads.")}
    said = set(re.findall(r"(?<![.\w])words\.(\w+)", scripts)) - {"keys_list"}
    said |= set(re.findall(r"""["']heads\.(\w+)["']""", python)) | {"origin", "origin_normed"}
    said |= {*SORTS} - {"kind"} | {f"about_{name}" for name in SORTS}
    said |= {f"group_{name}" for name in (*seen.GROUPS, "broad", "elsewhere")} | {
        f"row_{row}" for row in ("q", "k", "v")
    }
    assert said | {"row_products"} == words


# With MiniLM


def test_the_previous_token_head_comes_first_on_a_sentence_of_ones_own(minilm, monkeypatch):  # noqa: F811
    monkeypatch.setenv(models.NAMED_BY, str(minilm.folder))
    me = Reader(HEADS).do("sentence", "My neighbour's parrot repeats everything").do("sort", "previous")
    measured = every(me)["measures"]["previous"]
    assert max(measured) > 0.99
    assert measured.index(max(measured)) == 2
    assert every(me)["credit"]
    assert len(every(me)["tiles"]) == 72
    assert Reader(HEADS, write_link(load_preset("minilm_sink"))).scenario.source.layer == 2
