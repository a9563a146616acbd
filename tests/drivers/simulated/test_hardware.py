import asyncio
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.pins.button_panel import ButtonPanel
from drivers.simulated.acts import SHORTEST_S, TAP_S, Acts
from drivers.simulated.bench.hands import Hands
from drivers.simulated.cabinet import SimulatedCabinet
from drivers.simulated.cctalk.hopper import CONDITIONS, UPSETS
from drivers.simulated.front import AskFaults, Do, Done, Faults, Front, TrayTicket, decode_from_front, encode
from drivers.simulated.front_client import FrontClient, FrontRefusedError
from drivers.simulated.hardware import HardwareServer
from drivers.simulated.memory import Memory
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Piece, Way
from drivers.validator_protocols import ticket_readers
from drivers.wiring import (
    BillValidator,
    Button,
    CoinAcceptor,
    Door,
    Hopper,
    Input,
    Meter,
    Output,
    Pins,
    TicketPrinter,
    Wiring,
)
from tests.rigs.fault_book import FaultBook
from tests.rigs.mock_header import MockHeader, running
from tests.rigs.network_line import CountedPort, free_address
from tests.rigs.patience import PATIENCE_S, until
from tests.rigs.ticket_printer import ANSWERS, COMMANDS, CUT
from tests.rigs.virtual_time import VirtualTimeLoop, run_virtual

PINS = Pins(
    factory="simulated",
    buttons={"spin": Button(pin=5, lamp=17)},
    doors={"main": Door(pin=6)},
    keys={"attendant": Input(pin=13, active=0)},
    tower={"top": Output(pin=27)},
    meters={"coin_in": Meter(pin=22)},
)
WORDS = "note coin key door take fault fill press release 5 0.5 on off open bill drop spin main tray ,.- ²".split()  # noqa: SIM905 - a sentence reads better
CONFIG = """
[cabinet]
name = "not about wires"
[pins]
factory = "simulated"
buttons = { spin = { pin = 5, lamp = 17 } }
doors = { main = { pin = 6, active = 1 } }
keys = { attendant = { pin = 13 } }
tower = { top = { pin = 27 } }
meters = { coin_in = { pin = 22 } }
[coin_acceptor]
port = "tty-coin"
[bill_validator]
port = "tty-bill"
parity = "none"
[hopper]
port = "tty-hopper"
coin_value_cents = 100
"""


class Cabinet:
    """A simulated cabinet in a directory of its own, and a hand."""

    def __init__(
        self,
        run: Path,
        memory: Memory | None = None,
        printer: TicketPrinter | None = None,
        bill: BillValidator | None = None,
    ) -> None:
        self.run = run
        self.changed: Callable[[], None] = lambda: None
        wiring = Wiring(
            pins=PINS,
            coin_acceptor=CoinAcceptor(port="tty-coin"),
            bill_validator=bill or BillValidator(port="tty-bill", parity="none"),
            hopper=Hopper(port="tty-hopper", coin_value_cents=100),
            ticket_printer=printer,
        )
        clock = LoopClock()
        self.devices = SimulatedCabinet(wiring, run, clock, memory=memory or Memory(), on_change=self._changed)
        self.acts = Acts(self.devices, clock)

    def _changed(self) -> None:
        self.changed()

    @property
    def front(self) -> Front:
        """What the front shows."""
        return self.devices.front()

    async def do(self, *acts: str) -> None:
        """Do some acts, one after the other."""
        for act in acts:
            await self.acts.do(act)


@contextmanager
def cabinet(
    memory: Memory | None = None, printer: TicketPrinter | None = None, bill: BillValidator | None = None
) -> Iterator[Cabinet]:
    """A cabinet under mains."""
    with TemporaryDirectory(prefix="hw") as directory:
        opened = Cabinet(Path(directory), memory, printer, bill)
        opened.devices.open()
        try:
            yield opened
        finally:
            opened.devices.close()


async def test_hands_move_contacts() -> None:
    """Buttons, keys and doors show the hand that is on them."""
    with cabinet() as there:
        await there.do("press spin", "key attendant on", "door main open")
        front = there.front
        assert (front.buttons, front.keys, front.doors) == (
            {"spin": True},
            {"attendant": True},
            {"main": True},
        )
        await there.do("release spin", "key attendant off", "door main close")
        front = there.front
        assert (front.buttons, front.keys, front.doors) == (
            {"spin": False},
            {"attendant": False},
            {"main": False},
        )


async def test_tap_holds_the_button_for_80_ms() -> None:
    """A tap is a press and a release 80 ms later; it is done when the finger is up."""
    with cabinet() as there:
        began = asyncio.get_running_loop().time()
        tap = asyncio.ensure_future(there.do("tap spin"))
        await asyncio.sleep(TAP_S * 0.9)
        assert there.front.buttons == {"spin": True}
        await tap
        assert there.front.buttons == {"spin": False}
        assert abs(asyncio.get_running_loop().time() - began - 0.080) < 1e-6


@pytest.mark.parametrize(("let_go_s", "open_s"), [(0.0, 0.050), (0.012, 0.050), (0.050, 0.050), (0.3, 0.3)])
async def test_a_contact_closes_for_50_ms_at_least(let_go_s: float, open_s: float) -> None:
    """However quickly the button is let go; a longer press is as long as it is."""
    moved: list[tuple[float, bool]] = []
    with cabinet() as there:
        began = asyncio.get_running_loop().time()
        there.changed = lambda: moved.append((asyncio.get_running_loop().time() - began, there.front.buttons["spin"]))
        await there.do("press spin")
        await asyncio.sleep(let_go_s)
        await there.do("release spin")
        await there.do("release spin")
        assert moved == [(0.0, True), (pytest.approx(open_s), False)]


@pytest.mark.parametrize("taps", [("tap spin", "tap spin"), ("press spin", "release spin", "tap spin")])
async def test_taps_that_follow_one_another_are_presses_of_their_own(taps: tuple[str, ...]) -> None:
    """The contact stays open between two as long as a button needs to travel."""
    moved: list[tuple[bool, float]] = []
    with cabinet() as there:

        def look() -> None:
            down = there.front.buttons["spin"]
            if not moved or moved[-1][0] is not down:
                moved.append((down, asyncio.get_running_loop().time()))

        there.changed = look
        await there.do(*taps)
    assert [down for down, _ in moved] == [True, False, True, False]
    assert all(after - before >= SHORTEST_S - 1e-6 for (_, before), (_, after) in pairwise(moved))


@pytest.mark.parametrize("clicks", [1, 2, 3])
async def test_each_click_within_one_frame_of_the_bench_is_a_press(clicks: int) -> None:
    """Down and up come together; the debounced panel of the cabinet reports each press and release all the same."""
    header, reported = MockHeader(), list[str]()
    panel = ButtonPanel(
        {"spin": 5},
        header,
        LoopClock(),
        debounce_ms=PINS.debounce_ms,
        on_press=lambda name, _at: reported.append(f"press {name}"),
        on_release=lambda name, _at: reported.append(f"release {name}"),
        faults=FaultBook(),
    )
    words: list[str] = []
    hands = Hands(words.append, lambda _x, _y, _down: None)
    with cabinet() as there:
        there.changed = lambda: header.ground(5) if there.front.buttons["spin"] else header.let_go(5)
        async with running(panel.run()):
            for _ in range(clicks):
                hands.key_down("space", there.front)
                hands.key_up("space")
            await there.do(*words)
            await asyncio.sleep(0.1)
    assert words == ["press spin", "release spin"] * clicks
    assert reported == words


async def test_inhibited_money_comes_back() -> None:
    """Money that the supervisor has not asked for lies in the returns, until a hand takes it."""
    with cabinet() as there:
        await there.do("coin 0.50", "coin 2", "note 20")
        assert (there.front.coin_return_cents, there.front.bill_return_cents) == (250, 2000)
        await there.do("take coins", "take note")
        assert (there.front.coin_return_cents, there.front.bill_return_cents) == (0, 0)


async def test_mains_off_keeps_what_needs_no_power() -> None:
    """Wheels, coins and the crash count outlive the mains; the front shows that the mains is off."""
    memory = Memory(meters={"coin_in": 1234}, hopper_coins=77, stacked_cents=5000)
    with cabinet(memory) as there:
        await there.do("crash", "mains off")
        front = there.front
        assert (front.mains, front.crashes, front.meters) == (False, 1, {"coin_in": 1234})
        assert (front.hopper_coins, front.stacked_cents) == (77, 5000)
        await there.do("mains on")
        assert there.front.mains
        assert there.devices.memory() == memory


async def test_crash_counts_up_and_touches_no_device() -> None:
    """The crash button is the launcher's business: the devices go on as they were."""
    with cabinet() as there:
        before = there.front
        await there.do("crash", "crash")
        assert there.front.crashes == 2
        assert there.front.mains == before.mains


async def test_hopper_faults_and_filling() -> None:
    """An emptied hopper gets its coins back, and more can be poured in."""
    with cabinet(Memory(hopper_coins=10)) as there:
        await there.do("fault hopper empty")
        assert there.front.hopper_coins == 0
        assert there.devices.memory().hopper_coins == 10
        await there.do("fault hopper empty off", "fill 5")
        assert there.front.hopper_coins == 15


def in_tray(ticket: TrayTicket) -> tuple[bytes, dict[str, list[dict[str, object]]]]:
    """The picture of a ticket, and what is written beside it."""
    picture = Path(ticket.picture)
    return picture.read_bytes(), msgspec.json.decode(picture.with_suffix(".json").read_bytes())


async def test_a_printed_ticket_lies_in_the_tray() -> None:
    """A hand sees a ticket as a picture and as data, takes it, opens the cover, loads paper; it outlives the mains."""
    with cabinet(printer=TicketPrinter(port="tty-printer", baud=115_200)) as there:
        await asyncio.sleep(2)
        assert (there.front.printer, there.front.tickets) == ("ready", ())
        with (there.run / "tty-printer").open("wb", buffering=0) as host:
            host.write(COMMANDS["itf_counted"] + b"paid\n" + CUT)
        fallen = asyncio.Event()
        there.changed = lambda: fallen.set() if there.front.tickets else None
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.in_flight = lambda: there.front.printer == "ready" and not fallen.is_set()
        await fallen.wait()
        (ticket,) = there.front.tickets
        assert (ticket.number, ticket.complete, ticket.codes) == (1, True, (("ITF", "12345678"),))
        picture, written = in_tray(ticket)
        assert (picture[:4], [mark["data"] for mark in written["marks"]]) == (b"\x89PNG", ["12345678", "paid"])
        await there.do("mains off", "mains on")
        assert there.front.tickets == (ticket,)
        memory = there.devices.memory()
        assert (memory.tickets, memory.tickets_printed) == ((ticket,), 1)
        await there.do("take ticket")
        assert there.front.tickets == ()
        await asyncio.sleep(2)
        for act, words in {
            "cover open": "cover open",
            "cover close": "ready",
            "fault printer overheated": "waiting",
            "fault printer overheated off": "ready",
            "fault printer paper_left 0": "paper end",
            "paper 9000": "ready",
            "paper 900": "paper low",
            "clear": "paper low",
        }.items():
            await there.do(act)
            assert (act, there.front.printer) == (act, words)
        assert there.front.printer_paper_mm == 900
    with cabinet(memory, TicketPrinter(port="tty-printer")) as again:
        assert (again.front.tickets, again.front.printer_paper_mm) == ((ticket,), memory.paper_mm)


async def test_a_printer_on_the_network_listens_at_its_address() -> None:
    """No terminal is there for it; pulling its plug refuses connections, and the devices' end leaves none."""
    kept, address = free_address()
    port = CountedPort(address)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    with kept, cabinet(printer=TicketPrinter(port=address, link="network")) as there:
        await asyncio.sleep(2)
        assert not (there.run / "tty-printer").exists()
        loop.in_flight = lambda: port.opening or port.heard < port.written / len(COMMANDS["status_printer"])
        await port.open()
        await port.write(COMMANDS["status_printer"])
        assert await port.read(10.0) == ANSWERS["dle_eot_1_ready"]
        port.close()
        await there.do("fault printer unplugged")
        with pytest.raises(PortError, match="refused"):
            await port.open()
        await there.do("fault printer unplugged off")
        await port.open()
        await asyncio.sleep(1)
        there.devices.close()
        with pytest.raises(PortError, match="ended the connection"):
            await port.read(10.0)


async def test_a_cabinet_without_a_printer_says_so() -> None:
    """No table in the configuration, no printer: its acts are refused in plain words."""
    with cabinet() as there:
        assert (there.front.printer, there.run.joinpath("tty-printer").exists()) == ("", False)
        for act in ("paper 900", "cover open", "clear", "take ticket", "fault printer paper_jam"):
            with pytest.raises(ValueError, match="printer"):
                await there.do(act)


async def test_every_trouble_of_the_hopper_is_at_hand() -> None:
    """Each failure bit of its registers can be brought about, and ended, by its name (D9)."""
    with cabinet(Memory(hopper_coins=10)) as there:
        names = sorted(flag.name.lower() for flag in CONDITIONS | UPSETS)
        for name in ["jam", *names]:
            await there.do(f"fault hopper {name}", f"fault hopper {name} off")
        assert there.front.hopper_coins == 10
        await there.do("fault hopper slip 2")
        assert (there.front.hopper_coins, there.front.tray_coins) == (8, 2)
        assert there.devices.memory().hopper_lifetime == 2
        with pytest.raises(ValueError, match="hopper knows no fault 'flu'; there are empty, jam, runaway, slip"):
            await there.do("fault hopper flu")


def test_unplugged_line_is_gone_until_it_is_plugged_in() -> None:
    """A pulled plug takes the terminal away, as an adapter that leaves the bus."""

    async def main(run: Path) -> None:
        there = Cabinet(run)
        there.devices.open()
        link = run / "tty-bill"
        await there.do("fault bill unplugged")
        assert not link.is_symlink()
        await there.do("fault bill unplugged off")
        assert link.is_symlink()
        there.devices.close()

    with TemporaryDirectory(prefix="hw") as directory:
        run_virtual(main(Path(directory)))
        assert list(Path(directory).iterdir()) == []


@pytest.mark.parametrize(
    ("act", "error"),
    [
        ("dance", "nobody can 'dance' here; there are: note EUR; ticket NUMBER; coin EUR;"),
        ("", "there are: note EUR;"),
        ("note 7", "no note of 7 EUR; there are 5.00, 10.00, 20.00, 50.00"),
        ("note", "say `note EUR`"),
        ("coin 1e1", "no coin of 1e1 EUR; there are 0.10"),
        ("coin nan", "no coin of nan EUR"),
        ("coin .", "no coin of . EUR"),
        ("press nudge", "no button 'nudge'; there are spin"),
        ("door roof open", "no door 'roof'; there are main"),
        ("door main ajar", "'ajar' is neither open nor close"),
        ("key house on", "no key 'house'; there are attendant"),
        ("mains maybe", "'maybe' is neither on nor off"),
        ("take all", "nobody can take 'all'; there are tray, note, coins"),
        ("fault", "say `fault DEVICE WHAT"),
        ("fault printer jam", "no device 'printer'; there are coin, bill, hopper"),
        ("fault bill flies", "bill knows no fault 'flies'; there are stacker_full,"),
        ("fault bill drop many", "'many' is no number that fits here"),
        ("fault bill drop 0", "inject at least one"),
    ],
)
async def test_bad_words_are_answered_with_the_words_there_are(act: str, error: str) -> None:
    """A mistyped line is answered with what can be said instead, and nothing has changed."""
    with cabinet() as there:
        before = there.front
        with pytest.raises(ValueError, match=re.escape(error)):
            await there.do(act)
        assert there.front == before


@settings(max_examples=60)
@given(st.lists(st.sampled_from(WORDS)))
async def test_no_words_break_the_devices(words: list[str]) -> None:
    """Any words are either done or refused as words."""
    with cabinet() as there:
        before = there.front
        try:
            await there.do(" ".join(words))
        except ValueError:
            assert there.front == before
        assert there.front.mains


@pytest.mark.parametrize("protocol", sorted(ticket_readers()))
async def test_a_ticket_is_pushed_into_the_mouth_of_the_notes(protocol: str) -> None:
    """`ticket NUMBER` reaches the validator; what it does not take lies in its mouth until somebody takes it."""
    with cabinet(bill=BillValidator(port="tty-bill", protocol=protocol)) as there:
        await there.do("ticket 001234567890123456", "note 20")
        assert (there.front.returned_tickets, there.front.bill_return_cents) == (("001234567890123456",), 2000)
        await there.do("take note")
        assert (there.front.returned_tickets, there.front.bill_return_cents) == ((), 0)
        with pytest.raises(ValueError, match="no such ticket: '123'"):
            await there.do("ticket 123")


async def test_misbehaviour_reaches_the_named_line_and_way() -> None:
    """`fault bill drop 2 to_device` spoils two frames of that line in that direction and no other."""
    same = Misbehaviour()
    same.inject(Kind.DROP, 2, way=Way.TO_DEVICE)

    with cabinet() as there:
        await there.do("fault bill drop 2 to_device")
        misbehaviour = there.devices._fitted["bill"].misbehaviour
        assert repr(misbehaviour) == repr(same)
        assert misbehaviour.mangle(Way.TO_HOST, b"x") == [Piece(0.0, b"x")]


class Bystander:
    """A client of `hardware.sock` on the test's own loop."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(0)
        self.socket.connect(str(path))

    async def hear(self) -> Done | Faults | Front:
        """The next packet."""
        packet = await asyncio.get_running_loop().sock_recv(self.socket, 65536)
        if not packet:
            raise EOFError
        return decode_from_front(packet)

    async def say(self, number: int, what: str) -> None:
        """Send one act."""
        await asyncio.get_running_loop().sock_sendall(self.socket, encode(Do(id=number, what=what)))


@contextmanager
def served() -> Iterator[tuple[Cabinet, Path]]:
    """A cabinet behind its socket."""
    with cabinet() as there, TemporaryDirectory(prefix="hw") as directory:
        path = Path(directory) / "hardware.sock"
        server = HardwareServer(
            path, do=there.acts.do, front=lambda: there.front, spawn=asyncio.ensure_future, faults=there.devices.faults
        )
        there.changed = server.changed
        server.open()
        try:
            yield there, path
        finally:
            server.close()


async def refusal(there: Cabinet, what: str) -> str:
    """Return why an act is refused, empty if it is not."""
    try:
        await there.do(what)
    except ValueError as error:
        return str(error)
    return ""


async def test_every_fault_that_is_listed_is_known() -> None:
    """Who asks gets the devices' faults by name; what is refused of them lacks its occasion."""
    with served() as (there, path):
        asker = Bystander(path)
        assert isinstance(await asker.hear(), Front)
        await asyncio.get_running_loop().sock_sendall(asker.socket, encode(AskFaults()))
        listed = await asker.hear()
        assert isinstance(listed, Faults)
        assert {"bill", "coin", "hopper"} <= set(listed.devices)
        acts = [f"fault {device} {fault} 1" for device, faults in listed.devices.items() for fault in faults]
        assert {await refusal(there, what) for what in acts} <= {"", "nothing is jammed in it"}
        asker.socket.close()


async def test_every_client_sees_every_change() -> None:
    """A front comes at once and after each change, to all clients, and before the answer to its cause."""
    with served() as (there, path):
        one, other = Bystander(path), Bystander(path)
        assert [await one.hear(), await other.hear()] == [there.front, there.front]
        await one.say(7, "door main open")
        seen, answer = await one.hear(), await one.hear()
        assert isinstance(seen, Front)
        assert seen.doors == {"main": True}
        assert answer == Done(id=7)
        assert await other.hear() == seen
        one.socket.close()
        other.socket.close()


async def test_refusal_is_answered_to_its_own_client() -> None:
    """A refused act is answered with its number and the reason."""
    with served() as (_there, path):
        client = Bystander(path)
        await client.hear()
        await client.say(3, "mains perhaps")
        answer = await client.hear()
        assert isinstance(answer, Done)
        assert answer.id == 3
        assert "neither on nor off" in answer.error
        client.socket.close()


NONSENSE = (
    b"hello?",
    b'{"type":"do","id":1,"what":"\xff"}',
    b'{"type":"do","id":' + b"9" * 5_000 + b',"what":"crash"}',
    b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
)


@pytest.mark.parametrize("nonsense", NONSENSE, ids=["no JSON", "no UTF-8", "a long number", "nested deep"])
async def test_nonsense_ends_only_its_own_connection(nonsense: bytes) -> None:
    """A client that speaks no `Do` is cut off; the others go on."""
    with served() as (_there, path):
        good, bad = Bystander(path), Bystander(path)
        await good.hear()
        await bad.hear()
        await asyncio.get_running_loop().sock_sendall(bad.socket, nonsense)
        with pytest.raises(EOFError):
            await bad.hear()
        await good.say(1, "crash")
        front = await good.hear()
        assert isinstance(front, Front)
        assert front.crashes == 1
        good.socket.close()
        bad.socket.close()


@pytest.mark.processes
def test_nothing_that_comes_to_the_devices_sockets_ends_them(tmp_path: Path) -> None:
    """Front, pins and bus of the simulated devices let whoever sends nonsense go, and serve the next one."""
    config = tmp_path / "cabinet.toml"
    expander = "[pins.expanders.x20]\ninterrupt = 4\n"
    config.write_text(CONFIG.replace("[coin_acceptor]", f"{expander}[coin_acceptor]"))
    command = [sys.executable, "-m", "drivers.simulated", "--config", str(config), "--run", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as devices:
        try:
            for name in ("hardware.sock", "pins.sock", "i2c.sock"):
                for nonsense in (*NONSENSE, b'{"address":32,"register":0,"count":1000000000}'):
                    with connected(devices, tmp_path / name) as peer:
                        peer.send(nonsense)
                        while peer.recv(1 << 16):
                            pass
            with FrontClient(tmp_path / "hardware.sock") as hand:
                hand.do("coin 0.50")
        finally:
            devices.kill()


def connected(devices: subprocess.Popen[bytes], path: Path) -> socket.socket:
    """Connect to a socket of the devices' as soon as it is there; the devices must not have ended."""
    until(lambda: path.exists() or devices.poll() is not None)
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    peer.settimeout(PATIENCE_S)
    peer.connect(str(path))
    return peer


async def test_client_that_goes_lifts_its_finger() -> None:
    """A hand that vanishes in the middle of a tap leaves no button held."""
    with served() as (there, path):
        client = Bystander(path)
        await client.hear()
        await client.say(1, "tap spin")
        front = await client.hear()
        while not (isinstance(front, Front) and front.buttons["spin"]):
            front = await client.hear()
        client.socket.close()
        await asyncio.sleep(0.01)
        assert there.front.buttons == {"spin": False}


async def test_client_that_goes_while_a_button_springs_back_leaves_it_up() -> None:
    """A hand that vanishes within the 50 ms of its press holds nothing."""
    with served() as (there, path):
        client = Bystander(path)
        await client.hear()
        await client.say(1, "press spin")
        await client.say(2, "release spin")
        front = await client.hear()
        while not (isinstance(front, Front) and front.buttons["spin"]):
            front = await client.hear()
        client.socket.close()
        await asyncio.sleep(0.01)
        assert there.front.buttons == {"spin": False}


async def test_deaf_client_holds_up_nobody() -> None:
    """A client that never reads gets the newest front in the end, not all of the past, and blocks no other."""
    with served() as (there, path):
        deaf = Bystander(path)
        for turn in range(3000):
            there.devices.panel.press("spin", down=turn % 2 == 0)
            await asyncio.sleep(0)
        there.devices.crash()
        await asyncio.sleep(0.001)
        fronts = 0
        front = await deaf.hear()
        while not (isinstance(front, Front) and front.crashes == 1):
            fronts += 1
            front = await deaf.hear()
        assert fronts < 3000
        deaf.socket.close()


@contextmanager
def process(run: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """`python -m drivers.simulated` on a directory, ended by SIGTERM."""
    (run / "cabinet.toml").write_text(CONFIG)
    command = [sys.executable, "-m", "drivers.simulated", "--config", str(run / "cabinet.toml"), "--run", str(run)]
    running = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    try:
        yield running
    finally:
        running.terminate()
        _out, errors = running.communicate(timeout=PATIENCE_S)
        assert (running.returncode, errors) == (0, "")


def patient_client(path: Path) -> FrontClient:
    """Connect as soon as the process listens."""
    until(path.exists)
    client = FrontClient(path)
    client.connect()
    return client


@pytest.mark.processes
def test_process_serves_and_keeps_its_wheels() -> None:
    """The process opens all sockets and terminals, obeys, and remembers what needs no power."""
    with TemporaryDirectory(prefix="hw") as directory:
        run = Path(directory)
        state = run / "state.json"
        with process(run, "--state", str(state)):
            client = patient_client(run / "hardware.sock")
            assert client.front.mains
            for name in ("pins.sock", "tty-coin", "tty-bill", "tty-hopper"):
                assert (run / name).exists(), name
            client.do("fill 20")
            client.do("tap spin")
            with pytest.raises(FrontRefusedError, match="there is no coin of 3 EUR"):
                client.do("coin 3")
            client.close()
        assert sorted(path.name for path in run.iterdir()) == ["cabinet.toml", "state.json"]
        with process(run, "--state", str(state)):
            client = patient_client(run / "hardware.sock")
            assert client.front.hopper_coins == 520
            client.close()


@pytest.mark.processes
@pytest.mark.parametrize(
    ("config", "error"),
    [(None, "cabinet.toml: No such file"), ("[pins]\nlamp = 1\n", "Object"), ("[pins", "check-config")],
)
def test_process_refuses_a_bad_configuration(config: str | None, error: str) -> None:
    """A missing or wrong file ends the start with exit code 1 and a line that names the file."""
    with TemporaryDirectory(prefix="hw") as directory:
        path = Path(directory) / "cabinet.toml"
        if config is not None:
            path.write_text(config)
        command = [sys.executable, "-m", "drivers.simulated", "--config", str(path), "--run", directory]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert ended.returncode == 1
        assert str(path) in ended.stderr
        assert error in ended.stderr
