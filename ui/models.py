"""Which models there are on this machine: folders with a checkpoint, read only when they are asked for."""

import os
from pathlib import Path

from ui.paths import ROOT

DEFAULT = ROOT / "models" / "all-MiniLM-L6-v2"  # where `make model` puts it
NAMED_BY = "QKV_MODEL"  # `make run MODEL=folder` sets it


def found_models() -> tuple[Path, ...]:
    """The folders of models, the first being the one that is used: QKV_MODEL, or MiniLM where it is.

    A folder that QKV_MODEL names is told of as it is: reading it says what is missing.
    """
    named = os.environ.get(NAMED_BY)
    if named:
        return (Path(named).expanduser(),)
    return (DEFAULT,) if DEFAULT.is_dir() else ()
