"""Published algorithms: each a choice on the axes of one engine."""

from riparian.modelfile import load
from riparian.recipes.vfdt import VFDT
from riparian.tree import HoeffdingTree

__all__ = ["RECIPES", "VFDT", "load"]

#: Every model that a file may name.
RECIPES: dict[str, type[HoeffdingTree]] = {cls.__name__: cls for cls in (HoeffdingTree, VFDT)}
