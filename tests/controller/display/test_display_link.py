import asyncio
import os
from pathlib import Path

import msgspec
import pytest

from controller.display.link import TOO_LONG
from controller.system.local_socket import SocketPathError
from controller.system.peers import BOUNDS
from drivers.clock import LoopClock
from tests.rigs.display_desk import Desk, at_desk, desk, view
from ui.protocol.messages import (
    MAX_PACKET,
    Ack,
    Frames,
    Hello,
    Hurry,
    OpenPages,
    OversizeError,
    Press,
    ServicePage,
    ServiceRow,
    Show,
    Snapshot,
    ToDisplay,
    Touch,
    View,
    encode,
)
from ui.protocol.view_parts import Balance

STEP = msgspec.Raw(b'{"type":"Landed"}')


def show(made: Desk) -> int:
    return made.link.show([STEP], credit_cents=5, win_cents=0)


async def test_a_new_display_gets_hello_newest_snapshot_and_the_unacknowledged_show(tmp_path: Path) -> None:
    """Whoever connects in the middle of a round sees the present state and the show that is still owed."""

    async def play(made: Desk) -> None:
        made.link.publish(view(1), turn=1)
        made.link.publish(view(2), turn=2)
        number = show(made)
        display = await made.display()
        assert await display.receive() == Snapshot(turn=2, view=view(2))
        assert await display.receive() == Show(number=number, turn=2, steps=(STEP,), credit_cents=5, win_cents=0)
        assert made.link.connected
        assert made.link.dropped == 0

    await at_desk(tmp_path, play)


async def test_nothing_is_sent_before_the_display_has_said_hello(tmp_path: Path) -> None:
    """A connection that is silent learns the protocol version and nothing else."""

    async def play(made: Desk) -> None:
        made.link.publish(view(1), turn=1)
        stranger = await made.stranger()
        assert await stranger.receive() == Hello()
        assert not made.link.connected
        await asyncio.sleep(1)
        with pytest.raises(BlockingIOError):
            stranger.sock.recv(MAX_PACKET)

    await at_desk(tmp_path, play)


async def test_an_acknowledged_show_is_not_sent_again(tmp_path: Path) -> None:
    """After its ack a show is over: the next display gets the snapshot only, and each ack is reported once."""

    async def play(made: Desk) -> None:
        first = await made.display()
        made.link.publish(view(1), turn=1)
        number = show(made)
        assert isinstance(await first.receive(), Snapshot)
        assert isinstance(await first.receive(), Show)
        await first.send(Ack(number))
        await first.send(Ack(number))
        await first.send(Frames(presented=60, cpu_ms_median=0.5, cpu_ms_max=2.0))
        await made.until(lambda: len(made.heard) == 2)
        assert made.heard == [number, Frames(presented=60, cpu_ms_median=0.5, cpu_ms_max=2.0)]
        second = await made.display()
        assert isinstance(await second.receive(), Snapshot)
        made.link.hurry(number)
        made.link.publish(view(2), turn=2)
        assert await second.receive() == Snapshot(turn=2, view=view(2))

    await at_desk(tmp_path, play)


async def test_a_show_of_another_turn_is_withdrawn(tmp_path: Path) -> None:
    """When play went on without the ack, a new display does not see the old show from the new state's scene."""

    async def play(made: Desk) -> None:
        made.link.publish(view(1), turn=1)
        show(made)
        made.link.publish(view(2), turn=2)
        display = await made.display()
        assert await display.receive() == Snapshot(turn=2, view=view(2))
        made.link.publish(view(3), turn=2)
        assert await display.receive() == Snapshot(turn=2, view=view(3))

    await at_desk(tmp_path, play)


async def test_an_ack_counts_only_for_what_this_display_was_sent(tmp_path: Path) -> None:
    """A display that outlived an earlier supervisor may know its numbers: they must not end a show of ours."""

    async def play(made: Desk) -> None:
        display = await made.display()
        await display.send(Ack(1))
        await display.send(Touch(x=1, y=2, down=True))
        await made.until(lambda: bool(made.heard))
        made.link.publish(view(1), turn=1)
        number = show(made)
        assert isinstance(await display.receive(), Snapshot)
        assert isinstance(await display.receive(), Show)
        await display.send(Ack(number + 1))
        await display.send(Ack(number))
        await made.until(lambda: len(made.heard) == 2)
        assert made.heard == [Touch(x=1, y=2, down=True), number]

    await at_desk(tmp_path, play)


async def test_a_press_drawn_from_an_older_turn_is_dropped(tmp_path: Path) -> None:
    """A finger that hit a button of the previous state does nothing in this one."""

    async def play(made: Desk) -> None:
        display = await made.display()
        await display.send(Press(control="spin", turn=0))
        made.link.publish(view(1), turn=7)
        await display.send(Press(control="spin", turn=6))
        await display.send(Press(control="collect", turn=7))
        await made.until(lambda: bool(made.heard))
        assert made.heard == ["collect"]

    await at_desk(tmp_path, play)


async def test_hurry_reaches_the_display_for_the_current_show_only(tmp_path: Path) -> None:
    """STOP hurries what is being shown; for a show that was overtaken nothing is sent."""

    async def play(made: Desk) -> None:
        display = await made.display()
        made.link.publish(view(1), turn=1)
        old, number = show(made), show(made)
        made.link.hurry(old)
        made.link.hurry(number)
        received = [await display.receive() for _ in range(3)]
        assert received[0] == Snapshot(turn=1, view=view(1))
        assert isinstance(received[1], Show)
        assert received[1].number == number
        assert received[2] == Hurry(number)
        assert made.link.dropped == 1

    await at_desk(tmp_path, play)


async def test_a_full_socket_drops_stale_words_and_keeps_the_newest_state(tmp_path: Path) -> None:
    """With a display that does not read, publishing never waits; when it reads again it ends up at the newest."""

    async def play(made: Desk) -> None:
        display = await made.display()
        big = "x" * 50_000
        for credit in range(100):
            made.link.publish(View(state="idle", balance=Balance(credit_cents=credit), message=big), turn=1)
            show(made)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert made.link.dropped > 100
        received: list[ToDisplay | None] = []
        while not (isinstance(last := await display.receive(), Show) and last.number == 100):
            received.append(last)
        snapshots = [message for message in received if isinstance(message, Snapshot)]
        assert snapshots[-1].view.balance.credit_cents == 99
        assert len(snapshots) < 20
        assert not made.heard

    await at_desk(tmp_path, play)


async def test_a_display_that_never_reads_is_ended_and_reported(tmp_path: Path) -> None:
    """A socket that stays full for five seconds ends the connection and names the process to restart."""

    async def play(made: Desk) -> None:
        await made.display()
        began = LoopClock().now()
        while made.link.connected:
            made.link.publish(View(state="idle", message="x" * 50_000), turn=1)
            await asyncio.sleep(0.1)
        assert made.heard == [("deaf", os.getpid())]
        assert 5.0 <= LoopClock().now() - began < 6.0

    await at_desk(tmp_path, play)


async def test_a_display_that_owes_an_ack_and_is_silent_is_ended(tmp_path: Path) -> None:
    """Five silent seconds with a show outstanding mean that the display hangs."""

    async def play(made: Desk) -> None:
        display = await made.display()
        made.link.publish(view(1), turn=1)
        await display.receive()
        await asyncio.sleep(60)
        assert made.link.connected
        show(made)
        await asyncio.sleep(4.9)
        assert made.link.connected
        await asyncio.sleep(0.2)
        assert not made.link.connected
        assert made.heard == [("deaf", os.getpid())]

    await at_desk(tmp_path, play)


async def test_frame_statistics_keep_a_long_show_alive(tmp_path: Path) -> None:
    """A big win may roll up for longer than the patience: signs of life count, not only acks."""

    async def play(made: Desk) -> None:
        display = await made.display()
        made.link.publish(view(1), turn=1)
        show(made)
        for _ in range(20):
            await asyncio.sleep(1)
            await display.send(Frames(presented=60, cpu_ms_median=0.5, cpu_ms_max=2.0))
        assert made.link.connected

    await at_desk(tmp_path, play)


async def test_a_withdrawn_show_leaves_no_debt(tmp_path: Path) -> None:
    """Once play went on without the ack, an idle and silent display is no deaf one."""

    async def play(made: Desk) -> None:
        display = await made.display()
        made.link.publish(view(1), turn=1)
        show(made)
        for _ in range(2):
            await display.receive()
        made.link.publish(view(2), turn=2)
        await asyncio.sleep(60)
        assert made.link.connected
        assert made.heard == []

    await at_desk(tmp_path, play)


async def test_a_newer_connection_replaces_the_older(tmp_path: Path) -> None:
    """A restarted display is served at once; the old connection is closed and is not called deaf."""

    async def play(made: Desk) -> None:
        made.link.publish(view(1), turn=1)
        old = await made.display()
        new = await made.display()
        assert isinstance(await new.receive(), Snapshot)
        assert isinstance(await old.receive(), Snapshot)
        assert await old.receive() is None
        made.link.publish(view(2), turn=2)
        assert await new.receive() == Snapshot(turn=2, view=view(2))
        assert made.heard == []

    await at_desk(tmp_path, play)


@pytest.mark.parametrize(
    "packet",
    [
        encode(Hello(protocol=99)),
        encode(Press(control="spin", turn=1)),
        b"not JSON",
        b'{"type":"snapshot"}',
        b" " * MAX_PACKET + b"{}",
    ],
    ids=["another protocol", "no hello", "no JSON", "no word of a display", "longer than a packet"],
)
async def test_who_speaks_wrongly_is_refused(tmp_path: Path, packet: bytes) -> None:
    """A stranger on the socket is closed and counted, and the next display is served as ever."""

    async def play(made: Desk) -> None:
        made.link.publish(view(1), turn=1)
        stranger = await made.stranger()
        assert await stranger.receive() == Hello()
        await stranger.send_bytes(packet)
        await made.until(lambda: made.link.refused == 1)
        assert made.heard == []
        await asyncio.sleep(BOUNDS.first_ban_s)
        display = await made.display()
        assert isinstance(await display.receive(), Snapshot)

    await at_desk(tmp_path, play)


async def test_a_menu_page_too_big_for_a_packet_is_shown_without_its_rows(tmp_path: Path) -> None:
    """What is on a stick may make a page long: the display says that it is, and the link and its caller go on."""

    async def play(made: Desk) -> None:
        rows = (ServiceRow(label="x" * MAX_PACKET),)
        page = ServicePage(code="U.6", title="Back up and restore", who="technician", rows=rows)
        made.link.publish(View(state="service_menu", pages=OpenPages(service=page)), turn=1)
        display = await made.display()
        shown = ServicePage(code="U.6", title="Back up and restore", who="technician", rows=(), message=TOO_LONG)
        assert await display.receive() == Snapshot(
            turn=1, view=View(state="service_menu", pages=OpenPages(service=shown))
        )

    await at_desk(tmp_path, play)


async def test_a_message_too_big_for_a_packet_is_the_callers_error(tmp_path: Path) -> None:
    """What cannot travel is refused where it was made, and the link goes on."""

    async def play(made: Desk) -> None:
        made.link.publish(view(1), turn=1)
        with pytest.raises(OversizeError):
            made.link.publish(View(state="idle", message="x" * MAX_PACKET), turn=2)
        with pytest.raises(OversizeError):
            made.link.show([STEP] * 5_000, credit_cents=0, win_cents=0)
        display = await made.display()
        assert await display.receive() == Snapshot(turn=1, view=view(1))
        assert show(made) == 1

    await at_desk(tmp_path, play)


async def test_a_path_too_long_for_a_socket_is_named(tmp_path: Path) -> None:
    """The error says which path and what to do, before anything is served."""

    async def play(made: Desk) -> None:
        made.link.path = tmp_path / ("x" * 100) / "display.sock"
        with pytest.raises(SocketPathError, match="choose a shorter run_dir"):
            await made.link.run()

    await at_desk(tmp_path, play)


async def test_a_stopped_link_leaves_no_socket(tmp_path: Path) -> None:
    """After the supervisor's clean stop nothing is left to connect to."""
    async with desk(tmp_path) as made:
        path = made.link.path
        assert path.is_socket()
    assert not path.exists()
