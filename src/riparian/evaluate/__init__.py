"""How good a model is: test-then-train, hold-out, folds, and models side by side."""

from riparian.evaluate.compare import Comparison, compare
from riparian.evaluate.folds import Folds, folds
from riparian.evaluate.passes import Stream, holdout, named_blocks, prequential, steps
from riparian.results import Curve, Result

__all__ = [
    "Comparison",
    "Curve",
    "Folds",
    "Result",
    "Stream",
    "compare",
    "folds",
    "holdout",
    "named_blocks",
    "prequential",
    "steps",
]
