"""A cut wire of a door reads as an open door; a switch that is wired the other way round is an event at every start."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.journal.event_catalogue import Event
from controller.machine.states import State
from drivers.wiring import Door, Input
from tests.rigs.virtual_cabinet import VirtualCabinet


class Rewired(VirtualCabinet):
    """A cabinet whose pins are changed before its start."""

    def rewire(self, *, doors: dict[str, Door] | None = None, keys: dict[str, Input] | None = None) -> None:
        """Put these switches in place of the sample's."""
        pins = self.config.pins
        pins = replace(pins, doors={**pins.doors, **(doors or {})}, keys={**pins.keys, **(keys or {})})
        self.config = replace(self.config, pins=pins)

    async def unsafe(self) -> list[tuple[str, str]]:
        """Return place and key of each event of unsafe wiring, the oldest first."""
        assert self.supervisor is not None
        query = (
            "SELECT data ->> '$.place', data ->> '$.setting' FROM ledger"
            " WHERE kind = 'event' AND data ->> '$.code' = ? ORDER BY seq"
        )
        code = Event.CUT_WIRE_OF_DOOR.code
        return await self.supervisor.journal.do(lambda tx: tx.execute(query, (code,)).fetchall())


@pytest.mark.parametrize("name", ["main", "cash_box", "logic"])
async def test_a_cut_wire_of_a_door_is_an_open_door(tmp_path: Path, name: str) -> None:
    """With the default level: from the start on, and within play; a default is no event."""
    cabinet = Rewired(tmp_path)
    cabinet.rewire(doors={door: Door(pin=wired.pin) for door, wired in cabinet.config.pins.doors.items()})
    pin = cabinet.config.pins.doors[name].pin
    supervisor = await cabinet.start()
    await cabinet.until(lambda: cabinet.state == "attract")
    assert supervisor.machine.conditions.overlay is None
    cabinet.factory.pin(pin).drive_high()
    cabinet.closed.discard(pin)
    for _ in range(2):
        conditions = supervisor.machine.conditions
        await cabinet.until(lambda: ("door_open", name) in conditions.found())  # noqa: B023 - it is called at once
        assert conditions.overlay is State.TILTED
        assert await cabinet.unsafe() == []
        await cabinet.kill()
        supervisor = await cabinet.start()
    await cabinet.kill()


async def test_a_switch_wired_the_other_way_round_is_an_event_at_every_start(tmp_path: Path) -> None:
    """A door that would read as shut, and a key that would read as turned; those wired safely are not named."""
    cabinet = Rewired(tmp_path)
    pins = cabinet.config.pins
    door, key = pins.doors["cash_box"], pins.keys["technician"]
    cabinet.rewire(doors={"cash_box": replace(door, active=0)}, keys={"technician": replace(key, active=1)})
    cabinet.closed.discard(door.pin)
    cabinet.closed.add(key.pin)
    told = [
        ("cash_box", "pins.doors.cash_box.active"),
        ("technician_key", "pins.keys.technician.active"),
    ]
    for starts in (1, 2):
        await cabinet.start()
        await cabinet.until(lambda: cabinet.state == "attract")
        await asyncio.sleep(1.0)
        assert await cabinet.unsafe() == told * starts
        await cabinet.kill()
