"""Forests dealt to workers: the bytes and the predictions of one process."""

from __future__ import annotations

import functools
import json
import os
import signal

import numpy as np
import pytest

import riparian as rp
from riparian.cluster.dealing import MOST_VOTES, ForestRounds, check_workers
from riparian.cluster.member_worker import MemberWorker
from riparian.cluster.message import MessageError, pack, unpack
from riparian.cluster.rounds import DifferentAnswers
from riparian.cluster.worker import Lesson
from tests import inside
from tests.cluster.parts import digest, part, stream

N, ALONE, ROUND = 4000, 400, 900
COLUMNS, LABELS = stream(N, 3)
MODELS = {
    "OnlineBagging": (rp.OnlineBagging, {}),
    "StreamForest": (rp.StreamForest, {"costs": {("yes", "no"): 3.0}}),
    "AdaptiveRandomForest": (rp.AdaptiveRandomForest, {"drift": 0.3, "warning": 0.5}),
    "StreamingRandomPatches": (rp.StreamingRandomPatches, {"class_weight": {"maybe": 2.0}}),
    "Forest": (rp.Forest, {"estimator": rp.HAT(grace_period=50), "rate": 1.0}),
    "Forest with a last member": (
        rp.Forest,
        {"last_member": rp.StreamTree(), "vote_power": 12, "vote_memory": 300.0},
    ),
}


def rounds():
    return [(a, min(N, a + ROUND)) for a in range(ALONE, N, ROUND)]


@functools.cache
def alone(name):
    """The forest of one process, and what it predicted."""
    kind, parameters = MODELS[name]
    model = kind(n_estimators=5, random_state=2, **parameters)
    model.partial_fit(part(COLUMNS, 0, ALONE), LABELS[:ALONE])
    found = [model.prequential(part(COLUMNS, a, b), LABELS[a:b]) for a, b in rounds()]
    return digest(model), np.concatenate(found)


def dealt(name, pool, between=lambda number: None):
    kind, parameters = MODELS[name]
    model = kind(n_estimators=5, random_state=2, **parameters)
    model.partial_fit(part(COLUMNS, 0, ALONE), LABELS[:ALONE])
    learning = ForestRounds(pool, 1)
    found = []
    for number, (a, b) in enumerate(rounds()):
        between(number)
        learned = learning.learn(model, [Lesson(rows=[(part(COLUMNS, a, b), LABELS[a:b])])])
        found.append(model.classes_[learned.predicted])
        np.testing.assert_array_equal(model.classes_[learned.true], LABELS[a:b])
    return model, np.concatenate(found), learning


@pytest.mark.parametrize(
    ("name", "workers"),
    [*((name, 2) for name in MODELS), *(("AdaptiveRandomForest", w) for w in (1, 3, 8))],
)
def test_a_dealt_forest_is_that_of_one_process(name, workers):
    expected, predictions = alone(name)
    with rp.cluster.threads(workers) as pool:
        model, found, _ = dealt(name, pool)
    assert digest(model) == expected
    np.testing.assert_array_equal(found, predictions)


def test_processes_that_are_killed_change_nothing():
    name = "AdaptiveRandomForest"
    with rp.cluster.processes(2) as pool:

        def kill(number):
            alive = [p for w in (1, 0) if (p := inside.worker_process(pool, w)) is not None]
            if number in (1, 3) and alive:
                os.kill(alive[0].pid, signal.SIGKILL)

        model, found, learning = dealt(name, pool, kill)
    assert learning.counts["died"] >= 1
    assert digest(model) == alone(name)[0]
    np.testing.assert_array_equal(found, alone(name)[1])


def test_a_forest_may_learn_between_rounds():
    with rp.cluster.threads(2) as pool:
        kind, parameters = MODELS["OnlineBagging"]
        one, many = (kind(n_estimators=3, **parameters) for _ in range(2))
        for model in (one, many):
            model.partial_fit(part(COLUMNS, 0, 500), LABELS[:500])
        learning = ForestRounds(pool, 1)
        for a in (500, 1000):
            learning.learn(many, [Lesson(rows=[(part(COLUMNS, a, a + 250), LABELS[a : a + 250])])])
            many.partial_fit(part(COLUMNS, a + 250, a + 500), LABELS[a + 250 : a + 500])
            one.partial_fit(part(COLUMNS, a, a + 500), LABELS[a : a + 500])
    assert digest(many) == digest(one)


def test_the_votes_of_a_round_are_bounded():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(5000, 2)), rng.integers(40, size=5000)
    sizes = []
    for members in (2, 200):
        model = rp.OnlineBagging(n_estimators=members).fit(X, y)
        with rp.cluster.threads(2) as pool:
            sizes.append(ForestRounds(pool, 1).size(model))
    assert sizes == [5000, MOST_VOTES // (200 * 40)]


@pytest.fixture(scope="module")
def messages(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i in range(3000):
            row = {k: v[i] for k, v in COLUMNS.items() if v[i] is not None and v[i] == v[i]}
            text = json.dumps({**row, "y": LABELS[i]}) if i % 300 != 7 else "{bad"
            file.write(text + "\n")
    return path


def test_a_source_is_learned_as_by_one_process(messages, tmp_path):
    def forest():
        return rp.StreamForest(n_estimators=3)

    options = {"target": "y", "block": 400, "every": 700}
    one = rp.learn(forest(), messages, checkpoint=tmp_path / "one", **options)
    one.join(120)
    with rp.cluster.processes(2) as pool:
        many = rp.cluster.learn(
            forest(), messages, pool=pool, checkpoint=tmp_path / "many", **options
        )
        many.join(120)
    assert many.counters["learned"] == one.counters["learned"] == 2990
    assert many.counters["rejected"] == 10
    assert inside_arrays(many.model) == inside_arrays(one.model)
    assert many.result.accuracy == one.result.accuracy


def inside_arrays(model):
    """What the model has learned, without the places of the source."""
    model.positions_, model.metadata_ = {}, {}
    return digest(model)


def test_what_needs_all_members_is_refused_by_name():
    for model, why in [
        (rp.LeveragingBagging(), "replacement='worst'"),
        (rp.StreamForest(max_bytes="10MB"), "max_bytes"),
        (rp.Forest(estimator=rp.VFDT(impurity=lambda c: c.min(axis=-1))), "of yours"),
        (rp.AccuracyWeightedEnsemble(), "not one tree"),
        (rp.UFFT(), "not one tree"),
    ]:
        with pytest.raises(ValueError, match=f"{type(model).__name__} cannot be .*{why}"):
            check_workers(model)
    check_workers(rp.SPDT())


def test_answers_that_make_no_forest_are_refused(monkeypatch):
    def damaged(change):
        learn = MemberWorker.learn

        def answer(self, begin, task):
            header, parts = unpack(learn(self, begin, task))
            header, parts = change(dict(header), list(parts), self._number)
            return pack(header, *parts)

        return answer

    changes = [
        (MessageError, lambda h, p, w: (h | {"members": [0, 9]}, p)),
        (MessageError, lambda h, p, w: (h, [p[0][:-1] + b"x", *p[1:]])),
        (MessageError, lambda h, p, w: (h | {"width": 7}, p)),
        (MessageError, lambda h, p, w: (h, [p[0], p[1], p[2][8:], p[3]])),
        (DifferentAnswers, lambda h, p, w: (h | {"faults": {"0": [[1, "x", "y"]] * w}}, p)),
    ]
    with rp.cluster.threads(2) as pool:
        for error, change in changes:
            with monkeypatch.context() as patch:
                patch.setattr(MemberWorker, "learn", damaged(change))
                with pytest.raises(error):
                    dealt("OnlineBagging", pool)
