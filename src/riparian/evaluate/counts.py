"""Labels as codes, and the counts of true and predicted classes, in constant memory."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian.data.labels import sorted_labels
from riparian.evaluate.learners import CodedPredictions

__all__ = ["MOST_CONFUSED", "Codes", "Counts", "LabelCodes"]

Codes: TypeAlias = NDArray[np.intp]

#: With more classes only the sums of the confusion matrix are kept.
MOST_CONFUSED = 1000


class LabelCodes:
    """Numbers labels in the order in which they appear."""

    def __init__(self) -> None:
        self.codes: dict[Hashable, int] = {}
        self._code_of: Codes = np.full(256, -1, dtype=np.intp)
        self._classes_of_codes: list[Any] = []
        self._place_of_code: Codes = np.empty(0, dtype=np.intp)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def labels(self) -> list[Any]:
        """The labels, sorted if they can be sorted."""
        return sorted_labels(self.codes)

    def encode(self, labels: Any) -> Codes:
        """Return the codes of labels; -1 for None."""
        # The fast path: small whole numbers are looked up for the whole block.
        table = self._code_of
        small = isinstance(labels, np.ndarray) and labels.dtype.kind == "i"
        if small and labels.min() >= 0 and labels.max() < len(table):
            known: Codes = table[labels]
            if known.min() >= 0:
                return known
        values = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        codes = self.codes
        found = np.fromiter(map(codes.get, values, repeat(-1)), np.intp, len(values))
        for i in np.flatnonzero(found < 0).tolist():
            label = values[i]
            if label is not None:
                found[i] = codes.setdefault(label, len(codes))
                if small and 0 <= label < len(table):
                    table[label] = found[i]
        return found

    def table(
        self, probabilities: Mapping[Any, NDArray[np.float64]], n: int
    ) -> NDArray[np.float64]:
        """Return the probabilities of `n` rows by code; those of other labels are left out."""
        table = np.zeros((n, len(self)))
        for label, column in probabilities.items():
            if label in self.codes:
                table[:, self.codes[label]] = column
        return table

    def translate(self, coded: CodedPredictions) -> tuple[Codes, Codes]:
        """Return the codes of labels and predictions that are positions in a list of labels."""
        if coded.classes is not self._classes_of_codes:
            self._classes_of_codes = coded.classes
            self._place_of_code = np.empty(0, dtype=np.intp)
        return self._places(coded.true), self._places(coded.predicted)

    def _places(self, codes: NDArray[np.int32]) -> Codes:
        """Return the codes for positions in the list of labels."""
        classes, table = self._classes_of_codes, self._place_of_code
        if len(table) < len(classes):
            table = np.pad(table, (0, len(classes) - len(table)), constant_values=-1)
            self._place_of_code = table
        found: Codes = table[codes]
        if found.min() < 0:
            # In the order of the rows, as for labels.
            for code in dict.fromkeys(codes[found < 0].tolist()):
                table[code] = self.codes.setdefault(classes[code], len(self.codes))
            found = table[codes]
        return found


class Counts:
    """Counts rows by true and predicted class, and the correct predictions of two baselines."""

    def __init__(self) -> None:
        self.true = np.zeros(0, dtype=np.int64)
        self.predicted = np.zeros(0, dtype=np.int64)
        self.confusion: NDArray[np.int64] | None = np.zeros((0, 0), dtype=np.int64)
        self.majority_correct = 0
        self.no_change_correct = 0
        self._last = -1

    def update(self, true: Codes, predicted: Codes, k: int) -> None:
        """Add rows with codes below `k`; a prediction of -1 is none."""
        if k > len(self.true):
            grown = (0, k - len(self.true))
            self.true, self.predicted = np.pad(self.true, grown), np.pad(self.predicted, grown)
            if self.confusion is not None:
                self.confusion = (
                    np.pad(self.confusion, (grown, grown)) if k <= MOST_CONFUSED else None
                )
        added = np.bincount(true, minlength=k)
        self.true += added
        of, guess = true, predicted
        if predicted.min() < 0:
            known = predicted >= 0
            of, guess = true[known], predicted[known]
        self.predicted += np.bincount(guess, minlength=k)
        if self.confusion is not None:
            cells = np.bincount(of * k + guess, minlength=k * k)
            self.confusion += cells.reshape(k, k)
        self._compare(true, self.true - added)

    def _compare(self, true: Codes, counts: NDArray[np.int64]) -> None:
        """Count the rows that the two baselines would have predicted correctly.

        `counts` are those of the classes before these rows.
        """
        k = len(counts)
        same = int(np.count_nonzero(true[1:] == true[:-1]))
        self.no_change_correct += same + int(true[0] == self._last)
        self._last = int(true[-1])
        # In parts, because the running counts need rows x classes numbers.
        step = max(1, min(1000, 1_000_000 // k))
        start = 0
        while start < len(true):
            part = true[start:]
            second, first = np.sort(counts)[-2:] if k > 1 else (-len(part) - 1, counts[0])
            clear = first - second > len(part)
            if not clear:
                part = part[:step]
                clear = first - second > len(part)
            after = np.bincount(part, minlength=k)
            start += len(part)
            if clear:
                # No other class can become the majority within this part.
                right = int(after[counts.argmax()])
            else:
                seen = np.zeros((len(part), k), dtype=np.int64)
                seen[np.arange(1, len(part)), part[:-1]] = 1
                right = int((np.argmax(counts + seen.cumsum(axis=0), axis=1) == part).sum())
            # Before the first row there is no majority.
            self.majority_correct += right - int(not counts.any() and part[0] == 0)
            counts = counts + after
