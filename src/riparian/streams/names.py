"""Open streams by name: ``synth:sea?concept=1&seed=3&rows=100000``, ``dataset:elec2``."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from riparian.errors import NO_EXPERIMENTS
from riparian.streams.generators.boundaries import hyperplane, mixed, sea, sine
from riparian.streams.generators.clouds import gaussian_clusters, random_rbf, wide
from riparian.streams.generators.drifting import drifting
from riparian.streams.generators.rules import agrawal, corrected_node, stagger
from riparian.streams.generators.shapes import led, waveform
from riparian.streams.generators.trees import mdt_tree, rand_cbt, random_tree
from riparian.streams.stream import Stream

__all__ = ["DATASET", "GENERATORS", "PREFIX", "from_name", "is_grouped", "open_named"]

PREFIX = "synth:"
#: The prefix of data sets, which `riparian_experiments` provides.
DATASET = "dataset:"

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
    """Return the generated stream of a name.

    Parameters
    ----------
    name : str
        ``synth:`` and the name of a generator, optionally with ``?`` and parameters
        ``option=value`` joined by ``&``. ``rows`` is short for ``n_rows``; without it all streams
        except ``drifting`` are endless. Hyphens count as underscores.

    Returns
    -------
    stream : Stream
        The stream.

    Raises
    ------
    ValueError
        If there is no such generator or option, or the option does not accept the value.

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
        raise ValueError(f"the name of a stream must begin with {PREFIX!r}, got {name!r}")
    wanted, _, query = name.removeprefix(PREFIX).partition("?")
    wanted = wanted.replace("-", "_")
    if wanted not in GENERATORS:
        rule = f"{name!r} must name one of"
        raise ValueError(_not_one_of(rule, wanted, sorted(GENERATORS)))
    generator = GENERATORS[wanted]
    return generator(**_options(name, generator, query))


def open_named(
    name: str, note: Callable[[str], None] = lambda message: None, *, seed: int | None = None
) -> Stream:
    """Return the generated stream or the data set of a name.

    Parameters
    ----------
    name : str
        A name as for :func:`from_name`, or ``dataset:`` and the name of a data set.
    note : callable, optional
        Called with a message if the rows of a data set should be shuffled.
    seed : int, optional
        Seed of a generator, or of the order of a data set's rows. A seed in the name takes
        precedence.

    Returns
    -------
    stream : Stream
        The stream.

    Raises
    ------
    ValueError
        If there is no such stream.
    ModuleNotFoundError
        If the data sets are not installed.

    Examples
    --------
    >>> open_named("synth:sea?rows=500", seed=3)
    Stream(500 rows, 3 features, 2 classes)
    """
    if name.startswith(DATASET):
        stream: Stream = _datasets(name).from_name(_with(name, "shuffle", seed), note)
        return stream
    if name.startswith(PREFIX):
        return from_name(_with(name, "seed", seed))
    raise ValueError(
        f"the name of a stream must begin with {PREFIX!r} or {DATASET!r}, got {name!r}"
    )


def is_grouped(name: str) -> bool:
    """Whether the rows of a data set are grouped by class, so that they must be shuffled.

    Parameters
    ----------
    name : str
        ``dataset:`` and the name of a data set.
    """
    wanted = name.removeprefix(DATASET).partition("?")[0]
    return bool(_datasets(name).info(wanted).grouped)


def _datasets(name: str) -> Any:
    try:
        from riparian_experiments import datasets
    except ModuleNotFoundError:
        raise ModuleNotFoundError(f"{name}: {NO_EXPERIMENTS}") from None
    return datasets


def _with(name: str, option: str, value: int | None) -> str:
    if value is None or f"{option}=" in name:
        return name
    return f"{name}{'&' if '?' in name else '?'}{option}={value}"


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
            raise ValueError(f"{name!r}: {option} is given twice")
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
