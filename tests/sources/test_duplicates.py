"""Rows that a producer sends again are learned once (A5)."""

from __future__ import annotations

import json
import os

import numpy as np

import riparian as rp
from tests.effort import ATTACK

#: How many messages come again.
DUPLICATES = int(os.environ.get("RIPARIAN_DUPLICATES", 100_000 * ATTACK))


def test_rows_that_a_producer_sent_again_are_left_out(tmp_path):
    """Each row comes once, and again up to some seconds later; `dedupe` looks back a minute."""
    n, again = DUPLICATES // 4, 4
    chance = np.random.default_rng(2)
    x = chance.normal(size=n)
    times = np.repeat(np.arange(n) / 500, again + 1)
    sent = times + np.where(
        np.arange(len(times)) % (again + 1), chance.uniform(0, 5, len(times)), 0
    )
    with open(tmp_path / "rows.jsonl", "w") as rows, open(tmp_path / "once.jsonl", "w") as once:
        for i in np.argsort(sent, kind="stable").tolist():
            row = i // (again + 1)
            line = json.dumps({"id": f"k{row}", "t": sent[i], "x": x[row], "z": row % 7}) + "\n"
            rows.write(line)
            if i % (again + 1) == 0:
                once.write(line)
    with open(tmp_path / "labels.jsonl", "w") as labels:
        for row in range(n):
            label = {"id": f"k{row}", "t": row / 500 + 6, "y": "yes" if x[row] > 0.3 else "no"}
            labels.write(json.dumps(label) + "\n")
    learned = {}
    for name in ("rows", "once"):
        learning = rp.learn(
            rp.VFDT(),
            tmp_path / f"{name}.jsonl",
            labels=tmp_path / "labels.jsonl",
            key="id",
            label="y",
            wait="20s",
            dedupe="1m",
            time="t",
            checkpoint=tmp_path / name,
            max_pending=n,
        )
        learning.join(600)
        learned[name] = learning.counters
        assert learning.counters["learned"] == n
        learning.model.positions_ = {}
        learning.model.save(tmp_path / f"{name}.rip")
    assert learned["rows"]["duplicate"] == n * again
    assert learned["once"]["duplicate"] == 0
    assert (tmp_path / "rows.rip").read_bytes() == (tmp_path / "once.rip").read_bytes()
