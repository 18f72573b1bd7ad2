"""Trees for other places."""

from __future__ import annotations

from riparian.export.graphviz import export_graphviz
from riparian.export.steps import Step, path_steps
from riparian.export.text import class_weights_text, export_text

__all__ = ["Step", "class_weights_text", "export_graphviz", "export_text", "path_steps"]
