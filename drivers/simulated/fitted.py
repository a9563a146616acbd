"""The hopper that a `cabinet.toml` names, what goes wrong with a device, and which devices share a line."""

import os
from collections.abc import Callable, Mapping

from drivers.currency import Currency
from drivers.simulated.cctalk import hopper
from drivers.simulated.cctalk.device import Identity
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.line import LineDevice
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.simulated.pty_line import PtyLine
from drivers.simulated.ssp.encryption import FIXED_KEY, Encryption
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import SERIAL, SimulatedSmartHopper
from drivers.wiring import Hopper, Wiring, at_first

# Coins at which the level sensors of its hopper switch.
_LOW_COINS, _HIGH_COINS = 50, 1000

Payer = SimulatedHopper | SimulatedSmartHopper | SimulatedRecycler
"""What pays: a hopper, or the note recycler of a validator."""


class Fitted:
    """A device on its line, and its possible faults: `faults[what](1)` begins one, 0 ends it."""

    def __init__(self, device: LineDevice, faults: dict[str, Callable[[int], None]]) -> None:
        self.device = device
        self.faults: dict[str, Callable[[int], None]] = {**faults, "unplugged": self.unplug}
        self.misbehaviour = Misbehaviour()
        self.line: PtyLine | None = None

    def unplug(self, much: int) -> None:
        """Pull the plug out of the line, or put it in again (0)."""
        if self.line is not None and much:
            self.line.unplug()
        elif self.line is not None:
            self.line.plug()


def fitted_hopper(
    wired: Hopper,
    *,
    currency: Currency,
    coins: int,
    by_value: Mapping[int, int],
    coin_out: Callable[[int], None],
    boxed: Callable[[int], None],
    changed: Callable[[], None],
) -> SimulatedHopper | SimulatedSmartHopper:
    """Return the hopper that `wired` expects, with `coins` of its coin, or where it counts by value with those."""
    if wired.protocol == "ssp":
        return SimulatedSmartHopper(
            value_cents=wired.coin_value_cents,
            stock=by_value or {wired.coin_value_cents: coins},
            currency=currency.code,
            serial=wired.serial or SERIAL,
            encryption=Encryption(int(wired.ssp_key, 16) if wired.ssp_key else FIXED_KEY),
            coin_out=coin_out,
            boxed=boxed,
            changed=changed,
        )
    device = SimulatedHopper(
        value_cents=wired.coin_value_cents,
        country=currency.country,
        stock=coins,
        address=at_first(wired.address, 3),
        identity=with_serial(hopper.IDENTITY, wired.serial),
        coin_out=coin_out,
    )
    device.low_mark, device.high_mark = _LOW_COINS, _HIGH_COINS
    device.pin = bytes.fromhex(wired.pin)
    if wired.security != "serial":
        device.security = hopper.ZEROS
    device.asks_for_cipher = wired.security == "cipher_unused"
    return device


def pays_with_notes(wiring: Wiring) -> bool:
    """Whether the hopper is the note recycler of the bill validator: eSSP on one port."""
    bill, payer = wiring.bill_validator, wiring.hopper
    if bill is None or payer is None or (bill.protocol, payer.protocol) != ("ssp", "ssp"):
        return False
    return os.path.normpath(bill.port) == os.path.normpath(payer.port)


def shared_lines(wiring: Wiring) -> list[list[str]]:
    """Return the names of the devices on each line: those that are wired to one port together."""
    wired = {
        "coin": wiring.coin_acceptor,
        "bill": wiring.bill_validator,
        "hopper": None if pays_with_notes(wiring) else wiring.hopper,
        "printer": wiring.ticket_printer,
    }
    lines: dict[str, list[str]] = {}
    for name, device in wired.items():
        if device is not None:
            lines.setdefault(os.path.normpath(device.port), []).append(name)
    return list(lines.values())


def with_serial(identity: Identity, serial: int) -> Identity:
    """The device the configuration expects; 0 expects any."""
    return identity._replace(serial=serial) if serial else identity
