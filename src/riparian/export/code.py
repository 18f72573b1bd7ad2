"""Export of models to SQL, Python and C."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from riparian.errors import one_of
from riparian.export.allowed import Allowed
from riparian.export.c import c_code
from riparian.export.c_planes import c_planes
from riparian.export.plain import PlainTree
from riparian.export.python import python_code
from riparian.export.python_planes import python_planes
from riparian.export.sql import sql_code

if TYPE_CHECKING:
    from riparian.models.base import StreamClassifier

__all__ = ["LANGUAGES", "to_code"]

LANGUAGES: dict[str, Callable[..., str]] = {"sql": sql_code, "python": python_code, "c": c_code}
#: The language that has an option.
_OPTIONS = {"table": "sql", "proba": "sql", "name": "c"}
#: The writers of hyperplanes.
_OF_PLANES: dict[str, Callable[..., str]] = {"python": python_planes, "c": c_planes}


def to_code(
    model: StreamClassifier[Any],
    language: str,
    *,
    leaf: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    proba: bool | None = None,
    name: str | None = None,
) -> str:
    """Return a program with the same predictions as the model.

    Parameters
    ----------
    model : StreamClassifier
        A fitted model.
    language : {"sql", "python", "c"}
        SQL for SQLite and DuckDB, Python 3, or C99.
    leaf : {"majority"} or None, default=None
        "majority" exports every leaf as a majority leaf, whose predictions differ. By default
        leaves are exported as they predict.
    missing : {"fails"} or None, default=None
        Where a missing value takes both branches of a test (ITI): "fails" lets it fail the
        test, as it does while learning; None refuses such a model.
    table : str, optional
        Only for "sql": the table to read. By default ``"examples"``.
    proba : bool, optional
        Only for "sql": whether the query returns probabilities. By default it does.
    name : str, optional
        Only for "c": what all names begin with. By default ``"tree"``.

    Returns
    -------
    code : str
        The program. A comment at the top explains how to use it.

    Raises
    ------
    ValueError
        If the language cannot express the model.
    """
    one_of("language", language, LANGUAGES)
    given = {"table": table, "proba": proba, "name": name}
    options = {option: value for option, value in given.items() if value is not None}
    for option in options:
        if _OPTIONS[option] != language:
            raise ValueError(f"{option} needs language={_OPTIONS[option]!r}, got {language!r}")
    plain = model._plain(Allowed(leaf, missing), "to_code")
    if isinstance(plain, PlainTree):
        return LANGUAGES[language](plain, **options)
    if language not in _OF_PLANES:
        raise ValueError(
            f"language must be 'python' or 'c' for {type(model).__name__}, got {language!r}: its "
            "hyperplanes have no SQL form; to_onnx() supports them"
        )
    return _OF_PLANES[language](plain, **options)
