"""A result as bytes, so that an evaluation can be continued by another process, and as JSON values.

The bytes have the layout of safetensors, as model files have: arrays and a JSON header.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from riparian.evaluate.curve import Size, _Point
from riparian.evaluate.results import Result
from riparian.evaluate.scores import Scores
from riparian.storage.values import value_from_json, value_to_json

__all__ = ["FORMAT", "result_from_bytes", "result_to_bytes", "result_to_dict"]

FORMAT = 1
_HEADER = "riparian-result"


def result_to_bytes(result: Result, *, clock: bool = True) -> bytes:
    """Return a result as bytes.

    Parameters
    ----------
    result : Result
        The result.
    clock : bool, default=True
        Whether to keep what was measured: times and the memory of the model, which has less after
        it was loaded. Without them, equal rows and predictions give equal bytes.

    Returns
    -------
    bytes
    """
    windows, counts, scores = result._windows, result._counts, result._scores
    points = windows._points
    header = {
        "format": FORMAT,
        "sliding_rows": result.sliding_rows,
        "fading_factor": result.fading_factor.hex(),
        "n": result.n,
        "correct": result.correct,
        "skipped": result.skipped,
        "window": result.window,
        "fixed": windows._fixed,
        "labels": [value_to_json(label) for label in result._labels.codes],
        "majority_correct": counts.majority_correct,
        "no_change_correct": counts.no_change_correct,
        "last": counts._last,
        "open": windows._open,
        "confusion": counts.confusion is not None,
        "scores": scores is not None,
        "steps": scores is not None and scores._steps is not None,
    }
    arrays: dict[str, Any] = {
        "true": counts.true,
        "predicted": counts.predicted,
        "last_right": windows._last_right,
        "faded": np.array(windows._faded),
        "unfaded": windows._unfaded,
        "points": np.array([[p.row, p.right, *p.size[:2]] for p in points], np.int64).reshape(
            -1, 4
        ),
        "accuracy": np.array([[p.overall, p.sliding, p.fading] for p in points]).reshape(-1, 3),
    }
    if counts.confusion is not None:
        arrays["confusion"] = counts.confusion
    if scores is not None:
        arrays["scores"] = np.array([scores.n, scores._loss])
        if scores._steps is not None:
            arrays["steps"] = scores._steps
    if clock:
        arrays["seconds"] = np.array(
            [result.seconds, result.model_seconds, *(p.size.seconds for p in points)]
        )
        arrays["memory"] = np.array([p.size.memory for p in points], np.int64)
    text = json.dumps(header, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return safetensors.numpy.save(arrays, metadata={_HEADER: text})


def result_from_bytes(data: bytes) -> Result:
    """Return the result of :func:`result_to_bytes`.

    Parameters
    ----------
    data : bytes
        The bytes.

    Returns
    -------
    Result
        Times are 0 and memory is -1 if the bytes have none.

    Raises
    ------
    ValueError
        If the bytes are not a result, or come from a later version.
    """
    try:
        arrays = safetensors.numpy.load(data)
        outer = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        header = json.loads(outer["__metadata__"][_HEADER])
        if header["format"] != FORMAT:
            raise ValueError(f"format {header['format']!r}, but this version reads {FORMAT}")
        return _result(header, arrays)
    except (SafetensorError, KeyError, TypeError, IndexError, ValueError) as error:
        raise ValueError(f"not a result of riparian: {str(error)[:200]}") from None


def _result(header: dict[str, Any], arrays: dict[str, Any]) -> Result:
    result = Result(
        header["window"] if header["fixed"] else None,
        sliding_rows=header["sliding_rows"],
        fading_factor=float.fromhex(header["fading_factor"]),
    )
    windows, counts = result._windows, result._counts
    result.n, result.correct = windows._rows, windows._correct = header["n"], header["correct"]
    result.skipped, windows.window = header["skipped"], header["window"]
    labels = [value_from_json(label) for label in header["labels"]]
    result._labels.codes = {label: code for code, label in enumerate(labels)}
    if len(result._labels) != len(arrays["true"]):
        raise ValueError("labels and counts disagree")
    counts.true, counts.predicted = arrays["true"].copy(), arrays["predicted"].copy()
    counts.confusion = arrays["confusion"].copy() if header["confusion"] else None
    counts.majority_correct = header["majority_correct"]
    counts.no_change_correct = header["no_change_correct"]
    counts._last, windows._open = header["last"], list(header["open"])
    windows._last_right, windows._unfaded = arrays["last_right"], arrays["unfaded"]
    correct, n = arrays["faded"].tolist()
    windows._faded = (correct, n)
    points, accuracy = arrays["points"].tolist(), arrays["accuracy"].tolist()
    seconds = arrays["seconds"].tolist() if "seconds" in arrays else [0.0] * (2 + len(points))
    bytes_used = arrays["memory"].tolist() if "memory" in arrays else [-1] * len(points)
    result.seconds, result.model_seconds = seconds[:2]
    windows._points = [
        _Point(row, right, overall, sliding, fading, Size(leaves, depth, memory, clock))
        for (row, right, leaves, depth), (overall, sliding, fading), memory, clock in zip(
            points, accuracy, bytes_used, seconds[2:], strict=True
        )
    ]
    if header["scores"]:
        result._scores = scores = Scores()
        scores.n, scores._loss = int(arrays["scores"][0]), float(arrays["scores"][1])
        scores._steps = arrays["steps"].copy() if header["steps"] else None
    return result


def result_to_dict(result: Result) -> dict[str, Any]:
    """Return all metrics of a result as JSON values."""
    curve = result.curve
    confusion = result.confusion
    return {
        "rows": result.n,
        "skipped": result.skipped,
        **{name: _figure(value) for name, value in result.figures().items()},
        "f1": [
            [label, value]
            for label, value in zip(_plain(list(result.f1)), result.f1.values(), strict=True)
        ],
        "baselines": {name: _figure(value) for name, value in result.baselines.items()},
        "confusion": confusion
        and {"labels": _plain(confusion[0]), "matrix": confusion[1].tolist()},
        "curve": {name: values.tolist() for name, values in asdict(curve).items()},
        "seconds": result.seconds,
        "model_seconds": result.model_seconds,
        "rate": _figure(result.rate),
    }


def _figure(value: float) -> float | None:
    """Return None for NaN, which JSON does not have."""
    return None if np.isnan(value) else float(value)


def _plain(labels: list[Any]) -> list[Any]:
    return [k if isinstance(k, bool | int | float | str) else str(k) for k in labels]
