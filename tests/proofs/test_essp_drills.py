"""Drills of the eSSP payout devices: everything that can go wrong, at each frame of a payout and of a note's storing.

SMART Hopper and recycler with their drivers and books in memory; a case each has a device of its own.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from drivers.capabilities import PayoutEnd
from drivers.simulated.misbehaviour import Kind, Way
from drivers.simulated.ssp.payout_store import StoreHabits
from drivers.simulated.ssp.smart_hopper import HopperHabits, SimulatedSmartHopper
from tests.rigs.cash_desk import Incident
from tests.rigs.noise import Noise
from tests.rigs.ssp_cash import UNIT, CashRig
from tests.rigs.ssp_recycler import UNIT as NOTE_UNIT
from tests.rigs.ssp_recycler import RecyclerRig

pytestmark = pytest.mark.proof

ORDER, NOTES = 23, 7
NOTE = 1000
NOISE = 1_000_000
OUTAGE_S = 1.0
STORED = {500: 6, 1000: 4}
TROUBLES = [*(kind.value for kind in Kind), "kill", "device", "mains"]
Proof = Callable[[str, object], None]


def _hopper(incident: Incident, after_cut: str) -> CashRig:
    tray: list[int] = []
    device: Any = SimulatedSmartHopper(
        value_cents=UNIT,
        stock={20: 30, 50: 30, 100: 20, 200: 10},
        habits=HopperHabits(store=StoreHabits(after_cut=after_cut)),
        coin_out=tray.append,
    )
    device.tray = tray
    return CashRig(device, incident)


class Case:
    """One trouble at one frame: it `strikes` there, and `ended` is set where the program was ended with it."""

    def __init__(self, incident: Incident, trouble: str, power: Callable[[bool], None]) -> None:
        self._incident = incident
        self._trouble = trouble
        self._power = power
        self.struck = False
        self.ended = asyncio.Event()

    def expect(self, way: Way, at: int) -> None:
        self._incident.expect(way, at, lambda: self._strike(way))

    def _strike(self, way: Way) -> None:
        self.struck = True
        if self._trouble in {"device", "mains"}:
            self._power(False)  # noqa: FBT003 - as the devices' own
            asyncio.get_running_loop().call_later(OUTAGE_S, self._power, True)  # noqa: FBT003
        if self._trouble in {"kill", "mains"}:
            self.ended.set()
        if self._trouble in list(Kind):
            self._incident.inject(Kind(self._trouble), way=way)


async def _through(case: Case, life: Callable[[], Any], kill: Callable[[], Any]) -> Any:
    """Live; where the program is ended on the way, begin again with what the books know."""
    living = asyncio.ensure_future(life())
    ending = asyncio.ensure_future(case.ended.wait())
    await asyncio.wait({living, ending}, return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if living.done():
        return await living
    living.cancel()
    with suppress(asyncio.CancelledError):
        await living
    await kill()
    await asyncio.sleep(OUTAGE_S)
    return await life()


async def _hopper_case(way: Way, at: int, trouble: str, after_cut: str) -> bool:
    incident = Incident()
    desk = _hopper(incident, after_cut)
    await desk.start()
    case = Case(incident, trouble, lambda on: desk.device.power(on=on))
    case.expect(way, at)

    async def kill() -> None:
        desk.line.port.close()
        await desk.kill()
        await asyncio.sleep(5)

    outcome = await _through(case, lambda: desk.pay(ORDER), kill)
    incident.at = -1
    await asyncio.sleep(8)
    assert outcome.end is PayoutEnd.DONE, (way, at, outcome)
    desk.check(ORDER)
    assert desk.books.paid == ORDER, (way, at)
    await desk.end()
    return case.struck


@pytest.mark.parametrize(
    ("trouble", "after_cut"),
    [(trouble, "back") for trouble in TROUBLES] + [(trouble, "out") for trouble in ("device", "mains")],
)
async def test_a_smart_hopper_pays_once(trouble: str, after_cut: str, record_property: Proof) -> None:
    """11.50 leave it, whatever happens at which frame, and all of it is booked."""
    cases = 0
    for way in Way:
        at = 0
        while await _hopper_case(way, at, trouble, after_cut):
            at += 1
        cases += at
    record_property("proof", f"SMART Hopper ({after_cut}): {trouble} at {cases} frames of a payout: each paid once")


async def _recycler_case(way: Way, at: int, trouble: str) -> bool:
    incident = Incident()
    rig = RecyclerRig(STORED, misbehaviour=incident)
    await rig.start()
    case = Case(incident, trouble, lambda on: rig.device.power(on=on))
    case.expect(way, at)
    put_in = False

    async def life() -> Any:
        nonlocal put_in
        if not put_in:
            put_in = True
            rig.device.insert(NOTE)
        await asyncio.sleep(12)
        return await rig.pay(NOTES)

    async def kill() -> None:
        await rig.kill()
        await asyncio.sleep(0.5)
        rig.run()
        await asyncio.sleep(8)

    outcome = await _through(case, life, kill)
    incident.at = -1
    await asyncio.sleep(8)
    held = sum(value * notes for value, notes in rig.device.store.held.items())
    began = sum(value * notes for value, notes in STORED.items())
    kept = held + sum(rig.tray) + sum(int(paper) for paper in rig.boxed) - began
    assert kept == NOTE * (1 - len(rig.returned)), (way, at)
    assert outcome.end is PayoutEnd.DONE, (way, at, outcome)
    assert (rig.cash.paid, sum(rig.tray)) == (NOTES, NOTES * NOTE_UNIT), (way, at)
    if rig.notes.open_items:
        assert (rig.notes.credit_cents, len(rig.notes.open_items)) == (0, 1), (way, at)
    else:
        assert rig.notes.credit_cents == kept, (way, at)
    await rig.kill()
    return case.struck


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_a_recycler_credits_and_pays_once(trouble: str, record_property: Proof) -> None:
    """A note of 10 comes in and is stored, 35 are paid in notes, and something goes wrong at a frame."""
    cases = 0
    for way in Way:
        at = 0
        while await _recycler_case(way, at, trouble):
            at += 1
        cases += at
    record_property(
        "proof", f"recycler: {trouble} at {cases} frames of a note and a payout: each credited and paid once"
    )


async def test_a_million_random_bytes_pay_nothing(record_property: Proof) -> None:
    """At each driver: nothing is paid or booked; afterwards a payout is paid."""
    noise = Noise()
    desk = _hopper(noise, "back")
    await desk.start()
    recycled = Noise()
    rig = RecyclerRig(STORED, misbehaviour=recycled)
    await rig.start()
    await noise.flood(NOISE)
    await recycled.flood(NOISE)
    await asyncio.sleep(60)
    assert (desk.device.tray, desk.books.paid, desk.books.strays) == ([], 0, 0)
    assert (rig.tray, rig.boxed, rig.notes.credit_cents, rig.notes.open_items) == ([], [], 0, [])
    assert (await desk.pay(ORDER)).end is PayoutEnd.DONE
    assert (await rig.pay(NOTES)).end is PayoutEnd.DONE
    desk.check(ORDER)
    await desk.end()
    await rig.kill()
    record_property("proof", f"{noise.said} and {recycled.said} random bytes at the drivers of hopper and recycler")
