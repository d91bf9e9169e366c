"""Writes torch_scripts.json beside this file, for tests/test_export.py: what the PyTorch scripts compute.

Run by hand, on a CPU, from the folder of the project; nothing else in the project needs PyTorch:

    pip install torch==2.13.0 numpy
    PYTHONPATH=. python tests/reference/make_torch_scripts.py            # write the file
    PYTHONPATH=. python tests/reference/make_torch_scripts.py --check    # compare with the file instead

There is a script for every preset that is not too large for one and for every trace of tests/varied.py. Each
is run, so its own proofs hold; here every step is compared too. The file keeps the lines that compute and the
output, to 12 digits: the tests see without PyTorch that today's scripts have these lines and our numbers.
"""

import argparse
import ast
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

from attention_core import Trace, scaled_dot_product_attention
from tests.varied import varied_traces
from ui.files import export
from ui.scenario.presets import load_preset, preset_ids

FILE = Path(__file__).with_name("torch_scripts.json")
TORCH = "2.13.0"
DIGITS = 12


def more_traces() -> dict[str, Trace]:
    """What only a script needs to show: float32, and the masks that PyTorch's own function takes."""
    rng = np.random.default_rng(5)
    heads = [rng.standard_normal((2, 2, 3, 4)) for _ in "qkv"]
    in_float32 = [array.astype(np.float32) for array in heads]
    added = rng.standard_normal((3, 3))
    sdpa = scaled_dot_product_attention
    return {
        "float32": sdpa(*in_float32, attn_mask=added, is_causal=True, softcap=3.0, dropout_p=0.2, rng=1),
        "float32, plain": sdpa(*in_float32, is_causal=True),
        "both masks": sdpa(*heads, attn_mask=added, is_causal=True),
        "a mask of one axis": sdpa(*heads, attn_mask=np.array([True, False, True])),
        "both masks, a row with nothing to look at": sdpa(
            *heads, attn_mask=np.array([-np.inf, 0.5, -1.0]), is_causal=True
        ),
    }


def traces() -> dict[str, Trace]:
    """What there is a script of, by name."""
    found = {f"preset {preset_id}": load_preset(preset_id).trace() for preset_id in preset_ids()}
    found |= {f"varied {name}": trace for name, trace in varied_traces().items()}
    found |= {f"more {name}": trace for name, trace in more_traces().items()}
    return {name: trace for name, trace in found.items() if not export.too_large_for_a_script(trace)}


def computing_lines(script: bytes) -> list[str]:
    """The lines of a script but for those that hold numbers only."""
    statements = ast.parse(script).body
    return [ast.unparse(statement) for statement in statements if not holds_numbers(statement)]


def holds_numbers(statement: ast.stmt) -> bool:
    """Whether it names numbers written out: `scale = 1 / math.sqrt(2)`, `x = torch.tensor(...)`."""
    names = {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)}
    return isinstance(statement, ast.Assign) and names <= {"torch", "math", "inf", statement.targets[0].id}


def run(name: str, trace: Trace) -> dict:
    """The lines of a trace's script and the output that PyTorch computes by them."""
    script = export.as_torch_script(trace)
    found = {"print": lambda *_: None}
    exec(compile(script, name, "exec"), found)
    close = float(export.closeness(trace))
    for line in trace.plan.lines:
        told = f"{name}: {line.name}"
        np.testing.assert_allclose(found[line.name], trace[line.name], rtol=close, atol=close, err_msg=told)
    output = [float(f"{number:.{DIGITS}g}") for number in found["output"].flatten().tolist()]
    return {"lines": computing_lines(script), "close": max(close, 10.0 ** (1 - DIGITS)), "output": output}


def check(scripts: dict[str, dict]) -> None:
    """Raises unless the file has the lines of `scripts` and their numbers, up to the last digits."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))["scripts"]
    assert set(stored) == set(scripts), "other scripts than stored"
    for name, script in scripts.items():
        assert stored[name]["lines"] == script["lines"], f"{name}: other lines than stored"
        close = script["close"]
        np.testing.assert_allclose(script["output"], stored[name]["output"], close, close, err_msg=name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the stored file, write nothing")
    arguments = parser.parse_args()
    found = version("torch")
    assert found.split("+")[0] == TORCH, f"torch {TORCH} is needed, this is {found}"
    scripts = {name: run(name, trace) for name, trace in traces().items()}
    if arguments.check:
        check(scripts)
    else:
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(script)}" for name, script in scripts.items())
        FILE.write_text(f'{{"torch": "{TORCH}", "scripts": {{\n{rows}\n}}}}\n', encoding="utf-8")
    print(f"{len(scripts)} scripts, {FILE.stat().st_size} bytes in {FILE.name}")


if __name__ == "__main__":
    main()
