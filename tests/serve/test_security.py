"""B1: each route of the application asks for its scope. The routes are found, not listed."""

from __future__ import annotations

import json

import pytest

from riparian.serve.app import make_app
from riparian.serve.serving import Served, Serving
from riparian.serve.tokens import SCOPES, Tokens, new_token, write_tokens
from tests import inside
from tests.serve.asgi import client_of
from tests.serve.serving import rows_of, tree

OPEN = {
    *(("GET", "/health/live"), ("GET", "/health/ready")),
    *(("GET", "/v2/health/live"), ("GET", "/v2/health/ready"), ("POST", "/session")),
    ("GET", "/static/model"),
}


def fitted():
    rows = rows_of(300)
    return tree().partial_fit(
        {"x": [x["x"] for x, _ in rows], "word": [x["word"] for x, _ in rows]},
        [y for _, y in rows],
    )


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokens") / "tokens.json"
    made = {scope: new_token(scope, [scope]) for scope in SCOPES}
    write_tokens(path, [stored for _, stored in made.values()])
    serving = Serving("model", Served(fitted(), 0), guard=Tokens(str(path)))
    app = make_app(serving)
    return app, client_of(app), {scope: text for scope, (text, _) in made.items()}, path


def routes(app):
    """Every method of every route."""
    for route in app.routes:
        for method, spec in route.app.specs.items():
            path = route.path
            for name in ("number", "version"):
                path = path.replace(f"{{{name}}}", "0")
            yield method, path.replace("{name}", "model"), spec


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_every_route_needs_its_scope(guarded) -> None:
    app, client, tokens, _ = guarded
    walked = 0
    for method, path, spec in routes(app):
        if path == "/v1/events":
            continue  # it does not end; see the test below
        walked += 1
        assert (spec.scope is None) == ((method, path) in OPEN), path
        if spec.scope is None:
            assert client.request(method, path).status_code not in (401, 403), path
            continue
        for headers in ({}, bearer("rip_wrong"), {"authorization": "Basic eDp5"}, bearer("")):
            reply = client.request(method, path, headers=headers)
            assert reply.status_code == 401, (method, path, headers)
            assert "rip_" not in reply.text
        for scope, token in tokens.items():
            reply = client.request(method, path, headers=bearer(token))
            may = scope == spec.scope or (spec.scope == "read" and scope in ("write", "admin"))
            assert (reply.status_code == 403) == (not may), (method, path, scope, reply.text)
            assert reply.status_code != 401
            assert reply.status_code < 500 or reply.status_code == 503
        for other in ("DELETE", "PATCH", "OPTIONS"):
            assert client.request(other, path).status_code == 401, (other, path)
    assert walked >= 30


def test_events_and_unknown_paths_need_a_token(guarded) -> None:
    _, client, tokens, _ = guarded
    assert client.get("/v1/events").status_code == 401
    assert client.get("/v1/events", headers=bearer(tokens["metrics"])).status_code == 403
    assert client.get("/nothing").status_code == 401
    assert client.get("/nothing", headers=bearer(tokens["read"])).status_code == 404
    assert client.get("/static/../app.py", headers=bearer(tokens["read"])).status_code == 404
    assert client.get("/static/..%2fapp.py", headers=bearer(tokens["read"])).status_code == 404


def test_a_session_reads_and_changes_nothing(guarded) -> None:
    app, client, tokens, _ = guarded
    assert client.post("/session", json={"token": "rip_wrong"}).status_code == 401
    assert client.post("/session", json={"token": tokens["metrics"]}).status_code == 403
    reply = client.post("/session", json={"token": tokens["admin"]})
    assert reply.status_code == 204
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert tokens["admin"] not in cookie
    headers = {"cookie": cookie.partition(";")[0]}
    assert client.get("/v1/frame", headers=headers).status_code == 200
    assert client.get("/", headers=headers).status_code == 200
    for method, path, spec in routes(app):
        if (method in ("POST", "PUT") and spec.scope is not None) or spec.scope in (
            "admin",
            "metrics",
        ):
            assert client.request(method, path, headers=headers).status_code == 401, path


def test_a_removed_token_ends_its_sessions(guarded) -> None:
    app, client, tokens, path = guarded
    guard = inside.serving_of(app).guard
    reply = client.post("/session", json={"token": tokens["read"]})
    headers = {"cookie": reply.headers["set-cookie"].partition(";")[0]}
    stored = json.loads(path.read_text())
    left = [one for one in stored["tokens"] if one["scopes"] != ["read"]]
    path.write_text(json.dumps({"tokens": left}))
    guard.reload()
    assert client.get("/v1/frame", headers=headers).status_code == 401
    assert client.get("/v1/frame", headers=bearer(tokens["read"])).status_code == 401
    path.write_text(json.dumps(stored))
    guard.reload()
    assert client.get("/v1/frame", headers=bearer(tokens["read"])).status_code == 200


def test_the_file_has_no_token_and_only_its_owner_can_read_it(guarded) -> None:
    _, _, tokens, path = guarded
    text = path.read_text()
    assert not any(token in text for token in tokens.values())
    made, stored = new_token("name", ["read"])
    write_tokens(path.with_name("other.json"), [stored])
    assert path.with_name("other.json").stat().st_mode & 0o77 == 0
    assert made not in path.with_name("other.json").read_text()


def test_every_answer_has_its_headers(guarded) -> None:
    app, client, tokens, _ = guarded
    for method, path, spec in routes(app):
        if path == "/v1/events":
            continue
        token = tokens[spec.scope or "read"]
        reply = client.request(method, path, headers=bearer(token))
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in reply.headers
        if spec.page and reply.status_code == 200:
            policy = reply.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        else:
            assert "content-security-policy" in reply.headers or (
                reply.headers["cache-control"] == "no-store"
            )


def test_other_machines_need_tokens() -> None:
    from riparian.serve.open_server import open_server
    from riparian.serve.options import ServeOptions

    with pytest.raises(ValueError, match="--tokens"):
        open_server(Serving("m", Served(None, 0)), ServeOptions("0.0.0.0:0"), lambda event: None)
