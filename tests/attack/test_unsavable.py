"""A file that could not be loaded is not written."""

from __future__ import annotations

import pytest

import riparian as rp
from riparian.storage import modelfile
from tests import inside
from tests.attack.models import NAMES, eager, rows_for


@pytest.mark.parametrize("name", NAMES)
def test_a_model_whose_sides_disagree_is_not_saved(name, tmp_path):
    X, y = rows_for(name, 300)
    model = eager(name).partial_fit(X, y)
    path = tmp_path / "model.rip"
    model.save(path)
    good = path.read_bytes()
    inside.schema(model).add_classes(["one that the engine does not know"])
    with pytest.raises(rp.ModelFileError, match="not saved, because its file could not be loaded"):
        model.save(path)
    with pytest.raises(rp.ModelFileError, match="disagree about the classes"):
        modelfile.to_bytes(model)
    assert path.read_bytes() == good
    assert [p.name for p in tmp_path.iterdir()] == ["model.rip"]


def test_a_model_that_the_engine_would_refuse_is_not_saved(tmp_path, monkeypatch):
    X, y = rows_for("VFDT", 300)
    model = eager("VFDT").partial_fit(X, y)

    def refused(engine):
        raise ValueError("counts that cannot be")

    inside.replace_restored_engine(monkeypatch, type(model), refused)
    with pytest.raises(rp.ModelFileError, match="counts that cannot be"):
        model.save(tmp_path / "model.rip")
    assert list(tmp_path.iterdir()) == []
