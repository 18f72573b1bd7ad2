"""``riparian checkpoints``: the generations of a checkpoint folder, and whether they are sound."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from riparian.cli.messages import Json, print_json, print_message

__all__ = ["checkpoints", "open_folder"]


def checkpoints(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder of riparian learn.")],
    json: Json = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Load every model and compare it with its digest and its positions. The status "
            "is 1 if one is damaged.",
        ),
    ] = False,
    dead: Annotated[
        int, typer.Option("--dead", min=0, metavar="N", help="Also print the last N dead letters.")
    ] = 0,
) -> None:
    """List the generations of a checkpoint; the learner may be running."""
    from riparian.sources.checkpoint import read_generations, read_job

    with open_folder(folder) as db:
        job, generations = read_job(db), read_generations(db)
        letters = db.execute(
            "SELECT partition, place, reason FROM dead ORDER BY seq DESC LIMIT ?", (dead,)
        ).fetchall()
        (n_dead,) = db.execute("SELECT count(*) FROM dead").fetchone()
    found: list[dict[str, Any]] = []
    for generation in generations:
        entry: dict[str, Any] = {
            "generation": generation.number,
            "rows": generation.rows,
            "file": generation.file,
            "bytes": generation.size,
            "reason": generation.reason,
            "written_at": generation.written_at,
            "epoch": generation.epoch,
            "positions": generation.positions,
            "identity": generation.identity,
            "counters": generation.counters,
        }
        if verify:
            entry["problem"] = _problem(Path(folder), generation)
        found.append(entry)
    if json:
        keys = ("partition", "place", "reason")
        shown = [dict(zip(keys, letter, strict=True)) for letter in letters]
        print_json({"job": job, "generations": found, "dead": n_dead, "dead_letters": shown})
    else:
        _print(folder, job, found, n_dead, letters)
    if any(entry.get("problem") for entry in found):
        raise typer.Exit(1)


def open_folder(folder: str) -> Any:
    """Open the database of a checkpoint for reading."""
    from contextlib import closing

    path = Path(folder, "state.db").absolute()
    if not path.exists():
        raise ValueError(f"{folder} holds no checkpoint")
    return closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10.0))


def _problem(folder: Path, generation: Any) -> str | None:
    from riparian.errors import ModelFileError
    from riparian.sources.checkpoint import load

    try:
        load(folder, generation)
    except ModelFileError as error:
        return str(error)
    return None


def _print(
    folder: str,
    job: dict[str, Any] | None,
    found: list[dict[str, Any]],
    n_dead: int,
    letters: list[Any],
) -> None:
    from rich.table import Table

    from riparian.show.summary import console

    out = console()
    if job is None:
        print_message(f"{folder}: no row was learned yet")
        return
    target = job["messages"]["target"] or job["join"]["label"]
    labels = f", labels from {job['labels']}" if "labels" in job else ""
    out.print(f"{job['recipe']} learns {target!r} from {job['source']}{labels}", style="bold")
    for state in filter(None, job["decoders"]):
        kinds = ", ".join(f"{name} {kind}" for name, kind in list(state["kinds"].items())[:20])
        out.print(f"columns: {kinds}")
    table = Table("generation", "rows", "bytes", "age", "reason", "positions", box=None)
    for entry in found:
        places = [
            f"{partition} {_place(position)}"
            for positions in entry["positions"]
            for partition, position in positions.items()
        ]
        problem = entry.get("problem")
        table.add_row(
            str(entry["generation"]),
            f"{entry['rows']:,}",
            f"{entry['bytes']:,}",
            _age(entry["written_at"]),
            "DAMAGED" if problem else entry["reason"],
            "; ".join(places[:3]) + (f" and {len(places) - 3} more" if len(places) > 3 else ""),
        )
    out.print(table)
    for entry in found:
        if entry.get("problem"):
            print_message(entry["problem"])
    if verified := [entry for entry in found if entry.get("problem", "") is None]:
        out.print(f"{len(verified)} of {len(found)} models were loaded: digest and positions agree")
    if found:
        counters = ", ".join(f"{n:,} {name}" for name, n in found[0]["counters"].items() if n)
        out.print(f"{counters or 'nothing counted'}; {n_dead:,} dead letters are kept")
    for partition, place, reason in letters:
        out.print(f"{partition}, message {place}: {reason}")


def _place(position: dict[str, Any]) -> str:
    return ", ".join(f"{k} {v}" for k, v in position.items() if k not in ("head", "epoch"))


def _age(written_at: float) -> str:
    seconds = max(0.0, time.time() - written_at)
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
