"""The specification in NumPy: slow, plain, and independent of the package that it checks."""

from .bounds import hoeffding
from .cuts import bins
from .impurities import entropy, gain, gain_range, gini
from .statistics import CategoryCounts, Gaussian, moments
from .tree import ReferenceTree, Split, Waiting

__all__ = [
    "CategoryCounts",
    "Gaussian",
    "ReferenceTree",
    "Split",
    "Waiting",
    "bins",
    "entropy",
    "gain",
    "gain_range",
    "gini",
    "hoeffding",
    "moments",
]
