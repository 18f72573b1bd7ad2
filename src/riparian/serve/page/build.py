"""Bundle the live page into dist/: `make page`, or `python build.py` in this folder.

Needs Node with npm. The libraries that package.json names are installed in build/page at the root
of the repository. The bundle and the licences of the libraries go to dist/, which is part of a
wheel that is built afterwards.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
WORK = ROOT / "build" / "page"
MADE = WORK / "dist"
DIST = HERE / "dist"
#: As many as theme.js knows.
CLASS_COLOURS = 256


def main() -> None:
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("the page is bundled by Node: install nodejs and npm, or build without the page")
    WORK.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text()
    kept = WORK / "package.json"
    if not (WORK / "node_modules").exists() or kept.read_text() != wanted:
        kept.write_text(wanted)
        # Without scripts: no code of a package runs before the bundler does.
        options = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"]
        run([npm, "install", "--silent", *options])
    (WORK / "palette.css").write_text(palette_css())
    MADE.mkdir(exist_ok=True)
    esbuild = str(WORK / "node_modules" / ".bin" / "esbuild")
    options = ["--bundle", "--minify", "--legal-comments=none", f"--outdir={MADE}"]
    run([esbuild, f"page={HERE / 'main.js'}", *options, "--format=esm", "--target=es2022",
         f"--metafile={WORK / 'bundle.json'}"])  # fmt: skip
    run([esbuild, str(HERE / "page.css"), *options])
    shutil.copy(HERE / "index.html", MADE)
    (MADE / "licences.txt").write_text(licences())
    publish()


def publish() -> None:
    """Copy what has changed to dist/: a file that stays does not make a new build necessary."""
    DIST.mkdir(exist_ok=True)
    for path in MADE.iterdir():
        there = DIST / path.name
        if not there.exists() or there.read_bytes() != path.read_bytes():
            shutil.copy(path, there)


def run(command: list[str]) -> None:
    paths = os.pathsep.join([str(WORK), str(WORK / "node_modules")])
    done = subprocess.run(
        command, cwd=WORK, env={**os.environ, "NODE_PATH": paths}, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def palette_css() -> str:
    """The colours of reports and pictures as variables, for light and dark screens."""
    # By its path: the package may not be built yet.
    path = ROOT / "src" / "riparian" / "export" / "palette.py"
    spec = importlib.util.spec_from_file_location("palette", path)
    assert spec is not None
    assert spec.loader is not None
    palette = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(palette)

    def rule(scheme: dict[str, str], *, dark: bool) -> str:
        colours = {f"class-{k}": palette.class_colour(k, dark=dark) for k in range(CLASS_COLOURS)}
        return ":root{" + "".join(f"--{k}:{v};" for k, v in {**scheme, **colours}.items()) + "}"

    light = rule(palette.LIGHT | palette.LIGHT_ACCENTS, dark=False)
    dark = rule(palette.DARK | palette.DARK_ACCENTS, dark=True)
    return f"{light}@media (prefers-color-scheme:dark){{{dark}}}"


def licences() -> str:
    """The licences of the bundled libraries, one after the other."""
    names = json.loads((HERE / "package.json").read_text())["dependencies"]
    texts = []
    for name in sorted(names):
        folder = WORK / "node_modules" / name
        version = json.loads((folder / "package.json").read_text())["version"]
        texts.append(f"{name} {version}\n\n{(folder / 'LICENSE').read_text()}")
    return "\n\n".join(texts)


if __name__ == "__main__":
    main()
