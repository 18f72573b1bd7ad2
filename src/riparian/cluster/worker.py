"""A worker: it summarises the rows of some shards, and merges the summaries. It keeps nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from riparian.cluster.message import MessageError, freed, pack, unpack, unpack_arrays
from riparian.cluster.shards import merged
from riparian.cluster.summary import Codes, Summary
from riparian.errors import ModelFileError
from riparian.evaluate.learners import rows_of
from riparian.models.base import StreamClassifier
from riparian.sources.messages import Messages
from riparian.sources.prequential import by_halves
from riparian.storage.modelfile import thawed

__all__ = [
    "Fault",
    "Lesson",
    "Part",
    "RowWorker",
    "learn_lesson",
    "merge_parts",
    "read_part",
]

#: What is wrong with a message or row: its number in the shard, the reason, and what refused it.
Fault = tuple[int, str, str]


class Lesson(NamedTuple):
    """Rows of a shard: messages that have to be decoded, or pairs of rows and labels."""

    values: Any = None
    rows: Any = ()


class Part(NamedTuple):
    """The summary of one or more shards."""

    summary: Summary
    #: True and predicted classes of each row, as codes of the summary.
    true: Codes
    predicted: Codes
    #: By shard.
    faults: dict[int, list[Fault]]
    #: What the decoders of the shards know now, those of lower shards first.
    decoder: dict[str, Any]


def merge_parts(low: Part, high: Part) -> Part:
    """Merge the parts of two subtrees."""
    classes = np.asarray(low.summary.merge(high.summary), dtype=np.int32)
    return Part(
        low.summary,
        np.concatenate([low.true, classes[high.true]]),
        # What predicts knows the first classes only: they have the same codes in all summaries.
        np.concatenate([low.predicted, high.predicted]),
        low.faults | high.faults,
        joined_states(low.decoder, high.decoder),
    )


def joined_states(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    """Return what two decoders know together; where they differ, that of the lower shards."""
    found = dict(low)
    for name, value in high.items():
        mine = found.setdefault(name, value)
        if isinstance(mine, dict) and isinstance(value, dict):
            found[name] = {**mine, **{k: v for k, v in value.items() if k not in mine}}
    return found


class RowWorker:
    """Answers `summarize`, and `part` in the process of the coordinator.

    Parameters
    ----------
    messages : Messages or None
        What messages hold; None if rows come with their labels.
    number : int
        The number of the worker.
    """

    def __init__(self, messages: Messages | None, number: int) -> None:
        self._messages = messages
        self._number = number
        #: The version, the model, and an empty summary of it.
        self._model: tuple[object, Any, Summary] | None = None

    def summarize(self, model: bytes, begin: bytes, *task: bytes) -> bytes:
        """Return the part of some shards.

        Parameters
        ----------
        model : bytes
            The model, frozen.
        begin : bytes
            Job, round, version, and the state of the decoder.
        *task : bytes
            The first shard and the end of a subtree, and the rows of its shards, as `pickled`
            returns them.
        """
        header, _ = unpack(begin)
        first, end, lessons = freed(*task)
        self._know(header["version"], lambda: _thawed(model))
        part = self._merged(first, end, lessons, header["decoder"])
        answer = {
            **{name: header[name] for name in ("job", "round", "version")},
            "shards": [first, end],
            "faults": part.faults,
            "decoder": part.decoder,
        }
        codes = [a.astype("<i4").tobytes() for a in (part.true, part.predicted)]
        return pack(answer, part.summary.to_bytes(), *codes)

    def part(
        self,
        model: StreamClassifier[Any],
        decoder: Mapping[str, Any],
        first: int,
        end: int,
        lessons: Mapping[int, Lesson],
    ) -> Part:
        """Return the part of some shards as it is. The model must not change meanwhile."""
        engine = model._fitted()
        self._know((engine, engine.seen), lambda: model)
        return self._merged(first, end, lessons, decoder)

    def _know(self, version: object, model: Callable[[], Any]) -> None:
        """Keep the model of a round."""
        if self._model is None or self._model[0] != version:
            found = model()
            self._model = version, found, Summary(found)

    def _merged(
        self, first: int, end: int, lessons: Mapping[int, Lesson], decoder: Mapping[str, Any]
    ) -> Part:
        parts = {shard: self._learn(shard, lesson, decoder) for shard, lesson in lessons.items()}
        part = merged(parts, first, end, merge_parts)
        assert part is not None
        return part

    def _learn(self, shard: int, lesson: Lesson, state: Mapping[str, Any]) -> Part:
        assert self._model is not None
        _, model, like = self._model
        summary = Summary(model, like)
        found: list[tuple[Codes, Codes]] = []
        faults, known = learn_lesson(
            self._messages, lesson, state, lambda X, y: found.append(summary.learn(X, y))
        )
        true, predicted = (
            np.concatenate([np.empty(0, np.int32), *(pair[i] for pair in found)]) for i in (0, 1)
        )
        return Part(summary, true, predicted, {shard: faults} if faults else {}, known)


def _thawed(model: bytes) -> StreamClassifier[Any]:
    header, arrays = unpack_arrays(model)
    return thawed(arrays, header)


def learn_lesson(
    messages: Messages | None,
    lesson: Lesson,
    state: Mapping[str, Any],
    learn: Callable[[Any, Any], object],
) -> tuple[list[Fault], dict[str, Any]]:
    """Learn rows of a shard, and leave out those that are refused.

    Parameters
    ----------
    messages : Messages or None
        What messages hold; None if rows come with their labels.
    lesson : Lesson
        The rows.
    state : mapping
        What the decoder knows.
    learn : callable
        Learns rows and labels, or raises an error and learns none of them.

    Returns
    -------
    faults : list
        What was refused.
    state : dict
        What the decoder knows now.
    """
    faults: list[Fault] = []
    pairs, index = lesson.rows, None
    if messages is not None:
        decoder = messages.restored(state)
        rows = decoder.decode(lesson.values)
        state = decoder.state()
        pairs, index = [(rows.X, rows.y)], rows.index
        faults = [(int(i), rows.faults[i], "message") for i in sorted(rows.faults)]
    first = 0
    for X, y in pairs:
        if y is None or not len(y):
            continue

        def learn_some(start: int, stop: int, X: Any = X, y: Any = y) -> int:
            learn(rows_of(X, start, stop), y[start:stop])
            return stop

        def refuse(row: int, reason: str, first: int = first) -> None:
            number = first + row
            faults.append((number if index is None else int(index[number]), reason, "model"))

        by_halves(len(y), learn_some, refuse)
        first += len(y)
    return faults, dict(state)


def read_part(
    model: StreamClassifier[Any], answer: bytes, shards: tuple[int, int], by: int
) -> Part:
    """Return the part that a worker has sent; an error names the worker.

    Parameters
    ----------
    model : StreamClassifier
        The model that was summarised.
    answer : bytes
        What the worker has sent.
    shards : tuple of int
        The subtree that it was asked for: its first shard and its end.
    by : int
        The number of the worker.
    """
    first, end = shards
    try:
        header, (summary, *codes) = unpack(answer)
        if header["shards"] != [first, end]:
            raise MessageError("it is about other shards")
        found = Summary.from_bytes(model, summary)
        true, predicted = (np.frombuffer(c, "<i4").astype(np.int32) for c in codes)
        limits = len(found.schema.classes), max(1, len(model._schema.classes))
        if len(true) != len(predicted) or any(
            len(a) and not 0 <= a.min() <= a.max() < most
            for a, most in zip((true, predicted), limits, strict=True)
        ):
            raise MessageError("it has classes that are not known")
        faults = {
            int(shard): [(int(i), str(why), str(kind)) for i, why, kind in listed]
            for shard, listed in header["faults"].items()
        }
        if not all(first <= shard < end for shard in faults):
            raise MessageError("it is about other shards")
        decoder = header["decoder"]
        if not isinstance(decoder, dict):
            raise MessageError("it has no decoder")
    except (ModelFileError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise MessageError(f"the answer of worker {by} cannot be used: {error}") from error
    return Part(found, true, predicted, faults, decoder)
