"""How far apart errors are, against the best."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["EDDM"]


class EDDM(Detector, name="eddm"):
    r"""Early drift detection method: errors must not come closer together.

    With the mean :math:`p'` and the standard deviation :math:`s'` of the distances between
    errors, and the largest :math:`p' + 2 s'` so far,

    .. math:: \frac{p' + 2 s'}{p'_{max} + 2 s'_{max}}

    is a warning below `alpha` and a drift below `beta`. It is computed at each error; in between
    a warning stands.

    Parameters
    ----------
    warm_start : int, default=30
        No signal within so many errors.
    alpha : float, default=0.95
        Below it is a warning.
    beta : float, default=0.9
        Below it is a drift; at most `alpha`.

    Notes
    -----
    Made for slow changes. The thresholds know nothing of the number of errors: false alarms
    are many (see ``docs/drift.md``).

    Differs from the paper: nothing. It leaves open which standard deviation is meant; here it
    is that of a sample, and the first distance is counted from the start.

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
