"""What a process does once, before it shows a page."""

import contextlib
import gc
import os
import shutil
from functools import cache

from ui.paths import STATIC, plotly_script


@cache
def settle() -> None:
    """Once a process: Plotly's script goes where browsers find it; imports are not collected again."""
    provide_plotly()
    gc.collect()
    gc.freeze()


def provide_plotly() -> None:
    """Copies Plotly's script from the package that brings it.

    On a system that cannot be written to it is there already, or figures say that they could not be loaded.
    """
    source, target = plotly_script(), STATIC / "plotly.min.js"
    with contextlib.suppress(OSError):
        if not target.exists() or target.stat().st_size != source.stat().st_size:
            half = target.with_suffix(f".{os.getpid()}")
            shutil.copyfile(source, half)
            half.replace(target)
