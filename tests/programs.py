"""Generated programs and ONNX models, run: what they answer, as arrays."""

from __future__ import annotations

import ctypes
import itertools
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest


def run_python(code, frame, model):
    space = {}
    exec(compile(code, "tree.py", "exec"), space)
    examples = frame.to_dict("records")
    labels = [space["predict_one"](x) for x in examples]
    shares = [space["predict_proba_one"](x) for x in examples]
    assert all(list(s) == model.classes_.tolist() for s in shares[:1])
    return np.array(labels, dtype=object), np.array([list(s.values()) for s in shares])


def run_sql(code, frame, model, table="examples"):
    base = sqlite3.connect(":memory:")
    quoted = [name.replace('"', '""') for name in frame.columns]
    columns = ", ".join(f'"{name}"' for name in quoted)
    base.execute(f'CREATE TABLE "{table}" (row INTEGER, {columns})')
    values = [
        (i, *(None if v is None or v != v else v for v in row))
        for i, row in enumerate(frame.itertuples(index=False, name=None))
    ]
    marks = ", ".join("?" * (len(quoted) + 1))
    base.executemany(f'INSERT INTO "{table}" VALUES ({marks})', values)
    found = base.execute(code)
    names = [d[0] for d in found.description]
    place = names.index("row")
    rows = sorted(found.fetchall(), key=lambda row: row[place])
    assert [row[place] for row in rows] == list(range(len(frame)))
    first = names.index("prediction")
    return (
        np.array([row[first] for row in rows], dtype=object),
        np.array([row[first + 1 :] for row in rows]),
    )


numbers = itertools.count()


def run_c(code, frame, model, folder, name="tree"):
    place = folder / f"tree{next(numbers)}"
    source = place.with_suffix(".c")
    source.write_text(code, encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-shared", "-fPIC"]
    library = place.with_suffix(".so")
    subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
    made = ctypes.CDLL(str(library))
    predict, proba = made[f"{name}_predict"], made[f"{name}_probabilities"]
    doubles = ctypes.POINTER(ctypes.c_double)
    predict.argtypes, proba.argtypes, proba.restype = [doubles], [doubles], doubles
    x = np.empty(frame.shape)
    for i, column in enumerate(frame.columns):
        values = frame[column]
        if values.dtype.kind in "fi":
            x[:, i] = values
            continue
        code_of = made[f"{name}_code"]
        code_of.restype = ctypes.c_double
        known = {v: code_of(i, ctypes.c_char_p(v.encode())) for v in values.dropna().unique()}
        x[:, i] = [np.nan if v is None or v != v else known[v] for v in values]
    pointers = [row.ctypes.data_as(doubles) for row in x]
    classes = np.array([predict(p) for p in pointers])
    k = len(model.classes_)
    if f"void {name}_probabilities" in code:  # of a forest: they are computed
        proba.argtypes, proba.restype = [doubles, doubles], None
        shares = np.empty((len(x), k))
        for row, pointer in zip(shares, pointers, strict=True):
            proba(pointer, row.ctypes.data_as(doubles))
    else:
        shares = np.array([np.ctypeslib.as_array(proba(p), (k,)).copy() for p in pointers])
    names = (ctypes.c_char_p * k).in_dll(made, f"{name}_classes")
    assert [n.decode() for n in names] == [str(c) for c in model.classes_]
    return model.classes_[classes], shares


def run_code(language, model, frame, folder, **options):
    code = model.to_code(language, **options)
    if language == "c":
        if shutil.which("gcc") is None:
            pytest.skip("gcc is not here")
        return run_c(code, frame, model, folder)
    return {"python": run_python, "sql": run_sql}[language](code, frame, model)


def session(model, **options):
    onnx, onnxruntime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    made = model.to_onnx(**options)
    onnx.checker.check_model(made, full_check=True)
    data = made.SerializeToString()
    return onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])


def columns(frame, names, kind):
    """One input a column; text is missing where it is empty."""
    return {
        name: frame[name].fillna("").to_numpy(object).reshape(-1, 1)
        if frame[name].dtype.kind not in "biuf"
        else frame[name].to_numpy(kind).reshape(-1, 1)
        for name in frame
    }
