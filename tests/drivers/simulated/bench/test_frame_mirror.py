import io
import os
from pathlib import Path

import pygame
import pytest

from drivers.simulated.bench.frame_mirror import HEADER_BYTES, Frame, FrameMirror, NoFrameError, png
from tests.rigs.bench_fakes import FakeDisplay


def test_no_file_is_a_dark_glass(tmp_path: Path) -> None:
    """Before any display has run there is neither a frame nor life."""
    with FrameMirror(tmp_path / "glass") as glass:
        assert (glass.frame(), glass.alive()) == (None, False)


def test_a_display_without_a_frame_shows_nothing(tmp_path: Path) -> None:
    """A file whose header is still empty holds no frame, though its display lives."""
    display = FakeDisplay(tmp_path / "glass", 4, 2)
    with FrameMirror(tmp_path / "glass") as glass:
        assert (glass.frame(), glass.alive()) == (None, True)
    display.die()


def test_the_newest_frame_is_read_whole(tmp_path: Path) -> None:
    """A frame carries its number, its time of presentation, its size and its pixels, from either buffer."""
    display = FakeDisplay(tmp_path / "glass", 4, 2)
    with FrameMirror(tmp_path / "glass") as glass:
        display.present(b"\x01" * 32, 111)
        assert glass.frame() == Frame(1, 111, b"\x01" * 32, 4, 2)
        display.present(b"\x02" * 32, 222)
        assert glass.frame() == Frame(2, 222, b"\x02" * 32, 4, 2)
    display.die()


def test_an_unchanged_frame_is_the_same_object(tmp_path: Path) -> None:
    """A still picture is read once: the bench copies nothing while nothing moves."""
    display = FakeDisplay(tmp_path / "glass", 4, 2)
    display.present(b"\x01" * 32, 111)
    with FrameMirror(tmp_path / "glass") as glass:
        first = glass.frame()
        assert first is not None
        assert glass.frame() is first
    display.die()


class Overtaken:
    """Reads like `os.pread`, but a display presents two frames in the middle of the first `times` pictures."""

    def __init__(self, display: FakeDisplay, times: int) -> None:
        self.display = display
        self.times = times

    def __call__(self, file: int, size: int, offset: int) -> bytes:
        if offset < HEADER_BYTES or not self.times:
            return os.pread(file, size, offset)
        self.times -= 1
        half = os.pread(file, size // 2, offset)
        for _ in range(2):
            self.display.present(bytes((self.display.number + 1,)) * size, self.display.number + 1)
        return half + os.pread(file, size - size // 2, offset + size // 2)


def test_a_torn_frame_is_read_again(tmp_path: Path) -> None:
    """A picture that was overwritten while it was read is thrown away, and the newer one is read whole."""
    display = FakeDisplay(tmp_path / "glass", 4, 2)
    display.present(b"\x01" * 32, 1)
    with FrameMirror(tmp_path / "glass", read=Overtaken(display, 1)) as glass:
        assert glass.frame() == Frame(3, 3, b"\x03" * 32, 4, 2)
    display.die()


def test_a_display_that_always_overtakes_leaves_the_last_frame(tmp_path: Path) -> None:
    """Against a display that is always faster, the reader keeps its last whole picture instead of trying for ever."""
    display = FakeDisplay(tmp_path / "glass", 4, 2)
    display.present(b"\x01" * 32, 1)
    reader = Overtaken(display, 0)
    with FrameMirror(tmp_path / "glass", read=reader) as glass:
        seen = glass.frame()
        display.present(b"\x02" * 32, 2)
        reader.times = 1000
        assert glass.frame() is seen
    display.die()


def test_life_is_the_display_s_lock(tmp_path: Path) -> None:
    """The glass is lit while its display holds the lock, dark from its death to the next one's first frame."""
    display = FakeDisplay(tmp_path / "glass", 4, 2)
    display.present(b"\x01" * 32, 111)
    with FrameMirror(tmp_path / "glass") as glass:
        lit = [glass.alive()]
        display.die()
        lit.append(glass.alive())
        display = FakeDisplay(tmp_path / "glass", 4, 2)
        display.present(b"\x02" * 32, 222)
        lit.append(glass.alive())
    display.die()
    assert lit == [True, False, True]


def test_asking_leaves_the_lock_free(tmp_path: Path) -> None:
    """A reader that has asked a dead glass keeps no lock that would keep a new display out."""
    FakeDisplay(tmp_path / "glass", 4, 2).die()
    with FrameMirror(tmp_path / "glass") as glass:
        assert not glass.alive()
        # The fake's flock would wait for ever here if the reader still held its own.
        FakeDisplay(tmp_path / "glass", 4, 2).die()


def test_a_replaced_file_is_found(tmp_path: Path) -> None:
    """A display that makes a new file of another size is read, not the old file's ghost."""
    path = tmp_path / "glass"
    old = FakeDisplay(path, 4, 2)
    old.present(b"\x01" * 32, 111)
    with FrameMirror(path) as glass:
        assert glass.frame() == Frame(1, 111, b"\x01" * 32, 4, 2)
        old.die()
        path.unlink()
        new = FakeDisplay(path, 2, 2)
        new.present(b"\x05" * 16, 222)
        assert glass.frame() == Frame(1, 222, b"\x05" * 16, 2, 2)
    new.die()


@pytest.mark.parametrize("content", [b"", b"GLAS", b"NOPE" + bytes(HEADER_BYTES)])
def test_a_file_that_is_no_glass_shows_nothing(tmp_path: Path, content: bytes) -> None:
    """A short or foreign file is no picture, and no error either: a display may be about to write it."""
    path = tmp_path / "glass"
    path.write_bytes(content)
    with FrameMirror(path) as glass:
        assert glass.frame() is None


def test_a_cut_file_shows_what_was_seen_last(tmp_path: Path) -> None:
    """A header that promises more than the file holds yields the last whole frame."""
    path = tmp_path / "glass"
    display = FakeDisplay(path, 4, 2)
    display.present(b"\x01" * 32, 111)
    with FrameMirror(path) as glass:
        seen = glass.frame()
        display.present(b"\x02" * 32, 222)
        display.die()
        with path.open("r+b") as file:
            file.truncate(HEADER_BYTES + 8)
        assert glass.frame() is seen


def test_the_png_shows_the_frame(tmp_path: Path) -> None:
    """A saved picture, read by another decoder, has the frame's colours: BGRX becomes RGB."""
    pixels = bytes((10, 20, 30, 0, 40, 50, 60, 0, 70, 80, 90, 0, 1, 2, 3, 255))
    display = FakeDisplay(tmp_path / "glass", 2, 2)
    display.present(pixels, 1)
    with FrameMirror(tmp_path / "glass") as glass:
        glass.save_png(tmp_path / "shot.png")
    display.die()
    picture = pygame.image.load(tmp_path / "shot.png")
    got = [tuple(picture.get_at((x, y)))[:3] for y in range(2) for x in range(2)]
    assert got == [(30, 20, 10), (60, 50, 40), (90, 80, 70), (3, 2, 1)]


def test_a_png_is_opaque() -> None:
    """The unused fourth byte of a pixel never becomes transparency."""
    picture = pygame.image.load(io.BytesIO(png(Frame(1, 1, bytes(16), 2, 2))), "shot.png")
    assert picture.get_at((1, 1)).a == 255


def test_saving_a_dark_glass_says_so(tmp_path: Path) -> None:
    """Without a frame there is nothing to save; the error names the file."""
    with FrameMirror(tmp_path / "glass") as glass, pytest.raises(NoFrameError, match="glass: no frame"):
        glass.save_png(tmp_path / "shot.png")
