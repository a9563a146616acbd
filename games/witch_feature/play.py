"""Witch Feature's play: reels, potions, lines, the feature they win, then the free spins (RULES.md)."""

from collections.abc import Generator, Sequence

from gamekit.beats import FreeSpinsWon, LineWin, ReelsLanded
from gamekit.chance import happens
from gamekit.free_spins import Spin, SpinResult, play_free_spins
from gamekit.lines import LineHit
from gamekit.play import Answer, Draw, Memory, Stake, Step
from gamekit.scatters import ScatterCounter
from games.witch_feature.features import evaluator, play_feature
from games.witch_feature.pays import (
    FREE_FEATURE_TABLE,
    FREE_FEATURES,
    FREE_SPINS,
    FREE_SPINS_ADDED,
    FREE_SPINS_WON,
    ROWS,
)
from games.witch_feature.potions import (
    EXPLOSION,
    FEATURES,
    PotionReels,
    WitchMemory,
    collect,
    unlocked_by,
    won_by,
)
from games.witch_feature.steps import CombinationMade, FeatureUnlocked, PotionCollected, PotionsKept
from games.witch_feature.strips import FREE_REELS, PAID_STRIPS

PAID_REELS = PotionReels(PAID_STRIPS, ROWS)

_BOTH = 2

_paid_lines = evaluator(PAID_REELS)
_free_lines = evaluator(FREE_REELS)
_paid_free_spins = ScatterCounter(PAID_REELS, FREE_SPINS)
_free_free_spins = ScatterCounter(FREE_REELS, FREE_SPINS)


def play(stake: Stake, draw: Draw, memory: Memory = None) -> Generator[Step, Answer | None, Memory]:
    """Play one paid round with the potions and features that this bet remembers; raise TypeError for another memory."""
    kept = WitchMemory() if memory is None else memory
    if not isinstance(kept, WitchMemory):
        raise TypeError(f"Witch Feature remembers a WitchMemory, not a {type(kept).__name__}")
    yield PotionsKept(carried=kept.carried, unlocked=kept.unlocked)
    stops = PAID_REELS.spin(draw)
    yield ReelsLanded(stops)
    landed = PAID_REELS.landed(stops)
    for reel, row, potion in landed:
        yield PotionCollected(cell=(reel, row), potion=potion)
    yield from _line_wins(stake, _paid_lines.hits(stops, stake.lines))
    if landed:
        kept = yield from _brew(stake, draw, kept, [potion for _, _, potion in landed])
        yield PotionsKept(carried=kept.carried, unlocked=kept.unlocked)
    if _paid_free_spins.count(stops) == _BOTH:
        yield FreeSpinsWon(FREE_SPINS_WON)
        yield from play_free_spins(FREE_SPINS_WON, lambda: _free_spin(stake, draw))
    return kept


def _line_wins(stake: Stake, hits: Sequence[LineHit]) -> Generator[Step, Answer | None, int]:
    coins = 0
    for hit in hits:
        win = hit.pay * stake.coins_per_line
        coins += win
        yield LineWin(hit.line + 1, hit.symbol, hit.run, coins=win)
    return coins


def _brew(
    stake: Stake, draw: Draw, kept: WitchMemory, landed: Sequence[str]
) -> Generator[Step, Answer | None, WitchMemory]:
    """Add the potions that `landed` to those kept, play the feature they win, and return what is kept now."""
    combination, carried = collect(kept.carried, landed)
    if combination is None:
        return WitchMemory(carried, kept.unlocked)
    feature, chance = won_by(combination, kept.unlocked)
    if not happens(draw, chance):
        yield CombinationMade(potions=combination)
        return WitchMemory(carried, kept.unlocked)
    yield CombinationMade(potions=combination, feature=feature)
    unlocked = kept.unlocked if feature == EXPLOSION else unlocked_by(feature, kept.unlocked)
    if unlocked > kept.unlocked:
        yield FeatureUnlocked(feature=FEATURES[unlocked])
    yield from play_feature(stake, draw, (feature,))
    return WitchMemory(carried, unlocked)


def _free_spin(stake: Stake, draw: Draw) -> Spin:
    """One free spin: it pays first, then a feature may come, then the free spins that it has won are added."""
    stops = FREE_REELS.spin(draw)
    yield ReelsLanded(stops)
    coins = yield from _line_wins(stake, _free_lines.hits(stops, stake.lines))
    features = FREE_FEATURES[FREE_FEATURE_TABLE.draw(draw)]
    if features:
        coins += yield from play_feature(stake, draw, features)
    shown = _free_free_spins.count(stops)
    spins = {0: 0, _BOTH: FREE_SPINS_WON}.get(shown, FREE_SPINS_ADDED)
    if spins:
        yield FreeSpinsWon(spins, retrigger=True)
    return SpinResult(coins, spins)
