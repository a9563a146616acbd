"""The faults of a host."""

from collections.abc import Mapping
from typing import Final

from controller.faults import EVERYTHING, Fault, Stops

FAULTS: Final[Mapping[str, Fault]] = {
    "host_off": Fault(text="The host has switched this machine off", stops=EVERYTHING),
    "host_maintenance": Fault(text="The host has this machine in maintenance", stops=EVERYTHING),
    "host_games": Fault(text="The host has switched every game off", stops=EVERYTHING),
    "host_notes": Fault(text="The host has switched notes off", stops=Stops.NOTES),
    "host_lock": Fault(text="The host is transferring credit: wait a moment", stops=EVERYTHING),
}
