"""T.1, T.2, T.4 and T.6 where the wires end at an MCP23017: the same pages, also while the chip answers nobody."""

from pathlib import Path

from msgspec.structs import replace

from controller.features.diagnostics.inputs import UNKNOWN
from drivers.expander.chip import ExpanderChip
from drivers.pins.header import PinHeader
from drivers.simulated.expander.i2c_wire import ChipBus
from drivers.simulated.expander.mcp23017 import Mcp23017
from drivers.wiring import Expander, Tier
from tests.rigs.technician import books, technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet

LAMP, TIER, BUTTON = 0, 1, 8
"""The chip's bits: A0 lights the lamp of AUTO, A1 the top tier, B0 is the contact of INFO."""


class Expanded(VirtualCabinet):
    """A cabinet with a lamp, a tier and a button at an expander."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.levels = [False] * 16
        self.chip = Mcp23017(self._level)
        self.chip.drive(BUTTON, level=None)
        pins = self.config.pins
        buttons = {
            **pins.buttons,
            "auto": replace(pins.buttons["auto"], lamp="x20.A0"),
            "info": replace(pins.buttons["info"], pin="x20.B0"),
        }
        tower = {**pins.tower, "top": Tier(pin="x20.A1")}
        wired = replace(pins, buttons=buttons, tower=tower, expanders={"x20": Expander()})
        self.config = replace(self.config, pins=wired)

    def _level(self, bit: int, level: bool) -> None:  # noqa: FBT001 - the chip's callback
        self.levels[bit] = level

    def header(self) -> PinHeader:
        """The header with the chip on its bus."""
        return PinHeader(lambda: self.factory, chips={"x20": ExpanderChip("x20", ChipBus({0x20: self.chip}))})


async def test_lamps_and_tiers_at_an_expander(tmp_path: Path) -> None:
    """Lit and put out alone, named by chip and pin; a dead chip is shown, and afterwards they work."""
    async with technician_at(tmp_path, cabinet := Expanded(tmp_path)) as technician:
        await technician.open()
        before = await technician.machine.journal.do(books)
        await technician.go("T.4")
        assert technician.row("auto").detail == "x20.A0"
        await technician.enter("auto")
        assert cabinet.levels[LAMP]
        cabinet.chip.dead = True
        await technician.pause(3.0)
        assert technician.page.code == "T.4"
        assert technician.row("port expander 0x20").tone == "bad"
        cabinet.chip.dead = False
        cabinet.chip.power(on=False)
        cabinet.chip.power(on=True)
        await technician.pause(30.0)
        assert not any(row.tone == "bad" for row in technician.page.rows)
        await technician.enter("service")
        await technician.enter("auto")
        assert cabinet.levels[LAMP]
        await technician.key("back")
        assert not cabinet.levels[LAMP]
        await technician.enter("T.6")
        await technician.enter(next(row.code for row in technician.page.rows if "x20.A1" in row.detail))
        assert cabinet.levels[TIER]
        await technician.key("back")
        assert await technician.machine.journal.do(books) == before


async def test_inputs_at_an_expander(tmp_path: Path) -> None:
    """Edges and levels are those of the chip; while it is dead no level is guessed."""
    async with technician_at(tmp_path, cabinet := Expanded(tmp_path)) as technician:
        await technician.open()
        await technician.go("T.2")
        up = technician.row("info").value
        cabinet.chip.drive(BUTTON, level=False)
        await technician.pause(0.5)
        down = technician.row("info").value
        assert up != down
        cabinet.chip.drive(BUTTON, level=None)
        await technician.pause(0.5)
        assert technician.row("info").value == up
        cabinet.chip.dead = True
        await technician.pause(3.0)
        assert technician.row("info").value == UNKNOWN
        assert technician.row("bet").value == up
        for code in ("T.1", "T.3"):
            await technician.go_by_touch(code)
            assert technician.row("port expander 0x20").tone == "bad"
