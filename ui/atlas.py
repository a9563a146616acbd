"""Sprites from the baked atlases (docs/art.md), decoded on first use.

`build/baked/<world>/<scale>/manifest.json` names each sprite's atlas and position. An atlas is decoded once, converted
to the canvas's format (opaque if it has no alpha, which draws three times as fast) and cut into subsurfaces. `preload`
decodes atlases that are not on the screen yet in a thread, so that frames do not wait.
"""

import threading
from pathlib import Path

import msgspec
import pygame

from common.error_words import error_words
from ui.frame_budget import FrameBudget
from ui.layout import SHAPES

REELS = "reels"
"""The name suffix of sprites in the size of a portrait monitor's reels."""
SIZES = ("large", REELS)
"""The name suffixes of sprites that are baked in a second size."""


class ArtError(RuntimeError):
    """The baked art is missing or incomplete; the message names the file and the remedy."""


class Place(msgspec.Struct, frozen=True):
    """The position of a sprite in its atlas, in pixels."""

    atlas: str
    x: int
    y: int
    w: int
    h: int


class DigitSet(msgspec.Struct, frozen=True):
    """Metrics of one set of number glyphs, in pixels; a glyph is drawn `pad` left of the pen."""

    pad: int
    height: int
    advance: dict[str, int]


class Manifest(msgspec.Struct, frozen=True):
    """What the display needs of a world's `manifest.json`."""

    sprites: dict[str, Place]
    digits: dict[str, DigitSet] = {}


def read_manifest(path: Path) -> Manifest:
    """Return a world's manifest; raises `ArtError`."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except OSError as error:
        raise ArtError(f"{path}: {error.strerror}: run `cabinet bake --scale {path.parent.name}`") from error
    except msgspec.MsgspecError as error:
        raise ArtError(f"{path}: {error}: bake again with `cabinet bake`") from error


def blank(size: tuple[int, int]) -> pygame.Surface:
    """Return an opaque surface in the canvas's format (32 bits, BGRX in memory)."""
    return pygame.Surface(size, 0, 32)


def clear(size: tuple[int, int]) -> pygame.Surface:
    """Return a fully transparent surface in the sprites' format."""
    return pygame.Surface(size, pygame.SRCALPHA, 32)


_SOONEST = ("sprites", "win")
"""The atlases of the first spin and the first win, decoded before a game's other scenes."""
_SLOTS = threading.BoundedSemaphore(2)
"""How many atlases are decoded in parallel; each needs twice its memory while it is converted."""
_OPAQUE = blank((1, 1))
_ALPHA = clear((1, 1))


class World:
    """The sprites of one world (`neptune`, `ui`) at one scale, for one shape of monitor; raises `ArtError`.

    A world of another `size` returns each sprite as baked in that size (`large` for portrait's scenes, `<name>_large`;
    `reels` for its reels, `<name>_reels`), or in the normal size if there is none. The `budget` decides how long a
    frame waits for a sprite whose atlas is not decoded yet.
    """

    def __init__(
        self,
        baked: Path,
        name: str,
        scale: float,
        shape: str = "wide",
        *,
        size: str = "",
        budget: FrameBudget | None = None,
    ) -> None:
        self._shape = shape
        self._budget = budget or FrameBudget()
        self._tail = f"_{size}" if size else ""
        self._folder = baked / name / f"{scale:g}"
        self.name = name
        path = self._folder / "manifest.json"
        self._manifest = read_manifest(path)
        self._language = ""
        self._atlases: dict[str, _Decoding] = {}
        self._sprites: dict[str, pygame.Surface] = {}
        self._lock = threading.Lock()
        self._closed = False

    def __repr__(self) -> str:
        return f"<World {self.name} {len(self._manifest.sprites)} sprites, {len(self._atlases)} atlases loaded>"

    def __contains__(self, sprite: str) -> bool:
        return self._own(sprite) in self._manifest.sprites

    def speak(self, language: str) -> None:
        """Return sprites with their words in `language` from here on, if the bake has drawn such."""
        if language != self._language:
            self._language = language
            self._sprites.clear()

    def sprite(self, name: str) -> pygame.Surface:
        """Return the sprite called `name`, ready to draw; raise `StillComingError` if a frame cannot wait for it."""
        found = self._sprites.get(name)
        if found is not None:
            return found
        place = self._manifest.sprites.get(self._own(name))
        if place is None:
            raise ArtError(f"{self._folder / 'manifest.json'} knows no sprite '{name}': see docs/art.md for the names")
        decoding = self._decoding(place.atlas)
        self._budget.wait(decoding)
        sprite = decoding.surface().subsurface((place.x, place.y, place.w, place.h))
        self._sprites[name] = sprite
        return sprite

    def digits(self, name: str) -> DigitSet:
        """Return the metrics of the digit set called `name`."""
        try:
            return self._manifest.digits[name + self._tail]
        except KeyError:
            raise ArtError(f"{self._folder / 'manifest.json'} knows no digits '{name}'") from None

    def fetch(self, *sprites: str) -> None:
        """Start decoding the atlases of `sprites` in parallel, without waiting for them."""
        for name in {self._manifest.sprites[self._own(sprite)].atlas for sprite in sprites}:
            self._decoding(name)

    def preload(self) -> None:
        """Decode every atlas that is not yet in use; called in a thread after the first frame."""
        wanted = {place.atlas for sprite, place in self._manifest.sprites.items() if self._fits(sprite)}
        for name in sorted(wanted, key=lambda atlas: (not atlas.startswith(_SOONEST), atlas)):
            if self._closed:
                return
            decoding = self._decoding(name)
            decoding.join()
            if not self._closed:
                decoding.surface()

    def close(self) -> None:
        """Release the atlases and stop preloading; pictures still in use keep their memory."""
        self._closed = True
        with self._lock:
            for decoding in self._atlases.values():
                decoding.wanted = False
            self._atlases.clear()
        self._sprites.clear()

    def _own(self, name: str) -> str:
        """Return the sprite for `name` with the words of the current language, in this world's size."""
        if self._tail != f"_{REELS}" or name + self._tail in self._manifest.sprites:
            name += self._tail
        own = f"{name}.{self._language}"
        return own if own in self._manifest.sprites else name

    def _fits(self, sprite: str) -> bool:
        """Whether a sprite is shown in this language and on this shape of monitor, for which sceneries have cuts."""
        name, _, _ = sprite.partition(".")
        if sprite != self._own(name):
            return False
        cut = name.rpartition("_")[2]
        if (cut if cut in SIZES else "") != self._tail.removeprefix("_"):
            return False  # each size has its own world
        if self._shape == "portrait" and f"{name}_{REELS}" in self._manifest.sprites:
            return False  # that size replaces it
        return cut == self._shape or (cut not in SHAPES and f"{name}_{self._shape}" not in self)

    def _decoding(self, name: str) -> "_Decoding":
        with self._lock:
            if name not in self._atlases:
                self._atlases[name] = _Decoding(self._folder / name)
            return self._atlases[name]


class _Decoding(threading.Thread):
    """One atlas being decoded; the decoder releases the interpreter lock, so several cores share the work."""

    def __init__(self, path: Path) -> None:
        super().__init__(name=f"decode {path.name}", daemon=True)
        self._path = path
        self._surface: pygame.Surface | None = None
        self._error = ""
        self.wanted = True
        """Cleared if its world is closed before the decoding begins."""
        self.start()

    def run(self) -> None:
        """Decode, and convert to the format that is drawn fastest."""
        with _SLOTS:
            if not self.wanted:
                self._error = "its world was closed"
                return
            try:
                raw = pygame.image.load(str(self._path))
            except (pygame.error, OSError) as error:
                self._error = error_words(error)
                return
            self._surface = raw.convert(_ALPHA if raw.get_flags() & pygame.SRCALPHA else _OPAQUE)

    def surface(self) -> pygame.Surface:
        """Wait for the atlas; raise `ArtError` if it could not be decoded."""
        self.join()
        if self._surface is None:
            raise ArtError(f"{self._path}: {self._error}: bake again with `cabinet bake`")
        return self._surface
