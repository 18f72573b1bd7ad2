"""The application is plain ASGI: another server serves it as well."""

from __future__ import annotations

import threading

import httpx
import pytest
import uvicorn

from riparian.serve.app import make_app
from riparian.serve.serving import Served, Serving
from tests.serve.serving import until
from tests.serve.test_security import fitted


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_uvicorn_serves_the_application() -> None:
    config = uvicorn.Config(
        make_app(Serving("model", Served(fitted(), 0))), port=0, log_level="error", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60.0) as client:
            body = {"features": {"x": 0.95, "word": "a"}, "proba": True}
            assert client.post("/v1/predict", json=body).json()["label"] == "yes"
            assert client.post("/v1/predict", content=b"{").status_code == 400
            with client.stream("GET", "/v1/events") as reply:
                assert next(reply.iter_text()).startswith("retry")
    finally:
        server.should_exit = True
        thread.join()
