"""Any order of device tests, money, keys, doors, faults and power cuts."""

import asyncio
import json
import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from controller.books.audit import audit
from controller.journal import ledger
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.open_items import open_items
from controller.journal.transaction import Transaction, hard_figures
from drivers.cctalk.coin_acceptor import CoinAcceptor
from tests.rigs.people import PIN
from tests.rigs.technician import Technician
from tests.rigs.troubles import LineTroubles
from tests.rigs.virtual_cabinet import VirtualCabinet
from tests.rigs.virtual_time import VirtualTimeLoop

START_UP_S = 8.0


PAGES = ("T.8", "T.8", "T.9", "T.10", "T.10", "T.14", "T.15", "T.17", "T.19")


UNSURE = ("note_unknown", "note_unexpected", "payout_held", "hopper_overpaid")


class Testing(LineTroubles):
    """One cabinet with a technician before it, who does anything in any order."""

    __test__ = False

    @initialize(protocol=st.sampled_from(("id003", "ssp", "cctalk")))
    def switch_on(self, protocol: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="testing"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.taken = {"credit": 0, "test": 0}
        self.uncertain = 0
        self.run(self._switch_on(protocol))

    async def _switch_on(self, protocol: str) -> None:
        self.cabinet = VirtualCabinet(self.folder, protocol=protocol)
        self.technician = Technician(self.cabinet)
        await self.cabinet.start()
        await asyncio.sleep(START_UP_S)

    @property
    def acceptor(self) -> CoinAcceptor:
        assert self.cabinet.supervisor is not None
        acceptor = self.cabinet.supervisor.hardware.coin_acceptor
        assert acceptor is not None
        return acceptor

    # the technician

    @rule(code=st.sampled_from(PAGES), seconds=st.sampled_from((0.0, 0.3, 3.0)))
    def test(self, code: str, seconds: float) -> None:
        self.run(self._enter(code, seconds))

    async def _enter(self, code: str, seconds: float) -> None:
        technician = self.technician
        self.cabinet.door("main", is_open=True)
        technician.turn(on=True)
        await asyncio.sleep(0.3)
        await self._type_pin()
        for step in (code[0], code):
            if technician.closed or technician.page.entry:
                return
            rows = [row.code for row in technician.page.rows]
            if step in rows:
                await technician.touch(f"service:row:{rows.index(step)}")
        await asyncio.sleep(seconds)

    @rule(
        code=st.sampled_from(("T.8", "T.9", "T.10")),
        way=st.sampled_from(("back", "key", "door", "cut")),
        gaps=st.lists(st.sampled_from((0.0, 0.1, 0.3, 1.0, 2.5)), min_size=5, max_size=5),
    )
    def visit(self, code: str, way: str, gaps: list[float]) -> None:
        """Money right before a test, within it and right after it, the hopper in between."""

        async def visit() -> None:
            self._insert(100)
            self.cabinet.bills.insert(500)
            await asyncio.sleep(gaps[0])
            await self._enter(code, gaps[1])
            if code == "T.10":
                await self._touch_row(gaps.index(max(gaps)))
            await asyncio.sleep(gaps[2])
            self._insert(200)
            self.cabinet.bills.insert(500)
            await asyncio.sleep(gaps[3])
            if way == "back" and not self.technician.closed:
                await self.technician.touch("service:back")
            elif way == "cut":
                await self._cut(0.0, mains=False)
            else:
                self.cabinet.door("main", is_open=False)
            if way in ("back", "key"):
                self.technician.turn(on=False)
            self._insert(100)
            await asyncio.sleep(gaps[4])
            self._insert(200)

        self.run(visit())

    async def _type_pin(self) -> None:
        technician = self.technician
        for _ in range(3):
            if technician.closed or not technician.page.entry:
                return
            for digit in PIN:
                await technician.touch(f"service:digit:{digit}")
            await technician.touch("service:done")
            await asyncio.sleep(0.2)

    @rule(seconds=st.sampled_from((0.0, 0.3, 3.0)))
    def leave(self, seconds: float) -> None:
        async def back() -> None:
            if not self.technician.closed:
                await self.technician.touch("service:back")
            await asyncio.sleep(seconds)

        self.run(back())

    @rule(on=st.booleans(), seconds=st.sampled_from((0.0, 0.3, 3.0)))
    def key(self, on: bool, seconds: float) -> None:  # noqa: FBT001 - hypothesis hands it over
        async def turn() -> None:
            self.technician.turn(on=on)
            await asyncio.sleep(seconds)

        self.run(turn())

    @rule(is_open=st.booleans(), seconds=st.sampled_from((0.0, 0.3, 3.0)))
    def door(self, is_open: bool, seconds: float) -> None:  # noqa: FBT001 - hypothesis hands it over
        async def move() -> None:
            self.cabinet.door("main", is_open=is_open)
            await asyncio.sleep(seconds)

        self.run(move())

    @rule(number=st.integers(0, 12), seconds=st.sampled_from((0.0, 0.5, 4.0)))
    def row(self, number: int, seconds: float) -> None:
        """Do whatever a row of the page does, questions answered with YES."""

        async def touch() -> None:
            await self._touch_row(number)
            await asyncio.sleep(seconds)

        self.run(touch())

    async def _touch_row(self, number: int) -> None:
        technician = self.technician
        if technician.closed or technician.page.code[:2] != "T.":
            return
        leads = [at for at, row in enumerate(technician.page.rows) if row.leads]
        if leads:
            await technician.touch(f"service:row:{leads[number % len(leads)]}")
        for _ in range(2):
            if not technician.closed and technician.page.question:
                await technician.touch("service:up")
                await technician.touch("service:enter")

    # money

    @rule(value=st.sampled_from((10, 100, 100, 200)), seconds=st.sampled_from((0.0, 0.1, 1.0)))
    def coin(self, value: int, seconds: float) -> None:
        async def insert() -> None:
            self._insert(value)
            await asyncio.sleep(seconds)

        self.run(insert())

    def _insert(self, value: int) -> None:
        """Put a coin into the slot; it means what the acceptor takes coins for now."""
        meaning = "test" if self.acceptor.tests else "credit"
        if self.cabinet.coins.insert(value):
            self.taken[meaning] += value

    @rule(value=st.sampled_from((500, 1000)), seconds=st.sampled_from((0.0, 1.0, 4.0)))
    def note(self, value: int, seconds: float) -> None:
        async def insert() -> None:
            self.cabinet.bills.insert(value)
            await asyncio.sleep(seconds)

        self.run(insert())

    @rule(seconds=st.sampled_from((0.0, 1.0, 6.0)))
    def collect(self, seconds: float) -> None:
        async def tap() -> None:
            await self.cabinet.tap("collect")
            await asyncio.sleep(seconds)

        self.run(tap())

    @rule(seconds=st.sampled_from((0.01, 0.3, 1.0, 5.0)))
    def time_passes(self, seconds: float) -> None:
        self.run(asyncio.sleep(seconds))

    # what goes wrong

    @rule(stock=st.sampled_from((0, 2, 1000)))
    def hopper(self, stock: int) -> None:
        self.cabinet.hopper.stock = stock

    @rule(seconds=st.sampled_from((0.0, 0.5, 5.0)), mains=st.booleans())
    def cut(self, seconds: float, mains: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        self.run(self._cut(seconds, mains=mains))

    async def _cut(self, seconds: float, *, mains: bool) -> None:
        for line in self.cabinet.lines.values():
            line.port.close()  # as SIGKILL does: nothing more is said on the wires
        await self.cabinet.kill()
        if mains:
            self.cabinet.mains(on=False)
            # what the acceptor had not yet been asked for is gone with its power, and nobody can know it
            self.uncertain = sum(self.taken.values())
        await asyncio.sleep(seconds)
        await self.cabinet.start()
        await asyncio.sleep(0.5)

    # the end

    def teardown(self) -> None:
        try:
            self.run(self._settle())
            self._account()
        finally:
            self.run(self.cabinet.kill())
            self.runner.close()
            shutil.rmtree(self.folder)

    async def _settle(self) -> None:
        for line in self.cabinet.lines.values():
            line.misbehaviour.forget()
            line.plug()
        self.cabinet.hopper.stock = 1000
        self.technician.turn(on=False)
        self.cabinet.door("main", is_open=False)
        await asyncio.sleep(60.0)
        for key in ("attendant", "technician", "attendant"):
            await self.cabinet.turn_key(key)
            await asyncio.sleep(30.0)
        machine = self.technician.machine
        assert machine.journal.lock is None, str(machine.journal.lock)
        assert machine.conditions.overlay is None, str(machine.conditions.faults)
        assert self.acceptor.tests == ""
        assert await machine.journal.do(hopper_diagnostic.running) is None

    def _account(self) -> None:
        proof = audit(self.folder / "journal.sqlite", lambda _what, _done, _total: None)
        assert proof.failures == []
        journal = self.technician.machine.journal.journal
        items = self.runner.run(journal.do(open_items))
        unsure = dict.fromkeys(UNSURE, 0)
        for item in items:
            if item.kind in unsure:
                unsure[item.kind] += item.amount_cents or 0
        figures = proof.meters
        tested, given = self.runner.run(journal.do(_of_tests))
        lost = sum(item.kind == "coins_lost" for item in items)
        assert figures.get("coins_in", 0) <= self.taken["credit"]
        assert tested <= self.taken["test"]
        if not (lost or self.uncertain):
            assert (figures.get("coins_in", 0), tested) == (self.taken["credit"], self.taken["test"])
        notes = figures.get("notes_in", 0)
        assert notes <= self.cabinet.stacked_cents <= notes + unsure["note_unknown"] + unsure["note_unexpected"]
        paid = figures.get("hopper_out", 0) + unsure["hopper_overpaid"] + given
        assert paid <= self.cabinet.tray_cents <= paid + unsure["payout_held"]
        for name, (owed, pulsed) in self.runner.run(journal.do(_hard_meters)).items():
            assert owed + pulsed == hard_figures(figures).get(name, 0)


def _of_tests(tx: Transaction) -> tuple[int, int]:
    """The cents of coins that tests took, and of those that the hopper gave in tests."""
    taken = given = 0
    for (data,) in tx.execute("SELECT data FROM ledger JOIN events USING (seq) WHERE code = 'coin_tested'"):
        taken += sum(json.loads(data)["values"])
    for (data,) in tx.execute("SELECT data FROM ledger JOIN events USING (seq) WHERE code = 'hopper_test'"):
        given += 100 * json.loads(data).get("given", 0)
    return taken, given


def _hard_meters(tx: Transaction) -> dict[str, tuple[int, int]]:
    """What each hard meter is owed and was given."""
    ledger.self_audit(tx._connection)
    rows = tx.execute("SELECT name, owed, given_units FROM hard_meters").fetchall()
    return {name: (owed, given) for name, owed, given in rows}
