"""The browser's engine, asked from Python: one process of Node for all questions of a test module, or a page."""

import base64
import json
import subprocess
from contextlib import contextmanager

import numpy as np

from . import node

GIVEN = ("input", "parameter", "number")  # every other op computes
ASKED = node.TESTS / "asked.mjs"


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


def arrays_of(trace, found):
    return {name: unpack(text, trace[name].shape) for name, text in found.items()}


class Engine:
    """What answers a request (asked.mjs): it is told as JSON, and tells as JSON."""

    def __init__(self, answer):
        self.answer = answer

    def ask(self, question, **details):
        answer = json.loads(self.answer(json.dumps({"ask": question, **details})))
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def carry_out(self, trace, **other):
        """Every step, computed from what was given to `trace`, by name; and whether that failed."""
        given = values_of(trace, GIVEN) | {name: pack(array) for name, array in other.items()}
        found = self.ask("carryOut", lines=lines_of(trace), given=given)
        return arrays_of(trace, found["values"]), found["failed"]

    def each_step(self, trace):
        """Every step that is computed, from the numbers that its inputs have in `trace`."""
        return arrays_of(trace, self.ask("eachStep", lines=lines_of(trace), values=values_of(trace)))

    def explain(self, trace, cells):
        """Explanations of (step, index, decimals), made from the numbers of `trace`."""
        cells = [[name, [int(i) for i in index], decimals] for name, index, decimals in cells]
        return self.ask("explain", lines=lines_of(trace), values=values_of(trace), cells=cells)


@contextmanager
def engine():
    """Node with the engine, until the block ends."""
    command = [str(node.node()), str(node.TESTS / "engine.mjs")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", cwd=node.ROOT
    ) as process:

        def answer(request):
            process.stdin.write(request + "\n")
            process.stdin.flush()
            return process.stdout.readline()

        try:
            yield Engine(answer)
        finally:
            process.stdin.close()


def engine_of(page):
    """The engine in a page of the app, which has none of the page's own."""
    address = "/app/tests/js/asked.mjs"  # as far from /app/static as the file is from static
    page.route(f"**{address}", lambda route: route.fulfill(path=ASKED, content_type="text/javascript"))
    page.goto("/")
    page.evaluate(f"import('{address}').then((found) => (window.answered = found.answered))")
    return Engine(
        lambda request: page.evaluate("(request) => JSON.stringify(answered(JSON.parse(request)))", request)
    )
