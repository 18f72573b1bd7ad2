"""Pictures written to files, without a window."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

from riparian.storage.outputs import open_output

__all__ = ["check_picture", "pyplot", "save_figure"]


def pyplot(purpose: str) -> Any:
    """matplotlib's pyplot, or an error that says how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs matplotlib; install it with: pip install 'riparian[plot]'"
        ) from error
    return plt


def check_picture(option: str, path: str) -> None:
    """Refuse a file name that no picture can be written to, before the work begins."""
    pyplot(option)
    from matplotlib.backend_bases import FigureCanvasBase

    ending = _ending(path)
    known = FigureCanvasBase.get_supported_filetypes()
    if ending not in known:
        raise ValueError(f"{option} {path!r}: the ending must be one of {', '.join(sorted(known))}")


def save_figure(draw: Callable[[], Any], path: str) -> None:
    """Write the figure of the axes that `draw` returns to a file."""
    import matplotlib as mpl

    mpl.use("agg")
    figure = draw().get_figure(root=True)
    ending = _ending(path)
    # The PNG does not name the program, so equal results give equal files.
    metadata = {"Software": None} if ending == "png" else {}
    drawn = io.BytesIO()
    figure.savefig(drawn, format=ending, dpi=144, metadata=metadata)
    with open_output(path, "wb") as file:
        file.write(drawn.getvalue())


def _ending(path: str) -> str:
    return os.path.splitext(path)[1].removeprefix(".").lower()
