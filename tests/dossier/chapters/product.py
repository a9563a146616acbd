"""The product: its folders and processes, its devices, and what it does not do."""

from tests.dossier.chapter import Chapter, Run, Written, moved_down
from tests.rigs.paths import ROOT

PAGES = {"Software": "architecture.md", "Hardware": "devices.md", "Security": "security.md"}


def write(_run: Run) -> Written:
    """Write the pages that describe it."""
    return Written(
        "\n\n".join(
            f"## {title}\n{moved_down((ROOT / 'docs' / name).read_text('utf-8'))}" for title, name in PAGES.items()
        )
    )


CHAPTER = Chapter(20, "Hardware and software", write)
