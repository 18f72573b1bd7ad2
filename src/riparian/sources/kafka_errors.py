"""Errors of librdkafka: which ones are worth another try."""

from __future__ import annotations

from typing import Any

__all__ = ["exception_of"]


def exception_of(codes: Any, error: Any, what: str) -> Exception:
    """Return the exception for an error of librdkafka.

    Parameters
    ----------
    codes : type
        The class `KafkaError`, which has the codes.
    error : KafkaError
        The error.
    what : str
        What it concerns.

    Returns
    -------
    Exception
        A ConnectionError if the same call may work later.
    """
    text = f"{what}: {error.str()}"
    if error.code() in (
        codes._AUTHENTICATION,
        codes.SASL_AUTHENTICATION_FAILED,
        codes.TOPIC_AUTHORIZATION_FAILED,
        codes.CLUSTER_AUTHORIZATION_FAILED,
        codes.GROUP_AUTHORIZATION_FAILED,
    ):
        return PermissionError(text)
    if error.code() in (
        codes.UNKNOWN_TOPIC_OR_PART,
        codes._UNKNOWN_TOPIC,
        codes._UNKNOWN_PARTITION,
        codes.TOPIC_EXCEPTION,
    ):
        return LookupError(text)
    if error.code() == codes._INVALID_ARG:
        return ValueError(text)
    return ConnectionError(text)
