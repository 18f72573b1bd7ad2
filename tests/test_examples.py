"""The examples run as they stand."""

import runpy
from pathlib import Path

import pytest

#: The client of a server has a test with a server, in tests/serve.
EXAMPLES = sorted(
    path
    for path in (Path(__file__).parent.parent / "examples").glob("*.py")
    if path.stem != "serving_client"
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_something(path, capsys):
    if "river" in path.stem:
        pytest.importorskip("river")
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
