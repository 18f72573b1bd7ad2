"""The command line as a user meets it: what it prints, writes, refuses, and with which status."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

import riparian
from riparian.cli.app import app
from riparian.models.registry import RECIPES
from riparian.streams import sea
from tests import inside


def call(*arguments, stdin=None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def ran(*arguments, stdin=None):
    result = call(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def failed(*arguments, status=1, stdin=None):
    """The one line that a failure says."""
    result = call(*arguments, stdin=stdin)
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    if status == 1:
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert result.stderr.startswith("riparian: ")
    return result.stderr


def start(*arguments, **options):
    command = [sys.executable, "-m", "riparian", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


@pytest.fixture
def data(tmp_path):
    """5,000 rows: the class is high where x0 > 6, of a third value where the job is smith."""
    X, _ = sea(seed=2).take(5000)
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["x0", "x1", "job", "level"])
        for i, (a, b, _) in enumerate(X.tolist()):
            job = ("nurse", "smith", "")[i % 3]
            level = "odd" if job == "smith" else "high" if a > 6 else "low"
            writer.writerow([f"{a:.4f}", f"{b:.4f}", job, level])
    return path


@pytest.fixture
def model(tmp_path, data):
    path = tmp_path / "model.rip"
    ran("run", data, "--target", "level", "--model-out", path)
    return path


# run


def test_run_reports_what_a_reader_wants_to_know(data):
    text = ran("run", data, "--target", "level", "--splits", 50)
    for word in ("accuracy", "kappa", "majority class", "no change", "leaves, depth", "memory"):
        assert word in text
    assert "rows      5,000" in text
    assert re.search(r"high +low +odd", text)
    assert "splits, the newest at the end" in text
    assert "split on job = " in text


def test_run_learns_what_the_library_learns(tmp_path, data):
    out = tmp_path / "m.rip"
    ran("run", data, "--target", "level", "--model-out", out, "--grace-period", 100, "--block", 77)
    with riparian.streams.readers.formats.open_stream(data, target="level") as stream:
        tree = riparian.StreamTree(grace_period=100)
        for X, y in stream.blocks(5000):
            tree.partial_fit(X, y)
    tree.save(tmp_path / "library.rip")
    assert out.read_bytes() == (tmp_path / "library.rip").read_bytes()


def test_the_size_of_the_blocks_does_not_change_the_model(tmp_path, data):
    for block in (1, 999, 100_000):
        out = tmp_path / f"{block}.rip"
        ran("run", data, "--target", "level", "--model-out", out, "--block", block)
    assert len({path.read_bytes() for path in tmp_path.glob("*.rip")}) == 1


def test_json_is_the_whole_report(data):
    report = json.loads(ran("run", data, "--target", "level", "--json", "--splits", 2))
    assert report["data"] == str(data)
    assert report["model"] == "StreamTree"
    assert report["parameters"]["delta"] == 1e-5
    assert report["result"]["rows"] == 5000
    assert report["result"]["accuracy"] > 0.9
    assert report["result"]["confusion"]["labels"] == ["high", "low", "odd"]
    assert len(report["splits"]) == min(2, report["leaves"] - 1)
    assert report["splits"][-1]["reason"] in ("bound", "tie")
    assert report["interrupted"] is False


@pytest.mark.parametrize("name", ["VFDT", "HoeffdingTree"])
def test_options_are_the_parameters_own_names(data, name):
    options = ["--impurity", "gini", "--leaf", "naive-bayes", "--grace-period", "50"]
    options += ["--delta", "0.01", "--tau", "0.1", "--max-depth", "2", "--max-leaves", "9"]
    wanted = {"impurity": "gini", "leaf": "naive-bayes", "grace_period": 50, "delta": 0.01}
    wanted |= {"tau": 0.1, "max_depth": 2, "max_leaves": 9}
    if name == "HoeffdingTree":
        options += ["--bound", "hoeffding", "--cuts", "bins(count=5)", "--epsilons", "2"]
        options += ["--categorical-cuts", "both", "--runner-up", "cut", "--min-gain", "0.001"]
        options += ["--min-branch-fraction", "0.05", "--no-clip-to-range"]
        wanted |= {
            "cuts": riparian.cuts.Bins(count=5).as_dict(),
            "epsilons": 2,
            "categorical_cuts": "both",
            "runner_up": "cut",
        }
        wanted |= {"min_gain": 0.001, "min_branch_fraction": 0.05, "clip_to_range": False}
    report = json.loads(ran("run", data, "--target", "level", "--json", "--recipe", name, *options))
    assert report["model"] == name
    assert {key: report["parameters"][key] for key in wanted} == wanted
    assert report["depth"] <= 2


def test_every_parameter_of_the_free_composition_is_an_option():
    text = ran("run", "--help")
    for name in riparian.HoeffdingTree().get_params():
        if name != "categorical_features":  # --categorical, by the columns' names
            assert f"--{name.replace('_', '-')}" in text


def test_new_options_reach_the_model(data):
    free = ["--target", "level", "--json", "--recipe", "HoeffdingTree", "--rows", 2000]

    def parameters(*options):
        return json.loads(ran("run", data, *free, *options))["parameters"]

    given = {"statistics": "gaussian", "variance": "population", "bound": "normal"}
    given |= {"missing_second": "-inf"}
    options = [x for k, v in given.items() for x in (f"--{k.replace('_', '-')}", v)]
    options += ["--spend-delta", "--cuts", "delayed(equal_variance=skip)"]
    options += ["--impurity", "accuracy(evaluator=holdout, holdout_examples=40)"]
    found = parameters(*options)
    assert {key: found[key] for key in given} == given
    assert found["spend_delta"] is True
    assert found["cuts"] == riparian.cuts.Delayed(equal_variance="skip").as_dict()
    held = riparian.impurities.Accuracy(evaluator="holdout", holdout_examples=40)
    assert found["impurity"] == held.as_dict()
    found = parameters("--impurity", "misclassification(legacy_gain=true)")
    assert found["impurity"] == riparian.impurities.Misclassification(legacy_gain=True).as_dict()
    found = parameters(
        *("--impurity", "gini", "--bound", "confidence-practical(c=0.5,form=derived)")
    )
    assert found["impurity"] == "gini"
    assert found["bound"] == riparian.bounds.ConfidencePractical(c=0.5, form="derived").as_dict()
    found = parameters(
        *("--bound", "delta-method(pairing=paired)", "--statistics", "intervals(count=30)")
    )
    assert found["bound"] == riparian.bounds.DeltaMethod(pairing="paired").as_dict()
    assert found["statistics"] == riparian.statistics.Intervals(count=30).as_dict()
    found = parameters("--leaf", "majority,linear-units(step=0.003)")
    assert found["leaf"] == ["majority", riparian.leaves.LinearUnits(step=0.003).as_dict()]


def test_the_options_are_those_of_the_recipes():
    from riparian.cli.model_options import options

    parameters = {name for recipe in RECIPES.values() for name in recipe().get_params(deep=False)}
    assert set(options()) == parameters - {"categorical_features"}


def test_the_help_names_every_value_that_is_allowed():
    from riparian.models.settings import tree_parameters
    from riparian.policies import AXES, classes

    text = "".join(ran("run", "--help").split())
    for axis in AXES:
        for name, policy in classes(axis).items():
            assert name in text
            for parameter in policy.parameters.values():
                if parameter.kind != "function":  # it cannot be written there
                    assert f"{parameter.name}=" in text
    for parameter in tree_parameters().values():
        for name in parameter.choices:
            assert name in text


@pytest.mark.parametrize("name", sorted(set(RECIPES) - {"HoeffdingTree"}))
def test_every_recipe_runs_and_is_shown(tmp_path, data, name):
    out = tmp_path / "m.rip"
    options = ["--grace-period", 50, "--rows", 1500, "--model-out", out]
    assert ran("run", data, "--target", "level", "--recipe", name, *options).startswith(name)
    assert riparian.load(out).guarantee() in ran("show", out)


def test_a_recipes_own_names_are_options(data):
    options = ["--recipe", "CTree", "--bound", "confidence"]
    report = json.loads(ran("run", data, "--target", "level", "--json", *options))
    assert report["parameters"]["bound"] == "confidence"
    options = ["--recipe", "NIP", "--bound", "hoeffding", "--statistics", "intervals(count=9)"]
    report = json.loads(ran("run", data, "--target", "level", "--json", *options))
    assert report["parameters"]["bound"] == "hoeffding"
    assert report["parameters"]["statistics"] == riparian.statistics.Intervals(count=9).as_dict()


def test_costs_are_json_or_a_file_of_it(tmp_path, data):
    text = '{"low,odd": 9, "high, odd": 9.5}'
    (tmp_path / "costs.json").write_text(text)
    files = []
    for costs in (text, tmp_path / "costs.json"):
        files.append(tmp_path / f"{len(files)}.rip")
        ran(
            *("run", data, "--target", "level", "--recipe", "HoeffdingTree", "--impurity", "loss"),
            *("--costs", costs, "--model-out", files[-1]),
        )
    assert files[0].read_bytes() == files[1].read_bytes()
    assert riparian.load(files[0]).costs == {("low", "odd"): 9, ("high", "odd"): 9.5}
    shown = json.loads(ran("show", files[0], "--json"))
    assert shown["parameters"]["costs"] == {"low,odd": 9, "high,odd": 9.5}


def test_costs_take_whole_numbers_as_the_labels_are_taken(tmp_path):
    options = ["--rows", 500, "--recipe", "HoeffdingTree", "--impurity", "loss"]
    options += ["--model-out", tmp_path / "m.rip"]
    ran("run", "synth:sea", *options, "--costs", '{"0,1": 5}')
    assert riparian.load(tmp_path / "m.rip").costs == {(0, 1): 5}
    ran("run", "synth:sea", *options, "--costs", "[[0, 5], [1, 0]]")
    assert riparian.load(tmp_path / "m.rip").costs == [[0, 5], [1, 0]]
    rows = "".join(f"{i % 9},{int(i % 9 > 4)}\n" for i in range(500))
    (tmp_path / "t.csv").write_text("x,y\n" + rows)
    options += ["--target", "y", "--categorical", "y"]
    ran("run", tmp_path / "t.csv", *options, "--costs", '{"0,1": 5}')
    assert riparian.load(tmp_path / "m.rip").costs == {("0", "1"): 5}


def test_costs_of_a_class_that_never_came_are_said(data):
    result = call(
        *("run", data, "--target", "level", "--recipe", "HoeffdingTree", "--impurity", "loss"),
        *("--costs", '{"hihg,odd": 2}'),
    )
    assert "riparian: --costs names the class 'hihg', which no row had\n" in result.stderr


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ("{", "costs must be JSON"),
        ('{"odd": 1}', "costs must have keys \"predicted,true\", got 'odd'"),
        ('{"low,odd": -1}', "must be a finite number of at least 0, got -1"),
        ("[[0, 1]]", "costs must have the shape (n_classes, n_classes)"),
        ("no.json", "No such file or directory: no.json"),
    ],
)
def test_wrong_costs_are_one_line(data, costs, said):
    assert said in failed(
        "run",
        data,
        "--target",
        "level",
        "--recipe",
        "HoeffdingTree",
        "--impurity",
        "loss",
        "--costs",
        costs,
    )


def test_a_built_in_stream_needs_no_file(tmp_path):
    report = json.loads(ran("run", "synth:sea?rows=3000", "--json"))
    assert report["result"]["rows"] == 3000
    report = json.loads(ran("run", "synth:drifting?rows=3000", "--json"))
    assert set(report["classes"]) == {"calm", "watch", "flood"}


def test_rows_stops_an_endless_stream():
    result = call("run", "synth:sea", "--rows", "2500", "--json")
    assert json.loads(result.stdout)["result"]["rows"] == 2500


def test_standard_input_is_csv_unless_it_is_said_otherwise(data):
    text = data.read_text()
    report = json.loads(ran("run", "-", "--target", "level", "--json", stdin=text))
    assert report["result"]["rows"] == 5000
    rows = "".join(json.dumps({"x": i % 7, "y": i % 2}) + "\n" for i in range(300))
    report = json.loads(ran("run", "-", "--target", "y", "--format", "jsonl", "--json", stdin=rows))
    assert report["result"]["rows"] == 300


def test_columns_can_be_dropped_or_taken_as_text(tmp_path, data):
    out = tmp_path / "m.rip"
    ran("run", data, "--target", "level", "--drop", "x1", "--drop", "job", "--model-out", out)
    assert riparian.load(out).feature_names_in_.tolist() == ["x0"]
    ran(
        "run", data, "--target", "level", "--categorical", "x0,x1", "--rows", 50, "--model-out", out
    )
    assert {f.kind for f in inside.features(riparian.load(out))} == {"categorical"}


def test_the_report_is_one_page_that_needs_nothing_else(tmp_path, data):
    page = tmp_path / "report.html"
    ran("run", data, "--target", "level", "--report", page)
    text = page.read_text("utf-8")
    assert text.count("<svg") == 2
    assert "prefers-color-scheme:dark" in text
    for outside in ("http:", "https:", "<script", "<link", "@import", "url("):
        assert outside not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    for word in ("Accuracy over time", "Confusion", "The tree", "Last splits"):
        assert f"<h2>{word}" in text


def test_names_in_the_report_are_escaped(tmp_path):
    rows = "".join(f"{i % 9},{'<i>a' if i % 9 > 4 else '&b'}\n" for i in range(2000))
    (tmp_path / "x.csv").write_text("<script>alert(1)</script>,y\n" + rows)
    page = tmp_path / "r.html"
    text = ran("run", tmp_path / "x.csv", "--target", "y", "--report", page)
    assert "<script>alert(1)</script> <= " in text
    assert "<script" not in page.read_text()
    assert "<i>" not in page.read_text()


def test_what_was_written_is_said_on_standard_error(tmp_path, data):
    out, page = tmp_path / "m.rip", tmp_path / "r.html"
    result = call("run", data, "--target", "level", "--model-out", out, "--report", page)
    assert f"riparian: wrote the model to {out}" in result.stderr
    assert f"riparian: wrote the report to {page}" in result.stderr
    assert "wrote" not in result.stdout


def test_labels_cannot_command_the_terminal(tmp_path):
    rows = "".join(f"{i},{'red' if i % 2 else 'x'}\x1b[31m\n" for i in range(500))
    (tmp_path / "e.csv").write_text("x,y\n" + rows)
    assert "\x1b" not in ran("run", tmp_path / "e.csv", "--target", "y")


# predict


def test_predict_writes_one_row_for_each_row(model, data):
    rows = list(csv.reader(ran("predict", model, data, "--block", "600").splitlines()))
    assert rows[0] == ["prediction"]
    assert len(rows) == 5001
    with riparian.streams.readers.formats.open_stream(data, drop=["level"]) as stream:
        X, _ = next(stream.blocks(5000))
    assert [row[0] for row in rows[1:]] == riparian.load(model).predict(X).tolist()


def test_predict_writes_probabilities_that_sum_to_one(tmp_path, model, data):
    out = tmp_path / "p.csv"
    assert ran("predict", model, data, "--proba", "--out", out) == ""
    header, *rows = csv.reader(out.read_text().splitlines())
    names = riparian.load(model).classes_
    assert header == ["prediction", *(f"probability {name}" for name in names)]
    shares = np.array([row[1:] for row in rows], dtype=float)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.mean(names[shares.argmax(axis=1)] == [row[0] for row in rows]) == 1.0


def test_predict_finds_columns_by_name_and_ignores_others(tmp_path, model):
    path = tmp_path / "new.csv"
    path.write_text("extra,job,x1,x0\nzzz,nurse,1,9\nzzz,smith,1,9\n")
    assert ran("predict", model, path) == "prediction\nhigh\nodd\n"


def test_predict_takes_an_absent_column_as_missing_and_says_so(tmp_path, model):
    path = tmp_path / "new.csv"
    path.write_text("job,x0\nsmith,9\n")
    result = call("predict", model, path)
    assert result.exit_code == 0
    assert result.stdout == "prediction\nodd\n"
    assert result.stderr == "riparian: the data lacks 'x1'; treated as missing\n"


def test_predict_reads_kinds_as_the_model_learned_them(tmp_path):
    rows = "".join(f"{i % 2},{'a' if i % 2 else 'b'}\n" for i in range(3000))
    (tmp_path / "t.csv").write_text("code,y\n" + rows)
    out = tmp_path / "m.rip"
    ran("run", tmp_path / "t.csv", "--target", "y", "--categorical", "code", "--model-out", out)
    (tmp_path / "n.csv").write_text("code\n1\n0\n")
    assert ran("predict", out, tmp_path / "n.csv") == "prediction\na\nb\n"


def test_predict_takes_a_model_of_unnamed_features_by_place(tmp_path):
    X, y = sea(seed=1).take(3000)
    riparian.VFDT(leaf="adaptive").fit(X, y).save(tmp_path / "m.rip")
    lines = [",".join(f"{v:.17g}" for v in row) for row in X[:50].tolist()]
    wanted = riparian.load(tmp_path / "m.rip").predict(X[:50]).tolist()
    for header in ("x0,x1,x2", "a,b,c"):
        (tmp_path / "d.csv").write_text("\n".join([header, *lines]) + "\n")
        got = ran("predict", tmp_path / "m.rip", tmp_path / "d.csv").split()[1:]
        assert got == [str(label) for label in wanted]
    (tmp_path / "d.csv").write_text("a,b\n1,2\n")
    assert (
        "3 features without names" in call("predict", tmp_path / "m.rip", tmp_path / "d.csv").stderr
    )


def test_predict_leaves_no_part_of_a_file(tmp_path, model, data):
    path = tmp_path / "bad.csv"
    path.write_text("x0,x1,job\n1,2,nurse\n1,two,nurse\n")
    out = tmp_path / "p.csv"
    before = set(os.listdir(tmp_path))
    message = failed("predict", model, path, "--out", out)
    assert "column 'x1', row 2: 'two' is not a number" in message
    assert set(os.listdir(tmp_path)) == before


# show


def test_show_tells_schema_tree_and_evidence(model):
    text = ran("show", model, "--splits", "1")
    assert "examples  5,000" in text
    assert f"classes   {', '.join(riparian.load(model).classes_)}" in text
    assert re.search(r"x0 +numeric", text)
    assert re.search(r"job +categorical: nurse, smith", text)
    assert re.search(r"delta +1e-05", text)
    assert "├─" in text
    assert text.count("split on") == 1


def test_show_prints_the_splits_their_rankings_and_then_the_guarantee(model):
    tree = riparian.load(model)
    last = tree.splits()[-1]
    text = ran("show", model, "--splits", "1")
    assert text.endswith(f"\nAbout the bound\n  {tree.guarantee()}\n\nChanges\n  none yet\n")
    by = {"bound": "the bound", "tie": "a tie"}[last.reason]
    assert f"row {last.seen:,}, by {by}: {last}; delta spent {last.delta_spent:.3g}\n" in text
    assert f"ranked: {last.cut} ({last.gain:.4g}), " in text


def test_show_json_has_whole_certificates(model):
    tree = riparian.load(model)
    shown = json.loads(ran("show", model, "--json", "--splits", "1000"))
    assert shown["guarantee"] == tree.guarantee()
    records = json.loads(json.dumps(tree.splits().records()))
    assert shown["splits"] == records
    assert shown["splits"][0]["candidates"][0]["cut"] == shown["splits"][0]["cut"]


def test_show_tells_why_a_tree_has_no_split(tmp_path, data):
    out = tmp_path / "m.rip"
    ran("run", data, "--target", "level", "--recipe", "McDiarmidTree", "--model-out", out)
    text = ran("show", out)
    assert f"No split yet\n  {riparian.load(out).pending()[0]}\n" in text


def test_long_lines_break_at_words_on_a_terminal(model):
    from rich.console import Console

    from riparian.show.summary import print_model

    lines = []
    for width in (80, 100_000):
        out = Console(width=width, soft_wrap=True, highlight=False, markup=False)
        with out.capture() as caught:
            print_model(out, "m", riparian.load(model), n_splits=3, max_depth=0)
        lines.append(caught.get())
    assert max(map(len, lines[0].splitlines())) <= 80 < max(map(len, lines[1].splitlines()))
    assert lines[0].split() == lines[1].split()


def test_show_json_is_the_model_in_figures(model):
    shown = json.loads(ran("show", model, "--json"))
    assert [f["name"] for f in shown["features"]] == ["x0", "x1", "job"]
    assert shown["features"][2]["categories"] == ["nurse", "smith"]
    assert shown["examples"] == 5000
    assert shown["memory_bytes"] > 0


def test_show_prints_the_leaf_predictors_in_use(tmp_path, data, model):
    shown = json.loads(ran("show", model, "--json"))["predicted_by"]
    assert sum(shown.values()) == riparian.load(model).n_leaves_
    text = ran("show", model)
    (first, n), *others = shown.items()
    assert f"predicts  {first} at {n if others else 'every'} " in text
    assert text.count(", by naive-bayes") == shown.get("naive-bayes", 0) > 0
    out = tmp_path / "vfdt.rip"
    ran("run", data, "--target", "level", "--recipe", "VFDT", "--model-out", out)
    text = ran("show", out)
    assert "predicts  majority at every leaf\n" in text
    assert ", by " not in text.partition("\nTree\n")[2].partition("\nLast ")[0]


def test_show_writes_the_tree_as_deep_as_asked(model):
    assert "├─" not in ran("show", model, "--depth", "0")


# What is refused


def test_a_wrong_parameter_is_one_line_and_status_1(data):
    message = failed("run", data, "--target", "level", "--delta", "2")
    assert message == "riparian: delta must be a probability between 0 and 1, got 2\n"
    message = failed("run", data, "--target", "level", "--recipe", "VFDT", "--impurity", "ginni")
    assert "did you mean 'gini'?" in message
    message = failed(
        "run", data, "--target", "level", "--recipe", "HoeffdingTree", "--bound", "mcdiarmed"
    )
    assert "did you mean 'mcdiarmid'?" in message
    message = failed(
        "run", data, "--target", "level", "--recipe", "HoeffdingTree", "--bound", "normal"
    )
    assert "bound='normal' supports the impurities 'misclassification'" in message


def test_a_wrong_parameter_is_told_before_anything_is_read(tmp_path):
    assert "delta must be" in failed("run", "synth:sea", "--rows", 10, "--delta", "2")


def test_a_bad_row_is_one_line_and_no_model(tmp_path):
    path = tmp_path / "b.csv"
    path.write_text("x,y\n1,a\n2,b,c\n")
    out = tmp_path / "m.rip"
    message = failed("run", path, "--target", "y", "--model-out", out)
    assert message == "riparian: row 2: 3 fields, but the header has 2 fields\n"
    assert not out.exists()


def test_a_missing_file_is_one_line(tmp_path):
    message = failed("run", tmp_path / "no.csv", "--target", "y")
    assert message == f"riparian: No such file or directory: {tmp_path / 'no.csv'}\n"
    assert "No such file" in failed("show", tmp_path / "no.rip")


def test_a_file_without_rows_is_a_failure(tmp_path):
    (tmp_path / "h.csv").write_text("x,y\n")
    assert "has no rows" in failed("run", tmp_path / "h.csv", "--target", "y")


def test_an_unknown_target_names_the_nearest(data):
    assert "did you mean 'level'?" in failed("run", data, "--target", "levle")


def test_an_unknown_generator_names_the_nearest():
    assert "did you mean 'sea'?" in failed("run", "synth:see")


def test_a_file_that_is_no_model_is_one_line(data):
    for command in (("show", data), ("predict", data, data)):
        assert "not a riparian model" in failed(*command)


def test_outputs_that_cannot_be_written_fail_before_the_work(tmp_path, data):
    for option in ("--model-out", "--report"):
        message = failed("run", data, "--target", "level", option, tmp_path / "no" / "file")
        assert "there is no folder" in message
        assert "is a folder" in failed("run", data, "--target", "level", option, tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], "DATA"),
        (["run", "data.csv"], "--target"),
        (["run", "data.csv", "--target", "y", "--recipe", "VFTD"], "did you mean 'VFDT'?"),
        (["run", "synth:sea", "--recipe", "VFDT", "--epsilons", "2"], "VFDT fixes it"),
        (["run", "synth:sea", "--recipe", "VFDT", "--statistics", "intervals"], "VFDT fixes it"),
        (["run", "synth:sea", "--recipe", "OADT", "--bound", "normal"], "has no such parameter"),
        (["run", "synth:sea", "--legacy-gain"], "--legacy-gain"),
        (["run", "synth:sea", "--target", "y"], "is only for files"),
        (["run", "synth:sea", "--delta", "small"], "--delta"),
        (["run", "synth:sea", "--block", "0"], "--block"),
        (["run", "synth:sea", "--nonsense"], "--nonsense"),
        (["sprint"], "sprint"),
    ],
)
def test_wrong_usage_is_status_2(arguments, said):
    assert said in failed(*arguments, status=2)


# The process


def test_help_is_there_at_once_and_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['riparian', '--help']\n"
        "from riparian.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        # The compiled module declares the options, and is loaded in 4 ms.
        "heavy = {'numpy', 'sklearn', 'rich', 'pyarrow'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for command in ("run", "predict", "show"):
        assert command in done.stdout


def test_the_version_is_told():
    assert ran("--version").startswith("riparian 0.")


@pytest.mark.skipif(os.name != "posix", reason="signals are otherwise elsewhere")
def test_an_interrupt_reports_and_writes_what_was_learned(tmp_path):
    out = tmp_path / "m.rip"
    process = start("run", "synth:sea", "--model-out", out)
    first = process.stderr.readline()
    assert first == "riparian: synth:sea is endless; stop it with Ctrl-C, or use --rows\n"
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    found = re.search(r"interrupted after ([\d,]+) rows.* covers the first ([\d,]+)", errors)
    learned, tested = (int(number.replace(",", "")) for number in found.groups())
    assert f"rows      {tested:,} until it was interrupted" in text
    assert riparian.load(out).n_seen_ == learned >= tested > 0


@pytest.mark.skipif(os.name != "posix", reason="signals are otherwise elsewhere")
def test_an_interrupt_while_waiting_for_input_keeps_what_was_learned():
    process = start("run", "-", "--target", "y", stdin=subprocess.PIPE)
    # More than a pipe holds: when it is written, most of it has been read.
    process.stdin.write("x,note,y\n" + f"1,{'-' * 50},a\n" * 15_000)
    process.stdin.flush()
    time.sleep(3.0)
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted after 15,000 rows were learned" in errors
    assert "rows      15,000 until it was interrupted" in text


@pytest.mark.skipif(os.name != "posix", reason="pipes are otherwise elsewhere")
def test_a_reader_that_goes_away_is_no_failure_to_tell(tmp_path, model):
    path = tmp_path / "long.csv"
    path.write_text("x0,x1,job\n" + "1,2,nurse\n" * 200_000)
    process = start("predict", model, path)
    assert process.stdout.readline() == "prediction\n"
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 141
    assert errors == ""
