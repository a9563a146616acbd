"""A technician before a whole cabinet on virtual time: key, PIN, main door, and the menu by the panel's own buttons."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from controller.hardware.hardware import Hardware
from controller.hardware.money_listener import MoneyListener
from controller.journal import ledger, periods
from controller.journal.transaction import Transaction
from controller.machine.machine import Machine
from controller.service.menu import ServiceMenu
from tests.rigs.logged_events import words_of
from tests.rigs.people import typed_at
from tests.rigs.virtual_cabinet import PRESS_S, VirtualCabinet
from ui.protocol.messages import ServicePage, ServiceRow

BUTTONS = {"up": "lines", "down": "bet", "enter": "spin", "back": "collect"}
WARM_S = 8.0
"""By then every device serves."""


class Technician:
    """Drives the service menu of `cabinet`; the menu's rows are entered by how they begin."""

    def __init__(self, cabinet: VirtualCabinet) -> None:
        self.cabinet = cabinet

    @property
    def machine(self) -> Machine:
        """The machine of the supervisor that runs."""
        assert self.cabinet.supervisor is not None
        return self.cabinet.supervisor.machine

    @property
    def hardware(self) -> Hardware:
        """The drivers of the supervisor that runs."""
        assert self.cabinet.supervisor is not None
        return self.cabinet.supervisor.hardware

    @property
    def listener(self) -> MoneyListener:
        """What the drivers of that supervisor report to."""
        assert self.cabinet.supervisor is not None
        return self.cabinet.supervisor.listener

    @property
    def service(self) -> ServiceMenu:
        """The service menu of that supervisor."""
        assert self.cabinet.supervisor is not None
        return self.cabinet.supervisor.service

    @property
    def page(self) -> ServicePage:
        """The page that is open."""
        page = self.service.page
        assert page is not None
        return page

    @property
    def closed(self) -> bool:
        """Whether no menu is open."""
        return self.service.page is None

    def turn(self, *, on: bool, key: str = "technician") -> None:
        """Turn a key on or off, and leave it there."""
        pin = self.cabinet.factory.pin(self.cabinet.config.pins.keys[key].pin)
        if on:
            pin.drive_low()
        else:
            pin.drive_high()

    async def open(self, *, door: bool = True) -> None:
        """Open the main door, turn the key and type the PIN, choosing it the first time."""
        if door:
            self.cabinet.door("main", is_open=True)
            await self.cabinet.until(lambda: self.machine.conditions.doors["main"])
        self.turn(on=True)
        await self.cabinet.until(lambda: not self.closed)
        while self.page.gate:
            for control in typed_at(self.page):
                await self.touch(control)
            await self.cabinet.until(lambda: not self.page.gate or not self.page.typed)

    async def close(self) -> None:
        """Turn the key back and shut the door."""
        self.turn(on=False)
        await self.cabinet.until(lambda: self.closed)
        self.cabinet.door("main", is_open=False)
        await self.cabinet.until(lambda: not self.machine.conditions.doors["main"])

    async def touch(self, control: str) -> None:
        """Touch a control of the page."""
        self.machine.states.press(control)
        await self.pause()

    async def key(self, name: str) -> None:
        """Press the panel's button for `up`, `down`, `enter` or `back`."""
        await self.cabinet.tap(BUTTONS[name])

    async def go(self, code: str) -> None:
        """Walk from the whole menu to a page."""
        for step in (code[0], code):
            await self.enter(step)
        assert self.page.code == code, self.page.message

    async def go_by_touch(self, code: str) -> None:
        """Touch the way to a page from wherever the menu is, as where the buttons are dead."""
        while self.page.code:
            await self.touch("service:back")
        for step in (code[0], code):
            at = next(number for number, row in enumerate(self.page.rows) if row.code == step)
            await self.touch(f"service:row:{at}")
        assert self.page.code == code, self.page.message

    async def enter(self, words: str) -> None:
        """Move the cursor to the row that begins so (its code, its label or its place), and enter it."""
        at = next(number for number, row in enumerate(self.page.rows) if words in (row.code, row.label, row.place))
        while self.page.focus != at:
            await self.key("down" if self.page.focus < at else "up")
        await self.key("enter")

    def row(self, words: str) -> ServiceRow:
        """The row with that code, label or place."""
        return next(row for row in self.page.rows if words in (row.code, row.label, row.place))

    def said(self) -> list[str]:
        """What every row says: its label with its place, and its value."""
        return [f"{row.label.replace('{place}', row.place)}: {row.value}" for row in self.page.rows]

    async def pause(self, seconds: float = PRESS_S) -> None:
        """Let time pass."""
        await self.machine.clock.sleep(seconds)

    async def meters(self) -> dict[str, int]:
        """Every meter's figure but the doors' and the power-ups', which count what truly happens."""

        def read(tx: Transaction) -> dict[str, int]:
            figures = periods.lifetime(tx)
            return {name: figure for name, figure in figures.items() if not name.startswith(("door_", "power_"))}

        return await self.machine.journal.do(read)

    async def events(self, code: str = "service_test") -> list[str]:
        """The English words of the events with that code, in order."""
        return await self.machine.journal.do(lambda tx: words_of(tx.execute, code))

    def outputs(self) -> set[int]:
        """The pins that are driven high; lamps and tower tiers that flash are not among them."""
        wired = self.cabinet.config.pins
        flashing = {*(button.lamp for button in wired.buttons.values()), *(tier.pin for tier in wired.tower.values())}
        return {pin for pin in range(28) if self.driven(pin)} - {pin for pin in flashing if isinstance(pin, int)}

    def driven(self, number: int) -> bool:
        """Whether a pin is an output that is energised."""
        pin = self.cabinet.factory.pin(number)
        return pin.function == "output" and bool(pin._state)

    def lit(self) -> set[str]:
        """The buttons that are lit now."""
        return {name for name, button in self.cabinet.config.pins.buttons.items() if self.driven(int(button.lamp))}


@asynccontextmanager
async def technician_at(folder: Path, cabinet: VirtualCabinet | None = None) -> AsyncIterator[Technician]:
    """A cabinet that is idle with 20.00 in it, and a technician before it; ended with the test."""
    cabinet = cabinet or VirtualCabinet(folder)
    await cabinet.start()
    technician = Technician(cabinet)
    try:
        await technician.pause(WARM_S)
        await cabinet.insert_note(2000)
        await cabinet.until(lambda: cabinet.state == "idle")
        yield technician
    finally:
        await cabinet.kill()


def books(tx: Transaction) -> tuple[object, ...]:
    """What no test may move: credit, money rows of the ledger, what the hard meters are owed and were given."""
    ledger.self_audit(tx._connection)
    moved = tx.execute("SELECT count(*) FROM ledger WHERE credit_delta <> 0").fetchone()
    hard = tx.execute("SELECT name, owed + given_units, doubtful FROM hard_meters ORDER BY name").fetchall()
    return (tx.credit_cents, moved, hard)


async def opened(technician: Technician, code: str) -> tuple[object, ...]:
    """Open the menu and a test; return the books before it."""
    await technician.open()
    before = await technician.machine.journal.do(books)
    await technician.go(code)
    return before


async def says(technician: Technician, words: str) -> None:
    """Wait until the page says these words, or one of several, in a row or as its message."""
    page = technician

    def said() -> bool:
        lines = (*page.said(), page.page.message)
        return any(one in line for one in words.split("|") for line in lines)

    await technician.cabinet.until(said, 60.0)
