"""The options of ``riparian run`` that set a model's parameters: one table, no heavy imports."""

from __future__ import annotations

import csv
import inspect
import json
import typing
from collections.abc import Callable
from typing import Annotated, Any

import typer

__all__ = ["MODEL_GROUPS", "OPTIONS", "given_parameters", "read_costs", "with_options"]

#: The names in `riparian.models.MODELS`, known here without importing it; a test compares them.
MODEL_GROUPS: dict[str, tuple[str, ...]] = {
    "trees": (
        "StreamTree",
        "HoeffdingTree",
        "CTree",
        "CorrHTree",
        "CorrectedVFDT",
        "DsCART",
        "HoeffdingOptionTree",
        "HybridTree",
        "MDT",
        "McDiarmidTree",
        "MisclassificationTree",
        "NIP",
        "VFDT",
        "VFDTc",
    ),
    "trees that follow change": ("CVFDT", "EFDT", "HAT", "UCVFDT"),
    "forests": (
        "StreamForest",
        "Forest",
        "AccuracyWeightedEnsemble",
        "AdaptiveRandomForest",
        "LeveragingBagging",
        "OnlineBagging",
        "StreamingRandomPatches",
        "UFFT",
    ),
    "trees that restructure": ("ID3", "ID3Prime", "ID4", "ID5R", "ITI"),
    "a tree that learns by gradient": ("OADT",),
}

#: Parameter, type and help, in the order of ``riparian run --help``.
OPTIONS: tuple[tuple[str, type, str], ...] = (
    ("statistics", str, "What a leaf keeps of numbers: gaussian, exhaustive or intervals."),
    ("n_intervals", int, "Intervals a feature, for intervals.  [default: 100]"),
    ("cuts", str, "Numeric cuts: bins, intersections, delayed, combined or qda."),
    ("n_cuts", int, "How many bins.  [default: 10]"),
    ("equal_variance", str, "What classes of equal variance give: linear (one cut) or skip."),
    ("variance", str, "Of a class at a check: sample or population."),
    ("categorical_cuts", str, "multiway, one-against-rest or both."),
    (
        "impurity",
        str,
        "entropy, gini, kearns-mansour, misclassification, accuracy, loss or hybrid.",
    ),
    (
        "evaluator",
        str,
        "Judge of accuracy and loss: resubstitution, prequential or holdout.",
    ),
    ("holdout_examples", float, "First examples of a leaf, which fix labels.  [default: 30]"),
    (
        "costs",
        str,
        'What each error costs: a JSON file or JSON itself, {"predicted,true": cost} or a '
        "matrix [predicted][true] with the classes in the order they come. Answers are the "
        "cheapest; splits count costs with impurity loss.",
    ),
    ("legacy_gain", bool, "The rounding of the released mDT code."),
    (
        "bound",
        str,
        "hoeffding, mcdiarmid, confidence, confidence-practical, normal or delta-method.",
    ),
    ("confidence_c", float, "Factor of confidence-practical.  [default: 1]"),
    ("confidence_form", str, "Logarithm of confidence-practical: printed or derived."),
    ("pairing", str, "Gains in delta-method: independent, conservative or paired."),
    ("version", str, "Of CTree: practical or theoretical."),
    ("test", str, "Of NIP: normal or hoeffding."),
    (
        "leaf",
        str,
        "What a leaf answers by: majority, naive-bayes, adaptive or idbd; or the best of "
        "several: majority,naive-bayes,idbd.",
    ),
    ("idbd_theta", float, "Step size of the step sizes of idbd.  [default: 0.01]"),
    ("idbd_alpha", float, "First step size of idbd.  [default: 0.05]"),
    ("adaptation", str, "none, alternates, window, reevaluation or options."),
    ("drift_delta", float, "Confidence of the detectors at the nodes.  [default: 0.002]"),
    ("switch_delta", float, "Confidence that an alternate is better.  [default: 0.05]"),
    ("switch_after", float, "Answers before alternates are compared.  [default: 300]"),
    ("bootstrap", bool, "Leaves learn a row as often as Poisson(1) says, at least once."),
    ("random_state", int, "Seed of the bootstrap.  [default: 0]"),
    ("reevaluate_every", float, "Weight between two looks at an inner node.  [default: 2000]"),
    ("option_delta", float, "Confidence of a further test of a node.  [default: 0.1]"),
    ("max_options", int, "Leaves that one row may reach.  [default: 5]"),
    ("window", int, "Examples that are remembered.  [default: 50000]"),
    ("validity_period", int, "Examples between checks of all splits.  [default: 10000]"),
    ("alt_test_period", float, "Weight before alternates are tested.  [default: 10000]"),
    ("alt_test_size", float, "Weight of such a test.  [default: 1000]"),
    ("alt_prune_margin", float, "Error that an alternate may lose again.  [default: 0.01]"),
    ("archive_size", int, "Replaced subtrees that are kept to be tried again.  [default: 0]"),
    ("dynamic_window", bool, "Halve the window when many splits become doubtful at once."),
    ("max_window", int, "Longest window of dynamic_window.  [default: window]"),
    ("inherit_counts", str, "What a leaf does with its parent's counts: none, predict or count."),
    ("grace_period", float, "Weight of examples between two checks of a leaf."),
    ("adaptive_grace", bool, "Check a leaf when its bound could be met, not before."),
    ("delta", float, "Accepted probability of a wrong split in one check."),
    ("spend_delta", bool, "Share delta among all checks of a leaf."),
    ("tau", float, "Tie: split when the bound is below this; 0 for no ties."),
    ("epsilons", int, "1 or 2: how many bounds the best must lead by."),
    ("runner_up", str, "Whom the best cut must beat: attribute, cut or none."),
    ("missing_second", str, "What a cut without a rival must beat: zero or -inf (nothing)."),
    ("drop_poor_features", bool, "Stop tracking features that are behind the best at a leaf."),
    ("leaf_features", str, "How many features a leaf draws: 3, 0.6 of them or sqrt."),
    ("short_memory", int, "How many of the last examples new leaves learn again.  [default: 0]"),
    ("short_memory_in_bound", bool, "Whether those count as seen in the bound."),
    ("min_gain", float, "Least gain of a split."),
    ("min_branch_fraction", float, "Least share of the examples in two branches."),
    ("clip_to_range", bool, "Whether a class counts only between its least and largest value."),
    ("max_depth", int, "Deepest level of the tree."),
    ("max_leaves", int, "Most leaves of the tree."),
    ("max_bytes", str, "Most memory of the model, such as 10MB or 512KiB."),
)

_WEIGHTS = (
    "grace_period",
    "holdout_examples",
    "switch_after",
    "reevaluate_every",
    "alt_test_period",
    "alt_test_size",
)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` an option for each parameter, which it takes as ``**given``."""
    signature = inspect.signature(command)
    hints = typing.get_type_hints(command, include_extras=True)
    parameters = [
        p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
        for p in signature.parameters.values()
        if p.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    for name, kind, text in OPTIONS:
        taken = Annotated[kind | None, typer.Option(help=text)]  # type: ignore[valid-type]
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=taken)
        )
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def given_parameters(given: dict[str, Any], *, labels_as_text: bool) -> dict[str, Any]:
    """The parameters that were given, as a library user would write them."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name in _WEIGHTS and value is not None and value.is_integer():
            found[name] = int(value)  # 200, as it was written
        elif name == "costs" and value is not None:
            found[name] = read_costs(value, as_text=labels_as_text)
        elif name == "leaf" and value is not None and "," in value:
            found[name] = tuple(part.strip() for part in value.split(","))
        elif name == "leaf_features" and value is not None:
            found[name] = _features(value)
        elif value is not None:
            found[name] = value
    return found


def _features(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_costs(text: str, *, as_text: bool = False) -> Any:
    """Costs from JSON or from a file of it.

    Parameters
    ----------
    text : str
        An object or a matrix in JSON, or the path of a file that holds one.
    as_text : bool
        Whether labels are text even where all of them look like whole numbers.

    Examples
    --------
    >>> read_costs('{"calm,flood": 20, "flood,calm": 1}')
    {('calm', 'flood'): 20, ('flood', 'calm'): 1}
    >>> read_costs('{"0,1": 5}'), read_costs("[[0, 5], [1, 0]]")
    ({(0, 1): 5}, [[0, 5], [1, 0]])
    """
    if not text.lstrip().startswith(("{", "[")):
        with open(text, encoding="utf-8") as file:
            text = file.read()
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"costs must be JSON: {error}") from None
    if not isinstance(found, dict):
        return found
    pairs = {key: next(csv.reader([key], skipinitialspace=True), []) for key in found}
    for key, pair in pairs.items():
        if len(pair) != 2:
            raise ValueError(
                f'costs must have keys "predicted,true", got {key!r}; a label with a comma '
                "stands in double quotes"
            )
    # As the readers of files do: whole numbers if all are such, else text.
    integers = not as_text and all(_is_integer(label) for pair in pairs.values() for label in pair)
    return {(int(a), int(b)) if integers else (a, b): found[key] for key, (a, b) in pairs.items()}


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and str(int(text)) == text
