"""The service menu on the command line: the same pages, keys, rights and events as on the screen (service-menu.md)."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from controller.features.console.client import Console, MenuClosedError, NotThereError
from controller.features.console.link import GROUP, OWNER, MachineMenu
from controller.features.console.words import MOST_BYTES, Denied, Look, Push, Sheet, decode_to_console, encode
from controller.journal.actor import Role
from controller.journal.people import Person, add_person
from controller.journal.transaction import Transaction
from controller.service.pin_gate import keep_pin
from controller.system.peers import BOUNDS
from tests.rigs.console import apart, run, serving
from tests.rigs.machine import Rig
from tests.rigs.people import PIN
from tests.rigs.service_menu import Hand, strayed
from ui.protocol.messages import ServicePage

OTHER = "704125"


@asynccontextmanager
async def served(folder: Path, *, mode: int = OWNER) -> AsyncIterator[tuple[Rig, Path]]:
    """A machine, and the console's socket that is served for it."""
    async with Rig(folder) as rig, serving(rig, folder, mode=mode) as path:
        yield rig, path


async def test_a_page_is_printed_once(tmp_path: Path) -> None:
    """`cabinet service M.1` walks to the page, as the screen shows, and prints it; --json gives it to a program."""
    async with served(tmp_path) as (rig, path):
        await rig.game(2000)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        result = await apart(lambda: run(path, "m.1"))
        assert (result.exit_code, hand.page.code) == (0, "M.1")
        assert "M.1  Lifetime  (attendant)" in result.output
        assert any("Notes in" in line and "20.00" in line for line in result.output.splitlines())
        for code in ("H.1", "M.1"):
            result = await apart(lambda: run(path, code, "--json"))  # noqa: B023 - run at once
            assert (json.loads(result.output)["code"], result.exit_code) == (code, 0)


@pytest.mark.parametrize(
    ("turned", "code", "exit_code", "words"),
    [
        (None, "M.1", 5, "turn a key switch at the cabinet"),
        (Role.ATTENDANT, "C.1", 6, "No row leads to C here, for the attendant"),
        (Role.ATTENDANT, "M.99", 6, "No row leads to M.99"),
    ],
)
async def test_what_is_not_to_be_had_says_why(
    tmp_path: Path, turned: Role | None, code: str, exit_code: int, words: str
) -> None:
    """The key must be turned at the cabinet, and opens no more here than it opens there."""
    async with served(tmp_path) as (rig, path):
        if turned is not None:
            await Hand(rig).turn(turned)
        result = await apart(lambda: run(path, code))
        assert result.exit_code == exit_code
        assert words in result.output


def test_without_a_supervisor_there_is_no_menu(tmp_path: Path) -> None:
    """A missing socket and a dead one: exit code 3, and what to look at."""
    path = tmp_path / "console.sock"
    for _ in range(2):
        result = run(path, "M.1")
        assert result.exit_code == 3
        assert "no supervisor listens there" in result.output
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as dead:
            if not path.exists():
                dead.bind(str(path))


@pytest.mark.requirement("S1")
async def test_the_pin_is_asked_and_nothing_of_it_is_shown(tmp_path: Path) -> None:
    """The technician types it at the console as at the screen; a wrong one counts; no digit is ever printed."""
    async with served(tmp_path) as (rig, path):
        await rig.turn_key("technician")
        hand = Hand(rig)
        await hand.turn(Role.TECHNICIAN)
        result = await apart(lambda: run(path, "U.12", typed=f"111111\n{PIN}\n"))
        assert result.exit_code == 0
        assert "Licences" in result.output
        assert PIN not in result.output
        assert "1111" not in result.output
        assert "Wrong PIN" in result.output
        assert (len(await rig.events("pin_wrong")), len(await rig.events("pin_granted"))) == (1, 1)
        await hand.turn(Role.TECHNICIAN, on=False)
        await hand.turn(Role.TECHNICIAN)
        result = await apart(lambda: run(path, "U.12", typed="1111\n"))
        assert (result.exit_code, "The PIN is asked first" in result.output) == (6, True)


class Turning(MachineMenu):
    """A menu whose key was turned a moment ago: at the first looks its page asks for nothing yet."""

    looks = 0

    @property
    def page(self) -> ServicePage | None:
        """The page."""
        self.looks += 1
        page = super().page
        assert page is not None
        return page if self.looks > 9 else msgspec.structs.replace(page, entry="", rows=())


async def test_a_key_that_was_turned_just_now_asks_for_its_pin(tmp_path: Path) -> None:
    """The answer waits for that page, or the console would say that nobody may come in."""
    async with Rig(tmp_path) as rig:
        await rig.turn_key("technician")
        async with serving(rig, tmp_path, menu=Turning(rig.machine.parts)) as path:
            await Hand(rig).turn(Role.TECHNICIAN)
            loop = asyncio.get_running_loop()
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as console:
                console.settimeout(0)
                console.connect(str(path))
                await loop.sock_sendall(console, encode(Look()))
                answer = decode_to_console(await loop.sock_recv(console, MOST_BYTES))
            assert isinstance(answer, Sheet)
            assert answer.page is not None
            assert (answer.page.gate, answer.page.entry) == (True, "PIN")


async def test_a_name_and_a_page_are_chosen_at_the_console(tmp_path: Path) -> None:
    """Where several may have turned the key a name is typed first; the field for a code takes one as it is written."""
    async with served(tmp_path) as (rig, path):
        await rig.turn_key("technician")
        other = await keep_pin(rig.service.machine, OTHER, "Ben", Role.TECHNICIAN, _add_ben)
        assert other.id == 2
        hand = Hand(rig)
        await hand.turn(Role.TECHNICIAN)
        result = await apart(lambda: run(path, "M.1", typed="nobody\n"))
        assert (result.exit_code, "Nobody of that name" in result.output) == (6, True)
        result = await apart(lambda: run(path, typed=f"ben\n{OTHER}\n7\nH.2\nb\nb\n7\nx9\nq\n"))
        assert result.exit_code == 0, result.output
        assert "H.2  Events  (Ben)" in result.output
        assert "There is no page x9" in result.output
        rows = await rig.rows("SELECT data ->> '$.by.name', data ->> '$.where' FROM ledger WHERE data LIKE '%Ben%'")
        assert ("Ben", "console") in rows


def _add_ben(tx: Transaction, seal: str) -> Person:
    return add_person(tx, "Ben", Role.TECHNICIAN, seal, change_pin=False)


async def test_what_is_done_from_the_console_says_so_in_the_books(tmp_path: Path) -> None:
    """The same act, question and event as at the screen, with `console` as where it came from."""
    async with served(tmp_path) as (rig, path):
        await rig.journal.do(strayed)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        result = await apart(lambda: run(path, typed="A.8\n2\n2000\nn\n2\n2000\ny\ny\nq\n"))
        assert result.exit_code == 0, result.output
        assert "Nothing was changed" in result.output
        assert "It is resolved" in result.output
        assert await rig.meter("found_in") == 2000
        rows = await rig.rows("SELECT kind, data FROM ledger WHERE data LIKE '%where%' ORDER BY seq")
        assert [kind for kind, _ in rows] == ["open_item", "event"]
        assert all(json.loads(str(data))["where"] == "console" for _, data in rows)
        assert not (await rig.rows("SELECT 1 FROM ledger WHERE data LIKE '%menu_opened%where%'"))


async def test_who_sits_at_the_console_is_logged(tmp_path: Path) -> None:
    """The kernel names the process and its user; coming and going are events."""
    async with served(tmp_path) as (rig, path):
        await Hand(rig).turn(Role.ATTENDANT)
        await apart(lambda: run(path, "A.1"))
        await asyncio.sleep(1.0)
        opened, left = await rig.events("console")
        assert opened.startswith("Console opened by user ")
        assert left == opened.replace("opened", "left")


async def test_a_press_chosen_from_an_older_page_is_dropped(tmp_path: Path) -> None:
    """A press at the screen was faster: the console's does nothing, and its answer says so."""
    async with served(tmp_path) as (rig, path):
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        console = await apart(lambda: Console(path))
        await rig.press("spin")
        with pytest.raises(NotThereError, match="The page has changed"):
            await apart(lambda: console.press("service:row:1"))
        assert hand.page.code == "A"
        with pytest.raises(NotThereError, match="does nothing here"):
            await apart(lambda: console.press("service:row:99"))
        console.close()


async def test_the_key_turned_back_ends_what_the_console_does(tmp_path: Path) -> None:
    """The menu closes for both; the next press finds it closed."""
    async with served(tmp_path) as (rig, path):
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        console = await apart(lambda: Console(path))
        await hand.turn(Role.ATTENDANT, on=False)
        with pytest.raises(MenuClosedError):
            await apart(console.look)
        console.close()


@pytest.mark.parametrize(("mode", "rights"), [(OWNER, 0o600), (GROUP, 0o660)])
async def test_the_socket_is_for_few(tmp_path: Path, mode: int, rights: int) -> None:
    """The file's rights are the configuration's, and the socket is gone with the supervisor."""
    async with served(tmp_path, mode=mode) as (_rig, path):
        assert path.stat().st_mode & 0o777 == rights
    assert not path.exists()


async def test_no_more_than_four_are_served_at_once(tmp_path: Path) -> None:
    """The fifth gets the reason, which is logged; the supervisor continues."""
    async with served(tmp_path) as (rig, path):
        socks = []
        answers: list[Sheet | Denied] = []
        for _ in range(5):
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            sock.connect(str(path))
            sock.sendall(encode(Look()))
            socks.append(sock)
            answers.append(await apart(lambda: decode_to_console(sock.recv(65536))))  # noqa: B023 - run at once
        assert [type(answer) for answer in answers] == [Sheet] * 4 + [Denied]
        (result,) = await events_of(rig, "console_refused")
        assert result.endswith("4 consoles are served already")
        for sock in socks:
            sock.close()


def hung_up(sock: socket.socket) -> bool:
    """Whether the other end closed the connection; with words of ours unread that is a reset."""
    try:
        return sock.recv(65536) == b""
    except ConnectionResetError:
        return True


async def events_of(rig: Rig, code: str) -> list[str]:
    """The events of that code, once nothing waits to be recorded."""
    await rig.until_true(lambda: rig.machine.journal.posts.empty)
    return await rig.events(code)


@pytest.mark.parametrize(
    "packet", [b"nonsense", b"{}", b'{"type":"push","control":1,"turn":0}', b"\xff" * 9000, b"[" * 9000]
)
async def test_nonsense_ends_a_console_and_nothing_else(tmp_path: Path, packet: bytes) -> None:
    """Whoever does not keep to the protocol is let go; the next one is served."""
    async with served(tmp_path) as (rig, path):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.connect(str(path))
            sock.sendall(packet)
            assert await apart(lambda: hung_up(sock))
        (result,) = await events_of(rig, "console_refused")
        assert "what cannot be read" in result
        assert (await apart(lambda: run(path, "A.1"))).exit_code == 4
        await asyncio.sleep(BOUNDS.first_ban_s)
        await Hand(rig).turn(Role.ATTENDANT)
        assert (await apart(lambda: run(path, "A.1"))).exit_code == 0


async def test_a_closed_menu_takes_no_press(tmp_path: Path) -> None:
    """Without a key nothing of the game can be pressed from here: a console has no SPIN."""
    async with served(tmp_path) as (rig, path):
        await rig.game(2000)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.connect(str(path))
            sock.sendall(encode(Push("spin", rig.machine.states.turn)))
            answer = await apart(lambda: decode_to_console(sock.recv(65536)))
        assert isinstance(answer, Sheet)
        assert (answer.stale, answer.page, answer.controls) == (True, None, ())
        assert (rig.shown, rig.credit) == ("idle", 2000)


def test_a_supervisor_that_goes_is_reported(tmp_path: Path) -> None:
    """Exit code 7: it ended while somebody sat there."""
    path = tmp_path / "console.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        listener.listen()

        def hang_up() -> None:
            listener.accept()[0].close()

        threading.Thread(target=hang_up, daemon=True).start()
        result = run(path, "M.1")
    assert result.exit_code == 7
    assert "The supervisor ended" in result.output


async def test_what_is_being_typed_is_left_without_leaving_the_console(tmp_path: Path) -> None:
    """The end of input (ctrl-D) at an entry is BACK, as on the panel: nothing is kept, and the page is shown again."""
    async with served(tmp_path) as (rig, path):
        await rig.game(2000)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.4")
        row = 1 + next(place for place, one in enumerate(hand.page.rows) if one.label == "Give service credit")
        result = await apart(lambda: run(path, typed=f"{row}\n"))
        assert (result.exit_code, hand.page.code, hand.page.entry) == (0, "A.4", "")


async def test_the_language_of_a_new_cabinet_is_chosen_first(tmp_path: Path) -> None:
    """A real cabinet that nobody has set up asks for the language, then for name and PIN."""
    rig = Rig(tmp_path, simulated=False)
    await rig.start(until="tilted")
    async with serving(rig, tmp_path, mode=OWNER) as path:
        await Hand(rig).turn(Role.TECHNICIAN)
        result = await apart(lambda: run(path, "U.12", typed=f"deutsch\nADA\n{PIN}\n{PIN}\n"))
        assert result.exit_code == 0, result.output
        assert rig.machine.settings.config.cabinet.language == "de"
    await rig.kill()
