"""Which line each bill validator gets, by its language."""

from typing import Literal

import pytest

from controller.hardware.wires import Lines, Wires
from drivers.clock import LoopClock
from drivers.port import Port
from drivers.serial_port import Parity, SerialPort, StopBits
from drivers.wiring import BillValidator
from tests.rigs.mock_header import MockHeader


@pytest.mark.parametrize(
    ("protocol", "parity", "framing"),
    [
        ("id003", "even", ("even", 1)),
        ("id003", "none", ("none", 1)),
        ("ssp", "even", ("none", 2)),
        ("cctalk", "even", ("none", 1)),
        ("ebds", "even", ("none", 1)),
    ],
)
def test_a_validators_line(protocol: str, parity: Literal["none", "even"], framing: tuple[Parity, StopBits]) -> None:
    """8E1 for ID-003 where the port has parity, 8N2 for SSP, 8N1 for ccTalk and for EBDS, which adds its own."""
    asked: list[tuple[str, Parity, StopBits]] = []

    def port(path: str, parity: Parity, stop_bits: StopBits) -> Port:
        asked.append((path, parity, stop_bits))
        return SerialPort(path, parity=parity, stop_bits=stop_bits)

    lines = Lines(Wires(MockHeader(), port), LoopClock())
    lines.bills(BillValidator(port="/dev/bill", protocol=protocol, parity=parity))

    assert asked == [("/dev/bill", *framing)]
