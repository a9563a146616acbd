"""Draw the bench: a composed background, and widgets that are repainted only when their content has changed."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path

import pygame

from drivers.simulated.bench import layout
from drivers.simulated.bench.appearance import PARTS, STILL_PARTS, Look, Part, SeenFront
from drivers.simulated.bench.bake import bake, font_files
from drivers.simulated.bench.frame_mirror import Frame
from drivers.simulated.bench.layout import CONTROLS, Rect
from drivers.simulated.bench.sprites import keycap_width
from drivers.simulated.bench.wheels import STEPS, WHEELS, faces

# Beyond this, pictures at twice the size are baked once, which takes some ten seconds.
_LARGEST_STRETCH = 1.5
_WHEEL_WIDTH, _WHEEL_HEIGHT = layout.WHEEL_SIZE
_READOUT = (126, 240, 164)
_AMBER = (255, 190, 92)
_PALE = (150, 160, 178)


@dataclass(frozen=True)
class Seen(SeenFront):
    """The state that the bench shows at one moment."""

    wheels: dict[str, int]
    frame: Frame | None
    monitor_lit: bool
    line: str
    alert: bool = False


@dataclass(frozen=True)
class _Widget:
    area: Rect
    state: Callable[[Seen], Hashable]
    paint: Callable[[Seen], None]


class Drawing:
    """The bench drawn on one surface; call `fit` whenever the surface changes."""

    def __init__(self, baked: Path, surface: pygame.Surface) -> None:
        self._baked = baked
        self._pictures: dict[str, pygame.Surface] = {}
        self._shown: dict[Rect, Hashable] = {}
        self._widgets = [
            *(self._part(part) for part in PARTS.values()),
            *(self._meter(name, area) for name, area in layout.METER_AREAS.items()),
            _Widget(layout.MONITOR, _monitor_state, self._paint_monitor),
            _Widget(layout.HELP, lambda seen: (seen.line, seen.alert), self._paint_help),
        ]
        self.fit(surface)

    def fit(self, surface: pygame.Surface) -> None:
        """Scale everything to `surface` and repaint everything with the next `draw`."""
        self._surface = surface
        width, height = surface.get_size()
        self._scale = min(width / layout.WIDTH, height / layout.HEIGHT)
        self._left = int(width - layout.WIDTH * self._scale) // 2
        self._top = int(height - layout.HEIGHT * self._scale) // 2
        self._zoom = 1 if self._scale <= _LARGEST_STRETCH else 2
        self._folder = bake(self._baked, self._zoom)
        self._pictures.clear()
        self._shown.clear()
        fonts = font_files()
        self._small = pygame.font.Font(fonts[0], max(6, round(14 * self._scale)))
        self._readout = pygame.font.Font(fonts[2], max(6, round(17 * self._scale)))
        self._canvas: pygame.Surface | None = None
        surface.fill((5, 6, 10))
        for name, area in (("cabinet", Rect(0, 0, layout.WIDTH, layout.HEIGHT)), *STILL_PARTS.items()):
            self._put(name, area.x, area.y)
        self._keycaps(Rect(0, 0, layout.WIDTH, layout.HEIGHT))
        self._background = surface.copy()

    def to_bench(self, x: float, y: float) -> tuple[float, float]:
        """Map a point of the surface to bench units."""
        return (x - self._left) / self._scale, (y - self._top) / self._scale

    def draw(self, seen: Seen) -> list[pygame.Rect]:
        """Paint the differences from the picture shown; return the surface's changed rectangles."""
        changed = []
        for widget in self._widgets:
            state = widget.state(seen)
            if widget.area in self._shown and self._shown[widget.area] == state:
                continue
            self._shown[widget.area] = state
            box = self._box(widget.area)
            self._surface.set_clip(box)
            if widget.area is not layout.MONITOR:
                self._surface.blit(self._background, box, box)
            widget.paint(seen)
            if widget.area is not layout.MONITOR:
                self._keycaps(widget.area)
            changed.append(box)
        self._surface.set_clip(None)
        return changed

    def _box(self, area: Rect) -> pygame.Rect:
        left, top = round(area.x * self._scale), round(area.y * self._scale)
        right, bottom = round((area.x + area.width) * self._scale), round((area.y + area.height) * self._scale)
        return pygame.Rect(self._left + left, self._top + top, right - left, bottom - top)

    def _picture(self, name: str) -> pygame.Surface:
        picture = self._pictures.get(name)
        if picture is None:
            picture = pygame.image.load(self._folder / f"{name}.png").convert_alpha()
            if self._scale != self._zoom:
                factor = self._scale / self._zoom
                size = (max(1, round(picture.get_width() * factor)), max(1, round(picture.get_height() * factor)))
                picture = pygame.transform.smoothscale(picture, size)
            self._pictures[name] = picture
        return picture

    def _put(self, name: str, x: float, y: float, *, turned: bool = False) -> None:
        at = (self._left + round(x * self._scale), self._top + round(y * self._scale))
        picture = self._picture(name)
        self._surface.blit(pygame.transform.rotate(picture, 90) if turned else picture, at)

    def _keycaps(self, area: Rect) -> None:
        for control in CONTROLS.values():
            width = keycap_width(control.keycap)
            x, y = control.at
            if area.meets(Rect(x - width // 2, y - 10, width, 20)):
                self._put(f"keycap_{control.keycap}", x - width / 2, y - 10)

    def _text(self, text: str, x: float, y: float, colour: tuple[int, int, int], *, small: bool = False) -> None:
        font = self._small if small else self._readout
        picture = font.render(text, True, colour)  # noqa: FBT003 - pygame takes smoothing by position only
        middle = (self._left + round(x * self._scale), self._top + round(y * self._scale))
        self._surface.blit(picture, picture.get_rect(center=middle))

    def _part(self, part: Part) -> _Widget:
        return _Widget(part.area, part.look, lambda seen: self._paint_look(part.area, part.look(seen)))

    def _meter(self, name: str, area: Rect) -> _Widget:
        return _Widget(area, lambda seen: seen.wheels.get(name), lambda seen: self._paint_meter(name, seen))

    def _paint_look(self, area: Rect, look: Look) -> None:
        outer = self._surface.get_clip()
        for layer in look.layers:
            self._surface.set_clip(
                self._box(Rect(area.x, area.y + layer.below, area.width, area.height - layer.below)).clip(outer)
            )
            self._put(layer.picture, area.x + layer.x, area.y + layer.y, turned=layer.turned)
        self._surface.set_clip(outer)
        for label in look.labels:
            colour = _READOUT if label.readout else _AMBER
            self._text(label.text, area.x + label.x, area.y + label.y, colour, small=not label.readout)

    def _paint_monitor(self, seen: Seen) -> None:
        frame = seen.frame
        box = self._box(layout.MONITOR)
        if frame is None or not seen.monitor_lit:
            # A scaled picture is not opaque to the last bit, and the old frame must not shine through it.
            self._surface.fill((0, 0, 0), box)
            self._put("dark_monitor", layout.MONITOR.x, layout.MONITOR.y)
            return
        size = (frame.width, frame.height)
        if self._canvas is None or self._canvas.get_size() != size:
            # BGRX in memory is this layout on little-endian machines, the only ones supported.
            self._canvas = pygame.Surface(size, 0, 32, (0xFF0000, 0x00FF00, 0x0000FF, 0))
        self._canvas.get_buffer().write(frame.pixels, 0)
        shown = self._box(layout.picture_area(size))
        if shown != box:
            self._surface.fill((0, 0, 0), box)
        picture = self._canvas if size == shown.size else pygame.transform.smoothscale(self._canvas, shown.size)
        self._surface.blit(picture, shown)

    def _paint_meter(self, name: str, seen: Seen) -> None:
        area = layout.METER_AREAS[name]
        position = seen.wheels.get(name)
        if position is None:
            return
        left, y = area.x + layout.WHEELS_AT[0], area.y + layout.WHEELS_AT[1]
        outer = self._surface.get_clip()
        # Rounded to pixels, the wheels may be taller than the window they turn behind.
        window = self._picture("meter_glass").get_rect(topleft=self._box(Rect(left, y, 0, 0)).topleft)
        for place, turn in enumerate(faces(position)):
            x = left + place * _WHEEL_WIDTH
            wheel_box = self._box(Rect(x, y, _WHEEL_WIDTH, _WHEEL_HEIGHT))
            self._surface.set_clip(wheel_box.clip(window).clip(outer))
            wheel = "last_wheel" if place == WHEELS - 1 else "wheel"
            self._put(wheel, x, y - turn * _WHEEL_HEIGHT / STEPS)
        self._surface.set_clip(outer)
        self._put("meter_glass", left, y)

    def _paint_help(self, seen: Seen) -> None:
        colour = _AMBER if seen.alert else _PALE
        self._text(seen.line, layout.WIDTH / 2, layout.HELP.y + 13, colour, small=True)


def _monitor_state(seen: Seen) -> Hashable:
    if seen.frame is None or not seen.monitor_lit:
        return None
    return seen.frame.number, seen.frame.ns
