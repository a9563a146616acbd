"""Dishonest attendants and clumsy technicians: both keys, every row of every page, money, play, faults and cuts.

Whatever is touched, in whatever order, and wherever the power goes: each coin and each note is in the books once, what
left the hopper is known, the books balance, the hard meters are owed what they should be, and the cabinet plays again.
"""

import asyncio
from typing import cast

from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule
from msgspec.structs import replace

from controller.books.audit import audit
from controller.journal.money import note_stacking, note_unknown
from controller.journal.service_state import set_out_of_service
from controller.journal.transaction import Transaction, hard_figures
from tests.rigs.stateful.device_tests import START_UP_S, Testing, _hard_meters, _of_tests
from tests.rigs.technician import Technician
from tests.rigs.virtual_cabinet import VirtualCabinet

MOVED = frozenset({"found_in", "hand_pay", "service_credit", "credits_voided", "hopper_out", "stakes", "collections"})
"""Meters whose movement shows that a walk came to something."""
HOPPER_CENTS = 400
"""So little that many a payout ends as a hand-pay."""
SCHEMES: dict[str, tuple[str, ...]] = {
    "pay the credit by hand": ("A.2", "Pay by hand"),
    "pay an item": ("A.8", "Pay by hand", "type 300"),
    "take an item off the credit": ("A.8", "Coins had left the hopper", "type 100"),
    "say that no coin had left": ("A.8", "No coin had left the hopper"),
    "credit what was held": ("A.8", "Put it on the credit"),
    "say that it was returned": ("A.8", "Money was returned"),
    "give service credit": ("A.4", "Give service credit", "type 700"),
    "close and open": ("A.7", "Close the machine for players"),
    "clear the lock-ups": ("A.3", ""),
    "void the credit": ("U.5", "Void the credit", "type choice"),
    "refill": ("U.2", "Put coins in", "type 20"),
    "collect": ("U.3", "Collect and close the period"),
    "clear the period": ("U.4", "Clear the period meters"),
    "test a hard meter": ("T.7", ""),
    "leave nothing of what was set": ("C.8", "Factory defaults"),
    "take a preset": ("C.8", ""),
    "demo mode": ("U.9", "Begin demo mode"),
}


class Crooked(Testing):
    """One cabinet with everybody's hands on it."""

    async def _switch_on(self, protocol: str) -> None:
        self.cabinet = VirtualCabinet(self.folder, protocol=protocol)
        limits = replace(self.cabinet.config.limits, hopper_cents=HOPPER_CENTS)
        self.cabinet.config = replace(self.cabinet.config, limits=limits)
        self.technician = Technician(self.cabinet)
        supervisor = await self.cabinet.start()
        await asyncio.sleep(START_UP_S)
        await self.cabinet.insert_note(1000)
        await supervisor.listener.book(_swallow)

    @rule(on=st.booleans(), seconds=st.sampled_from((0.0, 0.3, 3.0)))
    def attendant(self, on: bool, seconds: float) -> None:  # noqa: FBT001 - hypothesis hands it over
        async def turn() -> None:
            self.technician.turn(on=on, key="attendant")
            await asyncio.sleep(seconds)

        self.run(turn())

    @rule(
        name=st.sampled_from(sorted(SCHEMES)),
        as_attendant=st.booleans(),
        yeses=st.sampled_from((2, 2, 2, 2, 1, 0, 3)),
        gap=st.sampled_from((0.0, 0.1, 1.0)),
        after=st.sampled_from(("nothing", "nothing", "key", "crash", "mains", "money")),
    )
    def scheme(self, name: str, as_attendant: bool, yeses: int, gap: float, after: str) -> None:  # noqa: FBT001
        """Go to a page, do what it offers as far as so many answers lead, and be interrupted."""
        self.run(self._scheme(name, yeses, gap, after, as_attendant=as_attendant))

    async def _scheme(self, name: str, yeses: int, gap: float, after: str, *, as_attendant: bool) -> None:
        code, words, *typed = SCHEMES[name]
        technician = self.technician
        technician.turn(on=False, key="technician" if as_attendant else "attendant")
        await asyncio.sleep(0.3)
        if as_attendant:
            technician.turn(on=True, key="attendant")
            await asyncio.sleep(0.3)
            await self._to(code)
        else:
            await self._enter(code, 0.1)
        if technician.closed or technician.page.code != code:
            return
        rows = technician.page.rows
        ways = [at for at, row in enumerate(rows) if row.leads and (not words or row.label == words)]
        if not ways:
            return
        await technician.touch(f"service:row:{ways[yeses % len(ways)]}")
        await self._answer(typed[0].removeprefix("type ") if typed else "", yeses, gap)
        await self._interrupted(after)

    async def _to(self, code: str) -> None:
        """Touch the way to a page, as far as it is open."""
        technician = self.technician
        for _ in range(6):
            if technician.closed or (not technician.page.code and not technician.page.entry):
                break
            await technician.touch("service:back")
        for step in (code[0], code):
            rows = [] if technician.closed else [row.code for row in technician.page.rows]
            if step in rows:
                await technician.touch(f"service:row:{rows.index(step)}")

    async def _answer(self, typed: str, yeses: int, gap: float) -> None:
        technician = self.technician
        if typed and not technician.closed and technician.page.entry:
            for digit in "0" if typed == "choice" else typed:
                await technician.touch(f"service:{'choice' if typed == 'choice' else 'digit'}:{digit}")
            await technician.touch("service:done")
        for _ in range(yeses):
            if technician.closed or not technician.page.question:
                return
            await technician.touch("service:yes")
            await asyncio.sleep(gap)

    async def _interrupted(self, after: str) -> None:
        if after == "key":
            self.technician.turn(on=False)
            self.technician.turn(on=False, key="attendant")
        elif after in ("crash", "mains"):
            await self._cut(0.3, mains=after == "mains")
        elif after == "money":
            self._insert(100)
            self.cabinet.bills.insert(500)
            await asyncio.sleep(1.0)

    @rule(
        numbers=st.lists(st.integers(0, 1000), min_size=1, max_size=12), seconds=st.sampled_from((0.0, 0.05, 0.5, 2.0))
    )
    def touch(self, numbers: list[int], seconds: float) -> None:
        """Touch whatever lives on the screen, service pages and their questions above all."""

        async def touch() -> None:
            for number in numbers:
                live = sorted(self.technician.machine.states.controls)
                if live:
                    self.technician.machine.states.press(live[number % len(live)])
                await asyncio.sleep(seconds)

        self.run(touch())

    @rule(button=st.sampled_from(("spin", "collect", "lines", "bet", "info")), seconds=st.sampled_from((0.0, 1.0, 6.0)))
    def press(self, button: str, seconds: float) -> None:
        async def tap() -> None:
            await self.cabinet.tap(button)
            await asyncio.sleep(seconds)

        self.run(tap())

    @rule(gap=st.sampled_from((0.0, 0.05, 0.3, 1.0)), then=st.sampled_from(("key", "collect", "crash", "both")))
    def hand_pay(self, gap: float, then: str) -> None:
        """Have a hand-pay wait, and turn the key, back out, or both, while the power may go."""

        async def pay() -> None:
            await self.cabinet.tap("collect")
            await asyncio.sleep(gap)
            if then in ("key", "both"):
                self.technician.turn(on=True, key="attendant")
            if then in ("collect", "both"):
                await self.cabinet.tap("collect")
            if then == "crash":
                self.technician.turn(on=True, key="attendant")
                await self._cut(gap, mains=False)
            self.technician.turn(on=False, key="attendant")
            await asyncio.sleep(gap)

        self.run(pay())

    async def _settle(self) -> None:
        for _ in range(2):  # what U.10 was asked for ends no process here
            self.technician.turn(on=False)
            self.technician.turn(on=False, key="attendant")
            await asyncio.sleep(1.0)
        await self.technician.machine.journal.do(lambda tx: set_out_of_service(tx, closed=False, who="test"))
        await self.technician.machine.journal.reload()
        await super()._settle()
        await self._plays()

    async def _plays(self) -> None:
        """Nothing that was done keeps the cabinet from taking a coin and playing for it."""
        cabinet, machine = self.cabinet, self.technician.machine
        if cabinet.credit >= machine.settings.config.limits.credit_cents:
            return
        before = cabinet.credit
        await cabinet.until(lambda: machine.states.takes_coins)
        self._insert(200)
        await cabinet.until(lambda: cabinet.credit == before + 200)

    def _account(self) -> None:
        proof = audit(self.folder / "journal.sqlite", lambda _what, _done, _total: None)
        assert proof.failures == []
        figures = proof.meters
        for name in MOVED & {name for name, figure in figures.items() if figure}:
            event(f"moved {name}")
        journal = self.technician.machine.journal.journal
        items = self.runner.run(journal.do(_items))
        tested, given = self.runner.run(journal.do(_of_tests))
        assert figures.get("coins_in", 0) <= self.taken["credit"]
        if not (items.get("coins_lost") is not None or self.uncertain):
            assert (figures.get("coins_in", 0), tested) == (self.taken["credit"], self.taken["test"])
        notes = figures.get("notes_in", 0)
        doubt = items.get("note_unknown", 0) + items.get("note_unexpected", 0)
        assert notes <= self.cabinet.stacked_cents <= notes + doubt
        paid = self.runner.run(journal.do(_paid)) + items.get("hopper_overpaid", 0) + given
        assert paid <= self.cabinet.tray_cents <= paid + items.get("payout_held", 0)
        for name, (owed, pulsed) in self.runner.run(journal.do(_hard_meters)).items():
            assert owed + pulsed == hard_figures(figures).get(name, 0)


def _swallow(tx: Transaction) -> None:
    """A note of which nobody knows where it went."""
    note_stacking(tx, 500)
    note_unknown(tx, "the line was cut")


def _items(tx: Transaction) -> dict[str, int]:
    """The cents of all open items that there ever were, resolved or not, by their kind."""
    rows = tx.execute("SELECT kind, sum(coalesce(amount_cents, 0)) FROM open_items GROUP BY kind").fetchall()
    return cast("dict[str, int]", dict(rows))


def _paid(tx: Transaction) -> int:
    """The cents of coins that payouts counted as they passed the hopper's exit."""
    (cents,) = tx.execute("SELECT coalesce(-sum(credit_delta), 0) FROM ledger WHERE kind = 'hopper_coin'").fetchone()
    return int(cents)


Crooked.TestCase.settings = settings(max_examples=10, stateful_step_count=25)
TestCrooked = Crooked.TestCase
