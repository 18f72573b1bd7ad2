"""What tests may see of the package in addition to its public names.

No other file of the tests uses a private name of the package; tests/test_inside.py checks it.
"""

from riparian_experiments.datasets import fetching

from riparian import _core as core
from riparian.data.table import read_example
from riparian.export.allowed import Allowed
from riparian.models.forests import member_settings
from riparian.models.recipe import _entries as docstring_entries
from riparian.models.settings import _declared
from riparian.sources.learner import Learner
from riparian.sources.plan import Plan

__all__ = [
    "after_opening_a_plan",
    "axes",
    "batch",
    "bytes_kept_by_worker",
    "classes",
    "core",
    "docstring_entries",
    "engine",
    "engine_type",
    "features",
    "forbid_copies",
    "learned_with",
    "member_axes",
    "memory_for_river",
    "nodes",
    "option_of",
    "plain",
    "read_only_carefully",
    "read_only_fast",
    "recipe",
    "replace_download",
    "replace_learning",
    "replace_restored_engine",
    "restored",
    "rules",
    "schema",
    "serving_of",
    "set_engine",
    "set_schema",
    "skipped_by_river",
    "snapshot",
    "standings",
    "worker",
    "worker_process",
]


def engine(model):
    """The native engine of a model; None before it has learned."""
    return model._engine


def set_engine(model, other):
    """Puts another engine in the place of a model's own."""
    model._engine = other


def engine_type(cls):
    """The type of the engine that a new model of a class learns with."""
    model = cls()
    return type(model._new_engine(model._axes()))


def restored(model, arrays, **changed):
    """A new engine from the arrays of a snapshot; `changed` are other parameters for it."""
    return model._restored_engine({**model._axes(), **changed}, arrays)


def snapshot(model):
    """The whole state of a model's engine, as named arrays; a model file holds them."""
    return model._engine.snapshot()


def nodes(model, batch=None):
    """The nodes of a tree as arrays; with a batch also the node at which each row ends."""
    return model._engine.nodes() if batch is None else model._engine.nodes(batch)


def batch(model, example):
    """One example, a dict, as the engine reads it."""
    return model._read(read_example(example)).batch


def schema(model):
    """The names behind the engine's codes: features, categories and classes."""
    return model._schema


def set_schema(model, other):
    """Puts another schema in the place of a model's own."""
    model._schema = other


def features(model):
    """The features of a model with their kinds and categories, in the order of their codes."""
    return model._schema.features


def classes(model):
    """The labels of a model with their own types, in the order of their codes."""
    return model._schema.classes


def axes(model):
    """All parameters of a model, also those that its recipe fixes, with policies for names."""
    return model._axes()


def learned_with(model):
    """The parameters that the engine of a model was made with."""
    return model._learned_with


def standings(forest):
    """The members of a forest as they are now, with their counts of drifts."""
    return forest._standings()


def member_axes(forest):
    """The parameters of the members of a forest that has not learned."""
    return member_settings.member_axes(forest.get_params(deep=False))


def forbid_copies(model):
    """Makes a batch fail that copies the model first, so that it can be undone."""
    model._copied = None


def plain(model):
    """A model as the plain numbers that an export to code starts from."""
    return model._plain(Allowed(), "to_code")


def recipe(cls):
    """What the class of a recipe declares."""
    return cls._recipe


def rules():
    """The rules between parameters of a tree, as the core declares them."""
    return _declared()["rules"]


def replace_restored_engine(monkeypatch, cls, change):
    """Calls ``change(engine)`` on each engine that models of a class restore."""
    original = cls._restored_engine
    monkeypatch.setattr(cls, "_restored_engine", lambda *given: change(original(*given)))


def replace_download(monkeypatch, other):
    """Puts another function in the place of the one that downloads a file of a dataset."""
    monkeypatch.setattr(fetching, "_download", other)


def read_only_fast(stream):
    """Makes a text stream fail at a block that it cannot read the fast way."""
    stream._careful_part = None


def read_only_carefully(stream):
    """Makes a text stream read no block the fast way."""
    stream._table = lambda data, types: None


def memory_for_river(model):
    """The bytes of a model, or of an ensemble of River, as River measures them."""
    return model._raw_memory_usage


def skipped_by_river(model):
    """The checks of River that do not hold for a model."""
    return model._unit_test_skips()


def learner_of(learning):
    """The learner of a handle that `rp.learn` returned."""
    return learning._learner


def checkpoint_of(learner):
    """The checkpoint that a learner writes."""
    return learner._checkpoint


def replace_report(learner, report):
    """Let a learner call a function for each event."""
    learner._report = report


def worker(pool, number):
    """The process or actor behind a worker of a pool; None while it is not there."""
    remote = pool._lanes[number]._remote
    return None if remote is None else getattr(remote, "_actor", remote)


def worker_process(pool, number):
    """The process of a worker of a pool of processes; None while it is not there."""
    remote = pool._lanes[number]._remote
    return None if remote is None else remote._process


def bytes_kept_by_worker(pool, number):
    """How many handles a worker process holds, and how many it was sent so far."""
    remote = pool._lanes[number]._remote
    return len(remote._there), remote._next


def serving_of(app):
    """What the routes of a server share."""
    return next(iter(app.routes)).app._serving


def replace_learning(monkeypatch, other):
    """Let every learner of a source call a function in place of learning a chunk."""
    monkeypatch.setattr(Learner, "_learn", other)


def option_of(source, name):
    """An option that a source was opened with."""
    return getattr(source, f"_{name}")


def after_opening_a_plan(note):
    """Call a function with the path of each file of a plan, as soon as the file is there."""
    opening = Plan._open

    def opened(plan, left):
        number = opening(plan, left)
        note(plan.folder / next(reversed(plan._chain)))
        return number

    Plan._open = opened
