"""Any order of what happens to cabinets that take pulses, pay by a SMART Hopper, or pay with the notes they took."""

import asyncio
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from controller.books.audit import audit
from controller.journal.errors import RefusedError
from controller.journal.open_items import PULSES, open_items
from controller.journal.stored_money import store_of, want
from controller.journal.transaction import Transaction
from drivers.simulated.ssp.payout_store import PayoutStore, StoreHabits
from gamekit.catalogue import names
from tests.rigs.money_cabinets import (
    COIN_PULSES,
    COIN_UNIT,
    NOTE_PULSES,
    PulseCabinet,
    RecyclerCabinet,
    SmartHopperCabinet,
)
from tests.rigs.stateful.cabinet import START_UP_S, Interleaving
from tests.rigs.virtual_time import VirtualTimeLoop

TRAVEL_S, PULSE_S, END_S = 0.2, 0.1, 0.4
"""By the acceptors' habits and the settings: from slot to first pulse, a pulse with its rest, the end of a burst."""

WRITTEN_S = 0.1
"""More than a first pulse, or the end of a burst, takes to be durable."""

AWAKE_S = 3.0
"""After so long a started cabinet counts pulses."""


class Flight(NamedTuple):
    """A coin or note between its slot and its booking; `begins` and `ends` are those of its pulses."""

    kind: str
    cents: int
    begins: float
    ends: float


class Pulsing(Interleaving):
    """Coins and notes come by pulses; `doubtful` is what a kill or a cut caught, by kind."""

    cabinet: PulseCabinet

    @initialize(enable=st.booleans())
    def switch_on(self, enable: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        self._fresh()
        self.run(self._switch_on_with(enable=enable))

    def _fresh(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cabinet"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.accepted = 0
        self.doubtful_coins = 0
        self.flights: list[Flight] = []
        self.taken = dict.fromkeys(("coin", "note"), 0)
        self.doubtful = dict.fromkeys(("coin", "note"), 0)
        self.lost = dict.fromkeys(("coin", "note"), 0)
        self.cut = dict.fromkeys(("coin", "note"), 0)
        self.started = 0.0

    async def _switch_on_with(self, *, enable: bool) -> None:
        self.cabinet = PulseCabinet(self.folder, games=names(), enable=enable)
        await self._begin()

    async def _insert(self, kind: str, cents: int, pulses: int) -> None:
        """Put one in once the one before is counted: two at once are one burst."""
        now = asyncio.get_running_loop().time()
        free = max((flight.ends + END_S + WRITTEN_S for flight in self.flights if flight.kind == kind), default=now)
        await asyncio.sleep(max(0.0, free - TRAVEL_S - now))
        now = asyncio.get_running_loop().time()
        if not self.cabinet.pulses[kind].insert(cents):
            return
        self.taken[kind] += cents
        begins = now + TRAVEL_S
        self.flights.append(Flight(kind, cents, begins, begins + pulses * PULSE_S))
        if now - self.started < AWAKE_S:
            self.doubtful[kind] += cents

    @rule(pulses=st.sampled_from(sorted(COIN_PULSES)), seconds=st.sampled_from((0.0, 0.22, 0.4, 2.0)))
    def coin(self, pulses: str, seconds: float) -> None:
        self.run(self._pushed("coin", COIN_PULSES[pulses], int(pulses), seconds))

    @rule(pulses=st.sampled_from(sorted(NOTE_PULSES)), seconds=st.sampled_from((0.0, 0.22, 0.4, 2.0)))
    def note(self, pulses: str, seconds: float) -> None:
        self.run(self._pushed("note", NOTE_PULSES[pulses], int(pulses), seconds))

    async def _pushed(self, kind: str, cents: int, pulses: int, seconds: float) -> None:
        await self._insert(kind, cents, pulses)
        await asyncio.sleep(seconds)

    @rule(kind=st.sampled_from(("coin", "note")), spikes=st.integers(1, 5))
    def noise(self, kind: str, spikes: int) -> None:
        async def disturb() -> None:
            await asyncio.sleep(2.0)
            self.cabinet.pulses[kind].spike(spikes)
            await asyncio.sleep(1.0)

        self.run(disturb())

    def _caught(self) -> None:
        """The program ends: what is not booked is in doubt; what has begun and not ended is an item, and no credit."""
        now = asyncio.get_running_loop().time()
        for flight in self.flights:
            if now > flight.ends + END_S + WRITTEN_S:  # it is booked
                continue
            self.doubtful[flight.kind] += flight.cents
            if flight.begins + WRITTEN_S < now < flight.ends + END_S - PULSE_S - WRITTEN_S:
                self.lost[flight.kind] += flight.cents
                self.cut[flight.kind] += 1
        self.flights.clear()

    @rule(seconds=st.sampled_from((0.0, 0.5, 5.0)))
    def crash(self, seconds: float) -> None:
        async def crash() -> None:
            self._caught()
            await self.cabinet.kill()
            await asyncio.sleep(seconds)
            await self._start()

        self.run(crash())

    @rule(seconds=st.sampled_from((0.0, 3.0)))
    def mains(self, seconds: float) -> None:
        async def cut() -> None:
            self._caught()
            await self.cabinet.kill()
            self.cabinet.mains(on=False)
            await asyncio.sleep(seconds)
            self.cabinet.mains(on=True)
            await self._start()
            await asyncio.sleep(START_UP_S)

        self.run(cut())

    async def _start(self) -> None:
        self.started = asyncio.get_running_loop().time()
        await self.cabinet.start()

    def _account(self) -> None:
        assert sum(self.taken.values()) == self.cabinet.boxed_cents
        proof = audit(self.folder / "journal.sqlite", lambda _what, _done, _total: None)
        assert proof.failures == []
        assert self.cabinet.supervisor is not None
        items = self.runner.run(self.cabinet.supervisor.journal.do(open_items))
        found = [item for item in items if item.kind == PULSES]
        for kind in ("coin", "note"):
            booked = proof.meters.get(f"{kind}s_in", 0)
            assert booked >= self.taken[kind] - self.doubtful[kind], "what no cut had caught was lost"
            assert booked <= self.taken[kind] - self.lost[kind], "what was cut was credited"
        assert len(found) >= sum(self.cut.values()), "a burst that was cut is no item"
        held = sum(item.amount_cents or 0 for item in items if item.kind == "payout_held")
        over = sum(item.amount_cents or 0 for item in items if item.kind == "hopper_overpaid")
        paid = proof.meters.get("hopper_out", 0) + over
        assert paid <= self.cabinet.tray_cents <= paid + held


UNSURE = ("note_unknown", "note_unexpected", "payout_held", "hopper_overpaid", "hopper_recount")
"""Open items of money that may be in the cash box, or not."""


class _Paying(Interleaving):
    """What both SSP payout devices have befall them."""

    @property
    def store(self) -> PayoutStore:
        """The store of the device that pays."""
        assert isinstance(self.cabinet, SmartHopperCabinet | RecyclerCabinet)
        return self.cabinet.payer.store

    @rule(jammed=st.booleans())
    def jam(self, jammed: bool) -> None:  # noqa: FBT001 - as above
        self.store.jammed = jammed

    @rule(seconds=st.sampled_from((0.0, 0.3, 0.7, 1.6, 3.1)), by_mains=st.booleans())
    def cut_within_payout(self, seconds: float, by_mains: bool) -> None:  # noqa: FBT001 - as above
        """Collect, and end the program, or the power, while the device pays."""

        async def cut() -> None:
            if not self.cabinet.credit:
                self.cabinet.bills.insert(1000)
                await asyncio.sleep(5.0)
            await self.cabinet.tap("collect")
            await asyncio.sleep(seconds)
            await self.cabinet.crash()
            if by_mains:
                self.doubtful_coins = self.accepted
                self.cabinet.mains(on=False)
                await asyncio.sleep(1.0)
                self.cabinet.mains(on=True)
            await self.cabinet.start()

        self.run(cut())

    @rule(
        share=st.sampled_from((0.0, 0.3, 0.7)), seconds=st.sampled_from((0.0, 0.4, 1.3, 4.0, 30.0)), cut=st.booleans()
    )
    def move(self, share: float, seconds: float, cut: bool) -> None:  # noqa: FBT001 - as above
        """Have all but a share of what is held moved into the cash box; end the program, or the power, within that."""

        async def move() -> None:
            assert self.cabinet.supervisor is not None
            machine = self.cabinet.supervisor.machine
            with suppress(RefusedError):
                await machine.journal.attempt(lambda tx: self._want(tx, share))
            await asyncio.sleep(seconds)
            if cut:
                await self.cabinet.crash()
                self.doubtful_coins = self.accepted
                self.cabinet.mains(on=False)
                self.cabinet.mains(on=True)
                await self.cabinet.start()

        self.run(move())

    def _want(self, tx: Transaction, share: float) -> None:
        store = store_of(tx)
        if store is not None:
            want(tx, int(store.cents * share) // store.unit, "technician")

    def _boxed_by_books(self, meters: Mapping[str, int]) -> int:
        raise NotImplementedError

    @property
    def _boxed(self) -> int:
        raise NotImplementedError

    def _account(self) -> None:
        super()._account()
        assert self.cabinet.supervisor is not None
        journal = self.cabinet.supervisor.journal
        items = self.runner.run(journal.do(open_items))
        store = self.runner.run(journal.do(store_of))
        assert store is not None
        assert store.keep is None, "what was wanted was never moved"
        assert store.cents == sum(value * count for value, count in self.store.held.items())
        unsure = sum(item.amount_cents or 0 for item in items if item.kind in UNSURE)
        proof = audit(self.folder / "journal.sqlite", lambda _what, _done, _total: None)
        difference = self._boxed - self._boxed_by_books(proof.meters)
        assert abs(difference) <= unsure, f"the cash box holds {difference} more than a collection expects"

    def _mend_hopper(self) -> None:
        self.store.jammed = False

    async def _settle(self) -> None:
        """A move of hundreds of coins takes longer than all else."""
        await super()._settle()
        for _ in range(240):
            if self.store.operation is None:
                break
            await asyncio.sleep(5.0)
        await asyncio.sleep(START_UP_S)

    def _fresh(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cabinet"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.accepted = 0
        self.doubtful_coins = 0


STORES = st.builds(
    StoreHabits,
    grip_s=st.sampled_from((0.05, 0.5)),
    exit_s=st.sampled_from((0.05, 1.0)),
    after_cut=st.sampled_from(("back", "out", "cashbox")),
    counts_at_reset=st.booleans(),
)


class SmartHopperPays(_Paying):
    """A SMART Hopper pays."""

    cabinet: SmartHopperCabinet

    @initialize(store=STORES, keeps=st.booleans(), coins=st.sampled_from((0, 3, 200)))
    def switch_on(self, store: StoreHabits, keeps: bool, coins: int) -> None:  # noqa: FBT001 - as above
        self._fresh()
        self.stock = {50: coins, 100: coins, 200: coins // 2}
        self.run(self._switch_on_with(store, keeps))

    async def _switch_on_with(self, store: StoreHabits, keeps: bool) -> None:  # noqa: FBT001 - as above
        self.cabinet = SmartHopperCabinet(self.folder, games=names(), stock=self.stock, store=store, keeps_events=keeps)
        await self._begin()

    @rule(coins=st.integers(0, 30))
    def hopper(self, coins: int) -> None:
        """Pour coins in that it counts by itself."""
        if self.store.operation is None:
            self.store.add(COIN_UNIT, coins)
            self.stock[COIN_UNIT] += coins

    @property
    def _boxed(self) -> int:
        return self.cabinet.coins_boxed_cents

    def _boxed_by_books(self, meters: Mapping[str, int]) -> int:
        return meters.get("hopper_emptied", 0)

    def _account(self) -> None:
        put_in = sum(value * coins for value, coins in self.stock.items())
        holds = sum(value * coins for value, coins in self.store.held.items())
        assert put_in == holds + self.cabinet.tray_cents + self.cabinet.coins_boxed_cents
        super()._account()


class RecyclerPays(_Paying):
    """A validator pays with the notes that it took."""

    cabinet: RecyclerCabinet

    @initialize(store=STORES, notes=st.sampled_from((0, 2, 10)), most=st.sampled_from((0, 6, 40)))
    def switch_on(self, store: StoreHabits, notes: int, most: int) -> None:
        self._fresh()
        self.stored = {500: notes, 1000: notes, 2000: notes // 2}
        self.given = 0
        self.run(self._switch_on_with(store, most))

    async def _switch_on_with(self, store: StoreHabits, most: int) -> None:
        self.cabinet = RecyclerCabinet(self.folder, games=names(), stored=self.stored, store=store, float_coins=most)
        await self._begin()

    @rule()
    def hopper(self) -> None:
        """Nobody fills a recycler but by its mouth."""

    @property
    def _boxed(self) -> int:
        return self.cabinet.stacked_cents

    def _boxed_by_books(self, meters: Mapping[str, int]) -> int:
        return meters.get("notes_in", 0) - meters.get("notes_stored", 0) + meters.get("notes_unstored", 0)

    @property
    def notes_taken(self) -> int:
        began = sum(value * notes for value, notes in self.stored.items())
        return self.cabinet.stacked_cents + self.cabinet.stored_cents + self.cabinet.tray_cents - began
