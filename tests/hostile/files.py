"""Files to upload that were changed on purpose: headers, directories, tables and single bytes."""

import io
import struct
import zipfile
from collections.abc import Callable
from random import Random

import numpy as np

from tests.hostile.mutate import scrambled
from tests.hostile.trees import NUMBERS, TEXTS, changed, odd_value, written

SHAPES = [
    "(4, 3)",
    "()",
    "(12,)",
    "(0, 3)",
    "(2**60, 2)",
    "(1152921504606846976, 2)",
    "(4, -3)",
    "(4L, 3L)",
    "4",
]
SHAPES += ["(" + "1," * 400 + ")", "(" + " " * 1500 + "1", "(" + "(" * 300, "(True, 3)", "(1e3, 2)", "[4, 3]"]
TYPES = [
    "'<f8'",
    "'>f4'",
    "'|O'",
    "'<f2'",
    "'|b1'",
    "'<U4'",
    "[('a', '<f8')]",
    "'<c16'",
    "'f8" + " " * 900,
    "None",
]
TYPES += ["'|V9999999999'", "'<M8[s]'", "__import__('os')", "[" * 200]


def some_array(rng: Random) -> np.ndarray:
    shape = rng.choice([(4, 3), (12,), (), (2, 4, 3), (1, 1, 4, 3), (0, 3), (20, 40), (1,) * 6])
    kind = rng.choice(["<f8", ">f4", "<f2", "|b1", "<i8", "|u1", "<c16", "<U3"])
    values = [
        rng.choice([0, 1, 2.5, 1e9, 2e9, float("nan"), float("inf")]) for _ in range(int(np.prod(shape)))
    ]
    with np.errstate(all="ignore"):
        return (
            np.nan_to_num(np.array(values), nan=0 if kind[1] in "iub" else np.nan).reshape(shape).astype(kind)
        )


def usually(rng: Random, right, others: list):
    """What is right, or now and then one of the others."""
    return right if rng.random() < 0.8 else rng.choice(others)


def npy(rng: Random, honest: float = 0.3) -> bytes:
    """A .npy file, as NumPy writes it or with a header of its own."""
    if rng.random() < honest:
        held = io.BytesIO()
        np.save(held, some_array(rng))
        return held.getvalue()
    pairs = [f"'descr': {usually(rng, TYPES[0], TYPES)}", f"'shape': {usually(rng, SHAPES[0], SHAPES)}"]
    pairs.append(f"'fortran_order': {usually(rng, 'True', ['False', '1', 'None'])}")
    rng.shuffle(pairs)
    pairs += usually(rng, [], [["'x': 1"], pairs[:1], [" " * rng.choice([10, 900, 1900])]])
    header = "{" + usually(rng, ", ", [",", " , ", ""]).join(pairs) + usually(rng, "}", ["", "}\n", "} " * 9])
    if rng.random() < 0.05:  # each part may end at many places: a pattern that goes back tries them all
        part = rng.choice(
            ["'descr':[]" * 40, "'descr':''" + " " * 400, "'shape':(1,)" + " " * 400, "[]" * 200]
        )
        header = "{" + part * 3 + "x"
    version = usually(rng, b"\x01\x00", [b"\x02\x00", b"\x03\x00", b"\x09\x00"])
    length = usually(rng, len(header), [len(header) + 5, 0, 65_535, 2**31])
    size = 2 if version == b"\x01\x00" else 4
    begin = b"\x93NUMPY" + version + min(length, 256**size - 1).to_bytes(size, "little")
    return begin + header.encode() + bytes(usually(rng, 96, [0, 95, 97, 48]))


def npz(rng: Random) -> bytes:
    """An archive of such files, with names that lead elsewhere, or too many, or packed very small."""
    held = io.BytesIO()
    packing = usually(rng, zipfile.ZIP_DEFLATED, [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2])
    with zipfile.ZipFile(held, "w", packing) as archive:
        for number in range(rng.choice([0, 1, 2, 5])):
            name = rng.choice(["a{}.npy", "../{}.npy", "\u202e{}.npy", "{}.txt", "{}.NPY"]).format(number)
            archive.writestr(name, npy(rng, 0.8) + bytes(usually(rng, 0, [3_000_000])))
    return held.getvalue()


def json_file(rng: Random) -> bytes:
    """Nested lists, alone or by name, or our own export, with a node or two changed."""
    tree = rng.choice(
        [[[1, 2], [3, 4]], {"x": [[1, 2]], "w": [1]}, [{"name": "x", "value": [[1]]}], [1, 2], 5]
    )
    return written(changed(rng, {"top": tree}).get("top", tree)).encode("utf-8", "surrogatepass")


def table(rng: Random) -> bytes:
    """Rows of cells, some of them no numbers, some rows longer; or our own export with places missing."""
    cells = [str(number) for number in NUMBERS] + [
        *TEXTS,
        '"',
        '"a"',
        "=1+1",
        "1,5",
        "-",
        "−3",
        "1/2",
        "nan",
        "inf",
        "1" * 500,
    ]
    if rng.random() < 0.2:
        places = ["0 0", "0 1", "9 9", "999999 999999", "", "1"]
        lines = [
            (rng.choice(["x", "=x", ""]), rng.choice(places), rng.choice(cells))
            for _ in range(rng.randrange(7))
        ]
        return "\n".join(map(",".join, [("name", "index", "value"), *lines])).encode("utf-8", "surrogatepass")
    mark, width = rng.choice([",", ";", "\t", " "]), rng.choice([1, 3, 400])
    rows = [
        [rng.choice(cells if rng.random() < 0.1 else ["1", "2.5"]) for _ in range(width)] for _ in range(3)
    ]
    text = rng.choice(["\n", "\r\n", "\r", "\u2028"]).join(mark.join(row) for row in rows)
    return text.encode(rng.choice(["utf-8", "utf-16"]), "surrogatepass")


def safetensors(rng: Random) -> bytes:
    """A header of JSON with a node or two changed, and numbers behind it."""
    entry = {
        "dtype": usually(rng, "F32", ["BF16", "I64", "F8", "F16"]),
        "shape": [4, 3],
        "data_offsets": [0, 48],
    }
    header = {"x": entry, "__metadata__": {"a": "b"}, "y": {**entry, "data_offsets": [48, 96]}}
    if rng.random() < 0.3:
        header["x"] = {**entry, rng.choice([*entry]): odd_value(rng)}
    text = written(changed(rng, header) if rng.random() < 0.5 else header).encode("utf-8", "surrogatepass")
    length = usually(rng, len(text), [0, len(text) + 1, 2**63, 2**64 - 1])
    return struct.pack("<Q", length) + text + bytes(usually(rng, 96, [0, 95]))


MAKERS: dict[str, Callable[[Random], bytes]] = {
    "npy": npy,
    "npz": npz,
    "json": json_file,
    "csv": table,
    "tsv": table,
    "txt": table,
    "safetensors": safetensors,
}


def mutated_file(rng: Random, kind: str = "") -> tuple[str, bytes]:
    """The name and the bytes of a file that nobody made by honest means."""
    kind = kind or rng.choice([*MAKERS])
    content = MAKERS[kind](rng)
    share = rng.random()
    if share < 0.3 and content:
        content = bytes(scrambled(rng, list(content[:20_000]), range(256))) + content[20_000:]
    if share > 0.95:
        kind = rng.choice([*MAKERS, "exe", ""])  # under a name that says something else
    return rng.choice(["a", "x", "../../x", "\u202ex", ""]) + "." + kind, content
