"""A file read as a model has learned its features: the same kinds, categories and classes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from riparian.data.schema import Feature
    from riparian.streams.readers.columns import Kind

__all__ = ["AsLearned", "learned_features", "learned_kinds", "rename", "values_by_text"]


def learned_features(model: Any) -> list[Feature]:
    """Return the features of a model, without those that it takes from dates itself."""
    from riparian.data.times import check_parts, part_names

    parts = check_parts(model._learned_with.get("date_parts"))
    features: list[Feature] = model._schema.features
    derived = {f"{f.name}.{p}" for f in features if f.time for p in part_names(f.time, parts)}
    return [feature for feature in features if feature.name not in derived]


def learned_kinds(model: Any) -> dict[str, Kind]:
    """Return the kinds of the columns that a model has learned; none for features without names."""
    kinds: dict[str, Kind] = {}
    for feature in learned_features(model):
        if isinstance(feature.name, str):
            dated = feature.time in ("date", "time")
            kinds[feature.name] = feature.time if dated else feature.kind  # type: ignore[assignment]
    return kinds


def values_by_text(values: Sequence[Hashable]) -> dict[str, Any]:
    """Map the text of each category or class in a file to the value that a model has learned."""
    from riparian.data.values import OTHER

    found: dict[str, Any] = {}
    for value in values:
        if value is OTHER:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        # A learned text takes precedence over a number with the same spelling.
        if isinstance(value, str) or text not in found:
            found[text] = value
    return found


def rename(column: Any, known: Mapping[str, Any]) -> Any:
    """Return a column of texts with the values that a model has learned."""
    from riparian.data.block import Coded
    from riparian.streams.readers.columns import objects

    if isinstance(column, Coded):
        return Coded(column.codes, [known.get(text, text) for text in column.values])
    return objects([known.get(text, text) for text in column.tolist()])


class AsLearned:
    """A stream whose categories and classes are those of a model that continues to learn.

    Parameters
    ----------
    stream : BlockStream
        The stream, opened with :func:`learned_kinds`.
    model : StreamClassifier
        The model.
    """

    def __init__(self, stream: Any, model: Any) -> None:
        self._stream = stream
        features = [f for f in learned_features(model) if f.kind == "categorical"]
        # Texts need no translation.
        self._categories = {
            feature.name: values_by_text(feature.categories)
            for feature in features
            if not all(isinstance(value, str) for value in feature.categories)
        }
        classes = model._schema.classes
        self._classes = (
            {} if all(isinstance(label, str) for label in classes) else values_by_text(classes)
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> Self:
        self._stream.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.__exit__(*error)

    def blocks(self, size: int = 10_000) -> Iterator[tuple[Any, Any]]:
        """Read on, a block at a time; see `riparian.streams.open_stream`."""
        from riparian.data.block import Block

        for X, y in self._stream.blocks(size):
            if self._categories:
                stored = dict(X.stored if isinstance(X, Block) else X)
                for name, known in self._categories.items():
                    if name in stored:
                        stored[name] = rename(stored[name], known)
                X = Block(stored, len(y))
            yield X, rename(y, self._classes) if self._classes and y.dtype == object else y
