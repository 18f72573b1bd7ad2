"""Names of other libraries: the error says what to write here."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

import riparian as rp
from riparian.cli.parse_models import parse_model
from riparian.models.other_names import CLASSES, NOT_NEEDED, PARAMETERS
from riparian.models.registry import MODELS

#: What a user of another library writes, and what the error says.
MEANT = [
    (
        rp.HoeffdingTree,
        {"split_criterion": "gini"},
        "River's split_criterion='gini' is impurity='gini'",
    ),
    (rp.HoeffdingTree, {"split_criterion": "info_gain"}, "is impurity='entropy' here"),
    (
        rp.HoeffdingTree,
        {"split_criterion": "hellinger"},
        "River's split_criterion is impurity here",
    ),
    (rp.VFDT, {"leaf_prediction": "mc"}, "is leaf='majority' here"),
    (rp.VFDT, {"leaf_prediction": "nba"}, "is leaf='adaptive' here"),
    (rp.VFDT, {"max_size": 100.0}, 'is max_bytes="100MiB" here'),
    (rp.VFDT, {"binary_split": True}, "is categorical_cuts='one-against-rest' here; HoeffdingTree"),
    (rp.VFDT, {"nominal_attributes": ["sky"]}, "is categorical_features=['sky'] here"),
    (rp.HAT, {"seed": 7}, "River's seed=7 is random_state=7 here"),
    (
        rp.HAT,
        {"drift_window_threshold": 300},
        "is adaptation=rp.adaptation.Alternates(switch_after=300)",
    ),
    (rp.EFDT, {"min_samples_reevaluate": 50}, "is adaptation=rp.adaptation.Reevaluation(every=50)"),
    (rp.StreamForest, {"n_models": 5}, "River's n_models=5 is n_estimators=5 here"),
    (rp.AdaptiveRandomForest, {"lambda_value": 6}, "is rate=6 here"),
    (
        rp.AdaptiveRandomForest,
        {"disable_weighted_vote": True},
        "is weighted_votes=False here; Forest",
    ),
    (
        rp.AdaptiveRandomForest,
        {"split_criterion": "gini"},
        "it is a parameter of the trees: estimator=rp.HoeffdingTree(impurity='gini')",
    ),
    (rp.AdaptiveRandomForest, {"grace_period": 20}, "estimator=rp.HoeffdingTree(grace_period=20)"),
    (
        rp.StreamForest,
        {"tau": 0.1},
        "those of rp.Forest(estimator=rp.HoeffdingTree(tau=0.1)) are not",
    ),
    (
        rp.HoeffdingTree,
        {"criterion": "log_loss"},
        "scikit-learn's criterion='log_loss' is impurity='ent",
    ),
    (rp.HoeffdingTree, {"max_leaf_nodes": 9}, "is max_leaves=9 here"),
    (
        rp.HoeffdingTree,
        {"min_samples_leaf": 9},
        "it is not needed: a leaf is checked every grace_period",
    ),
    (rp.VFDT, {"tieThreshold": 0.1}, "MOA's tieThreshold=0.1 is tau=0.1 here"),
    (rp.VFDT, {"confidence": 1e-7}, "CapyMOA's confidence=1e-07 is delta=1e-07 here"),
    (rp.VFDT, {"memory_estimate_period": 10}, "max_bytes holds after every row"),
    (rp.ITI, {"seed": 1}, "is random_state=1 here; ITI has no random_state"),
    (
        rp.StreamTree,
        {"epsilons": 2},
        "; HoeffdingTree has it",
    ),
    (rp.VFDT, {"grace_perod": 20}, "did you mean 'grace_period'?"),
]


@pytest.mark.parametrize(("cls", "given", "text"), MEANT, ids=[str(m[1]) for m in MEANT])
def test_a_name_of_another_library_is_answered_with_ours(cls, given, text):
    (name,) = given
    with pytest.raises(TypeError, match=re.escape(text)) as caught:
        cls(**given)
    assert str(caught.value).startswith(f"{cls.__name__} has no parameter {name!r}; ")
    with pytest.raises(ValueError, match=re.escape(text)):
        cls().set_params(**given)


def test_a_name_without_meaning_is_refused_plainly():
    with pytest.raises(TypeError, match=r"^VFDT has no parameter 'nonsense'$"):
        MODELS["VFDT"](nonsense=1)


def test_every_translation_leads_to_a_parameter_that_some_model_has():
    ours = {name for model in MODELS.values() for name in model().get_params(deep=False)}
    assert {other.name for other in PARAMETERS.values()} <= ours
    assert not (ours & {*PARAMETERS, *NOT_NEEDED}), "a name of ours is not a name of others"


def test_the_signature_is_the_one_of_the_class():
    assert "grace_period" in inspect.signature(rp.HoeffdingTree).parameters
    assert "grace_period" in inspect.signature(rp.VFDT).parameters
    with pytest.raises(TypeError, match="positional"):
        rp.VFDT(50)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_of_another_library_points_to_ours(name):
    library, written = CLASSES[name]
    assert not hasattr(rp, name)
    with pytest.raises(AttributeError, match=re.escape(f"; {library}'s {name} is {written}")):
        getattr(rp, name)
    model = eval(written, {"rp": rp})
    assert type(model).__name__ in MODELS
    with pytest.raises(ValueError, match=re.escape(written)):
        parse_model(name)


def test_an_import_of_such_a_class_points_to_ours_too():
    with pytest.raises(ImportError, match=r"River's ARFClassifier is rp\.AdaptiveRandomForest"):
        from riparian import ARFClassifier  # type: ignore[attr-defined]  # noqa: F401
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        from riparian import nonsense  # type: ignore[attr-defined]  # noqa: F401


def test_a_slip_of_the_pen_is_answered_with_the_nearest_name():
    with pytest.raises(AttributeError, match=r"did you mean rp\.StreamTree\?"):
        _ = rp.StreamTre  # type: ignore[attr-defined]


def test_the_command_line_answers_the_same(tmp_path):
    found = subprocess.run(
        [sys.executable, "-m", "riparian", "compare", "--model", "OnlineBagging(n_models=3)"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1
    assert "River's n_models=3 is n_estimators=3 here" in found.stderr
