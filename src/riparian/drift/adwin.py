"""The mean over a window that is as long as the mean has not changed."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["ADWIN"]


class ADWIN(Detector, name="adwin"):
    r"""Adaptive windowing: keeps the last values for as long as their mean has not changed.

    Every `clock` values the window is cut in two at each boundary of its buckets. If at one of
    them, with :math:`n_0` old and :math:`n_1` recent values of :math:`n`, the variance
    :math:`v` of the window and :math:`L` for `min_window_length`,

    .. math:: |\bar x_0 - \bar x_1| > \sqrt{2 m v d} + \tfrac23 m d, \quad
              d = \ln\frac{2 \ln n}{\delta}, \quad
              m = \frac{1}{n_0 - L + 1} + \frac{1}{n_1 - L + 1},

    then the oldest bucket is dropped and all boundaries are checked again, until none cuts. A
    drop is a drift. The rest of the window is the new concept's: nothing starts over, and a
    large change may be signalled by several drifts in a row.

    Parameters
    ----------
    delta : float, default=0.002
        Accepted probability of a false alarm at a check. Smaller values wait longer.
    clock : int, default=32
        Values from check to check.
    max_buckets : int, default=5
        Buckets of each size, from 2 to 64. More of them place a cut more exactly, in more
        memory and time.
    min_window_length : int, default=5
        A part must have more than `min_window_length` + 1 values to be compared.
    grace_period : int, default=10
        A window that is not longer is not checked.

    Notes
    -----
    The window is an exponential histogram: `max_buckets` buckets each of 1, 2, 4, ... values
    with their sum and their variance, so that a window of a million values takes 1.6 KB.

    Differs from the paper: :math:`\delta / \ln n` instead of :math:`\delta / n`, and
    :math:`L`, both as in MOA.

    References
    ----------
    .. [1] A. Bifet, R. Gavaldà. Learning from time-changing data with adaptive windowing.
       SDM 2007, pp. 443-448, section 3.

    Examples
    --------
    >>> detector = ADWIN(delta=0.01)
    >>> detector.find([0, 1] * 300 + [1] * 100)
    array([639, 671])
    >>> detector.shift > 0
    True
    """

    @property
    def variance(self) -> float:
        """Of the values in the window."""
        return self._native.variance

    @property
    def shift(self) -> float:
        """By how much the last drift changed `estimate`: above 0 if the mean rose."""
        return self._native.shift
