"""B3: clients that send nothing, or slowly, do not keep others waiting.

The slow clients are a process of their own, so that they wait for no lock of the server. Run as a
program: `python -m tests.serve.test_slow_clients CLIENTS SECONDS` prints a line of JSON and ends
with status 1 if a good client has waited too long.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from riparian.serve.limits import Limits
from tests.serve.serving import rows_of, serving, tree

ROOT = Path(__file__).parents[2]


def hold(address: tuple[str, int], kind: int, stop: threading.Event) -> None:
    """Keep a connection: idle, with an unfinished header, or with a body that drips."""
    while not stop.is_set():
        try:
            with socket.create_connection(address, timeout=5.0) as connection:
                if kind == 1:
                    connection.sendall(b"GET /v1/model HTTP/1.1\r\nhost: x\r\nx-slow: ")
                elif kind == 2:
                    head = b"POST /v1/predict HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n"
                    connection.sendall(head)
                while not stop.wait(0.5):
                    if kind:
                        connection.sendall(b"a")
        except OSError:
            stop.wait(0.5)


def hold_many(address: tuple[str, int], clients: int) -> None:
    """Be many slow clients until standard input ends."""
    stop = threading.Event()
    for i in range(clients):
        threading.Thread(target=hold, args=(address, i % 3, stop), daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    os._exit(0)


@contextmanager
def slow_clients(address: tuple[str, int], clients: int) -> Iterator[None]:
    """Many slow clients in another process, as long as the block runs."""
    command = [sys.executable, "-m", "tests.serve.test_slow_clients", "hold"]
    command += [address[0], str(address[1]), str(clients)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "cwd": ROOT}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            yield
        finally:
            process.stdin.close()


def waited(folder: Path, clients: int, seconds: float) -> dict[str, float]:
    """How long a good client waits when others are slow, and how much CPU time that takes."""
    limits = Limits(header_seconds=2.0, body_seconds=2.0)
    with serving(folder, tree(), limits=limits) as running:
        running.learn(rows_of(50))
        running.wait_for(50)
        host, port = running.served.url.removeprefix("http://").split(":")
        times, cpu = [], []
        with (
            slow_clients((host, int(port)), clients),
            httpx.Client(base_url=running.served.url, timeout=30.0) as client,
        ):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                clock, own = time.perf_counter(), time.process_time()
                reply = client.post("/v1/predict", json={"features": {"x": 0.5}})
                times.append(time.perf_counter() - clock)
                cpu.append(time.process_time() - own)
                assert reply.status_code == 200, reply.text
                time.sleep(0.01)
        seen = dict(running.serving.traffic.requests)
    slow = sum(sum(found.counts) for (_, _, status), found in seen.items() if status == 408)
    last = int(0.99 * (len(times) - 1))
    figures = {"requests": len(times), "p99": sorted(times)[last], "most": max(times)}
    return {**figures, "cpu_p99": sorted(cpu)[last], "slow_bodies": slow}


def is_good(found: dict[str, float]) -> bool:
    # A busy machine makes everybody wait: then the time of the processor is what counts.
    return found["p99"] < 0.25 or found["cpu_p99"] < 0.25


@pytest.mark.parametrize(
    ("clients", "seconds"), [(60, 3.0), pytest.param(500, 20.0, marks=pytest.mark.slow)]
)
def test_slow_clients_do_not_hold_up_others(tmp_path, clients: int, seconds: float) -> None:
    found = waited(tmp_path, clients, seconds)
    assert is_good(found), found


if __name__ == "__main__":
    if sys.argv[1] == "hold":
        hold_many((sys.argv[2], int(sys.argv[3])), int(sys.argv[4]))
    with tempfile.TemporaryDirectory() as name:
        figures = waited(Path(name), int(sys.argv[1]), float(sys.argv[2]))
    print(json.dumps({**figures, "load": os.getloadavg()[0]}))
    sys.exit(not is_good(figures))
