"""What every model is outside: a scikit-learn classifier that also learns one example at a time."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin

from riparian import modelfile
from riparian.compat import announce_to_river
from riparian.learned import E
from riparian.learning import Learning
from riparian.outputs import open_output
from riparian.policies import AXES, changed
from riparian.values import json_object

if TYPE_CHECKING:
    from onnx import ModelProto
    from sklearn.utils import Tags

    from riparian.export.plain import Allowed, PlainTree
    from riparian.export.planes import PlainPlanes

__all__ = ["StreamClassifier"]


class StreamClassifier(Learning[E], ClassifierMixin, BaseEstimator):
    """A model over a native engine; a subclass defines which engine, and what can be seen of it.

    It has an `__init__` of plain parameters that ends in ``announce_to_river(type(self))``,
    and the methods :meth:`_new_engine` and :meth:`_restored_engine`.
    """

    # River's pipelines and evaluation need these of a classifier.
    _supervised = True
    _multiclass = True

    # -- parameters ---------------------------------------------------------------------------

    def _axes(self) -> dict[str, Any]:
        """The parameters that what is learned depends on; a file holds them."""
        return dict(self.get_params(deep=False))

    def _adopt(self, axes: Mapping[str, Any]) -> None:
        """Takes over such parameters."""
        self.__dict__.update(axes)

    def _fresh_like(self) -> StreamClassifier[E]:
        """An unfitted model of the same parameters."""
        return type(self)(**self.get_params(deep=False))

    def set_params(self, **params: Any) -> Self:
        """Sets parameters, as scikit-learn does; ``bound__c`` is parameter ``c`` of the bound."""
        of_policies: dict[str, dict[str, Any]] = {}
        own = self.get_params(deep=False)
        for key in list(params):
            axis, _, name = key.partition("__")
            if name and axis in AXES and axis in own:
                of_policies.setdefault(axis, {})[name] = params.pop(key)
        # A parameter that no policy has is refused before anything is set.
        policies = {
            axis: changed(axis, self._meant(axis, params.pop(axis, own[axis])), changes)
            for axis, changes in of_policies.items()
        }
        super().set_params(**params)
        for axis, policy in policies.items():
            setattr(self, axis, policy)
        return self

    def _meant(self, axis: str, value: Any) -> Any:
        """The policy of an axis, as the model understands what the user wrote."""
        return value

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    # -- to notebooks and other places --------------------------------------------------------

    def _repr_html_(self) -> str:
        from riparian.repr_html import repr_html

        return repr_html(self)

    # scikit-learn's notebook display uses this one.
    _html_repr = _repr_html_

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree | PlainPlanes:
        """What it predicts, as numbers; a ValueError if `asked` cannot express it."""
        raise NotImplementedError

    def to_onnx(self, **options: Any) -> ModelProto:
        """The model as one of ONNX; options as in :func:`riparian.export.to_onnx`."""
        from riparian.export import to_onnx

        return to_onnx(self, **options)

    def to_code(self, language: str, **options: Any) -> str:
        """The model as SQL, Python or C; options as in :func:`riparian.export.to_code`."""
        from riparian.export import to_code

        return to_code(self, language, **options)

    # -- saving -------------------------------------------------------------------------------

    @property
    def metadata_(self) -> dict[str, Any]:
        """Free metadata that is saved with the model: a JSON object, empty at first.

        Set it to another object; changing the one that is returned changes nothing.
        """
        return copy.deepcopy(self.__dict__.get("_metadata", {}))

    @metadata_.setter
    def metadata_(self, value: Mapping[str, Any]) -> None:
        self._metadata = json_object("metadata_", value)

    @property
    def positions_(self) -> dict[str, Any]:
        """Where its sources were read up to: a JSON object that is saved with the model."""
        return copy.deepcopy(self.__dict__.get("_positions", {}))

    @positions_.setter
    def positions_(self, value: Mapping[str, Any]) -> None:
        self._positions = json_object("positions_", value)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model to a file that :func:`riparian.load` reads; all or nothing.

        A model that has learned nothing can be saved too: the file holds its parameters. What is
        written has been loaded once before, so that no file is replaced by one that cannot be read.
        Links are followed, and a file that is replaced keeps its mode bits. A device or a FIFO is
        written to. A read-only file is refused, also for root.
        """
        data = modelfile.to_checked_bytes(self)
        with open_output(path, "wb") as file:
            file.write(data)

    def __getstate__(self) -> dict[str, Any]:
        names = {*self._axes(), *self.get_params(deep=False)}
        parameters = {name: self.__dict__[name] for name in names if name in self.__dict__}
        # Also where none were set: models that are equal have equal pickles.
        parameters |= {"_metadata": self.metadata_, "_positions": self.positions_}
        state: dict[str, Any] = {"parameters": parameters}
        if self._engine is not None:
            state["model"] = modelfile.to_bytes(self)
            # Of what was learned with: the parameters may have been changed since then.
            state["functions"] = modelfile.functions_of(self._learned_with)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["parameters"])
        if "model" in state:
            self._become(modelfile.from_bytes(state["model"], state["functions"]))
            self.__dict__.update(state["parameters"])
        announce_to_river(type(self))

    def _become(self, other: StreamClassifier[E]) -> None:
        self._adopt(other._axes())
        self._take_over(other)
