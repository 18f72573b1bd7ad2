"""Every generator gives the same rows for every block size, and what its definition says."""

import itertools
from time import perf_counter

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from riparian import streams
from riparian.streams.names import GENERATORS
from riparian.streams.stream import CHUNK_ROWS, Stream

N = 2 * CHUNK_ROWS + 1000

every_generator = pytest.mark.parametrize("name", sorted(GENERATORS))


def joined(stream, size):
    parts = list(stream.blocks(size))
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


@every_generator
@pytest.mark.parametrize("size", [7, 1000, CHUNK_ROWS, 10_000, N])
def test_rows_do_not_depend_on_the_block_size(name, size):
    stream = GENERATORS[name](n_rows=N, seed=5)
    X, y = joined(stream, size)
    want_X, want_y = stream.take(N)
    np.testing.assert_array_equal(X, want_X)
    np.testing.assert_array_equal(y, want_y)


@every_generator
def test_a_second_pass_and_an_equal_stream_give_the_same_rows(name):
    stream = GENERATORS[name](n_rows=N, seed=5)
    first, second = stream.take(1000), stream.take(1000)
    other = GENERATORS[name](n_rows=N, seed=5).take(1000)
    for X, y in (second, other):
        np.testing.assert_array_equal(X, first[0])
        np.testing.assert_array_equal(y, first[1])


@every_generator
def test_another_seed_gives_other_rows(name):
    X, _ = GENERATORS[name](seed=1).take(100)
    other, _ = GENERATORS[name](seed=2).take(100)
    assert not np.array_equal(X, other)


@every_generator
def test_chunks_differ(name):
    X, _ = GENERATORS[name](seed=1).take(CHUNK_ROWS + 100)
    assert not np.array_equal(X[:100], X[CHUNK_ROWS:])


@every_generator
def test_blocks_are_plain_arrays_with_a_name_for_each_column(name):
    stream = GENERATORS[name](n_rows=2500, seed=0)
    blocks = list(stream.blocks(1000))
    assert [len(y) for _, y in blocks] == [1000, 1000, 500]
    for X, y in blocks:
        assert X.dtype == np.float64
        assert X.flags.c_contiguous
        assert y.dtype == np.int64
        assert X.shape == (len(y), len(stream.names))
        assert np.isfinite(X).all()
    assert len(set(stream.names)) == len(stream.names)


@every_generator
@pytest.mark.parametrize("seed", range(5))
def test_every_class_has_a_fair_share(name, seed):
    stream = GENERATORS[name](seed=seed)
    _, y = stream.take(20_000)
    shares = np.bincount(y, minlength=len(stream.classes)) / len(y)
    assert len(shares) == len(stream.classes)
    assert shares.min() > 0.2 / len(shares)


@pytest.mark.parametrize("name", sorted(set(GENERATORS) - {"drifting"}))
def test_a_stream_without_rows_is_endless(name):
    stream = GENERATORS[name]()
    assert stream.n_rows is None
    assert [len(y) for _, y in itertools.islice(stream.blocks(3000), 5)] == [3000] * 5


def test_a_block_is_the_users_own():
    stream = streams.sea(n_rows=2000)
    want, _ = stream.take(2000)
    got = []
    for X, _ in stream.blocks(500):
        got.append(X.copy())
        X[:] = np.nan
    np.testing.assert_array_equal(np.concatenate(got), want)


@pytest.mark.parametrize(("concept", "theta"), [(1, 8.0), (2, 9.0), (3, 7.0), (4, 9.5)])
def test_sea_is_the_threshold_of_the_paper(concept, theta):
    X, y = streams.sea(concept=concept, noise=0, seed=1).take(20_000)
    assert 0 <= X.min() < 0.01
    assert 9.99 < X.max() < 10
    np.testing.assert_array_equal(y, X[:, 0] + X[:, 1] > theta)


def test_sea_noise_turns_that_fraction_of_the_classes():
    X, y = streams.sea(noise=0.1, seed=1).take(100_000)
    # 0.1 with a standard deviation of sqrt(0.1 * 0.9 / 1e5) = 0.00095
    assert np.mean(y != (X[:, 0] + X[:, 1] > 8)) == pytest.approx(0.1, abs=0.004)


def test_led_shows_the_digits():
    X, y = streams.led(noise=0, seed=1).take(5000)
    assert set(np.unique(X)) == {0.0, 1.0}
    lit = {digit: set(map(tuple, X[y == digit][:, :7])) for digit in range(10)}
    assert all(len(shapes) == 1 for shapes in lit.values())
    assert [int(sum(*lit[digit])) for digit in range(10)] == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]
    assert X[:, 7:].mean() == pytest.approx(0.5, abs=0.01)


def test_led_noise_inverts_each_segment():
    X, y = streams.led(noise=0.1, seed=1).take(50_000)
    assert X[y == 8][:, :7].mean() == pytest.approx(0.9, abs=0.01)


def test_random_tree_labels_boxes_along_the_axes():
    X, y = streams.random_tree(max_depth=3, seed=2).take(16_000)
    batch_tree = DecisionTreeClassifier(max_leaf_nodes=64, random_state=0)
    batch_tree.fit(X[:12_000], y[:12_000])
    assert batch_tree.score(X[12_000:], y[12_000:]) > 0.99


def test_random_tree_is_cut_where_its_parent_left_room():
    for seed in range(20):
        _, y = streams.random_tree(max_depth=1, seed=seed).take(5000)
        assert 0.15 < y.mean() < 0.85


def test_random_rbf_centroids_move_only_with_speed():
    still, moving = (
        streams.random_rbf(n_centroids=5, speed=speed, seed=3).take(100_000) for speed in (0, 1e-4)
    )
    np.testing.assert_array_equal(still[1], moving[1])
    apart = np.abs(still[0] - moving[0])
    assert apart[0].max() == 0
    assert apart[-1000:].max() > 0.1
    assert np.abs(np.diff(moving[0] - still[0], axis=0)[still[1][1:] == still[1][:-1]]).max() < 1e-3


def test_wide_classes_are_as_far_apart_as_asked():
    X, y = streams.wide(separation=3.0, seed=4).take(50_000)
    means = np.array([X[y == k].mean(axis=0) for k in range(10)])
    squares = ((means[:, None] - means) ** 2).sum(axis=2)[np.triu_indices(10, 1)]
    # Sampling adds 2 * 200 / 5000 = 0.08 to each square.
    assert np.sqrt(squares.mean()) == pytest.approx(3.0, abs=0.3)


def test_hyperplane_turns_only_with_speed():
    X, y = streams.hyperplane(n_drifting=3, speed=0.0, noise=0, seed=1).take(50_000)
    turned_X, turned = streams.hyperplane(n_drifting=3, speed=1e-5, noise=0, seed=1).take(50_000)
    np.testing.assert_array_equal(X, turned_X)
    differ = y != turned
    assert differ[:1000].mean() < 0.01 < differ[-10_000:].mean()


def test_drifting_changes_at_a_stroke_and_little_by_little():
    steady = streams.drifting(abrupt_at=1, gradual_from=1, gradual_to=1, noise=0, n_rows=100_000)
    _, before = steady.take(100_000)
    stream = streams.drifting(noise=0, n_rows=100_000)
    _, y = stream.take(100_000)
    same = (y == before).reshape(20, 5000).mean(axis=1)
    assert (same[:7] == 1).all()
    assert (same[7:] < 0.7).all()
    once = streams.drifting(gradual_from=1, gradual_to=1, noise=0, n_rows=100_000)
    same = (y == once.take(100_000)[1]).reshape(20, 5000).mean(axis=1)
    assert (same[:12] == 1).all()
    assert same[12] > same[13] > same[14] > same[15] > same[16:].max() - 0.03
    assert (same[16:] < 0.7).all()


def test_generators_make_five_million_values_a_second():
    # The slowest makes about 18 million on one core; a busy machine gets three tries.
    for generator in GENERATORS.values():
        stream = generator(seed=1)
        n = 1_000_000 // len(stream.names)
        rates = []
        for _ in range(3):
            start = perf_counter()
            X, _ = stream.take(n)
            rates.append(X.size / (perf_counter() - start))
        assert max(rates) > 5e6, generator.__name__


def test_from_name_is_the_call_it_spells():
    stream = streams.from_name("synth:sea?concept=2&noise=0&seed=3&rows=100")
    X, y = stream.take(100)
    want_X, want_y = streams.sea(concept=2, noise=0, seed=3, n_rows=100).take(100)
    assert stream.n_rows == 100
    np.testing.assert_array_equal(X, want_X)
    np.testing.assert_array_equal(y, want_y)


@every_generator
def test_every_generator_has_a_name(name):
    assert isinstance(streams.from_name(f"synth:{name}"), Stream)
    assert streams.from_name(f"synth:{name.replace('_', '-')}?rows=10").n_rows == 10


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sea", "must begin with 'synth:', got 'sea'"),
        ("synth:", "must name one of 'drifting', 'hyperplane', .* got ''$"),
        ("synth:seea", "got 'seea'; did you mean 'sea'\\?"),
        ("synth:rbf", "one of .*'random_rbf'.* got 'rbf'; did you mean 'random_rbf'"),
        ("synth:sea?concpt=1", "one of 'concept', 'noise', 'seed', 'rows', got 'concpt'; did you"),
        ("synth:led?n_features=3", "one of 'noise', 'seed', 'rows', got 'n_features'"),
        ("synth:sea?seed=three", "seed must be a whole number, got 'three'"),
        ("synth:sea?seed=1.5", "seed must be a whole number, got '1.5'"),
        ("synth:sea?noise=much", "noise must be a number, got 'much'"),
        ("synth:sea?noise", "noise must have a value, as in noise="),
        ("synth:sea?seed=1&seed=2", "seed must be given once"),
        ("synth:sea?concept=5", "concept must be 1, 2, 3 or 4, got 5"),
        ("synth:sea?rows=0", "rows must be a whole number of at least 1, got 0"),
        ("synth:sea?seed=-1", "seed must be a whole number of at least 0, got -1"),
        ("synth:led?noise=2", "noise must be a number from 0 to 1, got 2.0"),
        ("synth:led?noise=nan", "noise must be a number from 0 to 1, got nan"),
        ("synth:random_rbf?n_classes=1", "n_classes must be .* at least 2, got 1"),
        ("synth:random_rbf?n_centroids=2", "n_centroids must be .* at least 5, got 2"),
        ("synth:random_rbf?speed=inf", "speed must be a finite number of at least 0, got inf"),
        ("synth:random_tree?max_depth=21", "max_depth must be at most 20, got 21"),
        ("synth:hyperplane?n_drifting=11", "n_drifting must be at most n_features = 10, got 11"),
        ("synth:drifting?abrupt_at=0.9", "must be in ascending order, got 0.9, 0.6 and 0.8"),
    ],
)
def test_a_bad_name_is_refused_with_the_way_out(name, message):
    with pytest.raises(ValueError, match=message):
        streams.from_name(name)


def test_blocks_and_take_refuse_what_they_cannot_give():
    stream = streams.sea(n_rows=10)
    with pytest.raises(ValueError, match="size must be a whole number of at least 1, got 0"):
        stream.blocks(0)
    with pytest.raises(ValueError, match="n must be at most 10, the stream's rows, got 11"):
        stream.take(11)
