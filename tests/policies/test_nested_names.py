"""Parameters of a policy, reached through the model: ``bound__c``."""

from __future__ import annotations

import re

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import riparian as rp
from riparian.bounds import ConfidencePractical
from riparian.leaves import LinearUnits, Majority
from riparian.policies import resolve
from tests.policies.every_policy import (
    another,
    every,
    every_parameter,
)


@every_parameter
def test_a_parameter_of_a_policy_is_set_by_its_nested_name(cls, parameter):
    nested, value = f"{cls.axis}__{parameter.name}", another(parameter)
    for start in (cls.name, cls()):
        model = rp.HoeffdingTree(**{cls.axis: start})
        assert model.set_params(**{nested: value}) is model
        assert getattr(model, cls.axis) == cls(**{parameter.name: value})
        assert model.get_params()[nested] == value
    # The axis may be set in the same call, in any order.
    model = rp.HoeffdingTree().set_params(**{nested: value, cls.axis: cls.name})
    assert getattr(model, cls.axis) == cls(**{parameter.name: value})


@every
def test_a_nested_name_that_the_policy_does_not_have_is_refused(cls):
    model = rp.HoeffdingTree(**{cls.axis: cls.name})
    listed = ", ".join(map(repr, cls.parameters))
    valid = f"valid parameters are {listed}" if listed else "it has no parameters"
    message = f"Invalid parameter 'nonsense' for {cls.axis}='{cls.name}'; {valid}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        model.set_params(**{f"{cls.axis}__nonsense": 1})
    assert getattr(model, cls.axis) == cls.name


def test_other_parameters_of_a_policy_stay_as_they_are():
    model = rp.HoeffdingTree(bound=ConfidencePractical(c=0.2, form="derived"))
    model.set_params(bound__c=0.1, tau=0.3)
    assert model.bound == ConfidencePractical(c=0.1, form="derived")
    assert model.tau == 0.3


def test_one_of_several_leaves_is_set_by_its_nested_name():
    model = rp.HoeffdingTree(leaf=("majority", "linear-units"))
    model.set_params(leaf__step=0.25)
    assert resolve("leaf", model.leaf) == (Majority(), LinearUnits(step=0.25))


def test_nested_names_that_are_set_change_what_is_learned():
    rows, labels = rp.streams.sea(seed=1).take(5_000)
    one = rp.CTree(tau=0.0).set_params(bound__c=0.05).fit(rows, labels)
    other = rp.CTree(tau=0.0, bound=ConfidencePractical(c=0.05)).fit(rows, labels)
    assert one.splits() == other.splits() != []
    assert not rp.CTree(tau=0.0, bound=ConfidencePractical(c=1e6)).fit(rows, labels).splits()


def test_nested_names_go_through_pipelines_and_forests():
    pipeline = make_pipeline(StandardScaler(), rp.CTree(grace_period=50))
    pipeline.set_params(ctree__bound__c=0.05)
    assert pipeline.get_params()["ctree__bound__c"] == 0.05
    rows, labels = rp.streams.sea(seed=1).take(3_000)
    assert len(pipeline.fit(rows, labels)[-1].splits()) > 0
    assert clone(pipeline)[-1].bound == ConfidencePractical(c=0.05)
    forest = rp.OnlineBagging(estimator=rp.CTree(), n_estimators=2)
    forest.set_params(estimator__bound__c=0.05)
    assert forest.estimator.bound == ConfidencePractical(c=0.05)
    assert forest.get_params()["estimator__bound__c"] == 0.05


def test_a_grid_search_goes_over_a_parameter_of_a_policy():
    rows, labels = rp.streams.sea(seed=1).take(4_000)
    grid = {"bound__c": [1e6, 0.05]}
    search = GridSearchCV(rp.CTree(grace_period=50, tau=0.0), grid, cv=2).fit(rows, labels)
    # A factor of a million never splits, and one leaf is worse than a tree.
    assert search.best_params_ == {"bound__c": 0.05}
    assert search.best_estimator_.bound == ConfidencePractical(c=0.05)
    assert search.best_estimator_.n_leaves_ > 1
    worse, better = search.cv_results_["mean_test_score"]
    assert better > worse + 0.05


def test_a_grid_search_goes_over_policies():
    rows, labels = rp.streams.sea(seed=1).take(4_000)
    grid = {"bound": ["hoeffding", ConfidencePractical(c=1e6)], "tau": [0.0]}
    search = GridSearchCV(rp.HoeffdingTree(leaf="majority"), grid, cv=2).fit(rows, labels)
    assert search.best_params_["bound"] == "hoeffding"


def test_nested_names_on_the_command_line():
    from riparian.cli.parse_models import parse_model

    assert parse_model("CTree(bound__c=0.5)").bound == rp.bounds.ConfidencePractical(c=0.5)
    with pytest.raises(ValueError, match="Invalid parameter 'd' for bound="):
        parse_model("CTree(bound__d=0.5)")


def test_a_wrong_nested_name_sets_nothing():
    model = rp.HoeffdingTree()
    with pytest.raises(ValueError, match="Invalid parameter 'c' for bound='hoeffding'"):
        model.set_params(tau=0.5, bound__c=1.0)
    assert model.tau == 0.05
