import pytest

from drivers.errors import IdentityError, WireError
from drivers.simulated.note_path import Place
from drivers.simulated.ssp.bill_validator import FAULTS, SERIAL, SimulatedSspValidator, SspHabits
from drivers.ssp.protocol import Command, Event, FrameParser, PolledEvent, Reply, events
from drivers.ssp.setup import Channels, channels
from tests.rigs.bill_rig import NOTE, DeviceRig, check_accounted, until_stacking
from tests.rigs.validator_rigs import ssp
from tests.rigs.vectors import vectors

WAYS = {
    "plain": SspHabits(),
    "acknowledges": SspHabits(acknowledges=True),
    "encrypts": SspHabits(encrypts=True),
    "encrypts-acknowledges": SspHabits(encrypts=True, acknowledges=True),
}
"""How a note is polled."""


@pytest.mark.parametrize("fault", sorted(FAULTS))
async def test_faults_come_and_go(fault: str) -> None:
    """Each fault is raised while the device reports it, notes stay out meanwhile, and it is cleared when it is over."""
    rig = ssp(SspHabits())(None)
    await rig.start()
    rig.device.set_fault(fault, on=True)
    await rig.settle(0.7)
    assert rig.books.raised == [fault]
    assert set(rig.books.faults) == ({fault} - {"cheated"})  # a fraud is reported once
    await rig.settle(1)
    if fault != "cheated":
        rig.device.insert(2000)
        assert rig.returned == [2000]
    rig.device.set_fault(fault, on=False)
    await rig.settle(5)
    assert (rig.books.faults, rig.device._enabled) == ({}, True)
    await rig.end()


@pytest.mark.requirement("P8")
async def test_a_failed_self_test_keeps_every_note_out() -> None:
    """SSP reports nothing of the self-test; a device that stays disabled has failed it, until switched on anew."""
    rig = ssp(SspHabits(self_test_fails=True))(None)
    await rig.start()
    await rig.settle(5)
    assert rig.books.faults == {"failure": "it takes no notes though it was enabled: switch it off and on"}
    rig.device.insert(2000)
    assert rig.returned == [2000]
    await rig.settle(60)
    assert "failure" in rig.books.faults
    rig.device.power(on=False)
    rig.device.habits = SspHabits()
    rig.device.power(on=True)
    await rig.settle(10)
    assert (rig.books.faults, rig.device._enabled) == ({}, True)
    await rig.end()


@pytest.mark.parametrize("refusal", [Reply.UNKNOWN_COMMAND, Reply.KEY_NOT_SET, Reply.CANNOT_BE_PROCESSED])
async def test_a_device_that_wants_encryption_for_acknowledged_polls_is_polled_without(refusal: Reply) -> None:
    """Poll with acknowledgement is used where the device offers it; refused, the plain poll and the flag have to do."""
    rig = ssp(SspHabits(refusal=refusal))(None)
    await rig.start()
    rig.device.insert(2000)
    await rig.settle()
    await rig.end()

    check_accounted(rig)
    assert rig.books.credit_cents == 2000
    assert [call for call in rig.books.calls if call.startswith("dialogue")] != []


async def test_a_ticket_is_rejected() -> None:
    """A validated barcode ticket waits in escrow for the next poll: it is rejected first, and nobody is asked."""
    rig = ssp(SspHabits())(None)
    await rig.start()
    rig.device._note_cents = 2000
    rig.device._go(Place.ESCROW, after=10, then=rig.device._give_back)
    rig.device._events.append(PolledEvent(Event.BARCODE_VALIDATED))
    # A real device stacks at the poll after the one with the event: the simulated one needs an order.
    rig.device._events.append(PolledEvent(Event.READ, 0))
    await rig.settle()
    await rig.end()

    assert (rig.returned, rig.stacked, rig.books.credit_cents) == ([2000], [], 0)


async def test_an_answer_nobody_can_read_is_not_asked_for_again() -> None:
    """An unknown event with a note in hand: an error, then a new beginning, and the note becomes an open item."""

    class Riddle(SimulatedSspValidator):
        riddles = 1

        def _poll(self, *, keep: bool = False) -> bytes:
            if self._place is Place.STACKING and self.riddles:
                self.riddles -= 1
                super()._poll(keep=keep)
                self._events = []
                return b"\x5a\x01"
            return super()._poll(keep=keep)

        def _store(self) -> None:
            super()._store()
            self._events = []

    rig: DeviceRig[SimulatedSspValidator] = DeviceRig(
        "ssp", lambda returned, stacked: Riddle(returned=returned, stacked=stacked)
    )
    await rig.start()
    rig.device.insert(2000)
    await rig.settle(60)
    await rig.end()

    assert [type(death) for death in rig.deaths] == [WireError]
    assert (rig.books.open_items, rig.books.credit_cents) == ([2000], 0)


async def test_the_device_that_is_configured_is_taken_and_no_other() -> None:
    """Another serial number than cabinet.toml's is refused with both numbers; 0 takes any, and logs which."""

    async def main(serial: int) -> DeviceRig[SimulatedSspValidator]:
        rig = ssp(SspHabits())(None)
        rig.configure(serial=serial)
        await rig.start()
        return await rig.end()

    refused, taken = (await main(4711)), (await main(0))

    assert "serial number 1873452, cabinet.toml says 4711" in refused.books.faults["wrong_device"]
    assert refused.books.found == []
    assert taken.books.found == ["serial number 1873452, firmware SIM2000333000000, dataset EUR01610"]


def test_the_manuals_poll_answers_are_read() -> None:
    """Pages 65 and 213 to 232: each event of an accept-only validator is known by its name in the manual."""
    names: dict[str, set[Event]] = {}
    for page, section, who, raw in vectors("ssp_ga138.tsv"):
        if who == "S" and (page == "65" or 213 <= int(page) <= 232):
            (frame,) = FrameParser().feed(bytes.fromhex(raw))
            assert frame.data[0] == Reply.OK
            names.setdefault(section, set()).update(one.event for one in events(frame.data[1:]))

    assert names.pop("Poll") == {Event.RESET, Event.CREDIT, Event.STACKED}
    assert {event for found in names.values() for event in found} | {Event.RESET} == set(Event) - {
        Event.STACKING,
        Event.SAFE_JAM,
    }
    assert all(len(found) == 1 for found in names.values())


def test_the_manuals_own_set_up_answer_is_read() -> None:
    """GA138's example: pounds in channels of 5, 10 and 20."""
    data = bytes.fromhex("00 30313030 474250 000001 03 050A14 020202 400000 05")

    assert channels(data) == Channels("GBP", {1: 500, 2: 1000, 3: 2000})


def test_each_channel_of_a_set_up_answer_has_its_currency() -> None:
    """From protocol version 6 a dataset may hold several currencies; a channel that names none is the dataset's."""
    data = bytes.fromhex("00 30313030 455552 000001 03 050000 020202 000064 06 455552 474250 000000") + bytes.fromhex(
        "05000000 0A000000 14000000"
    )

    found = channels(data)

    assert found == Channels("EUR", {1: 500, 2: 1000, 3: 2000}, {2: "GBP"})
    assert (found.of("EUR"), found.of("GBP"), found.of("USD")) == ({1: 500, 3: 2000}, {2: 1000}, {})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", "no validator's .nothing"),
        ("03 30313030 474250 000001 03 050A14 020202 400000 05", "unit type 03"),
        ("00 30313030 474250 000001 03 050A", "names 3 channels and ends after"),
        ("00 30313030 474250 010000 01 FF 02 000064 05", "channel 1 would be worth"),
        ("00 30313030 455552 000001 02 0500 0202 000064 06 455552", "not the value of each"),
    ],
)
def test_a_set_up_answer_that_makes_no_sense_is_refused(data: str, words: str) -> None:
    """A hopper, a cut answer and an impossible value are errors that say which."""
    with pytest.raises(ValueError, match=words):
        channels(bytes.fromhex(data))


async def test_another_device_is_refused() -> None:
    """A device that does not answer the set-up request is no validator, and the fault says so."""

    class Deaf(SimulatedSspValidator):
        def _answer_to(self, command: int) -> bytes | None:
            return None if command == Command.SETUP else super()._answer_to(command)

    rig: DeviceRig[SimulatedSspValidator] = DeviceRig(
        "ssp", lambda returned, stacked: Deaf(returned=returned, stacked=stacked)
    )
    await rig.start()
    await rig.end()

    assert isinstance(rig.deaths[0], IdentityError)
    assert "F2 to the set-up request (05)" in rig.books.faults["wrong_device"]


def spare(rig: DeviceRig[SimulatedSspValidator], habits: SspHabits) -> SimulatedSspValidator:
    """Another validator in the place of the rig's; its own last note went into its box unreported."""
    other = SimulatedSspValidator(
        returned=rig.returned.append, stacked=rig.stacked.append, habits=habits, serial=SERIAL + 1
    )
    other._credit_reported, other._owed = False, NOTE
    return other


@pytest.mark.parametrize("habits", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("waits_s", [0.0, 30.0])
async def test_another_validator_says_nothing_of_the_note_of_the_one_before(habits: SspHabits, waits_s: float) -> None:
    """The note is on its way when the program dies; the validator that is there then reports a note of its own."""
    rig = ssp(habits)(None)
    await rig.start()
    await until_stacking(rig)
    await rig.kill()
    rig.device.power(on=False)
    rig.exchange(spare(rig, habits))
    await rig.settle(waits_s)
    rig.run()
    await rig.settle(30)
    await rig.end()
    assert (rig.books.credit_cents, rig.books.open_items) == (0, [NOTE])


class Shy(SimulatedSspValidator):
    """It refuses the next `refusals` questions for its serial number."""

    refusals = 0

    def _obey(self, command: int, data: bytes) -> bytes:
        if command == Command.SERIAL_NUMBER and self.refusals:
            self.refusals -= 1
            return bytes((Reply.CANNOT_BE_PROCESSED,))
        return super()._obey(command, data)


@pytest.mark.parametrize("cut", [False, True])
async def test_a_validator_that_refuses_to_say_who_it_is_makes_no_other(*, cut: bool) -> None:
    """Asked by a new program, or after its start: its note is credited or comes back as ever."""
    rig: DeviceRig[SimulatedSspValidator] = DeviceRig(
        "ssp", lambda returned, stacked: Shy(returned=returned, stacked=stacked, habits=SspHabits(acknowledges=True))
    )
    await rig.start()
    await until_stacking(rig)
    assert isinstance(rig.device, Shy)
    rig.device.refusals = 1
    if cut:
        rig.device.power(on=False)
        rig.device.power(on=True)
    else:
        await rig.kill()
        await rig.settle(2)
        rig.run()
    await rig.settle(30)
    await rig.end()
    check_accounted(rig)
    assert rig.deaths == []


async def test_another_validator_that_brings_a_note_is_recognised_without_one_in_hand() -> None:
    """Its channels may be other notes, so its first report of a note does not keep it from being asked who it is."""
    rig = ssp(SspHabits())(None)
    await rig.start()
    rig.device.power(on=False)
    rig.exchange(spare(rig, SspHabits()))
    await rig.settle(30)
    await rig.end()
    assert "replaced by 1873453" in str(rig.deaths[0])
    assert rig.books.credit_cents == 0


@pytest.mark.parametrize("runs", [False, True])
async def test_a_validator_that_is_put_back_is_not_credited_with_the_spare_ones_note(*, runs: bool) -> None:
    """The configured serial number has the attendant put it back: the other one's journaled answer is dropped."""
    rig = ssp(SspHabits())(None)
    rig.configure(serial=SERIAL)
    await rig.start()
    await until_stacking(rig)
    first = rig.device
    if not runs:
        await rig.kill()
    first.power(on=False)
    rig.exchange(spare(rig, SspHabits()))
    if not runs:
        rig.run()
    await rig.settle(10)
    assert "wrong_device" in rig.books.faults
    rig.device.power(on=False)
    rig.exchange(first)
    await rig.settle(30)
    await rig.end()
    check_accounted(rig)


async def test_a_validator_that_is_exchanged_while_the_program_runs_says_nothing_either() -> None:
    """Within the time for which a driver waits for an answer; it starts, and so its number is asked for."""
    rig = ssp(SspHabits())(None)
    await rig.start()
    await until_stacking(rig)
    rig.device.power(on=False)
    rig.exchange(spare(rig, SspHabits()))
    await rig.settle(30)
    await rig.end()
    assert "replaced by 1873453" in str(rig.deaths[0])
    assert (rig.books.credit_cents, rig.books.open_items) == (0, [NOTE])


@pytest.mark.parametrize("acknowledges", [False, True])
@pytest.mark.parametrize("sent", [False, True])
@pytest.mark.parametrize("write", range(1, 16))
async def test_the_answer_that_a_start_gets_first_outlives_a_second_end(
    write: int, *, sent: bool, acknowledges: bool
) -> None:
    """A program that dies with the note's credit unheard, and again at any command of its next start."""
    rig = ssp(SspHabits(acknowledges=acknowledges))(None)
    await rig.start()
    await until_stacking(rig)
    await rig.kill()
    await rig.settle(2)
    rig.port.die_at, rig.port.die_sent = rig.port.writes + write, sent
    rig.run()
    await rig.settle(30)
    await rig.end()
    assert rig.deaths
    check_accounted(rig)
    assert rig.books.credit_cents == NOTE
