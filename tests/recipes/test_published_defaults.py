"""The defaults of recipes and forests are those of their papers or released programs."""

import pytest

import riparian as rp
from riparian.models.registry import MODELS, RECIPES
from tests import inside
from tests.compositions import flat_of

#: MOA's Hoeffding tree, whose values VFDT's users know: delta 1e-7, tau 0.05, a check every 200
#: examples, ten thresholds per numeric feature, one epsilon, entropy.
VFDT: dict[str, object] = {
    "impurity": "entropy",
    "bound": "hoeffding",
    "epsilons": 1,
    "delta": 1e-7,
    "tau": 0.05,
    "grace_period": 200,
    "n_cuts": 10,
    "adaptation": "none",
    "statistics": "gaussian",
    "cuts": "bins",
    "runner_up": "feature",
    "spend_delta": False,
}

#: By recipe: what differs from VFDT, in the names of the specification.
PUBLISHED: dict[str, dict[str, object]] = {
    "HoeffdingTree": {},
    # this project's choice: docs/choosing.md
    "StreamTree": {
        "delta": 1e-5,
        "runner_up": "none",
        "adaptation": "alternates",
        "drift_delta": 0.002,
        "switch_delta": 0.05,
        "switch_after": 300,
        "bootstrap": False,
    },
    "VFDT": {"leaf": "majority"},  # domingos2000
    # this project's choice: docs/certainty.md
    "CertifiedTree": {
        "impurity": "gini",
        "bound": "betting",
        "delta": 0.05,
        "tau": 0.05,
        "grace_period": 50,
        "leaf": "adaptive",
    },
    "VFDTc": {"statistics": "exhaustive"},  # gama2003: every observed value is a cut
    # hulten2001 and its released program: checks every 300 examples; 10,000 and 1,000 examples to
    # build and to test an alternate.
    "CVFDT": {
        "grace_period": 300,
        "delta": 1e-4,
        "adaptation": "window",
        "window": 50_000,
        "validity_period": 10_000,
        "alt_test_period": 10_000,
        "alt_test_size": 1_000,
        "alt_prune_margin": 0.01,
    },
    # bifet2009 and MOA: ADWIN with delta 0.002, replacement at 0.05 after 300 examples.
    "HAT": {
        "adaptation": "alternates",
        "drift_delta": 0.002,
        "switch_delta": 0.05,
        "switch_after": 300,
        "bootstrap": False,
    },
    # manapragada2018: the best cut against no split, inner nodes every 2,000 examples.
    "EFDT": {"adaptation": "reevaluation", "runner_up": "none", "reevaluate_every": 2_000},
    # pfahringer2007 and MOA: at most five paths, and options begin at a delta of 0.1.
    "HoeffdingOptionTree": {"adaptation": "options", "max_options": 5, "option_delta": 0.1},
    # derosa2015, section VI: Gini, checks every 100 examples, no ties, equation 8.
    "CTree": {
        "impurity": "gini",
        "bound": "confidence-practical",
        "confidence_c": 1.0,
        "confidence_form": "printed",
        "epsilons": 1,
        "tau": 0.0,
        "delta": 0.05,
        "grace_period": 100,
        "leaf": "majority",
        "inherit_counts": "count",
        "categorical_cuts": "one-against-rest",
    },
    # derosa2015: its baseline, accuracy with twice Hoeffding's epsilon.
    "CorrHTree": {
        "impurity": "accuracy",
        "epsilons": 2,
        "tau": 0.0,
        "delta": 0.05,
        "grace_period": 100,
        "leaf": "majority",
    },
    # matuszyk2013: accuracy gain, two epsilons, a check at every example, no ties.
    "CorrectedVFDT": {
        "impurity": "accuracy",
        "evaluator": "prequential",
        "epsilons": 2,
        "tau": 0.0,
        "delta": 0.05,
        "grace_period": 1,
        "leaf": "majority",
    },
    "DsCART": {
        "impurity": "gini",
        "bound": "normal",
        "categorical_cuts": "one-against-rest",
        "leaf": "majority",
    },  # rutkowski2014
    "HybridTree": {"impurity": "hybrid", "bound": "normal", "leaf": "majority"},  # jaworski2018
    # mirkhan2021 and its released code: checks every 500 examples, tau 0.15.
    "MDT": {
        "impurity": "misclassification",
        "bound": "normal",
        "cuts": "intersections",
        "grace_period": 500,
        "tau": 0.15,
        "leaf": "majority",
        "variance": "population",
        "clip_to_range": False,
        "inherit_counts": "none",
        "missing_second": "zero",
        "legacy_gain": False,
    },
    "McDiarmidTree": {"bound": "mcdiarmid", "leaf": "majority"},  # rutkowski2013
    "MisclassificationTree": {
        "impurity": "misclassification",
        "bound": "normal",
        "leaf": "majority",
    },  # jaworski2018
    # jin2003: the normal test, 100 intervals.
    "NIP": {"bound": "delta-method", "statistics": "intervals", "leaf": "majority"},
    # benhaim2010: no bound; Gini is one of its two impurities, and the length of a round is open.
    "SPDT": {
        "bound": "none",
        "statistics": "histogram",
        "leaf": "majority",
        "impurity": "gini",
        "grace_period": 1000,
        "tau": 0.0,
    },
}
PUBLISHED["UCVFDT"] = PUBLISHED["CVFDT"]  # liang2010

#: By model: its parameters, of the papers named.
FORESTS: dict[str, dict[str, object]] = {
    "OnlineBagging": {"n_estimators": 10, "rate": 1.0},  # oza2005: Poisson(1)
    "LeveragingBagging": {"n_estimators": 10, "rate": 6.0, "drift": 0.002},  # bifet2010
    # gomes2017: Poisson(6), warnings at 0.01, drifts at 0.001.
    "AdaptiveRandomForest": {"n_estimators": 10, "rate": 6.0, "drift": 0.001, "warning": 0.01},
    # gomes2019: 60 % of the features, warnings at 1e-4, drifts at 1e-5.
    "StreamingRandomPatches": {
        "n_estimators": 10,
        "rate": 6.0,
        "features": 0.6,
        "drift": 1e-5,
        "warning": 1e-4,
    },
    # wang2003 as in MOA: chunks of 500, 15 of 30 stored members predict, ten folds.
    "AccuracyWeightedEnsemble": {
        "chunk_size": 500,
        "n_estimators": 15,
        "n_stored": 30,
        "n_folds": 10,
    },
    # gama2004: a short memory of 1,000 examples, naive Bayes, quadratic discriminants.
    "UFFT": {"cuts": "qda", "short_memory": 1000, "leaf": "naive-bayes", "tau": 0.05},
    "ID4": {"alpha": 0.01},  # schlimmer1986: chi squared at 99 %
    "ITI": {"metric": "gain-ratio", "mode": "incremental", "lazy": False},  # utgoff1997
}


def test_every_recipe_is_pinned():
    assert set(PUBLISHED) == set(RECIPES)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_recipe_has_the_values_of_its_paper(name):
    model = RECIPES[name]().partial_fit([[0.0], [1.0]], [0, 1])
    got = flat_of(inside.axes(model))
    wanted = VFDT | PUBLISHED[name]
    if wanted["cuts"] != "bins":
        del wanted["n_cuts"]
    for parameter, value in wanted.items():
        assert got[parameter] == value, parameter


@pytest.mark.parametrize("name", FORESTS)
def test_a_forest_has_the_values_of_its_paper(name):
    got = MODELS[name]().get_params(deep=False)
    for parameter, value in FORESTS[name].items():
        assert got[parameter] == value, parameter


def test_the_members_of_a_forest_are_those_of_moa():
    member = inside.member_axes(rp.OnlineBagging())
    assert (member["grace_period"], member["delta"]) == (50, 0.01)
