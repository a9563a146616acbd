"""The meters that hosts read, each computed from the journal's meters (table in docs/host-port.md)."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Final, NamedTuple

from controller.features.sas import notes
from controller.features.sas.figures import Figures
from controller.journal.transaction import hard_figures
from gamekit.catalogue import found, number_of

MACHINE: Final = 0
"""The game number that stands for the whole machine."""


class Unit(Enum):
    """A meter's unit: credits of the accounting denomination, cents, or a count."""

    CREDITS = "credits"
    CENTS = "cents"
    COUNT = "count"


class Meter(NamedTuple):
    """A meter: a function of the figures (amounts in cents), its unit, and the journal's meters that it uses."""

    read: Callable[[Figures], int]
    unit: Unit
    source: str

    def value(self, figures: Figures, denomination_cents: int) -> int:
        """Return the meter's value in its unit."""
        figure = self.read(figures)
        return figure // denomination_cents if self.unit is Unit.CREDITS else figure


def _sum(unit: Unit, *names: str) -> Meter:
    return Meter(lambda figures: sum(figures[name] for name in names), unit, " + ".join(names) or "none")


def _credits(*names: str) -> Meter:
    return _sum(Unit.CREDITS, *names)


def _count(*names: str) -> Meter:
    return _sum(Unit.COUNT, *names)


def _cents(*names: str) -> Meter:
    return _sum(Unit.CENTS, *names)


def _drop(figures: Figures) -> int:
    return hard_figures(figures.meters).get("drop", 0)


def _coin_drop(figures: Figures) -> int:
    return figures["coins_in"] - figures["coins_to_hopper"] + figures["hopper_emptied"]


def _notes_since(figures: Figures) -> int:
    names = (name for name in figures.meters if name.startswith("note_") and name.removeprefix("note_").isdigit())
    return sum(figures.since_collection(name) for name in names)


COIN_IN, COIN_OUT, JACKPOT, CANCELLED, GAMES, WON, LOST, DROP = 0x00, 0x01, 0x02, 0x04, 0x05, 0x06, 0x07, 0x24
HAND_PAID, CURRENT, BILLS = 0x03, 0x0C, 0x0B
IN_STACKER, VALUE_IN_STACKER = 0x3E, 0x3F
TRUE_COIN_IN, TRUE_COIN_OUT = 0x08, 0x09

METERS: Final[Mapping[int, Meter]] = {
    COIN_IN: _credits("stakes"),
    COIN_OUT: _credits("wins"),
    JACKPOT: _credits(),
    HAND_PAID: _credits("hand_pay"),
    CANCELLED: _credits("hopper_out", "hand_pay"),
    GAMES: _count("games"),
    WON: Meter(lambda figures: figures.won, Unit.COUNT, "settled rounds with a win"),
    LOST: Meter(lambda figures: figures.lost, Unit.COUNT, "settled rounds without a win"),
    TRUE_COIN_IN: _credits("coins_in"),
    TRUE_COIN_OUT: _credits("hopper_out"),
    0x0A: Meter(_coin_drop, Unit.CREDITS, "coins_in - coins_to_hopper + hopper_emptied"),
    BILLS: _credits("notes_in"),
    CURRENT: Meter(lambda figures: figures.credit_cents, Unit.CREDITS, "credit"),
    0x0D: _cents("tickets_in"),
    0x0E: _cents("tickets_out"),
    0x11: _count("tickets_taken"),
    0x12: _count("tickets_printed"),
    0x15: _credits("tickets_in"),
    0x16: _credits("tickets_out"),
    0x17: _credits("host_in"),
    0x18: _credits("host_out"),
    0x1C: _credits("wins"),
    0x1D: _credits(),
    0x1E: _credits(),
    0x1F: _credits(),
    0x20: _credits(),
    0x21: _credits(),
    0x22: _credits("wins"),
    0x23: _credits("hand_pay"),
    DROP: Meter(
        _drop,
        Unit.CREDITS,
        "hard meter drop: coins_in + notes_in + found_in - coins_to_hopper - notes_stored + notes_unstored"
        " + hopper_emptied",
    ),
    0x25: Meter(lambda figures: figures.games_since_power_up, Unit.COUNT, "games since power_up"),
    0x26: Meter(lambda figures: figures.games_since_door, Unit.COUNT, "games since the main door was shut"),
    0x28: _credits("tickets_in"),
    0x29: _credits("tickets_in"),
    0x2C: _credits("tickets_out"),
    0x35: _count("tickets_taken"),
    0x38: _count("tickets_printed"),
    0x2E: _credits("host_in"),
    0x32: _credits("host_out"),
    IN_STACKER: Meter(_notes_since, Unit.COUNT, "note_*, since the last collection"),
    VALUE_IN_STACKER: Meter(
        lambda figures: max(
            0,
            figures.since_collection("notes_in")
            - figures.since_collection("notes_stored")
            + figures.since_collection("notes_unstored"),
        ),
        Unit.CREDITS,
        "notes_in - notes_stored + notes_unstored, since the last collection",
    ),
    **{0x40 + code: _count(notes.meter_of(units)) for code, units in enumerate(notes.VALUES)},
    0x58: _credits("notes_in"),
    0x80: _cents("tickets_in"),
    0x81: _count("tickets_taken"),
    0x86: _cents("tickets_out"),
    0x87: _count("tickets_printed"),
    0xA0: _cents("host_in"),
    0xA1: _count("host_ins"),
    0xB8: _cents("host_out"),
    0xB9: _count("host_outs"),
}
"""The meters of the whole machine by code. Codes that are missing here are not supported."""


def _of_game(game: str) -> Mapping[int, Meter]:
    return {
        COIN_IN: _credits(f"{game}.stakes"),
        COIN_OUT: _credits(f"{game}.wins"),
        JACKPOT: _credits(),
        GAMES: _count(f"{game}.games"),
        0x1C: _credits(f"{game}.wins"),
        0x22: _credits(f"{game}.wins"),
    }


def of_games() -> Mapping[int, Mapping[int, Meter]]:
    """Return the meters by game number, with those of the whole machine under `MACHINE`."""
    return {MACHINE: METERS, **{number_of(game): _of_game(game) for game in found()}}


BILL_POLLS: Final[Mapping[int, int]] = {
    0x31: 1,
    0x32: 2,
    0x33: 5,
    0x34: 10,
    0x35: 20,
    0x36: 50,
    0x37: 100,
    0x38: 500,
    0x39: 1_000,
    0x3A: 200,
    0x3B: 25,
    0x3C: 2_000,
    0x3E: 2_500,
    0x3F: 5_000,
    0x40: 10_000,
    0x41: 20_000,
    0x42: 25_000,
    0x43: 50_000,
    0x44: 100_000,
    0x45: 250,
}
"""The polls that read how many notes of one value were accepted, with that value in units (saspy's host code)."""

SINGLE_POLLS: Final[Mapping[int, int]] = {
    0x10: CANCELLED,
    0x11: COIN_IN,
    0x12: COIN_OUT,
    0x13: DROP,
    0x14: JACKPOT,
    0x15: GAMES,
    0x16: WON,
    0x17: LOST,
    0x1A: CURRENT,
    0x2A: TRUE_COIN_IN,
    0x2B: TRUE_COIN_OUT,
    0x46: BILLS,
    0x49: IN_STACKER,
    0x4A: VALUE_IN_STACKER,
    **{poll: 0x40 + notes.VALUES.index(units) for poll, units in BILL_POLLS.items()},
}
"""The polls that read one meter, with its code."""

ROW_POLLS: Final[Mapping[int, tuple[int, ...]]] = {
    0x0F: (CANCELLED, COIN_IN, COIN_OUT, DROP, JACKPOT, GAMES),
    0x19: (COIN_IN, COIN_OUT, DROP, JACKPOT, GAMES),
    0x1E: tuple(0x40 + notes.VALUES.index(units) for units in (1, 5, 10, 20, 50, 100)),
}
"""The polls that read several meters, with their codes."""


def values(
    figures: Figures, game: int, codes: tuple[int, ...], denomination_cents: int
) -> Iterator[tuple[int, int | None]]:
    """Yield each code with the game's meter value, or None if the meter is not supported."""
    known = of_games().get(game, {})
    for code in codes:
        meter = known.get(code)
        yield code, None if meter is None else meter.value(figures, denomination_cents)
