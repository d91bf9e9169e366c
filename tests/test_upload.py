"""An honest file gives its numbers, and a hostile one gives a sentence, soon and in little memory."""

import gc
import io
import json
import math
import pickle
import random
import re
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile
import zlib
from contextlib import contextmanager

import numpy as np
import pytest

from ui.files import export, upload
from ui.files.upload import Tensor, UploadError, read_tensor, tensors_in
from ui.scenario.presets import load_preset, preset_ids
from ui.streamlit.file_panels import as_plain
from ui.words import Words, all_words, languages

SMALL = [preset_id for preset_id in preset_ids() if not load_preset(preset_id).is_large]
TABLE = np.array([[1.5, -2.0, 0.25], [4.0, 5.0, 6.0]])


def npy(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asanyarray(array), **options)
    return file.getvalue()


def npy_saying(header, data=b"", version=b"\x01\x00"):
    """A .npy file whose header is this text."""
    text = header.encode("latin1")
    length = struct.pack("<H" if version == b"\x01\x00" else "<L", len(text))
    return b"\x93NUMPY" + version + length + text + data


def npy_of(shape="(2, 2)", descr="'<f8'", fortran="False", data=bytes(32)):
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n"
    return npy_saying(header, data)


def archive(members, packing=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as opened:
        for name, content in members:
            opened.writestr(name, content)
    return file.getvalue()


def npz(packed=True, **arrays):
    file = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(file, **arrays)
    return file.getvalue()


def packed(name, data, packing=8, flags=0, checksum=None, size=None, times=1, extra=b"", offset=0):
    """An archive by hand: one member, listed `times` times, with whatever its directory is to say."""
    name = name if isinstance(name, bytes) else name.encode()
    checksum = zlib.crc32(b"") if checksum is None else checksum
    size = len(data) if size is None else size
    sizes = (checksum, size, 10, len(name))
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, packing, 0, 0, *sizes, 0) + name + data
    entry = struct.pack(
        "<4s6H3L5H2L", b"PK\1\2", 20, 20, flags, packing, 0, 0, *sizes, len(extra), 0, 0, 0, 0, offset
    )
    directory = (entry + name + extra) * times
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, times, times, len(directory), len(local), 0)
    return local + directory + end


def deflated(data):
    packer = zlib.compressobj(9, wbits=-15)
    return packer.compress(data) + packer.flush()


def gigabyte(beginning):
    """A gigabyte of zeros after this beginning, packed into a megabyte."""
    packer = zlib.compressobj(9, wbits=-15)
    start = packer.compress(beginning) + packer.flush(zlib.Z_FULL_FLUSH)
    megabyte = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + megabyte * 1000 + packer.flush()


def safetensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(2, 2), offsets=(0, 16), **more):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets), **more}


def only_tensor(file_name, content, at=(0, 0)):
    [tensor] = tensors_in(file_name, content)
    return np.array(read_tensor(file_name, content, tensor.name, at))


def refusal(file_name, content, name=None, at=(0, 0)):
    """The error when a tensor is read, the first unless it is named."""
    names = [name] if name else [tensor.name for tensor in tensors_in(file_name, content)]
    with pytest.raises(UploadError) as error:
        read_tensor(file_name, content, names[0], at)
    assert sentence(error.value)
    return error.value


def sentence(error):
    """The words of an error; every placeholder has its fact and every fact its place."""
    words = Words()(f"upload.{error.code}", **error.facts)
    template = Words()(f"upload.{error.code}")
    assert set(re.findall(r"{(\w+)}", template)) == set(error.facts)
    return words


# Honest files


@pytest.mark.parametrize(
    ("file_name", "content"),
    [
        ("a.csv", b"1.5,-2,0.25\n4,5,6\n"),
        ("a.CSV", b"\xef\xbb\xbf1.5,-2,0.25\r\n4,5,6\r\n"),
        ("a.csv", "1,5;−2;0,25\n4;5;6".encode()),
        ("a.csv", "1.5,-2,1/4\n4,5,6".encode("utf-16")),
        ("a.csv", b"1.5,-2,0.25,,\n4,5,6,,\n,,,,\n"),
        ("a.csv", b'"1.5","-2","0.25"\n"4","5","6"'),
        ("a.csv", b"x,y,z\n1.5,-2,0.25\n4,5,6\n"),
        ("a.csv", b"the,1.5,-2,0.25\ncat,4,5,6\n"),
        ("a.csv", b'token,x,y,z\n"the, that",1.5,-2,0.25\ncat,4,5,6\n'),
        ("a.csv", b'"the; that",1.5,-2,0.25\n"cat",4,5,6\n'),
        ("a.csv", b'"a ""word""",1.5,-2,0.25\n"two\nlines",4,5,6\n'),
        ("a.csv", b'"x";"y";"z"\n"1,5";"-2";"0,25"\n4;5;6\n'),
        ("a.csv", b"x, y, z\n1.5, -2, 0.25\n4, 5, 6\n"),
        ("a.csv", b"sep=;\n1,5;-2;0,25\n4;5;6\n"),
        ("a.csv", b"1.5,-2,0.25\r4,5,6\r"),
        ("a.csv", b'\xef\xbb\xbf"x","y","z"\r\n1.5,-2,0.25\r\n4,5,6\r\n'),
        ("a.csv", b",0,1,2\n0,1.5,-2,0.25\n1,4,5,6\n"),
        ("a.csv", b",x,y,z\n0,1.5,-2,0.25\n1,4,5,6\n"),
        ("a.tsv", b"1.5\t-2\t0.25\n4\t5\t6"),
        ("a.tsv", b"\tx\ty\tz\nthe\t1,5\t-2\t0,25\ncat\t4\t5\t6"),
        ("a.txt", b"[[1.5, -2, 0.25],\n [4, 5, 6]]"),
        ("a.txt", b"1.5 -2 0.25\n4 5 6"),
        ("a.txt", b"x y z\n1.5 -2 0.25\n4 5 6"),
        ("a.json", b"[[1.5, -2, 0.25], [4, 5, 6]]"),
        ("a.json", b'{"a": [[1.5, -2, 0.25], [4, 5, 6]]}'),
        ("a.json", b'[{"name": "a", "value": [[1.5, -2, 0.25], [4, 5, 6]]}]'),
        ("a.npy", npy(TABLE)),
        ("a.npy", npy(TABLE, version=(2, 0))),
        ("a.npy", npy(TABLE, version=(3, 0))),
        ("a.npy", npy_saying('{"shape": (2L, 3L), "fortran_order":False,"descr":"<f8"}', TABLE.tobytes())),
        ("a.npy", npy(np.asfortranarray(TABLE))),
        ("a.npz", npz(a=TABLE)),
        ("a.npz", npz(packed=False, a=TABLE)),
        ("a.npz", npz(a=np.asfortranarray(TABLE))),
        ("a.safetensors", safetensors({"a": entry("F64", (2, 3), (0, 48))}, TABLE.tobytes())),
    ],
)
def test_an_honest_file_gives_its_numbers(file_name, content):
    assert tensors_in(file_name, content) == [Tensor("a", (2, 3), "float64")]
    rows = read_tensor(file_name, content, "a")
    assert rows == TABLE.tolist()
    assert {type(value) for row in rows for value in row} == {float}


@pytest.mark.parametrize("dtype", [name for name in upload.READABLE if name != "bfloat16"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_every_type_of_number_is_read(dtype, order):
    array = np.array([[0, 1, 2], [3, 100, 1]]).astype(np.dtype(dtype).newbyteorder(order))
    for file_name, content in (("a.npy", npy(array)), ("a.npz", npz(a=array))):
        assert tensors_in(file_name, content)[0].dtype == dtype
        np.testing.assert_array_equal(only_tensor(file_name, content), array.astype(float))
    code = {kind: code for code, kind in upload.SAFETENSORS.items()}[dtype]
    data = array.astype(array.dtype.newbyteorder("<")).tobytes()
    content = safetensors({"a": entry(code, (2, 3), (0, len(data)))}, data)
    np.testing.assert_array_equal(only_tensor("a.safetensors", content), array.astype(float))


def test_bfloat16_is_the_upper_half_of_float32():
    array = np.array([[1.0, -2.5, 0.15625], [3e8, 0, -1]], np.float32)
    data = (array.view(np.uint32) >> 16).astype("<u2").tobytes()
    content = safetensors({"a": entry("BF16", (2, 3), (0, 12)), "__metadata__": {"format": "pt"}}, data)
    assert tensors_in("m.safetensors", content) == [Tensor("a", (2, 3), "bfloat16")]
    found = (array.view(np.uint32) >> 16 << 16).view(np.float32)
    np.testing.assert_array_equal(only_tensor("m.safetensors", content), found)


def large(file_name, array):
    match file_name:
        case "a.npy":
            return npy(array)
        case "a.npz":
            return npz(a=array)
        case "a.csv":
            return "\n".join(",".join(map(str, row)) for row in array.tolist()).encode()
        case "a.json":
            return json.dumps(array.tolist()).encode()
        case "a.safetensors":
            return safetensors({"a": entry("F64", array.shape, (0, array.nbytes))}, array.tobytes())


@pytest.mark.parametrize("file_name", ["a.npy", "a.npz", "a.csv", "a.json", "a.safetensors"])
@pytest.mark.parametrize("at", [(0, 0), (3, 5), (80, 0), (99, 119), (84, 104), (90, 110)])
def test_a_part_begins_where_it_is_asked_to(file_name, at):
    array = np.arange(12_000.0).reshape(100, 120)
    found = only_tensor(file_name, large(file_name, array), at)
    np.testing.assert_array_equal(found, array[at[0] : at[0] + 16, at[1] : at[1] + 16])


def test_a_part_of_every_number_of_axes():
    for shape in [(40,), (20, 30), (3, 20, 30), (2, 16, 5, 18)]:
        for order in "CF":
            array = np.asarray(np.random.default_rng(0).standard_normal(shape), order=order)
            found = only_tensor("a.npy", npy(array), (1, 2))
            expected = array[2:18] if len(shape) == 1 else array[..., 1:17, 2:18]
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("preset_id", SMALL)
def test_our_own_exports_come_back(preset_id):
    trace = load_preset(preset_id).trace()
    everything = export.everything(trace)
    files = {"a.npz": export.as_npz(trace), "a.json": export.as_json(trace), "a.csv": export.as_csv(trace)}
    for file_name, content in files.items():
        if file_name == "a.csv":
            everything = {name: in_order_of_columns(trace, name) for name in everything}
        listed = [(tensor.name, tensor.shape) for tensor in tensors_in(file_name, content)]
        assert listed == [(name, value.shape) for name, value in everything.items()]
        for name, value in everything.items():
            part = value[..., :16, :16] if value.ndim > 1 else value[:16] if value.ndim else value
            if not 1 <= value.ndim <= 4:
                code = "axes"
            elif max(value.shape[:-2], default=0) > 16:
                code = "leading"
            elif not np.isfinite(part).all():
                code = "number"
            else:
                found = np.array(read_tensor(file_name, content, name))
                np.testing.assert_array_equal(found, part.astype(float))
                continue
            with pytest.raises(UploadError) as error:
                read_tensor(file_name, content, name)
            assert error.value.code == code


def in_order_of_columns(trace, name):
    """A step with its axes in the order of the table's columns: another one for qkv_permuted only."""
    axes = trace.plan.by_name[name].axes
    columns = [axis for axis in trace.to_frame().columns if axis in axes]
    assert columns == list(axes) or name == "qkv_permuted"
    return trace[name].transpose([axes.index(axis) for axis in columns])


def test_a_table_exported_before_is_still_read():
    table = b"name,index,value\nx,0 0,1.5\nx,0 1,True\nn_heads,,2\n'=x,0,1\n"
    assert [(tensor.name, tensor.shape) for tensor in tensors_in("a.csv", table)] == [
        ("x", (1, 2)),
        ("n_heads", ()),
        ("=x", (1,)),
    ]
    assert read_tensor("a.csv", table, "x") == [[1.5, 1.0]]


def test_an_infinity_is_refused_where_it_is_and_nowhere_else():
    array = np.zeros((40, 40))
    array[20, 30] = -np.inf
    for file_name, content in (("a.npy", npy(array)), ("a.npz", npz(a=array))):
        assert only_tensor(file_name, content).shape == (16, 16)
        error = refusal(file_name, content, at=(16, 24))
        assert error.facts == {"name": "a", "value": -np.inf, "place": "20, 30"}


def test_names_are_made_harmless():
    names = ["../../x", "<b>a</b>", "a\x00\x1b[31m\u202eb", "n" * 500, "", "Ж = 1"]
    shown = ["../../x", "<b>a</b>", "a[31mb", "n" * 200, "?", "Ж = 1"]
    files = {
        "f.json": json.dumps({name: [1, 2] for name in names}).encode(),
        "f.safetensors": safetensors({name: entry("F32", (2,), (0, 8)) for name in names}, bytes(8)),
    }
    for file_name, content in files.items():
        assert [tensor.name for tensor in tensors_in(file_name, content)] == shown
        assert all(len(read_tensor(file_name, content, name)) == 2 for name in shown)
    content = archive([(f"{name}.npy", npy([1.0, 2.0])) for name in names if "\0" not in name])
    assert [tensor.name for tensor in tensors_in("f.npz", content)] == [shown[i] for i in (0, 1, 3, 4, 5)]
    assert tensors_in("../../\x07x.npy", npy([1.0]))[0].name == "\x07x".strip("\x07")


def test_no_more_than_a_thousand_are_listed():
    header = {f"t{number}": entry("U8", (1,), (0, 1)) for number in range(1200)}
    assert len(tensors_in("a.safetensors", safetensors(header, b"\1"))) == upload.MOST_TENSORS
    members = [(f"t{number}.npy", npy([1.0])) for number in range(1200)]
    assert len(tensors_in("a.npz", archive(members))) == upload.MOST_TENSORS


def test_what_cannot_be_read_is_listed_and_refused_when_it_is_read():
    array = npz(
        good=TABLE, text=np.array(["a", "b"]), odd=np.array([1j]), none=np.array(3.0), empty=np.ones((0, 2))
    )
    assert [tensor.name for tensor in tensors_in("a.npz", array)] == ["good", "text", "odd", "none", "empty"]
    assert read_tensor("a.npz", array, "good") == TABLE.tolist()
    codes = [refusal("a.npz", array, name).code for name in ("text", "odd", "none", "empty")]
    assert codes == ["dtype", "dtype", "axes", "empty"]


# Hostile files


def spaced(count):
    """A header that a pattern with spaces at every place would try to divide in count**3 ways and more."""
    return "{" + "".join(entry + " " * count for entry in ("'shape':()", "'descr':'a'", "'shape':()")) + "x"


def hostile_npy():
    plain = npy(TABLE)
    pickled = npy_of("(1,)", "'|O'", data=pickle.dumps([print]))
    yield from {
        "no bytes": (b"", "broken"),
        "wrong magic": (b"\x93NUMPX" + plain[6:], "broken"),
        "magic alone": (plain[:6], "broken"),
        "version 9": (plain[:6] + b"\x09\x00" + plain[8:], "broken"),
        "header cut": (plain[:40], "broken"),
        "numbers cut": (plain[:-1], "length"),
        "numbers left over": (plain + b"\0" * 8, "length"),
        "header that says it is longer": (plain[:8] + b"\xff\x01" + plain[10:128], "broken"),
        "header longer than the file": (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "broken"),
        "types without end": (npy_of("(1,)", "[" * 900 + "]" * 900), "header"),
        "types in types": (npy_of("(1,)", "[" * 70 + "]" * 70), "broken"),
        "entries without end": (npy_saying("{" + "'descr':[]," * 170 + "}"), "header"),
        "an end that does not come": (npy_saying("{" + "'descr':'a' " * 40), "header"),
        "a shape that does not end": (npy_saying("{'shape': (" + "1 , " * 490), "header"),
        "spaces without end": (npy_saying("{" + " " * 1900 + "x"), "header"),
        "spaces after every entry": (npy_saying(spaced(480)), "header"),
        "spaces after every entry, fewer": (npy_saying(spaced(40)), "broken"),
        "header of 60,000 bytes": (npy_saying("{" + " " * 60_000 + "}"), "broken"),
        "header in header": (npy_saying("(" * 950), "broken"),
        "header in header in braces": (npy_saying("{" + "(" * 199), "broken"),
        "header of minus signs": (npy_saying("{" + "-" * 198 + "1"), "broken"),
        "header of negations": (npy_saying("{" + "not " * 49 + "1"), "broken"),
        "header of quotes": (npy_saying("{" + "'" * 199), "broken"),
        "header of lines": (npy_saying("{" + "\n " * 80 + "}"), "broken"),
        "header that Python warns of": (npy_saying("{'descr': 1if 1else 2}"), "broken"),
        "header with a letter of no alphabet": (npy_saying("{'d\xe9scr': '<f8'}"), "broken"),
        "header is code": (npy_saying("__import__('os').system('true')"), "broken"),
        "header is a list": (npy_saying("[1, 2]"), "broken"),
        "header with odd escapes": (npy_saying(r"{'descr': '\d', 'shape': 1if 1else 2}"), "broken"),
        "header with unhashable keys": (npy_saying("{[]: 1, {}: 2}"), "broken"),
        "no shape": (npy_saying("{'descr': '<f8', 'fortran_order': False}"), "broken"),
        "2**60 numbers": (npy_of(f"({2**60},)"), "length"),
        "2**60 numbers of no bytes": (npy_of(f"({2**60},)", "'|V0'"), "dtype"),
        "shape that overflows": (npy_of(f"({2**33}, {2**33})"), "length"),
        "shape that overflows to what is there": (npy_of(f"({2**62}, 4)"), "length"),
        "shape of 900 digits": (npy_of(f"({'9' * 900},)"), "header"),
        "shape of 100 digits": (npy_of(f"({'9' * 100},)"), "broken"),
        "2**60 rows of 2": (npy_of(f"({2**60}, 2)"), "length"),
        "shape of 40 digits": (npy_of(f"({'1' * 40},)"), "broken"),
        "negative shape": (npy_of("(-2, -2)"), "broken"),
        "shape to be guessed": (npy_of("(-1, 2)"), "broken"),
        "shape of truth values": (npy_of("(True, 4)"), "broken"),
        "shape of fractions": (npy_of("(2.0, 2)"), "broken"),
        "shape of text": (npy_of("'22'"), "broken"),
        "100 axes": (npy_of("(" + "1, " * 100 + ")", data=bytes(8)), "header"),
        "40 axes": (npy_of("(" + "1, " * 40 + ")", data=bytes(8)), "axes"),
        "5 axes": (npy_of("(1, 1, 1, 1, 4)"), "axes"),
        "no axes": (npy_of("()", data=bytes(8)), "axes"),
        "nothing along an axis": (npy_of("(0, 4)", data=b""), "empty"),
        "17 matrices": (npy_of("(17, 1, 1)", data=bytes(17 * 8)), "leading"),
        "a pickle": (pickle.dumps([1, 2]), "broken"),
        "a pickled object array": (pickled, "dtype"),
        "complex": (npy([[1j]]), "dtype"),
        "dates": (npy(np.array(["2020-01-01"], "M8[D]")), "dtype"),
        "durations": (npy(np.array([1], "m8[s]")), "dtype"),
        "text": (npy(np.array(["a"])), "dtype"),
        "bytes": (npy(np.array([b"a"])), "dtype"),
        "structured": (npy(np.zeros(2, [("a", "f8"), ("b", "i4")])), "dtype"),
        "arrays in arrays": (npy_of("(1,)", "'(1000000000,)f8'"), "broken"),
        "smaller arrays in arrays": (npy_of("(1,)", "'(2,)f8'", data=bytes(16)), "dtype"),
        "a text of 2**30 letters": (npy_of("(1,)", "'<U1073741824'"), "broken"),
        "wide floats": (npy_of("(1,)", "'<f16'", data=bytes(16)), "dtype"),
        "no type": (npy_of("(1,)", "'nonsense'"), "broken"),
        "a type without a width": (npy_of("(1,)", "'<f'", data=bytes(3)), "length"),
        "a type of two orders": (npy_of("(1,)", "'<>f8'", data=bytes(8)), "broken"),
        "a type that is pickled in a field": (npy_of("(1,)", "[('a', '|O')]"), "dtype"),
        "numbers in a field": (npy_of("(1,)", "[('a', '<f8')]", data=bytes(8)), "dtype"),
        "a name that NumPy gave up": (npy_of("(1,)", "'|a5'", data=bytes(5)), "broken"),
        "a type that is a number": (npy_of("(1,)", "17"), "broken"),
        "a type that is none": (npy_of("(1,)", "None"), "broken"),
        "nan": (npy([[math.nan]]), "number"),
        "infinity": (npy([[math.inf]]), "number"),
        "signalling nan": (npy_of("(1,)", "'<f4'", data=b"\x01\x00\xa0\x7f"), "number"),
        "too large": (npy([1.1e9]), "number"),
        "too large and whole": (npy(np.array([2**64 - 1], np.uint64)), "number"),
        "too negative and whole": (npy(np.array([-(2**63)], np.int64)), "number"),
    }.items()


def headers(descr):
    """An archive of a thousand arrays of this type, no two with the same header."""
    return archive([(f"{number}.npy", npy_of(f"({number},)", descr)) for number in range(1000)])


def hostile_npz():
    plain = npz(a=TABLE)
    inside = npy(TABLE)
    right = zlib.crc32(inside)
    bomb = gigabyte(npy_of("(2, 2)"))
    long = gigabyte(npy_of("(1000000, 125)", data=b""))
    cut = plain.rfind(b"PK\x05\x06")
    directory_at_the_end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 4, 22, 4) + b"PK\1\2"
    empty_blocks = b"\x00\x00\x00\xff\xff" * 1_500_000
    yield from {
        "no bytes": (b"", "broken"),
        "not an archive": (b"PK" + bytes(5000), "broken"),
        "cut in half": (plain[: len(plain) // 2], "broken"),
        "end cut": (plain[:-1], "broken"),
        "end alone": (plain[cut:], "broken"),
        "nothing in it": (archive([]), "nothing"),
        "a directory at the very end": (directory_at_the_end, "broken"),
        "a member at the very end": (
            packed("a.npy", b"", offset=len(packed("a.npy", b""))) + b"PK\3\4",
            "broken",
        ),
        "no arrays in it": (archive([("a.txt", "1")]), "nothing"),
        "an archive in an archive": (archive([("a.npz", plain)]), "nothing"),
        "an archive called an array": (archive([("a.npy", plain)]), "broken"),
        "a gigabyte behind a small shape": (packed("a.npy", bomb), "broken"),
        "a gigabyte that says it is short": (packed("a.npy", bomb, checksum=zlib.crc32(npy_of())), "broken"),
        "a gigabyte in a hundred members": (packed("a.npy", bomb, times=100), "twice"),
        "a gigabyte as its shape says": (packed("a.npy", long), "unpacked"),
        "2**60 numbers": (archive([("a.npy", npy_of(f"({2**60},)"))]), "unpacked"),
        "2**62 times 4 numbers": (archive([("a.npy", npy_of(f"({2**62}, 4)"))]), "unpacked"),
        "shorter than it says": (archive([("a.npy", npy_of("(9, 9)"))]), "length"),
        "longer than it says": (archive([("a.npy", npy_of("(1, 1)"))]), ("broken", "length")),
        "wrong checksum": (packed("a.npy", deflated(inside), checksum=1), "broken"),
        "garbage that is to be unpacked": (packed("a.npy", b"\xff" * 500), "broken"),
        "packed bytes cut": (packed("a.npy", deflated(inside)[:90]), ("broken", "length")),
        "size beyond the file": (packed("a.npy", deflated(inside), checksum=right, size=2**31), "broken"),
        "size of 4 GB": (packed("a.npy", deflated(inside), checksum=right, size=2**32 - 1), "broken"),
        "begins beyond the file": (packed("a.npy", deflated(inside), checksum=right, offset=2**31), "broken"),
        "begins in the directory": (packed("a.npy", deflated(inside), checksum=right, offset=200), "broken"),
        "locked": (packed("a.npy", deflated(inside), flags=1), "packed"),
        "locked strongly": (packed("a.npy", deflated(inside), flags=0x41), "packed"),
        "bzip2": (archive([("a.npy", inside)], zipfile.ZIP_BZIP2), "packed"),
        "lzma": (archive([("a.npy", inside)], zipfile.ZIP_LZMA), "packed"),
        "unknown packing": (packed("a.npy", inside, packing=99), "packed"),
        "one name 60,000 times": (packed("a.npy", deflated(inside), times=60_000), "twice"),
        "65,535 members that are no arrays": (packed("a" * 70, b"", times=65_535), "nothing"),
        "a directory that is slow to read": (
            packed("a", b"", times=110, extra=b"\x99\x99\0\0" * 16_000),
            "nothing",
        ),
        "names of 60,000 letters": (packed(b"\xb0" * 60_000 + b".npy", deflated(inside), times=100), "twice"),
        "members that unpack to nothing": (packed("a.npy", empty_blocks), "broken"),
        "the same name twice": (packed("a.npy", deflated(inside), times=2), "twice"),
        "names that look the same": (archive([("a\x01.npy", inside), ("a\x02.npy", inside)]), "twice"),
        "a thousand long headers": (headers(str([(f"f{n}", "<f8") for n in range(100)])), "header"),
        "a thousand types of many fields": (headers(str([(f"f{n}", "<f8") for n in range(9)])), "dtype"),
        "a thousand types of more fields": (headers("'" + "f8," * 46 + "f8'"), "dtype"),
        "a thousand types of text": (headers("'<U7'"), ("dtype", "empty")),
        "2**60 rows of 2": (archive([("a.npy", npy_of(f"({2**60}, 2)"))]), "unpacked"),
        "objects": (archive([("a.npy", npy_of("(1,)", "'|O'", data=pickle.dumps([print])))]), "dtype"),
        "nan": (npz(a=np.array([math.nan])), "number"),
    }.items()


def hostile_safetensors():
    data = np.ones((2, 2), np.float32).tobytes()
    one = b'"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'
    twice = b"{" + one + b"," + one + b"}"
    yield from {
        "no bytes": (b"", "broken"),
        "seven bytes": (b"\1" * 7, "broken"),
        "header of 2**63 bytes": (safetensors({}, length=2**63), "broken"),
        "header of 2**64 - 1 bytes": (safetensors({}, length=2**64 - 1), "broken"),
        "header longer than the file": (safetensors({"a": entry()}, length=5000), "broken"),
        "header of 2 MB": (
            safetensors(json.dumps({"a": entry()}).encode() + b" " * 2_000_000, data),
            "broken",
        ),
        "header one byte longer than the file": (safetensors({"__metadata__": {}}, length=21), "broken"),
        "header of no bytes": (safetensors(b""), "broken"),
        "header cut": (safetensors(b'{"a":{"dtype":"F32"'), "broken"),
        "header is no text": (safetensors(b"\xff\xfe\xfd"), "text"),
        "header is a list": (safetensors([1]), "broken"),
        "header is deep": (safetensors(b'{"a":' * 20_000), "broken"),
        "header is deeper": (safetensors(b"[" * 900_000), "broken"),
        "header of many objects": (safetensors(b"[" + b'{"":0},' * 120_000 + b"0]"), "cells"),
        "nothing in it": (safetensors({}), "nothing"),
        "metadata alone": (safetensors({"__metadata__": {"a": "b"}}), "nothing"),
        "entry is a number": (safetensors({"a": 1}, data), "broken"),
        "no offsets": (safetensors({"a": {"dtype": "F32", "shape": [1]}}, data), "broken"),
        "three offsets": (safetensors({"a": entry(offsets=(0, 8, 16))}, data), "broken"),
        "offsets beyond the file": (safetensors({"a": entry(offsets=(16, 32))}, data), "broken"),
        "offsets of 2**60": (safetensors({"a": entry(offsets=(2**60, 2**60 + 16))}, data), "broken"),
        "offsets that go back": (safetensors({"a": entry(offsets=(16, 0))}, data), "broken"),
        "negative offsets": (safetensors({"a": entry(offsets=(-16, 0))}, data), "broken"),
        "offsets of fractions": (safetensors({"a": entry(offsets=(0.0, 16.0))}, data), "broken"),
        "offsets of truth values": (safetensors({"a": entry("U8", (1,), (False, True))}, data), "broken"),
        "offsets of 5,000 digits": (
            safetensors(b'{"a":{"data_offsets":[0,' + b"9" * 5000 + b"]}}"),
            "broken",
        ),
        "shape of 2**60": (safetensors({"a": entry(shape=(2**60,))}, data), "length"),
        "shape that overflows": (safetensors({"a": entry(shape=(2**62, 4))}, data), "length"),
        "shape of 15,000 axes": (safetensors({"a": entry(shape=[2**62] * 15_000)}, data), "broken"),
        "negative shape": (safetensors({"a": entry(shape=(-2, -2))}, data), "broken"),
        "shape of text": (safetensors({"a": entry(shape="22")}, data), "broken"),
        "shape too small": (safetensors({"a": entry(shape=(1, 2))}, data), "length"),
        "other type than it is long": (safetensors({"a": entry("F64")}, data), "length"),
        "eight bits": (safetensors({"a": entry("F8_E4M3", (4, 4))}, data), "dtype"),
        "no known type": (safetensors({"a": entry("\x1b" * 300)}, data), "dtype"),
        "type is a number": (safetensors({"a": entry(4)}, data), "broken"),
        "one name twice": (safetensors(twice, data), "twice"),
        "nan in the header": (safetensors(b'{"a":NaN}'), "constant"),
        "no axes": (safetensors({"a": entry(shape=(), offsets=(0, 4))}, data), "axes"),
        "five axes": (safetensors({"a": entry(shape=(1, 1, 1, 2, 2))}, data), "axes"),
        "empty": (safetensors({"a": entry(shape=(0, 2), offsets=(0, 0))}, data), "empty"),
        "bfloat16 infinity": (safetensors({"a": entry("BF16", (1,), (0, 2))}, b"\x80\x7f"), "number"),
    }.items()


def hostile_json():
    yield from {
        "no bytes": ("", "broken"),
        "cut": ("[[1, 2], [3", "broken"),
        "100,000 deep": ("[" * 100_000, "broken"),
        "99,000 deep and closed": ("[" * 99_000 + "]" * 99_000, "broken"),
        "900 deep": ("[" * 900 + "1" + "]" * 900, "nested"),
        "objects 19,000 deep": ('{"a":' * 19_000, "broken"),
        "many empty lists": ("[" + "[]," * 66_000 + "[]]", "cells"),
        "long": ("[" + " " * 300_000 + "1]", "long_text"),
        "nan": ("[[NaN]]", "constant"),
        "infinity": ("[[-Infinity]]", "constant"),
        "1e999": ("[[1e999]]", "number"),
        "a whole number of 100,000 digits": ("[" + "9" * 100_000 + "]", "number"),
        "1e10": ("[1e10]", "number"),
        "null": ("[[1, null]]", "number"),
        "text": ('[["1", "2"]]', "entry"),
        "a text": ('"1"', "entry"),
        "an object in a list": ("[[1], {}]", "entry"),
        "objects without names": ('[{"value": [1]}]', "broken"),
        "objects without numbers": ('[{"name": "a"}]', "broken"),
        "a name that is deep": ('[{"value": 1, "name": ' + "[" * 900 + "]" * 900 + "}]", "broken"),
        "an object in an object": ('{"a": {"b": [1]}}', "entry"),
        "one name twice": ('{"a": [1], "a": [2]}', "twice"),
        "names that look the same": ('{"a\\u0001": [1], "a\\u0002": [2]}', "twice"),
        "rows of different length": ("[[1, 2], [3]]", "ragged"),
        "a number among rows": ("[[1, 2], 3]", "ragged"),
        "a number": ("1", "axes"),
        "empty": ("[]", "empty"),
        "empty rows": ("[[], []]", "empty"),
        "an empty object": ("{}", "nothing"),
        "five axes": ("[[[[[1]]]]]", "axes"),
        "17 matrices": (json.dumps([[[1]]] * 17), "leading"),
        "a lone surrogate as a name": ('{"\\ud800": ["x"]}', "entry"),
        "code": ("__import__('os')", "broken"),
    }.items()


def hostile_tables():
    yield from {
        "no bytes": (b"", "nothing"),
        "spaces": (b" \n\n \t\n", "nothing"),
        "labels alone": (b"a,b,c\n", "nothing"),
        "a million columns": (b"1," * 1_000_000, "long_text"),
        "90,000 columns": (b"1," * 90_000, "columns"),
        "one long row among many": (b"1\n" * 1_000 + b"1," * 1_000, "cells"),
        "as many columns as are read": (b"1," * 1_099 + b"a", "cell"),
        "90,000 rows": (b"1\n" * 90_000, "cells"),
        "90,000 spaces": (b"1 " * 90_000, "columns"),
        "rows of different length": (b"1,2\n3\n", "ragged"),
        "a formula": (b"=1+1,2\n3,4", "cell"),
        "a column of formulas": (b"=1+1,2\n=2+2,4", "cell"),
        "a formula that calls": (b"1,2\n3,\"=HYPERLINK('http://x')\"", "cell"),
        "a command": (b"1,2\n3,@SUM(1)", "cell"),
        "nan": (b"1,nan\n2,3", "cell"),
        "a column of nan": (b"nan,1\nnan,2", "cell"),
        "infinity": (b"1,2\n3,inf", "cell"),
        "1e400": (b"1,2\n3,1e400", "cell"),
        "2e9": (b"1,2\n3,2000000000", "cell"),
        "a number of 10,000 digits": (b"1,2\n3," + b"9" * 10_000, "cell"),
        "a missing number": (b"1,2\n,4", "cell"),
        "a missing corner": (b",2\n3,4", "cell"),
        "a word among numbers": (b"1,2,oops\n3,4,5", "cell"),
        "zero bytes": (b"1,2\n3,\x00", "cell"),
        "zero bytes alone": (bytes(1000), ("cell", "nothing")),
        "markup": (b"1,2\n3,<script>alert(1)</script>", "cell"),
        "control characters": (b"1,2\n3,\x1b[31m4", "cell"),
        "no text": (b"\x80\x81\x82", "text"),
        "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "text"),
        "half a UTF-16": (b"\xff\xfe1\x00,\x002", "text"),
        "lone surrogates in UTF-16": (b"\xff\xfe\x00\xd8\x00\xd8", "text"),
        "UTF-32": ("1,2".encode("utf-32"), ("cell", "nothing")),
        "a quote that never ends": (b'1,2\n"3,4', "broken"),
        "a cell of 150,000 letters": (b"1,2\n3," + b"x" * 150_000, ("cell", "broken")),
        "our own with a place missing": (b"name,index,value\na,0 0,1\na,1 1,2", "gaps"),
        "our own with a place twice": (b"name,index,value\na,0,1\na,0,2", "gaps"),
        "our own with places that do not belong": (b"name,index,value\na,0,1\na,0 1,2", "gaps"),
        "our own with a place far away": (b"name,index,value\na,999999 999999,1", "gaps"),
        "our own with a place farther away": (b"name,index,value\na,99999999999,1", "cell"),
        "our own with a negative place": (b"name,index,value\na,-1,1", "cell"),
        "our own with a formula": (b"name,index,value\na,0,=1+1", "cell"),
        "our own with infinity": (b"name,index,value\na,0,-inf", "number"),
        "our own without numbers": (b"name,index,value\n", "nothing"),
        "our own with a row cut": (b"name,index,value\na,0", "cell"),
        "our long table with a place missing": (b"step,a,b,value\nx,0,0,1\nx,1,1,2", "gaps"),
        "our long table with a place twice": (b"step,a,value\nx,0,1\nx,0,2", "gaps"),
        "our long table with a formula": (b"step,a,value\nx,0,=1+1", "cell"),
        "our long table with a negative place": (b"step,a,value\nx,-1,1", "cell"),
        "our long table with a row cut": (b"step,a,value\nx", "cell"),
        "our long table without numbers": (b"step,a,value\n", "nothing"),
        "our own with nine axes": (b"name,index,value\na,0 0 0 0 0 0 0 0 0,1", "cell"),
    }.items()


def hostile_names():
    yield "too long", "a.npy", bytes(upload.MOST_BYTES + 1), "long"
    for file_name in (
        "",
        "a",
        "a.exe",
        "a.npy.exe",
        "npy",
        "a.pkl",
        "a.pt",
        "a.\x00npy",
        "a." + "x" * 10_000,
    ):
        yield f"called {file_name[:12]!a}", file_name, npy(TABLE), "kind"
    yield "other than it is called", "a.npz", npy(TABLE), "broken"
    yield "an archive called json", "a.json", npz(a=TABLE), ("text", "broken")


def hostile_files():
    kinds = {
        "a.npy": hostile_npy(),
        "a.npz": hostile_npz(),
        "a.safetensors": hostile_safetensors(),
        "a.csv": hostile_tables(),
    }
    for file_name, cases in kinds.items():
        for label, (content, codes) in cases:
            yield f"{file_name[2:]}: {label}", file_name, content, codes
    for label, (text, codes) in hostile_json():
        yield f"json: {label}", "a.json", text.encode(), codes
    yield from hostile_names()


HOSTILE = list(hostile_files())


USUAL = json.dumps([0.123456789] * 200_000)
MOST_TIMES = 20  # as long as that takes: a quarter of a second where it takes 13 ms


def attempt(file_name, content, at=(0, 0)):
    """What comes of a file: every refusal, and the longest time that listing or reading took."""
    found, slowest = [], 0.0

    def timed(call):
        nonlocal slowest
        start = time.process_time()
        try:
            return call()
        except UploadError as error:
            found.append(error)
            return []
        finally:
            slowest = max(slowest, time.process_time() - start)

    for tensor in timed(lambda: tensors_in(file_name, content))[:20]:
        assert 0 < len(tensor.name) <= 200
        assert tensor.name.isprintable()
        numbers = timed(lambda name=tensor.name: read_tensor(file_name, content, name, at))
        array = np.array(numbers)
        assert array.dtype == np.float64
        assert array.ndim <= 4
        assert max(array.shape) <= 16
        assert (np.abs(array) <= 1e9).all()
    assert all(map(sentence, found))
    return found, slowest


def as_long_as_usual():
    """Seconds of the processor that an honest piece of work takes just now: 200,000 numbers of JSON."""
    start = time.process_time()
    json.loads(USUAL)
    return time.process_time() - start


@contextmanager
def no_collection():
    """Python looks through all that a long run of tests keeps, in the middle of what is timed; the app does not."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def measured(file_name, content):
    """The codes of what is refused, with bounds on time and memory kept; watching memory would take time.

    How fast the machine is just now is measured beside it.
    """
    tries = (
        attempt(file_name, content)[1] / as_long_as_usual() for _ in range(5)
    )  # a busy machine only adds
    with no_collection():
        slowest = next((times for times in tries if times < MOST_TIMES), MOST_TIMES)
    tracemalloc.start()
    found, _ = attempt(file_name, content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert slowest < MOST_TIMES
    assert peak < 50_000_000
    return [error.code for error in found]


def test_the_bomb_is_one():
    bomb = gigabyte(npy(TABLE))
    assert len(bomb) < 1_100_000
    unpacker, length = zlib.decompressobj(wbits=-15), 0
    while bomb and length < 100_000_000:
        length += len(unpacker.decompress(bomb, 1_000_000))
        bomb = unpacker.unconsumed_tail
    assert length == 100_000_000


def test_there_are_many_hostile_files():
    assert len(HOSTILE) >= 80
    assert len({label for label, *_ in HOSTILE}) == len(HOSTILE)


@pytest.mark.parametrize(
    ("file_name", "content", "codes"), [case[1:] for case in HOSTILE], ids=[c[0] for c in HOSTILE]
)
def test_a_hostile_file_is_refused(file_name, content, codes):
    found = measured(file_name, content)
    assert found
    assert set(found) <= ({codes} if isinstance(codes, str) else set(codes))


def test_every_code_is_met():
    met = {error.code for _, file_name, content, _ in HOSTILE for error in attempt(file_name, content)[0]}
    met |= {refusal("a.npy", npy(TABLE), "b").code, refusal("a.npy", npy(TABLE), at=(2, 0)).code}
    met |= {"target", "large", "thirds"}  # in tests/test_loading.py and tests/test_matching.py
    assert {f"upload.{code}" for code in met} == {key for key in Words()._words if key.startswith("upload.")}


@pytest.mark.parametrize("at", [(2, 0), (0, 3), (-1, 0), (0, -1), (2**70, 0)])
def test_a_part_that_is_not_there(at):
    assert refusal("a.npy", npy(TABLE), at=at).code == "corner"


def test_the_largest_honest_files_are_read_soon():
    array = np.random.default_rng(0).standard_normal((16, 249, 250))
    assert 7_900_000 < array.nbytes < upload.MOST_BYTES - 1000
    zeros = npz(a=np.zeros((1000, 999)))
    members = {f"tensor_number_{number}": np.ones((16, 16), np.float32) for number in range(1000)}
    header = {f"layer.{number}.weight": entry("F32", (16, 16), (0, 1024)) for number in range(3000)}
    table = "\n".join(",".join(f"{value:.4f}" for value in row) for row in array[0][:95, :200]).encode()
    files = {
        "a.npy": [npy(array), npy(np.asfortranarray(array))],
        "a.npz": [npz(packed=False, a=array), zeros, npz(**members)],
        "a.safetensors": [large("a.safetensors", array), safetensors(header, bytes(1024))],
        "a.csv": [table],
        "a.json": [json.dumps(np.round(array[0][:95, :200], 4).tolist()).encode()],
    }
    for file_name, contents in files.items():
        for content in contents:
            assert measured(file_name, content) == []


def mutated(content, rng):
    """A file with a few bytes changed, cut, doubled or taken from elsewhere in it."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 5)):
        if not changed:
            break
        place = rng.randrange(len(changed))
        match rng.randrange(5):
            case 0:
                changed[place] = rng.randrange(256)
            case 1:
                del changed[place:]
            case 2:
                changed[place:place] = changed[:place][-30:]
            case 3:
                changed[place : place + 4] = rng.choice(
                    [b"\xff\xff\xff\xff", bytes(4), b"-1, ", b"9999", b'"[{(']
                )
            case 4:
                start = rng.randrange(len(changed))
                changed[place : place + 8] = changed[start : start + 8]
    return bytes(changed)


def test_a_thousand_mutated_files_do_no_harm():
    rng = random.Random(0)
    trace = load_preset("causal").trace()
    array = np.random.default_rng(0).standard_normal((3, 4))
    data = array.astype(np.float32).tobytes() + bytes(12)
    header = {"a": entry("F32", (3, 4), (0, 48)), "b": entry("BOOL", (12,), (48, 60))}
    honest = [
        ("a.npy", npy(array)),
        ("a.npy", npy(array > 0)),
        ("a.npz", npz(a=array, b=array.astype(np.float16))),
        ("a.npz", npz(packed=False, a=array)),
        ("a.npz", export.as_npz(trace)),
        ("a.json", export.as_json(trace)),
        ("a.csv", export.as_csv(trace)),
        ("a.csv", b"token,x,y\nthe,1.5,2\ncat,3,4e-2\n"),
        ("a.tsv", "\tx\ty\nthe\t1,5\t−2\n".encode("utf-16")),
        ("a.txt", b"[[1, 2.5], [3, -4]]"),
        ("a.safetensors", safetensors(header, data)),
    ]
    tracemalloc.start()
    slowest = 0.0
    with no_collection():
        for number in range(1200):
            file_name, content = honest[number % len(honest)]
            at = rng.choice([(0, 0), (0, 0), (1, 1)])
            slowest = max(slowest, attempt(file_name, mutated(content, rng), at)[1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000
    assert slowest < MOST_TIMES * max(as_long_as_usual() for _ in range(3))


def test_pandas_is_loaded_only_for_a_table():
    code = (
        "import sys; from ui.files.upload import tensors_in; tensors_in('a.json', b'[[1]]'); "
        "before = 'pandas' in sys.modules; tensors_in('a.csv', b'1,2'); "
        "print(before, 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("language", languages())
def test_refusals_are_plain_text_without_stray_backslashes(language):
    """Markdown takes a backslash away before ASCII punctuation, and shows it before anything else."""
    words, name = Words(language), "**w** :smile: www.x.org a@b.c −0.5 `$x$` <b>"
    texts = ("name", "text", "kind", "constant", "shape", "place", "corner", "dtype", "target", "present")
    for code in words.family("upload"):
        asked = re.findall(r"\{(\w+)\}", all_words(language)[f"upload.{code}"])
        sentence = words(f"upload.{code}", **{fact: name if fact in texts else -0.5 for fact in asked})
        plain = as_plain(sentence)
        assert re.findall(r"\\(?![!-/:-@\[-`{-~])", plain) == []
        assert re.sub(r"\\(.)", r"\1", plain).replace("\u2060", "") == sentence
        assert not re.search(r"www\\?\.|:\w+\\?:|\w@\w", plain)
