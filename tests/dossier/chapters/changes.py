"""The changelog."""

from tests.dossier.chapter import Chapter, Run, Written, moved_down
from tests.rigs.paths import ROOT


def write(_run: Run) -> Written:
    """Write the changelog."""
    return Written(moved_down((ROOT / "CHANGELOG.md").read_text("utf-8")))


CHAPTER = Chapter(120, "Changes", write)
