"""Every model that the attacks drive: recipes, compositions, limits, and functions of the user."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import riparian as rp
from riparian.models.registry import MODELS, RECIPES, models_of
from tests.contract.parameters import COMPOSITIONS, EAGER, OTHERS, TAU


class Calls:
    """When a function of the user fails: after this many more calls."""

    left: int | None = None
    error: type[BaseException] = RuntimeError

    @classmethod
    def count(cls):
        if cls.left is not None:
            cls.left -= 1
            if cls.left < 0:
                raise cls.error("no answer today")


def own_gini(counts):
    Calls.count()
    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0.0, total, 1.0)
    return 1.0 - (shares * shares).sum(axis=-1)


def own_bound(evidence):
    Calls.count()
    n = np.asarray(evidence.n, dtype=float)
    return evidence.gain_range * np.sqrt(np.log(1.0 / evidence.delta) / (2.0 * n))


@dataclass(frozen=True)
class Kind:
    """A model to drive: calling it makes a fresh one."""

    cls: type
    parameters: dict

    def __call__(self):
        return self.cls(**self.parameters)

    @property
    def restructures(self):
        """Whether it keeps examples, so that its numbers must repeat and its batches be short."""
        return self.cls in models_of("restructuring trees").values()

    @property
    def asks(self):
        """Whether it asks a function of the user."""
        inner = self.parameters.get("estimator")
        own = [*self.parameters.values(), *(inner.get_params().values() if inner else ())]
        return any(function in own for function in (own_gini, own_bound))


def kinds() -> dict[str, Kind]:
    """Every model with parameters that make it split early, every composition, limits."""
    found: dict[str, Kind] = {}
    for name, cls in RECIPES.items():
        eager = EAGER | {"grace_period": 20, "tau": TAU.get(name, 0.1)}
        known = cls().get_params()
        found[name] = Kind(cls, {k: v for k, v in eager.items() if k in known})
    for name, own in COMPOSITIONS.items():
        eager = EAGER | {"grace_period": 20, "tau": TAU.get(name, 0.1)}
        found[name] = Kind(rp.HoeffdingTree, eager | own)
    for name, (cls, own) in OTHERS.items():
        found[name] = Kind(cls, own)
    for name, cls in MODELS.items():
        if not any(kind.cls is cls for kind in found.values()):
            found[name] = Kind(cls, {})
    for name, kind in list(found.items()):
        if name in MODELS and "max_bytes" in kind().get_params():
            few = {rp.OADT: 2_000_000}.get(kind.cls, 60_000 if name in RECIPES else 600_000)
            found[f"{name}-limited"] = Kind(kind.cls, kind.parameters | {"max_bytes": few})
    quick = {"grace_period": 20, "delta": 0.01, "tau": 0.1}
    found["own-impurity"] = Kind(rp.HoeffdingTree, quick | {"impurity": own_gini})
    found["own-bound"] = Kind(rp.HoeffdingTree, quick | {"bound": own_bound})
    found["own-both-limited"] = Kind(
        rp.HoeffdingTree, quick | {"impurity": own_gini, "bound": own_bound, "max_bytes": 60_000}
    )
    member = rp.HoeffdingTree(impurity=own_gini, **quick)
    found["own-in-forest"] = Kind(rp.OnlineBagging, {"estimator": member, "n_estimators": 2})
    return found


KINDS = kinds()
