"""Learn and predict over HTTP: run ``riparian serve state --wait 7d --else ok`` first.

Needs ``pip install httpx``; ``requests`` has the same calls. With tokens, set RIPARIAN_TOKEN.
"""

from __future__ import annotations

import os
import random
import sys
import uuid

import httpx


def main(url: str = "http://127.0.0.1:8080") -> None:
    token = os.environ.get("RIPARIAN_TOKEN")
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=headers, timeout=10.0) as client:
        learn(client)
        predict_now_label_later(client)


def learn(client: httpx.Client) -> None:
    """Post rows with labels. The key makes it safe to send them again after a time-out."""
    rows = []
    for _ in range(500):
        amount, country = random.expovariate(0.01), random.choice(["DE", "FR", "US"])
        label = "fraud" if amount > 150 and country == "US" else "ok"
        rows.append({"features": {"amount": amount, "country": country}, "label": label})
    key = {"idempotency-key": str(uuid.uuid4())}
    for _ in range(2):
        reply = client.post("/v1/learn", json={"rows": rows}, headers=key)
        reply.raise_for_status()
        again = "idempotency-replayed" in reply.headers
        print("learned again:" if again else "learned:", reply.json()["accepted"], "rows")


def predict_now_label_later(client: httpx.Client) -> None:
    """Predict with an id; the model learns the row when the label of that id arrives."""
    payment = {"amount": 980.0, "country": "US"}
    name = f"tx-{uuid.uuid4()}"
    reply = client.post("/v1/predict", json={"id": name, "features": payment, "proba": True})
    reply.raise_for_status()
    print("said:", reply.json())
    label = [{"id": name, "label": "fraud"}]
    client.post("/v1/labels", json=label).raise_for_status()
    why = client.post("/v1/explain", json={"features": payment}).json()
    for step in why["steps"]:
        print("  ", step["text"])


if __name__ == "__main__":
    main(*sys.argv[1:])
