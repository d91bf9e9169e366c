"""A trace as a long table: a row for every number, a column for every axis; pandas only when asked."""

import io
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from attention_core import AttentionError, multi_head_attention, scaled_dot_product_attention, tables

from .varied import varied_traces

TRACES = varied_traces()


def arrays_of(frame):
    """The arrays of a table by step, put together from its rows in whatever order they stand."""
    for name, rows in frame.sample(frac=1, random_state=0).groupby("step", observed=True):
        axes = [axis for axis in frame.columns[1:-1] if rows[axis].notna().all()]
        index = tuple(rows[axis].to_numpy(int) for axis in axes)
        array = np.full([places.max() + 1 for places in index], np.nan)
        array[index] = rows["value"].to_numpy() if axes else rows["value"].item()
        yield name, axes, array


@pytest.mark.parametrize("name", TRACES)
def test_a_table_holds_every_number_at_its_place(name):
    trace = TRACES[name]
    frame = trace.to_frame()
    assert list(frame["step"].unique()) == list(trace.plan.by_name)
    found = {step: (axes, array) for step, axes, array in arrays_of(frame)}
    assert set(found) == set(trace.plan.by_name)
    for step, (axes, array) in found.items():
        line = trace.plan.by_name[step]
        assert set(axes) == set(line.axes)
        as_computed = array.transpose([axes.index(axis) for axis in line.axes])
        np.testing.assert_array_equal(as_computed, trace[step].astype(float), strict=True)


@pytest.mark.parametrize("name", TRACES)
def test_columns_stand_in_the_order_of_every_steps_axes(name):
    """But for the step that turns axes round."""
    columns = list(TRACES[name].to_frame().columns)
    assert (columns[0], columns[-1]) == ("step", "value")
    for line in TRACES[name].plan.lines:
        if line.name != "qkv_permuted":
            assert [axis for axis in columns if axis in line.axes] == list(line.axes)


def test_types_are_those_of_a_tidy_table():
    frame = TRACES["gqa and everything"].to_frame()
    types = {str(kind) for kind in frame.dtypes[1:-1]}
    assert types == {"Int32"}
    assert frame["value"].dtype == np.float64
    assert frame["step"].dtype == "category"


def test_chosen_steps_have_their_own_axes_only():
    trace = TRACES["two heads, w_o"]
    frame = trace.to_frame("weights", "scores")
    assert list(frame.columns) == ["step", "head", "query", "key", "value"]
    assert list(frame["step"].unique()) == ["weights", "scores"]
    assert len(frame) == 2 * trace["weights"].size
    scale = trace.to_frame("weights", "scale").iloc[-1]
    assert scale["step"] == "scale"
    assert scale[["head", "query", "key"]].isna().all()


def test_a_name_that_holds_something_else_gives_that_once():
    trace = TRACES["no scale"]
    assert list(trace.to_frame("masked", "scaled", "scores")["step"].unique()) == ["scores"]
    with pytest.raises(AttentionError, match="no 'memory' in this trace"):
        trace.to_frame("memory")


@pytest.mark.parametrize("name", TRACES)
def test_a_csv_read_back_holds_the_same_numbers(name):
    frame = TRACES[name].to_frame()
    again = pd.read_csv(io.StringIO(frame.to_csv(index=False)), dtype=dict(frame.dtypes))
    pd.testing.assert_frame_equal(again, frame, check_exact=True)


def test_a_csv_of_numbers_with_many_digits_comes_back_exactly():
    rng = np.random.default_rng(0)
    heads = [rng.standard_normal((200, 4)) * 10.0 ** rng.integers(-20, 3, (200, 1)) for _ in "qkv"]
    frame = scaled_dot_product_attention(*heads).to_frame()
    again = pd.read_csv(io.StringIO(frame.to_csv(index=False)))
    np.testing.assert_array_equal(again["value"], frame["value"])
    single = scaled_dot_product_attention(*(array.astype(np.float32) for array in heads))
    again = pd.read_csv(io.StringIO(single.to_frame("weights").to_csv(index=False)))
    np.testing.assert_array_equal(again["value"].to_numpy(np.float32), single["weights"].ravel())


def test_too_many_rows_are_refused_before_they_are_made():
    heads = [np.ones((1100, 1))] * 3
    trace = scaled_dot_product_attention(*heads)
    assert trace["scores"].size > tables.MOST_ROWS
    tracemalloc.start()
    with pytest.raises(AttentionError, match="at most 1000000 are made") as error:
        trace.to_frame("scores", "output")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error.value.code == "too_many_rows"
    assert error.value.facts == {"given": 1100 * 1100 + 1100, "most": tables.MOST_ROWS}
    assert peak < 100_000
    assert len(trace.to_frame("output")) == 1100
    small = multi_head_attention(np.eye(2), np.eye(2), np.eye(2), np.eye(2), n_heads=1)
    assert len(small.to_frame("x", most_rows=4)) == 4
    with pytest.raises(AttentionError):
        small.to_frame("x", most_rows=3)


WITHOUT_PANDAS = """
import sys
sys.modules["pandas"] = None  # an import of it fails
import attention_core, numpy
one = numpy.eye(2)
trace = attention_core.multi_head_attention(one, one, one, one, n_heads=1)
assert trace.output.shape == (2, 2)
try:
    trace.to_frame()
except ImportError as error:
    print(type(error).__name__, error.name)
"""


def test_the_library_needs_pandas_for_tables_only():
    result = subprocess.run([sys.executable, "-c", WITHOUT_PANDAS], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "ModuleNotFoundError pandas\n"), result.stderr
