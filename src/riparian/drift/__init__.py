"""Drift detectors: they monitor one number per row and signal when it has changed.

{detectors}

Like the detectors of River, they have ``update(x)``, ``drift_detected`` and ``warning_detected``.
``find(values)`` processes a whole array.

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

_DOCUMENTED = {cls._name: cls for cls in (ADWIN, DDM, EDDM, HDDM_A, HDDM_W, KSWIN, PageHinkley)}

#: The detectors by their names in the core. The core declares them all; a detector without a
#: documented class of its own gets one from its declaration.
DETECTORS: dict[str, type[Detector]] = {
    name: _DOCUMENTED[name] if name in _DOCUMENTED else detector_class(name)
    for name in declarations()
}
globals().update({cls.__name__: cls for cls in DETECTORS.values()})
__all__ += [cls.__name__ for cls in DETECTORS.values() if cls.__name__ not in __all__]
__doc__ = (__doc__ or "").format(
    detectors="\n".join(
        f"`{cls.__name__}`\n    {declarations()[name]['about']}" for name, cls in DETECTORS.items()
    )
)


def from_state(state: Mapping[str, Any]) -> Detector:
    """Return the detector that `Detector.get_state` has described.

    Parameters
    ----------
    state : dict
        A dict with the keys "detector", "parameters" and "state". Only names and numbers are
        read.

    Raises
    ------
    ModelFileError
        If `state` does not describe a detector.

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
        raise TypeError(f"a state must consist of numbers, got {value!r}")
    return float(value)
