"""Do two builds of riparian learn the same models from the same files?

``python benchmarks/same_files.py BEFORE AFTER`` takes the Python interpreters of two environments,
each with its own build. Files of every format are learned with ``riparian run`` in both. All arrays
that both model files have, and the names and categories in their headers, must be equal byte for
byte. The headers differ in the parameters that one build has and the other has not.

The files have nothing that changed in meaning: no dates, no identifiers, at most 1,000 categories
per column, and no numeric column with two values only, whose thresholds are now in the middle.
"""

from __future__ import annotations

import gzip
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

ROWS = 5_000
RECIPES = ("VFDT", "StreamTree", "StreamForest")
#: What only one of two builds stores: evidence that later checks do not read.
NOT_COMPARED = ("~digest",)


def write_files(folder: Path) -> list[Path]:
    """Write the same rows in several formats, with missing values, quotes and odd line ends."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(ROWS, 4)) * [1.0, 1e-5, 1e12, 1.0]
    jobs = rng.choice(["nurse", "smith, black", 'the "cook"', "naïve"], ROWS)
    labels = np.where((numbers[:, 0] > 0) ^ (jobs == "nurse"), "yes", "no")
    known = rng.uniform(size=(ROWS, 4)) > 0.02
    rows = []
    for x, k, job, label in zip(numbers.tolist(), known.tolist(), jobs, labels, strict=True):
        found = [v if here else None for v, here in zip(x, k, strict=True)]
        rows.append((*found, str(job), str(label)))
    names = ["a", "b", "c", "d", "job", "y"]
    written = {
        "17 digits.csv": delimited(names, rows, ",", repr),
        "3 digits.csv": delimited(names, rows, ",", "{:.3g}".format),
        "CRLF.csv": delimited(names, rows, ",", repr).replace("\n", "\r\n"),
        "tabs.tsv": delimited(names, rows, "\t", repr),
        "rows.jsonl": "".join(
            json.dumps({k: v for k, v in zip(names, row, strict=True) if v is not None}) + "\n"
            for row in rows
        ),
    }
    for name, text in written.items():
        (folder / name).write_bytes(text.encode())
    with gzip.open(folder / "packed.csv.gz", "wb") as file:
        file.write(written["17 digits.csv"].encode())
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "rows.parquet")
    (folder / "rows.arff").write_text(arff(names, rows))
    return sorted(folder.iterdir())


def arff(names: list[str], rows: list[Any]) -> str:
    """Return rows as ARFF, with plain words for categories."""
    jobs = {row[4]: f"job{i}" for i, row in enumerate(sorted(rows, key=lambda row: row[4]))}
    head = [f"@attribute {name} numeric" for name in names[:4]]
    head += [f"@attribute job {{{','.join(jobs.values())}}}", "@attribute y {no,yes}"]
    lines = [
        ",".join("?" if v is None else repr(v) for v in row[:4]) + f",{jobs[row[4]]},{row[5]}"
        for row in rows
    ]
    return "\n".join(["@relation rows", *head, "@data", *lines]) + "\n"


def delimited(names: list[str], rows: list[Any], delimiter: str, number: Any) -> str:
    """Return rows as text; fields with delimiters or quotes are quoted."""

    def field(value: Any) -> str:
        if value is None:
            return ""
        if not isinstance(value, str):
            return str(number(value))
        special = any(character in value for character in (delimiter, '"'))
        return '"' + value.replace('"', '""') + '"' if special else value

    lines = [names, *([field(value) for value in row] for row in rows)]
    return "".join(delimiter.join(line) + "\n" for line in lines)


def learned(python: str, path: Path, recipe: str, out: Path) -> tuple[dict[str, Any], Any]:
    """Learn a file in an environment; return the arrays of the model file and its names."""
    few = ["--set", "n_estimators=3"] if recipe == "StreamForest" else []
    command = [python, "-m", "riparian", "run", path, "--target", "y", "--recipe", recipe, *few]
    subprocess.run([*command, "--model-out", out, "-q"], check=True, capture_output=True)
    data = out.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    facts = json.loads(header.pop("__metadata__")["riparian"])
    arrays = {
        name: (entry["dtype"], entry["shape"], body[slice(*entry["data_offsets"])])
        for name, entry in header.items()
        if name not in NOT_COMPARED
    }
    return arrays, facts["schema"]


def main() -> int:
    """Compare two builds."""
    different = pairs = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "files").mkdir()
        for path in write_files(Path(folder) / "files"):
            for recipe in RECIPES:
                found = [learned(p, path, recipe, Path(folder) / "m.rip") for p in sys.argv[1:3]]
                (before, names), (after, later) = found
                both = before.keys() & after.keys()
                wrong = sorted(name for name in both if before[name] != after[name])
                for part in ("features", "classes"):
                    if names.get(part) != later.get(part):
                        wrong.append(part)
                pairs, compared = pairs + 1, compared + len(both)
                different += bool(wrong)
                if wrong:
                    print(f"{path.name}, {recipe}: {', '.join(wrong)}")
    print(f"{pairs} pairs of file and model, {compared} arrays, {different} pairs different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
