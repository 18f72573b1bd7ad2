"""Kolmogorov-Smirnov windowing."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["KSWIN"]


class KSWIN(Detector, name="kswin"):
    r"""Kolmogorov-Smirnov test on a sliding window.

    The window has the last :math:`n` values. Its last :math:`r` values are compared with
    :math:`r` values drawn without repetition from the other :math:`n - r`. There is a drift if the
    largest distance between the two empirical distributions is

    .. math:: \mathrm{dist} > \sqrt{-\ln(\alpha) / r}.

    After a drift only the last :math:`r` values are kept.

    Parameters
    ----------
    alpha : float, default=0.005
        Accepted probability of a false alarm at one value. It must be small, because every value
        is tested.
    window_size : int, default=100
        :math:`n`, at most 1,000,000.
    stat_size : int, default=30
        :math:`r`, at most half of `window_size`.
    seed : int, default=0
        Random seed. The draws at value :math:`t` depend on `seed` and :math:`t` only.

    Notes
    -----
    Detects any change of the distribution, even if the mean stays the same. Intended for numbers;
    for errors of 0 and 1 the other detectors are better. Differs from the paper: nothing.

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
