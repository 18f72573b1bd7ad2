"""Fuzzes the model file: it is refused with a ModelFileError, or is a model that works.

An input is a file. Its digest is made right before it is read, since no mutation would get past
it; so are the offsets of its arrays, where the mutation is one of `tests.modelfile.mutations`.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import riparian as rp
from riparian.adaptation import Alternates, Window
from riparian.bounds import DeltaMethod
from riparian.impurities import Loss
from riparian.statistics import Intervals
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.fuzz.draw import changed
from tests.modelfile.mutations import FAMILIES
from tests.modelfile.parts import Parts, as_array, signed
from tests.modelfile.samples import LABELS, columns_for

LEARNED = 20


def run(data: bytes) -> None:
    with contextlib.suppress(rp.ModelFileError):
        from_bytes(data)
    if len(data) < 40:
        return
    try:
        model = from_bytes(signed(data[:-32]))
    except rp.ModelFileError:
        return
    works(model)


def works(model: rp.HoeffdingTree) -> None:
    """It predicts, learns rows, and is the same model after it was saved and loaded."""
    columns = columns_for(model, LEARNED)
    predicts(model, columns)
    try:
        model.partial_fit(columns, LABELS[:LEARNED])
    except ValueError as error:
        # A model that is as large as its limit, or whose labels are not these.
        if "max_bytes" not in str(error) and "costs" not in str(error):
            raise
    predicts(model, columns)
    data = to_bytes(model)
    again = from_bytes(data)
    assert to_bytes(again) == data, "the loaded model is saved as another one"
    if inside.features(model):
        one, other = model.predict_proba(columns), again.predict_proba(columns)
        assert np.array_equal(one, other), "the loaded model predicts something else"
    assert model.n_seen_ == again.n_seen_


def predicts(model: rp.HoeffdingTree, columns: dict[str, np.ndarray]) -> None:
    if not inside.features(model):
        return
    probabilities = model.predict_proba(columns)
    assert np.isfinite(probabilities).all(), "a probability is not finite"
    assert (probabilities >= 0).all(), "a probability is negative"
    if inside.engine(model).n_classes:
        sums = probabilities.sum(axis=1)
        assert np.allclose(sums, 1.0, rtol=0, atol=1e-9), "they do not sum to 1"
        labels = model.predict(columns)
        one = model.predict_one({name: values[0] for name, values in columns.items()})
        assert one == labels[0], "predict_one is not predict"


def mutate(
    dice: random.Random, data: bytes, by_fuzzer: Callable[[bytes], bytes] | None = None
) -> bytes:
    """Another file whose digest is right; mostly one whose layout is right, too."""
    try:
        parts = Parts(data)
    except Exception:
        return signed(changed(dice, data)[:-32])
    if by_fuzzer is not None and dice.random() < 0.4 and parts.arrays:
        entry = parts.arrays[dice.choice(list(parts.arrays))]
        size = len(entry[2])
        entry[2][:] = by_fuzzer(bytes(entry[2]))[:size].ljust(size, b"\0")
        return parts.data()
    try:
        # Small changes of values get deepest into the checks.
        family = dice.choice([*FAMILIES, "values", "values", "structure"])
        return FAMILIES[family](dice, parts)
    except (IndexError, KeyError, ValueError, TypeError, ZeroDivisionError):
        # Parts of a file that was changed before, of which the family cannot make sense.
        return signed(changed(dice, data)[:-32])


def seeds() -> dict[str, bytes]:
    """Small models of every engine."""
    rng = np.random.default_rng(1)
    n = 36
    columns = {"a": rng.normal(size=n).round(1), "b": rng.choice(np.array(["u", "v"], object), n)}
    labels = np.where((columns["a"] > 0) ^ (columns["b"] == "u"), "a", "b").astype(object)
    labels[30:] = "c"
    eager = {"grace_period": 10, "delta": 0.1, "tau": 0.5}
    member = rp.HoeffdingTree(leaf="majority", **eager)
    models: dict[str, Any] = {
        "tree": rp.HoeffdingTree(leaf="adaptive", **eager),
        "idbd": rp.HoeffdingTree(leaf="linear-units", **eager),
        "loss": rp.HoeffdingTree(
            impurity=Loss(evaluator="prequential"), costs={("a", "b"): 3.0}, **eager
        ),
        "paired": rp.HoeffdingTree(bound=DeltaMethod(pairing="paired"), **eager),
        "exhaustive": rp.VFDTc(**eager),
        "intervals": rp.NIP(statistics=Intervals(count=3)),
        "growth": rp.HoeffdingTree(
            leaf="majority", drop_poor_features=True, short_memory=5, adaptive_grace=True, **eager
        ),
        "limited": rp.HoeffdingTree(max_bytes=30_000, **eager),
        "alternates": rp.HAT(
            grace_period=10, delta=0.1, adaptation=Alternates(switch_after=10, drift_delta=0.2)
        ),
        "window": rp.CVFDT(adaptation=Window(size=20, validity_period=10), **eager),
        "reevaluation": rp.EFDT(grace_period=10),
        "options": rp.HoeffdingOptionTree(**eager),
        "forest": rp.OnlineBagging(estimator=member, n_estimators=2),
        "random-forest": rp.AdaptiveRandomForest(
            estimator=member, n_estimators=1, warning=0.5, drift=0.2
        ),
        "chunks": rp.AccuracyWeightedEnsemble(
            estimator=member, n_estimators=1, n_stored=1, chunk_size=5, n_folds=2
        ),
        "pairs": rp.UFFT(n_min="fixed", short_memory=5, leaf="majority", **eager),
        "id3": rp.ID3(),
        "id4": rp.ID4(),
        "id5r": rp.ID5R(max_examples=20),
        "iti": rp.ITI(),
        "oadt": rp.OADT(depth=2),
    }
    large = ("random-forest", "chunks", "pairs", "forest")
    found = {}
    for name, model in models.items():
        few = 12 if name in large else n
        rows = {column: values[:few] for column, values in columns.items()}
        found[f"{name}.rip"] = to_bytes(model.partial_fit(rows, labels[:few]))
    return found


def arrays_of(data: bytes) -> dict[str, np.ndarray]:
    """The arrays of a file, to look at a finding by hand."""
    return {name: as_array(entry) for name, entry in Parts(data).arrays.items()}
