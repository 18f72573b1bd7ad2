"""The influence of one example on a gain, for the delta method."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.errors import one_of
from riparian.policies.arguments import class_weights, served

__all__ = ["IMPURITIES", "gap_variance", "influence"]

#: The impurities that have an influence function.
IMPURITIES = ("entropy", "gini", "misclassification", "accuracy")


def influence(table: ArrayLike, impurity: str = "entropy") -> NDArray[np.float64]:
    r"""Return the first-order influence of one example of each branch and class on a gain.

    .. math:: \varphi_\text{entropy} &= \log_2 \frac{p(x,y)}{p(x)\,p(y)} \\
       \varphi_\text{Gini} &= 2 p(y|x) - \sum_{y'} p(y'|x)^2 - 2 p(y) \\
       \varphi_\text{misclassification} &= [y = \mathrm{maj}(x)] - [y = \mathrm{maj}]

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
        Class weights in each branch.
    impurity : {"entropy", "gini", "misclassification", "accuracy"}, default="entropy"
        The impurity of the gain.

    Returns
    -------
    phi : ndarray of shape (n_branches, n_classes)
        The influence. It is 0 in empty branches and classes, for entropy also in empty cells.
        A weight below 0.5 counts as empty.

    References
    ----------
    .. [1] R. Jin, G. Agrawal. Efficient decision tree construction on streaming data.
       KDD 2003, pp. 571-576.

    Examples
    --------
    >>> influence([[30, 10], [5, 55]], "gini").round(4)
    array([[ 0.175 , -1.425 ],
           [-1.3806, -0.3139]])
    >>> influence([[30, 10], [5, 55]], "misclassification")
    array([[ 1., -1.],
           [ 0.,  0.]])
    """
    served("delta-method", impurity, IMPURITIES)
    cells = class_weights("table", table)
    return _core.influence(impurity, cells).reshape(cells.shape)


def gap_variance(
    first_table: ArrayLike,
    second_table: ArrayLike | None,
    impurity: str = "entropy",
    pairing: str = "independent",
    *,
    total: float | None = None,
) -> float:
    r"""Return the per-example variance of the gap between the gains of two cuts.

    .. math:: s^2_\text{independent} = \sigma_1^2 + \sigma_2^2, \qquad
       s_\text{conservative} = \sigma_1 + \sigma_2, \qquad
       \sigma^2 = \mathrm{Var}[\varphi(X, Y)]

    with :math:`\varphi` from :func:`influence`. Both gains are measured on the same examples, so
    neither formula is exact. The exact variance is that of :math:`\varphi_1 - \varphi_2` over the
    examples, ``"paired"``, as in the last example below.

    Parameters
    ----------
    first_table, second_table : array-like of shape (n_branches, n_classes)
        Class weights in each branch. None stands for no split, whose gain is always 0.
    impurity : {"entropy", "gini", "misclassification", "accuracy"}, default="entropy"
        The impurity of the gains.
    pairing : {"independent", "conservative"}, default="independent"
        Which of the two formulas to use.
    total : float, default=None
        Weight of the leaf, including examples whose value is missing. By default the weight of
        the first table.

    Returns
    -------
    variance : float
        The variance. NaN if a cell that is not empty has fewer than 5 examples, too few for a
        normal test. A weight below 0.5 counts as empty.

    Examples
    --------
    >>> table = [[30, 10], [5, 55]]
    >>> round(gap_variance(table, None, "gini"), 9)
    0.251733333
    >>> round(gap_variance(table, table, "gini", "conservative") / 0.251733333, 6)
    4.0

    Paired, for examples with branches `a` and `b` of two cuts and labels `y`:

    >>> a, b, y = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> one, two = influence([[2, 0], [0, 2]]), influence([[1, 1], [1, 1]])
    >>> float(np.var(one[a, y] - two[b, y]))
    0.0
    """
    served("delta-method", impurity, IMPURITIES)
    if pairing == "paired":
        raise ValueError(
            "pairing must be 'independent' or 'conservative' for two tables, got 'paired': "
            "use the variance of the differences of influence() over the examples"
        )
    one_of("pairing", pairing, ["independent", "conservative"])
    first = class_weights("first_table", first_table)
    weight = first.sum() if total is None else float(total)
    if not (np.isfinite(weight) and weight > 0.0 and weight >= first.sum() * (1.0 - 1e-9)):
        raise ValueError(f"total must be positive and at least the table's weight, got {weight}")
    one = _core.influence_variance(impurity, first, weight)
    if second_table is None:
        return one
    two = _core.influence_variance(impurity, class_weights("second_table", second_table), weight)
    if pairing == "independent":
        return one + two
    return float((np.sqrt(one) + np.sqrt(two)) ** 2)
