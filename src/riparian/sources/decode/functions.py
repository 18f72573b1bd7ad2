"""A user's function that decodes a message: bytes in, a dict out."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["decoding_function"]


def decoding_function(text: str) -> Callable[[bytes], Any]:
    """Return the function that ``module:function`` names; its errors become ValueErrors.

    The present folder is searched for the module, too.
    """
    module, colon, name = text.partition(":")
    if not (module and colon and name):
        raise ValueError(f"decode must be module:function, got {text!r}")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"decode {text!r}: {error}") from error
    if not callable(found):
        raise ValueError(f"decode {text!r} is no function")
    function: Callable[[bytes], Any] = found

    def decode(value: bytes) -> Any:
        try:
            return function(value)
        except ConnectionError:
            raise
        except Exception as error:
            raise ValueError(f"{text} failed: {type(error).__name__}: {error}") from error

    return decode
