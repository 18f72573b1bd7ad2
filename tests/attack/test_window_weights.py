"""Weights in a window: what is forgotten is forgotten exactly, or refused before it is learned."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Window
from riparian.storage.modelfile import from_bytes, to_bytes
from tests.recipes import fractional_oracle, test_cvfdt, test_ucvfdt, window_oracle

STEP = 2.0**-20


def heaviest(window):
    """The largest weight that a window of this length takes: a whole number of steps."""
    return (2**53 - 1) // window * STEP


#: Parameters of a window, those of its tree, and the longest window that it may have.
TREES = [
    ({}, {}, 300),
    ({"size": 5}, {}, 5),
    ({"size": 1}, {}, 1),
    ({"dynamic": True, "max_size": 600}, {}, 600),
    ({"archive": 2}, {}, 300),
    ({}, {"max_bytes": 400_000}, 300),
    ({"archive": 2, "dynamic": True}, {"max_bytes": 400_000}, 300),
]


def restless(window=None, **options):
    """A restless tree with a window of 300 examples, unless another length is given."""
    adaptation = test_cvfdt.WINDOW.replace(**{"size": 300} | (window or {}))
    return rp.HoeffdingTree(**test_cvfdt.RESTLESS | {"adaptation": adaptation} | options)


def draw_weights(rng, n, most):
    """Weights from one of several families, up to the heaviest that is allowed."""
    families = [
        [0.1, 1.0, most],
        [0.1, 1 / 3, 1.0, 7.5],
        [5e-324, 1e-300, STEP, 1.0],
        [5e-324, most],
        [1.0, 2.0 ** min(30, int(np.log2(most)))],
        [1.0],
    ]
    family = families[int(rng.integers(len(families) + 1)) % len(families)]
    if rng.random() < 0.3:
        return np.minimum(most, 10.0 ** rng.uniform(-8, np.log10(most), n))
    return rng.choice(family, n)


def same_file(one, other):
    return to_bytes(one) == to_bytes(other)


@pytest.mark.parametrize("uncertain", [False, True], ids=["certain", "uncertain"])
def test_every_allowed_weight_is_forgotten_exactly(uncertain, effort, report_tries):
    tries = 0
    oracle = fractional_oracle if uncertain else window_oracle
    make = test_ucvfdt.mixed if uncertain else test_cvfdt.mixed
    for seed in range((7 if uncertain else 28) * effort):
        rng = np.random.default_rng(seed)
        window, options, longest = TREES[seed % len(TREES)]
        leaf = ["majority", "adaptive"][seed // len(TREES) % 2]
        model = restless(window, leaf=leaf, **options)
        for i in range(5 if uncertain else 12):
            n = int(rng.integers(1, 120))
            weights = draw_weights(rng, n, heaviest(longest))
            model.partial_fit(*make(rng, n, i // 3), sample_weight=weights)
            oracle.check_counts(model)
            tries += n
        loaded = from_bytes(to_bytes(model), {})
        assert same_file(loaded, model)
        X, y = make(rng, 40, 5)
        weights = draw_weights(rng, 40, heaviest(longest))
        np.testing.assert_array_equal(
            model.prequential(X, y, sample_weight=weights),
            loaded.prequential(X, y, sample_weight=weights),
        )
        assert same_file(loaded, model)
    report_tries("examples with weights in a window", tries)


def test_batches_make_no_difference_to_weighted_windows():
    rng = np.random.default_rng(3)
    X, y = test_cvfdt.mixed(rng, 1_500, 0)
    weights = draw_weights(rng, 1_500, 1.0) * 1e4
    files = []
    for size in (1, 7, 100_000):
        model = restless()
        for first in range(0, 1_500, size):
            part = {name: column[first : first + size] for name, column in X.items()}
            model.partial_fit(
                part, y[first : first + size], sample_weight=weights[first : first + size]
            )
        files.append(to_bytes(model))
    assert files[0] == files[1] == files[2]


@pytest.mark.parametrize(("window", "options", "longest"), TREES)
def test_a_weight_above_the_limit_is_refused_before_the_first_row(window, options, longest):
    rng = np.random.default_rng(0)
    model = restless(window, **options)
    model.partial_fit(*test_cvfdt.mixed(rng, 50, 0))
    before = to_bytes(model)
    most = heaviest(longest)
    for weight in (np.nextafter(most, np.inf), most + STEP, 1e12, 2.0**52):
        X, y = test_cvfdt.mixed(rng, 20, 0)
        X["new"] = rng.normal(size=20)
        weights = np.ones(20)
        weights[17] = weight
        for learn in (model.partial_fit, model.prequential):
            with pytest.raises(ValueError, match=rf"sample_weight, row 17: .* {longest} examples"):
                learn(X, y + 5, sample_weight=weights)
        row = {name: column[0] for name, column in X.items() if name != "new"}
        with pytest.raises(ValueError, match=r"sample_weight, row 0: .* is too heavy"):
            model.learn_one(row, 0, w=weight)
        assert to_bytes(model) == before
    model.partial_fit(X, y, sample_weight=np.full(20, most))


def test_the_refusal_does_not_depend_on_what_was_learned():
    model = rp.CVFDT()
    assert heaviest(50_000) == pytest.approx(171_798.69, abs=0.01)
    for weight, refused in [(171_798.0, False), (171_799.0, True)]:
        for _ in range(3):
            if not refused:
                model.partial_fit([[1.0]], [0], sample_weight=[weight])
                continue
            with pytest.raises(ValueError, match="use weights up to 171798: divide all weights"):
                model.partial_fit([[1.0]], [0], sample_weight=[weight])


def test_a_hook_leaves_room_for_weights_up_to_512():
    model = rp.CVFDT(adaptation=Window(hook=lambda report: None))
    model.partial_fit([[1.0]] * 3, [0, 1, 0], sample_weight=[511.0, 0.1, 1.0])
    with pytest.raises(ValueError, match="row 1: 513 is too heavy for a window of up to 16777216"):
        model.partial_fit([[1.0]] * 3, [0, 1, 0], sample_weight=[1.0, 513.0, 1.0])
    window = Window(size=100, validity_period=10, hook=lambda report: 2**24 + 1)
    model = rp.CVFDT(adaptation=window)
    with pytest.raises(ValueError, match="examples, got 16,777,217"):
        model.partial_fit([[1.0]] * 20, [0, 1] * 10)


@pytest.mark.parametrize("gap", [False, True])
def test_moments_are_counted_again_where_a_heavy_example_has_left(gap):
    """What is left of a class is its own mean and spread, not the rounding of what left it."""
    rng = np.random.default_rng(1)
    x = 1e3 + rng.normal(size=(12, 2))
    x[2, 0] = -5e5
    x[5, 1] = np.nan if gap else x[5, 1]
    weights = np.full(12, STEP)
    weights[2] = heaviest(8)
    model = rp.HoeffdingTree(adaptation=Window(size=8), leaf="naive-bayes")
    for i in range(12):
        model.partial_fit(x[i : i + 1], [0 if i != 11 else 1], sample_weight=weights[i : i + 1])
        window_oracle.check_everything(model)
