"""Every generator gives the same rows for every block size, and what its definition says."""

import itertools
from time import process_time

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
    # The slowest makes about 25 million on a quiet core; a busy machine gets three tries.
    for generator in GENERATORS.values():
        stream = generator(seed=1)
        n = 1_000_000 // len(stream.names)
        rates = []
        for _ in range(3):
            start = process_time()
            X, _ = stream.take(n)
            rates.append(X.size / (process_time() - start))
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
        ("synth:", "must name one of 'agrawal', .* got ''$"),
        ("synth:seea", "got 'seea'; did you mean 'sea'\\?"),
        ("synth:rbf", "one of .*'random_rbf'.* got 'rbf'; did you mean 'random_rbf'"),
        ("synth:sea?concpt=1", "one of 'concept', 'noise', 'seed', 'rows', got 'concpt'; did you"),
        ("synth:led?n_features=3", "one of 'noise', 'seed', 'rows', got 'n_features'"),
        ("synth:sea?seed=three", "seed must be a whole number, got 'three'"),
        ("synth:sea?seed=1.5", "seed must be a whole number, got '1.5'"),
        ("synth:sea?noise=much", "noise must be a number, got 'much'"),
        ("synth:sea?noise", "noise must have a value, as in noise="),
        ("synth:sea?seed=1&seed=2", "seed is given twice"),
        ("synth:sea?concept=5", "concept must be a whole number from 1 to 4, got 5"),
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
    with pytest.raises(
        ValueError, match="n must be at most the number of rows of the stream, 10, got 11"
    ):
        stream.take(11)


def test_rand_cbt_mixes_the_classes_of_each_box_by_the_side_it_is_on():
    X, y = streams.rand_cbt(n_features=1, n_leaves=2, seed=3).take(40_000)
    # Two boxes with equal numbers of rows: the cut is the median.
    cut = np.median(X)
    left, right = y[X[:, 0] < cut], y[X[:, 0] > cut]
    # 0.7 and 0.3 with a standard deviation of sqrt(0.21 / 2e4) = 0.0032
    assert left.mean() == pytest.approx(0.7, abs=0.015)
    assert right.mean() == pytest.approx(0.3, abs=0.015)


def test_rand_cbt_has_as_many_boxes_as_it_says_with_equal_shares():
    X, y = streams.rand_cbt(n_features=2, n_leaves=3, leaf_probability=1.0, seed=5).take(30_000)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)
    assert tree.score(X, y) == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_mdt_tree_is_a_tree_of_that_height(seed):
    X, y = streams.mdt_tree(n_features=2, min_height=3, max_height=3, seed=seed).take(20_000)
    # Three tests above every leaf: at most eight boxes, which another tree finds.
    tree = DecisionTreeClassifier(max_depth=12, random_state=0).fit(X, y)
    assert tree.score(X, y) > 0.999
    assert tree.get_n_leaves() <= 30


def test_mdt_tree_leaves_come_early_with_a_large_fraction():
    # Both children of the root are leaves; with this seed their classes differ.
    shallow = streams.mdt_tree(leaf_fraction=1.0, min_height=1, seed=4)
    X, y = shallow.take(5000)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    assert len(set(y.tolist())) == 2
    assert tree.score(X, y) > 0.999


def test_gaussian_clusters_lie_around_different_corners():
    X, y = streams.gaussian_clusters(n_features=3, n_classes=8, separation=2, seed=1).take(80_000)
    centres = np.array([X[y == k].mean(axis=0) for k in range(8)])
    assert {tuple(np.sign(c).tolist()) for c in centres} == set(
        itertools.product([-1.0, 1.0], repeat=3)
    )
    assert np.abs(centres) == pytest.approx(2.0, abs=0.1)


def test_gaussian_clusters_need_a_corner_for_each_class():
    with pytest.raises(ValueError, match=r"n_classes must be at most 2 \*\* n_features = 4, got 5"):
        streams.gaussian_clusters(n_features=2, n_classes=5)


def test_the_node_has_the_shares_of_the_papers_table():
    X, y = streams.corrected_node(seed=1).take(400_000)
    shares = np.zeros((3, 2, 2))
    np.add.at(shares, (X[:, 0].astype(int), X[:, 1].astype(int), y), 1 / len(y))
    published = [
        [[0.0675, 0.1575], [0.0675, 0.1575]],
        [[0.1350, 0.0900], [0.1575, 0.0675]],
        [[0.0450, 0.0050], [0.0450, 0.0050]],
    ]
    np.testing.assert_allclose(shares, published, atol=0.003)


def test_stagger_is_its_three_rules():
    size, color, shape = range(3)
    rules = {
        1: lambda X: (X[:, size] == 0) & (X[:, color] == 0),
        2: lambda X: (X[:, color] == 1) | (X[:, shape] == 1),
        3: lambda X: X[:, size] > 0,
    }
    for concept, rule in rules.items():
        X, y = streams.stagger(concept=concept, seed=1).take(5000)
        np.testing.assert_array_equal(y, rule(X))


def agrawal_rule(concept, row):
    """The paper's functions, one applicant at a time."""
    salary, commission, age, elevel, _, _, hvalue, hyears, loan = row
    stage = 0 if age < 40 else 1 if age < 60 else 2
    thousand = 1000

    def pay(low, high, value=salary):
        return low * thousand <= value <= high * thousand

    usual = (pay(50, 100), pay(75, 125), pay(25, 75))[stage]
    schooled = elevel in ((0, 1), (1, 2, 3), (2, 3, 4))[stage]
    if concept == 1:
        return age < 40 or age >= 60
    if concept == 2:
        return usual
    if concept == 3:
        return schooled
    if concept == 4:
        inside = (pay(25, 75), pay(50, 100), pay(50, 100))[stage]
        return inside if schooled else usual
    if concept == 5:
        rich = ((100, 300), (200, 400), (300, 500))[stage]
        poor = ((200, 400), (300, 500), (100, 300))[stage]
        return pay(*(rich if usual else poor), value=loan)
    if concept == 6:
        return pay(*((50, 100), (75, 125), (25, 75))[stage], value=salary + commission)
    income = 2 * (salary + commission) / 3
    equity = hvalue * (hyears - 20) / 10 if hyears >= 20 else 0
    left = {
        7: income - loan / 5 - 20_000,
        8: income - 5_000 * elevel - 20_000,
        9: income - 5_000 * elevel - loan / 5 - 10_000,
        10: income - 5_000 * elevel + equity / 5 - 10_000,
    }
    return left[concept] > 0


@pytest.mark.parametrize("concept", range(1, 11))
def test_agrawal_is_the_functions_of_the_paper(concept):
    X, y = streams.agrawal(concept=concept, perturbation=0, seed=concept).take(3000)
    assert y.tolist() == [int(agrawal_rule(concept, row)) for row in X.tolist()]
    assert 0 < y.mean() < 1


def test_agrawal_values_have_the_papers_ranges():
    stream = streams.agrawal(seed=1)
    X, _ = stream.take(50_000)
    salary, commission, age, _, _, zipcode, hvalue, hyears, loan = X.T
    assert (commission[salary >= 85_000] == 0).all()
    for values, low, high in ((salary, 2e4, 1.5e5), (age, 20, 80), (loan, 0, 5e5), (hyears, 1, 30)):
        assert low <= values.min()
        assert values.max() <= high
    assert (hvalue <= 1.5e5 * (9 - zipcode)).all()
    for name, words in stream.categories.items():
        assert set(X[:, stream.names.index(name)]) == set(range(len(words)))


def test_waveform_means_are_the_triangles():
    X, y = streams.waveform(seed=1).take(90_000)
    t = np.arange(1, 22)
    h = [np.maximum(6 - np.abs(t - c), 0) for c in (7, 15, 11)]
    for k, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
        np.testing.assert_allclose(X[y == k].mean(axis=0), (h[a] + h[b]) / 2, atol=0.05)


def test_mixed_counts_the_conditions():
    X, y = streams.mixed(seed=1).take(5000)
    third = X[:, 3] < 0.5 + 0.3 * np.sin(3 * np.pi * X[:, 2])
    np.testing.assert_array_equal(y, X[:, 0] + X[:, 1] + third >= 2)
    _, reverse = streams.mixed(concept=2, seed=1).take(5000)
    np.testing.assert_array_equal(reverse, 1 - y)


@pytest.mark.parametrize("concept", [2, 4])
def test_even_concepts_of_sine_are_the_reverse(concept):
    X, y = streams.sine(concept=concept, seed=1).take(5000)
    other, z = streams.sine(concept=concept - 1, seed=1).take(5000)
    np.testing.assert_array_equal(X, other)
    np.testing.assert_array_equal(y, 1 - z)
