"""The protocols of bill validators: each is a folder of `drivers` whose `validator.py` declares it.

`drivers/simulated/<name>/bill_validator.py` has the simulated device, `drivers/<name>/probe.py` finds the real one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class ValidatorProtocol:
    """A protocol of bill validators."""

    session: str
    """The class of its sessions (`drivers.bill_validator.Session`), as `module:Class` of its folder."""
    shared_line: Literal["", "cctalk", "mdb"] = ""
    """The line that it shares with other devices; "" for a line of its own."""
    stop_bits: Literal[1, 2] = 1
    line_parity: bool = False
    """Whether the line has the configured `parity`; else it has none."""
    has_parity: bool = False
    """Whether the key `parity` is about it."""
    no_serial: str = ""
    """Why a device cannot be asked for its serial number; "" if it can."""
    reads_tickets: bool = True
    """Whether its driver reads the barcodes of tickets."""


@cache
def validator_protocols() -> Mapping[str, ValidatorProtocol]:
    """Return the protocols by their names, in the order of the alphabet."""
    names = sorted(path.parent.name for path in Path(__file__).parent.glob("*/validator.py"))
    return {name: import_module(f"drivers.{name}.validator").VALIDATOR for name in names}


def has_parity(protocol: str) -> bool:
    """Whether the key `parity` is about validators of that protocol."""
    return protocol in validator_protocols() and validator_protocols()[protocol].has_parity


def ticket_readers() -> tuple[str, ...]:
    """Return the names of the protocols whose drivers read the barcodes of tickets."""
    return tuple(name for name, protocol in validator_protocols().items() if protocol.reads_tickets)
