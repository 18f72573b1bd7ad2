"""The papers' experiments: each runs end to end and shows published and measured figures."""

import re
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pytest
from riparian_experiments import datasets
from riparian_experiments.reproduce import EXPERIMENTS, SIZES, Run, ctree, reproduce
from riparian_experiments.reproduce.outcome import Outcome, Picture, Table
from typer.testing import CliRunner

from riparian import streams
from riparian.cli.app import app

mpl.use("agg")


TINY = {
    "ctree-figure-2": {"trees": 2, "rows": 4000, "values": 2},
    "ctree-figure-3": {
        "data": ("a9a", "airlines", "cod_rna", "covertype", "electricity"),
        "orders": 1,
        "rows": 2000,
        "values": 2,
    },
    "corrected-vfdt-tables-2-3": {"repetitions": 500},
    "corrected-vfdt-table-4": {"orders": 2, "rows": 1000},
    "mdt-table-1": {"pairs": ("4/2",), "sets": 1, "folds": 1, "passes": 3},
    "mdt-table-2": {"pairs": ("4/2",), "sets": 1, "folds": 1, "passes": 3, "heights": (10, 6)},
    "mdt-table-3": {"data": ("iris",), "folds": 1},
    "mdt-figure-1": {"leaves": 20, "points": 501},
    "review-table-6": {"n": (50, 100), "d": (3, 4), "b": (2, 3), "sets": 1},
    "ufft-tasks": {"rows": 12_000, "learned": 9000},
    "vfdt-growth": {"concepts": 1, "examples": (1000, 2000), "batch": 1000},
    "cvfdt-hyperplane": {"rows": 2000, "seeds": 1},
    "hat-sea": {"rows": 2000, "seeds": 1},
    "efdt-errors": {"rows": 2000, "seeds": 1},
    "arf-streams": {"rows": 500, "seeds": 1, "members": 2},
}


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Sizes of a second each, and no real data."""
    for name, parameters in TINY.items():
        monkeypatch.setitem(EXPERIMENTS[name].sizes, "quick", parameters)
    monkeypatch.setattr(datasets, "where", lambda name: None)


# A figure of each paper that its page must print.
PUBLISHED = {
    "ctree-figure-2": "0.70",
    "corrected-vfdt-tables-2-3": "25,738",
    "corrected-vfdt-table-4": "863.7",
    "mdt-table-1": "66.2",
    "mdt-table-2": "106.9",
    "mdt-table-3": "18.4",
    "review-table-6": "O(n d b^d)",
    "ufft-tasks": "2,992",
}


def links_of(page):
    """The links of a page, as a browser finds them."""
    found = []

    class Links(HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.extend(value for name, value in attributes if (tag, name) == ("a", "href"))

    Links().feed(page.read_text())
    return found


def test_the_index_links_to_all_pages_of_the_folder(tmp_path):
    names = ["corrected-vfdt-tables-2-3", "corrected-vfdt-table-4"]
    for name in names:
        reproduce([name], out=tmp_path, n_jobs=1)
    assert links_of(tmp_path / "index.html") == [f"{name}.html" for name in reversed(names)]
    assert all((tmp_path / link).is_file() for link in links_of(tmp_path / "index.html"))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_runs_and_is_written(name, tmp_path):
    (outcome,) = reproduce([name], out=tmp_path, n_jobs=1)
    page = (tmp_path / f"{name}.html").read_text()
    text = (tmp_path / f"{name}.md").read_text()
    assert outcome.title in page
    assert outcome.title in text
    assert outcome.tables[0].rows
    for row in outcome.tables[0].rows:
        for cell in row:
            assert cell in text
    for claim in outcome.claims:
        assert claim in text
    assert PUBLISHED.get(name, "") in text
    assert links_of(tmp_path / "index.html") == [f"{name}.html"]
    assert links_of(tmp_path / f"{name}.html") == ["index.html"]
    assert page.count("<svg") == len(outcome.pictures)
    assert not re.search(r"""(src|href)=["']?http|url\(http|@import""", page)
    assert "nan" not in text.lower().split()


def test_without_the_data_generated_data_replaces_it_and_a_note_says_so(tmp_path):
    for name in ("ctree-figure-3", "corrected-vfdt-table-4", "mdt-table-3"):
        (outcome,) = reproduce([name], out=tmp_path, n_jobs=1)
        assert any("generated data" in note for note in outcome.notes)


def test_with_the_data_it_is_read_and_shuffled(tmp_path, monkeypatch):
    asked = []

    def load(name, *, shuffle):
        asked.append((name, shuffle))
        return streams.gaussian_clusters(n_features=4, n_classes=3, seed=shuffle, n_rows=150)

    monkeypatch.setattr(datasets, "where", lambda name: tmp_path)
    monkeypatch.setattr(datasets, "load", load)
    (outcome,) = reproduce(["mdt-table-3"], out=tmp_path, seed=7, n_jobs=1)
    assert asked == [("iris", 7)]
    assert outcome.tables[0].rows[0][0] == "iris"
    assert not any("generated data" in note for note in outcome.notes)


def test_the_same_seed_gives_the_same_figures(tmp_path):
    a, b, c = (
        EXPERIMENTS["ctree-figure-2"](Run(seed=seed, n_jobs=1)).tables[0].rows for seed in (1, 1, 2)
    )
    assert a == b
    assert a != c


def test_the_verdict_counts_bins_that_all_reached_on_one_stream():
    curves = np.full((1, 3, len(ctree._MIDDLES)), 0.6)
    curves[0, 0] = 0.7
    curves[0, 1, 4:] = np.nan
    found = ctree.verdict(curves)
    assert "others holds: it is true in 3 of 3 bins" in found
    assert "+10.00 points to CorrH-Tree, +10.00 points to H-Tree" in found
    curves[0, 2, 1] = 0.8
    assert "others does not hold: it is true in 2 of 3 bins" in ctree.verdict(curves)
    # Reached, but never on the same stream.
    apart = np.full((2, 3, len(ctree._MIDDLES)), np.nan)
    apart[0, 0], apart[1, 1:] = 0.7, 0.6
    assert "cannot be compared" in ctree.verdict(apart)


@pytest.mark.parametrize("n", [2, 16, 200])
def test_the_values_of_delta_and_c_stay_within_the_papers(n):
    values = ctree.grid(n, 2.0)
    assert len(values) == n
    assert values == sorted(values)
    assert values[0] == pytest.approx(2 / 201)
    assert values[-1] == pytest.approx(400 / 201)


def test_a_curve_has_the_mean_of_each_bin_of_leaves():
    curve = ctree._Curve()
    for leaves, measure in ((1, 0.5), (2, 0.6), (2, 0.7), (10**6, 0.9)):
        curve.add("H-Tree", leaves, measure)
    means = curve.means()
    assert means[2, :2].tolist() == pytest.approx([0.5, 0.65])
    assert np.isfinite(means).sum() == 2


def test_a_page_escapes_what_it_shows():
    outcome = Outcome(
        name="x",
        title="<b>",
        source="a & b",
        claims=["1 < 2"],
        settings={"s": "<i>"},
        tables=[Table("<u>", ("<p>",), [("<q>",)])],
    )
    page = outcome.html()
    for raw in ("<i>", "<q>", "<u>", "1 < 2"):
        assert raw not in page


def test_a_picture_is_the_same_each_time():
    means = {name: np.linspace(0.5, 0.7, len(ctree._MIDDLES)) for name in ctree.LEARNERS}
    picture = Picture("x", lambda: ctree.draw(means, "accuracy"))
    assert picture.svg() == picture.svg()


def test_a_wrong_name_is_told_the_nearest():
    result = CliRunner().invoke(app, ["reproduce", "ctree-figure2"])
    assert result.exit_code == 1
    assert "did you mean 'ctree-figure-2'?" in result.stderr


def test_list_lists():
    result = CliRunner().invoke(app, ["reproduce", "list"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(EXPERIMENTS)


def test_the_command_writes_and_says_what_was_found(tmp_path):
    out = str(tmp_path / "new")
    asked = ["reproduce", "mdt-table-1", "--quick", "--out", out, "--n-jobs", "1", "--quiet"]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0, result.output
    assert "Intersections give smaller trees" in result.stdout
    assert (tmp_path / "new" / "mdt-table-1.html").exists()


def test_every_experiment_has_the_same_parameters_in_all_sizes():
    assert set(TINY) == set(EXPERIMENTS)
    for name, experiment in EXPERIMENTS.items():
        assert set(experiment.sizes) == set(SIZES)
        for size in SIZES:
            assert set(experiment.sizes[size]) == set(TINY[name])


def test_set_changes_a_parameter_and_the_page_names_it(tmp_path):
    asked = ["reproduce", "ctree-figure-2", "--quick", "--set", "trees=3", "--set", "rows=2_000"]
    result = CliRunner().invoke(app, [*asked, "--out", str(tmp_path), "--n-jobs", "1", "--quiet"])
    assert result.exit_code == 0, result.output
    page = (tmp_path / "ctree-figure-2.md").read_text()
    assert "size quick, changed, seed 0, trees 3, rows 2,000, values 2" in page
    assert "Not the full size, which is: trees 1,000, rows 500,000, values 200." in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("tree=3", "did you mean 'trees'?"),
        ("trees=none", "trees must be a whole number of at least 1, got 'none'"),
        ("trees=1,2", "trees must be a whole number"),
        ("trees=0", "of at least 1, got '0'"),
    ],
)
def test_set_refuses_what_is_no_parameter_or_no_number(change, message, tmp_path):
    asked = ["reproduce", "ctree-figure-2", "--quick", "--set", change, "--out", str(tmp_path)]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_set_takes_all_and_several():
    run = Run(changes={"rows": "all"})
    assert EXPERIMENTS["ctree-figure-3"].parameters(run)["rows"] is None
    run = Run(changes={"heights": "6", "pairs": "4/2,6/4"})
    found = EXPERIMENTS["mdt-table-2"].parameters(run)
    assert (found["heights"], found["pairs"]) == ((6,), ("4/2", "6/4"))
    with pytest.raises(ValueError, match="rows must be a whole number of at least 1, got 'all'"):
        EXPERIMENTS["ctree-figure-2"].parameters(Run(changes={"rows": "all"}))


def test_set_chooses_data_sets():
    size = {"data": "a9a,electricity", "rows": "500"}
    (best,) = EXPERIMENTS["ctree-figure-3"](Run(changes=size)).tables
    assert [row[0] for row in best.rows] == ["generated, for a9a", "generated, for electricity"]
    for name in ("ctree-figure-3", "mdt-table-3"):
        with pytest.raises(ValueError, match=r"data must be one of .*, got 'iriss'"):
            EXPERIMENTS[name](Run(changes={"data": "iriss"}))


def test_set_needs_a_name_and_a_value():
    result = CliRunner().invoke(app, ["reproduce", "ctree-figure-2", "--set", "trees"])
    assert result.exit_code == 2
    assert "NAME=VALUE" in result.stderr


def test_quick_and_full_exclude_each_other():
    result = CliRunner().invoke(app, ["reproduce", "all", "--quick", "--full"])
    assert result.exit_code == 2
