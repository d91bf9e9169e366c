"""Take it with you: every intermediate as a file, and a script that computes the same and proves it."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np

from attention_core import Trace

PIECES = Path(__file__).parent.parent / "assets" / "script" / "pieces.py"
HARMFUL = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would take a text that begins so for a formula


def everything(trace: Trace) -> dict[str, np.ndarray]:
    """Steps and parameters by name, in order of flow."""
    return {line.name: trace[line.name] for line in trace.plan.lines}


def as_npz(trace: Trace) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **everything(trace))
    return file.getvalue()


def as_json(trace: Trace) -> bytes:
    """Name, axes, formula and numbers of everything; -inf, which JSON does not know, is null."""
    found = []
    for line in trace.plan.lines:
        value = trace[line.name]
        numbers = value.astype(object)
        if value.dtype.kind == "f":
            numbers = np.where(np.isfinite(value), value, None)
        found.append(
            {"name": line.name, "axes": line.axes, "formula": line.formula, "inputs": line.inputs}
            | {"shape": value.shape, "value": numbers.tolist()}
        )
    return json.dumps(found, ensure_ascii=False).encode()


def as_csv(trace: Trace) -> bytes:
    """One row per number: name, index, value."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["name", "index", "value"])
    for name, value in everything(trace).items():
        for index in np.ndindex(value.shape):
            writer.writerow([harmless(name), harmless(" ".join(map(str, index))), repr(value[index].item())])
    return file.getvalue().encode()


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(HARMFUL) else text


def pieces() -> dict[str, str]:
    """The functions a script may need, each with its source."""
    parts = re.split(r"(?=^def )", PIECES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {re.match(r"def (\w+)", part)[1]: part.rstrip() for part in parts}


def literal(value: np.ndarray) -> str:
    """A number or an array as Python writes it, to the last digit."""
    if value.ndim == 0:
        return repr(value.item()).replace("inf", "np.inf")
    text = np.array2string(value, separator=", ", threshold=10**9, floatmode="unique", max_line_width=100)
    return f"np.array({text.replace('inf', 'np.inf')}, dtype={value.dtype.name!r})"


def as_numpy_script(trace: Trace) -> bytes:
    """A script that needs NumPy only: what was given, each step by its formula, and the proof."""
    used = {name for line in trace.plan.lines for name in re.findall(r"\b(\w+)\(", line.formula)}
    known = pieces()
    needed = [name for name in known if name in used]
    lines = ["import numpy as np", "from numpy import concatenate, tanh, where", ""]
    for name in needed:
        lines += ["", known[name], ""]
    lines += ["", "# What was given"]
    proofs = []
    for line in trace.plan.lines:
        value = trace[line.name]
        if line.inputs:
            lines.append(f"{line.name} = {line.formula}  # {', '.join(line.axes)}: {value.shape}")
            proofs.append(line.name)
            if len(proofs) == 1:
                lines.insert(-1, "\n# Every step")
        else:
            lines.append(f"{line.name} = {literal(value)}")
    tolerance = "1e-5" if trace.output.dtype == np.float32 else "1e-12"
    lines += ["", "# The proof: the numbers that were on the screen", f"expected = {literal(trace.output)}"]
    lines += [f"np.testing.assert_allclose(output, expected, rtol={tolerance}, atol={tolerance})"]
    lines += [f'print("all {len(proofs)} steps computed; the output agrees")', "print(output)", ""]
    return "\n".join(lines).encode()
