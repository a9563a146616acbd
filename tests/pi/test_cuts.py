"""What the power cuts compare, as far as it can be seen without a machine."""

import msgspec
import pytest

from drivers.simulated.expander.mcp23017 import GPIO, IODIR, Mcp23017
from drivers.simulated.front import Front
from tests.pi.cuts import Books, disagreements
from tests.pi.i2c_bus import Expanders
from tests.proofs.recorded_disk import Write, flushed

FRONT = Front(
    mains=True,
    lamps={},
    tower={},
    meters={},
    doors={},
    keys={},
    buttons={},
    stacked_cents=2000,
    tray_cents=300,
    coin_return_cents=100,
)
BOOKS = Books({"notes_in": 2000, "coins_in": 400, "hopper_out": 300}, {}, {})


def test_every_cent_agrees() -> None:
    """Coins that came back are no coins in."""
    assert disagreements(BOOKS, FRONT, 500) == []


@pytest.mark.parametrize(("meter", "what"), [("notes_in", "notes"), ("coins_in", "coins"), ("hopper_out", "tray")])
@pytest.mark.parametrize("cents", [-1, 1])
def test_a_cent_too_few_or_too_many_is_found(meter: str, what: str, cents: int) -> None:
    """Each kind of money on its own."""
    wrong = BOOKS._replace(meters={**BOOKS.meters, meter: BOOKS.meters[meter] + cents})
    (said,) = disagreements(wrong, FRONT, 500)
    assert said.startswith(what)


def test_an_open_item_is_what_nobody_can_know() -> None:
    """It may have come or not, and no more than that."""
    held = BOOKS._replace(items={"note_unknown": 500})
    assert disagreements(held, FRONT, 500) == []
    assert disagreements(held, msgspec.structs.replace(FRONT, stacked_cents=2500), 500) == []
    assert disagreements(held, msgspec.structs.replace(FRONT, stacked_cents=3000), 500) != []


def test_what_follows_the_last_flush_is_lost() -> None:
    """All of it where nothing was flushed."""
    first, flush, last = Write(0, b"1", flush=False), Write(0, b"", flush=True), Write(512, b"2", flush=False)
    assert list(flushed([first, flush, last])) == [first, flush]
    assert list(flushed([first, last])) == []


def test_a_read_goes_on_from_the_register_that_was_written() -> None:
    """As on the wire: the first byte of a write is the register."""
    chip = Mcp23017()
    bus = Expanders({0x20: chip})
    bus.write(0x20, bytes([2 * IODIR, 0xFE, 0xFF]))
    bus.write(0x20, bytes([2 * IODIR]))
    assert bus.read(0x20, 2) == b"\xfe\xff"
    chip.drive(8, level=True)
    bus.write(0x20, bytes([2 * GPIO]))
    assert bus.read(0x20, 2) == b"\x00\x01"
    with pytest.raises(OSError, match="0x21"):
        bus.read(0x21, 1)
