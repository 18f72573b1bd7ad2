"""What follows from the bound of a tree, and what does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from riparian.data.formatting import plural
from riparian.policies import Policy
from riparian.policies.rules import broken_premises, labels_of_mean_gains, promises_of

if TYPE_CHECKING:
    from riparian.evidence.certificates import Split
    from riparian.models.streaming_tree import StreamingTree

__all__ = ["guarantee"]


def guarantee(model: StreamingTree) -> str:
    """A paragraph about the splits of `model`: what its bound covers, and what was spent.

    Examples
    --------
    >>> from riparian import VFDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> print(guarantee(VFDT().fit(X, y)))
    Hoeffding's ...
    """
    engine = model._fitted()
    axes, splits = model._learned_with, model.splits()
    uncovered = _uncovered(model)
    covers = "nothing" if uncovered else _spending(axes)
    sentences = [
        _passes(engine.passes, splits),
        uncovered or _promise(axes),
        _checks(engine.delta_spent, axes, covers),
        _reasons(splits, covers),
    ]
    return " ".join(filter(None, sentences))


def _passes(passes: int, splits: Sequence[Split]) -> str:
    if passes == 1:
        return ""
    since = sum(split.pass_number > 1 for split in splits)
    return (
        f"The data were presented {passes} times, so the bound no longer holds: since the second "
        f"pass n counts the same examples again ({plural(since, 'split was', 'splits were')} made "
        "since then). For the first pass:"
    )


def _uncovered(model: StreamingTree) -> str:
    """Why the theorem of the bound does not cover the tree; empty if it does, or has no theorem."""
    axes = model._learned_with
    numeric = any(feature.kind == "numeric" for feature in model._schema.features)
    broken = broken_premises(axes, numeric=numeric)
    theorem = axes["bound"].declared["theorem"] if isinstance(axes["bound"], Policy) else ""
    if theorem and len(model.classes_) > 2:
        broken.append(f"there are {len(model.classes_)} classes, and the proof is for two")
    if not broken:
        return ""
    return (
        f"{theorem} does not cover this tree, so delta is a parameter "
        f"here and not an error probability: {'; '.join(broken)}."
    )


def _promise(axes: Mapping[str, Any]) -> str:
    """What the bound declares about itself, for the impurity and the epsilons of the tree."""
    bound, impurity = axes["bound"], axes["impurity"]
    if not isinstance(bound, Policy):
        return "The bound is a function of yours, so nothing is known about what it covers."
    declared = bound.declared
    labels = labels_of_mean_gains(impurity)
    if labels and declared["promise_for_means"]:
        epsilons = (
            "and two epsilons keep the intervals of two gains apart"
            if axes["epsilons"] == 2
            else "but one epsilon is too few: the difference of two gains has twice the range"
        )
        return (
            f"{declared['promise_for_means']} ({labels}), {epsilons}. This holds for two features "
            "and independent examples."
        )
    gain = impurity.name if isinstance(impurity, Policy) else "this"
    promise = promises_of(bound).format(delta=f"{axes['delta']:g}", gain=gain)
    if promise.endswith("."):
        return promise
    # A text without a full stop is about one gain.
    return promise + (
        "." if axes["epsilons"] == 2 else ", and one epsilon covers one gain, not a difference."
    )


def _spending(axes: Mapping[str, Any]) -> str:
    """What delta covers: "check", "tree", "promise" (the promise says it) or "nothing"."""
    bound = axes["bound"]
    return (bound.declared["spending"] or "check") if isinstance(bound, Policy) else "nothing"


def _checks(spent: float, axes: Mapping[str, Any], covers: str) -> str:
    if covers in ("nothing", "promise"):
        return ""
    if covers == "tree":
        return "Delta covers all checks of the tree."
    if axes["spend_delta"]:
        return f"All checks of one leaf share delta; all leaves together used {spent:.3g} so far."
    text = f"Delta applies to one check; over all checks so far it adds up to {spent:.3g}"
    return f"{text}, so nothing follows for the tree as a whole." if spent >= 1.0 else f"{text}."


def _kinds(splits: Sequence[Split]) -> str:
    """What the certificates of races say."""
    better = sum(split.reason == "better" for split in splits)
    return (
        f"{better} of {plural(len(splits), 'certificate says', 'certificates say')} better, and "
        f"{len(splits) - better} within tau."
    )


def _reasons(splits: Sequence[Split], covers: str) -> str:
    """How many splits the bound did not decide."""
    own = [split for split in splits if split.reason != "seeded"]
    seeded = len(splits) - len(own)
    came = f"{plural(seeded, 'split')} came with the batch tree, without a bound" if seeded else ""
    if not own:
        return f"{came}; the tree has made none since." if came else "The tree has no split yet."
    if covers == "promise":
        text = _kinds(own)
        return f"{text} {came}." if came else text
    if all(split.reason == "round" for split in own):
        text = f"{plural(len(own), 'split was', 'splits were')} made without a bound."
        return f"{text} {came}." if came else text
    ties = sum(split.reason == "tie" for split in own)
    forced = sum(split.reason == "forced" for split in own)
    text = f"{ties} of {len(own)} splits were ties"
    if covers != "tree":  # theorem 4 of De Rosa and Cesa-Bianchi includes tau
        text += ", which no bound covers"
    if forced:
        text += f", and {forced} had no rival"
    return f"{text}. {came}." if came else f"{text}."
