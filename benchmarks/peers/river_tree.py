"""River's HoeffdingTreeClassifier on dicts that were built beforehand."""

from __future__ import annotations

from time import process_time
from typing import Any

from workloads import Workload

from peers.settings import DELTA, GRACE_PERIOD, LEAVES, N_CUTS, TAU, Run

__all__ = ["ROWS", "RiverTree"]

# A million rows take minutes: the first rows are timed, and the time a row is what is compared.
ROWS = 20_000


class RiverTree:
    """River's tree, ready to run over the first `ROWS` rows of one workload."""

    def __init__(self, workload: Workload, task: str) -> None:
        names = [f"x{j}" for j in range(workload.X.shape[1])]
        self._rows = [dict(zip(names, row, strict=True)) for row in workload.X[:ROWS].tolist()]
        self._labels = workload.y[:ROWS].tolist()
        self._nominal = [names[j] for j in workload.nominal]
        self._task = task

    @property
    def n_rows(self) -> int:
        """How many rows are timed."""
        return len(self._rows)

    def run(self) -> Run:
        """Time one run."""
        model = self.model()
        right = 0
        start = process_time()
        if self._task == "prequential":
            for x, label in zip(self._rows, self._labels, strict=True):
                right += model.predict_one(x) == label
                model.learn_one(x, label)
        else:
            for x, label in zip(self._rows, self._labels, strict=True):
                model.learn_one(x, label)
        seconds = process_time() - start
        accuracy = right / len(self._rows) if self._task == "prequential" else None
        return Run(seconds, accuracy, n_leaves=model.n_leaves)

    def model(self) -> Any:
        """Give a fresh tree."""
        from river.tree import HoeffdingTreeClassifier
        from river.tree.splitter import GaussianSplitter

        return HoeffdingTreeClassifier(
            grace_period=GRACE_PERIOD,
            delta=DELTA,
            tau=TAU,
            leaf_prediction={"adaptive": "nba", "majority": "mc"}[LEAVES[self._task]],
            nominal_attributes=self._nominal,
            splitter=GaussianSplitter(n_splits=N_CUTS),
        )
