import asyncio

import pytest

from drivers.cctalk import bill_events
from drivers.cctalk import protocol as cctalk
from drivers.cctalk.bill_events import Meaning, bill_value, checked_fault, meaning
from drivers.cctalk.protocol import Header
from drivers.cctalk.self_check import SelfCheck
from drivers.errors import IdentityError, WireError
from drivers.event_buffer import NOTHING, Reading, progress
from drivers.simulated.cctalk.bill_validator import FAULTS, BillHabits, SimulatedCctalkBills
from drivers.simulated.cctalk.device import Identity
from drivers.simulated.line import Line
from tests.rigs.bill_rig import ALL, NOTE, TICKET, DeviceRig, DyingPort, check_accounted, until_stacking
from tests.rigs.stalled_line import StalledLine
from tests.rigs.validator_rigs import cctalk as make
from tests.rigs.vectors import vectors

EU = bytes((100, 0, 2))


def test_the_specifications_dialogue_is_one_note_of_twenty_and_one_coupon() -> None:
    """Its worked dialogues (part 3, pages 54 to 58) give one credit of 20 euro; coupons and statuses are none."""
    lines = [row for row in vectors("cctalk_spec_v47.tsv") if row[0] == "p3" and row[1].startswith("5")]
    frames = [(page, cctalk.decode(bytes.fromhex(raw))) for _, page, way, raw, *_ in lines if way == "RX"]
    readings = [(page, Reading.parse(frame.data)) for page, frame in frames if len(frame.data) == 11]
    credited: list[int] = []
    last, on = 0, ""
    for page, reading in readings:
        last, on = (0 if page != on else last), page
        added = progress(last, reading)
        if added != NOTHING:
            credited += [
                first
                for first, second in reversed(reading.events[: added.fresh])
                if meaning(first, second) is Meaning.CREDIT and first != bill_events.COUPON
            ]
        last = reading.counter

    assert credited == [3]
    assert bill_value(b"EU0020A", "EU", EU) == NOTE


def test_a_note_is_worth_its_id_times_the_scaling_of_its_country() -> None:
    """Another country's note and an empty slot are worth nothing to us; half a cent is an error."""
    assert bill_value(b"EU0500A", "EU", EU) == 50000
    assert bill_value(b"GB0010A", "EU", EU) is None
    assert bill_value(b".......", "EU", EU) is None
    with pytest.raises(WireError, match="worth no whole cents"):
        bill_value(b"EU0005A", "EU", bytes((1, 0, 4)))
    with pytest.raises(WireError, match="2 bytes, 3 expected"):
        bill_value(b"EU0005A", "EU", b"\x64\x00")


@pytest.mark.requirement("D7")
@pytest.mark.parametrize("self_checks", [True, False], ids=["self-checks", "knows-no-self-check"])
@pytest.mark.parametrize("fault", sorted(FAULTS))
async def test_a_fault_is_reported_takes_no_notes_and_is_over(fault: str, self_checks: bool) -> None:  # noqa: FBT001 - a parameter
    """An event raises the fault and nothing is taken; an event, the self-check or switching off and on ends it."""
    rig = make(BillHabits(self_checks=self_checks))(None)
    await rig.start()
    rig.device.set_fault(fault, on=True)
    await rig.settle(1)
    assert rig.books.raised == [fault]
    assert set(rig.books.faults) == {fault} - {"cheated"}  # somebody tried: the attendant's to clear
    if fault != "cheated":
        assert not rig.device._enabled
    rig.device.set_fault(fault, on=False)
    await rig.settle(8)
    if rig.books.faults:
        assert not self_checks
        rig.device.power(on=False)
        rig.device.power(on=True)
        await rig.settle(8)
    assert rig.books.faults == {}
    rig.device.insert(NOTE)
    await rig.settle()
    await rig.end()

    check_accounted(rig)
    assert rig.books.credit_cents == NOTE


@pytest.mark.requirement("P8")
async def test_a_failed_self_check_at_power_up_keeps_every_note_out() -> None:
    """The validator checks itself at each power-up, and stays closed for as long as it fails."""
    rig = make(BillHabits())(None)
    rig.device.set_fault("failure", on=True)
    await rig.start()
    assert rig.books.faults == {"failure": "the note sensors have failed"}
    rig.device.insert(NOTE)
    assert rig.returned == [NOTE]
    await rig.settle(60)
    assert not rig.device._enabled
    rig.device.set_fault("failure", on=False)
    await rig.settle(10)
    assert (rig.books.faults, rig.device._enabled) == ({}, True)
    await rig.end()


@pytest.mark.parametrize(
    ("code", "present", "fault"),
    [
        (0, (), None),
        (39, (), "acceptor_jam"),
        (39, ("stacker_jam",), "stacker_jam"),
        (41, (), "cheated"),
        (44, (), "stacker_open"),
        (45, (), "stacker_full"),
        (36, (), "failure"),
        (99, (), "failure"),
    ],
)
def test_a_self_check_means_a_fault(code: int, present: tuple[str, ...], fault: str | None) -> None:
    """Each self-check code but "all is well" keeps notes out; an unknown one is reported by its number."""
    assert checked_fault(code, present) == fault
    assert str(SelfCheck(99)) == "self-check code 99"
    assert str(SelfCheck(8, 2)) == "a sorter exit's sensor has failed (number 2)"


@pytest.mark.parametrize("event", [(0, 21), (255, 0), (9, 0)], ids=["unrecognised", "ticket", "of-no-value"])
@pytest.mark.parametrize("with_note", [True, False], ids=["note-in-hand", "none"])
async def test_something_unknown_that_was_stacked_is_an_open_item(event: tuple[int, int], with_note: bool) -> None:  # noqa: FBT001 - a parameter
    """What the device does not recognise credits nothing, not even the note that was ordered to be stacked."""
    rig = make(BillHabits())(None)
    await rig.start()
    if with_note:
        await until_stacking(rig)
        rig.device._forget_paper()
    rig.device._record(*event)
    await rig.settle()
    rig.device.insert(500)
    await rig.settle()
    await rig.end()

    assert rig.books.open_items == [NOTE if with_note else None]
    assert rig.books.credit_cents == 500


async def test_a_barcode_that_cannot_be_read_is_given_back_unasked() -> None:
    """No number, or one that is no digits: the ticket is returned, and the listener is not asked about it."""
    for data in (b"", b"12345A", b"1" * 25):
        rig = make(BillHabits())(None)
        spoilt = Barcode(rig.device, data)
        rig.line.device = spoilt
        spoilt.connect(rig.line)
        await rig.start()
        rig.device.insert_ticket(TICKET)
        await rig.settle()
        await rig.end()
        assert (rig.returned, rig.stacked) == ([TICKET], [])
        assert not [call for call in rig.books.calls if call.startswith(("ticket", "refused"))]
        assert not rig.deaths


async def test_the_device_that_is_configured_is_taken_and_no_other() -> None:
    """Another serial number than cabinet.toml's is refused with both numbers; 0 takes any, and logs which."""

    async def main(serial: int) -> DeviceRig[SimulatedCctalkBills]:
        rig = make(BillHabits())(None)
        rig.configure(serial=serial)
        await rig.start()
        return await rig.end()

    refused, taken = (await main(4712)), (await main(0))

    assert "serial number 4811, cabinet.toml says 4712" in refused.books.faults["wrong_device"]
    assert refused.books.found == []
    assert taken.books.found == ["Open Cabinet SIMBILL V01, serial number 4811, software SIM-V1.00"]


class Barcode:
    """A validator's line on which the answer to 129 is replaced."""

    def __init__(self, device: SimulatedCctalkBills, data: bytes) -> None:
        self._device, self._data = device, data
        self._line: Line | None = None
        self._parser = cctalk.Parser(40)

    def connect(self, line: Line) -> None:
        """Remember where to answer."""
        self._line = line
        self._device.connect(line)

    def power(self, *, on: bool) -> None:
        """Switch the device."""
        self._device.power(on=on)

    def receive(self, data: bytes) -> None:
        """Answer 129, and hand everything else on."""
        for frame in self._parser.feed(data):
            if frame.header == Header.READ_BARCODE and self._line is not None:
                self._line.send(cctalk.encode(cctalk.Frame(1, 40, Header.ACK, self._data)))
            else:
                self._device.receive(cctalk.encode(frame))


class Printed:
    """A device that answers as the specification's worked example does, its events going on once a second.

    They begin after so many seconds: `after_s`.
    """

    def __init__(self, pages: set[str], *, after_s: float = 0.0) -> None:
        self._line: Line | None = None
        self._answers: dict[bytes, list[bytes]] = {}
        self._parser = cctalk.Parser(40)
        self.asked: list[int] = []
        self._next_at = asyncio.get_running_loop().time() + after_s
        asked = b""
        for part, page, way, raw, *_ in vectors("cctalk_spec_v47.tsv"):
            if part == "p3" and page in pages:
                if way == "TX":
                    asked = bytes.fromhex(raw)
                else:
                    self._answers.setdefault(asked, []).append(bytes.fromhex(raw))

    def connect(self, line: Line) -> None:
        """Remember where to answer."""
        self._line = line

    def power(self, *, on: bool) -> None:
        """Print knows no mains."""

    def receive(self, data: bytes) -> None:
        """Answer each question, the last printed answer again and again; routing and inhibits are always obeyed."""
        for frame in self._parser.feed(data):
            self.asked.append(frame.header)
            answers = self._answers.get(cctalk.encode(frame))
            if answers is None and frame.header in (Header.ROUTE_BILL, Header.MASTER_INHIBIT, Header.INHIBITS):
                answers = [bytes.fromhex("01 00 28 00 D7")]
            if answers is None and frame.header == Header.BILL_ID:
                answers = self._answers[bytes.fromhex("28 01 01 9D 08 31")]
            now = asyncio.get_running_loop().time()
            if answers and self._line is not None:
                self._line.send(answers[0])
                if len(answers) > 1 and now >= self._next_at:
                    self._next_at = now + 1.0
                    del answers[0]


async def test_the_driver_plays_the_specifications_own_dialogue() -> None:
    """Part 3, pages 52 to 54: the printed device is set up, its note of twenty routed and credited once."""
    rig = make(BillHabits())(None)
    printed = Printed({"52", "53", "54"})
    rig.line.device = printed
    printed.connect(rig.line)
    rig.run()
    await rig.settle(40)
    assert {Header.CATEGORY, Header.BILL_ID, Header.COUNTRY_SCALING, Header.ROUTE_BILL} <= set(printed.asked)
    await rig.end()

    assert rig.books.found == ["MCI Ardac6 Standard, serial number 1605, software AEN-F1-V4.44"]
    assert (rig.books.credit_cents, rig.books.open_items) == (2000, [])


async def test_the_driver_plays_the_specifications_dialogue_about_a_ticket() -> None:
    """Part 3, page 55: the printed device's ticket is read (129), routed (154) and redeemed once, under its number."""
    rig = make(BillHabits())(None)
    printed = Printed({"52", "53", "55"}, after_s=15.0)
    rig.books.tickets = {"475962575587710231": 1500}
    rig.line.device = printed
    printed.connect(rig.line)
    rig.run()
    await rig.settle(40)
    await rig.end()

    assert printed.asked.count(Header.READ_BARCODE) == 2
    assert (rig.books.redeemed, rig.books.credit_cents) == (["475962575587710231"], 1500)
    assert (rig.books.tickets, rig.books.open_items) == ({}, [])


async def test_another_device_is_refused() -> None:
    """A coin acceptor at the validator's address is named in the fault."""
    identity = Identity(category=b"Coin Acceptor", product=b"X", build=b"Y", serial=1)
    rig: DeviceRig[SimulatedCctalkBills] = DeviceRig(
        "cctalk",
        lambda returned, stacked: SimulatedCctalkBills(returned=returned, stacked=stacked, identity=identity),
    )
    await rig.start()
    await rig.end()

    assert isinstance(rig.deaths[0], IdentityError)
    assert "'Coin Acceptor', not a 'Bill Validator'" in rig.books.faults["wrong_device"]


@pytest.mark.parametrize("seconds", [0.45, 0.9])
async def test_the_notes_of_a_device_that_stood_still_keep_their_values(seconds: float) -> None:
    """Whichever answer comes late, with those to the same question behind it: no note is worth another's value."""
    for at in range(1, 100, 3):
        rig = make(BillHabits())(None)
        rig.line = line = StalledLine(rig.device)
        rig.port = DyingPort(line.port)
        line.stall(seconds, at=at)
        await rig.start()
        await rig.settle(10.0)
        for cents in sorted(ALL):
            rig.device.insert(cents)
            await rig.settle(10.0)
        await rig.end()
        assert rig.books.credit_cents == sum(ALL), at
        assert len({*rig.books.found}) == 1, at
        assert "wrong_device" not in rig.books.raised, at


async def test_a_validator_that_is_replaced_within_an_instant_takes_nothing_before_it_is_identified() -> None:
    """Its numbers may be other notes; identified, it takes them."""
    rig = make(BillHabits())(None)
    await rig.start()
    rig.device.swap()
    await rig.settle(10.0)
    rig.device.insert(NOTE)
    await rig.settle(10.0)
    await rig.end()
    assert [str(death) for death in rig.deaths] == ["memory: another device is in the place of 4811: 4812"]
    assert len({*rig.books.found}) == 2
    check_accounted(rig)
