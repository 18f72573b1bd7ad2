"""Objects of users that have a state: how the core makes, copies, saves and restores them."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from riparian.policies.callables import importable_name

__all__ = ["OwnObject", "described", "is_own_object", "states_in"]

#: Where states are kept that do not leave the process, or leave it in a pickle.
_KEPT: ContextVar[list[Any] | None] = ContextVar("kept_states", default=None)


@contextlib.contextmanager
def states_in(kept: list[Any]) -> Iterator[None]:
    """Save the states of users' objects as objects in `kept`, and restore them from it.

    Otherwise a state is what ``get_state`` of the object returns, as a model file needs it.
    """
    token = _KEPT.set(kept)
    try:
        yield
    finally:
        _KEPT.reset(token)


def is_own_object(value: object) -> bool:
    """Return whether a parameter is an object of a user: a drift detector or a leaf predictor.

    Detectors and policies of the package have these methods too; the caller knows them.
    """
    if isinstance(value, type):
        return False
    return (callable(getattr(value, "update", None)) and hasattr(value, "drift_detected")) or (
        callable(getattr(value, "learn", None)) and callable(getattr(value, "predict_proba", None))
    )


def described(value: object) -> str:
    """Return the name of the class of an object, or of a function or class."""
    kind = value if isinstance(value, type) or hasattr(value, "__qualname__") else type(value)
    return importable_name(kind) or repr(value)


class OwnObject:
    """Objects of a user, as the core calls them.

    The core holds one of these for all objects that are made from one prototype, and passes each
    object to its methods.

    Parameters
    ----------
    name : str
        The parameter, for error messages.
    value : object
        An object that has seen nothing, which is copied, or a function or class that makes one.
    is_object : callable
        Whether an object has the methods that are needed.
    needs : str
        The methods, for error messages.
    """

    def __init__(self, name: str, value: Any, is_object: Callable[[Any], bool], needs: str) -> None:
        self._name, self._is_object, self._needs = name, is_object, needs
        self._makes = isinstance(value, type) or not is_object(value)
        self._value = value if self._makes else copy.deepcopy(value)
        self._described = described(value)

    def fresh(self) -> Any:
        """Return an object that has seen nothing."""
        if not self._makes:
            return copy.deepcopy(self._value)
        made = self._value()
        if not self._is_object(made):
            raise TypeError(
                f"{self._name} {self._described} must return an object with {self._needs}, "
                f"got {made!r}"
            )
        return made

    def copy(self, own: Any) -> Any:
        """Return an independent object in the same state."""
        return copy.deepcopy(own)

    def save(self, own: Any) -> bytes:
        """Return the state of an object as bytes; a TypeError if a file cannot hold it."""
        kept = _KEPT.get()
        if kept is not None:
            kept.append(copy.deepcopy(own))
            return json.dumps({"kept": len(kept) - 1}).encode()
        kind = type(own).__name__
        if not (callable(getattr(own, "get_state", None)) and callable(_setter(own))):
            raise TypeError(
                f"parameter {self._name}={self._value!r} cannot be saved: a model file holds no "
                f"code; give {kind} the methods get_state() and set_state(state) for JSON values, "
                "or pickle the model"
            )
        state = own.get_state()
        try:
            text = json.dumps({"state": state}, allow_nan=False, sort_keys=True)
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(
                f"parameter {self._name}={self._value!r} cannot be saved: get_state() of {kind} "
                f"must return JSON values ({error})"
            ) from None
        return text.encode()

    def restored(self, data: bytes) -> Any:
        """Return the object that `save` has described; a ValueError if it describes none."""
        try:
            saved = json.loads(data)
        except (UnicodeDecodeError, ValueError, RecursionError):
            saved = None
        kept = _KEPT.get()
        if kept is not None and isinstance(saved, dict) and set(saved) == {"kept"}:
            return kept[saved["kept"]]
        if not isinstance(saved, dict) or set(saved) != {"state"}:
            raise ValueError(f"not a state of {self._name}")
        own = self.fresh()
        set_state = _setter(own)
        if not callable(set_state):
            raise ValueError(f"{self._name} {self._described} has no set_state(state)")
        set_state(saved["state"])
        return own


def _setter(own: Any) -> Any:
    return getattr(own, "set_state", None)
