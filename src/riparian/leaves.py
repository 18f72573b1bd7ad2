"""What a leaf answers.

``"majority"``
    The class with the largest weight. A new leaf starts with the class weights that
    its parent's split estimated for it (``inherit_counts=``).
``"naive-bayes"``
    Naive Bayes over the statistics of the leaf: Gaussians for numeric features,
    smoothed counts for categorical ones, in logarithms. Missing values are left out.
``"adaptive"``
    Whichever of the two was right more often at this leaf, each judged on every
    example before it was learned; ties go to naive Bayes (Gama, Rocha and Medas,
    Accurate decision trees for mining high-speed data streams, KDD 2003).

The names that :class:`riparian.HoeffdingTree` takes for ``leaf=``:

>>> names()
['majority', 'naive-bayes', 'adaptive']
"""

from __future__ import annotations

from riparian import _core

__all__ = ["names"]


def names() -> list[str]:
    """The leaf predictors, by the names that users write."""
    return _core.names("leaf")
