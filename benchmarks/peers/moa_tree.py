"""MOA's trees in their best case: inside the JVM, instances prebuilt, the JIT warm.

MOA is the jar inside the PyPI package capymoa, fetched once into ``.cache``; the driver is
``moa/MoaDriver.java``. MOA's licence is GPL-3: it is run here, and nothing of it is kept.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from workloads import CACHE, Workload

from peers.settings import DELTA, GRACE_PERIOD, LEAVES, N_CUTS, TAU, Run

__all__ = ["MoaTree", "jar", "missing", "version"]

DRIVER = Path(__file__).parent.parent / "moa" / "MoaDriver.java"
PACKAGE = "capymoa>=0.15.1"
HEAP = "-Xmx8g"
# The JIT is warm after this many runs and this many values, whichever is more.
WARM_UP_RUNS = 3
WARM_UP_VALUES = 15_000_000


@cache
def missing() -> str | None:
    """Say why MOA cannot run here, or give None if it can."""
    if shutil.which("javac") is None:
        return "no JDK found (no javac on PATH)"
    try:
        jar()
    except (subprocess.CalledProcessError, OSError, LookupError) as error:
        return f"its jar could not be fetched ({error})"
    return None


def version() -> str:
    """Name the package that the jar is from, and the Java that runs it."""
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True)
    return f"{_wheel().name.split('-py3')[0]}, {java.stderr.splitlines()[0]}"


class MoaTree:
    """A JVM that holds one workload and runs one of MOA's classifiers on it when asked."""

    def __init__(
        self,
        workload: Workload,
        task: str,
        tree: str = "trees.HoeffdingTree",
        warm_up: int | None = None,
        options: str | None = None,
    ) -> None:
        self._task = task
        self._folder = tempfile.TemporaryDirectory()
        rows = Path(self._folder.name) / "rows.bin"
        np.column_stack([workload.X, workload.y]).astype("<f8").tofile(rows)
        values = np.zeros(workload.X.shape[1] + 1, dtype=int)
        for j in workload.nominal:
            values[j] = np.nanmax(workload.X[:, j]) + 1
        values[-1] = workload.n_classes
        leaf = {"adaptive": "NBAdaptive", "majority": "MC"}[LEAVES[task]]
        # The memory limit is out of reach, or MOA would stop growing.
        options = options or (
            f"-l {leaf} -g {GRACE_PERIOD} -c {DELTA} -t {TAU} -m 2000000000 -e 2147483647 "
            f"-n (GaussianNumericAttributeClassObserver -n {N_CUTS})"
        )
        n_rows = len(workload.y)
        if warm_up is None:
            warm_up = max(WARM_UP_RUNS, WARM_UP_VALUES // workload.X.size)
        arguments = [rows, n_rows, ",".join(map(str, values)), options, task, warm_up, tree]
        # Without the open package MOA's measureByteSize cannot look into a list, and says too
        # little in silence.
        java = ["java", HEAP, "--add-opens=java.base/java.util=ALL-UNNAMED"]
        java += [f"-javaagent:{_agent()}", "-cp", str(jar()), str(DRIVER)]
        self._process = subprocess.Popen(
            [*java, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._folder.cleanup()

    def run(self) -> Run:
        """Time one run."""
        result = self._ask("run")
        accuracy = result["accuracy"] if self._task == "prequential" else None
        return Run(result["cpu"], accuracy, result["bytes"], result["leaves"])

    def accuracy(self, seed: int = 1, columns: list[int] | None = None) -> float:
        """Give the prequential accuracy, whatever the task times, with columns in this order."""
        self._ask(f"seed {seed}")
        if columns is not None:
            self._ask(f"order {','.join(map(str, columns))}")
        return float(self._ask("accuracy")["accuracy"])

    def right(self) -> list[int]:
        """Give how many of each hundredth of the rows were answered rightly before learning."""
        return [int(n) for n in self._ask("accuracy")["right"]]

    def _ask(self, command: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"MOA's driver ended with status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _wheel() -> Path:
    wheels = sorted(CACHE.glob("capymoa-*.whl"))
    if not wheels:
        print(f"fetching {PACKAGE} for MOA's jar", file=sys.stderr)
        CACHE.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*command, "--dest", str(CACHE), PACKAGE], check=True)
        wheels = sorted(CACHE.glob("capymoa-*.whl"))
    return wheels[-1]


def jar() -> Path:
    """Return the jar, fetched before if it was not there."""
    wheel = _wheel()
    path = wheel.with_suffix(".jar")
    if not path.exists():
        with zipfile.ZipFile(wheel) as archive:
            inside = [name for name in archive.namelist() if name.endswith("/moa.jar")]
            if not inside:
                raise LookupError(f"{wheel.name} holds no moa.jar")
            path.write_bytes(archive.read(inside[0]))
    return path


def _agent() -> Path:
    # MOA's measureByteSize asks an agent whose class is inside moa.jar, but the jar's manifest
    # does not declare it.
    agent = CACHE / "agent.jar"
    with zipfile.ZipFile(agent, "w") as archive:
        manifest = "Manifest-Version: 1.0\nPremain-Class: sizeof.agent.SizeOfAgent\n"
        archive.writestr("META-INF/MANIFEST.MF", manifest)
    return agent
