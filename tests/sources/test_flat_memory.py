"""A learner whose ids and categories never end stays in the same memory (A9).

`benchmarks/soak.py` does the same for an hour, with a broker that is restarted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.effort import ATTACK

ROWS = 40_000 * ATTACK

#: Prints the number of rows learned and the resident MiB, again and again.
LEARN = """
import sys, threading
import riparian as rp
from riparian.sources.process import prepare_process

prepare_process()
folder, block = sys.argv[1], 200
model = rp.VFDT(grace_period=100, max_bytes=300_000, categorical_features=["user"])
learning = rp.learn(
    model, f"{folder}/rows.jsonl", labels=f"{folder}/labels.jsonl", key="id", label="y",
    time="t", wait="60s", checkpoint=f"{folder}/state", every=2000, block=block,
)
while learning.running:
    pages = int(open("/proc/self/statm").read().split()[1])
    print(learning.counters["learned"], pages * 4096 / 2**20, flush=True)
    threading.Event().wait(0.05)
learning.join()
print(learning.counters["learned"], learning.counters["rejected"], flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_names_that_never_end_cost_a_bounded_number_of_bytes(tmp_path):
    chance = np.random.default_rng(4)
    with open(tmp_path / "rows.jsonl", "w") as rows, open(tmp_path / "labels.jsonl", "w") as labels:
        for i, x in enumerate(chance.normal(size=ROWS).tolist()):
            row = {"id": f"id-{i:012x}", "user": f"user {i * 7919}", "x": x, "t": i / 100}
            rows.write(json.dumps(row) + "\n")
            label = {"id": row["id"], "t": i / 100 + 20, "y": "yes" if x > 0.3 else "no"}
            labels.write(json.dumps(label) + "\n")
    program = [sys.executable, "-c", LEARN, str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    *seen, last = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    assert last == (ROWS, 0)
    warm = [resident for learned, resident in seen if learned > ROWS / 2]
    assert len(warm) > 4
    # A text and its entry in a dict, kept for each row of this half, would be 3.4 MiB.
    assert np.median(warm[-3:]) - np.median(warm[:3]) < 3.0


def test_arrow_keeps_no_memory_of_its_own():
    """The command only: a library leaves the allocator of its process as it is."""
    text = """
import pyarrow as pa
before = pa.default_memory_pool().backend_name
from riparian.sources.process import prepare_process
assert pa.default_memory_pool().backend_name == before
prepare_process()
print(pa.default_memory_pool().backend_name)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["system"]
