"""A canvas on the GPU: a texture that keeps what was drawn on it, and a copy of each sprite as another texture.

A frame uploads only the sprites that the GPU has no copy of, and the commands to compose them.
"""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from weakref import WeakSet

import pygame
from pygame._sdl2.sdl2 import error as renderer_error
from pygame._sdl2.video import Renderer, Texture

from ui.atlas import blank, clear
from ui.canvas import GpuError, Place, Still
from ui.textures import MOST_BYTES, Textures

TOLERANCE = 4
"""The greatest difference of a channel (of 255) from the picture composed in memory (docs/display.md, "Composing")."""
OVERWRITE = 0
"""SDL_BLENDMODE_NONE."""
ALPHA_DEPTH = 32
"""A texture's bits per pixel: BGRA. SDL's OpenGL ES 2 draws opaque sprites as clear on a target of their format."""
_FULL = 255
_GL_RENDERER = 0x1F01
_LIBRARIES = ("libGLESv2.so.2", "libGL.so.1")
_ON_THE_CPU = ("llvmpipe", "softpipe", "swrast")
"""Mesa's renderers that use no GPU."""
_GROUND = (10, 20, 30)
_INKS = ((250, 10, 90, 128), (200, 100, 50, 255))


_ERRORS = (renderer_error, pygame.error)
"""SDL's renderer raises its own error, which is not a `pygame.error`; so does a texture that cannot be created."""


@contextmanager
def reported() -> Iterator[None]:
    """Raise errors of SDL's renderer as `GpuError`; errors of a scene pass unchanged."""
    try:
        yield
    except _ERRORS as error:
        raise GpuError(str(error)) from error


def gpu_name() -> str:
    """Return OpenGL's name for the renderer of this thread's context, or an empty string if it uses no GPU."""
    for library in _LIBRARIES:
        try:
            get_string = ctypes.CDLL(library).glGetString
        except (OSError, AttributeError):
            continue
        get_string.argtypes, get_string.restype = [ctypes.c_uint], ctypes.c_char_p
        name = (get_string(_GL_RENDERER) or b"").decode(errors="replace")
        if name:
            return "" if name.startswith(_ON_THE_CPU) else name
    return ""


class GpuCanvas:
    """A `Canvas` of `size` pixels in a texture of `renderer`. Its methods raise `GpuError`."""

    def __init__(self, renderer: Renderer, size: tuple[int, int], most_bytes: int = MOST_BYTES) -> None:
        self._renderer = renderer
        self._whole = pygame.Rect((0, 0), size)
        self.textures = Textures(renderer, most_bytes)
        self._stills: WeakSet[_Kept] = WeakSet()
        self.renew()

    def __repr__(self) -> str:
        return f"<GpuCanvas {self._whole.width}x{self._whole.height} {self.textures!r}>"

    def renew(self) -> None:
        """Create everything again, black, after the GPU has lost its content."""
        self._clip = self._whole
        with reported():
            self.textures.clear()
            self._renderer.target = None
            self._texture = Texture(self._renderer, self._whole.size, ALPHA_DEPTH, target=True, scale_quality=1)
            self._texture.blend_mode = OVERWRITE
            self._renderer.target = self._texture
            self._renderer.draw_color = "black"
            self._renderer.clear()

    def proved(self) -> bool:
        """Draw opaque and translucent colours, and return whether they can be read back.

        The calls of some drivers have no effect and raise no error.
        """
        sprites = [made((8, 8)) for made in (clear, blank) for _ in _INKS]
        for sprite, ink in zip(sprites, 2 * _INKS, strict=True):
            sprite.fill(ink)
        places = [(8 * number, 0) for number in range(len(sprites))]
        in_memory = blank(self._whole.size)
        in_memory.fill(_GROUND)
        self.fill(_GROUND)
        for canvas in (in_memory, self):
            canvas.fblits(list(zip(sprites, places, strict=True)))
        got = self.copy()
        return all(
            abs(channel - right) <= TOLERANCE
            for left, top in places
            for channel, right in zip(
                got.get_at((left + 4, top + 4)), in_memory.get_at((left + 4, top + 4)), strict=True
            )
        )

    def blit(self, source: pygame.Surface, dest: Place, area: pygame.Rect | None = None, /) -> pygame.Rect:
        """Draw `source`, or its part `area`; return the covered rectangle of the canvas."""
        part = source.get_rect() if area is None else area.clip(source.get_rect())
        left, top = (dest[0], dest[1]) if area is None else (dest[0] + part.x - area.x, dest[1] + part.y - area.y)
        box = pygame.Rect(left, top, *part.size)
        seen = box.clip(self._clip)
        if not seen:
            return seen
        try:
            kept = self.textures.of(source)
            alpha = source.get_alpha()
            if alpha is None:
                alpha = _FULL
            if alpha != kept.alpha:
                kept.texture.alpha = kept.alpha = alpha
            kept.texture.draw((part.x + seen.x - left, part.y + seen.y - top, seen.width, seen.height), seen)
        except _ERRORS as error:
            raise GpuError(str(error)) from error
        return seen

    def cover(self, backdrop: pygame.Surface, pieces: Sequence[pygame.Rect], /) -> None:
        """Draw these pieces of `backdrop`, which is as large as the canvas, at their positions."""
        for piece in pieces:
            self.blit(backdrop, piece, piece)

    def fblits(self, blit_sequence: Iterable[tuple[pygame.Surface, Place]], /) -> None:
        """Draw several surfaces."""
        for source, dest in blit_sequence:
            self.blit(source, dest)

    def fill(self, color: tuple[int, int, int], rect: pygame.Rect | None = None, /) -> pygame.Rect:
        """Fill `rect`, or the whole canvas; return the covered rectangle."""
        seen = (rect or self._whole).clip(self._clip)
        if seen.width and seen.height:
            with reported():
                self._renderer.draw_color = (*color, _FULL)
                self._renderer.fill_rect(seen)
        return seen

    def set_clip(self, rect: pygame.Rect | None, /) -> None:
        """Restrict drawing to `rect`; None removes the restriction."""
        self._clip = self._whole if rect is None else rect.clip(self._whole)

    def get_clip(self) -> pygame.Rect:
        """Return the area that can be drawn on."""
        return self._clip.copy()

    def copy(self) -> pygame.Surface:
        """Return a copy of its content, which is read back from the GPU and takes some time."""
        with reported():
            return self._renderer.to_surface(blank(self._whole.size))

    def still(self, box: pygame.Rect, /) -> Still:
        """Return the content of `box`, to be drawn again; it stays on the GPU."""
        with reported():
            kept = Texture(self._renderer, box.size, ALPHA_DEPTH, target=True)
            kept.blend_mode = OVERWRITE
            self._renderer.target = kept
            self._texture.draw(box, (0, 0, *box.size))
            self._renderer.target = self._texture
        still = _Kept(box, kept)
        self._stills.add(still)
        return still

    def present(self, target: pygame.Rect, level: int) -> None:
        """Show it on the window inside `target`, with its colours at `level` of 255 and black around it."""
        with reported():
            self._renderer.target = None
            self._renderer.draw_color = "black"
            self._renderer.clear()
            self._texture.color = (level, level, level)
            self._texture.draw(None, target)
            self._texture.color = "white"
            self._renderer.present()
            self._renderer.target = self._texture

    def close(self) -> None:
        """Free every texture, because SDL would free them with their window and then again whatever replaced them."""
        self.textures.clear()
        for still in self._stills:
            still.texture = None
        with suppress(*_ERRORS):  # a GPU that has failed may be unable to draw on the window
            self._renderer.target = None
        del self._texture


class _Kept:
    """A still on the GPU."""

    def __init__(self, box: pygame.Rect, texture: Texture) -> None:
        self.box = box
        self.texture: Texture | None = texture

    def lay(self, part: pygame.Rect, /) -> None:
        if self.texture is None:
            raise GpuError("the still's canvas is closed")
        with reported():
            self.texture.draw(part.move(-self.box.left, -self.box.top), part)
