"""Schemas by their numbers, from a schema registry over HTTP."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from riparian.errors import one_of

__all__ = ["SchemaRegistry"]

#: Seconds that a request may take.
_PATIENCE = 10.0
_OPTIONS = ("user", "password", "token")


class SchemaRegistry:
    """Schemas that were asked for once are kept: a number never gets another schema.

    Parameters
    ----------
    url : str
        For example ``http://localhost:8081``, without user and password.
    options : mapping
        ``user`` and ``password``, or ``token``.
    """

    def __init__(self, url: str, options: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"registry must be an http or https address, got {url!r}")
        if parts.username or parts.password:
            raise ValueError(
                "registry must have no user and password; give them as the options registry.user "
                "and registry.password"
            )
        for name in options:
            one_of("an option of the registry", name, _OPTIONS)
        self.url = url.rstrip("/")
        self._headers = {"Accept": "application/vnd.schemaregistry.v1+json, application/json"}
        if "token" in options:
            self._headers["Authorization"] = f"Bearer {options['token']}"
        elif "user" in options:
            login = f"{options['user']}:{options.get('password', '')}".encode()
            self._headers["Authorization"] = f"Basic {base64.b64encode(login).decode()}"
        self._known: dict[int, Any] = {}

    def schema(self, number: int) -> Any:
        """Return the schema with a number, as JSON.

        Raises
        ------
        ValueError
            If the registry has no such schema, or if it is not Avro.
        ConnectionError
            If the registry cannot be reached now.
        PermissionError
            If it refuses the login.
        """
        if number not in self._known:
            self._known[number] = self._asked(number)
        return self._known[number]

    def _asked(self, number: int) -> Any:
        request = urllib.request.Request(f"{self.url}/schemas/ids/{number}", headers=self._headers)
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE) as reply:
                found = json.loads(reply.read())
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 404:
                raise ValueError(f"{self.url} has no schema {number}") from None
            if error.code in (401, 403):
                raise PermissionError(
                    f"{self.url} refuses the login: status {error.code}; give the options "
                    "registry.user and registry.password, or registry.token"
                ) from None
            raise ConnectionError(f"{self.url} replied with status {error.code}") from None
        except (OSError, ValueError) as error:
            raise ConnectionError(f"{self.url}: {getattr(error, 'reason', error)}") from None
        if found.get("schemaType", "AVRO") != "AVRO":
            raise ValueError(f"schema {number} is {found['schemaType']}, not Avro")
        return json.loads(found["schema"])
