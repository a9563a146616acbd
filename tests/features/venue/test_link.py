"""The link between a cabinet and a venue: any order of play, cuts and lost answers ends with the same on both sides."""

import asyncio
import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.journal.open_items import Resolution
from tests.rigs.linked_cabinet import LinkedCabinet, Steps
from tests.rigs.linked_cabinets import LINKED, agree, running
from tests.rigs.model_venue import Cabinet, ModelVenue, Wire
from tests.rigs.venue_store import ME, linked

OTHER = 8


def shares(cabinet: LinkedCabinet) -> int:
    """What valid rounds have contributed, in 1/1000 cent."""
    return int(cabinet.rows("SELECT coalesce(sum(millicents), 0) FROM venue_shares WHERE reversed = 0")[0][0])


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("bet"), st.integers(1, 5_000)),
        st.tuples(st.just("jackpot"), st.integers(1, 5_000)),
        st.tuples(st.just("go_on"), st.just(0)),
        st.tuples(st.just("void"), st.just(0)),
        st.tuples(st.just("wait"), st.integers(0, 20)),
        st.tuples(st.just("kill"), st.just(0)),
        st.tuples(st.just("kill_at"), st.integers(1, 12)),
        st.tuples(st.just("line"), st.sampled_from([0, 30, 70, 100])),
        st.tuples(st.just("others"), st.integers(1, 5_000)),
        st.tuples(st.just("others_win"), st.just(0)),
    ),
    max_size=30,
)


class Trial:
    """One run of acts: a linked cabinet, another one that wins now and then, and a line that is bad at times."""

    def __init__(self, cabinet: LinkedCabinet, venue: ModelVenue, seed: int) -> None:
        self.cabinet = cabinet
        self.venue = venue
        self.chance = random.Random(seed)
        self.bad_percent = 0
        self.others = 0

    def fate(self, _call: str) -> str:
        """What becomes of a call."""
        return self.chance.choice(["cut", "lost", "twice"]) if self.chance.randrange(100) < self.bad_percent else "ok"

    async def act(self, name: str, number: int) -> None:
        """Do one act, where it is possible."""
        if self.cabinet.is_killed:
            await self.cabinet.restart()
        await getattr(self, f"_{name}")(number)

    async def _bet(self, cents: int, *, jackpot: bool = False) -> None:
        if not self.cabinet.open_round and self.cabinet.may_play:
            self.cabinet.bet(cents, jackpot=jackpot)

    async def _jackpot(self, cents: int) -> None:
        await self._bet(cents, jackpot=True)

    async def _go_on(self, _number: int) -> None:
        self.cabinet.go_on()

    async def _void(self, _number: int) -> None:
        self.cabinet.void()

    async def _wait(self, seconds: int) -> None:
        await asyncio.sleep(seconds)

    async def _kill(self, _number: int) -> None:
        await self.cabinet.restart()

    async def _kill_at(self, steps: int) -> None:
        self.cabinet.steps.kill_at = self.cabinet.steps.number + steps

    async def _line(self, bad_percent: int) -> None:
        self.bad_percent = bad_percent

    async def _others(self, cents: int) -> None:
        self.others += cents * 5
        self.venue.put(OTHER, 1, [(LINKED, self.others, self.others)])

    async def _others_win(self, _number: int) -> None:
        number = self.chance.randrange(10**9)
        self.venue.claim(OTHER, 1, pool=LINKED, epoch=1, round_id=number, number=1, seq=0, cum=0)


@settings(max_examples=60)
@given(ACTS, st.integers(0, 2**32))
async def test_any_order_of_play_and_trouble_ends_with_the_same_on_both_sides(
    acts: list[tuple[str, int]], seed: int
) -> None:
    """Contributions, claims, voids, kills, lost, doubled and unanswered calls, and another cabinet that wins."""
    folder, venue = Path(tempfile.mkdtemp(prefix="link")), linked()
    venue.cabinets[OTHER] = Cabinet(session=1, epoch=1)
    wire = Wire(venue, ME)
    try:
        async with running(folder, venue, wire) as cabinet:
            trial = Trial(cabinet, venue, seed)
            wire.fate = trial.fate
            await cabinet.until(lambda: cabinet.may_play)
            for name, number in acts:
                await trial.act(name, number)
            trial.bad_percent = 0
            await cabinet.restart()
            await cabinet.finish()
            await cabinet.until(cabinet.is_drained)
            cabinet.resolve(Resolution.PAID)
            await cabinet.until(cabinet.is_drained)
            debts = cabinet.rows("SELECT coalesce(sum(cum - debt), 0) FROM venue_meters")[0][0]
            assert shares(cabinet) == debts
            agree(cabinet, venue)
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("kill_at", range(1, 40))
async def test_a_claim_survives_a_kill_at_each_step(tmp_path: Path, kill_at: int) -> None:
    """Before and after every transaction of hello, claim and answer: paid once, and as the venue has it."""
    venue = linked()
    async with running(tmp_path, venue) as cabinet:
        await cabinet.until(lambda: cabinet.may_play)
        cabinet.bet(500, jackpot=True)
        await cabinet.kill()
        cabinet.steps = Steps(kill_at)
        await cabinet.start()
        for _ in range(40):
            if cabinet.is_killed:
                await cabinet.restart()
            cabinet.go_on()
            await asyncio.sleep(0.25)
        await cabinet.finish()
        await cabinet.until(cabinet.is_drained)
        agree(cabinet, venue)
        assert len(venue.claims) == 1
