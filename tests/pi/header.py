"""The header: the real lgpio and gpiozero on the kernel's chip, whose lines are pulled and read from outside."""

import json
import statistics
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from controller.configuration.cabinet_toml import load
from tests.pi.cabinet import PYTHON, SIM, SUPERVISOR, Cabinet
from tests.pi.fitted import SAMPLE
from tests.pi.machine import DISK

EDGE_S, START_S, LINES_S = 180.0, 600.0, 1200.0
_DEBOUNCE_MS = 8
_LOOK_MS = 20.0
"""Pulses of 50 ms are counted and measured where no two looks at their line are further apart."""
_INSIDE = (
    "systemd-run --quiet --pipe --wait --collect --unit=pi-lines --uid=cabinet --gid=cabinet"
    " -p SupplementaryGroups=gpio -p PrivateUsers=yes -p DevicePolicy=closed -p 'DeviceAllow=char-gpiochip rw'"
    " -p PrivateNetwork=yes -p ProtectSystem=strict -p PrivateTmp=yes -p WorkingDirectory=/"
    " -E PYTHONSAFEPATH=1 -E PYTHONDONTWRITEBYTECODE=1"
    f" /opt/cabinet/venv/bin/python /run/{DISK}/inside.py /run/{DISK}/cabinet.toml"
)
"""The drivers' own process on the terms of cabinet.service: its user, its devices, its users' map."""


def held_lines(cabinet: Cabinet) -> dict[int, tuple[str, bool]]:
    """Return who holds which line of the chip, and whether as an output."""
    said = cabinet.machine.run(
        f"{PYTHON} -c '\nfrom pathlib import Path\nfrom drivers.pins.line_info import read_chip\n"
        'chip = read_chip(Path("/dev/gpiochip0"))\nassert chip.label == "pinctrl-bcm2711", chip.label\n'
        "for line in chip.lines:\n    if line.consumer: print(line.number, line.consumer, line.output)'"
    )
    words = [line.split() for line in said.splitlines()]
    return {int(number): (consumer, output == "True") for number, consumer, output in words}


def header(cabinet: Cabinet) -> Iterator[str]:
    """The supervisor's lgpio has requested the lines of the sample configuration on the kernel's chip."""
    cabinet.machine.run(f"{PYTHON} -c 'import platform, _lgpio; assert platform.machine() == \"aarch64\"' ")
    pins = load(SAMPLE).pins
    driven = {
        *(button.lamp for button in pins.buttons.values()),
        *(tier.pin for tier in pins.tower.values()),
        *(meter.pin for meter in pins.meters.values()),
    }
    read = {one.pin for group in (pins.buttons, pins.doors, pins.keys) for one in group.values()}
    held = held_lines(cabinet)
    assert set(held) == driven | read, held
    assert {number for number, (_, output) in held.items() if output} == driven, held
    yield f"{len(held)} lines are held, {len(driven)} of them outputs, as the sample configuration says"


def doors(cabinet: Cabinet) -> Iterator[str]:
    """A level pulled from outside comes through kernel, lgpio, gpiozero and supervisor into the books."""
    places = {name: door.pin for name, door in load(SAMPLE).pins.doors.items()}
    for place, pin in places.items():
        for high in (False, True, False):
            cabinet.pull(pin, high=high)
            cabinet.machine.wait(
                f"door {place} is {'open' if high else 'shut'}",
                lambda o=high, p=place: (("door_open", p) in cabinet.faults()) is o,  # type: ignore[misc]
                EDGE_S,
            )
    yield f"doors {', '.join(places)}: each shut, open and shut, by its line's level"


def lines(cabinet: Cabinet) -> Iterator[str]:
    """Every line of the configuration by the cabinet's own drivers in a process of their own (guest/)."""
    machine = cabinet.machine
    machine.run(f"! systemctl is-active --quiet {SUPERVISOR} || systemctl stop {SUPERVISOR}")
    said = machine.run(f"python3 /run/{DISK}/outside.py /run/{DISK}/cabinet.toml {SIM} {_INSIDE}", seconds=LINES_S)
    cabinet.keep("lines.json", said)
    yield from judged(json.loads(said))


def judged(found: Mapping[str, Any]) -> Iterator[str]:
    """Judge what guest/outside.py has measured."""
    slow = []
    for name, seen in found["inputs"].items():
        assert [edge for edge, _ in seen["edges"]] == [name, name], (name, seen)
        assert len({active for _, active in seen["edges"]}) == 2, (name, seen)
        slow += seen["ms"]
    yield f"{len(found['inputs'])} inputs: each pull is one edge of that line and of no other"
    yield f"from pull to the driver's stamp {statistics.median(slow):.1f} ms in the middle, {max(slow):.1f} at the most"
    for train in found["bounce"]:
        if train["ms"] < _DEBOUNCE_MS:
            assert len(train["edges"]) == 1, train
    yield f"bouncing contact, 9 edges in {' and '.join(str(one['ms']) for one in found['bounce'])} ms: " + " and ".join(
        f"{len(one['edges'])} reported" for one in found["bounce"]
    )
    for words, seen in found["outputs"].items():
        assert seen["high"] == [seen["pin"]], (words, seen)
    yield f"{len(found['outputs'])} lamps and tiers: each alone is high where the sample has it"
    came, went = found["stuck"]
    assert (came["present"], went["present"]) == (True, False), found["stuck"]
    yield f"button held: {came['fault']} of {came['device']} after {came['after_s']} s, gone when let go"
    assert found["after"] == [], found["after"]
    yield "when the drivers end no output is high"
    yield from _pulses(found["meters"])


def _pulses(meters: dict[str, dict[str, Any]]) -> Iterator[str]:
    assert all(seen["changes_ms"] for seen in meters.values()), meters
    longest = max(seen["longest_look_ms"] for seen in meters.values())
    if longest > _LOOK_MS:
        yield f"{len(meters)} hard meters pulse, NOT MEASURED: lines were looked at only every {longest:.0f} ms"
        return
    high, low = [], []
    for name, seen in meters.items():
        changes = seen["changes_ms"]
        assert len(changes) == 6, (name, seen)
        widths = [after - before for before, after in pairwise(changes)]
        high += widths[::2]
        low += widths[1::2]
    assert min(high) >= 45.0, high
    assert min(low) >= 45.0, low
    yield (
        f"{len(meters)} hard meters, 3 pulses each, as the chip has them: {min(high):.1f} to {max(high):.1f} ms"
        f" (configured 50), gaps {min(low):.1f} to {max(low):.1f} ms (at least 50)"
    )


def gone(cabinet: Cabinet) -> Iterator[str]:
    """The whole chip gone is a fault of every device on it; when it is back, the cabinet goes on."""
    machine, driver = cabinet.machine, "/sys/bus/platform/drivers/gpio-sim"

    def lost() -> set[str]:
        return {place for code, place in cabinet.faults() if code == "port_lost"}

    pins = load(SAMPLE).pins
    on_it = {"button_panel", "doors", "keys", "lamps", "tower_light", *(f"meter_{name}" for name in pins.meters)}
    before, pid = lost(), machine.property(SUPERVISOR, "MainPID")
    machine.run(f"echo header >{driver}/unbind")
    try:
        took = machine.wait("all pins are missed", lambda: lost() >= on_it, EDGE_S)
        yield f"chip gone: port_lost of {', '.join(sorted(lost() - before))} {took:.0f} s later"
    finally:
        machine.run(f"echo header >{driver}/bind; udevadm settle")
    took = machine.wait("the chip is found again", lambda: lost() <= before, START_S)
    assert machine.property(SUPERVISOR, "MainPID") == pid, "the supervisor has ended"
    # The new chip's lines are not pulled: every door reads open until it is shut anew.
    cabinet.shut_doors()
    machine.wait("the doors are shut", lambda: "door_open" not in {code for code, _ in cabinet.faults()}, EDGE_S)
    yield f"chip back: all run {took:.0f} s later, the same supervisor; doors read shut again"


def taken(cabinet: Cabinet) -> Iterator[str]:
    """A line that another program holds is a fault that names it; given back, the cabinet goes on."""
    machine, pin = cabinet.machine, int(load(SAMPLE).pins.buttons["spin"].pin)
    machine.run(f"systemctl stop {SUPERVISOR}")
    holder = f"import lgpio, time; chip = lgpio.gpiochip_open(0); lgpio.gpio_claim_input(chip, {pin}); time.sleep(9e9)"
    machine.run(
        "systemd-run --quiet --unit=pi-holder -p PrivateTmp=yes -p WorkingDirectory=/tmp"
        f" /opt/cabinet/venv/bin/python -c '{holder}'"
    )
    machine.wait("the line is taken", lambda: pin in held_lines(cabinet), EDGE_S)
    machine.run(f"systemctl start {SUPERVISOR}", seconds=START_S)
    machine.wait(
        "the fault names the panel",
        lambda: ("port_lost", "button_panel") in cabinet.faults(),
        EDGE_S,
    )
    detail = cabinet.rows("SELECT detail FROM faults WHERE code = 'port_lost' AND place = 'button_panel'")[0][0]
    assert f"GPIO {pin}" in detail, detail
    yield f"taken by another program: {detail}"
    machine.run("systemctl stop pi-holder")
    took = machine.wait("the fault is gone", lambda: ("port_lost", "button_panel") not in cabinet.faults(), EDGE_S)
    assert held_lines(cabinet)[pin][1] is False
    yield f"given back: the panel runs {took:.0f} s later"
