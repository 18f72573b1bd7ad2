"""Mean ranks of models over several streams, Friedman's test and the critical difference."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Ranks", "rank_models"]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Ranks:
    """The ranks of models over streams.

    Attributes
    ----------
    each : float64 array of shape (n_streams, n_models)
        The rank of each model on each stream. 1 is the best; equal models share their ranks.
    mean : float64 array of shape (n_models,)
        The mean rank of each model.
    statistic, p : float
        Friedman's chi-square statistic, corrected for ties, and its p-value. NaN for fewer than
        two streams or three models.
    critical_difference : float
        Mean ranks that differ by more are significantly different (Nemenyi's test). NaN for one
        stream.
    alpha : float
        The significance level.
    """

    each: Doubles
    mean: Doubles
    statistic: float
    p: float
    critical_difference: float
    alpha: float


def rank_models(scores: ArrayLike, *, alpha: float = 0.05) -> Ranks:
    r"""Rank models over streams, and test whether they differ.

    With :math:`k` models on :math:`N` streams, Friedman's statistic is

    .. math:: \chi^2_F = \frac{12 N}{k (k + 1)} \Big(\sum_j \bar r_j^2 - \frac{k (k+1)^2}{4}\Big)

    divided by :math:`1 - \sum (t^3 - t) / (N (k^3 - k))` over groups of :math:`t` equal scores,
    and the critical difference is :math:`q_\alpha \sqrt{k (k + 1) / (6 N)}` [1]_.

    Parameters
    ----------
    scores : array-like of shape (n_streams, n_models)
        The scores; larger is better.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    ranks : Ranks
        The ranks and the test.

    References
    ----------
    .. [1] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006,
       section 3.2.

    Examples
    --------
    >>> rank_models([[0.9, 0.8, 0.7], [0.8, 0.8, 0.5], [0.9, 0.7, 0.6]]).mean.round(2)
    array([1.17, 1.83, 3.  ])
    """
    from scipy.stats import chi2, rankdata, studentized_range

    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"scores must have the shape (n_streams, n_models), got {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError("scores must be finite")
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be above 0 and below 1, got {alpha}")
    n, k = table.shape
    each: Doubles = rankdata(-table, axis=1)
    mean: Doubles = each.mean(axis=0)
    statistic = p = difference = math.nan
    if n >= 2 and k >= 3:
        tied = sum(
            float((t**3 - t).sum())
            for t in (np.unique(row, return_counts=True)[1].astype(float) for row in table)
        )
        spread = 12 * n / (k * (k + 1)) * (float((mean**2).sum()) - k * (k + 1) ** 2 / 4)
        correction = 1 - tied / (n * (k**3 - k))
        if correction > 0:
            statistic = spread / correction
            p = float(chi2.sf(statistic, k - 1))
    if n >= 2 and k >= 2:
        q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
        difference = q * math.sqrt(k * (k + 1) / (6 * n))
    return Ranks(each, mean, statistic, p, difference, alpha)
