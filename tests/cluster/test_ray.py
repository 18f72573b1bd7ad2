"""The pool of Ray actors. `make test-ray` installs Ray and runs these."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import riparian as rp
from riparian.cluster import Pool, WorkerDied
from tests import inside
from tests.cluster.parts import digest, learned, stream
from tests.cluster.pool_workers import Echo

if os.environ.get("RIPARIAN_RAY") != "required":
    pytest.importorskip("ray", reason="Ray is not installed; make test-ray installs it")
import ray

pytestmark = [
    pytest.mark.ray,
    # Ray warns of what it will change. It also leaves processes to the garbage collector, which
    # pytest reports at the end of the session unless it has -p no:unraisableexception.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def pool(cluster) -> Iterator[Pool]:
    with rp.cluster.ray(2) as pool:
        yield pool


def test_actors_answer_and_raise_and_keep_what_was_put(pool):
    pool.start(Echo)
    assert [pool.ask(w, "who").result(120) for w in (0, 1)] == [b"0", b"1"]
    handle = pool.put(b"kept")
    assert pool.ask(1, "both", handle, b"!").result(120) == b"kept!"
    with pytest.raises(ValueError, match="not so"):
        pool.ask(0, "wrong", b"not so").result(120)


def test_a_dead_actor_is_noticed_and_replaced(pool):
    pool.start(Echo)
    with pytest.raises(WorkerDied, match="worker 0"):
        pool.ask(0, "die").result(120)
    with pytest.raises(WorkerDied):
        pool.ask(0, "who").result(120)
    pool.replace(0)
    assert pool.ask(0, "who").result(120) == b"0"


def test_ray_gives_the_bytes_of_threads(cluster):
    columns, y = stream(9000, 1)
    make = partial(rp.VFDT, grace_period=100)
    with rp.cluster.threads(1) as pool:
        expected = digest(learned(make(), pool, columns, y)[0])
    for workers in (1, 2, 4):
        with rp.cluster.ray(workers) as pool:
            assert digest(learned(make(), pool, columns, y)[0]) == expected


@pytest.mark.parametrize("kills", [2, pytest.param(200, marks=pytest.mark.slow)])
def test_the_same_bytes_while_actors_are_killed(cluster, kills):
    columns, y = stream(9000, 2)
    make = partial(rp.VFDT, grace_period=100)
    with rp.cluster.threads(1) as pool:
        expected = digest(learned(make(), pool, columns, y)[0])
    rng = random.Random(1)
    left, died = kills, 0
    actors: Any
    with rp.cluster.ray(2) as actors:
        ask = actors.ask

        def kill_some(worker, method, *args):
            nonlocal left
            future = ask(worker, method, *args)
            actor = inside.worker(actors, worker)
            if left and actor is not None and rng.random() < 0.3:
                left -= 1
                ray.kill(actor)
            return future

        actors.ask = kill_some
        while left:
            model, rounds = learned(make(), actors, columns, y)
            assert digest(model) == expected
            died += rounds.counts["died"]
    # An actor may be killed after its last answer, or twice.
    assert died >= 1
