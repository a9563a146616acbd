"""A ticket in the simulated ccTalk validator, from the specification's worked dialogues (part 3, pages 55 and 58)."""

import asyncio

import pytest

from drivers.simulated.cctalk.bill_validator import BillHabits, SimulatedCctalkBills
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.simulated.note_path import Paper
from tests.rigs.vectors import vectors

TICKET = "475962575587710231"
ENABLE = "28 01 01 E4 01 F1"
INHIBIT = "28 01 01 E4 00 F2"
READ_EVENTS = "28 00 01 9F 38"
READ_BARCODE = "28 00 01 81 56"
STACK, RETURN, EXTEND = "28 01 01 9A 01 3B", "28 01 01 9A 00 3C", "28 01 01 9A FF 3D"
ACK = "01 00 28 00 D7"
NO_BARCODE = ACK
IN_ESCROW = "01 0B 28 00 02 FF 01 00 14 00 00 00 00 00 00 B6"
STACKED = "01 0B 28 00 03 FF 00 FF 01 00 14 00 00 00 00 B6"


class Bench:
    """A validator with power and a host's end of its line."""

    def __init__(self, habits: BillHabits | None = None, misbehaviour: Misbehaviour | None = None) -> None:
        self.returned: list[Paper] = []
        self.stacked: list[Paper] = []
        self.device = SimulatedCctalkBills(returned=self.returned.append, stacked=self.stacked.append, habits=habits)
        self.line = MemoryLine(self.device, misbehaviour)
        self.port = self.line.port

    async def open(self) -> "Bench":
        """Switch on and let it take notes and tickets."""
        self.device.power(on=True)
        await self.port.open()
        assert await self.ask(ENABLE) == ACK
        return self

    async def ask(self, frame: str) -> str:
        """Return the answer to `frame`, empty for none."""
        await self.port.write(bytes.fromhex(frame))
        await asyncio.sleep(0.05)
        return (await self.port.read(0)).hex(" ").upper()

    async def pause(self, seconds: float) -> None:
        """Let time pass under polls."""
        for _ in range(round(seconds / 0.2)):
            await self.ask(READ_EVENTS)
            await asyncio.sleep(0.15)


async def test_the_specifications_dialogue_about_a_ticket() -> None:
    """Every question of page 55 meets the answer that is printed there, to the byte."""
    bench = await Bench().open()
    rows = [row for row in vectors("cctalk_spec_v47.tsv") if row[:2] == ["p3", "55"]]
    heard = []
    for question, answer in zip(rows[0::2], rows[1::2], strict=True):
        if answer[3] == IN_ESCROW:
            bench.device.insert_ticket(TICKET)
            await bench.pause(1)
        if answer[3] == STACKED:
            await bench.pause(1)
        heard.append((question[3], await bench.ask(question[3])))

    assert heard == [(question[3], answer[3]) for question, answer in zip(rows[0::2], rows[1::2], strict=True)]
    assert (bench.stacked, bench.returned) == ([TICKET], [])


async def test_a_barcode_is_readable_in_escrow_only() -> None:
    """Before, while it goes to the cash box and after that there is none."""
    bench = await Bench().open()
    assert await bench.ask(READ_BARCODE) == NO_BARCODE
    bench.device.insert_ticket(TICKET)
    assert (bench.device.slot, await bench.ask(READ_BARCODE)) == ("accepting", NO_BARCODE)
    await bench.pause(1)
    assert (bench.device.slot, bench.device.escrow_ticket, bench.device.escrow_cents) == ("escrow", TICKET, 0)
    assert bytes.fromhex(await bench.ask(READ_BARCODE))[4:-1] == TICKET.encode()
    await bench.ask(STACK)
    assert (bench.device.slot, await bench.ask(READ_BARCODE)) == ("stacking", NO_BARCODE)


async def test_a_returned_ticket_and_the_one_after_it() -> None:
    """Routed back it is returned once (event 0, 1), and the next one is another ticket."""
    bench = await Bench().open()
    bench.device.insert_ticket(TICKET)
    await bench.pause(1)
    assert await bench.ask(RETURN) == ACK
    await bench.pause(1)
    assert bytes.fromhex(await bench.ask(READ_EVENTS))[4:7] == bytes((3, 0, 1))
    bench.device.insert_ticket("123456")
    await bench.pause(1)
    assert bench.device.escrow_ticket == "123456"
    assert (bench.stacked, bench.returned) == ([], [TICKET])


async def test_the_master_inhibit_keeps_tickets_out_and_the_mask_does_not() -> None:
    """No bit of the mask belongs to bill type 255; what is not taken comes back from the mouth."""
    bench = await Bench().open()
    await bench.ask(INHIBIT)
    bench.device.insert_ticket(TICKET)
    assert (bench.device.slot, bench.returned) == ("", [TICKET])
    await bench.ask(ENABLE)
    assert bench.device._mask == 0
    bench.device.insert_ticket(TICKET)
    await bench.pause(1)
    assert bench.device.slot == "escrow"
    bench.device.insert_ticket("654321")
    assert bench.returned == [TICKET, "654321"]


async def test_without_a_reader_a_ticket_is_unknown_paper() -> None:
    """It goes back as not recognised (events 0, 2 and 0, 1), and the barcode's header is not known: silence."""
    bench = await Bench(BillHabits(reads_tickets=False)).open()
    bench.device.insert_ticket(TICKET)
    await bench.pause(1.6)
    assert bytes.fromhex(await bench.ask(READ_EVENTS))[4:9] == bytes((2, 0, 1, 0, 2))
    assert (bench.returned, await bench.ask(READ_BARCODE)) == ([TICKET], "")


@pytest.mark.parametrize("returns", [True, False])
async def test_the_mains_fail_at_any_position(returns: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Nothing is lost: after the cut the ticket comes back, or goes on to the cash box it was on its way to."""
    for tenths in range(1, 20):
        bench = await Bench(BillHabits(returns_after_cut=returns)).open()
        bench.device.insert_ticket(TICKET)
        for tenth in range(tenths):
            if tenth == 8:
                await bench.ask(STACK)
            await bench.ask(READ_EVENTS)
            await asyncio.sleep(0.05)
        at = bench.device.slot
        bench.device.power(on=False)
        assert bench.device.slot == ("stuck" if at else "")
        bench.device.power(on=True)
        await bench.pause(2)
        kept = not at or (at == "stacking" and not returns)
        assert (bench.stacked, bench.returned) == (([TICKET], []) if kept else ([], [TICKET]))
        if at:
            assert bytes.fromhex(await bench.ask(READ_EVENTS))[4:7] == (b"\x01\xff\x00" if kept else b"\x01\x00\x01")


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", list(Way))
async def test_a_spoilt_line_moves_no_ticket(kind: Kind, way: Way) -> None:
    """Spoilt orders to stack are not obeyed as another order: the ticket is stacked, or it is given back in the end."""
    misbehaviour = Misbehaviour(delay_s=0.2)
    bench = await Bench(misbehaviour=misbehaviour).open()
    bench.device.insert_ticket(TICKET)
    await bench.pause(1)
    misbehaviour.inject(kind, way=way)
    await bench.ask(STACK)
    await asyncio.sleep(1)
    assert bench.returned == []
    await asyncio.sleep(40)
    assert bench.stacked + bench.returned == [TICKET]


async def test_unanswered_it_is_given_back() -> None:
    """A ticket nobody routes goes back after the escrow's 30 s, longer where the host asks for it (154, 255)."""
    bench = await Bench().open()
    bench.device.insert_ticket(TICKET)
    await bench.pause(20)
    assert await bench.ask(EXTEND) == ACK
    await bench.pause(20)
    assert bench.device.slot == "escrow"
    await bench.pause(20)
    assert bench.returned == [TICKET]


@pytest.mark.parametrize("number", ["", "12345", "1" * 25, "12345A", "12345\u0665"])
async def test_what_no_barcode_holds_is_refused(number: str) -> None:
    """Six to twenty-four digits, and nothing else."""
    bench = await Bench().open()
    with pytest.raises(ValueError, match="no such ticket"):
        bench.device.insert_ticket(number)
    assert (bench.device.slot, bench.returned) == ("", [])
