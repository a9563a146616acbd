"""The tour of `make bench` and `make memory-proof`, which no other test of the suite begins."""

import subprocess
import sys

import pytest

from tests.rigs.paths import ROOT

pytestmark = pytest.mark.processes

BEGIN = """
import tempfile
from pathlib import Path
from tests.bench.display_tour import Tour
from tests.ui.rehearsal import ATTRACT
with tempfile.TemporaryDirectory(prefix="m") as folder, Tour(Path(folder)) as tour:
    tour.view(ATTRACT)
"""


def test_a_tour_begins() -> None:
    """A whole display is put together as in its process, and draws what its socket brings."""
    subprocess.run([sys.executable, "-c", BEGIN], cwd=ROOT, check=True, capture_output=True)
