"""Returns worked out from a game's filed PAR sheet alone: nothing of ours is imported, only the sheet's text is read.

A rule is taken from the sentence of the order of play that says it, and a table by the name that the sentence gives.
Exact. A line is followed from reel to reel; reels are independent, so that a mean needs what each cell shows, and
scatters need how many each reel shows.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from tests.games.from_filed_sheet import Filed, numbers

Cell = Mapping[str, Fraction]
Window = tuple[str, ...]
Chances = dict[int, Fraction]
Row = Mapping[str, str]


def table(pairs: Iterable[Sequence[int]]) -> dict[int, int]:
    """Return what the sheet writes as pairs."""
    return {pair[0]: pair[1] for pair in pairs}


def mean_of(weights: Iterable[Sequence[int]]) -> Fraction:
    """Return the mean of a weighted table."""
    pairs = list(weights)
    return Fraction(sum(value * weight for value, weight in pairs), sum(weight for _, weight in pairs))


def basics(sheet: Filed) -> None:
    """Take from the notes what holds in every game of lines."""
    sheet.notes.say(
        "The hash is that of the text at the end of this sheet. Wins are in coins, and all are added up; a line's pay"
        " is multiplied by the coins on the line. Every stop of a reel is equally likely, and reels are independent:"
        " the window shows the stop drawn in its top row and the stops that follow below it, the last stop being"
        " followed by stop 0. An amount of a weighted table is drawn as often as its weight says, of the total."
    )
    sheet.notes.say(
        "Every draw is made after all the player's options are fixed. Double and gamble are fair, outside the return."
    )


def windows(reels: Mapping[str, Any]) -> list[list[Window]]:
    """Return for each reel what it shows at each stop."""
    strips = [strip.split() for strip in reels["strips"]]
    return [
        [tuple(strip[(stop + row) % len(strip)] for row in range(reels["rows"])) for stop in range(len(strip))]
        for strip in strips
    ]


def reels_that_stop(sheet: Filed) -> list[list[Window]]:
    """Return for each reel of a paid spin what it shows at each stop."""
    said = sheet.order.say("The reels of {reels} stop: one draw for each, from left to right.")
    return windows(sheet.constants[said["reels"]])


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
    """How lines pay, by three sentences of the order."""

    def __init__(self, sheet: Filed) -> None:
        words, known = sheet.order, sheet.constants
        played = words.say(
            "Played are the first so many of {lines}: each is a row for every reel, counted from 0 at the top."
        )
        paid = words.say(
            "Each line played pays once: the most of what {pays} gives for so many of one symbol in a row from reel 1,"
            " times the coins on the line."
        )
        wild = words.say(
            "The wild is {wild}: it stands for every symbol in {pays} and for no other, and pays {own:as itself too|"
            "nothing as itself}."
        )
        self.lines: list[list[int]] = known[played["lines"]]
        self.pays = {symbol: table(pays) for symbol, pays in known[paid["pays"]].items()}
        self.wild = wild["wild"]
        self._stands_for = {*known[wild["pays"]]} - {self.wild}
        self._own = self.pays.get(self.wild, {}) if wild["own"] == "as itself too" else {}

    def _worth(self, symbol: str, wilds: Sequence[bool], multipliers: Sequence[int]) -> int:
        """Return what a run of `symbol` with wilds in these places pays."""
        lead = next((place for place, is_wild in enumerate(wilds) if not is_wild), len(wilds))
        found = [(pay, length) for length, pay in self.pays.get(symbol, {}).items() if length <= len(wilds)]
        found += [(pay, length) for length, pay in self._own.items() if length <= lead]
        pay, length = max(found, default=(0, 0))
        used = min(sum(wilds[:length]), len(multipliers))
        return pay * (multipliers[used - 1] if used else 1)

    def mean(self, cells: Sequence[Cell], multipliers: Sequence[int] = ()) -> Fraction:
        """Return what a line over these cells wins on average; `multipliers` by the wilds in what is paid."""
        return sum((coins * chance for coins, chance in self._law(cells, multipliers)), Fraction(0))

    def _law(self, cells: Sequence[Cell], multipliers: Sequence[int]) -> Iterable[tuple[int, Fraction]]:
        alive: dict[tuple[str, tuple[bool, ...]], Fraction] = {("", ()): Fraction(1)}
        for shown in cells:
            going: dict[tuple[str, tuple[bool, ...]], Fraction] = {}
            for (symbol, wilds), chance in alive.items():
                for here, likely in shown.items():
                    joins = here == self.wild or (here in self._stands_for and symbol in {"", here})
                    if joins:
                        run = (symbol if here == self.wild else here, (*wilds, here == self.wild))
                        going[run] = going.get(run, Fraction(0)) + chance * likely
                    else:
                        yield self._paid(symbol, wilds, multipliers), chance * likely
            alive = going
        for (symbol, wilds), chance in alive.items():
            yield self._paid(symbol, wilds, multipliers), chance

    def _paid(self, symbol: str, wilds: Sequence[bool], multipliers: Sequence[int]) -> int:
        """Return what a run pays that has ended; one of wilds alone is of whichever symbol pays the most."""
        every = [symbol] if symbol else [*self._stands_for]
        return max(self._worth(one, wilds, multipliers) for one in every)


def run_chance(cells: Sequence[Cell], symbol: str, length: int) -> Fraction:
    """Return the chance that a line shows exactly `length` of `symbol`, which nothing stands for, from reel 1 on."""
    chance = Fraction(1)
    for shown in cells[:length]:
        chance *= shown.get(symbol, Fraction(0))
    return chance * (1 - cells[length].get(symbol, Fraction(0))) if length < len(cells) else chance


def expected(chances: Chances, worth: Mapping[int, int]) -> Fraction:
    """Return the mean of what each number is worth."""
    return sum((chance * worth.get(number, 0) for number, chance in chances.items()), Fraction(0))


FREE_SPINS = (
    "ree spins follow{first:|: the battle's, then the potion's}, each behind a press, on {reels}, at the same bet and"
    " in this order too; those won in them queue behind, without limit."
)


def with_free_spins(paid: Fraction, won: Fraction, free: Fraction, won_again: Fraction) -> Fraction:
    """Return the mean of a round: `won` free spins by a paid spin, `won_again` by a free one, all of them played."""
    return paid + won * free / (1 - won_again)


def neptune(sheet: Filed) -> Callable[[Row], Fraction]:
    """Return the return of a row of the sheet."""
    basics(sheet)
    known, words = sheet.constants, sheet.order
    shown = reels_that_stop(sheet)
    lines = Lines(sheet)
    cells = [cell(reel, 0) for reel in shown]
    line = lines.mean(cells)
    times = words.say("In free spins line wins are multiplied by {times}, and nothing else is.")["times"]
    pays = words.say("{counts:row} of {symbol} anywhere in the window pay {pays:row} times the whole bet.")
    wins = words.say("{counts:row} of {symbol} anywhere in the window win {spins:row} free spins, in free spins too.")
    picks = words.say(
        "{symbol} pays on no line: {counts:row} of it in a row from reel 1 on a line played give {picks:row} picks."
        " Each pick pays an amount of its own, drawn from {amounts} once its object was chosen, times the coins on the"
        " line; what is left closed holds nothing."
    )
    free_reels = words.say("F" + FREE_SPINS)["reels"]
    words.end()
    assert windows(known[free_reels]) == shown
    scatter = expected(counts(shown, pays["symbol"]), in_turn(pays["counts"], pays["pays"]))
    spins = expected(counts(shown, wins["symbol"]), in_turn(wins["counts"], wins["spins"]))
    opened = sum(
        run_chance(cells, picks["symbol"], count) * number
        for count, number in in_turn(picks["counts"], picks["picks"]).items()
    )
    treasure = opened * mean_of(known[picks["amounts"]]["weights"])
    total = with_free_spins(line + treasure + scatter, spins, line * int(times) + treasure + scatter, spins)
    return lambda _row: total


def in_turn(keys: str, values: str) -> dict[int, int]:
    """Return what two rows of numbers say together."""
    return dict(zip(numbers(keys), numbers(values), strict=True))


def bewitched(sheet: Filed) -> Callable[[Row], Fraction]:
    """Return the return of a row of the sheet, the jackpot at its seed."""
    basics(sheet)
    known, words = sheet.constants, sheet.order
    shown = reels_that_stop(sheet)
    line = Lines(sheet).mean([cell(reel, 0) for reel in shown])
    times = words.say("In free spins line wins are multiplied by {times}, and nothing else is.")["times"]
    fights = words.say(
        "By their number {symbol} anywhere in the window pay {pays} times the whole bet and start a battle: one draw of"
        " {odds}, by one of which it is won. A battle won gives {spins} free spins, by their number."
    )
    brews = words.say(
        "{least} or more of {symbol} anywhere in the window have {taken} of {shown} vials chosen; which ones changes"
        " nothing. After the last of them one potion is drawn: {money}, an amount of {amounts} times the whole bet;"
        " {spins}, a number of {numbers}; or {jackpot}."
    )
    weighs = words.say(
        "The weight of each potion is that of its table, {jackpot}'s is none, and {change} changes it for each coin of"
        " the whole bet."
    )
    pool = words.say(
        "{jackpot} pays the coins in the pool of the coin value, which the return counts at its seed in {pool}."
    )
    free_reels = words.say("F" + FREE_SPINS)["reels"]
    words.say("Last the paid spin's line win may be doubled, each colour drawn after the guess.")
    words.end()
    assert windows(known[free_reels]) == shown
    assert {brews["jackpot"]} == {weighs["jackpot"], pool["jackpot"]}
    witches = counts(shown, known[fights["symbol"]])
    scatter = expected(witches, table(known[fights["pays"]]))
    battle = expected(witches, table(known[fights["spins"]])) / known[fights["odds"]]
    merlins = counts(shown, known[brews["symbol"]])
    merlin = sum(chance for count, chance in merlins.items() if count >= known[brews["least"]])

    def returned(row: Row) -> Fraction:
        bet = int(row["lines"]) * int(row["coins"])
        money_kind, spins_kind, jackpot = (known[brews[kind]] for kind in ("money", "spins", "jackpot"))
        weights = {(money_kind, amount): weight for amount, weight in known[brews["amounts"]]}
        weights |= {(spins_kind, amount): weight for amount, weight in known[brews["numbers"]]}
        for (kind, amount), change in known[weighs["change"]]:
            weights[kind, amount] = weights.get((kind, amount), 0) + change * bet
        total = sum(weights.values())
        money = sum(amount * weight for (kind, amount), weight in weights.items() if kind == money_kind)
        spins = sum(amount * weight for (kind, amount), weight in weights.items() if kind == spins_kind)
        jackpots = sum(weight for (kind, _), weight in weights.items() if kind == jackpot)
        potion = merlin * (money + Fraction(jackpots * known[pool["pool"]]["seed_coins"], bet)) / total
        won = battle + merlin * Fraction(spins, total)
        return with_free_spins(line + scatter + potion, won, line * known[times] + scatter + potion, won)

    return returned


class MonaLisa:
    """Mona Lisa Jewels: what cells show in a spin that locks reel 1 and in its jewel spins."""

    def __init__(self, sheet: Filed) -> None:
        basics(sheet)
        self.known, words = sheet.constants, sheet.order
        self.shown = reels_that_stop(sheet)
        self.lines = Lines(sheet)
        self._multipliers = words.say(
            "In normal free spins alone a line win is multiplied by what {times} gives for the wilds in its paid cells:"
            " the first for one, and so on, the last for so many or more; without one it is not."
        )["times"]
        self._palette = words.say(
            "By their number {symbol} anywhere in the window pay {pays} times the whole bet, and win {spins} normal"
            " free spins."
        )
        self._jackpot = words.say(
            "{count} of {symbol} in a row on a line played, for which nothing stands, pay {award} times the coins on"
            " the line; with all {lines} and the last of {coins} they claim the pool instead, which the return counts"
            " at {seed}."
        )
        start = words.say(
            "{least} or more of {symbol} on reel 1, for which nothing stands there, start {spins} jewel spins, in paid"
            " spins and in normal free spins."
        )
        stay = words.say(
            "In jewel spins reel 1 stays as it is and the others turn. Each {one} and {other} on the others stays in"
            " its cell, over what turns behind it: those of the spin that started them for {own:all jewel spins|the"
            " first alone}, those that land in a jewel spin for {landed:the ones after it|none after it}."
        )
        pays = words.say(
            "Each jewel spin pays its lines, not multiplied, and its palettes, which win normal free spins too; what is"
            " behind a symbol that stays {hidden:does not count|counts}. It starts no jewel spins and wins no jackpot:"
            " reel 1 shows none."
        )
        words.say("Jewel spins are played at once, each behind a press.")
        free_reels = words.say("Normal f" + FREE_SPINS)["reels"]
        words.end()
        assert windows(self.known[free_reels]) == self.shown
        self._own_stay = stay["own"] == "all jewel spins"
        self._landed_stay = stay["landed"] == "the ones after it"
        self._hidden_count = pays["hidden"] == "counts"
        self.jewel_spins = range(1, self.known[start["spins"]] + 1)
        jewel, least = self.known[start["symbol"]], self.known[start["least"]]
        self.locked = [window for window in self.shown[0] if window.count(jewel) >= least]
        assert not any(self.known[self._jackpot["symbol"]] in window for window in self.locked)
        self.trigger = Fraction(len(self.locked), len(self.shown[0]))
        self._held = {self.known[stay["one"]], self.known[stay["other"]]}
        self.spins = [self._spins(reel) for reel in self.shown[1:]]

    def _spins(self, reel: Sequence[Window]) -> Counter[tuple[tuple[Window, Window], ...]]:
        """Return how often a reel shows each row of windows, as seen and as turned: spin, then jewel spins."""
        seen: Counter[tuple[Window, tuple[tuple[Window, Window], ...]]] = Counter()
        nothing = ("",) * len(reel[0])
        for first in reel:
            seen[tuple(symbol if symbol in self._held else "" for symbol in first), ((first, first),)] += 1
        for _ in self.jewel_spins:
            longer: Counter[tuple[Window, tuple[tuple[Window, Window], ...]]] = Counter()
            for (stay, before), ways in seen.items():
                for landed in reel:
                    shown = tuple(old or new for old, new in zip(stay, landed, strict=True))
                    kept = stay if self._own_stay else nothing
                    new = tuple(symbol if symbol in self._held else "" for symbol in shown)
                    after = new if self._landed_stay and self._own_stay else kept
                    longer[after, (*before, (shown, landed))] += ways
            seen = longer
        total: Counter[tuple[tuple[Window, Window], ...]] = Counter()
        for (_, rows), ways in seen.items():
            total[rows] += ways
        return total

    def window_cells(self, number: int, line: Sequence[int]) -> list[Cell]:
        """Return the cells of a line in jewel spin `number`, from 1."""
        cells = [cell(self.locked, line[0])]
        for reel, row in zip(self.spins, line[1:], strict=True):
            total = reel.total()
            shown: Counter[str] = Counter()
            for seen, ways in reel.items():
                shown[seen[number][0][row]] += ways
            cells.append({symbol: Fraction(ways, total) for symbol, ways in shown.items()})
        return cells

    def palettes(self) -> dict[tuple[int, ...], Fraction]:
        """Return the chances of the palettes of a spin that locks reel 1 and of its jewel spins; reel 1 has none."""
        palette = self.known[self._palette["symbol"]]
        assert not any(palette in window for window in self.locked)
        law = {(0,) * (1 + len(self.jewel_spins)): Fraction(1)}
        for reel in self.spins:
            here: Counter[tuple[int, ...]] = Counter()
            for seen, ways in reel.items():
                here[tuple(pair[self._hidden_count].count(palette) for pair in seen)] += ways
            total, before, law = reel.total(), law, {}
            for (told, chance), (more, ways) in product(before.items(), here.items()):
                key = tuple(a + b for a, b in zip(told, more, strict=True))
                law[key] = law.get(key, Fraction(0)) + chance * Fraction(ways, total)
        return law

    def returned(self) -> Callable[[Row], Fraction]:
        """Return the return of a row of the sheet, the jackpot at its seed."""
        known, lines = self.known, self.lines
        plain = [cell(reel, 0) for reel in self.shown]
        own = lines.mean(plain)
        multiplied = lines.mean(plain, known[self._multipliers])
        five = run_chance(plain, known[self._jackpot["symbol"]], known[self._jackpot["count"]])
        by_line = [sum(lines.mean(self.window_cells(spin, rows)) for spin in self.jewel_spins) for rows in lines.lines]
        palettes = self.palettes()
        pays, wins = table(known[self._palette["pays"]]), table(known[self._palette["spins"]])
        own_palettes = counts(self.shown, known[self._palette["symbol"]])

        def palettes_win(worth: Mapping[int, int]) -> Fraction:
            """Return what palettes bring on average in a spin with its jewel spins."""
            later = sum(chance * sum(worth.get(one, 0) for one in told[1:]) for told, chance in palettes.items())
            return expected(own_palettes, worth) + self.trigger * later

        def total(row: Row) -> Fraction:
            count, coins = int(row["lines"]), int(row["coins"])
            highest = count == len(known[self._jackpot["lines"]]) and coins == known[self._jackpot["coins"]][-1]
            award = Fraction(known[self._jackpot["seed"]], coins) if highest else known[self._jackpot["award"]]
            jewels = self.trigger * Fraction(sum(by_line[:count], Fraction(0)), count)
            around = palettes_win(pays) + jewels + five * award
            return with_free_spins(own + around, palettes_win(wins), multiplied + around, palettes_win(wins))

        return total


class MysteryElves:
    """Mystery Elves, paid and bought."""

    def __init__(self, sheet: Filed) -> None:
        basics(sheet)
        self.known, words = sheet.constants, sheet.order
        self.shown = reels_that_stop(sheet)
        self._bought = words.say(
            "A bought spin costs {price} bets: one draw from all combinations of stops with {least} or more of {symbol}"
            " in the window, each as likely as another; all else is as in a paid spin of one bet."
        )
        self._carries = words.say(
            "Each {symbol} carries an amount of {first}, drawn as it lands, reel by reel and from the top: so many"
            " whole bets, or {mystery}, or {multiplying}. After a {again} the others of the round draw from {then}."
        )
        self.lines = Lines(sheet)
        self._start = words.say(
            "{least} or more of {symbol} in the window start hold and win; without it they pay nothing."
        )
        self._respin = words.say(
            "They stay. In a respin every other cell of the window spins the strip of {reel}, each stop as likely as"
            " another; {symbol} that lands stays too."
        )
        self._left = words.say(
            "There are {respins} respins, and {again} again after each in which {symbol} landed; it ends when none is"
            " left or every cell is filled."
        )
        self._awards = words.say(
            "At its end each {mystery} draws an award from {awards}, in whole bets; after the first {grand} each"
            " further one counts as {lesser}."
        )
        self._times = words.say(
            "Then a {multiplying} multiplies all bets carried and all awards by an amount of {times}, but by {beside},"
            " without a draw, where a {grand} was awarded."
        )
        self._turned = words.say(
            "Then each {mystery} and {multiplying} turns into an amount of {values}, in whole bets, which is added and"
            " {not:not multiplied|multiplied} by it."
        )
        self._full = words.say("If every cell is filled the sum of all is multiplied by {times}. The sum is paid.")[
            "times"
        ]
        words.say("Last the round's win may be gambled, each colour drawn after the guess.")
        words.end()
        for said in (self._start, self._respin, self._left, self._carries):
            assert said["symbol"] == self._bought["symbol"]
        self.bonus = self.known[self._start["symbol"]]
        self.cells = sum(len(reel[0]) for reel in self.shown)

    def filled(self, held: int) -> Chances:
        """Return the chances of the number of symbols at the end of hold and win that starts with `held`."""
        strip = self.known[self._respin["reel"]]["strip"]
        lands = Fraction(strip.count(self.bonus), len(strip))
        ends: Chances = {}
        going = {(held, self.known[self._left["respins"]]): Fraction(1)}
        while going:
            (filled, left), chance = max(going.items(), key=lambda item: (-item[0][0], item[0][1]))
            del going[filled, left]
            empty = self.cells - filled
            if not empty or not left:
                ends[filled] = ends.get(filled, Fraction(0)) + chance
                continue
            for new in range(empty + 1):
                likely = comb(empty, new) * lands**new * (1 - lands) ** (empty - new)
                after = (filled + new, self.known[self._left["again"]] if new else left - 1)
                going[after] = going.get(after, Fraction(0)) + chance * likely
        return ends

    def _carried(self, name: str) -> tuple[Fraction, Fraction, Fraction]:
        """Return the chances of Multiplying and Mystery and the mean of the bets, of a draw from the table `name`."""
        drawn = self.known[name]
        weights, total = table(drawn["weights"]), drawn["total"]
        functions = {place: self.known[self._carries[place]] for place in ("mystery", "multiplying")}
        bets = sum(amount * weight for amount, weight in weights.items() if amount not in functions.values())
        chances = (Fraction(weights.get(functions[place], 0), total) for place in ("multiplying", "mystery"))
        return (*chances, Fraction(bets, total))  # type: ignore[return-value]

    def worth(self, filled: int) -> Fraction:
        """Return what hold and win that ends with `filled` symbols pays on average, in bets.

        Each symbol before the Multiplying draws from one table and each after it from the other; the Multiplying may be
        any of them, or none.
        """
        known = self.known
        multiplying, mystery, bets = self._carried(self._carries["first"])
        never, mystery_after, bets_after = self._carried(self._carries["then"])
        assert never == 0
        before = (mystery / (1 - multiplying), bets / (1 - multiplying))
        after = (mystery_after, bets_after)
        turned = mean_of(known[self._turned["values"]]["weights"])
        times, beside = mean_of(known[self._times["times"]]["weights"]), known[self._times["beside"]]
        total = (1 - multiplying) ** filled * (sum(self._sums([before] * filled)) + filled * before[0] * turned)
        for first in range(filled):
            others = [before] * first + [after] * (filled - 1 - first)
            without, with_grand = self._sums(others)
            values = (sum(one[0] for one in others) + 1) * turned
            none = 1 - self._grand_falls(others)
            of_values = 1 if self._turned["not"] == "not multiplied" else times * none + beside * (1 - none)
            won = times * without + beside * with_grand + of_values * values
            total += (1 - multiplying) ** first * multiplying * won
        return total * (known[self._full] if filled == self.cells else 1)

    def _grand(self) -> tuple[Fraction, Fraction, int, int]:
        """Return the chance that an award is GRAND, the mean of all lesser ones, GRAND, and what a further one is."""
        drawn, grand = self.known[self._awards["awards"]], self.known[self._awards["grand"]]
        awards = table(drawn["weights"])
        lesser = sum(award * weight for award, weight in awards.items() if award != grand)
        further = self.known[self._awards["lesser"]]
        return Fraction(awards[grand], drawn["total"]), Fraction(lesser, drawn["total"]), grand, further

    def _grand_falls(self, symbols: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
        chance, *_ = self._grand()
        none = Fraction(1)
        for mystery, _ in symbols:
            none *= 1 - mystery * chance
        return 1 - none

    def _sums(self, symbols: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
        """Return the mean of what bets and awards come to, where no GRAND was awarded and where one was.

        Of each symbol there are the chance of a Mystery and the mean of its bets.
        """
        chance, lesser, grand, further = self._grand()
        own = [bets + mystery * lesser for mystery, bets in symbols]
        misses = [1 - mystery * chance for mystery, _ in symbols]
        none = 1 - self._grand_falls(symbols)
        without = sum((none / miss * worth for worth, miss in zip(own, misses, strict=True)), Fraction(0))
        # The first GRAND counts as itself, each further one as the other.
        every = sum(own, Fraction(0)) + further * sum(1 - miss for miss in misses) + (grand - further) * (1 - none)
        return without, every - without

    def returned(self) -> Callable[[Row], Fraction]:
        """Return the return of a row of the sheet."""
        known, lines = self.known, self.lines
        bonuses = counts(self.shown, self.bonus)
        triggering = {held: chance for held, chance in bonuses.items() if held >= known[self._start["least"]]}
        feature = sum(
            chance * sum(likely * self.worth(filled) for filled, likely in self.filled(held).items())
            for held, chance in triggering.items()
        )
        paid = lines.mean([cell(reel, 0) for reel in self.shown]) + feature
        won = sum(self._with_trigger(line) for line in lines.lines) / len(lines.lines)
        some = sum(chance for held, chance in bonuses.items() if held >= known[self._bought["least"]])
        price = known[self._bought["price"]]
        by_price = {"1": paid, str(price): (won + feature) / some / price}
        return lambda row: by_price[row["price"]]

    def _with_trigger(self, line: Sequence[int]) -> Fraction:
        """Return the mean win of a line in the spins that may be bought, of all spins.

        A line's cells and the bonus symbols of their reels belong together: reel by reel, one number at a time.
        """
        by_count = []
        for reel, row in zip(self.shown, line, strict=True):
            told = sorted({window.count(self.bonus) for window in reel})
            by_count.append([(one, [w for w in reel if w.count(self.bonus) == one], row, reel) for one in told])
        total = Fraction(0)
        for chosen in product(*by_count):
            if sum(one for one, *_ in chosen) < self.known[self._bought["least"]]:
                continue
            likely = Fraction(1)
            for _, some, _, reel in chosen:
                likely *= Fraction(len(some), len(reel))
            total += likely * self.lines.mean([cell(some, row) for _, some, row, _ in chosen])
        return total
