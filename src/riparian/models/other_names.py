"""What other libraries call the models and their parameters.

Names of other libraries are no second spellings: they raise an error that says what to write.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["CLASSES", "NOT_NEEDED", "PARAMETERS", "Other", "nearest"]

#: Classes of other libraries: the library, and the model of ours that is closest.
CLASSES: dict[str, tuple[str, str]] = {
    # River
    "HoeffdingTreeClassifier": ("River", 'rp.HoeffdingTree(inherit_counts="count")'),
    "HoeffdingAdaptiveTreeClassifier": ("River", "rp.HAT()"),
    "ExtremelyFastDecisionTreeClassifier": ("River", "rp.EFDT()"),
    "ARFClassifier": ("River", "rp.AdaptiveRandomForest()"),
    "SRPClassifier": ("River", "rp.StreamingRandomPatches()"),
    "LeveragingBaggingClassifier": ("River", "rp.LeveragingBagging()"),
    "ADWINBaggingClassifier": ("River", "rp.LeveragingBagging(rate=1.0)"),
    # scikit-learn, where River has some of the same names
    "BaggingClassifier": ("scikit-learn and River", "rp.OnlineBagging()"),
    "DecisionTreeClassifier": ("scikit-learn", "rp.StreamTree()"),
    "ExtraTreeClassifier": ("scikit-learn", "rp.StreamTree()"),
    "ExtraTreesClassifier": ("scikit-learn", 'rp.AdaptiveRandomForest(leaf_features="sqrt")'),
    "RandomForestClassifier": ("scikit-learn", "rp.StreamForest()"),
    # MOA and CapyMOA
    "HoeffdingAdaptiveTree": ("MOA", "rp.HAT()"),
    "AdaptiveRandomForestClassifier": ("CapyMOA", "rp.AdaptiveRandomForest()"),
    "LeveragingBag": ("MOA", "rp.LeveragingBagging()"),
    "OzaBag": ("MOA", "rp.OnlineBagging()"),
    "OzaBagAdwin": ("MOA", "rp.LeveragingBagging(rate=1.0)"),
    "AdaptiveRandomForestRE": ("MOA", "rp.AdaptiveRandomForest()"),
}


def nearest(name: str) -> str:
    """Return which model of ours a class of another library is.

    Examples
    --------
    >>> nearest("ARFClassifier")
    "River's ARFClassifier is rp.AdaptiveRandomForest()"
    """
    library, model = CLASSES[name]
    return f"{library}'s {name} is {model}"


@dataclass(frozen=True)
class Other:
    """A parameter of another library that is a parameter of ours."""

    library: str
    #: Our name.
    name: str
    #: How we write a value; None if there is no equal.
    written: Callable[[Any], str | None] = repr


def _words(**words: str) -> Callable[[Any], str | None]:
    return lambda value: repr(words[value]) if isinstance(value, str) and value in words else None


def _switch(on: str, off: str) -> Callable[[Any], str]:
    return lambda value: on if value else off


def _mebibytes(value: Any) -> str | None:
    return f'"{value:g}MiB"' if isinstance(value, int | float) else None


def _bins(value: Any) -> str | None:
    count = getattr(value, "n_splits", None)
    return f"rp.cuts.Bins(count={count})" if isinstance(count, int) else None


def _parameter_of(policy: str) -> Callable[[Any], str]:
    return lambda value: f"rp.adaptation.{policy}={value!r})"


_criterion = _words(
    info_gain="entropy",
    entropy="entropy",
    log_loss="entropy",
    gini="gini",
    InfoGainSplitCriterion="entropy",
    GiniSplitCriterion="gini",
)
_leaf = _words(
    mc="majority",
    nb="naive-bayes",
    nba="adaptive",
    MC="majority",
    NB="naive-bayes",
    NBAdaptive="adaptive",
    MajorityClass="majority",
    NaiveBayes="naive-bayes",
    NaiveBayesAdaptive="adaptive",
)

#: Parameters of other libraries that have another name here.
PARAMETERS: dict[str, Other] = {
    # River, and CapyMOA where it has the same names
    "split_criterion": Other("River", "impurity", _criterion),
    "leaf_prediction": Other("River", "leaf", _leaf),
    "nominal_attributes": Other("River", "categorical_features"),
    "binary_split": Other("River", "categorical_cuts", _switch("'one-against-rest'", "'multiway'")),
    "splitter": Other("River", "cuts", _bins),
    "remove_poor_attrs": Other("River", "drop_poor_features"),
    "max_size": Other("River", "max_bytes", _mebibytes),
    "seed": Other("River", "random_state"),
    "n_models": Other("River", "n_estimators"),
    "model": Other("River", "estimator"),
    "lambda_value": Other("River", "rate"),
    "lam": Other("River", "rate"),
    "subspace_size": Other("River", "features"),
    "drift_detector": Other("River", "drift"),
    "warning_detector": Other("River", "warning"),
    "adwin_delta": Other("River", "drift"),
    "disable_weighted_vote": Other("River", "weighted_votes", _switch("False", "True")),
    "drift_window_threshold": Other(
        "River", "adaptation", _parameter_of("Alternates(switch_after")
    ),
    "switch_significance": Other("River", "adaptation", _parameter_of("Alternates(switch_delta")),
    "bootstrap_sampling": Other("River", "adaptation", _parameter_of("Alternates(bootstrap")),
    "min_samples_reevaluate": Other("River", "adaptation", _parameter_of("Reevaluation(every")),
    # scikit-learn
    "criterion": Other("scikit-learn", "impurity", _criterion),
    "max_leaf_nodes": Other("scikit-learn", "max_leaves"),
    "min_impurity_decrease": Other("scikit-learn", "min_gain"),
    "base_estimator": Other("scikit-learn", "estimator"),
    # MOA and CapyMOA
    "gracePeriod": Other("MOA", "grace_period"),
    "splitConfidence": Other("MOA", "delta"),
    "confidence": Other("CapyMOA", "delta"),
    "tieThreshold": Other("MOA", "tau"),
    "tie_threshold": Other("CapyMOA", "tau"),
    "splitCriterion": Other("MOA", "impurity", _criterion),
    "leafprediction": Other("MOA", "leaf", _leaf),
    "binarySplits": Other("MOA", "categorical_cuts", _switch("'one-against-rest'", "'multiway'")),
    "removePoorAtts": Other("MOA", "drop_poor_features"),
    "maxByteSize": Other("MOA", "max_bytes"),
    "max_byte_size": Other("CapyMOA", "max_bytes"),
    "ensembleSize": Other("MOA", "n_estimators"),
    "ensemble_size": Other("CapyMOA", "n_estimators"),
    "random_seed": Other("CapyMOA", "random_state"),
    "base_learner": Other("CapyMOA", "estimator"),
    "lambda_param": Other("CapyMOA", "rate"),
    "number_of_jobs": Other("CapyMOA", "n_jobs"),
    "drift_detection_method": Other("CapyMOA", "drift"),
    "warning_detection_method": Other("CapyMOA", "warning"),
}

_LIMIT = "max_bytes holds after every row, so nothing else limits memory"
_CHECKS = "a leaf is checked every grace_period examples, and delta and tau decide when it splits"

#: Parameters of other libraries that are not needed here, and why.
NOT_NEEDED: dict[str, str] = {
    "memory_estimate_period": _LIMIT,
    "stop_mem_management": _LIMIT,
    "merit_preprune": "not to split always competes with the best cut",
    "disable_prepruning": "not to split always competes with the best cut",
    "nb_threshold": "leaf='adaptive' uses naive Bayes where it was right more often",
    "max_share_to_split": "min_branch_fraction and min_gain limit splits of nearly pure leaves",
    "min_samples_split": _CHECKS,
    "min_samples_leaf": _CHECKS,
    "warm_start": "partial_fit goes on and fit begins again",
    "verbose": "riparian.evaluate.prequential(..., progress=True) shows progress",
}
