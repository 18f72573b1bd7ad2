"""Every recipe is a scikit-learn classifier: all of its estimator checks."""

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import riparian as rp
from riparian.models.registry import RECIPES
from riparian.policies import resolve

ESTIMATORS = [cls() for cls in RECIPES.values()] + [
    rp.HoeffdingTree(leaf="naive-bayes", impurity="gini"),
    rp.VFDT(grace_period=1, delta=0.05, tau=0.2),
    rp.HoeffdingTree(leaf="linear-units"),
    rp.HoeffdingTree(leaf=("majority", "naive-bayes", "linear-units"), costs={("a", "b"): 2.0}),
]


def depends_on_the_order(estimator):
    """Linear units follow the last examples, and this check shuffles the rows.

    With small steps they do not come to predict after so few rows.
    """
    name = "check_sample_weight_equivalence_on_dense_data"
    units = [leaf for leaf in resolve("leaf", estimator.leaf) if leaf.name == "linear-units"]
    fast = any(leaf.get_params()["step"] > 0.01 for leaf in units)
    return {name: "the order of rows counts"} if fast else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=depends_on_the_order)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_a_clone_has_the_parameters_and_nothing_learned(tree_cls):
    model = tree_cls(grace_period=7).fit([[0.0], [1.0]], ["a", "b"])
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not copy.__sklearn_is_fitted__()
