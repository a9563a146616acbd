import pytest
import zxingcpp

from drivers.simulated.escpos.paper import Piece
from drivers.simulated.escpos.symbols import code128_values
from tests.rigs.ticket_printer import COMMANDS, ink, printer_rig, row

TOP = 96
"""What lies between head and cutter is blank on the first ticket."""


def read(piece: Piece) -> list[tuple[str, str]]:
    """What a barcode reader makes of the picture."""
    return sorted((str(code.format), code.text) for code in zxingcpp.read_barcodes(piece.picture().convert("L")))


async def test_text_is_printed_line_by_line() -> None:
    """LF ends a line of 30 dots; 48 characters of 12 dots fill 576, and the next one begins a line by itself."""
    rig = await printer_rig()
    piece = await rig.printed(b"W" * 49, b"\n", b"second\n")
    assert piece.texts == ["W" * 48, "W", "second"]
    assert [mark.top for mark in piece.marks] == [TOP, TOP + 30, TOP + 60]
    box = ink(piece)
    assert box is not None
    assert (box[0] < 12, 576 - 12 < box[2] <= 576) == (True, True)
    assert piece.height == TOP + 3 * 30
    assert (piece.complete, list(rig.printer.ignored)) == (True, [])


@pytest.mark.parametrize(
    ("command", "width", "height"),
    [("", 12, 24), ("font_b", 9, 17), ("double", 24, 48), ("size_3_by_2", 36, 48)],
)
async def test_a_character_has_its_size(command: str, width: int, height: int) -> None:
    """Font A is 12 by 24 dots and font B 9 by 17; ESC ! and GS ! multiply them. Reverse shows the whole cell."""
    rig = await printer_rig()
    piece = await rig.printed(COMMANDS.get(command, b""), b"\x1dB\x01", b"  \n")
    assert ink(piece) == (0, TOP, 2 * width, TOP + height)


async def test_emphasized_is_blacker_than_plain() -> None:
    """ESC E makes strokes one dot wider."""
    rig = await printer_rig()
    plain = (await rig.printed(b"HHH\n")).rows
    bold = (await rig.printed(COMMANDS["emphasized"], b"HHH\n")).rows
    assert sum(byte.bit_count() for byte in bold) > 1.3 * sum(byte.bit_count() for byte in plain)


@pytest.mark.parametrize(("command", "left"), [("", 0), ("centre", 282), ("right", 564)])
async def test_alignment(command: str, left: int) -> None:
    """ESC a moves the line; in the middle of one it does nothing."""
    rig = await printer_rig()
    cell = b"\x1dB\x01 "
    piece = await rig.printed(COMMANDS.get(command, b""), cell, COMMANDS["right"], b"\n")
    assert ink(piece) == (left, TOP, left + 12, TOP + 24)
    assert [ignored.why for ignored in rig.printer.ignored] == ["not at the beginning of a line"]


@pytest.mark.parametrize(
    ("commands", "dots"),
    [
        (b"\n\n", 60),
        (COMMANDS["feed_lines"], 90),
        (COMMANDS["feed_dots"], 24),
        (COMMANDS["spacing"] + b"\n\n", 80),
        (COMMANDS["spacing"] + COMMANDS["spacing_default"] + b"\n\n", 60),
        (b"\r", 0),
    ],
)
async def test_paper_is_fed(commands: bytes, dots: int) -> None:
    """LF and ESC d feed by the line spacing of ESC 2 or ESC 3, ESC J by dots; CR alone does nothing."""
    rig = await printer_rig()
    assert (await rig.printed(commands)).height == TOP + dots


async def test_code_pages_and_sets() -> None:
    """ESC t 19 has the euro sign at D5h; ESC R 2 turns brackets into umlauts, and upper bytes stay the page's."""
    rig = await printer_rig()
    assert (await rig.printed(COMMANDS["code_page_858"], b"12,50 \xd5\n")).texts == ["12,50 €"]
    assert (await rig.printed(COMMANDS["german_set"], b"[\\]{|}~\n")).texts == ["ÄÖÜäöüß"]
    assert (await rig.printed(COMMANDS["code_page_858"], COMMANDS["german_set"], b"[\x8e\n")).texts == ["ÄÄ"]


async def test_initialise_forgets_settings_and_the_line_that_was_begun() -> None:
    """ESC @: what was not printed yet is not printed."""
    rig = await printer_rig()
    piece = await rig.printed(COMMANDS["double"], b"gone", COMMANDS["initialise"], b"\x1dB\x01", b"  \n")
    assert piece.texts == [""]
    assert ink(piece) == (0, TOP, 24, TOP + 24)


async def test_raster_image_is_printed_dot_by_dot() -> None:
    """GS v 0: the leftmost dot is the highest bit; mode 3 doubles both ways. It begins a line, or is ignored."""
    rig = await printer_rig()
    piece = await rig.printed(COMMANDS["raster"], b"\x1dv0\x03\x01\x00\x01\x00\xa0")
    rows = [row(piece, TOP + dots) for dots in range(5)]
    assert rows == ["########", "#......#", "##..##", "##..##", ""]
    piece = await rig.printed(b"text", COMMANDS["raster"], b"\n")
    assert ([mark.what for mark in piece.marks], rig.printer.ignored[-1].why) == (
        ["text"],
        "not at the beginning of a line",
    )


async def test_graphics_are_stored_and_then_printed() -> None:
    """GS ( L functions 112 and 50, and GS 8 L with its longer count."""
    rig = await printer_rig()
    stored = b"\x30\x70\x30\x02\x01\x31\x08\x00\x01\x00\xa1"
    printed = b"\x1d(L\x02\x00\x30\x32"
    for command in (b"\x1d(L\x0b\x00" + stored, b"\x1d8L\x0b\x00\x00\x00" + stored):
        piece = await rig.printed(command, printed)
        assert row(piece, TOP) == "##..##........##"
    assert not rig.printer.ignored


async def test_column_image_stands_in_the_line() -> None:
    """ESC * 33: three bytes a column, the highest bit on top; mode 0 is 8 dots, each three high and two wide."""
    rig = await printer_rig()
    piece = await rig.printed(b"\x1b*\x21\x02\x00\x80\x00\x00\x00\x00\x01\n")
    assert (row(piece, TOP), row(piece, TOP + 23)) == ("#", "#")
    assert ink(piece) == (0, TOP, 2, TOP + 24)
    piece = await rig.printed(b"\x1b*\x00\x01\x00\x81\n")
    assert [row(piece, TOP + dots) for dots in (0, 2, 3, 20, 21, 23)] == ["##", "##", "", "", "##", "##"]


async def test_itf_has_narrow_and_wide_bars() -> None:
    """GS w 2: 2 and 5 dots. Digits 1 and 2 of an interleaved pair are WNNNW in bars and NWNNW in spaces."""
    rig = await printer_rig()
    piece = await rig.printed(COMMANDS["bar_width"], COMMANDS["bar_height"], b"\x1dkF\x0212")
    start, pair, stop = "##..##..", "#####..##.....##..##..#####.....", "#####..##"
    assert row(piece, TOP) == start + pair + stop
    assert (ink(piece), row(piece, TOP + 79)) == ((0, TOP, 49, TOP + 80), row(piece, TOP))


@pytest.mark.parametrize("name", ["itf_to_nul", "itf_counted", "code128_b", "code128_c"])
async def test_a_reader_reads_the_barcode(name: str) -> None:
    """Both forms of GS k; the data that is kept is what a reader reads off the picture, with text below or without."""
    rig = await printer_rig()
    said = {"itf_to_nul": ("ITF", "12345678"), "code128_b": ("CODE128", "AB-42"), "code128_c": ("CODE128", "1234")}
    expected = said.get(name, said["itf_to_nul"])
    seen = ("ITF" if expected[0] == "ITF" else "Code 128", expected[1])
    for text in (b"", COMMANDS["bar_text_below"] + COMMANDS["bar_text_font_b"]):
        piece = await rig.printed(COMMANDS["centre"], text, COMMANDS["bar_height"], COMMANDS[name])
        assert (piece.codes, read(piece)) == ([expected], [seen])
        box = ink(piece)
        assert box is not None
        # below the bars stands text of 17 dots, where it is asked for
        assert (box[3] > TOP + 80) == bool(text)


@pytest.mark.parametrize(
    ("command", "seen"),
    [
        (b"\x1dk\x02400638133393\x00", ("EAN-13", "4006381333931")),
        (b"\x1dkE\x05AB-42", ("Code 39", "AB-42")),
        (b"\x1dkG\x06A1234B", ("Codabar", "A1234B")),
        (b"\x1dkI\x08{Bab{C\x0c\x22", ("Code 128", "ab1234")),
        (b"\x1dkI\x0c{AA{Sb{Bc{{Z", ("Code 128", "Abc{Z")),
    ],
)
async def test_a_reader_reads_other_barcodes(command: bytes, seen: tuple[str, str]) -> None:
    """EAN13, CODE39, CODABAR, and CODE128 that changes its set."""
    rig = await printer_rig()
    assert read(await rig.printed(COMMANDS["centre"], command)) == [seen]


def test_code128_values_are_the_symbology_s() -> None:
    """Start, data, check: set B of AB-42 by hand, 104 + 33 + 2*34 + 3*13 + 4*20 + 5*18 = 414 = 2 modulo 103."""
    assert code128_values(b"{BAB-42") == ([104, 33, 34, 13, 20, 18, 2], "AB-42")


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        (b"\x1dkF\x0412X4", ["4"]),
        (b"\x1dkI\x04AB42", []),
        (b"\x1dkI\x03{C\x64", []),
        (b"\x1dkH\x02AB", []),
        (COMMANDS["bar_width"] + b"\x1dkF\x50" + b"12" * 40, []),
    ],
)
async def test_a_barcode_that_cannot_be_is_not_printed(command: bytes, rest: list[str]) -> None:
    """Wrong data, no code set, a type it has not, wider than the paper: ignored; after a wrong byte text goes on."""
    rig = await printer_rig()
    piece = await rig.printed(command, b"\n")
    assert (piece.codes, [text for text in piece.texts if text], len(rig.printer.ignored)) == ([], rest, 1)


async def test_qr_code_is_read() -> None:
    """GS ( k: size, level, data, print."""
    rig = await printer_rig()
    setting = [COMMANDS[name] for name in ("qr_model", "qr_size", "qr_level", "qr_store")]
    piece = await rig.printed(COMMANDS["centre"], *setting, COMMANDS["qr_print"])
    assert (piece.codes, read(piece)) == ([("QR", "HELLO")], [("QR Code", "HELLO")])
    box = ink(piece)
    assert box is not None
    assert (box[2] - box[0]) == 21 * 5


@pytest.mark.parametrize(
    ("name", "cut", "left_behind"),
    [
        ("cut_full", "full", True),
        ("cut_partial", "partial", True),
        ("feed_and_cut_full", "full", False),
        ("feed_and_cut_partial", "partial", False),
        ("cut_and_back_full", "full", False),
        ("cut_and_back_partial", "partial", False),
    ],
)
async def test_the_cutter_is_above_the_head(name: str, cut: str, left_behind: bool) -> None:  # noqa: FBT001 - a case
    """A cut without a feed leaves the newest 96 dots behind: they are on the next ticket, and neither is whole."""
    rig = await printer_rig()
    await rig.send(b"first\n" * 3, b"\x1d!\x01last\n", COMMANDS[name], b"next\n", COMMANDS["feed_and_cut_full"])
    await rig.wait(5)
    first, then = rig.pieces
    texts = ["first"] * 3 + ["last"]
    assert first.cut == cut
    if left_behind:
        # 90 and 48 dots were printed, of which 42 have passed the cutter: a line and 12 dots of the next
        assert ([(mark.data, mark.whole) for mark in first.marks], first.complete) == (
            [("first", True), ("first", False)],
            False,
        )
        assert ([mark.data for mark in then.marks], then.complete) == (["first", "first", "last", "next"], False)
    else:
        assert (first.texts, first.complete, then.texts, then.complete) == (texts, True, ["next"], True)


@pytest.mark.parametrize("name", ["cut_later_full", "cut_later_partial"])
async def test_a_reserved_cut_is_made_when_its_place_is_at_the_cutter(name: str) -> None:
    """GS V 97 and 98: what comes after it is on the next ticket, though it was printed before the cut."""
    rig = await printer_rig()
    await rig.send(b"first\n", COMMANDS[name], b"next\n" * 6, COMMANDS["feed_and_cut_full"])
    await rig.wait(5)
    assert [piece.texts for piece in rig.pieces] == [["first"], ["next"] * 6]
    assert [piece.complete for piece in rig.pieces] == [True, True]


async def test_unknown_commands_are_remembered() -> None:
    """A real printer ignores the two bytes and prints what follows; here a test sees them."""
    rig = await printer_rig()
    piece = await rig.printed(b"a\x1b\x01b\x1dQc\x00\n")
    assert piece.texts == ["abc"]
    assert [tuple(ignored) for ignored in rig.printer.ignored] == [(b"\x1b\x01", "unknown"), (b"\x1dQ", "unknown")]


async def test_tabs_and_positions() -> None:
    r"""HT goes to the next multiple of eight characters or of ESC D's columns, ESC $ and ESC \ to dots."""
    rig = await printer_rig()
    cell = b"\x1dB\x01 "
    for command, left in (
        (b"\t", 96),
        (b"\x1bD\x03\x00\t", 36),
        (b"\x1b$\x64\x00", 100),
        (b"\x1b$\x64\x00\x1b\\\xf6\xff", 90),
    ):
        assert ink(await rig.printed(command, cell, b"\n")) == (left, TOP, left + 12, TOP + 24)
