"""learn_one and predict_one read dicts whose keys and values act while they are read.

A key or value is an object of the user. It may clear or grow the dict that is being read, raise,
or call the model. The dict is read or refused; the model works on; nothing crashes or hangs. The
dicts are read in processes of their own.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import riparian as rp
from tests.attack.evil_dicts import CASES, KEYS

ROOT = Path(__file__).parents[2]
#: Freed memory is overwritten, so that reading it is noticed.
SURELY = {"PYTHONMALLOC": "debug"}


def run(*arguments, text=""):
    # Hangs are ended from inside, after evil_dicts.SECONDS; this is for the worst.
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.attack.evil_dicts", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | SURELY,
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def how_it_ended(result):
    """The end of the process, in words; None where all went well."""
    if result.returncode == 0:
        return None
    if result.returncode < 0:
        return signal.Signals(-result.returncode).name
    if "Timeout" in result.stderr:
        return "hangs"
    return result.stderr.strip().splitlines()[-1][:300] if result.stderr.strip() else "ended"


def failures_of(names):
    """Tries the cases one after another in a process; goes on after one that ends it."""
    failures = {}
    left = list(names)
    while left:
        result = run("cases", text="\n".join(left))
        ended = how_it_ended(result)
        if ended is None:
            break
        tried = [line for line in result.stdout.splitlines() if line in CASES]
        assert tried, result.stderr
        failures[tried[-1]] = ended
        left = left[len(tried) :]
        if len(failures) >= 4:  # enough to see the kinds
            break
    return failures


GROUPS = {
    place: [name for name, (where, *_) in CASES.items() if (where in KEYS) == (place == "keys")]
    for place in ("keys", "values")
}


@pytest.mark.parametrize("group", GROUPS)
def test_an_evil_key_or_value_is_read_or_refused(group, report_tries):
    failures = failures_of(GROUPS[group])
    assert not failures, "\n".join(f"{name}: {ended}" for name, ended in failures.items())
    report_tries("evil dicts, one by one", len(GROUPS[group]))


def test_random_evil_dicts_are_read_or_refused(effort, report_tries, tmp_path):
    count = 5_000 * effort
    path = tmp_path / "progress"
    result = run("random", 1, count, path)
    ended = how_it_ended(result)
    (at,) = struct.unpack("<q", path.read_bytes()) if path.exists() else (-1,)
    assert ended is None, f"seed 1, dict {at:,}: {ended}\n{result.stderr[-2000:]}"
    report_tries("random evil dicts", count)


def test_a_dict_that_another_thread_changes_is_read_or_refused():
    result = run("threads")
    assert how_it_ended(result) is None, result.stderr[-2000:]


def test_subclasses_of_str_and_int_are_the_names_and_values_that_they_are():
    class Name(str):
        __slots__ = ()

    class Number(int):
        pass

    plain, special = rp.HoeffdingTree(), rp.HoeffdingTree()
    for i in range(50):
        x = {"a": i % 7, "b": "uv"[i % 2]}
        plain.learn_one(x, i % 2)
        special.learn_one({Name("a"): Number(x["a"]), Name("b"): Name(x["b"])}, i % 2)
        assert special.predict_one({Name("a"): Number(3)}) == plain.predict_one({"a": 3})
    assert special.predict_proba_one({Name("b"): Name("u")}) == plain.predict_proba_one({"b": "u"})
    assert special.n_seen_ == plain.n_seen_ == 50
