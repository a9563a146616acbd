import fcntl
import struct
from pathlib import Path

import pygame
import pytest

from ui.atlas import blank
from ui.frame_mirror import HEADER_BYTES, FrameMirror, FrameMirrorBusyError

SIZE = (8, 4)


def read(path: Path) -> tuple[tuple[object, ...], bytes]:
    """Return the header and the front buffer, as the bench reads them."""
    whole = path.read_bytes()
    header = struct.unpack_from("<4sIIIQQ", whole)
    size = SIZE[0] * SIZE[1] * 4
    start = HEADER_BYTES + header[3] * size
    return header, whole[start : start + size]


def painted(colour: tuple[int, int, int]) -> pygame.Surface:
    """Return a canvas of one colour."""
    canvas = blank(SIZE)
    canvas.fill(colour)
    return canvas


def test_each_frame_goes_to_the_other_buffer_and_becomes_the_front(tmp_path: Path) -> None:
    """The front is never written: a reader sees whole frames only, in BGRX, with number and time."""
    path = tmp_path / "glass"
    mirror = FrameMirror(path, SIZE)
    mirror.write(painted((1, 2, 3)), 1000)
    first, pixels = read(path)
    assert first == (b"GLAS", 8, 4, 1, 1, 1000)
    assert pixels[:3] == bytes((3, 2, 1))
    mirror.write(painted((4, 5, 6)), 2000)
    second, pixels = read(path)
    assert second == (b"GLAS", 8, 4, 0, 2, 2000)
    assert pixels[:3] == bytes((6, 5, 4))
    mirror.close()


def test_the_mirror_is_locked_while_the_display_lives(tmp_path: Path) -> None:
    """The bench knows a dead display by the lock it can take."""
    path = tmp_path / "glass"
    mirror = FrameMirror(path, SIZE)
    with path.open("rb") as reader:
        with pytest.raises(BlockingIOError):
            fcntl.flock(reader, fcntl.LOCK_SH | fcntl.LOCK_NB)
        mirror.close()
        fcntl.flock(reader, fcntl.LOCK_SH | fcntl.LOCK_NB)


def test_two_displays_never_share_a_mirror(tmp_path: Path) -> None:
    """The second's error names the file that is held."""
    path = tmp_path / "glass"
    mirror = FrameMirror(path, SIZE)
    with pytest.raises(FrameMirrorBusyError, match="glass is held by another display"):
        FrameMirror(path, SIZE)
    mirror.close()


def test_a_restarted_display_counts_its_frames_on(tmp_path: Path) -> None:
    """A reader that waits for a new frame must not take the old picture for it."""
    path = tmp_path / "glass"
    for expected in (1, 2):
        mirror = FrameMirror(path, SIZE)
        mirror.write(painted((0, 0, 0)), 1)
        assert mirror.number == expected
        mirror.close()
