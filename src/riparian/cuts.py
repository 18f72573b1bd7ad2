"""Which tests are candidates at a leaf.

A numeric cut is a threshold: ``x <= t`` goes one way, ``x > t`` the other. A tree
takes a rule by its name: ``HoeffdingTree(cuts="bins", n_cuts=10)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["bins"]


def bins(low: float, high: float, n_cuts: int = 10) -> NDArray[np.float64]:
    r"""Equally spaced thresholds inside the range of the values at a leaf.

    .. math:: t_i = \mathit{low} + (\mathit{high} - \mathit{low}) \frac{i}{b + 1},
       \quad i = 1, \dots, b

    Parameters
    ----------
    low, high : float
        The smallest and the largest value seen at the leaf.
    n_cuts : int, default=10
        :math:`b`.

    Returns
    -------
    thresholds : ndarray
        Those strictly between `low` and `high`; none where the two are equal.

    References
    ----------
    .. [1] M. Mirkhan, M. Amir Haeri, M. R. Meybodi. Analytical split value
       calculation for numerical attributes in Hoeffding trees with
       misclassification-based impurity, section 3.3.

    Examples
    --------
    >>> bins(0.0, 1.1, 10).round(3)
    array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1. ])
    >>> bins(2.0, 2.0)
    array([], dtype=float64)
    """
    share = np.arange(1, n_cuts + 1) / (n_cuts + 1)
    thresholds = low + (high - low) * share
    return thresholds[(low < thresholds) & (thresholds < high)]
