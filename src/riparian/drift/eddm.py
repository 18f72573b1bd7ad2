"""The early drift detection method."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["EDDM"]


class EDDM(Detector, name="eddm"):
    r"""Early drift detection method: signals if errors come closer together.

    Let :math:`p'` be the mean and :math:`s'` the standard deviation of the distances between
    errors, and :math:`p'_{max} + 2 s'_{max}` the largest :math:`p' + 2 s'` so far. The ratio

    .. math:: \frac{p' + 2 s'}{p'_{max} + 2 s'_{max}}

    is a warning below `alpha` and a drift below `beta`. It is computed at each error. A warning
    lasts until the next error.

    Parameters
    ----------
    warm_start : int, default=30
        Number of errors before the first signal.
    alpha : float, default=0.95
        A ratio below this is a warning.
    beta : float, default=0.9
        A ratio below this is a drift; at most `alpha`.

    Notes
    -----
    Intended for slow changes. The thresholds do not depend on the number of errors, so there are
    many false alarms (see ``docs/drift.md``).

    Differs from the paper: nothing. The paper does not define the standard deviation; here it is
    that of a sample, and the first distance is counted from the start.

    References
    ----------
    .. [1] M. Baena-García, J. del Campo-Ávila, R. Fidalgo, A. Bifet, R. Gavaldà,
       R. Morales-Bueno. Early drift detection method. IWKDDS 2006.

    Examples
    --------
    >>> detector = EDDM()
    >>> detector.find([0, 0, 1, 0, 0, 0, 0, 0, 1] * 100 + [0, 1, 1] * 100)
    array([1145])
    """
