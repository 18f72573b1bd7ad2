"""Sources by the scheme of their address."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import TypeAlias, cast

from riparian.errors import one_of
from riparian.sources.source import Source

__all__ = ["GROUP", "Factory", "is_path", "open_source", "schemes"]

#: The entry point group in which other packages register sources: scheme to factory.
GROUP = "riparian.sources"

#: Makes a source: `factory(address, options, follow)`. Options are settings of the client by name.
#: `follow` says whether to wait for more at the end; None is what is usual for the source: brokers
#: wait, files end.
Factory: TypeAlias = Callable[[str, Mapping[str, str], bool | None], Source]

#: The sources of the package: scheme to module and factory.
_OWN: dict[str, str] = {
    "file": "riparian.sources.paths:path_source",
    "kafka": "riparian.sources.kafka:KafkaSource",
    "nats": "riparian.sources.nats:NatsSource",
    "redis": "riparian.sources.redis:RedisSource",
    "rediss": "riparian.sources.redis:RedisSource",
    "synth": "riparian.sources.paths:generated_source",
}
# A drive letter of Windows is no scheme: two letters at least.
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):", re.ASCII)


def schemes() -> list[str]:
    """Return the schemes of all sources, those of other packages included."""
    return sorted({*_OWN, *(point.name for point in entry_points(group=GROUP))})


def is_path(address: str) -> bool:
    """Return whether an address is that of files, or of standard input."""
    match = _SCHEME.match(address)
    return match is None or match.group(1) == "file"


def open_source(
    address: str, options: Mapping[str, str] | None = None, *, follow: bool | None = None
) -> Source:
    """Return the source at an address.

    Parameters
    ----------
    address : str
        A path, a pattern such as ``"rows/*.csv"`` or an address with a scheme.
    options : mapping of str to str, default=None
        Settings of the source's client by name.
    follow : bool, default=None
        Whether to wait for more at the end. By default brokers wait and files end.

    Returns
    -------
    Source

    Raises
    ------
    ValueError
        If no source has the scheme.
    """
    match = _SCHEME.match(address)
    scheme = "file" if match is None else match.group(1)
    return _factory(scheme)(address, options or {}, follow)


def _factory(scheme: str) -> Factory:
    for point in entry_points(group=GROUP, name=scheme):
        return cast(Factory, point.load())
    module, _, name = _OWN[one_of("the scheme of a source", scheme, _OWN)].partition(":")
    return cast(Factory, getattr(importlib.import_module(module), name))
