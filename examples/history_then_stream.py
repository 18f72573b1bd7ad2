"""A history first, then the stream: PLANET grows a tree from files, and the stream goes on with it.

On the command line the second half is

    riparian learn kafka://broker:9092/sales --target class --model-in model.rip --checkpoint state

This script reads the stream from a file, so that it runs without a broker.
"""

import json
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

import riparian as rp


def write_history(folder: Path) -> None:
    """Four files, as a job of each month may have left them."""
    X, y = rp.streams.sea(seed=1).take(40_000)
    columns = {f"x{i}": X[:, i] for i in range(X.shape[1])} | {"class": y}
    table = pa.table(columns)
    for month in range(4):
        pa.parquet.write_table(table.slice(10_000 * month, 10_000), folder / f"{month}.parquet")


def write_stream(path: Path) -> None:
    """What happens after the history, as the messages of a topic would have it."""
    X, y = rp.streams.sea(seed=2).take(10_000)
    with path.open("w", encoding="utf-8") as file:
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            values = {f"x{i}": value for i, value in enumerate(row)}
            file.write(json.dumps(values | {"class": label}) + "\n")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_history(folder)
        write_stream(folder / "stream.jsonl")

        with rp.cluster.threads(2) as pool:
            tree = rp.cluster.planet(
                str(folder / "*.parquet"), "class", max_depth=5, pool=pool, model=rp.VFDT()
            )
        tree.save(folder / "model.rip")
        print(f"history: {tree.n_leaves_} leaves, first split by {tree.splits()[0].reason!r}")

        for text, model in (("with", rp.load(folder / "model.rip")), ("without", rp.VFDT())):
            learning = rp.learn(
                model, folder / "stream.jsonl", target="class", checkpoint=folder / text
            )
            result = learning.join()
            print(f"stream {text} the history: accuracy {result.accuracy:.3f} on {result.n:,} rows")


if __name__ == "__main__":
    main()
