"""Mystery Elves' play: reels and lines, then Hold and Win, then the gamble (RULES.md)."""

from collections.abc import Generator

from gamekit.beats import LineWin, ReelsLanded
from gamekit.bought_spin import TriggeringStops
from gamekit.double_up import double_up, with_cents_at_risk
from gamekit.hold_and_win import play_respins
from gamekit.lines import LineEvaluator
from gamekit.play import Answer, Draw, Memory, Stake, Step
from gamekit.scatters import ScatterCounter
from games.mystery_elves.bonuses import Bonuses
from games.mystery_elves.pays import BONUS, BUY_PRICE, GAMBLE, LEAST_BONUSES, LINE_RULES, LINES
from games.mystery_elves.strips import HOLD_RULES, REELS

_lines = LineEvaluator(REELS, LINES, LINE_RULES)
_bonuses = ScatterCounter(REELS, BONUS)
TRIGGERS = TriggeringStops(REELS, BONUS, LEAST_BONUSES)


def play(stake: Stake, draw: Draw, _memory: Memory = None) -> Generator[Step, Answer | None, Memory]:
    """Play one round, paid or bought by the stake's price; it keeps no memory.

    Raises ValueError, before anything is drawn, for a price at which nothing is sold. All of the round's win may be
    gambled at its end, so the lines' part of it stays at risk while Hold and Win is played.
    """
    if stake.price not in (1, BUY_PRICE):
        raise ValueError(f"a spin costs 1 bet and Hold and Win {BUY_PRICE}: nothing is sold for {stake.price}")
    gamble = GAMBLE.capped_at(stake.gamble_cap_cents)
    stops = REELS.spin(draw) if stake.price == 1 else TRIGGERS.draw(draw)
    yield ReelsLanded(stops)
    bonuses = Bonuses(draw)
    count = _bonuses.count(stops)
    if count:
        yield bonuses.land(_bonuses.cells(stops))
    coins = 0
    for hit in _lines.hits(stops, stake.lines):
        win = hit.pay * stake.coins_per_line
        coins += win
        yield LineWin(hit.line + 1, hit.symbol, hit.run, coins=win)
    if count >= LEAST_BONUSES:
        coins += yield from with_cents_at_risk(
            _hold_and_win(stake, draw, bonuses, stops), gamble.amount_to_gamble(coins * stake.coin_value_cents)
        )
    if coins:
        yield from double_up(coins * stake.coin_value_cents, draw, gamble)
    return None


def _hold_and_win(
    stake: Stake, draw: Draw, bonuses: Bonuses, stops: tuple[int, ...]
) -> Generator[Step, Answer | None, int]:
    """Play the feature that the bonus symbols at `stops` have won, and return the coins that it paid."""
    yield from play_respins(_bonuses.cells(stops), HOLD_RULES, draw, bonuses.land)
    coins = 0
    for beat in bonuses.settle(stake.coins):
        coins += beat.coins
        yield beat
    return coins
