"""Build the payout device that a `cabinet.toml` names, with its possible faults."""

import os
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from drivers.currency import Currency
from drivers.simulated.cctalk import hopper
from drivers.simulated.cctalk.device import Identity
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.front import COINS_CENTS
from drivers.simulated.line import LineDevice
from drivers.simulated.mdb.coin_changer import IDENTITY, SimulatedChanger
from drivers.simulated.mdb.peripheral import MdbPeripheral
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.simulated.mishaps import Mishaps
from drivers.simulated.pty_line import PtyLine
from drivers.simulated.ssp.encryption import FIXED_KEY, Encryption
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import SERIAL, SimulatedSmartHopper
from drivers.simulated.tcp_line import TcpLine
from drivers.wiring import BillValidator, CoinAcceptor, Hopper, Wiring, at_first

# Coins at which the level sensors of its hopper switch.
_LOW_COINS, _HIGH_COINS = 50, 1000
_USUAL_COIN = 100

Payer = SimulatedHopper | SimulatedSmartHopper | SimulatedRecycler | SimulatedChanger
"""A payout device: a hopper, the note recycler of a validator, or the tubes of a coin changer."""
FILLED_TUBES: Final = 40
"""Coins in each tube of a new changer."""


class Fitted:
    """A device on its line, and its possible faults: `faults[what](1)` begins one, 0 ends it.

    `mishaps` are its random mishaps, None for a device that has none.
    """

    def __init__(
        self,
        device: LineDevice | MdbPeripheral,
        faults: dict[str, Callable[[int], None]],
        mishaps: Mishaps | None = None,
    ) -> None:
        self.device = device
        self.mishaps = mishaps
        self.faults: dict[str, Callable[[int], None]] = {**faults, "unplugged": self.unplug}
        self.misbehaviour = Misbehaviour()
        self.line: PtyLine | TcpLine | None = None

    def unplug(self, much: int) -> None:
        """Unplug the line, or plug it in again (0)."""
        if self.line is not None and much:
            self.line.unplug()
        elif self.line is not None:
            self.line.plug()

    def close(self) -> None:
        """Remove the line, with a network's connection."""
        self.unplug(1)
        if isinstance(self.line, TcpLine):
            self.line.hang_up()


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
    """Return the hopper that `wired` expects, with `coins` of its coin; one that counts by value holds `by_value`."""
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


def fitted_changer(
    wiring: Wiring,
    *,
    currency: Currency,
    by_value: Mapping[int, int],
    returned: Callable[[int], None],
    coin_out: Callable[[int], None],
    boxed: Callable[[int], None],
    changed: Callable[[], None],
) -> SimulatedChanger:
    """Return the coin changer that `[coin_acceptor]` expects, with its saved coins in the tubes, or a new one."""
    wired, payer = wiring.coin_acceptor, wiring.hopper
    return SimulatedChanger(
        stock=by_value or dict.fromkeys(COINS_CENTS[:-1], FILLED_TUBES),
        currency=currency.code,
        identity=msgspec.structs.replace(IDENTITY, serial=wired.serial or IDENTITY.serial) if wired else IDENTITY,
        value_cents=payer.coin_value_cents if payer and payer.coin_value_cents in COINS_CENTS[:-1] else _USUAL_COIN,
        returned=returned,
        coin_out=coin_out,
        boxed=boxed,
        changed=changed,
    )


def pays_from_tubes(wiring: Wiring) -> bool:
    """Return whether the tubes of the coin changer are the hopper: MDB on one port."""
    return _on_one_port(wiring.coin_acceptor, wiring.hopper, "mdb")


def pays_with_notes(wiring: Wiring) -> bool:
    """Return whether the note recycler of the bill validator is the hopper: eSSP on one port."""
    return _on_one_port(wiring.bill_validator, wiring.hopper, "ssp")


def _on_one_port(takes: CoinAcceptor | BillValidator | None, payer: Hopper | None, protocol: str) -> bool:
    if takes is None or payer is None or (takes.protocol, payer.protocol) != (protocol, protocol):
        return False
    return os.path.normpath(takes.port) == os.path.normpath(payer.port)


def with_serial(identity: Identity, serial: int) -> Identity:
    """The device the configuration expects; 0 expects any."""
    return identity._replace(serial=serial) if serial else identity
