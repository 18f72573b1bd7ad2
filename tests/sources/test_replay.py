"""The plan is read again in its order, whatever order the source has, and in bounded memory."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import riparian as rp
from riparian.sources import EndOfSource
from riparian.sources.items import Read
from riparian.sources.messages import Messages
from riparian.sources.plan import Entry
from riparian.sources.reading import Feed, Reader


class Greedy:
    """A source of four partitions that gives one to its end before it gives the next."""

    name = "greedy://here"
    replayable = True
    identity: ClassVar = {}

    def __init__(self):
        self.n_polled = 0
        self.seeks = 0

    def open(self, positions, start):
        self._at = {p: positions.get(p, {"n": 0})["n"] for p in "abcd"}

    def poll(self, most, timeout):
        left = [p for p in "abcd" if self._at[p] < 2000]
        if not left:
            raise EndOfSource
        p, first = left[0], self._at[left[0]]
        self._at[p] = min(2000, first + most)
        values = [b'{"x": %d, "y": %d}' % (i, i % 3) for i in range(first, self._at[p])]
        self.n_polled += len(values)
        return rp.sources.Chunk(p, {"n": first}, {"n": self._at[p]}, values)

    def seek(self, partition, position):
        self.seeks += 1
        self._at[partition] = position["n"]

    def behind(self):
        return {}

    def committed(self, positions):
        pass

    def close(self):
        pass


def test_a_replay_holds_a_bounded_number_of_messages():
    """The plan takes the partitions in turn; the source gives the one that is needed last."""
    chunks = [(p, first) for first in range(0, 1500, 50) for p in "dcba"]
    plan = [Entry(0, p, {"n": first}, {"n": first + 50}, 50) for p, first in chunks]
    source = Greedy()
    messages = Messages("y")
    decoder = messages.decoder([[b'{"x": 1, "y": 1}']], source, 1)
    feed = Feed(source, lambda samples: decoder, lambda state: decoder, decoder)
    reader = Reader([feed], plan, block=100)
    read, most = [], 0
    for item in reader.items():
        most = max(most, sum(len(chunk.values) for chunk in feed.waiting))
        if isinstance(item, Read):
            read.append((item.chunk.partition, item.chunk.first["n"], len(item.chunk.values)))
    assert read[: len(plan)] == [(p, first, 50) for p, first in chunks]
    for p in "abcd":
        mine = [(first, n) for name, first, n in read if name == p]
        assert [first for first, _ in mine] == [0, *np.cumsum([n for _, n in mine])[:-1]]
        assert sum(n for _, n in mine) == 2000
    assert source.seeks > 0
    assert most <= 500
