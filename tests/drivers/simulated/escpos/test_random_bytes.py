import random
from collections.abc import Callable

import pytest

from drivers.simulated.escpos.command_set import Command, CommandParser
from drivers.simulated.escpos.mechanism import FAULTS
from tests.rigs.ticket_printer import COMMANDS, PrinterRig, printer_rig

LEADS = (b"\x1b", b"\x1d", b"\x1c", b"\x10", b"\n", *COMMANDS.values())


def _bytes(chance: random.Random, size: int) -> bytes:
    """Random bytes, some of which look like commands."""
    data = bytearray()
    while len(data) < size:
        data += chance.choice(LEADS) if chance.random() < 0.3 else chance.randbytes(chance.randrange(1, 12))
    return bytes(data[:size])


async def _survives(rig: PrinterRig, chance: random.Random, size: int) -> int:
    """Send so many random bytes; return how many millimetres of paper were printed on."""
    left, printed_mm = size, 0
    while left > 0:
        data = _bytes(chance, min(left, chance.randrange(1, 2000)))
        left -= len(data)
        paper_mm = rig.printer.paper_mm
        await rig.send(data)
        await rig.wait(chance.choice((0.0, 0.05, 2.0)))
        printed_mm += max(0, paper_mm - rig.printer.paper_mm)
        whim = chance.random()
        if whim < 0.1:
            rig.printer.set_fault(chance.choice(FAULTS), on=True)
        elif whim < 0.12:
            rig.printer.power(on=False)
        elif whim < 0.14:
            rig.printer.shorten(chance.randrange(100))
        elif whim < 0.5:
            for fault in FAULTS:
                rig.printer.set_fault(fault, on=False)
            await rig.send(chance.choice((COMMANDS["recover_and_restart"], COMMANDS["recover_and_clear"])))
            rig.printer.power(on=True)
        if rig.printer.words == "paper end":
            rig.printer.load(80_000)
        del rig.pieces[:-5]
    await _prints_again(rig)
    return printed_mm


async def _prints_again(rig: PrinterRig) -> None:
    """After a repair and the mains switch it is as new."""
    rig.printer.power(on=False)
    for fault in FAULTS:
        rig.printer.set_fault(fault, on=False)
    rig.printer.load(80_000)
    rig.printer.power(on=True)
    await rig.wait(2)
    await rig.printed()
    piece = await rig.printed(b"all is well\n")
    assert (piece.texts, piece.complete) == (["all is well"], True)


async def test_random_bytes_do_not_break_it() -> None:
    """10,000 bytes, with faults and power cuts between them."""
    assert await _survives(await printer_rig(), random.Random(21), 10_000) > 100


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(4))
async def test_a_million_random_bytes_do_not_break_it(
    seed: int, record_property: Callable[[str, object], None]
) -> None:
    """250,000 bytes of each seed."""
    rig = await printer_rig()
    printed_mm = await _survives(rig, random.Random(seed), 250_000)
    assert printed_mm > 1_000
    record_property("proof", f"250,000 random bytes, seed {seed}: {printed_mm / 1000:.0f} m of paper, and it prints on")


def _commands(pieces: list[bytes]) -> list[Command]:
    parser, buffer, found = CommandParser(), bytearray(), []
    for piece in pieces:
        buffer += piece
        while (command := parser.next(buffer)) is not None:
            found.append(command)
    return found


def test_each_division_of_the_bytes_gives_the_same_commands() -> None:
    """However the line divides them, the parser takes the same commands out of the buffer."""
    chance = random.Random(5)
    for _trial in range(50):
        data = _bytes(chance, 400)
        at_once, found = _commands([data]), _commands([bytes((byte,)) for byte in data])
        assert b"".join(command.data for command in found) == b"".join(command.data for command in at_once)
        assert [one for one in found if one.name != "TEXT"] == [one for one in at_once if one.name != "TEXT"]
