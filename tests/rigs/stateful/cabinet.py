"""Any order of what happens to a whole cabinet."""

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from msgspec.structs import replace

from controller.books.audit import audit
from controller.configuration.cabinet_toml import load
from controller.faults import Stops, explain
from controller.journal.open_items import OpenItem, open_items
from drivers.wiring import BUTTONS
from gamekit.catalogue import names
from tests.rigs.troubles import LineTroubles
from tests.rigs.virtual_cabinet import SAMPLE, VirtualCabinet
from tests.rigs.virtual_time import VirtualTimeLoop

START_UP_S = 8.0


DOORS = tuple(load(SAMPLE).pins.doors)


LARGE_WIN_CENTS = 500
"""Low enough for a spin to reach it now and then."""


class Interleaving(LineTroubles):
    """One cabinet, treated in any order."""

    @initialize(protocol=st.sampled_from(("id003", "ssp", "cctalk")))
    def switch_on(self, protocol: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cabinet"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.accepted = 0
        self.doubtful_coins = 0
        self.alive = True
        self.run(self._switch_on(protocol))

    async def _switch_on(self, protocol: str) -> None:
        self.cabinet = VirtualCabinet(self.folder, protocol=protocol, games=names())
        await self._begin()

    async def _begin(self) -> None:
        limits = replace(self.cabinet.config.limits, large_win_cents=LARGE_WIN_CENTS)
        self.cabinet.config = replace(self.cabinet.config, limits=limits)
        await self.cabinet.start()
        await asyncio.sleep(START_UP_S)

    @rule(seconds=st.sampled_from((0.01, 0.1, 0.3, 1.0, 5.0)))
    def time_passes(self, seconds: float) -> None:
        self.run(asyncio.sleep(seconds))

    @rule(value=st.sampled_from((10, 20, 50, 100, 200)))
    def coin(self, value: int) -> None:
        async def insert() -> None:
            if self.cabinet.coins.insert(value):
                self.accepted += value

        self.run(insert())

    @rule(value=st.sampled_from((500, 1000, 2000, 5000)), seconds=st.sampled_from((0.0, 0.5, 1.0, 2.0, 4.0)))
    def note(self, value: int, seconds: float) -> None:
        async def insert() -> None:
            self.cabinet.bills.insert(value)
            await asyncio.sleep(seconds)

        self.run(insert())

    @rule(button=st.sampled_from((*BUTTONS, "spin", "spin", "collect")), seconds=st.sampled_from((0.0, 1.0, 6.0)))
    def press(self, button: str, seconds: float) -> None:
        async def tap() -> None:
            await self.cabinet.tap(button)
            await asyncio.sleep(seconds)

        self.run(tap())

    @rule(numbers=st.lists(st.integers(0, 1000), min_size=1, max_size=8), seconds=st.sampled_from((0.0, 0.3, 2.0)))
    def touch(self, numbers: list[int], seconds: float) -> None:
        """Touch whatever lives on the screen: games, bets, offers, pages."""

        async def touch() -> None:
            for number in numbers:
                assert self.cabinet.supervisor is not None
                live = sorted(self.cabinet.supervisor.machine.states.controls)
                if live:
                    self.cabinet.supervisor.machine.states.press(live[number % len(live)])
                await asyncio.sleep(seconds)

        self.run(touch())

    @rule(door=st.sampled_from(DOORS), is_open=st.booleans())
    def door(self, door: str, is_open: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        async def move() -> None:
            self.cabinet.door(door, is_open=is_open)
            await asyncio.sleep(0.05)
            assert self.cabinet.supervisor is not None
            machine = self.cabinet.supervisor.machine
            assert machine.conditions.overlay is not None or not (is_open and machine.states.up.is_set())

        self.run(move())

    @rule(key=st.sampled_from(("attendant", "technician")))
    def key(self, key: str) -> None:
        self.run(self.cabinet.turn_key(key))

    @rule(stock=st.sampled_from((0, 1, 3, 1000)), jammed=st.booleans())
    def hopper(self, stock: int, jammed: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        self.cabinet.hopper.stock = stock
        self.cabinet.hopper.jammed = jammed

    @rule(seconds=st.sampled_from((0.0, 0.5, 5.0)))
    def crash(self, seconds: float) -> None:
        async def crash() -> None:
            await self.cabinet.kill()
            await asyncio.sleep(seconds)
            await self.cabinet.start()

        self.run(crash())

    @rule(seconds=st.sampled_from((0.0, 3.0)))
    def mains(self, seconds: float) -> None:
        async def cut() -> None:
            await self.cabinet.kill()
            self.cabinet.mains(on=False)
            # what the coin acceptor had not yet been asked for is gone with its power, and nobody can know it
            self.doubtful_coins = self.accepted
            await asyncio.sleep(seconds)
            self.cabinet.mains(on=True)
            await self.cabinet.start()
            await asyncio.sleep(START_UP_S)

        self.run(cut())

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
        self._mend_hopper()
        for door in DOORS:
            self.cabinet.door(door, is_open=False)
        await asyncio.sleep(90.0)
        for key in ("attendant", "technician", "attendant"):
            await self.cabinet.turn_key(key)
            await asyncio.sleep(60.0)
        assert self.cabinet.supervisor is not None
        machine = self.cabinet.supervisor.machine
        assert machine.journal.lock is None, str(machine.journal.lock)
        assert machine.conditions.overlay is None, str(machine.conditions.faults)
        stuck = [it for it in machine.conditions.faults if it.present and Stops.PAYOUT in explain(it.code).stops]
        assert stuck == [], "no key can clear it"

    def _mend_hopper(self) -> None:
        self.cabinet.hopper.stock, self.cabinet.hopper.jammed = 1000, False

    @property
    def notes_taken(self) -> int:
        """What the player gave in notes and did not get back."""
        return self.cabinet.stacked_cents

    def _account(self) -> None:
        proof = audit(self.folder / "journal.sqlite", lambda _what, _done, _total: None)
        assert proof.failures == []
        assert self.cabinet.supervisor is not None
        items = self.runner.run(self.cabinet.supervisor.journal.do(open_items))
        unsure = dict.fromkeys(("note_unknown", "note_unexpected", "payout_held", "hopper_overpaid"), 0)
        for item in items:
            if item.kind in unsure:
                unsure[item.kind] += item.amount_cents or 0
        notes = proof.meters.get("notes_in", 0)
        assert notes <= self.notes_taken <= notes + unsure["note_unknown"] + unsure["note_unexpected"]
        self._account_coins(proof.meters.get("coins_in", 0), items)
        paid = proof.meters.get("hopper_out", 0) + unsure["hopper_overpaid"]
        assert paid <= self.cabinet.tray_cents <= paid + unsure["payout_held"]

    def _account_coins(self, coins: int, items: Sequence[OpenItem]) -> None:
        lost = any(item.kind in {"coins_lost", "coins_forgotten"} for item in items)
        assert coins <= self.accepted
        if not lost and not self.doubtful_coins:
            assert coins == self.accepted
