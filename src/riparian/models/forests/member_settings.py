"""The parameters of a member, and the number of threads that members share."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from riparian.models.hoeffding import HoeffdingTree
from riparian.policies.parameter import whole

__all__ = ["last_member_axes", "member_axes", "threads"]


def member_axes(axes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `estimator` as a member."""
    estimator = axes["estimator"]
    if estimator is None:
        estimator = HoeffdingTree(
            grace_period=50,
            delta=0.01,
            inherit_counts="count",
            # Among few drawn features there is often only one that can split.
            missing_second="zero" if axes.get("leaf_features") is None else "-inf",
        )
    return _tree_axes("estimator", estimator, axes, axes.get("leaf_features"))


def last_member_axes(axes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of `last_member` in a list, which is empty if there is none."""
    tree = axes.get("last_member")
    return [] if tree is None else [_tree_axes("last_member", tree, axes, None)]


def _tree_axes(
    parameter: str, estimator: Any, axes: Mapping[str, Any], leaf_features: Any
) -> dict[str, Any]:
    if not isinstance(estimator, HoeffdingTree):
        raise ValueError(
            f"{parameter} must be a HoeffdingTree or one of its recipes (VFDT(), HAT(), ...), "
            f"got {estimator!r}"
        )
    tree = estimator._axes()
    for name, why in (
        ("max_bytes", "set it on the forest, for all members together"),
        ("costs", "set them on the forest, whose predictions they change"),
        ("class_weight", "set it on the forest, which weights the rows"),
    ):
        if tree[name] is not None:
            raise ValueError(f"{parameter} must have {name}=None, got {tree[name]!r}; {why}")
    if leaf_features is not None:
        tree["leaf_features"] = leaf_features
    names = ("categorical_features", "date_parts", "max_categories", "max_features", "max_classes")
    for name in names:
        tree[name] = axes[name]
    return tree


def threads(n_jobs: object) -> int:
    """Return the number of threads for `n_jobs`."""
    if n_jobs is None or n_jobs == -1:
        affinity = getattr(os, "sched_getaffinity", None)  # not on every system
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    return whole("n_jobs", n_jobs, 1, 1024)
