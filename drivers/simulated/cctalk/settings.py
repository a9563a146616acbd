"""Settings of a ccTalk device made by its switches or its maker, by name."""

from collections.abc import Callable

from drivers.simulated.cctalk.bill_validator import CATEGORIES, SimulatedCctalkBills
from drivers.simulated.cctalk.device import CctalkDevice
from drivers.simulated.cctalk.frames import Framing


def settings_of(device: object) -> dict[str, Callable[[int], None]]:
    """Return the settings of `device`, 1 for set and 0 for not; none if it speaks another protocol.

    `crc16` is the checksum of its frames; a validator with `category` is a Bill Acceptor, not a Bill Validator.
    """
    if not isinstance(device, CctalkDevice):
        return {}

    def crc16(much: int) -> None:
        device.framing = Framing.CRC16 if much else Framing.SIMPLE

    def category(much: int) -> None:
        device.identity = device.identity._replace(category=CATEGORIES[1 if much else 0])

    return {"crc16": crc16, **({"category": category} if isinstance(device, SimulatedCctalkBills) else {})}
