"""riparian's tree, through its public face: all checks of the input are in the time."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
from workloads import Workload

from peers.settings import DELTA, GRACE_PERIOD, LEAVES, N_CUTS, TAU, Run

__all__ = ["RiparianTree"]


class RiparianTree:
    """riparian's tree, ready to run over one workload."""

    def __init__(self, workload: Workload, task: str) -> None:
        self._workload = workload
        self._task = task

    def run(self) -> Run:
        """Time one run."""
        model = self.model()
        X, y = self._workload.X, self._workload.y
        accuracy = None
        start = process_time()
        if self._task == "prequential":
            predicted = model.prequential(X, y)
            seconds = process_time() - start
            accuracy = float(np.mean(predicted == y))
        else:
            model.partial_fit(X, y)
            seconds = process_time() - start
        return Run(seconds, accuracy, model.memory_bytes_, model.n_leaves_)

    def accuracy(self, n_rows: int | None = None) -> float:
        """Give the prequential accuracy over the first rows, whatever the task times."""
        X, y = self._workload.X[:n_rows], self._workload.y[:n_rows]
        return float(np.mean(self.model().prequential(X, y) == y))

    def model(self) -> Any:
        """Give a fresh tree."""
        import riparian

        return riparian.HoeffdingTree(
            leaf=LEAVES[self._task],
            grace_period=GRACE_PERIOD,
            delta=DELTA,
            tau=TAU,
            cuts=riparian.cuts.Bins(count=N_CUTS),
            # As MOA has them: both kinds of cut of a nominal attribute compete, and the
            # weight that a leaf inherits counts as seen.
            categorical_cuts="both",
            inherit_counts="count",
            categorical_features=self._workload.nominal or "from_dtype",
        )
