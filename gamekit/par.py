"""The PAR sheet of a game: what it returns at every bet and in every memory state, from integers and fractions.

Figures are exact until they are written down: percentages as strings of six decimals, chances and sigma as the
nearest floating-point number. Sigma and the volatility index are in whole bets.
"""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

import msgspec

from gamekit import par_tables
from gamekit.agreement import Report
from gamekit.exact.prizes import PrizeHits
from gamekit.exact.wins import WinLaw
from gamekit.maths import KnowsPrizes, Maths, cost
from gamekit.play import Stake
from gamekit.simulate import WIN_EDGES
from gamekit.win_up_to import promise_of

_DIGITS = 10**6

# The 95th percentile of the normal distribution: 90 % of results lie within so many sigmas of the mean.
_NINETY_PERCENT = Fraction(1645, 1000)

# The first of the bands whose wins are above the bet.
_ABOVE_BET = WIN_EDGES.index(1) + 1


class BetSheet(msgspec.Struct, frozen=True, kw_only=True):
    """One bet in one memory state: `lines` x `coins_per_line` x `price` = `stake` coins.

    `rtp_percent` counts the jackpot at its seed; `rtp_with_growth_percent` is None without a pool.
    `own_rtp_percent` is the return of the round's own pays, without the gain in the memory's worth.
    `above_bet` is the chance that lines and scatters of one spin win more than it cost. `max_win` is in coins, without
    free spins. `sigma` is None if the exact one is not known. `win_up_to` is the highest amount in coins that at least
    one play in 50 million reaches; one play in `win_up_to_one_in` does (`gamekit.win_up_to`).
    """

    stake: int
    lines: int
    coins_per_line: int
    price: int
    state: str
    rtp_percent: str
    rtp_with_growth_percent: str | None
    own_rtp_percent: str
    parts: dict[str, str]
    hit_frequency: float
    above_bet: float
    sigma: float | None
    volatility_index_90: float | None
    triggers: dict[str, float]
    max_win: int
    max_win_odds: float
    max_win_odds_exact: str
    win_up_to: int | None = None
    win_up_to_one_in: int | None = None


class WinBand(msgspec.Struct, frozen=True, kw_only=True):
    """Wins of more than `above` and at most `up_to` bets; `above` is None in the first band, `up_to` in the last.

    `ways` are combinations of stops, or rounds played; `return_percent` is the return of these wins, None for rounds.
    """

    above: int | None
    up_to: int | None
    ways: int
    chance: float
    return_percent: str | None


class SpinWinsSheet(msgspec.Struct, frozen=True, kw_only=True):
    """The full-cycle wins of one spin's lines and scatters for a number of lines, at any coins and in any state.

    Features, free spins and jackpots are left out. `max_win` is in coins at one coin a line.
    """

    lines: int
    price: int
    combinations: int
    hit_frequency: float
    above_bet: float
    max_win: int
    max_win_odds: float
    bands: list[WinBand]


class FreeSpinSheet(msgspec.Struct, frozen=True, kw_only=True):
    """The free spins: how many a round plays on average, and the best single one at the highest bet, in coins."""

    per_round: float
    max_win: int
    max_win_odds: float


class ParSheet(msgspec.Struct, frozen=True, kw_only=True):
    """A game's identity and its figures; those beside `bets` are the highest bet's in the first state.

    `maths` is the text whose SHA-256 is `maths_hash`, and `constants` are those of the play, by name; both are empty
    until `with_constants` adds them. `spin_max_win` is the highest win of a paid spin's lines and scatters alone.
    `played` is a simulation of the production play, and `round_wins` its distribution by whole rounds; both are None
    without a simulation. `prizes` is the number of hits of each prize over the cycle, if the maths know it.
    """

    game: str
    maths_version: int
    maths_hash: str
    order: list[str]
    maths: str
    constants: dict[str, object]
    bets: list[BetSheet]
    hit_frequency: float
    sigma: float | None
    volatility_index_90: float | None
    triggers: dict[str, float]
    max_win: int
    max_win_odds: float
    spin_max_win: int
    spin_max_win_odds: float
    free_spin: FreeSpinSheet | None
    spin_wins: list[SpinWinsSheet]
    played: Report | None = None
    round_wins: list[WinBand] | None = None
    prizes: list[PrizeHits] = []


def percent(value: Fraction) -> str:
    """Return `value` as a percentage of six decimals, rounded to the nearest, ties to even."""
    return _decimal(value * 100)


def _decimal(value: Fraction) -> str:
    whole, part = divmod(abs(round(value * _DIGITS)), _DIGITS)
    return f"{'-' if value < 0 and (whole or part) else ''}{whole}.{part:06d}"


def square_root(value: Fraction) -> Fraction:
    """Return the square root of `value`, rounded down to twelve decimals."""
    scale = 10**12
    return Fraction(isqrt(value.numerator * scale**2 // value.denominator), scale)


def par_sheet(
    maths: Maths, played: Report | None = None, progress: Callable[[str, int, int], None] = lambda *_: None
) -> ParSheet:
    """Return the PAR sheet of `maths`, every selectable bet in every state in it, and what was `played` beside it.

    `progress` is called with what is computed, how many of it are done, and how many there are.
    """
    game = maths.game
    laws = {_law_key(stake): stake for stake in maths.stakes}
    spins = {}
    for done, (key, stake) in enumerate(laws.items()):
        progress("distributions of one spin", done, len(laws))
        spins[key] = _spin_wins(key, maths.spin_wins(stake))
    every = [(stake, state) for stake in maths.stakes for state in maths.states]
    bets = []
    for done, (stake, state) in enumerate(every):
        progress("bets and states", done, len(every))
        bets.append(bet_sheet(maths, stake, state, above_bet=spins[_law_key(stake)].above_bet))
    progress("bets and states", len(every), len(every))
    # The bets of the highest stake come last, one for each state.
    highest = bets[-len(maths.states)]
    spin = spins[_law_key(maths.stakes[-1])]
    return ParSheet(
        game=game.name,
        maths_version=game.maths_version,
        maths_hash=game.maths_hash,
        order=list(maths.order),
        maths="",
        constants={},
        bets=bets,
        hit_frequency=highest.hit_frequency,
        sigma=highest.sigma,
        volatility_index_90=highest.volatility_index_90,
        triggers=highest.triggers,
        max_win=highest.max_win,
        max_win_odds=highest.max_win_odds,
        spin_max_win=spin.max_win * maths.stakes[-1].coins_per_line,
        spin_max_win_odds=spin.max_win_odds,
        free_spin=_free_spin(maths),
        spin_wins=list(spins.values()),
        played=played,
        round_wins=None if played is None or not played.wins else round_bands(played),
        prizes=[*maths.prizes()] if isinstance(maths, KnowsPrizes) else [],
    )


def _free_spin(maths: Maths) -> FreeSpinSheet | None:
    stake = maths.stakes[-1]
    best = maths.best_free_spin(stake)
    if best is None:
        return None
    per_round = maths.figures(stake, maths.states[0]).free_spins
    return FreeSpinSheet(per_round=float(per_round), max_win=best.coins, max_win_odds=float(best.chance))


def _law_key(stake: Stake) -> tuple[int, int]:
    """Return the key of a spin's win distribution in bets: its lines and its price."""
    return stake.lines, stake.price


def _spin_wins(key: tuple[int, int], law: WinLaw) -> SpinWinsSheet:
    total = law.combinations
    bands = [
        _band(number, ways, total, percent(Fraction(coins, total * law.bet)))
        for number, (ways, coins) in enumerate(law.bands(WIN_EDGES))
    ]
    return SpinWinsSheet(
        lines=key[0],
        price=key[1],
        combinations=total,
        hit_frequency=float(1 - Fraction(bands[0].ways, total)),
        above_bet=float(Fraction(sum(band.ways for band in bands[_ABOVE_BET:]), total)),
        max_win=law.largest.coins,
        max_win_odds=float(law.largest.chance),
        bands=bands,
    )


def with_constants(sheet: ParSheet) -> ParSheet:
    """Return `sheet` with the constants of its game, which must be one of the catalogue."""
    game = sheet.game
    return msgspec.structs.replace(sheet, maths=par_tables.hashed_text(game), constants=par_tables.constants(game))


def round_bands(played: Report) -> list[WinBand]:
    """Return the rounds of `played` by the size of their win."""
    return [_band(number, rounds, played.rounds, None) for number, rounds in enumerate(played.wins)]


def _band(number: int, ways: int, total: int, returned: str | None) -> WinBand:
    edges = (None, *WIN_EDGES, None)
    return WinBand(
        above=edges[number],
        up_to=edges[number + 1],
        ways=ways,
        chance=float(Fraction(ways, total)),
        return_percent=returned,
    )


def bet_sheet(maths: Maths, stake: Stake, state: str, *, above_bet: float | None = None) -> BetSheet:
    """Return the formatted figures of one bet in one state; `above_bet` is computed if it is not given."""
    if above_bet is None:
        above_bet = _spin_wins(_law_key(stake), maths.spin_wins(stake)).above_bet
    figures = maths.figures(stake, state)
    paid = cost(stake)
    promised = promise_of(maths.game, stake)
    sigma = None if figures.variance is None else square_root(figures.variance / paid**2)
    with_growth = percent((figures.mean + figures.growth) / paid)
    own = sum((known.mean for part, known in zip(maths.parts, figures.parts, strict=True) if part.pays), Fraction(0))
    return BetSheet(
        stake=paid,
        lines=stake.lines,
        coins_per_line=stake.coins_per_line,
        price=stake.price,
        state=state,
        rtp_percent=percent(figures.mean / paid),
        rtp_with_growth_percent=None if maths.game.pool is None else with_growth,
        own_rtp_percent=percent(own / paid),
        parts={part.name: percent(figure.mean / paid) for part, figure in zip(maths.parts, figures.parts, strict=True)},
        hit_frequency=float(figures.hit_frequency),
        above_bet=above_bet,
        sigma=None if sigma is None else float(sigma),
        volatility_index_90=None if sigma is None else float(sigma * _NINETY_PERCENT),
        triggers={name: float(chance) for name, chance in figures.triggers.items()},
        max_win=figures.largest.coins,
        max_win_odds=float(figures.largest.chance),
        max_win_odds_exact=str(figures.largest.chance),
        win_up_to=None if promised is None else promised.coins,
        win_up_to_one_in=None if promised is None else promised.one_in,
    )
