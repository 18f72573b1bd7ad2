"""Export of models: text, Graphviz, scikit-learn, ONNX, SQL, Python and C."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from riparian.export.graphviz import export_graphviz
from riparian.export.steps import Step, path_steps
from riparian.export.text import class_weights_text, export_text, forest_text, tree_of

if TYPE_CHECKING:
    from riparian.export.code import to_code
    from riparian.export.onnx import to_onnx
    from riparian.export.scikit import to_sklearn

__all__ = [
    "Step",
    "class_weights_text",
    "export_graphviz",
    "export_text",
    "forest_text",
    "path_steps",
    "to_code",
    "to_onnx",
    "to_sklearn",
    "tree_of",
]

#: Functions that are imported on first use.
_HOME = {"to_code": "code", "to_onnx": "onnx", "to_sklearn": "scikit"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"riparian.export.{_HOME[name]}"), name)
    raise AttributeError(f"module 'riparian.export' has no attribute {name!r}")
