"""How often does a leaf that bets certify something false, and how many rows does it need?

`family` counts false certificates over the nodes that are hard for bets: two tests that are nearly
as good as each other, two that are equally good, no gain anywhere, many rivals, and four classes.
`table` compares the rules on the controlled node of Matuszyk et al. (2013), checked after every
row. `ties` shows what a tolerance decides. `workers` shares the rows of a leaf among workers.

    python benchmarks/betting_coverage.py family [--repetitions 100000] [--max-examples 1000]
    python benchmarks/betting_coverage.py table | ties | workers [--repetitions 2000]

The tables go to standard output, as markdown, for docs/certainty.md.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
from tables import Table

from riparian import lab

DELTAS = (0.05, 0.01)


def flips(*shares: float, classes: int = 2) -> lab.Node:
    """Make a node whose features agree with the class except for a share of flips."""
    k = classes
    joint = np.full((1,) * len(shares) + (k,), 1 / k)
    for i, share in enumerate(shares):
        table = np.full((k, k), share / (k - 1)) + np.eye(k) * (1 - share - share / (k - 1))
        shape = [1] * len(shares) + [k]
        shape[i] = k
        joint = joint * table.reshape(shape)
    return lab.Node(joint)


FAMILY = {
    "close (0.30, 0.31)": flips(0.30, 0.31),
    "equal (0.30, 0.30)": flips(0.30, 0.30),
    "no gain (0.50, 0.50)": flips(0.50, 0.50),
    "many rivals (0.35, 3 x 0.36, 2 x 0.50)": flips(0.35, 0.36, 0.36, 0.36, 0.50, 0.50),
    "four classes (0.50, 0.52)": flips(0.50, 0.52, classes=4),
}
TIES = {
    "equally good (0.20, 0.20)": flips(0.20, 0.20),
    "close (0.20, 0.22)": flips(0.20, 0.22),
    "two noise features": flips(0.50, 0.50),
}
#: As in the table of the specification.
RULES: dict[str, dict[str, Any]] = {
    "betting, Gini, whole rule with the null cut": {"impurity": "gini", "bound": "betting"},
    "betting, accuracy, whole rule": {"impurity": "accuracy", "bound": "betting"},
    "Gini, Hoeffding, 1 epsilon": {"impurity": "gini"},
    "Gini, Hoeffding, 2 epsilons": {"impurity": "gini", "epsilons": 2},
    "Gini, McDiarmid": {"impurity": "gini", "bound": "mcdiarmid"},
    "Gini, C-Tree equation 7": {"impurity": "gini", "bound": "confidence", "epsilons": 2},
}


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", choices=["family", "table", "ties", "workers"])
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("--max-examples", type=int, default=1000, help="of family")
    parser.add_argument("--only", default="", help="of family: the first words of a node")
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    {"family": family, "table": table, "ties": ties, "workers": workers}[options.task](options)
    return 0


def family(options: argparse.Namespace) -> None:
    """Count false certificates."""
    repetitions = options.repetitions or 100_000
    rows = []
    for name, node in FAMILY.items():
        if not name.startswith(options.only):
            continue
        for impurity in ("gini", "accuracy"):
            row: dict[str, Any] = {"node": name, "impurity": impurity}
            for delta in DELTAS:
                for tau in (0.0, 0.05):
                    found = lab.decisions(
                        node,
                        impurity=impurity,
                        bound="betting",
                        tau=tau,
                        delta=delta,
                        grace_period=10,
                        random_checks=True,
                        max_examples=options.max_examples,
                        repetitions=repetitions,
                        n_jobs=options.n_jobs,
                    )
                    row[f"{delta} {tau}"] = f"{found.wrong:,} ({found.decided:,})"
                    print(name, impurity, delta, tau, found.wrong, file=sys.stderr, flush=True)
            rows.append(row)
    columns = [("node", "node", "{}"), ("impurity", "impurity", "{}")]
    columns += [
        (f"delta {delta:g}, tau {tau:g}", f"{delta} {tau}", "{}")
        for delta in DELTAS
        for tau in (0.0, 0.05)
    ]
    title = (
        f"False certificates (and decisions) in {repetitions:,} leaves of at most "
        f"{options.max_examples:,} rows, checked at random rows, 10 apart on average"
    )
    Table(title, columns, rows).print(markdown=True)


def table(options: argparse.Namespace) -> None:
    """Compare the rules on the controlled node."""
    repetitions = options.repetitions or 2000
    rows = []
    for name, method in RULES.items():
        row: dict[str, Any] = {"rule": name}
        for delta in DELTAS:
            slow = "equation 7" in name
            found = lab.decisions(
                **method,
                delta=delta,
                repetitions=min(repetitions, 100) if slow else repetitions,
                grace_period=100 if slow else 1,
                n_jobs=options.n_jobs,
            )
            row[f"wrong {delta}"], row[f"n {delta}"] = found.wrong, found.mean_examples
            row["repetitions"] = found.repetitions
            print(name, delta, found, file=sys.stderr, flush=True)
        rows.append(row)
    columns = [("rule", "rule", "{}"), ("repetitions", "repetitions", "{:,}")]
    for delta in DELTAS:
        columns += [
            (f"wrong at {delta:g}", f"wrong {delta}", "{:,}"),
            ("mean n", f"n {delta}", "{:,.0f}"),
        ]
    Table("The controlled node, checked after every row", columns, rows).print(markdown=True)


def ties(options: argparse.Namespace) -> None:
    """Show what a tolerance decides."""
    repetitions = options.repetitions or 200
    rows = []
    for name, node in TIES.items():
        row: dict[str, Any] = {"node": name}
        for tau in (0.0, 0.025, 0.05):
            found = lab.decisions(
                node,
                impurity="gini",
                bound="betting",
                tau=tau,
                max_examples=6000,
                repetitions=repetitions,
                n_jobs=options.n_jobs,
            )
            mean = f", mean n {found.mean_examples:,.0f}" if found.decided else ""
            row[f"{tau}"] = f"{found.decided} of {repetitions}{mean}, {found.wrong} wrong"
        rows.append(row)
    columns = [("pair of features", "node", "{}")]
    columns += [(f"tau {tau:g}", f"{tau}", "{}") for tau in (0.0, 0.025, 0.05)]
    Table("Decided within 6,000 rows, Gini, delta 0.05", columns, rows).print(markdown=True)


def workers(options: argparse.Namespace) -> None:
    """Share the rows of the controlled node among workers."""
    repetitions = options.repetitions or 1000
    rows = []
    for count in (1, 2, 4, 8):
        found = lab.decisions(
            impurity="gini",
            bound="betting",
            workers=count,
            repetitions=repetitions,
            n_jobs=options.n_jobs,
        )
        rows.append({"workers": count, "n": found.mean_examples, "wrong": found.wrong})
    columns = [("workers", "workers", "{}"), ("rows in total", "n", "{:,.0f}")]
    columns.append(("wrong", "wrong", "{}"))
    title = f"Rows until the decision, {repetitions:,} leaves, delta 0.05"
    Table(title, columns, rows).print(markdown=True)


if __name__ == "__main__":
    raise SystemExit(main())
