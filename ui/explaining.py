"""Checks that the player is told what each kind of win pays: on the paytable, or in a rule named by the theme.

The paytable is compared with the declared tables, for every symbol and count at every bet, and with rounds of the
game's own play. Each kind of beat that a part of the maths owns, however rare, needs its own rule in every language.
"""

import random
from collections.abc import Iterator, Mapping
from gettext import NullTranslations
from types import MappingProxyType

from gamekit import catalogue
from gamekit.beats import LineWin, ScatterWin, WaysWin
from gamekit.checking import Fault, steps_of
from gamekit.maths import Maths
from gamekit.play import Beat, Stake
from gamekit.simulate import seeded_draw
from ui import text
from ui.languages import SOURCE
from ui.promises import HEADING
from ui.protocol.values import Bet, Money
from ui.theme import Explained, Theme, printed_pays

ROUNDS = 600
"""The number of rounds played at the highest bet."""
ON_THE_PAYTABLE = (LineWin, WaysWin, ScatterWin)
GENERAL = ("Fair play", "Return to the player", HEADING)
"""Headings of rules about all wins alike; they do not explain what one kind of win pays."""
ENGLISH: Mapping[str, NullTranslations] = MappingProxyType({SOURCE: NullTranslations()})


def misprinted(theme: Theme, maths: Maths) -> list[Fault]:
    """Return where the paytable shows an amount that is not paid, or omits one that is."""
    file = str(catalogue.folder_of(theme.game.name) / "display" / "theme.py")
    return [Fault(file, words) for words in dict.fromkeys([*_of_tables(theme, maths), *_of_amounts(theme, maths)])]


def untold(theme: Theme, maths: Maths, catalogues: Mapping[str, NullTranslations] = ENGLISH) -> list[Fault]:
    """Return a fault for each kind of beat that pays and is explained by no rule of its own.

    `catalogues` are the translations in which the rules are read.
    """
    folder = catalogue.folder_of(theme.game.name) / "display"
    kinds = sorted(_paying(maths), key=lambda kind: kind.__name__)
    found = [Fault(str(folder / "theme.py"), words) for words in _of_headings(theme, kinds)]
    try:
        text.speak(NullTranslations(), Money())  # headings are identified in English
        english = [heading for heading, _ in theme.rules(theme.game.gamble_cap_cents)]
        for language, spoken in catalogues.items():
            text.speak(spoken, Money())
            rules = dict(zip(english, theme.rules(theme.game.gamble_cap_cents), strict=True))
            read = "" if language == SOURCE else f"in '{language}' "
            for kind in kinds:
                lacks = _of_rule(kind, theme.explains.get(kind), rules)
                found += [Fault(str(folder / "rules.py"), read + words) for words in lacks]
    finally:
        text.speak(NullTranslations(), Money())
    return found


def _paying(maths: Maths) -> set[type[Beat]]:
    """Return the kinds of paying beats that are not on the paytable: those of the maths, of double and gamble."""
    kinds = {kind for part in maths.parts for _, kind in part.pays}
    if maths.game.gamble_cap_cents:
        kinds |= {type(beat) for _, beat in _played(maths) if beat.cents > 0}
    return kinds - set(ON_THE_PAYTABLE)


def _of_headings(theme: Theme, kinds: list[type[Beat]]) -> Iterator[str]:
    """Yield headings that explain nothing, or that explain two kinds of beats with different names."""
    taken: dict[str, tuple[str, str]] = {}
    for kind in kinds:
        told = theme.explains.get(kind)
        if not isinstance(told, Explained):
            if told is not None:
                yield f"THEME.explains has no Explained(heading, name) for {kind.__name__}: give one"
            continue
        if told.heading in GENERAL:
            yield f"THEME.explains has '{told.heading}' for {kind.__name__}, a rule about all wins; name one of its own"
        other, name = taken.setdefault(told.heading, (kind.__name__, told.name))
        if name != told.name:
            yield (
                f"THEME.explains has '{told.heading}' for {other} and {kind.__name__}, '{name}' and '{told.name}';"
                " write a rule for each, or give them one name"
            )


def _of_rule(kind: type[Beat], told: Explained | None, rules: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """Yield what the rule about `kind` lacks; `rules` are translated headings and texts by English heading."""
    if told is None:
        yield f"nothing says what {kind.__name__} pays; write a rule about it, and name it in THEME.explains"
    elif not isinstance(told, Explained):
        return  # `_of_headings` has reported it
    elif not all(rules.get(told.heading, ("", ""))):
        yield f"no rule is headed '{told.heading}', as THEME.explains names what {kind.__name__} pays; write it"
    else:
        heading, words = rules[told.heading]
        name = text.say(told.name)
        if name.casefold() not in heading.casefold():
            yield f"the rule '{heading}' is to say what {kind.__name__} pays; name '{name}' in its heading"
        if not any(letter.isdigit() for letter in words):
            yield f"the rule '{heading}' is to say what {kind.__name__} pays, and has no figure; say how much"


def _of_tables(theme: Theme, maths: Maths) -> Iterator[str]:
    """Yield where the paytable differs at any bet from the tables that the hash of the maths covers."""
    parts: Mapping[str, object] = catalogue.module(theme.game.name).MATHS_PARTS
    kinds = {kind for part in maths.parts for _, kind in part.pays}
    for kind, table in ((LineWin, "pays"), (WaysWin, "ways"), (ScatterWin, "scatter_pays")):
        if kind in kinds and not parts.get(table):
            yield f"MATHS_PARTS has no '{table}' to hold the paytable against; have there what {kind.__name__} pays"
    lines = {**_pays(parts.get("pays")), **_pays(parts.get("ways"))}
    lines |= {symbol: awards for symbol, awards in _awards(parts).items() if symbol not in lines}
    scatter = _counts(parts.get("scatter_pays"))
    for symbol in dict.fromkeys([*theme.symbols, *lines, *([theme.scatter] if scatter else [])]):
        if symbol not in theme.symbols:
            yield f"{symbol} pays and is not on the paytable; name it in THEME.symbols"
            continue
        yield from _of_symbol(theme, maths, symbol, lines.get(symbol, {}), scatter if symbol == theme.scatter else {})
    for symbol in set(_pays(parts.get("pays"))) | set(_pays(parts.get("ways"))):
        if any(theme.pays_in_words(symbol, _bet(stake)) for stake in maths.stakes):
            yield f"the paytable has words in place of what {symbol} pays; return nothing for it from pays_in_words"


def _of_symbol(
    theme: Theme, maths: Maths, symbol: str, line: Mapping[int, int], scatter: Mapping[int, int]
) -> Iterator[str]:
    """Yield for each count of a symbol the first bet at which the paytable shows another amount than is paid."""
    named = set[int]()
    for stake in maths.stakes:
        printed = printed_pays(theme, symbol, _bet(stake))
        paid = {count: pay * stake.coins for count, pay in scatter.items()}
        paid |= {count: pay * stake.coins_per_line for count, pay in line.items()}
        for count in sorted({*printed, *paid} - named):
            if printed.get(count) != paid.get(count):
                named.add(count)
                yield (
                    f"{count} x {symbol} pays {paid.get(count, 0)} coins at {stake.lines} x {stake.coins_per_line}, and"
                    f" the paytable prints {printed.get(count, 0)}; return from line_pays and scatter_pays what"
                    " MATHS_PARTS has"
                )


def _bet(stake: Stake) -> Bet:
    """Return `stake` with coins of one cent."""
    return Bet(lines=stake.lines, coins_per_line=stake.coins_per_line, coin_value_cents=1)


def _pays(table: object) -> dict[str, dict[int, int]]:
    """Return a declared table of pays, by symbol and count."""
    return {str(symbol): _counts(by) for symbol, by in table.items()} if isinstance(table, Mapping) else {}


def _counts(table: object) -> dict[int, int]:
    """Return the amounts that a declared table pays by count, without zeros."""
    return {int(count): int(pay) for count, pay in table.items() if pay} if isinstance(table, Mapping) else {}


def _awards(parts: Mapping[str, object]) -> dict[str, dict[int, int]]:
    """Return the amounts that features' symbols win on a line: `<symbol>_award`, by the symbol's count."""
    features = parts.get("features")
    return {
        str(symbol): {int(count): award}
        for symbol, count in (features.items() if isinstance(features, Mapping) else ())
        if isinstance(award := parts.get(f"{symbol}_award"), int)
    }


def _of_amounts(theme: Theme, maths: Maths) -> Iterator[str]:
    """Yield where the paytable lacks or contradicts what rounds of the play have paid."""
    for stake, beat in _played(maths):
        if isinstance(beat, LineWin | WaysWin):
            pay = theme.line_pays(beat.symbol).get(beat.count, 0) * stake.coins_per_line * beat.multiplier
            ways = beat.ways if isinstance(beat, WaysWin) else 1
            # Wilds may multiply ways beyond their number.
            right = pay and (beat.coins == pay * ways or (ways > 1 and beat.coins % pay == 0))
        elif isinstance(beat, ScatterWin):
            right = beat.symbol == theme.scatter and theme.scatter_pays().get(beat.count, 0) * stake.coins == beat.coins
        else:
            continue
        if not right:
            yield (
                f"{beat.count} x {beat.symbol} paid {beat.coins} coins at {stake.lines} x {stake.coins_per_line},"
                " and the paytable says otherwise; return from line_pays and scatter_pays what the play pays"
            )


def _played(maths: Maths) -> Iterator[tuple[Stake, Beat]]:
    """Yield the beats of rounds at the highest bet, for any choice of the player."""
    source = random.Random(3)  # noqa: S311 - a check
    stake, draw = maths.stakes[-1], seeded_draw(source)
    for number in range(ROUNDS):
        memory = maths.memory(maths.states[number % len(maths.states)])
        for step in steps_of(maths.game, stake, memory, draw, source):
            if isinstance(step, Beat):
                yield stake, step
