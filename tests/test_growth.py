"""No text makes a pattern or a reader of ours take more than a time that grows with its length.

Times are compared with each other, never with a clock: a text eight times as long may take somewhat more than
eight times as long, where one that is tried in all ways would take 64 times as long or more. Only the time of
our own thread counts, so that a busy machine changes little.
"""

import ast
import base64
import re
import time
import zlib
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import attention_core
import ui
from ui import numbers
from ui.course.engine import prose
from ui.course.exercises import grading
from ui.course.exercises.exercise import Exercise, Grid
from ui.files.upload import MOST_NPY_HEADER, MOST_TEXT, UploadError, tensors_in
from ui.numbers import Marks, NumberError
from ui.scenario.link import MOST_BYTES, LinkError, read_link
from ui.scenario.link import MOST_CHARACTERS as MOST_IN_A_LINK
from ui.streamlit import private
from ui.streamlit.file_panels import as_plain

ROOT = Path(__file__).parents[1]
METHODS = {"match", "fullmatch", "search", "findall", "finditer", "split", "sub"}
# These read only what we wrote and may take longer.
OURS = {
    r"\s*\n\s*",  # words
    r"\n\s*\n",
    prose.PIECE.pattern,
    r":(blue|orange|green)\[((?:[^\]])+)\]|\*\*(.+?)\*\*|`([^`]+)`",
    r"\\mathrm\{[^}]*\}|\\[a-zA-Z]+|\\.|[\d.](?:[\d.]|\{,\}(?=\d))*|\S",  # formulas
    r"\.?0+$",  # a number that was just written, of some twenty digits
    r"`\./(\S+?)\.js\$\{own\}`",  # scripts
    r"<script>(.*?)</script>",  # Streamlit's first page
}
LONGER, MOST_TIMES = 8, 24
BEGINNINGS = ("", "1", "a", "“", "x[0", "http://a")
REPEATED = (" ", "1", "a", "“", "`", "/", ", 1", ".a", "1/", "\n", "x[", "{a", "\\mathrm{", "1\u202f111", "-")
REPEATED += (
    "0",
    "[[a|",
    "x[0, ",
    "$",
    "**a",
    ":blue[",
    "`./a",
    "<script>a",
    "www",
    "1'111",
    "1·10",
    "/static/a",
)
ENDS = ("", "!")


def patterns_of(source):
    """The patterns of a module that are written out, each with the ways it is used."""
    named, found = {}, set()
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    calls = [(call, call.func) for call in calls if isinstance(call.func, ast.Attribute)]
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="compile"))):
                named[name] = node.value.args[0]
    for call, function in calls:
        match function:
            case ast.Attribute(value=ast.Name(id="re"), attr=method) if method in METHODS:
                pattern = call.args[0]
            case ast.Attribute(value=ast.Name(id=name), attr=method) if name in named and method in METHODS:
                pattern = named[name]
            case _:
                continue
        if isinstance(pattern, ast.Constant):
            found.add((pattern.value, "fullmatch" if method == "fullmatch" else "finditer"))
    return found


def scripts_of_ours():
    return [path for path in sorted((ROOT / "static").rglob("*.js")) if "plotly" not in path.name]


def patterns_of_scripts():
    """The patterns between slashes in our scripts; those of numbers and letters mean the same in Python."""
    literal = re.compile(
        r"(?<=[(,=:!?&|] |.[(!])/((?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/[gimsuy]*[.,)]"
    )
    text = "".join(path.read_text("utf-8") for path in scripts_of_ours())
    return {(pattern, "finditer") for pattern in literal.findall(text)}


def compiled_patterns():
    """The patterns that modules hold, also those put together from parts or used elsewhere."""
    rooms = [walk_packages(room.__path__, f"{room.__name__}.") for room in (ui, attention_core)]
    modules = [import_module(module.name) for room in rooms for module in room]
    held = [value for module in modules for value in vars(module).values()]
    return {value.pattern for value in held if isinstance(value, re.Pattern)}


def all_patterns():
    found = patterns_of_scripts()
    for path in sorted(path for room in ("ui", "attention_core") for path in (ROOT / room).rglob("*.py")):
        found |= patterns_of(path.read_text("utf-8"))
    found |= {(numbers.KEPT_OR_RUN.pattern, "finditer")}
    known = {pattern for pattern, _ in found}
    found |= {(pattern, "fullmatch") for pattern in compiled_patterns() if pattern not in known}
    plain = {
        (str(pattern, "ascii") if isinstance(pattern, bytes) else pattern, way) for pattern, way in found
    }
    return sorted((pattern, way) for pattern, way in plain if pattern not in OURS)


def best_time(call, text, tries):
    times = []
    for _ in range(tries):
        start = time.thread_time()
        call(text)
        times.append(time.thread_time() - start)
    return min(times)


def grows_with_the_length(call, made, length):
    """Whether a text of `length` takes about as many times longer as it is longer, in the best of tries."""
    short = long = float("inf")
    for _ in range(6):  # a busy machine only adds to a time, so the least is nearest to the truth
        short = min(short, best_time(call, made(length // LONGER), tries=9))
        long = min(long, best_time(call, made(length), tries=3))
        if long < MOST_TIMES * short:
            return True
    return False


def walked(pattern, way):
    compiled = re.compile(pattern)
    if way == "fullmatch":
        return compiled.fullmatch
    return lambda text: sum(1 for _ in compiled.finditer(text))


def test_the_patterns_are_found():
    patterns = {pattern for pattern, _ in all_patterns()}
    assert {r"\{(\w+)\}", r"(\d{1,6}( \d{1,6}){0,7})?"} <= patterns
    assert {numbers.DECIMAL.pattern, numbers.GROUPED.pattern, private.FILE.pattern} <= patterns
    assert len(patterns) > 30
    assert patterns.isdisjoint(OURS)


def test_a_pattern_that_grows_faster_is_seen():
    assert not grows_with_the_length(walked(r"\s*/\s*", "finditer"), lambda n: " " * n, 4000)


@pytest.mark.parametrize(("pattern", "way"), all_patterns())
def test_a_pattern_takes_a_time_that_grows_with_the_text(pattern, way):
    call = walked(pattern, way)
    for beginning in BEGINNINGS:
        for part in REPEATED:
            for end in ENDS:
                made = lambda n, b=beginning, p=part, e=end: b + p * (n // len(p)) + e  # noqa: E731
                assert grows_with_the_length(call, made, 4000), (beginning, part, end)


def refusing(read):
    """A reader whose refusal is an answer."""

    def call(text):
        try:
            return read(text)
        except (NumberError, UploadError, LinkError):
            return None

    return call


def answered(kind):
    return lambda text: grading.read_answer(
        Exercise("easy", kind, "", (Grid("", ((1.0,),)),), (0.0, 0.0)), text
    )


def npy_with(header):
    text = header.encode("ascii", "replace")
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def deflated(text):
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(text.encode()) + packer.flush()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


READERS = {
    "a pasted block": (numbers.parse_block, numbers.MOST_CHARACTERS),
    "a number": (numbers.parse_number, numbers.MOST_CHARACTERS),
    "a row": (lambda text: grading.read_row(text, 3), numbers.MOST_CHARACTERS),
    "an answer that is a shape": (answered("shape"), numbers.MOST_CHARACTERS),
    "an answer that is a place": (answered("wrong"), numbers.MOST_CHARACTERS),
    "a sentence": (lambda text: numbers.in_marks(text, Marks(",", ".", "; ")), numbers.MOST_CHARACTERS),
    "a sentence in Markdown": (as_plain, numbers.MOST_CHARACTERS),
    "sizes": (numbers.read_sizes, numbers.MOST_CHARACTERS),
    "a link": (lambda text: read_link("1" + text), MOST_IN_A_LINK - 1),
    "the inside of a link": (lambda text: read_link("1" + deflated(text)), MOST_BYTES),
    "the header of a .npy": (lambda text: tensors_in("a.npy", npy_with(text)), MOST_NPY_HEADER - 20),
    "the inside of a header": (
        lambda text: tensors_in("a.npy", npy_with("{'shape': (" + text + "), }")),
        MOST_NPY_HEADER - 40,
    ),
    "the name of a file": (lambda text: tensors_in(text, b""), MOST_TEXT),
    "a csv": (lambda text: tensors_in("a.csv", text.encode()), MOST_TEXT),
    "a txt": (lambda text: tensors_in("a.txt", text.encode()), MOST_TEXT),
    "a json": (lambda text: tensors_in("a.json", text.encode()), MOST_TEXT),
}
HOSTILE = {
    "spaces": lambda n: "1" + " " * (n - 10) + "a",
    "spaces before a fraction": lambda n: "1/" + " " * (n - 10) + "2 x",
    "spaces and signs": lambda n: "1 " + " ×" * (n // 2 - 10) + "a",
    "digits": lambda n: "1" * (n - 1) + "a",
    "quotes": lambda n: "“" * n,
    "quotation marks": lambda n: '1,"' + '""' * (n // 2 - 10),
    "open quotes": lambda n: '"a\n' * (n // 3),
    "groups": lambda n: "1" + "\u202f111" * (n // 4 - 1) + "a",
    "commas": lambda n: "1," * (n // 2 - 1) + "a",
    "brackets": lambda n: "[" * n,
    "lines": lambda n: "1\n" * (n // 2 - 1) + "a",
    "slashes": lambda n: "/" * n,
}


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_takes_a_time_that_grows_with_the_text(reader, hostile):
    read, longest = READERS[reader]
    assert grows_with_the_length(refusing(read), HOSTILE[hostile], longest)
