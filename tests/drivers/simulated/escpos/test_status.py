from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rigs.ticket_printer import ANSWERS, COMMANDS, PrinterRig, printer_rig

FAULTS: dict[str, Callable[[PrinterRig], None]] = {
    "ready": lambda _rig: None,
    "offline": lambda rig: rig.printer.set_fault("cover_open", on=True),
    "cover_open": lambda rig: rig.printer.set_fault("cover_open", on=True),
    "paper_end": lambda rig: rig.printer.shorten(0),
    "near_end": lambda rig: rig.printer.shorten(2000),
    "error": lambda rig: rig.printer.set_fault("overheated", on=True),
    "overheated": lambda rig: rig.printer.set_fault("overheated", on=True),
    "unrecoverable": lambda rig: rig.printer.set_fault("unrecoverable", on=True),
    "paper_jam": lambda rig: rig.printer.set_fault("paper_jam", on=True),
    "cutter_jam": lambda rig: rig.printer.set_fault("cutter_jam", on=True),
}
DRIVER_VECTORS = Path(__file__).parents[2] / "escpos_vectors.tsv"
QUESTIONS = {1: "status_printer", 2: "status_offline", 3: "status_error", 4: "status_paper"}


async def bring_about(rig: PrinterRig, condition: str) -> None:
    """Let it happen; a jam is felt when something moves."""
    FAULTS[condition](rig)
    await rig.send({"paper_jam": b"\n", "cutter_jam": COMMANDS["cut_full"]}.get(condition, b""))


@pytest.mark.parametrize("name", [name for name in ANSWERS if name.startswith("dle_eot")])
async def test_real_time_status(name: str) -> None:
    """Each condition is the bit that Epson's tables say, while the printer is offline too."""
    rig = await printer_rig()
    number, condition = name.removeprefix("dle_eot_").split("_", 1)
    await bring_about(rig, condition)
    assert await rig.ask(COMMANDS[QUESTIONS[int(number)]]) == ANSWERS[name]


@pytest.mark.parametrize("name", [name for name in ANSWERS if name.startswith("asb_")])
async def test_automatic_status(name: str) -> None:
    """GS a reports at once, and again whenever it changes, also while nothing else is answered."""
    rig = await printer_rig()
    condition = name.removeprefix("asb_")
    assert await rig.ask(COMMANDS["asb_all"]) == ANSWERS["asb_ready"]
    await bring_about(rig, condition)
    heard = await rig.heard()
    assert heard[-4:] == (ANSWERS[name] if condition != "ready" else b"")


async def test_automatic_status_reports_what_was_asked_for_alone() -> None:
    """Of a printer that was asked for errors, an open cover is no news; ESC @ and GS a 0 end it."""
    rig = await printer_rig()
    assert await rig.ask(b"\x1da\x04") == ANSWERS["asb_ready"]
    rig.printer.set_fault("cover_open", on=True)
    assert await rig.heard() == b""
    rig.printer.set_fault("cover_open", on=False)
    rig.printer.set_fault("overheated", on=True)
    assert await rig.heard() == ANSWERS["asb_overheated"]
    rig.printer.set_fault("overheated", on=False)
    assert await rig.heard() == ANSWERS["asb_ready"]
    assert await rig.ask(COMMANDS["asb_none"]) == b""
    rig.printer.set_fault("overheated", on=True)
    assert await rig.heard() == b""


async def test_real_time_status_is_answered_while_it_prints() -> None:
    """What is asked for in the data is answered after it is printed: GS r and GS ( H wait, DLE EOT does not."""
    rig = await printer_rig()
    # 10 x 90 dots at 200 mm/s are 0.5625 s
    await rig.send(COMMANDS["feed_lines"] * 10, COMMANDS["ordered_paper"], COMMANDS["process_id"])
    await rig.send(COMMANDS["status_printer"])
    assert await rig.heard() == ANSWERS["dle_eot_1_ready"]
    await rig.wait(0.54)
    assert await rig.heard() == b""
    await rig.wait(0.04)
    assert await rig.heard() == ANSWERS["gs_r_1_ready"] + ANSWERS["process_id"]


async def test_a_process_id_is_never_answered_for_what_was_not_printed() -> None:
    """The paper ends in the middle of a ticket: no response, until the rest is on new paper."""
    rig = await printer_rig()
    rig.printer.shorten(10)
    await rig.send(b"line\n" * 10, COMMANDS["process_id"])
    await rig.wait(10)
    assert await rig.heard() == b""
    rig.printer.load(80_000)
    await rig.wait(10)
    assert await rig.heard() == ANSWERS["process_id"]


async def test_status_in_order() -> None:
    """GS r 1 has the near end; 2 the drawer."""
    rig = await printer_rig()
    assert await rig.ask(COMMANDS["ordered_paper"]) == ANSWERS["gs_r_1_ready"]
    rig.printer.shorten(1000)
    assert await rig.ask(COMMANDS["ordered_paper"]) == ANSWERS["gs_r_1_near_end"]
    assert await rig.ask(COMMANDS["ordered_drawer"]) == ANSWERS["gs_r_2"]


async def test_the_driver_s_vectors_are_known() -> None:
    """What was written down for the driver, by somebody else out of the same reference, is what this printer speaks."""
    with DRIVER_VECTORS.open(encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]
    statuses = {(int(row[1]), bytes.fromhex(row[2])) for row in rows if row[0] == "status"}
    own = {(int(name.split("_")[2]), data) for name, data in ANSWERS.items() if name.startswith("dle_eot")}
    assert own - statuses == set()
    rig = await printer_rig()
    for row in rows:
        if row[0] == "command":
            await rig.send(bytes.fromhex(row[2]))
    assert list(rig.printer.ignored) == []


async def test_it_says_what_it_is() -> None:
    """GS I: one byte 0xx0xxxx of an ID, or text between 5Fh and NUL."""
    rig = await printer_rig()
    assert await rig.ask(COMMANDS["printer_model"]) == b"_TICKET-80\x00"
    (model,) = await rig.ask(b"\x1dI\x01")
    assert model & 0x90 == 0
    assert (await rig.ask(b"\x1dIB"), await rig.ask(b"\x1dID")) == (b"_SIMULATED\x00", b"_SIM0000001\x00")


async def test_status_inside_an_image_is_answered_and_printed() -> None:
    """Epson's warning: bytes of a real-time command inside other data are obeyed, and are data all the same."""
    rig = await printer_rig()
    image = b"\x1dv0\x00\x01\x00\x03\x00" + COMMANDS["status_paper"]
    assert await rig.ask(image) == ANSWERS["dle_eot_4_ready"]
    piece = await rig.printed()
    assert piece.rows[96 * 72 :: 72][:3] == COMMANDS["status_paper"]


async def test_the_feed_button_can_be_switched_off() -> None:
    """Pressed, it makes the printer offline; ESC c 5 1 switches it off."""
    rig = await printer_rig()
    rig.printer.press_feed(down=True)
    assert await rig.ask(COMMANDS["status_printer"], COMMANDS["status_offline"]) == b"\x5a\x1a"
    rig.printer.press_feed(down=False)
    await rig.send(COMMANDS["buttons_off"])
    with pytest.raises(ValueError, match="does nothing now"):
        rig.printer.press_feed(down=True)
    assert await rig.ask(COMMANDS["status_printer"]) == ANSWERS["dle_eot_1_ready"]


async def test_older_hosts_ask_for_paper_and_drawer_in_other_words() -> None:
    """ESC v is answered as GS r 1, and ESC u 0 as GS r 2 (Epson, obsolete commands)."""
    rig = await printer_rig()
    assert [await rig.ask(b"\x1bv"), await rig.ask(b"\x1bu\x00")] == [b"\x00", b"\x00"]
    rig.printer.shorten(1000)
    assert await rig.ask(b"\x1bv") == await rig.ask(b"\x1dr\x01") == b"\x03"
