"""Mean ranks, Friedman's test and the critical difference, against scipy and the literature."""

import numpy as np
import pytest
from scipy import stats

from riparian.evaluate.ranks import rank_models


@pytest.mark.parametrize(("n", "k", "decimals"), [(10, 4, 3), (25, 6, 1), (3, 3, 2)])
def test_friedmans_test_is_that_of_scipy(n, k, decimals):
    # One decimal makes ties.
    scores = np.random.default_rng(n).random((n, k)).round(decimals)
    found = rank_models(scores)
    want = stats.friedmanchisquare(*scores.T)
    assert found.statistic == pytest.approx(want.statistic)
    assert found.p == pytest.approx(want.pvalue)


def test_the_best_has_rank_one_and_equals_share():
    found = rank_models([[0.9, 0.5, 0.9], [0.1, 0.2, 0.3]])
    assert found.each.tolist() == [[1.5, 3.0, 1.5], [3.0, 2.0, 1.0]]
    assert found.mean.tolist() == [2.25, 2.5, 1.25]


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_has_the_factors_of_demsars_table(k, q):
    # Demsar (2006), table 5 (a), two-tailed Nemenyi test at 0.05.
    n = 14
    found = rank_models(np.random.default_rng(0).random((n, k)))
    assert found.critical_difference == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * n)), rel=5e-4)


def test_equal_models_have_no_statistic():
    found = rank_models(np.ones((4, 3)))
    assert found.mean.tolist() == [2.0, 2.0, 2.0]
    assert np.isnan(found.p)


def test_one_stream_says_nothing_about_difference():
    found = rank_models([[0.3, 0.2, 0.1]])
    assert np.isnan(found.critical_difference)
    assert np.isnan(found.p)


@pytest.mark.parametrize(
    ("scores", "message"),
    [([0.1, 0.2], "shape"), ([[0.1, np.nan]], "finite"), (np.zeros((0, 3)), "shape")],
)
def test_scores_that_cannot_be_ranked_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        rank_models(scores)
