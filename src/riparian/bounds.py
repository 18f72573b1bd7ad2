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
    return _bound("hoeffding", "entropy", n, gain_range=gain_range, delta=delta)


def _bound(
    name: str,
    impurity: str,
    n: ArrayLike,
    *,
    delta: ArrayLike,
    gain_range: ArrayLike = 1.0,
    classes: ArrayLike = 2,
    depth: ArrayLike = 0,
    seen: ArrayLike = 1,
    features: ArrayLike = 1,
    variance: ArrayLike = np.nan,
    c: float = 1.0,
    derived: bool = False,
) -> NDArray[np.float64]:
    """Asks the core for each element of the broadcast arrays."""
    if not all(0.0 < d < 1.0 for d in np.ravel(delta)):
        raise ValueError(f"delta must be a probability between 0 and 1, got {delta!r}")
    evidence = (n, gain_range, delta, classes, depth, seen, features, variance)
    arrays = np.broadcast_arrays(*(np.asarray(e, dtype=np.float64) for e in evidence))
    if not (arrays[0] > 0.0).all():
        raise ValueError("n must be positive: a leaf without examples has no interval")
    flat = [np.ascontiguousarray(a).ravel() for a in arrays]
    return _core.half_width(name, impurity, *flat, c, derived).reshape(arrays[0].shape)
