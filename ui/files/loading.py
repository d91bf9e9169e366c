"""Tensors of a file become arrays of the scenario: all at once, and none is cut or filled up to fit."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ui.files.matching import Match, shown_name
from ui.files.upload import UploadError, read_tensor, sizes, tensors_in
from ui.scenario.link import most_along
from ui.scenario.scenario import Scenario, array_shape
from ui.scenario.shaping import fitted_mask
from ui.scenario.structure import ARRAYS


class Given(NamedTuple):
    """The numbers of a tensor, and what the file calls it."""

    name: str
    rows: list


def load_all(scenario: Scenario, file_name: str, content: bytes, found: list[Match]) -> Scenario:
    """The scenario with every matched tensor of a file in it, each whole."""
    shapes = {tensor.name: tensor.shape for tensor in tensors_in(file_name, content)}
    given = {}
    for match in found:
        most = most_along(match.target if match.third is None else "w_qkv")
        if max(shapes[match.name], default=0) > most:
            raise UploadError("large", name=match.name, shape=sizes(shapes[match.name]), most=most)
        rows = read_tensor(file_name, content, match.name, most=most)
        given[match.target] = Given(match.name, as_meant(match, rows))
    return loaded(scenario, given)


def as_meant(match: Match, rows: list) -> list:
    """The numbers as the array has them: turned from (out, in), and a third of a fused matrix."""
    array = np.array(rows)
    if match.is_turned and array.ndim == 2:
        array = array.T
    if match.third is not None and array.ndim <= 2:
        if array.shape[-1] % 3:
            raise UploadError("thirds", name=match.name, shape=sizes(np.shape(rows)), width=array.shape[-1])
        array = np.split(array, 3, axis=-1)[match.third]
    return array.tolist()


def loaded(scenario: Scenario, given: dict[str, Given]) -> Scenario:
    """The scenario with these arrays in place of its own; UploadError where one has too few or many axes.

    A mask follows the number of tokens. Nothing else does: where shapes do not fit together, computing the
    scenario says which, and what is needed.
    """
    for target, tensor in given.items():
        check_axes(scenario, target, tensor)
    found = replace(scenario, arrays=scenario.arrays | {name: tensor.rows for name, tensor in given.items()})
    mask = scenario.options.get("attn_mask")
    if mask is not None:
        source = "q" if scenario.function == "post_norm_attention" else "x"
        n_queries = array_shape(found.arrays[source])[-2]
        n_keys = array_shape(found.arrays.get("memory", found.arrays[source]))[-2]
        found = found.with_options(attn_mask=fitted_mask(mask, n_queries, n_keys))
    return found.looking(cell=())


def check_axes(scenario: Scenario, target: str, tensor: Given) -> None:
    shape, may_have = np.shape(tensor.rows), ARRAYS[scenario.function][target]
    if len(shape) not in may_have:
        raise UploadError(
            "target",
            name=tensor.name,
            shape=sizes(shape),
            target=shown_name(scenario, target),
            needed="–".join(map(str, may_have)),
            present=sizes(array_shape(scenario.arrays[target])),
        )
