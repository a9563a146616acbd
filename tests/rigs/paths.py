"""Where the tree lies that is tested."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The folder of `pyproject.toml`."""
SAMPLE = ROOT / "docs" / "cabinet.toml"
"""The annotated configuration file."""
TEXT = " ".join((ROOT / "docs" / "fair-play.md").read_text("utf-8").split())
"""What players may read of fair play, without its line breaks."""
