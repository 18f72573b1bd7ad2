"""The example of a client runs against a server that learns."""

from __future__ import annotations

import dataclasses
import runpy
from pathlib import Path

from tests.serve.serving import JOIN, serving

EXAMPLE = Path(__file__).parents[2] / "examples" / "serving_client.py"


def test_the_client_learns_once_predicts_and_labels_later(tmp_path, capsys):
    join = dataclasses.replace(JOIN, wait=7 * 86_400.0, otherwise="ok")
    with serving(tmp_path / "state", join=join) as server:
        runpy.run_path(str(EXAMPLE))["main"](server.served.url)
        server.wait_for(501)
        assert server.learner.rows == 501
    printed = capsys.readouterr().out
    assert "learned: 500 rows" in printed
    assert "learned again: 500 rows" in printed
