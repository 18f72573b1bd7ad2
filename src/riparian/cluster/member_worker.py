"""A worker that learns some members of a forest. It keeps nothing but a cache of them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from riparian.cluster.message import digest_of, pack, pack_arrays, unpack, unpack_arrays
from riparian.cluster.worker import Fault, learn_lesson
from riparian.models.forests.forest import Forest
from riparian.sources.messages import Messages
from riparian.storage.modelfile import freeze, unfitted
from riparian.storage.schemas import check_agreement, schema_from_json

__all__ = ["MemberWorker", "members_from_bytes"]


def members_from_bytes(data: bytes, first: int) -> Forest:
    """Return the forest of some members; `first` is the number of its first one."""
    header, arrays = unpack_arrays(data)
    model = unfitted(header.get("recipe"), header["parameters"])
    assert isinstance(model, Forest)
    model._first_member = first
    model.n_jobs = 1
    axes = model._axes()
    schema = schema_from_json(header["schema"])
    engine = model._restored_engine(axes, arrays)
    check_agreement(schema, arrays)
    model._install(model._completed(engine, schema, axes))
    return model


class MemberWorker:
    """Answers `learn`.

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
        #: Members as they were after the last call, by the digest of their file.
        self._held: dict[str, Forest] = {}

    def learn(self, begin: bytes, task: bytes) -> bytes:
        """Return members that have learned the rows of a round, and how they voted before.

        Parameters
        ----------
        begin : bytes
            Job, round, version, the state of the decoder, and the rows, pickled.
        task : bytes
            The first member, the end, and the file of these members, pickled.
        """
        header, (rows,) = unpack(begin)
        first, end, data = pickle.loads(task)
        model = self._held.pop(digest_of(data), None) or members_from_bytes(data, first)
        self._held.clear()
        engine = model._fitted()
        codes: list[Any] = [np.empty(0, np.int32)]
        votes: list[tuple[int, Any, Any]] = []

        def learn(X: Any, y: Any) -> None:
            engine.take_votes(0)
            found = model._learn(X, y, None, None, predictions="votes")
            codes.append(found[0])
            votes.append((found[1], *found[2].take_votes(found[1])))

        faults: dict[int, list[Fault]] = {}
        state = header["decoder"]
        for shard, lesson in enumerate(pickle.loads(rows)):
            if lesson is None:
                continue
            found, state = learn_lesson(self._messages, lesson, state, learn)
            if found:
                faults[shard] = found
        frozen = freeze(model)
        members = pack_arrays(frozen.header, frozen.arrays)
        self._held[digest_of(members)] = model
        true = np.concatenate(codes)
        width = max((w for w, _, _ in votes), default=0)
        shares = _joined(votes, end - first, width)
        answer = {
            **{name: header[name] for name in ("job", "round", "version")},
            "members": [first, end],
            "width": width,
            "faults": faults,
            "decoder": state,
        }
        weights = np.concatenate([np.empty(0), *(found for _, _, found in votes)])
        arrays = true.astype("<i4"), shares, weights
        return pack(answer, members, *(a.ravel().data.cast("B") for a in arrays))


def _joined(votes: Sequence[tuple[int, Any, Any]], members: int, width: int) -> Any:
    """Return the shares of all calls; classes that came later have none in those before."""
    if len(votes) == 1:
        return votes[0][1]
    shares = np.zeros((sum(len(weights) for _, _, weights in votes) // members, members, width))
    at = 0
    for w, own, weights in votes:
        n = len(weights) // members
        shares[at : at + n, :, :w] = own.reshape(n, members, w)
        at += n
    return shares
