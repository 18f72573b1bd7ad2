"""Pictures written to files, without a window."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

__all__ = ["check_picture", "save_figure"]


def check_picture(option: str, path: str) -> None:
    """Refuse a file that no picture can be written to, before the work rather than after it."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise ImportError(
            f"{option} needs matplotlib; install it with: pip install 'riparian[plot]'"
        ) from error

    ending = os.path.splitext(path)[1].removeprefix(".").lower()
    known = FigureCanvasBase.get_supported_filetypes()
    if ending not in known:
        raise ValueError(f"{option} {path!r}: the ending must be one of {', '.join(sorted(known))}")


def save_figure(draw: Callable[[], Any], path: str) -> None:
    """Write what `draw` draws, given as axes, to a file."""
    import matplotlib as mpl

    mpl.use("agg")
    figure = draw().get_figure(root=True)
    figure.savefig(path, dpi=144, metadata=_anonymous(path))


def _anonymous(path: str) -> dict[str, None]:
    """A PNG that does not name the program that wrote it: equal results give equal files."""
    return {"Software": None} if path.lower().endswith(".png") else {}
