"""The soft meters, as `cabinet meters` writes them from the code."""

from controller.features.sas.meter_list import meter_list
from tests.dossier.chapter import Chapter, Run, Written


def write(_run: Run) -> Written:
    """Write the list."""
    return Written(meter_list().partition("\n")[2])


CHAPTER = Chapter(30, "Meters", write)
