"""Reading while learning is safe: four threads ask while one learns.

``RIPARIAN_THREAD_SECONDS`` says how long each scenario lasts over all recipes together, about.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riparian
from tests import inside
from tests.contract.matrix import where
from tests.contract.parameters import OTHERS
from tests.effort import ALL

SECONDS = float(os.environ.get("RIPARIAN_THREAD_SECONDS", "3")) / 30
PACKAGE = str(Path(riparian.__file__).parent)
ROOT = str(Path(__file__).parents[2])


@pytest.fixture(autouse=True)
def hurried():
    """Lets the interpreter change threads a thousand times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


def run(learner, readers, seconds=SECONDS):
    """Runs them until the time is over; the first error of any of them ends the test."""
    stop = threading.Event()
    errors = []
    rounds = [0] * (1 + len(readers))

    def loop(i, job):
        try:
            with warnings.catch_warnings():
                while not stop.is_set():
                    job()
                    rounds[i] += 1
        except BaseException as error:
            errors.append(error)
            stop.set()

    threads = [
        threading.Thread(target=loop, args=(i, job), daemon=True)
        for i, job in enumerate([learner, *readers])
    ]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    while not stop.wait(0.01) and (time.monotonic() < end or not all(rounds)):
        assert time.monotonic() < end + 60, f"a thread never had its turn: {rounds}"
    stop.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]


def assert_sane(probabilities):
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-9)


class TaughtMeanwhile:
    """An engine that learns more, from another thread, before it predicts for the first time."""

    def __init__(self, engine, teach):
        self.engine, self._teach = engine, teach

    def _learn_more(self):
        if teach := self._teach:
            self._teach = None
            teach()

    def predict(self, batch, width):
        self._learn_more()
        return self.engine.predict(batch, width)

    def predict_at_once(self, batch, width):
        self._learn_more()
        return self.engine.predict_at_once(batch, width)

    def predict_proba_one(self, x, index, categories, classes, return_seen):
        known = list(classes)
        self._learn_more()
        return self.engine.predict_proba_one(x, index, categories, known, return_seen)

    def __getattr__(self, name):
        return getattr(self.engine, name)


def test_probabilities_know_a_class_that_comes_while_they_are_asked(other, mixed):
    rows = other.of(mixed)
    one = {"height": 0.1, "colour": "green"}
    for ask in (
        lambda model: model.predict_proba(rows.columns),
        lambda model: model.predict_proba(rows.columns, return_seen=True)[0],
        lambda model: np.array([[*model.predict_proba_one(one).values()]]),
    ):
        cls, own = OTHERS[other.name]
        early = rows.y != "maybe"
        X = {name: values[early][:200] for name, values in rows.columns.items()}
        model = cls(**own).partial_fit(X, rows.y[early][:200])
        known, engine = len(model.classes_), inside.engine(model)

        def teach(model=model, engine=engine):
            inside.set_engine(model, engine)
            model.partial_fit(rows[:20].columns, ["maybe"] * 20)

        inside.set_engine(model, TaughtMeanwhile(engine, teach))
        found = ask(model)
        assert found.shape[1] == known + 1
        assert_sane(found)


def test_rows_are_read_again_where_a_category_of_theirs_comes_meanwhile(cls, mixed):
    """Read without it, they would not be predicted as by the state that is named."""
    rows = mixed[2100:2200]
    labels = np.where(rows.columns["colour"] == "ultraviolet", "yes", "no")  # no new class
    assert set(labels) == {"yes", "no"}
    early = mixed[1900:2000]
    for ask in (
        lambda model: model.predict_proba(rows.columns, return_seen=True),
        lambda model: model.predict(rows.columns, return_seen=True),
    ):
        model = cls().partial_fit(early.columns, early.y)
        engine = inside.engine(model)

        def teach(model=model, engine=engine):
            inside.set_engine(model, engine)
            for _ in range(3):
                model.partial_fit(rows.columns, labels)

        inside.set_engine(model, TaughtMeanwhile(engine, teach))
        found, seen = ask(model)
        assert seen == model.n_seen_ == 400
        np.testing.assert_array_equal(found, ask(model)[0])


def test_four_threads_ask_while_one_learns(recipe):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3_000, 6))
    y = (X[:, 0] > 0) + 2 * (X[:, 1] > 0.5)
    X[rng.random(X.shape) < 0.02] = np.nan
    example = dict(enumerate(X[7].tolist()))
    model = recipe.eager(max_leaves=200).partial_fit(X[:500], y[:500])

    def ask_probabilities():
        probabilities = model.predict_proba(X)
        assert probabilities.shape == (3_000, 4)
        assert_sane(probabilities)

    def ask_labels():
        assert set(model.predict(X).tolist()) <= {0, 1, 2, 3}

    def ask_one():
        for _ in range(50):
            assert model.predict_one(example) in (0, 1, 2, 3)
            probabilities = model.predict_proba_one(example)
            assert sum(probabilities.values()) == pytest.approx(1.0)
            steps = model.explain_one(example)
            assert len(steps) <= model.depth_ + 1 or recipe.shrinks

    def look_inside():
        # Asked first: the tree may be split before the next question.
        splits, pending, leaves = len(model.splits()), len(model.pending()), model.n_leaves_
        importance = model.feature_importances_.sum()
        assert model.memory_bytes_ > 0
        if not recipe.shrinks:
            assert splits < model.n_nodes_
            assert pending <= model.n_leaves_
            assert importance == pytest.approx(1.0) or leaves == 1

    def learn():
        model.partial_fit(X, y)
        for x, label in zip(X[:50].tolist(), y[:50].tolist(), strict=True):
            model.learn_one(dict(enumerate(x)), label)

    run(learn, [ask_probabilities, ask_labels, ask_one, look_inside])
    assert model.n_seen_ > 3_000


class Growing:
    """A model whose every batch has a new class, a new category and a new feature."""

    MOST = 24

    def __init__(self, new_model):
        self.new_model = new_model
        self.rng = np.random.default_rng(2)
        self.restart()

    def batch(self, i, n=60):
        features = {f"x{f}": self.rng.normal(size=n) for f in range(i + 1)}
        known = [k % (i + 1) for k in range(n)]
        word = np.array([f"w{k}" for k in known], dtype=object)
        next_one = features[f"x{i}"] > 0  # the newest feature matters
        labels = [f"c{(k + more) % (i + 1)}" for k, more in zip(known, next_one, strict=True)]
        return features | {"word": word}, np.array(labels)

    def restart(self):
        self.model = self.new_model().partial_fit(*self.batch(0))
        self.step = 0

    def learn(self):
        self.step += 1
        if self.step == self.MOST:
            self.restart()
            return
        X, y = self.batch(self.step)
        if self.step % 2:
            self.model.partial_fit(X, y)
        else:
            x = {n: c[-1] for n, c in X.items()}
            self.model.learn_one(x, f"c{self.step}")

    def everything(self, n=24):
        """Rows with all features and categories that will ever be."""
        features = {f"x{f}": self.rng.normal(size=n) for f in range(self.MOST)}
        words = np.array([f"w{i % self.MOST}" for i in range(n)], dtype=object)
        return features | {"word": words}


def test_new_classes_categories_and_features_come_while_others_ask(recipe):
    growing = Growing(recipe.eager)
    X = growing.everything()
    example = {n: c[5] for n, c in X.items()}

    def ask_probabilities():
        assert_sane(growing.model.predict_proba(X))

    def ask_labels():
        assert all(label.startswith("c") for label in growing.model.predict(X))

    def ask_one():
        model = growing.model
        for _ in range(20):
            assert model.predict_one(example).startswith("c")
            assert sum(model.predict_proba_one(example).values()) == pytest.approx(1.0)
            model.explain_one(example)

    def look_inside():
        model = growing.model
        splits, pending = len(model.splits()), len(model.pending())
        assert recipe.shrinks or (splits < model.n_nodes_ and pending <= model.n_leaves_)
        assert model.export_text()
        assert len(model.feature_importances_) <= model.n_features_in_
        assert len(model.classes_) <= Growing.MOST

    run(growing.learn, [ask_probabilities, ask_labels, ask_one, look_inside])


def test_threads_ask_while_another_model_learns(other, mixed):
    """While features, classes and categories come; a forest learns on two threads."""
    rows = other.of(mixed)
    cls, own = OTHERS[other.name]
    threads = {"n_jobs": 2} if "n_jobs" in cls().get_params() else {}
    model = rows[:40].learned_by(cls(**own | threads))
    parts = itertools.cycle(rows[40:].batches(10))
    most = 4 * len(rows)

    def learn():
        if model.n_seen_ < most:
            next(parts).learned_by(model)

    def ask():
        assert_sane(model.predict_proba(rows.columns))
        assert model.predict_one({"height": 0.1, "colour": "green"}) in rows.y

    def look_inside():
        for tells in ("splits", "members", "planes", "export_text"):
            getattr(model, tells, list)()
        model.explain_one({"height": 0.1, "colour": "green"})

    run(learn, [ask, look_inside])
    assert model.n_seen_ > 40


QUESTIONS = {
    "labels": lambda model, X, x: model.predict(X),
    "probabilities": lambda model, X, x: assert_sane(model.predict_proba(X)),
    "one label": lambda model, X, x: model.predict_one(x),
    "probabilities of one": lambda model, X, x: sum(model.predict_proba_one(x).values()),
    "the path of one": lambda model, X, x: model.explain_one(x),
    "splits": lambda model, X, x: model.splits(),
    "pending": lambda model, X, x: model.pending(),
    "importances": lambda model, X, x: model.feature_importances_,
    "text": lambda model, X, x: model.export_text(),
    "classes": lambda model, X, x: model.classes_,
}


def answers(single, question):
    """Whether it is a question for this model: not every one splits."""
    asked = {"splits": "splits", "pending": "pending", "importances": "feature_importances_"}
    return hasattr(single, asked.get(question, "predict"))


has_an_answer = where(answers, "a tree that does not split has no splits")


class AtEveryLine:
    """Does something at the lines of the package, where the interpreter may change threads.

    Unless all is tried, at every third line.
    """

    def __init__(self, job):
        self.job = job
        self.lines = 0

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self.trace)
        return self

    def __exit__(self, *_):
        sys.settrace(self.before)

    def trace(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            if ALL or self.lines % 3 == 0:
                self.job(self.lines)
            self.lines += 1
        return self.trace


@pytest.fixture
def growing(single, with_known):
    return Growing(lambda: with_known(single, grace_period=4, delta=0.4, tau=100.0))


@has_an_answer
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_at_any_line_of_learning_is_answered(growing, question):
    X = growing.everything()
    x = {n: c[5] for n, c in X.items()}
    with AtEveryLine(lambda _: QUESTIONS[question](growing.model, X, x)) as asked:
        for _ in range(3):
            growing.learn()
    assert asked.lines > 100
    if growing.model.n_leaves_ == 1:  # a bound may have no variance from so few examples
        (leaf,) = growing.model.pending()
        assert leaf.epsilon == np.inf


@has_an_answer
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_if_more_is_learned_at_any_of_its_lines(growing, question):
    X = growing.everything()
    x = {n: c[5] for n, c in X.items()}
    with AtEveryLine(lambda _: None) as all_lines:
        QUESTIONS[question](growing.model, X, x)
    assert all_lines.lines > 1
    step = (1 + all_lines.lines // 60) * (1 if ALL else 3)
    for line in range(0, all_lines.lines, step):
        if growing.step > 5:  # while the new ones still make up much of a batch
            growing.restart()

        def learn(at, line=line):
            if at == line:
                growing.learn()
                growing.learn()

        with AtEveryLine(learn):
            QUESTIONS[question](growing.model, X, x)


def test_two_threads_may_teach_in_turn(recipe):
    """Learning calls wait for each other; no row is lost."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] > 0).astype(int)
    model = recipe.eager().partial_fit(X, y)
    trained = [0, 0]

    def teach(i):
        def job():
            model.partial_fit(X, y)
            model.learn_one({0: 1.0, 1: 2.0, 2: 3.0}, 1)
            trained[i] += 401

        return job

    run(teach(0), [teach(1)], seconds=SECONDS / 2)
    assert model.n_seen_ == 400 + sum(trained)


def slow_gini(counts):
    """An impurity of the user, which lets other threads have the interpreter meanwhile."""
    time.sleep(1e-3)
    share = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1e-300)
    return 1.0 - (share**2).sum(axis=2)


TREE = riparian.HoeffdingTree(impurity=slow_gini, grace_period=20)
#: Models of every engine that asks a function of the user while it learns.
ASKING: dict[str, Any] = {
    "HoeffdingTree": lambda: TREE,
    "OnlineBagging": lambda: riparian.OnlineBagging(estimator=TREE, n_estimators=2, n_jobs=2),
    "AccuracyWeightedEnsemble": lambda: riparian.AccuracyWeightedEnsemble(
        estimator=TREE, chunk_size=40, n_folds=2, n_jobs=2
    ),
}


def ask_who_asks(name):
    """Learns new classes and categories while another thread wants to know everything."""
    sys.setswitchinterval(5e-6)
    rng = np.random.default_rng(0)

    def batch(i):
        x = rng.normal(size=60)
        word = np.array([f"w{k % (i + 2)}" for k in range(60)], dtype=object)
        return {"x": x, "word": word}, (x > 0) + np.arange(60) % (i + 1)

    model = ASKING[name]().partial_fit(*batch(1))
    X = batch(1)[0]
    learned = threading.Event()

    def ask(question):
        while not learned.is_set():
            question()

    questions = [
        lambda: model.n_leaves_,
        model.splits,
        getattr(model, "members", list),
        lambda: model.predict_proba(X),
    ]
    threads = [threading.Thread(target=ask, args=(question,)) for question in questions]
    for thread in threads:
        thread.start()
    for i in range(10):
        model.partial_fit(*batch(i))
    learned.set()
    for thread in threads:
        thread.join()
    print(name, model.n_seen_, flush=True)


def test_nobody_waits_for_a_model_that_waits_for_a_function_of_the_user():
    """In a process of its own: who waits with the interpreter in hand stops all threads."""
    program = "import tests.contract.test_threads as t; [t.ask_who_asks(name) for name in t.ASKING]"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [ROOT, *sys.path]))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{name} 660" for name in ASKING]


def test_splits_of_a_member_are_told_with_the_features_of_its_own_tree(mixed):
    """Also where the tree meets features while it is read."""
    model = mixed[:2500].learned_by(riparian.StreamingRandomPatches(n_estimators=2, features=3))
    engine, asked = inside.engine(model), []

    class Growing:
        def records(self):
            # At first the second member lacks a feature that its tree has met since.
            asked.append(len(asked))
            found = engine.records()
            if len(asked) == 1:
                tree, drawn, *rest = found[1]
                found[1] = (tree, drawn[:-1], *rest)
            return found

        def __getattr__(self, name):
            return getattr(engine, name)

    told = model.splits()
    assert told[0] != told[1]
    inside.set_engine(model, Growing())
    assert model.splits() == told
    assert asked == [0, 1]
