"""What the bound of a tree promises, and what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riparian.policies import Policy
from riparian.policies.rules import labels_of_mean_gains

if TYPE_CHECKING:
    from riparian.tree import HoeffdingTree

__all__ = ["guarantee"]


def guarantee(model: HoeffdingTree) -> str:
    """An honest paragraph about the splits of `model`.

    Examples
    --------
    >>> from riparian import VFDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> print(guarantee(VFDT().fit(X, y)))
    Hoeffding's bound promises nothing for this tree: ...
    """
    p = model._learned_with
    model._fitted()
    parts = [_repeated(model), _promise(p), _checks(model, p), _made(model, p)]
    return " ".join(part for part in parts if part)


def _repeated(model: HoeffdingTree) -> str:
    passes = model._fitted().passes
    if passes == 1:
        return ""
    since = sum(s.pass_number > 1 for s in model.splits())
    return (
        f"The data were presented {passes} times, so the bound no longer holds: since the second "
        "pass n counts the same examples again, and they are not independent "
        f"({since} {'split was' if since == 1 else 'splits were'} made since then). "
        "For the first pass:"
    )


def _promise(p: dict[str, Any]) -> str:
    bound, impurity = p["bound"], p["impurity"]
    if not isinstance(bound, Policy):
        return "This bound is a function of yours: nothing is known here of what it promises."
    declared = bound.declared
    labels = labels_of_mean_gains(impurity)
    if labels and declared["promise_for_means"]:
        twice = (
            "and two epsilons keep the two intervals apart"
            if p["epsilons"] == 2
            else "but one epsilon is too few: the difference of two gains ranges twice as far"
        )
        return (
            f"{declared['promise_for_means']} ({labels}), {twice}; it covers two attributes and "
            "independent examples."
        )
    gain = impurity.name if isinstance(impurity, Policy) else "this"
    promise = str(declared["promise"]).format(delta=f"{p['delta']:g}", gain=gain)
    if promise.endswith("."):
        return promise
    return promise + (
        "." if p["epsilons"] == 2 else ", and one epsilon covers one gain, not a difference."
    )


def _spending(p: dict[str, Any]) -> str:
    """What delta covers: "check", "tree" or "nothing"."""
    bound = p["bound"]
    return (bound.declared["spending"] or "check") if isinstance(bound, Policy) else "nothing"


def _checks(model: HoeffdingTree, p: dict[str, Any]) -> str:
    if _spending(p) == "nothing":
        return ""
    spent = model._fitted().delta_spent
    if _spending(p) == "tree":
        return "It pays for every check."
    if p["spend_delta"]:
        return f"All checks of one leaf share delta; over all leaves they used {spent:.3g} so far."
    return f"Delta holds for one check at one n; all checks so far used {spent:.3g} in sum" + (
        ", so nothing follows for the tree as a whole." if spent >= 1.0 else "."
    )


def _made(model: HoeffdingTree, p: dict[str, Any]) -> str:
    every = model.splits()
    splits = [s for s in every if s.reason != "seeded"]
    seeded = len(every) - len(splits)
    came = (
        f"{seeded} {'split' if seeded == 1 else 'splits'} came with the batch tree, without a bound"
        if seeded
        else ""
    )
    if not splits:
        return f"{came}; none was made since." if came else "No split was made yet."
    tied = sum(s.reason == "tie" for s in splits)
    forced = sum(s.reason == "forced" for s in splits)
    text = f"{tied} of {len(splits)} splits were ties"
    if _spending(p) != "tree":  # its theorem has tau in it
        text += ", which no bound covers"
    if forced:
        text += f", and {forced} had no rival"
    return f"{text}. {came}." if came else f"{text}."
