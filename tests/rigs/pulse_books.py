"""Books of a pulse acceptor for tests: what is durable survives the driver, and a commit can be where it is killed."""

import asyncio
from collections.abc import Mapping

from drivers.capabilities import CoinMemory, CoinWindow, PulseReport
from tests.rigs.fault_book import FaultBook


class PulseBooks(FaultBook):
    """Credits, open items and the bursts under way; each call takes `commit_s`.

    `kill_at` is the number of the call whose caller does not live to hear of its end, and `durable` whether what it
    was to commit is committed all the same.
    """

    reporters = ("pulse_coin", "pulse_note")

    def __init__(self, commit_s: float = 0.01) -> None:
        super().__init__()
        self.credited: list[int] = []
        self.items: list[int | None] = []
        self.missed: list[int | None] = []
        self.resting: dict[str, bool] = {}
        self.windows: dict[str, CoinWindow] = {}
        self.begun: set[tuple[str, str]] = set()
        self.unasked = 0
        self.calls = 0
        self.kill_at = -1
        self.durable = True
        self.killed = asyncio.Event()
        self._commit_s = commit_s

    async def _dies(self) -> bool:
        """Return whether the caller is killed before this commit."""
        await asyncio.sleep(self._commit_s)
        self.calls += 1
        dies = self.calls - 1 == self.kill_at
        if dies and not self.durable:
            await self._die()
        return dies

    async def _die(self) -> None:
        self.killed.set()
        await asyncio.Event().wait()

    async def pulse_memory(self, device: str) -> CoinMemory | None:
        """What was committed last."""
        rest = self.resting.get(device)
        return None if rest is None else CoinMemory(counter=0, at_rest=rest, window=self.windows.get(device))

    def pulses_unread(self, device: str, window: CoinWindow) -> None:
        """Keep it."""
        self.windows[device] = window

    async def pulses_rest(self, device: str, *, rest: bool, dearest_cents: int) -> None:
        """Commit whether it rests."""
        del dearest_cents
        dies = await self._dies()
        self.resting[device] = rest
        if dies:
            await self._die()

    async def pulses_missed(self, device: str, most_cents: int | None) -> None:
        """Make an item."""
        del device
        dies = await self._dies()
        self.missed.append(most_cents)
        if dies:
            await self._die()

    async def pulses_cut(self, device: str, most_cents: Mapping[str, int]) -> None:
        """Make items of what is under way."""
        dies = await self._dies()
        for begun in sorted(self.begun):
            assert begun[0] == device
            self.items.append(most_cents[begun[1]])
        self.begun.clear()
        if dies:
            await self._die()

    async def pulses_begin(self, device: str, channel: str, most_cents: int) -> None:
        """Keep that a burst is under way."""
        del most_cents
        dies = await self._dies()
        self.begun.add((device, channel))
        if dies:
            await self._die()

    async def pulses(self, report: PulseReport) -> None:
        """Credit, or make an item."""
        dies = await self._dies()
        if report.value_cents is None:
            self.items.append(report.most_cents)
        else:
            self.credited.append(report.value_cents)
        self.unasked += report.unasked
        self.begun.discard((report.device, report.channel))
        if dies:
            await self._die()
