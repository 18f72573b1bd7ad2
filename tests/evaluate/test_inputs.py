"""What may be evaluated: streams, rows in memory, files, names, and data sets of River."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

import riparian as rp
from riparian.evaluate import folds, holdout, prequential
from riparian.evaluate.inputs import Rows
from riparian.streams.readers.files import FileStream

X, CODES = rp.streams.sea(seed=1).take(2_500)
Y = np.array(["no", "yes"])[CODES]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])

#: The same rows in many forms.
FORMS = {
    "X, y": (X, Y),
    "a pair": ((X, Y),),
    "lists": (X.tolist(), Y.tolist()),
    "pandas": (FRAME, pd.Series(Y, index=range(10, 10 + len(Y)))),
    "pandas with an index": (FRAME.set_index(FRAME.index[::-1]), Y),
    "polars": (pl.from_pandas(FRAME), pl.Series(Y)),
    "Arrow": (pa.table({name: FRAME[name] for name in FRAME}), Y),
    "columns": ({name: FRAME[name].to_numpy() for name in FRAME}, Y),
    "dicts": (list(zip(FRAME.to_dict("records"), Y.tolist(), strict=True)),),
}


def accuracy(model, *given, **options):
    result = prequential(model, *given, progress=False, **options)
    assert result.n == len(Y)
    return result.accuracy


def new_tree():
    return rp.VFDT(leaf="adaptive", grace_period=50, tau=0.1)


@pytest.mark.parametrize("form", FORMS)
def test_rows_in_memory_are_evaluated_as_a_stream_is(form):
    want = float(np.mean(new_tree().prequential(X[:, :], Y)[1:] == Y[1:]))
    # Before its first row a model predicts nothing, which is wrong.
    assert accuracy(new_tree(), *FORMS[form]) == pytest.approx(want, abs=1 / len(Y))


@pytest.mark.parametrize("form", FORMS)
def test_so_are_models_of_scikit_learn_and_river(form):
    trees = pytest.importorskip("river.tree")
    classes = ["no", "yes"] if form == "dicts" else None
    assert accuracy(GaussianNB(), *FORMS[form], classes=classes) == accuracy(GaussianNB(), X, Y)
    if form in ("X, y", "pandas", "polars", "Arrow", "dicts"):
        assert accuracy(trees.HoeffdingTreeClassifier(), *FORMS[form]) > 0.7


@pytest.mark.parametrize("block", [1, 7, 10_000])
def test_the_blocks_of_rows_in_memory_are_all_rows_in_their_order(block):
    found = list(Rows(FRAME, Y).blocks(block))
    assert pd.concat([rows for rows, _ in found]).equals(FRAME)
    assert np.concatenate([labels for _, labels in found]).tolist() == Y.tolist()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.csv"
    FRAME.assign(kind=Y).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("kind", [Path, str])
def test_a_file_is_evaluated_by_its_path(path, kind):
    found = accuracy(new_tree(), kind(path), target="kind")
    assert found == accuracy(new_tree(), FRAME, Y)


def test_a_file_that_defines_its_class_needs_no_target(tmp_path):
    path = tmp_path / "rows.arff"
    path.write_text(
        "@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\n2,y\n3,x\n"
    )
    assert prequential(rp.VFDT(), path, progress=False).n == 3


def test_a_file_is_closed_also_after_an_error(path, monkeypatch):
    closed, close = [], FileStream.close

    def counted(file):
        closed.append(file)
        close(file)

    def fails(*given, **options):
        raise RuntimeError("no")

    monkeypatch.setattr(FileStream, "close", counted)
    accuracy(new_tree(), path, target="kind")
    assert len(set(closed)) == 1
    model = new_tree()
    monkeypatch.setattr(model, "prequential", fails)
    with pytest.raises(RuntimeError):
        prequential(model, path, target="kind", progress=False)
    assert len(set(closed)) == 2


def test_a_name_is_evaluated():
    found = prequential(new_tree(), "synth:sea?seed=1", rows=2_500, progress=False)
    assert found.n == 2_500


def test_a_data_set_of_river_is_evaluated():
    datasets = pytest.importorskip("river.datasets")
    assert prequential(new_tree(), datasets.Phishing(), progress=False).n == 1_250


def test_holdout_and_folds_take_the_same(path):
    want = holdout(new_tree(), X, Y, train=2_000, progress=False)
    assert want.n == 500
    for given in (((X, Y),), (FRAME, Y)):
        assert holdout(new_tree(), *given, train=2_000, progress=False).accuracy == want.accuracy
    assert holdout(new_tree(), path, target="kind", train=2_000, progress=False).n == 500
    each = [
        folds(new_tree(), X, Y, k=3).test_accuracy.tolist(),
        folds(new_tree(), FRAME, Y, k=3).test_accuracy.tolist(),
        folds(new_tree(), pl.from_pandas(FRAME), Y, k=3).test_accuracy.tolist(),
        folds(new_tree(), path, target="kind", k=3).test_accuracy.tolist(),
    ]
    assert each == [each[0]] * 4


REFUSED = {
    "rows without labels": ((X,), {}, TypeError, "a ndarray is not a stream; pass .* rows and lab"),
    "a frame without labels": ((FRAME,), {}, TypeError, "a DataFrame is not a stream"),
    "a sparse matrix without labels": ((sparse.csr_matrix(X),), {}, TypeError, "is not a stream"),
    "a number": ((5,), {}, TypeError, "a int is not a stream"),
    "labels of another length": ((X, Y[:9]), {}, ValueError, r"2500 rows, got the shape \(9,\)"),
    "labels with a stream": (
        (rp.streams.sea(n_rows=9), Y),
        {},
        ValueError,
        "y is for rows in memory",
    ),
    "labels with a name": (("synth:sea", Y), {}, ValueError, "y is for rows in memory"),
    "a target with rows": ((X, Y), {"target": "kind"}, ValueError, "target is for files"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_evaluated_is_refused_with_the_way_out(name):
    given, options, kind, text = REFUSED[name]
    model = new_tree()
    with pytest.raises(kind, match=text):
        prequential(model, *given, progress=False, **options)
    assert not model.__sklearn_is_fitted__()


def test_a_file_without_a_target_names_its_columns(path):
    with pytest.raises(ValueError, match=r"rows\.csv: target must name .* 'a', 'b', 'c', 'kind'"):
        prequential(new_tree(), path, progress=False)
