"""Drift detectors: they monitor one number per row and signal when it has changed.

========================  =====================================================
`ADWIN`                   the mean of any numbers, over a window without a size
`DDM`, `EDDM`             the rate of errors, and how far apart errors are
`HDDM_A`, `HDDM_W`        the mean of numbers from 0 to 1, with Hoeffding's and
                          McDiarmid's inequalities
`PageHinkley`             the mean of any numbers, by cumulative sums
`KSWIN`                   the distribution of any numbers
========================  =====================================================

All have ``update(x)``, ``drift_detected`` and ``warning_detected``, as River's detectors, and
``find(values)`` for a whole array at once.

Examples
--------
>>> import numpy as np
>>> from riparian import drift
>>> errors = np.random.default_rng(0).random(2000) < np.repeat([0.1, 0.4], 1000)
>>> drift.ADWIN().find(errors)
array([1055, 1087, 1119])
>>> detector = drift.DDM()
>>> for i, wrong in enumerate(errors):
...     if detector.update(wrong).drift_detected:
...         print(i, round(detector.estimate, 3))
1041 0.105
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riparian.drift.adwin import ADWIN
from riparian.drift.ddm import DDM
from riparian.drift.detector import Detector, declarations, detector_class
from riparian.drift.eddm import EDDM
from riparian.drift.hddm_a import HDDM_A
from riparian.drift.hddm_w import HDDM_W
from riparian.drift.kswin import KSWIN
from riparian.drift.page_hinkley import PageHinkley
from riparian.errors import ModelFileError, one_of

__all__ = [
    "ADWIN",
    "DDM",
    "DETECTORS",
    "EDDM",
    "HDDM_A",
    "HDDM_W",
    "KSWIN",
    "Detector",
    "PageHinkley",
    "from_state",
]

_WRITTEN = {cls._name: cls for cls in (ADWIN, DDM, EDDM, HDDM_A, HDDM_W, KSWIN, PageHinkley)}

#: The detectors by the names that the core gives them.
DETECTORS: dict[str, type[Detector]] = {
    name: _WRITTEN[name] if name in _WRITTEN else detector_class(name) for name in declarations()
}
globals().update({cls.__name__: cls for cls in DETECTORS.values()})
__all__ += [cls.__name__ for cls in DETECTORS.values() if cls.__name__ not in __all__]


def from_state(state: Mapping[str, Any]) -> Detector:
    """Give the detector that `Detector.get_state` has described.

    Only numbers and names are read. What does not describe a detector gives a
    :class:`riparian.ModelFileError`.

    Parameters
    ----------
    state : dict
        With the keys "detector", "parameters" and "state".

    Examples
    --------
    >>> import json
    >>> text = json.dumps(DDM(warm_start=50).update(1).get_state())
    >>> again = from_state(json.loads(text))
    >>> again, again.estimate
    (DDM(warm_start=50), 1.0)
    """
    try:
        cls = DETECTORS[one_of("detector", state["detector"], DETECTORS)]
        detector = cls(**state["parameters"])
        if set(state["parameters"]) != set(detector.get_params()):
            raise ValueError("parameters are missing")
        detector._native.restore([_number(x) for x in state["state"]])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"not the state of a detector: {str(error)[:500]}") from None
    return detector


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"a state is made of numbers, got {value!r}")
    return float(value)
