"""A leaf with a known distribution, simulated slowly: every check from the whole history.

The random numbers are NumPy's own Philox with the seed and the repetition as its key, so that the
laboratory must decide alike in every repetition.
"""

import numpy as np


def examples(probabilities, seed, repetition, n):
    """The values of each attribute and the classes of n examples: [attribute or class][example]."""
    key = np.array([seed, repetition], dtype=np.uint64)
    u = np.random.Generator(np.random.Philox(key=key)).random(n)
    flat = probabilities.ravel()
    cells = np.minimum(np.searchsorted(np.cumsum(flat), u, side="right"), flat.size - 1)
    return np.unravel_index(cells, probabilities.shape)


def entropy(p):
    return -np.sum(p * np.log2(np.where(p > 0, p, 1.0)), axis=-1)


def gini(p):
    return 1.0 - np.sum(p**2, axis=-1)


def kearns_mansour(p):
    return 0.5 * np.sum(np.sqrt(p * (1.0 - p)), axis=-1)


def misclassification(p):
    return 1.0 - np.max(p, axis=-1)


IMPURITIES = {
    "entropy": entropy,
    "gini": gini,
    "kearns-mansour": kearns_mansour,
    "misclassification": misclassification,
    "accuracy": misclassification,
}


def gains_of_counts(drawn, shape, impurity):
    """[attribute][example]: the gain from all examples so far."""
    *values, y = drawn
    n = np.arange(1, len(y) + 1)
    g = IMPURITIES[impurity]
    one_hot = np.eye(shape[-1])[y]
    whole = np.cumsum(one_hot, axis=0)
    out = []
    for x, size in zip(values, shape[:-1], strict=True):
        gain = g(whole / n[:, None])
        for value in range(size):
            counts = np.cumsum(one_hot * (x == value)[:, None], axis=0)
            weight = counts.sum(axis=1)
            share = counts / np.maximum(weight, 1)[:, None]
            gain = gain - np.where(weight > 0, weight / n * g(share), 0.0)
        out.append(gain)
    return np.array(out)


def gains_of_hits(drawn, shape, evaluator, n_0=0, costs=None, probabilities=None):
    """[attribute][example]: means of quality differences; NaN for examples that are held out."""
    *values, y = drawn
    k = shape[-1]
    costs = 1.0 - np.eye(k) if costs is None else np.asarray(costs) / np.max(costs)

    def label(counts):
        return int(np.argmin(np.round(costs @ counts, 9)))

    tables = [np.zeros((size, k)) for size in shape[:-1]]
    whole = np.zeros(k)
    if evaluator == "fixed":
        axes = range(len(values))
        tables = [probabilities.sum(axis=tuple(b for b in axes if b != a)) for a in axes]
        whole = tables[0].sum(axis=0)
    sums, judged = np.zeros(len(values)), 0
    out = np.full((len(values), len(y)), np.nan)
    for i, truth in enumerate(y):
        if evaluator != "holdout" or i >= n_0:
            judged += 1
            without = costs[label(whole), truth]
            for a, x in enumerate(values):
                sums[a] += without - costs[label(tables[a][x[i]]), truth]
            out[:, i] = sums / judged
        if evaluator == "prequential" or (evaluator == "holdout" and i < n_0):
            whole[truth] += 1
            for a, x in enumerate(values):
                tables[a][x[i], truth] += 1
    return out


def first_decision(gains, epsilon, *, epsilons, null_cut=False, grace=1, first=1):
    """The attribute and the number of examples; -1 if these are not enough.

    `epsilon(n, j)` is the half-width at the j-th check, after n examples.
    """
    j = 0
    for n in range(first, gains.shape[1] + 1, grace):
        now = gains[:, n - 1]
        if np.isnan(now[0]):
            continue
        j += 1
        best = int(np.argmax(now))
        others = [*np.delete(now, best), *([0.0] if null_cut else [])]
        if now[best] - max(others) > epsilons * epsilon(n, j):
            return best, n
    return -1, gains.shape[1]
