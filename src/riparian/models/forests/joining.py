"""Join forests that were learned apart: the members of all of them in one forest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.joined_names import join_names
from riparian.data.schema import Schema
from riparian.models.settings import byte_count
from riparian.storage.parameters import parameters_to_json
from riparian.storage.relabelling import relabelled_tree, unknown_layouts
from riparian.storage.schemas import check_agreement, schema_from_json, schema_to_json

if TYPE_CHECKING:
    from riparian.models.forests.forest import Forest

__all__ = ["joined"]

Arrays = Mapping[str, NDArray[Any]]

#: A feature that has had no value (core/forest/ensemble.hpp).
_NEVER = np.iinfo(np.uint64).max
#: A limit that nothing reaches; without one, no leaf may be inactive.
_AMPLE = 1 << 50
#: Parameters that may differ between the forests.
_OWN = ("n_estimators", "random_state", "max_bytes")
#: Arrays with a part for each member or tree. Those of the trees themselves are apart.
_OF_MEMBERS = (
    *("right", "answered", "generations", "warnings", "drifts", "has_tree", "has_back"),
    *("generation", "share", "left_out", "detector_sizes", "detectors", "is_last"),
)
_OF_TREE = re.compile(r"tree(\d+)\.(\w+)")


def joined(kind: type[Forest], forests: Sequence[Forest]) -> Forest:
    """Return a forest of a class with the members of all the forests."""
    axes = _common_axes(kind, forests)
    schema, states = _all_names(forests)
    if not (axes["costs"] is None or isinstance(axes["costs"], Mapping)) and any(
        own.classes != schema.classes for own, _ in states
    ):
        raise ValueError(
            "costs must be a dict of labels, because the forests have other classes or another "
            "order of them, got a matrix"
        )
    whole: dict[str, list[NDArray[Any]]] = {name: [] for name in _OF_MEMBERS}
    trees: list[Arrays] = []
    met_at = np.full(len(schema.features), _NEVER, dtype=np.uint64)
    seen = 0
    for number, (forest, (own, arrays)) in enumerate(zip(forests, states, strict=True)):
        found = _with_codes_of(schema, forest, own, arrays, number)
        for name in _OF_MEMBERS:
            if name in found:
                whole[name].append(found[name])
        trees += _trees(found)
        later = np.where(found["met_at"] == _NEVER, _NEVER, found["met_at"] + np.uint64(seen))
        met_at = np.where(met_at == _NEVER, later, met_at)
        seen += int(found["seen"][0])
    first = states[0][1]
    texts = [i for i, f in enumerate(schema.features) if f.kind == "categorical"]
    result = {
        **{name: np.concatenate(parts) for name, parts in whole.items() if parts},
        "seen": np.array([seen], dtype=np.uint64),
        "declared": first["declared"],
        "classes": np.array([len(schema.classes)], dtype=np.uint32),
        "kinds": np.array([f.kind == "categorical" for f in schema.features], dtype=np.uint8),
        "categories": np.array([schema.n_codes(i) for i in texts], dtype=np.uint32),
        "met_at": met_at,
    }
    for number, tree in enumerate(trees):
        result |= {f"tree{number}.{name}": values for name, values in tree.items()}
    model = kind._from_axes(axes)
    made = model._axes()
    engine = model._restored_engine(made, result)
    check_agreement(schema, result)
    model._install(model._completed(engine, schema, made))
    return model


def _common_axes(kind: type[Forest], forests: Sequence[Forest]) -> dict[str, Any]:
    """Return the parameters of the joined forest; a ValueError names what is unlike."""
    if not forests:
        raise ValueError("forests must have at least one forest, got none")
    for number, forest in enumerate(forests):
        if type(forest) is not kind:
            raise ValueError(
                f"forests[{number}] must be a {kind.__name__}, as the class that joins them; got "
                f"a {type(forest).__name__}"
            )
        if not forest.__sklearn_is_fitted__():
            raise ValueError(f"forests[{number}] has learned nothing")
        if forest._calls_user_functions:
            raise ValueError(
                f"forests[{number}] calls a function or an object of yours; such forests cannot be "
                "joined"
            )
        if any(forest is other for other in forests[:number]):
            raise ValueError(f"forests[{number}] is in the list twice")
    axes = [forest._learned_with for forest in forests]
    for number, other in enumerate(axes[1:], 1):
        mine, theirs = parameters_to_json(axes[0]), parameters_to_json(other)
        for name in sorted({*mine, *theirs} - {*_OWN}):
            if mine.get(name) != theirs.get(name):
                raise ValueError(
                    f"all forests must have the same {name}, got {axes[0].get(name)!r} in "
                    f"forests[0] and {other.get(name)!r} in forests[{number}]"
                )
    limits = [byte_count("max_bytes", own["max_bytes"]) for own in axes]
    limit = None if None in limits else sum(n for n in limits if n is not None)
    if limit is None and any(n is not None for n in limits):
        raise ValueError("max_bytes must be set in all forests or in none")
    members = sum(own["n_estimators"] for own in axes)
    return {**axes[0], "n_estimators": members, "max_bytes": limit}


def _all_names(forests: Sequence[Forest]) -> tuple[Schema, list[tuple[Schema, Arrays]]]:
    """Return the schema of all forests, and the schema and arrays of each one at one moment."""
    states: list[tuple[Schema, Arrays]] = []
    for forest in forests:
        with forest._learning:
            found = schema_to_json(forest._schema), forest._fitted().snapshot()
        states.append((schema_from_json(found[0]), found[1]))
    schema = schema_from_json(schema_to_json(states[0][0]))
    for number, (own, _) in enumerate(states[1:], 1):
        for place, feature in enumerate(own.features):
            here = schema.index.get(feature.name)
            if here is None:
                continue
            watches = [of.watches.get(at) for of, at in ((schema, here), (own, place))]
            left_out = [watch is not None and watch.left_out for watch in watches]
            if left_out[0] != left_out[1] or any(w and w.left_out and w.cut for w in watches):
                raise ValueError(
                    f"feature {feature.label!r} was left out as an identifier, but not in all "
                    f"forests up to forests[{number}]; declare it in categorical_features"
                )
            if left_out[0] and watches[0] and watches[1]:
                most = max(watches[0].forgotten, watches[1].forgotten)
                schema.set_watch(here, replace(watches[0], forgotten=most))
        known = len(schema.features)
        join_names(schema, own, "forest")
        for place, watch in own.watches.items():
            here = schema.index[own.features[place].name]
            if here >= known:
                schema.restore_watch(here, watch)
    return schema, states


def _with_codes_of(
    schema: Schema, forest: Forest, own: Schema, arrays: Arrays, number: int
) -> Arrays:
    """Return the arrays of a forest with the features and the codes of a schema."""
    absent = [f for f in schema.features if f.name not in own.index]
    if absent:
        # The engine decides which members and leaves see new features, as it would in a stream.
        axes = dict(forest._learned_with)
        if axes["max_bytes"] is not None:
            axes["max_bytes"] = _AMPLE  # the joined forest has a limit of its own
        engine = forest._restored_engine(axes, dict(arrays))
        engine.add_features([f.kind == "categorical" for f in absent])
        arrays = engine.snapshot()
    places = [schema.index[f.name] for f in [*own.features, *absent]]
    codes = [
        list(range(own.n_codes(place)))
        if own.left_out(place)
        else [schema.features[schema.index[feature.name]].codes[value] for value in feature.codes]
        for place, feature in enumerate(own.features)
    ] + [[] for _ in absent]
    classes = [schema.class_codes[label] for label in own.classes]
    if all(found == list(range(len(found))) for found in [places, classes, *codes]):
        return arrays
    trees = _trees(arrays)
    if why := unknown_layouts(trees, forest._kinds_of_trees(forest._learned_with)):
        raise ValueError(
            f"forests[{number}] knows names in another order than the forests before it, and what "
            f"its leaves keep because of {why} cannot be given other codes; learn all forests with "
            "the same order of features and with classes=..., or use other members"
        )
    order = np.argsort(places)
    out: dict[str, NDArray[Any]] = {
        **{name: a for name, a in arrays.items() if not _OF_TREE.fullmatch(name)},
        "met_at": arrays["met_at"][order],
    }
    masks = arrays["left_out"].reshape(len(trees), -1)
    if masks.size:
        out["left_out"] = np.ascontiguousarray(masks[:, order]).reshape(-1)
    for t, tree in enumerate(trees):
        drawn = np.flatnonzero(masks[t] == 0) if masks.size else np.arange(len(places))
        found = [places[f] for f in drawn]
        own_places = np.argsort(np.argsort(found)).tolist()
        of_tree = relabelled_tree(tree, own_places, [codes[f] for f in drawn], classes)
        out |= {f"tree{t}.{name}": values for name, values in of_tree.items()}
    return out


def _trees(arrays: Arrays) -> list[Arrays]:
    """Return the arrays of each tree."""
    found: dict[int, dict[str, NDArray[Any]]] = {}
    for key, values in arrays.items():
        if match := _OF_TREE.fullmatch(key):
            found.setdefault(int(match[1]), {})[match[2]] = values
    return [found[number] for number in sorted(found)]
