"""Every recipe is a scikit-learn classifier: all of its estimator checks."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import riparian as rp
from riparian.policies import resolve
from riparian.recipes import RECIPES

ESTIMATORS = [cls() for cls in RECIPES.values()] + [
    rp.HoeffdingTree(leaf="naive-bayes", impurity="gini"),
    rp.VFDT(grace_period=1, delta=0.05, tau=0.2),
    rp.HoeffdingTree(leaf="linear-units"),
    rp.HoeffdingTree(leaf=("majority", "naive-bayes", "linear-units"), costs={("a", "b"): 2.0}),
]


def depends_on_the_order(estimator):
    """Linear units follow the last examples, and this check shuffles the rows."""
    name = "check_sample_weight_equivalence_on_dense_data"
    leaves = [leaf.name for leaf in resolve("leaf", estimator.leaf)]
    return {name: "the order of rows counts"} if "linear-units" in leaves else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=depends_on_the_order)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", RECIPES.values(), ids=RECIPES)
def test_a_clone_has_the_parameters_and_nothing_learned(cls):
    model = cls(grace_period=7).fit([[0.0], [1.0]], ["a", "b"])
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not copy.__sklearn_is_fitted__()
