"""The distribution of the last values against that of those before."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["KSWIN"]


class KSWIN(Detector, name="kswin"):
    r"""The test of Kolmogorov and Smirnov on a sliding window.

    The last :math:`r` of the last :math:`n` values are compared with :math:`r` of the
    :math:`n - r` before them, drawn without repetition. It is a drift if the largest distance
    between the two empirical distributions is

    .. math:: \mathrm{dist} > \sqrt{-\ln(\alpha) / r},

    and only the last :math:`r` values are kept.

    Parameters
    ----------
    alpha : float, default=0.005
        Accepted probability of a false alarm at a value. There is a test at every value, so it
        has to be small.
    window_size : int, default=100
        :math:`n`, to 1,000,000.
    stat_size : int, default=30
        :math:`r`, at most half of `window_size`.
    seed : int, default=0
        Of the draws. Those at value :math:`t` hang on `seed` and :math:`t` alone.

    Notes
    -----
    Sees any change of the distribution, also one that leaves the mean where it is. Meant for
    numbers; on errors of 0 and 1 the others are better. Differs from the paper: nothing.

    References
    ----------
    .. [1] C. Raab, M. Heusinger, F.-M. Schleif. Reactive soft prototype computing for concept
       drift streams. Neurocomputing 416, 2020, pp. 340-351.

    Examples
    --------
    >>> import numpy as np
    >>> narrow, wide = np.random.default_rng(0).normal(0, [[1], [10]], (2, 500))
    >>> KSWIN(alpha=1e-4, window_size=300, stat_size=100).find([*narrow, *wide])
    array([565])
    """
