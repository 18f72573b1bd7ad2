"""Spark: batches learned exactly once, predictions, PLANET. `make test-spark` runs these."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import riparian as rp
from riparian.cli.app import app
from riparian.sources.source import GapError
from tests.cluster.parts import digest
from tests.cluster.spark_session import session

if os.environ.get("RIPARIAN_SPARK") != "required":
    pytest.importorskip("pyspark", reason="Spark is not installed; make test-spark installs it")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17, and there is none", allow_module_level=True)

pytestmark = [
    pytest.mark.spark,
    # Spark warns of versions of pandas that it does not know, and leaves sockets to the garbage
    # collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[Any]:
    # A task is given to other workers until it succeeds: a test kills many of them.
    found = session(tmp_path_factory.mktemp("spark"), "local[2,50]")
    yield found
    found.stop()


def rows(n: int, seed: int) -> pa.Table:
    """Numbers with gaps, categories and three classes."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    job = rng.choice(["nurse", "cook", "clerk"], n)
    y = np.where(a + (job == "cook") > 0.4, "yes", "no").astype(object)
    y[b > 1.6] = "maybe"
    return pa.table(
        {
            "id": np.arange(n),
            "a": pa.array(a, mask=rng.random(n) < 0.1),
            "b": b,
            "job": pa.array(job, mask=rng.random(n) < 0.05),
            "y": pa.array(y.tolist()),
        }
    )


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return rows(12_000, 1)


@pytest.fixture(scope="module")
def files(tmp_path_factory, table) -> Path:
    """Six files; each is a partition."""
    folder = tmp_path_factory.mktemp("files")
    for i in range(6):
        pq.write_table(table.slice(2000 * i, 2000), folder / f"{i}.parquet")
    return folder


def frames(spark: Any, files: Path) -> list[Any]:
    """Three batches of two partitions each."""
    return [
        spark.read.parquet(str(files / f"{i}.parquet"), str(files / f"{i + 1}.parquet"))
        for i in (0, 2, 4)
    ]


def in_order(paths: list[Path]) -> list[Path]:
    """Spark numbers the partitions of files by their size, the largest first."""
    return sorted(paths, key=lambda path: -path.stat().st_size)


def make_sink(folder: Path, **options: Any) -> Any:
    options = {"target": "y", "drop": ["id"], "alone": 3000, **options}
    return rp.cluster.spark_sink(rp.VFDT(grace_period=100), folder, **options)


@pytest.fixture(scope="module")
def whole(spark, files, tmp_path_factory) -> Any:
    """What the batches give if nothing happens."""
    sink = make_sink(tmp_path_factory.mktemp("whole") / "sink")
    for number, frame in enumerate(frames(spark, files)):
        sink(frame, number)
    return sink


def same(model: Any) -> str:
    """The digest of a model, whichever query it was learned by."""
    twin = model.clone()
    twin.positions_ = {}
    return digest(twin)


def test_batches_are_learned_and_evaluated(whole):
    assert whole.counters["learned"] == whole.counters["messages"] == 12_000
    assert whole.model.n_seen_ == whole.result.n == 12_000
    assert whole.result.accuracy > 0.7
    assert whole.model.n_leaves_ > 3
    assert whole.last_batch == 2
    assert list(whole.model.feature_names_in_) == ["a", "b", "job"]


def test_the_driver_grows_the_tree_that_shards_give(whole, files):
    """Partitions are shards: the same summaries merged here give the same bytes."""
    from riparian.cluster.rounds import Rounds
    from riparian.cluster.worker import Lesson
    from riparian.sources.messages import Messages

    messages = Messages("y", "arrow", drop=("id",))
    model = rp.VFDT(grace_period=100)
    decoder = messages.restored({"form": "arrow", "kinds": {}, "labels": None})
    pairs = [in_order([files / f"{i}.parquet", files / f"{i + 1}.parquet"]) for i in (0, 2, 4)]
    parts = [
        pq.read_table(path).combine_chunks().to_batches()[0] for pair in pairs for path in pair
    ]
    # Of batches of two partitions, each of 2,000 rows, the driver learns the first alone.
    for part in parts[:2]:
        found = decoder.decode(part)
        model.partial_fit(found.X, found.y)
    with rp.cluster.threads(2) as pool:
        rounds = Rounds(pool, 2, messages)
        for i in (2, 4):
            rounds.learn(model, [Lesson(parts[i]), Lesson(parts[i + 1])], decoder.state())
    assert same(model) == same(whole.model)


def test_a_batch_that_is_repeated_is_not_learned_again(spark, files, whole, tmp_path):
    sink = make_sink(tmp_path)
    for number, frame in enumerate(frames(spark, files)):
        sink(frame, number)
        sink(frame, number)
        # Another driver with the same folder: the state is there, not in the object.
        sink = make_sink(tmp_path)
        sink(frame, number)
    sink(frames(spark, files)[0], 0)
    assert same(sink.model) == same(whole.model)
    assert sink.counters == whole.counters


def test_a_driver_that_dies_before_the_commit_learns_the_batch_again(
    spark, files, whole, tmp_path, monkeypatch
):
    from riparian.sources.checkpoint import Checkpoint

    sink = make_sink(tmp_path)
    one, two, three = frames(spark, files)
    sink(one, 0)

    def die(*args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "commit", die)
        with pytest.raises(KeyboardInterrupt):
            sink(two, 1)
    assert sink.last_batch == 0
    assert sink.model.n_seen_ == 4000
    sink(two, 1)
    sink(three, 2)
    assert same(sink.model) == same(whole.model)


def test_a_query_is_stopped_and_goes_on(spark, files, whole, tmp_path):
    """Spark's own stream over files, two of them in each batch."""

    def query(most: str) -> Any:
        return (
            spark.readStream.schema(spark.read.parquet(str(files)).schema)
            .option("maxFilesPerTrigger", "2")
            .parquet(str(arriving))
            .writeStream.foreachBatch(make_sink(tmp_path / "sink"))
            .option("checkpointLocation", str(tmp_path / "spark"))
            .trigger(availableNow=True)
            .start()
        )

    arriving = tmp_path / "arriving"
    arriving.mkdir()
    for i in (0, 1, 2, 3):
        shutil.copy2(files / f"{i}.parquet", arriving)
        os.utime(arriving / f"{i}.parquet", (1000 + i, 1000 + i))
    assert query("first").awaitTermination(600)
    # Spark forgets that the last batch is done, and gives it again.
    commit = max((tmp_path / "spark" / "commits").glob("[0-9]*"), key=lambda path: int(path.name))
    commit.unlink()
    (commit.parent / f".{commit.name}.crc").unlink(missing_ok=True)
    for i in (4, 5):
        shutil.copy2(files / f"{i}.parquet", arriving)
        os.utime(arriving / f"{i}.parquet", (1000 + i, 1000 + i))
    assert query("second").awaitTermination(600)
    sink = make_sink(tmp_path / "sink")
    assert sink.last_batch == 2
    assert sink.counters["learned"] == 12_000
    assert same(sink.model) == same(whole.model)
    # Another checkpoint of Spark begins with batch 0 again, and would be left out in silence.
    shutil.rmtree(tmp_path / "spark")
    with pytest.raises(Exception, match="belongs to query"):
        query("third").awaitTermination(600)


def test_batches_that_were_never_given(spark, files, tmp_path):
    one, _, three = frames(spark, files)
    sink = make_sink(tmp_path)
    sink(one, 0)
    with pytest.raises(GapError, match="batch 2 follows batch 0"):
        sink(three, 2)
    make_sink(tmp_path, on_gap="skip")(three, 2)
    assert sink.counters["gaps"] == 1
    assert sink.last_batch == 2


def test_what_cannot_be_learned_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot be learned by several workers"):
        rp.cluster.spark_sink(rp.StreamForest(), tmp_path, target="y")
    with pytest.raises(ValueError, match="alone must be"):
        make_sink(tmp_path, alone=-1)
    with pytest.raises(ValueError, match="on_bad"):
        make_sink(tmp_path, on_bad="ignore")


def test_rows_that_cannot_be_learned_are_dead_letters(spark, table, tmp_path):
    """One among the rows that the driver learns alone, two among those of the executors."""
    y = table["y"].to_pylist()
    for row in (100, 5_000, 5_001):
        y[row] = None
    bad = table.set_column(table.schema.get_field_index("y"), "y", pa.array(y))
    sink = make_sink(tmp_path / "sink", on_bad="skip")
    for number, start in enumerate((0, 4_000)):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(bad.slice(start, 4_000), path)
        sink(spark.read.parquet(str(path)), number)
    assert sink.counters["learned"] == sink.result.n == 7_997
    done = CliRunner().invoke(app, ["checkpoints", str(tmp_path / "sink"), "--dead", "10"])
    assert done.exit_code == 0, done.output
    for place in ("batch 0, row 100", "batch 1, row 1000", "batch 1, row 1001"):
        assert place in done.output


def test_predictions(spark, files, whole, table):
    model = whole.model
    frame = frames(spark, files)[0]
    found = rp.cluster.spark_predict(model, frame, probabilities="p").orderBy("id").toArrow()
    assert found.column_names == [*table.column_names, "prediction", "p"]
    expected = table.slice(0, 4000).select(["a", "b", "job"])
    assert found["prediction"].to_pylist() == model.predict(expected).tolist()
    assert np.array_equal(np.array(found["p"].to_pylist()), model.predict_proba(expected))
    assert frame.columns == table.column_names
    with pytest.raises(ValueError, match="a column 'b' already"):
        rp.cluster.spark_predict(model, frame, column="b")
    with pytest.raises(ValueError, match="none of the columns"):
        rp.cluster.spark_predict(model, frame.select("id"))


def test_planet_over_partitions_gives_the_tree_of_a_pool(spark, files):
    """Files are pieces here and partitions there, so all is equal: also where nodes are small."""
    paths = [str(path) for path in in_order(sorted(files.iterdir()))]
    frame = spark.read.parquet(*paths)
    assert frame.rdd.getNumPartitions() == 6
    for options in ({"in_memory": 0}, {"in_memory": 3000, "n_trees": 2}):
        with rp.cluster.threads(2) as pool:
            there = rp.cluster.planet(paths, "y", max_depth=4, pool=pool, **options)
        here = rp.cluster.planet(frame, "y", max_depth=4, **options)
        pairs = zip(there, here, strict=True) if "n_trees" in options else [(there, here)]
        for a, b in pairs:
            assert b.n_leaves_ > 4
            assert digest(a) == digest(b)
    with pytest.raises(ValueError, match="leave out pool"), rp.cluster.threads(1) as pool:
        rp.cluster.planet(frame, "y", pool=pool)
    with pytest.raises(ValueError, match="no column 'z'"):
        rp.cluster.planet(frame, "z")


# -- killed workers -----------------------------------------------------------------------------


def python_workers(root: int) -> list[int]:
    """The processes of Python that the executors have forked, without their parent."""
    children: dict[int, list[int]] = {}
    names = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
            names[int(folder.name)] = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if words[0] != "Z":
            children.setdefault(int(words[1]), []).append(int(folder.name))
    found, below = [], [(root, 0)]
    for process, daemons in below:
        for child in children.get(process, []):
            is_daemon = b"pyspark.daemon" in names[child]
            if is_daemon and daemons:
                found.append(child)
            below.append((child, daemons + is_daemon))
    return found


@pytest.mark.parametrize("kills", [20])
def test_the_same_bytes_while_workers_are_killed(spark, files, whole, tmp_path, kills):
    """Spark gives the partitions of a dead worker to another one."""
    rng = random.Random(1)
    done = threading.Event()
    killed = 0

    def kill() -> None:
        nonlocal killed
        while killed < kills and not done.is_set():
            time.sleep(rng.uniform(0.02, 0.2))
            found = python_workers(os.getpid())
            if found:
                os.kill(rng.choice(found), signal.SIGKILL)
                killed += 1

    killer = threading.Thread(target=kill)
    killer.start()
    lives = 0
    try:
        while killed < kills:
            sink = make_sink(tmp_path / f"{lives}")
            for number, frame in enumerate(frames(spark, files)):
                sink(frame, number)
            assert same(sink.model) == same(whole.model)
            lives += 1
    finally:
        done.set()
        killer.join()
    assert killed == kills
