"""Every answer of a forest, as the slow reference gives it."""

from typing import Any

import numpy as np
import pytest

from riparian import Forest, HoeffdingTree
from riparian.streams import sea
from tests.effort import ALL
from tests.reference.forest import ReferenceForest

TREE = {"grace_period": 40, "delta": 0.05, "tau": 0.1}
LEAVES = ("majority", "adaptive", "naive-bayes")
KINDS: dict[str, dict[str, Any]] = {
    "bagging": {"rate": 1.0, "weighted_votes": False},
    "weighted": {"rate": 6.0},
    "seldom": {"rate": 0.01},  # for long no member has drawn a row
    "leveraging": {"rate": 6.0, "replacement": "worst", "drift": 0.05, "weighted_votes": False},
    "background": {"rate": 6.0, "replacement": "background", "warning": 0.3, "drift": 0.05},
    "no warning": {"rate": 2.0, "replacement": "background", "drift": 0.2},
    "patches": {
        "rate": 6.0,
        "replacement": "background",
        "warning": 0.3,
        "drift": 0.05,
        "drawn_background": True,
        "features": 2,
    },
    "powers": {"rate": 2.0, "vote_power": 5},
    "recent": {
        "rate": 6.0,
        "replacement": "background",
        "warning": 0.3,
        "drift": 0.05,
        "vote_power": 4,
        "vote_memory": 30.0,
    },
    "recent, leveraging": {
        "rate": 6.0,
        "replacement": "worst",
        "drift": 0.05,
        "vote_power": 2,
        "vote_memory": 30.0,
    },
    "last member": {
        "rate": 6.0,
        "replacement": "background",
        "warning": 0.3,
        "drift": 0.05,
        "vote_power": 12,
        "vote_memory": 100.0,
        "last_member": True,
    },
    "last member, leveraging": {
        "rate": 2.0,
        "replacement": "worst",
        "drift": 0.05,
        "last_member": True,
    },
}
#: The parameters of a last member.
LAST = {"grace_period": 60, "delta": 0.1, "leaf": "naive-bayes", "runner_up": "none"}


def changing(n):
    """A concept that turns around twice."""
    X, y = sea(seed=4).take(n)
    third = n // 3
    y = y.copy()
    y[third : 2 * third] = 1 - y[third : 2 * third]
    return X, y ^ y[0]  # the first class is 0


#: Every kind with the leaf that keeps the most, and the other leaves with one kind.
TRIED = [(k, leaf) for k in KINDS for leaf in LEAVES if ALL or leaf == "adaptive" or k == "patches"]


@pytest.mark.parametrize(("kind", "leaf"), TRIED)
def test_answers_and_replacements(kind, leaf):
    X, y = changing(1500 if ALL else 900)
    w = np.random.default_rng(1).choice([0.5, 1.0, 1.0, 2.0], size=len(y))
    options = dict(KINDS[kind])
    last = LAST if options.pop("last_member", False) else None
    forest = Forest(
        estimator=HoeffdingTree(**TREE, leaf=leaf),
        n_estimators=4,
        random_state=11,
        last_member=last and HoeffdingTree(**last),
        **options,
    )
    said, _ = forest.prequential(X, y, w, proba=True)
    own = {k: v for k, v in options.items() if k not in ("rate", "weighted_votes")}
    reference = ReferenceForest(
        TREE | {"leaf": leaf},
        4,
        options["rate"],
        3,
        seed=11,
        weighted=options.get("weighted_votes", True),
        last_tree=last,
        **own,
    )
    expected = reference.prequential(X, y.tolist(), w)
    # Nothing is known before the first row.
    assert expected[0] is None
    # The reference asks for the probability of each class by itself; a tie may end either way.
    differ = [i for i in range(1, len(y)) if expected[i] != said[i]]
    assert not differ
    assert forest.n_drifts_ == reference.n_drifts
    assert forest.n_warnings_ == reference.n_warnings
    if "replacement" in options:
        assert reference.n_drifts > 0
