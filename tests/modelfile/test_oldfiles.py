"""Files of format 4, whose parameters are flat: each one is read into the policy that has it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from sklearn.base import clone

import riparian as rp
from riparian.adaptation import Alternates, Options, Reevaluation, Window
from riparian.bounds import ConfidencePractical, DeltaMethod
from riparian.cuts import Bins, Combined, Delayed, Intersections
from riparian.impurities import Accuracy, Hybrid, Loss, Misclassification
from riparian.leaves import LinearUnits
from riparian.policies import AXES, classes
from riparian.sources.job import check_same_job
from riparian.statistics import Intervals
from riparian.storage.modelfile import from_bytes, to_bytes
from riparian.storage.old_formats import MOVED, RENAMED_VALUES, translated
from tests.modelfile.parts import Parts

NAMES = {place: name for name, place in MOVED.items()}

#: Every parameter of every policy that format 4 knew, with another value than its default.
POLICIES = [
    Intervals(count=7),
    Bins(count=4),
    Intersections(equal_variance="skip"),
    Delayed(count=5, equal_variance="skip"),
    Combined(count=6, equal_variance="skip"),
    Misclassification(legacy_gain=True),
    Hybrid(legacy_gain=True),
    Accuracy(evaluator="holdout", holdout_examples=44),
    Loss(evaluator="prequential", holdout_examples=12),
    ConfidencePractical(c=0.1, form="derived"),
    DeltaMethod(pairing="paired"),
    LinearUnits(step=0.02, meta_step=0.5),
    Alternates(drift_delta=0.2, switch_delta=0.3, switch_after=20, bootstrap=True),
    Window(
        size=500,
        validity_period=90,
        test_period=60,
        test_size=30,
        prune_margin=0.2,
        archive=2,
        dynamic=True,
        max_size=900,
        hook=print,
    ),
    Reevaluation(every=77, switch_delta=0.3, switch_after=20),
    Options(delta=0.7, max_paths=3, switch_delta=0.3, switch_after=20),
]


#: Parameters of policies that format 4 did not have. Its files mean the defaults.
LATER = {("adaptation", "replace_by")}


def flat(parameters):
    """Parameters of format 5 as format 4 had them: those of all policies side by side."""
    found = {}
    for name, value in parameters.items():
        if isinstance(value, dict) and set(value) == {"model", "parameters"}:
            found[name] = {**value, "parameters": flat(value["parameters"])}
        elif name not in AXES:
            found[name] = value
        elif isinstance(value, list):
            names = [_flat_policy(name, one, found) for one in value]
            found[name] = names if len(names) > 1 else names[0]
        else:
            found[name] = _flat_policy(name, value, found)
    for name, (axis, inside) in MOVED.items():
        if axis in parameters and name not in found:  # format 4 wrote all of them, with defaults
            found[name] = next(
                cls.parameters[inside].default
                for cls in classes(axis).values()
                if inside in cls.parameters
            )
    return found


def _flat_policy(axis, value, found):
    own = {inside: v for inside, v in value["parameters"].items() if (axis, inside) not in LATER}
    found |= {NAMES[axis, inside]: v for inside, v in own.items()}
    return {"linear-units": "idbd"}.get(value["policy"], value["policy"])


def of_format_4(model):
    """The file that a version with format 4 would have written of a model."""
    parts = Parts(to_bytes(model))
    parts.header["format"] = 4
    parts.header["parameters"] = flat(parts.header["parameters"])
    del parts.header["positions"], parts.header["metadata"]
    return parts.data()


def learned(model):
    return model.partial_fit(*rp.streams.sea(seed=1).take(600))


def test_every_parameter_of_a_policy_is_tried():
    tried = {(p.axis, name) for p in POLICIES for name in p.get_params()}
    assert tried == set(MOVED.values()) | LATER
    for policy in POLICIES:
        for name, value in policy.get_params().items():
            is_default = value == policy.parameters[name].default
            assert is_default == ((policy.axis, name) in LATER)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_a_flat_parameter_is_read_into_the_policy_that_has_it(policy):
    needs = {"costs": [[0, 1], [2, 0]]} if policy.name == "loss" else {}
    model = learned(rp.HoeffdingTree(**needs, **{policy.axis: policy}))
    functions = {"adaptation__hook": print}
    again = from_bytes(of_format_4(model), functions)
    assert getattr(again, policy.axis) == policy
    assert to_bytes(again) == to_bytes(model)
    assert (again.metadata_, again.positions_) == ({}, {})


def test_one_of_several_leaves_gets_its_parameters():
    leaf = ("majority", LinearUnits(step=0.02, meta_step=0.5))
    model = learned(rp.HoeffdingTree(leaf=leaf))
    assert from_bytes(of_format_4(model)).leaf == leaf


def test_a_member_of_a_forest_gets_its_parameters():
    tree = rp.HoeffdingTree(cuts=Bins(count=4), leaf=LinearUnits(step=0.02))
    model = learned(rp.OnlineBagging(estimator=tree, n_estimators=2))
    again = from_bytes(of_format_4(model))
    assert again.estimator.get_params() == tree.get_params()
    assert to_bytes(again) == to_bytes(model)


@pytest.mark.parametrize("name", MOVED)
def test_a_flat_parameter_of_a_policy_that_is_not_used_is_left_out(name):
    axis, inside = MOVED[name]
    for policy, cls in classes(axis).items():
        if inside not in cls.parameters:
            old = {"linear-units": "idbd"}.get(policy, policy)
            assert translated({axis: old, name: 1, "tau": 0.5}) == {axis: policy, "tau": 0.5}
    assert translated({"tau": 0.5}) == {"tau": 0.5}


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_what_is_no_list_of_parameters_stays_what_it_is(value):
    assert translated(value) == value


def test_flat_parameters_are_unknown_to_format_5():
    parts = Parts(to_bytes(learned(rp.HoeffdingTree())))
    parts.header["parameters"]["n_cuts"] = 7
    with pytest.raises(rp.ModelFileError, match="has no parameter 'n_cuts'"):
        from_bytes(parts.data())


@pytest.mark.parametrize("member", [False, True], ids=["alone", "in a forest"])
def test_the_stream_tree_before_the_last_choice_is_a_hoeffding_tree(member):
    X, y = rp.streams.sea(seed=1).take(2_000)
    tree = rp.HoeffdingTree(categorical_cuts="one-against-rest", inherit_counts="count", tau=0.2)
    model = (rp.OnlineBagging(estimator=tree, n_estimators=2) if member else tree).fit(X, y)
    parts = Parts(to_bytes(model))
    if member:
        parts.header["parameters"]["estimator"]["model"] = "StreamTree"
    else:
        parts.header["recipe"] = "StreamTree"
    loaded = from_bytes(parts.data())
    assert type(loaded.estimator if member else loaded) is rp.HoeffdingTree
    assert to_bytes(loaded) == to_bytes(model)


def test_the_stream_forest_before_the_last_choice_is_a_forest():
    X, y = rp.streams.sea(seed=1).take(2_000)
    member = rp.HoeffdingTree(
        grace_period=50, delta=0.01, inherit_counts="count", categorical_cuts="one-against-rest"
    )
    model = rp.Forest(
        estimator=member, n_estimators=2, replacement="background", warning=0.01, drift=0.001
    ).fit(X, y)
    parts = Parts(to_bytes(model))
    parts.header["recipe"] = "StreamForest"
    loaded = from_bytes(parts.data())
    assert type(loaded) is rp.Forest
    assert to_bytes(loaded) == to_bytes(model)


def before_the_renaming(parameters):
    """The parameters of a file that was written before their values were renamed."""
    old = {
        name: {new: before for before, new in values.items()}
        for name, values in RENAMED_VALUES.items()
    }
    return {
        name: {**value, "parameters": before_the_renaming(value["parameters"])}
        if isinstance(value, dict) and "model" in value
        else old[name].get(value, value)
        if name in old
        else value
        for name, value in parameters.items()
    }


@pytest.mark.parametrize(
    "model",
    [
        rp.HoeffdingTree(),
        rp.HoeffdingTree(runner_up="cut"),
        rp.CTree(),
        rp.OnlineBagging(estimator=rp.VFDT(), n_estimators=2),
    ],
    ids=["a default", "another value", "a recipe", "a member"],
)
@pytest.mark.parametrize("fitted", [False, True], ids=["unfitted", "fitted"])
def test_a_value_with_an_older_name_is_read_as_the_value_of_today(model, fitted):
    model = learned(clone(model)) if fitted else clone(model)
    parts = Parts(to_bytes(model))
    parts.header["parameters"] = before_the_renaming(parts.header["parameters"])
    assert ("attribute" in str(parts.header)) == ("cut" not in str(model))
    again = from_bytes(parts.data())
    assert repr(again) == repr(model)
    assert to_bytes(again) == to_bytes(model)


def test_the_older_name_is_no_value_of_the_parameter():
    with pytest.raises(ValueError, match="runner_up must be one of 'feature', 'cut', 'none'"):
        learned(rp.HoeffdingTree(runner_up="attribute"))


def test_a_checkpoint_with_the_older_name_belongs_to_the_same_job(tmp_path):
    at = SimpleNamespace(folder=tmp_path)
    now = {"recipe": "VFDT", "parameters": {"runner_up": "feature", "tau": 0.05}}
    before = {"recipe": "VFDT", "parameters": {"runner_up": "attribute", "tau": 0.05}}
    check_same_job(now, before, at)
    with pytest.raises(ValueError, match="its runner_up is 'feature', not 'cut'"):
        check_same_job({**now, "parameters": {"runner_up": "cut", "tau": 0.05}}, before, at)
