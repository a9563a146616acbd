"""Sockets that only this computer reaches: AF_UNIX, one message a packet, with the other end's credentials.

SocketPathError (ValueError)   a socket cannot be made at its path
"""

import os
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_LONGEST_PATH = 107
_CREDENTIALS = struct.Struct("3i")
_WAITING = 4


class SocketPathError(ValueError):
    """The socket cannot be made at its path."""


class Peer(NamedTuple):
    """The process at the other end, and its user and group, as the kernel vouches for them (SO_PEERCRED)."""

    pid: int
    user: int
    group: int


def listen(path: Path, mode: int) -> socket.socket:
    """Return a socket that listens at `path` with the file rights `mode`, non-blocking.

    Raises `SocketPathError` for a path that is too long, and `OSError` where the directory refuses it.
    """
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise SocketPathError(
            f"{path}: longer than the {_LONGEST_PATH} bytes of a socket's path; choose a shorter run_dir"
        )
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.settimeout(0)
    # One supervisor at a time is the journal's lock's business, so a file found here is a dead one's.
    with suppress(FileNotFoundError):
        path.unlink()
    listener.bind(os.fspath(path))
    path.chmod(mode)
    listener.listen(_WAITING)
    return listener


def peer_of(sock: socket.socket) -> Peer:
    """Return who is at the other end."""
    return Peer(*_CREDENTIALS.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)))
