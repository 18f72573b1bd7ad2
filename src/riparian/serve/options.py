"""How a model is served: what the options of the command say."""

from __future__ import annotations

from dataclasses import dataclass, field

from riparian.serve.limits import Limits

__all__ = ["ServeOptions"]


@dataclass(frozen=True)
class ServeOptions:
    """How a model is served.

    Parameters
    ----------
    address : str
        ``HOST:PORT``; port 0 takes a free one.
    name : str
        The name of the model.
    tokens : str or None
        The file with the tokens.
    insecure : bool
        Whether everybody who reaches the server may use it.
    tls_cert, tls_key : str or None
        Files of a certificate and its key.
    remember : {'durable', 'fast'}
        Whether a row that waits for its label is durable before its prediction is answered.
    limits : Limits
    """

    address: str
    name: str = "model"
    tokens: str | None = None
    insecure: bool = False
    tls_cert: str | None = None
    tls_key: str | None = None
    remember: str = "durable"
    limits: Limits = field(default_factory=Limits)
