"""A day in the life of a soaked cabinet: play, a cut at any instant, the proof of the books, a start, every cent."""

import asyncio
import random
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from controller.journal.periods import lifetime
from tests.rigs.sas_causes import ENDED, Rows
from tests.soak.cabinet import SoakedCabinet
from tests.soak.figures import Sample, look
from tests.soak.host import METERS_SQL, WAITING
from tests.soak.player import Player
from tests.soak.proof import Prover
from tests.soak.staff import Staff
from tests.soak.tally import Tally
from tests.soak.troubles import Troubles

HOUR_S = 3600.0
MEAN_LIFE_S = 300.0
SHORTEST_LIFE_S, LONGEST_LIFE_S = 5.0, 1800.0
SAMPLE_EVERY_S = 720.0
WHOLE_AUDIT_EVERY_S = 6 * HOUR_S
UNDISTURBED = ((1 / 3, 1 / 12), (3 / 4, 1 / 12))
"""Where in the day no power is cut, so that one supervisor lives on: from, and for how long, in parts of the day."""
NIGHT = (10 / 24, 5 / 24)
"""When players seldom come."""
MOST_FAILURES = 20


class Cuts:
    """The power cuts so far: counted, not kept, since what the soak keeps would grow like what it looks for."""

    def __init__(self) -> None:
        self.count = self.mains = self.notes = self.paying = 0
        self.states: Counter[str] = Counter()

    def add(self, cabinet: SoakedCabinet, *, mains: bool) -> None:
        """Count a cut that is about to come, and what it cuts off."""
        self.count += 1
        self.mains += mains
        self.notes += bool(cabinet.bills.slot)
        self.paying += cabinet.hopper.remaining > 0
        self.states[cabinet.state] += 1


class Day:
    """One soak; `on_sample` gets every sample as it is taken."""

    def __init__(self, folder: Path, *, hours: float, seed: int, on_sample: Callable[["Day", Sample], None]) -> None:
        self.hours = hours
        self.seed = seed
        self._on_sample = on_sample
        chance = random.Random(seed)
        self.cabinet = SoakedCabinet(folder, seed)
        self.tally = Tally()
        self.prover = Prover(self.cabinet.journal_path)
        self.troubles = Troubles(self.cabinet, self.tally, chance)
        self.staff = Staff(self.cabinet, self.tally, self.troubles, chance)
        self.player = Player(self.cabinet, self.tally, self.troubles, self.staff, chance)
        self._chance = chance
        self.cuts = Cuts()
        self.settlings = 0
        self.failures: list[str] = []
        self.final_rounds = 0
        self.ended = False
        self.ending = False
        self.meters: dict[str, int] = {}
        self._began_wall = time.monotonic()
        self._began_at = 0.0
        self._start_ms = 0.0
        self._sampled_at = {"down": float("-inf"), "up": float("-inf")}
        self._audited_at = 0.0

    @property
    def hour(self) -> float:
        """How many hours of its day the cabinet has lived."""
        return (self.cabinet.clock.now() - self._began_at) / HOUR_S

    async def live(self) -> None:
        """Live the day; raises whatever is not as it must be."""
        self._began_at = self._audited_at = self.cabinet.clock.now()
        self.cabinet.host.begin()
        await self._start()
        while self.hour < self.hours and not self.ending:
            undisturbed = any(begin <= self.hour / self.hours < begin + part for begin, part in UNDISTURBED)
            try:
                await self._go_on(undisturbed=undisturbed)
            except Exception:
                self.failures.append(f"hour {self.hour:.2f}: {traceback.format_exc()}")
                if len(self.failures) > MOST_FAILURES:
                    raise
                if self.cabinet.supervisor is not None:
                    await self._cut(mains=True)
        await self._settle()
        await self._cut(mains=True)
        await self.cabinet.host.end()
        self.final_rounds = self.prover.prove_whole()
        self.ended = True
        await self._sample("down", always=True)

    async def _go_on(self, *, undisturbed: bool) -> None:
        """Live a life, or a while of a long one."""
        if self.cabinet.supervisor is None:
            await self._start()
        if undisturbed:
            await self._play(SAMPLE_EVERY_S)
            await self._settle()
        else:
            await self._play(min(max(self._chance.expovariate(1 / MEAN_LIFE_S), SHORTEST_LIFE_S), LONGEST_LIFE_S))
            await self._approach()
            await self._cut(mains=self._chance.random() < 0.5)
            await self._start()

    async def _approach(self) -> None:
        """Come to the instant of a cut: any, within a round, with money on its way in, or on its way out."""
        cabinet, chance = self.cabinet, self._chance
        match chance.choice(("any", "any", "round", "note", "coins", "payout", "payout")):
            case "round":
                cabinet.machine.states.press("spin")
                await asyncio.sleep(chance.uniform(0.0, 4.0))
            case "note":
                self.tally.notes_put += 1000
                cabinet.bills.insert(1000)
                await asyncio.sleep(chance.uniform(0.0, 2.5))
            case "coins":
                for cents in (100, 50):
                    self.tally.coin(cabinet.clock.now(), cents, accepted=cabinet.coins.insert(cents))
                    await asyncio.sleep(chance.uniform(0.0, 0.4))
            case "payout":
                cabinet.machine.states.press("collect")
                await asyncio.sleep(chance.uniform(0.0, 6.0))

    async def _start(self) -> None:
        before = time.process_time()
        await self.cabinet.start()
        self._start_ms = (time.process_time() - before) * 1000
        assert self.cabinet.credit == self._credit, f"started with {self.cabinet.credit}, cut with {self._credit}"
        await self._settle()

    _credit = 0

    async def _settle(self) -> None:
        if not self.cabinet.has_display:  # the player was cut off when he had just killed it
            self.cabinet.start_display()
        await self.staff.settle()
        await self.cabinet.host.agree(self._rows)
        self.settlings += 1
        self.meters = await self.cabinet.machine.journal.do(lifetime)
        await self._sample("up")

    async def _rows(self) -> Rows:
        """Return what asks the books queries, all of one moment."""
        queries = (METERS_SQL, WAITING, ENDED, self.cabinet.host.causes.sql)
        answers = await self.cabinet.machine.journal.do(
            lambda tx: {query: tx.execute(query).fetchall() for query in queries}
        )
        return answers.__getitem__

    async def _play(self, seconds: float) -> None:
        """Have the player play for a while, and be cut off wherever he is."""
        begin, part = NIGHT
        night = begin <= self.hour / self.hours < begin + part
        playing = asyncio.create_task(self.player.live(rarely=night))
        try:
            await asyncio.wait({playing}, timeout=seconds)
        finally:
            playing.cancel()
            with suppress(asyncio.CancelledError):
                await playing

    async def _cut(self, *, mains: bool) -> None:
        cabinet = self.cabinet
        cabinet.mind()
        self.cuts.add(cabinet, mains=mains)
        if mains:
            self.tally.mains_at = cabinet.clock.now()
        known = await cabinet.cut(mains=mains)
        self._credit = self.prover.prove()
        self.tally.cut_off(self.prover.meters)
        cabinet.host.within(self.prover.meters)
        assert known == self._credit, f"the supervisor had {known} cents, the books hold {self._credit}"
        if cabinet.clock.now() - self._audited_at >= WHOLE_AUDIT_EVERY_S:
            self._audited_at = cabinet.clock.now()
            self.prover.prove_whole()
        await asyncio.sleep(self._chance.choice((0.0, 0.5, 3.0, 30.0)))
        await self._sample("down")

    async def _sample(self, where: str, *, always: bool = False) -> None:
        now = self.cabinet.clock.now()
        if now - self._sampled_at[where] < SAMPLE_EVERY_S - 1.0 and not always:
            return
        self._sampled_at[where] = now
        sample = await look(
            self.cabinet,
            where,
            hours=self.hour,
            wall_s=time.monotonic() - self._began_wall,
            cuts=self.cuts.count,
            life=self.cuts.count,
            start_ms=self._start_ms,
        )
        self._on_sample(self, sample)
