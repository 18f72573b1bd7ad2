"""The experiments of the papers, with published and measured results side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from riparian.errors import one_of
from riparian.storage.outputs import check_output, open_output
from riparian_experiments.reproduce import (
    corrected_vfdt,
    ctree,
    headlines,
    mdt,
    mdt_figure,
    review,
    ufft,
    vfdt,
)
from riparian_experiments.reproduce.experiment import SIZES, Experiment, Run, cores
from riparian_experiments.reproduce.outcome import Outcome, index_html

__all__ = ["EXPERIMENTS", "SIZES", "Experiment", "Outcome", "Run", "reproduce"]

#: Every experiment by name.
EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for paper in (ctree, corrected_vfdt, mdt, mdt_figure, review, ufft, vfdt, headlines)
    for experiment in paper.EXPERIMENTS
}


def reproduce(
    names: Sequence[str] | str = "all",
    *,
    out: str | os.PathLike[str],
    size: str = "quick",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    changes: Mapping[str, str] | None = None,
) -> list[Outcome]:
    """Run experiments, and write a page for each and an index of all pages.

    Parameters
    ----------
    names : 'all', str or sequence of str, default='all'
        The experiments.
    out : path
        Folder for the pages. It is created if it does not exist.
    size : {'quick', 'reduced', 'full'}, default='quick'
        About a minute per experiment; a few minutes; or the size of the paper, which can take days.
    seed : int, default=0
        Random seed.
    n_jobs : int, optional
        Number of processes. By default one per processor.
    progress : bool, default=False
        Whether to show a progress bar.
    changes : mapping of str to str, optional
        Parameters of the size to change, as on the command line, such as ``{"trees": "100"}``. Each
        experiment must have them.

    Returns
    -------
    outcomes : list of Outcome
        The results. Each is also written to ``NAME.html`` and ``NAME.md`` in `out`, with its plots
        as ``NAME-1.svg`` and so on, and listed in ``index.html``.

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
    run = Run(size, seed, cores() if n_jobs is None else n_jobs, progress, changes or {})
    for name in wanted:
        EXPERIMENTS[name].parameters(run)
    os.makedirs(out, exist_ok=True)
    for page in ("index.html", *(name + ending for name in wanted for ending in (".html", ".md"))):
        check_output("out", os.path.join(out, page))
    found = []
    for name in wanted:
        found.append(EXPERIMENTS[name](run))
        _write(out, found)
    return found


def _write(out: str | os.PathLike[str], found: Iterable[Outcome]) -> None:
    """Write the newest page and the index, so that they can be read while the others run."""
    outcomes = list(found)
    newest = outcomes[-1]
    files = {f"{newest.name}.html": newest.html(), f"{newest.name}.md": newest.markdown()}
    for name, picture in zip(newest.picture_files(), newest.pictures, strict=True):
        files[name] = picture.svg()
    for name, text in files.items():
        with open_output(os.path.join(out, name), "w") as file:
            file.write(text)
    done = {outcome.name for outcome in outcomes}
    earlier = {
        name: experiment.title
        for name, experiment in EXPERIMENTS.items()
        if name not in done and os.path.isfile(os.path.join(out, f"{name}.html"))
    }
    with open_output(os.path.join(out, "index.html"), "w") as file:
        file.write(index_html(outcomes, earlier))
