import pytest


@pytest.fixture
def write(tmp_path):
    """Write a file of a test; gives its path."""

    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written
