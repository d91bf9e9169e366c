"""The board shows the trace's own numbers, and takes only real cells from the browser."""

import base64

import numpy as np
import pytest

from attention_core import explain_cell
from tests.learner import Learner
from ui.board import matrices as board
from ui.board.matrices import Shown
from ui.board.stages import board_names
from ui.message.arithmetic import explain_through_moves
from ui.scenario.presets import load_preset, preset_ids


def loaded(preset_id, **shown):
    scenario = load_preset(preset_id)
    trace = scenario.trace()
    n_heads = trace["weights"].shape[-3]
    return scenario, trace, board_names(trace), Shown(n_heads, **shown)


def drawn(preset_id, **shown):
    _, trace, names, where = loaded(preset_id, **shown)
    return {matrix.key: matrix for matrix in board.drawn_matrices(trace, names, where)}


@pytest.mark.parametrize("shown", [{}, {"head": 1, "batch": 1}, {"all_heads": True}])
@pytest.mark.parametrize("preset_id", preset_ids())
def test_every_cell_shows_the_number_at_its_index(preset_id, shown):
    for matrix in drawn(preset_id, **shown).values():
        numbers = board.written(matrix.numbers)
        for row, line in enumerate(numbers):
            for column, number in enumerate(line):
                place = row + matrix.at[0], column + matrix.at[1]
                index = matrix.index(*place)
                value = matrix.step.value[index]
                assert matrix.cell(index) == place
                assert (number is None and value == -np.inf) or np.isclose(number, value, rtol=1e-6)


@pytest.mark.parametrize("preset_id", preset_ids())
def test_a_cell_seen_again_is_the_same_cell(preset_id):
    scenario, trace, names, where = loaded(preset_id, head=1)
    for matrix in board.drawn_matrices(trace, names, where):
        index = matrix.index(matrix.whole.shape[0] - 1, matrix.whole.shape[1] - 1)
        view = board.place_of(trace, matrix.step.name, index)
        looking = scenario.looking(**view)
        shown = where._replace(head=view.get("head", where.head))
        found = board.chosen_matrix(looking, trace, names, shown)
        assert found.index(*looking.view.cell[1:3]) == index


def test_a_query_head_shows_the_keys_it_shares():
    _, trace, _, _ = loaded("grouped_query")
    for head, shared in enumerate((0, 0, 1, 1)):
        [matrix] = board.matrices_of(trace.step("k_heads"), Shown(4, head))
        assert matrix.front == (shared,)
        np.testing.assert_array_equal(matrix.whole, trace["k_repeated"][head])


def test_all_heads_stand_side_by_side():
    found = drawn("grouped_query", all_heads=True)
    assert {"scores.0", "scores.1", "scores.2", "scores.3", "k_heads.0", "k_heads.1"} <= set(found)
    assert "k_heads.2" not in found
    assert "q" in found


def test_what_lies_flat_is_one_matrix():
    found = drawn("fused_vit")
    assert found["qkv_split"].whole.shape == (3, 12)
    np.testing.assert_array_equal(found["qkv_split"].whole, found["qkv"].whole)
    assert [found[f"qkv_permuted.{part}"].front for part in range(3)] == [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    conv = drawn("conv_4_to_8")
    assert conv["x"].whole.shape == (4, 9)
    assert conv["w_pe"].whole.shape == (4, 9)


def test_shades_of_one_kind_share_a_scale():
    _, trace, _, _ = loaded("pixels_2x2")
    tops = board.tops_of(trace, list(drawn("pixels_2x2").values()))
    assert tops == {"input": 4, "parameter": 1, "result": 4, "score": 7, "share": 1, "flag": 1}
    _, trace, _, _ = loaded("vit_base")
    large = board.tops_of(trace, list(drawn("vit_base").values()))
    for name, whole in (("weights", trace["weights"][0, 0]), ("w_qkv", trace["w_qkv"])):  # each on its own
        assert (np.abs(whole) > large[name]).mean() == pytest.approx(0.01, abs=2e-4)


def test_masked_cells_are_marked():
    _, trace, _, _ = loaded("causal")
    above = [(row, column) for row in range(4) for column in range(4) if column > row]
    found = drawn("causal")
    assert board.hidden_cells(trace, found["masked"]) == board.hidden_cells(trace, found["weights"]) == above
    assert board.hidden_cells(trace, found["scores"]) == []
    assert board.written(found["masked"].numbers)[0][1] is None
    added = load_preset("causal").with_options(is_causal=None, attn_mask=[[0.5, None, 0, 0]] * 4).trace()
    [masked] = board.matrices_of(added.step("masked"), Shown())
    assert board.hidden_cells(added, masked) == [(row, 1) for row in range(4)]


def test_the_sources_of_a_number_are_lit_where_they_are_shown():
    _, trace, _, where = loaded("pixels_2x2")
    lines = explain_through_moves(trace, "scores", (0, 1, 3), 2)
    shown = board.drawn_matrices(trace, ["q", "k", "scores"], where)  # heads are not shown, q and k are
    assert board.lit_cells(trace, lines, shown) == {
        "q": [[1, 0, "source"], [1, 1, "source"]],
        "k": [[3, 0, "source"], [3, 1, "source"]],
        "scores": [[1, 3, "chosen"]],
    }


def test_arithmetic_follows_moved_numbers_to_where_they_were_computed():
    _, trace, _, _ = loaded("pixels_2x2")
    lines = explain_through_moves(trace, "output", (1, 1), 2)
    assert [line.step for line in lines] == ["output", "head_outputs"]
    assert lines[-1].total == explain_cell(trace, "head_outputs", (0, 1, 1)).total


def test_the_lens_shows_the_same_tokens_everywhere():
    found = drawn("vit_base", lens={"token": 40, "query": 40, "key": 100})
    assert found["x"].at == (40, 0)
    assert found["weights"].at == (40, 100)
    assert found["weights"].numbers.shape == (board.LENS, board.LENS)
    np.testing.assert_array_equal(found["weights"].numbers, found["weights"].whole[40:48, 100:108])
    far = drawn("vit_base", lens={"query": 10_000, "key": 10_000})["weights"]
    assert far.at == (197 - board.LENS, 197 - board.LENS)


def test_an_overview_shows_the_strongest_number_of_each_block():
    _, trace, _, _ = loaded("vit_base")
    matrix = drawn("vit_base")["qkv"]
    picture = board.overview(trace, matrix, 4.0)
    rows, columns = picture["size"]
    assert (rows, columns) == (50, 64)  # 197 rows by 4, 2304 columns by 36
    shades = np.frombuffer(base64.b64decode(picture["dots"]), np.uint8).reshape(rows, columns)
    block = matrix.whole[4:8, 36:72]
    strongest = block.flat[np.abs(block).argmax()]
    assert abs(int(shades[1, 1]) - (128 + 127 * strongest / 4)) <= 1


@pytest.mark.parametrize(
    ("row", "column"),
    [(0, 4), (-1, 0), (4, 0), ("0", "0"), (0.5, 0), (10**30, 0), (float("nan"), 0), (None, None), (True, 0)],
)
def test_anything_but_a_cell_is_nobodys_choice(row, column):
    assert not board.is_cell(drawn("pixels_2x2")["weights"], row, column)


@pytest.mark.parametrize("key", [None, [], "nothing", "__class__", ["weights"], {"weights": 1}, 0])
def test_a_matrix_that_is_not_there_is_nobodys_choice(key):
    assert board.matrix_by_key(key, list(drawn("pixels_2x2").values())) is None


@pytest.mark.parametrize("cell", [("nothing", 0, 0), ("weights", 9, 0), ("weights", 0, 9), ("n_heads", 0, 0)])
def test_a_chosen_cell_that_is_not_there_is_not_shown(cell):
    scenario, trace, names, where = loaded("pixels_2x2")
    assert board.chosen_matrix(scenario.looking(cell=cell), trace, names, where) is None


def test_what_a_layer_computes_cannot_be_typed_over():
    """The first Transformer's layer calls its input q; the queries that it makes of it are results."""
    for preset_id in preset_ids():
        learner = Learner(preset_id)
        given = {line.name for line in learner.trace.plan.lines if line.op in ("input", "parameter")}
        editable = {one["id"] for one in learner.message["new_outline"]["matrices"] if one["editable"]}
        assert editable <= given, preset_id
