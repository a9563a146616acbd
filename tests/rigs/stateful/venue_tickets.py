"""Tickets of a venue in any order of prints, copies, kills, lost calls, cut links, older cards, and a venue set back.

The tally is the outside's own: the notes that were put in, the papers in hand, in the cash boxes and at the cashier's
desk, the cash that it paid and what attendants paid. In the end every paper in hand is handed in to a working venue.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from controller.journal.open_items import Resolution, open_items
from controller.journal.resolutions import resolve_item
from drivers.capabilities import PrintEnd, Verdict
from tests.rigs.ticket_hall import House, TicketRig, desk_key
from tests.rigs.virtual_time import VirtualTimeLoop

CABINETS = 2
RESTING = ("attract", "lobby", "idle")
ENDS = (*[PrintEnd.PRINTED] * 4, PrintEnd.UNKNOWN, PrintEnd.NOT_PRINTED)
AT = st.integers(0, CABINETS - 1)
FATES = st.lists(st.sampled_from(("ok", "ok", "lost", "cut", "twice")), max_size=3)


@dataclass
class Paper:
    """A slip that left a printer: where it is (`hand`, `box`, `desk`), its amount, and the cabinet of that printer.

    `crossed` is one that the attendant has crossed out, having paid its amount by hand.
    """

    number: str
    cents: int
    at: int = 0
    where: str = "hand"
    crossed: bool = False


class Card(NamedTuple):
    """A copy of a cabinet's card, and the credit that its screen showed then."""

    folder: Path
    credit_cents: int


class VenueTicketCycles(RuleBasedStateMachine):
    """Cabinets of which money is taken out on tickets, that are put in anywhere or handed in at the desk."""

    def __init__(self, house_of: Callable[[], House], over: Callable[[House], None] = lambda _house: None) -> None:
        super().__init__()
        self._house_of = house_of
        self._over = over

    @initialize(offline=st.sampled_from((0, 3000, 20_000)))
    def switch_on(self, offline: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hall"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.house = self._house_of()
        self.notes = self.by_hand = self.cash = self.gone = 0
        self.papers: list[Paper] = []
        self.cards: dict[int, Card] = {}
        self.older: set[int] = set()
        self.backup: object = None
        self.runner.run(self._switch_on(offline))

    async def _switch_on(self, offline: int) -> None:
        self.rigs = [
            TicketRig(self.folder / str(me), self.house, me, offline_cents=offline) for me in range(1, CABINETS + 1)
        ]
        self.read, self.pressed = [0] * CABINETS, [0] * CABINETS
        for rig in self.rigs:
            await rig.start()
            await rig.until_linked()

    @property
    def held(self) -> list[Paper]:
        """The papers in the players' hands."""
        return [paper for paper in self.papers if paper.where == "hand"]

    def take_slips(self) -> None:
        """The player takes what lies in the printers' trays, torn or whole."""
        for at, rig in enumerate(self.rigs):
            for slip in rig.paper.tray[self.read[at] :]:
                cents = int("".join(digit for digit in slip.amount if digit.isdecimal()))
                self.papers.append(Paper(slip.barcode, cents, at))
            self.read[at] = len(rig.paper.tray)

    def cross_out(self, rig: TicketRig) -> None:
        """The attendant has paid by hand what this cabinet's newest slip says, if there is one of that cash-out."""
        self.take_slips()
        at = self.rigs.index(rig)
        for paper in [paper for paper in self.papers if paper.at == at][self.pressed[at] :]:
            paper.crossed = True

    # what happens

    @rule(
        at=AT,
        cents=st.sampled_from((500, 1000, 2000)),
        end=st.sampled_from(ENDS),
        seconds=st.sampled_from((0.0, 0.5, 1.5, 8.0)),
        cut=st.booleans(),
    )
    def cash_out(self, at: int, cents: int, end: PrintEnd, seconds: float, *, cut: bool) -> None:
        self.runner.run(self._cash_out(self.rigs[at], cents, end, seconds))
        if cut:
            self.kill(at)
        self.take_slips()

    async def _cash_out(self, rig: TicketRig, cents: int, end: PrintEnd, seconds: float) -> None:
        await self._finish(rig)
        self.take_slips()
        self.pressed[rig.me - 1] = self.read[rig.me - 1]
        self.notes += cents if await rig.note(cents) else 0
        rig.paper.ends = [end]
        await rig.press("collect", seconds)

    @rule(at=AT)
    def kill(self, at: int) -> None:
        self.runner.run(self.rigs[at].restart())

    @rule(at=AT, away=st.booleans(), fates=FATES)
    def line(self, at: int, fates: list[str], *, away: bool) -> None:
        self.rigs[at].away, self.rigs[at].fates = away, fates

    @rule(seconds=st.sampled_from((0.05, 1.0, 5.0, 40.0)))
    def time_passes(self, seconds: float) -> None:
        self.runner.run(asyncio.sleep(seconds))

    @rule(
        at=AT,
        which=st.integers(0, 9),
        copied=st.sampled_from((False, False, False, True)),
        steps=st.integers(0, 12),
        killed=st.sampled_from(("", "", "", "before", "after", "credited")),
        fates=FATES,
        stacks=st.booleans(),
        says=st.booleans(),
    )
    @precondition(lambda self: self.papers)
    def put_in(
        self, at: int, which: int, steps: int, killed: str, fates: list[str], *, copied: bool, stacks: bool, says: bool
    ) -> None:
        """Put a paper in, or a copy of one that is gone; the validator may lose its power, or nobody learns its end."""
        papers = [paper for paper in self.papers if (paper.where != "hand") is copied]
        if papers:
            rig = self.rigs[at]
            rig.fates = fates
            self.runner.run(self._put_in(rig, papers[which % len(papers)], steps, killed, stacks=stacks, says=says))
            self.take_slips()

    async def _put_in(self, rig: TicketRig, paper: Paper, steps: int, killed: str, *, stacks: bool, says: bool) -> None:
        await self._finish(rig)
        asking = asyncio.ensure_future(rig.listener.ticket_in_escrow(paper.number))
        if killed == "before":
            for _ in range(steps):
                await asyncio.sleep(0)
            ordered = asking.done() and asking.result() is Verdict.STACK
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            await rig.restart()
        else:
            ordered = await asking is Verdict.STACK
        assert not ordered or paper.where == "hand", "a copy was taken"
        stacks = stacks and ordered
        if stacks:
            paper.where = "box"
        if killed == "after":
            await rig.restart()
        if not says:
            await rig.listener.bill_acknowledged()
            await rig.listener.bill_unknown("its line was lost")
            await self._resolve(rig, stacked=stacks)
        elif stacks:
            await rig.listener.ticket_stacked()
            if killed == "credited":
                await rig.restart()
                await rig.listener.ticket_stacked()  # unacknowledged, the device says it again
            await rig.listener.bill_acknowledged()
        else:
            await rig.listener.bill_returned("it left the escrow")
        await asyncio.sleep(0.1)

    async def _resolve(self, rig: TicketRig, *, stacked: bool) -> None:
        """A technician looks where the paper is, and pays what lies in the cash box."""
        for item in await rig.journal.do(open_items):
            cents = (item.amount_cents or 0) if stacked else 0
            way = Resolution.PAID if stacked else Resolution.RETURNED
            if cents:
                await self._finish(rig)
            await rig.journal.do(
                lambda tx: resolve_item(tx, item.id, way, "technician", amount_cents=cents)  # noqa: B023 - run at once
            )
            self.by_hand += cents

    @rule(which=st.integers(0, 9), copied=st.sampled_from((False, False, True)), again=st.booleans())
    @precondition(lambda self: self.papers)
    def hand_in(self, which: int, *, copied: bool, again: bool) -> None:
        """Hand a paper in at the desk, or a copy of one that is gone; the form may be sent twice."""
        papers = [paper for paper in self.papers if (paper.where != "hand") is copied]
        if papers:
            self._hand_in(papers[which % len(papers)], times=2 if again else 1)

    def _hand_in(self, paper: Paper, times: int = 1) -> str:
        key = desk_key()
        answers = {self.house.pay(paper.number, paper.cents, key) for _ in range(times)}
        (answer,) = answers
        if answer == "paid":
            assert paper.where == "hand", "a copy was paid"
            paper.where = "desk"
            self.cash += paper.cents
        return answer

    @rule(at=AT)
    def copy_card(self, at: int) -> None:
        self.runner.run(self._copy_card(at))

    async def _copy_card(self, at: int) -> None:
        rig, folder = self.rigs[at], self.folder / f"card {at}"
        await self._finish(rig)
        await rig.keep_card(folder)
        await rig.until_true(lambda: rig.shown in RESTING)
        self.cards[at] = Card(folder, rig.credit)

    @rule(at=AT, whole=st.booleans(), cut_from=st.sampled_from(("", "hello", "ledger", "events", "tickets")))
    @precondition(lambda self: self.cards)
    def put_card_back(self, at: int, cut_from: str, *, whole: bool) -> None:
        """An older card is put in; `whole` says that the venue had all of the newer one. A technician accepts it."""
        if at in self.cards:
            self.runner.run(self._put_card_back(at, cut_from, whole=whole))

    async def _put_card_back(self, at: int, cut_from: str, *, whole: bool) -> None:
        rig, card = self.rigs[at], self.cards[at]
        await self._finish(rig)
        if whole:
            await rig.until_linked()
        self.take_slips()
        self.gone += rig.credit - card.credit_cents
        self.older.add(at)
        rig.fates, rig.cut_from = [], cut_from
        await rig.put_back(card.folder)
        await rig.until_true(lambda: bool(rig.screen.views) and rig.credit == card.credit_cents)

    @rule()
    def back_up(self) -> None:
        self.backup = self.house.back_up()

    @rule(fates=FATES)
    @precondition(lambda self: self.backup is not None and not self.older)
    def set_back(self, fates: list[str]) -> None:
        """The server is lost; its copy goes on once every cabinet has reported and the desk's papers are entered."""
        self.runner.run(self._set_back(fates))

    async def _set_back(self, fates: list[str]) -> None:
        for rig in self.rigs:
            rig.away = True
        for rig in self.rigs:
            await rig.until_true(lambda rig=rig: rig.keeper.link.state.since_ms is None)  # type: ignore[misc]
        await asyncio.sleep(1.0)  # a call on its way ends: a restore ends all connections
        self.house.restore(self.backup)
        for paper in self.held:
            assert self.house.pay(paper.number, paper.cents, desk_key()) == "recovering"
        for rig in self.rigs:
            rig.away, rig.fates = False, list(fates)
        for paper in self.papers:
            if paper.where == "desk":
                self.house.enter_paid(paper.number, paper.cents)
        for _ in range(400):
            if self.house.open():
                break
            await asyncio.sleep(1.0)
        else:
            links = [rig.keeper and rig.keeper.link.state for rig in self.rigs]
            raise AssertionError(f"not every cabinet has reported: {links}")

    def _is_of_a_lost_card(self, paper: Paper) -> bool:
        """Whether two people enter a paper that nobody's books have: it is here, and was not paid by hand."""
        return paper.at in self.older and paper.where == "hand" and not paper.crossed

    # its end

    async def _finish(self, rig: TicketRig) -> None:
        """Let a cash-out begin and end; the attendant pays what the screen asks for.

        Books that the venue contradicts and a technician has accepted hold the cabinet until it hears of it.
        """
        await asyncio.sleep(0.5)
        for _ in range(400):
            if rig.contradicted:
                rig.away, rig.cut_from = False, ""
            payout = rig.machine.play.payout
            if rig.shown == "handpay" and payout is not None:
                asked = payout.amount_cents - payout.paid_cents
                await rig.turn_key("attendant")
                payout = rig.machine.play.payout
                if (
                    asked
                    and payout is not None
                    and payout.by == "attendant"
                    and payout.paid_cents == payout.amount_cents
                ):
                    self.by_hand += asked
                    self.cross_out(rig)
                    await asyncio.sleep(4.0)
            elif rig.shown in RESTING and payout is None:
                return
            await asyncio.sleep(0.5)
        raise AssertionError(f"still {rig.shown}")

    def teardown(self) -> None:
        if hasattr(self, "rigs"):
            try:
                self.runner.run(self._settle())
            finally:
                self.runner.close()
                self._over(self.house)
                shutil.rmtree(self.folder)

    async def _settle(self) -> None:
        for rig in self.rigs:
            rig.fates = []
            await self._finish(rig)
            await rig.until_linked()
        self.take_slips()
        for paper in self.papers:
            if self._hand_in(paper) == "unknown" and self._is_of_a_lost_card(paper):
                self.house.enter(paper.number, paper.cents)
                assert self._hand_in(paper) == "paid"
        assert self.house.trouble() == []
        assert sum(rig.credit for rig in self.rigs) + self.cash + self.by_hand + self.gone == self.notes
        for rig in self.rigs:
            await rig.journal.do(lambda tx: tx.prove())
            await rig.kill()
