"""The Hoeffding option tree: VFDT without options; with them, what they are and who answers."""

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Options
from riparian.storage import modelfile
from riparian.storage.modelfile import to_bytes
from tests import inside
from tests.compositions import policies_of
from tests.effort import ALL, in_turn
from tests.reference.options import OptionsReference
from tests.reference.options_bets import BettingOptionsReference
from tests.replacing import assert_same_replacements, assert_saved_in_parts, replaced_on_noise
from tests.split_by_split import (
    STREAMS,
    assert_same_counts,
    assert_same_cut,
    assert_same_evidence,
    axes_of,
    in_order_of_appearance,
)

QUICK = {"grace_period": 50, "delta": 1e-3, "tau": 0.1}


def swapped(n=16_000, seed=3, features=4):
    """First one feature decides the class, then another, then a third."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, features)).astype(float)
    X[:, -1] = rng.random(n)
    third = np.arange(n) * 3 // n
    y = np.choose(third, [X[:, 0] > 0, X[:, 1] > 1, X[:, -1] > 0.6])
    return X, (y ^ (rng.random(n) < 0.05)).astype(int)


def grown(**options):
    X, y = swapped()
    model = rp.HoeffdingOptionTree(categorical_features=[0, 1, 2], **QUICK | options)
    return model.fit(X, y), X, y


def paths(nodes, at=0):
    """The most leaves that an example may reach below a node."""
    below = [i for i in np.flatnonzero(nodes["parent"] == at) if i != at]
    children = [paths(nodes, i) for i in below if not nodes["option"][i]]
    return max(children, default=1) + sum(paths(nodes, i) for i in below if nodes["option"][i])


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("leaf", ["majority", "adaptive"])
def test_without_options_it_is_vfdt(stream, leaf):
    X, y, w, categorical = stream(np.random.default_rng(1), 6000)
    options = {"leaf": leaf, "categorical_features": np.flatnonzero(categorical), **QUICK}
    one = rp.HoeffdingOptionTree(adaptation=Options(max_paths=1), **options)
    plain = rp.HoeffdingTree(**options)
    for proba in (True, False):
        got = one.prequential(X, y, sample_weight=w, proba=proba)
        want = plain.prequential(X, y, sample_weight=w, proba=proba)
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b)
    assert one.splits() == plain.splits()
    assert inside.engine(one).delta_spent == inside.engine(plain).delta_spent
    assert one.export_text() == plain.export_text()
    assert plain.n_leaves_ > 4


def test_another_feature_becomes_an_option_once_it_leads():
    model, _, _ = grown()
    nodes = inside.nodes(model)
    options = np.flatnonzero(nodes["option"])
    assert len(options) == model.change_counts()["started"] > 0
    splits = {s.node: s for s in model.splits()}
    for i in options:
        split = splits[i]
        # By the bound of the policy, never by a tie.
        assert (split.reason, split.delta) == ("bound", 0.1)
        assert split.gap > split.epsilon
        around = [nodes["parent"][i], *options[nodes["parent"][options] == nodes["parent"][i]]]
        features = nodes["feature"][around].tolist()
        assert len(set(features)) == len(features)
    assert np.count_nonzero(nodes["test"]) == len(splits)
    assert model.n_leaves_ == np.count_nonzero(nodes["test"] == 0)


@pytest.mark.parametrize("most", [2, 3, 5])
def test_no_example_reaches_more_leaves_than_allowed(most):
    model, _, _ = grown(adaptation=Options(max_paths=most, delta=0.5))
    assert paths(inside.nodes(model)) == most


def with_one_more(nodes, at):
    """The most leaves that an example may reach with one more option at a node."""
    more = {
        "parent": np.append(nodes["parent"], at),
        "option": np.append(nodes["option"], True),
    }
    return paths(more)


@pytest.mark.parametrize("limits", [{}, {"max_leaves": 20}], ids=["paths", "leaves"])
@pytest.mark.parametrize("most", [2, 3, 5])
def test_only_nodes_that_may_have_another_option_keep_statistics(most, limits):
    X, y = swapped()
    model = rp.HoeffdingOptionTree(
        categorical_features=[0, 1, 2],
        adaptation=Options(max_paths=most, delta=0.5),
        **QUICK | limits,
    )
    kept = given_up = 0
    for i in range(0, len(y), 2000):
        model.partial_fit(X[i : i + 2000], y[i : i + 2000], classes=[0, 1])
        nodes, state = inside.nodes(model), inside.snapshot(model)
        for node in np.flatnonzero(nodes["test"]):
            may = (
                not nodes["option"][node]
                and with_one_more(nodes, node) <= most
                and model.n_leaves_ + 2 <= limits.get("max_leaves", np.inf)
            )
            if state["inactive"][node]:
                assert not may
                given_up += 1
            # Before its next check a node does not notice that it is full.
            elif state["weight"][node] - state["checked"][node] >= QUICK["grace_period"]:
                assert may or np.count_nonzero(nodes["counts"][node]) < 2
            kept += may
        assert not state["inactive"][nodes["test"] == 0].any()
    assert kept > 0
    assert given_up > 20


def test_a_full_tree_checks_no_node_in_vain():
    model, X, y = grown(adaptation=Options(max_paths=2, delta=0.5))
    for _ in range(3):
        model.partial_fit(X, y)
    state = inside.snapshot(model)
    full = np.flatnonzero((state["test"] > 0) & (state["inactive"] == 1))
    before = state["checks"][full]
    assert len(full) > 5
    model.partial_fit(X, y)
    np.testing.assert_array_equal(inside.snapshot(model)["checks"][full], before)


def wandering(n=60_000, features=6, seed=0):
    """One number after the other decides the class."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, features))
    tells = np.arange(n) * features // n
    return X, (X[np.arange(n), tells] > 0.5) ^ (rng.random(n) < 0.05)


def test_below_a_limit_options_do_not_come_only_to_go():
    X, y = wandering()
    options = Options(max_paths=9, delta=0.5)
    model = rp.HoeffdingOptionTree(max_bytes=120_000, adaptation=options, **QUICK)
    model.fit(X, y)
    assert model.change_counts()["started"] > 0
    made = int(inside.snapshot(model)["births"][0])
    assert made <= len(inside.nodes(model)["test"]) + 2


@pytest.mark.parametrize("limit", [50_000, 60_000])
def test_an_option_may_take_the_room_of_its_node(limit):
    # To make room for an option, its node may lose the statistics from which the branches are
    # read. That ended the process.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_000, 6))
    decides = np.arange(5_000) // 833 % 6
    model = rp.HoeffdingTree(
        adaptation=Options(max_paths=4, delta=0.3),
        statistics="exhaustive",
        max_bytes=limit,
        grace_period=40,
        delta=0.05,
        tau=0.25,
    ).fit(X, X[np.arange(5_000), decides] > 0)
    assert model.change_counts()["started"] > 0
    assert inside.engine(model).memory_bytes <= limit
    assert all(sum(weights) > 0 for split in model.splits() for weights in split.branches)


def test_the_answer_is_the_mean_of_all_leaves():
    model, X, _ = grown(leaf="majority")
    nodes = inside.nodes(model)
    shares = nodes["counts"] + nodes["inherited"]
    shares /= shares.sum(axis=1, keepdims=True)
    codes = [{c: k for k, c in enumerate(f.categories)} for f in inside.features(model)]
    order = np.argsort(np.asarray(inside.classes(model)))
    several = 0
    for row in X[:500]:
        found, walks = [], [0]
        while walks:
            at = walks.pop()
            below = np.flatnonzero(nodes["parent"] == at)
            walks += [i for i in below if nodes["option"][i]]
            f, test = nodes["feature"][at], nodes["test"][at]
            if test == 0:
                found.append(shares[at])
                continue
            branch = int(row[f] > nodes["threshold"][at]) if test == 1 else codes[f][row[f]]
            walks += [i for i in below if not nodes["option"][i] and nodes["branch"][i] == branch]
        several += len(found) > 1
        got = model.predict_proba(row[None])[0]
        np.testing.assert_allclose(got, np.mean(found, axis=0)[order], rtol=1e-12)
    assert several > 100


def test_equal_features_give_no_option():
    rng = np.random.default_rng(1)
    x = rng.random(50_000)
    y = ((x > 0.37) ^ (rng.random(len(x)) < 0.2)).astype(int)
    model = rp.HoeffdingOptionTree(**QUICK).fit(np.column_stack([x, x, x]), y)
    assert model.n_leaves_ > 1
    assert model.change_counts()["started"] == 0


def test_batches_and_saving_change_nothing(tmp_path):
    whole, X, y = grown()
    for size in (1, 7, 1000):
        parts = rp.HoeffdingOptionTree(categorical_features=[0, 1, 2], **QUICK)
        for i in range(0, len(y), size):
            parts.partial_fit(X[i : i + size], y[i : i + size], classes=whole.classes_)
        assert to_bytes(parts) == to_bytes(whole)
    half = rp.HoeffdingOptionTree(categorical_features=[0, 1, 2], **QUICK).fit(X[:9000], y[:9000])
    assert half.change_counts()["started"] > 0
    half.save(tmp_path / "half.rip")
    again = rp.load(tmp_path / "half.rip")
    np.testing.assert_array_equal(again.predict_proba(X), half.predict_proba(X))
    for model in (again, half):
        model.partial_fit(X[9000:], y[9000:])
    assert to_bytes(again) == to_bytes(half)


@pytest.mark.parametrize("limit", [None, 120_000])
def test_saving_again_and_again_changes_nothing(limit):
    X, y = swapped(30_000)
    options = {"adaptation": Options(max_paths=3, delta=0.5), "max_bytes": limit, **QUICK}
    whole, parts = (
        rp.HoeffdingOptionTree(categorical_features=[0, 1, 2], **options) for _ in range(2)
    )
    whole.fit(X, y)
    for i in range(0, len(y), 700):
        parts.partial_fit(X[i : i + 700], y[i : i + 700], classes=whole.classes_)
        parts = modelfile.from_bytes(to_bytes(parts))
    assert to_bytes(parts) == to_bytes(whole)


def test_asking_while_learning_gives_one_answer_however_it_is_asked():
    _, X, y = grown()
    labels, shares = rp.HoeffdingOptionTree(categorical_features=[0, 1, 2], **QUICK).prequential(
        X, y, proba=True
    )
    model = rp.HoeffdingOptionTree(categorical_features=[0, 1, 2], **QUICK)
    np.testing.assert_array_equal(model.prequential(X, y), labels)
    np.testing.assert_allclose(shares[1:].sum(axis=1), 1.0)


def test_it_stays_below_a_limit_of_memory():
    X, y = swapped(30_000)
    model = rp.HoeffdingOptionTree(categorical_features=[0, 1, 2], max_bytes=120_000, **QUICK)
    for i in range(0, len(y), 500):
        model.partial_fit(X[i : i + 500], y[i : i + 500], classes=[0, 1])
        assert model.memory_bytes_ <= 120_000
    assert model.n_leaves_ > 3
    small = rp.HoeffdingOptionTree(categorical_features=[0, 1, 2], max_leaves=9, **QUICK)
    for i in range(0, len(y), 500):
        small.partial_fit(X[i : i + 500], y[i : i + 500], classes=[0, 1])
        assert small.n_leaves_ <= 9


def test_options_are_shown():
    model, X, _ = grown()
    text = model.export_text()
    assert "option 2 of node" in text
    assert text.startswith("16,000 examples")
    assert "option 2" in model.export_graphviz()
    assert "<svg" in model._repr_html_()
    row = dict(enumerate(X[0].tolist()))
    assert model.explain_one(row)


@pytest.mark.parametrize("ask", ["to_sklearn", "to_onnx", "to_code"])
def test_what_knows_one_leaf_only_is_refused(ask):
    model, _, _ = grown(leaf="majority")
    arguments = ["python"] if ask == "to_code" else []
    with pytest.raises(ValueError, match="several leaves predict a row"):
        getattr(model, ask)(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"adaptation": Options(max_paths=0)},
            "adaptation__max_paths must be a whole number from 1",
        ),
        ({"adaptation": Options(delta=1.5)}, "adaptation__delta must be a probability"),
        ({"impurity": "hybrid"}, "impurity='hybrid' cannot be combined with adaptation"),
        ({"short_memory": 5}, "needs adaptation='none'"),
    ],
)
def test_what_cannot_work_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        rp.HoeffdingTree(**{"adaptation": "options"} | options).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("most", [1, 2])
def test_a_file_with_too_many_options_is_refused(most):
    model, _, _ = grown()
    assert paths(inside.nodes(model)) > 2
    data = to_bytes(model)
    inside.learned_with(model)["adaptation"] = Options(max_paths=most)
    with pytest.raises(rp.ModelFileError, match="more options than adaptation__max_paths"):
        modelfile.from_bytes(to_bytes(model))
    assert modelfile.from_bytes(data).n_leaves_ == model.n_leaves_


def test_a_file_where_a_node_lacks_the_statistics_it_uses_is_refused():
    X, y = wandering(20_000, 20)
    model = rp.HoeffdingOptionTree(max_bytes=200_000, **QUICK).fit(X, y)
    assert inside.snapshot(model)["inactive"].any()
    data = to_bytes(model)
    inside.learned_with(model)["max_bytes"] = None
    with pytest.raises(rp.ModelFileError, match="a node that still uses its statistics"):
        modelfile.from_bytes(to_bytes(model))
    assert modelfile.from_bytes(data).n_leaves_ == model.n_leaves_


# -- against the reference ------------------------------------------------------------------------


def weighted(rng, n):
    """The features that tell the class change; weights keep naive Bayes from ties."""
    X, y = swapped(n, seed=int(rng.integers(1 << 30)))
    return X, y, rng.uniform(0.5, 1.5, n), [True, True, True, False]


SETTINGS = {
    "option tree": {},
    "majority": {"leaf": "majority", "inherit_counts": "none"},
    "naive Bayes, both cuts": {"leaf": "naive-bayes", "categorical_cuts": "both"},
    # Further down, where two values are left, either against the other is the same cut.
    "one against the rest": {
        "categorical_cuts": "one-against-rest",
        "impurity": "gini",
        "max_depth": 1,
    },
    "two options": {"max_options": 2, "inherit_counts": "count"},
    "many options": {"max_options": 20, "option_delta": 0.9, "tau": 0.3},
    "delayed cuts": {"cuts": "delayed", "n_cuts": 4},
    "exhaustive": {"statistics": "exhaustive"},
    "limits": {"max_depth": 2, "max_leaves": 12, "option_delta": 0.5},
    "two epsilons, delta spent": {"epsilons": 2, "spend_delta": True, "delta": 0.1},
}


@pytest.mark.parametrize(
    ("stream", "options"), in_turn(SETTINGS, STREAMS | {"weighted": weighted}, ["mixed"])
)
def test_it_is_the_tree_of_the_reference(stream, options):
    # The reference looks at every value at every check.
    n = 600 if options.get("statistics") == "exhaustive" and not ALL else 1500
    X, y, w, categorical = stream(np.random.default_rng(7), n)
    options = {"grace_period": 40, "delta": 0.01, "tau": 0.2, "adaptation": "options"} | options
    model = rp.HoeffdingTree(
        categorical_features=np.flatnonzero(categorical), **policies_of(options)
    )
    reference = OptionsReference(
        ["categorical" if c else "numeric" for c in categorical],
        **axes_of(model, "option_delta", "max_options"),
    )
    answers, shares = model.prequential(X, y, sample_weight=w, proba=True)
    label = {}
    rows = in_order_of_appearance(X, categorical)
    for i, (row, k, weight) in enumerate(zip(rows, y.tolist(), w.tolist(), strict=True)):
        if i:
            assert label[answers[i]] == reference.predict(row)
            want = reference.probabilities(row, len(label))
            np.testing.assert_allclose(shares[i, : len(label)], want, atol=1e-9)
        reference.learn(row, label.setdefault(k, len(label)), weight)
    assert_same_options(model, reference)


def assert_same_options(model, reference):
    nodes = inside.nodes(model)
    splits, wanted = model.splits(), reference.splits
    assert [s.seen for s in splits] == [s.seen for s in wanted]
    by_node, by_reference = {s.node: s for s in splits}, {s.node: s for s in wanted}
    assert len(nodes["test"]) == len(reference.nodes)
    assert model.change_counts()["started"] == len(reference.owner)
    stack = [(0, reference.root)]
    while stack:
        i, r = stack.pop()
        node = reference.nodes[r]
        assert_same_counts(nodes, i, node)
        if node.cut is None:
            assert nodes["test"][i] == 0
            continue
        assert_same_cut(nodes, i, node.cut)
        assert_same_evidence(by_node[i], by_reference[r])
        below = np.array([c for c in np.flatnonzero(nodes["parent"] == i) if c])
        options = [int(c) for c in below if nodes["option"][c]]
        stack.extend(zip(options, reference.options.get(r, []), strict=True))
        children = {int(nodes["branch"][c]): int(c) for c in below if not nodes["option"][c]}
        assert set(children) == set(node.children)
        stack.extend((children[b], c) for b, c in node.children.items())


def test_the_streams_of_the_comparison_show_options():
    started = {}
    for stream in (*STREAMS.values(), weighted):
        X, y, w, categorical = stream(np.random.default_rng(7), 1500)
        for name in ("option tree", "many options"):
            options = {"grace_period": 40, "delta": 0.01, "tau": 0.2, "adaptation": "options"}
            model = rp.HoeffdingTree(
                categorical_features=np.flatnonzero(categorical),
                **policies_of(options | SETTINGS[name]),
            )
            model.fit(X, y, sample_weight=w)
            started[stream.__name__, name] = model.change_counts()["started"]
    assert sum(n > 0 for n in started.values()) >= 4
    assert max(started.values()) >= 5


EARLY = {"grace_period": 40, "delta": 0.01, "tau": 0.2}
BETTING = Options(delta=0.5, replace_by="betting", switch_after=30, switch_delta=0.1)


def quick_swaps(n=2200):
    X, y = swapped(n)
    return X, y, [True, True, True, False]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"leaf": "majority"},
        {"leaf": "naive-bayes", "how": BETTING.replace(switch_after=0)},
        {"how": BETTING.replace(max_paths=2), "delta": 0.2},
        {"impurity": "gini", "how": BETTING.replace(max_paths=8)},
    ],
    ids=str,
)
def test_with_bets_it_is_the_tree_of_the_reference(options):
    X, y, categorical = quick_swaps()
    how = options.pop("how", BETTING)
    growth = EARLY | options
    model = rp.HoeffdingOptionTree(
        categorical_features=np.flatnonzero(categorical), adaptation=how, **growth
    )
    reference = BettingOptionsReference(
        ["categorical" if c else "numeric" for c in categorical],
        option_delta=how.delta,
        max_options=how.max_paths,
        switch_after=how.switch_after,
        switch_delta=how.switch_delta,
        **axes_of(model),
    )
    answers = model.prequential(X, y)
    label, expected = {}, []
    for row, k in zip(in_order_of_appearance(X, categorical), y.tolist(), strict=True):
        expected.append(reference.predict(row))
        reference.learn(row, label.setdefault(k, len(label)))
    assert [label[k] for k in answers[1:].tolist()] == expected[1:]
    assert_same_replacements(model, reference)
    assert reference.counts["replaced"] >= 1
    assert model.n_leaves_ == reference.n_leaves
    assert paths(inside.nodes(model)) <= how.max_paths


def test_bets_on_options_survive_their_file_and_batches_do_not_matter(tmp_path):
    X, y, categorical = quick_swaps(3000)
    options = {"categorical_features": np.flatnonzero(categorical), "adaptation": BETTING, **EARLY}
    assert_saved_in_parts(lambda: rp.HoeffdingOptionTree(**options), X, y, tmp_path / "options.rip")


def test_bets_replace_few_tests_where_no_option_is_better():
    """With any lead an option begins."""
    how = Options(delta=0.9, replace_by="betting", switch_after=0, switch_delta=0.05)
    growth = {"grace_period": 50, "delta": 0.9, "tau": 1.0, "max_leaves": 10}
    started, replaced = replaced_on_noise(
        lambda: rp.HoeffdingOptionTree(leaf="majority", adaptation=how, **growth), seeds=50
    )
    assert started > 40
    assert replaced <= 0.05 * started
