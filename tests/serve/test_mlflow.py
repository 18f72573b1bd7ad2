"""A model saved for MLflow loads with our loader, predicts the same, and holds no pickle."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd

from riparian.serve.mlflow import save_model
from tests.serve.test_security import fitted


def test_a_model_goes_through_mlflow(tmp_path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mlflow import pyfunc

        model = fitted()
        save_model(model, str(tmp_path / "saved"))
        loaded = pyfunc.load_model(str(tmp_path / "saved"))
        frame = pd.DataFrame({"x": [0.1, 0.95], "word": ["a", "b"]})
        assert loaded.predict(frame).tolist() == model.predict(frame).tolist() == ["no", "yes"]
    files = {path.name for path in Path(tmp_path / "saved").rglob("*") if path.is_file()}
    assert "model.rip" in files
    assert not any(name.endswith((".pkl", ".pickle", ".joblib")) for name in files)
