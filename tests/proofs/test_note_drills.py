"""Every fault and power cut at every frame of a note's or ticket's life, in each validator's language."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from drivers.simulated.cctalk.bill_validator import BillHabits
from drivers.simulated.ebds.bill_validator import EbdsHabits
from drivers.simulated.id003.bill_validator import Habits
from drivers.simulated.mdb.bill_validator import BillHabits as MdbHabits
from drivers.simulated.misbehaviour import Misbehaviour, Way
from drivers.simulated.ssp.bill_validator import SspHabits
from tests.rigs.bill_rig import NOTE, TICKET, TICKET_CENTS, DeviceRig, check_ticket_accounted
from tests.rigs.cash_desk import Incident
from tests.rigs.validator_rigs import MakeRig, cctalk, ebds, id003, mdb, ssp
from tests.rigs.virtual_time import run_virtual

pytestmark = [pytest.mark.proof, pytest.mark.requirement("P4", "B1", "D6")]


DEVICES: dict[str, MakeRig] = {
    "id003": id003(Habits()),
    "id003-stacks": id003(Habits(returns_after_cut=False)),
    "id003-silent": id003(Habits(power_recovery=False)),
    "ssp": ssp(SspHabits()),
    "ssp-acknowledges": ssp(SspHabits(acknowledges=True, returns_after_cut=False)),
    "cctalk": cctalk(BillHabits()),
    "cctalk-stacks": cctalk(BillHabits(returns_after_cut=False), echo=True),
    "ebds": ebds(EbdsHabits()),
    "ebds-numbers": ebds(EbdsHabits(extended=False, reports_uncredited=True)),
    "mdb": mdb(MdbHabits(level=2)),
    "mdb-reports": mdb(MdbHabits(finishes_reported=True, reports_busy=True, repeats_faults=True)),
    "mdb-forgets": mdb(MdbHabits(keeps_count=False)),
}
TICKETS: dict[str, MakeRig] = {
    "cctalk-ticket": cctalk(BillHabits()),
    "cctalk-stacks-ticket": cctalk(BillHabits(returns_after_cut=False), echo=True),
    "ebds-ticket": ebds(EbdsHabits()),
    "ebds-unnamed-ticket": ebds(EbdsHabits(stacked_names_ticket=False, reports_uncredited=True)),
    "id003-ticket": id003(Habits()),
    "id003-stacks-ticket": id003(Habits(returns_after_cut=False, names_stacked=True)),
    "id003-silent-ticket": id003(Habits(power_recovery=False)),
    "ssp-ticket": ssp(SspHabits()),
    "ssp-stacks-ticket": ssp(SspHabits(returns_after_cut=False, keeps_barcode=True)),
    "ssp-acknowledges-ticket": ssp(SspHabits(acknowledges=True, repeats_tickets=True, returns_after_cut=False)),
}
"""Validators that read barcodes, each about a ticket."""
EACH = pytest.mark.parametrize("name", [*DEVICES, *TICKETS])
SETTLE_S = 45.0
ANOTHER = "another note came into escrow before its end was reported"
"""A note that a fault held after its stack order came into escrow again: no device says that it is the same one."""


def balanced(rig: DeviceRig[Any]) -> str:
    """See that one note was credited and kept, or neither; where nobody could know, an item is open. Return which."""
    assert len(rig.stacked) + len(rig.returned) == 1, "the note must lie in the box or in the player's hand"
    assert rig.books.escrow is None, "the books must have an end for it"
    if rig.books.credit_cents:
        again = [NOTE] if ANOTHER in rig.books.reasons else []
        assert (rig.books.credit_cents, rig.stacked, rig.books.open_items) == (NOTE, [NOTE], again)
        return "credited"
    if rig.books.open_items:
        assert rig.books.open_items in ([NOTE], [None])
        return "open"
    assert rig.returned == [NOTE], "a note in the box is credited or an open item"
    return "returned"


def ticket_balanced(rig: DeviceRig[Any]) -> str:
    """See the same of a ticket; one that went back is worth what it was."""
    check_ticket_accounted(rig, open_items_allowed=True)
    if rig.books.redeemed:
        return "credited"
    return "open" if rig.books.open_items else "returned"


class Drill:
    """Plays one note after another in a fresh cabinet each, and counts how they ended; or tickets."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ends = {"credited": 0, "returned": 0, "open": 0}

    @property
    def cases(self) -> int:
        return sum(self.ends.values())

    def note(self, incident: Misbehaviour, prepare: Callable[[DeviceRig[Any]], None]) -> DeviceRig[Any]:
        """One note: `prepare` says what goes wrong once the device takes notes."""

        async def main() -> DeviceRig[Any]:
            rig = (DEVICES | TICKETS)[self.name](incident)
            rig.books.tickets = {TICKET: TICKET_CENTS}
            await rig.start()
            prepare(rig)
            if self.name in TICKETS:
                rig.device.insert_ticket(TICKET)
            else:
                rig.device.insert(NOTE)
            await rig.settle(SETTLE_S)
            if rig.books.faults:
                # What no device and no reset ends, a person does: open, mend, switch off and on.
                rig.device.power(on=False)
                rig.device.power(on=True)
                await rig.settle(SETTLE_S)
            assert rig.books.faults == {}
            return await rig.end()

        rig = run_virtual(main())
        self.ends[ticket_balanced(rig) if self.name in TICKETS else balanced(rig)] += 1
        return rig

    def frames(self) -> dict[Way, int]:
        """How many frames an undisturbed note's life has in each direction, and a few of the rest after it."""
        incident = Incident()
        begun = dict.fromkeys(Way, 0)
        last = dict.fromkeys(Way, 0)

        def watch(rig: DeviceRig[Any]) -> None:
            begun.update(incident.carried)
            acknowledged = rig.books.bill_acknowledged

            async def note_ends() -> None:
                last.update(incident.carried)
                await acknowledged()

            rig.books.bill_acknowledged = note_ends  # type: ignore[method-assign]

        assert self.note(incident, watch).stacked == [TICKET if self.name in TICKETS else NOTE]
        self.ends = dict.fromkeys(self.ends, 0)
        return {way: last[way] - begun[way] + 3 for way in Way}

    def summary(self, what: str) -> str:
        ends = ", ".join(f"{count} {end}" for end, count in self.ends.items())
        papers = "tickets" if self.name in TICKETS else "notes"
        return f"{self.name}: {self.cases} {papers}, {what}: {ends}; books balanced"


@pytest.mark.requirement("P4")
@EACH
@pytest.mark.parametrize("who", ["device", "cabinet", "mains"])
def test_power_fails_at_every_frame(name: str, who: str, record_property: Callable[[str, object], None]) -> None:
    """Device, cabinet or both lose power just before any frame of either direction of a note's life."""
    drill = Drill(name)
    for way, count in drill.frames().items():
        for frame in range(count):
            incident = Incident()

            def cut(rig: DeviceRig[Any], incident: Incident = incident, way: Way = way, frame: int = frame) -> None:
                incident.expect(way, frame, lambda: fail(rig, who))

            drill.note(incident, cut)
    record_property("proof", drill.summary(f"power of the {who} cut at each frame"))


def fail(rig: DeviceRig[Any], who: str) -> None:
    """Cut the power of the device, of the cabinet or of both for a second."""
    loop = asyncio.get_running_loop()
    if who != "cabinet":
        rig.device.power(on=False)
        loop.call_later(1.0, lambda: rig.device.power(on=True))
    if who != "device":
        assert rig.task is not None
        rig.line.port.close()
        rig.task.cancel()
        loop.call_later(1.1, rig.run)


@pytest.mark.requirement("D6")
@EACH
def test_each_fault_at_every_step(name: str, record_property: Callable[[str, object], None]) -> None:
    """Each fault of the device begins at any frame that it sends in a note's life, and lasts ten seconds."""
    drill = Drill(name)
    probe = (DEVICES | TICKETS)[name](None)
    for fault in probe.device.faults:
        for frame in range(drill_frames(name)):
            incident = Incident()

            def begin(
                rig: DeviceRig[Any], incident: Incident = incident, fault: str = fault, frame: int = frame
            ) -> None:
                incident.expect(Way.TO_HOST, frame, lambda: strike(rig, fault))

            drill.note(incident, begin)
    record_property("proof", drill.summary(f"each of {len(probe.device.faults)} faults at each frame"))


def drill_frames(name: str) -> int:
    """How many frames the device sends in a note's life."""
    return Drill(name).frames()[Way.TO_HOST]


def strike(rig: DeviceRig[Any], fault: str) -> None:
    """Begin a fault, and mend it ten seconds later."""
    loop = asyncio.get_running_loop()
    # Not within the device's own answer: it has just been given.
    loop.call_soon(lambda: rig.device.set_fault(fault, on=True))
    loop.call_later(10.0, lambda: rig.device.set_fault(fault, on=False))
