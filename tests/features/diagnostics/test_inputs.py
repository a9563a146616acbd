"""T.1 to T.3: edges, levels, and the inputs that nobody has moved yet, on the cabinet's own pins."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.features.diagnostics.inputs import ALL_SEEN, HOLD_S, HOW_TO_LEAVE
from controller.service.keys import SCREEN
from drivers.pins.button_panel import STUCK_AFTER_S
from drivers.wiring import Door
from tests.rigs.technician import Technician, technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet

SENSE = 27
"""The pin of the sample cabinet's hard meter for games, which these tests take for a sense contact."""


def move(technician: Technician, button: str, *, down: bool) -> None:
    """Push a button down, or let it go."""
    cabinet = technician.cabinet
    pin = cabinet.factory.pin(int(cabinet.config.pins.buttons[button].pin))
    if down:
        pin.drive_low()
    else:
        pin.drive_high()


async def test_each_edge_is_reported_with_its_count(tmp_path: Path) -> None:
    """T.1: buttons, doors and keys, also two buttons at once and the four that else move the menu."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        await technician.open()
        await technician.go_by_touch("T.1")
        state = technician.machine.states.state
        for button in ("lines", "bet", "spin"):
            await cabinet.tap(button)
        move(technician, "info", down=True)
        await technician.pause()
        await cabinet.tap("spin")
        cabinet.door("cash_box", is_open=True)
        technician.turn(on=True, key="attendant")
        await technician.pause()
        heading, *rows = technician.page.rows
        assert heading.label == HOW_TO_LEAVE
        shown = [(row.code, row.place, row.value, row.count) for row in reversed(rows)]
        assert shown == [
            ("I4", "lines", "pressed", 1),
            ("I4", "lines", "released", 2),
            ("I5", "bet", "pressed", 1),
            ("I5", "bet", "released", 2),
            ("I8", "spin", "pressed", 1),
            ("I8", "spin", "released", 2),
            ("I3", "info", "pressed", 1),
            ("I8", "spin", "pressed", 3),
            ("I8", "spin", "released", 4),
            ("I10", "cash-box door", "open", 1),
            ("I12", "attendant", "turned", 1),
        ]
        assert all(row.detail.count(":") == 2 for row in rows)
        assert (technician.page.focus, technician.machine.states.state) == (0, state)


async def test_holding_back_leaves(tmp_path: Path) -> None:
    """T.1: a short press of COLLECT is an edge, one that is held for two seconds leaves, and presses nothing then."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.1")
        await technician.key("back")
        await technician.pause(HOLD_S + 1)
        assert technician.page.code == "T.1"
        move(technician, "collect", down=True)
        await technician.pause(HOLD_S - 0.2)
        assert technician.page.code == "T.1"
        await technician.pause(0.4)
        assert technician.page.code == "T"
        move(technician, "collect", down=False)
        await technician.pause()
        assert technician.page.code == "T"
        assert (await technician.events())[-1] == "T.1 Switch edges: ended; edges: 4, inputs: 2"


async def test_whoever_presses_is_there(tmp_path: Path) -> None:
    """T.1: edges alone keep the page open."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.1")
        for _ in range(4):
            await technician.pause(100.0)
            await technician.cabinet.tap("info")
        assert technician.page.code == "T.1"


async def test_the_attendants_key_confirms_nothing_in_a_test(tmp_path: Path) -> None:
    """T.1: under a key that is tested no hand-pay is confirmed, and no lock-up cleared."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        cabinet.hopper.power(on=False)
        await technician.pause(5.0)
        await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.state == "handpay")
        await technician.listener.device_fault("coin_acceptor", "coin_jam", present=True)
        await technician.open()
        await technician.go("T.1")
        await cabinet.turn_key("attendant")
        await technician.touch("service:back")
        await technician.close()
        await technician.pause(2.0)
        assert "coin_jam" in [fault.code for fault in technician.machine.conditions.faults]
        assert (cabinet.state, cabinet.credit) == ("handpay", 2000)
        await cabinet.turn_key("attendant")
        assert "coin_jam" not in [fault.code for fault in technician.machine.conditions.faults]


async def test_levels_are_shown_with_pin_and_wire(tmp_path: Path) -> None:
    """T.2: what each input reads now, refreshed while the page is open; the main door is open."""
    cabinet = VirtualCabinet(tmp_path)
    pins = cabinet.config.pins
    buttons = {**pins.buttons, "info": replace(pins.buttons["info"], wire="white/blue")}
    cabinet.config = replace(cabinet.config, pins=replace(pins, buttons=buttons))
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.open()
        await technician.go("T.2")
        assert len(technician.page.rows) == len(pins.buttons) + len(pins.doors) + len(pins.keys)
        info = technician.row("I3")
        assert (info.place, info.value, info.detail) == ("info", "released", "GPIO 6  ·  white/blue  ·  1")
        assert technician.row("I9").value == "open"
        assert technician.row("I10").value == "closed"
        assert technician.row("I13").value == "turned"
        move(technician, "info", down=True)
        await technician.pause(0.3)
        assert (technician.row("I3").value, technician.row("I3").detail[-1]) == ("pressed", "0")


async def test_a_stuck_button_is_called_so(tmp_path: Path) -> None:
    """T.2: one that has been down for too long is a fault, and the page says which one."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.2")
        move(technician, "auto", down=True)
        await technician.pause(STUCK_AFTER_S + 1)
        assert (technician.row("I7").value, technician.row("I7").tone) == ("stuck", "bad")
        move(technician, "auto", down=False)
        await technician.pause(1.0)
        assert technician.row("I7").value == "released"


async def test_inputs_that_nobody_reads_are_not_guessed(tmp_path: Path) -> None:
    """T.1 to T.3: where the driver has stopped, every page says so, and no level is shown."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        panel = technician.hardware.buttons
        await technician.listener.device_fault(panel.name, "port_lost", present=True)
        panel.stop()
        await technician.go_by_touch("T.2")
        assert technician.row("I3").value == "not read"
        for code in ("T.1", "T.3"):
            await technician.go_by_touch(code)
            failing = technician.row("button panel")
            assert (failing.label, failing.tone) == ("The {place} is unplugged", "bad")


async def test_what_nobody_has_moved_is_listed_until_it_has(tmp_path: Path) -> None:
    """T.3: the list shrinks with each input that moves, restarts on request, and is recorded at the end."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        await technician.open()
        await technician.go("T.3")

        def listed() -> set[str]:
            return {row.code for row in technician.page.rows if row.code}

        assert listed() == {"I1", "I2", "I3", "I4", "I6", "I7", "I10", "I11", "I12"}
        for button in ("service", "collect", "info", "lines", "max_bet", "auto"):
            await cabinet.tap(button)
        assert listed() == {"I10", "I11", "I12"}
        for door in ("cash_box", "logic"):
            cabinet.door(door, is_open=True)
        await cabinet.turn_key("attendant")
        assert listed() == set()
        assert ALL_SEEN in [row.label for row in technician.page.rows]
        await technician.touch(f"service:row:{len(technician.page.rows) - 1}")
        assert len(listed()) == 11
        await technician.touch("service:back")
        assert (await technician.events())[-1].startswith("T.3 Inputs not seen: ended; not seen: buttons service")


async def test_doors_of_acceptor_and_meters_are_inputs(tmp_path: Path) -> None:
    """T.1 and T.3: wired to free pins they have the last codes, and those of all others are as without them."""
    cabinet = VirtualCabinet(tmp_path)
    doors = {**cabinet.config.pins.doors, "acceptor": Door(pin=26), "meters": Door(pin=27)}
    pins = cabinet.config.pins
    meters = {name: meter for name, meter in pins.meters.items() if name not in ("hand_pay", "games")}
    cabinet.config = replace(cabinet.config, pins=replace(pins, doors=doors, meters=meters))
    cabinet.closed |= {26, 27}
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.open()
        await technician.go("T.1")
        for door in ("acceptor", "meters", "logic"):
            cabinet.door(door, is_open=True)
            await technician.pause()
        shown = {row.code: (row.place, row.value) for row in technician.page.rows[1:]}
        assert shown["I20"] == ("acceptor door", "open")
        assert shown["I21"] == ("meter door", "open")
        assert shown["I11"] == ("logic door", "open")


async def test_a_new_menu_forgets_what_has_moved(tmp_path: Path) -> None:
    """T.3: what was moved before the menu was opened is not seen."""
    async with technician_at(tmp_path) as technician:
        await technician.cabinet.tap("info")
        await technician.open()
        await technician.go("T.3")
        assert technician.row("I3").place == "info"
        await asyncio.sleep(0)


@pytest.mark.parametrize("code", ["T.1", "T.3"])
async def test_a_key_that_does_nothing_is_not_offered(tmp_path: Path, code: str) -> None:
    """The panel's buttons are inputs there, dead as keys; a finger still moves and leaves the page."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        assert {"lines", "bet", "spin", "collect"} <= technician.machine.states.controls
        await technician.go(code)
        live = technician.machine.states.controls
        assert not {"lines", "bet", "spin", "collect", "info", "max_bet"} & live
        assert {"service:up", "service:down", "service:enter", "service:back"} <= live
        assert (len(technician.page.rows) > SCREEN) is ("service:page_down" in live)
        await technician.touch("service:down")
        assert technician.page.focus > 0 or len(technician.page.rows) == 1
        await technician.touch("service:back")
        assert technician.page.code == "T"
        assert {"lines", "bet", "spin", "collect"} <= technician.machine.states.controls


async def test_a_meters_plug_is_seen_once_it_was_pulled(tmp_path: Path) -> None:
    """T.3: a sensed meter's plug is an input like the others; where it merely stays plugged in, it stays listed."""
    cabinet = VirtualCabinet(tmp_path)
    pins = cabinet.config.pins
    meters = {"coin_in": replace(pins.meters["coin_in"], sense=SENSE)}
    cabinet.config = replace(cabinet.config, pins=replace(pins, meters=meters))
    cabinet.closed.add(SENSE)
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.open()
        await technician.go("T.3")
        (plug,) = (row.code for row in technician.page.rows if row.place == "hard meter for coin in")
        await technician.pause(1.0)
        assert plug in [row.code for row in technician.page.rows]
        cabinet.factory.pin(SENSE).drive_high()
        await technician.pause(1.0)
        assert plug not in [row.code for row in technician.page.rows]
