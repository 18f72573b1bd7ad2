"""Forests on several workers: each learns all rows with some of the members.

The members of a forest do not depend on each other, and a random number depends on the seed, the
member and the number of the row alone. So the forest is that of one process, byte for byte.
"""

from __future__ import annotations

import hashlib
import itertools
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from riparian import _core
from riparian.cluster.member_worker import MemberWorker
from riparian.cluster.members import all_members, some_members
from riparian.cluster.message import (
    MessageError,
    digest_of,
    pack,
    pack_arrays,
    unpack,
    unpack_arrays,
)
from riparian.cluster.pool import Pool
from riparian.cluster.rounds import DifferentAnswers, Learned, Rounds, Task
from riparian.cluster.summary import check_mergeable
from riparian.cluster.worker import Lesson
from riparian.data.costs import cost_matrix
from riparian.errors import ModelFileError
from riparian.models.base import StreamClassifier
from riparian.models.forests.forest import Forest
from riparian.storage.modelfile import freeze
from riparian.storage.parameters import parameters_to_json
from riparian.storage.schemas import check_agreement, schema_from_json

__all__ = ["ForestRounds", "check_workers", "rounds_for"]

#: The rows of a round, at least and at most, and the most votes: one for each member and class of a
#: row. A forest does not depend on them. The first rounds are small, because classes come.
LEAST_ROWS, MOST_ROWS = 1 << 12, 1 << 19
MOST_VOTES = 1 << 25


def check_workers(model: StreamClassifier[Any]) -> None:
    """Raise an error that names the parameter, if several workers cannot learn a model."""
    if not isinstance(model, Forest):
        check_mergeable(model)
        return
    name, axes = type(model).__name__, model._axes()
    if model._calls_user_functions:
        why = "a function or an object of yours cannot be sent to them"
    elif axes["replacement"] == "worst":
        why = "replacement='worst' compares all members after each row; use n_jobs"
    elif axes["max_bytes"] is not None:
        why = "max_bytes: a worker does not know what the members of others need; use n_jobs"
    else:
        return
    raise ValueError(f"{name} cannot be learned by several workers: {why}")


def rounds_for(
    model: StreamClassifier[Any], pool: Pool, shards: int, *args: Any, **options: Any
) -> Rounds:
    """Return the rounds in which a pool learns a model."""
    if isinstance(model, Forest):
        return ForestRounds(pool, 1, *args, **options)
    return Rounds(pool, shards, *args, **options)


class ForestRounds(Rounds):
    """Rounds of a forest: the members are dealt to the workers, and each learns all rows."""

    worker = MemberWorker
    method = "learn"
    parts = "members"
    only_bytes = True

    #: The files of the members, by their range; the engine that they are the members of, and how
    #: many rows it had seen.
    _files: dict[tuple[int, int], bytes]
    _dealt: tuple[Any, int] = (None, 0)

    def size(self, model: StreamClassifier[Any]) -> int:
        assert isinstance(model, Forest)
        engine = model._fitted()
        votes = engine.n_members * max(1, len(model._schema.classes))
        return max(LEAST_ROWS, min(MOST_ROWS, engine.seen, MOST_VOTES // votes))

    def learn(
        self,
        model: StreamClassifier[Any],
        lessons: Sequence[Lesson | None],
        decoder: Mapping[str, Any] | None = None,
    ) -> Learned:
        assert isinstance(model, Forest)
        engine = model._fitted()
        if self._dealt[0] is not engine or self._dealt[1] != engine.seen:
            self._deal(model)
        digests = "".join(map(digest_of, self._files.values()))
        key = {
            "job": self._job,
            "round": self.number,
            "version": hashlib.sha256(digests.encode()).hexdigest(),
        }
        rows = pickle.dumps(list(lessons))
        begin = self._pool.put(pack({**key, "decoder": dict(decoder or {})}, rows))
        tasks = [
            Task(
                *(first, end, (pickle.dumps((first, end, data)),)),
                {**key, "members": [first, end]},
            )
            for (first, end), data in self._files.items()
        ]
        self._ask_all(tasks, self.method, begin)
        known = len(model._schema.classes)
        learned = self._collect(model, tasks, known)
        self.number += 1
        return learned

    def _deal(self, model: Forest) -> None:
        """Make a file of the members of each worker."""
        n = model._fitted().n_members
        frozen = freeze(model)
        workers = min(n, self._pool.workers)
        bounds = [n * w // workers for w in range(workers + 1)]
        self._files = {}
        for first, end in itertools.pairwise(bounds):
            own = {**model._learned_with, "n_estimators": end - first}
            header = {**frozen.header, "parameters": parameters_to_json(own)}
            members = some_members(frozen.arrays, first, end)
            self._files[first, end] = pack_arrays(header, members)

    def _collect(self, model: Forest, tasks: Sequence[Task], known: int) -> Learned:
        """Put the members together, and add up their votes."""
        parts, said, true, votes = [], [], [], []
        for task in tasks:
            try:
                assert task.answer is not None
                header, (members, *found) = unpack(task.answer)
                if header["members"] != [task.first, task.end]:
                    raise MessageError("it is about other members")
                of_file, arrays = unpack_arrays(members)
                codes, shares, weights = (
                    np.frombuffer(data, kind)
                    for data, kind in zip(found, ("<i4", "<f8", "<f8"), strict=True)
                )
                shape = len(codes), task.end - task.first
                votes.append((shares.reshape(*shape, header["width"]), weights.reshape(shape)))
            except (ModelFileError, ValueError, KeyError, TypeError, AttributeError) as error:
                raise MessageError(
                    f"the answer of worker {task.by} cannot be used: {error}"
                ) from error
            self._files[task.first, task.end] = members
            parts.append(arrays)
            said.append((header["faults"], header["decoder"], of_file["schema"]))
            true.append(codes.astype(np.int32))
        same = all(np.array_equal(codes, true[0]) for codes in true)
        if not same or any(other != said[0] for other in said):
            raise DifferentAnswers(
                "workers have read different rows: one of the machines is broken, or rows changed"
            )
        faults, decoder, schema = said[0]
        self._install(model, all_members(parts), schema)
        predicted = _combined(model, true[0], known, votes)
        by_shard = {
            int(shard): [(int(i), str(why), str(kind)) for i, why, kind in listed]
            for shard, listed in faults.items()
        }
        return Learned(true[0], np.maximum(predicted, 0), by_shard, decoder)

    def _install(self, model: Forest, arrays: dict[str, Any], schema_json: Any) -> None:
        with model._learning:
            try:
                schema = schema_from_json(schema_json)
                engine = model._restored_engine(model._learned_with, arrays)
                check_agreement(schema, arrays)
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                raise MessageError(f"the members of workers make no forest: {error}") from error
            model._install(model._completed(engine, schema, model._learned_with, model._learning))
        self._dealt = engine, engine.seen


def _combined(model: Forest, true: Any, known: int, votes: Sequence[tuple[Any, Any]]) -> Any:
    """Return the codes that the whole forest predicted for each row."""
    # A class is known from the row after its first one on.
    before = np.maximum.accumulate(np.concatenate([[known], true + 1]))[:-1].astype(np.int32)
    costs = model._learned_with.get("costs")
    return _core.combine_votes(
        np.ascontiguousarray(np.concatenate([shares for shares, _ in votes], axis=1)),
        np.ascontiguousarray(np.concatenate([weights for _, weights in votes], axis=1)),
        before,
        None if costs is None else cost_matrix(costs, model._schema.classes),
    )
