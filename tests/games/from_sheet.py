"""Returns worked out from a game's PAR sheet alone: nothing of ours is imported, only the sheet's file is read.

Exact, by the sheet's strips and tables and its order of evaluation. A line is followed from reel to reel; reels are
independent, so that a mean needs what each cell shows, and scatters need how many each reel shows.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

GAMES = Path(__file__).parents[2] / "games"

Sheet = dict[str, Any]
Cell = Mapping[str, Fraction]
Window = tuple[str, ...]
Chances = dict[int, Fraction]


def read(name: str) -> Sheet:
    """Return the sheet of the game called `name`."""
    sheet: Sheet = json.loads((GAMES / name / "par.json").read_text("utf-8"))
    return sheet


def table(pairs: Iterable[Sequence[int]]) -> dict[int, int]:
    """Return what the sheet writes as pairs."""
    return {pair[0]: pair[1] for pair in pairs}


def mean_of(weights: Iterable[Sequence[int]]) -> Fraction:
    """Return the mean of a weighted table."""
    pairs = list(weights)
    return Fraction(sum(value * weight for value, weight in pairs), sum(weight for _, weight in pairs))


def windows(reels: Mapping[str, Any]) -> list[list[Window]]:
    """Return for each reel what it shows at each stop."""
    strips = [strip.split() for strip in reels["strips"]]
    return [
        [tuple(strip[(stop + row) % len(strip)] for row in range(reels["rows"])) for stop in range(len(strip))]
        for strip in strips
    ]


def cell(shown: Sequence[Window], row: int) -> Cell:
    """Return what a row of a reel shows, each of its windows equally likely."""
    return {symbol: Fraction(count, len(shown)) for symbol, count in Counter(w[row] for w in shown).items()}


def counts(shown: Sequence[Sequence[Window]], symbol: str) -> Chances:
    """Return the chances of each number of `symbol` in the whole window."""
    total: Chances = {0: Fraction(1)}
    for reel in shown:
        here = Counter(window.count(symbol) for window in reel)
        total = added(total, {count: Fraction(ways, len(reel)) for count, ways in here.items()})
    return total


def added(one: Chances, other: Chances) -> Chances:
    """Return the chances of the sum of two numbers."""
    total: Chances = {}
    for (a, p), (b, q) in product(one.items(), other.items()):
        total[a + b] = total.get(a + b, Fraction(0)) + p * q
    return total


class Lines:
    """Line pays: `wild` stands for every symbol that pays; `multipliers` by the wilds in the paid combination."""

    def __init__(self, rules: Mapping[str, Any], multipliers: Sequence[int] = ()) -> None:
        self.pays = {symbol: table(pays) for symbol, pays in rules["pays"].items()}
        self.wild: str = rules["wild"]
        self.multipliers = (1, *multipliers)

    def _worth(self, symbol: str, wilds: Sequence[bool]) -> int:
        """Return the best pay of a run of `symbol` with wilds in these places."""
        own = [*self.pays.get(symbol, {}).items()]
        lead = next((place for place, is_wild in enumerate(wilds) if not is_wild), len(wilds))
        best = max((pay * self._times(wilds[:length]) for length, pay in own if length <= len(wilds)), default=0)
        alone = self.pays.get(self.wild, {}).items()
        return max([best, *(pay * self._times(wilds[:length]) for length, pay in alone if length <= lead)])

    def _times(self, wilds: Sequence[bool]) -> int:
        return self.multipliers[min(sum(wilds), len(self.multipliers) - 1)]

    def mean(self, cells: Sequence[Cell]) -> Fraction:
        """Return what a line over these cells wins on average."""
        return sum((coins * chance for coins, chance in self._law(cells)), Fraction(0))

    def _law(self, cells: Sequence[Cell]) -> Iterable[tuple[int, Fraction]]:
        alive: dict[tuple[str, tuple[bool, ...]], Fraction] = {("", ()): Fraction(1)}
        for shown in cells:
            going: dict[tuple[str, tuple[bool, ...]], Fraction] = {}
            for (symbol, wilds), chance in alive.items():
                for here, likely in shown.items():
                    joins = here == self.wild or (here in self.pays and symbol in {"", here})
                    if joins:
                        run = (symbol if here == self.wild else here, (*wilds, here == self.wild))
                        going[run] = going.get(run, Fraction(0)) + chance * likely
                    else:
                        yield self._worth(symbol or self.wild, wilds), chance * likely
            alive = going
        for (symbol, wilds), chance in alive.items():
            yield self._worth(symbol or self.wild, wilds), chance


def run_chance(cells: Sequence[Cell], symbol: str, length: int) -> Fraction:
    """Return the chance that a line shows exactly `length` of `symbol`, which nothing stands for, from reel 1 on."""
    chance = Fraction(1)
    for shown in cells[:length]:
        chance *= shown.get(symbol, Fraction(0))
    return chance * (1 - cells[length].get(symbol, Fraction(0))) if length < len(cells) else chance


def expected(chances: Chances, worth: Mapping[int, int]) -> Fraction:
    """Return the mean of what each number is worth."""
    return sum((chance * worth.get(number, 0) for number, chance in chances.items()), Fraction(0))


def with_free_spins(paid: Fraction, won: Fraction, free: Fraction, won_again: Fraction) -> Fraction:
    """Return the mean of a round: `won` free spins by a paid spin, `won_again` by a free one."""
    return paid + won * free / (1 - won_again)


def neptune(sheet: Sheet) -> Callable[[int, int], Fraction]:
    """Return the return by lines and coins a line."""
    known = sheet["constants"]
    shown = windows(known["REELS"])
    cells = [cell(reel, 0) for reel in shown]
    line = Lines(known["LINE_RULES"]).mean(cells)
    least = known["LINE_RULES"]["features"][known["TREASURE"]]
    chests = sum(run_chance(cells, known["TREASURE"], count) * count for count in range(least, len(cells) + 1))
    treasure = chests * mean_of(known["CHEST_TABLE"]["weights"])
    mermaids = counts(shown, known["MERMAID"])
    scatter = expected(mermaids, table(known["MERMAID_PAYS"]))
    spins = expected(mermaids, table(known["FREE_SPINS"]))
    free = line * known["FREE_SPIN_MULTIPLIER"] + treasure + scatter
    total = with_free_spins(line + treasure + scatter, spins, free, spins)
    return lambda _lines, _coins: total


def bewitched(sheet: Sheet) -> Callable[[int, int], Fraction]:
    """Return the return by lines and coins a line, the jackpot at its seed."""
    known = sheet["constants"]
    shown = windows(known["REELS"])
    line = Lines(known["LINE_RULES"]).mean([cell(reel, 0) for reel in shown])
    witches = counts(shown, known["WITCHES"])
    scatter = expected(witches, table(known["WITCHES_PAYS"]))
    battle = expected(witches, table(known["BATTLE_SPINS"])) / known["BATTLE_ODDS"]
    merlin = sum(chance for count, chance in counts(shown, known["MERLIN"]).items() if count >= known["MERLINS"])

    def returned(lines: int, coins: int) -> Fraction:
        bet = lines * coins
        weights = {(known["MONEY"], amount): weight for amount, weight in known["MONEY_WEIGHTS"]}
        weights |= {(known["FREE_SPINS"], amount): weight for amount, weight in known["SPINS_WEIGHTS"]}
        for (kind, amount), change in known["PER_COIN"]:
            weights[kind, amount] = weights.get((kind, amount), 0) + change * bet
        total = sum(weights.values())
        money = sum(amount * weight for (kind, amount), weight in weights.items() if kind == known["MONEY"])
        spins = sum(amount * weight for (kind, amount), weight in weights.items() if kind == known["FREE_SPINS"])
        pool = Fraction(weights[known["JACKPOT"], 0] * known["POOL"]["seed_coins"], bet)
        potion = merlin * (money + pool) / total
        won = battle + merlin * Fraction(spins, total)
        free = line * known["FREE_SPIN_MULTIPLIER"] + scatter + potion
        return with_free_spins(line + scatter + potion, won, free, won)

    return returned


class MonaLisa:
    """Mona Lisa Jewels: what cells show in a spin that locks reel 1 and in its jewel spins."""

    def __init__(self, sheet: Sheet) -> None:
        self.known = known = sheet["constants"]
        self.shown = windows(known["REELS"])
        self.locked = [self.shown[0][stop] for stop in known["TRIGGERS"]]
        self.trigger = Fraction(len(self.locked), len(self.shown[0]))
        self.held = {known["JEWEL"], known["MONA_LISA"]}
        self.spins = [self._spins(reel) for reel in self.shown[1:]]

    def _over(self, before: Window, landed: Window) -> Window:
        return tuple(old if old in self.held else new for old, new in zip(before, landed, strict=True))

    def _spins(self, reel: Sequence[Window]) -> Counter[tuple[Window, ...]]:
        """Return how often a reel shows each row of windows: the spin's own, then those of its jewel spins."""
        seen = Counter((window,) for window in reel)
        for _ in range(self.known["JEWEL_SPINS"]):
            longer: Counter[tuple[Window, ...]] = Counter()
            for before, ways in seen.items():
                for landed in reel:
                    longer[*before, self._over(before[-1], landed)] += ways
            seen = longer
        return seen

    def window_cells(self, number: int, line: Sequence[int]) -> list[Cell]:
        """Return the cells of a line in jewel spin `number`."""
        cells = [cell(self.locked, line[0])]
        for reel, row in zip(self.spins, line[1:], strict=True):
            total = reel.total()
            shown: Counter[str] = Counter()
            for seen, ways in reel.items():
                shown[seen[number][row]] += ways
            cells.append({symbol: Fraction(ways, total) for symbol, ways in shown.items()})
        return cells

    def palettes(self) -> dict[tuple[int, ...], Fraction]:
        """Return the chances of the palettes shown in a locked spin's windows, reel 1 left out, for it has none."""
        palette = self.known["PALETTE"]
        law = {(0,) * (self.known["JEWEL_SPINS"] + 1): Fraction(1)}
        for reel in self.spins:
            here: Counter[tuple[int, ...]] = Counter()
            for seen, ways in reel.items():
                here[tuple(window.count(palette) for window in seen)] += ways
            total, before, law = reel.total(), law, {}
            for (numbers, chance), (more, ways) in product(before.items(), here.items()):
                key = tuple(a + b for a, b in zip(numbers, more, strict=True))
                law[key] = law.get(key, Fraction(0)) + chance * Fraction(ways, total)
        return law

    def free_spin_trigger(self) -> Fraction:
        """Return the chance that a paid spin or one of its jewel spins wins free spins."""
        least = min(table(self.known["FREE_SPINS"]))
        own = sum(chance for number, chance in counts(self.shown, self.known["PALETTE"]).items() if number >= least)
        more = sum(chance for numbers, chance in self.palettes().items() if numbers[0] < least <= max(numbers[1:]))
        return own + self.trigger * more

    def returned(self) -> Callable[[int, int], Fraction]:
        """Return the return by lines and coins a line, the jackpot at its seed."""
        known, lines = self.known, self.known["LINES"]
        plain = [cell(reel, 0) for reel in self.shown]
        line = Lines(known["LINE_RULES"])
        own = line.mean(plain)
        multiplied = Lines(known["LINE_RULES"], known["WILD_MULTIPLIERS"]).mean(plain)
        five = run_chance(plain, known["JACKPOT"], known["JACKPOT_COUNT"])
        spins = range(1, known["JEWEL_SPINS"] + 1)
        by_line = [sum(line.mean(self.window_cells(spin, rows)) for spin in spins) for rows in lines]
        palettes = self.palettes()
        pays, wins = table(known["PALETTE_PAYS"]), table(known["FREE_SPINS"])
        own_palettes = counts(self.shown, known["PALETTE"])

        def palettes_win(worth: Mapping[int, int]) -> Fraction:
            """Return what palettes bring on average in a spin with its jewel spins."""
            later = sum(
                chance * sum(worth.get(number, 0) for number in numbers[1:]) for numbers, chance in palettes.items()
            )
            return expected(own_palettes, worth) + self.trigger * later

        def total(count: int, coins: int) -> Fraction:
            highest = count == len(lines) and coins == known["COINS_PER_LINE"][-1]
            award = Fraction(known["POOL_SEED_COINS"], coins) if highest else known["JACKPOT_AWARD"]
            jewels = self.trigger * Fraction(sum(by_line[:count], Fraction(0)), count)
            around = palettes_win(pays) + jewels + five * award
            return with_free_spins(own + around, palettes_win(wins), multiplied + around, palettes_win(wins))

        return total


class MysteryElves:
    """Mystery Elves, paid and bought."""

    def __init__(self, sheet: Sheet) -> None:
        self.known = sheet["constants"]
        self.shown = windows(self.known["REELS"])
        self.cells = self.known["HOLD_RULES"]["reels"] * self.known["HOLD_RULES"]["rows"]

    def filled(self, held: int) -> Chances:
        """Return the chances of the number of symbols at the end of Hold and Win that starts with `held`."""
        rules = self.known["HOLD_RULES"]
        lands = Fraction(rules["strip"].count(rules["symbol"]), len(rules["strip"]))
        ends: Chances = {}
        going = {(held, rules["respins"]): Fraction(1)}
        while going:
            (filled, left), chance = max(going.items(), key=lambda item: (-item[0][0], item[0][1]))
            del going[filled, left]
            empty = self.cells - filled
            if not empty or not left:
                ends[filled] = ends.get(filled, Fraction(0)) + chance
                continue
            for new in range(empty + 1):
                likely = comb(empty, new) * lands**new * (1 - lands) ** (empty - new)
                after = (filled + new, rules["respins"] if new else left - 1)
                going[after] = going.get(after, Fraction(0)) + chance * likely
        return ends

    def worth(self, filled: int) -> Fraction:
        """Return what Hold and Win that ends with `filled` symbols pays on average, in bets."""
        known = self.known
        multiplying = Fraction(dict(known["CARRIED"]["weights"])[known["MULTIPLYING"]], known["CARRIED"]["total"])
        beside = known["CARRIED_BESIDE_MULTIPLYING"]
        mystery = Fraction(table(beside["weights"])[known["MYSTERY"]], beside["total"])
        turned = mean_of(known["VALUES"]["weights"])
        values = Fraction(
            sum(value * weight for value, weight in beside["weights"] if value != known["MYSTERY"]), beside["total"]
        )
        awards, drawn = table(known["AWARDS"]["weights"]), known["AWARDS"]["total"]
        grand = mystery * Fraction(awards[known["GRAND"]], drawn)
        lesser = values + mystery * Fraction(
            sum(award * weight for award, weight in awards.items() if award != known["GRAND"]), drawn
        )

        def sums(count: int) -> tuple[Fraction, Fraction]:
            """Return the mean of what `count` symbols come to, where GRAND has not fallen and where it has."""
            none = (1 - grand) ** count
            without = count * lesser * (1 - grand) ** (count - 1) if count else Fraction(0)
            # The first GRAND counts as itself, each further one as MAJOR.
            every = count * (lesser + grand * known["MAJOR"]) + (known["GRAND"] - known["MAJOR"]) * (1 - none)
            return without, every - without

        alone = sum(sums(filled)) + filled * mystery * turned
        without, beside_grand = sums(filled - 1)
        multiplied = mean_of(known["MULTIPLIERS"]["weights"]) * without + known["GRAND_MULTIPLIER"] * beside_grand
        multiplied += ((filled - 1) * mystery + 1) * turned
        none = (1 - multiplying) ** filled
        times = known["FULL_MULTIPLIER"] if filled == self.cells else 1
        return times * (none * alone + (1 - none) * multiplied)

    def returned(self, price: int) -> Fraction:
        """Return the return of a paid spin, or of one bought for `price` bets."""
        known, lines = self.known, self.known["LINES"]
        bonuses = counts(self.shown, known["BONUS"])
        triggering = {held: chance for held, chance in bonuses.items() if held >= known["LEAST_BONUSES"]}
        feature = sum(
            chance * sum(likely * self.worth(filled) for filled, likely in self.filled(held).items())
            for held, chance in triggering.items()
        )
        rules = Lines(known["LINE_RULES"])
        if price == 1:
            return rules.mean([cell(reel, 0) for reel in self.shown]) + feature
        won = sum(self._with_trigger(rules, line) for line in lines) / len(lines)
        return (won + feature) / sum(triggering.values()) / price

    def _with_trigger(self, rules: Lines, line: Sequence[int]) -> Fraction:
        """Return the mean win of a line in the spins that trigger, of all spins.

        A line's cells and the bonus symbols of their reels belong together: reel by reel, one number at a time.
        """
        bonus = self.known["BONUS"]
        by_count = []
        for reel, row in zip(self.shown, line, strict=True):
            numbers = sorted({window.count(bonus) for window in reel})
            by_count.append([(number, [w for w in reel if w.count(bonus) == number], row, reel) for number in numbers])
        total = Fraction(0)
        for chosen in product(*by_count):
            if sum(number for number, *_ in chosen) < self.known["LEAST_BONUSES"]:
                continue
            likely = Fraction(1)
            for _, some, _, reel in chosen:
                likely *= Fraction(len(some), len(reel))
            total += likely * rules.mean([cell(some, row) for _, some, row, _ in chosen])
        return total
