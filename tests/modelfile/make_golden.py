"""Writes the golden model files: ``python tests/modelfile/make_golden.py``.

Only for a new format or recipe. A file that a release could have written stays as
it is, for ever; a new one gets a new name.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import riparian as rp
from riparian.adaptation import Alternates, Options, Reevaluation, Window
from riparian.bounds import ConfidencePractical, DeltaMethod
from riparian.cuts import Bins, Combined
from riparian.impurities import Accuracy, Loss
from riparian.leaves import LinearUnits
from riparian.models.forests.ensemble import Ensemble
from riparian.statistics import Intervals
from tests import inside

FOLDER = Path(__file__).parent / "golden"

MODELS = {
    "vfdt-1": rp.VFDT(grace_period=50, delta=0.01, tau=0.1),
    "adaptive-1": rp.HoeffdingTree(
        leaf="adaptive",
        impurity="gini",
        categorical_cuts="both",
        runner_up="cut",
        inherit_counts="count",
        cuts=Bins(count=7),
        grace_period=50,
        delta=0.01,
        tau=0.15,
    ),
    "naive-bayes-1": rp.HoeffdingTree(
        leaf="naive-bayes",
        categorical_cuts="one-against-rest",
        inherit_counts="none",
        epsilons=2,
        grace_period=50,
        delta=0.05,
        tau=0.2,
        max_leaves=6,
    ),
    "prequential-2": rp.HoeffdingTree(
        impurity=Loss(evaluator="prequential"),
        costs={("yes", "no"): 3.0, ("perhaps", "no"): 0.5, ("no", "perhaps"): 0.25},
        spend_delta=True,
        grace_period=50,
        delta=0.05,
        tau=0.1,
    ),
    "holdout-2": rp.CorrectedVFDT(impurity=Accuracy(evaluator="holdout"), grace_period=50, tau=0.1),
    "paired-2": rp.HoeffdingTree(
        bound=DeltaMethod(pairing="paired"), grace_period=50, delta=0.01, tau=0.02
    ),
    "exhaustive-2": rp.VFDTc(grace_period=50, delta=0.01, tau=0.3),
    "intervals-2": rp.NIP(statistics=Intervals(count=12), grace_period=50, delta=0.01, tau=0.02),
    "hybrid-2": rp.HybridTree(grace_period=50, delta=0.01, tau=0.02),
    "idbd-3": rp.HoeffdingTree(leaf="linear-units", grace_period=50, delta=0.01, tau=0.1),
    "best-3": rp.VFDT(
        leaf=("majority", "naive-bayes", "linear-units"),
        costs={("yes", "no"): 3.0, ("no", "perhaps"): 0.25},
        grace_period=50,
        delta=0.01,
        tau=0.1,
    ),
    "alternates-4": rp.HAT(
        adaptation=Alternates(drift_delta=0.2, switch_after=30),
        grace_period=50,
        delta=0.05,
        tau=0.2,
    ),
    "window-4": rp.CVFDT(
        adaptation=Window(size=400, validity_period=100, test_period=60, test_size=30, archive=3),
        grace_period=30,
        delta=0.2,
        tau=0.3,
    ),
    "reevaluation-4": rp.EFDT(
        adaptation=Reevaluation(every=100), grace_period=30, delta=0.1, tau=0.2
    ),
    "options-4": rp.HoeffdingOptionTree(
        adaptation=Options(delta=0.9), grace_period=30, delta=0.1, tau=0.2
    ),
    "growth-3": rp.HoeffdingTree(
        leaf="majority",
        drop_poor_features=True,
        short_memory=100,
        adaptive_grace=True,
        grace_period=50,
        delta=0.01,
        tau=0.1,
    ),
    "policies-5": rp.HoeffdingTree(
        cuts=Combined(count=7, equal_variance="skip"),
        impurity="gini",
        bound=ConfidencePractical(c=0.05, form="derived"),
        leaf=("majority", "naive-bayes", LinearUnits(step=0.003, meta_step=0.02)),
        grace_period=50,
        tau=0.1,
    ),
    "window-5": rp.CVFDT(
        adaptation=Window(size=300, validity_period=80, test_period=60, test_size=30, archive=2),
        grace_period=30,
        delta=0.2,
        tau=0.3,
    ),
}

TREE = rp.HoeffdingTree(grace_period=30, delta=0.1, tau=0.3)
#: A forest of each engine, trees that restructure, and gradient trees.
NEWER = {
    "forest-4": rp.AdaptiveRandomForest(
        estimator=TREE, n_estimators=2, warning=0.9, drift=1e-4, random_state=3
    ),
    "patches-4": rp.StreamingRandomPatches(
        estimator=TREE,
        n_estimators=2,
        warning=0.9,
        drift=0.01,
        costs={("yes", "no"): 3.0},
        random_state=3,
    ),
    "chunks-4": rp.AccuracyWeightedEnsemble(
        estimator=TREE, n_estimators=2, n_stored=3, chunk_size=70, n_folds=3
    ),
    "pairs-4": rp.UFFT(
        n_min="fixed", grace_period=30, delta=0.1, tau=0.3, short_memory=40, drift=0.2
    ),
    "id4-4": rp.ID4(alpha=0.2),
    "id5r-4": rp.ID5R(max_examples=150),
    "iti-4": rp.ITI(max_examples=200),
    "oadt-4": rp.OADT(depth=3),
    "forest-5": rp.OnlineBagging(
        estimator=rp.HAT(
            adaptation=Alternates(drift_delta=0.2, switch_after=30, bootstrap=True),
            grace_period=30,
            delta=0.1,
            tau=0.3,
        ),
        n_estimators=2,
        random_state=3,
    ),
}

#: What models of format 5 carry along with what they have learned.
METADATA = {"trained by": "the tests", "runs": [1, 2.5, None, True]}
POSITIONS = {"rows": {"0": 2000}}


def rows(n, seed):
    """Mixed columns with gaps, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    age = 20.0 + 15.0 * kind + 8.0 * rng.standard_normal(n)
    clock = 1e9 + 100.0 * rng.standard_normal(n)
    job = np.array(["nurse", "smith", "clerk"], dtype=object)[kind]
    other = rng.random(n) < 0.3
    job[other] = rng.choice(np.array(["nurse", "baker", "ünïcode ☃"], dtype=object), other.sum())
    code = rng.choice(np.array([1, "1", 1.5, b"1", 2], dtype=object), n)
    for column, gap in [(age, np.nan), (clock, np.nan), (job, None), (code, None)]:
        column[rng.random(n) < 0.05] = gap
    y = np.array(["yes", "no", "perhaps"], dtype=object)[kind]
    columns = {"age": age, "job": job, "clock": clock, "code": code}
    return columns, y, rng.choice([0.5, 1.0, 2.0], n)


def turned(y):
    """Each label becomes another: what a tree that follows change is there for."""
    after = {"yes": "no", "no": "perhaps", "perhaps": "yes"}
    return np.array([after[label] for label in y], dtype=object)


def examples(columns):
    """One dict a row, as JSON has them, without the values that are missing."""
    names = list(columns)
    for values in zip(*(column.tolist() for column in columns.values()), strict=True):
        yield {
            name: value
            for name, value in zip(names, values, strict=True)
            if value is not None and value == value and not isinstance(value, bytes)
        }


def splits_of(model):
    """Its certificates, as JSON has them; none of a model that gives none."""
    if not hasattr(model, "splits"):
        return []
    if isinstance(model, Ensemble):
        return [[plain(split) for split in own] for own in model.splits()]
    return [plain(split) for split in model.splits()]


def plain(split):
    return [split.node, split.cut, split.n, split.gain, split.epsilon, split.reason]


def answers_of(model, asked):
    return [list(model.predict_proba_one(x).values()) for x in asked]


def follows(model):
    """Whether a tree follows change."""
    return inside.axes(model)["adaptation"].name != "none"


def trained(model, n):
    """The first half without a column, the second with other labels if the model follows change."""
    columns, y, weights = rows(n, seed=1)
    if isinstance(model, rp.ID4 | rp.ID5R):  # a number is a category
        columns |= {"age": columns["age"].round(-1), "clock": columns["clock"].round(-2)}
    half = {column: values[: n // 2] for column, values in columns.items() if column != "clock"}
    model.partial_fit(half, y[: n // 2], sample_weight=weights[: n // 2])
    rest = {column: values[n // 2 :] for column, values in columns.items()}
    stays = isinstance(model, rp.HoeffdingTree) and not follows(model)
    later = y[n // 2 :] if stays else turned(y[n // 2 :])
    return model.partial_fit(rest, later, sample_weight=weights[n // 2 :])


def main():
    FOLDER.mkdir(exist_ok=True)
    asked = [{}, {"job": "astronaut", "unknown": 3}, *examples(rows(30, seed=2)[0])]
    for name, fresh in (MODELS | NEWER).items():
        if (FOLDER / f"{name}.rip").exists():
            continue
        model = trained(fresh, 2000 if name in MODELS else 300)
        if name.endswith("-5"):
            model.metadata_, model.positions_ = METADATA, POSITIONS
        model.save(FOLDER / f"{name}.rip")
        expected = {
            "n_seen": model.n_seen_,
            "n_leaves": model.n_leaves_,
            "depth": model.depth_,
            "classes": model.classes_.tolist(),
            "splits": splits_of(model),
            "examples": asked,
            "probabilities": answers_of(model, asked),
            "labels": [model.predict_one(x) for x in asked],
        }
        for x in asked:
            model.learn_one(x, "yes")
        expected["continued"] = answers_of(model, asked)
        text = json.dumps(expected, indent=1, ensure_ascii=True)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name}: {model.n_leaves_} leaves")


if __name__ == "__main__":
    main()
