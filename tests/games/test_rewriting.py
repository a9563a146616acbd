"""What a designer's tool keeps in a game's folder overwrites nothing but its own kind."""

from pathlib import Path

import pytest

from gamekit.rewriting import rewrite


def test_figures_replace_figures(tmp_path: Path) -> None:
    """A new file, and one of the kind, are written."""
    file = tmp_path / "figures.json"
    for content in (b"{1}", b"{2}"):
        rewrite(file, content)
        assert file.read_bytes() == content


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00"])
def test_another_kind_of_file_stays(tmp_path: Path, content: bytes) -> None:
    """Whatever has the name by a slip, and whatever a link leads to."""
    file, link = tmp_path / "figures.json", tmp_path / "link.json"
    file.write_bytes(content)
    link.symlink_to(file)
    for path in (file, link):
        with pytest.raises(FileExistsError, match="is not what this tool writes"):
            rewrite(path, b"{}")
    assert file.read_bytes() == content
