"""Whatever happens to an acceptor, the coins that it accepted are in the books, as credit or within an item's bounds.

The tally is the device's: it calls `accepted` for each coin that passes its credit sensor. Nothing else uses it.
"""

import asyncio
import contextlib
import tempfile
from functools import partial
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from controller.hardware.driver_tasks import keep_running
from controller.journal import money
from controller.journal.open_items import open_items
from controller.journal.store import Store
from drivers.cctalk.coin_acceptor import CoinAcceptor
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.simulated.cctalk.coin_acceptor import COIN_VALUES_CENTS, IDENTITY, SimulatedCoinAcceptor
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.wiring import CoinAcceptor as Settings
from tests.rigs.books import laid
from tests.rigs.coin_journal import CoinJournal
from tests.rigs.loop_rules import LoopRules

GAP_S = 0.2
"""Coins pass an acceptor five a second at the most (protocols.md, 1, request 229)."""
HEALED_S = 15.0
SEEN_S = 40.0
"""Within this a supervisor sees whatever can be seen, bad lines and its driver's restarts included."""
SERIAL = IDENTITY.serial


class CoinTally(LoopRules):
    """One acceptor, its line, supervisors one after the other, and the journal."""

    @initialize(starts_normal=st.booleans())
    def switch_on(self, *, starts_normal: bool) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="tally")
        self.store = Store(laid(Path(self.folder.name, "journal.sqlite")), lambda: 0, simulated=True)
        self.books = CoinJournal(self.store)
        self.accepted: list[int] = []
        self.cut_off = 0
        self.troubled = False
        self.taken: list[tuple[float, int]] = []
        self.device = SimulatedCoinAcceptor(accepted=self._take, starts_normal=starts_normal)
        self.misbehaviour = Misbehaviour()
        self.line = MemoryLine(self.device, self.misbehaviour)
        self.wanted = True
        self.serving: asyncio.Task[None] | None = None
        self.do(lambda: self._power(on=True))
        self._boot()
        self.live(3.0)

    def _boot(self) -> None:
        self.driver = CoinAcceptor(Settings(port="memory"), self.line.port, LoopClock(), self.books, currency=EURO)
        self.driver.accept(enabled=self.wanted)
        self.serving = self.loop.create_task(keep_running(self.driver, self.books, LoopClock()))

    def _kill(self) -> None:
        """As SIGKILL: nothing more is said on the wire."""
        assert self.serving is not None
        self.line.port.close()
        self.serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            self.loop.run_until_complete(self.serving)
        self.serving = None

    def _power(self, *, on: bool) -> None:
        self.device.power(on=on)

    def _take(self, value_cents: int) -> None:
        self.accepted.append(value_cents)
        self.taken.append((self.loop.time(), value_cents))

    def _forget(self) -> None:
        """The device or the supervisor is about to lose its memory, and what was not reported is never seen.

        That can only be coins of the last moments: all others are in the books by now.
        """
        items = self.store.transact(open_items)
        if any(item.amount_cents is None for item in items):
            return
        covered = sum(self.books.credited) + self.cut_off + sum(item.amount_cents or 0 for item in items)
        unseen = max(0, sum(self.accepted) - covered)
        recent = sum(cents for at, cents in self.taken if at > self.loop.time() - SEEN_S)
        assert unseen <= recent, f"{unseen} cents are in no book, of the last {SEEN_S} s are {recent}"
        self.cut_off += unseen

    def _shows_reset(self) -> bool:
        """Whether what is remembered of the device would show a reset beyond doubt: it holds a coin."""
        memory = self.store.transact(lambda tx: money.coin_memory(tx, SERIAL, self.books.boot))
        return memory is not None and any(coin for coin, _ in memory.events or ())

    def _drop(self, values: list[int]) -> None:
        for value_cents in values:
            self.do(partial(self.device.insert, value_cents))
            self.live(GAP_S)

    @rule(values=st.lists(st.sampled_from(COIN_VALUES_CENTS), min_size=1, max_size=7))
    def coins(self, values: list[int]) -> None:
        self._drop(values)

    @rule(code=st.sampled_from([0, 1, 2, 14, 130]), times=st.integers(1, 6))
    def reject(self, code: int, times: int) -> None:
        for _ in range(times):
            self.do(lambda: self.device.reject(code))
            self.live(GAP_S)

    @rule(seconds=st.sampled_from([0.02, 0.1, 0.3, 1.0, 6.0]))
    def wait(self, seconds: float) -> None:
        self.live(seconds)

    @rule(values=st.lists(st.sampled_from(COIN_VALUES_CENTS), max_size=2), seconds=st.sampled_from([0.0, 0.5, 4.0]))
    def reset(self, values: list[int], seconds: float) -> None:
        """Coins, and at once the device loses its power, for a moment or for a while.

        A supervisor that has just started, and has not read the device once, cannot know it.
        """
        self.troubled = True
        self._drop(values[:-1])
        for value_cents in values[-1:]:
            self.do(partial(self.device.insert, value_cents))
        if self.driver.identity is None and not self._shows_reset():
            self._forget()
        self.do(lambda: self._power(on=False))
        self.live(seconds)
        self.do(lambda: self._power(on=True))

    @rule(values=st.lists(st.sampled_from(COIN_VALUES_CENTS), max_size=7), seconds=st.sampled_from([0.1, 1.0, 5.0]))
    def unplug(self, values: list[int], seconds: float) -> None:
        self.troubled = True
        self.do(self.line.unplug)
        self._drop(values)
        self.live(seconds)
        self.do(self.line.plug)

    @rule(
        kind=st.sampled_from(list(Kind)),
        way=st.sampled_from(list(Way)),
        frames=st.integers(1, 4),
        delay_s=st.sampled_from([0.05, 0.3, 0.8]),
    )
    def misbehave(self, kind: Kind, way: Way, frames: int, delay_s: float) -> None:
        self.troubled = True
        self.misbehaviour.delay_s = delay_s
        self.misbehaviour.inject(kind, frames, way=way)

    @rule(enabled=st.booleans())
    def accept(self, *, enabled: bool) -> None:
        self.wanted = enabled
        self.driver.accept(enabled=enabled)

    @rule(values=st.lists(st.sampled_from(COIN_VALUES_CENTS), max_size=12), cut=st.booleans())
    def crash(self, values: list[int], *, cut: bool) -> None:
        """The supervisor is killed, coins go on coming; perhaps the acceptor alone loses its power before the next.

        Where the buffer held no coin when it was last journaled, the same may be there again: a reset does not show.
        """
        self.troubled = True
        self._kill()
        self._drop(values)
        if not self._shows_reset():
            self._forget()
        if cut:
            self.do(lambda: self._power(on=False))
            self.do(lambda: self._power(on=True))
        self._boot()

    @rule(knocks=st.integers(0, 8), seconds=st.sampled_from([0.0, 2.0]))
    def mains(self, knocks: int, seconds: float) -> None:
        """Everything loses its power; coins are put in before anybody has enabled the acceptor, and given back.

        What it had not been asked for is gone with its memory, and cannot be known.
        """
        self._kill()
        self._forget()
        self.do(lambda: self._power(on=False))
        self.books.mains_cut()
        self.live(seconds)
        self.do(lambda: self._power(on=True))
        for _ in range(knocks):
            self.do(lambda: self.device.insert(200))
        self._boot()

    @invariant()
    def nothing_comes_from_nothing(self) -> None:
        """Every credit is a coin that the device took, in order."""
        left = iter(self.accepted)
        assert all(value in left for value in self.books.credited)

    def teardown(self) -> None:
        try:
            self._settle()
            self._account()
        finally:
            if self.serving is not None:
                self._kill()
            self.loop.close()
            self.store.close()
            self.folder.cleanup()

    def _settle(self) -> None:
        self.misbehaviour.forget()
        self.do(self.line.plug)
        self.accept(enabled=True)
        self.live(HEALED_S)

    def _account(self) -> None:
        self.books.balance()
        items = self.store.transact(open_items)
        missing = sum(self.accepted) - sum(self.books.credited)
        assert missing >= sum(item.least_cents for item in items)
        if all(item.amount_cents is not None for item in items):
            assert missing - self.cut_off <= sum(item.amount_cents or 0 for item in items), items
        assert [item.kind for item in items].count("coins_forgotten") <= 1
        assert {item.kind for item in items} <= {"coins_forgotten", "coins_lost"}
        assert self.troubled or not items, "cuts of all power, refused coins and rejects are no item"
        enabled = self.device.enabled_mask and not self.device.inhibited
        assert enabled, "a device that works again takes coins again"


TestCoinTally = CoinTally.TestCase
TestCoinTally.settings = settings(max_examples=60, stateful_step_count=25)
