"""River's classifiers on a stream, one dict per row.

Categories are passed as text, which River's trees take as nominal; a missing value is a key that
the dict does not have. The dicts are made beforehand and take no part in the CPU seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from choosing_streams import Data

from peers.prequential import Pass, UnfinishedError

__all__ = ["run", "version"]

#: Rows after which the time of the rest is estimated.
ROWS_TO_ESTIMATE = 500


def version() -> str:
    """Return River's version."""
    import river

    return str(river.__version__)


def _classes() -> dict[str, Callable[[int], Any]]:
    from river import ensemble, forest, tree

    return {
        "HoeffdingTreeClassifier": lambda seed: tree.HoeffdingTreeClassifier(),
        "HoeffdingAdaptiveTreeClassifier": lambda seed: tree.HoeffdingAdaptiveTreeClassifier(
            seed=seed
        ),
        "ExtremelyFastDecisionTreeClassifier": (
            lambda seed: tree.ExtremelyFastDecisionTreeClassifier()
        ),
        "ARFClassifier": lambda seed: forest.ARFClassifier(seed=seed),
        "SRPClassifier": lambda seed: ensemble.SRPClassifier(seed=seed),
    }


def run(name: str, data: Data, seed: int, limit: float) -> Pass:
    """Predict and learn each row.

    It is given up after `limit` CPU seconds, or as soon as the rows so far show that the whole
    stream will take longer.
    """
    model = _classes()[name](seed)
    rows, labels = _dicts(data), data.y.tolist()
    n_classes = int(data.y.max()) + 1
    predicted, of_truth = np.zeros(len(labels), dtype=np.int64), np.empty(len(labels))
    start = process_time()
    for i, (x, label) in enumerate(zip(rows, labels, strict=True)):
        votes = model.predict_proba_one(x)
        total = sum(votes.values())
        if total > 0:
            predicted[i] = max(votes, key=votes.__getitem__)
            of_truth[i] = votes.get(label, 0.0) / total
        else:
            of_truth[i] = 1 / n_classes
        model.learn_one(x, label)
        if (i + 1) % ROWS_TO_ESTIMATE == 0:
            expected = (process_time() - start) * len(labels) / (i + 1)
            if expected > limit:
                raise UnfinishedError(
                    f"about {expected:.0f} CPU seconds expected after {i + 1:,} of "
                    f"{len(labels):,} rows; the limit is {limit:g}"
                )
    return Pass(predicted, of_truth, process_time() - start)


def _dicts(data: Data) -> list[dict[str, float | str]]:
    names = [f"x{j}" for j in range(data.X.shape[1])]
    nominal = set(data.nominal)
    return [
        {
            names[j]: str(int(value)) if j in nominal else value
            for j, value in enumerate(row)
            if not math.isnan(value)
        }
        for row in data.X.tolist()
    ]
