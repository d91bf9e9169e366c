"""Speed and memory of attention_core, as ratios measured side by side in one run.

    make bench

Beside it runs PyTorch in eager mode keeping the same intermediates, when it is installed
(pip install torch==2.13.0); otherwise the formula written plainly in NumPy, for which no target is set.
The last line is a whole model of MiniLM's sizes with random weights, where safetensors is installed.
"""

import gc
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from attention_core import Trace, multi_head_attention, release_memory
from attention_core.models import Model, Tokens, load_model
from attention_core.models.bert import BERT
from attention_core.models.parts import needed_shapes
from attention_core.models.sizes import read_sizes

try:
    import torch
except ImportError:
    torch = None
try:
    from safetensors.numpy import save_file
except ImportError:
    save_file = None


class Case(NamedTuple):
    label: str
    batch: int | None
    n_tokens: int
    d_model: int
    n_heads: int
    causal: bool
    target: float  # at most this many times PyTorch's time
    calls: int  # per round, so that a round is long enough to time
    rounds: int


CASES = (
    Case("a1", None, 4, 4, 1, False, 1.0, 400, 60),
    Case("a2", None, 4, 4, 2, False, 1.0, 400, 60),
    Case("a3", 1, 4, 4, 1, False, 1.0, 400, 60),
    Case("a4", 3, 4, 4, 2, False, 1.0, 400, 60),
    Case("b", 32, 20, 512, 8, False, 1.05, 3, 40),
    Case("c", 1, 197, 768, 12, False, 1.05, 3, 40),
    Case("d", 1, 1024, 768, 12, True, 0.7, 1, 15),
    Case("e", 1, 4096, 512, 8, False, 0.75, 1, 7),
)
MOST_MEMORY = 1.1  # peak, as a multiple of what is returned


def inputs(case: Case) -> tuple[np.ndarray, list[np.ndarray]]:
    """x and w_q, w_k, w_v, w_o in float32, from a fixed seed."""
    rng = np.random.default_rng(7)
    shape = (case.n_tokens, case.d_model)
    x = rng.standard_normal(shape if case.batch is None else (case.batch, *shape), dtype=np.float32)
    square = (case.d_model, case.d_model)
    weights = [rng.standard_normal(square, dtype=np.float32) / math.sqrt(case.d_model) for _ in range(4)]
    return x, [weight.astype(np.float32) for weight in weights]


def ours(case: Case) -> Callable[[], Trace]:
    x, weights = inputs(case)
    options = {"is_causal": True} if case.causal else {}
    return lambda: multi_head_attention(x, *weights, n_heads=case.n_heads, **options)


def in_torch(case: Case) -> Callable[[], list]:
    """Eager PyTorch that returns the same intermediates."""
    x, (w_q, w_k, w_v, w_o) = inputs(case)
    x, w_q, w_k, w_v, w_o = (torch.from_numpy(array) for array in (x, w_q, w_k, w_v, w_o))
    n_heads, d_head = case.n_heads, case.d_model // case.n_heads
    shape = (*x.shape[:-1], n_heads, d_head)
    scale = 1 / math.sqrt(d_head)
    hidden = torch.ones(case.n_tokens, case.n_tokens, dtype=torch.bool).triu(1) if case.causal else None

    def run():
        with torch.no_grad():
            q, k, v = x @ w_q, x @ w_k, x @ w_v
            q_heads, k_heads, v_heads = (part.view(shape).transpose(-2, -3) for part in (q, k, v))
            scores = q_heads @ k_heads.transpose(-1, -2)
            scaled = scores * scale
            masked = scaled if hidden is None else scaled.masked_fill(hidden, -math.inf)
            weights = torch.softmax(masked, -1)
            head_outputs = weights @ v_heads
            merged = head_outputs.transpose(-2, -3).reshape(x.shape)
            output = merged @ w_o
        kept = [q, k, v, q_heads, k_heads, v_heads, scores, scaled, masked, weights, head_outputs, merged]
        return [*kept, output]

    return run


def in_numpy(case: Case) -> Callable[[], list]:
    """The formula as one writes it down, keeping the same intermediates."""
    x, (w_q, w_k, w_v, w_o) = inputs(case)
    n_heads, d_head = case.n_heads, case.d_model // case.n_heads
    shape = (*x.shape[:-1], n_heads, d_head)
    scale = np.float32(1 / math.sqrt(d_head))
    visible = np.tri(case.n_tokens, dtype=bool) if case.causal else None

    def run():
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        q_heads, k_heads, v_heads = (part.reshape(shape).swapaxes(-2, -3) for part in (q, k, v))
        scores = q_heads @ k_heads.mT
        scaled = scores * scale
        masked = scaled if visible is None else np.where(visible, scaled, np.float32(-np.inf))
        powers = np.exp(masked - masked.max(-1, keepdims=True))
        weights = powers / powers.sum(-1, keepdims=True)
        head_outputs = weights @ v_heads
        merged = head_outputs.swapaxes(-2, -3).reshape(x.shape)
        kept = [q, k, v, q_heads, k_heads, v_heads, scores, scaled, masked, weights, head_outputs, merged]
        return [*kept, merged @ w_o]

    return run


def seconds(run: Callable, calls: int, clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    for _ in range(calls):
        run()
    return (clock() - start) / calls


def side_by_side(case: Case, first: Callable, second: Callable) -> tuple[list[float], list[float]]:
    """Seconds of each, in turns, so that whatever slows the machine slows both."""
    times = ([], [])
    for run in (first, second):
        run()
    for number in range(case.rounds):
        order = ((0, first), (1, second)) if number % 2 else ((1, second), (0, first))
        for place, run in order:
            time.sleep(0.02)  # lets the other one's threads come to rest
            times[place].append(seconds(run, case.calls))
    return times


def returned_bytes(trace: Trace) -> int:
    """Bytes of the arrays a trace holds, memory shared by views counted once."""
    owners = {}
    for step in (*trace.steps, *trace.parameters.values()):
        array = step.value
        while isinstance(array.base, np.ndarray):
            array = array.base
        owners[id(array)] = array.nbytes
    return sum(owners.values())


def memory_ratio(case: Case) -> float:
    run = ours(case)
    run()
    gc.collect()
    release_memory()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    trace = run()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak / returned_bytes(trace)


MINILM = {
    "model_type": "bert",
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "hidden_size": 384,
    "intermediate_size": 1536,
    "max_position_embeddings": 512,
    "vocab_size": 30522,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}
SENTENCE = 16  # tokens
MODEL_TARGET = 1.5  # at most this many times PyTorch's time
MOST_ADDED = 120  # MB of memory that a model adds to a process
MOST_WORK = 60  # ms of processor time for a sentence


def random_checkpoint(folder: Path) -> None:
    """A model of MiniLM's sizes, with a vocabulary as large."""
    rng = np.random.default_rng(7)
    shapes = needed_shapes(BERT, read_sizes(MINILM))
    tensors = {name: 0.05 * rng.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(MINILM), encoding="utf-8")


def some_tokens() -> Tokens:
    ids = tuple(range(1000, 1000 + SENTENCE))
    return Tokens("", ids, ("",) * SENTENCE, tuple(range(SENTENCE)), ((0, 0),) * SENTENCE)


def model_in_torch(model: Model, x: np.ndarray) -> Callable[[], list]:
    """The layers of BERT in eager PyTorch, from the sum of the embeddings: all weights and hidden states."""
    functional = torch.nn.functional
    tensor = {id(part): torch.from_numpy(part.copy()) for layer in model.parts.layers for part in flat(layer)}
    x, first, n_heads = torch.from_numpy(x.copy()), model.parts.first_norm, model.n_heads

    def norm(rows, which):
        gamma, beta = tensor[id(which.gamma)], tensor[id(which.beta)]
        return functional.layer_norm(rows, rows.shape[-1:], gamma, beta, which.eps)

    tensor |= {id(part): torch.from_numpy(part.copy()) for part in first[:2]}

    def run():
        kept = [held := norm(x, first)]
        with torch.no_grad():
            for layer in model.parts.layers:
                weight = layer._asdict()
                w = {name: tensor[id(part)] for name, part in weight.items() if isinstance(part, np.ndarray)}
                q, k, v = (held @ w["w_qkv"] + w["b_qkv"]).view(SENTENCE, 3, n_heads, -1).permute(1, 2, 0, 3)
                weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1)
                merged = (weights @ v).transpose(0, 1).reshape(SENTENCE, -1)
                held = norm(held + merged @ w["w_o"] + w["b_o"], layer.norm_1)
                inner = functional.gelu(held @ w["w_in"] + w["b_in"])
                held = norm(held + inner @ w["w_out"] + w["b_out"], layer.norm_2)
                kept += [weights, held]
        return kept

    return run


def flat(layer) -> list[np.ndarray]:
    """The arrays of a layer, with those of its norms."""
    return [array for part in layer for array in (part[:2] if isinstance(part, tuple) else [part])]


def added_memory(folder: Path) -> float:
    """MB that reading and running a model adds to a process of its own."""
    script = f"""
import numpy, attention_core, benchmarks.attention_core_speed as bench
from safetensors import safe_open
def resident(): return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6
before = resident()
model = bench.load_model({str(folder)!r})
model.run(bench.some_tokens()).trace(5)
print(resident() - before)
"""
    root = Path(__file__).resolve().parent.parent
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    return float(found.stdout)


def bench_model() -> None:
    """One line: all heads of a sentence."""
    with tempfile.TemporaryDirectory() as name:
        random_checkpoint(Path(name))
        model, tokens = load_model(name), some_tokens()
        found = model.run(tokens)
        case = Case("model", None, SENTENCE, model.d_model, model.n_heads, False, MODEL_TARGET, 1, 40)
        work = statistics.median(seconds(lambda: model.run(tokens), 1, time.process_time) for _ in range(20))
        told = f"{'f':<5}{f'{SENTENCE} tokens, 6 layers, 72 heads':<36}"
        if torch is None:
            times = [seconds(lambda: model.run(tokens), 1) for _ in range(20)]
            told += f"{statistics.median(times) * 1e3:>9.3f}{'':>33}"
        else:
            total = sum(found.rows.values())
            reference = model_in_torch(model, total)
            np.testing.assert_allclose(reference()[-1], found.hidden[-1], atol=1e-4)
            ours_times, other_times = side_by_side(case, lambda: model.run(tokens), reference)
            ratio = statistics.median(a / b for a, b in zip(ours_times, other_times, strict=True))
            ours_ms, other_ms = (statistics.median(times) * 1e3 for times in (ours_times, other_times))
            told += f"{ours_ms:>9.3f}{other_ms:>10.3f}{ratio:>7.2f}"
            told += f"{MODEL_TARGET:>8.2f}{verdict(ratio, MODEL_TARGET):>8}"
        print(told)
        print(
            f"      processor time {work * 1e3:.1f} ms, at most {MOST_WORK}: {verdict(work * 1e3, MOST_WORK)}"
        )
        if Path("/proc/self/statm").is_file():
            added = added_memory(Path(name))
            print(f"      memory {added:.0f} MB more, at most {MOST_ADDED}: {verdict(added, MOST_ADDED)}")


def verdict(value: float, most: float) -> str:
    return "holds" if value <= most else "MISSES"


def main() -> int:
    beside = in_numpy if torch is None else in_torch
    name = "plain NumPy" if torch is None else f"PyTorch {torch.__version__}"
    print(f"attention_core beside {name}; NumPy {np.__version__}; float32, medians, all intermediates kept\n")
    print(
        f"{'case':<5}{'shape':<36}{'ours ms':>9}{'other ms':>10}{'ratio':>7}{'target':>8}{'':>8}{'memory':>8}"
    )
    for case in CASES:
        reference, candidate = beside(case), ours(case)
        np.testing.assert_allclose(candidate().output, np.asarray(reference()[-1]), atol=1e-4)
        ours_times, other_times = side_by_side(case, candidate, reference)
        ratio = statistics.median(a / b for a, b in zip(ours_times, other_times, strict=True))
        memory = memory_ratio(case) if case.d_model > 4 else None  # Python's own objects outweigh 4x4 numbers
        batch = "" if case.batch is None else f"{case.batch} x "
        shape = f"{batch}{case.n_tokens} x {case.d_model}, {case.n_heads} heads"
        shape += " causal" if case.causal else ""
        target = f"{case.target:>8.2f}{verdict(ratio, case.target):>8}" if torch else f"{'':>16}"
        memory = "" if memory is None else f"{memory:>7.2f} {verdict(memory, MOST_MEMORY)}"
        medians = (statistics.median(times) * 1e3 for times in (ours_times, other_times))
        print(
            f"{case.label:<5}{shape:<36}{next(medians):>9.3f}{next(medians):>10.3f}{ratio:>7.2f}{target}{memory}",
            flush=True,
        )
    if save_file is not None:
        bench_model()
    return 0


if __name__ == "__main__":
    sys.exit(main())
