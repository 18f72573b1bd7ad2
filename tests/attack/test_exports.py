"""Names, labels and categories that look like code: every export still predicts as the model."""

from __future__ import annotations

import ctypes
import enum
import keyword
import re
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest

import riparian as rp
from riparian.data.formatting import distinct_texts, exact_value, label_text
from riparian.data.free_names import column_names, free_names, ignoring_case
from riparian.data.schema import Feature
from tests import inside

#: Texts that would be code if they were not quoted, or end what quotes them.
EVIL = [
    "'",
    '"',
    '"; DROP TABLE examples; --',
    "');--",
    "\\",
    "\\\\n",
    "a\nb",
    "a\r\nb",
    "\t",
    " ",
    " a ",
    "*/ int x; /*",
    "//",
    "--",
    ";",
    "%s %d %n",
    "{}",
    "{leaf}",
    "{0}",
    '"""',
    "'''",
    "??/",
    "??=",
    "NAME",
    "NAME_predict",
    "\N{GRINNING FACE}",
    "\u200f\u202e",
    "\u2028",
    "é",
    "e\u0301",
    "select",
    "FROM",
    "group",
    "order by",
    "None",
    "nan",
    "__import__('os')",
    "$1",
    "?",
    ":a",
    "@x",
    "`",
    "[a]",
    "</script>",
    "&amp;",
    "0",
    "1e5",
    "x" * 5000,
]

SQL_NAMES = [
    "riparian_leaf",
    "riparian_leaf_0",
    "riparian_input",
    "riparian_predictions",
    "riparian_leaves",
    "riparian_sums",
    "riparian_costs",
    "riparian_sum_0",
    "riparian_sum_1",
    "riparian_cost_0",
    "riparian_member_0",
    "riparian_bayes",
    "riparian_bayes_scores",
    "riparian_bayes_0_0",
    "riparian_linear",
    "riparian_linear_0_1",
    "riparian_value_0",
    "prediction",
    "Prediction",
    "probability_0",
    "PROBABILITY_1",
    "leaf",
    "part_0",
    "row",
    "rowid",
    "_rowid_",
    "oid",
    "RIPARIAN_LEAF",
]
PYTHON_NAMES = [
    *keyword.kwlist,
    *keyword.softkwlist,
    "FEATURES",
    "CLASSES",
    "_NODES",
    "_PREDICTIONS",
    "_ROOTS",
    "_DIVISOR",
    "_COSTS",
    "_TREES",
    "_NUMBERS",
    "_FORMULAS",
    "_LARGEST",
    "_vote",
    "predict_one",
    "predict_proba_one",
    "_leaf",
    "_scores",
    "_total",
    "_inputs",
    "_value",
    "x",
    "node",
    "value",
    "__builtins__",
    "__name__",
    "__class__",
    "dict",
    "zip",
    "len",
    "max",
    "enumerate",
    "float",
    "exp",
]
C_NAMES = [
    "tree_predict",
    "tree_probabilities",
    "tree_features",
    "tree_classes",
    "tree_FEATURES",
    "tree_CLASSES",
    "tree_texts",
    "tree_code",
    "tree_nodes",
    "tree_branches",
    "tree_shares",
    "tree_leaf",
    "tree_terms",
    "tree_vote",
    "exp",
    "NULL",
    "INFINITY",
    "NAN",
    "main",
    "int",
    "struct",
    "strcmp",
]
ONNX_NAMES = [
    "X",
    "label",
    "probabilities",
    "label_2",
    "rows",
    "riparian",
    "riparian/",
    "riparian/0/0",
    "riparian//1/0",
    "riparian/constant/0",
]


def tree(names, labels, categories=("b", "c")):
    """A tree that tests every feature, with a label for each: the last one is text."""
    eye = np.eye(len(names) - 1).repeat(4, axis=0)
    rest = np.arange(12 * len(categories)) % len(categories)
    values = np.vstack([eye, np.zeros((len(rest), len(names) - 1))])
    codes = np.concatenate([np.arange(len(eye)) % len(categories), rest])
    X = dict(zip(names, values.T, strict=False))
    X[names[-1]] = np.array(categories, dtype=object)[codes]
    places = np.concatenate([eye.argmax(axis=1), len(names) - 1 + rest])
    y = np.array(labels, dtype=object)[places % len(labels)]
    model = rp.ID5R().fit(X, y)
    assert features_tested(model) == set(range(len(names)))
    return model, X


def small(names, labels=("no", "yes"), categories=("b", "c")):
    """A tree that asks three features, whatever they are called."""
    rng = np.random.default_rng(3)
    n = 600
    columns = [rng.normal(size=n) for _ in names[:-1]]
    text = np.array(categories, dtype=object)[rng.integers(0, len(categories), n)]
    X = dict(zip(names, [*columns, text], strict=True))
    y = text == categories[0]
    for values in columns:
        y = y ^ (values > 0.3)
    model = rp.HoeffdingTree(
        leaf="majority", statistics="exhaustive", grace_period=20, delta=0.5, tau=1.0
    )
    return model.fit(X, np.array(labels, dtype=object)[y.astype(int) % len(labels)]), X


def forest(names, labels=("no", "yes"), costs=None):
    _, X = small(names, labels)
    y = np.array(labels, dtype=object)[(np.abs(X[names[0]]) > 0.6).astype(int)]
    member = rp.HoeffdingTree(leaf="majority", grace_period=50, delta=0.3, tau=0.5)
    return rp.OnlineBagging(estimator=member, n_estimators=3, costs=costs, n_jobs=1).fit(X, y), X


def computing(names, labels=("no", "yes"), categories=("b", "c"), leaf="naive-bayes", costs=None):
    """A leaf that computes with every feature; the last one is text."""
    rng = np.random.default_rng(4)
    X = {name: rng.normal(size=300) for name in names[:-1]}
    X[names[-1]] = np.array(categories, dtype=object)[rng.integers(0, len(categories), 300)]
    y = np.array(labels, dtype=object)[(X[names[0]] > 0).astype(int) % len(labels)]
    model = rp.HoeffdingTree(leaf=leaf, costs=costs, grace_period=1000).fit(X, y)
    (formula,) = inside.plain(model).formulas.values()
    assert [*formula.numeric, *formula.categorical] == list(range(len(names)))
    return model, X


def frame_rows(X):
    names = list(X)
    return [dict(zip(names, row, strict=True)) for row in zip(*X.values(), strict=True)]


def features_tested(model):
    plain = inside.plain(model)
    return {int(f) for f in plain.feature[plain.test != 0]}


# -- running what was exported ----------------------------------------------------------------


def run_python(model, X):
    code = model.to_code("python")
    assert code.isascii()
    space = {}
    exec(compile(code, "tree.py", "exec"), space)
    rows = frame_rows(X)
    shares = [list(space["predict_proba_one"](x).values()) for x in rows]
    return [space["predict_one"](x) for x in rows], np.array(shares)


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def run_sql(model, X, table="examples", extra=()):
    """The columns that the comment of the query names, by name and not by place."""
    code = model.to_code("sql", table=table)
    base = sqlite3.connect(":memory:")
    names = column_names(inside.features(model), ignoring_case)
    marks = ", ".join("?" * (len(names) + len(extra) + 1))
    columns = ", ".join([*map(quote, [*names, *extra]), '"the row of the test"'])
    base.execute(f"CREATE TABLE {quote(table)} ({columns})")
    rows = zip(*X.values(), strict=True)
    base.executemany(
        f"INSERT INTO {quote(table)} VALUES ({marks})",
        [(*row, *(-5 for _ in extra), i) for i, row in enumerate(rows)],
    )
    found = base.execute(code)
    heads = [d[0] for d in found.description]
    assert len(set(map(ignoring_case, heads))) == len(heads) or extra
    rows = sorted(found.fetchall(), key=lambda row: row[heads.index("the row of the test")])
    assert len(rows) == len(next(iter(X.values())))
    told = re.search(r'class in\s+(?:-- )?"(prediction\w*)"', code).group(1)
    # The last of this name is that of the query; the table may have one of its own.
    place = len(heads) - 1 - heads[::-1].index(told)
    return [row[place] for row in rows], np.array([row[place + 1 :] for row in rows])


def run_c(model, X, folder):
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not here")
    (folder / "tree.c").write_text(model.to_code("c"), encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC"]
    command = ["gcc", *flags, "-trigraphs", "-Wno-trigraphs", "tree.c", "-o", "tree.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    made = ctypes.CDLL(str(folder / "tree.so"))
    doubles = ctypes.POINTER(ctypes.c_double)
    made.tree_predict.argtypes = [doubles]
    names = (ctypes.c_char_p * len(X)).in_dll(made, "tree_features")
    assert [n.decode() for n in names] == column_names(inside.features(model))
    classes = (ctypes.c_char_p * len(model.classes_)).in_dll(made, "tree_classes")
    assert [c.decode() for c in classes] == [label_or_text(c) for c in inside.classes(model)]
    columns = []
    for place, values in enumerate(X.values()):
        if not isinstance(values[0], str):
            columns.append(np.asarray(values, dtype=float))
            continue
        made.tree_code.restype = ctypes.c_double
        known = {v: made.tree_code(place, ctypes.c_char_p(v.encode())) for v in set(values)}
        assert len(set(known.values())) == len(known)
        columns.append(np.array([known[v] for v in values]))
    rows = np.ascontiguousarray(np.column_stack(columns))
    codes = [made.tree_predict(row.ctypes.data_as(doubles)) for row in rows]
    return [inside.classes(model)[code] for code in codes]


def label_or_text(label):
    return label if type(label) is str else label_text(label)


def run_onnx(model, X):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    made = model.to_onnx()
    session = runtime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    names = column_names(inside.features(model))
    assert [i.name for i in session.get_inputs()] == names
    feed = {
        name: np.array(values, dtype=object if isinstance(values[0], str) else float)[:, None]
        for name, values in zip(names, X.values(), strict=True)
    }
    outputs = [o.name for o in session.get_outputs()]
    assert len(outputs) == 2
    assert not set(outputs) & set(names)
    labels, shares = session.run(outputs, feed)
    return labels.tolist(), shares


def agrees(run, model, X, *args, exact=True):
    got = run(model, X, *args)
    labels, shares = got if isinstance(got, tuple) else (got, None)
    assert labels == model.predict(X).tolist()
    if shares is not None:
        want = model.predict_proba(X)
        if exact:
            np.testing.assert_array_equal(shares, want)
        else:
            np.testing.assert_allclose(shares, want, atol=1e-6)


# -- evil names, labels and categories --------------------------------------------------------


@pytest.fixture(scope="module")
def evil():
    """One tree whose every feature, label and category is evil."""
    model, X = tree([f"{i}{text}" for i, text in enumerate(EVIL)], EVIL, EVIL[:6])
    assert set(model.classes_) == set(EVIL)
    return model, X


def test_python_holds_evil_texts(evil, report_tries):
    agrees(run_python, *evil)
    report_tries("evil texts exported", 4 * len(EVIL))


def test_sql_holds_evil_texts(evil):
    agrees(run_sql, *evil)


def test_c_holds_evil_texts(evil, tmp_path):
    agrees(run_c, *evil, tmp_path)


def test_onnx_holds_evil_texts(evil):
    agrees(run_onnx, *evil, exact=False)


def test_the_evil_texts_by_themselves_are_names():
    names = [text for text in EVIL if text != "FROM"]
    model, X = tree(names, names)
    agrees(run_sql, model, X)
    agrees(run_python, model, X)
    agrees(run_onnx, model, X, exact=False)


@pytest.mark.parametrize("name", SQL_NAMES)
def test_a_feature_may_have_any_name_that_sql_uses(name, report_tries):
    model, X = small([name, "b", "c"])
    assert 0 in features_tested(model)
    agrees(run_sql, model, X)
    agrees(run_sql, model, X, name)
    trees, X = forest([name, "b", "c"])
    assert 0 in features_tested(trees)
    agrees(run_sql, trees, X)
    report_tries("internal names taken by a user", 3)


def test_all_names_of_sql_at_once():
    names = list({ignoring_case(name): name for name in SQL_NAMES}.values())
    agrees(run_sql, *tree(names, names))
    for costs in (None, [[0.0, 1.0], [3.0, 0.0]]):
        agrees(run_sql, *forest(names, costs=costs))


def test_a_table_may_have_columns_of_our_names_beside_the_features():
    extra = ["riparian_leaf", "riparian_leaf_0", "riparian_sum_0", "riparian_sum_1", "leaf"]
    extra += ["part_0", "prediction", "probability_0", "riparian_cost_0", "riparian_cost_1"]
    names = ["a", "b", "c"]
    model, X = small(names)
    agrees(run_sql, model, X, "examples", extra)
    for costs in (None, [[0.0, 1.0], [3.0, 0.0]]):
        trees, X = forest(names, costs=costs)
        agrees(run_sql, trees, X, "examples", extra)


def test_sql_refuses_names_that_differ_only_by_case():
    model, X = small(["Age", "b", "AGE"])
    with pytest.raises(ValueError, match="SQL ignores case: the column 'A"):
        model.to_code("sql")
    agrees(run_python, model, X)
    agrees(run_onnx, model, X, exact=False)
    # SQL knows the case of ASCII alone.
    agrees(run_sql, *small(["Ä", "ä", "c"]))


@pytest.mark.parametrize("names", [["", "b", "c"], ["a\0b", "b", "c"], ["a", "b", "c\0"]])
def test_names_that_sql_cannot_have_are_refused(names, tmp_path):
    model, X = small(names)
    with pytest.raises(ValueError, match=r"SQL does not allow an empty name|has a NUL character"):
        model.to_code("sql")
    agrees(run_python, model, X)
    if "" in names:
        agrees(run_c, model, X, tmp_path)
        with pytest.raises(ValueError, match="ONNX does not allow an empty name"):
            model.to_onnx()
    else:
        for export in (lambda: model.to_code("c"), model.to_onnx):
            with pytest.raises(ValueError, match="has a NUL character"):
                export()


def test_names_that_python_uses_are_only_text():
    agrees(run_python, *tree(PYTHON_NAMES, PYTHON_NAMES, ("None", "__class__")))


def test_names_that_c_uses_are_only_text(tmp_path):
    agrees(run_c, *tree(C_NAMES, C_NAMES, ("tree_code", "NULL")), tmp_path)


def test_names_that_onnx_uses_get_out_of_the_way():
    model, X = tree(ONNX_NAMES, ONNX_NAMES, ("", "X"))
    agrees(run_onnx, model, X, exact=False)
    outputs = [o.name for o in model.to_onnx().graph.output]
    assert outputs == ["label_3", "probabilities_2"]
    assert [o.name for o in small(["a", "b"])[0].to_onnx().graph.output] == [
        "label",
        "probabilities",
    ]


def test_positions_beside_names_of_the_same_look(tmp_path):
    model, X = small([0, "x0", "x0_2", 1, "c"])
    assert column_names(inside.features(model)) == ["x0_3", "x0", "x0_2", "x1", "c"]
    assert len(features_tested(model)) == 5
    agrees(run_python, model, X)
    agrees(run_sql, model, X)
    agrees(run_c, model, X, tmp_path)
    agrees(run_onnx, model, X, exact=False)
    assert 'position 0 is the column "x0_3"' in model.to_code("sql")
    text = model.export_text()
    assert re.search(r"x0 [<>]", text)
    assert re.search(r"x0_3 [<>]", text)


def test_a_free_name_is_free_whatever_is_taken():
    taken = ["leaf", *(f"leaf_{i}" for i in range(2, 50)), "Prediction_51"]
    assert free_names(["leaf", "prediction"], taken) == ["leaf_50", "prediction_50"]
    assert free_names(["prediction"], ["PREDICTION"], ignoring_case) == ["prediction_2"]
    assert free_names(["prediction"], ["PREDICTION"]) == ["prediction"]
    wide = [*(Feature(i, "numeric") for i in range(3)), Feature("X1", "numeric")]
    assert column_names(wide, ignoring_case) == ["x0", "x1_2", "x2", "X1"]


@pytest.mark.parametrize("labels", [EVIL[:3], EVIL[2:7]])
def test_planes_hold_evil_texts_too(labels, tmp_path):
    rng = np.random.default_rng(1)
    names, categories = [*EVIL[:3], "label", "NAME", EVIL[5]], ["*/", '"', "a\nb"]
    X = {name: rng.normal(size=300) for name in names[:-1]}
    X[names[-1]] = np.array(categories, dtype=object)[rng.integers(0, 3, 300)]
    y = np.array(labels, dtype=object)[(X[names[0]] > 0).astype(int) + (X["label"] > 1)]
    model = rp.OADT(depth=2).fit(X, y)
    shares = run_python(model, X)[1]
    np.testing.assert_allclose(shares, model.predict_proba(X), rtol=1e-9)
    assert run_c(model, X, tmp_path) == model.predict(X).tolist()
    assert run_onnx(model, X)[0] == model.predict(X).tolist()


@pytest.mark.parametrize("leaf", ["naive-bayes", "linear-units", "softmax"])
def test_leaves_that_compute_hold_evil_texts(leaf, tmp_path):
    names = [f"{i}{text}" for i, text in enumerate(EVIL)]
    model, X = computing(names, EVIL[2:4], EVIL[:6], leaf)
    for run in (run_python, run_sql, run_onnx):
        agrees(run, model, X, exact=False)
    agrees(run_c, model, X, tmp_path)


@pytest.mark.parametrize("leaf", ["naive-bayes", "linear-units"])
def test_names_that_exports_use_for_leaves_that_compute(leaf, tmp_path):
    sql = list({ignoring_case(name): name for name in SQL_NAMES}.values())
    extra = ["riparian_leaves", "riparian_leaf_0", "riparian_sum_0", "leaf", "c0", "prediction"]
    for costs in (None, [[0.0, 1.0], [3.0, 0.0]]):
        agrees(run_sql, *computing(sql, leaf=leaf, costs=costs), exact=False)
        model, X = computing(["a", "b", "c"], leaf=leaf, costs=costs)
        agrees(run_sql, model, X, "examples", extra, exact=False)
    agrees(run_python, *computing(PYTHON_NAMES, leaf=leaf), exact=False)
    agrees(run_c, *computing(C_NAMES, leaf=leaf), tmp_path)
    agrees(run_onnx, *computing(ONNX_NAMES, leaf=leaf), exact=False)


# -- values that word themselves --------------------------------------------------------------


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    NO = "no"
    YES = "yes"


class Text(str):
    """A text that says something else of itself."""

    def __repr__(self):
        return "__import__('os').abort()"

    def __str__(self):
        return "'); DROP TABLE examples; --"

    def __format__(self, spec):
        return '"; abort(); "'

    def encode(self, *args):
        return b'"; abort(); "'

    def replace(self, *args):
        return "' OR 1 = 1"

    def isprintable(self):
        return True


class Whole(int):
    def __repr__(self):
        return "__import__('os').abort()"

    __str__ = __repr__

    def __format__(self, spec):
        return "1); abort();"


class Share(float):
    def __repr__(self):
        return "__import__('os').abort()"

    __str__ = __repr__

    def __format__(self, spec):
        return "1.0); abort();"


class Raw(bytes):
    def __repr__(self):
        return "__import__('os').abort()"

    def hex(self, *args):
        return "'); DROP TABLE examples; --"


def with_values(labels, categories, names=("a", "b", "c")):
    """A tree whose schema holds these very objects, however they would be learned."""
    model, X = small(list(names), ("no", "yes"), ("b", "c"))
    schema = inside.schema(model)
    schema.classes[:] = labels
    schema.features[-1].codes = {value: code for code, value in enumerate(categories)}
    for feature, name in zip(schema.features, names, strict=True):
        feature.name = name
    return model, X


ABORT = re.compile("abort|DROP|OR 1 = 1|Level|Word")


@pytest.mark.parametrize(
    ("labels", "categories", "names"),
    [
        ([Level.LOW, Level.HIGH], [Level.LOW, Level.HIGH], ("a", "b", "c")),
        ([Word.NO, Word.YES], [Word.NO, Word.YES], (Word.NO, Word.YES, "c")),
        ([Text("n"), Text("y")], [Text("b"), Text("c")], (Text("a"), Text("b"), "c")),
        ([Whole(3), Whole(4)], [Whole(5), Whole(6)], (Whole(0), Level.LOW, "c")),
        ([Share(1.5), Share(2.5)], [Share(0.5), Share(0.25)], ("a", "b", "c")),
        ([Raw(b"x"), Raw(b"y")], [Raw(b"b"), Raw(b"c")], ("a", "b", "c")),
        ([np.str_("x"), np.str_("y")], [np.float64(1), np.float64(2)], ("a", "b", "c")),
    ],
    ids=["IntEnum", "StrEnum", "str", "int", "float", "bytes", "numpy"],
)
def test_nothing_that_a_value_says_of_itself_is_written(labels, categories, names):
    model, _ = with_values(labels, categories, names)
    code = model.to_code("python")
    space = {"__builtins__": {"float": float, "dict": dict, "zip": zip, "KeyError": KeyError}}
    exec(code, space)
    plain = [exact_value(v) for v in labels]
    assert space["CLASSES"] == plain
    assert list(map(type, space["CLASSES"])) == list(map(type, plain))
    assert space["FEATURES"] == [exact_value(v) for v in names]
    written = [code, model.to_code("sql"), model.export_text(), model.export_graphviz()]
    if isinstance(labels[0], bytes):
        for export in (lambda: model.to_code("c"), model.to_onnx):
            with pytest.raises(ValueError, match="must be all text or all numbers"):
                export()
    else:
        written.append(model.to_code("c"))
        if isinstance(labels[0], str | int):
            written.append(str(model.to_onnx()))
    for text in written:
        assert not ABORT.search(text)
    assert not ABORT.search(model._repr_html_())


def test_exact_values_have_exact_types():
    for value in (Level.LOW, Whole(7), True, np.int8(3), 10**400):
        assert type(exact_value(value)) in (int, bool)
    for value in (Text("a"), Word.NO, np.str_("b")):
        assert type(exact_value(value)) is str
    assert type(exact_value(Share(1.0))) is type(exact_value(np.float32(1.0))) is float
    assert type(exact_value(Raw(b"a"))) is type(exact_value(np.bytes_(b"a"))) is bytes
    assert exact_value(Text("a")) == "a"
    assert exact_value(Raw(b"ab")) == b"ab"
    assert distinct_texts([Text("b"), Level.LOW]) == ("b", "1")


def test_python_writes_numbers_of_any_size():
    huge = 10**5000
    labels = [huge, -huge]
    model, _ = with_values(labels, [float("inf"), float("-inf")])
    space = {}
    exec(model.to_code("python"), space)
    assert space["CLASSES"] == labels
    x = {"a": 0.0, "b": 0.0}
    inner = inside.features(model)[-1].codes
    for value in inner:
        assert space["predict_one"]({**x, "c": value}) in labels
    assert "1e999" in model.to_code("python")
    with pytest.raises(
        ValueError, match=r"SQL supports whole numbers of 64 bits|SQL does not support"
    ):
        model.to_code("sql")
    with pytest.raises(ValueError, match="is not finite, which C requires"):
        model.to_code("c")
    with pytest.raises(ValueError, match=r"below 2\*\*63|is not finite, which ONNX"):
        model.to_onnx()
    assert hex(huge) in model.export_text()


def test_a_number_that_sql_would_round_is_refused():
    model, _ = with_values([2**63, 1], ["b", "c"])
    with pytest.raises(ValueError, match="64 bits, got 9223372036854775808"):
        model.to_code("sql")
    model, X = with_values([2**63 - 1, -(2**63)], ["b", "c"])
    labels, _ = run_sql(model, X)
    assert set(labels) == {2**63 - 1, -(2**63)}


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_of_a_surrogate_pair_is_refused_where_there_is_no_such_text(text):
    kinds = [
        with_values([text, "y"], ["b", "c"]),
        with_values(["n", "y"], [text, "c"]),
        with_values(["n", "y"], ["b", "c"], (text, "b", "c")),
    ]
    for model, _ in kinds:
        space = {}
        exec(model.to_code("python"), space)
        values = [*space["CLASSES"], *space["FEATURES"], *inside.features(model)[-1].categories]
        assert text in values
        for export in (lambda m=model: m.to_code("sql"), lambda m=model: m.to_code("c")):
            with pytest.raises(ValueError, match="has half of a surrogate pair"):
                export()
        with pytest.raises(ValueError, match="has half of a surrogate pair"):
            model.to_onnx()
        for shown in (model.export_text(), model.export_graphviz(), model._repr_html_()):
            shown.encode()


def test_labels_that_end_with_nul_stay_apart():
    X = np.arange(40.0).reshape(-1, 1)
    y = np.array(["a", "a\0"] * 20, dtype=object)
    model = rp.HoeffdingTree(leaf="majority").fit(X, y)
    assert model.classes_.tolist() == ["a", "a\0"]
    assert set(model.to_sklearn().classes_) == {"a", "a\0"}


# -- text and DOT -----------------------------------------------------------------------------


def dot_strings(text):
    """The quoted strings of a DOT text, read as Graphviz reads them; the rest must be plain."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"', text, flags=re.DOTALL)
    rest = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text, flags=re.DOTALL)
    return found, rest


def test_text_and_dot_keep_one_line_a_node_and_names_apart(evil):
    model, _ = evil
    lines = model.export_text().splitlines()
    assert all(line.isprintable() for line in lines)
    assert len(lines) == len(model.export_text().split("\n"))
    strings, rest = dot_strings(model.export_graphviz())
    assert re.fullmatch(r'[\w\s{}\[\]=,;">-]*', rest)
    for text in strings:
        assert "\n" not in text
        assert re.sub(r"&amp;", "", text).find("&") < 0
        assert re.fullmatch(r'(?:[^\\]|\\[\\"n])*', text)


def test_features_that_would_look_alike_are_told_apart():
    model, _ = small(["a\n", "'a\\n'", "c"])
    features = set(re.findall(r"(\S+) [<>]=? ", model.export_text()))
    assert len(features) == 2


def test_scikit_learn_gets_the_names_as_they_are():
    rng = np.random.default_rng(0)
    X = {name: rng.normal(size=400) for name in EVIL}
    model = rp.HoeffdingTree(leaf="majority", grace_period=50, tau=0.5)
    model.fit(X, np.array(["*/", "'"])[(X[EVIL[0]] > 0).astype(int)])
    found = model.to_sklearn()
    assert found.feature_names_in_.tolist() == EVIL
    matrix = np.column_stack([X[name] for name in EVIL]).astype(np.float32)
    with pytest.warns(UserWarning, match="feature names"):
        assert found.predict(matrix).tolist() == model.predict(matrix).tolist()
