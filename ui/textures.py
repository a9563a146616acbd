"""The GPU's copies of drawn surfaces: created on first use, limited in size, the least recently used dropped first."""

from collections import OrderedDict, deque
from collections.abc import Callable
from weakref import ref

import pygame
from pygame._sdl2.video import Renderer, Texture

_BLEND = 1
"""SDL_BLENDMODE_BLEND."""
MOST_BYTES = 96 * 1024 * 1024
"""The greatest total size of the cached textures, at four bytes per pixel (docs/display.md, "Composing")."""


class Kept:
    """A texture, and the surface of which it is a copy."""

    __slots__ = ("alpha", "bytes", "surface", "texture")

    def __init__(self, renderer: Renderer, surface: pygame.Surface, gone: Callable[[object], None]) -> None:
        self.surface = ref(surface, gone)
        self.bytes = 4 * surface.get_width() * surface.get_height()
        self.texture = Texture.from_surface(renderer, surface)
        self.texture.blend_mode = _BLEND  # also for an opaque surface, whose set_alpha may change
        self.alpha = self.texture.alpha


class Textures:
    """The copies, by the identity of their surfaces. Only the drawing thread may call this."""

    def __init__(self, renderer: Renderer, most_bytes: int = MOST_BYTES) -> None:
        self._renderer = renderer
        self.most_bytes = most_bytes
        self._kept: OrderedDict[int, Kept] = OrderedDict()
        # Another thread may release a surface, and SDL's renderer belongs to one thread, so textures are freed in `of`.
        self._gone: deque[int] = deque()
        self.bytes = 0
        self.uploaded_bytes = 0
        """The bytes uploaded to the GPU since the start."""

    def __repr__(self) -> str:
        return f"<Textures {len(self._kept)} of {self.bytes} bytes, {self.uploaded_bytes} uploaded>"

    def of(self, surface: pygame.Surface) -> Kept:
        """Return the copy of `surface`; raise `pygame.error` if the GPU cannot create one."""
        key = id(surface)
        kept = self._kept.get(key)
        if kept is not None and kept.surface() is surface:
            self._kept.move_to_end(key)
            return kept
        self._tidy()
        self._drop(key)
        kept = Kept(self._renderer, surface, lambda _: self._gone.append(key))
        self._kept[key] = kept
        self.bytes += kept.bytes
        self.uploaded_bytes += kept.bytes
        while self.bytes > self.most_bytes and len(self._kept) > 1:
            self._drop(next(iter(self._kept)))
        return kept

    def clear(self) -> None:
        """Drop all of them."""
        self._kept.clear()
        self.bytes = 0

    def _tidy(self) -> None:
        """Drop the copies of surfaces that were released."""
        while self._gone:
            key = self._gone.popleft()
            if key in self._kept and self._kept[key].surface() is None:
                self._drop(key)

    def _drop(self, key: int) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self.bytes -= kept.bytes
