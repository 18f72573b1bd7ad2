"""B2: the description names every route, and nothing that follows it makes the server fail."""

from __future__ import annotations

import json
import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from riparian.serve.app import make_app
from riparian.serve.serving import Served, Serving
from tests.serve.description import FILE, description
from tests.serve.serving import rows_of, serving, tree
from tests.serve.test_security import fitted

DESCRIPTION = json.loads(FILE.read_text("utf-8"))
#: Requests for each of the 30 operations: 69 are 2,000 in all, 690 are 20,000.
_FEW = "69" if os.environ.get("RIPARIAN_TESTS") == "all" else "6"
EXAMPLES = int(os.environ.get("RIPARIAN_SERVE_EXAMPLES", _FEW))
#: Streams that do not end, and nothing to fuzz.
_LEFT_OUT = {"/v1/events"}


def app():
    return make_app(Serving("model", Served(fitted(), 0)))


def test_the_file_is_the_one_that_the_program_writes() -> None:
    assert description() == DESCRIPTION, "run python -m tests.serve.description"


def test_the_description_names_every_route_and_no_other() -> None:
    described = {
        (method.upper(), path)
        for path, methods in DESCRIPTION["paths"].items()
        for method in methods
    }
    made = {(method, route.path) for route in app().routes for method in route.app.specs}
    assert described == made
    for path, methods in DESCRIPTION["paths"].items():
        for method, operation in methods.items():
            spec = next(r.app.specs[method.upper()] for r in app().routes if r.path == path)
            said = operation.get("description", "Scope: None.")
            assert said == f"Scope: {spec.scope}.", path


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("fuzz") / "m", tree()) as found:
        found.learn(rows_of(200))
        found.wait_for(200)
        yield found


SCHEMA = schemathesis.openapi.from_dict(DESCRIPTION)


@pytest.mark.filterwarnings("ignore")
@SCHEMA.exclude(path=list(_LEFT_OUT)).parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)
def test_no_request_makes_the_server_fail(running, case) -> None:
    reply = case.call(base_url=running.served.url, timeout=60)
    assert reply.status_code < 500, (reply.status_code, reply.text)
    assert running.thread.is_alive()
