"""Messages that lie in one text."""

from __future__ import annotations

import numpy as np
import pytest

from riparian.sources.payloads import Payloads


def payloads(*messages):
    data = b"".join((message or b"") + b"\n" for message in messages)
    sizes = [-1 if message is None else len(message) for message in messages]
    return Payloads(data, np.array(sizes, dtype=np.int64))


MESSAGES = [b"a", b"", None, b"two\nlines", b"end"]


def test_they_are_a_sequence():
    found = payloads(*MESSAGES)
    assert list(found) == MESSAGES
    assert len(found) == 5
    assert [found[3], found[-1], found[2]] == [b"two\nlines", b"end", None]
    assert None in found
    assert b"other" not in found


@pytest.mark.parametrize("part", [slice(None), slice(1, 4), slice(3, 1), slice(-2, None)])
def test_a_part_of_them_is_one_text_too(part):
    found = payloads(*MESSAGES)[part]
    assert isinstance(found, Payloads)
    assert list(found) == MESSAGES[part]
    assert list(found[1:]) == MESSAGES[part][1:]
    assert payloads(*MESSAGES)[::-2] == MESSAGES[::-2]


def test_messages_of_one_line_are_a_text():
    assert payloads(b"a", b"", b"b").text == b"a\n\nb\n"
    assert payloads(b"a", b"b", None)[:2].text == b"a\nb\n"
    assert payloads(b"a", None).text is None
    assert payloads(b"a\nb").text is None
    # As many line ends as messages, but not one behind each.
    assert payloads(b"a\n", None).text is None
