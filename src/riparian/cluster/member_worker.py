"""A worker that learns some members of a forest. It keeps nothing but a cache of them."""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

import numpy as np

from riparian.cluster.message import pack, unpack
from riparian.cluster.worker import Fault, learn_lesson
from riparian.models.forests.forest import Forest
from riparian.sources.messages import Messages
from riparian.storage.modelfile import opened, to_bytes, unfitted
from riparian.storage.schemas import check_agreement, schema_from_json

__all__ = ["MemberWorker", "members_from_bytes"]


def members_from_bytes(data: bytes, first: int) -> Forest:
    """Return the forest of some members; `first` is the number of its first one."""
    arrays, header = opened(data)
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
        digest = hashlib.sha256(data).hexdigest()
        model = self._held.pop(digest, None) or members_from_bytes(data, first)
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
        members = to_bytes(model)
        self._held[hashlib.sha256(members).hexdigest()] = model
        true = np.concatenate(codes)
        width = max((w for w, _, _ in votes), default=0)
        shares = np.zeros((len(true), end - first, width))
        at = 0
        for w, own, weights in votes:
            n = len(weights) // (end - first)
            shares[at : at + n, :, :w] = own.reshape(n, end - first, w)
            at += n
        answer = {
            **{name: header[name] for name in ("job", "round", "version")},
            "members": [first, end],
            "width": width,
            "faults": faults,
            "decoder": state,
        }
        weights = np.concatenate([np.empty(0), *(found for _, _, found in votes)])
        return pack(
            answer, members, true.astype("<i4").tobytes(), shares.tobytes(), weights.tobytes()
        )
