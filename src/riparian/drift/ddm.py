"""The rate of errors against its best."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["DDM"]


class DDM(Detector, name="ddm"):
    r"""Drift detection method: the error rate must not rise above its best by too much.

    With the error rate :math:`p` of :math:`n` values, :math:`s = \sqrt{p (1 - p) / n}` and the
    smallest :math:`p + s` so far, :math:`p_{min} + s_{min}`,

    .. math:: p + s > p_{min} + 2 s_{min} \text{ is a warning,} \quad
              p + s > p_{min} + 3 s_{min} \text{ a drift.}

    Parameters
    ----------
    warm_start : int, default=30
        No signal within so many values.
    warning_threshold : float, default=2.0
        The factor of :math:`s_{min}` for a warning.
    drift_threshold : float, default=3.0
        The factor of :math:`s_{min}` for a drift, at least `warning_threshold`.

    Notes
    -----
    A learner that made no error within `warm_start` values is given no room: its first error is
    a drift. The longer the stream, the slower a rise of the rate is noticed, since all values
    since the last drift count.

    Differs from the paper: > for its :math:`\ge`, by which a learner without any error would
    be a drift.

    References
    ----------
    .. [1] J. Gama, P. Medas, G. Castillo, P. Rodrigues. Learning with drift detection.
       SBIA 2004, pp. 286-295.

    Examples
    --------
    >>> detector = DDM()
    >>> detector.find([0, 0, 0, 1] * 250 + [0, 1] * 250)
    array([1121])
    """
