"""Decision trees and forests that learn from data streams.

``import riparian as rp``, then ``rp.StreamForest()``, one readable tree ``rp.StreamTree()``, a
published algorithm such as ``rp.VFDT()``, or the free composition ``rp.HoeffdingTree(...)``.
Everything is imported when it is first used, so the command line starts at once. The stub
``__init__.pyi`` lists the public names for editors and type checkers.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

__version__ = "0.1.0"

#: Public modules.
_MODULES = (
    "adaptation",
    "bounds",
    "cluster",
    "cuts",
    "drift",
    "evaluate",
    "impurities",
    "lab",
    "leaves",
    "sources",
    "statistics",
    "streams",
)
#: Public names that are no models, with their modules.
_NAMES = {
    "Change": "riparian.evidence.changes",
    "ModelFileError": "riparian.errors",
    "Pending": "riparian.evidence.pending",
    "Split": "riparian.evidence.certificates",
    "Uncertain": "riparian.data.uncertain",
    "learn": "riparian.sources.learn",
    "load": "riparian.storage.modelfile",
    "uncertain_columns": "riparian.data.uncertain_pairs",
}


def __getattr__(name: str) -> Any:
    value: Any
    if name in _NAMES:
        value = getattr(importlib.import_module(_NAMES[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(f"riparian.{name}")
    elif name == "__all__":
        from riparian.models.registry import MODELS

        value = sorted((*MODELS, *_NAMES, *_MODULES, "__version__"))
    elif name.startswith("_"):
        raise AttributeError(f"module 'riparian' has no attribute {name!r}")
    else:
        from riparian.models.registry import MODELS

        if name not in MODELS:
            raise _unknown(name)
        value = MODELS[name]
    setattr(sys.modules[__name__], name, value)
    return value


def _unknown(name: str) -> Exception:
    """Return the error about a name that is not there; it names the right one."""
    import difflib

    from riparian.models.other_names import CLASSES, nearest

    text = f"module 'riparian' has no attribute {name!r}"
    if name in CLASSES:
        text += f"; {nearest(name)}"
        # `from riparian import name` would replace the text of an AttributeError by its own.
        if sys._getframe(2).f_code.co_name == "_handle_fromlist":
            return ImportError(text)
    elif near := difflib.get_close_matches(name, __dir__(), n=1):
        text += f"; did you mean rp.{near[0]}?"
    return AttributeError(text)


def __dir__() -> list[str]:
    names: list[str] = __getattr__("__all__")
    return names
