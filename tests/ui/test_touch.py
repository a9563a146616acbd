import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ui.touch import MOST_AT_ONCE, MOST_HANDS, TouchEvent, TouchSocket


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "touch.sock"


@pytest.fixture
def touch(path: Path) -> Iterator[TouchSocket]:
    touch = TouchSocket(path)
    yield touch
    touch.close()


def hand(path: Path) -> socket.socket:
    """Return a connected hand."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sock.connect(str(path))
    return sock


def test_touches_of_all_hands_arrive(touch: TouchSocket, path: Path) -> None:
    """The bench and a script may both touch; each touch arrives once."""
    with hand(path) as bench, hand(path) as script:
        bench.send(b'{"x":640,"y":360,"down":true}')
        script.send(b'{"x":1,"y":2,"down":false}')
        assert sorted(touch.poll(), key=lambda event: event.x) == [
            TouchEvent(1, 2, down=False),
            TouchEvent(640, 360, down=True),
        ]
        assert touch.poll() == []


def test_a_hand_may_leave_and_come_back(touch: TouchSocket, path: Path) -> None:
    """A closed connection is forgotten, the socket goes on."""
    with hand(path):
        touch.poll()
        assert len(touch.sockets()) == 2
    assert touch.poll() == []
    assert len(touch.sockets()) == 1
    with hand(path) as again:
        again.send(b'{"x":5,"y":6,"down":true}')
        assert touch.poll() == [TouchEvent(5, 6, down=True)]


def test_nonsense_closes_that_hand_only(touch: TouchSocket, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A peer that doesn't keep to the protocol is let go and logged; the others are still felt."""
    with hand(path) as wrong, hand(path) as right:
        wrong.send(b"tap!")
        right.send(b'{"x":7,"y":8,"down":true}')
        assert touch.poll() == [TouchEvent(7, 8, down=True)]
        assert wrong.recv(10) == b""
        assert "was let go" in caplog.text


@pytest.mark.parametrize("packet", [b'{"x":"\xff"}', b"[" * 250, b'{"x":%d,"y":0,"down":true}' % 10**200])
def test_nothing_that_a_hand_sends_ends_the_display(touch: TouchSocket, path: Path, packet: bytes) -> None:
    """No UTF-8, nesting, a number of 200 digits: that hand is let go."""
    with hand(path) as wrong:
        wrong.send(packet)
        assert touch.poll() == []
        assert wrong.recv(10) == b""


def test_a_flood_of_touches_and_hands_leaves_time_for_frames(touch: TouchSocket, path: Path) -> None:
    """So many touches between two frames, and so many hands; the rest of the touches come with the next frames."""
    with hand(path) as fast:
        for _ in range(100):
            fast.send(b'{"x":1,"y":1,"down":true}')
        assert [len(touch.poll()) for _ in range(3)] == [MOST_AT_ONCE, 100 - MOST_AT_ONCE, 0]
        others = []
        for _ in range(2 * MOST_HANDS):
            others.append(hand(path))
            touch.poll()
        assert len(touch.sockets()) == 1 + MOST_HANDS
        for other in others:
            other.close()


def test_a_name_left_by_a_killed_display_is_taken_over(path: Path) -> None:
    """SIGKILL leaves the socket file behind; the next display must start all the same."""
    first = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    first.bind(str(path))
    first.close()
    touch = TouchSocket(path)
    with hand(path) as sock:
        sock.send(b'{"x":1,"y":1,"down":true}')
        assert touch.poll() == [TouchEvent(1, 1, down=True)]
    touch.close()
