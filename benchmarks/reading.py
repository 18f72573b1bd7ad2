"""What does reading a file cost, compared with the model that learns from it?

A million rows of ten numbers and a class are written as CSV with 17 and with 3 digits, as JSON
lines and as Parquet. For each file the processor time per row, in microseconds: of pyarrow and of
polars alone on one thread, of the model alone on columns in memory, and of ``riparian run``. Then
the processor time of ``run`` divided by the sum of pyarrow's and the model's, and its wall time
divided by the wall time of the slower of the two. The four take turns, and the best of several
rounds counts; wall times mean something only if two cores are free. All four run in this process.
The last line is what the command takes in addition, once: a run of 100 rows as a process of its
own, which starts Python, imports the package and prints the report.

    python benchmarks/reading.py [--markdown] [--rows 1000000] [--repeat 3] [--files 3.csv]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import numpy as np
import polars
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
from tables import Table

import riparian as rp
from riparian.evaluate import Result, steps

BLOCK = 10_000


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3, help="the best of this many counts")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--files", default="17.csv,3.csv,t.jsonl,t.parquet", help="which of them")
    options = parser.parse_args(arguments)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path, columns in _files(Path(folder), options.rows, options.files.split(",")):
            calls: dict[str, Callable[[], None]] = {
                "pyarrow": partial(_pyarrow, path),
                "polars": partial(_polars, path),
                "model": partial(_model, columns),
                "run": partial(_run, path),
            }
            cpu, wall = _best(options, calls)
            results.append(
                {
                    "file": name,
                    "MB": path.stat().st_size / 1e6,
                    **cpu,
                    "ratio": cpu["run"] / (cpu["pyarrow"] + cpu["model"]),
                    "wall": wall["run"],
                    "wall ratio": wall["run"] / max(wall["pyarrow"], wall["model"]),
                }
            )
    columns_of_table = [
        ("file", "file", "{}"),
        ("MB", "MB", "{:.0f}"),
        ("pyarrow us/row", "pyarrow", "{:.2f}"),
        ("polars us/row", "polars", "{:.2f}"),
        ("model us/row", "model", "{:.2f}"),
        ("riparian run us/row", "run", "{:.2f}"),
        ("run / (pyarrow + model)", "ratio", "{:.2f}"),
        ("wall us/row", "wall", "{:.2f}"),
        ("wall / slower", "wall ratio", "{:.2f}"),
    ]
    Table("Reading and learning", columns_of_table, results).print(markdown=options.markdown)
    cpu_seconds, seconds = min(_command() for _ in range(options.repeat))
    print(f"\nThe command with 100 rows: {cpu_seconds:.2f} s processor, {seconds:.2f} s wall.")
    return 0


def _files(folder: Path, n: int, wanted: list[str]) -> list[tuple[str, Path, dict[str, Any]]]:
    """Write the files; give their names and the columns that are in them."""
    X = np.random.default_rng(0).normal(size=(n, 10))
    codes = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    labels = np.array(["low", "middle", "high"], dtype=object)[codes]
    full = {**{f"x{i}": np.ascontiguousarray(X[:, i]) for i in range(10)}, "y": labels}
    short = {name: c if name == "y" else np.round(c, 3) for name, c in full.items()}
    plain = pyarrow.csv.WriteOptions(quoting_style="none")
    pyarrow.csv.write_csv(pa.table(full), folder / "17.csv", plain)
    pyarrow.csv.write_csv(pa.table(short), folder / "3.csv", plain)
    pyarrow.parquet.write_table(pa.table(full), folder / "t.parquet")
    with (folder / "t.jsonl").open("w") as file:
        for start in range(0, n if "t.jsonl" in wanted else 0, BLOCK):
            rows = pa.table(full).slice(start, BLOCK).to_pylist()
            file.writelines(json.dumps(row) + "\n" for row in rows)
    made = [
        ("CSV, 17 digits", folder / "17.csv", full),
        ("CSV, 3 digits", folder / "3.csv", short),
        ("JSON lines", folder / "t.jsonl", full),
        ("Parquet", folder / "t.parquet", full),
    ]
    return [file for file in made if file[1].name in wanted]


def _best(
    options: argparse.Namespace, calls: dict[str, Callable[[], None]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the least processor time and the least wall time of each, per row."""
    cpu, wall = dict.fromkeys(calls, math.inf), dict.fromkeys(calls, math.inf)
    for _ in range(options.repeat):
        for name, call in calls.items():
            start, clock = process_time(), perf_counter()
            call()
            cpu[name] = min(cpu[name], (process_time() - start) / options.rows * 1e6)
            wall[name] = min(wall[name], (perf_counter() - clock) / options.rows * 1e6)
    return cpu, wall


def _pyarrow(path: Path) -> None:
    """Read in blocks, as a stream must."""
    if path.suffix == ".csv":
        read = pyarrow.csv.ReadOptions(use_threads=False)
        for _ in pyarrow.csv.open_csv(path, read_options=read):
            pass
    elif path.suffix == ".jsonl":
        # Also in blocks; json.open_json is not in all versions.
        read = pyarrow.json.ReadOptions(use_threads=False)
        pyarrow.json.read_json(path, read_options=read)
    else:
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False) as file:
            for _ in file.iter_batches(BLOCK, use_threads=False):
                pass


def _polars(path: Path) -> None:
    if path.suffix == ".csv":
        polars.read_csv(path)
    elif path.suffix == ".jsonl":
        polars.read_ndjson(path)
    else:
        polars.read_parquet(path)


def _model(columns: dict[str, Any]) -> None:
    model = rp.StreamTree()
    features = [name for name in columns if name != "y"]
    for start in range(0, len(columns["y"]), BLOCK):
        rows = slice(start, start + BLOCK)
        model.prequential({name: columns[name][rows] for name in features}, columns["y"][rows])


def _run(path: Path) -> None:
    with rp.streams.open_stream(path, target="y") as stream:
        for _ in steps(rp.StreamTree(), stream, Result(), block=BLOCK):
            pass


def _command() -> tuple[float, float]:
    """Return the processor and the wall time of the command for a tiny file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.csv"
        path.write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(100)))
        before, clock = os.times(), perf_counter()
        command = [sys.executable, "-m", "riparian", "run", str(path), "--target", "y"]
        subprocess.run(command, check=True, capture_output=True)
        after = os.times()
        used = after.children_user + after.children_system
        return used - before.children_user - before.children_system, perf_counter() - clock


if __name__ == "__main__":
    sys.exit(main())
