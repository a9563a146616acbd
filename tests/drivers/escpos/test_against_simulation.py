"""The driver against the simulated printer, whose author and the driver's knew nothing of each other.

What is on paper is read as data and by a barcode reader that sees the picture, and compared with what the driver says.
"""

import asyncio
import io
from collections.abc import Callable
from functools import partial

import pytest
import zxingcpp
from PIL import Image

from drivers.capabilities import PrintEnd
from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.paper import Piece
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.line import Line, LineDevice
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from tests.rigs.cash_desk import Incident
from tests.rigs.escpos_rig import TICKET, PrinterRig
from tests.rigs.network_line import NetworkLine

LINKS = pytest.mark.parametrize("link", ["serial", "network"])
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
        self.act: Callable[[], object] = lambda: None
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

    def __init__(self, link: str, misbehaviour: Misbehaviour | None = None, **build: float) -> None:
        self.pieces: list[Piece] = []
        made = Build(**build) if link == "serial" else Build(**build, baud=0)
        self.device = SimulatedPrinter(dropped=self.pieces.append, build=made)
        self.counted = Counted(self.device)
        self.rig = PrinterRig(self.counted, network=link == "network", misbehaviour=misbehaviour)
        self.device.power(on=True)

    async def start(self) -> None:
        await self.rig.start(STARTED_S)
        assert self.rig.printer.ready, self.rig.faults.faults

    def switch_off(self) -> None:
        """Take the mains away; a network hears nothing of it."""
        self.device.power(on=False)
        if isinstance(self.rig.line, NetworkLine):
            self.rig.line.unplug()

    def switch_on(self) -> None:
        """Give mains and line back; a printer that was off knows none of its connections."""
        if isinstance(self.rig.line, NetworkLine) and not self.device.powered:
            self.rig.line.hang_up()
        self.device.power(on=True)
        self.rig.line.plug()

    def tickets(self) -> list[Piece]:
        """Return the pieces that a whole ticket is on."""
        return [piece for piece in self.pieces if piece.complete and ("ITF", NUMBER) in piece.codes]


@LINKS
async def test_a_ticket_is_on_paper_as_it_was_ordered(link: str) -> None:
    """Its words with umlauts and the Euro sign, its number for a reader, its cut; no command was unknown."""
    simulation = Simulation(link)
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


@LINKS
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
async def test_each_fault_of_the_simulation_is_reported(fault: str, code: str, link: str) -> None:
    """In the middle of a ticket it leaves it unknown, except a head that cools down; no ticket is there twice."""
    simulation = Simulation(link, speed_mm_s=20)
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


@LINKS
@pytest.mark.parametrize("left_mm", [1, 30, 60])
async def test_a_roll_that_ends_in_the_middle_leaves_no_ticket_behind(left_mm: int, link: str) -> None:
    """A new roll brings nothing of it to light."""
    simulation = Simulation(link, speed_mm_s=50)
    await simulation.start()
    simulation.device.shorten(left_mm)
    assert await simulation.rig.printer.print(TICKET) is PrintEnd.UNKNOWN
    simulation.device.load(80_000)
    await asyncio.sleep(ENDED_S)
    assert simulation.tickets() == []
    assert await simulation.rig.printer.print(TICKET) is PrintEnd.PRINTED
    assert len(simulation.tickets()) == 1
    await simulation.rig.end()


async def cut_at(byte: int, what: str, link: str) -> PrintEnd | None:
    """Order a ticket and cut at so many bytes of it; return what was said, None where it ended before."""
    simulation = Simulation(link)
    await simulation.start()
    counted = simulation.counted
    counted.act_at = counted.carried + byte
    acted: list[bool] = []

    def act() -> None:
        acted.append(True)
        if what == "mains":
            simulation.switch_off()
        elif what == "line":
            simulation.rig.line.unplug()
        else:
            simulation.rig.printer.stop()

    counted.act = act
    end = await simulation.rig.printer.print(TICKET)
    counted.act_at = None
    await asyncio.sleep(1)
    simulation.switch_on()
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


async def wrong_at(frame: int, kind: Kind, way: Way) -> bool:
    """Order a ticket of which a frame goes wrong on a serial line; return whether there was such a frame."""
    incident = Incident()
    simulation = Simulation("serial", incident)
    await simulation.start()
    struck: list[bool] = []

    def strike() -> None:
        struck.append(True)
        incident.inject(kind, way=way)

    incident.expect(way, frame, strike)
    end = await simulation.rig.printer.print(TICKET)
    incident.at = -1
    await asyncio.sleep(ENDED_S)
    whole = len(simulation.tickets())
    assert whole <= 1
    if end is PrintEnd.PRINTED:
        assert whole == 1
    if end is PrintEnd.NOT_PRINTED:
        assert simulation.pieces == []
    assert simulation.rig.printer.ready
    await simulation.rig.end()
    return bool(struck)


WRONG = [
    *((kind, Way.TO_HOST) for kind in Kind),
    *((kind, Way.TO_DEVICE) for kind in (Kind.DROP, Kind.CUT, Kind.DELAY)),
]
"""What goes to a printer bears no checksum: a spoilt sign is printed as what it then is, and nobody can know."""


@pytest.mark.proof
@pytest.mark.parametrize(("kind", "way"), WRONG)
async def test_a_frame_that_goes_wrong_leaves_no_ticket_that_nobody_knows_of(
    kind: Kind, way: Way, record_property: Callable[[str, object], None]
) -> None:
    """At each frame of a ticket: printed means one whole ticket, not printed means no paper, and never two."""
    frame = 0
    while await wrong_at(frame, kind, way):
        frame += 1
    assert frame > 3
    record_property("proof", f"ticket printer: {kind} {way} at {frame} frames of a ticket")


QUESTIONS_BYTES = 4 * (3 + 1) + 13 + 7
"""What the line carries before a slip, both ways: four statuses, and a process ID."""


async def test_what_a_pulled_cable_held_back_is_not_printed_when_it_is_put_back() -> None:
    """The slip was in the kernel, and was given up with its connection: it is void by then."""
    simulation = Simulation("network")
    await simulation.start()
    assert isinstance(simulation.rig.line, NetworkLine)
    await asyncio.sleep(0.1)  # between two looks at its status
    counted, line = simulation.counted, simulation.rig.line
    counted.act_at = counted.carried + QUESTIONS_BYTES
    counted.act = partial(asyncio.get_running_loop().call_later, 0, line.unplug)
    assert await simulation.rig.printer.print(TICKET) is PrintEnd.UNKNOWN
    await asyncio.sleep(ENDED_S)
    assert counted.carried == counted.act_at
    assert simulation.rig.faults.faults.keys() == {"port_lost"}
    lost = line.port.written - line.taken
    line.plug()
    await asyncio.sleep(ENDED_S)
    assert line.port.written - line.taken == lost > len(TICKET.barcode)
    assert simulation.pieces == []
    assert simulation.rig.faults.faults == {}
    assert await simulation.rig.printer.print(TICKET) is PrintEnd.PRINTED
    assert len(simulation.tickets()) == 1
    await simulation.rig.end()


async def test_a_connection_that_falls_silent_is_given_up_and_made_again() -> None:
    """A printer that was switched off and on knows nothing of it; no ticket is sent meanwhile."""
    simulation = Simulation("network")
    await simulation.start()
    simulation.switch_off()
    await asyncio.sleep(ENDED_S)
    assert not simulation.rig.printer.ready
    assert await simulation.rig.printer.print(TICKET) is PrintEnd.NOT_PRINTED
    assert "cannot be reached (Connection refused)" in simulation.rig.faults.faults["port_lost"]
    simulation.switch_on()
    await asyncio.sleep(ENDED_S)
    assert simulation.rig.faults.faults == {}
    assert await simulation.rig.printer.print(TICKET) is PrintEnd.PRINTED
    await simulation.rig.end()


CUTS = pytest.mark.parametrize("what", ["mains", "line", "stop"])


@LINKS
@CUTS
@pytest.mark.parametrize("byte", [2, 9, 40, 100, 190, 226])
async def test_a_cut_at_a_byte_leaves_no_ticket_that_nobody_knows_of(byte: int, what: str, link: str) -> None:
    """Printed means one whole ticket, not printed means no paper, and never two."""
    await cut_at(byte, what, link)


@LINKS
@CUTS
@pytest.mark.proof
async def test_a_cut_at_any_byte_leaves_no_ticket_that_nobody_knows_of(what: str, link: str) -> None:
    """The same at each byte of the whole exchange, both ways."""
    byte, ends = 0, []
    while True:
        byte += 1
        end = await cut_at(byte, what, link)
        if end is None:
            break
        ends.append(end)
    assert len(ends) > 250
    assert {PrintEnd.NOT_PRINTED, PrintEnd.UNKNOWN} <= set(ends)
