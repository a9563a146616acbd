"""Within the emulated machine, as the supervisor's user: the cabinet's own drivers on the real header library.

`python inside.py CABINET_TOML` runs every button, door, key, lamp, tier and hard meter of the configuration. What they
report is printed as one JSON object a line, each with the monotonic time; words on standard input move the outputs:
`lamps NAME`, `tower NAME` (all others dark), `pulse METER TIMES`, `end`.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

from controller.configuration.cabinet_toml import load
from drivers.capabilities import Driver
from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.gpio import open_header
from drivers.pins.button_panel import ButtonPanel
from drivers.pins.expander import Expander
from drivers.pins.hard_meter import HardMeter
from drivers.pins.lamps import Lamps
from drivers.pins.switches import Switches
from drivers.pins.tower_light import TowerLight

AGAIN_S = 0.5


def say(**facts: object) -> None:
    """Print one fact."""
    sys.stdout.write(json.dumps({"now": time.monotonic(), **facts}) + "\n")
    sys.stdout.flush()


class SaidFaults:
    """Prints the drivers' faults."""

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Print it."""
        say(fault=code, device=device, present=present, detail=detail)


async def serve(path: Path) -> None:
    """Run the drivers until `end` is said."""
    pins = load(path).pins
    header = open_header(pins.factory, expanders=pins.expanders)
    clock, faults = LoopClock(), SaidFaults()
    held = pins.debounce_ms
    lamps = Lamps({name: button.lamp for name, button in pins.buttons.items()}, header, clock)
    tower = TowerLight(pins.tower, header, clock)
    meters = {
        name: HardMeter(name, meter, header, clock, debounce_ms=held, faults=faults)
        for name, meter in pins.meters.items()
    }
    panel = ButtonPanel(
        {name: button.pin for name, button in pins.buttons.items()},
        header,
        clock,
        debounce_ms=held,
        on_press=lambda name, at: say(press=name, at=at),
        on_release=lambda name, at: say(release=name, at=at),
        faults=faults,
        on_edge=lambda name, active, at: say(edge=f"buttons.{name}", active=active, at=at),
    )
    switches = [
        Switches(
            kind,
            wired,
            header,
            clock,
            debounce_ms=held,
            on_change=lambda _name, _active: None,
            on_edge=lambda name, active, at, kind=kind: say(edge=f"{kind}.{name}", active=active, at=at),  # type: ignore[misc]
        )
        for kind, wired in (("doors", pins.doors), ("keys", pins.keys))
    ]
    expanders = [Expander(header.chips[name], wired, header, clock) for name, wired in pins.expanders.items()]
    drivers: list[Driver] = [*expanders, lamps, tower, panel, *switches, *meters.values()]

    async def kept(driver: Driver) -> None:
        while True:
            try:
                await driver.run()
            except PortError as error:
                say(lost=str(error))
                await clock.sleep(AGAIN_S)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(kept(driver)) for driver in drivers]
        await clock.sleep(1.0)
        say(ready=[repr(driver) for driver in drivers])
        while (words := (await asyncio.to_thread(sys.stdin.readline)).split() or ["end"]) != ["end"]:
            word, name, *rest = words
            if word == "pulse":
                for _ in range(int(rest[0])):
                    await meters[name].pulse()
            elif word == "lamps":
                lamps.set({name: "on"} if name != "none" else {})
            else:
                tower.set({name: "on"} if name != "none" else {})
            say(done=words)
        for task in tasks:
            task.cancel()
    header.close()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
