"""What is asked of a ccTalk hopper that dispenses by serial number, and what it answers (protocols.md, 1)."""

from typing import NamedTuple

from drivers.cctalk import Header
from drivers.cctalk_bus import ATTEMPTS, Bus
from drivers.errors import NoReplyError, WireError

SERIAL_BYTES = 3
LIFETIME_BYTES = 3
LIFETIME_SPAN = 1 << 8 * LIFETIME_BYTES
LAST_COUNTER = 255
MAX_DISPENSE = 255
RESET_REPLY_S = 0.2  # the ACK of a reset takes up to 90 ms (protocols.md, 1, "Timing")
RESET_DEAF_S = 0.7  # and a start up to 630 ms
_ENABLE_KEY = b"\xa5"
_DISABLE = b"\x00"
_STATUS_SIZE = 4
_TEST_SIZES = range(1, 4)
_TIMEOUT = 0x02
_JAM_1 = 0x01 | 0x20  # most current exceeded; exit blocked during payout
_JAM_2 = 0x01 | 0x10 | 0x20  # exit short-circuited during payout; reverse limit; coil
_MEMORY_2 = 0x40
_POWER_DOWN_3 = 0x01


class Status(NamedTuple):
    """Request 166: `counter` steps with each dispense and is 0 after a start; coins of the newest dispense."""

    counter: int
    remaining: int
    paid: int
    unpaid: int


class Condition(NamedTuple):
    """What request 163 says that matters to a payout."""

    timed_out: bool
    jammed: bool
    memory_lost: bool
    power_failed: bool


class HopperWire:
    """One hopper on a bus. Every method raises what the bus raises; every counter is read until two reads agree."""

    def __init__(self, bus: Bus, address: int) -> None:
        self._bus = bus
        self._address = address

    async def status(self) -> Status:
        """Where the newest dispense stands."""
        sizes = range(_STATUS_SIZE, _STATUS_SIZE + 1)
        return Status(*await self._bus.agreed(self._address, Header.HOPPER_STATUS, sizes=sizes))

    async def lifetime(self) -> int:
        """Coins that ever passed the exit, modulo `LIFETIME_SPAN`."""
        sizes = range(LIFETIME_BYTES, LIFETIME_BYTES + 1)
        return int.from_bytes(await self._bus.agreed(self._address, Header.DISPENSE_COUNT, sizes=sizes), "little")

    async def condition(self) -> Condition:
        """The hopper's status registers; registers it does not have read as 0."""
        data = await self._bus.agreed(self._address, Header.TEST_HOPPER, sizes=_TEST_SIZES)
        first, second, third = data.ljust(3, b"\0")
        return Condition(
            timed_out=bool(first & _TIMEOUT),
            jammed=bool(first & _JAM_1 or second & _JAM_2),
            memory_lost=bool(second & _MEMORY_2),
            power_failed=bool(third & _POWER_DOWN_3),
        )

    async def enable(self) -> None:
        """Let the next dispense work."""
        await self._bus.request(self._address, Header.ENABLE_HOPPER, _ENABLE_KEY)

    async def disable(self) -> None:
        """Let no dispense work."""
        await self._bus.request(self._address, Header.ENABLE_HOPPER, _DISABLE)

    async def reset(self) -> None:
        """Reset the hopper, which alone clears its power-down flag; all accounting must be done before."""
        await self._bus.request(self._address, Header.RESET, reply_s=RESET_REPLY_S)
        await self._bus.quiet(RESET_DEAF_S)

    async def stop(self, attempts: int = ATTEMPTS) -> None:
        """Stop a payout at once."""
        await self._bus.request(self._address, Header.EMERGENCY_STOP, sizes=range(1, 2), attempts=attempts)

    async def dispense(self, serial: int, coins: int) -> bool | None:
        """Ask for `coins` coins, once: True accepted, False refused, None nobody knows.

        Raise `PortError` when the line is lost, after which nobody knows either.
        """
        data = serial.to_bytes(SERIAL_BYTES, "little") + bytes((coins,))
        try:
            reply = await self._bus.exchange(self._address, Header.DISPENSE, data)
        except (NoReplyError, WireError):
            return None
        known: dict[int, bool] = {Header.ACK: True, Header.NAK: False}
        return known.get(reply.header)
