"""Every public method of a model documents its parameters, its result and its use."""

from __future__ import annotations

import inspect
import itertools

import pytest

import riparian as rp
from riparian.models.registry import MODELS

METHODS = {
    "apply",
    "change_counts",
    "changes",
    "clone",
    "decision_path",
    "explain_one",
    "export_graphviz",
    "export_text",
    "fit",
    "get_depth",
    "get_n_leaves",
    "guarantee",
    "join",
    "learn_many",
    "learn_one",
    "members",
    "partial_fit",
    "pending",
    "planes",
    "plot",
    "predict",
    "predict_log_proba",
    "predict_many",
    "predict_one",
    "predict_proba",
    "predict_proba_many",
    "predict_proba_one",
    "prequential",
    "rescan",
    "from_sklearn",
    "save",
    "set_params",
    "splits",
    "to_code",
    "to_onnx",
    "to_sklearn",
}
#: Methods that scikit-learn documents, and one that River documents while it is in use.
INHERITED = {"get_metadata_routing", "get_params", "score", "mutate"}


def public_methods(cls):
    """All names of methods, without those that scikit-learn writes: ``set_fit_request``."""
    return {
        name
        for name in dir(cls)
        if not name.startswith("_")
        and inspect.isroutine(getattr(cls, name))
        and not name.endswith("_request")
    }


def sections_of(function):
    lines = inspect.getdoc(function).splitlines()
    return {above for above, line in itertools.pairwise(lines) if set(line) == {"-"}}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_model_has_no_public_method_that_is_not_listed(model):
    assert public_methods(model) - INHERITED <= METHODS


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_method_documents_parameters_result_and_use(model):
    for name in sorted(METHODS & set(dir(model))):
        method = getattr(model, name)
        signature = inspect.signature(method)
        wanted = {"Examples"}
        if set(signature.parameters) - {"self"}:
            wanted.add("Parameters")
        if signature.return_annotation != "None":
            wanted.add("Returns")
        assert wanted <= sections_of(method), f"{model.__name__}.{name}"


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_method_has_its_options_in_its_signature(model):
    for name in sorted(METHODS & set(dir(model)) - {"set_params", "from_sklearn"}):
        kinds = {p.kind for p in inspect.signature(getattr(model, name)).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, f"{model.__name__}.{name}"


def test_load_documents_parameters_result_and_use():
    assert {"Parameters", "Returns", "Examples"} <= sections_of(rp.load)
