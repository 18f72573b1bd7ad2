"""Rounds: the same bytes for any workers, any order of answers, and any deaths."""

from __future__ import annotations

import os
import random
import re
import signal
import threading
import time
from typing import Any

import pytest

import riparian as rp
from riparian.cluster.message import MessageError, pack, unpack
from riparian.cluster.pool import WorkerDied
from riparian.cluster.rounds import DifferentAnswers, Rounds, round_size
from riparian.cluster.worker import RowWorker
from tests import inside
from tests.cluster.parts import digest, learned, lessons, part, stream
from tests.cluster.simulation import Schedules, Simulated
from tests.effort import ALL

MODELS = [
    lambda: rp.VFDT(grace_period=100),
    lambda: rp.HoeffdingTree(
        grace_period=100, leaf="adaptive", categorical_cuts="one-against-rest"
    ),
    lambda: rp.MDT(grace_period=100),
    lambda: rp.HoeffdingTree(
        grace_period=100, leaf="naive-bayes", bound="normal", impurity="accuracy"
    ),
    lambda: rp.SPDT(),
    lambda: rp.HoeffdingTree(grace_period=100, statistics="histogram"),
]


def by_messages(workers: int) -> Any:
    """Threads that are asked for bytes, as other processes are."""
    pool = rp.cluster.threads(workers)
    pool.here = False
    return pool


#: Each model with each of twelve streams, or with one of them in turn.
DEALT = [(make, seed) for i, make in enumerate(MODELS) for seed in range(12) if ALL or seed == i]


@pytest.mark.parametrize(("make", "seed"), DEALT)
def test_the_same_bytes_for_any_number_of_threads(make, seed):
    columns, y = stream(9000, seed)
    found = set()
    for workers in (1, 2, 4, 8, 16):
        with rp.cluster.threads(workers) as pool:
            model, _ = learned(make(), pool, columns, y)
            found.add(digest(model))
    with by_messages(2) as pool:
        found.add(digest(learned(make(), pool, columns, y)[0]))
    assert len(found) == 1
    assert model.n_seen_ == 9000
    assert model.n_leaves_ > 3
    assert [f.name for f in inside.features(model)] == ["a", "b", "job", "new", "town"]


def test_a_round_has_200_rows_for_each_leaf_and_rows_are_dealt_to_equal_rounds():
    class Leaves:
        n_leaves_ = 30  # 6,000 rows

    with rp.cluster.threads(1) as pool:
        rounds = Rounds(pool, 1)
        model: Any = Leaves()
        assert rounds.size(model) == 6000
        assert [rounds.next(n, model) for n in (10, 6000, 8999, 9001, 15_001)] == [
            *(10, 6000, 8999),
            *(4501, 5001),
        ]


def test_the_number_of_shards_matters_and_that_of_workers_does_not():
    columns, y = stream(6000, 1)
    found = {}
    for shards in (1, 4, 16):
        for workers in (1, 3):
            with rp.cluster.threads(workers) as pool:
                found[shards, workers] = digest(
                    learned(rp.VFDT(grace_period=100), pool, columns, y, shards=shards)[0]
                )
    assert found[1, 1] == found[1, 3]
    assert found[4, 1] == found[4, 3]
    assert found[16, 1] == found[16, 3]
    assert len(set(found.values())) > 1


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_processes_give_the_bytes_of_threads_while_some_of_them_are_killed(kills):
    wanted = kills
    columns, y = stream(12_000, 2)
    with rp.cluster.threads(2) as pool:
        expected = digest(learned(rp.VFDT(grace_period=100), pool, columns, y)[0])
    done = threading.Event()

    def kill(pool: Any) -> None:
        nonlocal kills
        rng = random.Random(3)
        while kills and not done.is_set():
            time.sleep(rng.uniform(0.02, 0.3))
            process = inside.worker_process(pool, rng.randrange(2))
            if process is not None and process.is_alive():
                os.kill(process.pid, signal.SIGKILL)
                kills -= 1

    with rp.cluster.processes(2) as pool:
        model = rp.VFDT(grace_period=100)
        model.partial_fit(part(columns, 0, 1000), y[:1000])
        rounds = Rounds(pool, 16)
        killer = threading.Thread(target=kill, args=(pool,))
        killer.start()
        try:
            at = 1000
            while at < len(y):
                stop = min(len(y), at + round_size(model.n_leaves_))
                rounds.learn(model, lessons(columns, y, at, stop, 16))
                at = stop
            assert digest(model) == expected
            # The rest of the kills: the same round again and again.
            while kills:
                twin = rp.VFDT(grace_period=100)
                twin.partial_fit(part(columns, 0, 1000), y[:1000])
                rounds.learn(twin, lessons(columns, y, 1000, 3000, 16))
        finally:
            done.set()
            killer.join()
    assert kills == 0
    assert rounds.counts["died"] >= wanted // 2


# -- random schedules in virtual time -----------------------------------------------------------


def test_random_schedules_give_the_same_bytes():
    """`python -m tests.cluster.simulation` runs 10,000."""
    totals = Schedules().run(range(150))
    assert totals["died"] > 150
    assert totals["doubled"] > 100
    assert totals["dropped"] > 100
    assert min(totals["old"], totals["copies"], totals["strays"]) > 20


# -- answers that cannot be right ----------------------------------------------------------------


class Liar(RowWorker):
    """Its first answers are changed."""

    def summarize(self, model: bytes, begin: bytes, *task: bytes) -> bytes:
        header, parts = unpack(super().summarize(model, begin, *task))
        return self.change(header, parts)

    def change(self, header: Any, parts: Any) -> bytes:
        raise NotImplementedError


def answers_of(change: Any) -> type[RowWorker]:
    return type("Changed", (Liar,), {"change": staticmethod(change)})


def of_other_shards(header, parts):
    return pack({**header, "shards": [7, 8]}, *parts)


def of_no_class(header, parts):
    return pack(header, parts[0], parts[1], b"\xff\xff\xff\x7f" * (len(parts[2]) // 4))


def damaged(header, parts):
    return pack(header, *parts)[:-1] + b"?"


def without_a_summary(header, parts):
    return pack(header, b"no summary", *parts[1:])


def with_bad_faults(header, parts):
    return pack({**header, "faults": {"900": [[0, "x", "model"]]}}, *parts)


@pytest.mark.parametrize(
    "change", [of_other_shards, of_no_class, damaged, without_a_summary, with_bad_faults]
)
def test_answers_that_cannot_be_right_are_refused(change, monkeypatch):
    monkeypatch.setattr("riparian.cluster.rounds.Rounds.worker", answers_of(change))
    columns, y = stream(1500, 5)
    with by_messages(1) as pool, pytest.raises(MessageError):
        learned(rp.VFDT(), pool, columns, y, shards=2)


def test_answers_of_another_round_are_dropped_and_asked_again(monkeypatch):
    asked = []

    def of_another_round(header, parts):
        asked.append(header["round"])
        return pack({**header, "round": header["round"] - (len(asked) == 1)}, *parts)

    monkeypatch.setattr("riparian.cluster.rounds.Rounds.worker", answers_of(of_another_round))
    columns, y = stream(1500, 5)
    with by_messages(1) as pool:
        model, rounds = learned(rp.VFDT(), pool, columns, y, shards=2)
    assert rounds.counts["dropped"] == 1
    assert model.n_seen_ == 1500


def test_two_workers_that_differ_are_named(monkeypatch):
    class Broken(RowWorker):
        """The first worker predicts wrongly."""

        def summarize(self, model: bytes, begin: bytes, *task: bytes) -> bytes:
            header, parts = unpack(super().summarize(model, begin, *task))
            if self._number == 0:
                parts[2] = bytes(len(parts[2]))
            return pack(header, *parts)

    monkeypatch.setattr("riparian.cluster.rounds.Rounds.worker", Broken)
    columns, y = stream(6000, 5)
    named = []
    for seed in range(8):  # it is noticed where shards were given to two workers
        pool = Simulated(3, seed)
        try:
            learned(rp.VFDT(grace_period=100), pool, columns, y, shards=4, clock=pool)
        except DifferentAnswers as error:
            named.append(str(error))
    assert named
    assert all(re.match(r"workers (0 and [12]|[12] and 0) gave different", text) for text in named)


def test_a_late_answer_after_the_last_round_is_compared(monkeypatch):
    class Late(RowWorker):
        """The first worker is slow, and predicts wrongly."""

        def summarize(self, model: bytes, begin: bytes, *task: bytes) -> bytes:
            header, parts = unpack(super().summarize(model, begin, *task))
            if self._number == 0:
                time.sleep(2.0)
                parts[2] = b"\x01\0\0\0" * (len(parts[2]) // 4)
            return pack(header, *parts)

    monkeypatch.setattr("riparian.cluster.rounds.Rounds.worker", Late)
    columns, y = stream(1500, 5)
    with (
        by_messages(3) as pool,
        pytest.raises(DifferentAnswers, match=r"workers [12] and 0 gave different"),
    ):
        learned(rp.VFDT(grace_period=100), pool, columns, y, shards=4)


def test_a_task_that_ends_every_worker_is_given_up(monkeypatch):
    class Deadly(RowWorker):
        def summarize(self, model: bytes, begin: bytes, *task: bytes) -> bytes:
            raise WorkerDied("killed by its rows")

    monkeypatch.setattr("riparian.cluster.rounds.Rounds.worker", Deadly)
    columns, y = stream(1500, 5)
    with by_messages(1) as pool, pytest.raises(WorkerDied, match="have ended 21 workers"):
        learned(rp.VFDT(), pool, columns, y, shards=2)


def test_errors_of_a_worker_are_raised(monkeypatch):
    class Wrong(RowWorker):
        def summarize(self, model: bytes, begin: bytes, *task: bytes) -> bytes:
            raise RuntimeError("no disk")

    monkeypatch.setattr("riparian.cluster.rounds.Rounds.worker", Wrong)
    columns, y = stream(1500, 5)
    with by_messages(1) as pool, pytest.raises(RuntimeError, match="no disk"):
        learned(rp.VFDT(), pool, columns, y, shards=2)
