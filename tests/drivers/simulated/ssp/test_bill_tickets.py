"""A ticket in the simulated SSP validator, from the worked examples of GA138 (pages 83 to 87, 228 and 229)."""

import asyncio

import pytest

from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator, SspHabits
from drivers.ssp.protocol import FrameParser, encode
from tests.rigs.vectors import vectors

TICKET = "004759625755877102"
SYNC, POLL, ENABLE, NOTES, REJECT, HOLD = "11", "07", "0A", "02 FF FF", "08", "18"
READERS, SET_READERS, INHIBIT, SET_INHIBIT, BARCODE = "23", "24", "25", "26", "27"
POLL_WITH_ACK, EVENT_ACK = "56", "57"
OK = "F0"
DATA = f" 12 {TICKET.encode().hex(' ').upper()}"


class Bench:
    """A validator with power and a host's end of its line."""

    def __init__(self, **habits: object) -> None:
        self.returned: list[Paper] = []
        self.stacked: list[Paper] = []
        self.device = SimulatedSspValidator(
            returned=self.returned.append,
            stacked=self.stacked.append,
            habits=SspHabits(**habits),  # type: ignore[arg-type]
        )
        self.line = MemoryLine(self.device)
        self._flag = 0x80

    async def open(self, inhibits: str = "FC") -> "Bench":
        """Switch on and let it take notes and tickets."""
        self.device.power(on=True)
        await self.line.port.open()
        for command in (SYNC, f"{SET_INHIBIT} {inhibits}", NOTES, ENABLE, POLL):
            await self.ask(command)
        return self

    async def ask(self, command: str) -> str:
        """Return the data of the answer to a command's data, as bytes in hexadecimal."""
        self._flag = 0x80 if command == SYNC else self._flag ^ 0x80
        await self.line.port.write(encode(self._flag, bytes.fromhex(command)))
        await asyncio.sleep(0.05)
        (frame,) = FrameParser().feed(await self.line.port.read(0))
        return frame.data.hex(" ").upper()

    async def until(self, event: str) -> str:
        """Poll until an answer has that event, and return it."""
        for _ in range(40):
            heard = await self.ask(POLL)
            if event in heard.split():
                return heard
            await asyncio.sleep(0.1)
        raise AssertionError(f"{event} never came")


def examples(pages: range) -> dict[tuple[str, str], str]:
    """Return the data of the manual's frames by page and side."""
    found = {}
    for page, _section, who, raw in vectors("ssp_ga138.tsv"):
        if int(page) in pages:
            (frame,) = FrameParser().feed(bytes.fromhex(raw))
            found[page, who] = frame.data.hex(" ").upper()
    return found


async def test_the_manuals_questions_about_the_reader_get_its_answers() -> None:
    """Configuration, inhibits after a start, and barcode data are as printed."""
    printed = examples(range(83, 88))
    bench = Bench()
    bench.device.power(on=True)
    await bench.line.port.open()
    await bench.ask(SYNC)
    for page in ("83", "84", "85", "86"):
        assert await bench.ask(printed[page, "H"]) == printed[page, "S"], page
    assert await bench.ask(INHIBIT) == "F0 FD"

    bench = await Bench().open()
    await bench.ask(f"{SET_READERS} 03 01 06")
    bench.device.insert_ticket("123456")
    await bench.until("E5")
    assert await bench.ask(printed["87", "H"]) == printed["87", "S"]


async def test_a_ticket_is_held_asked_for_and_stacked_by_the_next_poll() -> None:
    """E5 when it lies in escrow (page 228), D1 when it is safe in the stacker (page 229), its data at both places."""
    bench = await Bench().open()
    assert await bench.ask(BARCODE) == "F0 00 00"
    bench.device.insert_ticket(TICKET)
    assert await bench.until("E5") == examples(range(228, 229))["228", "S"]
    assert (bench.device.slot, bench.device.escrow_ticket, bench.device.escrow_cents) == ("escrow", TICKET, 0)
    assert await bench.ask(BARCODE) == "F0 01" + DATA
    assert await bench.until("CC") == "F0 CC"
    assert (await bench.until("D1")).startswith(examples(range(229, 230))["229", "S"])
    assert await bench.ask(BARCODE) == "F0 02" + DATA
    assert (bench.stacked, bench.returned) == ([TICKET], [])
    bench.device.insert(500)
    assert "EF 01" in await bench.until("01")


async def test_a_ticket_is_held_and_rejected_as_a_note_is() -> None:
    """HOLD keeps it beyond its ten seconds, REJECT gives it back, and its data say so."""
    bench = await Bench().open()
    bench.device.insert_ticket(TICKET)
    await bench.until("E5")
    for _ in range(4):
        await asyncio.sleep(6)
        assert await bench.ask(HOLD) == OK
    assert await bench.ask(REJECT) == OK
    await bench.until("EC")
    assert await bench.ask(BARCODE) == "F0 03" + DATA
    assert (bench.stacked, bench.returned) == ([], [TICKET])


async def test_an_unpolled_ticket_goes_back_after_ten_seconds() -> None:
    """The poll is the order to stack; without it the device waits no longer than for a note."""
    bench = await Bench().open()
    bench.device.insert_ticket(TICKET)
    await bench.until("E5")
    await asyncio.sleep(12)
    assert (bench.stacked, bench.returned) == ([], [TICKET])


@pytest.mark.parametrize("spoilt", ["inhibited", "off", "characters", "unreadable"])
async def test_what_the_reader_is_not_set_up_for_is_rejected(spoilt: str) -> None:
    """Inhibited after a start (FE), no reader enabled, another length, or a smudge: no note is affected."""
    bench = await Bench().open("FE" if spoilt == "inhibited" else "FC")
    if spoilt == "off":
        await bench.ask(f"{SET_READERS} 00 01 12")
    if spoilt == "characters":
        await bench.ask(f"{SET_READERS} 03 01 10")
    bench.device.unreadable = int(spoilt == "unreadable")
    bench.device.insert_ticket(TICKET)
    await bench.until("EC")
    assert (bench.returned, await bench.ask(BARCODE)) == ([TICKET], "F0 00 00")
    bench.device.insert(500)
    await bench.until("EE")
    assert bench.stacked == [500]


async def test_notes_may_be_inhibited_alone() -> None:
    """FD (page 86): barcodes are read, every note goes back."""
    bench = await Bench().open("FD")
    bench.device.insert(500)
    await bench.until("EC")
    bench.device.insert_ticket(TICKET)
    await bench.until("D1")
    assert (bench.returned, bench.stacked) == ([500], [TICKET])


@pytest.mark.parametrize("wrong", ["24 04 01 12", "24 03 02 12", "24 03 01 05", "24 03 01 19"])
async def test_a_wrong_configuration_is_refused(wrong: str) -> None:
    """What is out of range changes nothing, nor does a command of another length."""
    bench = await Bench().open()
    assert await bench.ask(wrong) == "F4"
    assert [await bench.ask(short) for short in (SET_READERS, "24 03 01", SET_INHIBIT)] == ["F3", "F3", "F3"]
    assert await bench.ask(READERS) == "F0 03 03 01 12"


async def test_without_a_reader_a_ticket_is_a_note_that_is_not_recognised() -> None:
    """Its commands are unknown, and the ticket comes back."""
    bench = await Bench(reader=False).open()
    questions = (READERS, "24 03 01 12", INHIBIT, "26 FC", BARCODE)
    assert [await bench.ask(question) for question in questions] == ["F2"] * 5
    bench.device.insert_ticket(TICKET)
    await bench.until("EC")
    assert bench.returned == [TICKET]


@pytest.mark.parametrize("stacks", [True, False])
@pytest.mark.parametrize("keeps", [True, False])
async def test_a_ticket_in_a_power_cut_is_cleared_without_a_channel(stacks: bool, keeps: bool) -> None:  # noqa: FBT001 - parameters
    """E1 00 or E2 00 tell that something was cleared; what it was is known only where the barcode outlasts the cut."""
    bench = await Bench(returns_after_cut=not stacks, keeps_barcode=keeps).open()
    bench.device.insert_ticket(TICKET)
    await bench.until("CC")
    bench.device.power(on=False)
    assert bench.device.slot == "stuck"
    bench.device.power(on=True)
    await bench.ask(SYNC)
    assert await bench.ask(POLL) == f"F0 F1 {'E2' if stacks else 'E1'} 00 E8"
    assert (bench.stacked, bench.returned) == (([TICKET], []) if stacks else ([], [TICKET]))
    assert (await bench.ask(BARCODE) == "F0 00 00") is not keeps


@pytest.mark.parametrize("repeats", [True, False])
async def test_an_acknowledged_ticket_is_repeated_where_the_device_does(repeats: bool) -> None:  # noqa: FBT001 - a parameter
    """By poll with acknowledgement D1 comes until it is acknowledged, or once: the manual's table does not say."""
    bench = await Bench(acknowledges=True, repeats_tickets=repeats).open()
    bench.device.insert_ticket(TICKET)
    await bench.until("CC")
    await asyncio.sleep(1)
    assert await bench.ask(POLL_WITH_ACK) == "F0 D1 EB"
    assert await bench.ask(POLL_WITH_ACK) == ("F0 D1" if repeats else "F0")
    await bench.ask(EVENT_ACK)
    assert await bench.ask(POLL_WITH_ACK) == "F0"
    bench.device.power(on=False)
    bench.device.power(on=True)
    await bench.ask(SYNC)
    assert await bench.ask(POLL) == "F0 F1 E8"


@pytest.mark.parametrize("number", ["", "12345", "1" * 25, "12345A", "12345\u0661"])
def test_what_no_barcode_holds_is_no_ticket(number: str) -> None:
    """6 to 24 digits."""
    with pytest.raises(ValueError, match="no such ticket"):
        Bench().device.insert_ticket(number)
