"""Moving averages compared by McDiarmid's inequality."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["HDDM_W"]


class HDDM_W(Detector, name="hddm-w"):  # noqa: N801
    r"""Drift by McDiarmid's inequality: moving averages before and after the best cut.

    A moving average and the sum of its squared weights are :math:`e_1 = x_1, v_1 = 1`,

    .. math:: e_t = \lambda x_t + (1 - \lambda) e_{t-1}, \quad
              v_t = \lambda^2 + (1 - \lambda)^2 v_{t-1}.

    The stream is cut where :math:`e + \sqrt{v \ln(1/\delta) / 2}` was smallest. With the average
    up to there and a new one from there on, the mean has risen if

    .. math:: e_2 - e_1 > \sqrt{\frac{v_1 + v_2}{2} \ln\frac1\delta}.

    Parameters
    ----------
    drift_confidence : float, default=0.001
        :math:`\delta` of a drift, and of the cut.
    warning_confidence : float, default=0.005
        :math:`\delta` of a warning, at least `drift_confidence`.
    lambda_val : float, default=0.05
        :math:`\lambda`, the weight of the last value. Smaller values see smaller changes, later.
    two_sided_test : bool, default=False
        Whether a mean that fell counts too.

    Notes
    -----
    Made for gradual changes. Differs from the paper: nothing.

    References
    ----------
    .. [1] I. Frías-Blanco, J. del Campo-Ávila, G. Ramos-Jiménez, R. Morales-Bueno,
       A. Ortiz-Díaz, Y. Caballero-Mota. Online and non-parametric drift detection methods based
       on Hoeffding's bounds. IEEE TKDE 27(3), 2015, pp. 810-823.

    Examples
    --------
    >>> detector = HDDM_W()
    >>> detector.find([0, 0, 0, 0, 0, 1] * 200 + [0, 1, 1] * 200)
    array([1229])
    """
