"""Averages compared by Hoeffding's inequality."""

from __future__ import annotations

from riparian.drift.detector import SHARES, Detector, flag, number

__all__ = ["HDDM_A"]


class HDDM_A(Detector):  # noqa: N801
    r"""Drift by Hoeffding's inequality: all values against the best prefix of them.

    Of all prefixes of the :math:`n` values the one with the smallest
    :math:`\bar x + \sqrt{\ln(1/\delta) / (2 n')}` is kept. With the mean :math:`\bar z` of all,
    the mean has risen if

    .. math:: \bar z - \bar x \ge \sqrt{\frac{n - n'}{2 n' n} \ln\frac2\delta}.

    Parameters
    ----------
    drift_confidence : float, default=0.001
        :math:`\delta` of a drift, and of the prefixes.
    warning_confidence : float, default=0.005
        :math:`\delta` of a warning, at least `drift_confidence`.
    two_sided_test : bool, default=False
        Whether a mean that fell counts too.

    Notes
    -----
    Made for abrupt changes. Differs from the paper: :math:`\ln(2/\delta)` also for the test of
    one side, as in MOA.

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

    _name = "hddm-a"
    _watches = SHARES

    def __init__(
        self,
        *,
        drift_confidence: float = 0.001,
        warning_confidence: float = 0.005,
        two_sided_test: bool = False,
    ) -> None:
        super().__init__(
            drift_confidence=number("drift_confidence", drift_confidence),
            warning_confidence=number("warning_confidence", warning_confidence),
            two_sided_test=flag("two_sided_test", two_sided_test),
        )
