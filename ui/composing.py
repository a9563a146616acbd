"""Chooses whether the GPU or the CPU composes frames, and remembers a GPU that failed.

A display may be killed at any time, and a driver may end it. So starts with the GPU are counted in a file until one has
lasted, so that new processes do not try forever.
"""

import sys
from pathlib import Path

from pygame._sdl2.video import Renderer

from ui.canvas import GpuError
from ui.gpu_canvas import GpuCanvas, gpu_name

MOST_STARTS = 3
"""After this many consecutive starts that did not last, frames are composed in memory."""
LASTING_FRAMES = 600
"""After this many frames a start has lasted (ten seconds of motion)."""


class GpuStarts:
    """Counts starts with the GPU since the last one that lasted, in `file`; without a file nothing is remembered."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._frames = 0

    def __repr__(self) -> str:
        return f"<GpuStarts {self.count()} in {self._file}>"

    def count(self) -> int:
        """Return the count; an unreadable file counts as too many."""
        if self._file is None or not self._file.exists():
            return 0
        try:
            return int(self._file.read_text("ascii"))
        except (OSError, ValueError):
            return MOST_STARTS

    def begin(self) -> None:
        """Count one more start."""
        self._write(self.count() + 1)

    def shown(self) -> None:
        """Count a frame that has been shown."""
        self._frames += 1
        if self._frames == LASTING_FRAMES:
            self.lasted()

    def lasted(self) -> None:
        """Reset the count."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)

    def failed(self) -> None:
        """Record that the GPU has reported an error, so that it is not tried again."""
        self._frames = LASTING_FRAMES
        self._write(MOST_STARTS)

    def _write(self, count: int) -> None:
        if self._file is not None:
            fresh = self._file.with_name(f"{self._file.name}.new")
            fresh.write_text(str(count), "ascii")
            fresh.replace(self._file)


def gpu_canvas(compose: str, renderer: Renderer, size: tuple[int, int], starts: GpuStarts) -> GpuCanvas | None:
    """Return a canvas on the GPU if `compose` asks for it and the GPU works, else None; report the choice on stderr.

    `auto` accepts only a GPU; `gpu` also accepts a renderer that draws on the CPU.
    """
    name = gpu_name()
    reason = _against(compose, name, starts)
    if not reason:
        starts.begin()
        try:
            canvas = GpuCanvas(renderer, size)
            if canvas.proved():
                sys.stderr.write(f"display: frames are composed by the GPU ({name or 'no OpenGL'})\n")
                return canvas
            reason = f"{name} draws something else than it is asked for"
        except GpuError as error:
            reason = f"{name}: {error}"
        starts.failed()
        renderer.target = None
    sys.stderr.write(f"display: frames are composed in memory: {reason}\n")
    return None


def _against(compose: str, name: str, starts: GpuStarts) -> str:
    """Return why the GPU is not tried, or an empty string if it is."""
    if compose == "software":
        return 'display.compose is "software"'
    if compose == "auto" and not name:
        return "there is no GPU behind the renderer"
    if starts.count() >= MOST_STARTS:
        return f"the GPU has failed, or {MOST_STARTS} displays in a row that used it ended at once"
    return ""
