"""UFFT, tree by tree and row by row, from the specification (sheets 90 section 1, 50 section 7)."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from .tree import ReferenceTree


def n_min(delta: float, epsilon: float, reading: str) -> float:
    """Sheet 50, section 7: the sample size of Hoeffding's bound, or as the slide prints it."""
    if reading == "standard":
        return 1 / (2 * epsilon**2) * math.log(2 / delta)
    return 1 / (2 * delta) * math.log(2 / epsilon)


class PairTree:
    """A binary tree for two classes."""

    def __init__(self, forest, low, high):
        self.forest, self.pair = forest, (low, high)
        self.begin()

    def begin(self):
        f = self.forest
        self.tree = ReferenceTree(f.kinds, short_memory=f.short_memory, **f.tree)
        self.tree.classes = {0, 1}
        self.numbers = deque(maxlen=f.short_memory)
        self.detector = f.detector() if f.detector else None

    def learn(self, number, row, y, w):
        """Whether its errors rose; the row is that of the forest with this number."""
        label = self.pair.index(y)
        wrong = self.tree.predict(row) != label
        if self.forest.memory == "shared":
            # The row itself counts among the last ones.
            while self.numbers and self.numbers[0] <= number - self.forest.short_memory:
                self.numbers.popleft()
                self.tree.memory.popleft()
            self.numbers.append(number)
        self.tree.learn(row, label, w)
        if self.detector is None:
            return False
        self.detector.update(float(wrong))
        return self.detector.drift_detected and getattr(self.detector, "shift", 1.0) > 0

    def replay(self, rows):
        for number, row, y, w in rows:
            if y in self.pair:
                self.learn(number, row, y, w)

    def probabilities(self, row):
        return self.tree.probabilities(row, 2)


class ReferenceUFFT:
    """`detector` makes a fresh detector of errors, or is None."""

    def __init__(self, kinds, *, short_memory, memory="shared", detector=None, **tree):
        self.kinds, self.short_memory, self.memory = kinds, short_memory, memory
        self.detector = detector
        self.tree = {"impurity": "entropy", "bound": "hoeffding", "cuts": "qda"} | tree
        self.classes, self.trees = [], []
        self.queue = deque(maxlen=short_memory)
        self.seen = self.n_drifts = 0

    def learn(self, row, y, w=1.0):
        self.seen += 1
        if y in self.classes:
            for tree in self.trees:
                if y in tree.pair and tree.learn(self.seen, row, y, w):
                    self.n_drifts += 1
                    tree.begin()
                    detector, tree.detector = tree.detector, None
                    recent = [*self.queue, (self.seen, row, y, w)]
                    tree.replay(recent[-self.short_memory :] if self.short_memory else [])
                    tree.detector = detector
        else:
            for other in self.classes:
                tree = PairTree(self, min(other, y), max(other, y))
                detector, tree.detector = tree.detector, None
                tree.replay([*self.queue, (self.seen, row, y, w)])
                tree.detector = detector
                self.trees.append(tree)
            self.classes.append(y)
        self.queue.append((self.seen, row, y, w))

    def probabilities(self, row, n_classes):
        """The sum rule."""
        score = np.zeros(n_classes)
        for tree in self.trees:
            low, high = tree.pair
            said = tree.probabilities(row)
            score[low] += said[0]
            score[high] += said[1]
        if self.trees:
            return score / len(self.trees)
        score[self.classes] = 1.0
        return score

    def cheapest(self, row, costs):
        """The class of least expected cost, sheet 60 section 5; costs[predicted, true]."""
        return int(np.argmin(costs @ self.probabilities(row, len(costs))))
