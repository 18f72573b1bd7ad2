"""The accuracy-weighted ensemble from the specification (sheet 90, section 4)."""

from __future__ import annotations

import numpy as np

from riparian import HoeffdingTree


def random_mse(shares):
    """Of who draws classes as often as they are."""
    return float(sum(p * (1.0 - p) ** 2 for p in shares))


def shares_of(tree, X, classes):
    own = list(tree.classes_)
    out = np.zeros((len(X), len(classes)))
    p = tree.predict_proba(X)
    for j, c in enumerate(own):
        out[:, classes.index(c)] = p[:, j]
    return out


class ReferenceAWE:
    """Chunk by chunk."""

    def __init__(self, tree, chunk, voting, stored, folds, epochs=1, costs=None):
        self.tree, self.chunk, self.voting, self.stored = tree, chunk, voting, stored
        self.folds, self.epochs, self.costs = folds, epochs, costs
        self.members = []  # weight, chunk number, tree

    def trained(self, X, y):
        tree = HoeffdingTree(**self.tree)
        for _ in range(self.epochs):
            tree.partial_fit(X, y)
        return tree

    def lost(self, tree, X, y, classes):
        p = shares_of(tree, X, classes)
        true = [classes.index(c) for c in y]
        if self.costs is None:
            return float(((1.0 - p[np.arange(len(y)), true]) ** 2).sum())
        return float(sum(p[i] @ self.costs[: len(classes), t] for i, t in enumerate(true)))

    def votes(self, X, classes):
        voters = [m for m in self.members if m[0] > 0][: self.voting]
        if not voters:
            newest = max(self.members, key=lambda m: m[1])
            voters = [(1.0, *newest[1:])]
        return sum(w * shares_of(t, X, classes) for w, _, t in voters)

    def run(self, X, y):
        """Probabilities for the rows after the first chunk."""
        classes = []
        out = []
        for number, first in enumerate(range(0, len(y), self.chunk)):
            rows = slice(first, first + self.chunk)
            Xc, yc = X[rows], y[rows]
            if self.members:
                votes = self.votes(Xc, classes)
                out.extend((votes / votes.sum(axis=1, keepdims=True)).tolist())
            if len(yc) < self.chunk:
                break
            for c in yc:
                if c not in classes:
                    classes.append(c)
            share = np.array([np.mean(yc == c) for c in classes])
            if self.costs is None:
                chance = random_mse(share)
            else:
                chance = float(share @ self.costs[: len(share), : len(share)] @ share)
            place = np.arange(len(yc)) % self.folds
            lost = sum(
                self.lost(
                    self.trained(Xc[place != f], yc[place != f]),
                    Xc[place == f],
                    yc[place == f],
                    classes,
                )
                for f in range(self.folds)
            )
            members = [
                (max(chance - self.lost(t, Xc, yc, classes) / len(yc), 0.0), n, t)
                for _, n, t in self.members
            ]
            members.append((max(chance - lost / len(yc), 0.0), number, self.trained(Xc, yc)))
            members.sort(key=lambda m: (-m[0], -m[1]))
            self.members = members[: self.stored]
        return out
