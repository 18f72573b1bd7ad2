"""One plain C pass over the rows: ``plain_pass.c``, compiled for this machine when it is run."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from workloads import CACHE, Workload

from peers.settings import Run

__all__ = ["PlainPass"]

SOURCE = Path(__file__).parent.parent / "plain_pass.c"


class PlainPass:
    """The compiled pass, ready to run over one workload."""

    def __init__(self, workload: Workload) -> None:
        library = CACHE / "plain_pass.so"
        CACHE.mkdir(exist_ok=True)
        command = ["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library)]
        subprocess.run([*command, str(SOURCE)], check=True)
        self._pass = ctypes.CDLL(str(library)).plain_pass
        doubles, labels = (
            np.ctypeslib.ndpointer(dtype, flags="C_CONTIGUOUS") for dtype in (np.float64, np.int64)
        )
        self._pass.argtypes = [doubles, labels, ctypes.c_size_t, ctypes.c_size_t, doubles, doubles]
        self._pass.restype = None
        self._workload = workload

    def run(self) -> Run:
        """Time one pass."""
        counts, moments = self._empty()
        start = process_time()
        X, y = self._workload.X, self._workload.y
        self._pass(X, y, *X.shape, counts, moments)
        seconds = process_time() - start
        if counts.sum() != len(y):
            raise AssertionError("the plain pass lost rows")
        return Run(seconds)

    def _empty(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        n_features, n_classes = self._workload.X.shape[1], self._workload.n_classes
        moments = np.zeros((n_classes, 4, n_features))
        moments[:, 2], moments[:, 3] = np.inf, -np.inf
        return np.zeros(n_classes), moments
