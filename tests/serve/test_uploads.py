"""B8: hostile model files are refused with 4xx, and loading them runs nothing."""

from __future__ import annotations

import asyncio
import sys
import warnings
from itertools import islice

import pytest

from riparian.serve.generations import upload
from riparian.serve.http import Problem, Request
from riparian.serve.serving import Served, Serving
from riparian.storage.modelfile import to_bytes
from tests.modelfile.hostile import mutant
from tests.modelfile.mutations import FAMILIES
from tests.modelfile.parts import Parts
from tests.modelfile.samples import sample_models
from tests.serve.test_security import fitted

WATCHED = ("exec", "compile", "import", "open", "pickle.find_class", "marshal.loads", "subprocess")
_events: list[str] = []
_watching = False


def _hook(event: str, arguments: tuple) -> None:
    if _watching and event.startswith(WATCHED):
        _events.append(event)


def put(serving: Serving, data: bytes) -> Problem:
    request = Request("PUT", "/v1/model/file", {}, {}, b"", data, "application/octet-stream")
    with pytest.raises(Problem) as found:
        asyncio.run(upload(serving, request))
    return found.value


@pytest.mark.parametrize("files", [150, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_files_are_refused(files: int) -> None:
    global _watching
    warnings.simplefilter("ignore")
    serving = Serving("model", Served(fitted(), 0))
    good = to_bytes(fitted())
    whole = [Parts(to_bytes(model)) for model in islice(sample_models(), 6)]
    put(serving, good)  # what is imported late is imported now
    sys.addaudithook(_hook)
    statuses: dict[int, int] = {}
    for number in range(files):
        data = mutant(list(FAMILIES)[number % len(FAMILIES)], number, whole)
        _watching = True
        problem = put(serving, bytes(data))
        _watching = False
        statuses[problem.status] = statuses.get(problem.status, 0) + 1
    assert set(statuses) <= {409, 422}
    assert statuses[422] > files // 10
    assert _events == []
    for data in (b"", b"PK\x03\x04", b"\x80\x04.", good[:-1], bytes(64)):
        assert put(serving, data).status == 422
