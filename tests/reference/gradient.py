"""OADT: a complete tree of hyperplanes and sigmoids that learns by gradient, row by row."""

from __future__ import annotations

import numpy as np

#: Gradients below it move nothing.
NEGLIGIBLE = 1e-8


def values(weights, biases, x):
    """v of every inner node, in heap order."""
    return weights @ x + biases


def activations(v, slope):
    """u of every node and leaf: [0] is unused, [1] the root, 2i and 2i + 1 the children of i."""
    u = np.zeros(2 * (len(v) + 1))
    u[1] = 1.0
    for i in range(1, len(v) + 1):
        f = 1.0 / (1.0 + np.exp(-slope * v[i - 1]))
        u[2 * i] = u[i] * f
        u[2 * i + 1] = u[i] * (1.0 - f)
    return u


def signs(n_leaves):
    """Siblings have opposite signs: left +, right -."""
    return np.tile([1.0, -1.0], n_leaves // 2)


def output(v, slope):
    """o: the sum of the signs of the leaves times their activations."""
    n = len(v) + 1
    return float(signs(n) @ activations(v, slope)[n:])


def loss(o, y, kind):
    """E of the output o for the class y, +1 or -1."""
    return 0.5 * (1.0 - y * o) ** 2 if kind == "squared" else -np.log((1.0 + y * o) / 2.0)


def slopes(v, slope):
    """do/dv of every inner node: m ((1 - f) S_left - f S_right)."""
    n = len(v) + 1
    u = activations(v, slope)
    below = np.zeros(2 * n)
    below[n:] = signs(n) * u[n:]
    for i in range(n - 1, 0, -1):
        below[i] = below[2 * i] + below[2 * i + 1]
    f = 1.0 / (1.0 + np.exp(-slope * v))
    left, right = below[2::2][: n - 1], below[3::2][: n - 1]
    return slope * ((1.0 - f) * left - f * right)


def gradients(v, y, slope, kind):
    """dE/dv of every inner node."""
    o = output(v, slope)
    blame = -y * (1.0 - y * o) if kind == "squared" else -y / (1.0 + y * o)
    return blame * slopes(v, slope)


def step(weights, biases, x, y, rate, slope, kind, how):
    """The planes after one example; all gradients are those of the planes before it."""
    g = gradients(values(weights, biases, x), y, slope, kind)
    weights, biases = weights.copy(), biases.copy()
    for i in range(len(biases)):
        if abs(g[i]) < NEGLIGIBLE:
            continue
        along = weights[i] @ x if how == "tangent" else 0.0
        weights[i] -= rate * g[i] * (x - along * weights[i])
        weights[i] /= np.linalg.norm(weights[i])
        biases[i] -= rate * g[i]
    return weights, biases


def normals(seed, tree, feature, category, n):
    """Marsaglia's polar method over the counted numbers of one place; -1: a numeric feature."""
    stream = tree << 40 | feature << 20 | (category + 1)
    bits = np.random.Philox(key=[seed, stream])
    found = []
    while len(found) < n:
        a, b = (((int(r) >> 12) + 0.5) * 2.0**-51 - 1.0 for r in bits.random_raw(2))
        s = a * a + b * b
        if s < 1.0:
            factor = np.sqrt(-2.0 * np.log(s) / s)
            found += [a * factor, b * factor]
    return np.array(found[:n])


class ReferenceOADT:
    """Rows of numbers and category codes; NaN and -1 are missing. Two classes are one tree."""

    def __init__(
        self,
        kinds,
        *,
        depth=5,
        slope=3.0,
        learning_rate=2.0,
        final_rate=0.2,
        settling=100,
        rate="normalised",
        loss="log",
        step="tangent",
        standardise=True,
        seed=0,
    ):
        self.kinds, self.seed, self.standardise = kinds, seed, standardise
        self.slope, self.how, self.kind = slope, step, loss
        self.rates = learning_rate, final_rate, settling, rate
        self.inner = 2**depth - 1
        self.known = {}  # feature: its values so far with their weights
        self.inputs = []  # (feature, category), as they were met
        self.trees = []  # [weights by input, biases]
        self.classes = 0
        self.seen = 0

    def moments(self, feature):
        x, w = np.array(self.known[feature]).T
        mean = np.average(x, weights=w)
        return mean, np.sqrt(np.average((x - mean) ** 2, weights=w))

    def vector(self, row):
        out = []
        for feature, category in self.inputs:
            value = row[feature]
            if category >= 0:
                out.append(float(value == category))
                continue
            mean, deviation = self.moments(feature)
            if not self.standardise:
                out.append(mean if np.isnan(value) else value)
            elif np.isnan(value) or deviation == 0.0:
                out.append(0.0)
            else:
                out.append((value - mean) / deviation)
        return np.array(out)

    def begin(self, number, weights, fresh):
        """Weights of new inputs, as large as those of all; then every plane has length 1."""
        for feature, category in fresh:
            drawn = normals(self.seed, number, feature, category, self.inner)
            weights = np.column_stack([weights, drawn / np.sqrt(len(self.inputs))])
        return weights / np.linalg.norm(weights, axis=1, keepdims=True)

    def meet_class(self, y):
        if y < self.classes:
            return
        self.classes = y + 1
        wanted = 1 if self.classes <= 2 else self.classes
        if wanted > 1 and len(self.trees) == 1:
            weights, biases = self.trees[0]
            above_leaves = np.arange(1, self.inner + 1) > self.inner // 2
            turn = np.where(above_leaves, -1.0, 1.0)
            self.trees = [[weights * turn[:, None], biases * turn], [weights, biases]]
        for number in range(len(self.trees), wanted):
            weights = np.empty((self.inner, 0))
            if self.inputs:
                weights = self.begin(number if wanted > 1 else 1, weights, self.inputs)
            self.trees.append([weights, np.zeros(self.inner)])

    def meet_inputs(self, row):
        fresh = []
        for feature, kind in enumerate(self.kinds):
            if kind == "numeric" and not np.isnan(row[feature]):
                fresh.append((feature, -1))
            elif kind == "categorical" and row[feature] >= 0:
                fresh.append((feature, int(row[feature])))
        fresh = [place for place in fresh if place not in self.inputs]
        self.inputs = [*self.inputs, *fresh]
        if not fresh:
            return
        for number, tree in enumerate(self.trees):
            tree[0] = self.begin(number if len(self.trees) > 1 else 1, tree[0], fresh)

    def learn(self, row, y, w=1.0):
        self.meet_class(y)
        self.meet_inputs(row)
        for feature, kind in enumerate(self.kinds):
            if kind == "numeric" and not np.isnan(row[feature]):
                self.known.setdefault(feature, []).append((row[feature], w))
        x = self.vector(row)
        first, final, settling, kind = self.rates
        rate = w * max(final, first / np.sqrt(1.0 + self.seen / (settling * len(self.inputs))))
        if kind == "normalised":
            rate /= 1.0 + self.slope**2 * (1.0 + x @ x)
        self.seen += 1
        for k, tree in enumerate(self.trees):
            right = y == 1 if len(self.trees) == 1 else y == k
            sign = 1.0 if right else -1.0
            weights, biases = tree
            tree[:] = step(weights, biases, x, sign, rate, self.slope, self.kind, self.how)

    def probabilities(self, row):
        x = self.vector(row)
        outputs = [output(values(weights, biases, x), self.slope) for weights, biases in self.trees]
        positive = [(1.0 + y) / 2.0 for y in outputs]
        if self.classes == 1:
            return np.ones(1)
        if len(positive) == 1:
            return np.array([1.0 - positive[0], positive[0]])
        return np.array(positive) / np.sum(positive)
