"""A tree's structure says what the engine's arrays mean."""

from __future__ import annotations

import time

import numpy as np
import pytest

import riparian as rp
from riparian.data.formatting import (
    compact_text,
    distinct_numbers,
    distinct_texts,
    number_text,
    share_text,
    weight_text,
)
from riparian.evidence.structure import Structure
from riparian.streams import random_rbf, sea


def node_where(structure, branch):
    return next(node for node in structure if str(node.branch) == branch)


def test_the_root_is_the_first_node_and_its_children_are_in_branch_order(cover):
    structure = Structure.of(cover)
    root = structure[0]
    assert (root.parent, root.depth, root.branch, root.feature) == (-1, 0, None, "elevation")
    conditions = [str(structure[child].branch) for child in root.children]
    assert conditions == ["elevation <= 2956", "elevation > 2956"]
    assert len(structure) == 17
    assert structure.n_leaves == 9
    assert structure.depth == 4


def test_a_cut_on_one_category_names_it_on_both_sides(cover):
    structure = Structure.of(cover)
    soil = node_where(structure, "elevation <= 2956")
    conditions = [str(structure[child].branch) for child in soil.children]
    assert conditions == ["soil = peat", "soil != peat"]


def test_a_cut_into_every_value_has_one_child_a_category(jobs):
    structure = Structure.of(jobs)
    conditions = [str(structure[child].branch) for child in structure[0].children]
    assert conditions == [f"job = job {code}" for code in range(30)]


def test_unnamed_features_are_called_by_their_position(forest):
    tree = forest.threshold(1, 2.5, forest.leaf(1.0), forest.leaf(2.0), counts=(3.0,))
    features = [forest.feature(None, index=0), forest.feature(None, index=1)]
    structure = Structure.of(forest.grown(tree, features, ["a"]))
    assert str(structure[1].branch) == "x1 <= 2.5"


def test_classes_are_sorted_and_the_counts_follow_them(cover):
    structure = Structure.of(cover)
    assert structure.labels == ("birch", "pine", "spruce")
    peat = node_where(structure, "soil = peat")
    assert peat.counts == (2050.0, 20.0, 12.0)
    assert structure.labels[peat.predicted_class] == "birch"


def test_classes_that_cannot_be_sorted_stay_in_the_order_of_their_appearance(forest):
    model = forest.grown(forest.leaf(1.0, 2.0), [], ["b", 1])
    structure = Structure.of(model)
    assert structure.labels == ("b", 1)
    assert structure[0].predicted_class == 1


def test_a_tie_is_answered_with_the_class_seen_first(forest):
    model = forest.grown(forest.leaf(5.0, 5.0), [], ["zebra", "ant"])
    structure = Structure.of(model)
    assert structure.labels[structure[0].predicted_class] == "zebra"


def test_reached_counts_every_example_that_came_by(cover):
    structure = Structure.of(cover)
    shade = node_where(structure, "slope <= 14.25")
    # birch, pine, spruce: before its split, then in its two leaves
    assert shade.reached == (10.0 + 88.0 + 20.0, 160.0 + 2900.0 + 700.0, 90.0 + 300.0 + 900.0)
    assert shade.counts == (10.0, 160.0, 90.0)
    every_count = sum(sum(node.counts) for node in structure)
    assert sum(structure[0].reached) == every_count


def test_below_counts_the_descendants(cover):
    structure = Structure.of(cover)
    assert structure[0].below == 16
    assert node_where(structure, "soil != peat").below == 4
    assert node_where(structure, "soil = peat").below == 0


def test_a_leaf_that_saw_nothing_answers_as_its_parent(forest):
    silent = forest.leaf(0.0, 0.0)
    tree = forest.threshold(0, 1.0, silent, forest.leaf(9.0, 0.0), counts=(2.0, 7.0))
    structure = Structure.of(forest.grown(tree, [forest.feature("a")], ["x", "y"]))
    assert structure[1].predicted_weights == (2.0, 7.0)
    assert structure[1].predicted_class == 1


def test_a_leaf_shows_its_answer_and_an_inner_node_all_that_reached_it(cover):
    structure = Structure.of(cover)
    newborn = node_where(structure, "shade <= 88")
    assert newborn.reached == (0.0, 0.0, 0.0)
    assert newborn.shown == newborn.predicted_weights == (0.0, 4.0, 80.0)
    assert structure[0].shown == structure[0].reached


def test_missing_values_go_to_one_child(cover):
    structure = Structure.of(cover)
    below, above = (structure[child] for child in structure[0].children)
    assert below.takes_missing
    assert not above.takes_missing


def test_a_tree_of_one_leaf_has_no_tests(forest):
    structure = Structure.of(forest.grown(forest.leaf(3.0, 4.0), [], ["a", "b"]))
    assert [node.is_leaf for node in structure] == [True]
    assert structure.depth == 0


def test_a_leaf_without_any_class_has_no_answer(forest):
    structure = Structure.of(forest.grown(forest.leaf(), [], []))
    assert structure[0].predicted_class == -1
    assert structure[0].leading == -1


def test_a_tree_without_nodes_is_empty(forest):
    structure = Structure.of(forest.grown(None, [], ["a"]))
    assert len(structure) == 0
    assert list(structure) == []


def test_a_model_that_has_not_learned_is_refused(forest):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="This Model instance is not fitted yet"):
        Structure.of(forest.Model())


@pytest.mark.parametrize("index", [-1, 17])
def test_a_node_that_is_not_there_is_refused(cover, index):
    with pytest.raises(IndexError, match=rf"node must be in \[0, 17\), got {index}"):
        Structure.of(cover)[index]


def test_a_chain_of_ten_thousand_levels_is_read_in_a_moment(forest):
    model = forest.chain_model(10_000)
    start = time.process_time()
    structure = Structure.of(model)
    assert structure.depth == 10_000
    assert structure[0].below == 20_000
    assert sum(structure[0].reached) == 4.0 * 10_000 + 4.0 * 10_000 + 3.0
    assert time.process_time() - start < 5.0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2956.0, "2956"),
        (-0.5, "-0.5"),
        (0.0, "0"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.333333"),
        (1234567.8, "1234568"),
        (1.7e9, "1700000000"),
        (1.5e-7, "1.5e-7"),
        (3e300, "3e300"),
        (float("inf"), "inf"),
    ],
)
def test_numbers_are_written_short(value, text):
    assert number_text(value) == text


def test_thresholds_that_differ_look_different(forest):
    tree = forest.leaf(1.0)
    values = [2.5, 2.50000001, 1e9 + 0.1, 1e9 + 0.5, 7.0]
    for value in values:
        tree = forest.threshold(0, value, tree, forest.leaf(1.0), counts=(1.0,))
    structure = Structure.of(forest.grown(tree, [forest.feature("a")], ["x"]))
    texts = {node.branch.value for node in structure if node.branch}
    assert texts == {"2.5", "2.50000001", "1000000000.1", "1000000000.5", "7"}


def test_neighbouring_floats_look_different_and_read_back_exactly():
    values = [0.1, 0.10000000000000002, 0.30000000000000004, 0.3]
    texts = distinct_numbers(values, 6)
    assert len(set(texts)) == 4
    assert [float(text) for text in texts] == values


def test_digits_out_of_range_are_refused(cover):
    with pytest.raises(ValueError, match="digits must be between 1 and 17, got 0"):
        Structure.of(cover, digits=0)


def test_values_of_different_types_look_different():
    assert distinct_texts([1, "1", "'1'", True, "True"]) == (
        "1",
        "'1'",
        "\"'1'\"",
        "True",
        "'True'",
    )


@pytest.mark.parametrize("label", ["a\nb", "\x1b[31m", "", " a", "a\u202eb", "\udc80", "\x00"])
def test_labels_that_could_disturb_a_line_are_quoted(label):
    (text,) = distinct_texts([label])
    assert text.isprintable()
    assert text == repr(label)


def test_weights_and_shares_do_not_round_to_what_they_are_not():
    assert weight_text(1204.0) == "1,204"
    assert weight_text(0.25) == "0.25"
    assert [compact_text(w) for w in (9999.0, 10000.0, 999_600.0)] == ["9,999", "10k", "1M"]
    assert [share_text(s) for s in (0.0, 1e-9, 0.5, 0.9999, 1.0)] == [
        "0%",
        "<1%",
        "50%",
        ">99%",
        "100%",
    ]


# -- who answers ----------------------------------------------------------------------------------

SINGLE = ("majority", "naive-bayes", "linear-units")


@pytest.mark.parametrize(
    "leaf",
    ["adaptive", SINGLE, ("majority", "linear-units"), ("naive-bayes", "linear-units"), *SINGLE],
)
def test_the_predictor_that_is_named_is_the_one_that_answers(leaf):
    X, y = random_rbf(seed=2, n_features=4, n_centroids=30, n_classes=3).take(6_000)
    options = {"tau": 0.3, "grace_period": 100}
    alone = {name: rp.HoeffdingTree(leaf=name, **options).fit(X, y) for name in SINGLE}
    model = rp.HoeffdingTree(leaf=leaf, **options).fit(X, y)
    members = ("naive-bayes",) if leaf == "adaptive" else np.atleast_1d(leaf).tolist()
    asked = {*members, "majority"}  # which answers for all that know nothing yet
    named = set()
    for row in X[:500]:
        example = dict(enumerate(row.tolist()))
        *inner, last = model.explain_one(example)
        assert {step.predicted_by for step in inner} <= {None}
        assert last.predicted_by in asked
        named.add(last.predicted_by)
        proba = alone[last.predicted_by].predict_proba_one(example)
        assert model.predict_proba_one(example) == pytest.approx(proba)
    counts = Structure.of(model).n_predicted_by()
    assert sum(counts.values()) == model.n_leaves_
    assert named <= set(counts) <= asked
    if leaf == SINGLE:
        assert len(counts) > 1


def test_an_inactive_leaf_and_one_that_knows_nothing_answer_by_majority():
    X, y = random_rbf(seed=1).take(20_000)
    options = {"tau": 10.0, "grace_period": 50, "max_bytes": 50_000}
    model = rp.HoeffdingTree(leaf="naive-bayes", **options).fit(X, y)
    inactive = {p.leaf for p in model.pending() if p.reason_waiting == "inactive"}
    assert inactive
    for node in Structure.of(model):
        if node.is_leaf:
            silent = node.id in inactive or not sum(node.counts)
            assert node.predicted_by == "majority" or not silent
        else:
            assert node.predicted_by is None
    assert set(Structure.of(model).n_predicted_by()) == {"majority", "naive-bayes"}


def test_an_example_without_a_branch_is_predicted_by_the_majority_of_the_node_above():
    rng = np.random.default_rng(0)
    word = rng.choice(["a", "b", "c"], size=2_000)
    model = rp.HoeffdingTree(leaf="naive-bayes", tau=0.3).fit({"word": word}, word == "a")
    last = model.explain_one({"word": "never seen"})[-1]
    assert (last.node, last.predicted_by) == (0, "majority")


def test_a_tree_that_splits_while_it_learns_counts_since_the_split():
    X, y = sea(seed=1).take(5_000)
    assert not Structure.of(rp.VFDT(grace_period=50, delta=0.1).fit(X, y)).adds_up
    assert Structure.of(rp.ID5R().fit(X[:300].round(), y[:300])).adds_up
    assert Structure.of(rp.VFDT(delta=1e-300, tau=0.0).fit(X, y)).adds_up  # one leaf
