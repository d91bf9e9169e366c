"""Lesson 7: its figures come from the computation, and show what the text says."""

import time

import numpy as np

from attention_core import saturation, scaled_scores, softmax, variance_experiment
from ui.course.engine.experiments import forget_all
from ui.course.lessons.scaling import roots
from ui.course.lessons.scaling import variance as scaling
from ui.scenario.link import read_link


def plots(blocks):
    """Every plot by its key, also those in rows."""
    flat = [one for block in blocks for one in (block["blocks"] if block["kind"] == "row" else [block])]
    return {block["key"]: block for block in flat if block["kind"] == "plot"}


def finish(page, most=400):
    """Looks at the page until its experiment is done; returns how often that was."""
    for looks in range(1, most):
        [bar] = [block for block in page.blocks if block["kind"] == "progress"]
        if bar["fraction"] == 1:
            return looks
        page.do("more")
    raise AssertionError("the experiment does not end")


def test_sums_of_random_terms_reach_as_far_as_the_root(student):
    page = student("scaling").at("spread").do("show").turn(d_k=64)
    figure = plots(page.blocks)["walks"]
    assert figure["x"][-1] == 64
    *walks, above, below = figure["series"]
    assert len(walks) == 12
    assert above["y"][-1] == 8
    assert below["y"][-1] == -8
    ends = np.array([walk["y"][-1] for walk in walks])
    assert 4 < np.sqrt((ends**2).mean()) < 16
    facts = page.section.facts(page.here)
    assert abs(float(facts["typical"]) - 8) < 1
    assert f"lie {facts['typical']} from 0" in page.text("why")


def test_the_root_is_not_drawn_before_it_is_asked_for(student):
    page = student("scaling").at("spread")
    assert len(plots(page.blocks)["walks"]["series"]) == 12
    assert len(plots(page.do("show").blocks)["walks"]["series"]) == 14  # the reason names them


def test_other_random_numbers_are_others(student):
    page = student("scaling").at("spread").turn(d_k=64)
    before = plots(page.blocks)["walks"]["series"][0]["y"]
    assert plots(page.turn(again=1).blocks)["walks"]["series"][0]["y"] != before
    page.at("variance").turn(run=1)
    before = plots(page.blocks)["variance"]["series"][0]["y"]
    assert plots(page.turn(run=2).blocks)["variance"]["series"][0]["y"] != before


def test_the_experiment_gives_the_figures_of_the_course(student):
    """At d_k 64 about 63.9 before and 0.998 after; each point as near its line as 10,000 pairs allow."""
    page = student("scaling").at("variance")
    assert not plots(page.blocks)  # nothing has been run
    page.turn(run=1, pairs=10_000)
    assert not page.is_done
    finish(page)
    figure = plots(page.blocks)["variance"]
    before, after, line, level = (np.array(one["y"]) for one in figure["series"])
    assert figure["x"] == line.tolist() == [2**power for power in range(11)]
    place = figure["x"].index(64)
    assert abs(before[place] - 63.9) < 3.7
    assert abs(after[place] - 0.998) < 0.058
    np.testing.assert_allclose(before / line, after, rtol=1e-5)
    assert set(level) == {1}
    assert (np.abs(after - 1) < 4 * np.sqrt((2 + 6 / line) / 10_000)).all()
    [said] = [block["pieces"][0] for block in page.blocks if block["kind"] == "sentence"]
    assert said.startswith("At dₖ = 64, from 10,000 pairs: variance")
    assert f"{after[place]:.3f} after" in said


def test_the_experiment_can_be_stopped_and_taken_up_again(student):
    page = student("scaling").at("variance").turn(run=1, pairs=100_000)

    def share():
        [bar] = [block for block in page.blocks if block["kind"] == "progress"]
        return bar["fraction"]

    first = share()
    assert 0 < first < 1
    page.do("stop")
    stopped = share()
    page.do("more")
    assert share() == stopped
    assert not page.panel["working"]
    page.do("stop").do("more")
    assert share() > stopped
    assert page.panel["working"]


def test_the_same_numbers_on_a_server_that_has_not_seen_the_pieces_before(student):
    found = []
    for restarts in (False, True):
        page = student("scaling").at("variance").turn(run=3, pairs=10_000)
        for _ in range(3):
            assert page.panel["working"]
            if restarts:
                forget_all()
            page.do("more")
        found.append((page.known, page.blocks))
    assert found[0] == found[1]


def test_one_piece_is_short():
    """Time of this thread, whatever else the machine does."""
    running, durations = scaling.Running(variance_experiment(scaling.WIDTHS, 100_000, 1)), []
    for _ in range(5):
        start = time.thread_time()
        running = running.further()
        durations.append(time.thread_time() - start)
    assert min(durations) < 0.08
    assert running.fraction < 1


def test_wide_scores_make_one_weight_take_all_and_divided_ones_do_not(student):
    page = student("scaling").at("winner")
    narrow, wide = (page.turn(d_k=d_k).blocks[2]["rows"] for d_k in (1, 1024))
    assert float(wide[0][1]) > 0.95  # as they are
    assert float(narrow[0][1]) < 0.5
    assert 0.4 < float(wide[1][1]) < 0.6  # divided
    page.turn(d_k=64)
    scores = np.array(page.blocks[0]["values"][0])
    as_they_are, divided = (one["y"] for one in plots(page.blocks)["row"]["series"])
    np.testing.assert_allclose(as_they_are, softmax(scores), atol=1e-5)
    np.testing.assert_allclose(divided, softmax(scores / 8), atol=1e-5)


def test_the_slopes_vanish_with_the_width_unless_divided(student):
    page = student("scaling").at("gradient").do("show").turn(d_k=1024)
    weights, plain, scaled = page.blocks[0]["blocks"]
    assert np.abs(plain["values"]).max() < 0.01
    assert np.abs(scaled["values"]).max() > 0.1
    p = np.array(weights["values"][1])
    np.testing.assert_allclose(scaled["values"], np.diag(p) - np.outer(p, p), atol=1e-6)
    for key in ("typical_jacobian", "entropy"):
        as_they_are, divided = (one["y"] for one in plots(page.blocks)[key]["series"])
        assert as_they_are == sorted(as_they_are, reverse=True)
        assert min(divided) > 0.9 * max(divided)
        assert as_they_are[-1] < 0.06 * divided[-1]
    assert "gradient of size 1.4e−8 without dividing" in page.text("why")


def test_which_width_goes_under_the_root(student):
    page = student("scaling").at("which").do("show")
    lines = {line[0]: [float(number) for number in line[1:]] for line in page.blocks[0]["rows"]}
    none, head, model = lines.values()
    assert list(lines) == ["1 (not divided)", "√d_head = √64", "√d_model = √512"]
    scores = page.here.trace["scores"][0]
    for line, scale in zip(lines.values(), (1, 64**-0.5, 512**-0.5), strict=True):
        one = saturation(scores, scale)
        np.testing.assert_allclose(line, [one.largest, one.entropy, one.typical_jacobian], atol=0.006)
    assert none[0] > head[0] > model[0]  # the largest weight
    assert none[1] < head[1] < model[1] < np.log2(20)  # entropy
    assert head[2] > max(none[2], model[2])  # the gradient is largest with the head's own width
    right, wrong = page.blocks[2]["blocks"]
    assert wrong["marks"] == [[0, 0, "first"]]
    np.testing.assert_allclose(right["values"], page.here.trace["weights"][0, 0, :5, :5], atol=1e-6)
    assert not np.allclose(right["values"], wrong["values"], atol=0.01)
    assert f"{head[1]:.2f} with the head's width, {model[1]:.2f} with the model's" in page.text("why")


def test_with_one_head_both_widths_are_the_same(student):
    page = student("scaling").at("which").do("choose", "n_heads", 1)
    _, head, model = page.blocks[0]["rows"]
    assert head[1:] == model[1:]
    right, wrong = page.blocks[2]["blocks"]
    assert right["values"] == wrong["values"]
    assert "marks" not in wrong
    assert page.panel["tried"]


def test_the_fourth_root_on_both_sides_is_the_same_scale(student):
    page = student("scaling").at("sides")
    assert page.blocks[0]["blocks"][2]["values"][0] == ["?"] * 3  # equal numbers would answer the question
    page.do("show")
    after, query, both = (block["values"] for block in page.blocks[0]["blocks"])
    np.testing.assert_allclose(query, after, rtol=1e-6)
    np.testing.assert_allclose(both, after, rtol=1e-6)
    assert not page.panel["tried"]


def test_in_float16_dividing_after_is_too_late(student):
    page = student("scaling").at("sides").turn(type=2, size=40)
    after, query, both = page.blocks[0]["blocks"]
    assert [after["values"][token][token] for token in range(3)] == ["∞"] * 3
    assert len(after["marks"]) == 3
    assert "marks" not in query
    assert "marks" not in both
    assert page.panel["tried"]
    assert not student("scaling").at("sides").turn(type=1, size=40).panel["tried"]  # float32 holds it


def test_the_largest_size_still_fits_when_divided_first(student):
    page = student("scaling").at("sides").turn(type=2, size=50, d_k=256)
    vectors = roots.tokens_of(page.here)
    assert np.isfinite(scaled_scores(vectors, vectors, "both", "float16")).all()


def test_the_lab_opens_with_the_same_scores(student):
    page = student("scaling").at("winner").turn(d_k=256, again=3)
    page.do("go", "lab", "")
    trace = read_link(page.answer.leave.link).trace()
    scores, _, divided = scaling.one_row(page.here)
    np.testing.assert_allclose(trace["scores"], [[scores]], rtol=1e-6)
    np.testing.assert_allclose(trace["weights"], [[divided]], rtol=1e-5)
    lab = {section.id: page.at(section.id).panel["lab"] for section in page.sections}
    assert [name for name in lab if lab[name]] == ["winner", "gradient", "which"]
