"""The base of all models: a scikit-learn classifier that also learns one example at a time."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sklearn.base import BaseEstimator, ClassifierMixin

from riparian.data.values import json_object
from riparian.models.exporting import Exporting
from riparian.models.learned import E
from riparian.models.learning import Learning
from riparian.models.parts import Parts
from riparian.models.recipe import Recipe, document, initializer, same_value
from riparian.models.river import RiverModel, announce_to_river
from riparian.models.unknown_parameters import explaining, hint
from riparian.policies import AXES, changed, shortest
from riparian.policies.objects import states_in
from riparian.storage import modelfile
from riparian.storage.outputs import open_output

if TYPE_CHECKING:
    from sklearn.utils import Tags


__all__ = ["StreamClassifier"]


class StreamClassifier(Learning[E], Exporting, ClassifierMixin, BaseEstimator, RiverModel):
    """A model over a native engine; a subclass defines the engine and what it shows of it.

    A subclass has an `__init__` of plain parameters that ends in
    ``announce_to_river()``, the class of its engine (``_native``) and the method
    :meth:`_settings`. A recipe has none of these: it declares what it fixes.
    """

    #: The heading under which lists show it.
    _group: ClassVar[str] = ""
    #: Its entry in docs/references.bib; None if it follows no paper.
    _paper: ClassVar[str | None] = None

    #: The class whose parameters all its recipes share: the first one with an `__init__`.
    _free: ClassVar[type[StreamClassifier[Any]]]
    #: What a recipe declares; None for the free composition.
    _recipe: ClassVar[Recipe | None] = None
    #: What every recipe accepts unless it fixes it.
    _always_taken: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(
        cls,
        *,
        group: str | None = None,
        paper: str | None = None,
        fixes: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
        takes: Sequence[str] = (),
        allows: Mapping[str, Mapping[Any, Mapping[str, Any]]] | None = None,
    ) -> None:
        """Declare a model, or a recipe of a model.

        Parameters
        ----------
        group : str, optional
            The heading under which lists show it; by default that of its base.
        paper : str, optional
            Its entry in ``docs/references.bib``.
        fixes, defaults, takes, allows
            What a recipe declares; see :class:`riparian.models.recipe.Recipe`.
        """
        super().__init_subclass__()
        cls._group = group or cls._group
        cls._paper = paper
        if fixes is not None or defaults is not None or allows is not None or takes:
            cls._recipe = Recipe(fixes or {}, defaults or {}, takes, allows or {})
            taken = cls._recipe.taken(cls._free_defaults(), cls._always_taken)
            cls.__init__ = explaining(initializer(cls, taken))  # type: ignore[method-assign]
        elif "__init__" in cls.__dict__:
            cls.__init__ = explaining(cls.__init__)  # type: ignore[method-assign]
            cls._free = getattr(cls, "_free", cls)
            return
        # A class without parameters of its own is another name for a recipe.
        if cls._recipe is not None and cls.__doc__ and cls._free.__doc__:  # python -OO drops them
            taken = cls._recipe.taken(cls._free_defaults(), cls._always_taken)
            cls.__doc__ = document(cls.__doc__, cls._free.__doc__, taken, cls._recipe)

    # -- parameters ---------------------------------------------------------------------------

    @classmethod
    @functools.cache  # scikit-learn reads the signature at each call, which takes 50 us
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()
        return names

    @classmethod
    @functools.cache
    def _free_defaults(cls) -> dict[str, Any]:
        """Return the parameters of the free composition, with their defaults."""
        parameters = inspect.signature(cls._free.__init__).parameters
        return {name: p.default for name, p in parameters.items() if name != "self"}

    def _axes(self) -> dict[str, Any]:
        """Return all parameters that the result of learning depends on; a file holds them.

        They are those of the free composition, with those that a recipe fixes.
        """
        own = {name: getattr(self, name) for name in self._get_param_names()}
        if self._recipe is not None:
            own = self._recipe.completed(type(self).__name__, own)
        free = self._free_defaults()
        return self._resolved({**free, **{k: v for k, v in own.items() if k in free}})

    @classmethod
    def _resolved(cls, axes: dict[str, Any]) -> dict[str, Any]:
        """Return the same axes in the form in which they are compared."""
        return axes

    @classmethod
    def _from_axes(cls, axes: Mapping[str, Any]) -> Self:
        """Make the model that has these axes; the inverse of :meth:`_axes`.

        Axes that are left out have their defaults. A ValueError names one that a model of this
        class cannot have.
        """
        taken = cls._get_param_names()
        recipe = cls._recipe or Recipe()
        model = cls(**{name: recipe.shortest(name, axes[name]) for name in taken if name in axes})
        has = model._axes()
        for name, value in cls._resolved(dict(axes)).items():
            if name not in has:
                raise ValueError(f"{cls.__name__} has no parameter {name!r}")
            if name not in taken and not same_value(value, has[name]):
                raise ValueError(f"{cls.__name__} has no {name}={shortest(value)!r}")
        return model

    def set_params(self, **params: Any) -> Self:
        """Set parameters, as in scikit-learn; ``bound__c`` is the parameter ``c`` of the bound.

        Parameters
        ----------
        **params
            New values by the names of parameters. `max_bytes` holds from now on; all others take
            effect at the next `fit`.

        Returns
        -------
        self : StreamClassifier
            The model itself.

        Examples
        --------
        >>> from riparian import HoeffdingTree
        >>> HoeffdingTree(bound="confidence-practical").set_params(bound__c=0.05).bound
        ConfidencePractical(c=0.05)
        """
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
        for name, value in params.items():
            if "__" not in name and name not in own:
                found = hint(type(self), name, value)
                raise ValueError(f"Invalid parameter {name!r} for {self}{found}")
        super().set_params(**params)
        for axis, policy in policies.items():
            setattr(self, axis, policy)
        return self

    def _meant(self, axis: str, value: Any) -> Any:
        """Return the policy that the user means by a value."""
        return value if self._recipe is None else self._recipe.meant(axis, value)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = self._learns_sparse()
        return tags

    def _learns_sparse(self) -> bool:
        """Whether the model can learn sparse rows with its parameters."""
        try:
            self._refuse_sparse(self._axes())
        except (TypeError, ValueError):
            return False
        return True

    # -- showing ------------------------------------------------------------------------------

    def _parts(self) -> Parts:
        """What there is to show; a subclass adds what its models have."""
        engine = self._fitted()
        return Parts(
            examples=engine.seen,
            classes=list(self.classes_),
            features=list(self._schema.features),
            memory_bytes=engine.memory_bytes,
            limited=engine.max_bytes is not None,
            left_out={
                self._schema.label(place): watch.reason
                for place, watch in self._schema.watches.items()
                if watch.left_out
            },
        )

    def _repr_html_(self) -> str:
        from riparian.show.notebook import repr_html

        return repr_html(self)

    # scikit-learn's notebook display uses this one.
    _html_repr = _repr_html_

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
        """How far its sources were read: a JSON object that is saved with the model."""
        return copy.deepcopy(self.__dict__.get("_positions", {}))

    @positions_.setter
    def positions_(self, value: Mapping[str, Any]) -> None:
        self._positions = json_object("positions_", value)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that :func:`riparian.load` reads.

        Parameters
        ----------
        path : path-like
            The file. It appears whole or not at all: if saving fails, what was there stays. A
            read-only file is refused, also for root.

        Notes
        -----
        A model that has learned nothing can be saved too: the file holds its parameters. The bytes
        are loaded once before they are written, so that no file is replaced by one that cannot be
        read. Links are followed, and a file that is replaced keeps its mode bits. Devices and FIFOs
        are written to directly.

        Examples
        --------
        >>> import tempfile
        >>> import riparian as rp
        >>> model = rp.VFDT()
        >>> model.learn_one({"age": 31}, "yes")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.rip")
        ...     again = rp.load(f"{folder}/model.rip")
        >>> again.predict_one({"age": 40})
        'yes'
        """
        data = modelfile.to_checked_bytes(self)
        with open_output(path, "wb") as file:
            file.write(data)

    def __getstate__(self) -> dict[str, Any]:
        names = {*self._axes(), *self.get_params(deep=False)}
        parameters = {name: self.__dict__[name] for name in names if name in self.__dict__}
        # Also if they are empty: equal models have equal pickles.
        parameters |= {"_metadata": self.metadata_, "_positions": self.positions_}
        state: dict[str, Any] = {"parameters": parameters}
        if self._engine is not None:
            kept: list[Any] = []
            with states_in(kept):
                state["model"] = modelfile.to_bytes(self)
            if kept:
                state["states"] = kept
            # The parameters may have been changed since the model learned.
            state["functions"] = modelfile.functions_of(self._learned_with)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["parameters"])
        if "model" in state:
            with states_in(state.get("states", [])):
                learned = modelfile.from_bytes(state["model"], state["functions"])
            self._install(learned._current(learned._learning))
        announce_to_river()
