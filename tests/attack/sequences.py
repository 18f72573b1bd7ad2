"""Sequences of calls of a model: good, bad, interrupted and failing ones; what holds after each.

A sequence is a list of steps, each a kind and a seed, so that a step means the same whatever came
before it and any of them can be left out. ``python -m tests.attack.sequences NAME SEED`` runs one
by hand.
"""

from __future__ import annotations

import sys
import time
import traceback
from pathlib import Path

from tests.attack.bench import Bench, Dice
from tests.attack.interruptions import watched
from tests.attack.kinds import KINDS
from tests.attack.steps import STEPS
from tests.attack.what_holds import check


def sequence(name, seed, length=12):
    """Steps as (kind, seed); the first one is whether the features have names."""
    dice = Dice(f"{name} {seed}")
    kinds_of_steps = list(STEPS)
    shares = [share for _, share in STEPS.values()]
    steps = [(dice.choices(kinds_of_steps, shares)[0], dice.random_seed()) for _ in range(length)]
    return [("learn", dice.random_seed()), *steps] if dice.random() < 0.7 else steps


def problem_of(name, seed, steps, folder):
    """What goes wrong in a sequence, and after how many steps; None: nothing."""
    kind = KINDS[name]
    for left in folder.iterdir():
        left.unlink()
    bench = Bench(kind, Dice(f"names {name} {seed}").random() < 0.7, folder)
    for i, (what, step_seed) in enumerate(steps):
        try:
            with watched():
                STEPS[what][0](bench, Dice(step_seed))
                check(bench.model, kind)
        except BaseException as error:
            if isinstance(error, SystemExit):
                raise
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            return i + 1, f"{what}: {type(error).__name__}: {str(error)[:300]} [{where}]"
    return None


def shrunk(name, seed, steps, folder, seconds=5.0):
    """The shortest part of a failing sequence that still fails, as far as time allows."""
    end = time.monotonic() + seconds
    again = True
    while again and time.monotonic() < end:
        again = False
        for i in reversed(range(len(steps))):
            shorter = steps[:i] + steps[i + 1 :]
            found = problem_of(name, seed, shorter, folder) if shorter else None
            if found is not None:
                steps, again = shorter[: found[0]], True
                break
            if time.monotonic() > end:
                break
    return steps


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        asked, number = sys.argv[1], int(sys.argv[2])
        print(problem_of(asked, number, sequence(asked, number), Path(made)))
