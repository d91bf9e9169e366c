"""What is taken along holds the same numbers; the script runs by itself and proves it."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest

from ui import export
from ui.presets import load_preset, preset_ids

from .varied import varied_traces

SMALL = [preset_id for preset_id in preset_ids() if preset_id not in ("textbook", "vit_base")]


def run_script(trace, tmp_path):
    path = tmp_path / "attention.py"
    path.write_bytes(export.as_numpy_script(trace))
    return subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, cwd=tmp_path)


@pytest.mark.parametrize("preset_id", SMALL)
def test_the_script_of_a_preset_proves_its_numbers(preset_id, tmp_path):
    result = run_script(load_preset(preset_id).trace(), tmp_path)
    assert result.returncode == 0, result.stderr
    assert "the output agrees" in result.stdout


@pytest.mark.parametrize(("name", "trace"), varied_traces().items())
def test_the_script_of_every_kind_of_trace_runs(name, trace):
    exec(compile(export.as_numpy_script(trace), "script", "exec"), {"print": lambda *_: None})


def test_a_wrong_number_makes_the_script_fail(tmp_path):
    path = tmp_path / "attention.py"
    script = export.as_numpy_script(load_preset("pixels_2x2").trace()).decode()
    path.write_text(script.replace("scores * scale", "scores"))
    result = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True)
    assert result.returncode != 0
    assert "Not equal to tolerance" in result.stderr


@pytest.mark.parametrize("preset_id", SMALL)
def test_files_hold_every_number(preset_id):
    trace = load_preset(preset_id).trace()
    names = [line.name for line in trace.plan.lines]
    with np.load(io.BytesIO(export.as_npz(trace)), allow_pickle=False) as saved:
        assert saved.files == names
        for name in names:
            np.testing.assert_array_equal(saved[name], trace[name])
    parts = json.loads(export.as_json(trace))
    assert [part["name"] for part in parts] == names
    for part in parts:
        value = np.array(part["value"], dtype=object)
        value = np.where(np.equal(value, None), -np.inf, value).astype(float)
        np.testing.assert_array_equal(value, trace[part["name"]].astype(float))
    rows = list(csv.DictReader(io.StringIO(export.as_csv(trace).decode())))
    assert len(rows) == sum(trace[name].size for name in names)
    weights = [float(row["value"]) for row in rows if row["name"] == "weights"]
    np.testing.assert_array_equal(weights, trace["weights"].ravel())


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum", "\t=1"])
def test_no_text_is_a_formula_to_a_spreadsheet(text):
    assert export.harmless(text) == f"'{text}"
    assert export.harmless("p0") == "p0"
