"""Where accepted coins fall: into the cash box, or into the hopper while it has room.

Three variants, by what is fitted:

- Nothing is fitted: every coin falls into the cash box.
- The acceptor's own sorter (request 210): it reports the path with each coin. Any mix of coins works, and the way of
  every coin is known even after a power cut.
- A diverter on a pin, which moves before the coin is known. It therefore turns to the hopper only if the hopper's coin
  is the only one accepted, and only while no coin is on its way: the acceptor is inhibited, its last coins are booked,
  the new way is journaled, then the coil is driven. If the program dies, the coil falls back at an unknown moment: the
  way of coins that were on their way to the hopper is unknown.
"""

from collections.abc import Mapping
from typing import Final, Protocol

from drivers.capabilities import CoinWay, WayBooks
from drivers.cctalk.bus import Bus
from drivers.cctalk.protocol import Header
from drivers.clock import Clock
from drivers.coin_diagnostic import FALL_S
from drivers.pins.coin_gates import CoinGates

REST_S: Final = 10.0
"""How long the hopper must have room before coins are sent to it again, because its level sensor flickers."""


class CoinWays(Protocol):
    """Decides which way coins fall and when that may change."""

    settled: bool
    """Whether coins may be accepted; false while the way changes."""

    async def begin(self) -> None:
        """Prepare; called before the acceptor's buffer is booked for the first time."""

    async def caught_up(self) -> None:
        """Set the way for new coins; called when the buffer is booked and no coin is accepted yet."""

    def way(self, sorter_path: int) -> CoinWay:
        """Return where the coin of an event that was just read fell."""

    def forget(self) -> None:
        """Forget the paths that were set: the acceptor was reset and may have lost them."""

    async def turn(self, hopper_cents: int, *, inhibited: bool) -> None:
        """Update the way after a poll; the hopper has room for coins of `hopper_cents`, 0 for none.

        `inhibited` says whether the acceptor is known to accept no coin.
        """


class CashBoxOnly:
    """The variant without a sorter or diverter: every coin falls into the cash box."""

    settled = True

    async def begin(self) -> None:
        """Nothing to prepare."""

    async def caught_up(self) -> None:
        """Nothing to prepare."""

    def way(self, sorter_path: int) -> CoinWay:  # noqa: ARG002 - what the protocol hands
        """Return the cash box."""
        return CoinWay.CASH_BOX

    def forget(self) -> None:
        """Do nothing: no path was set."""

    async def turn(self, hopper_cents: int, *, inhibited: bool) -> None:
        """Do nothing: there is no diverter."""


class Sorter:
    """The acceptor's own sorter, `coins` by position."""

    settled = True

    def __init__(
        self, bus: Bus, address: int, coins: Mapping[int, int], *, hopper_path: int, cash_box_path: int
    ) -> None:
        self._bus = bus
        self._address = address
        self._coins = coins
        self._hopper_path = hopper_path
        self._cash_box_path = cash_box_path
        self._paths: dict[int, int] = {}

    async def begin(self) -> None:
        """Do nothing: the events name their paths."""

    async def caught_up(self) -> None:
        """Set every coin's path in the sorter before a coin is taken."""
        await self.turn(0, inhibited=True)

    def way(self, sorter_path: int) -> CoinWay:
        """Return the way that the event's sorter path stands for."""
        return {self._hopper_path: CoinWay.HOPPER, self._cash_box_path: CoinWay.CASH_BOX}.get(
            sorter_path, CoinWay.UNKNOWN
        )

    def forget(self) -> None:
        """Forget the paths: some sorters lose them at a reset."""
        self._paths.clear()

    async def turn(self, hopper_cents: int, *, inhibited: bool) -> None:
        """Send the paths that differ from those set before; raise what the bus raises."""
        del inhibited  # the events say which coins took which path
        for position, value_cents in self._coins.items():
            path = self._hopper_path if value_cents == hopper_cents else self._cash_box_path
            if self._paths.get(position) != path:
                self._paths.pop(position, None)
                await self._bus.request(self._address, Header.SORTER_PATH, bytes((position, path)))
                self._paths[position] = path


class PinDiverter:
    """A diverter among the cabinet's coin gates, for an acceptor that accepts `coins`, by position."""

    def __init__(self, gates: CoinGates, books: WayBooks, clock: Clock, coins: Mapping[int, int]) -> None:
        self.settled = True
        self._gates = gates
        self._books = books
        self._clock = clock
        self._coins = coins
        self._way = CoinWay.UNKNOWN
        self._still_since: float | None = None
        self._not_before = clock.now()

    async def begin(self) -> None:
        """Turn to the cash box; coins in the buffer fell the way that was journaled before."""
        self._gates.divert(to_hopper=False)
        before = await self._books.coin_way()
        self._way = CoinWay.CASH_BOX if before is CoinWay.CASH_BOX else CoinWay.UNKNOWN

    async def caught_up(self) -> None:
        """Journal that new coins fall into the cash box."""
        if self._way is not CoinWay.CASH_BOX:
            await self._books.coins_fall(CoinWay.CASH_BOX)
            self._way = CoinWay.CASH_BOX

    def way(self, sorter_path: int) -> CoinWay:
        """Return the diverter's position; unknown if its coil lost its current unexpectedly."""
        del sorter_path  # a pin's diverter comes after the acceptor
        self._notice()
        return self._way

    def forget(self) -> None:
        """Do nothing: the diverter is not part of the acceptor."""

    async def turn(self, hopper_cents: int, *, inhibited: bool) -> None:
        """Turn the diverter once no coin is on its way; raise what the books raise."""
        self._notice()
        now = self._clock.now()
        only_its_coin = set(self._coins.values()) == {hopper_cents}
        if not (only_its_coin and self._gates.ready):
            self._not_before = now + REST_S
        wanted = CoinWay.CASH_BOX if now < self._not_before else CoinWay.HOPPER
        if wanted is self._way:
            self.settled, self._still_since = True, None
            return
        self.settled = False
        if not inhibited or self._still_since is None:
            self._still_since = now if inhibited else None
            return
        if now - self._still_since < FALL_S:
            return
        await self._books.coins_fall(wanted)
        self._gates.divert(to_hopper=wanted is CoinWay.HOPPER)
        self._way = wanted
        self.settled, self._still_since = True, None

    def _notice(self) -> None:
        if self._way is CoinWay.HOPPER and not self._gates.diverts:
            self._way = CoinWay.UNKNOWN
