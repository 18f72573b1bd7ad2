"""A process that may not have more memory: MemoryError, and a model that can go on."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from tests.attack.models import NAMES
from tests.effort import ATTACK

FEW = ["VFDT", "HAT", "CVFDT", "ITI", "OADT"]

PROGRAM = textwrap.dedent(
    """
    import gc
    import resource
    import sys

    import numpy as np

    from riparian.storage import modelfile
    from riparian.models.registry import MODELS
    from tests.attack.models import SLOW, eager, rows_for

    def used():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()

    def attack(name, tries):
        n = 300 if name in SLOW else 2_000
        X, y = rows_for(name, n, columns=12)
        words = np.array([f"label {i % 23}" for i in range(n)], dtype=object)
        # The C library ends the program where a new thread has no memory for its own data.
        known = MODELS[name]().get_params(deep=False)
        alone = {"n_jobs": 1} if "n_jobs" in known else {}
        model = eager(name, **alone).partial_fit(X[:100], y[:100])
        failed = 0
        for attempt in range(tries):
            gc.collect()
            before = model.n_seen_
            room = int(10 ** dice.uniform(3, 6.5))
            resource.setrlimit(resource.RLIMIT_AS, (used() + room, hard))
            try:
                model.partial_fit(X, words if attempt % 2 else y)
            except MemoryError:
                failed += 1
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
            assert before <= model.n_seen_ <= before + n, (before, model.n_seen_)
            loaded = modelfile.from_bytes(modelfile.to_bytes(model))
            assert loaded.classes_.tolist() == model.classes_.tolist()
            assert np.array_equal(loaded.predict_proba(X[:40]), model.predict_proba(X[:40]))
            if model.n_seen_ > before:
                model = eager(name, **alone).partial_fit(X[:100], y[:100])
        return failed

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    dice = np.random.default_rng(1)
    *names, tries = sys.argv[1:]
    print(sum(attack(name, int(tries)) for name in names))
    """
)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
@pytest.mark.parametrize(
    "names", [NAMES[part::4] for part in range(4)] if ATTACK > 1 else [FEW], ids=lambda n: n[0]
)
def test_learning_with_too_little_memory(names, effort, report_tries):
    tries = 5 * effort
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM, *names, str(tries)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report_tries("batches with too little memory", tries * len(names))
    report_tries("of them, batches that raised MemoryError", int(done.stdout))
