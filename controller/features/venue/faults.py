"""The faults of a venue."""

from collections.abc import Mapping
from typing import Final

from controller.faults import EVERYTHING, Clears, Fault

FAULTS: Final[Mapping[str, Fault]] = {
    "venue_books": Fault(
        text="This is an older copy of the books: the venue has seen newer or other ones",
        clears=Clears.TECHNICIAN,
        stops=EVERYTHING,
        alarm=True,
        sas=0x20,
    ),
    "venue_fenced": Fault(
        text="The venue refuses this machine: another one speaks in its name", clears=Clears.TECHNICIAN
    ),
}
