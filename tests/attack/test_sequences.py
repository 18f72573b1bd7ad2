"""Any model, after any sequence of good, bad, interrupted and failing calls.

An error of any kind in the middle of learning leaves the model as it was, or as after a whole
number of rows of the batch; `n_seen_` is that number. Ctrl-C stops learning within 0.2 seconds.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import riparian as rp
from riparian.storage.modelfile import from_bytes, functions_of, to_bytes
from tests import inside
from tests.attack.interruptions import RaiseAt, watched
from tests.attack.kinds import KINDS
from tests.attack.random_rows import rows
from tests.attack.sequences import problem_of, sequence, shrunk
from tests.attack.what_holds import check, contents, copy_of, is_a_whole_number_of_rows, names_of
from tests.effort import ALL, ATTACK

ROOT = Path(__file__).parents[2]


def in_short(kinds):
    """Each kind once, in turn with and without its memory limit."""
    plain = [name for name in kinds if f"{name}-limited" in kinds]
    left_out = {name if turn % 2 else f"{name}-limited" for turn, name in enumerate(plain)}
    return [name for name in kinds if name not in left_out]


@pytest.mark.parametrize("name", KINDS if ALL or ATTACK > 1 else in_short(KINDS))
def test_a_model_works_after_any_sequence_of_calls(name, effort, report_tries, tmp_path):
    failures = {}
    # With a limit or without, a model of one kind learns in the same way.
    count = effort if name.endswith("-limited") or not ALL else 3 * effort
    for seed in range(count):
        found = problem_of(name, seed, sequence(name, seed), tmp_path)
        if found is not None:
            failures[seed] = found
    report_tries("sequences of calls", count)
    if failures:
        seed, (n_steps, _) = next(iter(failures.items()))
        steps = shrunk(name, seed, sequence(name, seed)[:n_steps], tmp_path)
        lines = [f"seed {seed}: {problem}" for seed, (_, problem) in failures.items()]
        text = "\n".join(lines)
        pytest.fail(f"{len(failures)} of {count} sequences:\n{text}\nshortest: {steps}")


# -- an error at every line ---------------------------------------------------------------------


def learn_batch(model, batch):
    model.partial_fit(batch.X, batch.y, sample_weight=batch.w)


def predict_and_learn(model, batch):
    model.prequential(batch.X, batch.y, batch.w, proba=True)


def learn_first(model, batch):
    x, y, w = next(batch.examples())
    model.learn_one(x, y, w)


#: What fails, and every how many places are tried in the short form.
CALLS = {
    ("VFDT", learn_batch): 7,
    ("VFDT", predict_and_learn): 15,
    ("VFDT", learn_first): 13,
    ("VFDT-limited", learn_batch): 15,
    ("best-of-three", learn_batch): 15,
    ("own-impurity", learn_batch): 15,
    ("OnlineBagging", learn_batch): 15,
    ("UFFT", learn_batch): 15,
    ("AccuracyWeightedEnsemble", learn_batch): 15,
    ("ITI", learn_batch): 15,
    ("ID4", learn_first): 15,
    ("OADT", learn_batch): 15,
}


@pytest.mark.parametrize(
    ("name", "call"), CALLS, ids=[f"{name}-{call.__name__}" for name, call in CALLS]
)
@pytest.mark.parametrize("fresh", [False, True], ids=["learned", "fresh"])
def test_an_error_at_any_line_leaves_a_whole_number_of_rows(
    name, call, fresh, effort, report_tries
):
    kind = KINDS[name]
    before = kind() if fresh else rows(1, 30, True, kind.restructures).learned_by(kind())
    batch = rows(5, 20, True, kind.restructures)  # with new features, categories and classes
    batch.X["colour"][7] = "unheard-of"
    if call is learn_first:
        batch = batch.first(1)
        batch.X["colour"][0] = "unheard-of"
    call(copy_of(before, kind), batch)  # what is imported late is imported now
    model = copy_of(before, kind)
    with RaiseAt(10**9, MemoryError) as all_lines:
        call(model, batch)
    # Each place once, at its first and its last turn.
    turns = {where: i for i, where in enumerate(all_lines.passed)}
    turns_before = {where: i for i, where in reversed(list(enumerate(all_lines.passed)))}
    places = sorted({*turns.values(), *turns_before.values()})
    failures = {}
    every = 1 if effort > 1 else CALLS[name, call] * (5 if fresh else 1)
    tried = places[::every]
    for at, error in zip(tried, itertools.cycle([MemoryError, KeyboardInterrupt]), strict=False):
        model = copy_of(before, kind)
        raising = RaiseAt(at, error)
        try:
            with watched():
                try:
                    with raising:
                        call(model, batch)
                except error:
                    pass
                is_a_whole_number_of_rows(model, kind, before, batch)
                check(model, kind)
        except Exception as problem:
            failures[raising.where] = f"{type(problem).__name__}: {problem}"
    report_tries("errors at lines of the package", len(tried))
    assert not failures, f"{len(failures)} of {len(tried)} places:\n" + "\n".join(
        f"{where}: {problem}" for where, problem in list(failures.items())[:10]
    )


# -- Ctrl-C -------------------------------------------------------------------------------------

#: One of each engine and of each way to learn a row.
ENGINES = (
    *("VFDT", "VFDT-limited", "CVFDT", "HAT", "EFDT", "HoeffdingOptionTree", "exhaustive"),
    *("own-impurity", "OnlineBagging", "StreamingRandomPatches", "AccuracyWeightedEnsemble"),
    *("UFFT", "ID4", "ID5R", "ITI", "OADT"),
)
SHORT = ("VFDT", "own-impurity", "OnlineBagging", "UFFT", "ITI", "OADT")
INTERRUPTED = (
    list(itertools.product(ENGINES, ["partial_fit", "prequential"]))
    if ATTACK > 1
    else [*((name, "partial_fit") for name in SHORT), ("VFDT", "prequential")]
)


def numbers(n, whole):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 4))
    X[:, 0] = np.arange(n) % 11
    if whole:
        X = X.round()
    y = ((X[:, 0] > 5) ^ (X[:, 1] > 0)).astype(int)
    return X, y


def rows_for(kind, seconds):
    """So many rows that learning them takes about so long."""
    n = 100 if kind.restructures else 500
    while True:
        X, y = numbers(n, kind.restructures)
        begin = time.perf_counter()
        kind().partial_fit(X, y)
        took = time.perf_counter() - begin
        if took > 0.02 or n > 10**6:
            return max(n, min(int(n * seconds / took), 3_000_000))
        n *= 3


def interrupted_while_learning(kind, how, X, y, first):
    """Return a model whose batch was interrupted, and the seconds from Ctrl-C to its end."""
    model = kind().partial_fit(X[:first], y[:first])
    sent = []

    def interrupt():
        time.sleep(0.05)
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        getattr(model, how)(X[first:], y[first:])
        thread.join()
    except KeyboardInterrupt:
        return model, time.monotonic() - sent[0]
    pytest.fail("Ctrl-C did not stop it")


@pytest.mark.parametrize(("name", "how"), INTERRUPTED)
def test_ctrl_c_stops_learning_within_a_fifth_of_a_second(name, how, report_tries):
    kind = KINDS[name]
    X, y = numbers(rows_for(kind, 0.8), kind.restructures)
    first = 20
    for _ in range(5):  # a busy machine may take the processor away for a while
        model, seconds = interrupted_while_learning(kind, how, X, y, first)
        if seconds < 0.2:
            break
    report_tries("long batches that were interrupted", 1)
    k = model.n_seen_ - first
    assert seconds < 0.2, (
        f"stopped {seconds:.2f} s after Ctrl-C, with {k:,} of {len(y) - first:,} rows"
    )
    assert 0 <= k <= len(y) - first
    want = kind().partial_fit(X[:first], y[:first])
    if k:
        want.partial_fit(X[first : first + k], y[first : first + k])
    assert contents(model) == contents(want), f"it is not the model of {k:,} rows"
    model.partial_fit(X[:30], y[:30])
    check(model, kind)


# -- too little memory --------------------------------------------------------------------------

SCARCE = ("VFDT", "OADT")
if ATTACK > 1:
    SCARCE += ("exhaustive", "OnlineBagging", "UFFT", "AccuracyWeightedEnsemble", "ITI")

CHILD = """
import resource, sys
from pathlib import Path
from tests.attack import test_sequences
test_sequences.learn_with_little_memory(sys.argv[1], int(sys.argv[2]))
"""


def address_space():
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def learn_with_little_memory(name, steps):
    """Learns a batch with ever more room, from none at all to enough."""
    import resource

    kind = KINDS[name]
    rng = np.random.default_rng(1)
    n, width = (40, 20) if kind.restructures else (300, 150)
    X = {f"f{i}": rng.normal(size=n).round(1) for i in range(width)}
    y = rng.integers(0, 6, size=n)
    before = kind().partial_fit({"f0": X["f0"][:30], "f1": X["f1"][:30]}, y[:30])
    data, functions = to_bytes(before), functions_of(inside.learned_with(before))
    failed = 0
    for step in range(steps):
        model = from_bytes(data, functions)
        if hasattr(model, "n_jobs"):
            # The C library ends the program where a new thread has no memory for its own data.
            model.set_params(n_jobs=1)
        room = int(2 ** (12 + 13 * step / steps))  # 4 kB to 32 MB
        resource.setrlimit(resource.RLIMIT_AS, (address_space() + room, resource.RLIM_INFINITY))
        try:
            model.partial_fit(X, y)
        except Exception as error:
            failed += 1
            raised = error
        else:
            raised = None
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        assert raised is None or isinstance(raised, MemoryError | RuntimeError | OSError), raised
        k = model.n_seen_ - 30
        want = from_bytes(data, functions)
        if k:
            want.partial_fit({name: column[:k] for name, column in X.items()}, y[:k])
        what = f"room for {room:,} bytes, {raised!r}"
        # The features of a batch are known once it has begun, even if no row of it was learned.
        begun = k == 0 and names_of(model) == list(X)
        assert begun or contents(model) == contents(want), f"{what}: not the model of {k} rows"
        model.partial_fit(X, y)
        want.partial_fit(X, y)
        assert contents(model) == contents(want), f"{what}: it does not go on as that of {k} rows"
    assert failed, "there was always memory enough"
    print(f"{failed} of {steps} failed")


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="reads the address space in /proc"
)
@pytest.mark.parametrize("name", SCARCE)
def test_too_little_memory_leaves_a_whole_number_of_rows(name, effort, report_tries):
    steps = 20 * effort
    # Every larger piece of memory is asked of the system, and given back at once.
    env = os.environ | {"MALLOC_MMAP_THRESHOLD_": "8192", "MALLOC_TOP_PAD_": "0"}
    env |= {"MALLOC_TRIM_THRESHOLD_": "0", "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1"}
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", CHILD, name, str(steps)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, f"{result.returncode}: {result.stderr[-1500:]}"
    report_tries("batches with too little memory", steps)


def test_the_list_of_models_is_whole():
    from riparian.models.registry import MODELS

    assert {kind.cls for kind in KINDS.values()} >= set(MODELS.values())
    assert any(kind.asks for kind in KINDS.values())
    assert isinstance(KINDS["VFDT"](), rp.VFDT)
