"""Streams made from streams: what is changed, and that nothing else is."""

import numpy as np
import pytest

from riparian import evaluate, streams
from riparian.streams.stream import CHUNK_ROWS

N = 2 * CHUNK_ROWS + 1000

BASE = streams.random_rbf(n_classes=3, n_centroids=9, n_features=4, seed=1)
OTHER = streams.random_rbf(n_classes=3, n_centroids=9, n_features=4, seed=2)

WRAPPED = {
    "abrupt": streams.abrupt_drift(BASE, OTHER, at=9000),
    "gradual": streams.gradual_drift(BASE, OTHER, center=9000, width=3000),
    "recurring": streams.recurring_drift([BASE, OTHER], every=3000),
    "noise": streams.with_label_noise(BASE, 0.3),
    "missing": streams.with_missing(BASE, 0.3),
    "imbalanced": streams.imbalanced(BASE, [[1, 1, 8], [8, 1, 1]], n_rows=N),
    "shuffled": streams.shuffled(streams.sea(n_rows=N)),
    "delayed": streams.delayed(BASE, rows=100),
}


@pytest.mark.parametrize("name", sorted(WRAPPED))
@pytest.mark.parametrize("size", [7, 1000, 10_000])
def test_rows_do_not_depend_on_the_block_size(name, size):
    stream = WRAPPED[name]
    want_X, want_y = stream.take(N)
    row = 0
    for X, y in stream.blocks(size):
        stop = min(row + len(y), N)
        np.testing.assert_array_equal(X[: stop - row], want_X[row:stop])
        np.testing.assert_array_equal(y[: stop - row], want_y[row:stop])
        row = stop
        if row == N:
            break
    assert row == N


def test_abrupt_drift_is_one_stream_and_then_the_other():
    X, y = WRAPPED["abrupt"].take(N)
    before, after = BASE.take(N), OTHER.take(N)
    np.testing.assert_array_equal(X[:9000], before[0][:9000])
    np.testing.assert_array_equal(y[:9000], before[1][:9000])
    np.testing.assert_array_equal(X[9000:], after[0][9000:])
    np.testing.assert_array_equal(y[9000:], after[1][9000:])


def test_gradual_drift_follows_the_sigmoid():
    stream = streams.gradual_drift(BASE, OTHER, center=40_000, width=20_000, seed=3)
    X, _ = stream.take(80_000)
    newer = (OTHER.take(80_000)[0] == X).all(axis=1)
    for place in (30_000, 35_000, 40_000, 45_000, 50_000):
        # 2,000 rows: a standard deviation of at most 0.011, and the sigmoid bends little.
        share = newer[place - 1000 : place + 1000].mean()
        assert share == pytest.approx(1 / (1 + np.exp(-4 * (place - 40_000) / 20_000)), abs=0.045)


def test_recurring_drift_comes_back():
    X, _ = WRAPPED["recurring"].take(N)
    turn = np.arange(N) // 3000 % 2
    np.testing.assert_array_equal(X[turn == 0], BASE.take(N)[0][turn == 0])
    np.testing.assert_array_equal(X[turn == 1], OTHER.take(N)[0][turn == 1])


def test_label_noise_turns_that_many_labels_to_the_other_classes_alike():
    X, y = WRAPPED["noise"].take(60_000)
    plain_X, plain_y = BASE.take(60_000)
    np.testing.assert_array_equal(X, plain_X)
    assert np.mean(y != plain_y) == pytest.approx(0.3, abs=0.01)
    moved = (y - plain_y)[y != plain_y] % 3
    assert np.mean(moved == 1) == pytest.approx(0.5, abs=0.02)


def test_missing_values_are_where_they_were_asked_for():
    X, _ = streams.with_missing(BASE, 0.3, features=["x1", "x3"]).take(20_000)
    gaps = np.isnan(X)
    assert not gaps[:, [0, 2]].any()
    assert gaps[:, [1, 3]].mean(axis=0) == pytest.approx(0.3, abs=0.015)
    np.testing.assert_array_equal(X[~gaps], BASE.take(20_000)[0][~gaps])


def test_a_missing_category_is_none_to_a_model():
    stream = streams.with_missing(streams.stagger(n_rows=1000), 0.5)
    X, _ = next(evaluate.named_blocks(stream, 1000))
    assert set(X["size"]) == {"small", "medium", "large", None}


def test_imbalance_shifts_from_the_first_shares_to_the_last():
    _, y = streams.imbalanced(BASE, [[8, 1, 1], [1, 1, 8]], n_rows=50_000, seed=2).take(50_000)
    assert np.mean(y[:2500] == 0) == pytest.approx(0.8, abs=0.05)
    assert np.mean(y[-2500:] == 2) == pytest.approx(0.8, abs=0.05)
    middle = y[24_000:26_000]
    assert np.mean(middle == 0) == pytest.approx(0.45, abs=0.05)


def test_imbalanced_rows_are_rows_of_the_stream():
    X, y = streams.imbalanced(BASE, [[1, 1, 1]], n_rows=500).take(500)
    known = {row.tobytes(): int(k) for row, k in zip(*BASE.take(4 * CHUNK_ROWS), strict=True)}
    assert [known[row.tobytes()] for row in X] == y.tolist()
    assert len({row.tobytes() for row in X}) == 500


def test_shuffling_keeps_every_row_with_its_label():
    plain = streams.sea(n_rows=N)
    X, y = streams.shuffled(plain, seed=4).take(N)
    want = sorted(zip(*[part.tolist() for part in plain.take(N)], strict=True))
    assert sorted(zip(X.tolist(), y.tolist(), strict=True)) == want
    assert streams.shuffled(plain, seed=5).take(5)[0].tolist() != X[:5].tolist()


def test_wrappers_wrap_each_other():
    stream = streams.delayed(
        streams.with_missing(streams.with_label_noise(streams.agrawal(), 0.1), 0.05), rows=10
    )
    assert stream.delay == 10
    assert stream.categories == streams.agrawal().categories
    assert streams.with_missing(stream, 0.1).delay == 10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: streams.abrupt_drift(BASE, streams.sea(), at=10), "the same names"),
        (
            lambda: streams.recurring_drift(
                [streams.sine(), streams.random_tree(n_features=2)], every=0
            ),
            "every must be a whole number of at least 1",
        ),
        (lambda: streams.recurring_drift([BASE], every=5), "at least two streams, got 1"),
        (lambda: streams.with_label_noise(BASE, 1.5), "fraction must be a number from 0 to 1"),
        (lambda: streams.with_missing(BASE, 0.1, features=["age"]), "must be among .* got 'age'"),
        (lambda: streams.imbalanced(BASE, [[1, 1]], n_rows=5), "a share for each of the 3 classes"),
        (lambda: streams.imbalanced(BASE, [[1, -1, 1]], n_rows=5), "finite and not negative"),
        (lambda: streams.imbalanced(BASE, [[1, 1, 1], [1, 2, 1]]), "n_rows must be given"),
        (
            lambda: streams.imbalanced(streams.sea(n_rows=100), [[1, 1]], n_rows=50),
            "at most a quarter of the 100 rows of the stream, got 50",
        ),
        (lambda: streams.shuffled(BASE), "an endless stream cannot be shuffled; set its n_rows"),
        (lambda: streams.delayed(BASE, rows=-1), "rows must be a whole number of at least 0"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
