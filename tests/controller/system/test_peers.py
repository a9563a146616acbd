"""What the supervisor bears from the processes at its sockets, and from a player who presses without end."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from common.decoding import UnreadableError
from controller.features.console.words import Look, Sheet, decode_to_console
from controller.features.console.words import encode as to_supervisor
from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction
from controller.machine.ports import Input
from controller.machine.posts import EVENT_EVERY_S, EVENTS_AT_ONCE, MOST_AT_ONCE, Posts
from controller.machine.state_machine import MOST_PRESSES, Inbox
from controller.system.pace import Pace
from controller.system.peers import FORGIVEN_S, Bans, Bounds, PacketReader
from drivers.clock import LoopClock
from tests.rigs.display_desk import Desk, at_desk, view
from tests.rigs.display_eye import looked_at
from tests.rigs.machine import Rig
from tests.rigs.peer_fuzz import console_packets, display_packets
from tests.rigs.technician import technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet
from ui.protocol.messages import Hello, Press, Snapshot, decode_to_supervisor, encode

WIDE = Bounds(packet_every_s=0.0, connection_every_s=0.0, slips_at_once=1, slip_every_s=0.0, first_ban_s=0.0)
"""A supervisor that bears everything, so that a fuzzer gets on."""


async def test_a_pace_allows_a_burst_and_then_one_at_a_time() -> None:
    """Five at once, then one a second; what was not used is not saved beyond the burst."""
    pace = Pace(LoopClock(), burst=5, every_s=1.0)
    assert [pace.take() for _ in range(7)] == [True] * 5 + [False] * 2
    assert pace.wait_s == pytest.approx(1.0)
    await pace.wait()
    assert not pace.take()
    await asyncio.sleep(100.0)
    assert [pace.take() for _ in range(6)] == [True] * 5 + [False]


async def test_a_ban_lengthens_while_a_user_goes_on_and_is_forgiven() -> None:
    """1, 2, 4 ... 60 s, and 1 s again for who behaved for ten minutes; another user is not meant."""
    bans = Bans(LoopClock())
    lengths = []
    for _ in range(8):
        lengths.append(bans.ban(7))
        assert bans.is_banned(7)
        assert not bans.is_banned(8)
        await asyncio.sleep(lengths[-1])
        assert not bans.is_banned(7)
    assert lengths == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    await asyncio.sleep(FORGIVEN_S + 1.0)
    assert bans.ban(7) == 1.0


async def test_a_flood_of_packets_keeps_its_sender_waiting() -> None:
    """A peer that sends without end is read a hundred times a second after a burst of as many."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there:
        here.setblocking(False)  # noqa: FBT003 - the standard library's own signature
        there.setblocking(False)  # noqa: FBT003 - as above
        clock = LoopClock()
        reader = PacketReader(here, decode_to_supervisor, most_bytes=100, pace=Bounds().packets(clock))
        began = clock.now()
        for _ in range(300):
            there.send(encode(Hello()))
            assert await reader.read() == Hello()
        assert clock.now() - began == pytest.approx(2.0, abs=0.05)
        there.send(b" " * 101)
        with pytest.raises(UnreadableError, match="more than 100 bytes"):
            await reader.read()
        there.close()
        assert await reader.read() is None


@pytest.mark.parametrize(
    "packet",
    [
        b'{"type":"press","control":"\xff","turn":1}',
        b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
        b'{"type":"ack","number":' + b"9" * 5_000 + b"}",
        b'{"type":"ack","number":9007199254740992}',
        b'{"type":"press","control":"' + b"x" * 65 + b'","turn":1}',
        b'{"type":"touch","x":32768,"y":0,"down":true}',
        b'{"type":"frames","presented":1,"cpu_ms_median":-1,"cpu_ms_max":1}',
        b'{"type":"\xc3\xa4\\n' + b"x" * 1_000 + b'"}',
        b"",
    ],
)
def test_what_cannot_be_read_raises_one_error_in_few_plain_words(packet: bytes) -> None:
    """Its words are in the log and in the books, so no byte of the packet's may reach them as it is."""
    with pytest.raises(UnreadableError) as caught:
        decode_to_supervisor(packet)
    words = str(caught.value)
    assert len(words) < 160
    assert words.isascii()
    assert words.isprintable()


async def test_a_display_may_slip_and_is_cut_off_when_it_goes_on(tmp_path: Path) -> None:
    """Ten packets that cannot be read are dropped; the next ends the connection, and its user is kept out."""

    async def play(made: Desk) -> None:
        made.link.publish(view(1), turn=1)
        display = await made.display()
        for _ in range(10):
            await display.send_bytes(b'"\xff"')
        await display.send(Press(control="spin", turn=1))
        await made.until(lambda: bool(made.heard))
        assert (made.heard, made.link.refused, made.link.connected) == (["spin"], 0, True)
        assert isinstance(await display.receive(), Snapshot)
        await display.send_bytes(b'"\xff"')
        assert await display.receive() is None
        assert (made.link.refused, made.link.connected) == (1, False)
        early = await made.stranger()
        assert await early.receive() is None
        await asyncio.sleep(1.0)
        assert await (await made.display()).receive() == Snapshot(turn=1, view=view(1))

    await at_desk(tmp_path, play)


async def test_what_the_cabinet_must_record_goes_first_and_together() -> None:
    """Sixty openings wait behind 6,000 presses: they come first, in order, fifty to a transaction; then one count."""
    posts = Posts(LoopClock())
    counted: list[int] = []
    for _ in range(6_000):
        posts.count("pressed", lambda _tx, times: counted.append(times))
    done: list[int] = []
    for number in range(60):
        posts.put(lambda _tx, number=number: done.append(number))
    sizes = []
    for _ in range(3):
        due = await posts.next()
        sizes.append(len(due))
        for post in due:
            post(None)  # type: ignore[arg-type]  # these look at no transaction
    assert sizes == [MOST_AT_ONCE, 60 - MOST_AT_ONCE, 1]
    assert (done, counted, posts.empty) == (list(range(60)), [6_000], True)


async def test_what_a_player_causes_is_recorded_at_its_pace() -> None:
    """Eight one by one, then what came within ten seconds in one; another kind does not wait for it."""
    posts = Posts(LoopClock())
    counted: list[tuple[str, int]] = []

    def press(kind: str) -> None:
        posts.count(kind, lambda _tx, times: counted.append((kind, times)))

    async def record() -> None:
        for post in await posts.next():
            post(None)  # type: ignore[arg-type]  # as above

    for _ in range(EVENTS_AT_ONCE):
        press("call")
        await record()
    began = LoopClock().now()
    for _ in range(100):
        press("call")
    press("console")
    await record()
    assert LoopClock().now() == began
    await record()
    assert LoopClock().now() - began == pytest.approx(EVENT_EVERY_S)
    assert counted == [("call", 1)] * EVENTS_AT_ONCE + [("console", 1), ("call", 100)]


async def test_what_waits_is_recorded_at_the_end_of_the_program() -> None:
    """A stop in order loses nothing that was counted: posts first, then each kind, whatever its pace."""
    posts = Posts(LoopClock())
    done: list[str] = []
    for _ in range(20):
        posts.count("call", lambda _tx, times: done.append(f"{times} calls"))
    await posts.next()
    for _ in range(9):
        posts.count("call", lambda _tx, times: done.append(f"{times} calls"))
    posts.put(lambda _tx: done.append("door"))
    for post in posts.rest():
        post(None)  # type: ignore[arg-type]  # these look at no transaction
    assert (done, posts.empty) == (["door", "9 calls"], True)


async def test_calls_for_the_attendant_are_counted_and_the_sound_is_as_it_was_left(tmp_path: Path) -> None:
    """A thousand presses of SERVICE are nine rows, the last with a count; an odd number of SOUND mutes."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        for _ in range(1_000):
            rig.machine.states.press("service")
        for _ in range(101):
            rig.machine.states.press("sound")
        await rig.until_true(lambda: rig.machine.journal.posts.empty)
        assert rig.machine.play.session.muted
        assert not rig.machine.conditions.service_called
        texts = await rig.events("service_call")
        assert len(texts) <= EVENTS_AT_ONCE
        assert sum(int(text.split("(")[1].split()[0]) if "(" in text else 1 for text in texts) == 1_000
        assert texts[-1].startswith("The call for the attendant has ended")


async def test_a_chore_that_is_refused_takes_no_other_with_it(tmp_path: Path) -> None:
    """They share a transaction; a broken one locks the cabinet, and what came before it is in the books."""
    texts: list[str] = []

    def refused(_tx: Transaction) -> None:
        raise RefusedError("no")

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            rig.machine.states.door("main", is_open=True)
            rig.machine.journal.post(refused)
            await rig.until_true(lambda: rig.machine.journal.lock is not None)
            texts.extend(await rig.events("door_open"))

    with pytest.raises(RefusedError):  # which the task ended with
        await play()
    assert texts == ["opened"]


async def test_a_flow_that_is_busy_keeps_few_presses() -> None:
    """While the hopper pays nobody takes presses: a player's 6,000 do not pile up, nor do wakes; keys and acks stay."""
    inbox = Inbox()
    for number in range(6_000):
        inbox.put(Input("press", "bet"))
        inbox.put(Input("wake"))
        inbox.put(Input("ack", number=number % 3))
    assert inbox.dropped == 6_000 - MOST_PRESSES
    got = [(await inbox.get()).kind for _ in range(6_000 + MOST_PRESSES + 1)]
    assert (got.count("press"), got.count("wake"), got.count("ack")) == (MOST_PRESSES, 1, 6_000)
    inbox.put(Input("wake"))
    assert (await inbox.get()).kind == "wake"


async def feed(sock: socket.socket, packet: bytes) -> bool:
    """Send a packet; return whether the other end is still there."""
    try:
        await asyncio.get_running_loop().sock_sendall(sock, packet)
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


@pytest.mark.parametrize("seed", range(3))
async def test_a_fuzzed_cabinet_with_its_touch_test_open_goes_on(tmp_path: Path, seed: int) -> None:
    """A technician tests the touch screen while a display and a console send 1,500 odd packets each."""
    cabinet = VirtualCabinet(tmp_path)
    cabinet.bounds = WIDE
    async with technician_at(tmp_path, cabinet) as technician, looked_at(technician) as eye:
        machine = technician.machine
        await technician.open()
        await technician.go("T.13")
        await technician.enter("Touch")
        for packet in display_packets(seed, 1_500, lambda: (machine.states.turn, ("service:up", "service:down"))):
            assert await feed(eye.sock, packet), packet[:200]
            await asyncio.sleep(0)
        path = cabinet.config.cabinet.console_socket
        await _fuzz_console(path, seed, lambda: machine.states.turn)
        assert cabinet.running
        assert machine.journal.lock is None


async def _fuzz_console(path: Path, seed: int, turn: Callable[[], int]) -> None:
    """Send odd packets to the console's socket, on one connection after another, and see it answer after them."""
    sock = await _console(path)
    for packet in console_packets(seed, 1_500, lambda: (turn(), ("service:up", "service:down"))):
        if not await feed(sock, packet):
            sock.close()
            sock = await _console(path)
        await asyncio.sleep(0)
        _drain(sock)
    sock.close()
    with await _console(path) as last:
        await feed(last, to_supervisor(Look()))
        assert isinstance(decode_to_console(await asyncio.get_running_loop().sock_recv(last, 1 << 18)), Sheet)


async def _console(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sock.setblocking(False)  # noqa: FBT003 - the standard library's own signature
    while True:
        try:
            sock.connect(str(path))
        except BlockingIOError:  # its backlog is full
            await asyncio.sleep(0.1)
            continue
        return sock


def _drain(sock: socket.socket) -> None:
    while True:
        try:
            if not sock.recv(1 << 18):
                return
        except (BlockingIOError, ConnectionResetError):
            return


async def test_a_control_pressed_twice_at_once_is_pressed_once_where_it_is_gone(tmp_path: Path) -> None:
    """Autospin's panel: the first press of a sum opens the pad, in the same turn; there the second means nothing."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("auto")
        pad = next(control for control in sorted(rig.machine.states.controls) if control.endswith(":pad"))
        rig.machine.states.press(pad)
        rig.machine.states.press(pad)
        await rig.until_true(lambda: pad not in rig.machine.states.controls)
        await asyncio.sleep(1.0)
        assert (rig.shown, pad in rig.machine.states.controls) == ("autospin", False)
