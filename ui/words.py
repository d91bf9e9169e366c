"""Words: every sentence a learner reads, by key, from assets/words/<language>."""

import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Any

from attention_core import MESSAGES, PHRASES, AttentionError, Phrase
from ui.numbers import Marks, as_typed, brief, in_marks, listed, words_in_marks, write
from ui.paths import ASSETS

FOLDER = ASSETS / "words"
FIRST_LANGUAGE = "en"


def flat(table: dict, prefix: str = "") -> dict[str, str]:
    """{"step": {"q": "Q"}} as {"step.q": "Q"}."""
    words = {}
    for key, value in table.items():
        words |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return words


@cache
def languages() -> tuple[str, ...]:
    """The languages there are, English first."""
    found = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
    return tuple(sorted(found, key=lambda language: language != FIRST_LANGUAGE))


def best_language(locale: str | None) -> str:
    """The language there is for a browser's locale: "ko-KR" is Korean; English where there is none."""
    code = (locale or "").replace("_", "-").partition("-")[0].lower()
    return code if code in languages() else FIRST_LANGUAGE


@cache
def all_words(language: str) -> dict[str, str]:
    """Every sentence of a language by its key. The library itself speaks English in its errors."""
    words = {}
    if language == FIRST_LANGUAGE:
        words = {f"error.{code}": message for code, message in MESSAGES.items()}
        words |= {f"phrase.{code}": phrase for code, phrase in PHRASES.items()}
    for path in sorted((FOLDER / language).glob("*.toml")):
        words |= flat(tomllib.loads(path.read_text(encoding="utf-8")))
    for path in sorted((FOLDER / language / "lessons").glob("*.toml")):
        words |= flat(tomllib.loads(path.read_text(encoding="utf-8")), f"lesson.{path.stem}.")
    return words


@cache
def marks_of(language: str) -> Marks:
    words = all_words(language)
    return Marks(*(words[f"language.{mark}"] for mark in Marks._fields))


@cache
def words_as_written(language: str) -> dict[str, str]:
    """Every sentence with its literal numbers in the marks of the language."""
    marks = marks_of(language)
    return {
        key: text if key.startswith("language.") else words_in_marks(text, marks)
        for key, text in all_words(language).items()
    }


class Words:
    """Sentences in one language: words("home.lead"), words("edit.no_name", most=24).

    Facts that are numbers, or have numbers in them (`Numeral`, `Spelled`), are written as the language writes
    them. Other texts stay: they are names, code, or what a learner typed.
    """

    def __init__(self, language: str = FIRST_LANGUAGE):
        self.language = language
        self._words = words_as_written(language)
        self.marks = marks_of(language)

    def __call__(self, key: str, **facts) -> str:
        if key.startswith("error.") and self.language != FIRST_LANGUAGE:
            facts = {name: self.fact(name, fact) for name, fact in facts.items()}
        if not facts:
            return self._words[key]
        return self._words[key].format(**{name: self.written(fact) for name, fact in facts.items()})

    def written(self, fact: object) -> object:
        """A fact as it stands in a sentence."""
        if isinstance(fact, str):
            return in_marks(fact, self.marks)
        if isinstance(fact, float):
            return as_typed(fact, self.marks)
        return write(fact, 0, self.marks) if type(fact) is int else fact

    def number(self, value: float, decimals: int) -> str:
        """A number in a text of this language."""
        return write(value, decimals, self.marks)

    def brief(self, value: float, digits: int) -> str:
        """The same with so many significant digits."""
        return brief(value, digits, self.marks)

    def numbers(self, values: Iterable[float], decimals: int) -> str:
        """Numbers of a list."""
        return listed([self.number(value, decimals) for value in values], self.marks)

    def fact(self, name: str, fact: Any) -> Any:
        """A fact of the library without its English: phrases and names of axes in this language."""
        if isinstance(fact, Phrase):
            return self(f"phrase.{fact.code}", **fact.facts)
        if name == "axes":
            names = fact.split(", ") if isinstance(fact, str) else fact
            return ", ".join(self.fact("axis", axis) for axis in names)
        if name == "axis":
            keys = (f"axis.{fact}", f"phrase.axis_{fact}")
            return next((self._words[key] for key in keys if key in self._words), fact)
        return fact

    def family(self, name: str) -> list[str]:
        """The keys below `name`, without it."""
        return [key.removeprefix(f"{name}.") for key in self._words if key.startswith(f"{name}.")]

    def __contains__(self, key: str) -> bool:
        return key in self._words

    def error(self, error) -> str:
        """What was given, what is needed, what to change: of an error of the library, or of a scenario."""
        kind = "error" if isinstance(error, AttentionError) else "scenario"
        return self(f"{kind}.{error.code}", **error.facts)
