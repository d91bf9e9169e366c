"""Writes what PyTorch computes of whole models, for tests/test_model_reference.py.

Run by hand, on a CPU; nothing else in the project needs PyTorch or transformers:

    pip install torch==2.13.0 transformers==5.23.0
    python tests/reference/make_model_reference.py                     # write the files
    python tests/reference/make_model_reference.py --check             # compare with the files instead
    python tests/reference/make_model_reference.py --minilm FOLDER     # also minilm_reference.npz

tiny_bert/ and tiny_gpt2/ are checkpoints with random weights, a few kB each, as transformers writes them.
tiny_reference.npz holds of each case every hidden state and every attention matrix in float32, and `cases`,
the bytes of a JSON text that says what a case is. minilm_reference.npz holds the weights of all 72 heads as
whole multiples of 1/65535 (uint16), and the hidden states of [CLS] in float32.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import tokenizers
import torch
import transformers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

HERE = Path(__file__).parent
TINY, MINILM = HERE / "tiny_reference.npz", HERE / "minilm_reference.npz"
VERSIONS = {"torch": "2.13.0", "transformers": "5.23.0"}
STEPS = 65535  # of a stored weight, from 0 to 1

WORDS = ["the", "cat", "sat", "on", "mat", "because", "it", "was", "tired", "soft", "a", "dog", "saw", "and"]
WORDS += [".", ",", "!", "play", "##ing", "##ed", "un", "##known", "##s"]
MERGES = [
    ("t", "h"),
    ("th", "e"),
    ("Ġ", "the"),
    ("c", "at"),
    ("a", "t"),
    ("Ġ", "c"),
    ("Ġc", "at"),
    ("s", "at"),
]
SENTENCES = ("the cat sat on the mat", "The dogs played, unknowing!", "a")
MINILM_SENTENCES = (
    "the cat sat on the mat because it was tired",
    "the cat sat on the mat because it was soft",
    "the trophy does not fit in the suitcase because it is too big",
    "the trophy does not fit in the suitcase because it is too small",
    "the cat saw the dog and the dog saw the cat",
)


# ---- checkpoints ------------------------------------------------------------------------------------------


def bert_tokenizer():
    """WordPiece with BERT's own parts, and a truncation and padding that have to be switched off."""
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]
    ids = {word: number for number, word in enumerate(vocabulary)}
    made = tokenizers.Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens(vocabulary[:4])
    ends = [("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    made.enable_truncation(3)
    made.enable_padding(length=16)
    return made


def gpt2_tokenizer():
    """BPE over bytes, with a few merges."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [pair for pair in MERGES if pair != ("c", "at")] + [("c", "at")]
    vocabulary = [*letters, *dict.fromkeys("".join(pair) for pair in merges)]
    made = tokenizers.Tokenizer(models.BPE({word: number for number, word in enumerate(vocabulary)}, merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return made


def random_model(kind, config):
    """A model with weights of which each matters: biases and LayerNorms are random too."""
    torch.manual_seed(16)
    model = kind(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            is_gamma = weight.ndim == 1 and "weight" in name
            weight.copy_(torch.randn_like(weight) * (0.2 if weight.ndim == 1 else 0.5) + is_gamma)
    return model


def tiny_models():
    """Folder name -> model and tokenizer."""
    words, pieces = bert_tokenizer(), gpt2_tokenizer()
    bert = transformers.BertConfig(
        vocab_size=words.get_vocab_size(), hidden_size=8, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=12, max_position_embeddings=16, attn_implementation="eager",
    )  # fmt: skip
    gpt2 = transformers.GPT2Config(
        vocab_size=pieces.get_vocab_size(), n_embd=6, n_layer=3, n_head=3, n_positions=32, n_inner=10,
        attn_implementation="eager",
    )  # fmt: skip
    return {
        "tiny_bert": (random_model(lambda config: transformers.BertModel(config, False), bert), words),
        "tiny_gpt2": (random_model(transformers.GPT2LMHeadModel, gpt2), pieces),
    }


# ---- numbers ----------------------------------------------------------------------------------------------


def cases():
    """Folder, sentence, and what is other than usual: keys that are hidden, positions that are exchanged."""
    for folder in ("tiny_bert", "tiny_gpt2"):
        for sentence in SENTENCES:
            yield {"folder": folder, "sentence": sentence}
        yield {"folder": folder, "sentence": SENTENCES[0], "hide": [3, 5]}
        yield {"folder": folder, "sentence": SENTENCES[0], "hide": [4, 5, 6, 7]}
        yield {"folder": folder, "sentence": SENTENCES[0], "swap": [1, 2]}
    yield {"folder": "tiny_bert", "sentence": SENTENCES[1], "hide": [0, 2, 8]}


def computed(model, ids, hide=(), swap=()):
    """Hidden states (state, token, d_model) and weights (layer, head, query, key)."""
    seen = [place not in hide for place in range(len(ids))]
    positions = list(range(len(ids)))
    if swap:
        first, second = swap
        positions[first], positions[second] = positions[second], positions[first]
    found = getattr(model, "transformer", model)(
        torch.tensor([ids]),
        attention_mask=torch.tensor([seen], dtype=torch.long),
        position_ids=torch.tensor([positions]),
        output_hidden_states=True,
        output_attentions=True,
    )
    return torch.cat(found.hidden_states).numpy(), torch.cat(found.attentions).numpy()


def tiny_file(made):
    file, told = {}, []
    for number, case in enumerate(cases()):
        model, tokenizer = made[case["folder"]]
        tokenizer.no_truncation()
        tokenizer.no_padding()
        cut = tokenizer.encode(case["sentence"])
        options = {name: case[name] for name in ("hide", "swap") if name in case}
        file[f"hidden_{number}"], file[f"weights_{number}"] = computed(model, cut.ids, **options)
        told.append(case | {"ids": cut.ids, "texts": cut.tokens})
    text = json.dumps({"versions": VERSIONS, "cases": told})
    return {"cases": np.frombuffer(text.encode(), dtype=np.uint8), **file}


def minilm_file(folder):
    model = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    file, told = {}, []
    for number, sentence in enumerate(MINILM_SENTENCES):
        cut = tokenizer.encode(sentence)
        hidden, weights = computed(model, cut.ids)
        file[f"weights_{number}"] = np.rint(weights * STEPS).astype(np.uint16)
        file[f"first_{number}"] = hidden[:, 0]
        told.append({"sentence": sentence, "ids": cut.ids, "texts": cut.tokens})
    text = json.dumps({"versions": VERSIONS, "steps": STEPS, "cases": told})
    return {"cases": np.frombuffer(text.encode(), dtype=np.uint8), **file}


def check(path, file):
    """Raises unless the stored numbers are those of `file`, up to the last digits."""
    with np.load(path, allow_pickle=False) as stored:
        assert bytes(stored["cases"]) == bytes(file["cases"]), "other cases than stored"
        for name, numbers in file.items():
            close = 2 if numbers.dtype == np.uint16 else 1e-5
            np.testing.assert_allclose(
                numbers, stored[name], rtol=0, atol=close, err_msg=f"{path.name}: {name}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the stored files, write nothing")
    parser.add_argument("--minilm", type=Path, help="the folder of all-MiniLM-L6-v2")
    arguments = parser.parse_args()
    found = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    assert found == VERSIONS, f"{VERSIONS} are needed, these are {found}"
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    made = tiny_models()
    if not arguments.check:
        for name, (model, tokenizer) in made.items():
            model.save_pretrained(HERE / name)
            (HERE / name / "generation_config.json").unlink(missing_ok=True)
            tokenizer.save(str(HERE / name / "tokenizer.json"), pretty=False)
    files = {TINY: tiny_file(made)}
    if arguments.minilm:
        files[MINILM] = minilm_file(arguments.minilm)
    for path, file in files.items():
        if arguments.check:
            check(path, file)
        else:
            np.savez_compressed(path, **file)
        print(f"{path.name}: {len(file)} arrays, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
