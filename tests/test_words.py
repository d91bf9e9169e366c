"""Words are found by key, filled with facts, and none is missing or left over."""

import re
import string
from pathlib import Path

import numpy as np
import pytest

from attention_core import MESSAGES, AttentionError, multi_head_attention
from ui import controls, lab
from ui.words import FOLDER, Words, all_words

ROOT = Path(__file__).parents[1]
LANGUAGES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
# Keys that are put together from ids.
FAMILIES = ("preset.", "name.", "axis.", "error.", "board.", "stage.", "mask.", "scale.", "link.", "edit.")
FAMILIES += ("size.", "fill.", "take.", "hidden.", "option.", "layout.", "mistake.", "bench.", "scenario.")
FAMILIES += ("upload.", "part.", "free_mask.", "control.", "bring.")


def fields(sentence):
    return {field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None}


def keys_in_code():
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "ui").glob("*.py")]
    return {key for path in files for key in re.findall(r'words\("([\w.]+)"', path.read_text("utf-8"))}


def test_every_key_that_is_asked_for_is_there():
    assert keys_in_code()
    assert keys_in_code() <= set(all_words("en"))


def test_no_word_is_left_over():
    made = {"home.title", "lab.title", "lab.batch", "lab.head", "lab.undo", "lab.redo"}
    unused = {key for key in all_words("en") if not key.startswith(FAMILIES)} - keys_in_code() - made
    assert unused == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_and_placeholders(language):
    english, other = all_words("en"), all_words(language)
    assert set(english) == set(other)
    for key, sentence in english.items():
        assert fields(sentence) == fields(other[key]), key


def test_families_have_a_word_for_every_id():
    words = all_words("en")
    for stage in lab.STAGES:
        assert f"stage.{stage}.title" in words
        assert words[f"stage.{stage}.why"].endswith(".")
    assert {f"mask.{mask}" for mask in controls.MASKS} <= set(words)
    assert {f"scale.{scale}" for scale in controls.SCALES} <= set(words)
    said = set(re.findall(r'(?:LinkError|say)\("([\w.]+)"', (ROOT / "ui/link.py").read_text("utf-8")))
    assert {f"link.{code}" for code in said} <= set(words)
    said = set(re.findall(r'UploadError\(\s*"(\w+)"', (ROOT / "ui/upload.py").read_text("utf-8")))
    assert {f"upload.{code}" for code in said} == {key for key in words if key.startswith("upload.")}
    said = set(re.findall(r'say\(\s*"([\w.]+)"', (ROOT / "ui/session.py").read_text("utf-8")))
    assert said <= set(words)


def test_errors_are_told_in_words():
    with pytest.raises(AttentionError) as error:
        multi_head_attention(np.eye(4), np.eye(4), np.eye(4), np.eye(4), n_heads=3)
    assert Words().error(error.value) == str(error.value)
    assert {f"error.{code}" for code in MESSAGES} <= set(all_words("en"))


def test_a_missing_word_is_an_error():
    with pytest.raises(KeyError, match=r"home\.nothing"):
        Words()("home.nothing")
    assert "home.title" in Words()
