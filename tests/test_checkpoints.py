"""Folders of models: what is read, what is refused with a sentence, and what a run gives."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import AttentionError, explain_cell, gradients
from attention_core.models import load_model, model
from attention_core.models.activations import erf, gelu, gelu_tanh
from attention_core.models.checkpoint import CONFIG, WEIGHTS
from attention_core.models.layers import Layer
from attention_core.pieces import layer_norm

from .checkpoints import BROKEN, REFERENCE, SENTENCE, TINY, copies, copy_of, minilm, run_broken, tiny

__all__ = ["minilm"]  # a fixture
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("change", BROKEN)
def test_a_refusal_does_not_say_where_things_are_on_this_machine(change):
    with pytest.raises(AttentionError) as refused:
        run_broken(change)
    assert copies() not in str(refused.value)


def test_a_folder_that_is_not_there():
    with pytest.raises(AttentionError, match=r"no file config\.json"):
        load_model("no such folder")


@given(st.binary(max_size=300))
def test_any_bytes_in_place_of_the_weights(content):
    with pytest.raises(AttentionError):
        load_model(copy_of("tiny_bert", tensors=content))


@given(place=st.integers(0, 4_000), byte=st.integers(0, 255))
def test_a_changed_byte_is_read_or_refused(place, byte):
    content = bytearray((REFERENCE / "tiny_bert" / WEIGHTS).read_bytes())
    content[place] = byte
    try:
        found = load_model(copy_of("tiny_bert", tensors=bytes(content)))
        run = found.run(found.cut(SENTENCE))
    except AttentionError:
        return
    assert np.isfinite(run.weights).all()


@pytest.mark.parametrize("package", ["safetensors", "tokenizers"])
def test_a_package_that_is_not_installed_is_named(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(AttentionError, match=f"needs the Python package {package}") as refused:
        run_a_copy()
    assert refused.value.code == "model_extra"


def run_a_copy():
    found = load_model(copy_of("tiny_bert"))
    return found.run(found.cut(SENTENCE))


def test_nothing_is_imported_or_read_until_asked_for():
    script = "import sys, attention_core.models as m; before = set(sys.modules); "
    script += "assert not {'safetensors', 'tokenizers'} & before; "
    script += f"model = m.load_model({str(REFERENCE / 'tiny_bert')!r}); "
    script += "assert 'tokenizers' not in sys.modules; assert '_parts' not in vars(model)"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_all_share_one_copy_until_a_file_changes():
    folder = copy_of("tiny_bert")
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(lambda _: load_model(folder), range(16)))
        parts = list(pool.map(lambda one: one.parts, models))
    assert len({id(one) for one in models}) == len({id(one) for one in parts}) == 1
    os.utime(folder / CONFIG, (1, 1))
    assert load_model(folder) is not models[0]


def test_float16_is_read_too():
    halved = copy_of(
        "tiny_bert", tensors=lambda all: {name: array.astype(np.float16) for name, array in all.items()}
    )
    found, exact = load_model(halved), tiny("tiny_bert")
    run = found.run(found.cut(SENTENCE))
    assert run.weights.dtype == np.float32
    np.testing.assert_allclose(run.weights, exact.run(exact.cut(SENTENCE)).weights, atol=0.02)


def test_only_the_rows_of_a_sentence_are_read(monkeypatch):
    asked = []
    rows = model.read_rows

    def read_rows(weights, *more):
        found = rows(weights, *more)
        asked.append({what: table.shape for what, table in found.items()})
        return found

    monkeypatch.setattr(model, "read_rows", read_rows)
    found = tiny("tiny_bert")
    found.run(found.cut("a"))
    assert asked == [{"word": (3, 8), "position": (3, 8), "token_type": (3, 8)}]
    held = [array for layer in found.parts.layers for array in arrays_in(layer)]
    assert max(array.size for array in held) < found.sizes.n_vocabulary * found.d_model


def arrays_in(layer: Layer):
    for part in layer:
        yield from part[:2] if isinstance(part, tuple) else [part]


@pytest.mark.parametrize("name", TINY)
def test_weights_cannot_be_changed(name):
    found = tiny(name)
    run = found.run(found.cut(SENTENCE))
    arrays = [
        *(array for layer in found.parts.layers for array in arrays_in(layer)),
        run.weights,
        *run.hidden,
    ]
    assert not any(array.flags.writeable for array in arrays)
    for name, array in run.head(0, 0).items():
        assert name == "is_causal" or not array.flags.writeable


def test_a_trace_copies_no_weights():
    found = tiny("tiny_bert")
    trace = found.run(found.cut(SENTENCE)).trace(1)
    for name, weight in found.parts.layers[1].projections().items():
        assert np.shares_memory(trace[name], weight)


# What a sentence becomes


def test_pieces_are_joined_to_their_words():
    tokens = tiny("tiny_bert").cut("The dogs played, unknowing!")
    assert tokens.texts[1:4] == ("the", "dog", "##s")
    assert tokens.pieces[1:4] == ("The", "dog", "s")
    assert tokens.words[:6] == (None, 0, 1, 1, 2, 2)
    assert tokens.places(1) == (2, 3)
    assert tokens.special == (0, len(tokens.ids) - 1)
    assert tokens.pieces[0] == "[CLS]"
    gpt2 = tiny("tiny_gpt2").cut("the cat")
    assert gpt2.pieces == ("the", " cat")
    assert gpt2.special == ()


def run_or_refusal(name, text):
    """The code of the refusal, or an empty text after a run with whole numbers."""
    found = tiny(name)
    try:
        tokens = found.cut(text)
    except AttentionError as refused:
        return refused.code
    assert all(0 <= start <= end <= len(text) for start, end in tokens.spans)
    assert np.isfinite(found.run(tokens).weights).all()
    return ""


ODD = [
    "🙂 a 👩‍👩‍👧",
    "שלום the עולם",
    "a\u202eb\u200d",
    "a\x00b",
    "मैं a",
    "cat" * 30,
    "\ufeffa",
    "$x$ <b> 'a' \\",
]


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("text", ODD)
def test_any_letters_are_cut(name, text):
    assert run_or_refusal(name, text) in ("", "too_many_tokens")


@given(st.text(max_size=40))
def test_any_text_is_computed_or_refused(text):
    for name in TINY:
        assert run_or_refusal(name, text) in ("", "text_empty", "text_broken", "too_many_tokens")


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "text_empty"),
        ("the " * 40, "too_many_tokens"),
        ("x" * 10_000, "too_many_tokens"),
        ("a" * 10_001, "text_long"),
        ("\ud800", "text_broken"),
    ],
)
def test_what_is_no_sentence_is_refused(name, text, code):
    is_one_word = (name, text) == ("tiny_bert", "x" * 10_000)  # and unknown
    assert run_or_refusal(name, text) == ("" if is_one_word else code)


def test_only_spaces_have_no_word():
    with pytest.raises(AttentionError, match="no word"):
        tiny("tiny_bert").cut(" \t\n ")


def test_the_most_tokens_may_be_fewer():
    with pytest.raises(AttentionError, match="has 8 tokens, but at most 7"):
        tiny("tiny_bert").cut(SENTENCE, most=7)


# What a run gives


@pytest.mark.parametrize("name", TINY)
def test_two_words_change_places_with_all_their_pieces(name):
    found = tiny(name)
    tokens = found.cut("a dogs sat")
    order = tokens.swapping(0, 1)
    swapped = tokens.ordered(order)
    assert sorted(order) == list(range(len(tokens.ids)))
    assert "".join(swapped.pieces[place] for place in swapped.places(1)).strip() == "dogs"
    assert swapped.places(1)[0] < swapped.places(0)[0]
    assert swapped.words != tokens.words
    assert swapped.ordered(swapped.swapping(0, 1)) == tokens
    run = found.run(tokens, order=order)
    assert run.tokens == swapped
    assert np.abs(run.weights - found.run(tokens).weights).max() > 1e-3
    np.testing.assert_array_equal(found.run(swapped).weights, run.weights)


@pytest.mark.parametrize("name", TINY)
def test_the_rows_of_the_embeddings_make_the_row_of_x(name):
    found = tiny(name)
    run = found.run(found.cut(SENTENCE), positions=(1, 0, *range(2, len(found.cut(SENTENCE).ids))))
    trace = run.trace(0)
    for place in range(len(run.tokens.ids)):
        one = run.embedding(place)
        np.testing.assert_allclose(sum(one.rows.values()), one.total, rtol=1e-6)
        gamma, beta, eps = one.norm
        np.testing.assert_allclose(layer_norm(one.total, gamma, beta, eps), one.x, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(one.x, trace["x"][place])
    kinds = ("word", "position", "token_type") if name == "tiny_bert" else ("word", "position")
    assert tuple(one.rows) == kinds
    other = found.run(run.tokens).embedding(1).rows["position"]
    np.testing.assert_array_equal(run.embedding(0).rows["position"], other)


@pytest.mark.parametrize("name", TINY)
def test_a_hidden_word_is_looked_at_by_nobody(name):
    found = tiny(name)
    tokens = found.cut(SENTENCE)
    run = found.run(tokens, hide=tokens.places(1))
    assert (run.weights[..., list(tokens.places(1))] == 0).all()
    assert (found.run(tokens, hide=range(len(tokens.ids))).weights == 0).all()
    assert "visible" in run.trace(0).parameters


@pytest.mark.parametrize("name", TINY)
def test_a_layer_is_explained_and_differentiated_like_any_trace(name):
    found = tiny(name)
    trace = found.run(found.cut(SENTENCE)).trace(1)
    for step in trace.steps:
        index = (0,) * step.value.ndim
        assert explain_cell(trace, step.name, index).total == pytest.approx(
            float(step.value[index]), abs=1e-5
        )
    assert set(gradients(trace)) >= {"x", "w_q", "w_k", "w_v", "w_o", "b_q", "b_o"}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"hide": [8]}, "places"),
        ({"hide": [-1]}, "places"),
        ({"hide": ["cat"]}, "places"),
        ({"order": [0]}, "not_an_order"),
        ({"order": [0] * 8}, "not_an_order"),
        ({"positions": range(1, 9)}, "places"),
        ({"positions": [0, 1, 2, 3, 4, 5, 6, 7, 7]}, "not_an_order"),
    ],
)
def test_places_that_are_not_there_are_refused(options, code):
    found = tiny("tiny_bert")
    with pytest.raises(AttentionError) as refused:
        found.run(found.cut(SENTENCE), **options)
    assert refused.value.code == code


@pytest.mark.parametrize("place", [(2, 0), (0, 2), (-1, 0), (0, True), ("0", 0)])
def test_heads_that_are_not_there_are_refused(place):
    found = tiny("tiny_bert")
    with pytest.raises(AttentionError, match=r"not an index of weights, which has shape \(2, 2\)"):
        found.run(found.cut(SENTENCE)).head(*place)


def test_ids_of_another_tokenizer_are_refused():
    tokens = tiny("tiny_bert").cut(SENTENCE)
    for token in (27, -1):
        with pytest.raises(AttentionError, match="the ids of this model go from 0 to 26"):
            tiny("tiny_bert").run(tokens._replace(ids=(token, *tokens.ids[1:])))


# The curves of the MLP


def test_erf_is_that_of_the_standard_library():
    x = np.linspace(-6, 6, 4001, dtype=np.float32)
    exact = np.array([math.erf(value) for value in x])
    assert erf(x).dtype == np.float32
    assert np.abs(erf(x) - exact).max() < 4 * np.finfo(np.float32).eps
    np.testing.assert_allclose(gelu(x), x * 0.5 * (1 + np.vectorize(math.erf)(x / np.sqrt(2))), atol=1e-6)
    assert 1e-4 < np.abs(gelu(x) - gelu_tanh(x)).max() < 1e-3


# MiniLM


def test_the_memory_that_minilm_takes(minilm):
    """Resident memory that a run adds, with the tokeniser and the two packages."""
    script = "import numpy, attention_core\n"
    script += "import attention_core.models as models\n"
    script += "def resident(): return int(open('/proc/self/statm').read().split()[1]) * 4096 / 1e6\n"
    script += "before = resident()\n"
    script += f"model = models.load_model({str(minilm.folder)!r})\n"
    script += (
        "run = model.run(model.cut('the cat sat on the mat because it was tired and old')); run.trace(5)\n"
    )
    script += "print(resident() - before)\n"
    if not Path("/proc/self/statm").is_file():
        pytest.skip("this system does not say how much memory a process has")
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert float(told.stdout) < 120


def test_minilm_is_the_file_that_is_known(minilm):
    assert minilm.sha256.startswith("53aa5117")
    assert minilm.sha256.endswith("d9db")
    assert (minilm.name, minilm.family, minilm.d_head) == ("all-MiniLM-L6-v2", "bert", 32)
