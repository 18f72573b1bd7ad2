"""A pool in virtual time: one seed is one schedule of answers, deaths, delays and wrong answers.

``python -m tests.cluster.simulation --schedules 10000`` runs many of them and prints what happened.
"""

from __future__ import annotations

import argparse
import heapq
import random
import time
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

import riparian as rp
from riparian.cluster.pool import Handle, WorkerDied
from riparian.cluster.rounds import Rounds
from riparian.storage.modelfile import from_bytes, to_bytes
from tests.cluster.parts import digest, lessons, part, stream


class Simulated:
    """A pool and its clock. Answers are late, workers die, and messages come twice or too late.

    A call may be answered by an answer of an old round, by a second copy of what the worker
    answered last, or by what a worker answered that was thought dead. `wrong` counts these.

    Parameters
    ----------
    workers : int
        How many there are.
    seed : int
        The schedule.
    answers : dict, default=None
        Answers that are known: a call is a function of its arguments, so many schedules share them.
    """

    here = False

    def __init__(self, workers: int, seed: int, answers: dict[Any, bytes] | None = None) -> None:
        self.workers = workers
        self.time = 0.0
        self._random = random.Random(seed)
        self._answers = answers
        self._events: list[tuple[float, int, Any]] = []
        self._n = 0
        self._life = [0] * workers
        self._dead = [False] * workers
        self._free = [0.0] * workers
        self._given: list[tuple[bytes, bytes]] = []  # the round, and an answer
        self._copies: list[bytes | None] = [None] * workers
        self._strays: list[bytes] = []
        self.wrong = {"old": 0, "copies": 0, "strays": 0}

    def start(self, make: Any) -> None:
        self._workers = [make(number) for number in range(self.workers)]

    def put(self, data: bytes) -> Handle:
        return Handle(data)

    def ask(self, worker: int, method: str, *args: Any) -> Future[bytes]:
        future: Future[bytes] = Future()
        if self._dead[worker]:
            future.set_exception(WorkerDied("dead"))
            return future
        r = self._random
        life = self._life[worker]
        took = r.expovariate(1.0) * (50 if r.random() < 0.1 else 1)
        at = self._free[worker] = max(self.time, self._free[worker]) + took
        dies = r.random() < 0.15
        is_dead = r.random() < 0.5  # or it is only thought dead
        goes_wrong = r.random() < 0.1

        def finish() -> None:
            if future.done():
                return
            if self._life[worker] != life:
                future.set_exception(WorkerDied("killed"))
                return
            if dies:
                if self._answers is not None and not is_dead:
                    self._strays.append(self._answer(worker, method, args))
                self._dead[worker] = True
                future.set_exception(WorkerDied("killed"))
                return
            answer = self._answer(worker, method, args)
            before, self._copies[worker] = self._copies[worker], answer
            if self._answers is not None and goes_wrong:
                answer = self._wrong(args[0].data, before) or answer
            future.set_result(answer)

        self._n += 1
        heapq.heappush(self._events, (at, self._n, finish))
        return future

    def _wrong(self, begin: bytes, copy: bytes | None) -> bytes | None:
        """Return what comes instead of the answer, if there is anything."""
        old = [given for of_round, given in self._given if of_round != begin]
        found = {"old": old, "copies": [copy] if copy else [], "strays": self._strays}
        kinds = [kind for kind, answers in found.items() if answers]
        if not kinds:
            return None
        kind = self._random.choice(kinds)
        self.wrong[kind] += 1
        return self._random.choice(found[kind])

    def _answer(self, worker: int, method: str, args: Iterable[Any]) -> bytes:
        plain = tuple(a.data if isinstance(a, Handle) else a for a in args)
        if self._answers is None:
            found: bytes = getattr(self._workers[worker], method)(*plain)
            return found
        if plain not in self._answers:
            self._answers[plain] = getattr(self._workers[worker], method)(*plain)
        self._given.append((plain[0], self._answers[plain]))
        return self._answers[plain]

    def replace(self, worker: int) -> None:
        self._life[worker] += 1
        self._dead[worker] = False
        self._free[worker] = self.time

    def close(self) -> None: ...

    # The clock.

    def now(self) -> float:
        return self.time

    def wait(self, futures: Any, seconds: float | None) -> None:
        futures = list(futures)
        until = float("inf") if seconds is None else self.time + seconds
        while self._events and not any(f.done() for f in futures):
            if self._events[0][0] > until:
                break
            at, _, event = heapq.heappop(self._events)
            self.time = max(self.time, at)
            event()
        if seconds is not None and not any(f.done() for f in futures):
            self.time = until


class Schedules:
    """The same rows under many schedules: four rounds of 150 rows over four shards."""

    rounds = 4
    rows = 150
    shards = 4

    def __init__(self) -> None:
        self._columns, self._y = stream(400 + self.rounds * self.rows, 4)
        model = rp.VFDT(grace_period=50, delta=0.1)
        model.partial_fit(part(self._columns, 0, 400), self._y[:400])
        self._begin = to_bytes(model)
        self._answers: dict[Any, bytes] = {}
        with rp.cluster.threads(1) as pool:
            grown, _ = self._learned(pool)
        assert grown.n_leaves_ > from_bytes(self._begin).n_leaves_
        self._expected = digest(grown)

    def run(self, seeds: Iterable[int]) -> dict[str, int]:
        """Run schedules; return what happened in all of them."""
        totals = {"schedules": 0, "died": 0, "doubled": 0, "dropped": 0}
        totals |= {"old": 0, "copies": 0, "strays": 0}
        for seed in seeds:
            pool = Simulated(1 + seed % 5, seed, self._answers)
            model, rounds = self._learned(pool, clock=pool)
            assert digest(model) == self._expected, seed
            totals["schedules"] += 1
            for name, n in (*rounds.counts.items(), *pool.wrong.items()):
                totals[name] += n
        return totals

    def _learned(self, pool: Any, **more: Any) -> tuple[Any, Rounds]:
        model = from_bytes(self._begin)
        rounds = Rounds(pool, self.shards, **more)
        for number in range(self.rounds):
            first = 400 + number * self.rows
            rounds.learn(
                model, lessons(self._columns, self._y, first, first + self.rows, self.shards)
            )
        rounds.finish()
        return model, rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    clock = time.perf_counter()
    totals = Schedules().run(range(given.first, given.first + given.schedules))
    print(f"the same bytes in {totals.pop('schedules'):,} schedules:", totals)
    print(f"{time.perf_counter() - clock:.0f} s")


if __name__ == "__main__":
    main()
