"""Lesson 12: every number in its tables and curves is what cost says, and the claims about it hold."""

import math
import re

import numpy as np
import pytest

from attention_core import cost
from ui.course.engine.units import in_bytes, in_full, in_short
from ui.course.lessons.cost import caches
from ui.course.lessons.cost import sizes as shows
from ui.course.lessons.cost.models import cache_by_sharing, load_model, model_ids
from ui.words import Words

PLACES = {model_id: place for place, model_id in enumerate(model_ids())}
WITH_MODELS = ("parameters", "operations", "crossing", "activations", "cache")


@pytest.fixture
def lesson(student):
    return student("cost")


def evaluated(filled):
    code = filled.replace("·", "*").replace("²", "**2").replace("−", "-")
    return eval(code, {"__builtins__": {}})


def rows_of(block):
    return {row[0]: row[1:] for row in block["rows"]}


@pytest.mark.parametrize("section", WITH_MODELS)
def test_models_are_called_what_their_files_say(section):
    words = Words()
    for model_id in model_ids():
        assert words(f"lesson.cost.{section}.knob.model_{model_id}") == load_model(model_id).name


@pytest.mark.parametrize("model_id", model_ids())
@pytest.mark.parametrize("section", ["parameters", "operations", "activations", "cache"])
def test_every_formula_is_filled_in_and_right(lesson, section, model_id):
    lesson.at(section).turn(model=PLACES[model_id])
    tables = [block for block in lesson.blocks if block["kind"] == "table"]
    write = in_full if section == "parameters" else in_short if section == "operations" else in_bytes
    checked = 0
    for _, result, formula, filled in tables[0]["rows"]:
        if formula:
            assert not re.search("[a-zA-Z]", filled)
            assert result == write(evaluated(filled), Words())
            checked += 1
    assert checked == len(tables[0]["rows"]) - (section == "parameters")


@pytest.mark.parametrize("model_id", model_ids())
def test_the_last_line_is_the_published_number(lesson, model_id):
    model = load_model(model_id)
    lesson.turn(model=PLACES[model_id])
    table = lesson.blocks[0]
    assert table["rows"][-1][1] == in_full(model.published_parameters, Words())
    assert table["marked"] == len(table["rows"]) - 1
    assert (len(lesson.blocks) == 2) == (not model.is_plain)
    assert in_full(model.published_parameters, Words()) in lesson.do("show").text()


@pytest.mark.parametrize("model_id", model_ids())
def test_twice_the_width_is_about_four_times_the_parameters(lesson, model_id):
    facts = shows.parameters_facts(lesson.turn(model=PLACES[model_id]).here)
    assert 3.99 < float(facts["times"]) < 4


@pytest.mark.parametrize("model_id", model_ids())
def test_a_parameter_causes_about_two_operations(lesson, model_id):
    facts = shows.operations_facts(lesson.at("operations").turn(model=PLACES[model_id], tokens=256).here)
    assert 1.99 < float(facts["each"]) < 2


def test_operations_are_those_of_the_chosen_length(lesson):
    lesson.at("operations").turn(model=PLACES["gpt2"], tokens=2048)
    table, bars = lesson.blocks
    found = cost(d_model=768, n_heads=12, n_layers=12, vocabulary=50257, n_tokens=2048)
    assert rows_of(table)["one layer"][0] == in_short(found["layer_operations"], Words())
    assert rows_of(table)["one layer"][1] == "24·b·s·d² + 4·b·s²·d"
    parts = ("projection_operations", "attention_operations", "mlp_operations")
    assert bars["series"][0]["y"] == pytest.approx([found[name] for name in parts], rel=1e-5)


# Where s² takes over


@pytest.mark.parametrize("model_id", model_ids())
@pytest.mark.parametrize("part", [0, 1])
def test_curves_cross_where_the_line_is(lesson, model_id, part):
    lesson.at("crossing").turn(model=PLACES[model_id], part=part)
    assert "table" not in [block["kind"] for block in lesson.blocks]  # it holds the answer
    block, table = lesson.do("answer", "6").blocks[:2]
    square, linear = (np.array(one["y"]) for one in block["series"])
    for length, above in zip(block["x"], square >= linear, strict=True):
        assert above == (length >= block["at"])
    assert table["rows"][table["marked"]][0] == load_model(model_id).name
    assert table["rows"][table["marked"]][2 + part] == in_full(block["at"], Words())


def test_curves_add_up_to_what_cost_says(lesson):
    lesson.at("crossing").turn(model=PLACES["llama3_8b"])
    block = lesson.blocks[0]
    for place, length in enumerate(block["x"]):
        found = load_model("llama3_8b").cost(int(length))["layer_operations"]
        assert sum(one["y"][place] for one in block["series"]) == pytest.approx(found, rel=1e-5)


def test_the_rule_of_six_widths_is_the_answer(lesson):
    lesson.at("crossing")
    assert not lesson.do("answer", "24").panel["ask"]["right"]
    assert lesson.do("answer", "6").panel["ask"]["right"]
    lesson.turn(part=1)
    assert lesson.is_done
    assert "we counted 4,608 tokens; attention alone crosses at 1,536" in lesson.text()


# Memory


def test_twice_the_heads_is_twice_the_weights_and_the_same_work(lesson):
    for model_id in model_ids():
        facts = shows.activations_facts(lesson.at("activations").turn(model=PLACES[model_id]).here)
        assert (facts["times"], facts["operations_times"]) == (2, 1)


def test_the_task_is_done_past_the_crossing(lesson):
    lesson.at("activations")
    crossing = load_model("gpt2").crossing("activation_bytes")
    assert crossing == math.ceil(34 * 768 / (5 * 12))
    for tokens in (256, 512):
        block = lesson.turn(tokens=tokens).blocks[1]
        assert block["at"] == tokens
        square, linear = (one["y"][block["x"].index(tokens)] for one in block["series"])
        assert lesson.panel["tried"] == (square > linear) == (tokens > crossing)


def test_only_a_longer_text_is_longer(lesson):
    lesson.at("operations").turn(tokens=256)
    assert not lesson.panel["tried"]
    assert lesson.turn(tokens=2048).panel["tried"]


@pytest.mark.parametrize("steps", range(1, 8))
def test_the_cache_fills_and_gives_the_same_output(lesson, steps):
    lesson.at("filling").turn(step=steps)
    k, v = lesson.blocks[0]["blocks"]
    trace = lesson.here.trace
    for block, name in ((k, "k"), (v, "v")):
        assert block["values"][:steps] == trace[name][:steps].tolist()
        assert block["values"][steps:] == [[""] * 4] * (7 - steps)
        assert {row for row, _, mark in block["marks"] if mark == "new"} == {steps - 1}
    facts = caches.filling_facts(lesson.here)
    assert (facts["with"], facts["without"]) == (steps, steps * (steps + 1) // 2)
    assert facts["difference"] < 1e-12


def test_only_one_row_is_computed_with_a_cache(lesson):
    here = lesson.at("filling").here
    assert [len(trace["q"]) for trace in caches.written(here, 7)] == [1] * 7
    assert [len(trace["k"]) for trace in caches.written_anew(here, 7)] == list(range(1, 8))
    counted = lesson.blocks[1]["series"]
    assert counted[1]["y"] == [1] + [None] * 6  # what is asked for is not shown before
    assert lesson.turn(step=7).blocks[1]["series"][1]["y"][-1] == 28


@pytest.mark.parametrize("model_id", model_ids())
def test_the_cache_by_sharing_is_marked_at_the_model_itself(lesson, model_id):
    model = load_model(model_id)
    lesson.at("cache").turn(model=PLACES[model_id], tokens=4096, batch=8)
    assert "row" not in [block["kind"] for block in lesson.blocks]  # it holds the answer
    lesson.do("answer", "4")
    shared, bars = lesson.blocks[-1]["blocks"]
    found = cache_by_sharing(model, 4096, batch=8)
    assert [row[0] for row in shared["rows"]] == [str(one.n_kv_heads) for one in found]
    assert shared["rows"][shared["marked"]][0] == str(model.n_kv_heads)
    assert shared["rows"][0][2] == in_bytes(2 * model.n_layers * model.d_model * 4096 * 2 * 8, Words())
    assert bars["series"][0]["y"] == pytest.approx([one.cache / 2**20 for one in found], rel=1e-5)
    assert (lesson.blocks[0]["kind"] == "sentence") == (not model.generates)


def test_llama_shrinks_its_cache_four_times(lesson):
    lesson.at("cache").do("answer", "4").turn(batch=2)
    assert lesson.is_done
    why = lesson.text()
    assert "takes 2.00 GiB" in why
    assert "it would be 8.00 GiB" in why
    assert "here 32 / 8" in why
