"""Models side by side: each run is the plain one, nothing is run twice, nothing is lost."""

import functools
import json

import matplotlib as mpl
import numpy as np
import pytest
from riparian_experiments import datasets
from typer.testing import CliRunner

import riparian as rp
from riparian import evaluate, streams
from riparian.cli.app import app
from riparian.evaluate import compare, runs

mpl.use("agg")

MODELS = {"majority": rp.VFDT(), "adaptive": rp.VFDT(leaf="adaptive")}
STREAMS = ["synth:sea", "synth:led?noise=0.2"]


def small(**options):
    return compare(MODELS, STREAMS, **{"rows": 3000, "n_jobs": 1, "progress": False, **options})


def test_each_run_is_that_of_prequential():
    found = small(seeds=[3, 4])
    assert len(found.cells) == 8
    for cell in found.cells:
        name = f"{cell.stream}{'&' if '?' in cell.stream else '?'}seed={cell.seed}"
        model = rp.VFDT(leaf=cell.model)
        want = evaluate.prequential(model, streams.from_name(name), rows=3000, progress=False)
        assert cell.figures["accuracy"] == want.accuracy
        assert cell.figures["kappa"] == want.kappa
        assert (cell.rows, cell.leaves) == (3000, model.n_leaves_)
        assert cell.memory > 0


def test_scores_are_means_over_the_seeds():
    found = small(seeds=[0, 1])
    mine = [
        c.figures["kappa"] for c in found.cells if (c.stream, c.model) == ("synth:sea", "adaptive")
    ]
    assert found.scores("kappa")[0, 1] == np.mean(mine)
    assert found.models == ["majority", "adaptive"]
    assert found.streams == STREAMS
    assert found.ranks().mean.shape == (2,)


def test_processes_change_nothing():
    alone, together = small(), small(n_jobs=2)
    for a, b in zip(alone.cells, together.cells, strict=True):
        assert (a.model, a.stream, a.leaves) == (b.model, b.stream, b.leaves)
        np.testing.assert_equal(a.figures, b.figures)


def test_a_comparison_goes_on_where_it_was(tmp_path, monkeypatch):
    path = tmp_path / "runs.jsonl"
    want = small(out=path)
    done = []
    plain = evaluate.prequential

    def counted(*args, **kwargs):
        done.append(args)
        return plain(*args, **kwargs)

    monkeypatch.setattr(runs, "prequential", counted)
    lines = path.read_bytes().splitlines(keepends=True)
    # Broken off within the third run's line: two runs are kept, two are done again.
    path.write_bytes(b"".join(lines[:2]) + lines[2][:100])
    found = small(out=path)
    assert len(done) == 2
    np.testing.assert_equal([c.figures for c in found.cells], [c.figures for c in want.cells])
    assert len(path.read_bytes().splitlines()) == 4
    small(out=path)
    assert len(done) == 2


def test_other_parameters_rows_or_seeds_are_other_runs(tmp_path):
    path = tmp_path / "runs.jsonl"
    small(out=path)
    small(out=path, rows=2000)
    small(out=path, seeds=[1])
    changed = {"majority": rp.VFDT(tau=0.2), "adaptive": rp.VFDT(leaf="adaptive")}
    compare(changed, STREAMS, rows=3000, n_jobs=1, out=path, progress=False)
    assert len(path.read_bytes().splitlines()) == 4 + 4 + 4 + 2


def test_a_model_may_be_called_something_else(tmp_path):
    path = tmp_path / "runs.jsonl"
    small(out=path)
    found = compare(
        {"MC": rp.VFDT()}, {"SEA": "synth:sea"}, rows=3000, n_jobs=1, out=path, progress=False
    )
    assert len(path.read_bytes().splitlines()) == 4
    assert (found.models, found.streams) == (["MC"], ["SEA"])


def test_a_file_of_something_else_is_not_touched(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello\n")
    with pytest.raises(ValueError, match="line 1: not a run of a comparison"):
        small(out=path)
    assert path.read_text() == "hello\n"


def test_streams_may_be_functions_of_the_seed_or_streams():
    found = compare(
        MODELS,
        {
            "made": functools.partial(_sea, concept=3),
            "given": streams.sea(seed=9, n_rows=2000),
        },
        seeds=[0, 1],
        n_jobs=1,
        progress=False,
    )
    by_stream = {name: [c for c in found.cells if c.stream == name] for name in found.streams}
    assert len({c.figures["accuracy"] for c in by_stream["made"]}) == 4
    assert len({c.figures["accuracy"] for c in by_stream["given"]}) == 2


def _sea(seed, concept):
    return streams.sea(seed=seed, concept=concept, n_rows=2500)


def test_a_failure_says_which_run_it_was():
    with pytest.raises(ValueError, match="delta must be") as caught:
        compare({"bad": rp.VFDT(delta=2)}, ["synth:sea"], rows=100, n_jobs=1, progress=False)
    assert caught.value.__notes__ == ["in the run of 'bad' on 'synth:sea' with seed 0"]


def test_an_endless_stream_needs_rows():
    with pytest.raises(ValueError, match="the stream 'synth:sea' is endless"):
        compare(MODELS, ["synth:sea"])


def test_the_markdown_has_the_best_in_bold():
    found = small()
    lines = found.to_markdown().splitlines()
    assert lines[0] == "| stream | majority | adaptive |"
    scores = found.scores()[0]
    assert f"**{scores.max():.4f}**" in lines[2]
    assert lines[-1].startswith("| *mean rank* |")


def test_the_table_has_a_row_a_run():
    table = small().table()
    assert {len(column) for column in table.values()} == {4}
    assert set(table) > {"model", "stream", "seed", "accuracy", "leaves", "seconds"}


def test_the_pictures_hold_what_they_show():
    found = small()
    text = {t.get_text().strip() for t in found.plot_ranks().texts}
    mean = found.ranks().mean
    assert f"{mean[1]:.2f}" in " ".join(text)
    assert any("adaptive" in t for t in text)
    axes = found.plot_sizes("synth:sea")
    assert [line.get_label() for line in axes.lines] == ["majority", "adaptive"]


def test_the_command_line(tmp_path):
    arguments = ["compare", "--model", "VFDT", "--model", "VFDT(leaf=adaptive)"]
    arguments += ["--stream", "synth:sea", "--rows", "2000", "--seeds", "1", "--n-jobs", "1"]
    arguments += ["--plot", str(tmp_path / "ranks.svg"), "--quiet"]
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0, shown.output
    assert "VFDT(leaf=adaptive)" in shown.stdout
    assert (tmp_path / "ranks.svg").read_text().startswith("<?xml")
    told = CliRunner().invoke(app, [*arguments, "--json"])
    assert [run["seed"] for run in json.loads(told.stdout)["runs"]] == [0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "VFTD"], "did you mean 'VFDT'"),
        (["--model", "VFDT(leaf)"], "must be name=value"),
        (["--model", "VFDT(lef=3)"], "did you mean 'leaf'"),
        (["--model", "("], "a model must be NAME"),
        (["--metric", "acuracy"], "did you mean 'accuracy'"),
        (["--stream", "synth:see"], "did you mean 'sea'"),
    ],
)
def test_the_command_line_refuses_with_the_way_out(arguments, message):
    shown = CliRunner().invoke(app, ["compare", *arguments, "--quiet"])
    assert shown.exit_code == 1
    assert message in shown.stderr


def test_a_data_set_is_shuffled_by_the_seed(monkeypatch):
    asked = []

    def load(name, *, shuffle, progress):
        asked.append((name, shuffle))
        return streams.sea(seed=shuffle or 0, n_rows=500)

    monkeypatch.setattr(datasets, "load", load)
    found = compare(
        {"majority": rp.VFDT()},
        ["dataset:electricity", "dataset:iris?shuffle=9"],
        seeds=[5, 6],
        n_jobs=1,
        progress=False,
    )
    # elec2 is chronological and keeps its order, so it is run once, and so is iris with its seed.
    assert [cell.rows for cell in found.cells] == [500] * 2
    assert set(asked) == {("elec2", False), ("iris", 9)}
    assert found.orders == {
        "dataset:electricity": "in its order",
        "dataset:iris?shuffle=9": "shuffled once",
    }


def test_a_data_set_is_shuffled_if_it_is_grouped_by_class_or_if_the_user_asks(monkeypatch):
    asked = []

    def load(name, *, shuffle, progress):
        asked.append((name, shuffle))
        return streams.sea(seed=shuffle or 0, n_rows=500)

    monkeypatch.setattr(datasets, "load", load)
    names = ["dataset:elec2", "dataset:iris"]
    options = {"seeds": [5, 6], "n_jobs": 1, "progress": False}
    found = compare({"majority": rp.VFDT()}, names, **options)
    assert [(cell.stream, cell.seed) for cell in found.cells] == [
        ("dataset:elec2", 5),
        ("dataset:iris", 5),
        ("dataset:iris", 6),
    ]
    assert set(asked) == {("elec2", False), ("iris", 5), ("iris", 6)}
    assert found.orders["dataset:iris"] == "shuffled with the seed, because it is grouped by class"
    asked.clear()
    found = compare({"majority": rp.VFDT()}, names, shuffle=True, **options)
    assert set(asked) == {("elec2", 5), ("elec2", 6), ("iris", 5), ("iris", 6)}
    assert found.orders["dataset:elec2"] == "shuffled with the seed"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.csv"
    X, y = streams.sea(seed=1).take(1_500)
    np.savetxt(
        path, np.column_stack([X, y]), delimiter=",", header="a,b,c,kind", comments="", fmt="%.17g"
    )
    return path


def test_files_are_compared_in_their_order_or_shuffled_with_the_seed(file):
    options = {"target": "kind", "n_jobs": 1, "progress": False, "seeds": [3, 4]}
    found = compare(MODELS, [file], **options)
    assert found.streams == [str(file)]
    assert found.orders == {str(file): "in its order"}
    for cell in found.cells:
        want = evaluate.prequential(
            rp.VFDT(leaf=cell.model), file, target="kind", progress=False
        ).accuracy
        assert (cell.rows, cell.figures["accuracy"]) == (1_500, want)
    assert len(found.cells) == 2
    mixed = compare(MODELS, {"mine": file}, shuffle=True, **options)
    assert mixed.orders == {"mine": "shuffled with the seed"}
    assert [cell.seed for cell in mixed.cells] == [3, 3, 4, 4]
    stream = streams.shuffled(streams.in_memory(streams.open_stream(file, target="kind")), seed=4)
    want = evaluate.prequential(rp.VFDT(leaf="majority"), stream, progress=False).accuracy
    assert mixed.cells[2].figures["accuracy"] == want


def test_another_order_or_another_content_of_a_file_is_another_run(file, tmp_path):
    out = tmp_path / "runs.jsonl"
    options = {"target": "kind", "n_jobs": 1, "progress": False, "out": out}

    def lines():
        return len(out.read_bytes().splitlines())

    compare(MODELS, [file], **options)
    compare(MODELS, [file], **options)
    assert lines() == 2
    compare(MODELS, [file], shuffle=True, **options)
    assert lines() == 4
    file.write_text(file.read_text() + "1,2,3,1\n")
    compare(MODELS, [file], **options)
    assert lines() == 6


def test_a_file_without_a_target_is_refused_before_anything_is_run(file):
    with pytest.raises(ValueError, match="target must name the class column"):
        compare(MODELS, ["synth:sea", file], rows=100, n_jobs=1, progress=False)


def test_the_command_compares_files_and_prints_their_order(file):
    asked = ["compare", "--stream", str(file), "--target", "kind", "--n-jobs", "1", "--seeds", "2"]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0, result.stderr
    assert "rows.csv: in its order" in "".join(result.stdout.splitlines())
    result = CliRunner().invoke(app, [*asked, "--shuffle", "--json"])
    found = json.loads(result.stdout)
    assert list(found["orders"].values()) == ["shuffled with the seed"]
    assert len(found["runs"]) == 4


def test_an_unknown_data_set_is_told_before_anything_is_run():
    asked = ["compare", "--stream", "synth:sea", "--stream", "dataset:iriss", "--rows", "100"]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 1
    assert "did you mean 'iris'?" in result.stderr


def test_the_smaller_tree_and_the_lower_cost_are_the_better():
    models = {"dear": rp.VFDT(costs=[[0, 1], [5, 0]]), "plain": rp.VFDT()}
    found = compare(models, ["synth:sea"], rows=3000, n_jobs=1, progress=False)
    cost = found.scores("mean_cost")[0]
    assert cost[0] > 0
    assert np.isnan(cost[1])
    assert found.best("mean_cost").tolist() == [[True, False]]
    sizes = found.scores("memory")[0]
    assert found.best("memory")[0].tolist() == (sizes == sizes.min()).tolist()
    assert found.ranks("memory").mean[sizes.argmin()] <= 1.5
