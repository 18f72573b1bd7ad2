"""Models as code that runs without riparian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riparian.errors import one_of
from riparian.export.c import c_code
from riparian.export.c_planes import c_planes
from riparian.export.plain import Allowed, PlainTree
from riparian.export.python import python_code
from riparian.export.python_planes import python_planes
from riparian.export.sql import sql_code

if TYPE_CHECKING:
    from riparian.model import StreamClassifier

__all__ = ["LANGUAGES", "to_code"]

LANGUAGES = {"sql": sql_code, "python": python_code, "c": c_code}
#: Of hyperplanes; SQL has no exponential that every base knows.
_OF_PLANES = {"python": python_planes, "c": c_planes}


def to_code(
    model: StreamClassifier[Any],
    language: str,
    *,
    leaf: str | None = None,
    missing: str | None = None,
    **options: Any,
) -> str:
    """The model as the text of a program with the same predictions.

    Parameters
    ----------
    model : StreamClassifier
        A model that has learned.
    language : {"sql", "python", "c"}
        SQL as SQLite and DuckDB read it, Python 3, or C99.
    leaf : {"majority"} or None, default=None
        "majority" reads the leaves of any tree as majority leaves; None refuses a model
        with others.
    missing : {"fails"} or None, default=None
        Where a missing value takes both branches of a test (ITI): "fails" lets it fail the
        test, as it does while learning; None refuses such a model.
    **options
        For "sql": ``table="examples"``, what to read, and ``proba=True``, whether to give
        probabilities. For "c": ``name="tree"``, what all names begin with.

    Returns
    -------
    str
        The program. A comment at its top explains how to call it.
    """
    one_of("language", language, LANGUAGES)
    plain = model._plain(Allowed(leaf, missing), "to_code")
    if isinstance(plain, PlainTree):
        return LANGUAGES[language](plain, **options)
    if language not in _OF_PLANES:
        raise ValueError(
            f"language must be 'python' or 'c' for {type(model).__name__}, got {language!r}: its "
            "hyperplanes need an exponential, which SQL has not"
        )
    return _OF_PLANES[language](plain, **options)
