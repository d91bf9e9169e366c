"""Words are found by key, filled with facts, and none is missing or left over."""

import re
import string
import tomllib
from pathlib import Path

import numpy as np
import pytest

from attention_core import MESSAGES, AttentionError, multi_head_attention
from ui.board.stages import OF_STEP, STAGES
from ui.numbers import Marks
from ui.scenario import choices, shaping
from ui.scenario.layouts import LAYOUTS
from ui.scenario.link import LOCKED
from ui.state.lab import PANELS
from ui.words import FOLDER, Words, all_words, flat

ROOT = Path(__file__).parents[1]
LANGUAGES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
# Keys that are put together from ids.
FAMILIES = ("preset.", "name.", "axis.", "error.", "board.", "stage.", "mask.", "scale.", "link.", "edit.")
FAMILIES += ("home.", "chapter.", "heads.")  # tests/test_home.py and test_heads.py look at these
FAMILIES += ("size.", "fill.", "take.", "hidden.", "option.", "layout.", "mistake.", "bench.", "scenario.")
FAMILIES += (
    "upload.",
    "instead.",
    "part.",
    "free_mask.",
    "control.",
    "bring.",
    "choice.",
    "panel.",
    "share.",
    "formula.",
    "lesson.",  # tests/test_lessons.py looks at these
    "phrase.",  # of the library
    "script.",  # tests/test_export.py looks at these
    "practice.",  # tests/test_exercises.py and tests/test_worksheet.py look at these
)


def fields(sentence):
    return {field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None}


def keys_in_code():
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "ui").rglob("*.py")]
    return {key for path in files for key in re.findall(r'words\("([\w.]+)"', path.read_text("utf-8"))}


def test_every_key_that_is_asked_for_is_there():
    assert keys_in_code()
    assert keys_in_code() <= set(all_words("en"))


def test_no_word_is_left_over():
    made = {"lab.title", "course.anew", "language.name"}
    made |= {f"language.{mark}" for mark in Marks._fields}
    unused = {key for key in all_words("en") if not key.startswith(FAMILIES)} - keys_in_code() - made
    assert unused == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_and_placeholders(language):
    english, other = all_words("en"), all_words(language)
    assert set(english) == set(other)
    for key, sentence in english.items():
        assert fields(sentence) == fields(other[key]), key


def family(name):
    return {key.removeprefix(f"{name}.") for key in all_words("en") if key.startswith(f"{name}.")}


def raised(pattern, file):
    return set(re.findall(pattern, (ROOT / file).read_text("utf-8")))


def test_families_have_a_word_for_every_id_and_no_other():
    words = all_words("en")
    for stage in STAGES:
        assert f"stage.{stage}.title" in words
        assert words[f"stage.{stage}.why"].endswith(".")
    assert family("mask") == set(choices.MASKS)
    assert family("scale") == set(choices.SCALES)
    assert family("free_mask") == set(choices.FREE_MASKS)
    assert family("part") == set(shaping.PARTS)
    assert family("size") == {"n_batch"}
    assert set(shaping.Sizes._fields) - {"n_batch"} <= family("choice")
    assert family("panel") == set(PANELS)
    assert family("control") == set(LOCKED)
    assert set(LAYOUTS) <= family("layout")
    assert raised(r'LinkError\("(\w+)"', "ui/scenario/link.py") | {"too_much"} == family("link")
    uploads = [
        raised(r'UploadError\(\s*"(\w+)"', path) for path in ("ui/files/upload.py", "ui/files/loading.py")
    ]
    assert set.union(*uploads) == family("upload")
    assert raised(r'ScenarioError\(\s*"(\w+)"', "ui/scenario/scenario.py") == family("scenario")
    said = set()
    for path in (ROOT / "ui").rglob("*.py"):
        said |= raised(r'(?:Refused|desk\.say)\(\s*"([\w.]+)"', path)
    assert said <= set(words)
    assert {f"edit.{code}" for code in family("edit")} <= said


def test_the_workbench_has_every_word_it_asks_for():
    paths = [
        path
        for path in (ROOT / "static").rglob("*.js")
        if "plotly" not in path.name
        and path.parent.name not in ("home", "heads")  # tests of those pages look there
    ]
    pictures = "".join(path.read_text("utf-8") for path in paths if path.parent.name == "pictures")
    scripts = "".join(path.read_text("utf-8") for path in paths if path.parent.name != "pictures")
    asked = set(re.findall(r"\bwords\.(\w+)", scripts)) - {"do_"}
    # In a picture words are called without their "row_", and names of steps stand among them.
    asked |= {f"row_{word}" for word in re.findall(r"\bwords\.(\w+)", pictures) if word not in OF_STEP}
    asked |= {f"row_{part}_role" for part in "qkv"}
    told = {
        says
        for text in re.findall(r"says: ([^,}]*)", pictures)
        for says in re.findall(r'(?<!=== )"(\w+)"', text)
    }
    assert {f"picture_{says}" for says in told} == {
        key for key in family("bench") if key.startswith("picture_")
    }
    asked |= {f"picture_{says}" for says in told}
    asked |= {
        key for key in family("bench") if key.startswith("film_") and key.removeprefix("film_") in STAGES
    }
    built = (
        {f"fill_{kind}" for kind in ("paste", "clear", "random")}
        | {
            "batch",
            "head",
            "chosen",
            "source",
            "mark_first",
            "mark_wrong",
            "mark_right",
            "mark_new",
            "mark_lit",
            "mark_hidden",
            "first",
        }
        | {key for key in family("bench") if key.startswith("do_")}
    )
    assert asked <= family("bench")
    assert family("bench") - asked - built == set()


def test_errors_are_told_in_words():
    with pytest.raises(AttentionError) as error:
        multi_head_attention(np.eye(4), np.eye(4), np.eye(4), np.eye(4), n_heads=3)
    assert Words().error(error.value) == str(error.value)
    assert {f"error.{code}" for code in MESSAGES} <= set(all_words("en"))


def test_a_missing_word_is_an_error():
    with pytest.raises(KeyError, match=r"home\.nothing"):
        Words()("home.nothing")
    assert "home.title" in Words()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_key_is_said_in_two_files(language):
    """The second would take the place of the first without a word."""
    places = {}
    for path in sorted((FOLDER / language).glob("*.toml")):
        for key in flat(tomllib.loads(path.read_text(encoding="utf-8"))):
            places.setdefault(key, []).append(path.name)
    assert {key: files for key, files in places.items() if len(files) > 1} == {}
