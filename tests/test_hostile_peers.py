"""What a peer on the supervisor's sockets may send, and what a player may press, on the real supervisor."""

import signal
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.features.console.words import Look, Sheet, decode_to_console
from controller.features.console.words import encode as to_supervisor
from controller.machine.posts import EVENT_EVERY_S, EVENTS_AT_ONCE
from controller.system.peers import BOUNDS
from tests.rigs.hostile import hostile
from tests.rigs.patience import PATIENCE_S
from ui.protocol.messages import MAX_PACKET, Frames, Hello, Press, Snapshot, decode_to_display, encode

pytestmark = pytest.mark.processes

PRESSES = 6_000
NESTED = b'{"a":' * 3_000 + b"1" + b"}" * 3_000
UNREADABLE = {
    "text that is no UTF-8": b'{"type":"press","control":"\xff","turn":1}',
    "a tag that is no UTF-8": b'{"type":"\xff"}',
    "objects nested 3,000 deep": NESTED,
    "arrays nested 30,000 deep": b"[" * 30_000,
    "a field nested 3,000 deep": b'{"type":"press","control":"spin","turn":1,"x":' + NESTED + b"}",
    "a number of 20,000 digits": b'{"type":"touch","x":' + b"9" * 20_000 + b',"y":0,"down":true}',
    "an infinite number": b'{"type":"frames","presented":1,"cpu_ms_median":1e999,"cpu_ms_max":1}',
}


def ended(peer: socket.socket) -> bool:
    """Read until the other end closes the connection; fail where it does not."""
    try:
        while peer.recv(1 << 18):
            pass
    except ConnectionResetError:  # with words of ours unread
        return True
    return True


def test_nothing_that_a_display_sends_ends_the_supervisor(tmp_path: Path) -> None:
    """Each packet that cannot be read is dropped; too many, or one before the Hello, end the connection alone."""
    with hostile(tmp_path) as made:
        with made.connect("display.sock") as display:
            display.send(encode(Hello()))
            for packet in UNREADABLE.values():
                display.send(packet)
            display.send(encode(Frames(presented=1, cpu_ms_median=1.0, cpu_ms_max=1.0)))
            assert isinstance(decode_to_display(display.recv(MAX_PACKET)), Hello)
            assert isinstance(decode_to_display(display.recv(MAX_PACKET)), Snapshot)
            for _ in range(2 * BOUNDS.slips_at_once):
                made.sent(display, NESTED)
            assert ended(display)
        for packet in (UNREADABLE["text that is no UTF-8"], NESTED):
            made.serves()
            with made.connect("display.sock") as display:
                display.send(packet)
                assert ended(display)
        made.serves()
        made.until(lambda: bool(made.events("display_refused")))
        assert all("sent what cannot be read" in text for text in made.events("display_refused"))


def test_nothing_that_a_console_sends_ends_the_supervisor(tmp_path: Path) -> None:
    """A question that cannot be read ends that console's connection; after a while its user is served again."""
    with hostile(tmp_path) as made:
        for packet in (UNREADABLE["text that is no UTF-8"], NESTED):
            made.serves()
            with made.connect("console.sock") as console:
                console.send(to_supervisor(Look()))
                assert isinstance(decode_to_console(console.recv(1 << 18)), Sheet)
                console.send(packet)
                assert ended(console)
        made.serves()
        made.until(lambda: len(made.events("console_refused")) >= 2)


def flood(display: socket.socket, packet: bytes) -> None:
    """Send as many presses as the supervisor takes, until it is gone."""
    for _ in range(PRESSES):
        try:
            display.send(packet)
        except OSError:
            return


def drain(display: socket.socket) -> None:
    """Read all that comes until the end: a display that reads nothing is ended, and this process is it."""
    with suppress(ConnectionResetError):
        while display.recv(MAX_PACKET):
            pass


def test_an_open_door_goes_before_what_a_player_presses(tmp_path: Path) -> None:
    """The attendant is called 6,000 times, the door opened, the supervisor killed: the opening is in the books.

    What a player does is recorded in a few rows, with a count, so that nothing of it delays the door's.
    """
    with hostile(tmp_path) as made, made.connect("display.sock") as display:
        display.send(encode(Hello()))
        assert isinstance(decode_to_display(display.recv(MAX_PACKET)), Hello)
        shown = decode_to_display(display.recv(MAX_PACKET))
        assert isinstance(shown, Snapshot)
        press = encode(Press(control="service", turn=shown.turn))
        threads = [
            threading.Thread(target=flood, args=(display, press)),
            threading.Thread(target=drain, args=(display,)),
        ]
        for thread in threads:
            thread.start()
        made.until(lambda: len(made.events("service_call")) >= EVENTS_AT_ONCE)
        opened_at = time.monotonic()
        made.cabinet.do("door main open")
        made.until(lambda: bool(made.events("door_open")))
        took_s = time.monotonic() - opened_at
        made.process.kill()
        assert made.process.wait(10.0) == -signal.SIGKILL
        display.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(PATIENCE_S)
        codes = [code for (code,) in made.cabinet.books.rows("SELECT code FROM events ORDER BY seq")]
        before = codes[: codes.index("door_open")].count("service_call")
        assert before <= EVENTS_AT_ONCE + 1 + took_s / EVENT_EVERY_S
        assert made.cabinet.books.rows("SELECT value FROM meters WHERE name = 'door_main'") == [(1,)]
        assert audit(made.cabinet.run.journal, lambda _what, _done, _total: None).failures == []
