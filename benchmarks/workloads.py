"""The arrays that the benchmarks run on: five generators, and two real streams where present."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["CACHE", "DATA_VARIABLE", "NAMES", "Workload", "load"]

CACHE = Path(__file__).parent / ".cache"
DATA_VARIABLE = "RIPARIAN_DATA"
SEED = 1

# Generator and rows; the real streams with what their nominal columns' names begin with.
SYNTHETIC = {
    "rbf": ("random_rbf", 1_000_000),
    "tree": ("random_tree", 1_000_000),
    "sea": ("sea", 1_000_000),
    "led": ("led", 1_000_000),
    "wide": ("wide", 200_000),
}
REAL = {"elec2": ("day",), "covertype": ("Wilderness_Area", "Soil_Type")}
NAMES = (*SYNTHETIC, *REAL)


@dataclass(frozen=True)
class Workload:
    """Rows with their classes as codes from 0, and which columns hold codes of categories."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    nominal: list[int] = field(default_factory=list)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.y.max()) + 1

    def __str__(self) -> str:
        rows, features = self.X.shape
        return f"{self.name}: {rows:,} rows, {features} features, {self.n_classes} classes"


def load(name: str, rows: int | None = None) -> Workload | None:
    """Give the workload's rows, or the first of them; None for a real stream that is not there."""
    if name in SYNTHETIC:
        from riparian import streams

        generator, all_rows = SYNTHETIC[name]
        make: Callable[..., streams.Stream] = getattr(streams, generator)
        return Workload(name, *make(seed=SEED).take(min(rows or all_rows, all_rows)))
    path = Path(os.environ.get(DATA_VARIABLE, "")) / f"{name}.csv.gz"
    if DATA_VARIABLE not in os.environ or not path.exists():
        return None
    return _read(name, path, rows)


def _read(name: str, path: Path, rows: int | None) -> Workload:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        columns = [np.array(column) for column in zip(*reader, strict=True)]
    nominal = [j for j, column in enumerate(header[:-1]) if column.startswith(REAL[name])]
    X = np.empty((len(columns[0]), len(header) - 1))
    for j, column in enumerate(columns[:-1]):
        X[:, j] = (
            np.unique(column, return_inverse=True)[1] if j in nominal else column.astype(float)
        )
    y = np.unique(columns[-1], return_inverse=True)[1].astype(np.int64)
    return Workload(name, X[:rows], y[:rows], nominal)
