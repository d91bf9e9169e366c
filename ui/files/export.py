"""Take it with you: every intermediate as a file, and scripts that compute the same and prove it."""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from attention_core import Trace
from attention_core.trace import Line
from ui.message.code_lines import numpy_line, torch_function_line, torch_line
from ui.paths import ASSETS
from ui.words import Words

PIECES = ASSETS / "script" / "pieces.py"
HARMFUL = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would take a text that begins so for a formula
MOST_GIVEN = 200_000  # numbers that a script writes out
FEWEST_DIGITS = 3  # with fewer in common, nothing would be proved


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


class Language(NamedTuple):
    """How a script writes a step, an array, infinity, and the claim that two arrays are the same."""

    line: Callable[[Line, Trace], str]
    array: str
    infinity: str
    same: str


NUMPY = Language(
    numpy_line,
    "np.array({numbers}, dtype={dtype!r})",
    "np.inf",
    "np.testing.assert_allclose({one}, {other}, rtol={close}, atol={close})",
)
TORCH = Language(
    torch_line,
    "torch.tensor({numbers}, dtype=torch.{dtype})",
    "torch.inf",
    "torch.testing.assert_close({one}, {other}, rtol={close}, atol={close})",
)


def literal(value: np.ndarray, language: Language) -> str:
    """A number or an array as Python writes it, to the last digit."""
    if value.ndim == 0:
        return repr(value.item()).replace("inf", language.infinity)
    text = np.array2string(value, separator=", ", threshold=10**9, floatmode="unique", max_line_width=100)
    numbers = text.replace("inf", language.infinity)
    return language.array.format(numbers=numbers, dtype=value.dtype.name)


def too_large_for_a_script(trace: Trace) -> bool:
    """Whether the numbers that were given are too many to be written out."""
    given = (trace[line.name].size for line in trace.plan.lines if not line.inputs)
    return sum(given) > MOST_GIVEN


def as_numpy_script(trace: Trace, words: Words | None = None) -> bytes:
    """A script that needs NumPy only: what was given, each step by its formula, and the proof.

    It speaks the language of `words`, English without; names and numbers are code and the same in all.
    """
    used = {name for line in trace.plan.lines for name in re.findall(r"\b(\w+)\(", line.formula)}
    opening = ["import numpy as np", "from numpy import concatenate, tanh, where", ""]
    for name, source in pieces().items():
        if name in used:
            opening += ["", source, ""]
    return script(trace, NUMPY, words or Words(), opening)


def as_torch_script(trace: Trace, words: Words | None = None) -> bytes:
    """The same in PyTorch; where PyTorch has a function for the whole, that is compared too."""
    words = words or Words()
    opening = ["import torch", "import torch.nn.functional as F", ""]
    by_torch = torch_function_line(trace)
    if not by_torch:
        return script(trace, TORCH, words, opening)
    same = TORCH.same.format(one="by_torch", other=trace.step("head_outputs").name, close=closeness(trace))
    agrees = f"print({words('script.torch_agrees')!r})"
    ending = ["", f"# {words('script.by_torch')}", by_torch, same, agrees]
    return script(trace, TORCH, words, opening, ending)


def script(
    trace: Trace, language: Language, words: Words, opening: list[str], ending: Iterable[str] = ()
) -> bytes:
    """What was given, every step and the proof, between an opening and an ending. Not for large traces."""
    if too_large_for_a_script(trace):
        raise ValueError(f"more than {MOST_GIVEN} numbers were given: too large for a script")
    given = [line for line in trace.plan.lines if not line.inputs]
    steps = [line for line in trace.plan.lines if line.inputs]
    lines = [*opening, "", f"# {words('script.given')}"]
    lines += [f"{line.name} = {literal(trace[line.name], language)}" for line in given]
    lines += ["", f"# {words('script.steps')}"]
    for line in steps:
        axes = words.fact("axes", line.axes)
        lines.append(f"{language.line(line, trace)}  # {axes}: {trace[line.name].shape}")
    lines += ["", f"# {words('script.proof')}"]
    lines += [f"expected = {literal(trace.output, language)}"]
    lines += [language.same.format(one="output", other="expected", close=closeness(trace))]
    agrees = words("script.agrees", count=len(steps))
    if not agrees.isascii():  # also where the terminal or the file it goes to has other letters
        lines += ["import sys", 'sys.stdout.reconfigure(encoding="utf-8")']
    lines += [f"print({agrees!r})", "print(output)", *ending, ""]
    return "\n".join(lines).encode()


def closeness(trace: Trace) -> str:
    """How close two ways to the same numbers come: numbers beyond 100, and their sums, cost digits."""
    computed = [line.name for line in trace.plan.lines if line.inputs and line.op != "mask"]
    largest = max(np.abs(trace[name]).max().item() for name in computed)
    lost = max(0, math.ceil(math.log10(max(largest, 1))) - 2)
    kept = (5 if trace.output.dtype == np.float32 else 12) - lost
    return f"1e-{max(kept, FEWEST_DIGITS)}"
