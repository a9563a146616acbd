"""Find a driver's ccTalk device: at the configured address, or by scanning its line for a device of its category.

A scan sends the simple poll to the addresses of the category (protocols.md, 1, "Framing") and asks those that answer
for their category. If no other driver has the line open, it also asks every device for its address (request 253, MDCES
in the specification), so that a device at any address is found. None of these requests makes a device act. On a shared
line only the default address is asked while money is moving there (`Bus.moving`).

Two devices of the category are a fault; the scan never chooses. The driver reads and inhibits the first one, and the
rest of the line is scanned before anything is booked or enabled. A found address is remembered until the program ends,
together with the device's serial number. It is not journaled: money is booked by serial number.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Final

from drivers.cctalk.bus import Bus
from drivers.cctalk.framing import Framing, named
from drivers.cctalk.link import category_of, is_a, refuse_stranger
from drivers.cctalk.protocol import HOST, MAX_ADDRESS
from drivers.clock import Clock
from drivers.errors import IdentityError, NoReplyError, SettingsError, WireError
from drivers.wiring import SCAN, Address

PLACES: Final[Mapping[str, tuple[int, ...]]] = {
    "Coin Acceptor": (2, *range(11, 18)),
    "Payout": (3, *range(4, 11)),
    "Bill Validator": (40, *range(41, 48)),
}
"""The addresses of each category, the default one first."""

WAIT_S: Final = 0.2
_CATEGORY_TRIES: Final = 2


def possible_addresses(address: Address, category: str) -> tuple[int, ...]:
    """Return the addresses of an encrypted device: the configured one, or those that a scan asks."""
    return PLACES[category] if address == SCAN else (address,)


class Finder:
    """Finds the device of one driver on `bus`; `device` is its table in cabinet.toml, `address` the setting there.

    With `encrypted` frames only the category's own addresses are asked. Raises `SettingsError` for an invalid address.
    """

    def __init__(
        self, bus: Bus, clock: Clock, *, device: str, address: Address, category: str, encrypted: bool = False
    ) -> None:
        self.usual = PLACES[category][0]
        if address != SCAN and not HOST < address <= MAX_ADDRESS:
            raise SettingsError(
                f'[{device}] address = {address}: a device\'s is 2 to 255, usually {self.usual}, or "{SCAN}"'
            )
        self._bus = bus
        self._clock = clock
        self._device = device
        self._address = address
        self._category = category
        self._roll_calls = not encrypted
        self._trusted: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"<Finder {self._device} address={self._address} found={self._bus.found.get(self._device)}>"

    async def open(self) -> int:
        """Open the bus and return the device's address.

        Raise `NoReplyError` if a scan finds no device, `IdentityError` if it finds a wrong one, and what the bus
        raises.
        """
        await self._bus.open()
        if self._address != SCAN:
            return self._address
        # Drop the remembered address until the device has answered: if it is silent, the next open scans again.
        self._trusted = self._bus.found.pop(self._device, None)
        return self._trusted[0] if self._trusted is not None else await self._first()

    async def require_alone(self, address: int, serial: int) -> None:
        """Check that the device at `address` with that serial number is the only one of its category on the line.

        Raise `IdentityError` if there is another, `PortError` when the line is lost. Nothing is asked for a configured
        address, nor for a device that was checked before.
        """
        if self._address != SCAN:
            return
        if self._trusted != (address, serial):
            async for other in self._ours(skip=address):
                raise IdentityError(
                    f"{self._bus}: there is a '{self._category}' at address {address} and another at {other}: take "
                    f"one away, or write the address of the right one into [{self._device}]"
                )
        self._bus.found[self._device] = address, serial

    async def _first(self) -> int:
        async for address in self._ours():
            return address
        places = ", ".join(map(str, PLACES[self._category]))
        tried = named(self._bus.framings_to_try(self.usual))
        missing = NoReplyError(
            f"{self._bus}: no '{self._category}' answers (asked: {places}; tried: {tried})"
            f": check its power and its cable, or write its address into [{self._device}]"
        )
        await self._bus.explain_silence(self.usual)
        if self._bus.lone:
            await refuse_stranger(self._bus, self.usual, self._category, missing)
        raise missing

    async def _ours(self, skip: int | None = None) -> AsyncIterator[int]:
        """Yield the addresses at which a device of the category answers."""
        asked = {skip}
        for framing in self._bus.framings_to_try(self.usual):
            for address in PLACES[self._category]:
                if address not in asked and await self._is_ours(address, framing):
                    asked.add(address)
                    yield address
        asked |= set(PLACES[self._category])
        if not self._roll_calls:
            return
        for framing in self._bus.framings_to_try(self.usual):
            for address in sorted(await self._bus.roll_call(framing) - asked):
                if await self._is_ours(address, framing):
                    yield address

    async def _is_ours(self, address: int, framing: Framing) -> bool:
        while address != self.usual and self._bus.others_move:
            await self._clock.sleep(WAIT_S)
        if not await self._bus.answers_poll(address, framing, attempts=1):
            return False
        with suppress(NoReplyError, WireError):
            return is_a(await category_of(self._bus, address, attempts=_CATEGORY_TRIES), self._category)
        return False
