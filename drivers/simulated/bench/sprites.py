"""The pictures of the bench: each names its drawing and the values filled into it.

The drawings lie in `art/*.svg` and mark each variable value as `$name`; `$materials` is replaced by the metals and
filters they share (`art/materials.svg`).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from drivers.simulated.bench.layout import CONTROLS
from drivers.simulated.front import COINS_CENTS, NOTES_CENTS
from drivers.wiring import BUTTONS, METERS, TIERS


@dataclass(frozen=True)
class Sprite:
    """A drawing's name without `.svg`, and the values for it."""

    drawing: str
    values: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Hue:
    """One coloured plastic: lit from inside it shows `lit`, else `unlit`; each bright, middle, dark."""

    lit: tuple[str, str, str]
    unlit: tuple[str, str, str]


_WHITE = Hue(("#ffffff", "#dfe9ff", "#93a8d6"), ("#8c93a0", "#5f6672", "#343942"))
_AMBER = Hue(("#ffe08a", "#ffab1f", "#b25a00"), ("#8a6a3c", "#5c4320", "#33230d"))
_BLUE = Hue(("#a8e4ff", "#2fa2ff", "#0b49a8"), ("#48688a", "#2a4361", "#142436"))
_YELLOW = Hue(("#fff7a3", "#ffdc2e", "#b08400"), ("#8a8145", "#5e5726", "#332e10"))
_RED = Hue(("#ffb0a0", "#ff4a34", "#9c1206"), ("#8a4a42", "#5c2a24", "#34120f"))
_GREEN = Hue(("#c9ffb0", "#3edb3a", "#0a7318"), ("#4d8050", "#2c5630", "#123017"))
_VIOLET = Hue(("#ecc4ff", "#b45cff", "#5a16a8"), ("#6d5286", "#48325c", "#261733"))

BUTTON_HUES = {
    "service": _BLUE,
    "collect": _AMBER,
    "info": _WHITE,
    "lines": _YELLOW,
    "bet": _YELLOW,
    "max_bet": _RED,
    "auto": _VIOLET,
    "spin": _GREEN,
}
TOWER_HUES = {"top": _RED, "upper": _WHITE, "lower": _BLUE, "bottom": _AMBER}
NOTE_INKS = {
    500: ("#e6ebe4", "#c3cfbf", "#4c5f52"),
    1000: ("#ffe6de", "#f3b6a8", "#a1392a"),
    2000: ("#e0edff", "#a9c9f2", "#23579c"),
    5000: ("#fff0d6", "#f6cd8e", "#a9640f"),
}
COIN_METALS = {10: "gold", 20: "gold", 50: "gold", 100: "silver", 200: "gold"}
COIN_RINGS = {100: "gold", 200: "silver"}
LYING_ANGLES = (-14, 0, 12)


def keycap_width(text: str) -> int:
    """Return how wide the keycap for `text` is, in bench units."""
    return 20 if len(text) == 1 else 12 + 8 * len(text)


def _button(name: str, *, lit: bool, pressed: bool) -> Sprite:
    hue = BUTTON_HUES[name]
    bright, middle, dark = hue.lit if lit else hue.unlit
    label = name.replace("_", " ").upper()
    size, line = 15.5 if len(label) > 7 else 17, 55.5  # noqa: PLR2004 - the longest word that fits at full size
    return Sprite(
        "spin" if name == "spin" else "button",
        {
            "bright": bright,
            "middle": middle,
            "dark": dark,
            "halo": ".75" if lit else "0",
            "ring": "1" if lit else ".12",
            "light": ("0.8" if pressed else "1") if lit else "0",
            "gloss": (".3" if pressed else ".5") if lit else (".14" if pressed else ".26"),
            "travel": "6" if pressed else "0",
            "shade": (".14" if lit else ".32") if pressed else "0",
            "label": label,
            "ink": "#14171d" if lit else "#e3e7ee",
            "undertext": "#ffffff" if lit else "#000000",
            "textsize": str(size),
            "textline": str(line),
            "textshade": str(line + (1 if lit else -1)),
        },
    )


_TOWER_TOP, _TOWER_FOOT, _TIER_RING = 26, 185, 11


def tower_name(fitted: Collection[str], lit: Collection[str]) -> str:
    """Return the name of the picture of a tower with these tiers, of which some are lit."""
    return "tower_" + "".join("1" if tier in lit else "0" if tier in fitted else "_" for tier in TIERS)


def _tower(fitted: Sequence[str], lit: Collection[str]) -> Sprite:
    height = (_TOWER_FOOT - _TOWER_TOP) / max(1, len(fitted))
    tiers = (_tier(tier, _TOWER_TOP + place * height, height, lit=tier in lit) for place, tier in enumerate(fitted))
    return Sprite("tower", {"tiers": "".join(tiers)})


def _tier(tier: str, y: float, height: float, *, lit: bool) -> str:
    """Draw one tier and the metal ring under it, `height` in all."""
    bright, middle, dark = TOWER_HUES[tier].lit if lit else TOWER_HUES[tier].unlit
    glass = height - _TIER_RING
    centre = y + glass / 2
    ribs = [y + 14 + 10 * number for number in range(int((glass - 20) // 10) + 1)]
    stops = ((0, dark), (0.28, middle), (0.42, bright), (0.7, middle), (1, dark))
    shades = "".join(f'<stop offset="{at}" stop-color="{colour}"/>' for at, colour in stops)
    return (
        f'<linearGradient id="{tier}tier" x1="0" y1="0" x2="1" y2="0">{shades}</linearGradient>'
        f'<ellipse cx="64" cy="{centre}" rx="52" ry="{glass / 2 + 11}" fill="{bright}" '
        f'opacity="{".9" if lit else "0"}" filter="url(#soft7)"/>'
        f'<rect x="30" y="{y}" width="68" height="{glass}" rx="5" fill="url(#{tier}tier)"/>'
        f'<path d="{"".join(f"M30 {at} H98 " for at in ribs)}" stroke="#000" stroke-opacity=".16" stroke-width="2"/>'
        f'<path d="{"".join(f"M30 {at + 1.5} H98 " for at in ribs)}" stroke="#fff" stroke-opacity=".2"/>'
        f'<rect x="40" y="{y + 2}" width="9" height="{glass - 4}" rx="4" fill="#fff" opacity=".5"/>'
        f'<ellipse cx="64" cy="{centre}" rx="16" ry="{glass / 3}" fill="#fff" '
        f'opacity="{".9" if lit else "0"}" filter="url(#soft7)"/>'
        f'<rect x="27" y="{y + glass}" width="74" height="{_TIER_RING}" rx="3" fill="url(#ringmetal)"/>'
    )


def _towers() -> Iterator[tuple[str, Sprite]]:
    """Yield towers of the topmost and the lowest tier, of three and of all four, each lit in all ways."""
    for fitted in (("top", "bottom"), ("top", "upper", "bottom"), ("top", "lower", "bottom"), TIERS):
        for count in range(len(fitted) + 1):
            for lit in combinations(fitted, count):
                yield tower_name(fitted, lit), _tower(fitted, lit)


def _lock(label: str, bow: tuple[str, str, str], *, on: bool) -> Sprite:
    return Sprite(
        "lock",
        {
            "label": label,
            "angle": "-38" if on else "0",
            "bowbright": bow[0],
            "bow": bow[1],
            "bowdark": bow[2],
        },
    )


_MAIN_DOOR_CLOSED = (
    '<rect x="31" y="47" width="46" height="28" rx="3" fill="#0a0c11" stroke="#6a7484" stroke-opacity=".6"/>'
    '<path d="M28 84 H80 L84 92 H24 Z" fill="#8b94a1"/>'
    '<rect x="34" y="102" width="40" height="20" rx="4" fill="#12151b" stroke="#6a7484" stroke-opacity=".5"/>'
)
_MAIN_DOOR_OPEN = (
    '<g fill="none" stroke-width="2"><path d="M60 60 C76 66 66 84 84 92" stroke="#d8452f"/>'
    '<path d="M60 64 C70 74 74 78 88 84" stroke="#e2b31e"/>'
    '<path d="M60 70 C66 84 76 92 90 98" stroke="#4b8fd8"/></g>'
    '<rect x="64" y="44" width="32" height="20" rx="2" fill="#1f6b3a"/>'
    '<path d="M68 50 h24 m-24 5 h24" stroke="#c8a950"/>'
    '<rect x="64" y="100" width="30" height="26" rx="3" fill="#59616e"/>'
)
_CASH_BOX_CLOSED = (
    '<rect x="31" y="57" width="44" height="60" rx="4" fill="none" stroke="#8b94a1" stroke-opacity=".7" '
    'stroke-width="2"/><text x="53" y="98" font-family="Manrope" font-weight="800" font-size="30" '
    'text-anchor="middle" fill="#c9a75a">€</text>'
)
_CASH_BOX_OPEN = (
    '<rect x="58" y="74" width="40" height="52" rx="3" fill="#5d6673"/>'
    '<rect x="61" y="78" width="34" height="8" fill="#0b0d11"/>'
    '<rect x="64" y="64" width="28" height="18" rx="1" fill="#a9c9f2" stroke="#23579c"/>'
    '<rect x="66" y="70" width="28" height="16" rx="1" fill="#f3b6a8" stroke="#a1392a"/>'
    '<rect x="58" y="84" width="40" height="42" rx="3" fill="#4a525e"/>'
    '<path d="M70 104 h16" stroke="#c9d1db" stroke-width="3" stroke-linecap="round"/>'
)


_LOGIC_CLOSED = (
    '<rect x="30" y="52" width="46" height="62" rx="3" fill="none" stroke="#6a7484" stroke-opacity=".6"/>'
    '<g stroke="#c9a75a" stroke-width="1.600" fill="none"><rect x="41" y="70" width="24" height="24" rx="2"/>'
    '<path d="M46 70 v-6 m7 6 v-6 m7 6 v-6 M46 94 v6 m7 -6 v6 m7 -6 v6"/></g>'
    '<path d="M20 118 H56" stroke="#d8452f" stroke-width="4"/>'
)
_LOGIC_OPEN = (
    '<rect x="58" y="48" width="40" height="78" rx="2" fill="#1f6b3a"/>'
    '<rect x="66" y="60" width="24" height="24" rx="2" fill="#12151b"/>'
    '<path d="M62 94 h32 m-32 6 h24 m-24 6 h32 m-32 6 h18" stroke="#c8a950"/>'
    '<circle cx="90" cy="118" r="3" fill="#ffdc2e"/>'
)


def _door(label: str, closed: str, opened: str, *, is_open: bool) -> Sprite:
    return Sprite(
        "door",
        {
            "label": label,
            "open": str(int(is_open)),
            "closed": str(int(not is_open)),
            "closedpart": closed,
            "openpart": opened,
        },
    )


def _mains(*, on: bool) -> Sprite:
    near, far = ("#ff8a5c", "#c21d08") if on else ("#4a0f0a", "#2c0704")
    return Sprite(
        "mains",
        {
            "upperfar": "#8f1206" if on else "#7c1f14",
            "uppernear": near if on else "#5a120b",
            "lowernear": "#ff6a42" if on else "#4a0f0a",
            "lowerfar": far if on else "#2c0704",
            "glow": "#ff4a22",
            "halo": ".55" if on else "0",
            "edge": "133" if on else "39",
            "onink": "#fff4e6" if on else "#d9a49a",
            "offink": "#fff4e6" if on else "#d9a49a",
        },
    )


def _bill_slot(hue: Hue, *, lit: bool) -> Sprite:
    bright, middle, dark = hue.lit if lit else hue.unlit
    return Sprite(
        "bill_slot",
        {
            "bright": bright,
            "middle": middle,
            "dark": dark,
            "halo": ".7" if lit else "0",
            "arrows": ".95" if lit else ".3",
        },
    )


def _note(cents: int, width: int, height: int) -> Sprite:
    pale, tint, ink = NOTE_INKS[cents]
    return Sprite(
        "note",
        {
            "pale": pale,
            "tint": tint,
            "ink": ink,
            "label": str(cents // 100),
            "width": str(width),
            "height": str(height),
        },
    )


def _coin(cents: int) -> dict[str, str]:
    metal = COIN_METALS[cents]
    ring = COIN_RINGS.get(cents, metal)
    return {"ring": ring, "centre": metal, "core": "12.5" if ring != metal else "15.2"}


def _money() -> Iterator[tuple[str, Sprite]]:
    for cents in NOTES_CENTS:
        yield f"note_{cents}", _note(cents, 62, 34)
        yield f"long_note_{cents}", _note(cents, 124, 68)
    for cents in COINS_CENTS:
        label = str(cents // 100 if cents >= 100 else cents)  # noqa: PLR2004 - a euro has 100 cents
        yield f"coin_{cents}", Sprite("coin", _coin(cents) | {"label": label})
        for angle in LYING_ANGLES:
            yield f"lying_{cents}_{angle}", Sprite("coin_lying", _coin(cents) | {"angle": str(angle)})


def _panel() -> Iterator[tuple[str, Sprite]]:
    for name in BUTTONS:
        for lit in (False, True):
            for pressed in (False, True):
                yield f"{name}_{lit:d}{pressed:d}", _button(name, lit=lit, pressed=pressed)
    yield from _towers()
    for one in (False, True):
        yield (
            f"attendant_{one:d}",
            _lock("ATTENDANT", ("#8ec5ff", "#2a6fd0", "#123a78"), on=one),
        )
        yield (
            f"technician_{one:d}",
            _lock("TECHNICIAN", ("#ffb0a0", "#d0402a", "#6e150a"), on=one),
        )
        yield f"main_door_{one:d}", _door("MAIN DOOR", _MAIN_DOOR_CLOSED, _MAIN_DOOR_OPEN, is_open=one)
        yield f"cash_box_door_{one:d}", _door("CASH BOX", _CASH_BOX_CLOSED, _CASH_BOX_OPEN, is_open=one)
        yield f"logic_door_{one:d}", _door("LOGIC", _LOGIC_CLOSED, _LOGIC_OPEN, is_open=one)
        yield f"mains_{one:d}", _mains(on=one)
    yield "crash_0", Sprite("crash", {"travel": "0", "skirt": "90"})
    yield "crash_1", Sprite("crash", {"travel": "5", "skirt": "85"})
    yield "bill_slot_off", _bill_slot(_GREEN, lit=False)
    yield "bill_slot_ready", _bill_slot(_GREEN, lit=True)
    yield "bill_slot_busy", _bill_slot(_AMBER, lit=True)
    yield "bill_slot_stuck", _bill_slot(_RED, lit=True)


def _still() -> Iterator[tuple[str, Sprite]]:
    for drawing in (
        "cabinet",
        "coin_slot",
        "cup",
        "tray",
        "tray_edge",
        "counts",
        "dark_monitor",
        "meter_glass",
        "icon",
    ):
        yield drawing, Sprite(drawing)
    for name in METERS:
        yield (
            f"meter_{name}",
            Sprite("meter", {"label": name.replace("_", " ").replace("hand pay", "hand-pay").upper()}),
        )
    yield "wheel", Sprite("wheel", {"face": "#1b1d21", "edge": "#08090b", "ink": "#f4f1e6"})
    yield "last_wheel", Sprite("wheel", {"face": "#f0ece0", "edge": "#8d897d", "ink": "#b3160c"})
    for text in sorted({control.keycap for control in CONTROLS.values()}):
        width = keycap_width(text)
        yield (
            f"keycap_{text}",
            Sprite(
                "keycap",
                {
                    "label": text,
                    "width": str(width),
                    "outer": str(width - 1),
                    "inner": str(width - 5),
                    "middle": str(width / 2),
                },
            ),
        )


SPRITES = dict((*_still(), *_panel(), *_money()))
