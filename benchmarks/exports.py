"""How large is an exported model, and what does one of its predictions cost?

The default tree and the default forest learn the first rows of a stream and are exported as they
predict. Each export predicts the next 10,000 rows (Python the first 1,000 of them), all in one
process. The figure is the CPU time per row, the best of three. The table of docs/exports.md.

    python benchmarks/exports.py [--rows 20000]
"""

from __future__ import annotations

import argparse
import ctypes
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from tables import Table

import riparian as rp

ASKED = 10_000
STREAMS = {"SEA": rp.streams.sea, "RandomRBF": rp.streams.random_rbf}
#: Predicts all rows in one call.
ALL = """
void tree_all(const double *x, int n, double *p)
{
    int i;
    for (i = 0; i < n; ++i) tree_probabilities(x + i * tree_FEATURES, p + i * tree_CLASSES);
}
"""


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000, help="that are learned")
    options = parser.parse_args(arguments)
    rows = []
    for stream, make in STREAMS.items():
        X, y = make(seed=1).take(options.rows + ASKED)
        asked = np.ascontiguousarray(X[options.rows :])
        for model in (rp.StreamTree(), rp.StreamForest(random_state=1, n_jobs=1)):
            model.fit(X[: options.rows], y[: options.rows])
            row: dict[str, Any] = {"stream": stream, "model": type(model).__name__}
            row["leaves"] = model.n_leaves_
            row["model_us"] = per_row(partial(model.predict_proba, asked), ASKED)
            for target, measure in TARGETS.items():
                row[f"{target}_kb"], row[f"{target}_us"] = measure(model, asked)
            rows.append(row)
    columns = [("stream", "stream", "{}"), ("model", "model", "{}"), ("leaves", "leaves", "{:,}")]
    columns += [(f"{target} kB", f"{target}_kb", "{:,.0f}") for target in TARGETS]
    columns += [("model us", "model_us", "{:.2f}")]
    columns += [(f"{target} us", f"{target}_us", "{:.2f}") for target in TARGETS]
    print(Table("Exports", columns, rows).as_markdown())


def per_row(predict: Callable[[], Any], n: int) -> float:
    """Return the CPU time of a prediction in microseconds, the best of three runs."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        predict()
        best = min(best, time.process_time() - begin)
    return best / n * 1e6


def of_c(model: Any, asked: Any) -> tuple[float, float]:
    code = model.to_code("c")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tree.c").write_text(code + ALL)
        command = ["cc", "-O2", "-std=c99", "-shared", "-fPIC", "tree.c", "-o", "tree.so", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        library = ctypes.CDLL(str(folder / "tree.so"))
    shares = np.empty((len(asked), len(model.classes_)))
    given = (
        asked.ctypes.data_as(ctypes.c_void_p),
        len(asked),
        shares.ctypes.data_as(ctypes.c_void_p),
    )
    took = per_row(lambda: library.tree_all(*given), len(asked))
    np.testing.assert_allclose(shares, model.predict_proba(asked), rtol=0, atol=1e-9)
    return len(code) / 1e3, took


def of_onnx(model: Any, asked: Any) -> tuple[float, float]:
    data = model.to_onnx().SerializeToString()
    given = onnxruntime.SessionOptions()
    given.intra_op_num_threads = given.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(data, given, providers=["CPUExecutionProvider"])
    return len(data) / 1e3, per_row(lambda: session.run(None, {"X": asked}), len(asked))


def of_sql(model: Any, asked: Any) -> tuple[float, float]:
    code = model.to_code("sql")
    base = sqlite3.connect(":memory:")
    names = [f"x{i}" for i in range(asked.shape[1])]
    base.execute(f"CREATE TABLE examples ({', '.join(names)})")
    base.executemany(f"INSERT INTO examples VALUES ({', '.join('?' * len(names))})", asked.tolist())
    return len(code) / 1e3, per_row(lambda: base.execute(code).fetchall(), len(asked))


def of_python(model: Any, asked: Any) -> tuple[float, float]:
    code = model.to_code("python")
    space: dict[str, Any] = {}
    exec(code, space)
    rows = asked[:1000].tolist()
    took = per_row(lambda: [space["predict_proba_one"](x) for x in rows], len(rows))
    return len(code) / 1e3, took


TARGETS = {"C": of_c, "ONNX": of_onnx, "SQL": of_sql, "Python": of_python}

if __name__ == "__main__":
    main()
