"""Long computations of a section, a piece at a time.

What is shown after so many pieces is always the same, so how far an experiment is, is one number of the state. The
pieces themselves are kept here for speed alone: on a machine that has not seen them they are computed again.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

MOST_KEPT = 32  # experiments whose pieces are kept
MOST_AT_ONCE = 10  # pieces for one request, each less than 80 ms: one who comes back waits for no more


class Progress(Protocol):
    """An experiment after some pieces; never changed in place."""

    @property
    def fraction(self) -> float:
        """How much of it is done, from 0 to 1."""
        ...

    def further(self) -> Self:
        """One piece more: less than 80 ms of work, the same on every machine."""
        ...


P = TypeVar("P", bound=Progress)


class Experiment(NamedTuple, Generic[P]):
    """A long computation: a key that says all it depends on, and how it begins."""

    key: str
    begin: Callable[[], P]


_pieces: OrderedDict[str, tuple[Any, ...]] = OrderedDict()


def after(experiment: Experiment[P], pieces: int) -> tuple[P, int]:
    """The experiment after so many pieces, and how many there are: fewer where it ends, or too much was asked."""
    known = _pieces.pop(experiment.key, ()) or (experiment.begin().further(),)
    new = 0
    while len(known) < pieces and known[-1].fraction < 1 and new < MOST_AT_ONCE:
        known = (*known, known[-1].further())
        new += 1
    _pieces[experiment.key] = known  # the last one used
    while len(_pieces) > MOST_KEPT:
        _pieces.popitem(last=False)
    reached = min(max(pieces, 1), len(known))
    return known[reached - 1], reached


def forget_all() -> None:
    """As after a restart."""
    _pieces.clear()
