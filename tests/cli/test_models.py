"""Every model of the package from the shell: its parameters, its words, wrong ones."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import riparian as rp
from riparian.cli.app import app
from riparian.cli.parse_models import parse_model, parse_value
from riparian.models.registry import GROUPS, MODELS, RECIPES


def call(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def ran(*arguments):
    done = call(*arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def learned(tmp_path, name, *assignments):
    out = tmp_path / "m.rip"
    options = [text for assignment in assignments for text in ("--set", assignment)]
    ran("run", "synth:sea?rows=2000", "-q", "--recipe", name, *options, "--model-out", out)
    return rp.load(out)


def test_the_groups_are_all_models():
    names = [name for group in GROUPS.values() for name in group]
    assert sorted(names) == sorted(MODELS)


@pytest.mark.parametrize(
    ("name", "assignments", "parameters"),
    [
        (
            "AdaptiveRandomForest",
            ["n_estimators=3", "n-jobs=1", "rate=2.5", "leaf_features=sqrt", "warning=none"],
            {"n_estimators": 3, "rate": 2.5, "leaf_features": "sqrt", "warning": None},
        ),
        (
            "Forest",
            ["features=0.5", "replacement=worst", "drift=0.002", "weighted_votes=false"],
            {"features": 0.5, "replacement": "worst", "drift": 0.002, "weighted_votes": False},
        ),
        (
            "AccuracyWeightedEnsemble",
            ["chunk_size=200", "n_stored=20", "n_folds=3", "epochs=2"],
            {"chunk_size": 200, "n_stored": 20, "n_folds": 3, "epochs": 2},
        ),
        (
            "UFFT",
            ["n_min=fixed", "grace_period=100", "memory=tree", "leaf=majority,naive-bayes"],
            {"n_min": "fixed", "memory": "tree", "leaf": ("majority", "naive-bayes")},
        ),
        (
            "ITI",
            ["metric=entropy", "lazy=true", "max_examples=100"],
            {"metric": "entropy", "lazy": True, "max_examples": 100},
        ),
        ("ID4", ["alpha=0.01", "count_when_pure=False"], {"alpha": 0.01}),
        ("OADT", ["depth=3", "slope=4", "loss=squared"], {"depth": 3, "loss": "squared"}),
        ("VFDT", ["tau=0.2", 'costs={"0,1": 5}'], {"tau": 0.2, "costs": {(0, 1): 5}}),
    ],
)
def test_any_parameter_of_any_model_can_be_set(tmp_path, name, assignments, parameters):
    model = learned(tmp_path, name, *assignments)
    assert type(model).__name__ == name
    assert parameters.items() <= model.get_params(deep=False).items()


@pytest.mark.parametrize("name", sorted(set(MODELS) - set(RECIPES)))
def test_every_other_model_runs_is_shown_and_predicts(tmp_path, name):
    out, page, rows = tmp_path / "m.rip", tmp_path / "r.html", tmp_path / "rows.csv"
    options = ["--rows", 400, "-q", "--model-out", out, "--report", page]
    assert ran("run", "synth:sea", "--recipe", name, *options).startswith(f"{name} on synth:sea")
    assert ran("show", out).startswith(f"{name} in ")
    assert json.loads(ran("show", out, "--json"))["model"] == name
    assert page.read_text().startswith("<!DOCTYPE html>")
    ran("generate", "synth:sea", "--rows", 20, "--out", rows)
    assert len(ran("predict", out, rows).splitlines()) == 21


def test_members_and_detectors_are_written_as_in_python(tmp_path):
    model = learned(
        tmp_path,
        "AdaptiveRandomForest",
        "estimator=VFDT(tau=0.1, leaf=majority)",
        "drift=DDM(warm_start=50)",
        "warning=ADWIN",
        "n_estimators=3",
    )
    assert isinstance(model.estimator, rp.VFDT)
    assert (model.estimator.tau, model.estimator.leaf) == (0.1, "majority")
    assert (repr(model.drift), repr(model.warning)) == ("DDM(warm_start=50)", "ADWIN()")


def test_values_are_read_and_never_run(tmp_path):
    assert parse_value("[1, 'a']") == [1, "a"]
    assert parse_value("null") is None
    for text in ("__import__('os').system('true')", "open('x')", "1 + 1", "lambda: 0", "(" * 300):
        try:
            found = parse_value(text)
        except ValueError:  # a call of what is no model
            continue
        assert found == text
    assert parse_model("VFDT(leaf=('majority', 'linear-units'), tau=0.1)").leaf == (
        "majority",
        "linear-units",
    )
    assert parse_model("OnlineBagging(estimator=HAT(leaf='a,b'), n_estimators=2)").n_estimators == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "n_estimator=5"], "'n_estimators', 'n_jobs'"),
        (["--set", "n_estimator=5"], "did you mean 'n_estimators'?"),
        (["--set", "depth=5"], "a parameter of AdaptiveRandomForest must be one of"),
        (["--set", "n_estimators"], "must be name=value"),
        (["--set", "rate=1", "--set", "rate=2"], "is given twice"),
        (
            ["--random-state", "1", "--set", "random_state=2"],
            "random_state is also set by --random-state",
        ),
        (["--set", "estimator=VFTD(tau=1)"], "did you mean 'VFDT'?"),
        (["--set", "drift=DDM(warm=3)"], "a parameter of DDM must be one of"),
        (["--set", "costs={"], "costs must be JSON"),
        (["--tau", "0.1"], "its members have: --set 'estimator=HoeffdingTree(tau=...)'"),
    ],
)
def test_wrong_assignments_are_status_2_and_name_the_rule(arguments, said):
    done = call("run", "synth:sea?rows=100", "--recipe", "AdaptiveRandomForest", *arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("n_estimators=x", "n_estimators must be a whole number from 1 to 10,000, got 'x'"),
        ("estimator=VFTD", "estimator must be a HoeffdingTree or one of its recipes"),
        ("drift=DDMM", "drift must be a detector of riparian.drift"),
    ],
)
def test_wrong_values_are_one_line_of_the_models_own(assignment, said):
    done = call("run", "synth:sea?rows=9", "--recipe", "AdaptiveRandomForest", "--set", assignment)
    assert done.exit_code == 1
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_models_are_listed_and_told():
    text = ran("models")
    for name in MODELS:
        assert f"  {name} " in text
    assert "Trees that follow change\n" in text
    assert "`" not in text
    told = ran("models", "AdaptiveRandomForest")
    assert "  leaf_features=0.6\n" in told
    assert "Number of members." in told
    assert ">>>" not in told
    assert "did you mean 'VFDT'?" in call("models", "VFTD").stderr


def test_compare_takes_forests_with_members():
    table = json.loads(
        ran(
            *("compare", "--model", "VFDT", "--stream", "synth:sea", "--rows", 500, "--seeds", 1),
            *("--model", "OnlineBagging(estimator=HAT(tau=0.1), n_estimators=2)", "--json", "-q"),
        )
    )
    assert len(table["runs"]) == 2
