"""Every model of the package, by the name that files and the command line use.

A model is found because its file is in this folder. Nothing else lists it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from typing import Any

from riparian import models
from riparian.models.base import StreamClassifier
from riparian.models.hoeffding import HoeffdingTree

__all__ = ["GROUPS", "MODELS", "RECIPES", "models_of", "names_by_module"]

_Model = type[StreamClassifier[Any]]


def _modules(path: Iterable[str], prefix: str) -> Iterator[Any]:
    for info in pkgutil.iter_modules(path, prefix):
        module = importlib.import_module(info.name)
        yield module
        if info.ispkg:
            yield from _modules(module.__path__, f"{info.name}.")


def _models() -> Iterator[_Model]:
    """Find the classes with an ``__init__``; the others are bases."""
    for module in _modules(models.__path__, f"{models.__name__}."):
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, StreamClassifier)
                and value.__module__ == module.__name__
                and value.__init__ is not object.__init__
            ):
                yield value


def _place(model: _Model) -> tuple[bool, str]:
    """Return the place in lists: models without a paper come first."""
    return model._paper is not None, model.__name__


#: Every model by its name. Models that follow no paper come first.
MODELS: dict[str, _Model] = {model.__name__: model for model in sorted(_models(), key=_place)}

_ORDER = ("trees", "trees that follow change", "forests", "restructuring trees", "gradient trees")

#: The names of the models in each group.
GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(name for name, model in MODELS.items() if model._group == group)
    for group in dict.fromkeys((*_ORDER, *(model._group for model in MODELS.values())))
}

#: HoeffdingTree and its recipes: the published algorithms that are a choice on its axes.
RECIPES: dict[str, _Model] = {
    name: model for name, model in MODELS.items() if issubclass(model, HoeffdingTree)
}


def models_of(group: str) -> dict[str, _Model]:
    """Return the models of a group by their names."""
    return {name: MODELS[name] for name in GROUPS[group]}


def names_by_module() -> dict[str, list[str]]:
    """Return the names of the models by the module that defines them."""
    found: dict[str, list[str]] = {}
    for name, model in MODELS.items():
        found.setdefault(model.__module__, []).append(name)
    return dict(sorted(found.items()))
