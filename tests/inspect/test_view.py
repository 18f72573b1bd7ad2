"""One view of a model serves terminal, report, notebook and JSON."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import riparian as rp
from riparian.models.registry import MODELS
from riparian.show import view as view_module
from riparian.show.as_json import model_dict
from riparian.show.view import ModelView
from riparian.streams import sea

SHOW = Path(view_module.__file__).parent


@pytest.fixture(scope="module")
def rows():
    X, y = sea(seed=3).take(600)
    return X, np.where(y > 0, "high", "low")


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_model_has_sizes_and_something_to_look_at(name, rows):
    X, y = rows
    model = MODELS[name]().fit(X.round(), y)
    view = ModelView(model)
    assert view.parts.tree is not None or view.parts.text is not None
    totals = dict(view.totals())
    assert totals["examples"] == "600"
    assert totals["classes"] == "2"
    assert totals["leaves"] == f"{model.n_leaves_:,}"
    assert totals["depth"] == f"{model.depth_:,}"
    assert model_dict(model, n_splits=1)["leaves"] == model.n_leaves_


def test_a_view_does_not_change_when_the_model_learns_on(rows):
    model = rp.VFDT(grace_period=50, delta=0.1).fit(*rows)
    view = ModelView(model)
    before = (view.totals(), len(view.parts.tree), list(view.parts.splits))
    model.partial_fit(*sea(seed=4).take(5_000))
    assert ModelView(model).totals() != before[0]
    assert (view.totals(), len(view.parts.tree), list(view.parts.splits)) == before


def test_a_classifier_of_another_library_shows_its_parameters():
    view = ModelView(GaussianNB(var_smoothing=0.5))
    assert (view.name, view.parts, view.totals()) == ("GaussianNB", None, [])
    assert view.parameter_texts(changed=True) == [("var_smoothing", "0.5")]


def test_parameters_are_written_as_in_a_call():
    def mine(n, delta, gain_range):
        return n

    view = ModelView(rp.HoeffdingTree(bound=mine, leaf="majority", tau=0.1))
    assert view.parameter_texts(changed=True) == [
        ("bound", "mine"),
        ("leaf", "'majority'"),
        ("tau", "0.1"),
    ]


@pytest.mark.parametrize("n", [0, 1, 3, 1000])
def test_the_last_splits_are_the_newest(n):
    model = rp.VFDT().fit(*sea(seed=1).take(30_000))
    rows = [split.seen for split in model.splits()]
    assert len(rows) > 3
    newest = [split.seen for split in ModelView(model).last_splits(n)]
    assert newest == rows[max(len(rows) - n, 0) :]


def test_what_shows_a_model_does_not_ask_for_its_type():
    """A new model needs no change in this folder: models declare what they have to show."""
    for path in SHOW.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "riparian.models"
            ):
                assert node.module == "riparian.models.parts", path.name
