"""Acts that no browser of ours sends, from one honest example of every kind."""

from random import Random

from tests.hostile.trees import TEXTS, changed, odd_value, valued

# [kind, *details] as a learner does them, in the Lab or in a lesson, at the example of the 2x2 pixels.
EXAMPLES: list[list] = [
    ["cell", "weights", 1, 0],
    ["cell"],
    ["open", "scores", [0, 1, 2]],
    ["lens", "x", 3, 1],
    ["edit", "x", 0, 0, "0.5"],
    ["edit", "w_q", 0, 0, "1 2\n3 4"],
    ["enlarge", "x", 2, 1, "1 2 3 4\n5 6 7 8\n9 0 1 2"],
    ["rename", "x", "token", 1, "dog"],
    ["sentence", "the cat sat"],
    ["fill", "w_q", "integers", 7],
    ["choose", "mask", "causal"],
    ["choose", "n_heads", 2],
    ["choose", "decimals", 3],
    ["choose", "n_tokens", 6],
    ["choose", "d_key", 1],
    ["choose", "n_kv_heads", 1],
    ["choose", "dropout", 0.5],
    ["choose", "scale", "own"],
    ["choose", "own_scale", 0.25],
    ["choose", "mask", "window"],
    ["choose", "left", 2],
    ["choose", "mask", "free"],
    ["choose", "free_mask", "added"],
    ["choose", "preset", "cross"],
    ["panel", "more"],
    ["step", "softmax"],
    ["head", 1],
    ["batch", 0],
    ["all_heads", True],
    ["focus", 2],
    ["picture", "heatmap"],
    ["predict", True],
    ["guess", "scores", 0, 0, "1.5"],
    ["reveal", "scores", 0, 0],
    ["reveal"],
    ["keep"],
    ["forget"],
    ["swap"],
    ["swap", 0, 3],
    ["positions", 1, 2],
    ["hide", 2],
    ["head", 1, 0],
    ["cell", 1, 2],
    ["sort", "previous"],
    ["example", "minilm_sink"],
    ["language", "ko"],
    ["undo"],
    ["redo"],
    ["reset"],
    ["section", 1],
    ["answer", "3"],
    ["answer", "0, 1"],
    ["show"],
    ["knob", "a", 2.5],
    ["go", "lab", ""],
    ["go", "heads", ""],
    ["go", "numbers", ""],
    ["go", "softmax", ""],
    ["follow", ""],
    ["start"],
    ["restart"],
    ["more"],
    ["stop"],
]
# What may be typed in place of a number, a block, a name or an answer.
TYPED = [
    " " * 3000 + "a",
    "1" + " " * 3000 + "a",
    "9" * 3000,
    "1e999",
    "-inf",
    "nan",
    "1/0",
    "1\t" * 2000,
    "[[" * 500,
]
TYPED += ["1,2;3", "٣", "½", "=1+1", "\x00", "\u202e1", "𝟙", "1\n" * 500, "−5", "0x10", "1_000", "", *TEXTS]


def mutated_act(rng: Random, act: list):
    """One act with its kind, its details or its form changed."""
    kind, *details = act
    match rng.randrange(8):
        case 0:
            return valued(odd_value(rng))
        case 1:
            return [rng.choice(EXAMPLES)[0], *details]
        case 2:
            return [kind, *details[: rng.randrange(len(details) + 1)]]
        case 3:
            return [kind, *details, *(valued(odd_value(rng)) for _ in range(rng.randint(1, 40)))]
        case 4 if any(isinstance(one, str) for one in details):
            place = rng.choice([place for place, one in enumerate(details) if isinstance(one, str)])
            return [kind, *details[:place], rng.choice(TYPED), *details[place + 1 :]]
        case 5:
            return [kind, *rng.sample(details, len(details))]
    return [kind, *valued(changed(rng, details))]


def mutated_acts(rng: Random, acts: list[list] | None = None) -> list:
    """A run of acts, most of them changed, some repeated or out of order; the honest ones make it go on."""
    acts = acts or [rng.choice(EXAMPLES) for _ in range(rng.randint(1, 12))]
    found = [mutated_act(rng, act) if rng.random() < 0.6 else list(act) for act in acts]
    if rng.random() < 0.2:
        found += found[: rng.randint(1, 3)]
    if rng.random() < 0.1:
        rng.shuffle(found)
    return found
