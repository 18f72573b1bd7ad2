"""Pools: answers, errors, handles, dead and replaced workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest

import riparian as rp
from riparian.cluster import Pool, WorkerDied
from tests import inside
from tests.cluster.pool_workers import Echo, broken

POOLS = {"threads": rp.cluster.threads, "processes": rp.cluster.processes}


@pytest.fixture(params=POOLS)
def make_pool(request) -> Callable[[int], Pool]:
    return POOLS[request.param]


@pytest.fixture
def pool(make_pool) -> Iterator[Pool]:
    with make_pool(2) as pool:
        pool.start(Echo)
        yield pool


@pytest.fixture
def processes() -> Iterator[Pool]:
    with rp.cluster.processes(2) as pool:
        pool.start(Echo)
        yield pool


def process_of(pool: Pool, worker: int) -> int:
    return int(pool.ask(worker, "process").result(120).split()[0])


def is_there(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_each_worker_answers_its_calls_in_order(pool):
    assert pool.workers == 2
    asked = [pool.ask(w, "both", bytes([n]), b"x") for n in range(50) for w in (0, 1)]
    assert [f.result(120) for f in asked] == [bytes([n]) + b"x" for n in range(50) for _ in (0, 1)]
    assert [pool.ask(w, "who").result(120) for w in (0, 1)] == [b"0", b"1"]
    assert len({pool.ask(w, "process").result(120) for w in (0, 1)}) == 2


def test_large_bytes_arrive(pool):
    data = os.urandom(5_000_000)
    assert pool.ask(0, "both", data, data).result(120) == data + data


def test_handles_arrive_as_their_bytes(pool):
    handles = [pool.put(bytes([n]) * 1000) for n in range(20)]
    for worker in (0, 1, 0):
        asked = [pool.ask(worker, "both", handle, b"y") for handle in handles]
        assert [f.result(120) for f in asked] == [handle.data + b"y" for handle in handles]
        handles = handles[5:]


def test_a_process_forgets_the_bytes_of_dropped_handles(processes):
    for n in range(10):
        handle = processes.put(bytes(n))
        assert processes.ask(0, "both", handle, b"").result(120) == bytes(n)
        assert processes.ask(0, "both", handle, b"").result(120) == bytes(n)
        held, _ = inside.bytes_kept_by_worker(processes, 0)
        assert held <= 2
    assert inside.bytes_kept_by_worker(processes, 0)[1] == 10


def test_errors_of_a_worker_are_raised_here(pool):
    with pytest.raises(ValueError, match=r"^not so$"):
        pool.ask(0, "wrong", b"not so").result(120)
    with pytest.raises(Exception, match="not to be pickled"):
        pool.ask(0, "odd").result(120)
    assert pool.ask(0, "who").result(120) == b"0"


def test_a_worker_that_cannot_be_made(make_pool):
    with make_pool(1) as pool:
        pool.start(broken)
        with pytest.raises((LookupError, WorkerDied), match="no worker 0"):
            pool.ask(0, "who").result(120)
        with pytest.raises(WorkerDied, match=r"could not be made: LookupError: .*no worker 0"):
            pool.ask(0, "who").result(120)


def test_a_replaced_worker_fails_its_calls_and_another_one_answers(pool):
    slow = pool.ask(0, "slow", b"0.5")
    waiting = pool.ask(0, "who")
    pool.replace(0)
    after = pool.ask(0, "who")
    for future in (slow, waiting):
        with pytest.raises(WorkerDied, match="worker 0 was replaced"):
            future.result(120)
    assert after.result(120) == b"0"
    assert pool.ask(1, "who").result(120) == b"1"


def test_a_closed_pool_fails_its_calls_and_refuses_new_ones(make_pool):
    pool = make_pool(1)
    with pytest.raises(RuntimeError, match="was not started"):
        pool.ask(0, "who")
    pool.start(Echo)
    slow = [pool.ask(0, "slow", b"0.2") for _ in range(3)]
    pool.close()
    pool.close()
    with pytest.raises(WorkerDied, match="closed"):
        slow[2].result(0)
    with pytest.raises(RuntimeError, match="closed"):
        pool.ask(0, "who")


def test_a_pool_is_started_again_with_other_workers(pool):
    pool.start(Echo)
    assert pool.ask(1, "who").result(120) == b"1"


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "2"])
def test_wrong_numbers_of_workers_are_refused(make_pool, workers):
    with pytest.raises(ValueError, match="workers must be"):
        make_pool(workers)


def test_a_dead_process_is_noticed_and_replaced(processes):
    dying, behind = processes.ask(0, "die"), processes.ask(0, "who")
    for future in (dying, behind):
        with pytest.raises(WorkerDied, match="signal 9"):
            future.result(120)
    with pytest.raises(WorkerDied, match="signal 9"):
        processes.ask(0, "who").result(120)
    assert processes.ask(1, "who").result(120) == b"1"
    processes.replace(0)
    assert processes.ask(0, "who").result(120) == b"0"


def test_processes_killed_from_outside(processes):
    handle = processes.put(b"kept")
    for _ in range(3):
        victim = process_of(processes, 1)
        slow = processes.ask(1, "slow", b"60")
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(WorkerDied, match=f"process {victim}"):
            slow.result(120)
        processes.replace(1)
        assert processes.ask(1, "both", handle, b"!").result(120) == b"kept!"


def test_replacing_and_closing_end_the_processes(make_pool):
    if make_pool is rp.cluster.threads:
        pytest.skip("threads end with their calls")
    pool = make_pool(2)
    pool.start(Echo)
    found = [process_of(pool, worker) for worker in (0, 1)]
    pool.ask(0, "slow", b"60")
    pool.replace(0)
    found.append(process_of(pool, 0))
    pool.ask(1, "slow", b"60")
    begun = time.monotonic()
    pool.close()
    assert time.monotonic() - begun < 20
    assert [process for process in found if is_there(process)] == []


PROGRAM = """
import sys
import riparian as rp
from tests.cluster.pool_workers import Echo
if __name__ == "__main__":
    pool = rp.cluster.processes(2)
    pool.start(Echo)
    print(*(pool.ask(w, "process").result().split()[0].decode() for w in (0, 1)), flush=True)
    pool.ask(0, "slow", b"0.5")
    sys.stdin.read()
"""


def test_the_processes_end_with_a_killed_coordinator(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as coordinator:
        assert coordinator.stdout is not None
        found = [int(word) for word in coordinator.stdout.readline().split()]
        assert len(found) == 2
        assert all(map(is_there, found))
        coordinator.kill()
    deadline = time.monotonic() + 120
    while any(map(is_there, found)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [process for process in found if is_there(process)] == []


def test_threads_run_at_the_same_time():
    with rp.cluster.threads(4) as pool:
        pool.start(Echo)
        begun = time.monotonic()
        wait([pool.ask(worker, "slow", b"0.3") for worker in range(4)])
        assert time.monotonic() - begun < 1.0


def test_threads_are_as_many_as_cores():
    with rp.cluster.threads() as pool:
        assert pool.workers == len(os.sched_getaffinity(0))
