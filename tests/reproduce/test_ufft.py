"""UFFT's tasks: the stream of the contest, and what is counted."""

import numpy as np
import pytest
from riparian_experiments.reproduce import EXPERIMENTS, Run
from riparian_experiments.reproduce.contest import contest, runs_of

from riparian import UFFT


def test_the_contest_has_the_runs_that_are_published():
    data = contest(200_000, seed=3)
    assert data.X.shape == (200_000, 11)
    for context in data.contexts:
        lengths = runs_of(context == "yes")
        assert lengths.min() >= 6
        assert lengths.max() <= 177
        assert np.mean(context == "yes") == pytest.approx(0.02, abs=0.006)
    # The gender and the characteristics belong to the user of a session.
    assert all(len(set(data.gender[data.session == s].tolist())) == 1 for s in range(5))


def test_the_figures_are_those_of_the_model():
    outcome = EXPERIMENTS["ufft-tasks"](Run(changes={"rows": "12_000", "learned": "9000"}))
    tasks, runs = ({row[0]: row for row in table.rows} for table in outcome.tables)
    data = contest(12_000, 2004)
    costs = {("no", "yes"): 10.0, ("yes", "no"): 0.1}
    model = UFFT(leaf="naive-bayes", costs=costs).fit(data.X[:9000], data.contexts[1][:9000])
    predicted = model.predict(data.X[9000:]) == "yes"
    observed = data.contexts[1][9000:] == "yes"
    row = tasks["3 context 2, with costs"]
    assert row[1] == f"{np.mean(predicted == observed):.2%}"
    cost = 10 * np.sum(observed & ~predicted) + 0.1 * np.sum(predicted & ~observed)
    assert row[5] == f"{cost:,.0f}"
    assert runs["task 3, with costs, predicted"][1] == f"{len(runs_of(predicted)):,}"
    assert runs["task 2, predicted, published"][1:] == ("2,992", "12.7", "3", "154")


def test_fewer_rows_are_learned_than_there_are():
    with pytest.raises(ValueError, match="learned must be less than rows = 100, got 100"):
        EXPERIMENTS["ufft-tasks"](Run(changes={"rows": "100", "learned": "100"}))
