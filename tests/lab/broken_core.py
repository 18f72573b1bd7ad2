"""Do the tests notice a core that claims something false?

``python -m tests.lab.broken_core`` copies the sources, breaks one inequality of the betting code
at a time, builds the module and runs the tests that count false certificates and replacements. Each
break must make one of them fail, and without a break all must pass. The first build takes minutes,
each further one a fraction of it. It needs the packages of `make develop` and of the tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BREAKS", "ROOT", "Break"]

ROOT = Path(__file__).parents[2]
RACES = ("tests/lab/test_betting.py", "wrong_decisions or within_tau")
DUELS = ("tests/recipes/test_hat.py tests/recipes/test_efdt.py", "replace_few")
#: An editable install finds its own tree before any other.
RUN = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]
import pytest, riparian._core
assert riparian._core.__file__.startswith(sys.argv[1]), riparian._core.__file__
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--tb=no", *sys.argv[2:]]))
"""


@dataclass(frozen=True)
class Break:
    """A text of a source file, what stands there instead, and the tests that must fail."""

    path: str
    text: str
    instead: str
    tests: tuple[str, str]

    def of(self, source: str) -> str:
        """The broken source."""
        if self.text not in source:
            raise ValueError(f"{self.path} has no {self.text!r}")
        return source.replace(self.text, self.instead)


BREAKS = {
    "a bet is made only on rows that the leader wins": Break(
        "core/simd/wagers.ipp",
        "difference = at - lost;",
        "difference = at - lost;\n        rows = select(difference > 0.0, rows, Lanes(0.0));",
        RACES,
    ),
    "the first rival is forgotten": Break(
        "core/bound/race_standing.cpp",
        "std::all_of(contenders_.begin() + 1,",
        "std::all_of(contenders_.begin() + 2,",
        RACES,
    ),
    "not splitting has the tolerance of the rivals": Break(
        "core/bound/race.hpp",
        "return c.cut.feature == none ? 0.0 : stakes_.tolerance;",
        "return c.cut.feature == none ? stakes_.tolerance : stakes_.tolerance;",
        RACES,
    ),
    "a bet on an alternate is made only on rows that it wins": Break(
        "core/adaptation/duels.cpp",
        "if (difference > 0.0) ahead",
        "if (difference > 0.0 && d > 0.0) ahead",
        DUELS,
    ),
}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        copy, site = Path(folder) / "riparian", Path(folder) / "site"
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        build(copy, site)
        good = [failed(copy, site, tests) for tests in (RACES, DUELS)]
        print(f"unbroken: {sum(good)} tests fail", flush=True)
        survivors = 0
        for what, broken in BREAKS.items():
            path = copy / broken.path
            source = path.read_text("utf-8")
            path.write_text(broken.of(source), "utf-8")
            build(copy, site)
            failures = failed(copy, site, broken.tests)
            print(f"{what}: {failures} tests fail", flush=True)
            survivors += failures == 0
            path.write_text(source, "utf-8")
    return 1 if any(good) or survivors else 0


def build(copy: Path, site: Path) -> None:
    """Builds the module of this copy; only what has changed is compiled again."""
    shutil.rmtree(site, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    command += ["--no-deps", "--no-build-isolation", "--target", str(site), str(copy)]
    # ccache then knows files of the copy that have not changed.
    subprocess.run(command, check=True, env=os.environ | {"CCACHE_BASEDIR": str(copy)})


def failed(copy: Path, site: Path, tests: tuple[str, str]) -> int:
    """How many of these tests fail."""
    files, words = tests
    command = [sys.executable, "-c", RUN, str(site), *files.split(), "-k", words]
    environment = os.environ | {"PYTHONPATH": f"{site}{os.pathsep}{copy}"}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    last = (done.stdout.strip().splitlines() or [""])[-1]
    if done.returncode not in (0, 1):
        raise SystemExit(f"the tests did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    found = re.search(r"(\d+) failed", last)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    sys.exit(main())
