"""Matrices a learner uploads, from tables, JSON, NumPy and safetensors files; nothing in them is believed.

Reading checks the length of the file, then what its header says against bounds, and only then takes numbers.
Nothing is executed, unpickled or written, and an archive is unpacked no further than a tensor is long.
"""

import io
import json
import math
import re
import struct
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np
from numpy.lib import format as npy_format

from ui.files.export import HARMFUL, by_index
from ui.limits import LARGEST, MOST_ALONG_AN_AXIS, MOST_AXES
from ui.numbers import MOST_CHARACTERS, NumberError, parse_block, parse_number

MOST_BYTES = 8_000_000  # of a file, and of one tensor unpacked
MOST_TENSORS = 1_000  # of a file that are listed
MOST_TEXT = 200_000  # characters of a table or of JSON
MOST_CELLS = 20_000  # of a table or of JSON
MOST_COLUMNS = 1_100  # of a table; each costs pandas as much as many rows
MOST_NPY_HEADER = 2_000  # bytes, with the spaces that fill it up
MOST_NPY_TEXT = 200  # characters of it; a matrix of numbers needs about 70
MOST_SAFETENSORS_HEADER = 1_000_000  # bytes
MOST_NESTED = 8  # lists in lists that are counted before JSON is refused
LONGEST_NAME = 200

READABLE = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
READABLE += ("float16", "float32", "float64", "bfloat16")
SAFETENSORS = {"BOOL": "bool", "BF16": "bfloat16", "F16": "float16", "F32": "float32", "F64": "float64"}
SAFETENSORS |= {f"I{bits}": f"int{bits}" for bits in (8, 16, 32, 64)}
SAFETENSORS |= {f"U{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)}
# What a header of plain numbers never holds, and what Python's parser warns of instead of refusing it.
NO_PLAIN_HEADER = re.compile(r"\\|\d[A-Za-z_]")
EXPORTED = ["name", "index", "value"]  # the first row of our own csv
EXPORTED_AS = {"True": 1.0, "False": 0.0, "inf": math.inf, "-inf": -math.inf, "nan": math.nan}
STORED, DEFLATED = 0, 8  # the ways of packing that an archive may use
IS_LOCKED, IS_UTF8 = 0x2041, 0x800  # flags of its members


class UploadError(ValueError):
    """A file that cannot be used; `.code` says why, `.facts` fill the sentence at upload.<code>."""

    def __init__(self, code: str, **facts):
        super().__init__(code)
        self.code = code
        self.facts = facts


class Tensor(NamedTuple):
    """What a file says it holds under a name."""

    name: str
    shape: tuple[int, ...]
    dtype: str


class Held(NamedTuple):
    """A tensor in a file: what the header says, and how to take its numbers once that is checked."""

    shape: tuple[int, ...]
    dtype: str
    numbers: Callable[[], np.ndarray]


def tensors_in(file_name: str, content: bytes) -> list[Tensor]:
    """The tensors of a file in its own order, also those that cannot be read, or UploadError."""
    return [Tensor(name, held.shape, held.dtype) for name, held in held_in(file_name, content).items()]


def read_tensor(
    file_name: str,
    content: bytes,
    name: str,
    at: tuple[int, int] = (0, 0),
    most: int = MOST_ALONG_AN_AXIS,
) -> list:
    """Rows of plain numbers: at most `most` along each of the last two axes, from row and column `at`.

    A tensor of one axis begins at the column.
    """
    tensors = held_in(file_name, content)
    if name not in tensors:
        raise UploadError("missing", name=plain_name(str(name)))
    held = tensors[name]
    check_tensor(Tensor(name, held.shape, held.dtype))
    corner = tuple(at)[-len(held.shape) :]
    if not all(0 <= start < size for start, size in zip(corner, held.shape[-2:], strict=True)):
        raise UploadError("corner", name=name, corner=sizes(at), shape=sizes(held.shape))
    window = (..., *(slice(start, start + most) for start in corner))
    return checked_numbers(name, as_floats(held.numbers()[window], held.dtype), corner).tolist()


def held_in(file_name: str, content: bytes) -> dict[str, Held]:
    """Every tensor of a file by its name, at most MOST_TENSORS."""
    if len(content) > MOST_BYTES:
        raise UploadError("long", size=round(len(content) / 1e6, 1), most=MOST_BYTES // 1_000_000)
    stem, dot, ending = re.split(r"[/\\]", file_name)[-1].rpartition(".")
    if not dot or ending.lower() not in READERS:
        raise UploadError("kind", kind=plain_name(ending))
    tensors = {}
    for name, held in islice(READERS[ending.lower()](stem, content), MOST_TENSORS):
        plain = plain_name(name) or "?"
        if plain in tensors:
            raise UploadError("twice", name=plain)
        tensors[plain] = held
    if not tensors:
        raise UploadError("nothing")
    return tensors


def plain_name(text: str) -> str:
    """A name that can be shown: no control characters, nothing that turns the direction of writing, short."""
    return "".join(filter(str.isprintable, text[: 5 * LONGEST_NAME]))[:LONGEST_NAME]


def sizes(numbers: Iterable) -> str:
    """Sizes or places as they are said: 2, 3, 4."""
    return ", ".join(map(str, numbers))


def are_sizes(numbers: tuple) -> bool:
    """Whether what a header says can be the size of anything, and is not a great many."""
    return len(numbers) <= 64 and all(type(number) is int and 0 <= number < 2**63 for number in numbers)


def check_tensor(tensor: Tensor) -> None:
    """UploadError for a tensor of which no part can be read, whatever its numbers are."""
    name, shape, dtype = tensor
    if not 1 <= len(shape) <= MOST_AXES:
        raise UploadError("axes", name=name, axes=len(shape))
    if 0 in shape:
        raise UploadError("empty", name=name, shape=sizes(shape))
    if max(shape[:-2], default=0) > MOST_ALONG_AN_AXIS:
        raise UploadError("leading", name=name, shape=sizes(shape), most=MOST_ALONG_AN_AXIS)
    if dtype not in READABLE:
        raise UploadError("dtype", name=name, dtype=dtype)
    if math.prod(shape) > MOST_BYTES:  # only an archive can claim that much, until it is unpacked
        raise UploadError("unpacked", name=name, most=MOST_BYTES // 1_000_000)


def as_floats(numbers: np.ndarray, dtype: str) -> np.ndarray:
    """The numbers in double precision; bfloat16 is the upper half of a float32, bool is any bit set."""
    if dtype == "bfloat16":
        numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
    elif dtype == "bool":
        numbers = numbers.view(np.uint8) != 0
    with np.errstate(all="ignore"):
        return numbers.astype(np.float64)


def checked_numbers(name: str, numbers: np.ndarray, corner: tuple[int, ...]) -> np.ndarray:
    """`numbers` when all are finite and within bounds."""
    wrong = np.argwhere(~(np.abs(numbers) <= LARGEST))
    if len(wrong):
        first = wrong[0]
        value = numbers[tuple(first)]
        first[-len(corner) :] += corner
        raise UploadError("number", name=name, value=float(f"{value:.6g}"), place=sizes(first))
    return numbers


def check_length(shape: tuple[int, ...], needed: int, found: int) -> None:
    if needed != found:
        raise UploadError("length", shape=sizes(shape), needed=needed, found=found)


# NumPy


def read_npy(stem: str, content: bytes) -> Iterator[tuple[str, Held]]:
    header = npy_header(stem, content[:MOST_NPY_HEADER])
    if header.dtype in READABLE:
        check_length(header.shape, header.n_bytes, len(content) - header.start)

    def numbers() -> np.ndarray:
        plain = np.frombuffer(content, header.stored_as, offset=header.start)
        return plain.reshape(header.shape, order=header.order)

    yield stem, Held(header.shape, header.dtype, numbers)


class NpyHeader(NamedTuple):
    """What stands before the numbers of a .npy file."""

    shape: tuple[int, ...]
    order: Literal["C", "F"]  # rows first, or columns first
    stored_as: np.dtype
    start: int  # of the numbers

    @property
    def dtype(self) -> str:
        return self.stored_as.name

    @property
    def n_bytes(self) -> int:
        """How long the numbers are, of a type that can be read."""
        return math.prod(self.shape) * self.stored_as.itemsize


def npy_header(name: str, head: bytes) -> NpyHeader:
    """The header at the beginning of a file.

    The three versions differ in how they write the length of its text; plain types are the same in all. A
    type with fields is refused at once: a thousand of them would be slow to read.
    """
    try:
        begin = 10 if npy_format.read_magic(io.BytesIO(head)) == (1, 0) else 12
        start = begin + int.from_bytes(head[8:begin], "little")
        text = head[begin:start].decode("ascii").rstrip().replace("L", " ")  # Python 2 wrote 2L for 2
    except ValueError:
        raise UploadError("broken", kind="npy") from None
    if start > len(head) or not text.startswith("{") or NO_PLAIN_HEADER.search(text):
        raise UploadError("broken", kind="npy")
    if len(text) > MOST_NPY_TEXT:
        raise UploadError("header", length=len(text), most=MOST_NPY_TEXT)
    shape, order, dtype = parsed_header(text)
    if dtype.names is not None or dtype.subdtype is not None:
        raise UploadError("dtype", name=plain_name(name), dtype=plain_name(str(dtype))[:40])
    return NpyHeader(shape, order, dtype, start)


@lru_cache(maxsize=2 * MOST_TENSORS)
def parsed_header(text: str) -> tuple[tuple[int, ...], Literal["C", "F"], np.dtype]:
    """Shape, order and type from the text of a header, which NumPy takes for a literal of Python.

    Python's parser may raise anything on a hostile text, so the text is short and every exception a refusal.
    The arrays of an honest archive share a few headers, and parsing is the slow part of listing them.
    """
    plain = io.BytesIO(len(text).to_bytes(4, "little") + text.encode())
    try:
        shape, is_fortran, dtype = npy_format.read_array_header_2_0(plain, max_header_size=MOST_NPY_TEXT)
    except Exception:  # among them SyntaxError, MemoryError, RecursionError, and what tokenize raises
        raise UploadError("broken", kind="npy") from None
    if not are_sizes(shape):
        raise UploadError("broken", kind="npy")
    return shape, "F" if is_fortran else "C", dtype


class Member(NamedTuple):
    """A file in an archive, as the archive's directory describes it."""

    name: str
    is_locked: bool
    packing: int
    checksum: int
    packed_size: int
    start: int  # of its own header


def read_npz(stem: str, content: bytes) -> Iterator[tuple[str, Held]]:
    for member in members(content):
        if not member.name.endswith(".npy"):
            continue
        name = member.name.removesuffix(".npy")
        head = unpacked(content, member, MOST_NPY_HEADER, of_packed=2 * MOST_NPY_HEADER)
        header = npy_header(name, head)
        numbers = partial(unpacked_numbers, content, member, header)
        yield name, Held(header.shape, header.dtype, numbers)


def unpacked_numbers(content: bytes, member: Member, header: NpyHeader) -> np.ndarray:
    """The numbers of a member, unpacked no further than its header says that it is long."""
    needed = header.start + header.n_bytes
    if needed > MOST_BYTES:
        raise UploadError("unpacked", name=plain_name(member.name), most=MOST_BYTES // 1_000_000)
    plain = unpacked(content, member, needed + 1, of_packed=member.packed_size)
    if zlib.crc32(plain) != member.checksum:
        raise UploadError("broken", kind="npz")
    [(_, held)] = read_npy(member.name, plain)
    return held.numbers()


def members(content: bytes) -> Iterator[Member]:
    """The directory of an archive, entry by entry.

    Python's own reader can be made to take seconds; this one passes over what it does not need.
    """
    end = content.rfind(b"PK\x05\x06")
    if not 0 <= end <= len(content) - 22:
        raise UploadError("broken", kind="npz")
    count, _, place = struct.unpack_from("<10xH2L", content, end)
    for _ in range(count):
        if content[place : place + 4] != b"PK\x01\x02" or place + 46 > end:
            raise UploadError("broken", kind="npz")
        entry = struct.unpack_from("<8x2H4x2L4x3H8xL", content, place)
        flags, packing, checksum, packed_size, name_length, extra, comment, start = entry
        name = content[place + 46 : place + 46 + name_length]
        shown = name.decode("utf-8" if flags & IS_UTF8 else "cp437", errors="replace")
        yield Member(shown, bool(flags & IS_LOCKED), packing, checksum, packed_size, start)
        place += 46 + name_length + extra + comment


def unpacked(content: bytes, member: Member, most: int, of_packed: int) -> bytes:
    """The first bytes of a member, at most `most`, made from at most `of_packed` packed ones."""
    if member.is_locked or member.packing not in (STORED, DEFLATED):
        raise UploadError("packed", name=plain_name(member.name))
    if content[member.start : member.start + 4] != b"PK\x03\x04" or member.start + 30 > len(content):
        raise UploadError("broken", kind="npz")
    begin = member.start + 30 + sum(struct.unpack_from("<26x2H", content, member.start))
    if begin + member.packed_size > len(content):
        raise UploadError("broken", kind="npz")
    packed = memoryview(content)[begin : begin + min(member.packed_size, of_packed)]
    if member.packing == STORED:
        return bytes(packed[:most])
    try:
        return zlib.decompressobj(wbits=-15).decompress(packed, most)
    except zlib.error:
        raise UploadError("broken", kind="npz") from None


# safetensors


def read_safetensors(stem: str, content: bytes) -> Iterator[tuple[str, Held]]:
    """Eight bytes that say how long the header is, the header in JSON, the numbers."""
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or length > min(MOST_SAFETENSORS_HEADER, len(content) - 8):
        raise UploadError("broken", kind="safetensors")
    header = parsed(as_text(content[8 : 8 + length]), kind="safetensors", parse_int=int)
    if not isinstance(header, dict):
        raise UploadError("broken", kind="safetensors")
    for name, entry in header.items():
        if name != "__metadata__":
            yield name, safetensors_held(entry, memoryview(content)[8 + length :])


def safetensors_held(entry: object, data: memoryview) -> Held:
    match entry:
        case {"dtype": str(code), "shape": list(shape), "data_offsets": [begin, end]}:
            if not are_sizes((*shape, begin, end)) or not begin <= end <= len(data):
                raise UploadError("broken", kind="safetensors")
        case _:
            raise UploadError("broken", kind="safetensors")
    dtype = SAFETENSORS.get(code)
    if dtype is None:
        return Held(tuple(shape), plain_name(code), lambda: np.empty(0))
    stored_as = np.dtype("uint16" if dtype == "bfloat16" else dtype).newbyteorder("<")
    check_length(tuple(shape), math.prod(shape) * stored_as.itemsize, end - begin)
    return Held(tuple(shape), dtype, lambda: np.frombuffer(data[begin:end], stored_as).reshape(shape))


# Text


def as_text(content: bytes) -> str:
    """Text in UTF-8, or in UTF-16 where it begins with the mark of that."""
    is_utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return content.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise UploadError("text") from None


def short_text(content: bytes) -> str:
    text = as_text(content) if len(content) <= 5 * MOST_TEXT else ""
    if len(content) > 5 * MOST_TEXT or len(text) > MOST_TEXT:
        raise UploadError("long_text", most=MOST_TEXT)
    return text


def check_cells(count: int) -> None:
    if count > MOST_CELLS:
        raise UploadError("cells", count=count, most=MOST_CELLS)


def given_numbers(values: np.ndarray) -> Held:
    return Held(values.shape, "float64", lambda: values)


def parsed(text: str, kind: str, parse_int: Callable = float) -> object:
    """What JSON says; keys that come twice are refused, and NaN and Infinity, which JSON does not know."""
    check_cells(text.count(",") + text.count("{"))

    def without_doubles(pairs: list[tuple[str, object]]) -> dict:
        found = {}
        for name, value in pairs:
            if name in found:
                raise UploadError("twice", name=plain_name(name))
            found[name] = value
        return found

    def refuse(constant: str) -> None:
        raise UploadError("constant", text=constant)

    try:
        return json.loads(text, parse_int=parse_int, parse_constant=refuse, object_pairs_hook=without_doubles)
    except (ValueError, RecursionError) as error:
        if isinstance(error, UploadError):
            raise
        raise UploadError("broken", kind=kind) from None


def read_json(stem: str, content: bytes) -> Iterator[tuple[str, Held]]:
    """Nested lists, an object of nested lists by name, or our own export."""
    found = parsed(short_text(content), kind="json")
    if isinstance(found, dict):
        named = list(found.items())
    elif found and isinstance(found, list) and all(isinstance(part, dict) for part in found):
        named = [exported_entry(part) for part in found]
    else:
        named = [(stem, found)]
    for name, value in named:
        numbers = []
        shape = flattened(value, plain_name(name), numbers)
        yield name, given_numbers(np.array(numbers).reshape(shape))


def exported_entry(part: dict) -> tuple[str, object]:
    match part:
        case {"name": str(name), "value": value}:
            return name, value
    raise UploadError("broken", kind="json")


def flattened(value: object, name: str, numbers: list[float], depth: int = 0) -> tuple[int, ...]:
    """The shape of nested lists whose numbers are added to `numbers`; null, our sign for -inf, is NaN."""
    if not isinstance(value, list):
        if value is not None and not isinstance(value, float | bool):
            raise UploadError("entry", name=name)
        numbers.append(math.nan if value is None else float(value))
        return ()
    if depth == MOST_NESTED:
        raise UploadError("nested", name=name, most=MOST_AXES)
    shapes = {flattened(part, name, numbers, depth + 1) for part in value} or {()}
    if len(shapes) > 1:
        raise UploadError("ragged", name=name)
    return (len(value), *shapes.pop())


def read_table(stem: str, content: bytes) -> Iterator[tuple[str, Held]]:
    """Rows of numbers with or without labels, or our own export."""
    rows = cells_of(by_index(short_text(content)))
    if rows and rows[0] == EXPORTED:
        yield from read_exported(rows[1:])
    else:
        yield stem, given_numbers(as_matrix(number_rows(rows), stem))


def read_pasted(stem: str, content: bytes) -> Iterator[tuple[str, Held]]:
    """As a block that is pasted is read, or else as a table."""
    text = short_text(content)
    try:
        rows = parse_block(text[: MOST_CHARACTERS + 1])
    except NumberError:
        yield from read_table(stem, content)
    else:
        yield stem, given_numbers(as_matrix(rows, stem))


def cells_of(text: str) -> list[list[str]]:
    """The cells of every row that is not blank, without empty ones at the end."""
    lines = [line for line in text.splitlines() if line.strip()]
    unquoted = "".join(text.split('"')[::2])
    mark = next((mark for mark in "\t;," if mark in unquoted), None)
    n_columns = max((line.count(mark) + 1 if mark else len(line.split()) for line in lines), default=0)
    if n_columns > MOST_COLUMNS:
        raise UploadError("columns", count=n_columns, most=MOST_COLUMNS)
    check_cells(len(lines) * n_columns)
    rows = [[cell.strip() for cell in row] for row in split_by_pandas(lines, mark, n_columns)]
    for row in rows:
        while row and not row[-1]:
            row.pop()
    return [row for row in rows if row]


def split_by_pandas(lines: list[str], mark: str | None, n_columns: int) -> list[list[str]]:
    """Every cell as it is written, all rows as long: what is a number here is not left to pandas."""
    import pandas  # takes most of a second, which only who brings a table has to wait

    if not lines:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "error", pandas.errors.ParserWarning
            )  # a loss of numbers is no small matter
            table = pandas.read_csv(
                io.StringIO("\n".join(lines)),
                sep=mark or r"\s+",
                header=None,
                names=range(n_columns),
                index_col=False,
                dtype=str,
                na_filter=False,
                skipinitialspace=True,
            )
    except (ValueError, pandas.errors.ParserWarning):  # pandas.errors.ParserError is a ValueError
        raise UploadError("broken", kind="csv") from None
    return table.to_numpy().tolist()


def number_rows(rows: list[list[str]]) -> list[list[float]]:
    """The numbers of a table, without a first row or a first column of labels."""
    if not rows:
        raise UploadError("nothing")
    corner = rows[0][0]
    has_heading = are_labels(rows[0][1:] or [corner], corner)
    has_names = are_labels([row[0] for row in rows[1:]] or [corner], corner)
    found = []
    for r, row in enumerate(rows[has_heading:], 1 + has_heading):
        found.append([number_in(cell, r, c) for c, cell in enumerate(row[has_names:], 1 + has_names)])
    return found


def are_labels(cells: list[str], corner: str) -> bool:
    """Whether cells are all names, or under an empty corner the numbers from 0, as pandas writes them."""
    counted = not corner and cells == [str(number) for number in range(len(cells))]
    return counted or all(map(is_label, cells))


def is_label(cell: str) -> bool:
    """Whether a cell is a name: not empty, no number, not even one out of bounds, and no formula."""
    if not cell or cell.startswith("="):
        return False
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return not is_number(cell)
    return False


def is_number(cell: str) -> bool:
    try:
        parse_number(cell)
    except NumberError:
        return False
    return True


def number_in(cell: str, row: int, column: int) -> float:
    try:
        return parse_number(cell)
    except NumberError:
        raise UploadError("cell", text=plain_name(cell[:40]), row=row, column=column) from None


def as_matrix(rows: list[list[float]], stem: str) -> np.ndarray:
    if not any(rows):
        raise UploadError("nothing")
    if len({len(row) for row in rows}) > 1:
        raise UploadError("ragged", name=plain_name(stem))
    return np.array(rows)


def read_exported(rows: list[list[str]]) -> Iterator[tuple[str, Held]]:
    """The tensors of our own csv: one row per number with its name and its index."""
    tensors: dict[str, dict[tuple[int, ...], float]] = {}
    for r, row in enumerate(rows, 2):
        if len(row) != 3 or not re.fullmatch(r"(\d{1,6}( \d{1,6}){0,7})?", row[1]):
            raise UploadError("cell", text=plain_name(" ".join(row)[:40]), row=r, column=2)
        name, index, text = row
        was_made_harmless = name.startswith("'") and name[1:].startswith(HARMFUL)
        cells = tensors.setdefault(name[1:] if was_made_harmless else name, {})
        place = tuple(map(int, index.split()))
        if place in cells:
            raise UploadError("gaps", name=plain_name(name))
        cells[place] = EXPORTED_AS[text] if text in EXPORTED_AS else number_in(text, r, 3)
    for name, cells in tensors.items():
        yield name, given_numbers(assembled(plain_name(name), cells))


def assembled(name: str, cells: dict[tuple[int, ...], float]) -> np.ndarray:
    """The array whose every place is in `cells`."""
    n_axes = {len(place) for place in cells}
    shape = tuple(max(along) + 1 for along in zip(*cells, strict=True)) if len(n_axes) == 1 else (0,)
    if math.prod(shape) != len(cells):
        raise UploadError("gaps", name=name)
    values = np.empty(shape)
    for place, value in cells.items():
        values[place] = value
    return values


READERS: dict[str, Callable[[str, bytes], Iterator[tuple[str, Held]]]] = {
    "csv": read_table,
    "tsv": read_table,
    "txt": read_pasted,
    "json": read_json,
    "npy": read_npy,
    "npz": read_npz,
    "safetensors": read_safetensors,
}
