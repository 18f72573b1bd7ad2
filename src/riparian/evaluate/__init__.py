"""Evaluation of models: prequential, hold-out, cross-validation, and comparisons."""

from riparian.evaluate.compare import Comparison, compare
from riparian.evaluate.folds import Folds, folds
from riparian.evaluate.operations import count_operations, plot_operations
from riparian.evaluate.passes import Stream, holdout, named_blocks, prequential, steps
from riparian.evaluate.results import Curve, Result

__all__ = [
    "Comparison",
    "Curve",
    "Folds",
    "Result",
    "Stream",
    "compare",
    "count_operations",
    "folds",
    "holdout",
    "named_blocks",
    "plot_operations",
    "prequential",
    "steps",
]
