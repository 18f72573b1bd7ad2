"""``riparian lab`` as a user meets it."""

import json

import pytest
from typer.testing import CliRunner

from riparian.cli import app


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
    assert found["parameters"]["impurity"] == "gini"


def test_the_picture_is_written(tmp_path):
    path = tmp_path / "lab.png"
    result = call("--repetitions", 200, "--bound", "hoeffding", "--plot", path)
    assert result.exit_code == 0, result.output
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["--delta", 7], 1, "riparian: delta must be a probability"),
        (["--bound", "hoefding"], 1, "did you mean 'hoeffding'"),
        (["--plot", "picture.doc"], 1, "the ending must be one of"),
        (["--all", "--bound", "normal"], 2, "leave out --all"),
    ],
)
def test_what_is_refused(arguments, status, says):
    result = call(*arguments)
    assert result.exit_code == status
    assert says in " ".join(result.stderr.split())
    assert result.stdout == ""
