"""A model and the reference tree from the same parameters.

The reference tree has one flat list of parameters, under the names of the specification, which are
also those of old model files. A model has policies that hold their own parameters. A test that
compares the two writes the flat form, and :func:`policies_of` and :func:`flat_of` translate it, so
that no test has its own translation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import riparian as rp
from riparian.policies import AXES, Policy, resolve
from riparian.storage.old_formats import MOVED

#: Parameters of policies that are younger than the flat form of old files.
_PLACES = {**MOVED, "n_bins": ("statistics", "n_bins")}
_FLAT_NAMES = {place: flat for flat, place in _PLACES.items()}

#: The policies that the specification calls by another name.
_RENAMED = {("leaf", "idbd"): "linear-units"}
_FLAT_POLICIES = {(axis, name): flat for (axis, flat), name in _RENAMED.items()}


def policies_of(flat: Mapping[str, Any], model: type[Any] = rp.HoeffdingTree) -> dict[str, Any]:
    """The keyword arguments of `model` for parameters in the flat form.

    A parameter goes into the policy of its axis: the one that `flat` names, or else the default of
    `model`. A parameter that this policy does not have is an error, so that none is lost.

    Examples
    --------
    >>> policies_of({"bound": "confidence-practical", "confidence_c": 0.2, "tau": 0.1})
    {'bound': ConfidencePractical(c=0.2), 'tau': 0.1}
    >>> policies_of({"reevaluate_every": 100}, rp.EFDT)
    {'adaptation': Reevaluation(every=100)}
    """
    given: dict[str, Any] = {}
    own: dict[str, dict[str, Any]] = {}
    for name, value in flat.items():
        if name in _PLACES:
            axis, inside = _PLACES[name]
            own.setdefault(axis, {})[inside] = value
        else:
            given[name] = _named(name, value) if name in AXES else value
    for axis, parameters in own.items():
        made = model(**{axis: given[axis]} if axis in given else {})
        made.set_params(**{f"{axis}__{name}": value for name, value in parameters.items()})
        given[axis] = getattr(made, axis)
    return given


def flat_of(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The same parameters in the flat form; the inverse of :func:`policies_of`.

    Examples
    --------
    >>> flat_of({"bound": rp.bounds.ConfidencePractical(c=0.2), "leaf": "linear-units"})
    {'bound': 'confidence-practical', 'confidence_c': 0.2, 'confidence_form': 'printed',
     'leaf': 'idbd', 'idbd_alpha': 0.05, 'idbd_theta': 0.01}
    """
    flat: dict[str, Any] = {}
    for name, value in parameters.items():
        if name not in AXES:
            flat[name] = value
            continue
        found = resolve(name, value)
        policies = found if isinstance(found, tuple) else (found,)
        names = [_flat_name(name, policy) for policy in policies]
        flat[name] = names[0] if len(names) == 1 else tuple(names)
        for policy in policies:
            if isinstance(policy, Policy):
                flat |= {
                    _FLAT_NAMES[name, inside]: own
                    for inside, own in policy.get_params().items()
                    if (name, inside) in _FLAT_NAMES
                }
    return flat


def _named(axis: str, value: Any) -> Any:
    """What a user writes for a name of the specification."""
    if isinstance(value, list | tuple):
        return type(value)(_named(axis, one) for one in value)
    return _RENAMED.get((axis, value), value) if isinstance(value, str) else value


def _flat_name(axis: str, policy: Any) -> Any:
    if not isinstance(policy, Policy):  # a function
        return policy
    return _FLAT_POLICIES.get((axis, policy.name), policy.name)
