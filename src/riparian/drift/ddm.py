"""The drift detection method."""

from __future__ import annotations

from riparian.drift.detector import Detector

__all__ = ["DDM"]


class DDM(Detector, name="ddm"):
    r"""Drift detection method: signals if the error rate rises too far above its minimum.

    Let :math:`p` be the error rate of :math:`n` values, :math:`s = \sqrt{p (1 - p) / n}`, and
    :math:`p_{min} + s_{min}` the smallest :math:`p + s` so far.

    .. math:: p + s > p_{min} + 2 s_{min} \text{ is a warning,} \quad
              p + s > p_{min} + 3 s_{min} \text{ is a drift.}

    Parameters
    ----------
    warm_start : int, default=30
        Number of values before the first signal.
    warning_threshold : float, default=2.0
        Factor of :math:`s_{min}` for a warning.
    drift_threshold : float, default=3.0
        Factor of :math:`s_{min}` for a drift, at least `warning_threshold`.

    Notes
    -----
    If there is no error in the first `warm_start` values, :math:`s_{min}` is 0 and the first error
    is a drift. On a long stream a rise of the error rate is noticed late, because all values since
    the last drift count.

    Differs from the paper: > replaces :math:`\ge`, which would signal a drift for a model that
    makes no errors.

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
