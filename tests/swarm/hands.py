"""What hands do to a cabinet, and what befalls it, each act by its name."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from drivers.simulated.fault_model.rows import How
from drivers.simulated.misbehaviour import Kind, Way
from drivers.validator_protocols import ticket_readers
from drivers.wiring import BUTTONS
from tests.rigs.technician import WARM_S
from tests.soak.host import PORT
from tests.swarm.disk import TROUBLES, WELL
from tests.swarm.script import PAYERS, PRINTER, RECYCLER, VALIDATORS, Act, Life
from tests.swarm.wall import JUMPS_S
from tests.swarm.world import BRIDGE, World

Doing = Callable[..., Awaitable[None]]
ACTS: Final[dict[str, Doing]] = {}

NOTES, COINS = ("500", "1000", "2000"), ("10", "50", "100", "200")
TRANSFERS: Final = ("100", "500", "1000", "2000", "25000")
PRESSED: Final = (*BUTTONS, "spin", "spin", "collect", "collect")
TURNS: Final = ("0", "1", "2", "3", "5", "8", "13", "21", "34")
"""How many turns of the loop pass before a kill: it falls between any two awaits."""
COMMITS_S: Final = (0.0, 0.0, 0.01, 0.05, 0.3)
"""How long a commit takes; no host waits for an answer as long as the last one."""
PAUSES: Final = (0.0, 0.02, 0.1, 0.3, 0.7, 1.0, 1.5, 2.5, 5.0, 12.0)
TOUCHED: Final = ("screen", "home", "coin_value", "buy", "buy:yes", "auto:start", "menu", "history", "service:back")
DISK_PAUSES: Final = (0.3, 2.5, 12.0, 45.0)
"""How long a disk is in trouble at last; its free space is looked at every 30 s."""
HOSTED, LINES_FAIL, DOORS_MOVE, ENDS_SOON, IS_SPOILT, MEANWHILE = 0.3, 0.3, 0.15, 0.7, 0.5, 0.4
KEYS_TURN, OPENS_DOOR, TYPES_PIN, GOES_ON, TURNS_BACK = 0.2, 0.4, 0.7, 0.75, 0.8
DISK_FAILS, IS_WELL_SOON, CLOCK_JUMPS = 0.2, 0.8, 0.15
"""How likely each is."""
ROW_FIRST, MORE_AFTER = 0.6, 0.5
"""The same in a life that is drawn near some devices."""
NEAR_WARM_S: Final = 15.0
"""By then the slowest of the cabinets takes money."""
NEAR_PAUSES: Final = (0.1, 0.3, 0.7, 1.0, 1.5, 2.5, 5.0)
CUTS: Final = ("kill", "computer_off", "devices")
LINE: Final = "line"
STAFF_DOORS: Final = ("logic", "main")
LEFT_OUT: Final = frozenset({"by_hand", "slugs", "reject", "self_check", "slip", "gate_stuck_open", "double_arrival"})
"""Rows that are a technician's own act with the money, that bring none, or that no device reports."""


def act(doing: Doing) -> Doing:
    """Register an act by the name of its function."""
    ACTS[doing.__name__] = doing
    return doing


# The player.


@act
async def note(world: World, cents: str) -> None:
    world.note(int(cents))


@act
async def coin(world: World, cents: str) -> None:
    world.coin(int(cents))


@act
async def ticket(world: World) -> None:
    """Push in the ticket that is held longest."""
    world.ticket()


@act
async def press(world: World, button: str) -> None:
    await world.press(button)


@act
async def touch(world: World, control: str) -> None:
    """Touch the screen where a control is, if it is shown."""
    if world.supervisor is not None:
        world.supervisor.machine.states.press(control)


# Who has keys.


@act
async def key(world: World, name: str, how: str) -> None:
    """Turn a key and leave it so."""
    world.key(name, is_on=how == "on")


@act
async def pin(world: World) -> None:
    """Type the technician's PIN, if the menu asks for it."""
    if world.alive:
        await world.type_pin()


# The host.


@act
async def transfer(world: World, to: str, cents: str, part: str) -> None:
    """Have the host move money to the machine or to itself, `part` of it where it is too much."""
    world.transfer(to_machine=to == "machine", cents=int(cents), partial=part == "part")


# Who pulls plugs.


@act
async def kill(world: World, turns: str) -> None:
    """End the program so many turns of the loop from now."""
    await _turns(int(turns))
    if world.alive:
        await world.die(computer=False)


@act
async def computer_off(world: World, turns: str) -> None:
    """Cut the computer's power alone."""
    await _turns(int(turns))
    if world.alive:
        await world.die(computer=True)
    elif world.computer:
        world.boots_anew()
    world.computer = False


@act
async def start(world: World) -> None:
    """Give the computer its power, and start the program if it is dead."""
    world.computer = True
    if not world.alive:
        await world.start_program()


@act
async def devices_off(world: World) -> None:
    world.strike()
    world.devices_power(on=False)


@act
async def devices_on(world: World) -> None:
    world.devices_power(on=True)


@act
async def unplug(world: World, line: str) -> None:
    world.strike(line)
    world.lines[line].unplug()


@act
async def plug(world: World, line: str) -> None:
    world.lines[line].plug()


@act
async def spoil(world: World, line: str, kind: str, frames: str, way: str) -> None:
    """Treat the next frames of a line badly."""
    world.strike(line)
    world.lines[line].misbehaviour.inject(Kind(kind), int(frames), way=Way(way))


@act
async def door(world: World, name: str, how: str) -> None:
    world.door(name, is_open=how == "open")


@act
async def disk(world: World, state: str) -> None:
    """Have the disk of the books be full, have its reserve left, fail to sync, or be well."""
    world.strike()
    world.disk.state = state


@act
async def clock(world: World, seconds: str) -> None:
    """Set the wall clock forwards or backwards."""
    world.clock.jump(int(seconds))


@act
async def befall(world: World, part: str, row: str, much: str) -> None:
    """Have a row of the fault model befall a device; what cannot happen now does not."""
    with suppress(ValueError):
        world.parts[part].troubles[row](int(much))
        world.befallen.add((part, row))
        world.struck.add(part)
        if part == "bridge":
            world.strike(BRIDGE)


async def _turns(turns: int) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)


def drawn(seed: int) -> Life:
    """Draw a whole life: a cabinet, the few things that may befall it, and the acts."""
    chance = random.Random(seed)
    validator = chance.choice(VALIDATORS)
    payer = RECYCLER if validator == RECYCLER else chance.choice(_payers(validator))
    hosted = chance.random() < HOSTED
    commit_s = chance.choice(COMMITS_S[: 4 if hosted else 5])
    life = Life(seed, validator, payer, commit_s, hosted, ())
    return life.only([*_Drawing(chance, World(Path("drawn"), life)).acts()])


def _payers(validator: str) -> tuple[str, ...]:
    return (*PAYERS, PRINTER, PRINTER) if validator in ticket_readers() else PAYERS


def drawn_near(
    seed: int, cabinets: Sequence[tuple[str, str]], parts: Collection[str], troubles: Collection[str]
) -> Life:
    """Draw a short life of one of these cabinets (validator and payer), with trouble for these parts of it.

    `troubles` are the rows, the cuts (`CUTS`) or `LINE` that may come; without any, all may.
    """
    chance = random.Random(seed)
    validator, payer = chance.choice(cabinets)
    life = Life(seed, validator, payer, chance.choice((0.0, 0.05, 0.3)), host=False, acts=())
    return life.only([*_DrawingNear(chance, World(Path("drawn"), life), parts, troubles).acts()])


def _rows_of(world: World) -> list[tuple[str, str, How]]:
    """Return the rows that may befall the cabinet's devices, each with its part."""
    return [
        (part, name, row.how)
        for part, fitted in sorted(world.parts.items())
        for name, row in sorted(fitted.rows.items())
        if name in fitted.troubles and name not in LEFT_OUT and row.how is not How.ALWAYS
    ]


class _Drawing:
    """Draws the acts of one life; most kinds of trouble are off in most lives."""

    def __init__(self, chance: random.Random, world: World) -> None:
        self._chance = chance
        self._prints, self._hosted = world.prints, world.life.host
        rows = _rows_of(world)
        self._rows = chance.sample(rows, min(len(rows), chance.choice((0, 1, 1, 2, 3, 6))))
        self._lines = sorted({*world.lines} - {PORT.port}) if chance.random() < LINES_FAIL else []
        self._doors = sorted(world.config.pins.doors) if chance.random() < DOORS_MOVE else []
        self._cuts = chance.sample(CUTS, chance.choice((0, 1, 1, 2, 3)))
        self._keys = sorted(world.config.pins.keys) if chance.random() < KEYS_TURN else []
        self._disk = chance.choice(TROUBLES) if chance.random() < DISK_FAILS else ""
        self._jumps = chance.random() < CLOCK_JUMPS

    def acts(self) -> Iterator[Act]:
        """Draw a whole life, which begins with money on its way."""
        yield Act(WARM_S, "note", (self._chance.choice(NOTES),))
        kinds = [
            *self._calm,
            *([self._cut] if self._cuts else []),
            *([self._disk_fails] if self._disk else []),
        ]
        for _ in range(self._chance.randint(3, 14)):
            yield from self._chance.choice(kinds)()

    @property
    def _calm(self) -> list[Callable[[], Iterator[Act]]]:
        """What may happen while the power is on or off."""
        return [
            *(self._note, self._coin, self._press) * 2,
            *([self._ticket, self._collect] * 2 if self._prints else []),
            *([self._transfer] * 3 if self._hosted else []),
            *([self._befall] * 2 if self._rows else []),
            *([self._line] if self._lines else []),
            *([self._door] if self._doors else []),
            *([self._visit] * 2 if self._keys else []),
            *([self._jump] * 2 if self._jumps else []),
        ]

    def _pause(self) -> float:
        return self._chance.choice(PAUSES)

    def _note(self) -> Iterator[Act]:
        yield Act(self._pause(), "note", (self._chance.choice(NOTES),))

    def _coin(self) -> Iterator[Act]:
        yield Act(self._pause(), "coin", (self._chance.choice(COINS),))

    def _transfer(self) -> Iterator[Act]:
        to, part = self._chance.choice(("machine", "host")), self._chance.choice(("part", "whole"))
        yield Act(self._pause(), "transfer", (to, self._chance.choice(TRANSFERS), part))

    def _ticket(self) -> Iterator[Act]:
        yield Act(self._pause(), "ticket")

    def _collect(self) -> Iterator[Act]:
        yield Act(self._pause(), "press", ("collect",))

    def _press(self) -> Iterator[Act]:
        yield Act(self._pause(), "press", (self._chance.choice(PRESSED),))

    def _befall(self) -> Iterator[Act]:
        part, name, how = self._chance.choice(self._rows)
        yield Act(self._pause(), "befall", (part, name, "1"))
        if how is How.LASTS and self._chance.random() < ENDS_SOON:
            yield Act(self._pause(), "befall", (part, name, "0"))

    def _line(self) -> Iterator[Act]:
        name = self._chance.choice(self._lines)
        if self._chance.random() < IS_SPOILT:
            kind, way = self._chance.choice([*Kind]), self._chance.choice([*Way])
            yield Act(self._pause(), "spoil", (name, kind.value, str(self._chance.randint(1, 4)), way.value))
        else:
            yield Act(self._pause(), "unplug", (name,))
            yield Act(self._pause(), "plug", (name,))

    def _door(self) -> Iterator[Act]:
        name = self._chance.choice(self._doors)
        yield Act(self._pause(), "door", (name, "open"))
        yield Act(self._pause(), "door", (name, "shut"))

    def _visit(self) -> Iterator[Act]:
        """Somebody turns a key, works at the panel and the menu, and turns it back or leaves it on."""
        name = self._chance.choice(self._keys)
        door = self._chance.choice(STAFF_DOORS) if self._chance.random() < OPENS_DOOR else ""
        if door:
            yield Act(self._pause(), "door", (door, "open"))
        yield Act(self._pause(), "key", (name, "on"))
        if self._chance.random() < TYPES_PIN:
            yield Act(self._pause(), "pin")
        meanwhile = [*(self._press, self._touch) * 3, self._note, self._coin, *([self._cut] if self._cuts else [])]
        while self._chance.random() < GOES_ON:
            yield from self._chance.choice(meanwhile)()
        if self._chance.random() < TURNS_BACK:
            yield Act(self._pause(), "key", (name, "off"))
        if door:
            yield Act(self._pause(), "door", (door, "shut"))

    def _disk_fails(self) -> Iterator[Act]:
        yield Act(self._pause(), "disk", (self._disk,))
        kinds = [*self._calm, *([self._cut] if self._cuts else [])]
        while self._chance.random() < MEANWHILE:
            yield from self._chance.choice(kinds)()
        if self._chance.random() < IS_WELL_SOON:
            yield Act(self._chance.choice(DISK_PAUSES), "disk", (WELL,))

    def _jump(self) -> Iterator[Act]:
        yield Act(self._pause(), "clock", (self._chance.choice(JUMPS_S),))

    def _touch(self) -> Iterator[Act]:
        yield Act(self._pause(), "touch", (self._chance.choice(TOUCHED),))

    def _cut(self) -> Iterator[Act]:
        """A kill or a cut, what happens meanwhile, and the start."""
        which = self._chance.choice(self._cuts)
        if which == "devices":
            yield Act(self._pause(), "devices_off")
        else:
            yield Act(self._pause(), which, (self._chance.choice(TURNS),))
        while self._chance.random() < MEANWHILE:
            yield from self._chance.choice(self._calm)()
        yield Act(self._pause(), "devices_on" if which == "devices" else "start")


class _DrawingNear(_Drawing):
    """Draws a few acts about the money of some parts: that money on its way, and one or two kinds of trouble."""

    def __init__(self, chance: random.Random, world: World, parts: Collection[str], troubles: Collection[str]) -> None:
        super().__init__(chance, world)
        paying = "payer" if "payer" in world.parts else "bills"
        near = {*(paying if part == "payer" else part for part in parts), "bridge"}
        rows = [row for row in _rows_of(world) if row[0] in near and (not troubles or row[1] in troubles)]
        cuts = [cut for cut in CUTS if not troubles or cut in troubles]
        self._rows = chance.sample(rows, min(len(rows), chance.choice((1, 1, 2) if troubles else (0, 1, 1, 2))))
        self._cuts = chance.sample(cuts, min(len(cuts), chance.choice((0, 1, 1, 2)) if rows else 1))
        self._lines = sorted(world.lines) if LINE in troubles or (not troubles and chance.random() < LINES_FAIL) else []
        self._doors, self._keys, self._disk, self._jumps = [], [], "", False
        moving = {"bills": self._note, "coins": self._coin, "payer": self._payout}
        self._moving = [moving[part] for part in sorted(parts)]

    def acts(self) -> Iterator[Act]:
        """Draw the money, before or after the trouble's row, then the troubles."""
        first = [*([self._befall] if self._rows and self._chance.random() < ROW_FIRST else []), self._money]
        begun = [one for draw in first for one in draw()]
        yield begun[0]._replace(after_s=NEAR_WARM_S)
        yield from begun[1:]
        kinds = [
            *([self._befall] if self._rows else []),
            *([self._line] if self._lines else []),
            *([self._cut] * 2 if self._cuts else []),
        ]
        for _ in range(self._chance.randint(1, 3)):
            yield from self._chance.choice(kinds or [self._money])()
        if self._chance.random() < MORE_AFTER:
            yield from self._money()

    def _money(self) -> Iterator[Act]:
        return self._chance.choice(self._moving)()

    def _payout(self) -> Iterator[Act]:
        yield Act(self._pause(), "note", ("2000",))
        yield Act(5.0, "press", ("collect",))
        yield Act(1.0, "press", ("collect",))  # the first one may only have left the attract screen

    def _pause(self) -> float:
        return self._chance.choice(NEAR_PAUSES)
