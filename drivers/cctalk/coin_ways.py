"""Where accepted coins fall: into the cash box, or back into the hopper while it has room.

Three builds of it, chosen by what is fitted:

- Nothing is fitted: every coin falls into the cash box.
- The acceptor's own sorter (request 210): it reports each coin's path with the coin, so any mix of coins will do, and
  every coin's way is known, whatever is cut off when.
- A diverter on a pin, which moves long before anybody knows which coin comes. It therefore turns to the hopper only
  where the hopper's coin is the only one taken, and only while no coin is on its way: the acceptor is inhibited, what
  it still reports is booked, the new way is journaled, then the coil is driven. After a program's death the coil has
  fallen back at a moment that nobody knows: the way of coins that were under way to the hopper then is unknown.
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
"""How long the hopper must have room before coins are sent to it again: its level sensor flickers."""


class CoinWays(Protocol):
    """Which way coins fall, and when that may change."""

    settled: bool
    """Whether coins may be taken; false while the way changes."""

    async def begin(self) -> None:
        """Before the acceptor's buffer is read for the first time."""

    async def caught_up(self) -> None:
        """What was in the buffer is booked, and no coin is taken yet."""

    def way(self, sorter_path: int) -> CoinWay:
        """Where the coin of this event, just read, fell."""

    def forget(self) -> None:
        """The acceptor was reset: it may have lost its paths."""

    async def turn(self, hopper_cents: int, *, inhibited: bool) -> None:
        """Bring the way in line, after a poll: the hopper takes coins of `hopper_cents` now, 0 for none.

        `inhibited` says whether the acceptor is known to take no coin.
        """


class CashBoxOnly:
    """Nothing is fitted."""

    settled = True

    async def begin(self) -> None:
        """Nothing to prepare."""

    async def caught_up(self) -> None:
        """Nothing to prepare."""

    def way(self, sorter_path: int) -> CoinWay:  # noqa: ARG002 - what the protocol hands
        """Always into the cash box."""
        return CoinWay.CASH_BOX

    def forget(self) -> None:
        """Nothing was set."""

    async def turn(self, hopper_cents: int, *, inhibited: bool) -> None:
        """Nothing to turn."""


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
        """Nothing to prepare: the events name their paths."""

    async def caught_up(self) -> None:
        """Set every coin's path in the sorter before a coin is taken."""
        await self.turn(0, inhibited=True)

    def way(self, sorter_path: int) -> CoinWay:
        """As the event says."""
        return {self._hopper_path: CoinWay.HOPPER, self._cash_box_path: CoinWay.CASH_BOX}.get(
            sorter_path, CoinWay.UNKNOWN
        )

    def forget(self) -> None:
        """Some sorters keep their paths over a reset, some do not."""
        self._paths.clear()

    async def turn(self, hopper_cents: int, *, inhibited: bool) -> None:
        """Set the paths that differ from those in the sorter; raise what the bus raises."""
        del inhibited  # the events say which coins took which path
        for position, value_cents in self._coins.items():
            path = self._hopper_path if value_cents == hopper_cents else self._cash_box_path
            if self._paths.get(position) != path:
                self._paths.pop(position, None)
                await self._bus.request(self._address, Header.SORTER_PATH, bytes((position, path)))
                self._paths[position] = path


class PinDiverter:
    """A diverter among the cabinet's coin gates, for an acceptor that takes `coins`, by position."""

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
        """Let coins fall into the cash box; those that are buffered may have gone where they fell before."""
        self._gates.divert(to_hopper=False)
        before = await self._books.coin_way()
        self._way = CoinWay.CASH_BOX if before is CoinWay.CASH_BOX else CoinWay.UNKNOWN

    async def caught_up(self) -> None:
        """From here on coins fall into the cash box beyond doubt."""
        if self._way is not CoinWay.CASH_BOX:
            await self._books.coins_fall(CoinWay.CASH_BOX)
            self._way = CoinWay.CASH_BOX

    def way(self, sorter_path: int) -> CoinWay:
        """By the diverter's position; unknown where it has lost its current without our wish."""
        del sorter_path  # a pin's diverter comes after the acceptor
        self._notice()
        return self._way

    def forget(self) -> None:
        """The diverter is none of the acceptor's."""

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
