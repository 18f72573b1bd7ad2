"""What does a limit of memory cost, and does it hold?

A hyperplane that turns all the time (Hulten, Spencer and Domingos, 2001) is learned by two trees
with the same parameters, one of them with `max_bytes`. Each block is predicted, then learned; after
each block the limited tree must be below its limit.

    python benchmarks/memory.py [--rows 50_000_000] [--max-bytes 10MB] [--leaf adaptive]

With `--accounting` the memory of trees from 10 KB to 500 MB is compared with malloc's own numbers
(glibc, whose caches of free blocks must be off for that:
``GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0``).
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import gc
import sys
from time import process_time
from typing import Any

import numpy as np

from riparian import HoeffdingTree, _core
from riparian.models.settings import byte_count
from riparian.streams import hyperplane

BLOCK = 100_000


class _Mallinfo2(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


@functools.cache
def _mallinfo2() -> Any:
    ask = ctypes.CDLL(None).mallinfo2
    ask.restype = _Mallinfo2
    return ask


def malloc_bytes() -> int:
    """Bytes in use by malloc's count: in its arenas, and in mappings of their own."""
    info = _mallinfo2()()
    # What is set aside to finish a row is never written to.
    return int(info.uordblks + info.hblkhd) - _core.reserved_bytes()


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--max-bytes", default="10MB")
    parser.add_argument("--leaf", default="adaptive")
    parser.add_argument("--accounting", action="store_true")
    options = parser.parse_args(arguments)
    if options.accounting:
        return accounting()
    return limit(options.rows, options.max_bytes, options.leaf)


def limit(rows: int, max_bytes: str, leaf: str) -> int:
    """Learn the stream with and without a limit."""
    models = {"no limit": HoeffdingTree(leaf=leaf)}
    models[max_bytes] = HoeffdingTree(leaf=leaf, max_bytes=max_bytes)
    right = dict.fromkeys(models, 0)
    seconds = dict.fromkeys(models, 0.0)
    most = dict.fromkeys(models, 0)
    bound = byte_count("max_bytes", max_bytes)
    assert bound is not None
    seen = 0
    for X, y in hyperplane(speed=1e-6, seed=1, n_rows=rows).blocks(BLOCK):
        for name, model in models.items():
            begin = process_time()
            predicted = model.prequential(X, y)
            seconds[name] += process_time() - begin
            right[name] += int(np.count_nonzero(predicted == y))
            most[name] = max(most[name], model.memory_bytes_)
        seen += len(y)
        if models[max_bytes].memory_bytes_ > bound:
            print(
                f"after {seen:,} rows: {models[max_bytes].memory_bytes_:,} bytes", file=sys.stderr
            )
            return 1
    print("| | accuracy | most bytes | leaves | active | CPU s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, model in models.items():
        print(
            f"| {name} | {right[name] / seen:.4f} | {most[name]:,} | {model.n_leaves_:,} | "
            f"{model.n_active_leaves_:,} | {seconds[name]:.1f} |"
        )
    return 0


def accounting() -> int:
    """Compare what models say they hold with what malloc gives back when they go."""
    print("| memory_bytes_ | malloc | ratio |")
    print("| --- | --- | --- |")
    malloc_bytes()  # the first question takes memory itself
    worst = 0.0
    rng = np.random.default_rng(1)
    sizes = ((5, 2), (10, 30), (10, 1_000), (50, 2_000), (200, 2_500), (500, 3_000))
    for features, leaves in sizes:
        model = HoeffdingTree(max_leaves=leaves, tau=10.0, grace_period=100)
        while not hasattr(model, "classes_") or model.n_leaves_ < leaves:
            # Labels that say nothing: leaves are of a size, and each meets every class.
            X = rng.random((20_000, features))
            model.partial_fit(X, rng.integers(10, size=len(X)))
        del X
        said = model.memory_bytes_ - model._schema.bytes
        gc.collect()
        before = malloc_bytes()
        model._engine = None
        gc.collect()
        found = before - malloc_bytes()
        worst = max(worst, abs(said / found - 1.0))
        print(f"| {said:,} | {found:,} | {said / found:.3f} |")
    return int(worst > 0.05)


if __name__ == "__main__":
    sys.exit(main())
