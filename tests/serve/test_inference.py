"""B9: the Open Inference Protocol, with requests as MLServer's and Triton's clients send them."""

from __future__ import annotations

import pytest

from riparian.serve.app import make_app
from riparian.serve.serving import Served, Serving
from tests.serve.asgi import client_of
from tests.serve.test_security import fitted


@pytest.fixture(scope="module")
def client():
    return client_of(make_app(Serving("model", Served(fitted(), 7))))


def test_metadata_and_health(client) -> None:
    assert client.get("/v2").json()["name"] == "riparian"
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/health/ready").json() == {"ready": True}
    assert client.get("/v2/models/model/ready").status_code == 200
    assert client.get("/v2/models/model/versions/7/ready").status_code == 200
    found = client.get("/v2/models/model/versions/7").json()
    assert found["versions"] == ["7"]
    assert found["inputs"] == [
        {"name": "x", "datatype": "FP64", "shape": [-1]},
        {"name": "word", "datatype": "BYTES", "shape": [-1]},
    ]
    assert found["outputs"][1] == {"name": "proba", "datatype": "FP64", "shape": [-1, 2]}
    for path in ("/v2/models/other", "/v2/models/model/versions/8", "/v2/models/other/ready"):
        assert client.get(path).status_code == 404


#: As `PandasCodec.encode_request` of MLServer writes a frame of two rows: shapes [n, 1].
PANDAS = {
    "id": "r1",
    "parameters": {"content_type": "pd"},
    "inputs": [
        {
            "name": "x",
            "shape": [2, 1],
            "datatype": "FP64",
            "data": [0.1, 0.95],
            "parameters": {"content_type": "np"},
        },
        {
            "name": "word",
            "shape": [2, 1],
            "datatype": "BYTES",
            "data": ["a", "b"],
            "parameters": {"content_type": "str"},
        },
    ],
}
#: As Triton's HTTP client writes it without binary data: nested lists for [n, 1].
TRITON = {
    "inputs": [
        {"name": "x", "shape": [2, 1], "datatype": "FP32", "data": [[0.1], [0.95]]},
        {"name": "word", "shape": [2, 1], "datatype": "BYTES", "data": [["a"], ["b"]]},
    ],
    "outputs": [{"name": "label", "parameters": {"binary_data": False}}],
}


@pytest.mark.parametrize("body", [PANDAS, TRITON])
@pytest.mark.parametrize("version", ["", "/versions/7"])
def test_requests_of_other_clients(client, body, version) -> None:
    reply = client.post(f"/v2/models/model{version}/infer", json=body)
    assert reply.status_code == 200, reply.text
    found = reply.json()
    assert (found["model_name"], found["model_version"]) == ("model", "7")
    assert found.get("id") == body.get("id")
    outputs = {output["name"]: output for output in found["outputs"]}
    assert list(outputs) == (["label"] if "outputs" in body else ["label", "proba"])
    assert outputs["label"] == {
        "name": "label",
        "datatype": "BYTES",
        "shape": [2],
        "data": ["no", "yes"],
    }
    if "proba" in outputs:
        assert outputs["proba"]["shape"] == [2, 2]
        plain = client.post(
            "/v1/predict",
            json={"rows": [{"x": 0.1, "word": "a"}, {"x": 0.95, "word": "b"}], "proba": True},
        ).json()
        values = [p for row in plain["proba"]["values"] for p in row]
        assert outputs["proba"]["data"] == values


@pytest.mark.parametrize(
    ("tensor", "status"),
    [
        ({"shape": [1], "datatype": "FP64", "data": [None]}, 200),
        ({"shape": [1], "datatype": "INT32", "data": [1]}, 200),
        ({"shape": [1], "datatype": "BOOL", "data": [True]}, 200),
        ({"shape": [2], "datatype": "FP64", "data": [1.0]}, 422),
        ({"shape": [1, 2], "datatype": "FP64", "data": [1.0, 2.0]}, 422),
        ({"shape": [1, 1, 1], "datatype": "FP64", "data": [1.0]}, 422),
        ({"shape": [1], "datatype": "FP64", "data": ["1.0"]}, 422),
        ({"shape": [1], "datatype": "BYTES", "data": [1]}, 422),
        ({"shape": [1], "datatype": "TEXT", "data": ["a"]}, 422),
        ({"shape": [0], "datatype": "FP64", "data": []}, 422),
    ],
)
def test_shapes_and_types(client, tensor, status) -> None:
    body = {"inputs": [{"name": "x", **tensor}]}
    assert client.post("/v2/models/model/infer", json=body).status_code == status
