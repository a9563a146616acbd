"""What the SSP driver says and asks about barcode tickets, beside the drills that it shares with the other readers."""

from typing import Any

import pytest

from drivers.simulated.ssp.bill_validator import SimulatedSspValidator, SspHabits
from drivers.ssp.protocol import Barcode, Command, Event, FrameParser, PolledEvent, Reply, TicketState
from tests.rigs.bill_rig import NOTE, TICKET, TICKET_CENTS, DeviceRig, check_accounted, check_ticket_accounted
from tests.rigs.vectors import vectors


class Tapped(SimulatedSspValidator):
    """Keeps the commands that it is sent; `answers` are said instead of its own."""

    answers: dict[int, bytes]
    commands: list[bytes]

    def receive(self, data: bytes) -> None:
        self.commands += [frame.data for frame in FrameParser().feed(data)]
        super().receive(data)

    def _of_reader(self, command: int, data: bytes) -> bytes:
        return self.answers.get(command) or super()._of_reader(command, data)


def tapped(habits: SspHabits | None = None, answers: dict[int, bytes] | None = None) -> DeviceRig[Any]:
    """A rig around such a device, whose books have one ticket."""

    def build(returned: Any, stacked: Any) -> Tapped:
        device = Tapped(returned=returned, stacked=stacked, habits=habits)
        device.answers, device.commands = answers or {}, []
        return device

    rig: DeviceRig[Any] = DeviceRig("ssp", build)
    rig.books.tickets = {TICKET: TICKET_CENTS}
    return rig


def said(data: Barcode) -> bytes:
    """The answer to the barcode request."""
    return bytes((Reply.OK, data.state, len(data.number))) + data.number.encode()


async def test_the_readers_are_set_up_as_in_the_manual() -> None:
    """Pages 83 and 84, byte by byte; the inhibit of page 86 lets notes and tickets in, and comes before the enable."""
    printed = {
        page: FrameParser().feed(bytes.fromhex(raw))[0].data
        for page, _, who, raw in vectors("ssp_ga138.tsv")
        if who == "H" and page in {"83", "84", "86"}
    }
    rig = tapped()
    await rig.start()
    await rig.end()

    commands = rig.device.commands
    assert printed["83"] in commands
    set_up = commands.index(printed["84"])
    assert commands[set_up + 1] == printed["86"][:1] + b"\xfc"
    assert commands[set_up + 2] == bytes((Command.ENABLE,))
    assert bytes((Command.ENABLE,)) not in commands[:set_up]


@pytest.mark.parametrize(
    "answers",
    [
        {Command.BARCODE_READERS: bytes((Reply.UNKNOWN_COMMAND,))},
        {Command.BARCODE_READERS: bytes((Reply.OK, 0, 0, 0, 0))},
        {Command.SET_BARCODE_READERS: bytes((Reply.WRONG_PARAMETERS,))},
        {Command.SET_BARCODE_INHIBIT: bytes((Reply.CANNOT_BE_PROCESSED,))},
    ],
    ids=["unknown", "none", "refused", "inhibited"],
)
async def test_a_validator_without_a_reader_takes_notes(answers: dict[int, bytes]) -> None:
    """What it refuses about tickets costs tickets, and nothing else."""
    rig = tapped(answers=answers)
    await rig.start()
    rig.device.insert(NOTE)
    await rig.settle()
    await rig.end()

    check_accounted(rig)
    assert (rig.books.credit_cents, rig.deaths, rig.books.faults) == (NOTE, [], {})


@pytest.mark.parametrize(
    ("found", "redeemed", "left", "items"),
    [
        (Barcode(TicketState.STACKED, TICKET), [TICKET], {}, []),
        (Barcode(TicketState.REJECTED, TICKET), [], {TICKET: TICKET_CENTS}, []),
        (Barcode(TicketState.STACKED, "999999"), [], {}, [TICKET_CENTS]),
        (Barcode(TicketState.NONE, ""), [], {}, [TICKET_CENTS]),
    ],
    ids=["stacked", "rejected", "another", "forgotten"],
)
async def test_a_ticket_whose_end_was_lost_is_asked_about(
    found: Barcode, redeemed: list[str], left: dict[str, int], items: list[int]
) -> None:
    """Its D1 went with the power: the newest ticket's number and place decide, and without them an attendant."""
    rig = tapped()
    await rig.start()
    rig.device.insert_ticket(TICKET)
    while rig.device.slot != "stacking":
        await rig.settle(0.05)
    await rig.kill()
    await rig.settle(3)
    rig.device.power(on=False)
    rig.device.power(on=True)
    rig.device._events[:] = [PolledEvent(Event.RESET)]
    rig.device.answers = {Command.BARCODE_DATA: said(found)}
    rig.run()
    await rig.settle()
    await rig.end()

    assert rig.books.escrow is None
    assert (rig.books.redeemed, rig.books.tickets, rig.books.open_items) == (redeemed, left, items)


@pytest.mark.parametrize("answer", [b"\xf0", b"\xf0\x01\x06123", b"\xf0\x09\x00", b"\xf5", b"\xf0\x02\x06123456"])
async def test_a_ticket_whose_number_cannot_be_had_goes_back_unasked(answer: bytes) -> None:
    """An answer that makes no sense, or is about a ticket that is not in escrow, is no number."""
    rig = tapped(answers={Command.BARCODE_DATA: answer})
    await rig.start()
    rig.device.insert_ticket(TICKET)
    await rig.settle()
    await rig.end()

    check_ticket_accounted(rig)
    assert (rig.returned, rig.deaths) == ([TICKET], [])
    assert not [call for call in rig.books.calls if call.startswith(("ticket", "refused"))]


async def test_after_a_reset_the_readers_are_set_up_again() -> None:
    """A device that was switched off keeps tickets out until it is told otherwise (GA138, page 86)."""
    rig = tapped()
    await rig.start()
    rig.device.power(on=False)
    rig.device.power(on=True)
    await rig.settle(10)
    rig.device.insert_ticket(TICKET)
    await rig.settle()
    await rig.end()

    check_ticket_accounted(rig)
    assert rig.books.redeemed == [TICKET]
