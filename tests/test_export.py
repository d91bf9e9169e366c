"""What is taken along holds the same numbers; a script runs by itself and proves it.

PyTorch is not needed: tests/reference/make_torch_scripts.py ran the scripts and kept their lines and outputs.
"""

import ast
import builtins
import copy
import csv
import io
import json
import math
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from ui.files import export
from ui.message import code_lines
from ui.scenario.presets import load_preset, preset_ids
from ui.state.state import State
from ui.streamlit import file_panels as files
from ui.words import Words, languages

from .reference import make_torch_scripts
from .varied import varied_traces

REAL_SIZE = ("textbook", "vit_base")
SMALL = [preset_id for preset_id in preset_ids() if preset_id not in REAL_SIZE]
TRACES = make_torch_scripts.traces()
RUN_BY_TORCH = json.loads(make_torch_scripts.FILE.read_text(encoding="utf-8"))["scripts"]


def run_script(trace, tmp_path):
    path = tmp_path / "attention.py"
    path.write_bytes(export.as_numpy_script(trace))
    return subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, cwd=tmp_path)


@pytest.mark.parametrize("preset_id", SMALL)
def test_the_script_of_a_preset_proves_its_numbers(preset_id, tmp_path):
    result = run_script(load_preset(preset_id).trace(), tmp_path)
    assert result.returncode == 0, result.stderr
    assert "steps agree" in result.stdout


@pytest.mark.parametrize(("name", "trace"), varied_traces().items())
def test_the_script_of_every_kind_of_trace_runs(name, trace):
    exec(compile(export.as_numpy_script(trace), "script", "exec"), {"print": lambda *_: None})


def test_a_wrong_number_makes_the_script_fail(tmp_path):
    path = tmp_path / "attention.py"
    script = export.as_numpy_script(load_preset("pixels_2x2").trace()).decode()
    path.write_text(script.replace("scores * scale", "scores"), encoding="utf-8")
    result = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True)
    assert result.returncode != 0
    assert "assert_allclose(scaled, expected_scaled" in result.stderr


@pytest.mark.parametrize("name", TRACES)
def test_a_wrong_number_in_any_step_is_noticed(name):
    """Each claim of the NumPy script is about its own step: with one number of it spoiled, it fails."""
    trace = TRACES[name]
    statements = map(ast.unparse, ast.parse(export.as_numpy_script(trace)).body)
    claims = [statement for statement in statements if "assert_allclose" in statement]
    computed = [line.name for line in trace.plan.lines if line.inputs]
    assert len(claims) == len(computed)
    for step, claim in zip(computed, claims, strict=True):
        known = {"np": np, step: trace[step].copy(), f"expected_{step}": trace[step]}
        exec(claim, known)
        last = known[step].flat[-1]
        known[step].flat[-1] = 0 if np.isneginf(last) else last + 0.01 * (1 + abs(last))
        with pytest.raises(AssertionError):
            exec(claim, known)


@pytest.mark.parametrize("make", [export.as_numpy_script, export.as_torch_script])
@pytest.mark.parametrize("name", TRACES)
def test_every_import_of_a_script_is_used(make, name):
    tree = ast.parse(make(TRACES[name]))
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in imports for alias in node.names}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    brought = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert imported | brought <= used
    assert used - set(dir(builtins)) <= imported | brought | names_given(tree)


def names_given(tree):
    """What a script, or a function of it, gives a name to."""
    nodes = list(ast.walk(tree))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in nodes if isinstance(node, ast.arg)}


@pytest.mark.parametrize("make", [export.as_numpy_script, export.as_torch_script])
def test_the_usual_scale_is_written_by_its_formula(make):
    assert "\nscale = 1 / math.sqrt(2)  # 1/√d_k\n" in make(TRACES["preset pixels_2x2"]).decode()
    own = make(TRACES["varied sdpa, mask of one axis"]).decode()
    assert "\nscale = -0.3\n" in own
    assert "math" not in own


@pytest.mark.parametrize("make", [export.as_numpy_script, export.as_torch_script])
@pytest.mark.parametrize("name", TRACES)
def test_the_numbers_of_an_array_stand_below_each_other(make, name):
    """The rows of an array begin in one column, and so do its second numbers, its third ones, and so on."""
    script = make(TRACES[name]).decode()
    arrays = re.findall(r"^\w+ = (?:np\.array|torch\.tensor)\([^d]*, dtype", script, re.MULTILINE)
    assert arrays
    for text in arrays:
        rows = [row for row in text.splitlines() if row]
        begins = {row.rindex("[") for row in rows}
        assert len(begins) == 1
        [begin] = begins
        inside = [row[begin : row.index("]")] for row in rows]
        assert len({tuple(mark.start() for mark in re.finditer(",", row)) for row in inside}) == 1


@pytest.mark.parametrize("make", [export.as_numpy_script, export.as_torch_script])
@pytest.mark.parametrize("language", languages())
def test_a_script_says_where_its_state_is_live(make, language):
    trace, words, address = TRACES["preset causal"], Words(language), "https://school.example/lab?s=2.abc"
    script = make(trace, words, address).decode()
    assert script.splitlines()[:2] == [f"# {words('script.live')}", f"# {address}"]
    assert ast.dump(ast.parse(script)) == ast.dump(ast.parse(make(trace, words)))
    assert words("script.live") not in make(trace, words).decode()


@pytest.mark.parametrize("address", ["https://a.example/\nprint(1)", "https://a.example/\rprint(1)", "a b"])
def test_an_address_that_is_more_than_one_word_is_left_out(address):
    trace = TRACES["preset causal"]
    assert export.as_numpy_script(trace, address=address) == export.as_numpy_script(trace)


@pytest.mark.parametrize("preset_id", REAL_SIZE)
@pytest.mark.parametrize("make", [export.as_numpy_script, export.as_torch_script])
def test_real_size_is_too_large_for_a_script(preset_id, make):
    trace = load_preset(preset_id).trace()
    assert export.too_large_for_a_script(trace)
    with pytest.raises(ValueError, match="too large for a script"):
        make(trace)


def test_large_numbers_are_compared_with_fewer_digits():
    found = {name: export.closeness(trace) for name, trace in TRACES.items()}
    assert found["preset pixels_2x2"] == found["varied cross, -1e9"] == "1e-12"
    assert found["more float32"] == "1e-5"
    assert found["varied sdpa, large scores"] == "1e-7"


@pytest.fixture
def taken_along(monkeypatch):
    """What the panel offers for a preset, as functions by key."""
    made = {}
    monkeypatch.setattr(
        files.st, "download_button", lambda _, make, **options: made.setdefault(options["key"], make)
    )
    monkeypatch.setattr(files.st, "caption", lambda _: None)
    monkeypatch.setattr(files, "live_address", lambda _: "https://school.example/lab?s=2.abc")

    def offer(preset_id):
        files.take_along(None, State(load_preset(preset_id), ""), Words())
        return made

    return offer


def test_the_panel_gives_scripts_the_address_of_the_page(taken_along):
    made = taken_along("causal")
    for kind in ("script", "torch"):
        assert b"\n# https://school.example/lab?s=2.abc\n" in made[f"lab_take_{kind}"]()
    assert made["lab_take_csv"]().startswith(b"step,token,")


@pytest.mark.parametrize("preset_id", REAL_SIZE)
def test_the_panel_offers_neither_scripts_nor_a_table_of_real_sizes(preset_id, taken_along):
    assert set(taken_along(preset_id)) == {"take_handout", "lab_take_npz", "lab_take_json"}


# In PyTorch


def parts(trace):
    return [*trace.steps, *trace.parameters.values()]


@pytest.mark.parametrize("name", TRACES)
def test_every_step_is_a_line_in_both_languages(name):
    trace = TRACES[name]
    for part in parts(trace):
        lines = [write(part, trace) for write in (code_lines.numpy_line, code_lines.torch_line)]
        if not part.inputs:
            assert lines == ["", ""]
            continue
        assert lines[0] == f"{part.name} = {part.formula}"
        [statement] = ast.parse(lines[1]).body
        assert ast.unparse(statement.targets) == part.name
        names = {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
        assert names - {"torch", "F"} == set(part.inputs)


def test_every_operation_has_one_rule_and_every_rule_an_operation():
    rules = [*code_lines.ALIKE, *code_lines.TEMPLATES, *code_lines.RULES]
    met = {part.op for trace in varied_traces().values() for part in parts(trace) if part.inputs}
    assert sorted(rules) == sorted(met)


def test_every_script_was_run_by_torch():
    names = {f"preset {preset_id}" for preset_id in SMALL} | {f"varied {name}" for name in varied_traces()}
    assert names <= set(TRACES)
    assert set(TRACES) == set(RUN_BY_TORCH), "tests/reference/make_torch_scripts.py runs what is new"


@pytest.mark.parametrize("name", TRACES)
def test_the_torch_script_is_the_one_that_was_run(name):
    script = export.as_torch_script(TRACES[name])
    assert make_torch_scripts.computing_lines(script) == RUN_BY_TORCH[name]["lines"]


@pytest.mark.parametrize("name", TRACES)
def test_torch_computed_our_output(name):
    stored = RUN_BY_TORCH[name]
    close = stored["close"]
    np.testing.assert_allclose(stored["output"], TRACES[name].output.ravel(), rtol=close, atol=close)


@pytest.mark.parametrize("name", TRACES)
def test_every_number_is_in_the_torch_script(name):
    """PyTorch's arrays are written as NumPy's are: read by NumPy, they are what was given, and the output."""
    trace, found = TRACES[name], {}
    for statement in ast.parse(export.as_torch_script(trace)).body:
        if make_torch_scripts.holds_numbers(statement):
            text = ast.unparse(statement).replace("torch.tensor", "np.array").replace("torch.", "np.")
            exec(text, {"np": np, "math": math, "inf": np.inf}, found)
    given = {part.name for part in parts(trace) if not part.inputs}
    computed = {part.name for part in parts(trace) if part.inputs}
    assert set(found) == given | {f"expected_{name}" for name in computed}
    for name, value in found.items():
        np.testing.assert_array_equal(np.asarray(value), trace[name.removeprefix("expected_")], strict=True)


@pytest.mark.parametrize("op", [*code_lines.TEMPLATES, *code_lines.RULES])
def test_a_line_that_was_not_run_is_noticed(op, monkeypatch):
    met = [name for name, trace in TRACES.items() if op in {line.op for line in trace.plan.lines}]
    if op in code_lines.TEMPLATES:
        monkeypatch.setitem(code_lines.TEMPLATES, op, "{0}.flip(-1)")
    else:
        monkeypatch.setitem(code_lines.RULES, op, lambda line, trace: f"{line.inputs[0]}.flip(-1)")
    assert met
    for name in met:
        script = export.as_torch_script(TRACES[name])
        assert make_torch_scripts.computing_lines(script) != RUN_BY_TORCH[name]["lines"]


def test_the_check_of_the_stored_scripts_notices():
    make_torch_scripts.check(RUN_BY_TORCH)
    for spoil in (
        lambda scripts: scripts.popitem(),
        lambda scripts: scripts["preset causal"]["lines"].pop(),
        lambda scripts: scripts["preset causal"]["output"].__setitem__(0, 0.123),
    ):
        spoiled = copy.deepcopy(RUN_BY_TORCH)
        spoil(spoiled)
        with pytest.raises(AssertionError):
            make_torch_scripts.check(spoiled)


@pytest.mark.parametrize("name", TRACES)
def test_nan_is_replaced_only_where_a_row_has_nothing_to_look_at(name):
    trace = TRACES[name]
    line = code_lines.torch_line(trace.step("weights"), trace)
    assert ("nan_to_num" in line) == (not trace["weights"].any(axis=-1).all())


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("preset pixels_2x2", "q_heads, k_heads, v_heads, scale=scale"),
        ("preset causal", "q_heads, k_heads, v_heads, attn_mask=visible, scale=scale"),
        ("preset grouped_query", "q_heads, k_heads, v_heads, scale=scale, enable_gqa=True"),
        ("varied no scale", "q_heads, k_heads, v_heads, scale=1.0"),
        (
            "varied sdpa, mask of one axis",
            "q_heads, k_heads, v_heads, attn_mask=attn_mask[None], scale=scale",
        ),
        (
            "varied fused with a cache",
            "q_heads, present_key, present_value, attn_mask=visible, scale=scale",
        ),
        (
            "more both masks",
            "q_heads, k_heads, v_heads, attn_mask=torch.where(visible, attn_mask, -torch.inf), scale=scale",
        ),
    ],
)
def test_the_function_of_torch_takes_the_same(name, given):
    line = code_lines.torch_function_line(TRACES[name])
    assert line == f"by_torch = F.scaled_dot_product_attention({given})"
    assert line in export.as_torch_script(TRACES[name]).decode()


@pytest.mark.parametrize(
    "name",
    [
        "preset conv_4_to_8",  # channels first
        "preset nothing_to_look_at",
        "varied cross, -1e9",
        "varied gqa and everything",  # softcap
        "varied sdpa, large scores",  # dropout
        "varied sdpa, additive -inf",  # a row of -inf
    ],
)
def test_the_function_of_torch_is_left_out_where_it_does_something_else(name):
    assert code_lines.torch_function_line(TRACES[name]) == ""
    assert "scaled_dot_product" not in export.as_torch_script(TRACES[name]).decode()


# Files


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
    for row in rows:
        step = trace.step(row["step"])
        index = tuple(int(row[axis]) for axis in step.axes)
        assert float(row["value"]) == step.value[index]
        assert not any(row[axis] for axis in set(row) - {"step", "value", *step.axes})


@pytest.mark.parametrize("preset_id", SMALL)
def test_a_table_read_back_is_the_same_table(preset_id):
    frame = load_preset(preset_id).trace().to_frame()
    content = io.BytesIO(export.as_csv(load_preset(preset_id).trace()))
    again = pd.read_csv(content, dtype=dict(frame.dtypes))
    pd.testing.assert_frame_equal(again, frame, check_exact=True)


def test_a_table_whose_columns_are_axes_is_read_by_index():
    table = "step,head,query,value\nweights,0,1,0.5\nscale,,,-inf\nx,,2,1\n"
    assert export.by_index(table) == "name,index,value\nweights,0 1,0.5\nscale,,-inf\nx,2,1"
    for mark in ";\t":
        assert export.by_index(table.replace(",", mark)) == export.by_index(table).replace(",", mark)
    for other in ("", "step\n1", "1,2\n3,4", "name,index,value\na,0,1", "step,head\n1,2"):
        assert export.by_index(other) == other
    assert export.by_index("step,head,value\ncut\n") == "name,index,value\ncut,,"


@pytest.mark.parametrize(("name", "trace"), varied_traces().items())
def test_the_lines_shown_need_numpy_alone_and_give_the_numbers(name, trace):
    known = {line.name: trace[line.name] for line in trace.plan.lines if not line.inputs}
    known = {key: value.item() if value.ndim == 0 else value for key, value in known.items()} | {"np": np}
    with np.errstate(invalid="ignore"):
        for step in trace.steps:
            if step.inputs:
                exec(code_lines.numpy_lines(step, trace), known)
                np.testing.assert_allclose(known[step.name], step.value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("language", languages())
def test_a_script_speaks_the_language_of_the_learner(language, tmp_path):
    trace, words = load_preset("pixels_2x2").trace(), Words(language)
    path = tmp_path / "attention.py"
    path.write_bytes(export.as_numpy_script(trace, words))
    result = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, cwd=tmp_path, env={})
    assert result.returncode == 0, result.stderr
    assert words("script.agree", count=sum(bool(line.inputs) for line in trace.plan.lines)) in (
        result.stdout.decode("utf-8")
    )
    script = export.as_torch_script(trace, words).decode()
    comments = re.findall(r"(?<=# ).+", script)
    assert comments[0] == words("script.given")
    assert words("script.by_torch") in comments
    assert any(words("axis.query") in comment for comment in comments)
    english = export.as_torch_script(trace).decode()
    assert code_alone(script) == code_alone(english)  # names and numbers are the same everywhere


def code_alone(script):
    """The statements of a script, without comments and what is printed."""
    told = ("print", "import sys", "sys.")
    return [line for line in map(ast.unparse, ast.parse(script).body) if not line.startswith(told)]
