"""The cabinet of a life: the production supervisor and drivers on virtual time, and any mixture of devices."""

import asyncio
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from controller.configuration.tickets import Tickets
from controller.hardware.wires import Wires
from controller.journal.store import Store
from controller.monitors.storage import DiskSpaceAgain, Room
from controller.service.menu import ServiceMenu
from controller.supervisor import Supervisor
from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.paper import Piece as Paper
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.fault_model.rows import How, Row
from drivers.simulated.fault_model.table import FAULT_MODEL
from drivers.simulated.line import LineDevice
from drivers.simulated.mdb.bill_validator import SimulatedMdbBills
from drivers.simulated.mdb.bridge import MdbBridge
from drivers.simulated.mdb.coin_changer import SimulatedChanger
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from drivers.simulated.whereabouts import Money, Spot, cents
from drivers.wiring import TicketPrinter
from tests.rigs.books import laid
from tests.rigs.money_cabinets import COIN_UNIT, TUBE_UNIT, UNIT
from tests.rigs.power_cuts import left_as_cut
from tests.rigs.sas_aft import IN_HOUSE_TO_HOST, IN_HOUSE_TO_MACHINE, PARTIAL_ALLOWED
from tests.rigs.slow_books import SlowWriter
from tests.rigs.virtual_cabinet import PRESS_S, Powered, VirtualCabinet
from tests.soak.host import PORT, DayHost
from tests.swarm.disk import Disk, DiskStore
from tests.swarm.keys import KeyWatch
from tests.swarm.script import PRINTER, RECYCLER, Life
from tests.swarm.wall import WallClock

BRIDGE: Final = "mdb"
BUSY_LOOKS: Final = 100
"""How often a menu that is busy is looked at."""
LOW_MM: Final = 1_000
"""Left of a roll, a technician puts in another one."""
KINDS: Final = {
    "id003": "ID-003 bill validator",
    "ssp": "SSP bill validator",
    "ebds": "EBDS bill validator",
    "cctalk": "ccTalk bill validator",
    "mdb": "MDB bill validator",
    RECYCLER: "SSP recycler",
}


class Part:
    """One device of the cabinet: what it is, what may befall it and where its money lies."""

    def __init__(self, kind: str, device: Any) -> None:
        self.device = device
        self.rows: Mapping[str, Row] = {row.name: row for row in FAULT_MODEL[kind]}
        self.troubles: Mapping[str, Callable[[int], None]] = device.troubles()

    def money(self) -> Money:
        """Return what lies where."""
        money: Money = self.device.money()
        return money

    def mend(self) -> None:
        """End what lasts, and forget what was queued."""
        self.device.mishaps.forget()
        for name, row in self.rows.items():
            if row.how is How.LASTS and name in self.troubles:
                self.troubles[name](0)


class World(VirtualCabinet):
    """The cabinet of a life; `parts` are its devices by their place in it."""

    def __init__(self, folder: Path, life: Life) -> None:
        self.life = life
        self.disk = Disk()
        self.stored = type("LifesStore", (DiskStore,), {"disk": self.disk})
        own = life.validator if life.validator not in {"mdb", RECYCLER} else "ssp"
        super().__init__(folder, protocol=own, store=self.stored)
        self.clock: WallClock = WallClock()
        self._writing = SlowWriter()
        self._going_on: asyncio.Task[Supervisor] | None = None
        """The start after a full disk has room again."""
        self.parts: dict[str, Part] = {}
        self.alive = False
        self.computer = True
        self.befallen: set[tuple[str, str]] = set()
        self.struck: set[str] = set()
        """The parts that trouble has come to: a row, trouble of their line, or a cut of the program or of power."""
        self.keys = KeyWatch(Path(self.config.cabinet.journal))
        self.put_in = {"notes": 0, "coins": 0}
        self.worth: dict[str, int] = {}
        """The amount on each ticket that was printed, by its number."""
        self.held: list[str] = []
        """The numbers of the tickets in the player's hand."""
        self._fit_validator()
        if self.prints:
            self._fit_printer()
        else:
            self._fit_payer()
        if not life.mdb_coins:
            self.parts["coins"] = Part("ccTalk coin acceptor", self.coins)
        self.host = DayHost(self.clock.now, random.Random(life.seed)) if life.host else None
        if self.host is not None:
            self.lines[PORT.port] = self.host.line
            self.config = replace(self.config, host_port=PORT)
        self._bus = [
            part.device for part in self.parts.values() if isinstance(part.device, SimulatedChanger | SimulatedMdbBills)
        ]
        if self._bus:
            self.lines[BRIDGE] = MemoryLine(MdbBridge(self._bus), path=BRIDGE)
            self.parts["bridge"] = _Moneyless("MDB bridge", self.lines[BRIDGE].device)

    def _fit_validator(self) -> None:
        config, life = self.config, self.life
        assert config.bill_validator is not None
        if life.validator == "mdb":
            self.bills = SimulatedMdbBills(returned=self._note_returned, stacked=self._note_stacked)
            self.config = replace(config, bill_validator=replace(config.bill_validator, port=BRIDGE, protocol="mdb"))
            del self.lines["bill"]
        elif life.validator == RECYCLER:
            self.bills = SimulatedRecycler(
                returned=self._note_returned, stacked=self._note_stacked, note_out=self._coin_out, value_cents=UNIT
            )
            self.config = replace(config, bill_validator=replace(config.bill_validator, encryption="on"))
            self.lines["bill"] = MemoryLine(self.bills, path="bill")
        self.parts["bills"] = Part(KINDS[life.validator], self.bills)

    def _fit_payer(self) -> None:
        assert self.config.hopper is not None
        wired = self.config.hopper
        payer: LineDevice
        match self.life.payer:
            case "cctalk":
                self.parts["payer"] = Part("ccTalk hopper", self.hopper)
                return
            case "smart_hopper":
                wired = replace(wired, protocol="ssp", coin_value_cents=COIN_UNIT)
                payer = SimulatedSmartHopper(
                    value_cents=COIN_UNIT, stock={50: 100, 100: 100, 200: 50}, coin_out=self._coin_out, boxed=_nothing
                )
                self.lines["hopper"] = MemoryLine(payer, path="hopper")
                self.parts["payer"] = Part("SMART Hopper", payer)
            case "mdb":
                wired = replace(wired, port=BRIDGE, protocol="mdb", coin_value_cents=TUBE_UNIT)
                del self.lines["hopper"], self.lines["coin"]
                payer = SimulatedChanger(
                    stock={10: 30, 20: 30, 50: 30, 100: 30},
                    returned=self._coin_returned,
                    coin_out=self._coin_out,
                    boxed=_nothing,
                )
                self.parts["payer"] = Part("MDB coin changer", payer)
                assert self.config.coin_acceptor is not None
                taker = replace(self.config.coin_acceptor, port=BRIDGE, protocol="mdb")
                self.config = replace(self.config, coin_acceptor=taker)
            case _:
                wired = replace(wired, port="bill", protocol="ssp", coin_value_cents=UNIT)
                del self.lines["hopper"]
        self.config = replace(self.config, hopper=wired)

    def _fit_printer(self) -> None:
        """Fit a printer in place of the hopper."""
        del self.lines["hopper"]
        self.config = replace(
            self.config,
            hopper=None,
            tickets=Tickets(pays="all", takes=True),
            ticket_printer=TicketPrinter(port=PRINTER),
        )
        printer = SimulatedPrinter(dropped=self._paper_out, build=Build(baud=0))
        self.lines[PRINTER] = MemoryLine(printer, path=PRINTER)
        self.parts["payer"] = _Printer("ESC/POS printer", printer)

    def _paper_out(self, paper: Paper) -> None:
        for _symbology, number in paper.codes:
            amount = next((text for text in paper.texts if text.endswith("€")), "0")
            self.worth[number] = self.worth.get(number) or int(re.sub(r"\D", "", amount))
            self.held.append(number)

    def _note_returned(self, paper: int | str) -> None:
        super()._note_returned(paper)
        if isinstance(paper, str):
            self.held.append(paper)

    @property
    def devices(self) -> tuple[Powered, ...]:
        return tuple(part.device for part in self.parts.values())

    def wires(self) -> Wires:
        return super().wires()._replace(bridge_port=lambda path: self.lines[path].port)

    def _writer(self) -> Executor:
        self._writing = SlowWriter()
        return self._writing

    def _opened(self, path: Path) -> Store:
        return self.stored(laid(path), self.clock.wall_ms, simulated=True)

    def room(self, path: Path) -> Room:  # noqa: ARG002 - every file is on the one disk
        return self.disk.room()

    # What hands do.

    def coin(self, cents: int) -> None:
        """Drop a coin into the slot."""
        self.put_in["coins"] += cents
        (self.parts["payer"].device if self.life.mdb_coins else self.coins).insert(cents)

    def note(self, cents: int) -> None:
        """Push a note in."""
        self.put_in["notes"] += cents
        self.bills.insert(cents)

    def ticket(self) -> None:
        """Push in the ticket that is held longest, if there is one."""
        if self.held:
            self.bills.insert_ticket(self.held.pop(0))

    def key(self, name: str, *, is_on: bool) -> None:
        """Turn a key and leave it so, whatever becomes of the program."""
        self.keys.turned(name, is_on=is_on)
        super().key(name, is_on=is_on)

    async def press(self, button: str) -> None:
        """Press a button.

        In the menu SPIN opens pages alone: what is worked there would be a hand's word for what the books then hold.
        """
        if button != "spin" or self.supervisor is None or await self._opens_a_page(self.supervisor.service):
            await self.tap(button)

    async def _opens_a_page(self, menu: ServiceMenu) -> bool:
        """Whether SPIN does not work on what the cabinet holds: no menu is open, or a page or a field is led to.

        A menu that is busy is waited for.
        """
        for _ in range(BUSY_LOOKS):
            if menu.at_rest:
                page = menu.page
                break
            await asyncio.sleep(PRESS_S)
        else:
            return False
        return page is None or bool(page.entry) or any(row.code for row in page.rows[page.focus : page.focus + 1])

    def transfer(self, *, to_machine: bool, cents: int, partial: bool) -> None:
        """Have the host move money as soon as it comes to it."""
        assert self.host is not None
        way = IN_HOUSE_TO_MACHINE if to_machine else IN_HOUSE_TO_HOST
        self.host.wish(way, cents, PARTIAL_ALLOWED if partial else 0)

    def kept(self, what: str) -> int:
        """Return the cents of notes or coins that were put in and are not in the hand again."""
        return self.put_in[what] - self._of(what).get(Spot.RETURNED, 0)

    def strike(self, line: str = "") -> None:
        """Record trouble for the parts on a line, or for all parts."""
        devices = [*self._bus, self.lines[line].device] if line == BRIDGE else [self.lines[line].device] if line else []
        self.struck |= {name for name, part in self.parts.items() if not line or part.device in devices}

    def hangs(self, what: str) -> int:
        """Return the cents of notes or coins of which nobody can say yet whose they are.

        They hang in the way in, or a technician has carried them away with their device.
        """
        lies = self._of(what)
        return lies.get(Spot.PATH, 0) + lies.get(Spot.TAKEN, 0)

    def place(self, what: str) -> str:
        """Return the part that moves notes, coins or payments."""
        by_payer = what == "payments" or (what == "coins" and self.life.mdb_coins)
        return (
            "coins" if what == "coins" and not by_payer else "payer" if by_payer and "payer" in self.parts else "bills"
        )

    def _of(self, what: str) -> Mapping[str, int]:
        return cents(self.parts[self.place(what)].money())

    def tickets(self, *spots: Spot) -> Counter[str]:
        """Return the tickets in the validator at these places, by their numbers."""
        lies = self.parts["bills"].money()
        papers = sum((lies.get(spot, Counter()) for spot in spots), Counter())
        return Counter({paper: count for paper, count in papers.items() if isinstance(paper, str)})

    @property
    def prints(self) -> bool:
        """Whether it pays with tickets."""
        return self.life.payer == PRINTER

    @property
    def paid_cents(self) -> int:
        """What has been paid into the tray or the hand."""
        return self._of("payments").get(Spot.PAID, 0)

    async def start_program(self, *, was_full: bool = False) -> Supervisor:
        """Start a supervisor whose commits take the life's time, half of it until its caller hears of it."""
        supervisor = await super().start_program(was_full=was_full)
        self._writing.seconds = self._writing.answer_s = self.life.commit_s / 2
        self.alive = True
        self.keys.begin()
        assert self._task is not None
        self._task.add_done_callback(self._ended)
        return supervisor

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Start again as the program does, where the disk has room again."""
        if self.alive and _has_room(task):
            assert self.supervisor is not None
            if self.host is not None:
                self.host.interrupt()
            self._writing.drop()
            self.supervisor.journal.close()
            self._going_on = asyncio.create_task(self.start_program(was_full=True))

    async def _cancel(self) -> None:
        try:
            await super()._cancel()
        except* DiskSpaceAgain:
            self._task = None

    async def die(self, *, computer: bool) -> None:
        """End the program as SIGKILL does, or with the computer's power, which leaves what was synced."""
        if self._going_on is not None:
            await self._going_on
        assert self.supervisor is not None
        self.alive = False
        self.keys.end()
        self.strike()
        for line in self.lines.values():
            line.port.close()
        if self.host is not None:
            self.host.interrupt()
        await self._cancel()
        self._writing.drop()
        with left_as_cut(Path(self.config.cabinet.journal), self.stored.synced if computer else None):
            self.supervisor.journal.close()
        self.supervisor = None
        if computer:
            self.boots_anew()

    def mind(self) -> None:
        """Raise what has ended the supervisor, and what was staked or paid with a key on."""
        if self._going_on is not None and self._going_on.done():
            self._going_on.result()
        if self._task is not None and self._task.done() and not _has_room(self._task):
            self._task.result()
            raise AssertionError("the supervisor has ended")
        self.keys.look()


class _Moneyless(Part):
    """A device that holds no money and has nothing queued."""

    def money(self) -> Money:
        return {}

    def mend(self) -> None:
        for name, row in self.rows.items():
            if row.how is not How.HAND and name in self.troubles:
                self.troubles[name](0)


class _Printer(_Moneyless):
    """A ticket printer: what it has printed is in the player's hand."""

    def mend(self) -> None:
        super().mend()
        if self.device.paper_mm < LOW_MM:
            self.device.load(self.device.build.roll_mm)


def _has_room(task: "asyncio.Task[None]") -> bool:
    """Whether a supervisor has ended because its disk has room again, and for no other reason."""
    error = None if task.cancelled() else task.exception()
    return isinstance(error, BaseExceptionGroup) and error.split(DiskSpaceAgain)[1] is None


def _nothing(_cents: int) -> None:
    """Coins into the payer's own cash box are in its money."""
