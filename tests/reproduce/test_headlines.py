"""The headline tables: each figure is the prequential error of a model on a stream."""

import numpy as np
import pytest
from riparian_experiments import datasets
from riparian_experiments.reproduce import EXPERIMENTS, Run
from riparian_experiments.reproduce.vfdt import binary_tree

from riparian import CVFDT, EFDT, VFDT, streams
from riparian.evaluate import prequential


@pytest.fixture(autouse=True)
def no_data(monkeypatch):
    monkeypatch.setattr(datasets, "where", lambda name: None)


def rows_of(outcome):
    return {row[0]: row[1:] for row in outcome.tables[0].rows}


def test_the_figures_are_the_errors_and_nodes_of_the_models():
    outcome = EXPERIMENTS["cvfdt-hyperplane"](Run(seed=3, changes={"rows": "6000"}))
    stream = streams.hyperplane(n_features=10, n_drifting=2, speed=1 / 6000, seed=3)
    want_errors, want_nodes = [], []
    for model in (CVFDT(leaf="majority"), VFDT(grace_period=300, delta=1e-4)):
        result = prequential(model, stream, rows=6000, progress=False)
        want_errors.append(f"{1 - result.accuracy:.2%}")
        want_nodes.append(f"{model.n_nodes_:,}")
    errors, nodes = outcome.tables
    assert errors.rows[0] == ("10 features", *want_errors)
    assert nodes.rows[0] == ("10 features", *want_nodes)


def test_several_seeds_are_averaged():
    size = {"rows": "1500", "seeds": "2"}
    found = rows_of(EXPERIMENTS["efdt-errors"](Run(changes=size)))
    error = np.mean(
        [
            1 - prequential(EFDT(), streams.led(seed=seed), rows=1500, progress=False).accuracy
            for seed in (0, 1)
        ]
    )
    assert found["LED (generated)"][0] == f"{error:.2%}"


def test_data_sets_that_are_not_there_are_left_out_and_named():
    outcome = EXPERIMENTS["efdt-errors"](Run(changes={"rows": "500"}))
    assert "cover type" not in rows_of(outcome)
    assert any("left out: cover type, cover type (shuffled)" in note for note in outcome.notes)


def test_data_sets_that_are_there_are_read(tmp_path, monkeypatch):
    asked = []

    def load(name, *, shuffle):
        asked.append((name, shuffle))
        return streams.gaussian_clusters(n_features=3, n_classes=2, seed=1, n_rows=300)

    monkeypatch.setattr(datasets, "where", lambda name: tmp_path)
    monkeypatch.setattr(datasets, "load", load)
    outcome = EXPERIMENTS["efdt-errors"](Run(seed=71, changes={"rows": "300"}))
    # Each is read once for both models.
    assert asked == [("covertype", None), ("covertype", 71)]
    assert set(rows_of(outcome)) > {"cover type", "cover type (shuffled)"}


def test_the_claims_follow_from_the_errors():
    outcome = EXPERIMENTS["arf-streams"](Run(changes={"rows": "400", "members": "2"}))
    mean = {
        name: float(cell.rstrip("%"))
        for name, cell in zip(outcome.tables[0].heads[1:], rows_of(outcome)["mean"], strict=True)
    }
    lowest = min(mean, key=mean.__getitem__)
    assert f"({lowest} {mean[lowest]:.2f}%" in outcome.claims[1]
    assert ("lowest: holds" in outcome.claims[1]) == (lowest == "ARF")
    outcome = EXPERIMENTS["hat-sea"](Run(changes={"rows": "3000"}))
    errors = rows_of(outcome)
    as_number = {name: [float(cell.rstrip("%")) for cell in row] for name, row in errors.items()}
    worse = any(row[0] > min(row[1:]) for name, row in as_number.items() if name != "mean")
    assert ("does not hold" in outcome.claims[0]) == worse


def test_a_tree_over_binary_features_labels_the_rows():
    X, y = binary_tree(4, noise=0.0).take(30_000)
    # Without noise a row that is drawn twice has one label, and the classes are both frequent.
    assert 0.2 < y.mean() < 0.8
    again, labels = binary_tree(4, noise=0.0).take(30_000)
    assert np.array_equal(X, again)
    assert np.array_equal(y, labels)
    noisy = binary_tree(4, noise=1.0).take(30_000)[1]
    assert np.mean(noisy == y) == pytest.approx(0.5, abs=0.02)
    some = binary_tree(4, noise=0.1).take(30_000)[1]
    assert np.mean(some == y) == pytest.approx(0.95, abs=0.01)
    # The three tests at the top decide more than any other feature does.
    gaps = np.abs([y[X[:, f] == 1].mean() - y[X[:, f] == 0].mean() for f in range(100)])
    assert gaps.max() > 4 * np.median(gaps)


def test_the_batch_learner_stops_at_its_limit():
    size = {"concepts": "1", "examples": "1000,2000,4000", "batch": "2000"}
    rows = EXPERIMENTS["vfdt-growth"](Run(changes=size)).tables[0].rows
    assert [row[0] for row in rows] == ["1,000", "2,000", "4,000"]
    assert rows[0][2] != rows[1][2] == rows[2][2]
