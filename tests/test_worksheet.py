"""The worksheet: the same bytes for the same seed, complete, and nothing from outside."""

import hashlib
import re
from html.parser import HTMLParser

import pytest

from ui.course.exercises.exercise import LEVELS, kinds_of, write_value
from ui.course.exercises.worksheet import exercises_of, worksheet
from ui.words import Words

WORDS = Words()
VOID = {"meta"}


class Reader(HTMLParser):
    """The elements of a document, each as [tag, class, text, parent]; every tag must be closed."""

    def __init__(self, document):
        super().__init__()
        self.found, self.open = [], []
        self.feed(document)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        element = [tag, dict(attributes).get("class", ""), "", self.open[-1] if self.open else None]
        self.found.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, text):
        for element in self.open:
            element[2] += text

    def all(self, tag, kind=""):
        found = [element for element in self.found if element[0] == tag]
        return [element for element in found if not kind or kind in element[1].split()]


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_seed_gives_the_same_bytes(level):
    first = worksheet(42, level, WORDS)
    assert worksheet(42, level, Words()) == first
    assert worksheet(43, level, WORDS) != first
    assert len({worksheet(seed, level, WORDS) for seed in range(5)}) == 5


def test_the_numbers_are_those_that_were_stored():
    """On every machine: the text of the sheet without its style."""
    text = re.sub(r"<style>.*?</style>", "", worksheet(7, "thirds", WORDS), flags=re.DOTALL)
    cells = re.findall(r"<td[^>]*>([^<]*)", text)
    assert hashlib.sha256(" ".join(cells).encode()).hexdigest()[:16] == STORED


STORED = "9b1b4239c523b818"


@pytest.mark.parametrize("level", LEVELS)
def test_exercises_are_on_one_page_and_answers_on_the_other(level):
    read = Reader(worksheet(5, level, WORDS))
    assert [page[0] for page in read.found if page[0] == "section"] == ["section"] * 2
    exercises, answers = read.all("ol")
    assert len([item for item in read.all("li") if item[3] is exercises]) == 8
    assert len([item for item in read.all("li") if item[3] is answers]) == 8
    assert {exercise.kind for exercise in exercises_of(5, level)} == set(kinds_of(level))
    kinds = [(exercise.given, exercise.facts, exercise.code) for exercise in exercises_of(5, level)]
    assert all(kinds.count(one) == 1 for one in kinds)


@pytest.mark.parametrize("level", LEVELS)
def test_no_answer_is_on_the_first_page_and_every_one_on_the_second(level):
    read = Reader(worksheet(5, level, WORDS))
    first, second = read.all("section")
    empty, filled = (
        [cell[2] for cell in read.all("td", "asked") if within(cell, page)] for page in (first, second)
    )
    numbers = [
        write_value(answer)
        for exercise in exercises_of(5, level)
        if exercise.kind in ("cell", "weights", "output")
        for answer in exercise.answers
    ]
    assert empty == [""] * len(numbers)
    assert len(filled) == len(numbers)
    assert "" not in filled
    assert all(f" = {number}" in second[2] for number in numbers)


def within(element, other):
    while element is not None and element is not other:
        element = element[3]
    return element is other


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_comes_from_outside(level):
    document = worksheet(5, level, WORDS)
    assert not re.search(r"https?:|src=|href=|url\(|@import|<script|<link", document)
    assert document.startswith('<!doctype html>\n<html lang="en">')


def test_words_are_escaped(monkeypatch):
    monkeypatch.setitem(WORDS._words, "practice.sheet.title", "<b>&</b>")
    document = worksheet(5, "easy", WORDS)
    assert "<b>&" not in document
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in document


def test_the_sheet_says_which_it_is():
    read = Reader(worksheet(1234, "hard", WORDS))
    assert [element[2] for element in read.all("p", "which")] == ["Hard · sheet 1234"] * 2
    assert "sheet 1234, Hard" in read.all("footer")[0][2]


def test_every_word_of_the_sheet_is_on_it():
    documents = "".join(Reader(worksheet(seed, "hard", WORDS)).all("html")[0][2] for seed in range(4))
    for key in WORDS.family("practice.sheet"):
        assert re.split(r"[{}]", WORDS(f"practice.sheet.{key}"))[0] in documents, key
