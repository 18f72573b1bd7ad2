"""Every figure is that of scikit-learn, of a plain loop, or worked by hand."""

import numpy as np
import pytest
from sklearn.metrics import (
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    log_loss,
    recall_score,
    roc_auc_score,
)

from riparian.evaluate import metrics
from riparian.evaluate.results import Result


def labelled(n, k, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(k, size=n))


def taken_in(y, said, block=500, **options):
    result = Result(**options)
    for start in range(0, len(y), block):
        result.update(y[start : start + block], said[start : start + block])
    return result


@pytest.mark.parametrize("k", [2, 3, 20])
def test_figures_of_the_confusion_are_those_of_scikit_learn(k):
    y, said = labelled(5000, k)
    counts = confusion_matrix(y, said)
    assert metrics.kappa(counts) == pytest.approx(cohen_kappa_score(y, said))
    np.testing.assert_allclose(metrics.f1(counts), f1_score(y, said, average=None))
    assert metrics.macro_f1(counts) == pytest.approx(f1_score(y, said, average="macro"))
    recalls = recall_score(y, said, average=None)
    assert metrics.g_mean(counts) == pytest.approx(np.prod(recalls) ** (1 / k))
    result = taken_in(y, said)
    assert result.macro_f1 == pytest.approx(f1_score(y, said, average="macro"))
    assert list(result.f1) == list(range(k))
    assert result.g_mean == pytest.approx(np.prod(recalls) ** (1 / k))


def test_a_class_that_is_never_found_has_no_f1_and_spoils_the_g_mean():
    assert metrics.f1([[5, 0], [5, 0]]).tolist() == [pytest.approx(2 / 3), 0.0]
    assert metrics.g_mean([[5, 0], [5, 0]]) == 0.0


def test_a_class_that_did_not_occur_has_no_part_in_the_g_mean():
    assert metrics.g_mean([[3, 1], [0, 0]]) == pytest.approx(0.75)


def test_the_kappas_compare_with_the_baselines():
    y = np.array([0, 0, 0, 1, 1, 0])
    said = np.array([0, 0, 1, 1, 1, 0])
    result = taken_in(y, said)
    # The majority class so far, unknown at the first row: 2 of rows 2 to 6, and row 6 right again.
    assert result.baselines["majority class"] == pytest.approx(3 / 6)
    assert result.baselines["no change"] == pytest.approx(3 / 6)
    assert result.kappa_m == pytest.approx((5 / 6 - 1 / 2) / (1 / 2))
    assert result.kappa_temporal == pytest.approx((5 / 6 - 1 / 2) / (1 / 2))


@pytest.mark.parametrize("block", [1, 7, 300, 5000])
def test_sliding_and_fading_are_those_of_a_plain_loop(block):
    y, said = labelled(2000, 3)
    right = (y == said).astype(float)
    result = taken_in(y, said, block=block, every=250, sliding_rows=150, fading_factor=0.98)
    top = bottom = 0.0
    faded = []
    for value in right:
        top, bottom = 0.98 * top + value, 0.98 * bottom + 1
        faded.append(top / bottom)
    curve = result.curve
    np.testing.assert_allclose(curve.fading, [faded[row - 1] for row in curve.rows], rtol=1e-12)
    slid = [right[max(0, row - 150) : row].mean() for row in curve.rows]
    np.testing.assert_allclose(curve.sliding, slid)
    np.testing.assert_allclose(curve.overall, [right[:row].mean() for row in curve.rows])
    assert result.fading == pytest.approx(faded[-1], rel=1e-12)


def test_fading_does_not_depend_on_the_blocks_to_the_last_bit():
    y, said = labelled(3000, 3)
    assert taken_in(y, said, block=7).fading == taken_in(y, said, block=1024).fading


def with_probabilities(n, k, seed=1, block=300):
    rng = np.random.default_rng(seed)
    y, said = labelled(n, k, seed)
    table = rng.dirichlet(np.ones(k), size=n)
    table[np.arange(n), y] += 0.5
    table /= table.sum(axis=1, keepdims=True)
    result = Result()
    for start in range(0, n, block):
        rows = slice(start, start + block)
        result.update(y[rows], said[rows], probabilities={j: table[rows, j] for j in range(k)})
    return result, y, table


@pytest.mark.parametrize("k", [2, 5])
def test_the_log_loss_is_that_of_scikit_learn(k):
    result, y, table = with_probabilities(2000, k)
    assert result.log_loss == pytest.approx(log_loss(y, table), rel=1e-12)


def test_the_area_under_the_curve_is_that_of_scikit_learn_to_its_steps():
    result, y, table = with_probabilities(5000, 2)
    assert result.auc == pytest.approx(roc_auc_score(y, table[:, 1]), abs=1e-4)


def test_the_area_under_the_curve_needs_two_classes():
    assert np.isnan(with_probabilities(2000, 3)[0].auc)
    assert np.isnan(taken_in(*labelled(100, 2)).auc)


def test_what_was_held_impossible_costs_much_but_not_all():
    result = Result()
    result.update([1], [0], probabilities={0: np.array([1.0])})
    assert result.log_loss == pytest.approx(52 * np.log(2))


def test_the_curve_is_a_table():
    table = taken_in(*labelled(2500, 2), every=1000).curve.table()
    assert table["rows"].tolist() == [1000, 2000, 2500]
    assert {len(column) for column in table.values()} == {3}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sliding_rows": 0}, "sliding_rows must be at least 1, got 0"),
        ({"fading_factor": 0.0}, "fading_factor must be above 0 and at most 1, got 0.0"),
        ({"fading_factor": 1.5}, "fading_factor must be above 0 and at most 1, got 1.5"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Result(**options)
