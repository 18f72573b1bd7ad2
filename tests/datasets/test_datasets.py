"""Real data sets: found, fetched, checked, or refused with the way to get them."""

import dataclasses
import gzip
import hashlib
import http.server
import io
import os
import sys
import threading
import zipfile

import numpy as np
import pytest
from riparian_experiments import datasets
from riparian_experiments.datasets import catalogue, fetching, originals
from riparian_experiments.datasets.catalogue import Dataset, Original
from typer.testing import CliRunner

import riparian as rp
from riparian.cli.app import app
from tests import inside

CSV = "size,kind,target\n1.5,u,no\n?,v,yes\n2,?,no\n"


def tiny(**changes):
    """A data set of three rows."""
    found = Dataset(
        name="tiny",
        rows=3,
        features=("size", "kind"),
        nominal=("kind",),
        classes={"no": 2, "yes": 1},
        source="a test",
        licence="free for tests",
        originals=(Original("http://127.0.0.1:9/tiny.data"),),
        sha256=hashlib.sha256(CSV.encode()).hexdigest(),
    )
    return dataclasses.replace(found, **changes)


@pytest.fixture
def shelf(monkeypatch, tmp_path):
    """Put one data set in the place of the catalogue; nothing is here."""

    def placed(dataset):
        monkeypatch.setattr(catalogue, "DATASETS", {dataset.name: dataset})
        monkeypatch.setattr(datasets, "DATASETS", {dataset.name: dataset})
        return dataset

    monkeypatch.delenv("RIPARIAN_DATA", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    return placed


@pytest.fixture
def serve():
    """Serve bytes at 127.0.0.1: a mapping of paths to (status, content, promised length)."""
    answers = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status, content, length = answers[self.path]
            self.send_response(status)
            if length is not None:
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *message):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def served(name, content, *, status=200, length=-1):
        content = content.encode() if isinstance(content, str) else content
        answers[f"/{name}"] = (status, content, len(content) if length == -1 else length)
        return f"http://127.0.0.1:{server.server_port}/{name}"

    yield served
    server.shutdown()
    thread.join()
    server.server_close()


def cached():
    folder = fetching.cache_folder()
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def content(path):
    return gzip.decompress(path.read_bytes()).decode()


# What is known


def test_the_catalogue_is_consistent():
    for name in datasets.names():
        found = datasets.info(name)
        assert found.rows == sum(found.classes.values())
        assert set(found.nominal) <= set(found.features)
        assert len(set(found.features)) == len(found.features)
        assert all(original.url.startswith("https://") for original in found.originals)
        assert found.licence
        assert found.source
    assert datasets.info("electricity") is datasets.info("elec2")
    assert datasets.info("cod-rna").grouped
    assert not datasets.info("elec2").grouped


def test_an_unknown_name_lists_the_names():
    with pytest.raises(ValueError, match="did you mean 'covertype'"):
        datasets.info("covertyp")


def test_the_cache_is_where_the_system_has_it(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    for platform, want in (("linux", "/somewhere"), ("win32", "/local")):
        monkeypatch.setattr(sys, "platform", platform)
        assert str(fetching.cache_folder()).startswith(want)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert fetching.cache_folder().parts[-3:] == ("Library", "Caches", "riparian")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert fetching.cache_folder().parts[-2:] == (".cache", "riparian")


# What is here


@pytest.fixture
def here(shelf, tmp_path, monkeypatch):
    """The tiny data set in a folder that the environment names."""
    dataset = shelf(tiny())
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "tiny.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    monkeypatch.setenv("RIPARIAN_DATA", str(folder))
    return dataset


def test_a_data_set_is_found_in_the_named_folder(here, tmp_path):
    assert datasets.where("tiny") == tmp_path / "data" / "tiny.csv.gz"
    stream = datasets.load("tiny")
    assert (stream.names, stream.classes, stream.n_rows) == (["size", "kind"], ["no", "yes"], 3)
    assert stream.categories == {"kind": ["u", "v"]}
    X, y = stream.take(3)
    np.testing.assert_array_equal(X, [[1.5, 0], [np.nan, 1], [2, np.nan]])
    assert y.tolist() == [0, 1, 0]


def test_numbers_that_are_categories_are_text_in_their_order(shelf, tmp_path, monkeypatch):
    text = "size,kind,target\n1,10,0\n2,2,1\n3,?,0\n"
    shelf(tiny(sha256=None, classes={"0": 2, "1": 1}))
    (tmp_path / "tiny.csv.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setenv("RIPARIAN_DATA", str(tmp_path))
    stream = datasets.load("tiny")
    assert stream.categories == {"kind": ["2", "10"]}
    np.testing.assert_array_equal(stream.take(3)[0][:, 1], [1, 0, np.nan])
    assert stream.classes == [0, 1]


def test_it_comes_as_arrays_or_as_a_frame(here):
    X, y = datasets.load("tiny", as_="arrays")
    assert X.shape == (3, 2)
    assert y.tolist() == ["no", "yes", "no"]
    pytest.importorskip("pandas")
    frame = datasets.load("tiny", as_="frame")
    assert list(frame.columns) == ["size", "kind", "target"]
    assert frame["kind"].astype(object).where(frame["kind"].notna(), None).tolist() == [
        "u",
        "v",
        None,
    ]
    with pytest.raises(ValueError, match="as_ must be one of 'stream', 'arrays', 'frame'"):
        datasets.load("tiny", as_="list")


def test_rows_are_shuffled_with_a_seed(here):
    X, _ = datasets.load("tiny", shuffle=0).take(3)
    assert sorted(X[~np.isnan(X[:, 0]), 0]) == [1.5, 2]
    np.testing.assert_array_equal(X, datasets.load("tiny", shuffle=0, as_="arrays")[0])
    orders = {str(datasets.load("tiny", shuffle=seed).take(3)[0]) for seed in range(10)}
    assert len(orders) > 1


def test_one_that_is_grouped_by_class_is_said(here, shelf):
    shelf(dataclasses.replace(here, order="grouped by class"))
    with pytest.warns(UserWarning, match="tiny is grouped by class: shuffle it"):
        datasets.load("tiny")
    datasets.load("tiny", shuffle=1)
    datasets.load("tiny", shuffle=False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CSV.replace("1.5", "1.6"), "the sha256 of its content is"),
        (CSV + "3,u,no\n", r"it must have 3 rows \(no: 2, yes: 1\), but has 4 rows"),
        (CSV.replace("size", "length"), "the columns must be size, kind"),
        (CSV.replace("2,?,no", "2,no"), "row 3: 2 fields, but the header has 3 fields"),
    ],
)
def test_a_file_that_is_another_is_refused(here, tmp_path, text, said):
    path = tmp_path / "data" / "tiny.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(ValueError, match=said) as caught:
        datasets.load("tiny")
    assert str(caught.value).startswith(str(path))
    if "fields" not in said:
        assert datasets.load("tiny", verify=False).n_rows == text.count("\n") - 1


# What is fetched


def test_one_that_is_not_here_is_fetched_once(shelf, serve, capsys):
    shelf(tiny())
    url = serve("tiny.data", "1.5, u, no\n?,v,yes\n\n2,?,no.\n")
    stream = datasets.load("tiny", urls=[url], progress=True)
    assert stream.n_rows == 3
    assert cached() == ["tiny.csv.gz"]
    assert content(fetching.cache_folder() / "tiny.csv.gz") == CSV
    said = capsys.readouterr().err
    assert f"downloading tiny from {url}" in said
    assert "licence: free for tests" in said
    datasets.load("tiny", urls=["http://127.0.0.1:9/nothing"])
    assert capsys.readouterr().err == ""


def test_the_converted_file_is_the_same_every_time(shelf, serve):
    shelf(tiny())
    url = serve("tiny.data", "1.5,u,no\n?,v,yes\n2,?,no\n")
    path = fetching.fetch(tiny(), urls=[url])
    first = path.read_bytes()
    fetching.fetch(tiny(), urls=[url])
    assert path.read_bytes() == first


LAYOUTS = {
    "arff": ({"layout": "arff"}, "% c\n@relation t\n@DATA\n1.5,'u',no\n?,v,yes\n2,?,no\n"),
    "spaces": ({"layout": "spaces", "skip_columns": 1}, "A 1.5 u no\nB ?\tv yes\nC 2   ? no\n"),
    "header": ({"skip_lines": 1}, "size (m),kind,class\n1.5 ,u,no\n?,v,yes\n2,?,no\n"),
    "gzip": ({}, gzip.compress(b"1.5,u,no\n?,v,yes\n2,?,no\n")),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_becomes_the_one(shelf, serve, layout):
    changes, text = LAYOUTS[layout]
    dataset = shelf(tiny(**changes))
    assert content(fetching.fetch(dataset, urls=[serve("t", text)])) == CSV


def test_a_file_in_a_zip_archive_and_two_parts(shelf, serve):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("read.me", "nothing")
        archive.writestr("a.csv", "1.5,u,no\r\n?,v,yes\r\n")
    first = Original(serve("a.zip", packed.getvalue()), member="a.csv")
    dataset = shelf(tiny(originals=(first, Original(serve("b", "|a comment\n2,?,no.\n")))))
    assert content(fetching.fetch(dataset)) == CSV


def test_sparse_text_becomes_dense(shelf, serve):
    dataset = tiny(layout="libsvm", classes={"-1": 1, "1": 1}, rows=2, sha256=None)
    url = serve("t", "+1 2:0.50\n-1 1:1 2:3\n")
    assert content(fetching.fetch(shelf(dataset), urls=[url])).split() == [
        "size,kind,target",
        "0,0.50,1",
        "1,3,-1",
    ]
    url = serve("t", "+1 3:0.5\n")
    with pytest.raises(ValueError, match=r"'3:0.5' is not index:value with an index from 1 to 2"):
        fetching.fetch(dataset, urls=[url])


GOOD = "1.5,u,no\n?,v,yes\n2,?,no\n"


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        ({"content": GOOD, "length": 500}, OSError, "tiny is not on this machine and could not be"),
        ({"content": "gone", "status": 404}, ConnectionError, "HTTP Error 404: Not Found"),
        ({"content": "oh", "status": 500}, ConnectionError, "HTTP Error 500"),
        ({"content": "1,u,no\n"}, ValueError, "it must have 3 rows"),
        ({"content": GOOD.replace("v", "w")}, ValueError, "the sha256 of its content is"),
        ({"content": "<html>\n"}, ValueError, "row 1: 1 fields, but tiny has 3"),
        ({"content": b"PK\x03\x04nonsense"}, ValueError, "File is not a zip file"),
        ({"content": b"\x1f\x8bnonsense"}, ValueError, "Unknown compression method"),
        ({"content": gzip.compress(GOOD.encode())[:-9]}, ValueError, "ended before"),
        ({"content": b"\xff\xfe,u,no\n"}, ValueError, "codec can't decode"),
    ],
)
def test_what_goes_wrong_leaves_no_file(shelf, serve, answer, error, said):
    shelf(tiny())
    url = serve("tiny.data", answer.pop("content"), **answer)
    with pytest.raises(error, match=said) as caught:
        datasets.load("tiny", urls=[url])
    assert url in str(caught.value)
    assert cached() == []


def test_a_published_checksum_is_checked(shelf, serve):
    url = serve("tiny.data", GOOD)
    right = hashlib.sha256(GOOD.encode()).hexdigest()
    for sha256 in ("0" * 64, right):
        dataset = shelf(tiny(originals=(Original(url, sha256),)))
        if sha256 == right:
            assert datasets.load("tiny").n_rows == 3
        else:
            with pytest.raises(ValueError, match="is not the published file: its sha256"):
                fetching.fetch(dataset)
            assert cached() == []


def test_an_interrupted_transfer_leaves_no_file(shelf, serve, monkeypatch):
    shelf(tiny())
    url = serve("tiny.data", GOOD)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    def without_converting(patched, other):
        patched.setattr(fetching, "convert", other)

    for replace in (inside.replace_download, without_converting):
        with monkeypatch.context() as patched:
            replace(patched, interrupt)
            with pytest.raises(KeyboardInterrupt):
                datasets.load("tiny", urls=[url])
        assert cached() == []


def test_a_file_that_is_there_stays_when_fetching_fails(shelf, serve):
    dataset = shelf(tiny())
    path = fetching.fetch(dataset, urls=[serve("t", GOOD)])
    before = path.read_bytes()
    with pytest.raises(ValueError, match="it must have 3 rows"):
        fetching.fetch(dataset, urls=[serve("t", "1,u,no\n")])
    assert path.read_bytes() == before
    assert cached() == ["tiny.csv.gz"]


def test_without_a_connection_address_and_variable_are_named(shelf):
    shelf(tiny())
    with pytest.raises(ConnectionError) as caught:
        datasets.load("tiny")
    with pytest.raises(FileNotFoundError) as not_tried:
        datasets.load("tiny", download=False)
    for said in (str(caught.value), str(not_tried.value)):
        assert "http://127.0.0.1:9/tiny.data" in said
        assert "RIPARIAN_DATA" in said
        assert "tiny.csv.gz" in said


def test_only_addresses_of_the_web_are_fetched(shelf):
    shelf(tiny())
    with pytest.raises(ValueError, match="urls must begin with https:// or http://"):
        datasets.load("tiny", urls=["file:///etc/passwd"])
    with pytest.raises(ValueError, match="urls must be a list of 1"):
        datasets.load("tiny", urls=[])


# On the command line


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_data_set_is_run_by_name(here):
    result = call("run", "dataset:tiny", "--json", "--quiet")
    assert result.exit_code == 0, result.output
    assert '"rows": 3' in result.stdout
    assert "--target" in call("run", "dataset:tiny", "--target", "y").stderr


def test_a_grouped_one_is_noted_and_can_be_shuffled(here, shelf):
    shelf(dataclasses.replace(here, order="grouped by class"))
    note = "riparian: tiny is grouped by class: shuffle it before streaming"
    assert note in call("run", "dataset:tiny").stderr
    result = call("run", "dataset:tiny?shuffle=3")
    assert result.exit_code == 0
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dataset:tni", "name must be one of"),
        ("dataset:tiny?seed=3", "must be 'shuffle', got 'seed'"),
        ("dataset:tiny?shuffle=x", "shuffle must be a seed, a whole number, got 'x'"),
    ],
)
def test_a_wrong_name_is_one_line(here, name, said):
    result = call("run", name)
    assert result.exit_code == 1
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_datasets_lists_them_with_their_places(here, shelf, tmp_path, monkeypatch):
    text = call("datasets").stdout
    assert str(tmp_path / "data" / "tiny.csv.gz") in text
    monkeypatch.delenv("RIPARIAN_DATA")
    assert "not downloaded; from http://127.0.0.1:9/tiny.data" in call("datasets").stdout
    assert '"licence": "free for tests"' in call("datasets", "--json").stdout


# The real ones


real = pytest.mark.skipif(not os.environ.get("RIPARIAN_DATA"), reason="RIPARIAN_DATA names no data")
SMALL = [name for name in datasets.names() if datasets.info(name).rows < 50_000]


@real
@pytest.mark.parametrize("name", datasets.names())
def test_the_real_one_is_what_the_catalogue_says(name):
    found = datasets.info(name)
    if datasets.where(name) is None:
        pytest.skip(f"{name} is not here")
    stream = datasets.load(name, shuffle=False)
    assert stream.n_rows == found.rows
    assert stream.names == list(found.features)
    assert sorted(stream.categories) == sorted(found.nominal)
    assert sorted(map(str, stream.classes)) == sorted(found.classes)
    if name in SMALL:
        result = rp.evaluate.prequential(rp.VFDT(), stream, progress=False)
        counts = {str(label): n for label, n, _ in result.by_class}
        assert counts == dict(found.classes)


@real
@pytest.mark.parametrize("name", SMALL)
def test_the_originals_become_the_real_one(name, tmp_path):
    """Write the originals as their homes have them, and convert them: the content is the same."""
    found = datasets.info(name)
    path = datasets.where(name)
    if path is None:
        pytest.skip(f"{name} is not here")
    rows = [line.split(",") for line in content(path).splitlines()[1:]]
    half = 32_561 if len(found.originals) == 2 else len(rows)
    paths = []
    for i, part in enumerate((rows[:half], rows[half:])[: len(found.originals)]):
        paths.append(tmp_path / str(i))
        paths[-1].write_text(original(found, part, last=i == 1))
        if name in ("adult", "iris"):
            digest = hashlib.sha256(paths[-1].read_bytes()).hexdigest()
            assert digest == found.originals[i].sha256
    with (tmp_path / "out").open("wb") as out:
        originals.convert(found, [p.open("rb") for p in paths], out, verify=True)


def original(dataset, rows, *, last):
    if dataset.layout == "libsvm":
        return "".join(
            f"{'+' * (y == '1')}{y} "
            + " ".join(f"{i}:{value}" for i, value in enumerate(x, 1) if value != "0")
            + " \n"
            for *x, y in rows
        )
    if dataset.layout == "spaces":
        lead = ["NAME_ECOLI"] if dataset.skip_columns else []
        return "".join("\t".join([*lead, *row]) + "\n" for row in rows)
    joint, point, head = ",", "", "Recency (months),Class\n" * dataset.skip_lines
    if dataset.layout == "arff":
        head = "@relation r\n@attribute x real\n@data\n"
    if dataset.name == "adult":
        joint, point, head = ", ", "." * last, "|1x3 Cross validator\n" * last
    end = "\n" if dataset.name in ("adult", "iris") else ""
    return head + "".join(joint.join(row) + point + "\n" for row in rows) + end
