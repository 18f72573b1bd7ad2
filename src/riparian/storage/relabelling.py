"""The arrays of a tree with other codes for its features, categories and classes.

The layout of the arrays is that of model files (``core/growth/snapshot.hpp``), and the core checks
the result when it restores the tree. Of what policies keep as plain numbers only the units of
softmax leaves have a layout here, and of the adaptations only alternates. Trees with others are
refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["relabelled_tree", "unknown_layouts"]

Arrays = Mapping[str, NDArray[Any]]

#: `Test` of core/cuts/candidate.hpp.
_LEAF, _THRESHOLD, _ONE_VALUE, _EVERY_VALUE = range(4)
#: `Role` of core/growth/nodes.hpp: a child, not an alternate.
_CHILD = 0
#: The planes of a Gaussian: mean, squares, low, high.
_PLANES = 4

#: Arrays of policies, and the parameter that asks for them.
_OPAQUE = {
    "watch": "statistics, impurity or bound",
    "memory_labels": "short_memory",
    "sparse": "sparse rows",
}
#: Policies that keep nothing with codes, or arrays with a layout that is known here.
_KNOWN_LEAVES = ("majority", "naive-bayes", "adaptive", "softmax")
_KNOWN_ADAPTATIONS = ("none", "alternates")


def unknown_layouts(trees: Iterable[Arrays], settings: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the parameter because of which trees cannot get other codes; None if they can.

    Parameters
    ----------
    trees : iterable of mapping of str to ndarray
        The trees.
    settings : iterable of mapping of str to object
        The parameters of each kind of tree among them.
    """
    for own in settings:
        for leaf in own["leaf"]:
            if leaf.name not in _KNOWN_LEAVES:
                return f"leaf={leaf.name!r}"
        if own["adaptation"].name not in _KNOWN_ADAPTATIONS:
            return f"adaptation={own['adaptation'].name!r}"
    for arrays in trees:
        for name, parameter in _OPAQUE.items():
            if len(arrays.get(name, ())):
                return parameter
    return None


def relabelled_tree(
    arrays: Arrays,
    features: Sequence[int],
    categories: Sequence[Sequence[int]],
    classes: Sequence[int],
) -> dict[str, NDArray[Any]]:
    """Return the arrays of the same tree with other codes.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        The tree.
    features : sequence of int
        For each feature its new place, which is that of no other feature.
    categories : sequence of sequence of int
        For each feature the new codes of its categories; empty for a numeric one.
    classes : sequence of int
        The new codes of the classes.
    """
    tree = _Tree(arrays, features, categories, classes)
    out = dict(arrays)
    for name in ("counts", "inherited", "recent"):
        if name in arrays:
            out[name] = tree.by_class(arrays[name])
    for name in ("kinds", "met"):
        out[name] = arrays[name][tree.order]
    if len(arrays.get("dropped", ())):
        masks = arrays["dropped"].reshape(-1, len(tree.order))
        out["dropped"] = np.ascontiguousarray(masks[:, tree.order]).reshape(-1)
    out["classes"] = np.array([tree.n_classes], dtype=arrays["classes"].dtype)
    out["categories"] = np.array(tree.counts_of_categories(), dtype=arrays["categories"].dtype)
    tests, of = arrays["test"], arrays["feature"]
    out["feature"] = tree.places(of)
    out["category"] = tree.codes(of, arrays["category"], tests == _ONE_VALUE)
    parent = arrays["parent"]
    many = (parent >= 0) & (tests[parent] == _EVERY_VALUE)
    if len(arrays.get("role", ())):
        many &= arrays["role"] == _CHILD
    out["branch"] = tree.codes(of[parent], arrays["branch"], many)
    for cut in ("second", "rival"):
        own = arrays[f"{cut}_feature"]
        ones = (own >= 0) & (arrays[f"{cut}_test"] == _ONE_VALUE)
        out[f"{cut}_feature"] = tree.places(own)
        out[f"{cut}_category"] = tree.codes(own, arrays[f"{cut}_category"], ones)
    out |= tree.checks()
    out |= tree.statistics()
    out |= tree.units()
    out |= tree.changes()
    return out


class _Tree:
    """A tree, and what becomes of its codes."""

    def __init__(
        self,
        arrays: Arrays,
        features: Sequence[int],
        categories: Sequence[Sequence[int]],
        classes: Sequence[int],
    ) -> None:
        self.arrays = arrays
        self.to = np.asarray(features, dtype=np.int32)
        self.order = np.argsort(self.to)
        self.categories = [np.asarray(codes, dtype=np.int32) for codes in categories]
        self._known = int(arrays["classes"][0])
        self._classes = np.asarray(classes[: self._known], dtype=np.int64)
        self.n_classes = int(self._classes.max(initial=-1)) + 1
        self._is_number = arrays["kinds"] == 0
        seen = iter(arrays["categories"].tolist())
        self._seen = [0 if number else next(seen) for number in self._is_number]

    def by_class(self, values: NDArray[Any]) -> NDArray[Any]:
        """Move weights of classes, [..][class]."""
        out = np.zeros((len(values) // max(self._known, 1), self.n_classes))
        out[:, self._classes] = values.reshape(len(out), self._known)
        return out.reshape(-1)

    def places(self, features: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the new places of features; -1 stays."""
        found: NDArray[np.int32] = np.where(features >= 0, self.to[features], features)
        return found

    def codes(
        self, features: NDArray[np.int32], values: NDArray[Any], which: NDArray[np.bool_]
    ) -> NDArray[Any]:
        """Return the new codes of some categories of features; the other values stay."""
        out = values.copy()
        for i in np.flatnonzero(which):
            out[i] = self.categories[features[i]][int(values[i])]
        return out

    def counts_of_categories(self) -> list[int]:
        """Return how many categories each categorical feature has now, in their new order."""
        return [
            int(self.categories[f][: self._seen[f]].max(initial=-1)) + 1
            for f in self.order
            if not self._is_number[f]
        ]

    def checks(self) -> dict[str, NDArray[Any]]:
        """Return the cuts of the last checks: feature and test of the best one and the second."""
        if not len(self.arrays.get("check_cuts", ())):
            return {}
        cuts = self.arrays["check_cuts"].reshape(-1, 6).copy()
        numbers = self.arrays["check_numbers"].reshape(-1, 6).copy()
        for place in (0, 1):
            own, tests = cuts[:, 2 * place].copy(), cuts[:, 2 * place + 1]
            ones = (own >= 0) & (tests == _ONE_VALUE)
            numbers[:, place] = self.codes(own, numbers[:, place], ones)
            cuts[:, 2 * place] = self.places(own)
        return {"check_cuts": cuts.reshape(-1), "check_numbers": numbers.reshape(-1)}

    def changes(self) -> dict[str, NDArray[Any]]:
        """Return the log of changes, and the certificates of splits that were replaced."""
        out = {}
        if len(self.arrays.get("change_places", ())):
            # Depth, branch, three cuts, leaves before and after. The first cut leads to the node.
            places = self.arrays["change_places"].reshape(-1, 13).copy()
            many = places[:, 2] == _EVERY_VALUE
            places[:, 1] = self.codes(places[:, 3], places[:, 1], many)
            out["change_places"] = self._cuts(places, (2, 5, 8))
        if len(self.arrays.get("former_places", ())):
            # Depth, verdict, criterion, two cuts.
            places = self.arrays["former_places"].reshape(-1, 9).copy()
            out["former_places"] = self._cuts(places, (3, 6))
        return out

    def _cuts(self, places: NDArray[np.int32], firsts: Iterable[int]) -> NDArray[np.int32]:
        """Give other codes to cuts in three columns each: test, feature and category."""
        for test in firsts:
            own = places[:, test + 1].copy()
            ones = places[:, test] == _ONE_VALUE
            places[:, test + 2] = self.codes(own, places[:, test + 2], ones)
            places[:, test + 1] = self.places(own)
        return places.reshape(-1)

    def units(self) -> dict[str, NDArray[Any]]:
        """Return the units of softmax leaves (``core/leaf/units_numbers.ipp``)."""
        sizes = self.arrays.get("unit_sizes", np.empty(0))
        if not len(sizes):
            return {}
        source = _Reader(self.arrays["units"])
        found = [self._units_of_leaf(source.read(int(n))) for n in sizes]
        return {
            "unit_sizes": np.array([len(numbers) for numbers in found], dtype=sizes.dtype),
            "units": np.concatenate(found),
        }

    def _units_of_leaf(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Move the units of a leaf: one for each class up to the last that was known there."""
        if not len(numbers):
            return numbers
        numeric, texts = np.flatnonzero(self._is_number), np.flatnonzero(~self._is_number)
        order, order_of_texts = np.argsort(self.to[numeric]), np.argsort(self.to[texts])
        source, n = _Reader(numbers), len(numeric)
        known = int(source.read(1)[0])
        values = source.read(len(texts)).astype(np.int64)
        moments = source.read(3 * n).reshape(3, n)[:, order]
        ends = n + 1 + np.cumsum(values)
        units = numbers[1 + len(texts) + 3 * n :].reshape(known, n + 1 + int(values.sum()))
        tables = []
        for f, end, count in zip(texts, ends, values, strict=True):
            cells = units[:, end - count : end]
            # The last category of a table is not without weights.
            used = np.flatnonzero(cells.any(axis=0))
            codes = self.categories[f][:count]
            table = np.zeros((known, int(codes[used].max(initial=-1)) + 1))
            table[:, codes[used]] = cells[:, used]
            tables.append(table)
        tables = [tables[c] for c in order_of_texts]
        moved = np.concatenate([units[:, order], units[:, n : n + 1], *tables], axis=1)
        places = self._classes[:known]
        out = np.zeros((int(places.max()) + 1, moved.shape[1]))
        out[places] = moved
        head = [len(out), *(table.shape[1] for table in tables)]
        return np.concatenate([head, moments.reshape(-1), out.reshape(-1)])

    def statistics(self) -> dict[str, NDArray[Any]]:
        """Return Gaussians and tables of the leaves."""
        a, known = self.arrays, self._known
        out: dict[str, list[Any]] = {name: [] for name in _STATISTICS}
        source = {name: _Reader(a[name]) for name in _STATISTICS}
        counts = a["counts"].reshape(-1, known)
        recent = _Reader(a.get("recent", np.empty(0)))
        dropped = a.get("dropped", np.empty(0))
        masks = dropped.reshape(-1, len(self.to)) if len(dropped) else None
        for leaf, node in enumerate(np.flatnonzero(a["test"] == _LEAF)):
            state = a["inactive"][leaf]
            own = recent.read(known) if state == 2 else counts[node]
            tracked = np.arange(len(self.to))
            if masks is not None:
                tracked = tracked[masks[leaf] == 0]
            numbers = tracked[self._is_number[tracked]]
            texts = tracked[~self._is_number[tracked]]
            if state != 1 and len(numbers):
                self._gaussians(source, out, np.flatnonzero(own > 0), numbers)
            self._tables(source, out, texts)
        return {
            name: np.concatenate([np.empty(0, a[name].dtype), *out[name]]).astype(a[name].dtype)
            for name in _STATISTICS
        }

    def _gaussians(
        self,
        source: Mapping[str, _Reader],
        out: Mapping[str, list[Any]],
        seen: NDArray[np.int64],
        numbers: NDArray[np.int64],
    ) -> None:
        n, order = len(numbers), np.argsort(self.to[numbers])
        found = []
        for _ in seen:
            gap = source["gaps"].read(1)
            planes = source["gaussian"].read(_PLANES * n).reshape(_PLANES, n)[:, order]
            known = source["known"].read(n)[order] if gap[0] else np.empty(0)
            found.append((gap, planes.reshape(-1), known))
        for k in np.argsort(self._classes[seen]):
            for name, values in zip(("gaps", "gaussian", "known"), found[k], strict=True):
                out[name].append(values)

    def _tables(
        self,
        source: Mapping[str, _Reader],
        out: Mapping[str, list[Any]],
        texts: NDArray[np.int64],
    ) -> None:
        found = []
        for f in texts:
            n = int(source["values"].read(1)[0])
            gap = source["table_gaps"].read(1)
            cells = source["cells"].read(n * self._known)
            # The last row of a table is not empty.
            used = np.flatnonzero(cells.reshape(n, self._known).any(axis=1))
            codes = self.categories[f][:n]
            table = np.zeros((int(codes[used].max(initial=-1)) + 1, self.n_classes))
            table[codes[used]] = self.by_class(cells).reshape(n, self.n_classes)[used]
            known = self.by_class(source["table_known"].read(self._known if gap[0] else 0))
            found.append(([len(table)], gap, table.reshape(-1), known))
        names = ("values", "table_gaps", "cells", "table_known")
        for c in np.argsort(self.to[texts]):
            for name, values in zip(names, found[c], strict=True):
                out[name].append(values)


#: Arrays that have a part for each leaf, of a length that depends on the leaf.
_STATISTICS = ("gaps", "gaussian", "known", "values", "table_gaps", "cells", "table_known")


class _Reader:
    """Reads an array from its beginning to its end."""

    def __init__(self, values: NDArray[Any]) -> None:
        self._values = values
        self._at = 0

    def read(self, n: int) -> NDArray[Any]:
        self._at += n
        return self._values[self._at - n : self._at]
