"""Learning: gradient descent on w_q, w_k and w_v, through `gradients`, epoch by epoch."""

import math
from typing import Any, NamedTuple

import numpy as np

from .checks import read_count, read_number
from .errors import AttentionError, Phrase
from .gradients import gradients
from .multi_head import multi_head_attention
from .tasks import Sentences, Task
from .trace import Trace

D_KEY = 3
FIRST_SIZE = 0.3  # standard deviation of the first weights: small, so that at first all look at all alike
MOST_EPOCHS = 400
LOST = 1e6  # a loss from which a run does not come back
GOAL = 0.01  # the loss that both tasks get below in 200 epochs at rate 1, from each of the seeds 0 to 9


class Learned(NamedTuple):
    """What is learned: three matrices (in, out), or w_v and a table (query, key) in place of the other two.

    With a table w_q and w_k are 0 and so are the scores; the table is added to them: attention weights
    learned directly, the same for every sentence.
    """

    w_q: np.ndarray
    w_k: np.ndarray
    w_v: np.ndarray
    table: np.ndarray | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The ones that move."""
        return ("w_q", "w_k", "w_v") if self.table is None else ("w_v", "table")


def first_weights(task: Task, seed: int = 0, with_table: bool = False) -> Learned:
    """Small random numbers to begin with; a table begins with every weight alike."""
    rng = np.random.default_rng(read_count("seed", seed, least=0))
    widths = (D_KEY, D_KEY, len(task.channels))
    drawn = [FIRST_SIZE * rng.standard_normal((len(task.features), width)) for width in widths]
    if not with_table:
        return frozen(Learned(*drawn))
    hidden = np.zeros((task.n_tokens, task.n_tokens))
    if task.visible is not None:
        hidden[~task.visible] = -np.inf
    return frozen(Learned(np.zeros_like(drawn[0]), np.zeros_like(drawn[1]), drawn[2], hidden))


def frozen(learned: Learned) -> Learned:
    for array in learned:
        if array is not None:
            array.setflags(write=False)
    return learned


def attend(task: Task, learned: Learned, x) -> Trace:
    """One head over x (token, feature) or (sentence, token, feature), as the task lets tokens look."""
    mask = task.visible if learned.table is None else learned.table
    options: dict[str, Any] = {} if mask is None else {"attn_mask": mask}
    return multi_head_attention(x, learned.w_q, learned.w_k, learned.w_v, n_heads=1, **options)


def squared_error(task: Task, output: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
    """The loss, and its gradient with respect to the output.

    The loss is the mean, over the tokens asked, of the squared distance between output and target.
    """
    off = np.where(task.asked[:, None], output - target, 0)  # ([sentence], token, channel)
    n_asked = task.asked.sum() * math.prod(output.shape[:-2])
    return float(np.vdot(off, off) / n_asked), 2 * off / n_asked


def loss_of(task: Task, learned: Learned, sentences: Sentences) -> float:
    """The loss on sentences, also on those never learned from."""
    return squared_error(task, attend(task, learned, sentences.x).output, sentences.target)[0]


def loss_without_looking(task: Task) -> float:
    """The least loss, over every w_v, when each token gives all it may look at the same weight."""
    alike = first_weights(task, with_table=True)
    seen, asked = task.seen, task.asked
    weights = attend(task, alike, seen.x)["weights"][:, 0]  # (sentence, query, key)
    averages = (weights @ seen.x)[:, asked].reshape(-1, len(task.features))
    w_v = np.linalg.lstsq(averages, seen.target[:, asked].reshape(-1, len(task.channels)))[0]
    return loss_of(task, alike._replace(w_v=w_v), seen)


def right_weights(task: Task, weights: np.ndarray, holders: np.ndarray) -> np.ndarray:
    """The weight that each asked token gives to the token that holds its answer, ([sentence], asked token).

    weights ([sentence], query, key), holders ([sentence], token).
    """
    return np.take_along_axis(weights, holders[..., None], axis=-1)[..., task.asked, 0]


def matches(learned: Learned) -> np.ndarray:
    """What having one feature adds to the scaled score with a token that has another, (feature, feature).

    Rows are of the token that looks, columns of the one looked at: x matches xᵀ are the scaled scores.
    """
    return learned.w_q @ learned.w_k.T / math.sqrt(D_KEY)


def descend(task: Task, learned: Learned, rate: float) -> tuple[float, Learned]:
    """One epoch: the loss on all sentences seen, and the weights a step of -rate · gradient further."""
    trace = attend(task, learned, task.seen.x)
    loss, d_output = squared_error(task, trace.output, task.seen.target)
    found = gradients(trace, d_output)
    moved = {}
    for name in learned.names:
        gradient = found["attn_mask" if name == "table" else name]
        moved[name] = getattr(learned, name) - rate * gradient
    return loss, frozen(learned._replace(**moved))


class Run:
    """A training run that remembers every epoch.

    `losses[e]` and `learned[e]` are those after e epochs. Attention weights are not kept: `trace` computes
    them from what was learned. The same task, rate and seed give the same numbers, in calls of any length.
    """

    def __init__(
        self, task: Task, *, rate: float = 1.0, seed: int = 0, n_epochs: int = 200, with_table: bool = False
    ):
        self.task = task
        self.rate = read_number("rate", rate, Phrase("number_up_to", most=100), lambda r: 0 < r <= 100)
        self.n_epochs = read_count("n_epochs", n_epochs)
        if self.n_epochs > MOST_EPOCHS:
            raise AttentionError(
                "number", name="n_epochs", given=n_epochs, needed=Phrase("at_most", most=MOST_EPOCHS)
            )
        first = first_weights(task, seed, with_table)
        loss, self._next = descend(task, first, self.rate)
        self.losses, self.learned = [loss], [first]

    @property
    def epoch(self) -> int:
        """How many epochs are done."""
        return len(self.losses) - 1

    @property
    def is_lost(self) -> bool:
        """Whether the steps were too large: the loss grew until there is no way back."""
        return not self.losses[-1] < LOST

    @property
    def is_finished(self) -> bool:
        return self.is_lost or self.epoch >= self.n_epochs

    def train(self, n_epochs: int = 20) -> None:
        """At most so many epochs more; none when the run is finished."""
        for _ in range(read_count("n_epochs", n_epochs, least=0)):
            if self.is_finished:
                return
            learned = self._next
            loss, self._next = descend(self.task, learned, self.rate)
            self.losses.append(loss)
            self.learned.append(learned)

    def after(self, n_epochs: int) -> "Run":
        """The same run as it was after so many epochs, or as it is where it has fewer."""
        found = object.__new__(type(self))
        found.__dict__ |= self.__dict__
        if n_epochs < self.epoch:
            found._next = self.learned[n_epochs + 1]
        found.losses, found.learned = self.losses[: n_epochs + 1], self.learned[: n_epochs + 1]
        return found

    def trace(self, epoch: int, x) -> Trace:
        """Every step of attention over one sentence x (token, feature), with the weights of that epoch."""
        return attend(self.task, self.learned[epoch], x)
