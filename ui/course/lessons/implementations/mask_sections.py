"""What the lesson about implementations shows of masks: a row with nothing to look at, and two readers."""

import numpy as np

from ui.course.engine.blocks import code, matrix, row
from ui.course.engine.sections import Here
from ui.course.lessons.implementations.catalogue import FILLS, MASKS, Setting
from ui.course.lessons.implementations.listings import code_steps
from ui.course.lessons.implementations.sections import IDS, PLACES, names, steps, tokens, word

READ = ("padding", "causal", "flipped")  # the masks that two readers get
READERS = ("torch_function", "building_blocks")


def equal_share(here: Here) -> float:
    """The first weight of token 1 where −1e9 was filled in."""
    return float(steps(here, "temperature_module", Setting(mask="row"))["weights"][0, 1, 0])


def nothing_to_look_at(here: Here) -> list[dict]:
    """Token 1, from whom every key is hidden: its scores and its weights, by implementation."""
    asked = Setting(mask="row", fill=list(FILLS)[here.whole("fill")])
    found = [steps(here, one, asked) for one in IDS]
    scores, weights = (np.array([each[step][0, 1] for each in found]) for step in ("masked", "weights"))
    columns = tokens(scores.T)
    return [
        row(
            matrix(here.word("block.scores"), scores, names(here), columns, scale="plain"),
            matrix(here.word("block.weights"), weights, names(here), columns, scale="share", decimals=PLACES),
        )
    ]


def empty_facts(here: Here) -> dict:
    added = steps(here, "torch_function", Setting(mask="row", fill="minus_1e9"))["weights"][0, 1]
    plain = steps(here, "bare_formula", Setting())["weights"][0, 1]
    return {"added": here.words.numbers(added, PLACES), "plain": here.words.numbers(plain, PLACES)}


def reader(here: Here) -> list[dict]:
    """A mask, and the weights of who reads it. What is looked at and should not be is marked."""
    mask, name = READ[here.whole("mask")], READERS[here.whole("reader")]
    meant = MASKS["causal" if mask == "flipped" else mask]
    weights = steps(here, name, Setting(mask=mask))["weights"][0]
    marks = {(i, j): "wrong" if weights[i, j] else "hidden" for i, j in np.argwhere(~meant).tolist()}
    title = word(here, "weights_of", name=word(here, f"name.{name}"))
    [lines] = [step.code for step in code_steps(name) if step.name in ("masked", "attended")]
    labels = tokens(weights), tokens(weights)
    return [
        row(
            matrix(here.word(f"block.{mask}"), MASKS[mask], *labels, scale="flag"),
            matrix(title, weights, *labels, scale="share", decimals=PLACES, marks=marks),
        ),
        code(here.word("block.reads", name=word(here, f"name.{name}")), lines),
    ]


def reader_facts(here: Here) -> dict:
    weights = steps(here, "building_blocks", Setting(mask="padding"))["weights"][0]
    return {"leak": here.number(weights[0, 3], PLACES)}
