"""The compositions and parameters with which the contract tries every model."""

from __future__ import annotations

from typing import Any

import numpy as np

import riparian as rp
from riparian.adaptation import Alternates, Window
from riparian.bounds import DeltaMethod
from riparian.drift import DDM, KSWIN
from riparian.impurities import Loss
from riparian.leaves import LinearUnits
from riparian.statistics import Histogram, Intervals

#: Small enough to split often, where a recipe has such a parameter.
EAGER = {"grace_period": 50, "delta": 1e-3, "tau": 0.08}
#: Recipes and compositions with bounds so wide that a tie must be called earlier.
TAU = {
    "CTree": 0.3,
    "DsCART": 2.0,
    "McDiarmidTree": 100.0,
    "holdout-pairs": 0.3,
    "spent-delta": 0.3,
    "kearns-mansour": 1.5,
}

#: What is cheap and late in `mixed`: a label that is not known yet must not be given.
COSTS = {("maybe", "no"): 0.1, ("maybe", "yes"): 0.2, ("never", "maybe"): 5.0, ("no", "yes"): 2.0}
#: Costs of the first forty classes.
MATRIX = (1.0 - np.eye(40) + np.triu(np.full((40, 40), 0.5), 1)).tolist()

#: Free compositions of axes that no recipe combines.
COMPOSITIONS: dict[str, dict[str, Any]] = {
    "holdout-pairs": {"impurity": Loss(evaluator="holdout"), "costs": COSTS},
    "holdout-matrix": {
        "impurity": Loss(evaluator="holdout", holdout_examples=45),
        "costs": MATRIX,
    },
    "prequential-pairs": {"impurity": Loss(evaluator="prequential"), "costs": COSTS},
    "loss-pairs": {"impurity": "loss", "costs": COSTS},
    "paired": {"bound": DeltaMethod(pairing="paired")},
    "spent-delta": {"spend_delta": True, "inherit_counts": "count", "epsilons": 2},
    "exhaustive": {"statistics": "exhaustive", "impurity": "gini", "categorical_cuts": "both"},
    "intervals": {"statistics": Intervals(count=9), "runner_up": "cut"},
    "histogram": {"statistics": Histogram(n_bins=8), "bound": "none", "max_depth": 5},
    "qda": {"cuts": "qda"},
    "delayed": {"cuts": "delayed", "categorical_cuts": "both"},
    "combined": {"cuts": "combined", "variance": "population"},
    "kearns-mansour": {"impurity": "kearns-mansour", "bound": "confidence"},
    "linear-units-both": {"leaf": LinearUnits(meta_step=0.05), "categorical_cuts": "both"},
    "softmax": {"leaf": "softmax", "categorical_cuts": "both"},
    "best-of-four": {"leaf": ("majority", "naive-bayes", "linear-units", "softmax")},
    "best-of-three": {"leaf": ("majority", "naive-bayes", "linear-units"), "costs": COSTS},
    "costs-matrix": {"costs": MATRIX, "inherit_counts": "none"},
    "adaptive-grace": {"adaptive_grace": True, "categorical_cuts": "both"},
    "poor-features": {
        "drop_poor_features": True,
        "leaf": "majority",
        "adaptive_grace": True,
        "short_memory": 40,
    },
    "poor-values": {"drop_poor_features": True, "leaf": "majority", "statistics": "intervals"},
    "drawn-features": {"leaf_features": 3, "random_state": 5},
    "short-memory": {"short_memory": 150, "inherit_counts": "count"},
    "window": {"adaptation": Window(size=300, validity_period=100, test_period=100, test_size=50)},
    "short-values": {"short_memory": 90, "statistics": "intervals", "adaptive_grace": True},
}


MEMBER = rp.HoeffdingTree(grace_period=50, delta=0.01, tau=0.1)
PAIRS = {"n_min": "fixed", "grace_period": 50, "delta": 0.01, "tau": 0.1}
FOREST = {"estimator": MEMBER, "n_estimators": 3}
ALARMED = FOREST | {"warning": 0.5, "drift": 0.2}

#: Every model that is no recipe of the tree: members of several kinds, detectors, costs, windows.
OTHERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "OnlineBagging": (rp.OnlineBagging, FOREST),
    "LeveragingBagging": (rp.LeveragingBagging, FOREST | {"drift": 0.3}),
    "AdaptiveRandomForest": (rp.AdaptiveRandomForest, ALARMED),
    "StreamingRandomPatches": (rp.StreamingRandomPatches, ALARMED),
    "StreamForest": (rp.StreamForest, {"n_estimators": 3, "warning": 0.5, "drift": 0.2}),
    "Forest-options": (
        rp.Forest,
        {"estimator": rp.HoeffdingOptionTree(grace_period=50, delta=0.01), "n_estimators": 2},
    ),
    "Forest-HAT": (
        rp.Forest,
        {
            "estimator": rp.HAT(grace_period=50, adaptation=Alternates(bootstrap=True)),
            "n_estimators": 2,
            "rate": 2.0,
        },
    ),
    "Forest-detectors": (
        rp.Forest,
        {
            "estimator": rp.CTree(leaf="majority", grace_period=50),
            "n_estimators": 3,
            "features": 3,
            "leaf_features": 2,
            "replacement": "background",
            "warning": KSWIN(window_size=40, stat_size=10, alpha=0.05),
            "drift": DDM(warm_start=20),
            "costs": COSTS,
        },
    ),
    "Forest-last": (
        rp.Forest,
        ALARMED
        | {
            "estimator": rp.HoeffdingTree(grace_period=50, delta=0.01, inherit_counts="count"),
            "replacement": "background",
            "vote_power": 12,
            "vote_memory": 200.0,
            "last_member": rp.StreamTree(grace_period=50),
        },
    ),
    "AccuracyWeightedEnsemble": (
        rp.AccuracyWeightedEnsemble,
        FOREST | {"n_stored": 5, "chunk_size": 150, "n_folds": 3, "costs": COSTS},
    ),
    "AccuracyWeightedEnsemble-options": (
        rp.AccuracyWeightedEnsemble,
        {
            "estimator": rp.HoeffdingOptionTree(leaf="majority", grace_period=50, delta=0.01),
            "n_estimators": 2,
            "chunk_size": 90,
            "n_folds": 2,
        },
    ),
    "UFFT": (rp.UFFT, PAIRS | {"short_memory": 150}),
    "UFFT-own": (
        rp.UFFT,
        PAIRS
        | {
            "short_memory": 80,
            "memory": "tree",
            "leaf": ("majority", "naive-bayes", "linear-units"),
        },
    ),
    "UFFT-drift": (
        rp.UFFT,
        PAIRS | {"short_memory": 60, "drift": 0.3, "leaf": "majority", "costs": COSTS},
    ),
    "ID3": (rp.ID3, {}),
    "ID3Prime": (rp.ID3Prime, {}),
    "ID4": (rp.ID4, {}),
    "ID4-pure": (rp.ID4, {"count_when_pure": True, "alpha": 0.2}),
    "ID5R": (rp.ID5R, {}),
    "ID5R-window": (rp.ID5R, {"max_examples": 70}),
    "ITI": (rp.ITI, {}),
    "ITI-lazy": (rp.ITI, {"lazy": True}),
    "ITI-batch": (rp.ITI, {"mode": "batch"}),
    "ITI-window": (rp.ITI, {"metric": "entropy", "max_examples": 70}),
    "OADT": (rp.OADT, {}),
    "OADT-deep": (rp.OADT, {"depth": 7, "slope": 8.0, "random_state": 3}),
    "OADT-plane": (rp.OADT, {"depth": 1, "step": "plain", "loss": "squared"}),
    "OADT-constant": (
        rp.OADT,
        {"rate": "constant", "learning_rate": 0.05, "final_rate": 0.05},
    ),
    "OADT-raw": (rp.OADT, {"standardise": False, "costs": COSTS}),
}
