"""Writes assets/heads/minilm.json: how much "it" looks at each token, in every head of all-MiniLM-L6-v2.

Run by hand, from the folder of the project, after `make model`:

    PYTHONPATH=. python tests/reference/cut_heads.py            # write the file
    PYTHONPATH=. python tests/reference/cut_heads.py --check    # compare with the file instead

`weights` of a sentence are lists (layer, head, key), each number a share of 1 with five decimals.
"""

import argparse
import json

import numpy as np

from attention_core.models import Model, load_model
from tests.reference.cut_slices import BIG, SMALL, SOFT, SOURCE, TIRED
from ui.models import DEFAULT
from ui.paths import ASSETS

FILE = ASSETS / "heads" / "minilm.json"
WORD = "it"
SENTENCES = {"tired": TIRED, "soft": SOFT, "big": BIG, "small": SMALL}


def looked_at(model: Model, sentence: str) -> dict:
    """The tokens of a sentence, and the row of "it" of every head."""
    tokens = model.cut(sentence)
    weights = model.run(tokens).weights[:, :, tokens.texts.index(WORD)]
    return {"tokens": list(tokens.texts), "weights": np.round(weights.astype(np.float64), 5).tolist()}


def written(told: dict, sentences: dict[str, dict]) -> str:
    """The file: a line for each head."""
    text = json.dumps(told | {"sentences": dict.fromkeys(sentences, "")}, indent=2, ensure_ascii=False)
    for name, found in sentences.items():
        layers = ",\n    ".join(
            "[" + ",\n      ".join(json.dumps(head) for head in layer) + "]" for layer in found["weights"]
        )
        tokens = json.dumps(found["tokens"])
        text = text.replace(f'"{name}": ""', f'"{name}": {{"tokens": {tokens}, "weights": [\n    {layers}]}}')
    return f"{text}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the stored file, write nothing")
    arguments = parser.parse_args()
    model = load_model(DEFAULT)
    told = SOURCE | {"cut_by": "tests/reference/cut_heads.py", "sha256": model.sha256, "word": WORD}
    sentences = {name: looked_at(model, sentence) for name, sentence in SENTENCES.items()}
    if not arguments.check:
        FILE.write_text(written(told, sentences), encoding="utf-8")
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    found = stored.pop("sentences")
    assert stored == told
    for name, each in sentences.items():
        assert found[name]["tokens"] == each["tokens"], name
        np.testing.assert_allclose(found[name]["weights"], each["weights"], rtol=0, atol=2e-5, err_msg=name)
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
