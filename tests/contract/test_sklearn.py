"""Every recipe is a scikit-learn classifier: all of its estimator checks."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import (
    check_class_weight_classifiers,
    parametrize_with_checks,
)

import riparian as rp
from riparian.models.registry import RECIPES
from riparian.policies import resolve

ESTIMATORS = [cls() for cls in RECIPES.values()] + [
    rp.HoeffdingTree(leaf="naive-bayes", impurity="gini"),
    rp.VFDT(grace_period=1, delta=0.05, tau=0.2),
    rp.HoeffdingTree(leaf="linear-units"),
    rp.HoeffdingTree(leaf=("majority", "naive-bayes", "linear-units"), costs={("a", "b"): 2.0}),
]


def cannot_hold(estimator):
    """What two checks demand of batch learners.

    Linear units and softmax leaves follow the last examples, and a check shuffles the rows; with
    small steps they do not come to predict after so few rows. Another check gives a class the
    weight 1,000: each of its rows is a thousand equal examples. A tree splits after them, and naive
    Bayes finds a class without spread. For bets a row is one row.
    """
    leaves = resolve("leaf", estimator.leaf)
    found = {}
    units = [leaf for leaf in leaves if leaf.name in ("linear-units", "softmax")]
    if any(leaf.get_params()["step"] > 0.01 for leaf in units):
        name = "check_sample_weight_equivalence_on_dense_data"
        found[name] = "the order of rows counts"
    names = [leaf.name for leaf in leaves]
    if getattr(resolve("bound", getattr(estimator, "bound", "hoeffding")), "name", "") == "betting":
        return found
    if "adaptive" in names or (len(names) > 1 and "naive-bayes" in names):
        found["check_class_weight_classifiers"] = "a thousand equal examples have no spread"
    return found


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=cannot_hold)
def test_scikit_learn(estimator, check):
    check(estimator)


HEAVY = [e for e in ESTIMATORS if "check_class_weight_classifiers" in cannot_hold(e)]


@pytest.mark.parametrize("estimator", HEAVY, ids=lambda e: type(e).__name__)
def test_class_weights_count_where_no_row_splits_a_leaf(estimator):
    """The check that cannot hold does, if a leaf is not checked after every row."""
    estimator = clone(estimator).set_params(grace_period=1e9)
    check_class_weight_classifiers(type(estimator).__name__, estimator)


def test_a_clone_has_the_parameters_and_nothing_learned(tree_cls):
    model = tree_cls(grace_period=7).fit([[0.0], [1.0]], ["a", "b"])
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not copy.__sklearn_is_fitted__()
