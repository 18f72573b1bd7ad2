"""B10: a server that learns what is posted, with four readers and a page, for a while.

Run as a program: `python -m tests.serve.soak SECONDS`. It prints a line of JSON and ends with
status 1 if a request failed, a row was lost, no frame came, or the memory of the server grew by
more than 64 MB in the second half.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from tests.serve.serving import rows_of, until

READERS = 4
_MOST_GROWTH = 64 << 20


class Soak:
    """The clients of a server, and what they have seen."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.stop = threading.Event()
        self.counts: Counter[str] = Counter()
        self.failed: list[str] = []

    def run(self, seconds: float, memory: Any) -> dict[str, Any]:
        """Let all clients run; return what they have seen."""
        rows = rows_of(2000)
        jobs = [lambda: self._write(rows), self._watch, *[lambda: self._read(rows)] * READERS]
        threads = [threading.Thread(target=self._safely, args=(job,)) for job in jobs]
        for thread in threads:
            thread.start()
        self.stop.wait(seconds / 2)
        half = memory()
        self.stop.wait(seconds / 2)
        self.stop.set()
        for thread in threads:
            thread.join()
        grown = memory() - half
        with httpx.Client(base_url=self._url, timeout=60.0) as client:
            accepted = self.counts["learned"]
            until(lambda: _rows_of(client) >= accepted, f"{accepted} rows")
            learned = _rows_of(client)
        found = {**self.counts, "rows": learned, "grown": grown, "failed": self.failed[:3]}
        good = not self.failed and learned == accepted and grown < _MOST_GROWTH
        seen = all(self.counts[name] for name in ("learned", "predicted", "frames"))
        return {**found, "good": good and seen}

    def _safely(self, job: Any) -> None:
        try:
            job()
        except Exception as error:
            self.failed.append(repr(error))
            self.stop.set()

    def _write(self, rows: list[tuple[dict, str]]) -> None:
        with httpx.Client(base_url=self._url, timeout=60.0) as client:
            at = 0
            while not self.stop.wait(0.02):
                part = [rows[(at + i) % len(rows)] for i in range(50)]
                body = {"rows": [{"features": x, "label": y} for x, y in part]}
                client.post("/v1/learn", json=body).raise_for_status()
                at += len(part)
                self.counts["learned"] += len(part)

    def _read(self, rows: list[tuple[dict, str]]) -> None:
        with httpx.Client(base_url=self._url, timeout=60.0) as client:
            at = 0
            while not self.stop.wait(0.005):
                body = {"features": rows[at % len(rows)][0], "proba": True}
                client.post("/v1/predict", json=body).raise_for_status()
                at += 1
                self.counts["predicted"] += 1

    def _watch(self) -> None:
        with (
            httpx.Client(base_url=self._url, timeout=60.0) as client,
            client.stream("GET", "/v1/events") as reply,
        ):
            for line in reply.iter_lines():
                self.counts["frames"] += line == "event: frame"
                if self.stop.is_set():
                    return


def _rows_of(client: httpx.Client) -> int:
    """Return how many rows the model of the server has learned."""
    return int(client.get("/v1/frame").json()["model"]["rows"])


def memory_of(pid: int) -> int:
    """Return the resident bytes of a process."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", text)
    assert found is not None
    return 1024 * int(found.group(1))


def main(seconds: float) -> int:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "riparian", "serve", f"{folder}/m", "--address", "0"]
        with subprocess.Popen(
            [*command, "--log", "json", "--every", "5s"], stderr=subprocess.PIPE, text=True
        ) as server:
            assert server.stderr is not None
            urls = (json.loads(line).get("url") for line in server.stderr)
            url = next(found for found in urls if found)
            threading.Thread(target=server.stderr.read, daemon=True).start()
            clock = time.monotonic()
            found = Soak(url).run(seconds, lambda: memory_of(server.pid))
            server.terminate()
            status = server.wait(60)
    print(json.dumps({"seconds": round(time.monotonic() - clock), **found, "status": status}))
    return 0 if found["good"] and status == 0 else 1


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
