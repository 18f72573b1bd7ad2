"""The experiments of the mDT paper: what their tables and claims are computed from."""

import numpy as np
import pytest
from riparian_experiments.reproduce import EXPERIMENTS, Run, mdt_figure
from riparian_experiments.reproduce.mdt_tables import accuracy_claims, ratio_table, size_claims
from riparian_experiments.reproduce.published import MDT_TREES, VARIANTS
from scipy.stats import norm


def figures(test, nodes, exact_nodes):
    """Figures of the four variants, with the same depth and time."""
    found = {}
    for i, cuts in enumerate(VARIANTS):
        found[cuts, "legacy"] = (0.9, test[i], nodes[i], 5.0, 1.0)
        found[cuts, "exact"] = (0.9, test[i], exact_nodes[i], 5.0, 1.0)
    return found


def test_the_ratio_table_has_published_and_measured_ratios():
    published = MDT_TREES[4, 2]
    ours = figures(published["test"], (100, 50, 1, 1), (20, 18, 1, 1))
    table = ratio_table({"heights 3 to 10": {"D = 4, K = 2": (published, ours)}})
    assert table.heads == (
        "data",
        "published",
        "rounded, heights 3 to 10",
        "exact, heights 3 to 10",
    )
    # 22.03 of 106.90 nodes are published.
    assert table.rows == [
        ("D = 4, K = 2", "0.21", "0.50", "0.90"),
        ("mean", "0.21", "0.50", "0.90"),
    ]


def test_the_claims_compare_the_sizes_and_the_accuracies():
    published = MDT_TREES[4, 2]
    test = [value - 0.1 for value in published["test"]]
    test[2] += 0.15
    ours = figures(test, (100, 50, 1, 1), (20, 18, 1, 1))
    smaller, exact = size_claims({"4/2": ours})
    assert "holds (50.0 nodes against 100.0, a ratio of 0.50)" in smaller
    assert "a ratio of 0.90: the difference in size comes from rounding" in exact
    (claim,) = accuracy_claims({"": (published, ours)})
    assert "published 0.8912, 0.7913 with the released rounding" in claim
    assert "3 of 4 figures" in claim
    assert "from -10.0 to +5.0 points" in claim


def test_table_2_shows_both_heights_and_says_that_the_pairs_are_inferred():
    size = {"pairs": "4/2", "sets": "1", "folds": "1", "passes": "3"}
    outcome = EXPERIMENTS["mdt-table-2"](Run(changes=size))
    captions = [table.caption for table in outcome.tables]
    assert sum("heights 3 to 10" in caption for caption in captions) == 4
    assert sum("heights 3 to 6" in caption for caption in captions) == 4
    assert any("inferred" in note for note in outcome.notes)
    tall, low = (t.rows[0] for t in outcome.tables if t.caption.startswith("Accuracy in the test"))
    assert tall != low
    assert tall[1] == low[1] == "0.8912"


@pytest.mark.parametrize("impurity", mdt_figure.IMPURITIES)
def test_the_gain_of_a_split_between_gaussians(impurity):
    leaf = mdt_figure.EXAMPLE
    x = np.array([0.4, 4.0])

    def impure(counts):
        p = counts / counts.sum()
        if impurity == "entropy":
            return -(p * np.log2(np.maximum(p, 1e-300))).sum()
        return 1 - (p**2).sum() if impurity == "gini" else 1 - p.max()

    for point, got in zip(x, mdt_figure.gains(leaf, x, impurity), strict=True):
        left = leaf.weights * norm.cdf(point, leaf.means, leaf.deviations)
        right = leaf.weights - left
        n = leaf.weights.sum()
        sides = (left.sum() * impure(left) + right.sum() * impure(right)) / n
        assert got == pytest.approx(impure(leaf.weights) - sides, rel=1e-9)


def test_the_highest_misclassification_gain_is_at_an_intersection():
    outcome = EXPERIMENTS["mdt-figure-1"](Run(changes={"leaves": "50", "points": "501"}))
    rows = {row[0]: row for row in outcome.tables[1].rows}
    reached, of = rows["misclassification"][1].split(" of ")
    assert reached == of
    assert rows["misclassification"][3] == "0.00%"
    # The others have their highest gain elsewhere.
    assert rows["entropy"][2] != "0.00%"
