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


def expected_gains_of_hits(drawn, probabilities, evaluator, n_0=0, costs=None):
    """[attribute][example]: of what the gains of hits are estimates.

    The same means over the judged examples, but each term is its expectation over the whole
    distribution, with the labels that the example was judged with.
    """
    *values, y = drawn
    k = probabilities.shape[-1]
    costs = 1.0 - np.eye(k) if costs is None else np.asarray(costs) / np.max(costs)
    axes = range(len(values))
    true = [probabilities.sum(axis=tuple(b for b in axes if b != a)) for a in axes]
    true_whole = true[0].sum(axis=0)

    def label(counts):
        return int(np.argmin(np.round(costs @ counts, 9)))

    terms = []
    for i in range(len(y)):
        if evaluator == "holdout" and i < n_0:
            continue
        before = {"prequential": i, "holdout": n_0}.get(evaluator)
        if before is None:
            chosen_by, whole = true, true_whole
        else:
            whole = np.bincount(y[:before], minlength=k)
            chosen_by = [
                np.array([np.bincount(y[:before][x[:before] == v], minlength=k) for v in range(s)])
                for x, s in zip(values, probabilities.shape[:-1], strict=True)
            ]
        without = costs[label(whole)] @ true_whole
        terms.append(
            [
                without - sum(costs[label(c)] @ t for c, t in zip(counts, table, strict=True))
                for counts, table in zip(chosen_by, true, strict=True)
            ]
        )
    out = np.full((len(values), len(y)), np.nan)
    judged = len(terms)
    means = np.cumsum(terms, axis=0) / np.arange(1, judged + 1)[:, None]
    out[:, len(y) - judged :] = means.T
    return out


def is_misjudged(expected, chosen, null_cut=False):
    """Whether another attribute, or no split, is truly better by the gains that are expected."""
    best = expected.max()
    if null_cut and not expected[chosen] > 1e-12:
        return True
    return bool(expected[chosen] < best - 1e-12)


def first_decision_of_two(gains_of_each, epsilon_of_each, **how):
    """Of a hybrid: (attribute, examples, which); the first impurity has the word if both decide."""
    found = [
        first_decision(gains, epsilon, **how)
        for gains, epsilon in zip(gains_of_each, epsilon_of_each, strict=True)
    ]
    ended = [n if a >= 0 else np.inf for a, n in found]
    which = int(ended[1] < ended[0])
    return *found[which], which


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
