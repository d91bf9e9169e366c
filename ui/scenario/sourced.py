"""The scenario of a source: the attention of one layer with all its heads, its arrays read through the model."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ui import models
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario, View
from ui.scenario.source import Source

if TYPE_CHECKING:
    from attention_core.models import Model, Tokens

NEAREST = "minilm_it"  # the preset whose place such a scenario takes in the menu
MOST_IN_A_LABEL = 24  # characters of a token's name


def of_source(source: Source) -> Scenario:
    """The scenario; ModelMissingError, AttentionError, or ValueError where the model has no such places."""
    model = models.model_with(source.hash)
    check_places(source, model, models.tokens_of(model, replace(source, swap=()).wanted))
    tokens = models.tokens_of(model, source.wanted)
    n_tokens, d = len(tokens.ids), model.d_model

    def recipe(part: str, *shape: int, **sentence) -> dict:
        return {
            "model": {
                "hash": source.hash,
                "layer": source.layer,
                "part": part,
                **sentence,
                "shape": list(shape),
            }
        }

    arrays = {"x": recipe("x", n_tokens, d, sentence=list(map(as_list, source.wanted)))}
    arrays |= {f"w_{one}": recipe(f"w_{one}", d, d) for one in "qkvo"}
    arrays |= {f"b_{one}": recipe(f"b_{one}", d) for one in "qkvo"}
    options: dict = {"n_heads": model.n_heads}
    if model.is_causal:
        options["is_causal"] = True
    if source.hide:
        options["attn_mask"] = [
            [place not in source.hide for place in range(n_tokens)] for _ in range(n_tokens)
        ]
    return Scenario(
        NEAREST,
        "multi_head_attention",
        arrays,
        options,
        {"token": labels_of(tokens)},
        View(),
        source=replace(source, model=model.name),
    )


def as_list(part):
    return list(part) if isinstance(part, tuple) else part


def check_places(source: Source, model: "Model", tokens: "Tokens") -> None:
    """ValueError unless the model has this layer and the sentence these words and places."""
    n_tokens, words = len(tokens.ids), {word for word in tokens.words if word is not None}
    places = {*source.hide, *source.positions}
    if not (source.layer < model.n_layers and places <= set(range(n_tokens)) and words >= set(source.swap)):
        raise ValueError("no such places")
    if len(source.hide) >= n_tokens:
        raise ValueError("nothing is left to look at")


def labels_of(tokens: "Tokens") -> list[str]:
    """What each token is called: its part of the sentence, or a special token's name."""
    found = (piece.strip() or text for piece, text in zip(tokens.pieces, tokens.texts, strict=True))
    return [name if len(name) <= MOST_IN_A_LABEL else f"{name[: MOST_IN_A_LABEL - 1]}…" for name in found]


def base_of(scenario: Scenario) -> Scenario:
    """What a scenario began as: its source, or its preset."""
    return of_source(scenario.source) if scenario.source else load_preset(scenario.preset)
