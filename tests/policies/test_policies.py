"""Policies as users write them: values that print, compare, copy and check."""

from __future__ import annotations

import copy
import importlib
import inspect
import math
import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone

import riparian as rp
from riparian import policies
from riparian.adaptation import Window
from riparian.impurities import Accuracy, Loss
from riparian.policies import AXES, classes, resolve, shortest
from riparian.storage.modelfile import to_bytes
from tests.policies.every_policy import (
    EVERY,
    X,
    Y,
    another,
    every,
    every_parameter,
    refused,
    tree,
    variants,
    wrong_values,
)

# -- one class for each value of each axis --------------------------------------------------------


@every
def test_a_policy_is_a_public_name_of_the_module_of_its_axis(cls):
    module = importlib.import_module(AXES[cls.axis])
    assert getattr(module, cls.__name__) is cls
    assert cls.__name__ in module.__all__
    assert cls.__module__ == module.__name__
    assert getattr(rp, module.__name__.removeprefix("riparian.")) is module
    assert classes(cls.axis)[cls.name] is cls
    assert resolve(cls.axis, cls.name) in (cls(), (cls(),))


@every
def test_its_signature_and_docstring_have_what_the_core_declares(cls):
    signature = inspect.signature(cls).parameters
    assert {name: p.default for name, p in signature.items()} == {
        p.name: p.default for p in cls.parameters.values()
    }
    assert all(p.kind is p.KEYWORD_ONLY for p in signature.values())
    assert cls.__doc__.startswith(cls.about)
    assert cls.about.endswith(".")
    for parameter in cls.parameters.values():
        entry = f"    {parameter.name} : {parameter.type_text}, default={parameter.default!r}\n"
        assert f"{entry}        {parameter.help}\n" in cls.__doc__
    assert ("Parameters\n" in cls.__doc__) == bool(cls.parameters)


@every
def test_the_defaults_are_allowed_and_the_name_stands_for_them(cls):
    assert cls().checked(cls.axis) == (
        cls.name,
        {p.name: p.default for p in cls.parameters.values()},
    )
    assert cls().is_default
    assert shortest(cls()) == cls.name
    for policy in variants(cls)[1:] if cls.parameters else []:
        assert not policy.is_default
        assert shortest(policy) is policy


def test_a_name_and_the_policy_with_its_defaults_learn_the_same_tree():
    rows, labels = rp.streams.sea(seed=1).take(3_000)
    for cls in EVERY:
        one, other = (tree(cls(), grace_period=50, tau=0.2) for _ in range(2))
        other.set_params(**{cls.axis: cls.name})
        assert to_bytes(one.partial_fit(rows, labels)) == to_bytes(other.partial_fit(rows, labels))


# -- values ---------------------------------------------------------------------------------------


@every
def test_a_policy_prints_as_it_is_written(cls):
    names = vars(importlib.import_module(AXES[cls.axis]))
    assert repr(cls()) == f"{cls.__name__}()"
    for policy in variants(cls):
        if any(callable(value) for value in policy.get_params().values()):
            continue  # a function does not print as it is written
        again = eval(repr(policy), dict(names))
        assert type(again) is cls
        assert again == policy
    for parameter in cls.parameters.values():
        value = another(parameter)
        assert repr(cls(**{parameter.name: value})) == f"{cls.__name__}({parameter.name}={value!r})"


@every
def test_policies_are_equal_and_hashable_by_value(cls):
    made = variants(cls)
    for i, one in enumerate(made):
        for j, other in enumerate(variants(cls)):
            same = one.get_params() == other.get_params()
            assert (one == other) is same
            assert (one != other) is not same
            assert hash(one) == hash(other) or not same
            assert same or i != j
    assert len({*made, *variants(cls)}) == len({repr(policy) for policy in made})
    assert cls() != cls.name
    assert cls() != cls().get_params()


def test_policies_of_different_classes_differ_even_with_equal_parameters():
    assert Accuracy().get_params() == Loss().get_params()
    for one in EVERY:
        assert [other for other in EVERY if one() == other()] == [one]


COPIES = {
    **{
        f"pickle {p}": lambda policy, p=p: pickle.loads(pickle.dumps(policy, p))
        for p in range(pickle.HIGHEST_PROTOCOL + 1)
    },
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "clone": clone,
}


@every
@pytest.mark.parametrize("way", COPIES.values(), ids=COPIES)
def test_a_policy_survives_copies(cls, way):
    for policy in variants(cls):
        again = way(policy)
        assert type(again) is cls
        assert again == policy
        assert again.get_params() == policy.get_params()


@every
def test_a_clone_of_a_model_has_its_policies(cls):
    for policy in variants(cls):
        model = tree(policy)
        again = clone(model)
        assert getattr(again, cls.axis) == policy
        assert again.get_params() == model.get_params()
        assert f"{cls.axis}=" in repr(again) or shortest(policy) == getattr(
            rp.HoeffdingTree(), cls.axis
        )


@every
def test_a_policy_cannot_be_changed(cls):
    for policy in variants(cls):
        before = dict(policy.get_params())
        for name in (*before, "nonsense"):
            with pytest.raises(
                AttributeError, match=rf"{cls.__name__} cannot be changed.*__{name}"
            ):
                setattr(policy, name, 1)
        for name in before:
            with pytest.raises(AttributeError, match=f"{cls.__name__} cannot be changed"):
                delattr(policy, name)
        policy.get_params().clear()
        assert policy.get_params() == before


@every
def test_replace_makes_another_policy(cls):
    for parameter in cls.parameters.values():
        policy, value = cls(), another(parameter)
        assert policy.replace(**{parameter.name: value}) == cls(**{parameter.name: value})
        assert policy == cls()
    full = variants(cls)[-1]
    assert full.replace() == full
    with pytest.raises(TypeError, match=f"{cls.__name__}.*'nonsense'"):
        full.replace(nonsense=1)


@every
def test_an_unknown_parameter_is_refused_with_the_nearest_name(cls):
    with pytest.raises(TypeError, match=rf"^{cls.__name__}\(\) got an unexpected .*'qqqq'$"):
        cls(qqqq=1)
    for name in cls.parameters:
        with pytest.raises(TypeError, match=rf"^{cls.__name__}\(\) .*'{name}s'; did you mean '"):
            cls(**{f"{name}s": 1})
    with pytest.raises(TypeError, match=rf"^{cls.__name__}\(\) (accepts|has) "):
        cls(1)


def test_the_nearest_name_is_the_one_that_is_meant():
    with pytest.raises(TypeError, match=r"'validity_periods'; did you mean 'validity_period'\?$"):
        Window(validity_periods=5)
    with pytest.raises(TypeError, match=r"'evaluater'; did you mean 'evaluator'\?$"):
        Accuracy(evaluater="holdout")


def test_parameters_of_a_policy_are_given_by_name():
    with pytest.raises(
        TypeError, match=r"Bins\(\) accepts parameters by name only, .*Bins\(count=5\)"
    ):
        rp.cuts.Bins(5)


# -- ranges ---------------------------------------------------------------------------------------


@every_parameter
def test_a_value_outside_the_declared_range_is_refused_when_learning_starts(cls, parameter):
    for value, rule in wrong_values(parameter):
        policy = cls(**{parameter.name: value})  # making it checks nothing
        assert getattr(policy, parameter.name) is value
        message = f"{cls.axis}__{parameter.name} {rule}"
        refused(tree(policy), message)
        with pytest.raises(
            ValueError, match=f"{re.escape(message)}.*, got {re.escape(repr(value))}"
        ):
            tree(policy).learn_one({0: 1.0}, 0)


@every_parameter
def test_the_ends_of_the_declared_range_are_allowed(cls, parameter):
    ends = [another(parameter), parameter.default, *parameter.choices]
    if parameter.kind == "number":
        ends += [parameter.least, parameter.most, np.float64(parameter.least)]
    elif parameter.kind == "whole":
        ends += [int(parameter.least), int(parameter.most), np.int64(parameter.most)]
    elif parameter.kind == "probability":
        ends += [1e-300, math.nextafter(1.0, 0.0), np.float64(0.5)]
    elif parameter.kind == "truth":
        ends += [True, False, np.bool_(True)]
    elif parameter.kind == "function":
        ends = [None, lambda report: None]
    for value in ends:
        given = {parameter.name: value}
        if (cls, parameter.name) == (Window, "max_size") and value is not None:
            given["size"] = 1  # it must not be above the longest window
        if cls is Window:
            given["validity_period"] = given.get("validity_period", 10**6)
        tree(cls(**given)).partial_fit(X, Y)


def test_values_of_numpy_reach_the_core_as_numbers():
    name, values = Window(size=np.int64(7), prune_margin=np.float32(0.5)).checked("adaptation")
    assert name == "window"
    assert (values["size"], type(values["size"])) == (7, int)
    assert (values["prune_margin"], type(values["prune_margin"])) == (0.5, float)


def test_the_longest_window_is_at_least_the_window():
    refused(tree(Window(size=100, max_size=99)), "window: max_size must be at least size")
    tree(Window(size=100, max_size=100)).partial_fit(X, Y)


# -- what an axis takes ---------------------------------------------------------------------------


@every
def test_a_class_is_not_a_policy(cls):
    message = f"{cls.axis} must be an instance of a policy, got the class {cls.__name__}; use"
    refused(rp.HoeffdingTree(**{cls.axis: cls}), message)


@every
def test_a_policy_of_another_axis_is_refused(cls):
    for axis, module in AXES.items():
        if axis != cls.axis:
            message = f"{axis} must be a policy of {module}, got {cls.__name__}()"
            refused(rp.HoeffdingTree(**{axis: cls()}), message)


@pytest.mark.parametrize("axis", AXES)
def test_an_unknown_name_is_refused_with_the_list(axis):
    listed = ", ".join(map(repr, policies.names(axis)))
    refused(rp.HoeffdingTree(**{axis: "nonsense"}), f"{axis} must be one of {listed}, got 'nonsen")
    refused(rp.HoeffdingTree(**{axis: 3}), f"{axis} must be one of {listed}, got 3")
    refused(rp.HoeffdingTree(**{axis: None}), f"{axis} must be one of {listed}, got None")


@pytest.mark.parametrize("axis", sorted(set(AXES) - {"impurity", "bound"}))
def test_a_function_is_refused_where_none_is_asked(axis):
    refused(rp.HoeffdingTree(**{axis: len}), f"{axis} must be one of")
