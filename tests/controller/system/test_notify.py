import os
import socket
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from controller.system.notify import Notifier


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """A service manager's datagram socket, and how NOTIFY_SOCKET names it."""
    name = f"cabinet-test-{uuid4()}"
    address = str(tmp_path / "notify") if request.param == "path" else f"\0{name}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.settimeout(1)
        sock.bind(address)
        yield sock, address.replace("\0", "@")


def test_each_call_is_one_datagram(manager: tuple[socket.socket, str]) -> None:
    """The manager receives exactly the words of sd_notify(3), a status on one line."""
    sock, address = manager
    notifier = Notifier(address)
    sent = [
        notifier.ready(),
        notifier.status("a note\nin escrow"),
        notifier.watchdog(),
        notifier.stopping(),
    ]
    assert sent == [True] * 4
    received = [sock.recv(100) for _ in range(4)]
    assert received == [b"READY=1", b"STATUS=a note in escrow", b"WATCHDOG=1", b"STOPPING=1"]


def test_a_new_start_of_the_same_process_may_take_as_long_as_the_first(manager: tuple[socket.socket, str]) -> None:
    """Books are opened and proved anew: the watchdog waits for that, and is as it was once the cabinet is ready."""
    sock, address = manager
    notifier = Notifier(address, watchdog_s=20.0)
    notifier.ready()
    notifier.starting_again()
    notifier.ready()
    assert [sock.recv(100) for _ in range(4)] == [
        b"READY=1",
        b"WATCHDOG_USEC=180000000",
        b"WATCHDOG_USEC=20000000",
        b"READY=1",
    ]


def test_without_a_manager_nothing_is_sent() -> None:
    """Started by hand the supervisor says nothing and goes on."""
    assert Notifier.from_environment({}).ready() is False


def test_a_manager_that_is_gone_or_busy_harms_nobody(tmp_path: Path) -> None:
    """A message that cannot go out is reported to the caller, at once."""
    path = tmp_path / "notify"
    notifier = Notifier(str(path))
    assert notifier.watchdog() is False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(path))
        sent = [notifier.watchdog() for _ in range(2000)]
    assert sent[0] is True
    assert sent[-1] is False


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"WATCHDOG_USEC": "2500000"}, 2.5),
        ({"WATCHDOG_USEC": "2500000", "WATCHDOG_PID": str(os.getpid())}, 2.5),
        ({"WATCHDOG_USEC": "2500000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_interval_is_ours_only(environment: dict[str, str], expected: float | None) -> None:
    """The interval counts where it is meant for this process, in seconds."""
    assert Notifier.from_environment(environment).watchdog_s == expected
