"""How good a model is: test-then-train, hold-out, folds, and models side by side."""

from riparian.evaluate.folds import Folds, folds
from riparian.evaluate.passes import Stream, holdout, named_blocks, prequential, steps
from riparian.results import Curve, Result

__all__ = [
    "Curve",
    "Folds",
    "Result",
    "Stream",
    "folds",
    "holdout",
    "named_blocks",
    "prequential",
    "steps",
]
