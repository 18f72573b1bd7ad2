"""Splits by betting: the arithmetic against its reference, and what is proved about it."""

import itertools

import numpy as np
import pytest

import riparian as rp
from riparian import bounds
from tests import inside, reference
from tests.reference import betting as slow


def rows_of(seed, n, classes=2, branches=3):
    """A leader that knows something about the class, and a rival that knows less."""
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    leader = np.where(rng.random(n) < 0.3, rng.integers(branches, size=n), y % branches)
    rival = np.where(rng.random(n) < 0.8, rng.integers(2, size=n), y % 2)
    return leader.astype(np.int32), rival.astype(np.int32), y.astype(np.int32)


@pytest.mark.parametrize("bet", [0.05, 0.3, 0.75])
@pytest.mark.parametrize("charge", [-0.2, 0.0, 0.3, 1.0])
@pytest.mark.parametrize("at", [0.0, 0.2, 0.7, 1.0])
def test_the_parabola_is_below_the_logarithm_and_touches_it(bet, charge, at):
    u = np.linspace(0, 1, 1001)
    below = slow.parabola(bet, u, charge, at)
    exact = np.log1p(bet * (u - charge))
    assert np.all(below <= exact + 1e-12)
    assert slow.parabola(bet, at, charge, at) == pytest.approx(np.log1p(bet * (at - charge)))


def test_the_parabola_is_closer_than_fans_inequality_where_rivals_are():
    u = np.linspace(0.15, 0.35, 50)  # near the loss of a rival's forecast
    exact = np.log1p(0.6 * (u - 0.2))
    worst = np.max(exact - slow.parabola(0.6, u, 0.2, 0.25))
    assert worst < 0.25 * np.max(exact - slow.fan(0.6, u - 0.2))


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_least_forecast_is_a_lower_bound_and_sharp(classes):
    rng = np.random.default_rng(classes)
    sharp = 0
    trials = 40 if classes == 2 else 8
    for trial in range(trials):
        slope = rng.uniform(0.0, 30.0, classes) * (rng.random(classes) < 0.9)
        if not slope.any():
            continue
        wild = trial % 2 == 1  # more than the bets allow
        curvature = slope * rng.uniform(0.02, 0.6 if wild else 0.22, classes)
        found = inside.core.least_brier(slope, curvature)
        true = slow.least_parabola(slope, curvature)
        assert found <= true + 1e-6 * (1 + abs(true))
        assert wild or found >= true - 1e-3 * (1 + abs(true))
        sharp += found >= true - 1e-3 * (1 + abs(true))
    assert sharp >= (36 if classes == 2 else 4)


@pytest.mark.parametrize(
    ("classes", "impurity"), [(2, "gini"), (3, "gini"), (2, "accuracy"), (4, "accuracy")]
)
@pytest.mark.parametrize("tau", [0.0, 0.04])
def test_the_evidence_is_that_of_the_reference(classes, impurity, tau):
    leader, rival, y = rows_of(3, 150, classes)
    labels = impurity == "accuracy"
    tolerance = tau if labels else tau / 2
    races = [
        slow.Race(classes, tolerance, labels, gap=0.1),
        slow.Race(classes, 0.0, labels, gap=0.1),  # against not splitting
    ]
    codes = np.column_stack([leader, rival])
    within, better = inside.core.race_evidence(codes, y, classes, tolerance, labels, 0.1)
    for t in range(len(y)):
        for race, g in zip(races, (rival[t], 0), strict=True):
            race.learn(leader[t], g, y[t])
        if t % 49 != 48 and t != 20:
            continue
        exact = [race.exact() for race in races]
        assert within[t] <= min(exact) + 1e-6
        if labels:
            assert within[t] == pytest.approx(min(exact), abs=1e-9)
        else:
            expected = min(race.constant_memory() for race in races)
            assert expected - 0.02 <= within[t] <= expected + 1e-6
        slack = [race.slack for race in races]
        assert better[t] <= within[t] + 1e-12
        assert better[t] <= min(e + s for e, s in zip(exact, slack, strict=True)) + 1e-6
        assert better[t] >= min(exact) + min(slack) - 0.5


def test_the_constant_memory_form_is_nearly_exact():
    leader, rival, y = rows_of(5, 300)
    race, null = slow.Race(2), slow.Race(2)
    for f, g, k in zip(leader, rival, y, strict=True):
        race.learn(f, g, k)
        null.learn(f, 0, k)
    exact = min(race.exact(), null.exact())
    assert exact > 10
    assert bounds.betting(leader, rival, y)[-1] == pytest.approx(exact, abs=0.3)


CELLS = list(itertools.product([0, 1], [0, 1], [0, 1]))  # leader, rival, class


@pytest.mark.parametrize(
    ("name", "probabilities", "tau"),
    [
        ("no gain anywhere", [0.25, 0.25, 0.0, 0.0, 0.0, 0.0, 0.25, 0.25], 0.0),
        ("the rival is better", [0.3, 0.0, 0.0, 0.2, 0.3, 0.0, 0.0, 0.2], 0.0),
        ("both are equal", [0.4, 0.1, 0.0, 0.0, 0.0, 0.0, 0.1, 0.4], 0.0),
        ("better by more than tau", [0.3, 0.0, 0.0, 0.2, 0.3, 0.0, 0.0, 0.2], 0.3),
    ],
)
@pytest.mark.parametrize("impurity", ["gini", "accuracy"])
def test_the_expected_wealth_is_at_most_one(name, probabilities, tau, impurity):
    """Exact: over all sequences of rows, with the bets of a leader that looks good beforehand."""
    assert name
    cells = [(c, p) for c, p in zip(CELLS, probabilities, strict=True) if p > 0]
    length = 6
    labels = impurity == "accuracy"
    tolerance = tau if labels else tau / 2
    total = 0.0
    for sequence in itertools.product(cells, repeat=length):
        chance = float(np.prod([p for _, p in sequence]))
        codes = np.array([c[:2] for c, _ in sequence], dtype=np.int32)
        y = np.array([c[2] for c, _ in sequence], dtype=np.int32)
        within, _ = inside.core.race_evidence(codes, y, 2, tolerance, labels, 0.6)
        total += chance * np.exp(within[-1])
    assert total <= 1.0 + 1e-9
    assert 0.05 < total < 0.999  # bets were made


def test_more_classes_than_were_known_end_a_race_and_harm_nothing():
    leader, rival, y = rows_of(1, 400, 3)
    X = np.column_stack([leader, rival]).astype(float)
    order = np.argsort(y == 2, kind="stable")  # the third class comes last
    model = rp.CertifiedTree(grace_period=20, delta=1e-6)
    model.partial_fit(X[order], y[order], classes=[0, 1, 2])
    assert model.n_seen_ == 400


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"impurity": "entropy"}, "supports the impurities 'gini', 'accuracy'"),
        ({"impurity": "hybrid"}, "supports the impurities"),
        ({"spend_delta": True}, "shares delta"),
        ({"adaptive_grace": True}, "cannot be foreseen"),
        ({"epsilons": 2}, "no epsilon"),
        ({"runner_up": "none"}, "every other feature"),
        ({"missing_second": "-inf"}, "better than not splitting"),
        ({"short_memory": 10}, "say nothing new"),
        ({"adaptation": "window"}, "cannot be forgotten"),
        ({"adaptation": "alternates"}, "more of delta than their share"),
        ({"impurity": rp.impurities.Accuracy(evaluator="prequential")}, "judges predictions"),
    ],
)
def test_what_has_no_proof_is_refused_by_name(parameters, says):
    model = rp.HoeffdingTree(**{"bound": "betting", "impurity": "gini", **parameters})
    with pytest.raises(ValueError, match=says):
        model.fit([[0.0], [1.0]], [0, 1])


def test_the_face_checks_its_arguments():
    with pytest.raises(ValueError, match="one entry per row"):
        bounds.betting([0, 1], [0], [0, 1])
    with pytest.raises(ValueError, match="whole numbers"):
        bounds.betting([0.5], [0], [0])
    with pytest.raises(ValueError, match="'entropy'"):
        bounds.betting([0], [0], [0], impurity="entropy")
    with pytest.raises(ValueError, match="no half-width"):
        bounds.half_width("betting", [100], delta=0.05)


def test_the_reference_is_exported():
    assert reference.betting is slow
