"""Drift detection with moving averages and McDiarmid's inequality."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["HDDM_W"]


class HDDM_W(Detector, name="hddm-w"):  # noqa: N801
    r"""Drift detection by McDiarmid's inequality: compares moving averages before and after a cut.

    A moving average :math:`e` and the sum :math:`v` of its squared weights start with
    :math:`e_1 = x_1, v_1 = 1` and continue with

    .. math:: e_t = \lambda x_t + (1 - \lambda) e_{t-1}, \quad
              v_t = \lambda^2 + (1 - \lambda)^2 v_{t-1}.

    The stream is cut where :math:`e + \sqrt{v \ln(1/\delta) / 2}` was smallest. Let :math:`e_1,
    v_1` belong to the average before the cut and :math:`e_2, v_2` to a new average after it. The
    mean has risen if

    .. math:: e_2 - e_1 > \sqrt{\frac{v_1 + v_2}{2} \ln\frac1\delta}.

    Parameters
    ----------
    drift_confidence : float, default=0.001
        :math:`\delta` of a drift and of the cut.
    warning_confidence : float, default=0.005
        :math:`\delta` of a warning, at least `drift_confidence`.
    lambda_val : float, default=0.05
        :math:`\lambda`, the weight of the last value. Smaller values detect smaller changes, but
        later.
    two_sided_test : bool, default=False
        Whether to detect a fall of the mean too.

    Notes
    -----
    Intended for gradual changes. Differs from the paper: nothing.

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
