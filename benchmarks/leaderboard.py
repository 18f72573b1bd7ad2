"""Which streaming trees and forests are the most accurate, and what do they cost?

    python benchmarks/leaderboard.py run --out board.jsonl [--only riparian,moa,river]
        [--streams reporting|choosing|all] [--rows 20000] [--seeds 3] [--limit 60]
        [--models NAME,...] [--again]
    python benchmarks/leaderboard.py page --out board.jsonl

`run` runs what is missing and adds each finished run to the file. `page` writes the tables of
docs/leaderboard.md and its diagrams from that file. Real streams need RIPARIAN_DATA.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from choosing_streams import CHOOSING, REPORTING, ROWS, load
from leaderboard_models import LIBRARIES, entrants, version
from leaderboard_page import write_page
from leaderboard_runs import BoardRuns
from peers.prequential import UnfinishedError

HALVES = {"reporting": REPORTING, "choosing": CHOOSING, "all": REPORTING + CHOOSING}


def main(arguments: list[str] | None = None) -> int:
    """Run the models or write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("--out", type=Path, required=True, help="where the runs are kept")
    parser.add_argument("--only", type=_names, default=list(LIBRARIES), help="libraries")
    parser.add_argument("--models", type=_names, help="names of models; default: all")
    parser.add_argument("--streams", choices=HALVES, default="all")
    parser.add_argument("--rows", type=int, default=ROWS, help="rows per stream at most")
    parser.add_argument("--seeds", type=_numbers, default=[3])
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds per run")
    parser.add_argument("--again", action="store_true", help="drop the models' runs first")
    asked = parser.parse_args(arguments)
    runs = BoardRuns(asked.out)
    if asked.what == "page":
        write_page(runs, Path(__file__).parents[1] / "docs")
    else:
        _run(runs, asked)
    return 0


def _names(text: str) -> list[str]:
    return text.split(",")


def _numbers(text: str) -> list[int]:
    return [int(seed) for seed in text.split(",")]


def _run(runs: BoardRuns, asked: argparse.Namespace) -> None:
    models = [
        entrant
        for entrant in entrants(asked.only)
        if asked.models is None or entrant.name in asked.models
    ]
    if asked.again:
        runs.drop({entrant.name for entrant in models})
    streams = HALVES[asked.streams]
    for i, stream in enumerate(streams):
        for seed in asked.seeds:
            missing = [m for m in models if not runs.has(m.name, stream, seed, asked.rows)]
            for entrant in missing:
                data = load(stream, seed, asked.rows)
                try:
                    found: dict[str, Any] = dict(entrant.run(data, seed, asked.limit))
                    text = f"{100 * found['accuracy']:.2f} in {found['seconds']:.2f} s"
                except UnfinishedError as error:
                    text = str(error)
                    found = {"stopped": text}
                place = f"{i + 1} of {len(streams)}: {stream}"
                print(f"{place}, {entrant.name}: {text}", file=sys.stderr, flush=True)
                runs.add(
                    {
                        "model": entrant.name,
                        "library": entrant.library,
                        "board": entrant.board,
                        "version": version(entrant.library),
                        "stream": stream,
                        "seed": seed,
                        "rows": asked.rows,
                        "limit": asked.limit,
                        **found,
                    }
                )


if __name__ == "__main__":
    raise SystemExit(main())
