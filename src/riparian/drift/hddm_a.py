"""Drift detection with averages and Hoeffding's inequality."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["HDDM_A"]


class HDDM_A(Detector, name="hddm-a"):  # noqa: N801
    r"""Drift detection by Hoeffding's inequality: compares all values with their best prefix.

    The best prefix of the :math:`n` values, with :math:`n'` values and the mean :math:`\bar x`, is
    the one with the smallest :math:`\bar x + \sqrt{\ln(1/\delta) / (2 n')}`. Let :math:`\bar z` be
    the mean of all values. The mean has risen if

    .. math:: \bar z - \bar x \ge \sqrt{\frac{n - n'}{2 n' n} \ln\frac2\delta}.

    Parameters
    ----------
    drift_confidence : float, default=0.001
        :math:`\delta` of a drift and of the best prefix.
    warning_confidence : float, default=0.005
        :math:`\delta` of a warning, at least `drift_confidence`.
    two_sided_test : bool, default=False
        Whether to detect a fall of the mean too.

    Notes
    -----
    Intended for abrupt changes. Differs from the paper: the one-sided test uses
    :math:`\ln(2/\delta)` too, as in MOA.

    References
    ----------
    .. [1] I. Frías-Blanco, J. del Campo-Ávila, G. Ramos-Jiménez, R. Morales-Bueno,
       A. Ortiz-Díaz, Y. Caballero-Mota. Online and non-parametric drift detection methods based
       on Hoeffding's bounds. IEEE TKDE 27(3), 2015, pp. 810-823.

    Examples
    --------
    >>> detector = HDDM_A()
    >>> detector.find([0, 0, 0, 1] * 250 + [0, 1] * 250)
    array([1059])
    """
