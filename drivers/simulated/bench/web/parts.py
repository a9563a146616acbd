"""The bench's parts as a page needs them: the same places, keys and looks as the window's, in groups."""

import struct
from pathlib import Path

from drivers.simulated.bench import layout
from drivers.simulated.bench.appearance import PARTS, STILL_PARTS
from drivers.simulated.bench.layout import BY_KEY, CONTROLS, Kind
from drivers.simulated.bench.web.messages import Group, Layout, Place
from drivers.simulated.bench.wheels import STEPS
from drivers.simulated.front import COINS_CENTS, NOTES_CENTS
from drivers.wiring import BUTTONS, METERS

_GROUPS = {
    "deck": BUTTONS,
    "notes": ("bill_return", *(f"note_{cents}" for cents in NOTES_CENTS)),
    "coins": ("coin_slot", *(f"coin_{cents}" for cents in COINS_CENTS), "coin_return"),
    "belly": (
        "tray",
        "counts",
        "attendant",
        "technician",
        "main_door",
        "cash_box_door",
        "logic_door",
        "mains",
        "crash",
    ),
    "meters": ("tower", *(f"meter_{name}" for name in METERS)),
}
_LABELS = {
    "bill_return": "take the returned note",
    "coin_return": "take the returned coins",
    "tray": "take the tray's coins",
}


def described(pictures: Path) -> Layout:
    """Return the bench's description; `pictures` is the folder with its baked pictures at one pixel a unit."""
    return Layout(
        size=(layout.WIDTH, layout.HEIGHT),
        monitor=layout.MONITOR,
        groups=tuple(Group(name, tuple(map(_place, names))) for name, names in _GROUPS.items()),
        pictures={path.stem: _size(path) for path in sorted(pictures.glob("*.png"))},
        keys={key: control.name for key, control in BY_KEY.items()},
        wheel_size=layout.WHEEL_SIZE,
        wheels_at=layout.WHEELS_AT,
        wheel_steps=STEPS,
    )


def _place(name: str) -> Place:
    control = CONTROLS.get(name)
    area = PARTS[name].area if name in PARTS else STILL_PARTS[name]
    still = name in STILL_PARTS
    if control is None:
        return Place(name, _label(name), area, still=still)
    at = (control.at[0] - area.x, control.at[1] - area.y)
    return Place(
        name,
        _label(name),
        area,
        still=still,
        control=True,
        toggles=control.kind is Kind.TOGGLE,
        key=control.key,
        keycap=control.keycap,
        keycap_at=at,
    )


def _label(name: str) -> str:
    """Return the words for a screen reader: `note of 5.00 €`."""
    kind, _, cents = name.partition("_")
    if kind in ("note", "coin") and cents.isdecimal():
        return f"{kind} of {layout.euros(int(cents))} €"
    return _LABELS.get(name, name.replace("_", " "))


def _size(path: Path) -> tuple[int, int]:
    """Return width and height of a PNG file (PNG 1.2, IHDR)."""
    with path.open("rb") as file:
        width, height = struct.unpack(">16x2I", file.read(24))
    return width, height
