"""A disk whose every write and flush is recorded, and the disks that a power cut could have left of it.

An ext4 image is served by qemu's storage daemon through its `blklogwrites` filter as a file (FUSE), which a loop device
makes a disk of. Needs root, loop devices, /dev/fuse, and `qemu-storage-daemon`, `mkfs.ext4`, `losetup`, `mount`.
The log has one entry a request (dm-log-writes): what is written lies in 512-byte sectors behind each entry; an entry
with the flush flag says that everything before it is on the medium.
"""

import os
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

NEEDS = ("qemu-storage-daemon", "mkfs.ext4", "losetup", "mount", "umount")
MEGABYTES = 48
_SECTOR = 512
_MAGIC = 0x6A736677736872
_FLUSH, _FUA, _DISCARD = 1, 2, 4
_HEAD, _ENTRY = struct.Struct("<QQQL"), struct.Struct("<QQQQ")
_PATIENCE_S = 10.0


def missing() -> tuple[str, str]:
    """Return why no disk can be recorded on this machine and how it could be, empty where it can."""
    tools = [name for name in NEEDS if shutil.which(name) is None]
    if tools:
        return f"{' '.join(tools)} not installed", "apt-get install qemu-utils qemu-system-common e2fsprogs"
    if os.geteuid():
        return "only root may mount", "run it as root"
    devices = [name for name in ("/dev/fuse", "/dev/loop-control") if not Path(name).exists()]
    return (f"there is no {' '.join(devices)}", "modprobe fuse loop") if devices else ("", "")


class Write(NamedTuple):
    """A request: `data` at byte `at`; `flush` where everything before it is durable, and it carries no data then."""

    at: int
    data: bytes
    flush: bool


class RecordedDisk:
    """The mounted disk of a recording: `root` is its folder, `position` how many requests have been recorded."""

    def __init__(self, root: Path, log: Path) -> None:
        self.root = root
        self._log = log

    def position(self) -> int:
        """Return how many requests the medium has seen."""
        with self._log.open("rb") as log:
            head = log.read(_HEAD.size)
        return 0 if len(head) < _HEAD.size else int(_HEAD.unpack(head)[2])


def writes(log: Path) -> list[Write]:
    """Return every request of a log, in order."""
    content = log.read_bytes()
    magic, _version, count, sector = _HEAD.unpack(content[: _HEAD.size])
    assert (magic, sector) == (_MAGIC, _SECTOR), "the log is not one of blklogwrites"
    found, at = [], _SECTOR
    for _ in range(count):
        first, sectors, flags, _length = _ENTRY.unpack(content[at : at + _ENTRY.size])
        at += _SECTOR
        assert not flags & (_FUA | _DISCARD), "a loop device mounted without discard sends neither"
        found.append(Write(first * _SECTOR, content[at : at + sectors * _SECTOR], bool(flags & _FLUSH)))
        at += sectors * _SECTOR
    return found


def blank(image: Path) -> None:
    """Make an empty ext4 image."""
    with image.open("wb") as file:
        file.truncate(MEGABYTES << 20)
    _run("mkfs.ext4", "-q", "-F", str(image))


def flushed(requests: Sequence[Write]) -> Sequence[Write]:
    """Return the requests up to the last flush."""
    last = max((number for number, request in enumerate(requests) if request.flush), default=-1)
    return requests[: last + 1]


@contextmanager
def mounted(image: Path, at: Path, *, offset: int = 0) -> Iterator[Path]:
    """Mount an image, or what of it begins at that byte, which replays ext4's own journal."""
    at.mkdir(exist_ok=True)
    _run("mount", "-o", f"loop,nodiscard,offset={offset}", str(image), str(at))
    try:
        yield at
    finally:
        _run("umount", str(at))


@contextmanager
def recording(image: Path, folder: Path) -> Iterator[RecordedDisk]:
    """Mount a copy of `image` whose requests go to `folder/log`; the log is whole once this ends."""
    live, log, served, root = (folder / name for name in ("live.img", "log", "served.img", "root"))
    shutil.copy(image, live)
    log.touch()
    served.touch()
    daemon = subprocess.Popen(
        [
            "qemu-storage-daemon",
            *("--blockdev", f"driver=file,node-name=image,filename={live}"),
            *("--blockdev", f"driver=file,node-name=log,filename={log}"),
            *("--blockdev", "driver=blklogwrites,node-name=recorder,file=image,log=log,log-super-update-interval=1"),
            *("--export", f"type=fuse,id=served,node-name=recorder,mountpoint={served},writable=on"),
        ]
    )
    try:
        _until_served(served, daemon)
        with mounted(served, root):
            yield RecordedDisk(root, log)
    finally:
        daemon.terminate()
        daemon.wait()


class Cut(NamedTuple):
    """A power cut after `position` requests, and how much of what was not flushed the medium has kept."""

    position: int
    kept: str


def left_by_cuts(image: Path, requests: list[Write], folder: Path) -> Iterator[tuple[Cut, Path]]:
    """Yield each cut at a flush, and the image that it leaves; the image is the caller's until the next is asked for.

    Before each flush what was written since the one before may be lost, half written or kept: none, the first half,
    every other request, or all.
    """
    durable = folder / "durable.img"
    shutil.copy(image, durable)
    number = 0
    pending: list[Write] = []
    for position, request in enumerate([*requests, Write(0, b"", flush=True)]):
        if not request.flush:
            pending.append(request)
            continue
        halves = {
            "dropped": [],
            "first half kept": pending[: len(pending) // 2],
            "every other kept": pending[1::2],
            "kept": pending,
        }
        tried: list[list[Write]] = []
        for kept, part in halves.items():
            if part in tried:
                continue
            tried.append(part)
            # A name of its own: the loop device of the image before may still be letting go of it.
            number += 1
            cut = folder / f"cut-{number}.img"
            shutil.copy(durable, cut)
            put(cut, part)
            yield Cut(position, kept), cut
            cut.unlink()
        put(durable, pending)
        pending = []


def put(image: Path, requests: Sequence[Write]) -> None:
    """Write these requests into an image."""
    with image.open("r+b") as file:
        for request in requests:
            file.seek(request.at)
            file.write(request.data)


def _until_served(served: Path, daemon: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while served.stat().st_size == 0:
        assert daemon.poll() is None, "qemu-storage-daemon has ended"
        assert time.monotonic() < deadline, "the image is not served"
        time.sleep(0.02)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
