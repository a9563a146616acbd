"""Mona Lisa Jewels' screens as short rehearsals, by name; the rounds are really played, with draws of one's own.

They join the programme of `tests/ui/programme.py`.
"""

from collections.abc import Callable, Iterable, Sequence

from gamekit import catalogue
from gamekit.beats import Continue
from gamekit.play import Answer, Claim, Offer, Scene, Stake, Step
from games.mona_lisa_jewels.strips import REELS
from tests.rigs.views import changed
from tests.ui.rehearsal import IDLE_CONTROLS, ROUND_CONTROLS, Rehearsal, coins, game_view
from ui.protocol.messages import View, raw
from ui.protocol.values import Bet

GAME = catalogue.load("mona_lisa_jewels")
BET = Bet(lines=25, coins_per_line=10, coin_value_cents=5)
STAKE = Stake(lines=25, coins_per_line=10, coin_value_cents=5)
SMALL_BET = Bet(lines=25, coins_per_line=2, coin_value_cents=5)
SMALL_STAKE = Stake(lines=25, coins_per_line=2, coin_value_cents=5)
POOL_COINS = 50_123
CREDIT_CENTS = 123_450
WAITING_CONTROLS = ("spin", "service", "sound")


class OutOfDrawsError(Exception):
    """A play wants more draws than it was given: it is looked at as far as it has come."""


Screenplay = Callable[[Rehearsal], None]
SCREENS: dict[str, Screenplay] = {}
MAIN_SCREENS = (
    "idle",
    "line",
    "jewels_won",
    "jewels_offer",
    "jewels_spinning",
    "jewels_held",
    "jewels_total",
    "free_win",
    "five_jackpots",
    "award",
    "jackpot",
    "paytable",
    "rules",
)


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    SCREENS[play.__name__] = play
    return play


def stops(*symbols: tuple[str, int], first: int = 0) -> tuple[int, ...]:
    """Return stops that show each reel's symbol in the row given, for the reels from `first` on."""
    strips = REELS.strips[first:]
    return tuple((strip.index(symbol) - row) % len(strip) for strip, (symbol, row) in zip(strips, symbols, strict=True))


def segments(draws: Iterable[int], stake: Stake = STAKE) -> list[list[Step]]:
    """Play a round with these draws for as long as they last, every press given; return its steps by segment.

    The pool answers a claim with `POOL_COINS`.
    """
    wanted = list(reversed(list(draws)))

    def draw(_bound: int) -> int:
        if not wanted:
            raise OutOfDrawsError
        return wanted.pop()

    play = GAME.play(stake, draw, None)
    played: list[list[Step]] = [[]]
    answer: Answer | None = None
    while True:
        try:
            step = play.send(answer)
        except (StopIteration, OutOfDrawsError):
            return played
        answer = None
        played[-1].append(step)
        if isinstance(step, Offer):
            answer = Answer(POOL_COINS if isinstance(step, Claim) else 0)
            played.append([])


def folded(steps: Iterable[Step], stake: Stake = STAKE) -> Scene:
    """Return the scene that `steps` lead to."""
    scene: Scene = GAME.idle
    for step in steps:
        scene = GAME.advance(scene, stake, step)
    return scene


def mona_view(**changes: object) -> View:
    """Return the view of the idle screen, changed where the test wants."""
    plain = game_view(GAME.name, bet=BET, jackpot_cents=2_506_150, controls=IDLE_CONTROLS, credit_cents=CREDIT_CENTS)
    return changed(plain, **changes)


LEONARDOS = stops(("leonardo", 1), ("mona_lisa", 1), ("leonardo", 1), ("mona_lisa", 1), ("ace", 1))
LOCKED = stops(("queen", 0), ("jewel", 0), ("mona_lisa", 2), ("jewel", 1), ("mona_lisa", 0))
FIRST = stops(("jack", 1), ("mona_lisa", 0), ("jewel", 2), ("ten", 1), first=1)
SECOND = stops(("king", 1), ("jewel", 1), ("ten", 1), ("queen", 0), first=1)
PALETTES = stops(("palette", 1), ("palette", 0), ("palette", 2), ("ten", 1), ("ace", 1))
JACKPOTS = stops(*(("jackpot", 1),) * 5)

JEWEL_ROUND = segments((*LOCKED, *FIRST, *SECOND))
FREE_ROUND = segments((*PALETTES, *LEONARDOS))
BOTH_ROUND = segments((*PALETTES, *LOCKED, *FIRST, *SECOND))
JACKPOT_ROUND = segments(JACKPOTS)
AWARD_ROUND = segments(JACKPOTS, SMALL_STAKE)


def perform(rehearsal: Rehearsal, played: Sequence[Sequence[Step]], number: int, wait: float, bet: Bet = BET) -> None:
    """Let the segment `number` of a round be shown for `wait` seconds, from what the segments before have left."""
    before = [step for segment in played[:number] for step in segment]
    stake = Stake(lines=bet.lines, coins_per_line=bet.coins_per_line)
    won = coins(before) * bet.coin_value_cents
    scene = raw(folded(before, stake))
    credit = CREDIT_CENTS + won
    rehearsal.view(
        mona_view(state="round", controls=("spin",), scene=scene, bet=bet, win_cents=won, credit_cents=credit)
    )
    more = coins(list(played[number])) * bet.coin_value_cents
    rehearsal.show(list(played[number]), credit_cents=credit + more, win_cents=won + more)
    rehearsal.wait(wait)


def offer(rehearsal: Rehearsal, played: Sequence[Sequence[Step]], number: int) -> None:
    """Let the offer at the end of the segment `number` wait for the player, or the round go on by itself."""
    before = [step for segment in played[: number + 1] for step in segment]
    waiting = before[-1]
    won = coins(before) * BET.coin_value_cents
    scene = raw(folded(before))
    if isinstance(waiting, Offer) and not waiting.waits:
        rehearsal.view(mona_view(state="round", controls=ROUND_CONTROLS, scene=scene, win_cents=won))
        return
    controls = WAITING_CONTROLS if isinstance(waiting, Continue) else ("service",)
    rehearsal.view(mona_view(state="offer", controls=controls, scene=scene, offer=raw(waiting), win_cents=won))


@_screen
def idle(rehearsal: Rehearsal) -> None:
    """The game waits for the player; this bet plays for the jackpot."""
    rehearsal.view(mona_view())


@_screen
def small_bet(rehearsal: Rehearsal) -> None:
    """A bet that does not play for the jackpot."""
    rehearsal.view(mona_view(bet=SMALL_BET))


@_screen
def spinning(rehearsal: Rehearsal) -> None:
    """At full speed."""
    perform(rehearsal, JEWEL_ROUND, 0, 0.55)


@_screen
def line(rehearsal: Rehearsal) -> None:
    """The first line of the loop."""
    played = segments(LEONARDOS)
    rehearsal.view(mona_view(scene=raw(folded(played[0])), win_cents=coins(played[0]) * 5))
    rehearsal.wait(0.4)


@_screen
def all_lit(rehearsal: Rehearsal) -> None:
    """All winning lines at once."""
    perform(rehearsal, segments(LEONARDOS), 0, 2.6)


@_screen
def jewels_won(rehearsal: Rehearsal) -> None:
    """The lock has fallen onto reel 1, the banner is there."""
    perform(rehearsal, JEWEL_ROUND, 0, 0)
    until_act(rehearsal, "JewelsWonAct")
    rehearsal.wait(1.9)


@_screen
def jewels_locking(rehearsal: Rehearsal) -> None:
    """The lock has fallen onto reel 1; what stays shines."""
    perform(rehearsal, JEWEL_ROUND, 0, 0)
    until_act(rehearsal, "JewelsWonAct")
    rehearsal.wait(0.8)


@_screen
def jewels_offer(rehearsal: Rehearsal) -> None:
    """The first jewel spin waits for a press."""
    offer(rehearsal, JEWEL_ROUND, 0)


@_screen
def jewels_spinning(rehearsal: Rehearsal) -> None:
    """Reels 2 to 5 spin behind what is held."""
    perform(rehearsal, JEWEL_ROUND, 1, 0.55)


@_screen
def jewels_win(rehearsal: Rehearsal) -> None:
    """The first jewel spin has won."""
    perform(rehearsal, JEWEL_ROUND, 1, 0)
    until_act(rehearsal, "WinsAct")
    rehearsal.wait(0.5)


@_screen
def jewels_held(rehearsal: Rehearsal) -> None:
    """What has landed in the first stays for the second."""
    perform(rehearsal, JEWEL_ROUND, 1, 0)
    until_act(rehearsal, "JewelsHeldAct")
    rehearsal.wait(0.5)


@_screen
def jewels_second(rehearsal: Rehearsal) -> None:
    """The second jewel spin follows by itself."""
    offer(rehearsal, JEWEL_ROUND, 1)


@_screen
def jewels_total(rehearsal: Rehearsal) -> None:
    """What the jewel spins have paid."""
    perform(rehearsal, JEWEL_ROUND, 2, 0)
    until_act(rehearsal, "JewelsTotalAct")
    rehearsal.wait(1.8)


@_screen
def free_won(rehearsal: Rehearsal) -> None:
    """Three Palettes have won free spins."""
    perform(rehearsal, FREE_ROUND, 0, 0)
    until_act(rehearsal, "FreeSpinsAct")
    rehearsal.wait(1.2)


@_screen
def free_offer(rehearsal: Rehearsal) -> None:
    """The first free spin waits for a press."""
    offer(rehearsal, FREE_ROUND, 0)


@_screen
def free_win(rehearsal: Rehearsal) -> None:
    """Two wilds in a line of a free spin: it pays four times."""
    perform(rehearsal, FREE_ROUND, 1, 0)
    until_act(rehearsal, "WinsAct")
    rehearsal.wait(0.6)


@_screen
def jewels_in_free_spins(rehearsal: Rehearsal) -> None:
    """Jewel spins won by a free spin are played before the nine left."""
    offer(rehearsal, BOTH_ROUND, 1)


@_screen
def five_jackpots(rehearsal: Rehearsal) -> None:
    """Five jackpot symbols on the middle line."""
    perform(rehearsal, JACKPOT_ROUND, 0, 0)
    until_act(rehearsal, "FiveJackpotsAct")
    rehearsal.wait(0.9)


@_screen
def claiming(rehearsal: Rehearsal) -> None:
    """The pool has not answered yet."""
    offer(rehearsal, JACKPOT_ROUND, 0)


@_screen
def jackpot(rehearsal: Rehearsal) -> None:
    """The pool pays."""
    perform(rehearsal, JACKPOT_ROUND, 1, 4.6)


@_screen
def award(rehearsal: Rehearsal) -> None:
    """Below the highest bet five jackpot symbols pay the paytable's award."""
    perform(rehearsal, AWARD_ROUND, 0, 0, SMALL_BET)
    until_act(rehearsal, "FiveJackpotsAct")
    rehearsal.wait(1.9)


@_screen
def award_stands(rehearsal: Rehearsal) -> None:
    """The award has been paid."""
    scene = raw(folded(AWARD_ROUND[0], SMALL_STAKE))
    rehearsal.view(mona_view(bet=SMALL_BET, scene=scene, win_cents=coins(AWARD_ROUND[0]) * 5))
    rehearsal.wait(0.4)


@_screen
def paytable(rehearsal: Rehearsal) -> None:
    """What pays."""
    rehearsal.view(mona_view(state="paytable", controls=("paytable_close",)))


@_screen
def paylines(rehearsal: Rehearsal) -> None:
    """The 25 lines."""
    rehearsal.view(mona_view(state="paytable", focus="page:1", controls=("paytable_close",)))


@_screen
def rules(rehearsal: Rehearsal) -> None:
    """The rules."""
    rehearsal.view(mona_view(state="paytable", focus="page:4", controls=("paytable_close",)))


@_screen
def more_rules(rehearsal: Rehearsal) -> None:
    """The rules go on."""
    rehearsal.view(mona_view(state="paytable", focus="page:5", controls=("paytable_close",)))


def until_act(rehearsal: Rehearsal, kind: str) -> None:
    """Let time pass until an act of the class named `kind` is on the stage; raises AssertionError where none comes."""
    for _ in range(3_000):
        performance = rehearsal.director.performance
        if performance is not None and type(performance.act).__name__ == kind:
            return
        rehearsal.wait(1 / 60)
    raise AssertionError(f"no {kind} has come")
