"""No answer to a console precedes the commit of what it reports: every act of the menu, by what is durable by then.

A commit takes far longer than an answer. As the page after an act arrives the books must already be as the act leaves
them. Each kind of answer, and each kind of act that a row may lead to, is named here.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar, get_args

import pytest

from controller.faults import DOOR_OPEN
from controller.features.console.words import (
    MOST_BYTES,
    Denied,
    Look,
    Push,
    Sheet,
    ToConsole,
    decode_to_console,
    encode,
)
from controller.features.diagnostics.device_test import DeviceTestPage
from controller.journal.errors import JournalStorageError
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.service import licences, tree
from controller.service import page as pages
from controller.service.page import DeviceAction, Job, Line, MenuTransaction, Page
from controller.service.serviced_machine import ServicedMachine
from tests.controller.service.cut_scenes import SCENES, typed
from tests.rigs.console import serving
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand, with_sticks
from tests.rigs.slow_books import SlowWriter, WatchedStore, changed, has, watched

T = TypeVar("T")

COMMIT_S = 0.02
AFTER_S = 12 * COMMIT_S
MINUTE_S, MARGIN_S = 60.0, 20.0
FULL = "no space is left"
LEAST = 40
"""How many acts must have changed something."""
Act = MenuTransaction | Job
ACTS = (MenuTransaction, Job)
BESIDE = (DeviceAction,)
"""Acts beside the menu: their answer says that they have begun, and the page that shows their end comes later."""
NO_ACTS = frozenset({"str", "Page", "RecallRound", "ChoosePerson", "ChooseLanguage", "TypeCode"})
"""What else a row may lead to, which changes nothing but the page."""


class Console:
    """A console's end of the socket, in the machine's own loop: an answer is seen in the moment in which it is sent."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    async def ask(self, question: Look | Push) -> ToConsole:
        """Send a request; return the answer."""
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._sock, encode(question))
        return decode_to_console(await loop.sock_recv(self._sock, MOST_BYTES))


@asynccontextmanager
async def console(rig: Rig, folder: Path) -> AsyncIterator[Console]:
    """A console at that machine."""
    async with serving(rig, folder) as path:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.setblocking(False)  # noqa: FBT003 - the standard library's signature
            await asyncio.get_running_loop().sock_connect(sock, str(path))
            yield Console(sock)


def acts_on(lines: Sequence[Line], tx: Transaction, machine: ServicedMachine) -> Iterator[tuple[str, Act]]:
    """Yield every act of a page and of the pages of its own that it leads to, by its label."""
    for line in lines:
        if isinstance(line.leads, ACTS):
            yield line.label, line.leads
        elif isinstance(line.leads, Page) and not isinstance(line.leads, DeviceTestPage):
            yield from acts_on(line.leads.read(tx, machine), tx, machine)


def all_acts(tx: Transaction, machine: ServicedMachine) -> list[tuple[str, Act]]:
    """Every act of the menu once, by its page and label."""
    found: dict[str, Act] = {}
    for code, page in sorted(tree.pages().items()):
        if not isinstance(page, DeviceTestPage) and page not in licences.PAGES:  # those are long, and lead to no act
            for label, act in acts_on(page.read(tx, machine), tx, machine):
                found.setdefault(f"{code} {label}", act)
    return list(found.items())


@asynccontextmanager
async def watched_technician(folder: Path) -> AsyncIterator[tuple[Rig, type[WatchedStore], SlowWriter]]:
    """A machine whose books are watched, its main door open, and a technician in its menu."""
    own = identity.make_identity(folder / "journal.sqlite.key")
    rig, store, writer = with_sticks(folder), watched(), SlowWriter()
    rig.store, rig.writer = store, writer
    async with rig:
        await rig.journal.do(lambda tx: identity.bind(tx, own, "test", "test"))
        await rig.door(is_open=True)
        await Hand(rig).technician()
        yield rig, store, writer


async def carried_out(rig: Rig, at: Console, store: type[WatchedStore], act: MenuTransaction | Job) -> list[str]:
    """Give the last YES to an act by the console; return what it has changed, all of it before the answer."""
    dialog = rig.service._dialog
    dialog.forget()
    dialog.action, dialog.typed = act, {entry.name: typed(entry) for entry in act.entries}
    dialog._question = max(1, act.confirmations)
    rig.machine.states.new_turn()
    before = store.durable
    answer = await at.ask(Push("service:yes", rig.machine.states.turn))
    then = store.durable
    await asyncio.sleep(AFTER_S)
    assert isinstance(answer, Sheet)
    assert not answer.stale
    assert changed(then, store.durable) == []
    return changed(before, then)


async def past_the_minute(began_s: float) -> None:
    """Let no minute of the powered time end within an act."""
    left_s = MINUTE_S - (asyncio.get_running_loop().time() - began_s) % MINUTE_S
    if left_s < MARGIN_S:
        await asyncio.sleep(left_s + 1.0)


@pytest.mark.parametrize("scene", ["owing", "settled"])
async def test_a_page_after_an_act_is_sent_when_the_act_is_durable(tmp_path: Path, scene: str) -> None:
    """Each act of each page, in books that owe and in settled ones; many of them change something."""
    done, began_s = [], asyncio.get_running_loop().time()
    async with watched_technician(tmp_path) as (rig, store, writer), console(rig, tmp_path) as at:
        await rig.journal.do(SCENES[scene])
        await rig.machine.journal.reload()
        await at.ask(Look())
        for label, act in await rig.journal.do(lambda tx: all_acts(tx, rig.service.machine)):
            await past_the_minute(began_s)
            writer.seconds = COMMIT_S
            if await carried_out(rig, at, store, act):
                done.append(label)
            writer.hurry()
            rig.host.departures.clear()
    assert len(done) >= LEAST, done


async def test_a_look_is_answered_when_what_waits_is_durable(tmp_path: Path) -> None:
    """A door that was shut a moment ago is shut in the books as the page arrives."""
    async with watched_technician(tmp_path) as (rig, store, writer), console(rig, tmp_path) as at:
        await rig.machine.journal.recorded()
        assert has(store.durable, "faults", code=DOOR_OPEN, place="main", present=1)
        writer.seconds = COMMIT_S
        rig.machine.states.door("main", is_open=False)
        assert isinstance(await at.ask(Look()), Sheet)
        assert not has(store.durable, "faults", code=DOOR_OPEN, place="main", present=1)
        writer.hurry()


class FullStore(Store):
    """A store whose disk is full from some time on."""

    is_full = False

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act`, unless the disk is full."""
        if self.is_full:
            raise JournalStorageError(FULL)
        return super().transact(act, durable=durable)


async def test_a_page_whose_record_fails_reports_the_lock(tmp_path: Path) -> None:
    """The books fail while the page waits for its proof, and have failed before the next: both say why."""
    rig, store, answers = Rig(tmp_path), type("Filled", (FullStore,), {}), []
    rig.store = store
    with suppress(JournalStorageError):  # it ends the rig's own tasks too
        async with rig, console(rig, tmp_path) as at:
            store.is_full = True
            answers += [await at.ask(Look()), await at.ask(Look())]
    assert [getattr(answer, "locked", "") for answer in answers] == [FULL, FULL]


def test_each_kind_of_answer_and_of_act_is_named_here() -> None:
    """By the unions of the console's words and of what a row may lead to: a new kind must be named."""
    assert set(get_args(ToConsole)) == {Sheet, Denied}
    leads = {getattr(kind, "__forward_arg__", str(kind)) for kind in get_args(pages.Leads)} or {pages.Leads}
    named = {kind.__name__ for kind in (*ACTS, *BESIDE)} | NO_ACTS
    assert {name.strip() for name in str(next(iter(leads))).split("|")} == named
