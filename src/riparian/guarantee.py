"""What the bound of a tree promises, and what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    bound, impurity, delta = p["bound"], p["impurity"], p["delta"]
    if callable(bound):
        return "This bound is a function of yours: nothing is known here of what it promises."
    if bound == "confidence":
        return (
            f"At most {delta:g} of all examples pass a split that is worse than another by more "
            "than tau, if examples are independent, there are two classes and tests have two "
            "branches; nothing is proved for more (De Rosa and Cesa-Bianchi, theorem 4)."
        )
    if bound == "confidence-practical":
        return (
            "Equation 8 has the shape of a confidence interval, but its factor c is tuned and no "
            "delta stands behind it: it promises nothing."
        )
    if bound == "mcdiarmid":
        return (
            f"Except with probability {delta:g} a gain is within epsilon of its own mean; "
            "how far that mean is from the true gain is not covered, nor are repeated checks."
        )
    if bound in ("normal", "delta-method"):
        return (
            f"For large n a check errs with a probability near {delta:g}: a normal approximation, "
            "not a bound, and not to be trusted for rare classes or gains near 0."
        )
    if impurity in ("accuracy", "loss") and p["evaluator"] != "resubstitution":
        twice = (
            "and two epsilons keep the two intervals apart"
            if p["epsilons"] == 2
            else "but one epsilon is too few: the difference of two gains ranges twice as far"
        )
        held = (
            "labels are fixed before they are judged"
            if p["evaluator"] == "holdout"
            else "though labels still settle while they are judged"
        )
        return (
            f"The gain is a mean over single examples, as Hoeffding's bound asks for ({held}), "
            f"{twice}; it covers two attributes and independent examples."
        )
    return (
        "Hoeffding's bound promises nothing for this tree: "
        f"{impurity if isinstance(impurity, str) else 'this'} gain is not a mean of independent "
        "observations (Matuszyk et al. 2013, De Rosa and Cesa-Bianchi 2015)"
        + ("." if p["epsilons"] == 2 else ", and one epsilon covers one gain, not a difference.")
    )


def _checks(model: HoeffdingTree, p: dict[str, Any]) -> str:
    if p["bound"] == "confidence-practical" or callable(p["bound"]):
        return ""
    spent = model._fitted().delta_spent
    if p["bound"] == "confidence":
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
    if p["bound"] != "confidence":  # its theorem has tau in it
        text += ", which no bound covers"
    if forced:
        text += f", and {forced} had no rival"
    return f"{text}. {came}." if came else f"{text}."
