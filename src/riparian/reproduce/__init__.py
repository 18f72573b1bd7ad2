"""The experiments of the papers, rerun: published and measured figures side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from riparian.errors import one_of
from riparian.outputs import check_output, open_output
from riparian.reproduce import corrected_vfdt, ctree, mdt
from riparian.reproduce.experiment import SIZES, Experiment, Run, cores
from riparian.reproduce.outcome import Outcome, index_html

__all__ = ["EXPERIMENTS", "SIZES", "Experiment", "Outcome", "Run", "reproduce"]

#: Every experiment by name.
EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (*ctree.EXPERIMENTS, *corrected_vfdt.EXPERIMENTS, *mdt.EXPERIMENTS)
}


def reproduce(
    names: Sequence[str] | str = "all",
    *,
    out: str | os.PathLike[str],
    size: str = "quick",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> list[Outcome]:
    """Rerun experiments and write a page for each, and one that collects them.

    Parameters
    ----------
    names : 'all', or a sequence of names
    out : path
        A folder for the pages, made if it is not there.
    size : {'quick', 'reduced', 'full'}
        About a minute each; some minutes each; the paper's own size, which can take days.
    seed : int, default=0
    n_jobs : int, optional
        Processes; by default one a processor.
    progress : bool, default=False

    Returns
    -------
    outcomes : list of Outcome
        Each is also a page ``NAME.html`` and a text ``NAME.md`` in `out`, collected by
        ``index.html``.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> found = reproduce(["corrected-vfdt-tables-2-3"], out=folder, n_jobs=1)
    >>> found[0].claims[0][:54]
    'One epsilon with information gain breaks delta: holds '
    """
    one_of("size", size, SIZES)
    wanted = list(EXPERIMENTS) if names == "all" else [names] if isinstance(names, str) else names
    for name in wanted:
        one_of("an experiment", name, EXPERIMENTS)
    run = Run(size, seed, cores() if n_jobs is None else n_jobs, progress)
    os.makedirs(out, exist_ok=True)
    for page in ("index.html", *(name + ending for name in wanted for ending in (".html", ".md"))):
        check_output("out", os.path.join(out, page))
    found = []
    for name in wanted:
        found.append(EXPERIMENTS[name](run))
        _write(out, found)
    return found


def _write(out: str | os.PathLike[str], found: Iterable[Outcome]) -> None:
    """The newest page, and a new index: what is there can be looked at while more is run."""
    outcomes = list(found)
    newest = outcomes[-1]
    for ending, text in ((".html", newest.html()), (".md", newest.markdown())):
        with open_output(os.path.join(out, newest.name + ending), "w") as file:
            file.write(text)
    with open_output(os.path.join(out, "index.html"), "w") as file:
        file.write(index_html(outcomes))
