"""Sparse matrices of SciPy: which are read, how, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import get_tags

import riparian as rp
from riparian.storage.modelfile import to_bytes
from tests import inside

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


def tree(**parameters):
    return rp.VFDT(**{"grace_period": 50, "delta": 1e-3, "tau": 0.1} | parameters)


def rows(n=400, n_features=12, share=0.2, seed=1):
    """Mostly zeros; two features tell the three classes apart."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, n_features)) < share, rng.integers(-20, 20, (n, n_features)) / 4, 0)
    y = np.where(X[:, 1] > 0, 2, np.where(X[:, 5] != 0, 1, 0))
    return X, y


def csr(X):
    return sparse.csr_matrix(X)


def broken(**parts):
    """A matrix of 3 rows and 4 columns, of which some arrays are replaced afterwards."""
    matrix = sparse.csr_matrix(
        (np.ones(4), np.array([0, 2, 1, 3], dtype=np.int32), np.array([0, 2, 3, 4])), shape=(3, 4)
    )
    for name, array in parts.items():
        setattr(matrix, name, array)
    return matrix


@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_read_and_none_is_changed(form, kind):
    X, y = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)
        given = getattr(sparse, f"{form}_{kind}")(X)
    before = given.copy()
    model = tree().fit(given, y)
    assert to_bytes(model) == to_bytes(tree().fit(csr(X), y))
    np.testing.assert_array_equal(given.toarray(), before.toarray())
    assert given.format == form
    assert (model.predict(given) == model.predict(X)).all()
    assert model.n_features_in_ == 12


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.int8, np.int64, np.uint16, np.bool_, np.longdouble]
)
def test_every_type_of_number_is_read(dtype):
    X, y = rows()
    X = np.round(X) if np.dtype(dtype).kind in "iu" else X
    X = abs(X) if np.dtype(dtype).kind == "u" else X
    given = csr(X.astype(dtype))
    assert to_bytes(tree().fit(given, y)) == to_bytes(tree().fit(csr(given.toarray() * 1.0), y))


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_every_type_of_index_is_read(index):
    X, y = rows()
    given = csr(X)
    given.indices, given.indptr = given.indices.astype(index), given.indptr.astype(index)
    assert to_bytes(tree().fit(given, y)) == to_bytes(tree().fit(csr(X), y))


def test_listed_zeros_are_zeros():
    X, y = rows()
    given = csr(np.ones_like(X))
    given.data = X.ravel().copy()
    given.data[given.data == 0.0] = np.where(np.arange((given.data == 0.0).sum()) % 2, 0.0, -0.0)
    assert to_bytes(tree().fit(given, y)) == to_bytes(tree().fit(csr(X), y))


def test_columns_in_any_order_and_twice_are_those_of_scipy():
    X, y = rows()
    given = csr(X)
    for r in range(given.shape[0]):
        part = slice(given.indptr[r], given.indptr[r + 1])
        given.indices[part] = given.indices[part][::-1].copy()
        given.data[part] = given.data[part][::-1].copy()
    twice = sparse.csr_matrix(
        (np.repeat(given.data / 2, 2), np.repeat(given.indices, 2), given.indptr * 2),
        shape=given.shape,
    )
    for other in (given, twice):
        kept = other.indices.copy()
        assert to_bytes(tree().fit(other, y)) == to_bytes(tree().fit(csr(X), y))
        assert (other.indices == kept).all()


WRONG = {
    "a column that does not exist": (
        {"indices": np.array([0, 2, 1, 4], np.int32)},
        "row 2.*column 4",
    ),
    "a negative column": ({"indices": np.array([0, -1, 1, 3], np.int32)}, "row 0.*column -1"),
    "a column beyond 32 bits": ({"indices": np.array([0, 2, 1, 2**40])}, f"no column {2**40}"),
    "fractional columns": ({"indices": np.array([0, 2, 1, 3.0])}, "indices .* must be integers"),
    "starts that descend": ({"indptr": np.array([0, 3, 1, 4])}, "row 1: indptr must ascend"),
    "starts beyond the values": ({"indptr": np.array([0, 2, 3, 9])}, "row 2: indptr must ascend"),
    "a negative start": ({"indptr": np.array([-1, 2, 3, 4])}, "row 0: indptr must ascend"),
    "too few starts": ({"indptr": np.array([0, 2, 3])}, "needs 4 entries in indptr"),
    "too few values": ({"data": np.ones(3)}, "as many indices as values"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_arrays_that_lead_outside_are_refused_and_nothing_is_learned(wrong):
    parts, message = WRONG[wrong]
    model = tree().partial_fit(csr(np.eye(4)[:3]), [0, 1, 1])
    before = to_bytes(model)
    with pytest.raises((TypeError, ValueError), match=message):
        model.partial_fit(broken(**parts), [0, 1, 0])
    with pytest.raises((TypeError, ValueError), match=message):
        model.predict(broken(**parts))
    assert to_bytes(model) == before


def test_wrong_indices_of_other_formats_are_refused():
    columns = sparse.csc_matrix(np.eye(3))
    columns.indices = np.array([0, 1, 7], dtype=np.int32)
    with pytest.raises(ValueError, match="column 2: there is no row 7 of 3"):
        tree().fit(columns, [0, 1, 2])
    pairs = sparse.coo_matrix(np.eye(3))
    pairs.row[2] = 9
    with pytest.raises(ValueError, match="3 rows has no row 9"):
        tree().fit(pairs, [0, 1, 2])


def test_values_that_cannot_be_learned_are_named():
    X, y = rows(20)
    X[7, 3] = np.inf
    with pytest.raises(ValueError, match=r"column 'x3', row 7: inf cannot be learned"):
        tree().fit(csr(X), y)
    with pytest.raises(ValueError, match="Complex"):
        tree().fit(csr(np.eye(3) * 1j), [0, 1, 2])


def test_shapes_that_cannot_be_learned_are_refused():
    wide = sparse.csr_matrix((2, inside.core.MAX_FEATURES + 1))
    with pytest.raises(ValueError, match="at most 1,000,000"):
        tree().fit(wide, [0, 1])
    with pytest.raises(ValueError, match="rows; a sparse matrix may have up to"):
        tree().fit(sparse.coo_matrix((2**40, 2)), [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        tree().fit(sparse.csr_matrix((0, 3)), [])
    with pytest.raises(ValueError, match="0 feature"):
        tree().fit(sparse.csr_matrix((3, 0)), [0, 1, 0])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D"):
        tree().fit(sparse.coo_array(np.ones(3)), [0, 1, 0])
    model = tree().fit(csr(np.eye(3)), [0, 1, 1])
    with pytest.raises(ValueError, match="X has 4 features, but VFDT is expecting 3"):
        model.predict(csr(np.eye(4)))


def test_a_categorical_feature_is_refused():
    with pytest.raises(ValueError, match=r"column 'x1'.*categorical_features lists it"):
        tree(categorical_features=[1]).fit(csr(np.eye(3)), [0, 1, 1])
    model = tree(categorical_features=[1]).fit(np.eye(3), [0, 1, 1])
    with pytest.raises(ValueError, match=r"column 'x1'.*the feature is categorical"):
        model.predict(csr(np.eye(3)))


def test_names_are_kept_with_the_warning_of_arrays():
    X, y = rows(100, 6)
    model = tree().fit({name: X[:, i] for i, name in enumerate("abcdef")}, y)
    with pytest.warns(UserWarning, match="X does not have feature names"):
        labels = model.predict(csr(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert (labels == model.predict(X)).all()


def test_positions_that_came_in_another_order_are_found():
    X, y = rows(600, 6)
    models = [tree(tau=0.3), tree(tau=0.3)]
    for model, batch in zip(models, (csr(X), X), strict=True):
        model.learn_one({f: X[0, f] for f in (2, 0, 5, 1, 4, 3)}, int(y[0]))
        model.partial_fit(batch, y)
    cuts = [[split.cut for split in model.splits()] for model in models]
    assert cuts[0] == cuts[1] != []
    assert (models[0].predict(csr(X)) == models[1].predict(X)).all()


REFUSED = {
    "leaf": (rp.HoeffdingTree(leaf="naive-bayes"), "leaf='naive-bayes'.*use leaf='majority'"),
    "several leaves": (
        rp.HoeffdingTree(leaf=("majority", "linear-units")),
        "leaf='linear-units'.*use leaf='majority'",
    ),
    "statistics": (rp.VFDTc(leaf="majority"), "statistics='exhaustive'.*use statistics='gaussian'"),
    "intervals": (
        rp.HoeffdingTree(leaf="majority", statistics="intervals"),
        "statistics='intervals'.*use statistics='gaussian'",
    ),
    "window": (
        rp.CVFDT(leaf="majority"),
        "adaptation='window'.*use adaptation='none' or 'alternates'",
    ),
    "reevaluation": (rp.EFDT(leaf="majority"), "adaptation='reevaluation'"),
    "options": (rp.HoeffdingOptionTree(leaf="majority"), "adaptation='options'"),
    "hits": (
        rp.HoeffdingTree(leaf="majority", impurity=rp.impurities.Accuracy(evaluator="holdout"))
        if hasattr(rp.impurities, "Accuracy")
        else None,
        "impurity__evaluator='holdout'.*resubstitution",
    ),
    "short memory": (
        rp.HoeffdingTree(leaf="majority", short_memory=10),
        "short_memory=10.*use short_memory=0",
    ),
    "poor features": (
        rp.HoeffdingTree(leaf="majority", drop_poor_features=True),
        "drop_poor_features=True.*use drop_poor_features=False",
    ),
    "a member of a forest": (
        rp.OnlineBagging(estimator=rp.HoeffdingTree(leaf="adaptive")),
        "leaf='adaptive'",
    ),
    "another engine": (rp.ITI(), "ITI does not support sparse data"),
    "a gradient tree": (rp.OADT(), "OADT does not support sparse data"),
    "chunks": (rp.AccuracyWeightedEnsemble(), "does not support sparse data"),
    "pairs": (rp.UFFT(), "UFFT does not support sparse data"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_learn_sparse_rows_refuses_by_name(case):
    model, message = REFUSED[case]
    X, y = rows(60)
    with pytest.raises((TypeError, ValueError), match=message) as raised:
        model.fit(csr(X), y)
    assert "toarray()" in str(raised.value)
    model.fit(X, y)
    with pytest.raises((TypeError, ValueError), match=message):
        model.predict(csr(X))
    assert not get_tags(model).input_tags.sparse


@pytest.mark.parametrize("model", [rp.VFDT(), rp.HAT(leaf="majority"), rp.AdaptiveRandomForest()])
def test_what_can_learn_sparse_rows_tells_scikit_learn(model):
    assert get_tags(model).input_tags.sparse


class Looked(list):
    """A list that counts the elements that are looked at."""

    looks = 0

    def __getitem__(self, place):
        self.looks += len(range(len(self))[place]) if isinstance(place, slice) else 1
        return super().__getitem__(place)

    def __iter__(self):
        for element in super().__iter__():
            self.looks += 1
            yield element

    def count(self, element):
        self.looks += len(self)
        return super().count(element)


class LookedIndex(dict):
    """A dict that counts the names that are iterated over."""

    looks = 0

    def __iter__(self):
        for name in super().__iter__():
            self.looks += 1
            yield name


def test_a_call_looks_at_no_feature_that_it_does_not_bring():
    """The names were looked at once; later calls do not go through 5,000 of them again."""
    X = sparse.random_array((300, 5_000), density=0.002, rng=np.random.default_rng(0), format="csr")
    y = np.arange(300) % 2
    model = rp.VFDT().partial_fit(X[:100], y[:100]).partial_fit(X[100:200], y[100:200])
    schema = inside.schema(model)
    schema.features, schema.codes = Looked(schema.features), Looked(schema.codes)
    schema.index = LookedIndex(schema.index)
    for row in range(200, 300):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
        model.predict(X[row : row + 1])
    # One in each of the 200 calls: whether the features are still the same.
    assert schema.features.looks <= 200
    assert schema.codes.looks + schema.index.looks == 0
