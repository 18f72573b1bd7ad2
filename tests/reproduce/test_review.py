"""The review's table 6: the counts are those of the models."""

import numpy as np
from riparian_experiments.reproduce import EXPERIMENTS, Run

from riparian import ID3, ID5R, ID3Prime


def test_the_counts_are_those_of_the_models():
    size = {"n": "40,80", "d": "3,4", "b": "2,3", "sets": "1"}
    outcome = EXPERIMENTS["review-table-6"](Run(seed=5, changes=size))
    shares, counted = outcome.tables
    rng = np.random.default_rng((5, 80, 4, 2))
    X, y = rng.integers(0, 2, size=(80, 4)), rng.integers(0, 2, size=80)
    for name, model in (("ID3", ID3()), ("ID5R", ID5R()), ("ID3'", ID3Prime())):
        model.partial_fit(X, y)
        row = next(row for row in counted.rows if row[0] == name)
        assert row == (name, f"{model.n_count_additions_:,}", f"{model.n_e_scores_:,}")
    # ID3 adds each example once to each feature that is left, at every level: 4 + 3 + 2 + 1.
    assert counted.rows[0][1] == f"{80 * 10:,}"
    formula = next(row for row in shares.rows if row[0] == "ID3, instance-count additions")
    assert formula[1] == "O(n d^2)"
    assert formula[2].endswith(f"{10 / 16:.3g}")
