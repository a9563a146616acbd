"""The positions of everything on the bench, in bench units of 1280 x 1000, and each control's key and act.

Pure data: no pygame, so that tests and the drawing read the same table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from drivers.simulated.front import COINS_CENTS, NOTES_CENTS, Front
from drivers.wiring import BUTTONS, METERS

WIDTH = 1280
HEIGHT = 1000
WIDE_CANVAS = (1280, 720)
"""The canvas units of a wide display."""


class Rect(NamedTuple):
    """A rectangle in bench units."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: float, y: float) -> bool:
        """Whether the point lies inside; the right and lower edges do not."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def meets(self, other: "Rect") -> bool:
        """Whether the two share a point."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )


class Kind(Enum):
    """The way a control is operated."""

    HOLD = "hold"
    CLICK = "click"
    TOGGLE = "toggle"


@dataclass(frozen=True)
class Control:
    """One control that can be operated.

    `key` is its key as pygame names it, `keycap` the label of that key and `at` the label's centre. `down` and `up` are
    acts for `drivers.simulated.front.Do`: a HOLD sends `down` and `up`, a CLICK only `down`, a TOGGLE sends `up` if
    `is_on` is true of the front, else `down`.
    """

    name: str
    kind: Kind
    area: Rect
    key: str
    keycap: str
    at: tuple[int, int]
    down: str
    up: str = ""
    is_on: Callable[[Front], bool] = lambda _front: False


MONITOR = Rect(168, 28, 944, 531)
TOWER = Rect(10, 14, 128, 236)
BILL_SLOT = Rect(1142, 8, 128, 176)
COIN_SLOT = Rect(1142, 296, 128, 84)
COIN_CUP = Rect(1142, 514, 128, 62)
TRAY = Rect(650, 786, 218, 176)
COUNTS = Rect(1142, 786, 104, 176)
HELP = Rect(0, 972, WIDTH, 28)
WHEEL_SIZE = (15, 26)
"""Width and height of one figure of a hard meter."""
WHEELS_AT = (11, 24)
"""The place of a hard meter's leftmost figure within its area."""
METER_AREAS = {name: Rect(10, 256 + row * 64, 128, 60) for row, name in enumerate(METERS)}

_BUTTON_KEYS = {
    "service": ("s", "S"),
    "collect": ("c", "C"),
    "info": ("i", "I"),
    "lines": ("l", "L"),
    "bet": ("e", "E"),
    "max_bet": ("r", "R"),
    "auto": ("u", "U"),
    "spin": ("space", "SPACE"),
}


def euros(cents: int) -> str:
    """Format an amount as in the front's acts: `0.50`, `2.00`."""
    return f"{cents // 100}.{cents % 100:02d}"


def _buttons() -> list[Control]:
    controls = []
    for place, name in enumerate(BUTTONS):
        area = Rect(1000, 602, 190, 148) if name == "spin" else Rect(90 + place * 127, 612, 118, 104)
        key, keycap = _BUTTON_KEYS[name]
        at = (area.x + area.width // 2, 741 if name == "spin" else 729)
        controls.append(Control(name, Kind.HOLD, area, key, keycap, at, f"press {name}", f"release {name}"))
    return controls


def _money() -> list[Control]:
    controls = []
    for place, cents in enumerate(NOTES_CENTS):
        area = Rect(1142 + place % 2 * 66, 188 + place // 2 * 53, 62, 50)
        key = f"f{place + 1}"
        at = (area.x + 31, area.y + 40)
        controls.append(Control(f"note_{cents}", Kind.CLICK, area, key, key.upper(), at, f"note {cents // 100}"))
    for place, cents in enumerate(COINS_CENTS):
        x, y = (1143 + place * 42, 384) if place < 3 else (1164 + (place - 3) * 42, 448)  # noqa: PLR2004 - three coins fill the first row
        area = Rect(x, y, 42, 62)
        key = str(place + 1)
        controls.append(Control(f"coin_{cents}", Kind.CLICK, area, key, key, (x + 21, y + 51), f"coin {euros(cents)}"))
    return controls


def _switches() -> list[Control]:
    return [
        Control(
            "attendant",
            Kind.TOGGLE,
            Rect(34, 786, 114, 176),
            "a",
            "A",
            (128, 943),
            "key attendant on",
            "key attendant off",
            lambda front: front.keys.get("attendant", False),
        ),
        Control(
            "technician",
            Kind.TOGGLE,
            Rect(152, 786, 114, 176),
            "t",
            "T",
            (246, 943),
            "key technician on",
            "key technician off",
            lambda front: front.keys.get("technician", False),
        ),
        Control(
            "main_door",
            Kind.TOGGLE,
            Rect(270, 786, 122, 176),
            "d",
            "D",
            (331, 941),
            "door main open",
            "door main close",
            lambda front: front.doors.get("main", False),
        ),
        Control(
            "cash_box_door",
            Kind.TOGGLE,
            Rect(396, 786, 122, 176),
            "b",
            "B",
            (457, 941),
            "door cash_box open",
            "door cash_box close",
            lambda front: front.doors.get("cash_box", False),
        ),
        Control(
            "logic_door",
            Kind.TOGGLE,
            Rect(522, 786, 122, 176),
            "g",
            "G",
            (583, 941),
            "door logic open",
            "door logic close",
            lambda front: front.doors.get("logic", False),
        ),
        Control(
            "mains",
            Kind.TOGGLE,
            Rect(876, 786, 122, 176),
            "m",
            "M",
            (937, 941),
            "mains on",
            "mains off",
            lambda front: front.mains,
        ),
        Control("crash", Kind.CLICK, Rect(1004, 786, 132, 176), "x", "X", (1070, 936), "crash"),
    ]


def _returns() -> list[Control]:
    return [
        Control("bill_return", Kind.CLICK, BILL_SLOT, "n", "N", (1255, 169), "take note"),
        Control("coin_return", Kind.CLICK, COIN_CUP, "o", "O", (1255, 562), "take coins"),
        Control("tray", Kind.CLICK, TRAY, "h", "H", (838, 938), "take tray"),
    ]


CONTROLS = {control.name: control for control in (*_buttons(), *_money(), *_switches(), *_returns())}
CARDS = tuple(
    Control(name, Kind.CLICK, Rect(0, 0, 0, 0), key, key.upper(), (0, 0), f"card {number}")
    for name, key, number in (("card_1", "j", "0012345678"), ("card_2", "k", "04A1B2C3D4E5F6"))
)
"""Staff cards, which only keys present to the reader."""
BY_KEY = {control.key: control for control in (*CONTROLS.values(), *CARDS)}


def control_at(x: float, y: float) -> Control | None:
    """Return the control under a point in bench units."""
    return next((control for control in CONTROLS.values() if control.area.holds(x, y)), None)


def picture_area(size: tuple[int, int]) -> Rect:
    """Return the place of a picture of `size` pixels on the glass: as large as fits, in the middle, not stretched."""
    width, height = size
    if width * MONITOR.height >= height * MONITOR.width:
        shown = (MONITOR.width, round(height * MONITOR.width / width))
    else:
        shown = (round(width * MONITOR.height / height), MONITOR.height)
    return Rect(MONITOR.x + (MONITOR.width - shown[0]) // 2, MONITOR.y + (MONITOR.height - shown[1]) // 2, *shown)


def canvas_point(x: float, y: float, size: tuple[int, int] = WIDE_CANVAS) -> tuple[int, int]:
    """Map a point in bench units to the canvas of a display whose picture has `size` pixels; outside, to its edge.

    Canvas units are the pixels, but a wide picture has 1280 x 720 of them however large it is drawn.
    """
    width, height = WIDE_CANVAS if size[0] * WIDE_CANVAS[1] == size[1] * WIDE_CANVAS[0] else size
    area = picture_area(size)
    across = int((x - area.x) * width // area.width)
    down = int((y - area.y) * height // area.height)
    return min(max(across, 0), width - 1), min(max(down, 0), height - 1)
