"""A target that looks like a quantity is reported once."""

import warnings

import numpy as np
import pytest

import riparian as rp
from riparian.data.quantities import SAMPLE_ROWS, looks_like_quantity

N = 2000


def rows(n=N):
    return np.zeros((n, 1)), np.arange(n)


def tree():
    return rp.VFDT(max_classes=50_000)


def heard(action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [str(one.message) for one in caught]


@pytest.mark.parametrize(
    "make", [tree, lambda: rp.StreamForest(n_estimators=1, max_classes=50_000)]
)
@pytest.mark.parametrize("size", [N, 300])
def test_many_whole_numbers_are_reported_once(make, size):
    X, y = rows()
    model = make()

    def learn():
        for start in range(0, N, size):
            model.partial_fit(X[start : start + size], y[start : start + size])

    (message,) = heard(learn)
    assert message.startswith("y looks like a quantity: ")
    assert "only classes can be learned; if these are classes, pass them as text" in message


def test_fit_reports_the_line_of_the_user():
    with pytest.warns(UserWarning, match="y looks like a quantity: 2,000 different") as caught:
        tree().fit(*rows())
    assert caught[0].filename == __file__


def test_classes_are_not_reported():
    X, y = rows()
    assert heard(lambda: tree().fit(X, y.astype(str))) == []
    assert heard(lambda: tree().fit(X, y % 1000)) == []
    assert heard(lambda: tree().partial_fit(X, y, classes=y)) == []


def test_only_the_first_rows_count():
    n = SAMPLE_ROWS
    X, y = rows(2 * n)
    late = np.concatenate([np.zeros(n, dtype=int), y[:n]])
    assert heard(lambda: tree().fit(X, late)) == []
    model = tree()
    assert heard(lambda: model.partial_fit(X[:n], late[:n]).partial_fit(X[n:], late[n:])) == []


def test_the_rule_is_that_of_files():
    assert not looks_like_quantity(1000, integers=True)
    assert looks_like_quantity(1001, integers=True)
    assert looks_like_quantity(101, integers=False)
