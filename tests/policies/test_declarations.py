"""What the core declares of the parameters of a tree: ranges, defaults, and rules between them."""

from __future__ import annotations

import inspect
import re

import pytest

import riparian as rp
from riparian.impurities import Accuracy
from riparian.leaves import LinearUnits
from riparian.models.settings import check_settings, tree_parameters
from riparian.policies import AXES, classes
from tests import inside
from tests.policies.every_policy import (
    EVERY,
    X,
    Y,
    refused,
    tree,
    wrong_values,
)


def test_the_signature_of_the_free_composition_is_what_the_core_declares():
    signature = inspect.signature(rp.HoeffdingTree).parameters
    own = {"costs", "random_state", "leaf_features", "max_bytes", "categorical_features"}
    own |= {"class_weight", "date_parts", "max_categories", "max_features", "max_classes"}
    assert set(signature) == {*AXES, *tree_parameters(), *own}
    for name, parameter in tree_parameters().items():
        assert signature[name].default == parameter.default
        assert type(signature[name].default) in (type(parameter.default), int)
    for axis in AXES:
        assert signature[axis].default in classes(axis)
    assert all(p.kind is p.KEYWORD_ONLY for p in signature.values())


def test_the_docstring_of_the_free_composition_tells_all_of_it():
    signature = inspect.signature(rp.HoeffdingTree).parameters
    entries = inside.docstring_entries(rp.HoeffdingTree.__doc__)
    assert set(entries) == set(signature)
    for name, entry in entries.items():
        default = signature[name].default
        told = re.search(r", default=(.+)$", entry.partition("\n")[0])[1]
        assert eval(told) == default
    for axis, module in AXES.items():
        for policy in classes(axis):
            assert f'"{policy}"' in entries[axis]
        assert f":mod:`{module}`" in entries[axis]
    for name, parameter in tree_parameters().items():
        for choice in parameter.choices:
            assert f'"{choice}"' in entries[name]


@pytest.mark.parametrize("name", tree_parameters())
def test_the_declared_range_of_a_parameter_of_the_tree_is_enforced(name):
    parameter = tree_parameters()[name]
    for value, rule in wrong_values(parameter):
        refused(rp.HoeffdingTree(**{name: value}), f"{name} {rule}")


# -- rules ----------------------------------------------------------------------------------------

#: Values of parameters of a tree that are not the default, for rules that forbid them.
BREAKING = {
    "spend_delta": True,
    "adaptive_grace": True,
    "epsilons": 2,
    "runner_up": "cut",
    "impurity__evaluator": "prequential",
    "categorical_cuts": "both",
    "drop_poor_features": True,
    "leaf_features": 2,
    "short_memory": 5,
    "missing_second": "-inf",
    "costs": None,
}


def meeting(condition):
    """A value for which a condition holds."""
    name, values, one_of = condition
    if one_of:
        return {"True": True}.get(values[0], values[0])
    if name in BREAKING:
        return BREAKING[name]
    return None


def breaking(condition):
    """Values for each of which a condition does not hold."""
    name, values, one_of = condition
    if not one_of:
        return [None if value == "None" else value for value in values]
    if name in AXES:
        return [other for other in classes(name) if other not in values]
    return [BREAKING[name]]


RULES = [(cls, rule) for cls in EVERY for rule in cls.declared["rules"]]


@pytest.mark.parametrize(
    ("cls", "rule"),
    RULES,
    ids=[f"{cls.__name__}-{when and when[0]}-{needs[0]}" for cls, (when, needs, _) in RULES],
)
def test_a_rule_of_a_policy_is_enforced(cls, rule):
    when, needs, why = rule
    policies_ = [cls()]
    cause = f"{cls.axis}={cls.name!r}"
    if when is not None:
        parameter = cls.parameters[when[0]]
        meets = [c for c in parameter.choices if (c in when[1]) == when[2]]
        assert meets
        policies_ = [cls(**{parameter.name: value}) for value in meets]
        if parameter.name != "budget":  # its default refuses adaptations, another value does not
            assert not any((parameter.default in when[1]) == when[2] for _ in meets)
    for policy in policies_:
        if when is not None:
            cause = f"{cls.axis}__{when[0]}={getattr(policy, when[0])!r}"
        for value in breaking(needs):
            always = [r[1] for r in cls.declared["rules"] if r[0] is None and when is not None]
            if any(other[0] == needs[0] and value not in other[1] for other in always):
                continue  # another rule of the policy refuses it first
            given = {needs[0]: value}
            if needs[0] == "impurity__evaluator":
                given = {"impurity": Accuracy(evaluator=value)}
            model = tree(policy, **given)
            if needs[0] == "bound" and cls.name not in classes("bound")[value].declared["serves"]:
                refused(model, f"bound={value!r} supports the impurities")
                continue
            refused(
                model,
                f"{cause} {'needs' if needs[2] or needs[0] == 'costs' else 'cannot be combined'} ",
            )
            with pytest.raises(ValueError, match=f"{needs[0]}.*: {re.escape(why)}$"):
                model.partial_fit(X, Y)
        if needs[0] != "costs":
            tree(policy).partial_fit(X, Y)


def test_the_rules_say_what_is_needed_and_what_was_found():
    refused(
        rp.HoeffdingTree(leaf=("majority", LinearUnits()), adaptation="window"),
        "leaf='linear-units' cannot be combined with adaptation='window': linear units "
        "cannot forget an example",
    )
    refused(
        rp.HoeffdingTree(impurity=Accuracy(evaluator="holdout"), categorical_cuts="both"),
        "impurity__evaluator='holdout' needs categorical_cuts='multiway', got 'both': hits",
    )
    refused(
        rp.HoeffdingTree(impurity="loss"), "impurity='loss' needs costs: the loss is computed from"
    )


@pytest.mark.parametrize(
    "rule", inside.rules(), ids=[f"{w[0]}-{n[0]}" for w, n, _ in inside.rules()]
)
def test_a_rule_of_the_tree_is_enforced(rule):
    when, needs, why = rule
    for value in breaking(needs):
        # Majority leaves, where other rules ask for them.
        given = {"leaf": "majority", when[0]: meeting(when), needs[0]: value}
        with pytest.raises(ValueError, match=re.escape(why) + "$") as caught:
            rp.HoeffdingTree(**given).partial_fit(X, Y)
        assert f"{when[0]}=" in str(caught.value)
        assert f"{needs[0]}=" in str(caught.value)
    check_settings(inside.axes(rp.HoeffdingTree(**{"leaf": "majority", when[0]: meeting(when)})))
