"""The examples run as they stand."""

import runpy
import socket
from pathlib import Path

import pytest

#: The client of a server has a test with a server, in tests/serve.
EXAMPLES = sorted(
    path
    for path in (Path(__file__).parent.parent / "examples").glob("*.py")
    if path.stem != "serving_client"
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_something(path, capsys, monkeypatch):
    if "river" in path.stem:
        pytest.importorskip("river")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    # The demo of the server posts its rows as fast as the server accepts them.
    monkeypatch.setenv("RIPARIAN_ADDRESS", f"127.0.0.1:{port}")
    monkeypatch.setenv("RIPARIAN_SECONDS", "1")
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
