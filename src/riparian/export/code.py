"""Trees as code that runs without riparian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riparian.errors import one_of
from riparian.export.c import c_code
from riparian.export.plain import plain_tree
from riparian.export.python import python_code
from riparian.export.sql import sql_code

if TYPE_CHECKING:
    from riparian.tree import HoeffdingTree

__all__ = ["LANGUAGES", "to_code"]

LANGUAGES = {"sql": sql_code, "python": python_code, "c": c_code}


def to_code(model: HoeffdingTree, language: str, *, leaf: str | None = None, **options: Any) -> str:
    """The tree as the text of a program with the same answers.

    Parameters
    ----------
    model : HoeffdingTree
        A model that has learned.
    language : {"sql", "python", "c"}
        SQL as SQLite and DuckDB read it, Python 3, or C99.
    leaf : {"majority"} or None, default=None
        "majority" reads the leaves of any model as majority leaves; None refuses a model
        with others.
    **options
        For "sql": ``table="examples"``, what to read, and ``proba=True``, whether to give
        probabilities. For "c": ``name="tree"``, what all names begin with.

    Returns
    -------
    str
        The program. It says at its top how to call it.
    """
    write = LANGUAGES[one_of("language", language, LANGUAGES)]
    return write(plain_tree(model, leaf, "to_code"), **options)
