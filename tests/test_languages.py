"""Every language says all of it: the same live pieces, no English left, every moment can be read."""

import re
from collections import Counter

import pytest

from tests.student import LESSONS, moments_of_page
from ui.words import Words, all_words, best_language, languages

OTHERS = [language for language in languages() if language != "en"]
# What a translation keeps as it is: mathematics, live numbers, code, names of matrices, colours.
KEPT = re.compile(r"\$[^$]+\$|\{[^{}]*\}|`[^`]+`|\[\[[a-z_]+|:(?:blue|orange|green)\[")
# Words that only an English sentence has.
ENGLISH = re.compile(
    r"\b(the|and|with|this|that|from|which|what|your|you|are|for|into|each|every|does|than|only|because|"
    r"when|where|would|there|their|they|have|been|not|but|its|how|why)\b",
    re.IGNORECASE,
)
QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』|\([^)]*\)|（[^）]*）|‘[^’]*’|`[^`]*`")
# Read by a person and found right in English: titles of works, tokens of an example, names of settings.
READ_AND_RIGHT = {"preset.cat_on_the_mat.title"}


def test_there_are_four_languages():
    assert sorted(OTHERS) == ["ko", "vi", "zh"]


@pytest.mark.parametrize("language", OTHERS)
def test_live_pieces_are_the_same_in_every_language(language):
    english, other = all_words("en"), all_words(language)
    different = {
        key: (Counter(KEPT.findall(sentence)), Counter(KEPT.findall(other[key])))
        for key, sentence in english.items()
        if Counter(KEPT.findall(sentence)) != Counter(KEPT.findall(other[key]))
    }
    assert different == {}


@pytest.mark.parametrize("language", OTHERS)
def test_no_english_is_left(language):
    left = {}
    for key, sentence in all_words(language).items():
        plain = QUOTED.sub(" ", KEPT.sub(" ", sentence))
        if key not in READ_AND_RIGHT and len(ENGLISH.findall(plain)) >= 2:
            left[key] = sentence
    assert left == {}


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_is_more_than_a_copy(language):
    english, other = all_words("en"), all_words(language)
    long = [key for key, text in english.items() if len(re.findall("[a-z]{3,}", KEPT.sub(" ", text))) > 4]
    same = {key for key in long if other[key] == english[key]} - READ_AND_RIGHT
    assert {key for key in same if not key.rpartition(".")[2].startswith("code_")} == set()  # lines of code


def test_english_that_is_left_is_seen():
    assert len(ENGLISH.findall("입력 the sum of each row")) >= 2
    assert not ENGLISH.findall(QUOTED.sub(" ", "어텐션(the attention that is)"))


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_moment_can_be_read(student, language, lesson):
    page = student(lesson)
    page.play.words = Words(language)
    for moment in moments_of_page(lesson):
        page.at(moment.id).do("show")
        assert page.panel["why"]
        assert page.panel["text"]


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("en-US", "en"),
        ("fr-FR", "en"),
        (None, "en"),
        ("", "en"),
        ("xx", "en"),
        *((code, code) for code in OTHERS),
    ],
)
def test_the_browsers_language_is_taken_where_there_is_one(locale, language):
    assert best_language(locale) == language
    if locale:
        assert best_language(f"{locale.partition('-')[0]}-ZZ") == language
