"""A minute of `riparian serve`: a race, a split, a drift, and a server that is killed and goes on.

The program starts a server in a folder of its own, posts a stream whose concept changes, kills the
server with SIGKILL in the middle, and starts it again. Open the address that it prints.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

import httpx

from riparian.streams.names import open_named

ADDRESS = os.environ.get("RIPARIAN_ADDRESS", "127.0.0.1:8080")
ROWS, BATCH, DRIFT_AT, KILL_AT = 40_000, 250, 16_000, 28_000
SECONDS = float(os.environ.get("RIPARIAN_SECONDS", "45"))


def start(folder: str) -> subprocess.Popen[bytes]:
    """Start the server and wait until it is ready."""
    command = [sys.executable, "-m", "riparian", "serve", folder, "--address", ADDRESS]
    server = subprocess.Popen([*command, "--every", "5s", "--recipe", "HAT"])
    while True:
        try:
            if httpx.get(f"http://{ADDRESS}/health/ready", timeout=5.0).status_code == 200:
                return server
        except httpx.TransportError:
            if server.poll() is not None:
                raise SystemExit("the server has ended") from None
        time.sleep(0.1)


def batches() -> Any:
    """Give the stream as bodies of requests; from a row on every class means another one."""
    stream = open_named("synth:drifting")
    number = done = 0
    while True:
        X, y = stream.chunk(number)
        number += 1
        for first in range(0, len(y), BATCH):
            rows = X[first : first + BATCH].tolist()
            turn = int(done >= DRIFT_AT)
            labels = [stream.classes[(k + turn) % 3] for k in y[first : first + BATCH]]
            done += len(labels)
            yield [
                {"features": dict(zip(stream.names, row, strict=True)), "label": label}
                for row, label in zip(rows, labels, strict=True)
            ]


def post(client: httpx.Client, rows: list[dict[str, Any]], key: str) -> None:
    """Post rows; after a crash again, and the key says that they are the same."""
    while True:
        try:
            headers = {"idempotency-key": key}
            client.post("/v1/learn", json={"rows": rows}, headers=headers).raise_for_status()
            return
        except httpx.TransportError:
            time.sleep(0.1)


def tell(client: httpx.Client, told: set[str]) -> None:
    """Print what is new: the race, and the marks of splits and changes."""
    frame = client.get("/v1/frame").json()
    for leaf in frame["race"][:1]:
        best, second = leaf["best"], leaf["runner_up"] or {"cut": "no split", "gain": 0.0}
        print(
            f"{frame['model']['rows']:>7,} rows  race at leaf {leaf['leaf']}: {best['cut']} "
            f"{best['gain']:.3f} against {second['cut']} {second['gain']:.3f}, "
            f"epsilon {leaf['epsilon'] or 0:.3f}"
        )
    for mark in frame["marks"]:
        text = f"{mark['kind']} at {mark['rows']:,}: {mark['text'][:90]}"
        if text not in told:
            told.add(text)
            print(f"        {text}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = start(folder)
        print(f"the page is at http://{ADDRESS}/ ; the demo takes about {SECONDS:.0f} seconds")
        began, told, said = time.monotonic(), set[str](), 0.0
        killed, done = False, 0
        try:
            with httpx.Client(base_url=f"http://{ADDRESS}", timeout=30.0) as client:
                for number, rows in enumerate(batches()):
                    if done >= ROWS:
                        break
                    post(client, rows, f"batch {number}")
                    done += len(rows)
                    if not killed and done >= KILL_AT:
                        killed = True
                        server.send_signal(signal.SIGKILL)
                        server.wait()
                        print("the server was killed with SIGKILL; starting it again")
                        server = start(folder)
                    if time.monotonic() - said > 2.0:
                        said = time.monotonic()
                        tell(client, told)
                    ahead = began + SECONDS * done / ROWS - time.monotonic()
                    time.sleep(max(0.0, ahead))
                while client.get("/v1/frame").json()["model"]["rows"] < done:
                    time.sleep(0.2)
                tell(client, told)
                found = client.get("/v1/model").json()
                print(
                    f"{done:,} rows were posted and {found['rows']:,} are learned; accuracy "
                    f"{found['accuracy']['overall']:.3f}, {found['n_leaves']} leaves"
                )
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
