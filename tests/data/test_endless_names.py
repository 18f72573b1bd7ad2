"""Columns that never end: identifiers, many categories, features and classes."""

import numpy as np
import pytest

import riparian as rp
from riparian.data import naming as naming_of_package
from riparian.data import schema as schema_of_package
from riparian.data.identifiers import Watch, verdicts_of
from riparian.data.naming import Limits
from riparian.data.reading import read
from riparian.data.schema import Feature, Schema
from riparian.data.settling import Settling
from riparian.data.table import read_table
from riparian.data.values import OTHER
from tests import inside
from tests.reference import naming

IDENTIFIER = "column 'id': .* so it is treated as an identifier and left out"


def stream(n, seed=0, categories=5):
    """A numeric and a categorical feature that matter, and labels."""
    rng = np.random.default_rng(seed)
    number, code = rng.uniform(size=n), rng.integers(categories, size=n)
    labels = np.where((number > 0.5) ^ (code % 2 == 1), "yes", "no")
    return {"number": number, "job": np.array([f"job {c}" for c in code], dtype=object)}, labels


def ids(n, first=0):
    return np.array([f"user {i:07d}" for i in range(first, first + n)], dtype=object)


def with_id(X, values=None):
    n = len(X["number"])
    return {"id": ids(n) if values is None else values, **X}


def in_batches(model, X, y, size):
    for first in range(0, len(y), size):
        rows = slice(first, first + size)
        model.partial_fit({name: column[rows] for name, column in X.items()}, y[rows])
    return model


def one_by_one(model, X, y):
    for row, label in enumerate(y.tolist()):
        model.learn_one({name: column[row] for name, column in X.items()}, label)
    return model


def saved(model, tmp_path):
    model.save(tmp_path / "model.rip")
    return (tmp_path / "model.rip").read_bytes()


# -- the rule --------------------------------------------------------------------------------


@pytest.mark.parametrize("distinct", [5, 900, 5_000, 100_000, 10**9])
@pytest.mark.parametrize("max_categories", [100, 1000])
@pytest.mark.parametrize("size", [1, 7, 250, 3_000])
def test_codes_are_those_of_the_rule_row_by_row(distinct, max_categories, size):
    rng = np.random.default_rng(distinct)
    n = 3_000 if size > 1 else 1_200
    found, missing = rng.integers(distinct, size=n), rng.uniform(size=n) < 0.1
    values = [None if miss else f"v{v}" for v, miss in zip(found, missing, strict=True)]
    want, gone = naming.codes_of(values, max_categories)
    schema, got, left_out = Schema(), [], None
    for first in range(0, n, size):
        table = read_table({"x": np.array(values[first : first + size], dtype=object)})
        reading = read(schema, table, grow=True, limits=Limits(max_categories))
        schema.grow(reading, [], [], first=first == 0)
        for row in reading.left_out.values():
            left_out = first + row
        column = reading.watched.get(0)
        rows = reading.n_rows
        if column is None and not schema.left_out(0):
            column = read(schema, table, grow=False)
            got += [None] * rows
        else:
            got += [None] * rows if column is None else column.codes.tolist()
        Settling(schema, reading, range(len(reading.verdicts)))(rows)
    assert left_out == gone
    watched = [(a, b) for a, b in zip(got, want, strict=True) if a is not None]
    assert all((a if a >= 0 else None) == b for a, b in watched)


def test_a_feature_is_an_identifier_if_at_most_one_in_a_hundred_values_repeats():
    new = np.arange(1000, dtype=np.int32)
    for repeats, left_out in ((0, True), (10, True), (11, False)):
        codes = new.copy()
        codes[500 : 500 + repeats] = 7
        codes[500 + repeats :] = np.arange(500, 1000 - repeats)
        after = verdicts_of(Watch(), codes, 0, -1)[1]
        assert (after is not None and after.left_out) == left_out


def test_a_cut_is_offered_from_the_first_sign_on():
    codes = np.array([0, 1, 2, 1, 3], dtype=np.int32)
    verdicts, after = verdicts_of(Watch(), codes, 0, -1)
    assert [(v.row, v.watch.cut) for v in verdicts] == [(3, True)]
    assert after == Watch(values=5, repeats=1, cut=True)


# -- identifiers -----------------------------------------------------------------------------

MODELS = [
    rp.VFDT(),
    rp.StreamTree(),
    rp.HAT(),
    rp.EFDT(),
    rp.CVFDT(),
    rp.StreamForest(n_estimators=3),
    rp.AdaptiveRandomForest(n_estimators=3),
    rp.StreamingRandomPatches(n_estimators=3),
    rp.AccuracyWeightedEnsemble(n_estimators=3, chunk_size=500),
    rp.UFFT(),
]


def fresh(model):
    return type(model)(**model.get_params())


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_an_identifier_is_left_out_once_and_its_memory_is_freed(model):
    X, y = stream(6_000)
    plain = in_batches(fresh(model), X, y, 500)
    found = fresh(model)
    with pytest.warns(UserWarning, match=IDENTIFIER) as caught:
        in_batches(found, with_id(X), y, 500)
    assert len(caught) == 1
    assert "1,000 of its first 1,000 values were new" in str(caught[0].message)
    assert found.memory_bytes_ < plain.memory_bytes_ + 500_000
    for member in getattr(found, "estimators_", []):
        member.predict({n: c[:10] for n, c in with_id(X).items()})
    table = with_id({name: column[:1000] for name, column in X.items()})
    right = np.mean(found.predict(table) == y[:1000])
    assert right > np.mean(plain.predict({n: c[:1000] for n, c in X.items()}) == y[:1000]) - 0.05


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.filterwarnings("ignore:column 'id'")
def test_batches_make_no_difference_to_identifiers(model, tmp_path):
    X, y = stream(1_700, seed=1)
    X = with_id(X)
    want = saved(in_batches(fresh(model), X, y, 100_000), tmp_path)
    for size in (7, 400):
        assert saved(in_batches(fresh(model), X, y, size), tmp_path) == want
    assert saved(one_by_one(fresh(model), X, y), tmp_path) == want
    half = in_batches(fresh(model), {n: c[:900] for n, c in X.items()}, y[:900], 900)
    half.save(tmp_path / "half.rip")
    rest = {n: c[900:] for n, c in X.items()}
    assert saved(in_batches(rp.load(tmp_path / "half.rip"), rest, y[900:], 400), tmp_path) == want


@pytest.mark.filterwarnings("ignore:column 'id'")
def test_prequential_predicts_the_same_whatever_the_batches():
    X, y = stream(1_500, seed=2)
    X = with_id(X)
    weights = np.where(np.arange(1_500) % 5 == 0, 0.0, 1.0)
    whole = rp.StreamTree().prequential(X, y, sample_weight=weights)
    model, parts = rp.StreamTree(), []
    for first in range(0, 1_500, 100):
        rows = slice(first, first + 100)
        part = {name: column[rows] for name, column in X.items()}
        parts.append(model.prequential(part, y[rows], sample_weight=weights[rows]))
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.filterwarnings("ignore:column 'id'")
def test_rescan_does_not_bring_an_identifier_back(tmp_path):
    X, y = stream(1_500, seed=2)
    model = rp.VFDT().partial_fit({n: c[:100] for n, c in with_id(X).items()}, y[:100])
    model.rescan({n: c[100:] for n, c in with_id(X).items()}, y[100:], passes=3, progress=False)
    assert inside.schema(model).left_out(0)
    bare = rp.VFDT().partial_fit({n: c[:100] for n, c in X.items()}, y[:100])
    bare.rescan({n: c[100:] for n, c in X.items()}, y[100:], passes=3, progress=False)
    # A loaded model has no working memory of checks.
    held = [rp.load(_path(m, tmp_path)).memory_bytes_ for m in (model, bare)]
    assert held[0] < held[1] + 3_000


def test_a_declared_feature_is_never_left_out_and_only_capped():
    X, y = stream(3_000)
    model = rp.VFDT(categorical_features=["id", "job"])
    in_batches(model, with_id(X), y, 500)
    feature = inside.features(model)[0]
    assert feature.name == "id"
    assert len(feature.codes) == 1001
    assert feature.categories[-1] is OTHER


def test_a_few_thousand_zip_codes_are_kept():
    X, y = stream(4_000)
    zips = np.array(
        [f"{z:05d}" for z in np.random.default_rng(3).integers(5_000, size=4_000)], object
    )
    model = in_batches(rp.VFDT(), with_id(X, zips), y, 500)
    assert not inside.schema(model).watches
    assert len(inside.features(model)[0].codes) == 1001


def test_a_repeated_row_does_not_hide_an_identifier(tmp_path):
    X, y = stream(2_000)
    values = ids(2_000)
    values[30] = values[29]
    with pytest.warns(UserWarning, match="999 of its first 1,000 values were new"):
        model = in_batches(rp.StreamForest(n_estimators=3), with_id(X, values), y, 400)
    again = rp.load(_path(model, tmp_path))
    table = with_id(X, values)
    np.testing.assert_array_equal(again.predict(table), model.predict(table))


def _path(model, tmp_path):
    model.save(tmp_path / "model.rip")
    return tmp_path / "model.rip"


def test_an_identifier_that_comes_late_is_left_out():
    X, y = stream(4_000)
    model = rp.VFDT().partial_fit({n: c[:2000] for n, c in X.items()}, y[:2000])
    rest = with_id({n: c[2000:] for n, c in X.items()})
    with pytest.warns(UserWarning, match=IDENTIFIER):
        model.partial_fit(rest, y[2000:])
    assert inside.schema(model).left_out(2)


def test_an_id_of_numbers_stays_a_number():
    X, y = stream(2_000)
    model = in_batches(rp.VFDT(), with_id(X, np.arange(2_000.0)), y, 500)
    assert inside.features(model)[0].kind == "numeric"
    assert not inside.schema(model).watches


@pytest.mark.filterwarnings("ignore:column 'id'")
def test_memory_with_an_id_column_stays_near_memory_without_it():
    X, y = stream(50_000)
    bare = in_batches(rp.StreamTree(), X, y, 10_000)
    model = in_batches(rp.StreamTree(), with_id(X), y, 10_000)
    assert abs(model.memory_bytes_ - bare.memory_bytes_) < 200_000


@pytest.mark.filterwarnings("ignore:column 'id'")
def test_an_interrupted_batch_knows_what_its_rows_settled(monkeypatch):
    X, y = stream(1_500)
    model = rp.VFDT().partial_fit(with_id({n: c[:10] for n, c in X.items()}), y[:10])
    table = {n: c[10:] for n, c in with_id(X).items()}
    reading = read(inside.schema(model), read_table(table), grow=True, limits=Limits(1000))
    Settling(inside.schema(model), reading, [])(500)
    assert inside.schema(model).watches[0] == Watch(values=510)


# -- categories ------------------------------------------------------------------------------


def test_categories_beyond_the_limit_share_one():
    X, y = stream(2_000, categories=40)
    model = in_batches(rp.VFDT(max_categories=10), X, y, 300)
    feature = inside.features(model)[1]
    assert len(feature.codes) == 11
    assert feature.categories[-1] is OTHER
    unseen = {"number": X["number"][:5], "job": np.array(["never seen"] * 5, dtype=object)}
    shared = next(j for j in X["job"] if j not in feature.codes)
    other = {"number": X["number"][:5], "job": np.array([shared] * 5, dtype=object)}
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(other))
    for row in range(5):
        one = model.predict_proba_one({"number": X["number"][row], "job": "never seen"})
        assert list(one.values()) == model.predict_proba(unseen)[row].tolist()


def test_an_unseen_category_below_the_limit_is_no_other():
    X, y = stream(2_000, categories=4)
    model = in_batches(rp.VFDT(max_categories=4), X, y, 300)
    assert OTHER not in inside.features(model)[1].codes
    same = in_batches(rp.VFDT(), X, y, 300)
    unseen = {"number": X["number"][:50], "job": np.array(["never seen"] * 50, dtype=object)}
    np.testing.assert_array_equal(model.predict_proba(unseen), same.predict_proba(unseen))


@pytest.mark.parametrize("model", [*MODELS, rp.ITI(), rp.ID4(), rp.OADT()],
                         ids=lambda m: type(m).__name__)  # fmt: skip
def test_batches_make_no_difference_to_other(model, tmp_path):
    n = 400 if isinstance(model, rp.ITI | rp.ID4) else 1_500
    X, y = stream(n, categories=30)
    if isinstance(model, rp.ID4):
        X["number"] = np.round(X["number"], 1)
    limited = fresh(model).set_params(max_categories=6)
    want = saved(in_batches(limited, X, y, 100_000), tmp_path)
    for size in (7, 400):
        again = in_batches(fresh(model).set_params(max_categories=6), X, y, size)
        assert saved(again, tmp_path) == want
    assert saved(one_by_one(fresh(model).set_params(max_categories=6), X, y), tmp_path) == want


def test_numbers_as_categories_are_limited_too():
    rng = np.random.default_rng(0)
    values, y = rng.integers(50, size=1_000).astype(float), rng.integers(2, size=1_000)
    model = rp.VFDT(max_categories=20, categorical_features=[0])
    for first in range(0, 1_000, 300):
        model.partial_fit(values[first : first + 300, None], y[first : first + 300])
    codes = inside.features(model)[0].codes
    assert len(codes) == 21
    assert list(codes)[-1] is OTHER
    whole = rp.VFDT(max_categories=20, categorical_features=[0]).partial_fit(values[:, None], y)
    assert inside.features(whole)[0].codes == codes


def test_arrow_and_objects_give_the_same_names():
    pa = pytest.importorskip("pyarrow")
    X, y = stream(1_000, categories=30)
    table = pa.table({"number": X["number"], "job": pa.array(X["job"].tolist())})
    packed = table.set_column(1, "job", table.column("job").dictionary_encode())
    want = inside.features(rp.VFDT(max_categories=6).partial_fit(X, y))[1].codes
    for frame in (table, packed):
        assert inside.features(rp.VFDT(max_categories=6).partial_fit(frame, y))[1].codes == want


def test_other_has_a_name_in_texts():
    X, y = stream(3_000, categories=12)
    model = in_batches(rp.VFDT(max_categories=4, grace_period=50, tau=0.5), X, y, 500)
    assert "job = other" in model.export_text()


# -- exports ---------------------------------------------------------------------------------


@pytest.mark.parametrize("cuts", ["multiway", "one-against-rest"])
def test_exports_treat_an_unknown_category_as_predict_does(cuts):
    import sqlite3

    X, y = stream(4_000, categories=12)
    model = rp.HoeffdingTree(
        max_categories=4, grace_period=50, tau=0.5, leaf="majority", categorical_cuts=cuts
    )
    in_batches(model, X, y, 500)
    assert "other" in model.export_text()
    rows = {"number": X["number"][:300], "job": X["job"][:300].copy()}
    rows["job"][::3] = "never seen"
    rows["job"][1::7] = None
    want = model.predict(rows)
    program = {}
    exec(model.to_code("python"), program)
    examples = [{"number": a, "job": b} for a, b in zip(*rows.values(), strict=True)]
    assert [program["predict_one"](x) for x in examples] == want.tolist()
    with sqlite3.connect(":memory:") as base:
        base.execute("create table examples (number real, job text)")
        base.executemany("insert into examples values (?, ?)", zip(*rows.values(), strict=True))
        cursor = base.execute(model.to_code("sql"))
        label = [column[0] for column in cursor.description].index("prediction")
        assert [row[label] for row in cursor] == want.tolist()
    ort = pytest.importorskip("onnxruntime")
    session = ort.InferenceSession(model.to_onnx().SerializeToString())
    text = np.array(["" if v is None else v for v in rows["job"]], dtype=object)[:, None]
    labels = session.run(["label"], {"number": rows["number"][:, None], "job": text})[0]
    assert labels.tolist() == want.tolist()


# -- features and classes --------------------------------------------------------------------


def test_features_beyond_the_limit_are_ignored_and_counted():
    model = rp.VFDT(max_features=5)
    model.learn_one({"a": 1.0, "b": 2.0}, "yes")
    for i in range(2):
        model.learn_one({"a": 1.0, f"new {i}": 3.0, "text": "x"}, "no")
    with pytest.warns(UserWarning, match="the model has 5 features and no room for more"):
        model.learn_one({"a": 1.0, "new 2": 3.0, "text": "x"}, "no")
    for i in range(3, 20):
        model.learn_one({"a": 1.0, f"new {i}": 3.0, "text": "x"}, "no")
    assert [f.name for f in inside.features(model)] == ["a", "b", "new 0", "text", "new 1"]
    assert model.n_ignored_values_ == 18
    assert model.predict_one({"a": 1.0, "new 19": 2.0}) == "no"


@pytest.mark.filterwarnings("ignore:the model has")
def test_batches_make_no_difference_to_ignored_features(tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"a": rng.uniform(), f"k{rng.integers(100)}": rng.uniform()} for _ in range(300)]
    y = np.array([row["a"] > 0.5 for row in rows]).astype(str)
    one = rp.VFDT(max_features=20)
    for row, label in zip(rows, y.tolist(), strict=True):
        one.learn_one(row, label)
    names = list(dict.fromkeys(name for row in rows for name in row))
    X = {n: np.array([row.get(n) for row in rows], dtype=object) for n in names}
    model = in_batches(rp.VFDT(max_features=20), X, y, 37)
    assert [f.name for f in inside.features(model)] == [f.name for f in inside.features(one)]
    assert model.n_ignored_values_ == one.n_ignored_values_ > 0


def test_all_features_of_the_first_row_are_kept():
    X = np.random.default_rng(0).uniform(size=(50, 30))
    names = [f"f{i}" for i in range(30)]
    model = rp.VFDT(max_features=5).partial_fit(dict(zip(names, X.T, strict=True)), X[:, 0] > 0.5)
    assert model.n_features_in_ == 30


def test_a_class_beyond_the_limit_is_refused_and_nothing_is_learned():
    model = rp.VFDT(max_classes=3).partial_fit([[1.0]] * 3, ["a", "b", "c"])
    with pytest.raises(ValueError, match="y has 4 classes; VFDT supports at most 3; see max_class"):
        model.partial_fit([[1.0]] * 2, ["a", "d"])
    assert model.n_seen_ == 3


@pytest.mark.parametrize("name", ["max_categories", "max_features", "max_classes"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "many", None])
def test_limits_must_be_whole_numbers(name, value):
    with pytest.raises(ValueError, match=name):
        rp.VFDT(**{name: value}).fit([[1.0], [2.0]], [0, 1])


def test_max_features_of_other_libraries_is_explained():
    with pytest.raises(ValueError, match="max_features of River and scikit-learn is leaf_features"):
        rp.AdaptiveRandomForest(max_features="sqrt").fit([[1.0], [2.0]], [0, 1])


# -- a memory limit --------------------------------------------------------------------------

LIMITED = [
    rp.VFDT(max_bytes="300KB"),
    rp.StreamTree(max_bytes="300KB"),
    rp.StreamForest(n_estimators=3, max_bytes="2MB"),
]


@pytest.mark.parametrize("model", LIMITED, ids=lambda m: type(m).__name__)
def test_names_stop_growing_below_a_memory_limit(model, tmp_path):
    X, y = stream(6_000, categories=5)
    rng = np.random.default_rng(1)
    for i in range(4):  # features with ever new values that repeat often
        X[f"page {i}"] = np.array(
            [f"/{i}/{v}" for v in (np.arange(6_000) // 3 + rng.integers(9, size=6_000))], object
        )
    made = in_batches(fresh(model), X, y, 500)
    assert made.memory_bytes_ <= inside.engine(made).max_bytes
    closed = [f for f in inside.features(made) if OTHER in f.codes]
    assert len(closed) == 4
    assert len(closed[0].codes) < 1001
    # Further names are no reason to refuse a batch, or to copy the model.
    inside.forbid_copies(made)
    extra = {name: column[:500].copy() for name, column in X.items()}
    for i in range(4):
        extra[f"page {i}"] = ids(500, first=i * 500)
    made.partial_fit(extra, y[:500])


@pytest.mark.parametrize("model", LIMITED, ids=lambda m: type(m).__name__)
@pytest.mark.filterwarnings("ignore:column ")
def test_batches_make_no_difference_to_names_below_a_memory_limit(model, tmp_path):
    X, y = stream(2_500, categories=5)
    X["id"] = ids(2_500)
    X["page"] = np.array([f"/page/{v}" for v in np.arange(2_500) // 3], dtype=object)
    want = saved(in_batches(fresh(model), X, y, 100_000), tmp_path)
    for size in (7, 400):
        assert saved(in_batches(fresh(model), X, y, size), tmp_path) == want
    assert saved(one_by_one(fresh(model), X, y), tmp_path) == want
    load = rp.load(tmp_path / "model.rip")
    assert load.memory_bytes_ == in_batches(fresh(model), X, y, 400).memory_bytes_


def test_new_features_for_which_there_is_no_room_are_ignored():
    X, y = stream(200)
    model = rp.StreamForest(n_estimators=3, max_bytes="1MB").partial_fit(X, y)
    names = [f"feature {i}" for i in range(3_000)]
    with pytest.warns(UserWarning, match="no room for more"):
        model.partial_fit({**X, **dict.fromkeys(names, np.ones(200))}, y)
    model.partial_fit({**X, **dict.fromkeys(names, np.ones(200))}, y)
    assert 50 < model.n_features_in_ < 3_000
    assert model.memory_bytes_ <= 1_000_000


def test_a_name_is_measured_once_below_a_memory_limit(monkeypatch):
    """The names of all batches together, not all names for every batch."""
    measured = []

    def counted(values):
        found = list(values)
        measured.extend(found)
        return naming_of_package.size_of_categories(found)

    monkeypatch.setattr(schema_of_package, "size_of_categories", counted)
    X, y = stream(2_000)
    values = ids(2_000)
    values[::2] = "known"
    in_batches(
        rp.StreamTree(max_bytes="100MB", max_categories=10_000, categorical_features=["id", "job"]),
        with_id(X, values),
        y,
        20,
    )
    assert len(measured) == len(set(measured))
    # Half of 1,980 ids, "known" and five jobs; the names of the last batch are not needed yet.
    assert len(measured) == 996


def test_names_that_were_taken_back_are_measured_again():
    schema = Schema()
    schema.add_feature(Feature("a", "categorical"))
    feature = schema.features[0]
    schema.add_categories(feature, ["x", "y" * 100, "z"])
    before = schema.sizes_of_categories()
    del feature.codes["z"], feature.codes["y" * 100]
    schema.add_categories(feature, ["z"])
    after = schema.sizes_of_categories()
    assert before == {0: naming_of_package.size_of_categories(["x", "y" * 100, "z"])}
    assert after == {0: naming_of_package.size_of_categories(["x", "z"])}
