"""Local sockets: AF_UNIX, one message per packet, with the peer's credentials.

SocketPathError (ValueError)   a socket cannot be made at its path
"""

import asyncio
import errno
import logging
import os
import socket
import struct
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple

from controller.files.own_files import remove_socket
from controller.system.peers import BOUNDS, Bounds
from drivers.clock import Clock

_log = logging.getLogger(__name__)

AGAIN_S = 1.0
"""The pause before the next accept after a failed one."""
PASSING = frozenset(
    (errno.ECONNABORTED, errno.EPROTO, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
)
"""Transient errors of accept: the peer is gone, or the computer is short of descriptors or memory (accept(2))."""
_LONGEST_PATH = 107
_CREDENTIALS = struct.Struct("3i")
_WAITING = 4


class SocketPathError(ValueError):
    """A socket cannot be made at its path."""


class Peer(NamedTuple):
    """The process at the other end, and its user and group, as the kernel reports them (SO_PEERCRED)."""

    pid: int
    user: int
    group: int


def listen(path: Path, mode: int) -> socket.socket:
    """Return a non-blocking socket that listens at `path` with the file rights `mode`.

    Raises `SocketPathError` for a path that is too long, and `OSError` if the directory refuses it.
    """
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise SocketPathError(
            f"{path}: longer than the {_LONGEST_PATH} bytes of a socket's path; choose a shorter run_dir"
        )
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.settimeout(0)
    # The journal's lock allows one supervisor at a time, so a file found here is a dead one's.
    remove_socket(path)
    listener.bind(os.fspath(path))
    path.chmod(mode)
    listener.listen(_WAITING)
    return listener


Listening = Callable[[Path, int], socket.socket]
"""A function that makes a listening socket, as `listen` does."""


async def connections(listener: socket.socket, clock: Clock, bounds: Bounds = BOUNDS) -> AsyncIterator[socket.socket]:
    """Yield every connection to `listener`, non-blocking; connections beyond the pace wait in its backlog.

    A transient error is logged once, and accept is retried.
    """
    logged = False
    pace = bounds.connections(clock)
    while True:
        await pace.wait()
        try:
            sock, _address = await asyncio.get_running_loop().sock_accept(listener)
        except OSError as error:
            if error.errno not in PASSING:
                raise
            if not logged:
                _log.warning("%s: nobody can connect (%s): trying again", listener.getsockname(), error.strerror)
            logged = True
            await clock.sleep(AGAIN_S)
            continue
        logged = False
        sock.settimeout(0)
        yield sock


def peer_of(sock: socket.socket) -> Peer:
    """Return the process at the other end."""
    return Peer(*_CREDENTIALS.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)))
