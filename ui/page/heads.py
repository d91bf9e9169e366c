"""Heads: a sentence, what every head of a trained model does with it, and each weight down to its numbers."""

from collections.abc import Callable
from dataclasses import replace

from attention_core import AttentionError
from ui import models
from ui.heads.message import heads_message
from ui.heads.seen import slice_ids, told_of
from ui.message.types import Message
from ui.page.page import Page
from ui.scenario.link import SORTS, write_link
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario, View
from ui.scenario.source import MOST_TEXT, Source, plain
from ui.scenario.sourced import NEAREST, of_source
from ui.state.lab import HANDLERS
from ui.state.state import State
from ui.state.step import Handler, Refused, changed, looking, reason_of
from ui.words import Words

EXAMPLE = "the cat sat on the mat because it was tired"
STEP = "softmax"  # the step of the Lab that shows weights
LONGEST = 100_000  # characters that are looked at


class HeadsPage(Page):
    name = "heads"

    def __init__(self):
        super().__init__()
        self.handlers |= {kind: HANDLERS[kind] for kind in ("language", "keep", "forget")}
        self.handlers |= ACTS

    def opening(self) -> Scenario:
        return as_opened(NEAREST)

    def belongs(self, scenario: Scenario) -> Scenario:
        """A layer of the model, or a slice: of a link where one looks, the numbers being the model's own."""
        view = scenario.view
        if scenario.source is not None:
            found = of_source(scenario.source)
        elif scenario.preset in slice_ids():
            found = as_source(scenario.preset) or load_preset(scenario.preset)
            view = replace(view, head=found.view.head)
        else:
            return self.opening().looking(language=view.language)
        cell = view.cell if view.cell[:1] == ("weights",) and len(view.cell) == 3 else ()
        kept = View(step=STEP, head=view.head, focus=view.focus, cell=cell, language=view.language)
        return replace(found, view=replace(kept, sort=view.sort, kept=view.kept, decimals=view.decimals))

    def target(self, state: State, name: str, link: str) -> tuple[str, str] | None:
        """Under the name of "numbers", the Lab with the layer of the head that is shown."""
        if name == "numbers":
            return "lab", write_link(state.scenario.looking(kept=""))
        return super().target(state, name, link)

    def content(self, state: State, words: Words) -> Message:
        return heads_message(state, words)


def as_source(preset: str) -> Scenario | None:
    """A slice as its whole layer, where the model that it was cut from is here."""
    told = told_of(preset)
    try:
        model = models.present_model()
        if model is None or model.sha256 != told["sha256"]:
            return None
        source = Source(model.name, models.hash_of(model), told["sentence"], told["layer"])
        return of_source(source).looking(head=told["head"])
    except (AttentionError, ValueError):
        return None


def as_opened(preset: str) -> Scenario:
    """An example as the page opens it: with the model where it is here, else alone."""
    focus = load_preset(preset).view.focus
    found = as_source(preset) or with_model(preset) or load_preset(preset)
    focus = min(focus, len(found.names["token"]) - 1)
    return found.looking(step=STEP, focus=focus)


def with_model(preset: str) -> Scenario | None:
    """The sentence of an example in the model that is here, whichever it is."""
    try:
        model = models.present_model()
        if model is None:
            return None
        return of_source(Source(model.name, models.hash_of(model), told_of(preset)["sentence"]))
    except (AttentionError, ValueError):
        return None


# What is asked for


def write_sentence(state: State, details: list) -> State:
    """Another sentence; the head stays, and the word in focus where it is still one."""
    match details:
        case [str(given)]:
            text = plain(given[:LONGEST])
            if len(text) > MOST_TEXT:
                raise Refused("heads.long", given=len(text), most=MOST_TEXT)
            return tried(state, lambda old: replace(old, text=text, hide=(), swap=(), positions=()))
    return state


def tried(state: State, change: Callable[[Source], Source]) -> State:
    """With another source, which is computed, or refused with a sentence."""
    scenario = state.scenario
    try:
        source = change(scenario.source or own_source())
        if models.is_busy():
            raise Refused("heads.busy")
        found = of_source(source)
    except AttentionError as error:
        key, facts = reason_of(error)
        raise Refused(key, **facts) from None
    except models.ModelMissingError:
        raise Refused("heads.no_model") from None
    except ValueError:
        raise Refused("heads.no_place") from None
    before, labels = scenario.names["token"], found.names["token"]
    stays = len(before) == len(labels) or scenario.view.focus < len(labels) - 1
    focus = scenario.view.focus if stays else max(0, len(labels) - 2)
    cell = scenario.view.cell if len(before) == len(labels) else ()
    head = scenario.view.head if scenario.source else 0
    return changed(state, replace(found, view=replace(scenario.view, focus=focus, cell=cell, head=head)))


def own_source() -> Source:
    model = models.present_model()
    if model is None:
        raise models.ModelMissingError
    return Source(model.name, models.hash_of(model), EXAMPLE)


def choose_example(state: State, details: list) -> State:
    match details:
        case [str(preset)] if preset in slice_ids():
            found = as_opened(preset)
            view = state.scenario.view
            return changed(state, found.looking(language=view.language, sort=view.sort, kept=view.kept))
    return state


def choose_head(state: State, details: list) -> State:
    match details:
        case [int(layer), int(head)] if not {type(layer), type(head)} & {bool}:
            source, view = state.scenario.source, replace(state.scenario.view, head=head)
            n_heads = state.scenario.options["n_heads"]
            if source is None or not 0 <= layer < 1000 or not 0 <= head < n_heads:
                return state
            try:
                found = of_source(replace(source, layer=layer))
            except (AttentionError, ValueError):
                return state
            return changed(state, replace(found, view=view))
    return state


def choose_focus(state: State, details: list) -> State:
    """The word that looks; a chosen pair goes along."""
    match details:
        case [int(place)] if is_place(state, place):
            cell = state.scenario.view.cell
            return looking(state, focus=place, cell=("weights", place, cell[2]) if cell else ())
    return state


def choose_pair(state: State, details: list) -> State:
    """A weight: the word that looks, and the one that is looked at."""
    match details:
        case []:
            return looking(state, cell=())
        case [int(query), int(key)] if is_place(state, query) and is_place(state, key):
            return looking(state, focus=query, cell=("weights", query, key))
        case ["weights", int(query), int(key)] if is_place(state, query) and is_place(state, key):
            return looking(state, focus=query, cell=("weights", query, key))
    return state


def is_place(state: State, place: int) -> bool:
    return not isinstance(place, bool) and 0 <= place < len(state.scenario.names["token"])


def sort_by(state: State, details: list) -> State:
    match details:
        case [str(measure)] if measure in ("", *SORTS):
            return looking(state, sort=measure)
    return state


# What is tried: one thing at a time


def hide(state: State, details: list) -> State:
    """The word at a place is hidden from everybody, or seen again."""
    match details:
        case [int(place)] if is_place(state, place) and state.scenario.source:
            source = replace(state.scenario.source, swap=(), positions=())
            if source.wanted != state.scenario.source.wanted:
                source = replace(source, hide=())
            places = set(places_of_word(source, place))
            hidden = {*source.hide} ^ places if places <= {*source.hide} else {*source.hide} | places
            return tried(state, lambda _: replace(source, hide=tuple(sorted(hidden))))
    return state


def places_of_word(source: Source, place: int) -> tuple[int, ...]:
    tokens = models.tokens_of(models.model_with(source.hash), source.wanted)
    place = min(place, len(tokens.ids) - 1)
    word = tokens.words[place]
    return (place,) if word is None else tokens.places(word)


def two_places(name: str) -> Handler:
    """Two words, or the rows of two positions, change places; without details they go back."""

    def swapped(state: State, details: list) -> State:
        source = state.scenario.source
        if source is None:
            return state
        match details:
            case []:
                return tried(state, lambda old: replace(old, hide=(), swap=(), positions=()))
            case [int(one), int(other)] if is_place(state, one) and is_place(state, other) and one != other:
                two = tuple(sorted((one, other)))
                return tried(
                    state, lambda old: replace(old, **{"hide": (), "swap": (), "positions": (), name: two})
                )
        return state

    return swapped


ACTS: dict[str, Handler] = {
    "sentence": write_sentence,
    "example": choose_example,
    "head": choose_head,
    "focus": choose_focus,
    "cell": choose_pair,
    "sort": sort_by,
    "hide": hide,
    "swap": two_places("swap"),
    "positions": two_places("positions"),
}

HEADS = HeadsPage()
