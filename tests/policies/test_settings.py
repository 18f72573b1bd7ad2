"""Parameters that do not fit are refused, with what would."""

import numpy as np
import pytest

import riparian as rp
from riparian.bounds import SERVES, ConfidencePractical, DeltaMethod
from riparian.cuts import Intersections
from riparian.impurities import Accuracy, Loss
from riparian.statistics import Intervals
from riparian.storage import modelfile
from tests.split_by_split import numbers

X, Y, *_ = numbers(np.random.default_rng(0), 200)
LOSS = {"impurity": "loss", "costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}


def refused(match, **parameters):
    model = rp.HoeffdingTree(**parameters)
    with pytest.raises(ValueError, match=match):
        model.partial_fit(X, Y)
    assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize(
    ("parameter", "typed", "meant", "listed"),
    [
        ("impurity", "entropi", "entropy", "'kearns-mansour'"),
        ("bound", "hoefding", "hoeffding", "'delta-method'"),
        ("cuts", "intersection", "intersections", "'qda'"),
        ("statistics", "interval", "intervals", "'exhaustive'"),
        ("missing_second", "inf", "-inf", "'zero'"),
        ("variance", "populaton", "population", "'sample'"),
        ("categorical_cuts", "multi-way", "multiway", "'both'"),
        ("runner_up", "faeture", "feature", "'cut'"),
        ("inherit_counts", "counts", "count", "'none'"),
        ("leaf", "majorty", "majority", "'adaptive'"),
    ],
)
def test_an_unknown_name_gives_the_list_and_the_nearest_one(parameter, typed, meant, listed):
    refused(
        f"{parameter} must be one of .*{listed}.*got '{typed}'; did you mean '{meant}'",
        **{parameter: typed},
    )


@pytest.mark.parametrize(
    ("policy", "parameter", "typed", "meant", "listed"),
    [
        (Accuracy, "evaluator", "prequental", "prequential", "'holdout'"),
        (DeltaMethod, "pairing", "pared", "paired", "'conservative'"),
        (Intersections, "equal_variance", "linar", "linear", "'skip'"),
        (ConfidencePractical, "form", "derivd", "derived", "'printed'"),
    ],
)
def test_an_unknown_name_in_a_policy_gives_the_list_too(policy, parameter, typed, meant, listed):
    refused(
        f"{policy.axis}__{parameter} must be one of .*{listed}.*got '{typed}'; "
        f"did you mean '{meant}'",
        **{policy.axis: policy(**{parameter: typed})},
    )


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 1.5, np.nan, "0.1", None])
def test_delta_is_a_probability(delta):
    refused("delta must be a probability between 0 and 1", delta=delta)


@pytest.mark.parametrize("bound", ["normal", "delta-method"])
def test_a_normal_test_needs_delta_below_a_half(bound):
    refused("delta must be below 0.5", bound=bound, impurity="gini", delta=0.5)


@pytest.mark.parametrize("bound", SERVES)
def test_a_bound_refuses_impurities_that_it_does_not_serve(bound):
    others = {"entropy", "gini", "kearns-mansour", "misclassification", "accuracy", "hybrid"}
    others -= set(SERVES[bound])
    if bound in ("normal", "mcdiarmid"):
        others -= {"hybrid"}
    for impurity in sorted(others):
        names = ", ".join(map(repr, SERVES[bound]))
        refused(f"bound='{bound}' supports the impurities {names}", bound=bound, impurity=impurity)
    refused("supports the impurities", bound=bound, impurity=lambda c: 1.0 - c.max(axis=-1))
    refused("supports the impurities", bound=bound, **LOSS)


@pytest.mark.parametrize(
    ("match", "parameters"),
    [
        (
            "impurity__evaluator='holdout' needs categorical_cuts='multiway', got 'both'",
            {"impurity": Accuracy(evaluator="holdout"), "categorical_cuts": "both"},
        ),
        (
            "impurity__evaluator='holdout' cannot be combined with bound='delta-method'",
            {"impurity": Accuracy(evaluator="holdout"), "bound": "delta-method"},
        ),
        ("cuts='qda' needs statistics='gaussian'", {"cuts": "qda", "statistics": "exhaustive"}),
        ("needs costs", {"impurity": "loss"}),
        ("costs must have the shape", {"costs": [1, 2]}),
        ("epsilons must be a whole number from 1 to 2", {"epsilons": 3}),
        ("spend_delta must be True or False", {"spend_delta": 1}),
        (
            "impurity__holdout_examples must be a number from 1",
            {"impurity": Accuracy(holdout_examples=0)},
        ),
        ("statistics__count must be a whole number", {"statistics": Intervals(count=0)}),
        (
            "bound__c must be a number from 0 to 1e\\+06, got -1",
            {"bound": ConfidencePractical(c=-1.0)},
        ),
    ],
)
def test_what_does_not_go_together_is_refused(match, parameters):
    refused(match, **parameters)


def test_only_accuracy_and_loss_have_an_evaluator():
    with pytest.raises(ValueError, match=r"Invalid parameter 'evaluator' for impurity='entropy'"):
        rp.HoeffdingTree().set_params(impurity__evaluator="prequential")


@pytest.mark.parametrize(
    ("match", "costs"),
    [
        ("the shape \\(n_classes, n_classes\\)", [[0, 1, 2], [1, 0, 2]]),
        ("the shape \\(n_classes, n_classes\\)", [0, 1]),
        ("must not all be 0", [[0]]),
        ("the shape \\(n_classes, n_classes\\)", "costs"),
        (r"costs\[0\]\[1\] must be a finite number of at least 0, got -1", [[0, -1], [1, 0]]),
        (r"costs\[1\]\[0\] must be a finite number.*nan", [[0, 1], [np.nan, 0]]),
        (r"costs\[1\]\[0\] must be a finite number.*inf", [[0, 1], [np.inf, 0]]),
        ("must not all be 0", [[0, 0], [0, 0]]),
        ("must not all be 0", {}),
        ("must not all be 0", {(0, 1): 0.0}),
        (r"pairs \(predicted, true\)", {"a": 1.0}),
        (r"costs\[\(0, 1\)\] must be a finite number", {(0, 1): -2.0}),
    ],
)
def test_impossible_costs_are_refused(match, costs):
    refused(match, impurity="loss", costs=costs)


@pytest.mark.parametrize("evaluator", ["resubstitution", "prequential", "holdout"])
def test_a_class_without_costs_leaves_the_model_as_it_was(evaluator):
    model = rp.HoeffdingTree(impurity=Loss(evaluator=evaluator), costs=[[0, 1], [2, 0]])
    with pytest.raises(ValueError, match=r"costs has 2 rows and columns, but .*; 2 is class 3"):
        model.partial_fit(X, np.arange(len(X)) % 3)
    assert not model.__sklearn_is_fitted__()
    model.partial_fit(X, Y > 0)
    before = modelfile.to_bytes(model)
    for learn in (model.partial_fit, model.prequential):
        with pytest.raises(
            ValueError, match="costs has 2 rows and columns, but there are more classes; 'new'"
        ):
            learn(X, np.array(["new"] * len(X), dtype=object))
    with pytest.raises(ValueError, match="costs has 2 rows and columns"):
        model.learn_one(dict(enumerate(X[0].tolist())), "new")
    assert modelfile.to_bytes(model) == before


def test_pairs_and_a_matrix_of_the_same_costs_grow_the_same_tree():
    rows, y, *_ = numbers(np.random.default_rng(1), 2000)
    order = list(dict.fromkeys(y.tolist()))
    matrix = np.array([[0, 4, 1], [2, 0, 1], [4, 1, 0]])
    pairs = {
        (order[i], order[j]): float(matrix[i, j]) for i in range(3) for j in range(3) if i != j
    }
    options = {"impurity": "loss", "grace_period": 50, "delta": 0.1}
    one, other = (
        rp.HoeffdingTree(costs=costs, **options).partial_fit(rows, y) for costs in (matrix, pairs)
    )
    assert one.splits()
    assert one.splits() == other.splits()
