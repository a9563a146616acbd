"""The simulated expander behaves as its data sheet says (Microchip DS20001952), register by register."""

import pytest

from drivers.simulated.expander.mcp23017 import Mcp23017

IODIRA, IODIRB, IPOLA, GPINTENA, DEFVALA, INTCONA, IOCON, GPPUA = 0x00, 0x01, 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C
INTFA, INTFB, INTCAPA, GPIOA, GPIOB, OLATA = 0x0E, 0x0F, 0x10, 0x12, 0x13, 0x14
IODIRB_BANK_1, IOCON_BANK_1 = 0x10, 0x05


class Pins:
    """A chip and what its outputs and its interrupt line did."""

    def __init__(self) -> None:
        self.outputs: list[tuple[int, bool]] = []
        self.interrupts: list[bool] = []
        self.chip = Mcp23017(lambda bit, level: self.outputs.append((bit, level)), self.interrupts.append)


def test_registers_wake_up_at_their_defaults() -> None:
    """After power-up and after RESET every pin is an input and everything else is 0 (table 1-4)."""
    pins = Pins()
    for forget in (lambda: None, lambda: pins.chip.power(on=False), lambda: pins.chip.reset(active=True)):
        forget()
        pins.chip.power(on=True)
        pins.chip.reset(active=False)
        assert pins.chip.read(IODIRA, 22) == b"\xff\xff" + bytes(20)
        pins.chip.write(IODIRA, b"\x12\x34")


@pytest.mark.parametrize("silence", ["power", "reset", "dead"])
def test_a_silent_chip_acknowledges_nothing(silence: str) -> None:
    """Without supply, in reset, or with its cable out it is an error of the bus."""
    chip = Mcp23017()
    if silence == "power":
        chip.power(on=False)
    elif silence == "reset":
        chip.reset(active=True)
    else:
        chip.dead = True
    with pytest.raises(OSError, match="Remote I/O"):
        chip.read(GPIOA, 1)
    with pytest.raises(OSError, match="Remote I/O"):
        chip.write(OLATA, b"\x00")


def test_an_output_shows_its_latch_and_an_input_its_pin() -> None:
    """GPIO reads outputs from OLAT and inputs from the pin, turned over by IPOL; a write to GPIO is one to OLAT."""
    pins = Pins()
    pins.chip.write(OLATA, b"\x81")
    assert pins.outputs == []
    pins.chip.write(IODIRA, b"\x0f")
    assert pins.outputs == [(7, True)]
    pins.chip.drive(0, level=True)
    assert pins.chip.read(GPIOA, 1) == b"\x81"
    pins.chip.write(IPOLA, b"\x01")
    assert pins.chip.read(GPIOA, 1) == b"\x80"
    pins.chip.write(GPIOA, b"\x10")
    assert pins.chip.read(OLATA, 1) == b"\x10"
    assert pins.outputs == [(7, True), (4, True), (7, False)]


def test_an_open_contact_reads_its_pull_up() -> None:
    """Nothing drives the pin: GPPU decides."""
    chip = Mcp23017()
    chip.drive(2, level=False)
    chip.drive(2, level=None)
    assert chip.read(GPIOA, 1) == b"\x00"
    chip.write(GPPUA, b"\x04")
    assert chip.read(GPIOA, 1) == b"\x04"


def test_both_address_maps_reach_the_same_registers() -> None:
    """IOCON.BANK swaps the maps; IOCON itself has one copy with two addresses."""
    chip = Mcp23017()
    chip.write(IOCON, b"\x80")
    chip.write(IODIRB_BANK_1, b"\x5a")
    assert chip.read(IOCON_BANK_1, 1) == b"\x80"
    chip.write(IOCON_BANK_1, b"\x00")
    assert chip.read(IODIRB, 1) == b"\x5a"


def test_a_change_is_captured_until_it_is_read() -> None:
    """INTF names the pin, INTCAP the levels at the first change, though the pin is back; reading INTCAP ends it."""
    pins = Pins()
    pins.chip.write(GPPUA, b"\xff")
    pins.chip.write(GPINTENA, b"\x08")
    pins.chip.drive(3, level=False)
    pins.chip.drive(3, level=None)
    assert pins.interrupts == [True]
    assert pins.chip.read(INTFA, 1) == b"\x08"
    assert pins.chip.read(INTCAPA, 1) == b"\xf7"
    assert pins.interrupts == [True, False]
    assert (pins.chip.read(INTFA, 1), pins.chip.read(GPIOA, 1)) == (b"\x00", b"\xff")


def test_a_pin_is_compared_with_its_default_where_asked() -> None:
    """With INTCON the interrupt stays for as long as the pin differs from DEFVAL."""
    pins = Pins()
    pins.chip.write(DEFVALA, b"\x00")
    pins.chip.write(INTCONA, b"\x01")
    pins.chip.write(GPINTENA, b"\x01")
    pins.chip.drive(0, level=True)
    pins.chip.read(GPIOA, 1)
    assert pins.interrupts[-1] is True
    pins.chip.drive(0, level=False)
    pins.chip.read(GPIOA, 1)
    assert pins.interrupts[-1] is False


def test_port_b_pulls_inta_only_where_mirrored() -> None:
    """IOCON.MIRROR joins the two interrupt outputs."""
    for iocon, pulled in ((b"\x00", []), (b"\x40", [True])):
        pins = Pins()
        pins.chip.write(IOCON, iocon)
        pins.chip.write(GPINTENA + 1, b"\x01")
        pins.chip.drive(8, level=True)
        assert pins.interrupts == pulled
        assert pins.chip.read(INTFB, 1) == b"\x01"


def test_flags_and_captures_cannot_be_written() -> None:
    """INTF and INTCAP are read only."""
    chip = Mcp23017()
    chip.write(INTFA, b"\xff\xff\xff\xff")
    assert chip.read(INTFA, 4) == bytes(4)
