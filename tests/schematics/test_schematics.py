"""The schematics and figures of docs/wiring.md agree with the sample configurations and with each other."""

import re
import tomllib
from collections.abc import Iterator
from math import exp, log
from typing import Any, NamedTuple

import pytest

from tests.rigs.markdown import table
from tests.rigs.paths import ROOT, SAMPLE
from tests.schematics import values
from tests.schematics.sheets import EXPANDED, FOLDER, SHEETS

PAGE = (ROOT / "docs" / "wiring.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())
"""The page without its line breaks."""
WORDS = re.compile(r'<text x="([-\d.]+)" y="([-\d.]+)"[^>]*>((?:<tspan[^>]*>[^<]*</tspan>)+)')
TSPAN = re.compile(r"<[^>]+>")
NONE, TIMES = "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"
SAME_ROW = 3.0
"""Letters whose positions differ by no more than this stand in one row."""
HEADER_NUMBERS = {
    "3.3 V": {1, 17}, "5 V": {2, 4}, "0 V": {6, 9, 14, 20, 25, 30, 34, 39},
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22, 11: 23,
    8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""The header as Raspberry Pi publishes it: supplies, and BCM number to pin; gpiozero's own table draws the picture."""


class Word(NamedTuple):
    """A piece of text in a picture, and where it stands."""

    x: float
    y: float
    said: str


def words(picture: str) -> list[Word]:
    """Return every text of a picture."""
    return [Word(float(x), float(y), TSPAN.sub("", spans)) for x, y, spans in WORDS.findall(picture)]


def rows(said: list[Word]) -> Iterator[list[str]]:
    """Yield the texts of each row, from left to right."""
    row: list[Word] = []
    for word in sorted(said, key=lambda word: word.y):
        if row and word.y - row[-1].y > SAME_ROW:
            yield [each.said for each in sorted(row)]
            row = []
        row.append(word)
    yield [each.said for each in sorted(row)]


def committed(name: str) -> str:
    """Return the picture that the page shows."""
    return (FOLDER / name).read_text(encoding="utf-8")


def nets(sample: dict[str, Any]) -> Iterator[tuple[int | str, str]]:
    """Yield every pin that a sample names, with the words of the picture for what is wired there."""
    pins = sample["pins"]
    for kind, word in {"buttons": "button", "doors": "door", "keys": "key", "tower": "tower"}.items():
        yield from ((table["pin"], f"{word} {name}") for name, table in pins[kind].items())
    yield from ((button["lamp"], f"lamp {name}") for name, button in pins["buttons"].items())
    yield from ((meter["pin"], f"meter {name}") for name, meter in pins["meters"].items())
    yield from ((meter["sense"], f"sense {name}") for name, meter in pins["meters"].items() if "sense" in meter)
    yield from ((gate["pin"], f"coin {name}") for name, gate in pins.get("coin", {}).items())
    for latch in [pins[key] for key in ("logic_latch",) if key in pins]:
        yield from ((latch["pin"], "logic latch"), (latch["reset"], "logic latch reset"))
    for name, chip in pins.get("expanders", {}).items():
        yield from ((2, f"{name} SDA"), (3, f"{name} SCL"))
        yield from ((chip["interrupt"], f"{name} INTA"), (chip["reset"], f"{name} RESET"))


def leaves(value: object) -> Iterator[int | str]:
    """Yield every number and expander's pin under `[pins]` whose key is one of a pin."""
    if isinstance(value, dict):
        for key, below in value.items():
            if key in ("pin", "lamp", "sense", "reset", "interrupt"):
                yield below
            else:
                yield from leaves(below)


@pytest.mark.parametrize(
    ("picture", "sample"), [("schematic-header.svg", SAMPLE), ("schematic-header-expander.svg", EXPANDED)]
)
def test_each_pin_of_the_header_is_drawn_with_what_the_sample_has_there(picture: str, sample: Any) -> None:
    """All forty pins: number, what it carries, and what hangs on it; nothing that the sample has is left out."""
    wired = dict(nets(read := tomllib.loads(sample.read_text(encoding="utf-8"))))
    assert set(leaves(read["pins"])) <= set(wired)
    seen = 0
    said = words(committed(picture))
    middle = (min(word.x for word in said) + max(word.x for word in said)) / 2
    for side in ([word for word in said if word.x < middle], [word for word in said if word.x >= middle]):
        for row in rows(side):
            numbers = [int(text) for text in row if text.isdecimal()]
            if not numbers:
                continue
            seen += 1
            (number,) = numbers
            (carried,) = [text for text in row if text.startswith("GPIO") or text in HEADER_NUMBERS]
            others = [text for text in row if text not in (carried, str(number))]
            if carried in HEADER_NUMBERS:
                assert number in HEADER_NUMBERS[carried]
                assert others == []
            else:
                bcm = int(carried.removeprefix("GPIO "))
                assert HEADER_NUMBERS[bcm] == number
                assert others == [wired.get(bcm, "free")]
    assert seen == 40


def test_each_output_of_the_header_has_one_channel_of_an_array() -> None:
    """Every lamp, tier and meter is on the channel of its own pin, output opposite input, and on one only."""
    sample = tomllib.loads(SAMPLE.read_text(encoding="utf-8"))
    outputs = {net: pin for pin, net in nets(sample) if net.startswith(("lamp", "tower", "meter", "coin"))}
    said = words(committed("schematic-outputs.svg"))
    (title,) = [word.x for word in said if word.said.startswith("U2")]
    first = [word for word in said if word.x < (min(word.x for word in said) + title) / 2]
    drawn = []
    for chip in (first, [word for word in said if word not in first]):
        for row in rows(chip):
            loads = [text.removesuffix(", to +12 V") for text in row if text.endswith(", to +12 V")]
            for load in loads:
                (gpio,) = [text.removeprefix("GPIO ") for text in row if text.startswith("GPIO")]
                into, out = sorted(int(text) for text in row if text.isdecimal())
                assert into + out == 19
                assert gpio == f"{outputs[load]}" + (" via time limit" if load.startswith("meter") else "")
                drawn.append(load)
    assert sorted(drawn) == sorted(outputs)


@pytest.mark.parametrize("name", SHEETS)
def test_the_page_shows_what_the_command_draws(name: str) -> None:
    """A picture that was not drawn again after a change is found; so is one that no page shows."""
    assert [word.said for word in words(committed(name))] == [
        word.said for word in words(SHEETS[name]().get_imagedata("svg").decode())
    ]
    assert f"(pictures/{name})" in TEXT


def test_no_schematic_is_kept_that_nobody_draws() -> None:
    """The folder has the command's pictures and no older ones."""
    assert {path.name for path in FOLDER.glob("schematic-*.svg")} == set(SHEETS)


@pytest.mark.parametrize(("column", "sample"), [("header alone", SAMPLE), ("with an expander", EXPANDED)])
def test_the_table_of_pins_is_the_samples(column: str, sample: Any) -> None:
    """Each line that names pins with their numbers on the header names the sample's, in order."""
    read = tomllib.loads(sample.read_text(encoding="utf-8"))["pins"]
    checked = 0
    for row in table(PAGE, "in `cabinet.toml`", column):
        for key in re.findall(r"`pins\.([\w.*]+)`", row["in `cabinet.toml`"]):
            found = [(int(bcm), int(number)) for bcm, number in re.findall(r"(\d+) \((\d+)\)", row[column])]
            for bcm, number in found:
                assert HEADER_NUMBERS[bcm] == number
                checked += 1
            here: Any = read
            for part in key.split("."):
                here = here.get(part, {}) if part != "*" else here
            if found and isinstance(here, dict) and "*" not in key and key not in ("coin", "expanders.x20"):
                assert [bcm for bcm, _ in found] == [pin for pin in leaves(here) if isinstance(pin, int)][: len(found)]
    assert checked > 15


def held(limit: values.TimeLimit, pulses: list[tuple[float, float]], *, fall_v: float, leak_a: float) -> list[float]:
    """Return how long the channel is on in each pulse (its length, the gap after it) of a train.

    The capacitor charges through the bleeder while the pin is high, and is discharged through the clamp and the series
    resistor while it is low; bleeder and capacitor are at their smallest.
    """
    high, charged_v, on = values.LOGIC_V[0], 0.0, []
    resting_v = leak_a * limit.bleed_ohms
    lasts = limit.farads * (1 - limit.farads_off) * limit.bleed_ohms * (1 - limit.ohms_off)
    for length, gap in pulses:
        above = high - charged_v - resting_v
        assert above + resting_v > values.RISE_V, "the pulse is not seen"
        on.append(min(length, lasts * log(above / (fall_v - resting_v))))
        charged_v = high - resting_v - above * exp(-length / lasts)
        excess = max(0.0, charged_v - values.CLAMP_V)
        charged_v = min(charged_v, values.CLAMP_V) + excess * exp(-gap / (limit.farads * limit.series_ohms))
    return on


@pytest.mark.parametrize("leak_a", [-values.LEAK_A, 0.0, values.LEAK_A])
def test_the_time_limit_gives_every_pulse_in_full_and_ends_a_stuck_one(leak_a: float) -> None:
    """Trains of the sample's pulses and of the longest that the page allows pass; a stuck pin's coil goes off."""
    limit = values.METER_LIMIT
    meters = tomllib.loads(SAMPLE.read_text(encoding="utf-8"))["pins"]["meters"].values()
    (shape,) = {(meter["pulse_ms"] / 1000, meter["gap_ms"] / 1000) for meter in meters}
    for pulse, gap in (shape, (0.25, 0.025)):
        given = held(limit, [(pulse, gap)] * 200, fall_v=values.FALL_V[1], leak_a=-abs(leak_a))
        assert given == pytest.approx([pulse] * 200, abs=0.002)
    for fall_v in values.FALL_V:
        (on,) = held(limit, [(30.0, 1.0)], fall_v=fall_v, leak_a=leak_a)
        assert 0.25 < on < 1.0


def test_the_page_says_what_the_values_give() -> None:
    """Shortest, longest, gap and surge of the time limit, the lamps' current and the array's heat, as computed."""
    limit = values.METER_LIMIT
    assert f"= {limit.shortest_s:.2f} s. Longest" in TEXT
    assert f"= {limit.longest_s:.2f} s." in TEXT
    assert f"= {limit.ready_s * 1000:.0f} ms to be empty" in TEXT
    assert f"= {limit.surge_a * 1000:.1f} mA" in TEXT
    assert f"{values.LAMP_A * 1000:.0f} mA {TIMES} 1.1 V = {values.array_watts(8 * values.LAMP_A):.2f} W" in TEXT
    assert f"{values.array_watts_allowed(60):.2f} W are allowed" in TEXT
    meters = values.array_watts(5 * values.METER_A + 2 * values.TIER_A)
    assert f"= {meters:.2f} W and leave {values.array_watts_allowed(60) - meters:.2f} W" in TEXT
    assert f"{values.LOCKOUT_A} A ({values.ULN_STRONG_V} V, {values.array_watts(0, values.LOCKOUT_A):.2f} W)" in TEXT
    assert meters + values.array_watts(0, values.LOCKOUT_A) < values.array_watts_allowed(60)
    assert limit.shortest_s > 0.25
    assert limit.longest_s < 1.0
    assert limit.ready_s < 0.025


def test_the_page_says_what_the_resistors_carry() -> None:
    """Currents, powers and times of the contacts, the lamps and the photo-coupled validator, as computed."""
    led_a = (values.SUPPLY_V - values.LED_V) / values.DISTANT_OHMS
    power_w = led_a**2 * values.DISTANT_OHMS
    assert f"= {led_a * 1000:.1f} mA and {power_w:.2f} W in a resistor for a quarter of a watt" in TEXT
    assert power_w < 0.6 * 0.25
    rise_s = values.PULSE_PULL_UP_OHMS * values.FILTER_FARADS
    sunk_a = 3.3 / (values.PULSE_PULL_UP_OHMS + values.FILTER_OHMS)
    assert f"= {rise_s * 1000:.1f} ms, and the output sinks" in TEXT
    assert f"= {sunk_a * 1000:.1f} mA. Its inhibit" in TEXT
    assert 3.3 * values.FILTER_OHMS / (values.PULSE_PULL_UP_OHMS + values.FILTER_OHMS) < 0.4, "a low level"
    lamp_w = values.LAMP_A**2 * values.LAMP_OHMS
    assert f"{values.LAMP_A * 1000:.0f} mA are {lamp_w:.2f} W" in TEXT
    assert lamp_w < 0.6 * 0.5
    assert f"= {(5 - 0.7) / values.PHOTO_BASE_OHMS * 1000:.1f} mA into its base; the" in TEXT
    assert f"= {(5 - 0.2) / values.PHOTO_PULL_UP_OHMS * 1000:.1f} mA through R3" in TEXT
    base_a = (5 - 0.7) / (values.CCTALK_PULL_UP_OHMS + values.CCTALK_BASE_OHMS)
    assert f"= {base_a * 1000:.2f} mA into its base and pulls" in TEXT
    assert f"= {(12 - 5.3) / values.CCTALK_RECEIVE_OHMS * 1000:.1f} mA" in TEXT
    assert f"{1e6 / 9600:.0f} µs" in TEXT


def test_the_power_budget_adds_up() -> None:
    """Each build's sum is that of its lines, and its supply a quarter more."""
    budget = table(PAGE, "load", "from")
    builds = [column for column in budget[0] if column.endswith(" V")]
    for build in builds:
        *loads, total, supply = [row[build].rstrip("*") for row in budget]
        assert sum(float(load) for load in loads if load != NONE) == pytest.approx(float(total))
        assert float(supply) == pytest.approx(1.25 * float(total), abs=0.051)
    assert [row["load"].split(",")[0] for row in budget[-2:]] == ["sum", "supply"]
    tower, meters, lockout = (float(row["casino-like, 12 V"]) for row in budget[1:4])
    assert f"at once take {tower + meters + lockout:.2f} A" in TEXT
    assert [tower, meters, lockout] == pytest.approx([4 * values.TIER_A, 5 * values.METER_A, values.LOCKOUT_A])
    assert 8 * values.LAMP_A <= float(budget[0][builds[0]]) < 8 * values.LAMP_A + 0.01


def test_the_pages_fuses_are_the_pictures() -> None:
    """Every fuse of the table is drawn, with its rating."""
    drawn = " ".join(word.said for word in words(committed("schematic-supplies.svg")))
    rated = [re.search(r"[\d.]+ A", row["fuse"]) for row in table(PAGE, "group", "fuse")]
    for rating in filter(None, rated):
        assert rating.group() in drawn
    assert sum(match is not None for match in rated) == 5
