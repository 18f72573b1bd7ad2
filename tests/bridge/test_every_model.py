"""Every model of the package leaves for other places, or says which rule keeps it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from riparian.models.registry import MODELS
from tests.programs import session

#: Several leaves answer one example.
OPTIONS = {"HoeffdingOptionTree"}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(800, 3)).astype(float)
    return X, ((X[:, 0] > 1) ^ (X[:, 1] == 2)).astype(int)


@pytest.mark.parametrize("name", MODELS)
def test_it_is_exported_as_it_answers_or_the_rule_is_told(data, name):
    X, y = data
    model = MODELS[name]().fit(X, y)
    rows = np.unique(X, axis=0)
    space, refused = {}, ""
    try:
        exec(model.to_code("python"), space)
    except ValueError as error:
        refused = str(error)
    if refused:
        assert any(why in refused for why in ("predict with", "options", "missing value"))
        return
    assert [space["predict_one"](x) for x in rows.tolist()] == model.predict(rows).tolist()
    labels, _ = session(model).run(None, {"X": rows})
    assert labels.tolist() == model.predict(rows).tolist()


@pytest.mark.parametrize("name", sorted(set(MODELS) - {"OADT"}))
def test_what_may_be_read_otherwise_is_exported(data, name):
    X, y = data
    model = MODELS[name]().fit(X, y)
    allowed = {"leaf": "majority", "missing": "fails"}
    if name in OPTIONS:
        with pytest.raises(ValueError, match="several leaves predict a row"):
            model.to_onnx(**allowed)
        return
    space = {}
    exec(model.to_code("python", **allowed), space)
    rows = np.unique(X, axis=0)
    labels, _ = session(model, **allowed).run(None, {"X": rows})
    assert [space["predict_one"](x) for x in rows.tolist()] == labels.tolist()


@pytest.mark.parametrize("name", MODELS)
def test_nothing_learned_is_told_first(name):
    for export in (MODELS[name]().to_onnx, lambda: MODELS[name]().to_code("c")):
        with pytest.raises(NotFittedError):
            export()
