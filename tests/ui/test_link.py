import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ui.link import MOST_AT_ONCE, RETRY_S, Link, ProtocolMismatchError
from ui.protocol.messages import MAX_PACKET, Ack, Hello, Hurry, Show, Snapshot, View, decode_to_supervisor, encode


class Supervisor:
    """The other end: a listening socket and the connection that was accepted last."""

    def __init__(self, path: Path) -> None:
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(str(path))
        self.listener.listen(4)
        self.listener.settimeout(0)
        self.peer: socket.socket | None = None

    def accept(self) -> None:
        if self.peer is not None:
            self.peer.close()
        self.peer, _ = self.listener.accept()
        self.peer.settimeout(1)

    def say(self, *messages: Hello | Snapshot | Show | Hurry) -> None:
        assert self.peer is not None
        for message in messages:
            self.peer.send(encode(message))

    def hear(self) -> object:
        assert self.peer is not None
        return decode_to_supervisor(self.peer.recv(MAX_PACKET))

    def close(self) -> None:
        self.listener.close()
        if self.peer is not None:
            self.peer.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "display.sock"


@pytest.fixture
def supervisor(path: Path) -> Iterator[Supervisor]:
    supervisor = Supervisor(path)
    yield supervisor
    supervisor.close()


@pytest.fixture
def link(path: Path) -> Iterator[Link]:
    link = Link(path)
    yield link
    link.close()


SNAPSHOT = Snapshot(1, View(state="attract"))


def show(number: int) -> Show:
    return Show(number, 1, (), credit_cents=0, win_cents=0)


def connected(link: Link, supervisor: Supervisor, now: float = 0.0) -> None:
    """Bring both ends past their `Hello`s and the first snapshot."""
    link.poll(now)
    supervisor.accept()
    assert supervisor.hear() == Hello()
    supervisor.say(Hello(), SNAPSHOT)
    assert link.poll(now) == [SNAPSHOT]


def test_it_greets_first_and_hands_on_what_comes(link: Link, supervisor: Supervisor) -> None:
    """Hello goes out on connecting; after the supervisor's Hello messages arrive in order."""
    connected(link, supervisor)
    supervisor.say(show(7), Hurry(7), show(8))
    assert link.poll(0.1) == [show(7), Hurry(7), show(8)]
    assert link.send(Ack(8), 0.1)
    assert supervisor.hear() == Ack(8)


def test_it_tries_again_until_the_supervisor_is_there(link: Link, path: Path) -> None:
    """Without a socket nothing fails; the next attempt is due 100 ms later, not sooner."""
    assert link.poll(0.0) == []
    supervisor = Supervisor(path)
    link.poll(RETRY_S / 2)
    with pytest.raises(BlockingIOError):
        supervisor.accept()
    link.poll(RETRY_S)
    supervisor.accept()
    assert supervisor.hear() == Hello()
    supervisor.close()


def test_another_protocol_is_refused(link: Link, supervisor: Supervisor) -> None:
    """A supervisor of another version ends this display, with a line that says what to install."""
    link.poll(0.0)
    supervisor.accept()
    supervisor.say(Hello(protocol=99))
    with pytest.raises(ProtocolMismatchError, match=r"protocol 99.*same version"):
        link.poll(0.0)


@pytest.mark.parametrize("number", [7, 9, 6])
def test_a_gap_in_the_shows_drops_the_connection(link: Link, supervisor: Supervisor, number: int) -> None:
    """After show 7 comes show 8: anything else means something was lost, so a new snapshot is needed."""
    connected(link, supervisor)
    supervisor.say(show(7), show(number))
    assert link.poll(0.0) == [show(7)]
    assert link.lost
    assert link.sock is None


def test_after_a_loss_it_connects_anew_and_any_number_begins(link: Link, supervisor: Supervisor) -> None:
    """EOF is a loss; the new connection starts over, so its first show may carry any number."""
    connected(link, supervisor)
    assert supervisor.peer is not None
    supervisor.peer.close()
    assert link.poll(1.0) == []
    assert link.lost
    connected(link, supervisor, 1.0 + RETRY_S)
    supervisor.say(show(41))
    assert link.poll(1.2) == [show(41)]
    assert not link.lost


def test_a_cut_packet_is_refused(link: Link, supervisor: Supervisor) -> None:
    """A packet longer than the protocol allows arrives cut: it is never taken for a message."""
    connected(link, supervisor)
    assert supervisor.peer is not None
    supervisor.peer.send(b" " * (MAX_PACKET + 1))
    assert link.poll(0.0) == []
    assert link.lost
    assert "longer than" in link.last_loss


@pytest.mark.parametrize(
    "packet",
    [
        b"{}",
        b"\xff",
        b'{"type":"snapshot"}',
        b'{"type":"snapshot","turn":1,"view":{"state":"\xff"}}',
        b"[" * 3_000,
        b'{"type":"hello","protocol":' + b"9" * 5_000 + b"}",
    ],
    ids=["no type", "no JSON", "no turn", "no UTF-8", "nested deep", "a long number"],
)
def test_an_unreadable_packet_drops_the_connection(link: Link, supervisor: Supervisor, packet: bytes) -> None:
    """What is no message of the protocol is not guessed at."""
    connected(link, supervisor)
    assert supervisor.peer is not None
    supervisor.peer.send(packet)
    assert link.poll(0.0) == []
    assert link.lost


def test_nothing_is_taken_before_hello(link: Link, supervisor: Supervisor) -> None:
    """A snapshot without a greeting could be of any version: refused."""
    link.poll(0.0)
    supervisor.accept()
    supervisor.say(SNAPSHOT)
    assert link.poll(0.0) == []
    assert link.lost


def test_sending_into_a_dead_connection_is_a_loss(link: Link, supervisor: Supervisor) -> None:
    """A press that cannot be delivered is dropped with its connection; nothing raises."""
    connected(link, supervisor)
    assert supervisor.peer is not None
    supervisor.peer.close()
    assert not link.send(Ack(1), 0.0)
    assert link.lost


def test_a_flood_leaves_time_for_frames(link: Link, supervisor: Supervisor) -> None:
    """A supervisor that sends without end is read a part at a time, and nothing of it is lost."""
    connected(link, supervisor)
    assert supervisor.peer is not None
    supervisor.peer.settimeout(0)  # with a timeout a socket takes no more than a quarter of what it holds
    supervisor.say(*(Hurry(number) for number in range(100)))
    assert [len(link.poll(0.0)) for _ in range(3)] == [MOST_AT_ONCE, 100 - MOST_AT_ONCE, 0]
