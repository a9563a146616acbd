"""The faults of the update of the program."""

from collections.abc import Mapping
from typing import Final

from controller.faults import EVERYTHING, Fault

FAULTS: Final[Mapping[str, Fault]] = {
    "software_proving": Fault(text="The program of this machine is being verified", stops=EVERYTHING),
    "software_trial": Fault(text="The program of this machine is being updated", stops=EVERYTHING),
}
