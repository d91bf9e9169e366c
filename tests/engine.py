"""The browser's engine, asked from Python: one process of Node for all questions of a test module."""

import base64
import json
import subprocess
from contextlib import contextmanager

import numpy as np

from . import node

GIVEN = ("input", "parameter", "number")  # every other op computes


def lines_of(trace):
    """The plan of a trace as the browser gets it."""
    return [
        {
            "name": line.name,
            "axes": list(line.axes),
            "op": line.op,
            "inputs": list(line.inputs),
            "shape": list(trace[line.name].shape),
        }
        for line in trace.plan.lines
    ]


def pack(array):
    return base64.b64encode(np.asarray(array, "<f8").tobytes()).decode()


def unpack(text, shape=-1):
    return np.frombuffer(base64.b64decode(text), "<f8").reshape(shape)


def values_of(trace, ops=None):
    """The numbers of every step of a trace, or of those with these operations."""
    return {line.name: pack(trace[line.name]) for line in trace.plan.lines if ops is None or line.op in ops}


class Engine:
    def __init__(self, process):
        self.process = process

    def ask(self, question, **details):
        self.process.stdin.write(json.dumps({"ask": question, **details}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def carry_out(self, trace):
        """Every step, computed from what was given to `trace`, by name; and whether that failed."""
        found = self.ask("carryOut", lines=lines_of(trace), given=values_of(trace, GIVEN))
        values = {name: unpack(text, trace[name].shape) for name, text in found["values"].items()}
        return values, found["failed"]

    def explain(self, trace, cells):
        """Explanations of (step, index, decimals), made from the numbers of `trace`."""
        cells = [[name, [int(i) for i in index], decimals] for name, index, decimals in cells]
        return self.ask("explain", lines=lines_of(trace), given=values_of(trace), cells=cells)


@contextmanager
def engine():
    """Node with the engine, until the block ends."""
    command = [str(node.node()), str(node.TESTS / "engine.mjs")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", cwd=node.ROOT
    ) as process:
        try:
            yield Engine(process)
        finally:
            process.stdin.close()
