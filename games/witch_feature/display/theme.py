"""Witch Feature's theme: what its scene shows, its potions, cards and respins, its words and figures."""

from collections.abc import Mapping, Sequence

import msgspec

from gamekit.play import Scene, Stake, Step
from gamekit.reels import Strip
from games.witch_feature import GAME
from games.witch_feature.display import rules, words
from games.witch_feature.display.acts import BrewAct, CollectAct, FeatureAct, MarkedSpinAct, UnlockAct
from games.witch_feature.display.kitchen import Kitchen
from games.witch_feature.features import feature_reels
from games.witch_feature.pays import FREE_SPINS, FREE_SPINS_WON, LINE_PAYS, LINES, POTIONS, QUESTION_MARK
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import COMBINATION, EXPLOSION
from games.witch_feature.scene import WitchScene
from games.witch_feature.steps import (
    CombinationMade,
    FeatureBegins,
    FeatureEnded,
    FeatureUnlocked,
    PotionCollected,
    Respun,
)
from games.witch_feature.strips import FREE_REELS
from ui import text
from ui.acts import Act, TotalAct
from ui.anticipation import Trigger
from ui.climb import WinSizes
from ui.draw_context import DrawContext
from ui.performance import spin_of
from ui.picture import Drift, Dweller, Picture, WipeLook
from ui.protocol.messages import View
from ui.protocol.values import written
from ui.spin_theme import SpinTheme
from ui.theme import Headline, Theme

_MARKING = ("random_wilds", "mega_wild", EXPLOSION)
"""The features whose respin has marks."""


class WitchTheme(SpinTheme):
    """Witch Feature: four rows, fifty lines, a shelf of potions and four cards."""

    game = GAME
    world = "witch_feature"
    lines = LINES
    symbols = words.SYMBOLS
    scatter = FREE_SPINS
    edition = rules.EDITION
    win_sizes = WinSizes(big=12, huge=30, mega=80)
    wipe = WipeLook("left", ("bubble_large", "spark", "bubble", "spark", "bubble_small"), 44)
    life = (
        Drift(("bubble_small", "bubble", "spark"), 6, (0, 60, 38, 530), -40),
        Drift(("bubble_small", "spark"), 5, (106, 60, 34, 530), -34),
        Drift(("bubble_small", "bubble", "bubble_large", "spark"), 8, (1142, 60, 136, 232), -30),
        Dweller("candle", (2, 148, 34, 64), loop_s=1.2),
        Dweller("candle", (1244, 148, 34, 64), loop_s=1),
        Dweller("spider", (106, 70, 32, 120), loop_s=6, rests_s=5),
        Dweller("eyes", (2, 430, 36, 30), loop_s=3, rests_s=5),
        Dweller("eyes", (1196, 236, 40, 30), loop_s=3.2, rests_s=8),
        Dweller("smoke", (0, 552, 138, 46), 14, 4),
        Dweller("smoke", (1142, 553, 136, 30), -12, 4),
    )
    portrait_life = (
        Drift(("bubble_small", "bubble", "bubble_large", "spark"), 12, (0, 1322, 1080, 96), -28),
        Dweller("smoke", (0, 1340, 1080, 70), 26, 4),
        Dweller("smoke", (0, 1326, 1080, 60), -20, 4, 5),
        Dweller("candle", (24, 1340, 34, 64), loop_s=1.2),
        Dweller("candle", (1022, 1340, 34, 64), loop_s=1),
        Dweller("eyes", (900, 1350, 60, 40), loop_s=3, rests_s=5),
    )

    def strips(self, picture: Picture) -> Sequence[Strip]:
        """Return the strips of the feature that runs, of free spins, or of paid spins."""
        scene = _witch(picture.scene)
        if scene.features:
            return feature_reels(scene.features).strips
        return FREE_REELS.strips if picture.free else PAID_REELS.strips

    def picture(self, scene: Scene) -> Picture:
        """Return what a `WitchScene` shows: its own window, for potions leave it and marks cover it."""
        return super().picture(scene)._replace(window=_witch(scene).window)

    def headline(self, picture: Picture, view: View, unshown: int = 0) -> Headline | None:
        """Return the feature that runs and what it has won; else the free spins' counter, while they last."""
        scene, plain = _witch(picture.scene), super().headline(picture, view, unshown)
        if not scene.features:
            return plain
        name = words.feature(scene.features)
        if scene.multiplier > 1:
            name = text.say(words.TIMES, feature=name, times=scene.multiplier)
        notes = [] if plain is None else [plain.words]
        if view.reels_bet is not None:
            won = max(0, scene.feature_win - unshown)
            amount = written(won * view.reels_bet.coin_value_cents, view.locale.money)
            notes.append(f"{text.say(words.FEATURE_WIN)} {amount}")
        return Headline(name, "   ·   ".join(notes))

    def free_note(self) -> str:
        """Say that any free spin may bring a feature."""
        return text.say(words.FREE_NOTE)

    @property
    def triggers(self) -> Sequence[Trigger]:
        """Free Spins on reels 1 and 5 together; the single spin that one adds to free spins makes nobody wait."""
        return (Trigger(FREE_SPINS, 2),)

    def act(  # noqa: PLR0911  one return for each step
        self, step: Step, before: Picture, after: Picture, stake: Stake
    ) -> Act | None:
        """Return the acts of potions, cards and respins."""
        match step:
            case PotionCollected():
                slot = len(_witch(before.scene).carried)
                return CollectAct(before, step.cell, step.potion, slot, _witch(after.scene).window[step.cell[0]])
            case CombinationMade():
                return BrewAct(after, _witch(after.scene).carried[:COMBINATION], step.feature)
            case FeatureUnlocked():
                return UnlockAct(before, step.feature)
            case FeatureBegins():
                # The headline must not show the multiplier before it is revealed.
                hidden = msgspec.structs.replace(_witch(after.scene), multiplier=1)
                return FeatureAct(after._replace(scene=hidden), step.features, step.multiplier)
            case Respun():
                spin = spin_of(self, before, after, stake)
                kind = next((name for name in _witch(after.scene).features if name in _MARKING), "")
                return MarkedSpinAct(spin, step.marks, step.symbol, kind) if step.marks else spin
            case FeatureEnded() if step.total:
                return TotalAct(before, step.total, stake.coins, sizes=self.win_sizes)
        return super().act(step, before, after, stake)

    def overlay(self, context: DrawContext) -> Kitchen:
        """Return the potions' shelf and the cards."""
        return Kitchen(context, self)

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return the symbol's line pays from the game's table."""
        return LINE_PAYS.get(symbol, {})

    def notes(self) -> Mapping[str, str]:
        """Return what Free Spins, potions and question marks do instead of paying."""
        potions = text.say(words.POTIONS_NOTE)
        return {
            FREE_SPINS: text.say(words.FREE_SPINS_NOTE, spins=FREE_SPINS_WON),
            **dict.fromkeys(POTIONS, potions),
            QUESTION_MARK: text.say(words.QUESTION_NOTE),
        }

    def rules(self, _gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules (RULES.md) with their figures from the game's tables."""
        return rules.rules()


def _witch(scene: Scene | None) -> WitchScene:
    """Return `scene`; raises TypeError for another game's, or none."""
    if not isinstance(scene, WitchScene):
        raise TypeError(f"Witch Feature is drawn from a WitchScene, not from a {type(scene).__name__}")
    return scene


THEME: Theme = WitchTheme()
