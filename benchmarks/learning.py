"""How much does `riparian learn` cost on top of the model: decoding, checkpoints, pauses?

Prints JSON: CPU microseconds per row of a file of JSON lines, alone and with checkpoints, and the
pause of the learner for a checkpoint of a tree and of a forest of ten.
"""

from __future__ import annotations

import json
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import riparian as rp
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.job import Job, open_learner
from riparian.sources.messages import Messages
from riparian.sources.settings import Settings

ROWS = 100_000


def write(path: Path) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(ROWS, 10))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    with open(path, "w") as file:
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            values = {f"x{i}": value for i, value in enumerate(row)}
            file.write(json.dumps({**values, "y": f"c{label}"}) + "\n")


def learn(model: Any, path: Path, every: int | None) -> dict[str, float]:
    """CPU time per row of the whole process, and the pause of the last checkpoint."""
    settings = Settings(every_seconds=None, every_rows=every)
    with tempfile.TemporaryDirectory() as folder, Checkpoint(folder) as checkpoint:
        job = Job(model, rp.sources.open(str(path)), Messages("y"))
        learner = open_learner(job, checkpoint, settings, lambda text: None)
        clock = time.process_time()
        learner.run()
        seconds = time.process_time() - clock
        return {
            "us_per_row": round(1e6 * seconds / learner.rows, 3),
            "pause_ms": round(1e3 * learner.status.pause, 2),
            "model_bytes": learner.status.size,
            "checkpoints": learner.status.checkpoints,
        }


def main() -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        write(path)
        learn(rp.VFDT(), path, None)  # imports and caches
        found = {
            "tree": learn(rp.VFDT(), path, None),
            "tree, a checkpoint every 10,000 rows": learn(rp.VFDT(), path, 10_000),
            "StreamTree": learn(rp.StreamTree(), path, None),
            "forest of ten": learn(rp.StreamForest(n_estimators=10), path, None),
        }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
