"""What people see of a forest: a table of its trees, the tree that counts most, all as text."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import riparian as rp
from riparian.adaptation import Alternates, Window
from riparian.show.as_json import model_dict
from riparian.show.report import report_html
from riparian.show.summary import print_model
from riparian.show.view import ModelView
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    y = np.array(["<calm>", "flood", "watch"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
    return X, y


FORESTS: list[Any] = [
    rp.AdaptiveRandomForest(n_estimators=4),
    rp.OnlineBagging(n_estimators=3),
    rp.AccuracyWeightedEnsemble(chunk_size=500, n_estimators=2),
    rp.UFFT(n_min="fixed", grace_period=200, drift=0.01),
]


@pytest.fixture(scope="module", params=FORESTS, ids=lambda m: type(m).__name__)
def forest(request, data):
    return request.param.fit(*data)


def member_columns(model):
    return ModelView(model).parts.member_columns


def shown(model, **options):
    file = io.StringIO()
    console = Console(width=200, file=file)
    print_model(console, "m.rip", model, n_splits=3, max_depth=2, **options)
    return file.getvalue()


def test_a_row_a_tree(forest):
    columns = member_columns(forest)
    assert {len(texts) for texts in columns.values()} == {len(forest.members())}
    assert sum(int(text) for text in columns["leaves"]) == forest.n_leaves_
    assert max(int(text) for text in columns["depth"]) == forest.depth_


def test_columns_are_those_that_the_model_has(data):
    heads = ["leaves", "depth", "weight", "of the vote"]
    found = {type(m).__name__: list(member_columns(m.fit(*data))) for m in FORESTS}
    assert found == {
        "AdaptiveRandomForest": ["member", *heads, "accuracy", "replaced"],
        "OnlineBagging": ["member", *heads, "accuracy"],
        "AccuracyWeightedEnsemble": ["member", *heads, "chunk"],
        "UFFT": ["pair", "leaves", "depth", "replaced"],
    }


def test_only_the_best_chunks_vote(data):
    model = rp.AccuracyWeightedEnsemble(chunk_size=500, n_estimators=2).fit(*data)
    columns = member_columns(model)
    assert len(columns["member"]) == 8
    assert columns["of the vote"][2:] == ["0%"] * 6
    assert ModelView(model).parts.tree_title == "The tree of member 0"


def test_notebooks_and_reports_show_members_and_a_tree(forest):
    for page in (forest._repr_html_(), report_html(forest, rp.evaluate.Result(), "t")):
        head = next(iter(member_columns(forest)))
        assert re.search(f"<th scope='col'[^>]*>{head}</th>", page)
        assert page.count("<svg") == 1
        assert "<calm>" not in page
    assert "svg" not in type(forest)()._repr_html_()


def test_show_prints_the_table(forest):
    text = shown(forest)
    columns = member_columns(forest)
    line = next(line for line in text.splitlines() if line.split()[:1] == [next(iter(columns))])
    assert [head for head in columns if head in line] == list(columns)
    assert f"{len(forest.members())} members" in text
    assert len(model_dict(forest, n_splits=1)["members"]) == len(forest.members())


def test_text_and_drawings_of_members(forest):
    trees = forest.estimators_
    text = forest.export_text(max_depth=1)
    for member, tree in zip(forest.members(), trees, strict=True):
        assert f"{member}\n{tree.export_text(max_depth=1)}" in text
    assert forest.export_text(member=1) == trees[1].export_text()
    assert forest.export_graphviz(member=1) == trees[1].export_graphviz()
    assert forest.export_text(member=np.int64(1)) == trees[1].export_text()


def test_the_picture_of_a_member_is_that_of_its_tree(forest):
    plt = pytest.importorskip("matplotlib.pyplot")
    _, (of_forest, of_tree) = plt.subplots(1, 2)
    assert forest.plot(of_forest, member=1, max_depth=2) is of_forest
    forest.estimators_[1].plot(of_tree, max_depth=2)
    texts = [[text.get_text() for text in ax.texts] for ax in (of_forest, of_tree)]
    plt.close("all")
    assert texts[0] == texts[1]
    assert len(texts[0]) > 3


@pytest.mark.parametrize("member", [99, -1, "a", 1.0, True])
def test_a_member_that_there_is_not_is_refused(forest, member):
    last = len(forest.members()) - 1
    rule = re.escape(f"member must be a whole number from 0 to {last}, got {member!r}")
    for export in (forest.export_text, forest.export_graphviz, forest.plot):
        with pytest.raises(ValueError, match=rule):
            export(member=member)


def test_a_forest_that_has_not_learned_says_so(forest):
    unfitted = clone(forest)
    for look in (
        unfitted.splits,
        unfitted.members,
        unfitted.export_text,
        lambda: unfitted.export_graphviz(member="a"),
    ):
        with pytest.raises(NotFittedError, match=f"This {type(forest).__name__} instance is not"):
            look()


def turned():
    """Rows whose classes change places in the middle."""
    X, y = rp.streams.sea(seed=1).take(6000)
    return X, np.where(np.arange(6000) < 3000, y, 1 - y)


def changes_of(model):
    return [
        line.strip() for line in shown(model, changes=True).partition("\nChanges\n")[2].splitlines()
    ]


def test_warnings_and_replacements_of_members_are_told():
    model = rp.AdaptiveRandomForest(n_estimators=4, random_state=1).fit(*turned())
    members = model.members()
    assert model.n_drifts_ >= 4
    assert sum(m.warnings for m in members) == model.n_warnings_
    assert changes_of(model) == [
        f"{model.n_warnings_} warnings, {model.n_drifts_} replacements",
        *(f"member {m.member}: 1 warning, 1 replacement" for m in members),
    ]
    assert "Changes" not in shown(model)
    told = model_dict(model, n_splits=1, changes=True)["members"]
    assert [(m["warnings"], m["drifts"]) for m in told] == [(1, 1)] * 4


def test_members_that_stayed_are_not_told():
    model = rp.LeveragingBagging(n_estimators=4).fit(*turned())
    replaced = [m for m in model.members() if m.drifts]
    assert 0 < len(replaced) < 4
    assert changes_of(model) == [
        "3 replacements",
        *(f"member {m.member}: 1 replacement" for m in replaced),
    ]


def test_a_pair_that_began_anew_is_told():
    model = rp.UFFT(n_min="fixed", grace_period=200, drift=0.01).fit(*turned())
    assert changes_of(model) == ["1 replacement", "pair 0 or 1: 1 replacement"]


def test_what_members_change_in_themselves_is_told():
    tree = rp.HAT(grace_period=50, delta=0.05, adaptation=Alternates(switch_after=50))
    model = rp.OnlineBagging(estimator=tree, n_estimators=3).fit(*turned())
    totals = [inside.engine(model).tree(m).change_totals() for m in range(3)]
    replaced = sum(of["replaced"] for of in totals)
    assert replaced > 0
    nobody, within = changes_of(model)
    assert nobody.endswith("(drift None), so no member is replaced.")
    assert within.startswith("Changes inside the present trees (adaptation alternates): ")
    assert f" {replaced} replaced" in within


def test_members_of_chunks_are_said_to_keep_what_they_learned(data):
    (told,) = changes_of(rp.AccuracyWeightedEnsemble(n_estimators=2).fit(*data))
    assert told == "A member is never replaced: its weight follows its accuracy on the last chunk."


@pytest.fixture(scope="module")
def crowded():
    """A forest whose limit of memory has put leaves to sleep."""
    X = np.random.default_rng(0).normal(size=(4000, 6))
    model = rp.Forest(max_bytes=420_000).fit(X, (X[:, 0] > 0) ^ (X[:, 1] > 0))
    trees = map(inside.engine(model).tree, range(10))
    assert any(tree.n_active_leaves < tree.n_leaves for tree in trees)
    return model


def test_the_size_of_a_forest_is_that_of_its_trees(forest):
    trees = forest.estimators_
    assert forest.n_nodes_ == sum(tree.n_nodes_ for tree in trees)
    assert forest.n_leaves_ == sum(tree.n_leaves_ for tree in trees) == forest.n_active_leaves_
    assert forest.n_nodes_ > forest.n_leaves_ > len(trees)
    told = model_dict(forest, n_splits=1)
    assert (told["nodes"], told["active_leaves"]) == (forest.n_nodes_, forest.n_active_leaves_)


def test_leaves_that_sleep_are_counted(crowded):
    active = sum(tree.n_active_leaves_ for tree in crowded.estimators_)
    assert 0 < crowded.n_active_leaves_ == active < crowded.n_leaves_
    assert f"{crowded.n_leaves_} leaves ({crowded.n_leaves_ - active} inactive), " in shown(crowded)
    assert f"<dt>active leaves</dt><dd>{active}</dd>" in report_html(
        crowded, rp.evaluate.Result(), "t"
    )


def test_leaves_beside_the_tree_are_not_counted():
    window = Window(size=3000, validity_period=300)
    tree = rp.CVFDT(adaptation=window, grace_period=50, delta=0.1, tau=0.2)
    forest = rp.OnlineBagging(estimator=tree, n_estimators=2)
    for model in (tree, forest):
        model.fit(*turned())
        assert model.n_active_leaves_ == model.n_leaves_
        assert "inactive" not in shown(model)
    assert len(inside.snapshot(tree)["test"]) > tree.n_nodes_


def test_members_whose_leaves_sleep_are_shown(crowded):
    text = crowded.export_text()
    assert [text.count(f"{m}\n") for m in crowded.members()] == [1] * 10
    assert crowded.export_graphviz(member=0).startswith("digraph")
    assert report_html(crowded, rp.evaluate.Result(), "t").count("<svg") == 1


def test_a_copy_of_a_member_sleeps_where_the_member_does_and_lives_within_its_limit(crowded):
    x = dict(enumerate([0.3, -0.4, 1.0, 0.0, -1.0, 0.2]))
    for member, (vote, copy) in enumerate(
        zip(crowded.explain_one(x), crowded.estimators_, strict=True)
    ):
        tree = inside.engine(crowded).tree(member)
        assert copy.n_active_leaves_ == tree.n_active_leaves
        assert copy.predict_proba_one(x) == vote.probabilities
        # It has names, which the forest holds for its members, and keeps what they derive.
        assert copy.max_bytes in (tree.max_bytes, 2 * tree.max_bytes)
        assert copy.max_bytes == tree.max_bytes or copy.memory_bytes_ > tree.max_bytes
        assert copy.memory_bytes_ <= copy.max_bytes
        assert to_bytes(from_bytes(to_bytes(copy))) == to_bytes(copy)


def test_a_forest_of_pairs_before_there_is_one():
    model = rp.UFFT().fit([[0.0], [1.0]], ["a", "a"])
    assert "examples" in model._repr_html_()
    assert "0 members" in shown(model)
    assert model.export_text() == ""
    with pytest.raises(ValueError, match="member=0: this UFFT has no members yet"):
        model.export_text(member=0)


def test_planes_are_shown(data):
    page = rp.OADT(depth=2).fit(*data)._repr_html_()
    assert "Planes" in page
    assert "&lt;calm&gt;" in page
