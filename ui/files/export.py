"""Take it with you: every intermediate as a file, and scripts that compute the same and prove it."""

import io
import json
import math
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention_core import Trace
from attention_core.trace import Line
from ui.message.code_lines import key_width, numpy_line, torch_function_line, torch_line, usual_scale
from ui.paths import ASSETS
from ui.words import Words

PIECES = ASSETS / "script" / "pieces.py"
HARMFUL = ("=", "+", "-", "@", "\t", "\r")  # our tables once had a ' before a name that begins so
MOST_WRITTEN = 200_000  # numbers that a script or a table writes out
LONGEST_LINE = 12_000  # characters: a row of a matrix, with up to 400 numbers, stays in one line
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
            numbers[~np.isfinite(value)] = None
        found.append(
            {"name": line.name, "axes": line.axes, "formula": line.formula, "inputs": line.inputs}
            | {"shape": value.shape, "value": numbers.tolist()}
        )
    return json.dumps(found, ensure_ascii=False).encode()


def as_csv(trace: Trace) -> bytes:
    """The long table of `Trace.to_frame`: one row for each number, an axis that a step lacks left empty."""
    frame = trace.to_frame(most_rows=MOST_WRITTEN)
    return frame.to_csv(index=False, lineterminator="\n").encode()


def by_index(text: str) -> str:
    """Our own table with the columns name, index, value in place of one for each axis; other text as it is.

    Most cells of the long table are empty, so this comes before whatever counts the cells of an upload.
    """
    first, *rows = text.splitlines() or [""]
    mark = next((mark for mark in "\t;," if mark in first), ",")
    if not (first.startswith(f"step{mark}") and first.endswith(f"{mark}value")):
        return text
    found = [mark.join(("name", "index", "value"))]
    for row in rows:
        name, *places, value = row.split(mark) if mark in row else (row, "")
        found.append(mark.join((name, " ".join(filter(None, places)), value)))
    return "\n".join(found)


def pieces() -> dict[str, str]:
    """The functions a script may need, each with its source."""
    parts = re.split(r"(?=^def )", PIECES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {part.removeprefix("def ").partition("(")[0]: part.rstrip() for part in parts}


class Language(NamedTuple):
    """How a script writes a step, an array, and the claim that two arrays are the same."""

    line: Callable[[Line, Trace], str]
    array: str  # opens an array
    dtype: str
    same: str


NUMPY = Language(
    numpy_line,
    "np.array(",
    "{!r}",
    "np.testing.assert_allclose({one}, {other}, rtol={close}, atol={close})",
)
TORCH = Language(
    torch_line,
    "torch.tensor(",
    "torch.{}",
    "torch.testing.assert_close({one}, {other}, rtol={close}, atol={close})",
)


def given_line(name: str, trace: Trace, language: Language) -> str:
    """What was given, to the last digit; the usual scale by its formula."""
    if name == "scale" and trace["scale"].item() == usual_scale(trace):
        return f"scale = 1 / math.sqrt({key_width(trace)})  # 1/√d_k"
    return numbers_line(name, trace[name], language)


def numbers_line(name: str, value: np.ndarray, language: Language) -> str:
    """`name = ` a number, or an array whose columns stand below each other."""
    if value.ndim == 0:
        return f"{name} = {value.item()!r}"
    opening = f"{name} = {language.array}"
    numbers = np.array2string(
        value,
        separator=", ",
        threshold=10**9,
        floatmode="unique",
        max_line_width=LONGEST_LINE,
        prefix=opening,
    )
    return f"{opening}{numbers}, dtype={language.dtype.format(value.dtype.name)})"


def too_large_for_a_script(trace: Trace) -> bool:
    """Whether the numbers are too many to be written out, in a script or in a table."""
    return sum(trace[line.name].size for line in trace.plan.lines) > MOST_WRITTEN


def as_numpy_script(trace: Trace, words: Words | None = None, address: str = "") -> bytes:
    """A script that needs NumPy only: what was given, each step by its formula, and the proof.

    It speaks the language of `words`, English without; names and numbers are code and the same in all.
    `address`: where the same state can be opened live.
    """
    called = {name for line in trace.plan.lines for name in re.findall(r"\b(\w+)\(", line.formula)}
    brought = [source for name, source in pieces().items() if name in called]
    body = script(trace, NUMPY, words or Words())
    imports = ["import numpy as np"]
    names = sorted(called & {"concatenate", "tanh", "where"}) + ["inf"] * uses(body, "inf")
    if names:
        imports.append(f"from numpy import {', '.join(sorted(names))}")
    return whole_script(address, words or Words(), imports, brought, body)


def as_torch_script(trace: Trace, words: Words | None = None, address: str = "") -> bytes:
    """The same in PyTorch; where PyTorch has a function for the whole, that is compared too."""
    words = words or Words()
    body = script(trace, TORCH, words)
    by_torch = torch_function_line(trace)
    if by_torch:
        same = {"one": "by_torch", "other": trace.step("head_outputs").name, "close": closeness(trace)}
        body += ["", f"# {words('script.by_torch')}", by_torch, TORCH.same.format(**same)]
        body += [f"print({words('script.torch_agrees')!r})"]
    imports = ["import torch"] + ["import torch.nn.functional as F"] * uses(body, "F")
    imports += ["from torch import inf"] * uses(body, "inf")
    return whole_script(address, words, imports, [], body)


def uses(body: list[str], name: str) -> bool:
    """Whether some line of code names it."""
    return any(re.search(rf"(?<![\w.]){name}\b", line.partition("#")[0]) for line in body)


def whole_script(address: str, words: Words, imports: list, brought: list, body: list[str]) -> bytes:
    """The address of the live page, what is imported, the functions that are brought along, and the body."""
    live = [f"# {words('script.live')}", f"# {address}", ""] if re.fullmatch(r"\S+", address) else []
    imports = ["import math", ""] * uses(body, "math") + imports
    functions = [line for source in brought for line in ("", "", source)]
    return "\n".join([*live, *imports, *functions, *([""] if brought else []), "", *body, ""]).encode()


def script(trace: Trace, language: Language, words: Words) -> list[str]:
    """The lines of what was given, of every step, and of the proof of each. Not for large traces."""
    if too_large_for_a_script(trace):
        raise ValueError(f"more than {MOST_WRITTEN} numbers: too large for a script")
    given = [line.name for line in trace.plan.lines if not line.inputs]
    steps = [line for line in trace.plan.lines if line.inputs]
    lines = [f"# {words('script.given')}", *(given_line(name, trace, language) for name in given)]
    lines += ["", f"# {words('script.steps')}"]
    for line in steps:
        axes = words.fact("axes", line.axes)
        lines.append(f"{language.line(line, trace)}  # {axes}: {trace[line.name].shape}")
    lines += ["", f"# {words('script.proof')}"]
    close = closeness(trace)
    for line in steps:
        lines.append(numbers_line(f"expected_{line.name}", trace[line.name], language))
        lines.append(language.same.format(one=line.name, other=f"expected_{line.name}", close=close))
    agree = words("script.agree", count=len(steps))
    if not agree.isascii():  # also where the terminal or the file it goes to has other letters
        lines += ["import sys", 'sys.stdout.reconfigure(encoding="utf-8")']
    return [*lines, f"print({agree!r})", "print(output)"]


def closeness(trace: Trace) -> str:
    """How close two ways to the same numbers come: numbers beyond 100, and their sums, cost digits."""
    computed = [line.name for line in trace.plan.lines if line.inputs and line.op != "mask"]
    largest = max(np.abs(trace[name]).max().item() for name in computed)
    lost = max(0, math.ceil(math.log10(max(largest, 1))) - 2)
    kept = (5 if trace.output.dtype == np.float32 else 12) - lost
    return f"1e-{max(kept, FEWEST_DIGITS)}"
