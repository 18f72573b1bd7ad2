"""The leaderboard: its file of runs, its tables and its page."""

import importlib
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
STREAMS = ("sine", "mixed", "stagger", "wifi")
#: Accuracy of each model on each stream: A is best twice and shares the best place once.
ACCURACIES = {
    "A": (0.90, 0.80, 0.70, 0.60),
    "B": (0.80, 0.80, 0.60, 0.65),
    "C": (0.70, 0.70, 0.50, 0.55),
}


@pytest.fixture
def board(monkeypatch):
    """The modules of the leaderboard."""
    monkeypatch.syspath_prepend(str(FOLDER))
    names = ("runs", "page", "models")
    found = {name: importlib.import_module(f"leaderboard_{name}") for name in names}
    return SimpleNamespace(**found, cli=importlib.import_module("leaderboard"))


def run_of(model, stream, accuracy, **others):
    named = {"model": model, "library": "riparian", "board": "trees", "version": "1"}
    measured = {"accuracy": accuracy, "kappa": 0.5, "log_loss": 0.25, "seconds": 2.0}
    return {**named, "stream": stream, "seed": 3, "rows": 1000, "limit": 60, **measured, **others}


def written(board, path, runs):
    kept = board.runs.BoardRuns(path)
    for run in runs:
        kept.add(run)
    return board.runs.BoardRuns(path)


def small_runs(board, path):
    runs = [
        run_of(model, stream, accuracy)
        for model, found in ACCURACIES.items()
        for stream, accuracy in zip(STREAMS, found, strict=True)
    ]
    stopped = run_of("D", "sine", 0.0) | {"stopped": "5 of 1,000 rows in 60 CPU seconds"}
    for measure in ("accuracy", "kappa", "log_loss", "seconds"):
        del stopped[measure]
    return written(board, path, [*runs, stopped, run_of("D", "mixed", 0.99)])


def test_only_models_that_finished_every_stream_are_ranked(board, tmp_path):
    found = board.page.Board.of(small_runs(board, tmp_path / "runs.jsonl"), "trees", STREAMS)
    assert found.models == ["A", "B", "C"]
    assert found.incomplete == ["D"]
    # A: 1, 1.5, 1, 2; B: 2, 1.5, 2, 1; C: 3, 3, 3, 3.
    assert found.ranks().mean.tolist() == [1.375, 1.625, 3.0]


def test_the_table_has_means_sums_and_what_was_finished(board, tmp_path):
    found = board.page.Board.of(small_runs(board, tmp_path / "runs.jsonl"), "trees", STREAMS)
    assert found.summary().splitlines() == [
        "| model | mean rank | accuracy | kappa | log loss | CPU seconds | streams |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| A | 1.38 | 75.00 | 50.00 | 0.250 | 8.0 | all |",
        "| B | 1.62 | 71.25 | 50.00 | 0.250 | 8.0 | all |",
        "| C | 3.00 | 61.25 | 50.00 | 0.250 | 8.0 | all |",
        "| D |  |  |  |  |  | 1 of 4 |",
    ]
    assert found.per_stream().splitlines()[2:4] == [
        "| sine | **90.00** | 80.00 | 70.00 |  |",
        "| mixed | 80.00 | 80.00 | 70.00 | **99.00** |",
    ]


def test_a_model_is_tested_against_each_other_one(board, tmp_path):
    found = board.page.Board.of(small_runs(board, tmp_path / "runs.jsonl"), "trees", STREAMS)
    # Points against B: +10, 0, +10, -5; against C: +20, +10, +20, +5, all of one sign: p = 2 / 2^4.
    first, second = found.against("A").splitlines()
    assert first.startswith("- A against B: better on 2, worse on 1 of 4, median +5.00, mean +3.75")
    assert second.startswith("- A against C: better on 4, worse on 0 of 4, median +15.00")
    assert second.endswith("Wilcoxon p = 0.12.")


def test_a_stream_counts_with_the_mean_of_its_seeds(board, tmp_path):
    runs = [run_of("A", "sine", 0.5), run_of("A", "sine", 0.7, seed=4)]
    found = written(board, tmp_path / "runs.jsonl", runs).means("accuracy", ["A"], ["sine", "led"])
    np.testing.assert_allclose(found, [[0.6], [np.nan]])


def test_a_file_of_runs_is_continued_and_models_can_be_dropped(board, tmp_path):
    path = tmp_path / "runs.jsonl"
    kept = small_runs(board, path)
    assert kept.has("A", "sine", 3, 1000)
    assert not kept.has("A", "sine", 4, 1000)
    with pytest.raises(SystemExit, match="has runs of 1,000 rows; use --rows 1000"):
        kept.has("A", "sine", 3, 2000)
    kept.drop({"A", "D"})
    assert {json.loads(line)["model"] for line in path.read_text().splitlines()} == {"B", "C"}


def test_a_page_needs_the_marks_of_its_blocks(board):
    page = "before\n<!-- begin x -->\nold\n<!-- end x -->\nafter"
    assert board.page.replaced(page, "x", "new") == (
        "before\n<!-- begin x -->\n\nnew\n\n<!-- end x -->\nafter"
    )
    with pytest.raises(ValueError, match="must have one block from <!-- begin y -->"):
        board.page.replaced(page, "y", "new")


def test_the_page_of_the_documentation_is_written(board, tmp_path):
    docs = FOLDER.parent / "docs"
    page = tmp_path / "leaderboard.md"
    page.write_text((docs / "leaderboard.md").read_text("utf-8"), "utf-8")
    (tmp_path / "images").mkdir()
    trees = small_runs(board, tmp_path / "runs.jsonl").all
    forests = [run | {"board": "forests", "model": f"forest {run['model']}"} for run in trees]
    board.page.write_page(written(board, tmp_path / "both.jsonl", trees + forests), tmp_path)
    text = page.read_text("utf-8")
    assert "| forest A | 1.38 | 75.00 |" in text
    assert "- Rows: at most 1,000 per stream" in text
    assert "- D on `sine`: 5 of 1,000 rows in 60 CPU seconds" in text
    assert "This half was not run." in text
    names = {path.name for path in (tmp_path / "images").iterdir()}
    boards, shades = ("trees", "forests"), ("light", "dark")
    assert names == {f"leaderboard-{name}-{shade}.png" for name in boards for shade in shades}


def test_a_run_has_the_measures_of_the_predictions(board, tmp_path):
    path = tmp_path / "runs.jsonl"
    asked = ["run", "--out", str(path), "--only", "riparian", "--models", "VFDT,OnlineBagging"]
    arguments = [*asked, "--streams", "reporting", "--rows", "200"]
    streams = board.cli.HALVES["reporting"]
    board.cli.HALVES["reporting"] = ("sine", "stagger")
    try:
        board.cli.main(arguments)
        before = path.read_bytes()
        board.cli.main(arguments)  # everything is there
    finally:
        board.cli.HALVES["reporting"] = streams
    assert path.read_bytes() == before
    runs = [json.loads(line) for line in before.splitlines()]
    assert [(run["stream"], run["model"], run["board"]) for run in runs] == [
        ("sine", "VFDT", "trees"),
        ("sine", "OnlineBagging", "forests"),
        ("stagger", "VFDT", "trees"),
        ("stagger", "OnlineBagging", "forests"),
    ]
    assert all(0 <= run["accuracy"] <= 1 and run["log_loss"] > 0 for run in runs)


def test_votes_give_the_measures_of_a_pass(board):
    prequential = importlib.import_module("peers.prequential")
    data = SimpleNamespace(y=np.array([0, 1, 1, 0]))
    made = prequential.Pass(np.array([0, 1, 0, 0]), np.array([1.0, 0.5, 0.0, 1.0]), 1.5)
    found = made.measures(data)
    # Expected by chance: 3/4 * 2/4 + 1/4 * 2/4 = 1/2; kappa = (3/4 - 1/2) / (1 - 1/2).
    assert found["accuracy"] == 0.75
    assert found["kappa"] == pytest.approx(0.5)
    assert found["log_loss"] == pytest.approx((np.log(2) - np.log(1e-6)) / 4)
    assert found["seconds"] == 1.5
