"""Every model with parameters that make it split early, and rows that it can learn."""

from __future__ import annotations

import numpy as np

from riparian.models.registry import MODELS
from tests.contract.matrix import FULL
from tests.effort import ALL

#: Where a model has such a parameter.
EAGER = {"grace_period": 50, "delta": 1e-3, "tau": 0.1}
#: Models that learn categories only.
OF_CATEGORIES = ("ID3", "ID3Prime", "ID4", "ID5R")
#: Models whose rows cost more, the more of them there are.
SLOW = ("ID5R", "ITI", "ID3Prime")

NAMES = list(MODELS)
#: Two of each engine, where a model's own choices make no difference; tests/effort.py.
OF_ENGINES = NAMES if ALL else list(dict.fromkeys(entry.cls.__name__ for entry in FULL))


def eager(name, **parameters):
    """A model of this name that splits early."""
    known = MODELS[name]().get_params(deep=False)
    if name == "UFFT":
        parameters = {"n_min": "fixed", **parameters}
    return MODELS[name](**{k: v for k, v in EAGER.items() if k in known} | parameters)


def rows_for(name, n, *, classes=3, seed=0, columns=6):
    """Rows of noise with a signal in the first columns."""
    dice = np.random.default_rng(seed)
    X = dice.normal(size=(n, columns))
    y = (np.digitize(X[:, 0] + 0.5 * dice.normal(size=n), [-0.5, 0.5]) % classes).astype(np.int64)
    if name in OF_CATEGORIES:
        return np.where(X > 0.3, "high", np.where(X < -0.3, "low", "mid")).astype(object), y
    return X, y
