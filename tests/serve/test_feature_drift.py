"""The drift of features: the index by its formula, bins by the first rows, state through JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from riparian.data.block import Block
from riparian.sources.feature_drift import FeatureDrift, stability_index

STEP, ROWS = 50, 5000


def block(values: np.ndarray, words: list[str] | None = None) -> Block:
    stored: dict = {"x": values}
    if words is not None:
        column = np.empty(len(words), dtype=object)
        column[:] = words
        stored["w"] = column
    return Block(stored, len(values))


def reference_psi(first: np.ndarray, recent: np.ndarray) -> float:
    """From the specification: 20 quantile bins of the first rows, shares of at least 0.0001."""
    edges = np.quantile(first, np.linspace(0, 1, 21)[1:-1])
    p, q = (
        np.maximum(np.bincount(np.searchsorted(edges, v), minlength=20) / len(v), 1e-4)
        for v in (first, recent)
    )
    return float(((q - p) * np.log(q / p)).sum())


def test_the_index_of_shares() -> None:
    p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    assert stability_index(p, q) == pytest.approx(-0.25 * np.log(0.5) + 0.25 * np.log(1.5))
    assert stability_index(p, p) == 0.0


def test_sampled_rows_against_the_reference() -> None:
    random = np.random.default_rng(1)
    first, moved = random.normal(size=STEP * ROWS), random.normal(0.7, size=STEP * ROWS)
    drift = FeatureDrift()
    for part in np.array_split(first, 7):
        drift.add(block(part))
    assert drift.figures()["x"] == {}
    for part in np.array_split(moved, 11):
        drift.add(block(part))
    found = drift.figures()["x"]
    assert found["psi"] == pytest.approx(reference_psi(first[::STEP], moved[::STEP]), rel=1e-9)
    assert found["psi"] > 0.25
    assert found["missing"] == found["new_values"] == 0.0
    assert len(found["bins"]) == len(found["reference"]) == len(found["recent"]) == 20


def test_blocks_of_any_size_and_a_restart_give_the_same() -> None:
    random = np.random.default_rng(2)
    values = random.normal(size=STEP * (ROWS + 300))
    values[::7] = np.nan
    words = ["ab"[i // STEP % 2] if i < STEP * ROWS else "new" for i in range(len(values))]
    whole = FeatureDrift()
    whole.add(block(values, words))
    parts = FeatureDrift()
    at = 0
    for size in [1, 49, 50, 51, 999, 123_456, 1_000_000]:
        parts.add(block(values[at : at + size], words[at : at + size]))
        at += size
        parts = FeatureDrift.from_state(json.loads(json.dumps(parts.state())))
    assert parts.figures() == whole.figures()
    assert parts.state() == whole.state()
    found = whole.figures()
    assert found["w"]["new_values"] == 1.0
    assert found["w"]["bins"] == ["a", "b", "other"]
    assert found["x"]["missing"] == pytest.approx(1 / 7, abs=0.05)
