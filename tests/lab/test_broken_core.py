"""The command that breaks the core finds what it breaks."""

import pytest

from tests.lab.broken_core import BREAKS, ROOT


@pytest.mark.parametrize("what", BREAKS)
def test_what_is_broken_is_still_there(what):
    broken = BREAKS[what]
    source = (ROOT / broken.path).read_text("utf-8")
    assert broken.of(source) != source
