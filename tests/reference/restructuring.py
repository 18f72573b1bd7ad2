"""Trees that restructure, from the specification: the batch trees, and ID4 example by example.

A tree is ``("leaf", counts)`` or ``(test, counts, {branch: tree})``, counts by class. A test is
``("every", attribute)``, ``("one", attribute, value)`` or ``("<=", attribute, threshold)``.
"""

import math
from collections import Counter, defaultdict
from itertools import pairwise

from scipy.stats import chi2

ROUNDING = 1e-9


def n_log_n(n):
    return n * math.log2(n) if n > 0 else 0.0


def class_counts(examples):
    counts = Counter()
    for _, label, weight in examples:
        counts[label] += weight
    return {label: n for label, n in counts.items() if n > 0}


def impurity(counts):
    """N times the entropy, in bits."""
    return n_log_n(sum(counts.values())) - sum(map(n_log_n, counts.values()))


def divided(examples, attribute):
    parts = defaultdict(list)
    for example in examples:
        parts[example[0][attribute]].append(example)
    return dict(parts)


def first_of_the_best(scores, tolerance):
    """The first key whose score is the highest but for rounding."""
    best = max(scores.values())
    return next(key for key, score in scores.items() if score >= best - tolerance)


def id3(examples, attributes):
    """Quinlan's ID3 without pruning: pure or no attribute left ends a branch."""
    counts = class_counts(examples)
    if len(counts) <= 1 or not attributes:
        return ("leaf", counts)
    scores = {
        a: -sum(impurity(class_counts(part)) for part in divided(examples, a).values())
        for a in sorted(attributes)
    }
    best = first_of_the_best(scores, ROUNDING * sum(counts.values()))
    rest = [a for a in attributes if a != best]
    branches = {v: id3(part, rest) for v, part in divided(examples, best).items()}
    return (("every", best), counts, branches)


def midpoint(low, high):
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def passes(test, x):
    kind, attribute, bound = test
    value = x[attribute]
    return value == bound if kind == "one" else value is not None and value <= bound


def binary_tests(examples, numeric):
    """All of them in the order of ties: by attribute, then by value."""
    for a in range(len(numeric)):
        values = sorted({x[a] for x, _, _ in examples if x[a] is not None})
        if numeric[a]:
            for low, high in pairwise(values):
                yield ("<=", a, midpoint(low, high))
        else:
            for value in values:
                yield ("one", a, value)


def merit(examples, test, metric):
    """None unless both sides have examples."""
    left = [e for e in examples if passes(test, e[0])]
    right = [e for e in examples if not passes(test, e[0])]
    if not left or not right:
        return None
    counts, ours, theirs = map(class_counts, (examples, left, right))
    cost = impurity(ours) + impurity(theirs)
    if metric == "entropy":
        return -cost
    sizes = [sum(c.values()) for c in (ours, theirs)]
    return (impurity(counts) - cost) / (n_log_n(sum(sizes)) - sum(map(n_log_n, sizes)))


def iti(examples, numeric, metric):
    """The batch tree of ITI; a missing value (None) fails every test."""
    counts = class_counts(examples)
    if len(counts) > 1:
        scores = {t: merit(examples, t, metric) for t in binary_tests(examples, numeric)}
        scores = {t: score for t, score in scores.items() if score is not None}
        if scores:
            scale = sum(counts.values()) if metric == "entropy" else 1.0
            best = first_of_the_best(scores, ROUNDING * scale)
            sides = [[e for e in examples if passes(best, e[0]) is want] for want in (True, False)]
            branches = {b: iti(side, numeric, metric) for b, side in enumerate(sides)}
            return (best, counts, branches)
    return ("leaf", counts)


def chi_square(table):
    """The statistic of a table of counts, and its degrees of freedom."""
    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    n = sum(rows)
    statistic = sum(
        (table[j][k] - rows[j] * columns[k] / n) ** 2 / (rows[j] * columns[k] / n)
        for j in range(len(rows))
        for k in range(len(columns))
        if rows[j] and columns[k]
    )
    return statistic, (sum(map(bool, rows)) - 1) * (sum(map(bool, columns)) - 1)


def dependent(table, alpha):
    statistic, freedom = chi_square(table)
    return freedom > 0 and statistic > chi2.ppf(1 - alpha, freedom)


class Id4Node:
    """Schlimmer and Fisher (1986), as table 1 of the review has it."""

    def __init__(self, attributes):
        self.counts = Counter()
        self.attributes = attributes
        self.tables = {a: defaultdict(Counter) for a in attributes}
        self.test = None
        self.children = {}

    def score(self, attribute):
        return -sum(impurity(counts) for counts in self.tables[attribute].values())

    def is_dependent(self, attribute, alpha):
        table = self.tables[attribute]
        classes = sorted(set().union(*table.values()))
        return dependent([[counts[c] for c in classes] for counts in table.values()], alpha)

    def tree(self):
        counts = dict(self.counts)
        if self.test is None:
            return ("leaf", counts)
        branches = {v: child.tree() for v, child in self.children.items()}
        return (("every", self.test), counts, branches)


class Id4:
    """Learns one example at a time and keeps none."""

    def __init__(self, n_attributes, alpha=0.01, *, count_when_pure=False):
        self.root = Id4Node(list(range(n_attributes)))
        self.alpha = alpha
        self.count_when_pure = count_when_pure
        self.discarded = 0

    def learn(self, x, label, weight=1):
        node = self.root
        while node is not None:
            node = self._update(node, x, label, weight)

    def _update(self, node, x, label, weight):
        """Steps 1 to 3d at a node; gives the child of step 3e."""
        node.counts[label] += weight
        pure = len(node.counts) == 1
        if pure and not self.count_when_pure:
            return None
        for a in node.attributes:
            node.tables[a][x[a]][label] += weight
        if pure or not node.attributes:
            return None
        scores = {a: node.score(a) for a in node.attributes}
        tolerance = ROUNDING * sum(node.counts.values())
        best = first_of_the_best(scores, tolerance)
        if node.test is not None and scores[node.test] >= scores[best] - tolerance:
            best = node.test  # a tie does not replace it
        if node.test is None or best != node.test:
            if node.test is not None:
                self.discarded += 1
            node.test, node.children = None, {}
            if node.is_dependent(best, self.alpha):
                node.test = best
                rest = [a for a in node.attributes if a != best]
                node.children = {v: Id4Node(rest) for v in node.tables[best]}
        if node.test is None:
            return None
        if x[node.test] not in node.children:
            rest = [a for a in node.attributes if a != node.test]
            node.children[x[node.test]] = Id4Node(rest)
        return node.children[x[node.test]]
