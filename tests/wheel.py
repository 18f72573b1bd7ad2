"""Install a wheel where there is no compiler, and use it: ``python -m tests.wheel dist/*.whl``.

The environment is new, and the only programs on its path are its own. A part of the tests follows,
against the installed package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Every policy, model files of every format, and the readers of data.
TESTS = (
    "tests/policies",
    "tests/modelfile/test_format.py",
    "tests/modelfile/test_golden.py",
    "tests/streams",
)
SMOKE = """
    import pathlib, shutil, subprocess, sys
    import riparian as rp
    assert pathlib.Path(rp.__file__).is_relative_to(sys.prefix), rp.__file__
    for compiler in ("cc", "gcc", "g++", "clang", "clang++", "cmake", "ninja"):
        assert shutil.which(compiler) is None, f"{compiler} is on the path"
    X, y = rp.streams.sea(seed=1).take(20_000)
    for model in (rp.StreamTree(), rp.StreamForest(n_estimators=3), rp.HAT(), rp.ITI(), rp.OADT()):
        rows = slice(1_000 if isinstance(model, rp.ITI) else 20_000)
        model.partial_fit(X[rows], y[rows])
        assert model.score(X, y) > 0.7, model
        model.save("model.rip")
        assert (rp.load("model.rip").predict(X) == model.predict(X)).all(), model
    subprocess.run(["riparian", "run", "synth:sea?rows=5000", "--quiet"], check=True)
    print("riparian", rp.__version__, "works with Python", sys.version.split()[0])
"""


def main(*wheels: str) -> None:
    """Try the newest of the wheels that fit this Python."""
    wheel = max(map(Path, wheels), key=lambda path: path.stat().st_mtime).resolve()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        venv.create(home / "venv", with_pip=True, symlinks=True)
        programs = home / "venv" / "bin"
        alone = {"PATH": str(programs), "HOME": folder, "TMPDIR": folder}
        kept = ("PIP_", "SSL_", "http_proxy", "https_proxy", "LANG")
        alone |= {name: value for name, value in os.environ.items() if name.startswith(kept)}

        def run(*command: str | Path) -> None:
            subprocess.run(command, check=True, env=alone, cwd=home)

        python = programs / "python"
        run(python, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")
        run(python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", wheel)
        run(python, "-c", textwrap.dedent(SMOKE))
        group = f"{ROOT / 'pyproject.toml'}:test"
        run(python, "-m", "pip", "install", "--quiet", "--group", group)
        # Copies: nothing of the package's source can be imported from there.
        shutil.copytree(ROOT / "tests", home / "tests")
        package = "riparian_experiments"
        shutil.copytree(ROOT / "experiments" / package, home / package)
        shutil.copy(ROOT / "pyproject.toml", home)
        run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *TESTS)


if __name__ == "__main__":
    main(*sys.argv[1:])
