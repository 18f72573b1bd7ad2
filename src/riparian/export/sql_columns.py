"""Columns of SQL queries: their names, and the column of the predicted class."""

from __future__ import annotations

from collections.abc import Sequence

from riparian.export.sql_tests import all_of

__all__ = ["comment_on", "first_best", "named"]


def comment_on(probabilities: Sequence[str]) -> str:
    """Return the part of the comment that names the columns of probabilities."""
    last = f" to {probabilities[-1]}" if len(probabilities) > 1 else ""
    return f"\n-- and the probabilities in {probabilities[0]}{last}"


def named(expressions: Sequence[str], names: Sequence[str]) -> str:
    """Return the columns of a SELECT."""
    pairs = zip(expressions, names, strict=True)
    return ",\n".join(f"    {expression} AS {name}" for expression, name in pairs)


def first_best(scores: Sequence[str], relation: str, labels: Sequence[str]) -> str:
    """Return an expression for the label of the first best score."""
    if len(labels) == 1:
        return labels[0]
    whens = [
        f"    WHEN {all_of([f'{score} {relation} {other}' for other in scores[i + 1 :]])} "
        f"THEN {labels[i]}"
        for i, score in enumerate(scores[:-1])
    ]
    return "CASE\n" + "\n".join(whens) + f"\n    ELSE {labels[-1]}\n  END"
