"""The card table as short rehearsals, played with Mystery Elves; they join the programme of `tests.ui.programme`."""

from collections.abc import Callable

from gamekit import catalogue
from gamekit.beats import LineWin, ReelsLanded
from gamekit.double_up import BLACK, RED, CardTurned, DoubleUp, DoubleUpEnded, Halved
from gamekit.play import Scene, Stake, Step
from games.mystery_elves.pays import GAMBLE
from tests.ui.rehearsal import Rehearsal, game_view
from ui.protocol.messages import raw
from ui.protocol.values import Bet

GAME = catalogue.load("mystery_elves")
BET = Bet(lines=10, coins_per_line=1, coin_value_cents=20)
STAKE = Stake(lines=10, coins_per_line=1, coin_value_cents=20)
RISK = 1_201
CONTROLS = ("choice:0", "choice:1", "choice:2", "choice:3", "lines", "bet", "spin", "collect", "service", "sound")

Screenplay = Callable[[Rehearsal], None]
SCREENS: dict[str, Screenplay] = {}
MAIN_SCREENS = ("guess", "turning", "won", "lost", "halved")


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    SCREENS[play.__name__] = play
    return play


def offered(rehearsal: Rehearsal, *, risk: int = RISK, focus: str = "choice:1", cards: tuple[str, ...] = ()) -> None:
    """The player may guess, with `risk` cents at risk and these cards turned before."""
    offer = DoubleUp(
        choices=GAMBLE.choices(risk), at_risk_cents=risk, round=len(cards) + 1, rounds=GAMBLE.rounds, cards=cards
    )
    scene: Scene = GAME.idle
    for step in (ReelsLanded((2, 2, 2, 2, 2)), LineWin(1, "king", 3, coins=60), offer):
        scene = GAME.advance(scene, STAKE, step)
    live = tuple(name for name in CONTROLS if not name.startswith("choice:") or int(name[-1]) in offer.choices)
    rehearsal.view(
        game_view(
            "mystery_elves",
            state="gamble",
            controls=live,
            focus=focus,
            bet=BET,
            bets_cents=(20, 200),
            scene=raw(scene),
            offer=raw(offer),
            win_cents=risk,
            at_risk_cents=risk,
        )
    )


def shown(rehearsal: Rehearsal, *steps: Step, win_cents: int) -> None:
    """The supervisor shows what came of the guess."""
    rehearsal.show(list(steps), credit_cents=12_350, win_cents=win_cents)


@_screen
def guess(rehearsal: Rehearsal) -> None:
    """The fourth guess, the cursor on red."""
    offered(rehearsal, cards=("heart", "joker", "club"))


@_screen
def last_guess(rehearsal: Rehearsal) -> None:
    """The tenth guess, with the highest amount that may be at risk."""
    nine = ("spade", "heart", "joker", "club", "diamond", "diamond", "spade", "heart", "club")
    offered(rehearsal, risk=12_500_000, focus="choice:3", cards=nine)


@_screen
def turning(rehearsal: Rehearsal) -> None:
    """The card is on its way: nothing shows yet what it is."""
    offered(rehearsal)
    shown(rehearsal, CardTurned(choice=BLACK, card="club", won=True, cents=RISK), win_cents=2 * RISK)
    rehearsal.wait(0.2)


@_screen
def won(rehearsal: Rehearsal) -> None:
    """A joker replaces the right colour."""
    offered(rehearsal, cards=("heart",))
    shown(rehearsal, CardTurned(choice=RED, card="joker", won=True, cents=RISK), win_cents=2 * RISK)
    rehearsal.wait(1.4)


@_screen
def lost(rehearsal: Rehearsal) -> None:
    """The wrong colour."""
    offered(rehearsal, cards=("heart",))
    shown(rehearsal, CardTurned(choice=RED, card="spade", won=False, cents=-RISK), win_cents=0)
    rehearsal.wait(1.3)


@_screen
def halved(rehearsal: Rehearsal) -> None:
    """Half has gone to the credit, the odd cent with it."""
    offered(rehearsal, focus="choice:3", cards=("diamond",))
    shown(rehearsal, Halved(credited_cents=601, left_cents=600), win_cents=RISK)
    rehearsal.wait(0.5)


@_screen
def collected(rehearsal: Rehearsal) -> None:
    """The player has had enough."""
    offered(rehearsal, cards=("diamond",))
    shown(rehearsal, DoubleUpEnded(total_cents=RISK), win_cents=RISK)
    rehearsal.wait(0.5)
