"""``riparian lab`` as a user meets it."""

import json

import pytest
from typer.testing import CliRunner

from riparian import lab
from riparian.cli.app import app
from riparian.impurities import Loss


def call(*arguments):
    return CliRunner().invoke(app, ["lab", *map(str, arguments)])


def test_all_methods_in_a_table():
    result = call("--repetitions", 50, "--quiet")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].split()[:3] == ["method", "checks", "every"]
    assert len(lines) > 20
    assert lines[1].startswith("entropy, 1 ε ")


def test_one_method_as_json():
    result = call("--repetitions", 2000, "--epsilons", 2, "--impurity", "gini", "--json")
    assert result.exit_code == 0, result.output
    ((name, found),) = json.loads(result.stdout).items()
    assert name == "gini, hoeffding, 2 epsilons"
    assert (found["wrong"], found["verdict"]) == (0, "kept")
    assert found["parameters"]["impurity"] == {"policy": "gini", "parameters": {}}


def test_the_picture_is_written(tmp_path):
    path = tmp_path / "lab.png"
    result = call("--repetitions", 200, "--bound", "hoeffding", "--plot", path)
    assert result.exit_code == 0, result.output
    assert path.read_bytes().startswith(b"\x89PNG")


NODE = "rain,wind,class,count\nyes,no,flood,30\nno,yes,calm,50\nno,no,calm,15\nno,no,flood,5\n"


def test_a_node_of_ones_own(tmp_path):
    path = tmp_path / "node.csv"
    path.write_text(NODE)
    result = call("--node", path, "--impurity", "hybrid", "--repetitions", 500, "--json")
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout).values()
    want = lab.decisions(lab.read_node(path), impurity="hybrid", repetitions=500)
    assert (found["wrong"], found["mean_examples"]) == (want.wrong, want.mean_examples)


def test_a_node_from_standard_input_and_all_methods():
    arguments = ["lab", "--node", "-", "--repetitions", "5", "--quiet"]
    result = CliRunner().invoke(app, arguments, input=NODE)
    assert result.exit_code == 0, result.output
    assert len(result.stdout.splitlines()) == 1 + len(lab.METHODS)


@pytest.mark.parametrize("costs", ['{"calm,flood": 20, "flood,calm": 1}', "[[0, 1], [20, 0]]"])
def test_costs(costs, tmp_path):
    node, file = tmp_path / "node.csv", tmp_path / "costs.json"
    node.write_text(NODE)
    file.write_text(costs)
    how = ["--node", node, "--impurity", "loss(evaluator=holdout)", "--repetitions", 500]
    as_file, as_text = (call(*how, "--json", "--costs", given) for given in (file, costs))
    assert as_file.exit_code == 0, as_file.output
    assert as_file.stdout == as_text.stdout
    ((name, found),) = json.loads(as_file.stdout).items()
    assert name == "loss holdout, hoeffding, 1 epsilon"
    want = lab.decisions(
        lab.read_node(node),
        impurity=Loss(evaluator="holdout"),
        costs={("calm", "flood"): 20.0, ("flood", "calm"): 1.0},
        repetitions=500,
    )
    assert found["misjudged"] == want.misjudged
    assert found["mean_examples"] == want.mean_examples
    assert found["parameters"]["costs"] == json.loads(costs)


def test_classes_that_are_numbers_have_costs_too(tmp_path):
    node = tmp_path / "node.json"
    node.write_text('{"counts": [[[5, 1], [4, 2]], [[1, 5], [2, 4]]]}')
    costs = '{"0,1": 5}'
    how = ["--node", node, "--impurity", "loss", "--costs", costs, "--repetitions", 2, "--json"]
    result = call(*how)
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout).values()
    assert found["parameters"]["costs"] == json.loads(costs)


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["--delta", 7], 1, "riparian: delta must be a probability"),
        (["--bound", "hoefding"], 1, "did you mean 'hoeffding'"),
        (["--plot", "picture.doc"], 1, "the ending must be one of"),
        (["--all", "--bound", "normal"], 2, "cannot be combined with --all"),
        (["--node", "none.csv"], 1, "riparian: No such file or directory: none.csv"),
        (["--costs", '{"c1,c2": 2}'], 1, "costs are only for impurity 'loss', got 'entropy'"),
        (["--impurity", "loss"], 1, 'impurity="loss" needs costs'),
        (
            ["--impurity", "loss", "--costs", '{"c1,c9": 2}'],
            1,
            "must be pairs (predicted, true) of",
        ),
        (["--impurity", "loss", "--costs", "{"], 1, "costs must be JSON"),
        (["--impurity", "hybrid", "--fixed-labels"], 1, "is only for the impurities"),
        (
            ["--impurity", "accuracy(evaluater=holdout)"],
            1,
            "impurity: a parameter of accuracy must be one of 'evaluator'",
        ),
    ],
)
def test_what_is_refused(arguments, status, says):
    result = call(*arguments)
    assert result.exit_code == status
    assert says in " ".join(result.stderr.split())
    assert result.stdout == ""
