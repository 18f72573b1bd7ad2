"""The parameters that a recipe takes, and the policies that it allows."""

from __future__ import annotations

import inspect
import pickle
import sys

import pytest
from sklearn.base import clone

import riparian as rp
from riparian.adaptation import Alternates, Options, Reevaluation, Window
from riparian.bounds import Confidence, ConfidencePractical, DeltaMethod, Hoeffding
from riparian.cuts import Bins, Intersections
from riparian.impurities import Accuracy, Gini, Loss, Misclassification
from riparian.models.hoeffding import ALWAYS_TAKEN
from riparian.models.registry import RECIPES
from riparian.policies import AXES, Policy, shortest
from riparian.statistics import Intervals
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.policies.every_policy import (
    COSTS,
    refused,
)

ALWAYS = set(ALWAYS_TAKEN)
#: What a recipe takes in addition.
TAKES = {
    "CTree": {"bound", "impurity", "statistics"},
    "CertifiedTree": {"bound", "impurity"},
    "CVFDT": {"adaptation", "impurity", "bound"},
    "CorrHTree": set(),
    "CorrectedVFDT": {"impurity", "epsilons", "spend_delta"},
    "DsCART": set(),
    "EFDT": {"adaptation", "impurity", "bound"},
    "HAT": {"adaptation", "impurity", "bound", "random_state"},
    "HoeffdingOptionTree": {"adaptation", "impurity", "bound"},
    "HybridTree": {"bound"},
    "MDT": {"impurity", "cuts", "missing_second", "variance"},
    "McDiarmidTree": {"impurity"},
    "MisclassificationTree": set(),
    "NIP": {"statistics", "bound", "impurity"},
    "SPDT": {"statistics", "bound", "impurity", "min_branch_fraction"},
    "StreamTree": {"adaptation"},
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
        with pytest.raises(TypeError, match=f"^{name} has no parameter '{fixed}'"):
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
        few = "One of" if len(allowed) > 1 else "Only"
        assert f"{few} {names}; see :mod:`{AXES[axis]}`" in entry


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
    with pytest.raises(TypeError, match=r"^Mine has no parameter 'tau'; HoeffdingTree has it"):
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
