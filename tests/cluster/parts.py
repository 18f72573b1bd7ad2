"""Streams with everything that a schema can meet, and rounds over rows in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from riparian.cluster.pool import Pool
from riparian.cluster.rounds import Rounds, round_size
from riparian.cluster.shards import slices
from riparian.cluster.worker import Lesson
from riparian.data.block import Block
from riparian.storage.modelfile import to_bytes


def stream(n: int, seed: int) -> tuple[dict[str, Any], np.ndarray]:
    """Numbers with gaps, categories, and classes, categories and features that come later."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    job = rng.choice(["nurse", "cook", "clerk"], n).astype(object)
    late = np.arange(n) > n // 3
    job[late & (rng.random(n) < 0.3)] = "pilot"
    job[late & (rng.random(n) < 0.1)] = "diver"
    town = np.where(np.arange(n) > n // 2, rng.choice(["Oslo", "Rome"], n), None).astype(object)
    new = np.where(np.arange(n) > 0.4 * n, rng.normal(size=n), np.nan)
    score = a + np.where(job == "cook", 1.5, 0) - np.where(job == "pilot", 2.0, 0)
    y = np.where(score > 0.3, "yes", "no").astype(object)
    y[late & (b > 1.5)] = "maybe"
    a[rng.random(n) < 0.1] = np.nan
    job[rng.random(n) < 0.05] = None
    return {"a": a, "b": b, "job": job, "town": town, "new": new}, y


def part(columns: dict[str, Any], start: int, stop: int) -> Block:
    """Rows of a stream. Columns without a value are not there: they come later."""
    found = {name: values[start:stop] for name, values in columns.items()}
    kept = {
        name: values
        for name, values in found.items()
        if not all(v is None or v != v for v in values)
    }
    return Block(kept, stop - start)


def lessons(columns: dict[str, Any], y: Any, start: int, stop: int, shards: int) -> list[Any]:
    return [
        Lesson(rows=[(part(columns, start + i, start + j), y[start + i : start + j])])
        if j > i
        else None
        for i, j in slices(stop - start, shards)
    ]


def learned(
    model: Any,
    pool: Pool,
    columns: Any,
    y: Any,
    *,
    shards: int = 16,
    alone: int = 1000,
    before: Callable[[int], object] = lambda at: None,
    **more: Any,
) -> tuple[Any, Rounds]:
    """Learn a stream in rounds; return the model. `before` is called with the first row of each."""
    model.partial_fit(part(columns, 0, alone), y[:alone])
    rounds = Rounds(pool, shards, **more)
    at = alone
    while at < len(y):
        stop = min(len(y), at + round_size(model.n_leaves_))
        before(at)
        rounds.learn(model, lessons(columns, y, at, stop, shards))
        at = stop
    rounds.finish()
    return model, rounds


def digest(model: Any) -> str:
    return hashlib.sha256(to_bytes(model)).hexdigest()
