"""Policies as users write them: values that print, compare, copy, check and combine."""

from __future__ import annotations

import copy
import importlib
import inspect
import math
import pickle
import re
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import riparian as rp
from riparian import options, policies
from riparian.adaptation import Alternates, Options, Reevaluation, Window
from riparian.bounds import Confidence, ConfidencePractical, DeltaMethod, Hoeffding
from riparian.cuts import Bins, Intersections
from riparian.impurities import Accuracy, Gini, Loss, Misclassification
from riparian.leaves import LinearUnits, Majority
from riparian.modelfile import from_bytes, to_bytes
from riparian.policies import AXES, Policy, classes, parse, resolve, shortest
from riparian.recipe import ALWAYS_TAKEN
from riparian.recipes import RECIPES
from riparian.settings import check_settings, tree_parameters
from riparian.statistics import Intervals
from tests import inside

EVERY = [cls for axis in AXES for cls in classes(axis).values()]
WITH_PARAMETERS = [cls for cls in EVERY if cls.parameters]
PARAMETERS = [(cls, parameter) for cls in EVERY for parameter in cls.parameters.values()]
X, Y = [[0.0, 1.0], [1.0, 0.0]] * 5, [0, 1] * 5
COSTS = [[0.0, 1.0], [2.0, 0.0]]

every = pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
every_parameter = pytest.mark.parametrize(
    ("cls", "parameter"), PARAMETERS, ids=[f"{cls.__name__}-{p.name}" for cls, p in PARAMETERS]
)


def another(parameter):
    """A value that the parameter may have and that is not its default."""
    if parameter.kind == "truth":
        return not parameter.default
    if parameter.kind == "choice":
        return next(name for name in parameter.choices if name != parameter.default)
    if parameter.kind == "probability":
        return 0.25
    if parameter.kind == "function":
        return len
    if parameter.kind == "whole":
        return int(parameter.most) if parameter.default is None else parameter.default + 1
    return parameter.default + (parameter.most - parameter.default) / 1024


def variants(cls):
    """The policy with its defaults, with each parameter changed, and with all of them changed."""
    changed = {p.name: another(p) for p in cls.parameters.values()}
    return [cls(), *(cls(**{name: value}) for name, value in changed.items()), cls(**changed)]


def context(cls):
    """What else a tree needs to have this policy."""
    if cls is Loss:
        return {"costs": COSTS}
    serves = cls.declared["serves"]
    return {"impurity": "gini"} if serves and "entropy" not in serves else {}


def tree(policy, **parameters):
    return rp.HoeffdingTree(**context(type(policy)) | {policy.axis: policy} | parameters)


def refused(model, message):
    """Learning gives a ValueError that begins like this, and nothing was learned."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        model.partial_fit(X, Y)
    assert not model.__sklearn_is_fitted__()


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
    with pytest.raises(TypeError, match=rf"^{cls.__name__}\(\) takes "):
        cls(1)


def test_the_nearest_name_is_the_one_that_is_meant():
    with pytest.raises(TypeError, match=r"'validity_periods'; did you mean 'validity_period'\?$"):
        Window(validity_periods=5)
    with pytest.raises(TypeError, match=r"'evaluater'; did you mean 'evaluator'\?$"):
        Accuracy(evaluater="holdout")


# -- ranges ---------------------------------------------------------------------------------------


def wrong_values(parameter):
    """Values that are just outside of what is declared, or of another type, with the rule."""
    least, most = parameter.least, parameter.most
    if parameter.kind == "number":
        rule = f"must be a number from {least:g} to {most:g}"
        outside = [math.nextafter(least, -math.inf), math.nextafter(most, math.inf)]
        yield from ((v, rule) for v in (*outside, math.nan, math.inf, -math.inf, "1", True))
    elif parameter.kind == "whole":
        rule = f"must be a whole number from {int(least):,} to {int(most):,}"
        yield from ((v, rule) for v in (int(least) - 1, int(most) + 1, least + 0.5, "1", True))
    elif parameter.kind == "probability":
        rule = "must be a probability between 0 and 1"
        yield from ((v, rule) for v in (0.0, 1.0, -0.1, 1e-301, math.nan, "0.1"))
    elif parameter.kind == "truth":
        yield from ((v, "must be True or False") for v in (0, 1, "true"))
    elif parameter.kind == "choice":
        listed = ", ".join(map(repr, parameter.choices))
        yield from ((v, f"must be one of {listed}") for v in ("", "nonsense", 1))
    else:
        yield from ((v, "must be callable or None") for v in (3, "len"))
    if not parameter.optional:
        yield None, "must be"


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
    message = f"{cls.axis} must be a policy and not its class: write {cls.__name__}()"
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


# -- nested names ---------------------------------------------------------------------------------


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
    has = ", ".join(map(repr, cls.parameters)) or "none"
    message = f"Invalid parameter 'nonsense' for {cls.axis}='{cls.name}'; it has {has}"
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


# -- recipes --------------------------------------------------------------------------------------

ALWAYS = set(ALWAYS_TAKEN)
#: What a recipe takes in addition.
TAKES = {
    "CTree": {"bound", "impurity"},
    "CVFDT": {"adaptation", "impurity", "bound"},
    "CorrHTree": set(),
    "CorrectedVFDT": {"impurity", "epsilons", "spend_delta"},
    "DsCART": set(),
    "EFDT": {"adaptation", "impurity", "bound"},
    "HAT": {"adaptation", "impurity", "bound", "random_state"},
    "HoeffdingOptionTree": {"adaptation", "impurity", "bound"},
    "HybridTree": {"bound"},
    "MDT": {"impurity", "cuts", "missing_second"},
    "McDiarmidTree": {"impurity"},
    "MisclassificationTree": set(),
    "NIP": {"statistics", "bound", "impurity"},
    "StreamTree": set(),
    "UCVFDT": {"adaptation", "impurity", "bound"},
    "VFDT": {"impurity"},
    "VFDTc": set(),
}
OWN = {name: cls for name, cls in RECIPES.items() if name != "HoeffdingTree"}
FREE = set(inspect.signature(rp.HoeffdingTree).parameters)
recipe = pytest.mark.parametrize("name", OWN)


@recipe
def test_a_recipe_shows_exactly_the_parameters_that_it_takes(name):
    cls = OWN[name]
    wanted = ALWAYS | TAKES[name]
    assert set(cls().get_params(deep=False)) == wanted
    assert set(inspect.signature(cls).parameters) == wanted
    assert {n for n in dir(cls()) if n in FREE} == wanted
    assert set(vars(cls())) & FREE == wanted
    assert set(inside.docstring_entries(cls.__doc__)) == wanted
    for fixed in FREE - wanted:
        with pytest.raises(TypeError, match=rf"{name}\.__init__\(\) got an unexpected .*'{fixed}'"):
            cls(**{fixed: None})
        with pytest.raises(ValueError, match=f"Invalid parameter '{fixed}'"):
            cls().set_params(**{fixed: None})


@recipe
def test_the_docstring_and_the_signature_of_a_recipe_have_its_defaults(name):
    cls = OWN[name]
    for parameter, shown in inspect.signature(cls).parameters.items():
        assert shown.kind is shown.KEYWORD_ONLY
        value = getattr(cls(), parameter)
        assert value == shown.default
        head = inside.docstring_entries(cls.__doc__)[parameter].partition("\n")[0]
        assert head.endswith((f", default={shortest(value)!r}", f', default="{value}"'))


@recipe
def test_the_docstring_of_a_recipe_names_the_policies_that_it_allows(name):
    declared = inside.recipe(OWN[name])
    for axis, allowed in declared.allows.items():
        entry = inside.docstring_entries(OWN[name].__doc__)[axis]
        names = ", ".join(f'"{p.name if isinstance(p, Policy) else p}"' for p in allowed)
        assert f"One of {names}; see :mod:`{AXES[axis]}`" in entry


@pytest.mark.skipif(sys.flags.optimize > 1, reason="without docstrings")
def test_a_subclass_of_a_recipe_without_a_declaration_is_the_same_recipe():
    class Mine(rp.CTree):
        """Mine."""

    assert set(inspect.signature(Mine).parameters) == ALWAYS | TAKES["CTree"]
    assert Mine().get_params() == rp.CTree().get_params()
    assert set(inside.docstring_entries(Mine.__doc__)) == ALWAYS | TAKES["CTree"]


@pytest.mark.parametrize(
    ("model", "axis", "wanted"),
    [
        (rp.CTree(), "bound", ConfidencePractical()),
        (rp.CTree(bound=ConfidencePractical(c=0.1)), "bound", ConfidencePractical(c=0.1)),
        (rp.CTree(bound="confidence"), "bound", Confidence()),
        (rp.NIP(), "bound", DeltaMethod()),
        (rp.NIP(bound="hoeffding"), "bound", Hoeffding()),
        (rp.NIP(), "statistics", Intervals()),
        (rp.NIP(statistics=Intervals(count=7)), "statistics", Intervals(count=7)),
        (rp.CVFDT(), "adaptation", Window()),
        (rp.CVFDT(adaptation=Window(size=9)), "adaptation", Window(size=9)),
        (rp.HAT(adaptation=Alternates(bootstrap=True)), "adaptation", Alternates(bootstrap=True)),
        (rp.EFDT(adaptation=Reevaluation(every=9)), "adaptation", Reevaluation(every=9)),
        (rp.HoeffdingOptionTree(adaptation=Options(delta=0.2)), "adaptation", Options(delta=0.2)),
        (rp.MDT(cuts=Intersections(equal_variance="skip")), "cuts",
         Intersections(equal_variance="skip")),
        (rp.MDT(impurity=Misclassification(legacy_gain=True)), "impurity",
         Misclassification(legacy_gain=True)),
        # In CorrectedVFDT a name stands for the policy as its paper has it.
        (rp.CorrectedVFDT(), "impurity", Accuracy(evaluator="prequential")),
        (rp.CorrectedVFDT(impurity="accuracy"), "impurity", Accuracy(evaluator="prequential")),
        (rp.CorrectedVFDT(impurity="loss"), "impurity", Loss(evaluator="prequential")),
        (rp.CorrectedVFDT(impurity=Accuracy()), "impurity", Accuracy()),
        (rp.CorrectedVFDT(impurity=Accuracy(evaluator="holdout")), "impurity",
         Accuracy(evaluator="holdout")),
    ],
)  # fmt: skip
def test_a_recipe_takes_policies_on_the_axes_that_it_leaves_open(model, axis, wanted):
    assert inside.axes(model)[axis] == wanted
    assert inside.axes(rp.HoeffdingTree(**inside.axes(model))) == inside.axes(model)
    rows, labels = rp.streams.sea(seed=1).take(500)
    if wanted.name == "loss":
        model.set_params(costs=COSTS)
    for fitted in (model, clone(model).partial_fit(rows, labels)):
        for again in (from_bytes(to_bytes(fitted)), pickle.loads(pickle.dumps(fitted))):
            assert inside.axes(again)[axis] == wanted
            assert to_bytes(again) == to_bytes(fitted)


def test_a_nested_name_keeps_what_a_name_stands_for_in_a_recipe():
    wanted = Accuracy(evaluator="prequential", holdout_examples=50)
    for model in (rp.CorrectedVFDT(), rp.CorrectedVFDT(impurity="accuracy")):
        assert model.set_params(impurity__holdout_examples=50).impurity == wanted
    model = rp.CorrectedVFDT(impurity=Accuracy()).set_params(impurity__holdout_examples=50)
    assert model.impurity == Accuracy(holdout_examples=50)


@recipe
def test_the_defaults_of_a_recipe_are_plain_values(name):
    for default in OWN[name]().get_params(deep=False).values():
        assert default is None or isinstance(default, str | int | float | bool | tuple)


def test_a_recipe_does_not_take_what_it_fixes_nor_what_follows_from_a_policy():
    class Mine(
        rp.HoeffdingTree,
        fixes={"tau": 0.0},
        defaults={"impurity": "gini"},
        allows={"bound": {"normal": {"delta": 0.1}, "hoeffding": {"delta": 0.2}}},
    ):
        """A recipe of this test."""

    assert set(Mine().get_params(deep=False)) == (ALWAYS | {"impurity", "bound"}) - {"tau", "delta"}
    for model, delta in ((Mine(), 0.1), (Mine(bound="hoeffding"), 0.2)):
        axes = inside.axes(model)
        assert (axes["tau"], axes["delta"], axes["impurity"]) == (0.0, delta, Gini())
    with pytest.raises(TypeError, match=r"Mine\.__init__\(\) got an unexpected .*'tau'"):
        Mine(tau=0.1)


def test_other_parameters_follow_from_the_bound_of_ctree():
    practical, theoretical = inside.axes(rp.CTree()), inside.axes(rp.CTree(bound="confidence"))
    assert (practical["epsilons"], practical["inherit_counts"]) == (1, "count")
    assert (theoretical["epsilons"], theoretical["inherit_counts"]) == (2, "predict")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (rp.CTree(bound="hoeffding"), "bound of CTree must be one of 'confidence-practical', 'con"),
        (rp.CTree(bound=Hoeffding()), "bound of CTree must be one of 'confidence-practical', 'con"),
        (rp.CTree(bound=len), "bound of CTree must be one of 'confidence-practical', 'confidence'"),
        (rp.CTree(bound=Bins()), "bound must be a policy of riparian.bounds, got Bins()"),
        (rp.NIP(bound="normal"), "bound of NIP must be one of 'delta-method', 'hoeffding'"),
        (rp.NIP(statistics="exhaustive"), "statistics of NIP must be 'intervals', got 'exhaus"),
        (rp.CVFDT(adaptation="none"), "adaptation of CVFDT must be 'window', got 'none'"),
        (rp.UCVFDT(adaptation="none"), "adaptation of UCVFDT must be 'window', got 'none'"),
        (rp.HAT(adaptation=Window()), "adaptation of HAT must be 'alternates', got 'window'"),
        (rp.EFDT(adaptation="options"), "adaptation of EFDT must be 'reevaluation', got 'options'"),
        (rp.MDT(impurity=Gini()), "impurity of MDT must be 'misclassification', got 'gini'"),
        (rp.CorrectedVFDT(impurity="gini"), "impurity of CorrectedVFDT must be one of 'accuracy'"),
    ],
)  # fmt: skip
def test_a_recipe_refuses_policies_that_its_paper_does_not_have(model, message):
    refused(model, message)


# -- the command line -----------------------------------------------------------------------------


@every
def test_a_policy_is_parsed_as_the_help_writes_it(cls):
    assert resolve(cls.axis, parse(cls.axis, cls.name)) in (cls(), (cls(),))
    written = options.written(cls.declared)
    assert written in options.options()[cls.axis][1]
    found = parse(cls.axis, written)
    assert found == (cls() if "(" in written else cls.name)


@every
def test_parameters_stand_in_parentheses(cls):
    words = {True: "true", False: "FALSE", None: "none"}
    for policy in variants(cls):
        values = {k: v for k, v in policy.get_params().items() if not callable(v)}
        texts = [f"{k}={words[v] if isinstance(v, bool | None) else v}" for k, v in values.items()]
        for text in (f"{cls.name}({','.join(texts)})", f" {cls.name} ( {' , '.join(texts)} ) "):
            assert parse(cls.axis, text) == cls(**values)
            assert options.read_policy(cls.axis, text) == cls(**values)


def test_leaves_are_separated_by_commas():
    wanted = ("majority", LinearUnits(step=0.003, meta_step=0.5), "naive-bayes")
    text = "majority, linear-units(step=0.003, meta_step=0.5) ,naive-bayes"
    assert parse("leaf", text) == wanted
    assert options.read_policy("leaf", "majority, naive-bayes") == ("majority", "naive-bayes")


@pytest.mark.parametrize(
    ("axis", "text", "message"),
    [
        ("bound", "hoefding", "bound must be one of .*did you mean 'hoeffding'"),
        ("bound", "hoefding(c=1)", "bound must be one of .*did you mean 'hoeffding'"),
        ("bound", "confidence-practical(d=1)", "a parameter of confidence-practical must be one o"),
        ("bound", "hoeffding(c=1)", "bound: a parameter of hoeffding must be"),
        ("bound", "confidence-practical(0.1)", r"write confidence-practical\(parameter=value\)"),
        ("bound", "confidence-practical(c=1,c=2)", "c is given twice"),
        ("bound", "confidence-practical(c=1", "bound must be a name, or a name with parameters"),
        ("bound", "confidence-practical(c=(1))", "bound must be a name, or a name with parameters"),
        ("bound", "confidence-practical(c=1)x", "bound must be a name, or a name with parameters"),
        ("bound", "(c=1)", "bound must be a name, or a name with parameters"),
        ("bound", "", "bound must be a name, or a name with parameters"),
        ("bound", "hoeffding,normal", "bound must be one policy, got 'hoeffding,normal'"),
        ("leaf", "majority,,naive-bayes", "leaf must be a name, or a name with parameters"),
        ("leaf", "majority,naive", "leaf must be one of .*'naive-bayes'"),
    ],
)
def test_what_cannot_be_parsed_is_refused(axis, text, message):
    with pytest.raises(ValueError, match=message):
        parse(axis, text)


def test_a_value_is_read_but_not_run():
    assert parse("bound", "confidence-practical(c=__import__)").c == "__import__"
    refused(tree(parse("adaptation", "window(hook=len)")), "adaptation__hook must be callable")


# -- the core's declaration and the signature -----------------------------------------------------


def test_the_signature_of_the_free_composition_is_what_the_core_declares():
    signature = inspect.signature(rp.HoeffdingTree).parameters
    own = {"costs", "random_state", "leaf_features", "max_bytes", "categorical_features"}
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
        assert not any((parameter.default in when[1]) == when[2] for _ in meets)
    for policy in policies_:
        if when is not None:
            cause = f"{cls.axis}__{when[0]}={getattr(policy, when[0])!r}"
        for value in breaking(needs):
            model = tree(policy, **{needs[0]: value})
            if needs[0] == "bound" and cls.name not in classes("bound")[value].declared["serves"]:
                refused(model, f"bound={value!r} serves the impurities")
                continue
            refused(model, f"{cause} needs ")
            with pytest.raises(ValueError, match=f"{needs[0]}.*: {re.escape(why)}$"):
                model.partial_fit(X, Y)
        if needs[0] != "costs":
            tree(policy).partial_fit(X, Y)


def test_the_rules_say_what_is_needed_and_what_was_found():
    refused(
        rp.HoeffdingTree(leaf=("majority", LinearUnits()), adaptation="window"),
        "leaf='linear-units' needs another adaptation than 'window', got 'window': linear units "
        "cannot forget an example",
    )
    refused(
        rp.HoeffdingTree(impurity=Accuracy(evaluator="holdout"), categorical_cuts="both"),
        "impurity__evaluator='holdout' needs categorical_cuts='multiway', got 'both': hits",
    )
    refused(rp.HoeffdingTree(impurity="loss"), "impurity='loss' needs costs: loss is counted in")


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


def test_nested_names_on_the_command_line():
    from riparian.written_models import model_of

    assert model_of("CTree(bound__c=0.5)").bound == rp.bounds.ConfidencePractical(c=0.5)
    with pytest.raises(ValueError, match="Invalid parameter 'd' for bound="):
        model_of("CTree(bound__d=0.5)")


def test_a_wrong_nested_name_sets_nothing():
    model = rp.HoeffdingTree()
    with pytest.raises(ValueError, match="Invalid parameter 'c' for bound='hoeffding'"):
        model.set_params(tau=0.5, bound__c=1.0)
    assert model.tau == 0.05


def test_parameters_of_a_policy_are_given_by_name():
    with pytest.raises(
        TypeError, match=r"Bins\(\) takes its parameters by name, .*Bins\(count=5\)"
    ):
        rp.cuts.Bins(5)
