"""Check which parameters of a tree can be combined, by the declarations of the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from riparian.policies.policy import AXES, Policy

__all__ = [
    "broken_premises",
    "check_certain",
    "check_rules",
    "check_sparse",
    "labels_of_mean_gains",
    "promises_of",
]

#: A parameter, values, and whether the parameter must have one of them (True) or none (False).
Condition: TypeAlias = tuple[str, list[str], bool]

_MISSING = object()


def check_rules(parameters: Mapping[str, Any], of_tree: Mapping[str, Any]) -> None:
    """Raise an error if two parameters cannot be combined.

    Parameters
    ----------
    parameters : mapping
        All parameters of a tree, with policies instead of names.
    of_tree : mapping
        The declaration of the parameters that belong to no policy.

    Raises
    ------
    ValueError
        If a rule is violated. The message names both parameters.
    """
    _check_bound(parameters)
    for axis, policy in _policies(parameters):
        for when, needs, why in policy.declared["rules"]:
            if when is not None and not _holds(when, policy.__dict__.get(when[0], _MISSING)):
                continue
            cause = (
                f"{axis}__{when[0]}={policy.__dict__[when[0]]!r}"
                if when is not None
                else f"{axis}={policy.name!r}"
            )
            _check_rule(parameters, needs, cause, why)
    for when, needs, why in of_tree["rules"]:
        found = _value(parameters, when[0])
        if _holds(when, found):
            _check_rule(parameters, needs, f"{when[0]}={_value_text(found)}", why)


def check_certain(parameters: Mapping[str, Any], of_tree: Mapping[str, Any]) -> None:
    """Raise an error if a tree with these parameters cannot learn uncertain values."""
    declared = [
        (f"{axis}__", policy.__dict__, policy.declared) for axis, policy in _policies(parameters)
    ]
    for prefix, values, of in [*declared, ("", parameters, of_tree)]:
        for condition in of["certain_only"]:
            name = condition[0]
            path = f"{prefix}{name}" if name in values else name
            found = values[name] if name in values else _value(parameters, name)
            if _holds(condition, found):
                raise ValueError(
                    f"uncertain values cannot be learned with {path}={_value_text(found)} "
                    "(docs/uncertain.md)"
                )


def broken_premises(parameters: Mapping[str, Any], *, numeric: bool) -> list[str]:
    """Return why the theorem of the bound does not cover a tree with these parameters.

    `numeric` says whether the tree has numeric features; without them the statistics of numbers do
    not matter.
    """
    bound = parameters["bound"]
    if not isinstance(bound, Policy):
        return []
    return [
        why
        for _, needs, why in bound.declared["premises"]
        if (numeric or needs[0] != "statistics")
        and (found := _value(parameters, needs[0])) is not _MISSING
        and not _holds(needs, found)
    ]


def check_sparse(parameters: Mapping[str, Any], of_tree: Mapping[str, Any]) -> None:
    """Raise an error if a tree with these parameters cannot learn sparse rows."""
    for axis, policy in _policies(parameters):
        for when, needs, why in policy.declared["sparse_rules"]:
            own = when is not None and when[0] in policy.__dict__
            if when is None:
                applies = True
            elif own:
                applies = _holds(when, policy.__dict__[when[0]])
            else:
                applies = _holds(when, _value(parameters, when[0]))
            if applies and not _holds(needs, _value(parameters, needs[0])):
                cause = f"{axis}__{when[0]}={policy.__dict__[when[0]]!r}" if own else None
                raise _not_sparse(cause or f"{axis}={policy.name!r}", needs, why)
    for _, needs, why in of_tree["sparse_rules"]:
        found = _value(parameters, needs[0])
        if not _holds(needs, found):
            raise _not_sparse(f"{needs[0]}={_value_text(found)}", needs, why)


def _not_sparse(cause: str, needs: Condition, why: str) -> ValueError:
    name, values, _ = needs
    listed = " or ".join(value if _is_literal(value) else repr(value) for value in values)
    return ValueError(
        f"sparse rows cannot be learned with {cause}: {why}; use {name}={listed}, or pass "
        "X.toarray() (docs/data.md)"
    )


def labels_of_mean_gains(impurity: Any) -> str | None:
    """Return the note on labels of an impurity whose gains are means over examples, or None."""
    if isinstance(impurity, Policy):
        for when, labels in impurity.declared["mean_gains"]:
            if _holds(when, impurity.__dict__.get(when[0], _MISSING)):
                return str(labels)
    return None


def promises_of(bound: Policy) -> str:
    """Return what a bound promises with its parameters, with placeholders."""
    texts = [
        text
        for when, text in bound.declared["promises"]
        if _holds(when, bound.__dict__.get(when[0], _MISSING))
    ]
    return " ".join([*texts, bound.declared["promise"]])


def _policies(parameters: Mapping[str, Any]) -> Iterator[tuple[str, Policy]]:
    for axis in AXES:
        value = parameters[axis]
        for policy in value if isinstance(value, tuple) else (value,):
            if isinstance(policy, Policy):
                yield axis, policy


def _check_bound(parameters: Mapping[str, Any]) -> None:
    bound, impurity = parameters["bound"], parameters["impurity"]
    if not isinstance(bound, Policy):
        return
    serves = bound.declared["serves"]
    if serves and not (isinstance(impurity, Policy) and impurity.name in serves):
        raise ValueError(
            f"bound={bound.name!r} supports the impurities {', '.join(map(repr, serves))}, got "
            f"impurity={_value_text(impurity)}; bound='hoeffding' supports every impurity"
        )
    most = bound.declared["most_delta"]
    if not parameters["delta"] < most:
        raise ValueError(
            f"delta must be below {most:g} with bound={bound.name!r}, got {parameters['delta']!r}"
        )


def _check_rule(parameters: Mapping[str, Any], needs: Condition, cause: str, why: str) -> None:
    name, values, one_of = needs
    found = _value(parameters, name)
    if found is _MISSING or _holds(needs, found):
        return
    if values == ["None"] and not one_of:
        raise ValueError(f"{cause} needs {name}: {why}")
    listed = " or ".join(value if _is_literal(value) else repr(value) for value in values)
    if one_of:
        raise ValueError(f"{cause} needs {name}={listed}, got {_value_text(found)}: {why}")
    raise ValueError(f"{cause} cannot be combined with {name}={_value_text(found)}: {why}")


def _value(parameters: Mapping[str, Any], path: str) -> Any:
    axis, _, name = path.partition("__")
    found = parameters[axis]
    if not name:
        return found
    return found.__dict__.get(name, _MISSING) if isinstance(found, Policy) else _MISSING


def _holds(condition: Condition, found: Any) -> bool:
    _, values, one_of = condition
    if found is _MISSING:
        return False
    every = found if isinstance(found, tuple) else (found,)
    texts = [one.name if isinstance(one, Policy) else str(one) for one in every]
    if one_of:
        return all(text in values for text in texts)
    return not any(text in values for text in texts)


def _value_text(found: Any) -> str:
    if isinstance(found, tuple):
        return repr(tuple(one.name for one in found)) if len(found) > 1 else repr(found[0].name)
    return repr(found.name) if isinstance(found, Policy) else repr(found)


def _is_literal(value: str) -> bool:
    return value in ("True", "False", "None") or value.isdigit()
