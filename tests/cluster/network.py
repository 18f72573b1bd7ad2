"""Learn over a bad network between two hosts, a Ray head and a Ray node in network namespaces.

``python -m tests.cluster.network`` needs root, iproute2 and Ray. Packets are lost by tc netem or,
if the kernel has none, by the match `statistic` of iptables. The link is cut once while the tree
learns. The bytes of the model must be those of one thread. Everything that is started ends with
the command.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import riparian as rp
from tests.cluster.parts import digest, learned, stream

ROOT = Path(__file__).parents[2]
HEAD, NODE, PORT = "10.213.0.1", "10.213.0.2", 6379
#: The link is cut when this share of the rounds has begun.
CUT_AFTER = 0.3


def missing() -> str:
    """Return why the network cannot be made here; empty if it can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "network namespaces need root on Linux"
    if shutil.which("ip") is None:
        return "ip (iproute2) is not installed"
    try:
        import ray  # noqa: F401
    except ImportError:
        return "Ray is not installed"
    name = f"riparian-{os.getpid()}-try"
    if _run("ip", "netns", "add", name, check=False).returncode:
        return "network namespaces cannot be made here"
    _run("ip", "netns", "delete", name)
    return ""


def _run(*command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=check, capture_output=True, text=True)


class Network:
    """Two namespaces with a link between them, which go away at the end.

    Parameters
    ----------
    loss : float
        The share of packets that are lost in each direction, in percent.
    """

    def __init__(self, loss: float) -> None:
        self.spaces = [f"riparian-{os.getpid()}-{side}" for side in "ab"]
        self.ends = [f"rip{os.getpid()}{side}" for side in "ab"]
        self.loss = loss
        #: How packets are lost.
        self.lossy = "nothing"

    def __enter__(self) -> Network:
        try:
            for space in self.spaces:
                _run("ip", "netns", "add", space)
            a, b = self.ends
            _run("ip", "link", "add", a, "type", "veth", "peer", "name", b)
            for space, end, address in zip(self.spaces, self.ends, (HEAD, NODE), strict=True):
                _run("ip", "link", "set", end, "netns", space)
                self.inside(space, "ip", "link", "set", "lo", "up")
                self.inside(space, "ip", "address", "add", f"{address}/24", "dev", end)
                self.inside(space, "ip", "link", "set", end, "up")
            self.lossy = self._lose()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        for space in self.spaces:
            # The namespaces are ours, and so is every process in them.
            for _ in range(50):
                pids = _run("ip", "netns", "pids", space, check=False).stdout.split()
                for pid in pids:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
                if not pids:
                    break
                time.sleep(0.1)
            _run("ip", "netns", "delete", space, check=False)
        _run("ip", "link", "delete", self.ends[0], check=False)

    def inside(
        self, space: str, *command: str, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a namespace."""
        return _run("ip", "netns", "exec", space, *command, check=check)

    def _lose(self) -> str:
        if not self.loss:
            return "nothing"
        netem = [
            self.inside(
                *(space, "tc", "qdisc", "add", "dev", end, "root"),
                *("netem", "loss", f"{self.loss}%"),
                check=False,
            )
            for space, end in zip(self.spaces, self.ends, strict=True)
        ]
        if not any(done.returncode for done in netem):
            return "netem"
        if shutil.which("iptables") is None:
            return "nothing: the kernel has no netem, and iptables is not installed"
        for space, end in zip(self.spaces, self.ends, strict=True):
            self.inside(
                *(space, "iptables", "-A", "INPUT", "-i", end, "-m", "statistic"),
                *("--mode", "random", "--probability", f"{self.loss / 100}", "-j", "DROP"),
            )
        return "iptables, the kernel has no netem"

    def cut(self, seconds: float) -> None:
        """Cut the link for so long."""
        self.inside(self.spaces[1], "ip", "link", "set", self.ends[1], "down")
        time.sleep(seconds)
        self.inside(self.spaces[1], "ip", "link", "set", self.ends[1], "up")

    def packets(self) -> dict[str, int]:
        """Return what has arrived at the head, and what iptables has dropped on both sides."""
        found = json.loads(self.inside(self.spaces[0], "ip", "-j", "-s", "link", "show").stdout)
        arrived = next(d for d in found if d["ifname"] == self.ends[0])["stats64"]["rx"]
        dropped = 0
        if self.lossy.startswith("iptables"):
            for space in self.spaces:
                rules = self.inside(space, "iptables", "-L", "INPUT", "-v", "-x", "-n").stdout
                dropped += sum(int(r.split()[0]) for r in rules.splitlines() if " DROP " in r)
        return {"packets": arrived["packets"], "bytes": arrived["bytes"], "lost packets": dropped}


@contextlib.contextmanager
def hosts(network: Network, folder: str) -> Iterator[None]:
    """Start Ray on both hosts, with one CPU each."""
    ray = str(Path(sys.executable).with_name("ray"))
    common = ["--num-cpus=1", "--object-store-memory=100000000", "--block"]
    head = ["--head", f"--node-ip-address={HEAD}", f"--port={PORT}", "--include-dashboard=false"]
    node = [f"--address={HEAD}:{PORT}", f"--node-ip-address={NODE}"]
    started: list[subprocess.Popen[bytes]] = []
    log: IO[bytes]
    with open(Path(folder) / "ray.log", "wb") as log:
        try:
            for space, options in zip(
                network.spaces, ([*head, f"--temp-dir={folder}"], node), strict=True
            ):
                started.append(
                    subprocess.Popen(
                        ["ip", "netns", "exec", space, ray, "start", *options, *common],
                        stdout=log,
                        stderr=log,
                        env=_environment(),
                    )
                )
                time.sleep(5.0)  # the node gives up early if there is no head
            yield
        finally:
            for process in started:
                process.terminate()
            for process in started:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(30)


def _environment() -> dict[str, str]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_memory_monitor_refresh_ms": "0",
        "RAY_worker_niceness": "0",  # a busy machine would starve them otherwise
    }


def run(rows: int, loss: float, cut: float, timeout: float = 600.0) -> dict[str, Any]:
    """Learn over the network; return what happened.

    Parameters
    ----------
    rows : int
        How many rows.
    loss, cut : float
        The lost packets in percent, and for how many seconds the link is cut.
    timeout : float, default=600.0
        The learner is killed after this many seconds.
    """
    with tempfile.TemporaryDirectory(prefix="rip") as folder, Network(loss) as network:
        with hosts(network, folder):
            program = [sys.executable, "-m", "tests.cluster.network", "--learn", str(rows)]
            with subprocess.Popen(
                ["ip", "netns", "exec", network.spaces[0], *program],
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env=_environment(),
            ) as learner:
                end = threading.Timer(timeout, learner.kill)
                end.start()
                was_cut = False
                result: dict[str, Any] = {}
                assert learner.stdout is not None
                for line in learner.stdout:
                    told = json.loads(line)
                    if "at" not in told:
                        result = told
                    elif cut and not was_cut and told["at"] >= CUT_AFTER * rows:
                        was_cut = True
                        network.cut(cut)
                end.cancel()
            if learner.returncode:
                raise RuntimeError(f"the learner has ended with status {learner.returncode}")
        assert was_cut or not cut, "all rounds were over before the cut"
        return {**result, "cut": cut, "loss": loss, "lost by": network.lossy, **network.packets()}


def learn(rows: int) -> None:
    """Learn on the cluster of this host; print the row before each round, then what happened."""
    import ray

    columns, y = stream(rows, 7)
    make = functools.partial(rp.VFDT, grace_period=100)
    with rp.cluster.threads(1) as pool:
        expected = digest(learned(make(), pool, columns, y)[0])
    clock = time.perf_counter()
    with rp.cluster.ray(2, address=f"{HEAD}:{PORT}") as pool:
        while len([node for node in ray.nodes() if node["Alive"]]) < 2:
            time.sleep(0.2)  # the node joins
        model, rounds = learned(
            make(), pool, columns, y, before=lambda at: print(json.dumps({"at": at}), flush=True)
        )
    found = {
        "rows": rows,
        "equal": digest(model) == expected,
        "rounds": rounds.number,
        "seconds": round(time.perf_counter() - clock, 1),
        **rounds.counts,
    }
    print(json.dumps(found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=120_000)
    parser.add_argument("--loss", type=float, default=5.0, help="lost packets in percent")
    parser.add_argument("--cut", type=float, default=10.0, help="seconds without a link")
    parser.add_argument("--learn", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.learn:
        learn(given.learn)
        return
    if why := missing():
        parser.exit(1, f"{why}\n")
    found = run(given.rows, given.loss, given.cut)
    print(json.dumps(found))
    if not found["equal"]:
        parser.exit(1, "the bytes differ\n")


if __name__ == "__main__":
    main()
