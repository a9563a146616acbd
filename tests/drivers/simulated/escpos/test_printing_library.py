"""Tickets that python-escpos prints, whose author knew nothing of this printer."""

import asyncio
from pathlib import Path

import pytest
import zxingcpp
from escpos.printer import Dummy, Serial

from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.paper import Piece
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.pty_line import PtyLine
from tests.rigs.ticket_printer import ANSWERS, COMMANDS, ink, printer_rig

NUMBER = "004712345678901234"


def print_ticket(printer: Dummy | Serial) -> None:
    """Text, barcodes of the printer's own, a QR code either way, and a cut."""
    printer.hw("INIT")
    printer.set(align="center", bold=True, double_height=True, double_width=True)
    printer.textln("CASH-OUT")
    printer.set_with_default(align="center")
    printer.textln("12,50 € für Sie")
    printer.barcode(NUMBER, "ITF", height=80, width=2, function_type="B", pos="BELOW")
    printer.ln()
    printer.barcode("{BTicket-42", "CODE128", height=80, width=2, function_type="B", pos="OFF")
    printer.ln()
    printer.set_with_default(align="center")
    printer.qr("native", native=True, size=5)
    printer.ln()
    printer.qr("as an image", native=False, size=5)
    printer.set_with_default()
    printer.textln("bottom")
    printer.cut()


def check(piece: Piece) -> None:
    """What was ordered is on the paper, by its data and by a barcode reader that sees the picture."""
    assert [text for text in piece.texts if text] == ["CASH-OUT", "12,50 € für Sie", "bottom"]
    assert piece.codes == [("ITF", NUMBER), ("CODE128", "Ticket-42"), ("QR", "native")]
    seen = {(str(code.format), code.text) for code in zxingcpp.read_barcodes(piece.picture().convert("L"))}
    assert seen == {
        ("ITF", NUMBER),
        ("Code 128", "Ticket-42"),
        ("QR Code", "native"),
        ("QR Code", "as an image"),
    }
    assert (piece.cut, piece.complete, ink(piece) is not None) == ("full", True, True)


async def test_what_it_makes_is_printed() -> None:
    """The bytes of its Dummy printer."""
    made = Dummy(profile="TM-T88V")
    print_ticket(made)
    rig = await printer_rig(baud=38_400)
    await rig.send(made.output)
    await rig.wait(10)
    (piece,) = rig.pieces
    check(piece)
    assert (list(rig.printer.ignored), rig.printer.words) == ([], "ready")


@pytest.mark.parametrize("form", ["bitImageRaster", "graphics", "bitImageColumn"])
async def test_its_images_are_printed_in_each_form(form: str) -> None:
    """GS v 0, GS ( L and ESC * give the same picture."""
    made = Dummy(profile="TM-T88V")
    made.qr("in each form", native=False, size=6, image_arguments={"impl": form})
    made.cut()
    rig = await printer_rig()
    await rig.send(made.output)
    await rig.wait(10)
    (piece,) = rig.pieces
    (code,) = zxingcpp.read_barcodes(piece.picture().convert("L"))
    assert (code.text, list(rig.printer.ignored)) == ("in each form", [])


def test_it_prints_on_a_pty(tmp_path: Path) -> None:
    """Its Serial printer, with its status questions, on a pseudo-terminal."""

    def host(path: Path) -> bytes:
        printer = Serial(devfile=str(path), baudrate=115_200, timeout=60, profile="TM-T88V")
        try:
            print_ticket(printer)
            # its own questions always wait for their whole timeout
            printer._raw(COMMANDS["status_printer"] + COMMANDS["status_paper"])
            return bytes(printer.device.read(2))
        finally:
            printer.close()

    async def main() -> list[Piece]:
        pieces: list[Piece] = []
        fallen = asyncio.Event()

        def drop(piece: Piece) -> None:
            pieces.append(piece)
            fallen.set()

        printer = SimulatedPrinter(dropped=drop, build=Build(baud=115_200, start_s=0.0, speed_mm_s=1000, cut_s=0.0))
        line = PtyLine(printer, tmp_path / "tty-printer")
        printer.power(on=True)
        try:
            answered = await asyncio.get_running_loop().run_in_executor(None, host, line.link_path)
            assert answered == ANSWERS["dle_eot_1_ready"] + ANSWERS["dle_eot_4_ready"]
            await asyncio.wait_for(fallen.wait(), 60)
        finally:
            printer.power(on=False)
            line.unplug()
        return pieces

    (piece,) = asyncio.run(main())
    check(piece)
