"""The checkpoint folder: one writer, whole generations, and a plan that survives."""

from __future__ import annotations

import os
import sqlite3
import threading

import pytest

import riparian as rp
from riparian.errors import ModelFileError
from riparian.sources.checkpoint import Checkpoint, Snapshot
from riparian.sources.dead import MOST_DEAD, DeadLetter
from riparian.sources.lock import FencedError, check_disk, file_system
from riparian.sources.plan import Entry, Plan
from riparian.storage.modelfile import freeze


def snapshot(rows=10, dead=(), changes=(), plan=1):
    model = rp.VFDT()
    model.learn_one({"x": float(rows)}, "a")
    positions = [{"p": {"row": rows}}]
    model.positions_ = {"sources": positions}
    return Snapshot(
        freeze(model),
        rows,
        positions,
        [{}],
        {},
        {"learned": rows},
        plan,
        b"",
        "rows",
        dead,
        changes,
    )


def test_generations_are_kept_and_older_ones_go(tmp_path):
    with Checkpoint(tmp_path, keep=3) as checkpoint:
        for rows in range(1, 6):
            checkpoint.commit(snapshot(rows))
        found = checkpoint.generations()
        assert [g.number for g in found] == [5, 4, 3]
        assert sorted(os.listdir(tmp_path / "models")) == sorted(g.file for g in found)
        assert checkpoint.load(found[0]).positions_ == {"sources": [{"p": {"row": 5}}]}
        assert found[0].positions == [{"p": {"row": 5}}]


def test_the_next_process_has_the_next_epoch_and_removes_what_nobody_names(tmp_path):
    with Checkpoint(tmp_path) as checkpoint:
        checkpoint.commit(snapshot())
        assert checkpoint.epoch == 1
    (tmp_path / "models" / "00000002.1.rip").write_bytes(b"half")
    with Checkpoint(tmp_path) as checkpoint:
        assert checkpoint.epoch == 2
        assert os.listdir(tmp_path / "models") == ["00000001.1.rip"]
        assert checkpoint.commit(snapshot(11)).file == "00000002.2.rip"


def test_the_job_waits_for_a_commit_of_another_thread(tmp_path):
    begun, go_on = threading.Event(), threading.Event()

    def slow_rows():
        begun.set()
        assert go_on.wait(30)
        yield (1, "k", "")

    statement = "DELETE FROM dead WHERE seq = ? AND place = ? AND reason = ?"
    with Checkpoint(tmp_path) as checkpoint:
        found = []
        slow = snapshot(changes=[(statement, slow_rows())])
        commit = threading.Thread(target=lambda: found.append(checkpoint.commit(slow)))
        commit.start()
        assert begun.wait(30)
        threading.Timer(0.2, go_on.set).start()
        checkpoint.write_job({"model": "x"})
        commit.join()
        assert [g.number for g in checkpoint.generations()] == [found[0].number]
        assert checkpoint.job["model"] == "x"


def test_a_second_learner_is_refused(tmp_path):
    with Checkpoint(tmp_path), pytest.raises(FencedError, match=f"pid {os.getpid()}"):
        Checkpoint(tmp_path)
    Checkpoint(tmp_path).close()


class NoLock:
    """The lock as another host sees it on a shared disk: it excludes nobody."""

    def __init__(self, folder):
        self.folder = folder

    def sign(self, epoch):
        pass

    def release(self):
        pass


def test_a_learner_that_was_taken_for_dead_commits_nothing(tmp_path, monkeypatch):
    first = Checkpoint(tmp_path)
    first.commit(snapshot(1))
    monkeypatch.setattr("riparian.sources.checkpoint.FolderLock", NoLock)
    second = Checkpoint(tmp_path)
    second.commit(snapshot(2))
    with pytest.raises(FencedError, match="taken over"):
        first.commit(snapshot(3))
    with pytest.raises(FencedError, match="taken over"):
        first.write_job({})
    assert [g.rows for g in second.generations()] == [2, 1]
    assert second.load(second.generations()[0]).positions_ == {"sources": [{"p": {"row": 2}}]}
    first.close()
    second.close()


@pytest.mark.parametrize("damage", ["flip", "cut", "gone", "other"])
def test_a_damaged_model_is_noticed(tmp_path, damage):
    with Checkpoint(tmp_path) as checkpoint:
        older, newer = checkpoint.commit(snapshot(1)), checkpoint.commit(snapshot(2))
        path = tmp_path / "models" / newer.file
        data = bytearray(path.read_bytes())
        if damage == "flip":
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
        elif damage == "cut":
            path.write_bytes(data[:-1])
        elif damage == "gone":
            path.unlink()
        else:
            path.write_bytes((tmp_path / "models" / older.file).read_bytes())
        with pytest.raises(ModelFileError):
            checkpoint.load(newer)
        checkpoint.discard(newer)
        assert [g.number for g in checkpoint.generations()] == [1]
        assert checkpoint.commit(snapshot(3)).number == 2


def test_what_moves_with_a_generation_moves_with_it_or_not_at_all(tmp_path):
    insert = "INSERT INTO early VALUES (?, ?, ?, 1)"
    with Checkpoint(tmp_path) as checkpoint:
        checkpoint.commit(snapshot(1, changes=[(insert, [("a", "yes", 1)])]))
        with pytest.raises(sqlite3.IntegrityError):
            checkpoint.commit(
                snapshot(
                    2,
                    dead=[DeadLetter(0, "p", "7", "wrong", b"{")],
                    changes=[(insert, [("b", "yes", 1), ("a", "no", 2)])],
                )
            )
        assert [g.rows for g in checkpoint.generations()] == [1]
        assert checkpoint.table("SELECT id, label FROM early") == [("a", "yes")]
        assert checkpoint.table("SELECT * FROM dead") == []


def test_dead_letters_are_kept_up_to_a_limit(tmp_path):
    letters = [DeadLetter(0, "p", str(i), "wrong", b"x" * 8000) for i in range(MOST_DEAD + 500)]
    with Checkpoint(tmp_path) as checkpoint:
        checkpoint.commit(snapshot(1, dead=letters[:2]))
        assert checkpoint.table("SELECT place, reason FROM dead") == [
            ("0", "wrong"),
            ("1", "wrong"),
        ]
        checkpoint.commit(snapshot(2, dead=letters[2:]))
        ((n, size, newest),) = checkpoint.table(
            "SELECT count(*), sum(length(value)), max(cast(place AS INTEGER)) FROM dead"
        )
        assert n <= MOST_DEAD
        assert size <= 1 << 26
        assert newest == MOST_DEAD + 499


def test_network_disks_are_refused(tmp_path, monkeypatch):
    check_disk(tmp_path)
    assert os.listdir(tmp_path) == []
    assert file_system(tmp_path) is not None
    monkeypatch.setattr("riparian.sources.lock.file_system", lambda folder: "nfs4")
    with pytest.raises(OSError, match=r"network disk \(nfs4\)"):
        Checkpoint(tmp_path)


def entries(n, first=0):
    return [Entry(0, "p", {"row": i}, {"row": i + 1}, 1) for i in range(first, first + n)]


def appended(plan, found):
    for entry in found:
        plan.append(entry)


def test_a_plan_gives_its_entries_again(tmp_path):
    plan = Plan(tmp_path, 1)
    assert plan.resume(0) == []
    appended(plan, entries(3))
    number = plan.begin()
    appended(plan, entries(2, 3))
    plan.close()
    again = Plan(tmp_path, 2)
    assert again.resume(0) == entries(5)
    again.close()
    later = Plan(tmp_path, 3)
    assert later.resume(number) == entries(2, 3)
    later.forget(number)
    appended(later, entries(1, 5))
    later.close()
    last = Plan(tmp_path, 4)
    assert last.resume(number) == entries(3, 3)
    last.close()


def test_a_snapshot_in_the_middle_of_a_plan_does_not_end_it(tmp_path):
    """Also where the generation before the snapshot is taken, and killed again and again."""
    plan = Plan(tmp_path, 1)
    plan.resume(0)
    appended(plan, entries(6))
    plan.close()
    number = 0
    for epoch, done in [(2, 0), (3, 1), (4, 3)]:
        plan = Plan(tmp_path, epoch)
        assert plan.resume(0) == entries(6)
        for _ in range(done):
            plan.repeat()
        number = plan.begin()
        plan.close()
    after = Plan(tmp_path, 5)
    assert after.resume(number) == entries(3, 3)
    after.forget(number)
    for _ in range(3):
        after.repeat()
    appended(after, entries(1, 6))
    number = after.begin()
    appended(after, entries(1, 7))
    after.close()
    last = Plan(tmp_path, 6)
    assert last.resume(number) == entries(1, 7)
    last.close()


def test_what_could_not_be_read_as_planned_is_not_planned_again(tmp_path):
    plan = Plan(tmp_path, 1)
    plan.resume(0)
    appended(plan, entries(4))
    plan.close()
    plan = Plan(tmp_path, 2)
    assert plan.resume(0) == entries(4)
    plan.repeat()
    appended(plan, entries(1, 90))
    number = plan.begin()
    plan.close()
    last = Plan(tmp_path, 3)
    assert last.resume(number) == []
    last.close()


def test_a_plan_ends_where_it_is_damaged(tmp_path):
    plan = Plan(tmp_path, 1)
    plan.resume(0)
    appended(plan, entries(3))
    plan.begin()
    appended(plan, entries(3, 3))
    plan.close()
    first, second = sorted(tmp_path.glob("*.log"))
    for cut in range(1, 40):
        data = second.read_bytes()
        second.write_bytes(data[:-1])
        probe = Plan(tmp_path, 2)
        found = probe.resume(0)
        probe.close()
        assert found == entries(len(found)), cut
        os.unlink(max(tmp_path.glob("*.log")))
    data = bytearray(first.read_bytes())
    data[-5:] = bytes(5)
    first.write_bytes(data)
    probe = Plan(tmp_path, 2)
    assert probe.resume(0) == entries(2)
    probe.close()


def test_nobody_reads_what_a_dead_process_writes_into_a_plan(tmp_path):
    dead = Plan(tmp_path, 1)
    dead.resume(0)
    appended(dead, entries(3))
    living = Plan(tmp_path, 2)
    assert living.resume(0) == entries(3)
    appended(dead, entries(1, 90))
    appended(living, entries(1, 3))
    dead.begin()
    appended(dead, entries(1, 91))
    living.close()
    dead.close()
    last = Plan(tmp_path, 3)
    assert last.resume(0) == entries(4)
    last.close()
