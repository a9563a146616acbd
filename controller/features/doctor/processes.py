"""Which process uses a device file, and whether the supervisor runs, as far as this user can see."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.features.doctor.world import World

_PTYS: Final = "/dev/pts"
_LOCK_FIELDS: Final = 6
_LOCK_PID: Final = 4
_LOCK_FILE: Final = 5
SUPERVISOR_ARGUMENTS: Final = ("-m", "controller.supervisor")
"""The arguments of the process that `cabinet run` becomes."""


def holder(world: World, device: Path) -> str | None:
    """Return the process that has the device file open or locked, as `name (pid N)`, or None if none is visible.

    Only root can see another user's open files, but everybody can see locks, and each of our ports is locked. The far
    end of a pty also has it open, so for a pty only locks count.
    """
    is_pty = world.path(device).resolve().is_relative_to(world.path(_PTYS).resolve())
    number = (None if is_pty else _by_open_files(world, device)) or _by_locks(world, device)
    return None if number is None else _named(world, number)


def supervisor(world: World) -> str | None:
    """Return the process of a running supervisor as `name (pid N)`, or None if none is visible."""
    return next((_named(world, one.name) for one in _processes(world) if _supervises(world, one.name)), None)


def _supervises(world: World, number: str) -> bool:
    words = (world.text(f"/proc/{number}/cmdline") or "").split("\0")
    return any(tuple(words[at : at + 2]) == SUPERVISOR_ARGUMENTS for at in range(len(words)))


def _processes(world: World) -> Iterator[Path]:
    yield from (folder for folder in world.listed("/proc") if folder.name.isdecimal())


def _by_open_files(world: World, device: Path) -> str | None:
    wanted = world.path(device).resolve()
    for folder in _processes(world):
        if folder.name == str(os.getpid()):
            continue
        try:
            files = list(world.path(folder / "fd").iterdir())
        except OSError:
            continue
        for file in files:
            try:
                target = file.readlink()
            except OSError:
                continue
            if world.path(target) == wanted:
                return folder.name
    return None


def _by_locks(world: World, device: Path) -> str | None:
    try:
        status = world.path(device).stat()
    except OSError:
        return None
    wanted = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in (world.text("/proc/locks") or "").splitlines():
        fields = line.split()
        if len(fields) >= _LOCK_FIELDS and fields[_LOCK_FILE] == wanted and fields[_LOCK_PID].isdecimal():
            return fields[_LOCK_PID]
    return None


def _named(world: World, number: str) -> str:
    name = "cabinet" if _supervises(world, number) else world.text(f"/proc/{number}/comm") or "a process"
    return f"{name} (pid {number})"
