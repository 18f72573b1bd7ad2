"""The parameters of a tree, checked when learning starts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from riparian import _core
from riparian.bounds import SERVES
from riparian.callables import ask_bound, ask_impurity, ask_window
from riparian.costs import check_costs
from riparian.errors import one_of
from riparian.leaves import check_leaf

__all__ = [
    "IMPURITIES",
    "byte_count",
    "check_categorical_features",
    "check_features",
    "check_settings",
    "number",
    "truth",
    "whole",
]

_CHOICES = {
    "statistics": ["gaussian", "exhaustive", "intervals"],
    "categorical_cuts": ["multiway", "one-against-rest", "both"],
    "inherit_counts": ["none", "predict", "count"],
    "runner_up": ["attribute", "cut", "none"],
    "missing_second": ["zero", "-inf"],
    "evaluator": ["resubstitution", "prequential", "holdout"],
    "equal_variance": ["linear", "skip"],
    "variance": ["sample", "population"],
    "confidence_form": ["printed", "derived"],
    "pairing": ["independent", "conservative", "paired"],
}

IMPURITIES = [*_core.names("impurity"), "hybrid"]


def check_settings(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The engine's settings, or a ValueError that names parameter, rule and value."""
    settings: dict[str, Any] = {}
    check_categorical_features(parameters["categorical_features"])
    settings["adaptation"] = one_of(
        "adaptation", parameters["adaptation"], _core.names("adaptation")
    )
    settings["cuts"] = one_of("cuts", parameters["cuts"], _core.names("cuts"))
    settings["leaf"] = check_leaf(parameters["leaf"])
    settings["impurity"] = _impurity(parameters["impurity"])
    settings["bound"] = _bound(parameters["bound"])
    for name, allowed in _CHOICES.items():
        settings[name] = one_of(name, parameters[name], allowed)
    for name in (
        "clip_to_range",
        "spend_delta",
        "legacy_gain",
        "adaptive_grace",
        "drop_poor_features",
        "short_memory_in_bound",
        "bootstrap",
        "dynamic_window",
    ):
        settings[name] = truth(name, parameters[name])
    settings["n_cuts"] = whole("n_cuts", parameters["n_cuts"], 1, 10_000)
    settings["n_intervals"] = whole("n_intervals", parameters["n_intervals"], 1, 65_536)
    settings["leaf_features"] = check_features("leaf_features", parameters["leaf_features"])
    settings["short_memory"] = whole("short_memory", parameters["short_memory"], 0, 2**24)
    seed = parameters["random_state"]
    settings["random_state"] = 0 if seed is None else whole("random_state", seed, 0, 2**32 - 1)
    settings["epsilons"] = whole("epsilons", parameters["epsilons"], 1, 2)
    for name, least, most in (
        ("grace_period", 0.0, 2.0**53),
        ("tau", 0.0, 1e6),
        ("min_gain", 0.0, 1e6),
        ("min_branch_fraction", 0.0, 0.5),
        ("holdout_examples", 1.0, 2.0**53),
        ("confidence_c", 0.0, 1e6),
        ("idbd_theta", 0.0, 1.0),
        ("idbd_alpha", 5e-5, 1.0),
        ("switch_after", 0.0, 2.0**53),
        ("reevaluate_every", 1.0, 2.0**53),
        ("alt_test_period", 0.0, 2.0**53),
        ("alt_test_size", 1.0, 2.0**53),
        ("alt_prune_margin", 0.0, 1.0),
    ):
        settings[name] = number(name, parameters[name], least, most)
    settings["max_options"] = whole("max_options", parameters["max_options"], 1, 1000)
    for name in ("delta", "drift_delta", "switch_delta", "option_delta"):
        settings[name] = _probability(name, parameters[name])
    for name, least_whole in (("max_depth", 0), ("max_leaves", 1)):
        value = parameters[name]
        settings[name] = None if value is None else whole(name, value, least_whole, 2**31)
    settings["window"] = whole("window", parameters["window"], 1, 2**30)
    settings["validity_period"] = whole("validity_period", parameters["validity_period"], 1, 2**53)
    settings["archive_size"] = whole("archive_size", parameters["archive_size"], 0, 1000)
    settings["max_window"] = settings["window"]
    if parameters["max_window"] is not None:
        settings["max_window"] = whole(
            "max_window", parameters["max_window"], settings["window"], 2**30
        )
    hook = parameters["window_hook"]
    if hook is not None and not callable(hook):
        raise ValueError(f"window_hook must be callable or None, got {hook!r}")
    settings["window_hook"] = None if hook is None else ask_window(hook)
    settings["max_bytes"] = byte_count("max_bytes", parameters["max_bytes"])
    _check_together(parameters)
    if settings["legacy_gain"]:
        settings["min_gain"] = 0.0
    return settings


def check_features(name: str, value: object) -> tuple[str, float] | None:
    """How many features to draw, as the core has it; None: all of them.

    Examples
    --------
    >>> check_features("leaf_features", 3), check_features("leaf_features", 0.6)
    (('count', 3.0), ('share', 0.6))
    """
    if value is None:
        return None
    if isinstance(value, str) and value == "sqrt":
        return "root", 0.0
    if isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) <= 2**31:
        return "count", float(value)
    if isinstance(value, Real) and not isinstance(value, Integral) and 0.0 < float(value) <= 1.0:
        return "share", float(value)
    raise ValueError(
        f"{name} must be a whole number of at least 1, a share above 0 and up to 1, 'sqrt' or "
        f"None, got {value!r}"
    )


_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", 1):
    _UNITS |= {f"{_letter}b": 1000**_power, f"{_letter}ib": 1024**_power}


def byte_count(name: str, value: object) -> int | None:
    """A number of bytes, given as one or with a unit; None stays None.

    Examples
    --------
    >>> byte_count("max_bytes", "10MB"), byte_count("max_bytes", "1.5 KiB")
    (10000000, 1536)
    """
    if value is None:
        return None
    count: float | None = None
    if isinstance(value, Integral) and not isinstance(value, bool):
        count = int(value)
    elif isinstance(value, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", value.lower())
        if found and found[2] in _UNITS:
            count = int(float(found[1]) * _UNITS[found[2]])
    if count is None or not 1 <= count < 2**62:
        raise ValueError(
            f"{name} must be a number of bytes, or a text such as '10MB' or '512KiB', got {value!r}"
        )
    return int(count)


def _impurity(value: Any) -> Any:
    if callable(value):
        return ask_impurity(value)
    return one_of("impurity", value, IMPURITIES)


def _bound(value: Any) -> Any:
    if callable(value):
        return ask_bound(value)
    return one_of("bound", value, _core.names("bound"))


def served_by(bound: str) -> tuple[str, ...] | None:
    """The impurities that a bound was derived for, a hybrid among them; None for all."""
    served = SERVES.get(bound)
    return (*served, "hybrid") if served and bound in ("normal", "mcdiarmid") else served


def _check_together(p: Mapping[str, Any]) -> None:
    """What one parameter asks of another."""
    impurity, bound = p["impurity"], p["bound"]
    served = None if callable(bound) else served_by(bound)
    if served is not None and (callable(impurity) or impurity not in served):
        raise ValueError(
            f"bound={bound!r} serves the impurities {', '.join(map(repr, served))}, got "
            f"impurity={impurity!r}; bound='hoeffding' serves every impurity"
        )
    if bound in ("normal", "delta-method") and not p["delta"] < 0.5:
        raise ValueError(f"delta must be below 0.5 with bound={bound!r}, got {p['delta']!r}")
    if p["costs"] is None and impurity == "loss":
        raise ValueError("impurity='loss' needs costs")
    if p["costs"] is not None:
        check_costs(p["costs"])
    evaluator = p["evaluator"]
    if evaluator != "resubstitution":
        if impurity not in ("accuracy", "loss"):
            raise ValueError(
                f"evaluator={evaluator!r} judges impurity='accuracy' and 'loss', got {impurity!r}"
            )
        if p["categorical_cuts"] != "multiway" or p["statistics"] != "gaussian":
            raise ValueError(
                f"evaluator={evaluator!r} needs categorical_cuts='multiway' and "
                f"statistics='gaussian', got {p['categorical_cuts']!r} and {p['statistics']!r}"
            )
        if bound == "delta-method":
            raise ValueError(
                f"bound='delta-method' needs evaluator='resubstitution', got {evaluator!r}"
            )
    if p["drop_poor_features"] and p["leaf"] != "majority":
        raise ValueError(
            "drop_poor_features=True needs leaf='majority', got "
            f"leaf={p['leaf']!r}, which answers by all features"
        )
    if p["drop_poor_features"] and evaluator != "resubstitution":
        raise ValueError(
            f"drop_poor_features=True needs evaluator='resubstitution', got {evaluator!r}"
        )
    if p["leaf_features"] is not None:
        _check_drawn_features(p)
    if evaluator != "resubstitution" and p["short_memory"]:
        raise ValueError(
            f"short_memory={p['short_memory']!r} needs evaluator='resubstitution', got "
            f"{evaluator!r}: examples of the past cannot judge a leaf that is new"
        )
    if p["adaptation"] != "none" and p["short_memory"]:
        raise ValueError(
            f"short_memory={p['short_memory']!r} needs adaptation='none', got "
            f"{p['adaptation']!r}: what it remembers of a leaf is void once its subtree is replaced"
        )
    if p["adaptation"] in ("reevaluation", "options"):
        _check_inner_statistics(p)
    if p["runner_up"] == "none" and p["missing_second"] != "zero":
        raise ValueError(
            f"missing_second={p['missing_second']!r} needs another runner_up than 'none': the best "
            "cut is compared with no split"
        )
    if p["adaptation"] == "window":
        _check_forgetting(p)
    if p["statistics"] != "gaussian" and p["cuts"] != "bins":
        raise ValueError(
            f"cuts={p['cuts']!r} needs statistics='gaussian': with {p['statistics']!r} the cuts "
            "are the values themselves (leave cuts='bins')"
        )


def _check_drawn_features(p: Mapping[str, Any]) -> None:
    """Who answers by all features, or looks at them again later, cannot do with some."""
    how = f"leaf_features={p['leaf_features']!r}"
    for name, wanted, why in (
        ("evaluator", "resubstitution", "hits are counted for all features"),
        ("drop_poor_features", False, "a feature leaves a leaf for one reason"),
    ):
        if p[name] != wanted:
            raise ValueError(f"{how} needs {name}={wanted!r}, got {p[name]!r}: {why}")
    if p["adaptation"] not in ("none", "alternates"):
        raise ValueError(
            f"{how} needs adaptation='none' or 'alternates', got {p['adaptation']!r}: inner nodes "
            "compare the gains of all features"
        )
    if "idbd" in check_leaf(p["leaf"]):
        raise ValueError(f"{how} needs a leaf other than 'idbd', whose units take all features")


def _check_inner_statistics(p: Mapping[str, Any]) -> None:
    """An inner node compares the gains of all features, now as when it was split."""
    how = f"adaptation={p['adaptation']!r}"
    for name, wanted, why in (
        ("evaluator", "resubstitution", "hits count for the labels of a leaf"),
        ("drop_poor_features", False, "a feature that was dropped may be the best one later"),
    ):
        if p[name] != wanted:
            raise ValueError(f"{how} needs {name}={wanted!r}, got {p[name]!r}: {why}")
    if p["impurity"] == "hybrid":
        raise ValueError(f"{how} needs one impurity, got 'hybrid': gains of two cannot be compared")
    if p["bound"] == "delta-method" and p["pairing"] == "paired":
        raise ValueError(
            f"{how} needs pairing='independent' or 'conservative', got "
            "'paired': only the two best cuts of a leaf are followed in pairs"
        )


def _check_forgetting(p: Mapping[str, Any]) -> None:
    """What cannot take an example back cannot keep a window of them."""
    for name, needed, why in (
        ("statistics", "gaussian", "single values are not forgotten"),
        ("evaluator", "resubstitution", "what an example judged cannot be taken back"),
        ("inherit_counts", ("none", "predict"), "inherited examples would never be forgotten"),
        ("drop_poor_features", False, "an attribute may become the better one again"),
    ):
        allowed = needed if isinstance(needed, tuple) else (needed,)
        if p[name] not in allowed:
            raise ValueError(
                f"adaptation='window' needs {name}={' or '.join(map(repr, allowed))}, got "
                f"{p[name]!r}: {why}"
            )
    if p["bound"] == "delta-method" and p["pairing"] == "paired":
        raise ValueError(
            "adaptation='window' needs pairing='independent' or 'conservative', got 'paired': "
            "the covariance of two gains cannot take an example back"
        )
    if "idbd" in check_leaf(p["leaf"]):
        raise ValueError(
            f"adaptation='window' needs a leaf other than 'idbd', got {p['leaf']!r}: linear "
            "units cannot take an example back"
        )


def check_categorical_features(value: Any) -> None:
    if value is None or (isinstance(value, str) and value == "from_dtype"):
        return
    good = isinstance(value, Iterable) and not isinstance(value, str | Mapping)
    entries = [e.item() if isinstance(e, np.generic) else e for e in value] if good else []
    if not good or not all(isinstance(e, str | int) for e in entries):
        raise ValueError(
            "categorical_features must be 'from_dtype', names, indexes, a mask or None, "
            f"got {value!r}"
        )


def _probability(name: str, value: object) -> float:
    if isinstance(value, Real) and 1e-300 <= float(value) < 1.0:
        return float(value)
    raise ValueError(f"{name} must be a probability between 0 and 1, got {value!r}")


def truth(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if least <= number <= most:
            return number
    raise ValueError(f"{name} must be a whole number from {least:,} to {most:,}, got {value!r}")


def number(name: str, value: object, least: float, most: float) -> float:
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        if least <= number <= most:  # NaN is not
            return number
    raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}")
