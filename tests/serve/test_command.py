"""The commands: serve, token and replay, as a user starts them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys

import httpx
import pytest

import riparian as rp
from riparian.sources.settings import Settings
from riparian.storage.modelfile import to_bytes
from tests.serve.serving import rows_of, serving, tree
from tests.serve.test_learning import columns


def start(*arguments: str) -> tuple[subprocess.Popen, str]:
    """A server, and where it is."""
    command = [sys.executable, "-m", "riparian", *arguments, "--log", "json"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    lines = []
    for line in server.stderr:
        lines.append(line)
        if found := re.search(r"https?://[0-9.:]+", line):
            return server, found.group(0)
    raise AssertionError("".join(lines))


def riparian(*arguments: str) -> str:
    command = [sys.executable, "-m", "riparian", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_folder_with_tokens_is_served_and_goes_on(tmp_path) -> None:
    tokens, folder = str(tmp_path / "tokens.json"), str(tmp_path / "state")
    write = riparian("token", "new", "--scope", "write", "--name", "me", "--file", tokens)
    (listed,) = json.loads(riparian("token", "list", "--json", "--file", tokens))
    assert listed["scopes"] == ["write"]
    headers = {"authorization": f"Bearer {write}"}
    rows = [{"features": x, "label": y} for x, y in rows_of(100)]
    arguments = ("serve", folder, "--address", "127.0.0.1:0", "--tokens", tokens)
    server, url = start(*arguments, "--recipe", "VFDT", "--set", "grace_period=50")
    try:
        assert httpx.post(f"{url}/v1/learn", json={"rows": rows}).status_code == 401
        reply = httpx.post(f"{url}/v1/learn", json={"rows": rows}, headers=headers, timeout=60)
        assert reply.json() == {"accepted": 100}
        riparian("token", "remove", listed["sha256"], "--file", tokens)
        server.send_signal(signal.SIGHUP)
        assert server.stderr is not None
        for line in server.stderr:
            if "read again" in line:
                break
        assert httpx.get(f"{url}/v1/model", headers=headers).status_code == 401
    finally:
        server.send_signal(signal.SIGTERM)
        _, log = server.communicate(timeout=60)
    assert server.returncode == 0, log
    assert write not in log
    (newest,) = json.loads(riparian("checkpoints", folder, "--json"))["generations"]
    assert newest["rows"] == 100


def test_a_file_is_served(tmp_path) -> None:
    path = tmp_path / "model.rip"
    tree().partial_fit(*columns(rows_of(200))).save(path)
    server, url = start("serve", str(path), "--address", "127.0.0.1:0", "--name", "mine")
    try:
        said = httpx.post(f"{url}/v1/predict", json={"features": {"x": 0.9}}, timeout=60).json()
        assert said["label"] == "yes"
        assert said["model"] == {"name": "mine", "generation": 0, "rows": 200}
        assert httpx.get(f"{url}/").status_code == 200
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
    assert server.returncode == 0


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes its certificate with openssl")
def test_tls(tmp_path) -> None:
    path, key, cert = tmp_path / "model.rip", str(tmp_path / "key"), str(tmp_path / "cert")
    tree().partial_fit(*columns(rows_of(200))).save(path)
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-keyout", key, "-out", cert, "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(command, check=True, capture_output=True)
    tokens = str(tmp_path / "tokens.json")
    read = riparian("token", "new", "--scope", "read", "--file", tokens)
    server, url = start(
        *("serve", str(path), "--address", "127.0.0.1:0", "--tokens", tokens),
        *("--tls-cert", cert, "--tls-key", key),
    )
    try:
        assert url.startswith("https://")
        with httpx.Client(base_url=url, verify=ssl.create_default_context(cafile=cert)) as client:
            body = {"features": {"x": 0.9}}
            assert client.post("/v1/predict", json=body).status_code == 401
            headers = {"authorization": f"Bearer {read}"}
            said = client.post("/v1/predict", json=body, headers=headers, timeout=60).json()
            assert said["label"] == "yes"
            cookie = client.post("/session", json={"token": read}).headers["set-cookie"]
            assert "Secure" in cookie.split("; ")
            assert client.get("/v1/model").status_code == 200
        with pytest.raises(httpx.TransportError):
            httpx.get(url.replace("https", "http") + "/health/live")
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
    assert server.returncode == 0


def test_replay_makes_an_earlier_state_again(tmp_path) -> None:
    from riparian.serve.replay import replay

    rows = rows_of(120)
    settings = Settings(every_seconds=None, every_rows=50)
    with serving(tmp_path / "m", tree(), settings=settings) as running:
        for i in range(0, 120, 10):
            running.learn(rows[i : i + 10])
            running.wait_for(i + 10)
    for n in (119, 111):
        model = replay(str(tmp_path / "m"), n)
        model.positions_ = {}
        assert to_bytes(model) == to_bytes(tree().partial_fit(*columns(rows[:n]))), n
    assert isinstance(model, rp.VFDT)


def test_help_imports_no_server() -> None:
    program = (
        "import sys\nfrom riparian.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('starlette', 'granian', 'msgspec', 'prometheus_client') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ}
    )
    assert done.stdout.strip().endswith("[]"), done.stdout + done.stderr
