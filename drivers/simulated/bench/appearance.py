"""The looks of the bench's parts: which pictures and words lie where, for a state of the front.

Window and page draw from the same looks. No pygame here.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from drivers.simulated.bench import layout
from drivers.simulated.bench.layout import CONTROLS, Rect, euros
from drivers.simulated.bench.sprites import LYING_ANGLES, SPRITES, tower_name
from drivers.simulated.front import COINS_CENTS, NOTES_CENTS, Front
from drivers.wiring import BUTTONS, TIERS

_SLOT_LINE = 71
_ESCROW_SHOWS = 24
_RETURN_SHOWS = 84
_NOTE_LENGTH = 124
_MOST_COINS = 72
_CUP_COINS = 5


class Layer(NamedTuple):
    """One picture of a part, at `x` and `y` within it.

    Only what lies below the line `below` of the part is shown. `turned` pictures get a quarter turn anticlockwise.
    """

    picture: str
    x: float = 0
    y: float = 0
    below: int = 0
    turned: bool = False


class Label(NamedTuple):
    """Words of a part, centred at `x` and `y` within it: a `readout` is a figure, the others say what a device does."""

    text: str
    x: float
    y: float
    readout: bool = True


class Look(NamedTuple):
    """A part's pictures, the lowest first, and the words on them."""

    layers: tuple[Layer, ...]
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True)
class SeenFront:
    """The hardware's front, None while there is no hardware, and the controls that are held on this bench."""

    front: Front | None
    held: frozenset[str]

    def lamp(self, name: str) -> bool:
        """Whether that button is lit."""
        return self.front is not None and self.front.lamps.get(name, False)

    def pressed(self, name: str) -> bool:
        """Whether that button is down, pressed here or by another client."""
        return name in self.held or (self.front is not None and self.front.buttons.get(name, False))

    def is_on(self, name: str) -> bool:
        """Whether that switch is on."""
        return self.front is not None and CONTROLS[name].is_on(self.front)


class Part(NamedTuple):
    """A part of the bench: its place, and its look for a state of the front."""

    area: Rect
    look: Callable[[SeenFront], Look]


def _button(name: str) -> Callable[[SeenFront], Look]:
    return lambda seen: Look((Layer(f"{name}_{seen.lamp(name):d}{seen.pressed(name):d}"),))


def _switch(name: str) -> Callable[[SeenFront], Look]:
    return lambda seen: Look((Layer(f"{name}_{seen.is_on(name):d}"),))


def _crash(seen: SeenFront) -> Look:
    return Look((Layer(f"crash_{seen.pressed('crash'):d}"),))


def _tower(seen: SeenFront) -> Look:
    tiers: Mapping[str, bool] = seen.front.tower if seen.front else dict.fromkeys(("top", "bottom"), False)
    lit = [tier for tier, is_lit in tiers.items() if is_lit]
    name = tower_name(tiers, lit)
    # a tower of one tier, or none, or of other two, is drawn as if it had all
    return Look((Layer(name if name in SPRITES else tower_name(TIERS, lit)),))


def _bill_slot(seen: SeenFront) -> Look:
    front = seen.front
    held, returned, doing = (front.escrow_cents, front.bill_return_cents, front.bill_slot) if front else (0, 0, "")
    if front is None or not front.mains:
        state = "off"
    elif doing == "stuck":
        state = "stuck"
    else:
        state = "busy" if doing or returned else "ready"
    layers = [Layer(f"bill_slot_{state}")]
    cents, shows = (returned, _RETURN_SHOWS) if returned else (held, _ESCROW_SHOWS)
    if value := _largest(NOTES_CENTS, cents):
        y = _SLOT_LINE + shows - _NOTE_LENGTH
        layers.append(Layer(f"long_note_{value}", 30, y, below=_SLOT_LINE, turned=True))
    return Look(tuple(layers), (Label(doing.replace("_", " "), 62, 154, readout=False),) if doing else ())


def _largest(values: Collection[int], cents: int) -> int:
    """Return the largest value that is not more than `cents`, 0 if there is none."""
    return max((value for value in values if value <= cents), default=0)


def _cup(seen: SeenFront) -> Look:
    layers = [Layer("cup")]
    left = seen.front.coin_return_cents if seen.front else 0
    for cents in sorted(COINS_CENTS, reverse=True):
        while left >= cents and (place := len(layers) - 1) < _CUP_COINS:
            left -= cents
            layers.append(Layer(f"lying_{cents}_{LYING_ANGLES[place % 3]}", 8 + place * 15, 10 + place % 2 * 5))
    return Look(tuple(layers))


def _tray(seen: SeenFront) -> Look:
    coins, cents = (seen.front.tray_coins, seen.front.tray_cents) if seen.front else (0, 0)
    value = (_largest(COINS_CENTS, cents // coins) or COINS_CENTS[0]) if coins else 0
    lying = (Layer(f"lying_{value}_{angle}", x, y) for x, y, angle in coin_places(min(coins, _MOST_COINS)))
    return Look((Layer("tray"), *lying, Layer("tray_edge", 0, 109)), (Label(f"{euros(cents)} €", 116, 151),))


def _counts(seen: SeenFront) -> Look:
    front = seen.front
    if front is None:
        return Look((Layer("counts"),))
    box_cents = front.stacked_cents + front.cash_box_cents
    rows = (euros(box_cents), str(front.hopper_coins), str(front.crashes))
    return Look((Layer("counts"),), tuple(Label(text, 52, 44 + row * 54) for row, text in enumerate(rows)))


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


def _parts() -> Iterator[tuple[str, Part]]:
    for name in BUTTONS:
        yield name, Part(CONTROLS[name].area, _button(name))
    for name in ("attendant", "technician", "main_door", "cash_box_door", "logic_door", "mains"):
        yield name, Part(CONTROLS[name].area, _switch(name))
    yield "crash", Part(CONTROLS["crash"].area, _crash)
    yield "bill_return", Part(layout.BILL_SLOT, _bill_slot)
    yield "coin_return", Part(layout.COIN_CUP, _cup)
    yield "tray", Part(layout.TRAY, _tray)
    yield "tower", Part(layout.TOWER, _tower)
    yield "counts", Part(layout.COUNTS, _counts)


PARTS: Final = dict(_parts())
"""The parts that change, by the name of their control where they have one."""

STILL_PARTS: Final[Mapping[str, Rect]] = {
    "coin_slot": layout.COIN_SLOT,
    **{f"meter_{meter}": area for meter, area in layout.METER_AREAS.items()},
    **{f"note_{cents}": CONTROLS[f"note_{cents}"].area for cents in NOTES_CENTS},
    **{f"coin_{cents}": CONTROLS[f"coin_{cents}"].area for cents in COINS_CENTS},
}
"""The places of the pictures that never change, by the picture's name."""
