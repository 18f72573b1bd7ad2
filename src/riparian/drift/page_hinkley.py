"""The cumulative sum of what lies above or below the mean."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["PageHinkley"]


class PageHinkley(Detector, name="page-hinkley"):
    r"""The test of Page and Hinkley: how far the values have summed up away from their mean.

    With the mean :math:`\bar x_t` of the values so far,

    .. math:: u_t &= \alpha u_{t-1} + (x_t - \bar x_t - \delta), \quad
                     \text{drift if } u_t - \min u > \lambda; \\
              d_t &= \alpha d_{t-1} + (x_t - \bar x_t + \delta), \quad
                     \text{drift if } \max d - d_t > \lambda.

    Parameters
    ----------
    min_instances : int, default=30
        No drift before so many values.
    delta : float, default=0.005
        :math:`\delta`: a change of the mean that is let pass.
    threshold : float, default=50.0
        :math:`\lambda`, in the unit of the values: the default is meant for values around 1.
    alpha : float, default=0.9999
        How much of a sum is kept from value to value.
    mode : {"both", "up", "down"}, default="both"
        Which changes of the mean are a drift.

    Notes
    -----
    Differs from the paper: the mean is the running one, and the sums are forgotten by
    `alpha`, as in MOA and River.

    References
    ----------
    .. [1] E. S. Page. Continuous inspection schemes. Biometrika 41(1/2), 1954, pp. 100-115.

    Examples
    --------
    >>> detector = PageHinkley()
    >>> detector.find([0.0, 1.0] * 500 + [2.0] * 100)
    array([1033])
    """
