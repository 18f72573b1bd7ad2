"""The dashboard asks for metrics that the server has."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.serve.serving import rows_of, serving, tree

FILE = Path(__file__).parents[2] / "examples/deploy/grafana-serving.json"
#: Metrics of a follower, and those that begin with the first event.
ELSEWHERE = {"riparian_model_stale_seconds"}


def test_every_metric_of_the_dashboard_is_there(tmp_path) -> None:
    asked = set()
    for panel in json.loads(FILE.read_text())["panels"]:
        for target in panel["targets"]:
            asked |= set(re.findall(r"riparian_[a-z_]+", target["expr"]))
    with serving(tmp_path, tree()) as running:
        running.learn(rows_of(100))
        running.wait_for(100)
        running.predict({"x": 0.5}, proba=True)
        text = running.client.get("/metrics").text
    names = set(re.findall(r"^(?:# TYPE )?(riparian_[a-z_]+)", text, re.MULTILINE))
    names |= {f"{name}_{end}" for name in names for end in ("bucket", "count", "sum")}
    assert asked - names - ELSEWHERE == set()
    assert 'riparian_predictions_total{class="' in text
    assert 'route="/v1/predict"' in text
    assert "riparian_rows_learned_total" in text
