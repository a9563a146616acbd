import pytest

from drivers.simulated.escpos.mechanism import FAULTS
from drivers.simulated.escpos.paper import Break
from tests.rigs.ticket_printer import ANSWERS, COMMANDS, CUT, PrinterRig, printer_rig

LINES = b"".join(b"line %d\n" % number for number in range(20))
LINE_S = 30 / 1600
"""A line of 30 dots at 200 mm and 1600 dots a second."""


async def halfway(rig: PrinterRig, lines: float = 10.0) -> None:
    """Send a ticket of 20 lines and wait until so many of them are printed."""
    await rig.send(LINES, CUT, COMMANDS["process_id"])
    await rig.wait(lines * LINE_S)


def texts(rig: PrinterRig) -> list[list[str]]:
    """The whole lines on each piece of paper."""
    return [[mark.data for mark in piece.marks if mark.whole] for piece in rig.pieces]


def numbered(first: int, last: int) -> list[str]:
    return [f"line {number}" for number in range(first, last)]


async def test_printing_takes_its_time() -> None:
    """20 lines and 96 dots to the cutter at 200 mm/s are 0.435 s, and the cut 0.3 s."""
    rig = await printer_rig()
    await halfway(rig, 0)
    await rig.wait(0.435 + 0.29)
    assert rig.pieces == []
    assert rig.printer.words == "printing"
    await rig.wait(0.02)
    assert (texts(rig), rig.printer.words) == ([numbered(0, 20)], "ready")
    assert await rig.heard() == ANSWERS["process_id"]


@pytest.mark.parametrize("lines", [0.5, 3.7, 10.2, 19.9, 23.0])
async def test_a_power_cut_leaves_what_was_printed(lines: float) -> None:
    """The buffers are lost; the paper has every row up to the cut, and the next ticket hangs on to it."""
    rig = await printer_rig()
    await halfway(rig, lines)
    rig.printer.power(on=False)
    height = rig.printer.hanging.height
    assert abs(height - 96 - lines * 30) <= 30
    assert (rig.pieces, rig.printer.words) == ([], "off")
    await rig.wait(5)
    assert rig.printer.hanging.height == height
    rig.printer.power(on=True)
    await rig.wait(2)
    assert await rig.heard() == b""
    # a driver that knows cuts off what hangs there; its ticket is whole then
    await rig.send(CUT, b"again\n", CUT)
    await rig.wait(5)
    half, again = rig.pieces
    # of a line's 30 dots the first 24 are its characters
    assert [mark.data for mark in half.marks if mark.whole] == numbered(0, min(20, int(lines + 0.2)))
    assert (half.complete, half.breaks) == (False, (Break(height, "power"),))
    assert (again.texts, again.complete) == (["again"], True)


async def test_without_that_cut_both_are_on_one_paper() -> None:
    """What is printed after a power cut hangs on to the half ticket: no whole one falls."""
    rig = await printer_rig()
    await halfway(rig)
    rig.printer.power(on=False)
    rig.printer.power(on=True)
    await rig.wait(2)
    piece = await rig.printed(b"again\n")
    assert piece.texts[-1] == "again"
    assert (piece.texts[:9], piece.complete) == (numbered(0, 9), False)


async def test_settings_are_lost_with_the_power() -> None:
    """After power-up all is as after ESC @, automatic status included; nothing is answered before it is ready."""
    rig = await printer_rig()
    await rig.send(COMMANDS["asb_all"], COMMANDS["double"])
    rig.printer.power(on=False)
    rig.printer.power(on=True)
    await rig.heard()
    assert await rig.ask(COMMANDS["status_printer"]) == b""
    await rig.wait(2)
    rig.printer.set_fault("overheated", on=True)
    assert await rig.heard() == b""


async def test_paper_end_is_half_a_ticket() -> None:
    """The roll ends in a ticket: the rest of it is on the new roll, and neither piece is whole."""
    rig = await printer_rig()
    rig.printer.troubles()["paper_left"](20)  # 160 dots: five lines and ten dots
    await halfway(rig)
    assert (rig.printer.words, rig.printer.paper_mm) == ("paper end", 0)
    assert await rig.ask(COMMANDS["status_paper"]) == ANSWERS["dle_eot_4_paper_end"]
    await rig.wait(60)
    assert rig.printer.hanging.height == 96 + 160
    rig.printer.load(80_000)
    await rig.wait(10)
    assert texts(rig) == [numbered(0, 5), numbered(6, 20)]
    assert [(piece.cut, piece.complete) for piece in rig.pieces] == [("torn", False), ("full", False)]
    assert (await rig.printed(b"next\n")).complete


async def test_the_near_end_comes_before_the_end() -> None:
    """At 3 m the sensor reports it, and printing goes on."""
    rig = await printer_rig()
    rig.printer.shorten(3001)
    await rig.send(COMMANDS["asb_all"])
    assert await rig.heard() == ANSWERS["asb_ready"]
    await rig.printed(b"line\n")
    assert await rig.ask(COMMANDS["status_paper"]) == ANSWERS["dle_eot_4_near_end"]
    assert rig.printer.words == "paper low"


async def test_an_open_cover_stops_the_ticket_and_closing_it_goes_on() -> None:
    """Opened while it prints it is an error that ends by itself (bit 6); all lines are there, on marred paper."""
    rig = await printer_rig()
    await halfway(rig)
    rig.printer.set_fault("cover_open", on=True)
    height = rig.printer.hanging.height
    assert await rig.ask(COMMANDS["status_error"], COMMANDS["status_offline"]) == b"\x52\x56"
    await rig.wait(30)
    assert rig.printer.hanging.height == height
    rig.printer.set_fault("cover_open", on=False)
    await rig.wait(5)
    (piece,) = rig.pieces
    assert (piece.texts, piece.complete, piece.breaks) == (numbered(0, 20), False, (Break(height, "cover"),))


async def test_a_hot_head_pauses() -> None:
    """It goes on by itself when it has cooled, and nothing is missing."""
    rig = await printer_rig()
    await halfway(rig)
    rig.printer.set_fault("overheated", on=True)
    assert await rig.ask(COMMANDS["status_error"]) == ANSWERS["dle_eot_3_overheated"]
    await rig.wait(30)
    assert rig.pieces == []
    rig.printer.set_fault("overheated", on=False)
    await rig.wait(5)
    assert (texts(rig), rig.pieces[0].complete) == ([numbered(0, 20)], True)


@pytest.mark.parametrize("restart", [True, False])
async def test_a_cutter_jam_waits_for_recovery(restart: bool) -> None:  # noqa: FBT001 - a case
    """While the jam is there DLE ENQ does nothing; then 1 cuts, and 2 forgets the cut and what follows it."""
    rig = await printer_rig()
    rig.printer.set_fault("cutter_jam", on=True)
    await halfway(rig, 60)
    order = COMMANDS["recover_and_restart" if restart else "recover_and_clear"]
    for _attempt in range(2):
        await rig.send(order)
        await rig.wait(5)
        assert await rig.ask(COMMANDS["status_error"]) == ANSWERS["dle_eot_3_cutter_jam"]
    rig.printer.set_fault("cutter_jam", on=False)
    assert await rig.ask(COMMANDS["status_error"]) == ANSWERS["dle_eot_3_cutter_jam"]
    await rig.send(order)
    await rig.wait(5)
    heard = await rig.heard()
    if restart:
        assert (texts(rig), rig.pieces[0].complete, heard) == ([numbered(0, 20)], True, ANSWERS["process_id"])
    else:
        assert (rig.pieces, heard) == ([], b"")
        await rig.send(CUT)
        await rig.wait(5)
        assert texts(rig) == [numbered(0, 20)]


async def test_a_paper_jam_is_torn_out_and_the_line_printed_anew() -> None:
    """Clearing it takes the half ticket out; DLE ENQ 1 prints on from the line in which it jammed."""
    rig = await printer_rig()
    await halfway(rig, 10.5)
    rig.printer.set_fault("paper_jam", on=True)
    assert await rig.ask(COMMANDS["status_error"]) == ANSWERS["dle_eot_3_paper_jam"]
    rig.printer.set_fault("paper_jam", on=False)
    await rig.wait(5)
    assert texts(rig) == [numbered(0, 10)]
    await rig.send(COMMANDS["recover_and_restart"])
    await rig.wait(5)
    assert texts(rig) == [numbered(0, 10), numbered(10, 20)]
    assert [piece.complete for piece in rig.pieces] == [False, False]


@pytest.mark.parametrize("order", ["recover_and_clear", "clear_buffers"])
async def test_clearing_the_buffers_leaves_half_a_ticket(order: str) -> None:
    """After a jam, what was received is gone; DLE DC4 8 says so. The next ticket is whole."""
    rig = await printer_rig()
    await halfway(rig)
    rig.printer.set_fault("paper_jam", on=True)
    rig.printer.set_fault("paper_jam", on=False)
    expected = ANSWERS["buffers_cleared"] if order == "clear_buffers" else b""
    assert await rig.ask(COMMANDS[order]) == expected
    await rig.wait(5)
    assert await rig.heard() == b""
    await rig.send(CUT)
    await rig.wait(5)
    assert (await rig.printed(b"next\n")).complete


@pytest.mark.parametrize("lines", [9.85, 10.4])
async def test_clearing_the_buffers_while_it_prints(lines: float) -> None:
    """DLE DC4 8 stops at the row under the head, in a line or between two; what is cut off then is no whole ticket."""
    rig = await printer_rig()
    await halfway(rig, lines)
    assert await rig.ask(COMMANDS["clear_buffers"]) == ANSWERS["buffers_cleared"]
    piece = await rig.printed()
    assert (len(piece.texts) in (10, 11), piece.complete) == (True, False)
    assert (await rig.printed(b"next\n")).complete


async def test_a_broken_printer_does_nothing() -> None:
    """An unrecoverable error: offline, and nothing recovers it but its repair."""
    rig = await printer_rig()
    rig.printer.set_fault("unrecoverable", on=True)
    await halfway(rig, 60)
    await rig.send(COMMANDS["recover_and_restart"], COMMANDS["recover_and_clear"])
    await rig.wait(10)
    assert await rig.ask(COMMANDS["status_error"]) == ANSWERS["dle_eot_3_unrecoverable"]
    assert rig.printer.hanging.height == 96


async def test_an_unknown_fault_names_those_there_are() -> None:
    """The words of an error for a hand."""
    rig = await printer_rig()
    with pytest.raises(ValueError, match="no such fault: fire; there are cover_open, paper_jam"):
        rig.printer.set_fault("fire", on=True)
    for name in FAULTS:
        rig.printer.set_fault(name, on=True)
        rig.printer.set_fault(name, on=False)
    await rig.send(COMMANDS["recover_and_restart"])
    assert (await rig.printed(b"fine\n")).texts == ["fine"]
