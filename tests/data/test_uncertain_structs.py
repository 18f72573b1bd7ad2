"""Uncertain values as structs, lists and maps of Arrow, in frames and in files."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import riparian as rp
from riparian import Uncertain
from riparian.adaptation import Window
from riparian.cli.app import app
from riparian.storage.modelfile import to_bytes
from riparian.streams.readers.formats import open_stream

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

SHARES = pa.list_(pa.struct([("value", pa.string()), ("weight", pa.float64())]))
VALUES = pa.list_(pa.struct([("value", pa.float64()), ("weight", pa.float64())]))
MAP = pa.map_(pa.string(), pa.float64())


def rows(n=400):
    """Rows as dicts of certain and uncertain values, and labels."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n).tolist()
    out = []
    for i, v in enumerate(x):
        out.append(
            {
                "a": None if i % 17 == 3 else Uncertain.interval(v, v + 0.5),
                "b": Uncertain.normal(v, 0.1 + i % 3),
                "t": Uncertain.normal(v, 0.5, lo=v - 1.0, hi=v + 2.0),
                "n": Uncertain.values([v, v + 1.0], weights=[0.25, 0.75]),
                "s": Uncertain.categories({"rain": 0.75, "snow": 0.25}) if v > 0 else "snow",
                "m": Uncertain.categories({"x": 0.5, "yz"[i % 2]: 0.5}),
                "plain": v * 2,
                "word": "uvw"[i % 3],
            }
        )
    return out, [int(v > 0.1) for v in x]


def table_of(examples, labels):
    def struct(name, *fields):
        kind = pa.struct([(field, pa.float64()) for field in fields])
        found = []
        for row in examples:
            u = row[name]
            if u is None:
                found.append(None)
                continue
            known = dict(zip(("lo", "hi", "mean", "sd"), (*u.bounds, *u.moments), strict=True))
            found.append({field: known[field] for field in fields})
        return pa.array(found, kind)

    def pairs(name):
        for row in examples:
            u = row[name]
            if isinstance(u, str):
                u = Uncertain.categories({u: 1.0})
            yield list(zip(u.points, u.weights, strict=True))

    def listed(name, kind):
        return pa.array([[{"value": v, "weight": w} for v, w in p] for p in pairs(name)], kind)

    return pa.table(
        {
            "a": struct("a", "lo", "hi"),
            "b": struct("b", "mean", "sd"),
            "t": struct("t", "lo", "hi", "mean", "sd"),
            "n": listed("n", VALUES),
            "s": listed("s", SHARES),
            "m": pa.array([[*p, ("never", 0.0)] for p in pairs("m")], MAP),
            "plain": [row["plain"] for row in examples],
            "word": [row["word"] for row in examples],
            "label": labels,
        }
    )


def tree():
    window = Window(size=150, validity_period=50)
    return rp.UCVFDT(adaptation=window, grace_period=30, delta=0.1, tau=0.3)


def learned_one_by_one():
    model = tree()
    examples, labels = rows()
    for row, label in zip(examples, labels, strict=True):
        model.learn_one(row, label)
    return model


@pytest.fixture(scope="module")
def wanted():
    return to_bytes(learned_one_by_one())


@pytest.mark.parametrize("of", ["pyarrow", "batch", "polars", "pandas"])
def test_frames_of_structs_give_the_bytes_of_objects(of, wanted):
    table = table_of(*rows())
    y = table["label"].to_pylist()
    X = table.drop_columns(["label"])
    if of == "batch":
        (X,) = X.combine_chunks().to_batches()
    elif of == "polars":
        pl = pytest.importorskip("polars")
        # polars has no maps: they become lists of other structs.
        shares = [[{"value": k, "weight": w} for k, w in row] for row in X["m"].to_pylist()]
        place = X.column_names.index("m")
        X = pl.from_arrow(X.set_column(place, "m", pa.array(shares, SHARES)))
    elif of == "pandas":
        pd = pytest.importorskip("pandas")
        X = X.to_pandas(types_mapper=pd.ArrowDtype)
    assert to_bytes(tree().partial_fit(X, y)) == wanted


def test_frames_of_nothing_but_structs_are_read():
    table = table_of(*rows()).select(["b", "m"])
    model = tree().partial_fit(table, [0, 1] * 200)
    assert model.feature_names_in_.tolist() == ["b", "m"]
    assert model.predict(table).shape == (400,)


def test_other_structs_are_refused_as_before():
    table = pa.table({"a": pa.array([{"from": 1.0, "to": 2.0}])})
    with pytest.raises((TypeError, ValueError), match=r"'a'.*struct"):
        tree().partial_fit(table, [1])


BAD = [
    ("a", pa.struct([("lo", pa.float64()), ("hi", pa.float64())]), {"lo": 2, "hi": 1}, "above hi"),
    ("a", pa.struct([("lo", pa.float64()), ("hi", pa.float64())]), {"lo": 2, "hi": None}, "hi is"),
    ("b", pa.struct([("mean", pa.float64()), ("sd", pa.float64())]), {"mean": 0, "sd": -1}, "sd"),
    ("m", MAP, [("x", 0.5), ("y", 0.2)], "must sum to 1, got 0.7"),
    ("m", MAP, [("x", 0.0)], "at least one value"),
    ("s", SHARES, [{"value": "x", "weight": 0.5}] * 2, "category 'x' is given twice"),
    ("n", VALUES, [{"value": 1.0, "weight": -1.0}], "weights must be above 0"),
    ("n", VALUES, [{"value": None, "weight": 1.0}], "values must be a number"),
]


@pytest.mark.parametrize(("name", "kind", "value", "message"), BAD, ids=[m for *_, m in BAD])
def test_impossible_structs_name_column_and_row_and_change_nothing(
    name, kind, value, message, tmp_path
):
    model = learned_one_by_one()
    before = to_bytes(model)
    good = table_of(*rows(3))[name].to_pylist()
    table = pa.table({name: pa.array([good[0], good[1], value], kind)})
    for call in (lambda: model.partial_fit(table, [1, 0, 1]), lambda: model.predict(table)):
        with pytest.raises(ValueError, match=f"column '{name}', row 2: .*{message}"):
            call()
    assert to_bytes(model) == before
    path = tmp_path / "bad.parquet"
    pq.write_table(table.append_column("y", pa.array([1, 0, 1])), path)
    with (
        open_stream(path, target="y") as stream,
        pytest.raises(ValueError, match=f"column '{name}', row 3: .*{message}"),
    ):
        next(stream.blocks())
    with open_stream(path, target="y", skip_bad_rows=True) as stream:
        X, _ = next(stream.blocks())
        assert (len(X[name]), stream.skipped) == (2, 1)


# -- files ----------------------------------------------------------------------------------------


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def run(*arguments):
    done = invoke(*arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_files_of_structs_are_learned_and_predicted_from_the_shell(tmp_path, wanted):
    path = tmp_path / "structs.parquet"
    pq.write_table(table_of(*rows()), path)
    model = tmp_path / "model.rip"
    options = ["--recipe", "UCVFDT", "--adaptation", "window(size=150, validity_period=50)"]
    options += ["--grace-period", "30", "--delta", "0.1", "--tau", "0.3"]
    run("run", path, "--target", "label", "--model-out", model, *options)
    assert to_bytes(rp.load(model)) == wanted
    out = run("predict", model, path).splitlines()
    X = table_of(*rows()).drop_columns(["label"])
    assert out[1:] == [str(k) for k in rp.load(model).predict(X).tolist()]


def pairs_file(path, lo=0.0):
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    lines = ["level.lo,level.hi,flow.mean,flow.sd,label"]
    for i, v in enumerate(x.tolist()):
        low = lo if i == 41 and lo else v
        lines.append(f"{low!r},{v + 0.5!r},{2 * v!r},0.25,{'up' if v > 0 else 'down'}")
    path.write_text("\n".join(lines) + "\n")
    return x


def test_pairs_of_columns_are_learned_and_predicted_from_the_shell(tmp_path):
    path, model = tmp_path / "pairs.csv", tmp_path / "model.rip"
    x = pairs_file(path)
    options = ["--recipe", "VFDT", "--grace-period", "50"]
    run("run", path, "--target", "label", "--uncertain", "level,flow", "--model-out", model,
        *options)  # fmt: skip
    want = rp.VFDT(grace_period=50)
    for v in x.tolist():
        row = {"level": Uncertain.interval(v, v + 0.5), "flow": Uncertain.normal(2 * v, 0.25)}
        want.learn_one(row, "up" if v > 0 else "down")
    assert to_bytes(rp.load(model)) == to_bytes(want)
    out = run("predict", model, path, "--uncertain", "level,flow").splitlines()
    X = {
        "level": [Uncertain.interval(v, v + 0.5) for v in x.tolist()],
        "flow": [Uncertain.normal(2 * v, 0.25) for v in x.tolist()],
    }
    assert out[1:] == want.predict(X).tolist()
    # Nothing is joined unless that is asked for.
    run("run", path, "--target", "label", "--model-out", model, *options)
    assert rp.load(model).n_features_in_ == 4


def test_wrong_pairs_are_told_and_nothing_is_written(tmp_path):
    path, model = tmp_path / "pairs.csv", tmp_path / "model.rip"
    pairs_file(path, lo=99.0)
    base = ["run", path, "--target", "label", "--model-out", model]
    done = invoke(*base, "--uncertain", "level")
    assert done.exit_code == 1
    assert "column 'level', row 42: lo must not be above hi" in done.stderr
    done = invoke(*base, "--uncertain", "depth")
    assert done.exit_code == 1
    assert "uncertain names 'depth', but the data has neither 'depth.lo' and" in done.stderr
    assert not model.exists()


def test_a_stream_of_frames_may_hold_them(wanted):
    from riparian.streams import from_frames

    table = table_of(*rows())
    model = tree()
    for X, y in from_frames([table.slice(0, 100), table.slice(100)], target="label").blocks(77):
        model.partial_fit(X, y)
    assert to_bytes(model) == wanted
