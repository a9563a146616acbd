"""An MCP23017's pins under the drivers: buttons and lamps that do not know that they hang on I2C."""

import asyncio
import contextlib

import gpiozero
import pytest

from drivers.errors import PortError, SettingsError
from drivers.expander.chip import GPIO, IOCON, IODIR, OLAT, ExpanderChip
from drivers.expander.factory import ExpanderFactory
from drivers.pin_names import ExpanderPin, expander_pin
from drivers.pins.expander import SAFETY_POLL_S, SHORTEST_REST_S
from drivers.simulated.expander.i2c_wire import ChipBus
from drivers.simulated.expander.mcp23017 import Mcp23017
from tests.rigs.expander_board import COLLECT, DEBOUNCE_S, INTERRUPT, LAMP, LAMP_PIN, RESET, SPIN, SPIN_PIN, Board
from tests.rigs.mock_header import MockHeader, running

PORT_LOST = ("expander 0x20", "port_lost")


@pytest.mark.parametrize(("interrupt", "latest_s"), [(False, 0.005), (True, 0.0)], ids=["polled", "interrupt"])
async def test_a_press_is_reported_within_the_poll_and_the_debounce_time(interrupt: bool, latest_s: float) -> None:  # noqa: FBT001 - a parameter of the test
    """At whatever moment it comes: one poll of 5 ms without the interrupt line, none with it, and 1 ms of rest."""
    board = Board(interrupt=interrupt)
    loop = asyncio.get_running_loop()
    latest = 0.0
    async with board.serving():
        for phase in range(40):
            await asyncio.sleep(0.1 + phase * 0.00073)
            began = loop.time()
            board.press()
            await board.reported.wait()
            board.reported.clear()
            latest = max(latest, loop.time() - began)
            assert began <= board.reports[-1][2] <= began + latest_s + SHORTEST_REST_S + 1e-9
            board.let_go()
            await asyncio.sleep(0.03)
            board.reported.clear()
    assert [what for what, _name, _at in board.reports] == ["press", "release"] * 40
    assert latest <= latest_s + SHORTEST_REST_S + DEBOUNCE_S + 1e-6


async def test_a_broken_interrupt_wire_only_costs_time() -> None:
    """Polling goes on every 50 ms all the same."""
    board = Board(interrupt=True)
    board.chip._on_interrupt = lambda _pulled: None
    async with board.serving():
        board.press()
        await asyncio.sleep(SAFETY_POLL_S + DEBOUNCE_S + 0.005)
        assert [what for what, _name, _at in board.reports] == ["press"]


async def test_a_shorted_interrupt_wire_makes_no_busy_loop() -> None:
    """It calls all the time: the chip is read as often as without that wire, and presses come through."""
    board = Board(interrupt=True)
    board.chip._on_interrupt = lambda _pulled: None
    board.header.pin(INTERRUPT).grounded = True
    async with board.serving():
        before = board.bus.transfers
        await asyncio.sleep(1.0)
        assert 100 < board.bus.transfers - before < 220
        board.press()
        await asyncio.sleep(0.005 + DEBOUNCE_S + 0.002)
        assert [what for what, _name, _at in board.reports] == ["press"]


async def test_a_contact_that_came_and_went_between_two_reads_is_seen() -> None:
    """The chip captured it: both edges are reported, so that the debouncing sees them."""
    board = Board(poll_ms=50)
    edges: list[bool] = []
    async with running(board.expander.run()):
        contact = board.header.input(SPIN_PIN, "contact", edges.append)
        assert contact.level
        await asyncio.sleep(0.2)
        board.press()
        board.let_go()
        await asyncio.sleep(0.2)
    assert edges == [False, True]
    assert contact.level


async def test_a_bouncing_contact_does_not_take_the_whole_bus() -> None:
    """However much moves, the chip is read once a millisecond at most."""
    board = Board(interrupt=True)
    async with board.serving():
        before = board.bus.transfers
        for turn in range(2000):
            board.chip.drive(SPIN, level=None if turn % 2 else False)
            await asyncio.sleep(0.00005)
        assert board.bus.transfers - before <= 100 * 1.1


async def test_lamps_on_an_expander_go_dark_on_every_path() -> None:
    """Stopped or cancelled, lamps' driver or expander's: no output stays on; the registers are a rested chip's."""

    async def main() -> None:
        board = Board()
        async with board.serving():
            board.lamps.set({"spin": "on"})
            await asyncio.sleep(0.02)
            assert board.lit
            board.lamps.stop()
            await asyncio.sleep(0.02)
            assert not board.lit
        async with board.serving():
            await asyncio.sleep(1.0)
            assert board.lit
            board.expander.stop()
            board.expander.stop()
            assert not board.lit
            with contextlib.suppress(PortError):
                await asyncio.sleep(0.1)
        assert board.chip.read(IODIR, 2) + board.chip.read(OLAT, 2) == b"\xff\xff\x00\x00"

    with pytest.raises(PortError, match="expander 0x20 does not answer"):
        await main()


async def test_closing_the_header_turns_every_output_off() -> None:
    """The last thing a supervisor does."""
    board = Board()
    task = asyncio.ensure_future(board.expander.run())
    await asyncio.sleep(0.05)
    lamp = board.header.output(LAMP_PIN, "lamp")
    lamp.set(on=True)
    await asyncio.sleep(0.05)
    assert board.lit
    board.header.close()
    assert not board.lit
    board.header.close()
    with pytest.raises(PortError):
        await task


async def test_what_an_earlier_program_left_in_the_chip_never_shows() -> None:
    """Latches full of ones and the other address map: a killed program's lamps do not flash up at the next start."""
    board = Board()
    board.chip.write(OLAT, b"\xff\xff")
    board.chip.write(IOCON, b"\x80")
    async with board.serving():
        await asyncio.sleep(0.1)
        assert board.wires == []
        board.lamps.set({"spin": "on"})
        await asyncio.sleep(0.05)
        assert board.wires == [(LAMP, True)]


async def test_a_vanished_expander_is_a_fault_and_comes_back_as_it_was() -> None:
    """Port lost while it is away, asked ever more rarely; then lamps, levels and presses are back, the fault gone."""
    board = Board()
    async with board.kept_running():
        board.lamps.set({"spin": "on"})
        board.press(COLLECT)
        await asyncio.sleep(0.1)
        assert (board.lit, board.faults.present) == (True, {})
        board.chip.dead = True
        board.chip.power(on=False)
        await asyncio.sleep(0.1)
        assert set(board.faults.present) == {PORT_LOST}
        assert "look after its cable" in board.faults.present[PORT_LOST]
        before = board.bus.transfers
        await asyncio.sleep(20.0)
        assert board.bus.transfers - before < 8
        assert [report[:2] for report in board.reports] == [("press", "collect")]
        board.let_go(COLLECT)
        board.chip.power(on=True)
        board.chip.dead = False
        await asyncio.sleep(11.0)
        assert board.lit
        assert [report[:2] for report in board.reports] == [("press", "collect"), ("release", "collect")]
        await asyncio.sleep(11.0)
        assert board.faults.present == {}
        board.press(SPIN)
        await asyncio.sleep(0.05)
        assert board.reports[-1][:2] == ("press", "spin")


async def test_a_chip_at_its_power_up_defaults_is_noticed() -> None:
    """Its supply failed between two reads: all inputs, all lamps dark. It is reported and set up anew."""
    board = Board()
    async with board.kept_running():
        board.lamps.set({"spin": "on"})
        await asyncio.sleep(0.1)
        board.chip.power(on=False)
        board.chip.power(on=True)
        assert not board.lit
        await asyncio.sleep(0.02)
        assert "has forgotten its settings (register 0x0a holds 0x0000)" in board.faults.present[PORT_LOST]
        await asyncio.sleep(1.0)
        assert board.lit


@pytest.mark.parametrize("register", [IODIR, OLAT], ids=["direction", "latch"])
async def test_a_disturbed_register_is_noticed(register: int) -> None:
    """What a spark turns over in the chip is found within half a second, and mended."""
    board = Board()
    async with board.kept_running():
        board.lamps.set({"spin": "on"})
        await asyncio.sleep(0.1)
        board.chip.write(register, b"\x55\xd5")
        await asyncio.sleep(0.5)
        assert f"register 0x{register:02x}" in board.faults.present[PORT_LOST]
        await asyncio.sleep(1.0)
        assert board.chip.read(IODIR, 2) == b"\xff\x7f"


async def test_a_missing_expander_stops_neither_the_start_nor_the_others() -> None:
    """Buttons on it are a fault of their own, the lamps are not; once it is there all works."""
    board = Board()
    board.chip.dead = True
    async with board.kept_running():
        assert set(board.faults.present) == {PORT_LOST, ("button_panel", "port_lost")}
        board.chip.dead = False
        await asyncio.sleep(30.0)
        assert board.faults.present == {}
        board.press()
        await asyncio.sleep(0.05)
        assert [report[:2] for report in board.reports] == [("press", "spin")]


async def test_the_reset_line_holds_the_chip_only_while_it_is_served() -> None:
    """High while the driver runs, low on every way out: with a pull-down a dead Pi turns all outputs off."""
    board = Board(reset=True)
    board.header.pin(RESET)
    async with running(board.expander.run()):
        await asyncio.sleep(0.05)
        assert board.header.is_high(RESET)
    assert not board.header.is_high(RESET)
    board.chip.dead = True
    with pytest.raises(PortError):
        await board.expander.run()
    assert not board.header.is_high(RESET)


def test_gpiozero_devices_sit_on_an_expander_s_pins() -> None:
    """The library's own LED and Button work on it, and a pin is used once."""
    wires: list[tuple[int, bool]] = []
    simulated = Mcp23017(lambda bit, level: wires.append((bit, level)))
    chip = ExpanderChip("x20", ChipBus({0x20: simulated}))
    chip.begin()
    with ExpanderFactory(chip) as factory:
        led = gpiozero.LED("x20.A7", pin_factory=factory)
        button = gpiozero.Button("x20.B0", pin_factory=factory)
        with pytest.raises(gpiozero.GPIOPinInUse):
            gpiozero.LED("x20.A7", pin_factory=factory)
        with pytest.raises(gpiozero.GPIOZeroError, match=r"x21\.A0"):
            gpiozero.LED("x21.A0", pin_factory=factory)
        led.on()
        chip.exchange()
        assert (wires, button.is_pressed) == ([(7, True)], False)
        simulated.drive(8, level=False)
        chip.exchange()
        assert button.is_pressed
        led.close()
        chip.exchange()
        assert wires == [(7, True), (7, False)]
        assert simulated.read(GPIO, 1) == b"\x00"


def test_a_chip_that_stopped_answering_is_not_believed_until_it_was_set_up_again() -> None:
    """Its registers are unknown from the first error on: nothing is read from it or written by halves."""
    simulated = Mcp23017()
    chip = ExpanderChip("x20", ChipBus({0x20: simulated}))
    chip.begin()
    simulated.dead = True
    with pytest.raises(PortError, match="Remote I/O"):
        chip.exchange()
    simulated.dead = False
    assert not chip.serving
    with pytest.raises(PortError, match="look after its cable"):
        chip.exchange()
    chip.begin()
    chip.exchange()


@pytest.mark.parametrize("name", ["x28.A0", "x20.C0", "x20.A8", "x20A0", "x20.a0", ""])
def test_what_names_no_pin_is_refused(name: str) -> None:
    """With the form that a name has."""
    with pytest.raises(SettingsError, match=r"is no pin; give a BCM number, or .* such as \"x20.A3\""):
        expander_pin(name)


def test_every_pin_s_name_reads_back() -> None:
    """Names and bits are each other's inverse."""
    for bit in range(16):
        assert expander_pin(str(ExpanderPin("x27", bit))) == ("x27", bit)


def test_a_pin_of_an_expander_that_is_not_there_is_refused() -> None:
    """With the table that is missing."""
    with pytest.raises(SettingsError, match=r"add \[pins.expanders.x21\]"):
        MockHeader().output("x21.A0", "lamp")
