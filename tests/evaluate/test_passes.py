"""Test-then-train: the figures are those of a plain loop over the rows, whatever the blocks."""

import json
import os
import signal
import threading
import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix

import riparian
from riparian import evaluate
from riparian.evaluate import Result, prequential, steps
from riparian.streams import from_name


class Echo:
    """Says what column `said` holds, and grows a leaf every hundred rows."""

    def __init__(self):
        self.n_leaves_ = 1
        self.seen = []

    def prequential(self, X, y):
        said = X["said"] if isinstance(X, dict) else X[:, 0]
        self.seen.extend(np.asarray(y).tolist())
        self.n_leaves_ = 1 + len(self.seen) // 100
        return said


class Rows:
    """A stream of given labels and predictions."""

    def __init__(self, y, said):
        self.y, self.said = y, said

    def blocks(self, size):
        for start in range(0, len(self.y), size):
            part = slice(start, start + size)
            yield {"said": self.said[part]}, self.y[part]


def labelled(n, k=3, seed=0, words=False):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    said = np.where(rng.random(n) < 0.6, y, rng.integers(k, size=n))
    if words:
        names = np.array([f"class {i}" for i in range(k)], dtype=object)
        return names[y], names[said]
    return y, said


def run(y, said, **options):
    return prequential(Echo(), Rows(y, said), **options)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("k", [2, 3, 40])
def test_the_figures_are_those_of_scikit_learn(k, words):
    y, said = labelled(5000, k, words=words)
    result = run(y, said, block=700)
    labels, matrix = result.confusion
    assert result.n == 5000
    assert result.accuracy == accuracy_score(y, said)
    assert result.kappa == pytest.approx(cohen_kappa_score(y, said), abs=1e-12)
    assert labels == sorted(set(y.tolist()))
    np.testing.assert_array_equal(matrix, confusion_matrix(y, said, labels=labels))


def test_figures_worked_by_hand():
    y = np.array(["a", "a", "b", "a", "b", "b"], dtype=object)
    said = np.array([None, "a", "a", "a", "b", "a"], dtype=object)
    result = run(y, said)
    # No answer is wrong: 3 of 6 right. Chance: a 3/6 * 4/6 + b 3/6 * 1/6 = 15/36.
    assert result.accuracy == 0.5
    assert result.kappa == pytest.approx((1 / 2 - 15 / 36) / (1 - 15 / 36))
    labels, matrix = result.confusion
    assert labels == ["a", "b"]
    assert matrix.tolist() == [[2, 0], [2, 1]]
    # Majority so far: - a a a a a (a leads 3:1, then 3:2), right at rows 2 and 4.
    # The class before: - a a b a b, right at rows 2 and 6.
    assert result.baselines == {"majority class": 2 / 6, "no change": 2 / 6}


@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_baselines_are_those_of_a_plain_loop(k):
    y = np.random.default_rng(1).integers(k, size=3000)
    majority = no_change = 0
    counts = {}
    last = None
    for label in y.tolist():
        # The first of the most frequent, in the order of appearance.
        majority += bool(counts) and max(counts, key=counts.get) == label
        no_change += label == last
        counts[label] = counts.get(label, 0) + 1
        last = label
    result = run(y, y, block=333)
    assert result.baselines["majority class"] == majority / 3000
    assert result.baselines["no change"] == no_change / 3000


@pytest.mark.parametrize("block", [1, 7, 999, 10_000])
def test_the_size_of_the_blocks_changes_no_figure(block):
    y, said = labelled(4321)
    wanted = run(y, said, block=1000).to_dict()
    got = run(y, said, block=block).to_dict()
    for figures in (wanted, got):
        for name in ("seconds", "model_seconds", "rate"):
            figures.pop(name)
        figures["curve"].pop("seconds")
    # The baselines, too, although ties between classes depend on the order of appearance.
    assert got == wanted


def test_the_curve_has_the_accuracy_and_the_leaves_of_each_window():
    y, said = labelled(2500)
    curve = run(y, said, every=1000, block=10_000).curve
    right = y == said
    assert curve.rows.tolist() == [1000, 2000, 2500]
    wanted = [right[:1000].mean(), right[1000:2000].mean(), right[2000:].mean()]
    np.testing.assert_allclose(curve.accuracy, wanted)
    assert curve.leaves.tolist() == [11, 21, 26]


def test_a_long_curve_joins_its_windows_and_loses_no_row(monkeypatch):
    monkeypatch.setattr("riparian.evaluate.curve._MOST_POINTS", 8)
    y, said = labelled(30_500)
    result = run(y, said, block=1234)
    curve = result.curve
    ends = [*range(4000, 28_001, 4000), 30_500]
    assert result.window == 4000
    assert curve.rows.tolist() == ends
    right = np.add.reduceat((y == said).astype(float), [0, *ends[:-1]])
    np.testing.assert_allclose(curve.accuracy, right / np.diff(ends, prepend=0))


def test_a_curve_with_windows_of_its_own_is_not_joined(monkeypatch):
    monkeypatch.setattr("riparian.evaluate.curve._MOST_POINTS", 8)
    y, said = labelled(2000)
    assert len(run(y, said, every=100).curve.rows) == 20


def test_memory_does_not_grow_with_the_stream():
    def peak(n):
        class Endless:
            def blocks(self, size):
                y = np.arange(size) % 5
                for _ in range(n // size):
                    yield {"said": y}, y

        class Still:
            def prequential(self, X, y):
                return X["said"]

        tracemalloc.start()
        prequential(Still(), Endless(), block=1000, progress=False)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(10_000)
    assert peak(1_000_000) < 1.5 * peak(100_000) + 100_000


def test_many_classes_keep_their_sums_but_no_matrix():
    y = np.arange(3000)
    result = run(y, np.roll(y, 1), block=500)
    assert result.confusion is None
    assert result.accuracy == 0
    assert len(result.by_class) == 3000
    assert result.to_dict()["confusion"] is None


def test_rows_stops_the_stream_inside_a_block():
    y, said = labelled(5000)
    model = Echo()
    result = prequential(model, Rows(y, said), rows=1234, block=1000)
    assert result.n == 1234
    assert model.seen == y[:1234].tolist()


def test_an_empty_stream_has_no_figures():
    result = run(np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    figures = result.to_dict()
    assert figures["rows"] == 0
    assert figures["accuracy"] is None
    assert figures["kappa"] is None
    assert set(figures["curve"]) > {"rows", "accuracy", "leaves"}
    assert not any(figures["curve"].values())
    assert np.isnan(result.recent)


def test_one_class_has_no_kappa():
    result = run(np.zeros(10, dtype=int), np.zeros(10, dtype=int))
    assert result.accuracy == 1
    assert np.isnan(result.kappa)


def test_a_model_without_leaves_can_be_evaluated():
    class Plain:
        def prequential(self, X, y):
            return y

    y, _ = labelled(100)
    assert prequential(Plain(), Rows(y, y)).curve.leaves.tolist() == [-1]


def test_the_figures_fit_into_json():
    y, said = labelled(2000, words=True)
    figures = json.loads(json.dumps(run(y, said).to_dict(), allow_nan=False))
    assert figures["rows"] == 2000
    assert figures["confusion"]["labels"] == ["class 0", "class 1", "class 2"]
    assert sum(map(sum, figures["confusion"]["matrix"])) == 2000
    assert figures["rate"] > 0


def test_labels_that_cannot_be_sorted_keep_their_order():
    y = np.array([1, "1", 2], dtype=object)
    assert run(y, y).labels == [1, "1", 2]


@pytest.mark.parametrize(("option", "value"), [("block", 0), ("rows", 0), ("every", 0)])
def test_sizes_are_at_least_one(option, value):
    with pytest.raises(ValueError, match=f"{option} must be at least 1, got 0"):
        run(*labelled(10), **{option: value})


def test_the_first_row_of_a_new_model_is_not_predicted():
    X, _ = from_name("synth:sea?rows=3").take(3)

    class Same:
        def blocks(self, size):
            yield X, np.array([7, 7, 7])

    model = riparian.VFDT()
    assert prequential(model, Same()).correct == 2
    assert prequential(model, Same()).correct == 3


def test_a_generated_stream_brings_its_names_and_classes():
    X, y = next(evaluate.named_blocks(from_name("synth:drifting?rows=50"), 20))
    assert len(X["rain_mm"]) == 20
    assert set(y.tolist()) <= {"calm", "watch", "flood"}
    X, y = next(evaluate.named_blocks(from_name("synth:sea?rows=50"), 20))
    assert X.shape == (20, 3)
    assert y.dtype == np.int64


def test_an_interrupt_waits_until_the_block_is_learned_and_counted():
    class Interrupted(Echo):
        def prequential(self, X, y):
            if len(self.seen) == 2000:
                os.kill(os.getpid(), signal.SIGINT)
            return super().prequential(X, y)

    y, said = labelled(10_000)
    model, result = Interrupted(), Result()
    with pytest.raises(KeyboardInterrupt):
        for _ in steps(model, Rows(y, said), result, block=1000):
            pass
    assert result.n == len(model.seen) == 3000
    assert result.accuracy == (y == said)[:3000].mean()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_runs_in_other_threads_too():
    found = []
    thread = threading.Thread(target=lambda: found.append(run(*labelled(1000)).n))
    thread.start()
    thread.join()
    assert found == [1000]


def test_progress_is_told_in_lines_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr("riparian.show.progress._LINE_SECONDS", 0.0)
    run(*labelled(5000), rows=4000, block=1000, progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("riparian:  25%  1,000 rows  ")
    assert lines[0].endswith("11 leaves")


def test_progress_is_silent_unless_it_is_asked_for(capsys, monkeypatch):
    monkeypatch.setattr("riparian.show.progress._LINE_SECONDS", 0.0)
    run(*labelled(5000))
    assert capsys.readouterr().err == ""


def test_progress_on_a_terminal_is_a_bar(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("riparian.show.progress._REFRESH_SECONDS", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    run(*labelled(5000), rows=4000, block=1000, progress=True)
    assert "4,000 rows" in capsys.readouterr().err
