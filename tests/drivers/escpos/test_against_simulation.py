"""The driver against the simulated printer, whose author and the driver's knew nothing of each other.

What is on paper is read as data and by a barcode reader that sees the picture, and compared with what the driver says.
"""

import asyncio
import io
from collections.abc import Callable

import pytest
import zxingcpp
from PIL import Image

from drivers.capabilities import PrintEnd
from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.paper import Piece
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.line import Line, LineDevice
from tests.rigs.escpos_rig import TICKET, PrinterRig

NUMBER = TICKET.barcode
STARTED_S = 5.0
ENDED_S = 40.0
"""After this a slip has its end, and the printer has printed what it still prints."""


class Counted:
    """A device whose line carries so many bytes, both ways, before `act` is called."""

    def __init__(self, device: LineDevice) -> None:
        self.device = device
        self.carried = 0
        self.act_at: int | None = None
        self.act: Callable[[], None] = lambda: None
        self._line: Line | None = None

    def connect(self, line: Line) -> None:
        self._line = line
        self.device.connect(self)

    def power(self, *, on: bool) -> None:
        self.device.power(on=on)

    def receive(self, data: bytes) -> None:
        self._carry(data, self.device.receive)

    def send(self, data: bytes) -> None:
        if self._line is not None:
            self._carry(data, self._line.send)

    def _carry(self, data: bytes, carry: Callable[[bytes], None]) -> None:
        before, self.carried = self.carried, self.carried + len(data)
        if self.act_at is None or not before < self.act_at <= self.carried:
            carry(data)
            return
        carry(data[: self.act_at - before])
        self.act()
        if data[self.act_at - before :]:
            carry(data[self.act_at - before :])


class Simulation:
    """The driver, a line that can be cut at any byte, and the simulated printer with what fell out of it."""

    def __init__(self, build: Build | None = None) -> None:
        self.pieces: list[Piece] = []
        self.device = SimulatedPrinter(dropped=self.pieces.append, build=build)
        self.counted = Counted(self.device)
        self.rig = PrinterRig(self.counted)
        self.device.power(on=True)

    async def start(self) -> None:
        await self.rig.start(STARTED_S)
        assert self.rig.printer.ready, self.rig.faults.faults

    def tickets(self) -> list[Piece]:
        """Return the pieces that a whole ticket is on."""
        return [piece for piece in self.pieces if piece.complete and ("ITF", NUMBER) in piece.codes]


async def test_a_ticket_is_on_paper_as_it_was_ordered() -> None:
    """Its words with umlauts and the Euro sign, its number for a reader, its cut; no command was unknown."""
    simulation = Simulation()
    await simulation.start()
    assert simulation.rig.faults.found == ["SIMULATED TICKET-80 (process ID)"]
    assert await simulation.rig.printer.print(TICKET) is PrintEnd.PRINTED
    separated, piece = simulation.pieces
    assert not any(separated.texts)
    assert piece.complete
    assert [text for text in piece.texts if text] == ["CASH-OUT TICKET", "12,30 €", "Machine 12"]
    assert piece.codes == [("ITF", NUMBER)]
    with Image.open(io.BytesIO(piece.png())) as picture:
        assert [code.text for code in zxingcpp.read_barcodes(picture.convert("L"))] == [NUMBER]
    assert list(simulation.device.ignored) == []
    assert simulation.rig.faults.present == {}
    await simulation.rig.end()


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("cover_open", "cover_open"),
        ("paper_jam", "paper_jam"),
        ("cutter_jam", "cutter_jam"),
        ("overheated", "head_hot"),
        ("unrecoverable", "printer_failure"),
    ],
)
async def test_each_fault_of_the_simulation_is_reported(fault: str, code: str) -> None:
    """In the middle of a ticket it leaves it unknown, except a head that cools down; no ticket is there twice."""
    simulation = Simulation(Build(speed_mm_s=20))
    await simulation.start()
    printing = asyncio.create_task(simulation.rig.printer.print(TICKET))
    await asyncio.sleep(1)
    assert not printing.done()
    simulation.device.set_fault(fault, on=True)
    await asyncio.sleep(2)
    assert code in simulation.rig.faults.faults
    simulation.device.set_fault(fault, on=False)
    end = await printing
    assert (end is PrintEnd.PRINTED) == (code == "head_hot")
    await asyncio.sleep(ENDED_S)
    assert len(simulation.tickets()) == (1 if end is PrintEnd.PRINTED else 0)
    if code != "printer_failure":
        assert simulation.rig.faults.faults == {}
        assert await simulation.rig.printer.print(TICKET) is PrintEnd.PRINTED
    await simulation.rig.end()


@pytest.mark.parametrize("left_mm", [1, 30, 60])
async def test_a_roll_that_ends_in_the_middle_leaves_no_ticket_behind(left_mm: int) -> None:
    """A new roll brings nothing of it to light."""
    simulation = Simulation(Build(speed_mm_s=50))
    await simulation.start()
    simulation.device.shorten(left_mm)
    assert await simulation.rig.printer.print(TICKET) is PrintEnd.UNKNOWN
    simulation.device.load(80_000)
    await asyncio.sleep(ENDED_S)
    assert simulation.tickets() == []
    assert await simulation.rig.printer.print(TICKET) is PrintEnd.PRINTED
    assert len(simulation.tickets()) == 1
    await simulation.rig.end()


async def cut_at(byte: int, what: str) -> PrintEnd | None:
    """Order a ticket and cut at so many bytes of it; return what was said, None where it ended before."""
    simulation = Simulation()
    await simulation.start()
    counted = simulation.counted
    counted.act_at = counted.carried + byte
    acted: list[bool] = []

    def act() -> None:
        acted.append(True)
        if what == "mains":
            simulation.device.power(on=False)
        elif what == "line":
            simulation.rig.line.unplug()
        else:
            simulation.rig.printer.stop()

    counted.act = act
    end = await simulation.rig.printer.print(TICKET)
    counted.act_at = None
    await asyncio.sleep(1)
    simulation.device.power(on=True)
    simulation.rig.line.plug()
    await asyncio.sleep(ENDED_S)
    whole = len(simulation.tickets())
    assert whole <= 1
    if end is PrintEnd.PRINTED:
        assert whole == 1
    if end is PrintEnd.NOT_PRINTED:
        assert simulation.pieces == []
    assert simulation.rig.printer.ready
    await simulation.rig.end()
    return end if acted else None


CUTS = pytest.mark.parametrize("what", ["mains", "line", "stop"])


@CUTS
@pytest.mark.parametrize("byte", [2, 9, 40, 100, 190, 226])
async def test_a_cut_at_a_byte_leaves_no_ticket_that_nobody_knows_of(byte: int, what: str) -> None:
    """Printed means one whole ticket, not printed means no paper, and never two."""
    await cut_at(byte, what)


@CUTS
@pytest.mark.proof
async def test_a_cut_at_any_byte_leaves_no_ticket_that_nobody_knows_of(what: str) -> None:
    """The same at each byte of the whole exchange, both ways."""
    byte, ends = 0, []
    while True:
        byte += 1
        end = await cut_at(byte, what)
        if end is None:
            break
        ends.append(end)
    assert len(ends) > 250
    assert {PrintEnd.NOT_PRINTED, PrintEnd.UNKNOWN} <= set(ends)
