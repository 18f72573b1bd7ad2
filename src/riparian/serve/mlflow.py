"""Models in MLflow: ``mlflow.pyfunc`` with a loader of our own, without pickle.

The model is stored as a file of riparian, which runs no code when it is loaded. MLflow finds this
module by its name and calls :func:`_load_pyfunc`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import riparian
from riparian.models.base import StreamClassifier

__all__ = ["PythonModel", "log_model", "save_model"]

_FILE = "model.rip"
_MODULE = "riparian.serve.mlflow"


def save_model(model: StreamClassifier[Any], path: str, **options: Any) -> None:
    """Save a model as an MLflow model.

    Parameters
    ----------
    model : StreamClassifier
        A model that has learned.
    path : str
        A folder that is not there yet.
    **options
        Further arguments of `mlflow.pyfunc.save_model`, such as ``signature``.
    """
    _written(model, options, lambda pyfunc, more: pyfunc.save_model(path=path, **more))


def log_model(model: StreamClassifier[Any], name: str = "model", **options: Any) -> Any:
    """Log a model to the active run of MLflow.

    Parameters
    ----------
    model : StreamClassifier
        A model that has learned.
    name : str, default='model'
        The name of the model in the run.
    **options
        Further arguments of `mlflow.pyfunc.log_model`, such as ``registered_model_name``.

    Returns
    -------
    ModelInfo
        What MLflow returns.
    """
    return _written(model, options, lambda pyfunc, more: pyfunc.log_model(name=name, **more))


def _written(model: StreamClassifier[Any], options: dict[str, Any], write: Any) -> Any:
    try:
        from mlflow import pyfunc
    except ModuleNotFoundError as error:
        raise ImportError("this needs MLflow; install it with: pip install mlflow") from error
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, _FILE)
        model.save(file)
        needed = {"pip_requirements": [f"riparian=={riparian.__version__}"]}
        return write(
            pyfunc, {"loader_module": _MODULE, "data_path": str(file), **needed, **options}
        )


class PythonModel:
    """What MLflow calls: predictions for frames, mappings of columns and arrays.

    Parameters
    ----------
    model : StreamClassifier
        The model.
    """

    def __init__(self, model: StreamClassifier[Any]) -> None:
        self.model = model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Return the classes of rows, or their probabilities with ``params={"proba": True}``."""
        if params and params.get("proba"):
            return self.model.predict_proba(model_input)
        return self.model.predict(model_input)


def _load_pyfunc(path: str) -> PythonModel:
    """Load a model for MLflow; the path is the file or its folder."""
    found = Path(path)
    return PythonModel(riparian.load(found / _FILE if found.is_dir() else found))
