"""The model as it was after some rows: a generation, and the journal since then."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from riparian.serve.limits import Limits
from riparian.serve.posted_job import posted_job
from riparian.sources.checkpoint import Checkpoint, Generation, read_generations
from riparian.sources.job import open_learner
from riparian.sources.join import JoinSettings
from riparian.sources.journal_source import NAME
from riparian.sources.messages import Messages
from riparian.sources.settings import Settings

__all__ = ["replay"]


def replay(folder: str, rows: int) -> Any:
    """Return the model of a folder as it was after this many learned rows.

    The folder is copied first, so a server may be running on it.

    Parameters
    ----------
    folder : str
        The folder of ``riparian serve``.
    rows : int
        How many rows were learned then.

    Raises
    ------
    ValueError
        If neither a generation nor the journal reaches that far back, or the state cannot be
        made again.
    """
    with tempfile.TemporaryDirectory() as copy:
        target = Path(copy) / "folder"
        chosen = _copied(Path(folder), target, rows)
        if chosen is not None and chosen.rows == rows:
            with Checkpoint(target) as checkpoint:
                return checkpoint.load(chosen)
        return _learned(target, rows)


def _copied(folder: Path, target: Path, rows: int) -> Generation | None:
    """Copy a folder up to the last generation that is not too new, and return that."""
    path = (folder / "state.db").absolute()
    if not path.exists():
        raise ValueError(f"{folder} holds no checkpoint")
    (target / "models").mkdir(parents=True)
    with (
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10.0)) as source,
        closing(sqlite3.connect(target / "state.db")) as db,
    ):
        source.backup(db)
        found = read_generations(db)
        chosen = next((one for one in found if one.rows <= rows), None)
        newer = [one for one in found if chosen is None or one.number > chosen.number]
        if newer and db.execute("SELECT 1 FROM pending UNION ALL SELECT 1 FROM early").fetchone():
            raise ValueError(
                f"rows wait for labels, so nothing before generation {found[0].number} "
                f"({found[0].rows:,} rows) can be made again"
            )
        db.executemany("DELETE FROM generation WHERE number = ?", [(g.number,) for g in newer])
        db.commit()
    if chosen is not None:
        shutil.copy(folder / "models" / chosen.file, target / "models" / chosen.file)
    return chosen


def _learned(target: Path, rows: int) -> Any:
    """Learn the journal of a copy up to a row, one entry at a time."""
    with Checkpoint(target) as checkpoint:
        stored = checkpoint.job
        if stored is None or stored["source"] != NAME:
            raise ValueError("only what was posted to riparian serve can be learned again")
        job = posted_job(checkpoint, None, Messages(None), JoinSettings("id", "label"), Limits())
        settings = Settings(every_seconds=None, every_rows=None, block=1, rows=rows)
        learner = open_learner(job, checkpoint, settings, lambda event: None)
        journal = job.source.journal  # type: ignore[attr-defined]
        at = learner.feeds[0].positions.get("journal", {"seq": 1})["seq"]
        ((left,),) = checkpoint.table(f"SELECT coalesce(max(seq) - {int(at)} + 1, 0) FROM journal")
        last = learner.status.counters["messages"] + left

        def end(seen: Any) -> None:
            if seen.status.counters["messages"] >= last:
                seen.stop()

        learner.look_on(end)
        learner.run()
        journal.close()
        if learner.rows != rows:
            raise ValueError(
                f"the journal gives {learner.rows:,} rows, not {rows:,}: it has no older or newer "
                "ones, or several rows were learned at once"
            )
        return learner.model
