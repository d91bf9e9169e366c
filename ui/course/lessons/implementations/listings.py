"""The implementations as code in our own words: files that the tests run, and their steps one by one."""

import ast
from functools import cache
from typing import NamedTuple

from ui.paths import ASSETS

FOLDER = ASSETS / "implementations"
ENTRY = "forward"  # the function that does the attention in every file
# The names in the code that are steps; others only prepare one.
MAKES: dict[str, str] = dict.fromkeys(
    ("q", "k", "v", "qkv", "qkv_split", "q_heads", "k_heads", "v_heads"), "qkv"
)
MAKES |= {name: name for name in ("scores", "scaled", "masked", "weights", "dropped", "attended", "merged")}
MAKES |= {name: name for name in ("positioned", "projected", "residual", "output")}


class CodeStep(NamedTuple):
    """A few lines of code and what they make."""

    name: str
    code: str


@cache
def listing(name: str) -> str:
    """The whole file of an implementation."""
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


@cache
def code_steps(name: str) -> tuple[CodeStep, ...]:
    """What an implementation makes, in order, with the lines that make it and what they need first."""
    source = listing(name)
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    entry = next(function for function in functions if function.name == ENTRY)
    lines = [line.removeprefix("    ") for line in source.splitlines()]
    steps: list[CodeStep] = []
    first = entry.body[0].lineno
    for statement in entry.body[:-1]:  # the last one returns
        made = made_by(statement)
        if made is None:
            continue  # it goes with the next step
        last = statement.end_lineno or statement.lineno
        code = "\n".join(lines[first - 1 : last])
        first = last + 1
        if steps and steps[-1].name == made:
            steps[-1] = CodeStep(made, f"{steps[-1].code}\n{code}")
        else:
            steps.append(CodeStep(made, code))
    return tuple(steps)


def made_by(statement: ast.stmt) -> str | None:
    """The step of attention that a statement makes, if it makes one."""
    stored = [
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return next((MAKES[name] for name in stored if name in MAKES), None)
