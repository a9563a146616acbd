"""Draw the bench: a composed background, and widgets that are repainted only when their content has changed."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path

import pygame

from drivers.simulated.bench import layout
from drivers.simulated.bench.bake import bake, font_files
from drivers.simulated.bench.frame_mirror import Frame
from drivers.simulated.bench.layout import CONTROLS, Rect, euros
from drivers.simulated.bench.sprites import LYING_ANGLES, SPRITES, keycap_width, tower_name
from drivers.simulated.bench.wheels import STEPS, WHEELS, faces
from drivers.simulated.front import COINS_CENTS, NOTES_CENTS, Front
from drivers.wiring import BUTTONS, METERS, TIERS

# Beyond this, pictures at twice the size are baked once, which takes some ten seconds.
_LARGEST_STRETCH = 1.5
_WHEEL_WIDTH = 15
_WHEEL_HEIGHT = 26
_SLOT_LINE = 71
_ESCROW_SHOWS = 24
_RETURN_SHOWS = 84
_MOST_COINS = 72
_READOUT = (126, 240, 164)
_AMBER = (255, 190, 92)
_PALE = (150, 160, 178)


@dataclass(frozen=True)
class Seen:
    """The state that the bench shows at one moment."""

    front: Front | None
    held: frozenset[str]
    wheels: dict[str, int]
    frame: Frame | None
    monitor_lit: bool
    line: str
    alert: bool = False

    def lamp(self, name: str) -> bool:
        """Whether that button is lit."""
        return self.front is not None and self.front.lamps.get(name, False)

    def pressed(self, name: str) -> bool:
        """Whether that button is down, pressed here or by another client."""
        return name in self.held or (self.front is not None and self.front.buttons.get(name, False))


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
        self._widgets = [*self._money_widgets(), *self._panel_widgets(), *self._readout_widgets()]
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
        for name, area in (
            ("cabinet", Rect(0, 0, layout.WIDTH, layout.HEIGHT)),
            ("coin_slot", layout.COIN_SLOT),
            *((f"meter_{meter}", area) for meter, area in layout.METER_AREAS.items()),
            *(
                (name, control.area)
                for name, control in CONTROLS.items()
                if name.startswith(("note_", "coin_1", "coin_2", "coin_5"))
            ),
        ):
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

    def _put(self, name: str, x: float, y: float) -> None:
        at = (self._left + round(x * self._scale), self._top + round(y * self._scale))
        self._surface.blit(self._picture(name), at)

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

    def _panel_widgets(self) -> list[_Widget]:
        def button(name: str) -> _Widget:
            area = CONTROLS[name].area
            return _Widget(
                area,
                lambda seen: (seen.lamp(name), seen.pressed(name)),
                lambda seen: self._put(f"{name}_{seen.lamp(name):d}{seen.pressed(name):d}", area.x, area.y),
            )

        def switch(name: str) -> _Widget:
            control = CONTROLS[name]

            def is_on(seen: Seen) -> bool:
                return seen.front is not None and control.is_on(seen.front)

            return _Widget(
                control.area,
                is_on,
                lambda seen: self._put(f"{name}_{is_on(seen):d}", control.area.x, control.area.y),
            )

        crash = CONTROLS["crash"].area
        return [
            *(button(name) for name in BUTTONS),
            *(
                switch(name)
                for name in ("attendant", "technician", "main_door", "cash_box_door", "logic_door", "mains")
            ),
            _Widget(
                crash,
                lambda seen: seen.pressed("crash"),
                lambda seen: self._put(f"crash_{seen.pressed('crash'):d}", crash.x, crash.y),
            ),
        ]

    def _readout_widgets(self) -> list[_Widget]:
        def tower(seen: Seen) -> str:
            tiers = seen.front.tower if seen.front else dict.fromkeys(("top", "bottom"), False)
            name = tower_name(tiers, [tier for tier, lit in tiers.items() if lit])
            # a tower of one tier, or none, or of other two, is drawn as if it had all
            return name if name in SPRITES else tower_name(TIERS, [tier for tier, lit in tiers.items() if lit])

        def meter(name: str) -> _Widget:
            area = layout.METER_AREAS[name]
            return _Widget(area, lambda seen: seen.wheels.get(name), lambda seen: self._paint_meter(name, seen))

        return [
            _Widget(layout.MONITOR, _monitor_state, self._paint_monitor),
            _Widget(
                layout.TOWER,
                tower,
                lambda seen: self._put(tower(seen), layout.TOWER.x, layout.TOWER.y),
            ),
            *(meter(name) for name in METERS),
            _Widget(layout.HELP, lambda seen: (seen.line, seen.alert), self._paint_help),
        ]

    def _money_widgets(self) -> list[_Widget]:
        def of(*names: str) -> Callable[[Seen], Hashable]:
            return lambda seen: tuple(getattr(seen.front, name, None) for name in names)

        return [
            _Widget(
                layout.BILL_SLOT,
                of("mains", "escrow_cents", "bill_return_cents", "bill_slot"),
                self._paint_bill_slot,
            ),
            _Widget(layout.COIN_CUP, of("coin_return_cents"), self._paint_cup),
            _Widget(layout.TRAY, of("tray_cents", "tray_coins"), self._paint_tray),
            _Widget(
                layout.COUNTS, of("stacked_cents", "cash_box_cents", "hopper_coins", "crashes"), self._paint_counts
            ),
        ]

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
        outer = self._surface.get_clip()
        # Rounded to pixels, the wheels may be taller than the window they turn behind.
        window = self._picture("meter_glass").get_rect(topleft=self._box(Rect(area.x + 11, area.y + 24, 0, 0)).topleft)
        for place, turn in enumerate(faces(position)):
            x, y = area.x + 11 + place * _WHEEL_WIDTH, area.y + 24
            wheel_box = self._box(Rect(x, y, _WHEEL_WIDTH, _WHEEL_HEIGHT))
            self._surface.set_clip(wheel_box.clip(window).clip(outer))
            wheel = "last_wheel" if place == WHEELS - 1 else "wheel"
            self._put(wheel, x, y - turn * _WHEEL_HEIGHT / STEPS)
        self._surface.set_clip(outer)
        self._put("meter_glass", area.x + 11, area.y + 24)

    def _paint_bill_slot(self, seen: Seen) -> None:
        area, front = layout.BILL_SLOT, seen.front
        held = front.escrow_cents if front else 0
        returned = front.bill_return_cents if front else 0
        doing = front.bill_slot if front else ""
        if front is None or not front.mains:
            state = "off"
        elif doing == "stuck":
            state = "stuck"
        else:
            state = "busy" if doing or returned else "ready"
        self._put(f"bill_slot_{state}", area.x, area.y)
        self._text(doing.replace("_", " "), area.x + 62, area.y + 154, _AMBER, small=True)
        cents, shows = (returned, _RETURN_SHOWS) if returned else (held, _ESCROW_SHOWS)
        value = max((note for note in NOTES_CENTS if note <= cents), default=0)
        if not value:
            return
        name = f"tall_note_{value}"
        if name not in self._pictures:
            self._pictures[name] = pygame.transform.rotate(self._picture(f"long_note_{value}"), 90)
        outer = self._surface.get_clip()
        self._surface.set_clip(
            self._box(Rect(area.x, area.y + _SLOT_LINE, area.width, area.height - _SLOT_LINE)).clip(outer)
        )
        self._put(name, area.x + 30, area.y + _SLOT_LINE + shows - 124)
        self._surface.set_clip(outer)

    def _paint_cup(self, seen: Seen) -> None:
        area = layout.COIN_CUP
        self._put("cup", area.x, area.y)
        left = seen.front.coin_return_cents if seen.front else 0
        place = 0
        for cents in sorted(COINS_CENTS, reverse=True):
            while left >= cents and place < 5:  # noqa: PLR2004 - five lie side by side
                left -= cents
                angle = LYING_ANGLES[place % 3]
                self._put(f"lying_{cents}_{angle}", area.x + 8 + place * 15, area.y + 10 + place % 2 * 5)
                place += 1

    def _paint_tray(self, seen: Seen) -> None:
        area, front = layout.TRAY, seen.front
        self._put("tray", area.x, area.y)
        coins = front.tray_coins if front else 0
        cents = front.tray_cents if front else 0
        if coins:
            value = max((coin for coin in COINS_CENTS if coin <= cents // coins), default=COINS_CENTS[0])
            for x, y, angle in coin_places(min(coins, _MOST_COINS)):
                self._put(f"lying_{value}_{angle}", area.x + x, area.y + y)
        self._put("tray_edge", area.x, area.y + 109)
        self._text(f"{euros(cents)} €", area.x + 116, area.y + 151, _READOUT)

    def _paint_counts(self, seen: Seen) -> None:
        area, front = layout.COUNTS, seen.front
        self._put("counts", area.x, area.y)
        if front is None:
            return
        box_cents = front.stacked_cents + front.cash_box_cents
        for row, text in enumerate((euros(box_cents), str(front.hopper_coins), str(front.crashes))):
            self._text(text, area.x + 52, area.y + 44 + row * 54, _READOUT)

    def _paint_help(self, seen: Seen) -> None:
        colour = _AMBER if seen.alert else _PALE
        self._text(seen.line, layout.WIDTH / 2, layout.HELP.y + 13, colour, small=True)


def _monitor_state(seen: Seen) -> Hashable:
    if seen.frame is None or not seen.monitor_lit:
        return None
    return seen.frame.number, seen.frame.ns


def coin_places(coins: int) -> list[tuple[int, int, int]]:
    """Return the places of coins in the tray: x, y within it and a tilt, the farthest first.

    A coin keeps its place while more fall on it.
    """
    row = 24
    places = []
    for number in range(coins):
        layer, place = divmod(number, row)
        x = 34 + (place * 97 + layer * 41) % 102
        y = 66 + (place * 53 + layer * 17) % 28 - layer * 7
        places.append((layer, y, x, LYING_ANGLES[(place + layer) % 3]))
    return [(x, y, angle) for _, y, x, angle in sorted(places)]
