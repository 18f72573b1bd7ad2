"""The notebooks run from top to bottom, and what they compare is equal."""

import ast
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.md"))
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(cell, names, where):
    """Run a cell; the value is that of its last line, if that is an expression."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    return eval(compile(ast.Expression(last.value), where, "eval"), names) if last else None


def test_there_is_a_notebook_for_each_kind_of_reader():
    assert {path.stem for path in NOTEBOOKS} >= {"scikit-learn", "river", "drift", "evidence"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_of_a_notebook_runs_and_none_shows_false(path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    if path.stem == "river":
        pytest.importorskip("river")
    matplotlib.use("Agg")
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    text = path.read_text("utf-8")
    cells = CELL.findall(text)
    assert len(cells) == text.count("{code-cell}")
    names = {}
    for cell in cells:
        value = run(cell, names, f"{path.name}: {cell.splitlines()[0]}")
        assert value is not False, cell
    matplotlib.pyplot.close("all")
