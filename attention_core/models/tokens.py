"""A sentence as the tokeniser of a model cuts it."""

from typing import NamedTuple

from ..errors import AttentionError

LONGEST_TEXT = 10_000  # characters that are given to a tokeniser


class Tokens(NamedTuple):
    """The tokens of a sentence, in order; each field but `text` has one entry for each."""

    text: str
    ids: tuple[int, ...]  # rows of the table of embeddings
    texts: tuple[str, ...]  # as the tokeniser writes them: "play", "##ing"; a space of GPT-2's is Ġ
    words: tuple[int | None, ...]  # which word of the sentence it is a piece of; None for a special token
    spans: tuple[tuple[int, int], ...]  # its characters in the text: from, to

    @property
    def special(self) -> tuple[int, ...]:
        """The places of tokens that stand for no word: [CLS] and [SEP]."""
        return tuple(place for place, word in enumerate(self.words) if word is None)

    @property
    def pieces(self) -> tuple[str, ...]:
        """What each token stands for in the text; of a special token its name."""
        cut = zip(self.words, self.texts, self.spans, strict=True)
        return tuple(name if word is None else self.text[start:end] for word, name, (start, end) in cut)

    def places(self, word: int) -> tuple[int, ...]:
        """Where the pieces of a word stand."""
        return tuple(place for place, one in enumerate(self.words) if one == word)

    def swapping(self, first: int, second: int) -> tuple[int, ...]:
        """The order of tokens in which two words have changed places, each with all its pieces."""
        other = {first: second, second: first}
        order, done = [], set()
        for place, word in enumerate(self.words):
            if word not in other:
                order.append(place)
            elif word not in done:
                done.add(word)
                order += self.places(other[word])
        return tuple(order)

    def ordered(self, order: tuple[int, ...]) -> "Tokens":
        """The same tokens in another order."""
        return self._replace(
            **{name: tuple(getattr(self, name)[i] for i in order) for name in self._fields[1:]}
        )


def cut(text: str, tokenizer, most: int) -> Tokens:
    """The tokens of a sentence, with the special ones that the model expects; at most `most`."""
    if len(text) > LONGEST_TEXT:
        raise AttentionError("text_long", given=len(text), most=LONGEST_TEXT)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair of UTF-16
        raise AttentionError("text_broken") from None
    found = tokenizer.encode(text)
    if len(found.ids) > most:
        raise AttentionError("too_many_tokens", given=len(found.ids), most=most)
    words = tuple(
        None if is_special else word
        for word, is_special in zip(found.word_ids, found.special_tokens_mask, strict=True)
    )
    if all(word is None for word in words):
        raise AttentionError("text_empty")
    return Tokens(text, tuple(found.ids), tuple(found.tokens), words, tuple(found.offsets))
