"""A forest, member by member and row by row, from the specification (sheet 90, sections 2 and 3).

The weight of a vote is an accuracy to a power. With a memory it forgets: each row keeps
``1 - 1/memory`` of those before, and half a row is right and half a row wrong from the start.

Detectors are riparian's own, and so are trees where predictors are not judged: these have
references of their own.
"""

from __future__ import annotations

import math

import numpy as np

from riparian import HoeffdingTree
from riparian.drift import ADWIN

from .tree import ReferenceTree


def poisson(rate: float, u: float) -> int:
    """The smallest k whose cumulative probability is above u."""
    k, share = 0, math.exp(-rate)
    below = share
    while u >= below:
        k += 1
        share *= rate / k
        below += share
    return k


def uniforms(seed: int, member: int, n: int) -> np.ndarray:
    """Of the rows 0 to n - 1; a forest begins with row 1."""
    return np.random.Generator(np.random.Philox(key=[seed, member])).random(n)


def drawn_features(seed: int, member: int, generation: int, d: int, size: int) -> list[int]:
    """What a member sees of d features that all had a value."""
    key = [seed, (member << 32) | generation]
    random = np.random.Generator(np.random.Philox(key=key)).random(d)
    return sorted(sorted(range(d), key=lambda f: random[f])[:size])


def dealt_features(seed: int, member: int, d: int, size: int) -> list[int]:
    """What the first tree of a member sees: from shuffled packs of all features, in turn."""
    hands: list[list[int]] = [[]]
    pack = 0
    while len(hands) <= member or len(hands[member]) < size:
        key = [seed, (pack << 32) | 0xFFFFFFFF]
        random = np.random.Generator(np.random.Philox(key=key)).random(d)
        cards = sorted(range(d), key=lambda f: random[f])
        begun = set(hands[-1]) if len(hands[-1]) < size else set()
        # Nobody is dealt a feature twice: those already in the hand come last.
        for card in [f for f in cards if f not in begun] + [f for f in cards if f in begun]:
            if len(hands[-1]) == size:
                hands.append([])
            hands[-1].append(card)
        pack += 1
    return sorted(hands[member])


class DrawnTree(ReferenceTree):
    """A tree whose predictors are judged with a whole draw before the row is learned."""

    def learn_drawn(self, row, y, k, w):
        self.times = k
        self.learn(row, y, k * w)

    def _before(self, w):
        return self.times * min(w / self.times, 1.0)

    def probabilities(self, row, n_classes):
        return super().probabilities(row, n_classes) if self.seen else [0.0] * n_classes


class OwnTree:
    """riparian's own, asked as the reference is."""

    def __init__(self, parameters):
        self.tree = HoeffdingTree(**parameters)

    def learn_drawn(self, row, y, k, w):
        self.tree.learn_one(dict(enumerate(row)), y, k * w)

    def predict(self, row):
        return self.tree.predict_one(dict(enumerate(row)))

    def probabilities(self, row, n_classes):
        said = self.tree.predict_proba_one(dict(enumerate(row)))
        return [said.get(c, 0.0) for c in range(n_classes)]


class Member:
    """A tree and what watches it."""

    def __init__(self, forest, number):
        self.forest, self.number = forest, number
        self.generations = 0
        self.back = None
        self.right = self.answered = 0.0
        self.begin(*self.grow())

    def once(self):
        """Whether it is the last member, which is another tree."""
        return self.forest.last_tree is not None and self is self.forest.members[-1]

    def grow(self):
        f = self.forest
        features = list(range(f.d))
        if f.features is not None:
            if self.generations == 0:
                features = dealt_features(f.seed, self.number, f.d, f.features)
            else:
                features = drawn_features(f.seed, self.number, self.generations, f.d, f.features)
        self.generations += 1
        if f.tree["leaf"] == "adaptive":
            return DrawnTree(["numeric"] * len(features), **f.tree), features
        return OwnTree(f.tree), features

    def begin(self, tree, features):
        self.tree, self.features = tree, features
        self.back = None
        self.warning = ADWIN(delta=self.forest.warning) if self.forest.warning else None
        self.drift = ADWIN(delta=self.forest.drift) if self.forest.drift else None
        if self.forest.vote_memory is None:
            self.right = self.answered = 0.0

    def shares(self, row, n_classes):
        return np.array(self.tree.probabilities([row[f] for f in self.features], n_classes))

    def says(self, row):
        return self.tree.predict([row[f] for f in self.features])

    def weight(self):
        f = self.forest
        if not f.weighted or (f.vote_memory is None and not self.right):
            return 1.0
        if f.vote_memory is None:
            return (self.right / self.answered) ** f.vote_power
        return ((self.right + 0.5) / (self.answered + 1.0)) ** f.vote_power

    def learn(self, row, label, k, w):
        before = self.says(row)
        if k > 0:
            self.tree.learn_drawn([row[f] for f in self.features], label, k, w)
        if self.forest.vote_memory is not None:
            self.right *= 1 - 1 / self.forest.vote_memory
            self.answered *= 1 - 1 / self.forest.vote_memory
        self.answered += w
        self.right += w * (before == label)
        return self.says(row)


def rises(detector, wrong):
    detector.update(float(wrong))
    return detector.drift_detected and detector.shift > 0


class ReferenceForest:
    """Bagging with replacement "none", "worst" or "background"."""

    def __init__(
        self,
        tree,
        n,
        rate,
        d,
        *,
        features=None,
        replacement="none",
        warning=None,
        drift=None,
        drawn_background=False,
        weighted=True,
        vote_power=1,
        vote_memory=None,
        last_tree=None,
        seed=0,
    ):
        self.tree, self.rate, self.d, self.features = tree, rate, d, features
        self.replacement, self.warning, self.drift = replacement, warning, drift
        self.drawn_background, self.weighted, self.seed = drawn_background, weighted, seed
        self.vote_power, self.vote_memory, self.last_tree = vote_power, vote_memory, last_tree
        self.members = [Member(self, m) for m in range(n)]
        if last_tree is not None:
            self.members[-1].tree = OwnTree(last_tree)
        self.n_drifts = self.n_warnings = 0

    def prequential(self, X, y, w):
        """Labels are codes, in the order of their first rows."""
        n_classes = 0
        out = []
        random = [uniforms(self.seed, m, len(y) + 1) for m in range(len(self.members))]
        for i, (row, label) in enumerate(zip(X, y, strict=True)):
            sums = np.zeros(n_classes)
            for member in self.members:
                sums += member.weight() * member.shares(row, n_classes)
            # Where no member drew a row yet all classes are equal, and the first is given.
            out.append(int(sums.argmax()) if i else None)
            n_classes = max(n_classes, label + 1)
            ks = [poisson(self.rate, u[i + 1]) for u in random]
            self.learn(row, label, ks, w[i])
        return out

    def learn(self, row, label, ks, w):
        rose = False
        for member, k in zip(self.members, ks, strict=True):
            wrong = member.learn(row, label, 1 if member.once() else k, w) != label
            if member.once():
                continue
            if self.replacement == "worst":
                rose |= rises(member.drift, wrong)
            if self.replacement != "background" or k == 0:
                continue
            if member.back:
                tree, features = member.back
                times = k if self.drawn_background else 1
                tree.learn_drawn([row[f] for f in features], label, times, w)
            if member.warning is not None and rises(member.warning, wrong):
                member.back = member.grow()
                member.warning = ADWIN(delta=self.warning)
                self.n_warnings += 1
            if rises(member.drift, wrong):
                member.begin(*(member.back or member.grow()))
                self.n_drifts += 1
        if rose:
            others = [m for m in self.members if not m.once()]
            worst = max(others, key=lambda m: m.drift.estimate)
            worst.right = worst.answered = 0.0
            worst.begin(*worst.grow())
            self.n_drifts += 1
