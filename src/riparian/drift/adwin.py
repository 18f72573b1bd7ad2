"""Adaptive windowing."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["ADWIN"]


class ADWIN(Detector, name="adwin"):
    r"""Adaptive windowing: a window that grows while the mean of its values does not change.

    Every `clock` values the window is cut in two at each boundary of its buckets, and the means of
    both parts are compared. Let :math:`n_0` be the number of old and :math:`n_1` of recent values
    of :math:`n`, :math:`v` the variance of the window and :math:`L` `min_window_length`. If at one
    boundary

    .. math:: |\bar x_0 - \bar x_1| > \sqrt{2 m v d} + \tfrac23 m d, \quad
              d = \ln\frac{2 \ln n}{\delta}, \quad
              m = \frac{1}{n_0 - L + 1} + \frac{1}{n_1 - L + 1},

    the oldest bucket is dropped and all boundaries are checked again, until the condition holds at
    none. A drop is a drift. The rest of the window is kept, so a large change may be signalled by
    several drifts in a row.

    Parameters
    ----------
    delta : float, default=0.002
        Accepted probability of a false alarm at a check. Smaller values wait longer.
    clock : int, default=32
        Number of values between two checks.
    max_buckets : int, default=5
        Number of buckets of each size, from 2 to 64. More buckets locate a change more exactly,
        and need more memory and time.
    min_window_length : int, default=5
        A part must have more than `min_window_length` + 1 values to be compared.
    grace_period : int, default=10
        The window is checked only if it is longer than this.

    Notes
    -----
    The window is an exponential histogram: `max_buckets` buckets each for 1, 2, 4, ... values,
    with their sum and variance. A window of a million values needs 1.6 KB.

    Differs from the paper: :math:`\delta / \ln n` replaces :math:`\delta / n`, and :math:`L` is
    added, both as in MOA.

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
        """Variance of the values in the window."""
        return self._native.variance

    @property
    def shift(self) -> float:
        """Change of `estimate` by the last drift; positive if the mean rose."""
        return self._native.shift
