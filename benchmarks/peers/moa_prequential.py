"""MOA's classifiers on a stream: a JVM for each run, the rows handed over in a file.

CPU seconds are those of the thread that predicts and learns. The JVM starts cold; its compiler and
its garbage collector work in other threads, which are not counted.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
from choosing_streams import Data

from peers.moa_tree import jar
from peers.moa_tree import version as version_of_package
from peers.prequential import Pass, UnfinishedError

__all__ = ["has", "run", "version"]

DRIVER = Path(__file__).parent.parent / "moa" / "MoaPrequential.java"
HEAP = "-Xmx2g"
PROPERTIES = "META-INF/maven/nz.ac.waikato.cms.moa/moa/pom.properties"
#: Wall seconds per CPU second after which a JVM is taken to hang.
PATIENCE = 60


@cache
def version() -> str:
    """Return the version of MOA, where its jar is from, and the Java that runs it."""
    with zipfile.ZipFile(jar()) as archive:
        lines = archive.read(PROPERTIES).decode().splitlines()
    found = dict(line.split("=", 1) for line in lines if "=" in line)
    return f"{found['version']} ({version_of_package()})"


@cache
def has(name: str) -> bool:
    """Return whether this release has a class of moa.classifiers: ``"trees.LAST"``."""
    with zipfile.ZipFile(jar()) as archive:
        return f"moa/classifiers/{name.replace('.', '/')}.class" in archive.namelist()


def run(name: str, options: str, data: Data, seed: int, limit: float) -> Pass:
    """Predict and learn each row with a class of moa.classifiers.

    Parameters
    ----------
    name : str
        The class with its package: ``"trees.HoeffdingTree"``.
    options : str
        Its options as on MOA's command line.
    data : Data
    seed : int
    limit : float
        CPU seconds after which it is given up.
    """
    values = np.zeros(data.X.shape[1] + 1, dtype=int)
    for j in data.nominal:
        values[j] = np.nanmax(data.X[:, j]) + 1
    values[-1] = data.y.max() + 1
    with tempfile.TemporaryDirectory() as folder:
        rows, predicted = Path(folder) / "rows.bin", Path(folder) / "predicted.bin"
        np.column_stack([data.X, data.y]).astype("<f8").tofile(rows)
        arguments = [
            *(rows, len(data.y), ",".join(map(str, values))),
            *(name, options, seed, limit, predicted),
        ]
        java = ["java", HEAP, "-XX:+UseSerialGC", "-cp", f"{jar()}:{_classes()}"]
        done = subprocess.run(
            [*java, DRIVER.stem, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=PATIENCE * limit,
        )
        if done.returncode:
            raise UnfinishedError(_first_line(done.stderr))
        found = json.loads(done.stdout.splitlines()[-1])
        if found["rows"] < len(data.y):
            raise UnfinishedError(
                f"{found['rows']:,} of {len(data.y):,} rows in {limit:g} CPU seconds"
            )
        both = np.fromfile(predicted, ">f8").reshape(-1, 2)
    return Pass(both[:, 0].astype(np.int64), both[:, 1].astype(float), found["seconds"])


@cache
def _classes() -> Path:
    """Compile the driver; the classes are next to the jar."""
    folder = jar().parent / "classes"
    subprocess.run(["javac", "-cp", jar(), "-d", folder, DRIVER], check=True)
    return folder


def _first_line(text: str) -> str:
    lines = text.splitlines()
    errors = [line for line in lines if "Exception" in line or "Error" in line]
    return (errors or lines or ["it ended without a word"])[0].strip()
