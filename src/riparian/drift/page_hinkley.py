"""The Page-Hinkley test."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["PageHinkley"]


class PageHinkley(Detector, name="page-hinkley"):
    r"""Page-Hinkley test: cumulative sums of the deviations from the mean.

    Let :math:`\bar x_t` be the mean of the values so far.

    .. math:: u_t &= \alpha u_{t-1} + (x_t - \bar x_t - \delta), \quad
                     \text{drift if } u_t - \min u > \lambda; \\
              d_t &= \alpha d_{t-1} + (x_t - \bar x_t + \delta), \quad
                     \text{drift if } \max d - d_t > \lambda.

    Parameters
    ----------
    min_instances : int, default=30
        Number of values before the first drift.
    delta : float, default=0.005
        :math:`\delta`, the tolerated change of the mean.
    threshold : float, default=50.0
        :math:`\lambda`, in the unit of the values. The default suits values around 1.
    alpha : float, default=0.9999
        Factor by which the sums fade at each value.
    mode : {"both", "up", "down"}, default="both"
        Which changes of the mean are a drift.

    Notes
    -----
    Differs from the paper: the mean is the running mean, and the sums fade by `alpha`, as in MOA
    and River.

    References
    ----------
    .. [1] E. S. Page. Continuous inspection schemes. Biometrika 41(1/2), 1954, pp. 100-115.

    Examples
    --------
    >>> detector = PageHinkley()
    >>> detector.find([0.0, 1.0] * 500 + [2.0] * 100)
    array([1033])
    """
