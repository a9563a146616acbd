"""Requests to a ccTalk hopper and their answers (protocols.md, 1, "Hopper")."""

from typing import NamedTuple

from drivers.capabilities import Level
from drivers.cctalk.bus import ATTEMPTS, Bus
from drivers.cctalk.hopper_status import REGISTERS, Registers
from drivers.cctalk.protocol import Header
from drivers.errors import NoReplyError, WireError

LIFETIME_BYTES = 3
LIFETIME_SPAN = 1 << 8 * LIFETIME_BYTES
LAST_COUNTER = 255
MAX_DISPENSE = 255
RESET_REPLY_S = 0.2  # the ACK of a reset takes up to 90 ms (protocols.md, 1, "Timing")
RESET_DEAF_S = 0.7  # a restart takes up to 630 ms
LEVEL_ATTEMPTS = 2
PIN_REPLY_S = 0.5  # a wrong PIN is acknowledged late, to hinder guessing
RUSH = 20  # coins that can pass between two reads, on a line where every other device is silent
_ENABLE_KEY = b"\xa5"
_DISABLE = b"\x00"
_STATUS_SIZE = 4
_TEST_SIZES = range(1, REGISTERS + 1)
_LEVEL_SIZES = range(1, 3)  # some hoppers send their number before the level
_IS_LOW, _IS_FULL, _HAS_LOW, _HAS_FULL = 0x01, 0x02, 0x10, 0x20


class Status(NamedTuple):
    """Answer to request 166: the event counter (0 after a power-up) and the coins of the newest dispense."""

    counter: int
    remaining: int
    paid: int
    unpaid: int


def _count_follows(before: bytes, now: bytes) -> bool:
    """Return whether the difference between two reads is at most `RUSH` coins."""
    return (int.from_bytes(now, "little") - int.from_bytes(before, "little")) % LIFETIME_SPAN <= RUSH


def _status_follows(before: bytes, now: bytes) -> bool:
    """Return whether two reads show the same dispense, at most `RUSH` coins further."""
    one, two = Status(*before), Status(*now)
    passed = two.paid - one.paid
    return 0 <= passed <= RUSH and two == one._replace(remaining=one.remaining - passed, paid=one.paid + passed)


class HopperWire:
    """One hopper on a bus. Every method raises what the bus raises; every counter is read until two reads agree.

    If a hopper pays faster than a busy line can read it, a count that the next read confirms is enough.
    """

    def __init__(self, bus: Bus, address: int) -> None:
        self.address = address
        self._bus = bus

    async def status(self) -> Status:
        """Return the progress of the newest dispense."""
        sizes = range(_STATUS_SIZE, _STATUS_SIZE + 1)
        return Status(*await self._bus.agreed(self.address, Header.HOPPER_STATUS, sizes=sizes, follows=_status_follows))

    async def lifetime(self) -> int:
        """Return how many coins ever passed the exit, modulo `LIFETIME_SPAN`."""
        sizes = range(LIFETIME_BYTES, LIFETIME_BYTES + 1)
        count = await self._bus.agreed(self.address, Header.DISPENSE_COUNT, sizes=sizes, follows=_count_follows)
        return int.from_bytes(count, "little")

    async def registers(self) -> Registers:
        """Return the hopper's status registers; missing ones count as 0."""
        return Registers.of(await self._bus.agreed(self.address, Header.TEST_HOPPER, sizes=_TEST_SIZES))

    async def level(self) -> Level:
        """Return how full the hopper is; `UNKNOWN` if it has no level sensors or does not support the request."""
        try:
            (*_, level) = await self._bus.request(
                self.address, Header.PAYOUT_LEVEL, sizes=_LEVEL_SIZES, attempts=LEVEL_ATTEMPTS
            )
        except (NoReplyError, WireError):
            # A device does not answer a request that it does not support; a lost line shows at the next request.
            return Level.UNKNOWN
        if level & _HAS_LOW and level & _IS_LOW:
            return Level.LOW
        if level & _HAS_FULL and level & _IS_FULL:
            return Level.FULL
        return Level.NORMAL if level & (_HAS_LOW | _HAS_FULL) else Level.UNKNOWN

    async def enter_pin(self, pin: bytes) -> None:
        """Enter the PIN, required after each power-up; a wrong PIN is acknowledged too."""
        await self._bus.request(self.address, Header.ENTER_PIN, pin, reply_s=PIN_REPLY_S)

    async def enable(self) -> None:
        """Enable the next dispense."""
        await self._bus.request(self.address, Header.ENABLE_HOPPER, _ENABLE_KEY)

    async def disable(self, attempts: int = ATTEMPTS) -> None:
        """Disable dispenses."""
        await self._bus.request(self.address, Header.ENABLE_HOPPER, _DISABLE, attempts=attempts)

    async def reset(self) -> None:
        """Reset the hopper; only this clears its power-down flag. Book all coins before the call."""
        await self._bus.request(self.address, Header.RESET, reply_s=RESET_REPLY_S)
        await self._bus.quiet(RESET_DEAF_S)

    async def stop(self, attempts: int = ATTEMPTS) -> None:
        """Stop a payout at once."""
        await self._bus.request(self.address, Header.EMERGENCY_STOP, sizes=range(1, 2), attempts=attempts)

    async def dispense(self, security: bytes, coins: int) -> bool | None:
        """Request `coins` coins, once; return True if accepted, False if refused, None if unknown.

        Raise `PortError` when the line is lost; the result is unknown then too.
        """
        try:
            reply = await self._bus.exchange(self.address, Header.DISPENSE, security + bytes((coins,)))
        except (NoReplyError, WireError):
            return None
        known: dict[int, bool] = {Header.ACK: True, Header.NAK: False}
        return known.get(reply.header)
