"""Fuzzes learn_one and predict_one: dicts of any values, learned as partial_fit learns them.

An input is a list of choices: a model, then dicts that are learned and asked for.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import riparian as rp
from riparian.adaptation import Window
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.fuzz.draw import Draw, changed

EAGER = {"grace_period": 5, "delta": 0.2, "tau": 0.5}
MODELS = [
    lambda: rp.HoeffdingTree(leaf="adaptive", **EAGER),
    lambda: rp.HoeffdingTree(leaf="linear-units", categorical_cuts="both", **EAGER),
    lambda: rp.EFDT(grace_period=5),
    lambda: rp.CVFDT(adaptation=Window(size=8, validity_period=4), **EAGER),
    lambda: rp.OnlineBagging(estimator=rp.HoeffdingTree(**EAGER), n_estimators=2),
    lambda: rp.UFFT(n_min="fixed", short_memory=5, **EAGER),
    lambda: rp.ID4(),
    lambda: rp.OADT(depth=2),
    lambda: rp.HoeffdingTree(max_bytes=30_000, **EAGER),
    lambda: rp.HoeffdingTree(categorical_features=["a", "b"], **EAGER),
]
NAMES: list[Any] = ["a", "b", "c", "d", "x0", "", 0, 1, -1, True, 2**70, None, 1.5, b"a", (1,)]
NAMES += [np.str_("a"), np.int64(1), "\ud800", "a\0", "é"]
LABELS: list[Any] = ["yes", "no", "maybe", 0, 1, 2**70, True, "", None, 1.0, 2.5, float("nan")]
LABELS += [b"yes", np.int64(1), np.str_("no"), np.bool_(True), ["yes"], ("yes",), "\ud800", 1 + 2j]
WEIGHTS: list[Any] = [1.0, 0.5, 3, 0.0, -1.0, 1e-300, 2.0**52, 2.0**53, True, "1", None]
WEIGHTS += [float("nan"), float("inf"), np.float32(0.5), 10**400, [1.0]]
WORDS = ["u", "v", "w", "", "nan", "NA", "1", "\ud800", "a\0b", "é", "x" * 300]
STRANGE: list[Any] = [[], [1.0], {}, (1,), object, 1 + 2j, np.array(1.0), np.datetime64("NaT")]
USUAL = (ValueError, TypeError, OverflowError)


def value(draw: Draw) -> Any:
    way = draw.below(14)
    if way < 3:
        return draw.double()
    if way == 3:
        return float(draw.below(5))
    if way < 6:
        return draw.choice(WORDS)
    if way == 6:
        return draw.text()
    if way == 7:
        return draw.integer()
    if way == 8:
        return draw.choice([None, float("nan"), float("inf"), True, False, 2**70, 10**400, -0.0])
    if way == 9:
        return draw.choice([np.float32(1.5), np.int8(-3), np.bool_(True), np.str_("u"), np.nan])
    if way == 10:
        return draw.bytes(draw.below(4))
    if way == 11:
        return draw.choice(STRANGE)
    return float(draw.below(3))


def example(draw: Draw) -> dict[Any, Any]:
    x: dict[Any, Any] = {}
    for _ in range(draw.below(6)):
        # Mostly names that are known.
        name = draw.choice(NAMES) if draw.yes(6) else draw.choice("abcd")
        x[name] = value(draw)
    return x


def columns(x: dict[Any, Any]) -> dict[Any, Any]:
    """The same as columns of one row, value by value."""
    out = {}
    for name, content in x.items():
        column = np.empty(1, dtype=object)
        column[0] = content
        out[name] = column
    return out


def result(call: Any) -> Any:
    """What a call gives, or its error."""
    try:
        return call()
    except USUAL as error:
        return error


def differs_by_rule(error: Any) -> bool:
    """Whether an error is one that a dict never gets: it may lack keys and add some at once."""
    said = str(error)
    return isinstance(error, ValueError) and (
        "seem to be renamed" in said
        or "minimum of 1 is required" in said
        or "features, but" in said
    )


def read_by_position(model: Any, x: dict[Any, Any]) -> bool:
    """Whether columns of these names are read by position: only one side has names of its own."""
    named = any(isinstance(name, str) for name in x)
    return model.__sklearn_is_fitted__() and named != inside.schema(model).named


def check_learning(model: Any, before: bytes | None, x: dict[Any, Any], y: Any, w: Any) -> Any:
    """Learn a dict, given the bytes of the model before it; return the bytes after it."""
    twin = from_bytes(before) if before is not None else type(model)(**model.get_params(deep=False))
    got = result(lambda: model.learn_one(x, y, w))
    labels = np.empty(1, dtype=object)
    labels[0] = y
    by_position = read_by_position(twin, x)
    want = result(lambda: twin.partial_fit(columns(x), labels, sample_weight=[w]))
    after = to_bytes(model) if model.__sklearn_is_fitted__() else None
    if isinstance(got, Exception):
        assert after == before, f"a refused dict changed the model: {got!r}"
    if by_position:
        return after
    if isinstance(got, Exception):
        assert isinstance(want, Exception), f"learn_one: {got!r}, but partial_fit learned it"
    elif isinstance(want, Exception):
        assert differs_by_rule(want), f"learn_one learned it, but partial_fit: {want!r}"
    else:
        assert after == (to_bytes(twin) if twin.__sklearn_is_fitted__() else None), (
            "learn_one and partial_fit learned two models"
        )
    return after


def check_predicting(model: Any, before: bytes, x: dict[Any, Any]) -> None:
    one = result(lambda: model.predict_one(x))
    chances = result(lambda: model.predict_proba_one(x))
    # predict_one does not look at keys that the model does not know, whatever they hold.
    known = {name: content for name, content in x.items() if name in inside.schema(model).index}
    batch = result(lambda: model.predict(columns(known))[0])
    rows = result(lambda: model.predict_proba(columns(known))[0].tolist())
    assert to_bytes(model) == before, "a prediction changed the model"
    assert not isinstance(one, Exception) or isinstance(chances, Exception), (one, chances)
    if len(known) == len(x):
        assert isinstance(one, Exception) == isinstance(chances, Exception), (one, chances)
    if not known or differs_by_rule(batch) or read_by_position(model, known):
        return
    if isinstance(batch, Exception):
        assert isinstance(one, Exception), f"predict_one gives {one!r}, predict {batch!r}"
        return
    if isinstance(one, Exception):
        assert len(known) < len(x), f"predict_one: {one!r}, but predict gives {batch!r}"
        return
    assert one == batch, f"predict_one gives {one!r}, predict {batch!r}"
    if not isinstance(chances, Exception):
        assert list(chances.values()) == rows, "predict_proba_one is not predict_proba"
        assert list(chances) == model.classes_.tolist()


def run(data: bytes) -> None:
    draw = Draw(data)
    model = draw.choice(MODELS)()
    before: bytes | None = None
    for _ in range(8):
        x = example(draw)
        if before is not None and draw.yes(3):
            check_predicting(model, before, x)
        else:
            # Labels and weights are mostly good: or nothing would be learned.
            label = draw.choice(LABELS) if draw.yes(4) else draw.choice(LABELS[:2])
            weight = draw.choice(WEIGHTS) if draw.yes(5) else 1.0
            before = check_learning(model, before, x, label, weight)
        if draw.left <= 0:
            break


def mutate(dice: random.Random, data: bytes) -> bytes:
    return changed(dice, data)


def seeds() -> dict[str, bytes]:
    """Choices that give each model something to learn."""
    found = {}
    for i in range(len(MODELS)):
        dice = random.Random(i)
        found[f"model-{i}"] = bytes([i]) + dice.randbytes(110)
    return found
