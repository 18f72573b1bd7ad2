"""The limits of a server."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """What a client may ask for at most. Sizes are bytes, times are seconds."""

    body: int = 8 << 20
    arrow_body: int = 64 << 20
    rows: int = 100_000
    arrow_rows: int = 2_000_000
    row_bytes: int = 1 << 20
    id_bytes: int = 256
    header_seconds: float = 5.0
    body_seconds: float = 10.0
    connections: int = 512
    in_flight: int = 256
    event_clients: int = 32
    journal_rows: int = 1_000_000
    journal_bytes: int = 1 << 30
