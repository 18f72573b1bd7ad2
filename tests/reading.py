"""Files read whole, or refused, for the tests of the readers."""

import numpy as np
import pytest

from riparian.streams.readers.formats import open_stream

JOBS = "age,job,happy\n31,nurse,yes\n?,smith,no\n44.5,,yes\n"


def many(n, seed=0):
    """A CSV of this many rows, with numbers, gaps and categories."""
    rng = np.random.default_rng(seed)
    lines = ["a,b,c,y"]
    for i in range(n):
        number = ["", "?", f"{rng.normal():.3f}", repr(rng.normal()), "1e-3"][rng.integers(5)]
        lines.append(f"{number},{rng.integers(1000)},{'uvw'[rng.integers(3)]},{i % 3}")
    return "\n".join(lines) + "\n"


def whole(stream, size=10_000):
    """All rows of a stream as one block."""
    blocks = list(stream.blocks(size))
    names = list(dict.fromkeys(name for X, _ in blocks for name in X))
    X = {name: np.concatenate([X[name] for X, _ in blocks]) for name in names}
    ys = [y for _, y in blocks if y is not None]
    return X, np.concatenate(ys) if ys else None


def read(path, size=10_000, **options):
    """All rows of a file as one block."""
    with open_stream(path, **options) as stream:
        return whole(stream, size)


def refused(path, **options):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read(path, **options)
    return str(caught.value)
