r"""How far an estimated gain may be off.

A bound answers with the half-width :math:`\varepsilon` of the confidence interval of
a gain. A leaf splits once its two best gains are more than one or two
:math:`\varepsilon` apart (``epsilons=``). A tree takes a bound by its name:
``HoeffdingTree(bound="hoeffding")``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core

__all__ = ["hoeffding"]


def hoeffding(n: ArrayLike, *, delta: float, gain_range: float = 1.0) -> NDArray[np.float64]:
    r"""Half-width of Hoeffding's interval around a gain, as VFDT uses it.

    .. math:: \varepsilon = R \sqrt{\frac{\ln(1/\delta)}{2n}}

    It holds for the mean of `n` independent observations. Information gain and the
    Gini gain are no such means, so a tree that uses it promises nothing exactly;
    moreover it is applied at every check, although it holds for one fixed `n`.

    Parameters
    ----------
    n : array-like of shape (n_leaves,)
        Weight of the examples that each leaf has seen.
    delta : float
        Accepted probability of a wrong decision. Smaller values wait longer.
    gain_range : float, default=1.0
        :math:`R`: :math:`\log_2 k` for the entropy of :math:`k` classes, 1 for Gini.

    References
    ----------
    .. [1] P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000,
       pp. 71-80, section 2.

    Examples
    --------
    >>> hoeffding([200, 800], delta=1e-7).round(5)
    array([0.20074, 0.10037])
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta must be a probability between 0 and 1, got {delta!r}")
    weights = np.asarray(n, dtype=np.float64)
    flat = np.ascontiguousarray(weights).ravel()
    if not (flat > 0.0).all():
        raise ValueError("n must be positive: a leaf without examples has no interval")
    return _core.half_width("hoeffding", flat, gain_range, delta).reshape(weights.shape)
