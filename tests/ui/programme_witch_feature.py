"""Witch Feature's screens as short rehearsals, by name; they join the programme of `tests.ui.programme`."""

from collections.abc import Callable, Collection

from gamekit.beats import Cell, Continue, FreeSpinBegins, FreeSpinsWon, LineWin, ReelsLanded
from gamekit.play import Scene, Step
from games.witch_feature import GAME
from games.witch_feature.pays import BLUE, GREEN, RED
from games.witch_feature.play import PAID_REELS
from games.witch_feature.scene import advance
from games.witch_feature.steps import (
    CombinationMade,
    FeatureBegins,
    FeatureEnded,
    FeatureUnlocked,
    PotionCollected,
    PotionsKept,
    Respun,
)
from games.witch_feature.strips import FREE_REELS
from tests.rigs.views import changed
from tests.ui.rehearsal import IDLE_CONTROLS, Rehearsal
from ui.protocol.messages import Hurry, View, raw
from ui.protocol.values import Bet
from ui.protocol.view_parts import Balance, LobbyGames, ShownRound, Terms

BET = Bet(lines=50, coins_per_line=1, coin_value_cents=2)
STAKE = GAME.stakes()[0]
CREDIT = 12_350

Screenplay = Callable[[Rehearsal], None]
SCREENS: dict[str, Screenplay] = {}
MAIN_SCREENS = (
    "idle",
    "carrying",
    "collecting",
    "brewing",
    "brewed",
    "unlocked",
    "multiplier_begins",
    "explosion_begins",
    "random_wilds",
    "mega_wild_large",
    "mega_wild_small_wins",
    "question_marks",
    "feature_total",
    "free_spins_offer",
    "free_spin_feature",
    "paytable",
    "rules",
)


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    SCREENS[play.__name__] = play
    return play


def view(**changes: object) -> View:
    """Return the view of the game's idle screen, changed where the test wants."""
    plain = View(
        state="idle",
        controls=IDLE_CONTROLS,
        balance=Balance(credit_cents=CREDIT, accepts_coins=True),
        bet=BET,
        game="witch_feature",
        round=ShownRound(scene=raw(GAME.idle)),
        lobby=LobbyGames(games=("witch_feature",)),
        terms=Terms(bets_cents=(50, 100, 250, 500)),
    )
    return changed(plain, **changes)


def folded(*steps: Step) -> Scene:
    """Return the scene that `steps` lead to."""
    scene: Scene = GAME.idle
    for step in steps:
        scene = advance(scene, STAKE, step)
    return scene


def _stop(reel: int, symbol: str, row: int, strips: Collection[Collection[str]] = PAID_REELS.strips) -> int:
    strip = list(list(strips)[reel])
    return (strip.index(symbol) - row) % len(strip)


CARRYING = (PotionsKept(carried=(BLUE, GREEN), unlocked=0),)
RED_LANDS = ReelsLanded((30, _stop(1, RED, 2), 33, 40, 20))
THREE_LAND = ReelsLanded((30, _stop(1, RED, 1), _stop(2, GREEN, 3), _stop(3, GREEN, 0), 20))
COLLECTED = PotionCollected(cell=(1, 2), potion=RED)
HIGH = CombinationMade(potions=(BLUE, GREEN, RED), feature="high_symbols")
UNLOCKED = FeatureUnlocked(feature="random_wilds")
FOUR_CARDS = (PotionsKept(carried=(BLUE,), unlocked=3),)
STOPS = (6, 9, 13, 21, 30)
WILD_CELLS: tuple[Cell, ...] = ((0, 1), (1, 1), (2, 2), (4, 3))
MARKED: tuple[Cell, ...] = (
    *((0, row) for row in (0, 2, 3)),
    *((1, row) for row in (1, 2)),
    *((2, row) for row in (0, 1, 3)),
    *((3, row) for row in (2, 3)),
    *((4, row) for row in (0, 1)),
)
LARGE: tuple[Cell, ...] = tuple((1 + x, y) for x in range(3) for y in range(3))
SMALL: tuple[Cell, ...] = (
    *((x, y) for x in range(2) for y in range(2)),
    *((3 + x, 2 + y) for x in range(2) for y in range(2)),
)
FREE: tuple[Step, ...] = (
    *CARRYING,
    ReelsLanded((_stop(0, "free_spins", 1), 5, 33, 40, _stop(4, "free_spins", 2))),
    FreeSpinsWon(10),
    Continue(left=10),
)


def _show(rehearsal: Rehearsal, kept: tuple[Step, ...], steps: tuple[Step, ...], won_coins: int, wait: float) -> None:
    rehearsal.view(view(state="round", controls=("spin",), scene=raw(folded(*kept))))
    won = won_coins * BET.coin_value_cents
    rehearsal.show(list(steps), credit_cents=CREDIT + won, win_cents=won)
    rehearsal.wait(wait)


@_screen
def idle(rehearsal: Rehearsal) -> None:
    """Nothing carried, three cards locked."""
    rehearsal.view(view())


@_screen
def carrying(rehearsal: Rehearsal) -> None:
    """Two potions are carried, seen before the bet; two cards are unlocked."""
    rehearsal.view(view(scene=raw(folded(PotionsKept(carried=(BLUE, GREEN), unlocked=1)))))


@_screen
def spinning(rehearsal: Rehearsal) -> None:
    """At full speed."""
    _show(rehearsal, CARRYING, (RED_LANDS,), 0, 0.55)


@_screen
def collecting(rehearsal: Rehearsal) -> None:
    """The potion flies, the symbols above it fall."""
    _show(rehearsal, CARRYING, (RED_LANDS, COLLECTED), 0, 2.52)


@_screen
def brewing(rehearsal: Rehearsal) -> None:
    """Three potions go into the cauldron."""
    _show(rehearsal, (*CARRYING, RED_LANDS, COLLECTED), (HIGH,), 0, 0.85)


@_screen
def brewed(rehearsal: Rehearsal) -> None:
    """A card comes out of the cauldron."""
    _show(rehearsal, (*CARRYING, RED_LANDS, COLLECTED), (HIGH,), 0, 2.7)


@_screen
def smoke(rehearsal: Rehearsal) -> None:
    """Nothing comes of three potions; two more wait for the next combination."""
    kept = (
        *CARRYING,
        THREE_LAND,
        PotionCollected(cell=(1, 1), potion=RED),
        PotionCollected(cell=(2, 3), potion=GREEN),
        PotionCollected(cell=(3, 0), potion=GREEN),
    )
    _show(rehearsal, kept, (CombinationMade(potions=(BLUE, GREEN, RED)),), 0, 2.35)


@_screen
def unlocked(rehearsal: Rehearsal) -> None:
    """The lock has fallen off the next card."""
    _show(rehearsal, (*CARRYING, RED_LANDS, COLLECTED, HIGH), (UNLOCKED,), 0, 1.2)


@_screen
def high_symbols_begins(rehearsal: Rehearsal) -> None:
    """The feature's name and card."""
    _show(rehearsal, (*FOUR_CARDS, RED_LANDS), (FeatureBegins(features=("high_symbols",)),), 0, 1.2)


@_screen
def multiplier_begins(rehearsal: Rehearsal) -> None:
    """What Multiplier multiplies by is drawn."""
    _show(rehearsal, (*FOUR_CARDS, RED_LANDS), (FeatureBegins(features=("multiplier",), multiplier=8),), 0, 1.9)


@_screen
def explosion_begins(rehearsal: Rehearsal) -> None:
    """The cauldron blows up."""
    _show(rehearsal, (*FOUR_CARDS, RED_LANDS), (FeatureBegins(features=("explosion",)),), 0, 1.4)


def _feature(rehearsal: Rehearsal, name: str, respun: Respun, wait: float, *after: Step) -> None:
    kept = (*FOUR_CARDS, RED_LANDS, FeatureBegins(features=(name,)))
    _show(rehearsal, kept, (respun, *after), sum(step.coins for step in after if isinstance(step, LineWin)), wait)


@_screen
def random_wilds(rehearsal: Rehearsal) -> None:
    """Wilds land while the reels spin."""
    _feature(rehearsal, "random_wilds", Respun(stops=STOPS, marks=WILD_CELLS, symbol="wild"), 0.8)


@_screen
def mega_wild_large(rehearsal: Rehearsal) -> None:
    """One picture over nine cells, the reels around it stopping."""
    _feature(rehearsal, "mega_wild", Respun(stops=STOPS, marks=LARGE, symbol="wild"), 1.2)


@_screen
def mega_wild_small_wins(rehearsal: Rehearsal) -> None:
    """Two pictures over four cells each, and a win."""
    win = LineWin(1, "wild", 3, coins=25)
    _feature(rehearsal, "mega_wild", Respun(stops=STOPS, marks=SMALL, symbol="wild"), 2.8, win)


@_screen
def mega_wild_skipped(rehearsal: Rehearsal) -> None:
    """A big win with a mega wild, cut short while it was lit: banner and amount stand over the reels."""
    win = LineWin(1, "wild", 5, coins=10_000)
    _feature(rehearsal, "mega_wild", Respun(stops=STOPS, marks=LARGE, symbol="wild"), 2.8, win)
    assert rehearsal.director.performance is not None
    rehearsal.director.handle(Hurry(rehearsal.director.performance.number), rehearsal.now)
    rehearsal.wait(0.7)


@_screen
def question_marks(rehearsal: Rehearsal) -> None:
    """Twelve question marks have landed."""
    _feature(rehearsal, "explosion", Respun(stops=STOPS, marks=MARKED, symbol="witch"), 1.6)


@_screen
def marks_turning(rehearsal: Rehearsal) -> None:
    """The question marks turn into one symbol."""
    _feature(rehearsal, "explosion", Respun(stops=STOPS, marks=MARKED, symbol="witch"), 2.78)


@_screen
def feature_total(rehearsal: Rehearsal) -> None:
    """What the feature has paid."""
    begins = FeatureBegins(features=("mega_wild",))
    kept = (*FOUR_CARDS, RED_LANDS, begins, Respun(stops=STOPS, marks=LARGE, symbol="wild"))
    steps = (LineWin(4, "wild", 4, coins=150), FeatureEnded(features=("mega_wild",), total=150))
    _show(rehearsal, kept, steps, 150, 3.3)


@_screen
def free_spins_offer(rehearsal: Rehearsal) -> None:
    """The first free spin waits for a press."""
    rehearsal.view(view(state="offer", controls=("spin", "service"), scene=raw(folded(*FREE)), offer=raw(FREE[-1])))


@_screen
def free_spin_feature(rehearsal: Rehearsal) -> None:
    """A free spin brings Random Wilds and Multiplier together."""
    free_spins_offer(rehearsal)
    landed = ReelsLanded(tuple(_stop(reel, "witch", 1, FREE_REELS.strips) for reel in range(5)))
    begins = FeatureBegins(features=("random_wilds", "multiplier"), multiplier=5)
    rehearsal.show([FreeSpinBegins(3, 10), landed, begins], credit_cents=CREDIT, win_cents=0)
    rehearsal.wait(4.0)


@_screen
def paytable(rehearsal: Rehearsal) -> None:
    """What pays, in money."""
    rehearsal.view(view(state="paytable", controls=("paytable_close",)))


@_screen
def rules(rehearsal: Rehearsal) -> None:
    """The rules' page that says what carried potions are worth."""
    rehearsal.view(view(state="paytable", focus="page:6", controls=("paytable_close",)))
