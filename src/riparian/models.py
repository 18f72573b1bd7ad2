"""Every model of the package, by the name that files and the command line know it by."""

from __future__ import annotations

from typing import Any

from riparian.forests import FORESTS
from riparian.gradient import OADT
from riparian.model import StreamClassifier
from riparian.recipes import RECIPES
from riparian.restructuring import RESTRUCTURING

__all__ = ["MODELS"]

MODELS: dict[str, type[StreamClassifier[Any]]] = {
    **RECIPES,
    **FORESTS,
    **RESTRUCTURING,
    "OADT": OADT,
}
