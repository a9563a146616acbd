"""Where a driver's ccTalk device is: at the configured address, or where a scan of its line finds one of its category.

A scan asks the addresses of the category (protocols.md, 1, "Framing") with the simple poll and, of those that answer,
for their category. On a line that no other driver has open it also has every device say its address (253, the
specification's MDCES), so that one with any address is found. No device acts on any of these. On a shared line nothing
is asked while money is on its way there (`Bus.moving`), but for the usual address, which is asked as ever.

Two devices of the category are a fault and never a choice: the first one is inhibited and read by its driver, and the
rest of the line is asked before anything is booked or enabled. An address that was found is remembered until the
program ends, for the device with that serial number. It is in no journal: money is kept by serial numbers.
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
"""The addresses of each category, the usual one first."""

WAIT_S: Final = 0.2
_CATEGORY_TRIES: Final = 2


def possible_addresses(address: Address, category: str) -> tuple[int, ...]:
    """Return where an encrypted device of that category may be: at its address, or wherever a scan looks for it."""
    return PLACES[category] if address == SCAN else (address,)


class Finder:
    """Finds the device of one driver on `bus`; `device` is its table in cabinet.toml, `address` what that says.

    With `encrypted` frames only the category's own addresses are asked. Raise `SettingsError` for an address that no
    device has.
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
        """Open the bus and return the address at which the device is to be asked.

        Raise `NoReplyError` where a scan finds none, `IdentityError` where what it finds is not what was wanted, and
        what the bus raises.
        """
        await self._bus.open()
        if self._address != SCAN:
            return self._address
        # Forgotten until the device has answered: one that is silent there is looked for everywhere the next time.
        self._trusted = self._bus.found.pop(self._device, None)
        return self._trusted[0] if self._trusted is not None else await self._first()

    async def require_alone(self, address: int, serial: int) -> None:
        """See that the device at `address`, of that serial number, is the line's only one of its category.

        Raise `IdentityError` where there is another, `PortError` when the line is lost. Nothing is asked for a
        configured address, nor again for a device that was alone when it was found.
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
        missing = NoReplyError(
            f"{self._bus}: no '{self._category}' answers (asked: {places}; tried: {named(self._bus.ways(self.usual))})"
            f": check its power and its cable, or write its address into [{self._device}]"
        )
        await self._bus.explain_silence(self.usual)
        if self._bus.lone:
            await refuse_stranger(self._bus, self.usual, self._category, missing)
        raise missing

    async def _ours(self, skip: int | None = None) -> AsyncIterator[int]:
        """Yield the addresses at which a device of the category answers."""
        asked = {skip}
        for framing in self._bus.ways(self.usual):
            for address in PLACES[self._category]:
                if address not in asked and await self._is_ours(address, framing):
                    asked.add(address)
                    yield address
        asked |= set(PLACES[self._category])
        if not self._roll_calls:
            return
        for framing in self._bus.ways(self.usual):
            for address in sorted(await self._bus.roll_call(framing) - asked):
                if await self._is_ours(address, framing):
                    yield address

    async def _is_ours(self, address: int, framing: Framing) -> bool:
        while address != self.usual and self._bus.others_move:
            await self._clock.sleep(WAIT_S)
        if not await self._bus.answers(address, framing, attempts=1):
            return False
        with suppress(NoReplyError, WireError):
            return is_a(await category_of(self._bus, address, attempts=_CATEGORY_TRIES), self._category)
        return False
