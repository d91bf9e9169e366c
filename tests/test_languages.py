"""Every language says all of it: the same live pieces, no English left, every section can be read."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from attention_core import PHRASES, AttentionError, Phrase
from tests.learner import Reader
from tests.student import LESSONS, sections_of_page
from tests.test_errors import REFUSED
from ui.course.exercises.worksheet import worksheet
from ui.message.types import sent
from ui.numbers import NARROW
from ui.page.lab import LAB
from ui.scenario.presets import load_preset, preset_ids
from ui.words import FOLDER, Words, all_words, best_language, languages

OTHERS = [language for language in languages() if language != "en"]
# What a translation keeps as it is: mathematics, live numbers, code, names of matrices, colours, links.
KEPT = re.compile(
    r"\$[^$]+\$|\{[^{}]*\}|`[^`]+`|\[\[[a-z_]+|:(?:blue|orange|green)\[|https?://[^\s)”]+|(?<!\w)/[a-z_]{3,}\b"
)
QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』|‘[^’]*’")
WORD = re.compile(r"(?<![\w.])[A-Za-z]{2,}(?!\w)")
BESIDE_OTHER_LETTERS = re.compile(WORD.pattern, re.ASCII)  # softmax는
# A syllable that Vietnamese may have: there only other words of plain letters are foreign for sure.
SYLLABLE = re.compile(
    r"(?:ngh|ng|gh|gi|kh|nh|ph|qu|th|tr|ch|[bcdghklmnprstvx])?[aeiouy]{1,3}(?:ch|ng|nh|[cmnpt])?",
    re.IGNORECASE,
)
# Words that an English sentence has, also where Vietnamese has syllables like them.
ENGLISH = re.compile(
    r"\b(the|and|with|this|that|from|which|what|your|you|are|for|into|each|every|does|than|only|because|"
    r"when|where|would|there|their|they|have|been|not|but|its|how|why)\b",
    re.IGNORECASE,
)
# Latin words in the other languages, each read by a person and found right: terms that learners know by that
# name, names of models, matrices and file formats, keys and words of an example. Every one of them is needed.
TERMS = {
    # Matrices, and what stands in code
    "argmax", "axis", "beta", "bk", "bo", "bproj", "bq", "bqkv", "bv", "cls", "concat", "concatenate",
    "dim", "false", "gamma", "generator", "head", "heads", "inf", "interleave", "key", "kv", "left",
    "nan", "nn", "none", "output", "pe", "permute", "qkv", "query", "reshape", "right", "table", "tanh",
    "tile", "transpose", "true", "value", "view", "window", "wk", "wo", "wpe", "wproj", "wq", "wqkv",
    "wv",
    # Names: models, libraries, formats, units, keys, this page
    "apache", "api", "base", "bert", "bpe", "cnn", "csv", "ctrl", "enter", "esc", "face", "gib", "gpt", "hugging",
    "json", "lab", "latex", "llama", "mb", "mib", "minilm", "mlp", "npy", "npz", "numpy", "python", "pytorch",
    "rnn", "qr", "safetensors", "sentence", "sep", "shift", "sink", "small", "timm", "transformer",
    "transformers", "tsv", "txt", "unk", "utf", "vision",
    "vit", "web", "yolo",
    # Words of an example sentence
    "cat", "mat", "sat",
    # Terms, where learners know them by the English name
    "attention", "backward", "batch", "bias", "bit", "boolean", "broadcast", "byte", "cache", "causal",
    "channel", "config", "convolution", "cross", "detector", "dot", "dropout", "entropy", "epoch", "evaluation",
    "gqa", "gradient", "grouped", "jacobian", "kernel", "layernorm", "linear", "logarit", "logit",
    "logits", "loss", "mask", "memory", "model", "mqa", "multi", "norm", "normalisation", "normalization",
    "number", "padding", "patch", "pixel", "pooler", "product", "projection", "ratio", "residual",
    "scale", "scaling", "score", "seed", "self", "shape", "size", "slope", "softcap", "softmax", "step",
    "tab", "target", "temperature", "tensor", "token", "tokenizer", "trace", "training", "variance", "weight",
}  # fmt: skip
# Sentences that are English on purpose: words of an example.
READ_AND_RIGHT = {"preset.cat_on_the_mat.title", "lesson.why_attention.readings.knob.token_article"}
NUMERAL = re.compile(r"(?<![\w.])\d+(?:(?:\u202f\d{3})+(?:\.\d+)?|\.\d+)(?![\d.]*\d)", re.ASCII)


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


def latin_words(sentence: str, language: str) -> list[str]:
    """Words of plain letters, outside code, formulas and quotations, that are not the language's own."""
    words = WORD if language == "vi" else BESIDE_OTHER_LETTERS
    found = words.findall(QUOTED.sub(" ", KEPT.sub(" ", sentence)))
    return [word for word in found if language != "vi" or not SYLLABLE.fullmatch(word)]


def english_in(sentence: str, language: str) -> list[str]:
    """What looks like English in a sentence of another language."""
    foreign = [word for word in latin_words(sentence, language) if word.lower() not in TERMS]
    usual = ENGLISH.findall(QUOTED.sub(" ", KEPT.sub(" ", sentence)))
    return foreign + (usual if len(usual) >= 2 else [])


@pytest.mark.parametrize("language", OTHERS)
def test_no_english_is_left(language):
    left = {key: english_in(sentence, language) for key, sentence in all_words(language).items()}
    assert {key: found for key, found in left.items() if found and key not in READ_AND_RIGHT} == {}


def test_every_reviewed_term_is_needed():
    used = {
        word.lower()
        for language in OTHERS
        for key, sentence in all_words(language).items()
        if key not in READ_AND_RIGHT
        for word in latin_words(sentence, language)
    }
    assert TERMS - used == set()
    for key in READ_AND_RIGHT:
        assert any(english_in(all_words(language)[key], language) for language in OTHERS)


def test_english_that_is_left_is_seen():
    assert english_in("입력의 sum of each row", "ko")[:3] == ["sum", "of", "each"]
    assert english_in("两个 numbers", "zh") == ["numbers"]
    assert english_in("hai numbers", "vi") == ["numbers"]
    assert english_in("cho the token that", "vi")
    assert english_in("어텐션(softmax), `the code` “the cat”, $the$ {the}", "ko") == []


@pytest.mark.parametrize("language", OTHERS)
def test_numbers_are_the_same_in_every_language(language):
    """With a point and a narrow space, in every language: the screen shows them in its marks."""
    english, other = all_words("en"), all_words(language)
    different = {
        key: (found, NUMERAL.findall(other[key]))
        for key, sentence in english.items()
        if sorted(found := NUMERAL.findall(sentence)) != sorted(NUMERAL.findall(other[key]))
    }
    assert different == {}


@pytest.mark.parametrize("language", OTHERS)
def test_every_file_is_there(language):
    def files(code):
        return {path.relative_to(FOLDER / code).as_posix() for path in (FOLDER / code).rglob("*.toml")}

    assert files(language) == files("en") | {"errors.toml"}


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_is_more_than_a_copy(language):
    english, other = all_words("en"), all_words(language)
    long = [key for key, text in english.items() if len(re.findall("[a-z]{3,}", KEPT.sub(" ", text))) > 4]
    same = {key for key in long if other[key] == english[key]} - READ_AND_RIGHT
    assert {key for key in same if not key.rpartition(".")[2].startswith("code_")} == set()  # lines of code


def texts_of(message):
    """Every text of a message that is no code, no colour and no data."""
    if isinstance(message, str):
        if not re.fullmatch(r"rgba\([\d.,]+\)", message):
            yield message
    elif isinstance(message, dict):
        code = ("text",) if message.get("kind") == "code" else ()
        for name, part in message.items():
            if name not in ("key", "given", "html", "numpy", "torch", "matrices", *code):
                yield from texts_of(part)
    elif isinstance(message, list | tuple) and message[:1] != ["code"]:
        for part in message:
            yield from texts_of(part)


def is_in_other_marks(text, marks):
    """Whether a number in a text has marks that its language does not write."""
    plain = re.sub(r"`[^`]*`|“[^”]*”", "", text)
    fractions = re.search(r"(?<![\w.])\d+\.\d{1,2}(?!\d)", plain, re.ASCII)
    return NARROW in plain or (marks.decimal != "." and fractions is not None)


def test_numbers_in_other_marks_are_seen():
    vietnamese, english = Words("vi").marks, Words("en").marks
    assert is_in_other_marks("0.25", vietnamese)
    assert is_in_other_marks(f"1{NARROW}024", english)
    assert not is_in_other_marks("0,25 1.024 q0.1", vietnamese)
    assert not is_in_other_marks("0.25", english)
    assert list(texts_of([{"kind": "code", "title": "a", "text": "b"}, ["bold", "c"], ["code", "d"]])) == [
        *("code", "a", "bold", "c")
    ]


SMALL = [preset_id for preset_id in preset_ids() if not load_preset(preset_id).is_large]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("preset_id", SMALL)
def test_the_lab_writes_numbers_as_the_language_does(learner, preset_id, language):
    me, words = learner(preset_id), Words(language)
    me.do("choose", "scale", "own").do("choose", "own_scale", 0.25).do("edit", "x", 0, 0, "0,125").do("keep")
    for name in ("scaled", "weights", "output"):
        if name in me.trace:
            me.do("cell", name, 0, 0)
            message = sent(LAB.content(me.state, words))
            told = {name: message.get(name) for name in ("lines", "compare", "sentence", "new_outline")}
            assert [text for text in texts_of(told) if is_in_other_marks(text, words.marks)] == []


@pytest.mark.parametrize("language", languages())
def test_a_refusal_writes_numbers_as_the_language_does(language):
    me = Reader(LAB, language=language).do("edit", "x", 0, 0, "1e40")
    assert re.search(r"0[.,]5", me.sentence)
    assert not is_in_other_marks(me.sentence, Words(language).marks)


def test_what_is_code_keeps_the_point(learner):
    me = learner("pixels_2x2").do("choose", "scale", "own").do("choose", "own_scale", 0.25)
    me.do("cell", "scaled", 1, 2)
    message = sent(LAB.content(me.state, Words("vi")))
    [step] = [
        step
        for stage in message["new_outline"]["stages"]
        for step in stage["steps"]
        if step["id"] == "scaled"
    ]
    assert "0.25" in step["numpy"]
    assert "0{,}25" in step["latex"]
    [line] = message["lines"]
    assert "0,25" in line["text"]
    assert "0{,}25" in line["latex"]
    assert message["new_outline"]["marks"] == {"decimal": ",", "thousands": ".", "between": "; "}
    assert all(isinstance(number, int | float) for number in message["values"][0][0])


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "thirds"])
def test_worksheets_have_the_marks_of_the_language(level):
    words = Words("vi")
    sheet = re.sub(r"<style>.*?</style>|<code>.*?</code>", "", worksheet(3, level, words), flags=re.DOTALL)
    texts = re.findall(r">([^<>]+)<", sheet)
    assert [text for text in texts if is_in_other_marks(text, words.marks)] == []


# What the library says


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: refused[2][:40])
def test_no_error_speaks_english(refused, language):
    with pytest.raises(AttentionError) as raised:
        refused[0]()
    error = raised.value
    for name, fact in error.facts.items():
        if isinstance(fact, str) and name not in ("axes", "axis") and not is_code(fact):
            assert not english_in(fact, language), f"{name}: make it a Phrase"
    told = {name: without_code(name, fact) for name, fact in error.facts.items()}
    sentence = Words(language)(f"error.{error.code}", **told)
    assert english_in(sentence, language) == []
    assert Words(language).error(error)


def without_code(name, fact):
    """A fact that is words, and a dot for numbers and code."""
    if isinstance(fact, Phrase):
        return Phrase(fact.code, **dict.fromkeys(fact.facts, "…"))
    return fact if name in ("axes", "axis") else "…"


def is_code(fact):
    """Whether a fact is names or a value as Python writes it."""
    if re.fullmatch(r"[\w.]+(, [\w.]+)*", fact):
        return True
    try:
        ast.parse(fact, mode="eval")
    except SyntaxError:
        return fact.startswith("<")  # the repr of an object
    return True


def test_english_in_a_fact_is_seen():
    assert not is_code("the new keys")
    assert not is_code("at least 0")
    assert all(map(is_code, ("w_q", "x, w_q", "[1, nan]", "array([0., 0.])", "'reshape'", "<object at 0x1>")))


ROOT = Path(__file__).parents[1]
SAYS = {"AttentionError", "check_size", "check_linear", "read_number", "dict"}


def calls_that_say():
    """Every call that makes an error or a part of one, in the library and the page."""
    for path in (*(ROOT / "attention_core").rglob("*.py"), *(ROOT / "ui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in SAYS | {"Phrase"}:
                yield node


def strings_in(node):
    """The strings of a call, but not those of a Phrase in it."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif not (isinstance(part, ast.Call) and getattr(part.func, "id", "") == "Phrase"):
            yield from strings_in(part)


def test_every_english_fact_is_a_phrase():
    calls = list(calls_that_say())
    phrases = {call.args[0].value for call in calls if call.func.id == "Phrase" and call.args}
    assert phrases == {code for code in PHRASES if not code.startswith("axis_")}
    said = [text for call in calls if call.func.id != "Phrase" for text in strings_in(call)]
    assert len(said) > 100
    assert [text for text in said if re.search(r"[a-z]+ [a-z]+", text)] == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_section_can_be_read(student, language, lesson):
    page = student(lesson, language=language)
    for section in sections_of_page(lesson):
        page.at(section.id).do("show")
        panel = page.panel
        assert panel["why"]
        assert panel["text"]
        assert [text for text in texts_of(panel) if is_in_other_marks(text, page.answer.words.marks)] == []


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
