"""What an answer of `riparian serve` costs: against an echo of the same stack, and against MLflow.

Run `python -m benchmarks.serving [--mlflow PYTHON] [--seconds S]`. Server and client are processes
of their own. Costs are CPU time of the server for a request or a row. Each server of a comparison
stays on the first core and the client on the second: CPU time differs by a half when threads wander
between cores. Times of answers depend on the load, which is printed. PYTHON is an interpreter with
MLflow and scikit-learn, for example of another environment.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.ipc

FEATURES = 10
#: Pages that are open at once.
_PAGES = 32
_JSON = {"content-type": "application/json"}
#: Rounds in which the servers are asked in turn; the median of their ratios counts.
_ROUNDS = 9
ROW = {f"x{i}": round(0.1 * i + 0.05, 3) for i in range(FEATURES)}


# -- servers, each in a process of its own ----------------------------------------------------


def rows(n: int, seed: int = 1) -> tuple[dict[str, Any], Any]:
    """Numbers and classes."""
    random = np.random.default_rng(seed)
    X = random.random((n, FEATURES))
    y = np.where(X[:, 0] + X[:, 1] > 1, "yes", "no")
    return {f"x{i}": X[:, i] for i in range(FEATURES)}, y


def serve_echo(port: int) -> None:
    """The same stack: granian, Starlette and msgspec, whose answer is the body."""
    import msgspec
    from granian.constants import HTTPModes, Interfaces
    from granian.server.embed import Server
    from starlette.applications import Starlette
    from starlette.routing import Route

    class Echo:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            message = await receive()
            body = msgspec.json.encode(msgspec.json.decode(message["body"]))
            headers = [(b"content-type", b"application/json")]
            headers.append((b"content-length", str(len(body)).encode()))
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})

    async def serve() -> None:
        app = Starlette(routes=[Route("/v1/predict", Echo())])
        await Server(
            *(app, "127.0.0.1", port),
            interface=Interfaces.ASGINL,
            http=HTTPModes.http1,
            websockets=False,
            log_enabled=False,
        ).serve()

    asyncio.run(serve())


def serve_mlflow(python: str, port: int, folder: Path) -> list[str]:
    """A decision tree of scikit-learn in MLflow's scoring server: its command."""
    program = (
        "import mlflow.sklearn, numpy as np, pandas as pd;"
        "from sklearn.tree import DecisionTreeClassifier as T;"
        "X = np.random.default_rng(1).random((5000, 10));"
        "f = pd.DataFrame(X, columns=[f'x{i}' for i in range(10)]);"
        "y = X[:, 0] + X[:, 1] > 1;"
        f"mlflow.sklearn.save_model(T(max_depth=8).fit(f, y), {str(folder)!r},"
        "skops_trusted_types=['sklearn.tree._tree.Tree'])"
    )
    subprocess.run([python, "-c", program], check=True, capture_output=True)
    serve = ["models", "serve", "-m", str(folder), "-p", str(port), "--env-manager", "local"]
    return [python, "-m", "mlflow", *serve]


@contextmanager
def running(command: list[str], stdout: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A client, as long as the block runs."""
    with subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL) as found:
        try:
            yield found
        finally:
            found.kill()


@contextmanager
def process(
    command: list[str], port: int, ready: str, stdin: Any = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A server, as long as the block runs."""
    environment = os.environ | {"PATH": f"{Path(command[0]).parent}:{os.environ['PATH']}"}
    with open(os.devnull, "wb") as nothing:
        found = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=nothing,
            stderr=nothing,
            env=environment,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + 180
        while time.monotonic() < until:
            try:
                if httpx.get(f"http://127.0.0.1:{port}{ready}", timeout=5).status_code < 500:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
            if found.poll() is not None:
                raise RuntimeError(f"{command} has ended with status {found.returncode}")
        yield found
    finally:
        os.killpg(found.pid, signal.SIGKILL)
        found.wait()


def cpu_seconds(pid: int) -> float:
    """CPU time of the processes of a session, with that of threads that have ended."""
    total = 0.0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parts = path.read_text().rpartition(")")[2].split()
            if int(parts[3]) == pid or path.parent.name == str(pid):
                # The clock of another process (clock_getcpuclockid): nanoseconds, not ticks.
                total += time.clock_gettime(~int(path.parent.name) << 3 | 2)
        except OSError:
            continue
    return total


def stay(*servers: int) -> None:
    """Keep the threads of servers on the first core and this process on the second."""
    cores = sorted(os.sched_getaffinity(0))
    for pid in servers:
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(thread), cores[:1])
    os.sched_setaffinity(0, cores[1:2] or cores)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# -- the client -------------------------------------------------------------------------------


def request(path: str, body: bytes, kind: str = "application/json") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: {kind}\r\ncontent-length: "
    return f"{head}{len(body)}\r\n\r\n".encode() + body


async def ask(port: int, data: bytes, seconds: float, connections: int, rate: float | None) -> Any:
    """Send a request again and again; return the time of each answer."""
    times: list[float] = []
    end = time.perf_counter() + seconds

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        due = time.perf_counter() + (number / rate if rate else 0.0)
        while (now := time.perf_counter()) < end:
            if rate:
                await asyncio.sleep(max(0.0, due - now))
                due += connections / rate
            clock = time.perf_counter()
            writer.write(data)
            head = await reader.readuntil(b"\r\n\r\n")
            assert b" 200 " in head[:20], head
            length = next(
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            await reader.readexactly(length)
            times.append(time.perf_counter() - clock)
        writer.close()

    await asyncio.gather(*(one(number) for number in range(connections)))
    return times


def load(
    pid: int,
    port: int,
    data: bytes,
    seconds: float,
    connections: int = 8,
    rate: float | None = None,
) -> dict[str, float]:
    """Return CPU microseconds for a request, and times of answers in milliseconds."""
    asyncio.run(ask(port, data, 0.3, connections, rate))
    before, own = cpu_seconds(pid), time.process_time()
    times = sorted(asyncio.run(ask(port, data, seconds, connections, rate)))
    used, own = cpu_seconds(pid) - before, time.process_time() - own
    return {
        "cores_of_server": used / seconds,
        "cores_of_client": own / seconds,
        "cpu_us": 1e6 * used / len(times),
        "requests_per_second": len(times) / seconds,
        "p50_ms": 1e3 * statistics.median(times),
        "p99_ms": 1e3 * times[int(0.99 * (len(times) - 1))],
    }


# -- what is measured -------------------------------------------------------------------------


def one_row(folder: Path, seconds: float, mlflow: str | None) -> dict[str, Any]:
    """CPU of a one-row prediction, in alternating rounds with the echo."""
    import riparian as rp

    X, y = rows(50_000)
    rp.VFDT().partial_fit(X, y).save(folder / "model.rip")
    plain = request("/v1/predict", json.dumps({"features": ROW}).encode())
    proba = request("/v1/predict", json.dumps({"features": ROW, "proba": True}).encode())
    ports = [free_port(), free_port()]
    echo = [sys.executable, "-m", "benchmarks.serving", "--echo", str(ports[0])]
    model = [sys.executable, "-m", "riparian", "serve", str(folder / "model.rip")]
    model += ["--address", str(ports[1])]
    found: dict[str, list[float]] = {"echo": [], "predict": [], "proba": []}
    with process(echo, ports[0], "/") as one, process(model, ports[1], "/health/ready") as two:
        stay(one.pid, two.pid)
        for _ in range(_ROUNDS):
            found["echo"].append(load(one.pid, ports[0], plain, seconds / 3)["cpu_us"])
            found["predict"].append(load(two.pid, ports[1], plain, seconds / 3)["cpu_us"])
            found["proba"].append(load(two.pid, ports[1], proba, seconds / 3)["cpu_us"])
        table = arrow_stream(X, 100_000)
        bulk = request("/v1/predict", table, "application/vnd.apache.arrow.stream")
        arrow = load(two.pid, ports[1], bulk, seconds, connections=1)["cpu_us"] / 100_000
        line = json.dumps({"features": ROW}).encode() + b"\n"
        lines = request("/v1/predict", line * 20_000, "application/x-ndjson")
        ndjson = load(two.pid, ports[1], lines, seconds, connections=1)["cpu_us"] / 20_000
    result: dict[str, Any] = {name: statistics.median(all_) for name, all_ in found.items()}
    for name, goal in (("predict", " (goal 1.15)"), ("proba", "")):
        ratios = [a / b for a, b in zip(found[name], found["echo"], strict=True)]
        result[f"{name} / echo{goal}"] = statistics.median(ratios)
    result["Arrow rows per CPU second (goal 1e6)"] = 1e6 / arrow
    result["NDJSON rows per CPU second (goal 3e5)"] = 1e6 / ndjson
    if mlflow is not None:
        print(json.dumps(result, indent=1), flush=True)
        result |= against_mlflow(folder, seconds, mlflow, result["predict"])
    return result


def against_mlflow(folder: Path, seconds: float, python: str, predict: float) -> dict[str, float]:
    """CPU of a one-row prediction of MLflow's scoring server."""
    port = free_port()
    with process(serve_mlflow(python, port, folder / "mlflow"), port, "/ping") as server:
        split = {"columns": list(ROW), "data": [list(ROW.values())]}
        data = request("/invocations", json.dumps({"dataframe_split": split}).encode())
        found = load(server.pid, port, data, seconds)["cpu_us"]
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    return {"mlflow": found, "predict / mlflow (goal 0.1)": predict / found}


def arrow_stream(X: dict[str, Any], n: int) -> bytes:
    table = pa.table({name: np.resize(column, n) for name, column in X.items()})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def feed(rate: float) -> None:
    """Write lines of JSON to standard output, this many per second, until nobody reads them."""
    X, y = rows(10_000)
    names = [*X, "y"]
    columns = [column.round(6).tolist() for column in X.values()] + [y.tolist()]
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]
    last, due, at = time.perf_counter(), 0.0, 0
    while True:
        now = time.perf_counter()
        # What could not be written while the reader was busy is left out.
        due, last = min(due + rate * (now - last), 2000.0), now
        part = [lines[i % len(lines)] for i in range(at, at + int(due))]
        try:
            print(*part, sep="\n", end="\n" if part else "", flush=True)
        except BrokenPipeError:
            os._exit(0)
        at, due = at + len(part), due - len(part)
        time.sleep(0.005)


def post_on(port: int, rate: float) -> None:
    """Post batches of 1,000 rows, so many rows per second."""
    body, due = batch(), time.monotonic()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60.0) as client:
        while True:
            client.post("/v1/learn", content=body, headers=_JSON).raise_for_status()
            due = max(due + 1000 / rate, time.monotonic() - 0.1)
            time.sleep(max(0.0, due - time.monotonic()))


def while_learning(
    folder: Path, recipe: str, rate: int, seconds: float, *, by: str
) -> dict[str, float]:
    """Times of answers at 1,000 requests per second, of a model that learns at a rate.

    The rows are posted in batches of 1,000, or read from standard input as lines.
    """
    port = free_port()
    place = str(folder / f"{recipe} {by}")
    chosen = ["--recipe", recipe]
    if recipe == "StreamForest":
        chosen += ["--set", "n_estimators=10"]
    feeding = [sys.executable, "-m", "benchmarks.serving"]
    if by == "posts":
        command = ["serve", place, "--address", str(port), *chosen]
        feeding += ["--post", str(port), str(rate)]
    else:
        command = ["learn", "-", "--format", "json", "--target", "y", "--quiet", *chosen]
        command += ["--serve", str(port), "--checkpoint", place]
        feeding += ["--feed", str(rate)]
    command = [sys.executable, "-m", "riparian", *command]
    data = request("/v1/predict", json.dumps({"features": ROW}).encode())
    with contextlib.ExitStack() as stack:
        feeder = None
        if by == "lines":
            feeder = stack.enter_context(running(feeding, stdout=subprocess.PIPE))
        lines = None if feeder is None else feeder.stdout
        server = stack.enter_context(process(command, port, "/health/ready", lines))
        if by == "posts":
            stack.enter_context(running(feeding))
        time.sleep(6.0)  # what came while the server began is learned first
        before = httpx.get(f"http://127.0.0.1:{port}/v1/frame").json()
        found = load(server.pid, port, data, seconds, rate=1000.0)
        time.sleep(1.2)
        after = httpx.get(f"http://127.0.0.1:{port}/v1/frame").json()
        learned = after["model"]["rows"] - before["model"]["rows"]
        found["learned_per_second"] = learned / (after["time"] - before["time"])
    return found


def at_rest(folder: Path, seconds: float) -> dict[str, Any]:
    """Single posts, times of answers while nothing is learned, open pages, and memory."""
    port = free_port()
    command = [sys.executable, "-m", "riparian", "serve", str(folder / "rest")]
    command += ["--recipe", "VFDT", "--address", str(port)]
    data = request("/v1/predict", json.dumps({"features": ROW}).encode())
    single = request("/v1/learn", json.dumps({"features": ROW, "label": "yes"}).encode())
    with process(command, port, "/health/ready") as server:
        httpx.post(f"http://127.0.0.1:{port}/v1/learn", content=batch(), headers=_JSON)
        found: dict[str, Any] = {"RSS in MB": memory_of(server.pid) / 1e6}
        posts = load(server.pid, port, single, seconds, connections=64)
        found["single posts per second (goal 2000)"] = posts["requests_per_second"]
        time.sleep(2.0)
        found["1,000 requests per second (goal 1 and 3 ms)"] = load(
            server.pid, port, data, seconds, rate=1000.0
        )
        with contextlib.ExitStack() as stack:
            for _ in range(_PAGES):
                page = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                page.sendall(b"GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n")
            time.sleep(1.0)
            before = cpu_seconds(server.pid)
            time.sleep(seconds)
            found[f"cores for {_PAGES} pages (goal 0.02)"] = (
                cpu_seconds(server.pid) - before
            ) / seconds
        begun = memory_of(server.pid)
        asked = load(server.pid, port, data, 3 * seconds)
        found["requests"] = int(3 * seconds * asked["requests_per_second"])
        found["growth of RSS over them in MB"] = (memory_of(server.pid) - begun) / 1e6
    return found


def memory_of(pid: int) -> int:
    """The resident bytes of a process."""
    return 4096 * int(Path(f"/proc/{pid}/statm").read_text().split()[1])


def batch() -> bytes:
    """The body of a request with 1,000 rows."""
    X, y = rows(1000)
    columns = {name: column.round(6).tolist() for name, column in X.items()}
    listed = [
        {"features": {name: column[i] for name, column in columns.items()}, "label": str(y[i])}
        for i in range(1000)
    ]
    return json.dumps({"rows": listed}).encode()


def posted(folder: Path, batches: int) -> dict[str, float]:
    """Rows that are posted in batches of 1,000, durable, until they are learned."""
    port = free_port()
    command = [sys.executable, "-m", "riparian", "serve", str(folder / "posted")]
    command += ["--recipe", "VFDT", "--address", str(port)]
    body = batch()
    url = f"http://127.0.0.1:{port}"
    with (
        process(command, port, "/health/ready") as server,
        httpx.Client(base_url=url, timeout=60.0) as client,
    ):
        client.post("/v1/learn", content=body, headers=_JSON)
        before, clock = cpu_seconds(server.pid), time.monotonic()
        for _ in range(batches):
            client.post("/v1/learn", content=body, headers=_JSON).raise_for_status()
        accepted = time.monotonic() - clock
        while client.get("/v1/frame").json()["model"]["rows"] < 1000 * (batches + 1):
            time.sleep(0.05)
        used = cpu_seconds(server.pid) - before
    return {
        "rows per second until they are durable (goal 50000)": 1000 * batches / accepted,
        "rows per CPU second, learned": 1000 * batches / used,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mlflow", help="an interpreter with MLflow")
    parser.add_argument("--seconds", type=float, default=3.0, help="seconds of each load")
    parser.add_argument("--echo", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--feed", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--post", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--only", help="one_row, posted, at_rest or while_learning")
    options = parser.parse_args()
    if options.echo is not None:
        serve_echo(options.echo)
        return
    if options.feed is not None:
        feed(options.feed)
    if options.post is not None:
        post_on(int(options.post[0]), float(options.post[1]))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "one_row": lambda: one_row(folder, options.seconds, options.mlflow),
            "posted": lambda: posted(folder, 100),
            "at_rest": lambda: at_rest(folder, options.seconds),
            "while_learning": lambda: {
                f"{recipe}, {rate:,} rows per second by {by} (goal p99 {goal} ms)": while_learning(
                    folder, recipe, rate, options.seconds, by=by
                )
                for recipe, rate, goal in (("VFDT", 50_000, 5), ("StreamForest", 5_000, 10))
                for by in ("posts", "lines")
            },
        }
        for part, measure in parts.items():
            if options.only in (None, part):
                print(
                    json.dumps({part: measure(), "load": os.getloadavg()[0]}, indent=1), flush=True
                )


if __name__ == "__main__":
    main()
