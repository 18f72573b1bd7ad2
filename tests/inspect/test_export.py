"""Trees and paths as text."""

from __future__ import annotations

import re
import time

import pytest

from riparian.evidence.structure import Structure
from riparian.export import export_graphviz, export_text, path_steps

COVER = """\
29,946 examples, 17 nodes, 9 leaves, depth 4
├─ elevation <= 2956
│  ├─ soil = peat: birch (98%, n=2,082: birch 2,050, pine 20, spruce 12)
│  └─ soil != peat
│     ├─ slope <= 14.25
│     │  ├─ shade <= 201.5: pine (88%, n=3,288: pine 2,900, spruce 300, birch 88)
│     │  └─ shade > 201.5: spruce (56%, n=1,620: spruce 900, pine 700, birch 20)
│     └─ slope > 14.25: pine (79%, n=1,890: pine 1,500, birch 310, spruce 80)
└─ elevation > 2956
   ├─ elevation <= 3180.75
   │  ├─ slope <= 8: spruce (77%, n=2,840: spruce 2,200, pine 640)
   │  └─ slope > 8: pine (56%, n=1,615: pine 910, spruce 700, birch 5)
   └─ elevation > 3180.75
      ├─ shade <= 88: spruce (95%, n=0)
      └─ shade > 88
         ├─ elevation <= 3350.5: spruce (96%, n=5,610: spruce 5,400, pine 210)
         └─ elevation > 3350.5: spruce (>99%, n=6,117: spruce 6,100, pine 15, birch 2)"""

COVER_TO_DEPTH_1 = """\
29,946 examples, 17 nodes, 9 leaves, depth 4
├─ elevation <= 2956: pine (59%, n=10,800: pine 6,360, birch 2,788, spruce 1,652) … +6 nodes
└─ elevation > 2956: spruce (89%, n=18,146: spruce 16,060, pine 2,077, birch 9) … +8 nodes
14 nodes below depth 1 are not shown"""


def test_text_shows_every_branch_with_its_class_and_counts(cover):
    assert export_text(cover) == COVER


def test_text_counts_what_it_leaves_out(cover):
    assert export_text(cover, max_depth=1) == COVER_TO_DEPTH_1


def test_text_of_one_leaf_is_its_answer(forest):
    model = forest.grown(forest.leaf(3.0, 1.0), [], ["a", "b"])
    assert export_text(model) == "4 examples, 1 node, 1 leaf, depth 0\na (75%, n=4: a 3, b 1)"


def test_text_names_the_leaf_predictor_where_it_is_not_the_majority(forest):
    model = forest.grown({**forest.leaf(3.0, 1.0), "predicted_by": "naive-bayes"}, [], ["a", "b"])
    assert export_text(model).endswith("\na (75%, n=4: a 3, b 1), by naive-bayes")
    (step,) = path_steps(Structure.of(model), [0], [])
    assert str(step) == "node 0: leaf (a, 75% of 4), by naive-bayes"


def test_text_of_an_empty_tree_says_so(forest):
    model = forest.grown(None, [], [])
    assert export_text(model) == "an empty tree: nothing learned yet"


def test_text_of_a_leaf_without_classes_says_so(forest):
    assert export_text(forest.grown(forest.leaf(), [], [])).endswith("no prediction yet")


def test_text_names_four_classes_of_a_leaf_and_counts_the_others(forest):
    model = forest.grown(forest.leaf(*range(1, 8)), [], "abcdefg")
    assert export_text(model).endswith("g (25%, n=28: g 7, f 6, e 5, d 4, 3 more classes)")


def test_text_has_one_line_a_category(jobs):
    lines = export_text(jobs, max_depth=1).splitlines()
    assert len(lines) == 1 + 30 + 1
    assert lines[-1] == "4 nodes below depth 1 are not shown"


def test_text_keeps_hostile_names_on_their_line(hostile):
    text = export_text(hostile)
    assert len(text.splitlines()) == 7
    assert all(line.isprintable() for line in text.splitlines())


def test_digits_are_the_fewest_shown(forest):
    tree = forest.threshold(0, 1 / 3, forest.leaf(1.0), forest.leaf(1.0), counts=(1.0,))
    model = forest.grown(tree, [forest.feature("a")], ["x"])
    assert "a <= 0.33:" in export_text(model, digits=2)


@pytest.mark.parametrize("export", [export_text, export_graphviz])
def test_a_negative_depth_is_refused(cover, export):
    with pytest.raises(ValueError, match="max_depth must be None or at least 0, got -1"):
        export(cover, max_depth=-1)


@pytest.mark.parametrize("export", [export_text, export_graphviz])
def test_a_chain_of_two_thousand_levels_is_written_in_a_moment(forest, export):
    model = forest.chain_model(2000)
    start = time.process_time()
    text = export(model)
    assert time.process_time() - start < 5.0
    assert [int(n) for n in re.findall(r"<= (\d+)", text)] == list(range(2000, 0, -1))
    assert max(map(len, text.splitlines())) < 300


def test_deep_lines_name_their_depth(forest):
    lines = export_text(forest.chain_model(100)).splitlines()
    assert any(line.startswith("[100] ⋯ ") for line in lines)


def test_graphviz_has_a_node_and_an_edge_for_each_node(cover):
    text = export_graphviz(cover)
    assert text.startswith("digraph riparian {")
    assert text.endswith("}")
    assert len(re.findall(r"^  \d+ \[label=", text, flags=re.MULTILINE)) == 17
    assert len(re.findall(r"^  \d+ -> \d+ \[label=", text, flags=re.MULTILINE)) == 16
    assert '0 -> 1 [label="<= 2956"];' in text
    assert 'label="birch\\nn=2,082: birch 2,050, pine 20, spruce 12"' in text


def test_graphviz_marks_what_it_leaves_out(cover):
    text = export_graphviz(cover, max_depth=1)
    assert text.count("dashed") == 2
    assert '\\n+6 nodes"' in text


def test_graphviz_escapes_names(hostile):
    for line in export_graphviz(hostile).splitlines():
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        assert '"' not in bare
        assert "<" not in bare
    # The backslash of a category is doubled: a bare \N would become the node's name.
    assert "\\\\N" in export_graphviz(hostile)


def test_graphviz_of_an_empty_tree_is_still_a_graph(forest):
    assert "nothing learned yet" in export_graphviz(forest.grown(None, [], []))


def path_of(structure, *branches):
    path = [0]
    for branch in branches:
        path.append(structure[path[-1]].children[branch])
    return path


def test_a_path_says_what_was_asked_and_what_the_value_was(cover):
    structure = Structure.of(cover)
    row = {0: 2811.0, 1: "peat"}
    first, second, last = path_steps(structure, path_of(structure, 0, 0), row)
    assert (first.test, first.value) == ("elevation <= 2956", 2811.0)
    assert (second.test, second.value) == ("soil = peat", "peat")
    assert (last.test, last.value, last.majority) == ("", None, "birch")
    assert last.counts == {"birch": 2050.0, "pine": 20.0, "spruce": 12.0}
    assert str(first) == "node 0: elevation <= 2956 (spruce, 61% of 29,946)"
    assert str(last) == f"node {last.node}: leaf (birch, 98% of 2,082)"


def test_a_path_takes_values_in_the_order_of_the_schema_too(cover):
    structure = Structure.of(cover)
    steps = path_steps(structure, path_of(structure, 0, 1, 1), [2811.0, "clay", 20.0, 0.0])
    assert [step.test for step in steps] == [
        "elevation <= 2956",
        "soil != peat",
        "slope > 14.25",
        "",
    ]
    assert [step.value for step in steps] == [2811.0, "clay", 20.0, None]


@pytest.mark.parametrize("row", [{}, [], {0: None}, {0: float("nan")}])
def test_a_path_says_where_a_missing_value_went(cover, row):
    structure = Structure.of(cover)
    step = path_steps(structure, path_of(structure, 0), row)[0]
    assert step.test == "elevation <= 2956 (missing)"
    assert step.value is None


def test_a_path_that_ends_in_an_inner_node_says_why(jobs):
    structure = Structure.of(jobs)
    (step,) = path_steps(structure, [0], {0: "astronaut"})
    assert step.test == "job = astronaut, which has no branch"


def test_a_threshold_gets_the_digits_that_explain_the_branch(forest):
    tree = forest.threshold(0, 2.4999999999, forest.leaf(1.0), forest.leaf(2.0), counts=(3.0,))
    structure = Structure.of(forest.grown(tree, [forest.feature("a")], ["x"]))
    (step, _) = path_steps(structure, path_of(structure, 1), {0: 2.5})
    assert step.test == "a > 2.4999999999"
