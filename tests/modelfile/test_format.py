"""The model file: data only, whole or refused, written all or nothing."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import stat
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import riparian as rp
from riparian.adaptation import Options, Window
from riparian.bounds import ConfidencePractical, DeltaMethod
from riparian.impurities import Misclassification
from riparian.leaves import LinearUnits
from riparian.models.registry import MODELS
from riparian.statistics import Intervals
from riparian.storage.modelfile import FORMAT, from_bytes, to_bytes
from tests import inside
from tests.modelfile.parts import Parts


def small_model(cls=rp.HoeffdingTree, **parameters):
    """A few leaves over mixed columns with gaps, three classes."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 300)
    columns = {
        "a": np.where(rng.random(300) < 0.1, np.nan, y + 0.3 * rng.standard_normal(300)),
        "b": rng.choice(np.array(["u", "v", None], dtype=object), 300),
    }
    model = cls(grace_period=30, delta=0.05, tau=0.5, **parameters)
    return model.partial_fit(columns, y)


@pytest.fixture(scope="module")
def model():
    return small_model()


@pytest.fixture(scope="module")
def data(model):
    return to_bytes(model)


ASKED = {"a": [0.0, 1.1, np.nan, 2.2], "b": ["u", "w", None, "v"]}


# -- what is in the file ----------------------------------------------------------------------


def test_what_is_loaded_is_what_was_saved(tmp_path):
    for cls in (rp.HoeffdingTree, rp.VFDT):
        model = small_model(cls)
        path = tmp_path / "model.rip"
        model.save(path)
        again = rp.load(path)
        assert type(again) is cls
        assert again.get_params() == model.get_params()
        assert again.n_leaves_ > 2
        np.testing.assert_array_equal(again.predict_proba(ASKED), model.predict_proba(ASKED))
        assert again.splits() == model.splits()
        assert again.pending() == model.pending()
        assert to_bytes(again) == path.read_bytes()


def test_the_layout_is_that_of_safetensors_with_a_digest_at_the_end(data, tmp_path):
    arrays = safetensors.numpy.load(data)
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]
    assert arrays.pop("~digest").tobytes() == data[-32:]
    assert all(array.ndim == 1 for array in arrays.values())
    path = tmp_path / "model.rip"
    path.write_bytes(data)
    with safetensors.safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["riparian"])
    assert header["format"] == FORMAT == 5
    assert header["recipe"] == "HoeffdingTree"
    assert header["parameters"]["grace_period"] == 30
    assert [f["name"] for f in header["schema"]["features"]] == ["a", "b"]
    assert sorted(header["schema"]["classes"]) == [0, 1, 2]


def test_values_keep_their_types(tmp_path):
    values = [1, "1", 1.5, b"1", "", "a b\n\0c", "☃", -(2**70), 0.1, 1e300]
    column = np.empty(len(values), dtype=object)
    column[:] = values
    labels = np.empty(len(values), dtype=object)
    labels[:] = [1, "1", b"1", "", "☃", 2**70, "yes", "x", "y", "z"]
    model = rp.HoeffdingTree().partial_fit({"c": column}, labels)
    again = from_bytes(to_bytes(model))
    (feature,) = inside.features(again)
    assert [(type(v), v) for v in feature.categories] == [(type(v), v) for v in values]
    assert [(type(v), v) for v in again.classes_] == [(type(v), v) for v in model.classes_]


def test_what_cannot_be_written_as_data_is_refused_by_name():
    model = small_model(categorical_features={"b"})
    with pytest.raises(TypeError, match=r"categorical_features=\{'b'\} cannot be saved"):
        to_bytes(model)


@pytest.mark.parametrize("cls", MODELS.values(), ids=MODELS)
def test_an_unfitted_model_is_saved_with_its_parameters(cls, tmp_path):
    model = cls()
    model.metadata_, model.positions_ = {"a": [1]}, {"b": 2}
    model.save(tmp_path / "model.rip")
    again = rp.load(tmp_path / "model.rip")
    assert type(again) is cls
    assert repr(again.get_params()) == repr(model.get_params())
    assert (again.metadata_, again.positions_) == ({"a": [1]}, {"b": 2})
    assert to_bytes(again) == to_bytes(model)
    with pytest.raises(NotFittedError):
        again.predict([[1.0]])
    rows = [["a"], ["b"]] * 3
    again.partial_fit(rows, [0, 1] * 3)
    assert to_bytes(again) == to_bytes(model.partial_fit(rows, [0, 1] * 3))


#: Policies with other parameters than their defaults, on every axis.
POLICIES = {
    "statistics": Intervals(count=9),
    "impurity": Misclassification(legacy_gain=True),
    "bound": DeltaMethod(pairing="conservative"),
    "leaf": ("majority", LinearUnits(step=0.2, meta_step=0.0)),
    "adaptation": Options(delta=0.3, max_paths=3),
}


@pytest.mark.parametrize("fitted", [False, True], ids=["unfitted", "fitted"])
def test_parameters_inside_policies_come_back(fitted):
    model = small_model(**POLICIES) if fitted else rp.HoeffdingTree(**POLICIES)
    again = from_bytes(to_bytes(model))
    for axis, policy in POLICIES.items():
        assert getattr(again, axis) == policy
    assert again.cuts == "bins"
    assert again.get_params() == model.get_params()
    assert to_bytes(again) == to_bytes(model)


def test_a_file_holds_every_parameter_of_a_policy():
    header = Parts(to_bytes(rp.HoeffdingTree(bound=ConfidencePractical(c=0.5)))).header
    assert header["parameters"]["bound"] == {
        "policy": "confidence-practical",
        "parameters": {"c": 0.5, "form": "printed"},
    }
    assert header["parameters"]["cuts"] == {"policy": "bins", "parameters": {"count": 10}}
    assert header["schema"] is None


def test_a_hook_inside_a_policy_is_named_by_its_axis(tmp_path):
    window = Window(size=100, hook=print)
    forest = rp.Forest(estimator=rp.CVFDT(adaptation=window), n_estimators=2)
    model = rp.CVFDT(adaptation=window)
    made: Any
    for made, key in [(model, "adaptation__hook"), (forest, "estimator__adaptation__hook")]:
        made.save(tmp_path / "model.rip")
        with pytest.raises(rp.ModelFileError, match=rf"load\(path, functions=\{{'{key}'"):
            rp.load(tmp_path / "model.rip")
        again = rp.load(tmp_path / "model.rip", functions={key: print})
        tree = again if made is model else again.estimator
        assert tree.adaptation == window


# -- metadata and positions -------------------------------------------------------------------

METADATA: dict[str, Any] = {
    "trained by": "night shift",
    "runs": [1, 2.5, None, True],
    "deep": {"ü": {}},
}
POSITIONS = {"events": {"0": 12, "1": 7}, "file.csv": 400}


@pytest.mark.parametrize("fitted", [False, True], ids=["unfitted", "fitted"])
@pytest.mark.parametrize("way", ["file", "pickle", "deepcopy"])
def test_metadata_and_positions_survive(fitted, way, tmp_path):
    model = small_model() if fitted else rp.HoeffdingTree()
    assert (model.metadata_, model.positions_) == ({}, {})
    model.metadata_, model.positions_ = METADATA, POSITIONS
    if way == "file":
        model.save(tmp_path / "model.rip")
        again = rp.load(tmp_path / "model.rip")
    else:
        again = copy.deepcopy(model) if way == "deepcopy" else pickle.loads(pickle.dumps(model))
    assert (again.metadata_, again.positions_) == (METADATA, POSITIONS)
    again.metadata_ = {}
    assert model.metadata_ == METADATA


def test_learning_keeps_metadata_and_what_is_returned_is_a_copy():
    model = rp.HoeffdingTree()
    model.metadata_ = METADATA
    model.partial_fit([[1.0], [2.0]], [0, 1])
    model.learn_one({0: 1.0}, 1)
    assert model.metadata_ == METADATA
    model.metadata_["runs"].append(3)
    assert model.metadata_ == METADATA


@pytest.mark.parametrize("name", ["metadata_", "positions_"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1], "must be a dict with strings as keys, got \\[1\\]"),
        ({1: 2}, "must be a dict with strings as keys, got {1: 2}"),
        (None, "must be a dict with strings as keys, got None"),
        ({"a": {1, 2}}, "must consist of JSON values"),
        ({"a": float("nan")}, "must consist of JSON values"),
    ],
)
def test_what_json_cannot_hold_is_refused_and_changes_nothing(name, value, message):
    model = rp.HoeffdingTree()
    setattr(model, name, {"a": 1})
    with pytest.raises(ValueError, match=f"{name} {message}"):
        setattr(model, name, value)
    assert getattr(model, name) == {"a": 1}


def test_what_was_set_does_not_follow_the_users_object():
    mine = {"a": [1]}
    model = rp.HoeffdingTree()
    model.metadata_ = mine
    mine["a"].append(2)
    assert model.metadata_ == {"a": [1]}


def test_a_subclass_is_saved_as_its_recipe():
    class Mine(rp.VFDT):
        pass

    assert type(from_bytes(to_bytes(small_model(Mine)))) is rp.VFDT


def rows_of_any_weight():
    """Columns, labels and weights that are allowed, and hard on the sums."""
    numbers = {"x": [1e17, 1.0]}
    yield "a light row, then a heavy one", numbers, ["a", "a"], [1e-20, 1.0]
    gap = {"x": [1.0, np.nan]}
    yield "a light row, then a heavy gap", gap, ["a", "a"], [1e-20, 1.0]
    largest = {"x": [1.7e308, -1.7e308] * 1000}
    yield "the largest of all", largest, ["a", "a"] * 1000, np.full(2000, 9e15)
    least = {"x": [5e-324, -5e-324] * 10}
    yield "the least of all", least, ["a", "b"] * 10, np.full(20, 5e-324)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 4, 3000)
        colour = np.array(["u", "v", "u", "v"], dtype=object)[y]
        colour[rng.random(3000) < 0.01] = None
        shape = np.array(["p", "p", "q", "q"], dtype=object)[y]
        yield f"fractions {seed}", {"colour": colour, "shape": shape}, y, rng.random(3000)


@pytest.mark.parametrize("leaf", ["majority", "adaptive"])
def test_what_was_learned_can_be_loaded(leaf):
    for name, columns, y, weights in rows_of_any_weight():
        model = rp.HoeffdingTree(
            leaf=leaf,
            categorical_cuts="one-against-rest",
            grace_period=50,
            delta=0.05,
            tau=0.5,
        )
        model.partial_fit(columns, y, sample_weight=weights)
        data = to_bytes(model)
        try:
            assert to_bytes(from_bytes(data)) == data, name
        except rp.ModelFileError as error:
            pytest.fail(f"{name}: {error}")


# -- loading ----------------------------------------------------------------------------------


def test_loading_runs_no_code(data, tmp_path):
    path = tmp_path / "model.rip"
    path.write_bytes(data)
    program = """
        import sys
        import riparian as rp
        rp.load(sys.argv[1]).predict_proba({"a": [1.0]})  # everything is imported now
        events = []
        watching = False
        def hook(event, arguments):
            if watching:
                events.append((event, str(arguments[0]) if arguments else ""))
        sys.addaudithook(hook)
        watching = True
        model = rp.load(sys.argv[1])
        watching = False
        print(events)
        assert events, "the hook must see the file"
        assert all(event == ("open", sys.argv[1]) for event in events), events
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_flipped_bit_is_noticed(data):
    for place in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[place] ^= 1 << bit
            with pytest.raises(rp.ModelFileError):
                from_bytes(bytes(flipped))


def test_every_truncation_is_noticed(data):
    for length in range(len(data)):
        with pytest.raises(rp.ModelFileError):
            from_bytes(data[:length])
        with pytest.raises(rp.ModelFileError):
            from_bytes(data[length + 1 :])


def test_bytes_too_many_are_noticed(data):
    for more in (b"\0", b" ", data[-32:], data):
        with pytest.raises(rp.ModelFileError):
            from_bytes(data + more)
        with pytest.raises(rp.ModelFileError):
            from_bytes(more + data)


def with_digest(body):
    return body + hashlib.sha256(body).digest()


class Bomb:
    def __reduce__(self):
        return (os._exit, (3,))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 40,
        b"PK\3\4" * 100,
        pickle.dumps({"a": 1}),
        pickle.dumps(Bomb()),
        safetensors.numpy.save({"weight": np.zeros(8)}),
        safetensors.numpy.save({"weight": np.zeros(8)}, metadata={"riparian": "{}"}),
        safetensors.numpy.save({"weight": np.zeros(8)}, metadata={"riparian": "[" * 100_000}),
    ],
    ids=["empty", "zeros", "zip", "pickle", "bomb", "safetensors", "header", "nested"],
)
def test_another_kind_of_file_is_refused(data, tmp_path):
    path = tmp_path / "other.bin"
    for contents in (data, with_digest(data)):
        path.write_bytes(contents)
        with pytest.raises(rp.ModelFileError, match=r"other\.bin: "):
            rp.load(path)


def test_a_file_that_is_not_there_is_no_model_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        rp.load(tmp_path / "absent.rip")


def test_a_newer_format_is_named(data):
    body = data[:-32].replace(rb"{\"format\":5,", rb"{\"format\":9,")
    assert body != data[:-32]
    with pytest.raises(
        rp.ModelFileError, match=r"format 9; this version reads formats 1, 2, 3, 4 and 5"
    ):
        from_bytes(with_digest(body))


# -- writing ----------------------------------------------------------------------------------


def failing(*arguments, **more):
    raise OSError("no space left on device")


@pytest.mark.parametrize("step", ["replace", "fsync", "chmod"])
def test_a_failing_write_leaves_the_old_file_and_nothing_else(step, model, tmp_path, monkeypatch):
    path = tmp_path / "model.rip"
    path.write_bytes(b"the old file")
    monkeypatch.setattr(os, step, failing)
    with pytest.raises(OSError, match="no space"):
        model.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == b"the old file"
    assert [p.name for p in tmp_path.iterdir()] == ["model.rip"]


def test_an_interrupt_leaves_the_old_file_and_nothing_else(model, tmp_path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    path = tmp_path / "model.rip"
    path.write_bytes(b"the old file")
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.save(path)
    assert path.read_bytes() == b"the old file"
    assert [p.name for p in tmp_path.iterdir()] == ["model.rip"]


def test_the_new_file_is_on_the_disk_before_it_has_its_name(model, tmp_path, monkeypatch):
    steps: list[str] = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)

        def noted(*given, name=name, real=real):
            steps.append(name)
            return real(*given)

        monkeypatch.setattr(os, name, noted)
    model.save(tmp_path / "model.rip")
    assert steps == ["fsync", "replace", "fsync"]  # the file, its name, the folder


def test_a_folder_that_is_not_there_is_an_error(model, tmp_path):
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "absent" / "model.rip")


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_the_file_has_the_usual_mode(model, tmp_path):
    before = os.umask(0o027)
    try:
        model.save(tmp_path / "model.rip")
    finally:
        assert os.umask(before) == 0o027
    assert stat.S_IMODE((tmp_path / "model.rip").stat().st_mode) == 0o640


def test_a_path_may_be_a_string_in_the_current_folder(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model.save("model.rip")
    assert rp.load("model.rip").n_seen_ == model.n_seen_


# -- pickle and copy --------------------------------------------------------------------------

COPIES = {
    **{f"pickle {p}": lambda m, p=p: pickle.loads(pickle.dumps(m, p)) for p in range(6)},
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("cls", [rp.HoeffdingTree, rp.VFDT])
def test_copies_of_a_fitted_model_are_the_same_and_go_their_own_way(cls, way):
    model = small_model(cls)
    before = to_bytes(model)
    again = way(model)
    assert type(again) is cls
    assert to_bytes(again) == before
    again.learn_one({"a": 1.0, "b": "u"}, 7)
    assert to_bytes(model) == before
    assert to_bytes(again) != before


@pytest.mark.parametrize("way", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("cls", [rp.HoeffdingTree, rp.VFDT])
def test_copies_of_an_unfitted_model_have_its_parameters(cls, way):
    model = cls(grace_period=7, categorical_features=["a"])
    again = way(model)
    assert type(again) is cls
    assert again.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        again.predict([[1.0]])
    again.partial_fit([[1.0], [2.0]], [0, 1])


def test_a_loaded_model_can_be_cloned(data):
    fresh = clone(from_bytes(data))
    assert fresh.get_params() == from_bytes(data).get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(ASKED)


def test_a_damaged_pickle_is_a_model_error(model):
    inner = to_bytes(model)
    data = pickle.dumps(model)
    assert data.count(inner) == 1
    damaged = inner[:200] + bytes([inner[200] ^ 1]) + inner[201:]
    with pytest.raises(rp.ModelFileError):
        pickle.loads(data.replace(inner, damaged))


# -- functions of the user --------------------------------------------------------------------


def wide_bound(evidence):
    """A bound by a function that a module has."""
    return np.sqrt(np.log(1.0 / evidence.delta) / (2.0 * evidence.n))


def test_a_file_holds_the_name_of_a_function_and_load_takes_the_function(tmp_path):
    model = small_model(bound=wide_bound)
    path = tmp_path / "model.rip"
    model.save(path)
    assert b"wide_bound" in path.read_bytes()
    with pytest.raises(rp.ModelFileError, match=r"wide_bound.*functions=\{'bound': \.\.\.\}"):
        rp.load(path)
    with pytest.raises(rp.ModelFileError, match="must be callable"):
        rp.load(path, functions={"bound": "wide_bound"})
    again = rp.load(path, functions={"bound": wide_bound, "impurity": None})
    assert again.bound is wide_bound
    assert to_bytes(again) == path.read_bytes()
    assert again.splits() == model.splits()
    assert to_bytes(pickle.loads(pickle.dumps(model))) == path.read_bytes()
    assert to_bytes(copy.deepcopy(model)) == path.read_bytes()


def test_a_function_without_a_name_cannot_be_saved(tmp_path):
    model = small_model(bound=lambda evidence: wide_bound(evidence))
    with pytest.raises(TypeError, match=r"bound.*cannot be saved"):
        model.save(tmp_path / "model.rip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("statistics", ["exhaustive", "intervals"])
def test_values_of_drawn_features_survive(statistics):
    """A leaf keeps the values of the features that it drew, and no others."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 5))
    y = (X[:, 0] > 0).astype(int)
    model = rp.HoeffdingTree(
        statistics=statistics, leaf_features=2, random_state=1, grace_period=40, tau=0.6
    )
    for n in (1, 600):  # one row, which made the root draw, and leaves of several splits
        model.partial_fit(X[:n], y[:n])
        again = from_bytes(to_bytes(model))
        assert to_bytes(again) == to_bytes(model)
    assert len(model.splits()) > 2
