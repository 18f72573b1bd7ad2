"""HAT against its reference: every answer, every replacement, the tree that is left."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Alternates, Window
from riparian.storage.modelfile import to_bytes
from tests import inside
from tests.compositions import policies_of
from tests.reference.hat import AlternatesReference
from tests.replacing import assert_same_replacements, assert_saved_in_parts
from tests.split_by_split import TESTS, axes_of

GROWTH = {"grace_period": 40, "delta": 0.01, "tau": 0.2}
ALTERNATES = Alternates(switch_after=60, drift_delta=0.05)
QUICK: dict[str, Any] = {**GROWTH, "adaptation": ALTERNATES}


def turning(n, seed=0, every=700, noise=0.05):
    """A number and two categories; first one and then the other decides the class."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random(n), rng.integers(0, 3, n), rng.integers(0, 2, n)])
    first = (np.arange(n) // every) % 2 == 0
    y = np.where(first, (X[:, 0] > 0.4) ^ (X[:, 1] == 1), (X[:, 2] == 1) ^ (X[:, 0] > 0.7))
    return X, (y ^ (rng.random(n) < noise)).astype(int)


def both(n, **options):
    X, y = turning(n)
    options = QUICK | options
    model = rp.HAT(categorical_features=[1, 2], **policies_of(options, rp.HAT))
    axes = axes_of(model, "drift_delta", "switch_delta", "switch_after")
    reference = AlternatesReference(
        ["numeric", "categorical", "categorical"],
        replace_by=options["adaptation"].replace_by,
        **axes,
    )
    answers = model.prequential(X, y)
    expected = []
    label, codes = {}, [{}, {}]
    for row, k in zip(X.tolist(), y.tolist(), strict=True):
        coded = [row[0], *(c.setdefault(v, len(c)) for c, v in zip(codes, row[1:], strict=True))]
        expected.append(reference.predict(coded))
        reference.learn(coded, label.setdefault(k, len(label)))
    return model, reference, [label[k] for k in answers.tolist()], expected


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"leaf": "majority"},
        {"impurity": "gini", "bound": "confidence", "tau": 0.7},
        {"leaf": "naive-bayes", "adaptive_grace": True},
        {"adaptation": ALTERNATES.replace(replace_by="betting")},
        {
            "adaptation": ALTERNATES.replace(replace_by="betting", switch_after=0),
            "leaf": "majority",
        },
    ],
    ids=str,
)
def test_hat_is_the_tree_of_the_reference(options):
    model, reference, answers, expected = both(4000, **options)
    assert answers[1:] == expected[1:]
    assert_same_replacements(model, reference)
    assert reference.counts["replaced"] >= 1
    nodes = inside.nodes(model)
    inner = np.flatnonzero(nodes["test"])
    got = {(nodes["depth"][i], nodes["feature"][i], TESTS[int(nodes["test"][i])]) for i in inner}
    assert got == {t[:3] for t in reference.cuts()}
    assert model.n_leaves_ == reference.leaves(reference.root)


def test_an_alternate_changes_nothing_until_it_has_won():
    X, y = turning(2000)
    late = ALTERNATES.replace(switch_after=1e6)
    model = rp.HAT(categorical_features=[1, 2], **QUICK | {"adaptation": late}).fit(X, y)
    plain = rp.HoeffdingTree(
        categorical_features=[1, 2],
        **GROWTH,
    ).fit(X, y)
    assert model.change_counts()["started"] > 0
    assert model.export_text() == plain.export_text()
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    # Checks of alternates spend delta too.
    spent = [dataclasses.replace(s, delta_spent=0.0) for s in model.splits()]
    assert spent == [dataclasses.replace(s, delta_spent=0.0) for s in plain.splits()]


def test_a_stationary_stream_starts_few_alternates_and_replaces_nothing():
    started = 0
    for seed in range(10):
        X, y = turning(20_000, seed=seed, every=20_000)
        model = rp.HAT(categorical_features=[1, 2], grace_period=100).fit(X, y)
        started += model.change_counts()["started"]
        assert not model.changes()
    assert started <= 5


def test_bets_survive_their_file_and_batches_do_not_matter(tmp_path):
    X, y = turning(6000)
    betting = QUICK | {"adaptation": ALTERNATES.replace(replace_by="betting")}
    assert_saved_in_parts(
        lambda: rp.HAT(categorical_features=[1, 2], **betting), X, y, tmp_path / "hat.rip"
    )


def test_equal_features_start_no_alternates():
    rng = np.random.default_rng(6)
    x = rng.random(60_000)
    y = ((x > 0.37) ^ (rng.random(len(x)) < 0.2)).astype(int)
    model = rp.HAT().partial_fit(np.column_stack([x, x, x]), y)
    assert model.n_leaves_ > 1
    assert model.change_counts()["started"] <= 2


def test_the_change_is_told_in_words():
    X, y = turning(3000)
    model = rp.HAT(categorical_features=[1, 2], **QUICK).fit(X, y)
    first = model.changes()[0]
    assert first.kind == "replaced"
    assert first.measure == "error"
    assert first.value_after < first.value_before - first.bound
    assert str(first).startswith(f"{first.seen:,}: {first.where}: replaced {first.before}")
    assert set(model.changes().table()) >= {"seen", "where", "before", "after"}


def test_history_is_bounded_and_survives_saving(tmp_path):
    X, y = turning(60_000, every=300)
    early = ALTERNATES.replace(switch_after=20)
    model = rp.HAT(categorical_features=[1, 2], **QUICK | {"adaptation": early}).fit(X, y)
    counts = model.change_counts()
    assert len(model.changes()) == min(500, counts["replaced"])
    model.save(tmp_path / "hat.rip")
    again = rp.load(tmp_path / "hat.rip")
    assert again.changes() == model.changes()
    assert again.change_counts() == counts
    for m in (model, again):
        m.partial_fit(X[:5000], y[:5000])
    assert to_bytes(model) == to_bytes(again)


def test_max_leaves_holds_for_what_answers():
    X, y = turning(8000)
    model = rp.HAT(categorical_features=[1, 2], max_leaves=4, **QUICK)
    for i in range(0, len(y), 100):
        model.partial_fit(X[i : i + 100], y[i : i + 100], classes=[0, 1])
        assert model.n_leaves_ <= 4
    assert model.change_counts()["replaced"] > 0


def test_it_follows_change_under_a_limit_of_memory():
    X, y = turning(30_000, every=5000)
    free = rp.HAT(categorical_features=[1, 2], grace_period=50, delta=1e-3, tau=0.1)
    model = free.__class__(**free.get_params(deep=False) | {"max_bytes": 60_000})
    right, held = [], []
    for i in range(0, len(y), 500):
        right.append(np.mean(model.prequential(X[i : i + 500], y[i : i + 500]) == y[i : i + 500]))
        held.append(model.memory_bytes_)
    assert max(held) <= 60_000
    assert np.mean(right) > np.mean(free.prequential(X, y) == y) - 0.05
    assert model.change_counts()["replaced"] > 0


def test_short_memory_is_refused():
    with pytest.raises(ValueError, match="short_memory=10 needs adaptation='none'"):
        rp.HAT(short_memory=10).fit([[0.0], [1.0]], [0, 1])


def test_changes_are_shown_in_the_plot_the_report_and_on_the_command_line(tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    from typer.testing import CliRunner

    from riparian.cli.app import app

    X, y = turning(6000)
    model = rp.HAT(categorical_features=[1, 2], **QUICK)
    result = rp.evaluate.prequential(model, rp.streams.from_arrays(X, y), progress=False)
    upper, lower = result.plot(model=model)
    marks = [line for line in lower.lines if len(set(line.get_xdata())) == 1]
    assert [line.get_xdata()[0] for line in marks] == [c.seen for c in model.changes()]
    assert "change" in upper.get_legend_handles_labels()[1]
    result.to_html(tmp_path / "report.html", model)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Changes of the tree" in page
    assert f"{model.change_counts()['replaced']} replaced" in page
    model.save(tmp_path / "hat.rip")
    told = CliRunner().invoke(app, ["show", str(tmp_path / "hat.rip"), "--changes"]).output
    for change in model.changes():
        assert str(change) in told
    rp.VFDT().fit(X, y).save(tmp_path / "vfdt.rip")
    told = CliRunner().invoke(app, ["show", str(tmp_path / "vfdt.rip"), "--changes"]).output
    assert "This model records no changes." in told


SLIDING = Window(size=500, validity_period=200, test_period=300, test_size=50)


@pytest.mark.parametrize(
    "model",
    [rp.HAT(**QUICK), rp.CVFDT(adaptation=SLIDING, **GROWTH)],
    ids=["HAT", "CVFDT"],
)
def test_leaves_beside_a_node_are_not_counted_as_active(model):
    X, y = turning(6000)
    model.set_params(categorical_features=[1, 2])
    alternates = 0
    for start in range(0, len(y), 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100])
        assert model.n_active_leaves_ == model.n_leaves_
        alternates += len(inside.snapshot(model)["test"]) > model.n_nodes_
    assert alternates > 0


def test_bets_replace_few_subtrees_where_none_is_better():
    """Labels do not depend on the features; ties split, and alternates start for nothing."""
    counts = {}
    for rule, wait in (("betting", 0), ("interval", 20)):
        totals = {"started": 0, "replaced": 0}
        for seed in range(12):
            rng = np.random.default_rng(seed)
            X, y = rng.normal(size=(4000, 3)), rng.integers(2, size=4000)
            how = Alternates(replace_by=rule, drift_delta=0.9, switch_after=wait, switch_delta=0.05)
            model = rp.HAT(
                grace_period=100, tau=1.0, leaf="majority", max_leaves=4, adaptation=how
            ).fit(X, y)
            for kind in totals:
                totals[kind] += model.change_counts()[kind]
        counts[rule] = totals
    assert counts["betting"]["started"] > 40
    assert counts["betting"]["replaced"] <= 0.05 * counts["betting"]["started"]
    assert counts["interval"]["replaced"] > 0.1 * counts["interval"]["started"]
