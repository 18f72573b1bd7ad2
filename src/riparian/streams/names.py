"""Streams by name, as the command line writes them: ``synth:sea?concept=1&seed=3&rows=100000``."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from urllib.parse import unquote

from riparian.streams.boundaries import hyperplane, mixed, sea, sine
from riparian.streams.clouds import gaussian_clusters, random_rbf, wide
from riparian.streams.drifting import drifting
from riparian.streams.rules import agrawal, corrected_node, stagger
from riparian.streams.shapes import led, waveform
from riparian.streams.stream import Stream
from riparian.streams.trees import mdt_tree, rand_cbt, random_tree

__all__ = ["GENERATORS", "PREFIX", "from_name"]

PREFIX = "synth:"

GENERATORS: dict[str, Callable[..., Stream]] = {
    generator.__name__: generator
    for generator in (
        agrawal,
        corrected_node,
        drifting,
        gaussian_clusters,
        hyperplane,
        led,
        mdt_tree,
        mixed,
        rand_cbt,
        random_rbf,
        random_tree,
        sea,
        sine,
        stagger,
        waveform,
        wide,
    )
}


def from_name(name: str) -> Stream:
    """Give the stream that a name describes.

    Parameters
    ----------
    name : str
        ``synth:`` and a generator's name; after ``?``, its parameters as ``option=value``, joined
        by ``&``. ``rows`` is short for ``n_rows``; without it a stream is endless, save for
        ``drifting``. Hyphens may be written for underscores.

    Raises
    ------
    ValueError
        If there is no such generator or option, or a value is not what the option accepts.

    Examples
    --------
    >>> from_name("synth:sea?concept=1&seed=3&rows=100000")
    Stream(100,000 rows, 3 features, 2 classes)
    >>> from_name("synth:random-tree")
    Stream(endless, 10 features, 2 classes)
    >>> from_name("synth:see")
    Traceback (most recent call last):
    ...
    ValueError: 'synth:see' must name one of 'agrawal', 'corrected_node', 'drifting', \
'gaussian_clusters', 'hyperplane', 'led', 'mdt_tree', 'mixed', 'rand_cbt', 'random_rbf', \
'random_tree', 'sea', 'sine', 'stagger', 'waveform', 'wide', got 'see'; did you mean 'sea'?
    """
    if not name.startswith(PREFIX):
        raise ValueError(f"a stream's name must begin with {PREFIX!r}, got {name!r}")
    wanted, _, query = name.removeprefix(PREFIX).partition("?")
    wanted = wanted.replace("-", "_")
    if wanted not in GENERATORS:
        rule = f"{name!r} must name one of"
        raise ValueError(_not_one_of(rule, wanted, sorted(GENERATORS)))
    generator = GENERATORS[wanted]
    return generator(**_options(name, generator, query))


def _options(name: str, generator: Callable[..., Stream], query: str) -> dict[str, int | float]:
    parameters = inspect.signature(generator).parameters
    known = ["rows" if option == "n_rows" else option for option in parameters]
    options: dict[str, int | float] = {}
    for part in query.split("&") if query else ():
        option, equals, text = part.partition("=")
        option = unquote(option).replace("-", "_")
        if option not in known:
            raise ValueError(_not_one_of(f"an option of {name!r} must be one of", option, known))
        if not equals:
            raise ValueError(f"{name!r}: {option} must have a value, as in {option}=1")
        parameter = "n_rows" if option == "rows" else option
        if parameter in options:
            raise ValueError(f"{name!r}: {option} must be given once, got it twice")
        wants_float = isinstance(parameters[parameter].default, float)
        options[parameter] = _number(name, option, unquote(text), wants_float)
    return options


def _number(name: str, option: str, text: str, wants_float: bool) -> int | float:
    try:
        return float(text) if wants_float else int(text)
    except ValueError:
        kind = "a number" if wants_float else "a whole number"
        raise ValueError(f"{name!r}: {option} must be {kind}, got {text!r}") from None


def _not_one_of(rule: str, got: str, known: list[str]) -> str:
    within = [name for name in known if got and got in name]
    nearest = difflib.get_close_matches(got, known, n=1) or within
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"{rule} {', '.join(map(repr, known))}, got {got!r}{hint}"
