"""What tests have to know of a protocol: the `campaigns.py` of its folder below `tests/drivers`.

`HARMLESS` are the requests with which `drivers.probe` may ask who answers. A bill validator's protocol also has `WORDS`
(what its driver keeps of a note that is ordered to be stacked), `NUMBERS_EVENTS` (if not, a note that went back while
nobody listened may be another than the one that was stacked), `TICKET_ORDERED` (the call after which that holds for a
ticket, of a protocol that numbers no events), `HIDES_CUT` (whether the reset that ends a silence may reach the device
before it reports where a power cut caught the note) and `GIVES_REASONS` (whether it says why a note was rejected).
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from drivers.currency import EURO
from drivers.probe import probes
from drivers.simulated.fault_model.rows import Row
from drivers.simulated.fault_model.table import FAULT_MODEL
from drivers.simulated.note_path import Paper
from drivers.simulated.validators import fitted_validator
from drivers.validator_protocols import validator_protocols
from drivers.wiring import BillValidator

if TYPE_CHECKING:
    from drivers.simulated.validators import Validator


def known(protocol: str) -> ModuleType:
    """Return what is known of a protocol."""
    return import_module(f"tests.drivers.{protocol}.campaigns")


def harmless() -> frozenset[bytes]:
    """Return everything that may be sent on a port of which nobody knows who answers."""
    return frozenset(frame for protocol in probes() for frame in known(protocol).HARMLESS)


def on_own_lines() -> Mapping[str, ModuleType]:
    """Return what is known of the validators' protocols but MDB, whose rig is a bridge with all its devices."""
    return {name: known(name) for name, protocol in validator_protocols().items() if protocol.shared_line != "mdb"}


def simulated(protocol: str, returned: Callable[[Paper], None], stacked: Callable[[Paper], None]) -> "Validator":
    """Return the validator of a cabinet that names the protocol alone."""
    settings = BillValidator(port="memory", protocol=protocol)
    return fitted_validator(settings, currency=EURO, returned=returned, stacked=stacked)


def note_mishaps(protocol: str) -> tuple[Row, ...]:
    """Return the rows of the fault model of a protocol's validator."""

    def moved(_paper: Paper) -> None:
        """Nobody asks where it is."""

    return FAULT_MODEL[simulated(protocol, moved, moved).kind]
