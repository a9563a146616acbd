"""Bewitched's play: reels, lines, witches, Merlin, the free spins, and last the double-up (RULES.md)."""

from collections.abc import Generator, Sequence

from gamekit.beats import FreeSpinsWon, LineWin, ReelsLanded, ScatterWin
from gamekit.double_up import double_up, with_cents_at_risk
from gamekit.free_spins import Spin, SpinResult, play_free_spins
from gamekit.jackpot import claim_pool
from gamekit.lines import LineEvaluator
from gamekit.picks import take_objects
from gamekit.play import Answer, Draw, Memory, Stake, Step
from gamekit.scatters import ScatterCounter
from games.bewitched.pays import (
    BATTLE_ODDS,
    BATTLE_SPINS,
    DOUBLE_UP,
    FREE_SPIN_MULTIPLIER,
    LINE_RULES,
    LINES,
    MERLIN,
    MERLINS,
    VIALS_SHOWN,
    VIALS_TAKEN,
    WITCHES,
    WITCHES_PAYS,
)
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY, draw_potion
from games.bewitched.steps import Battle, MerlinCame, PotionBrewed, VialTaken
from games.bewitched.strips import REELS

_lines = LineEvaluator(REELS, LINES, LINE_RULES)
_witches = ScatterCounter(REELS, WITCHES)
_merlins = ScatterCounter(REELS, MERLIN)


def play(stake: Stake, draw: Draw, _memory: Memory = None) -> Generator[Step, Answer | None, Memory]:
    """Play one paid round; it keeps no memory.

    Only the paid spin's line win can be doubled (RULES.md, 4), and only at the end of the round: until then it is
    at risk, while what scatter, Merlin and free spins pay is the player's at once.
    """
    double = DOUBLE_UP.capped_at(stake.gamble_cap_cents)
    stops = REELS.spin(draw)
    yield ReelsLanded(stops)
    coins = yield from _pay_lines(stops, stake, 1)
    wager_cents = coins * stake.coin_value_cents
    if _witches.count(stops) in WITCHES_PAYS or _merlins.count(stops) >= MERLINS:
        yield from with_cents_at_risk(
            _features_and_free_spins(stops, stake, draw), double.amount_to_gamble(wager_cents)
        )
    if wager_cents:
        yield from double_up(wager_cents, draw, double)
    return None


def _features_and_free_spins(stops: Sequence[int], stake: Stake, draw: Draw) -> Generator[Step, Answer | None, None]:
    won = yield from _features(stops, stake, draw, retrigger=False)
    if won.free_spins:
        yield from play_free_spins(won.free_spins, lambda: _free_spin(stake, draw))


def _free_spin(stake: Stake, draw: Draw) -> Spin:
    stops = REELS.spin(draw)
    yield ReelsLanded(stops)
    coins = yield from _pay_lines(stops, stake, FREE_SPIN_MULTIPLIER)
    won = yield from _features(stops, stake, draw, retrigger=True)
    return SpinResult(coins + won.coins, won.free_spins)


def _pay_lines(stops: Sequence[int], stake: Stake, multiplier: int) -> Generator[Step, Answer | None, int]:
    coins = 0
    for hit in _lines.hits(stops, stake.lines):
        win = hit.pay * stake.coins_per_line * multiplier
        coins += win
        yield LineWin(hit.line + 1, hit.symbol, hit.run, multiplier, coins=win)
    return coins


def _features(stops: Sequence[int], stake: Stake, draw: Draw, *, retrigger: bool) -> Spin:
    """Pay the scatters, fight their battle, then brew Merlin's potion; none is multiplied (RULES.md, 3.4)."""
    coins = spins = 0
    witches = _witches.count(stops)
    if witches in WITCHES_PAYS:
        coins = WITCHES_PAYS[witches] * stake.coins
        yield ScatterWin(WITCHES, witches, _witches.cells(stops), coins=coins)
        won = draw(BATTLE_ODDS) == 0
        spins = BATTLE_SPINS[witches] if won else 0
        yield Battle(won, spins)
        if won:
            yield FreeSpinsWon(spins, retrigger)
    merlins = _merlins.count(stops)
    if merlins >= MERLINS:
        yield MerlinCame(merlins, _merlins.cells(stops), VIALS_SHOWN, VIALS_TAKEN)
        brewed = yield from _brew(stake, draw, retrigger=retrigger)
        return SpinResult(coins + brewed.coins, spins + brewed.free_spins)
    return SpinResult(coins, spins)


def _brew(stake: Stake, draw: Draw, *, retrigger: bool) -> Spin:
    """Let the player combine the vials; only then is drawn what they become."""
    yield from take_objects(VIALS_TAKEN, VIALS_SHOWN, VialTaken)
    potion = draw_potion(stake.coins, draw)
    coins = potion.amount * stake.coins if potion.kind == MONEY else 0
    yield PotionBrewed(potion.kind, potion.amount, coins=coins)
    if potion.kind == JACKPOT:
        coins = yield from claim_pool()
    if potion.kind == FREE_SPINS:
        yield FreeSpinsWon(potion.amount, retrigger)
        return SpinResult(coins, potion.amount)
    return SpinResult(coins, 0)
