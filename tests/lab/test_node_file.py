"""Nodes from files: what is read, and what is refused with its line."""

import io
import json

import numpy as np
import pytest

from riparian import lab

S1 = """A1,A2,class,probability
A,D,c1,0.0675
A,D,c2,0.1575
A,E,c1,0.0675
A,E,c2,0.1575
B,D,c1,0.1350
B,D,c2,0.0900
B,E,c1,0.1575
B,E,c2,0.0675
C,D,c1,0.0450
C,D,c2,0.0050
C,E,c1,0.0450
C,E,c2,0.0050
"""


def read(tmp_path, text):
    path = tmp_path / "node"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return lab.read_node(path)


def test_the_controlled_node_as_csv_and_as_json(tmp_path):
    node = lab.s1_node()
    text = {
        "features": ["A1", "A2"],
        "classes": ["c1", "c2"],
        "probabilities": node.probabilities.tolist(),
    }
    for found in (read(tmp_path, S1), read(tmp_path, json.dumps(text))):
        np.testing.assert_array_equal(found.probabilities, node.probabilities)
        assert (found.features, found.classes) == (node.features, node.classes)


def test_counts_are_shares_and_what_is_left_out_does_not_occur(tmp_path):
    by_line = read(tmp_path, "x, why ,class,count\nb,u,1,3\n\na,v,0,1\n")
    assert by_line.features == ("x", "why")
    assert by_line.classes == ("1", "0")
    want = np.zeros((2, 2, 2))
    want[0, 0, 0], want[1, 1, 1] = 0.75, 0.25
    np.testing.assert_array_equal(by_line.probabilities, want)
    by_list = read(tmp_path, '\n {"counts": [[1e308, 0], [0, 1e308]]}')
    np.testing.assert_array_equal(by_list.probabilities, np.eye(2) / 2)
    assert (by_list.features, by_list.classes) == (("a0",), (0, 1))


def test_a_byte_order_mark_quotes_and_line_ends_of_windows(tmp_path):
    found = read(tmp_path, '\ufeffx,class,count\r\n"a,b","say ""no""",1\r\nc,yes,1\r\n')
    assert found.classes == ('say "no"', "yes")


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(S1))
    np.testing.assert_array_equal(lab.read_node("-").probabilities, lab.s1_node().probabilities)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "first line must name the features"),
        ("x,class\na,b\n", "'probability' or 'count', got 'x,class'"),
        ("x,class,weight\na,b,1\n", "got 'x,class,weight'"),
        ("x,class,count\n", "must have one line per combination"),
        ("x,class,count\na,b\n", "line 2: must have 3 fields, got 2"),
        ("x,class,count\na,b,1\n\na,b,2\n", "line 4: the combination 'a,b' is repeated"),
        ("x,class,count\na,,1\n", "line 2, column 'class': must not be empty"),
        ("x,class,count\na,b,many\n", "line 2, column 'count': must be a number of at least 0"),
        ("x,class,count\na,b,-1\n", "must be a number of at least 0, got '-1'"),
        ("x,class,count\na,b,nan\n", "must be a number of at least 0, got 'nan'"),
        ("x,class,count\na,b,0\na,c,0\n", "counts must be .* not all 0"),
        ("x,class,count\na,b,1\n", "two classes"),
        ("x,class,probability\na,b,0.5\na,c,0.4\n", "must sum to 1, got 0.9"),
        ("x,x,class,count\na,a,b,1\na,a,c,1\n", "features must be 2 different names"),
        ('x,class,count\n"a,b,1\n', "unexpected end of data"),
        (b"x,class,count\n\xff,b,1\n", "must be text in UTF-8"),
        ("[[0.5, 0.5]]", "must be an object with the keys"),
        ('{"probabilities": ', "Expecting value"),
        ('{"probability": [[0.5, 0.5]]}', "did you mean 'probabilities'"),
        ('{"classes": ["a", "b"]}', "either 'probabilities' or 'counts'"),
        ('{"counts": [[1, 1]], "probabilities": [[0.5, 0.5]]}', "either 'probabilities' or"),
        ('{"counts": [[1, 1], [1]]}', "counts must be nested lists of numbers of equal length"),
        ('{"counts": [[1, "x"]]}', "counts must be nested lists of numbers of equal length"),
        ('{"counts": [[1, -1]]}', "counts must be finite, not negative"),
        ('{"counts": [[1, NaN]]}', "counts must be finite, not negative"),
        ('{"counts": [1, 1]}', "one axis per feature"),
        ('{"counts": []}', "not all 0"),
        ('{"counts": [[1, 1]], "features": [1]}', "features must be a list of texts, got"),
        ('{"counts": [[1, 1]], "classes": [[], true]}', "must be a list of texts or whole numbers"),
        ('{"counts": [[1, 1]], "classes": ["a"]}', "classes must be 2 different names"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_refused(text, says, tmp_path):
    with pytest.raises(ValueError, match=rf"node: .*{says}"):
        read(tmp_path, text)


def test_more_combinations_than_can_be_drawn_from(tmp_path):
    columns = [f"x{i}" for i in range(29)]
    lines = [",".join([*columns, "class", "count"])]
    lines += [",".join([str(v)] * 29 + [c, "1"]) for v in range(3) for c in "ab"]
    with pytest.raises(ValueError, match="at most 4,194,304 combinations of up to 30 features"):
        read(tmp_path, "\n".join(lines))
    deep = json.dumps({"counts": np.ones((1,) * 31 + (2,)).tolist()})
    with pytest.raises(ValueError, match="up to 30 features"):
        read(tmp_path, deep)


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError):
        lab.read_node("no such file")
