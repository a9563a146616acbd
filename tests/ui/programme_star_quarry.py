"""Star Quarry's screens as short rehearsals, by name; they join the programme of `tests.ui.programme`."""

import random
from collections.abc import Callable
from functools import cache

from gamekit import catalogue
from gamekit.beats import Begin, CascadeFell, FreeSpinBegins, FreeSpinsEnded, FreeSpinsWon, ScatterWin, WaysWin
from gamekit.checking import steps_of
from gamekit.play import Beat, Offer, Scene, Stake, Step
from gamekit.simulate import seeded_draw
from tests.rigs.views import changed
from tests.ui.rehearsal import IDLE_CONTROLS, Rehearsal
from ui.climb import WIN_SIZES
from ui.protocol.messages import View, raw
from ui.protocol.values import Bet
from ui.protocol.view_parts import Balance, LobbyGames, ShownRound, Terms

GAME = catalogue.load("star_quarry")
BET = Bet(lines=20, coins_per_line=1, coin_value_cents=5)
STAKE = Stake(lines=20, coins_per_line=1, coin_value_cents=5)
BETS_CENTS = (20, 100, 200, 10_000)

Steps = tuple[Step, ...]
Screenplay = Callable[[Rehearsal], None]
SCREENS: dict[str, Screenplay] = {}
MAIN_SCREENS = ("idle", "ways", "falling", "chain", "won", "free_chain", "ways_page")


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    SCREENS[play.__name__] = play
    return play


def folded(*steps: Step) -> Scene:
    """Return the scene that `steps` lead to."""
    scene: Scene = GAME.idle
    for step in steps:
        scene = GAME.advance(scene, STAKE, step)
    return scene


def coins(steps: Steps) -> int:
    """Return what the steps pay."""
    return sum(step.coins for step in steps if isinstance(step, Beat))


def falls(steps: Steps) -> int:
    """Return how often symbols fall."""
    return sum(isinstance(step, CascadeFell) for step in steps)


def parted(seed: int) -> tuple[Steps, ...]:
    """Return the round that a seed plays, in the segments that end with an offer."""
    source = random.Random(seed)
    segments: list[Steps] = [()]
    for step in steps_of(GAME, STAKE, None, seeded_draw(source), source):
        segments[-1] = (*segments[-1], step)
        if isinstance(step, Offer):
            segments.append(())
    return tuple(segments)


@cache
def found(wanted: str) -> tuple[Steps, ...]:
    """Return the first round of the seeds from 0 on that is as `wanted`: segments that end with an offer."""
    wishes: dict[str, Callable[[tuple[Steps, ...]], bool]] = {
        "one": lambda parts: falls(parts[0]) == 1 and len(parts) == 1 and coins(parts[0]) < STAKE.coins,
        "two_symbols": lambda parts: [type(step) for step in parts[0][1:3]] == [WaysWin] * 2,
        "chain": lambda parts: falls(parts[0]) >= 3 and len(parts) == 1 and coins(parts[0]) < 15 * STAKE.coins,
        "huge": lambda parts: coins(parts[0]) >= WIN_SIZES.huge * STAKE.coins,
        "free": lambda parts: len(parts) > 1 and any(falls(part) >= 2 for part in parts[1:]),
        "retrigger": lambda parts: any(isinstance(step, FreeSpinsWon) for part in parts[1:] for step in part),
    }
    return next(parts for seed in range(1_000_000) if wishes[wanted](parts := parted(seed)))


def quarry_view(**changes: object) -> View:
    """Return the view of the idle screen, changed where the test wants."""
    plain = View(
        state="idle",
        controls=IDLE_CONTROLS,
        balance=Balance(credit_cents=12_350),
        bet=BET,
        terms=Terms(bets_cents=BETS_CENTS),
        game="star_quarry",
        round=ShownRound(scene=raw(GAME.idle)),
        lobby=LobbyGames(games=("star_quarry",)),
    )
    return changed(plain, **changes)


def _round(rehearsal: Rehearsal, steps: Steps, before: Steps = ()) -> None:
    """Show these steps, from the scene that those `before` have led to."""
    won, had = (coins(part) * BET.coin_value_cents for part in (steps, before))
    view = quarry_view(state="round", controls=("spin",), credit_cents=12_250 + had, win_cents=had)
    rehearsal.view(changed(view, scene=raw(folded(*before)) if before else view.round.scene))
    rehearsal.show(list(steps), credit_cents=12_250 + had + won, win_cents=had + won)


def until(rehearsal: Rehearsal, act: str, number: int = 1, after: float = 0.0) -> None:
    """Let the show go on to `after` seconds into its act of this kind, the first or the `number`th."""
    seen, last = 0, None
    for _ in range(20_000):
        performance = rehearsal.director.performance
        now = None if performance is None else performance.act
        if now is not last:
            last = now
            seen += type(now).__name__ == act
        if seen == number:
            rehearsal.wait(after)
            return
        rehearsal.wait(1 / 60)
    raise AssertionError(f"the show has no {act} {number}")


@_screen
def idle(rehearsal: Rehearsal) -> None:
    """The game waits for the player."""
    rehearsal.view(quarry_view())


@_screen
def spinning(rehearsal: Rehearsal) -> None:
    """At full speed."""
    _round(rehearsal, found("chain")[0])
    rehearsal.wait(0.55)


@_screen
def ways(rehearsal: Rehearsal) -> None:
    """The first of two symbols that win is lit, with its ways."""
    _round(rehearsal, found("two_symbols")[0])
    until(rehearsal, "WaysAct", after=0.5)


@_screen
def burst(rehearsal: Rehearsal) -> None:
    """The winning symbols burst."""
    _round(rehearsal, found("chain")[0])
    until(rehearsal, "CascadeAct", after=0.3)


@_screen
def falling(rehearsal: Rehearsal) -> None:
    """Those above fall, new ones enter, and the next step of the ladder lights up."""
    _round(rehearsal, found("chain")[0])
    until(rehearsal, "CascadeAct", 2, after=0.72)


@_screen
def chain(rehearsal: Rehearsal) -> None:
    """A chain of cascades is over: what it has paid."""
    _round(rehearsal, found("chain")[0])
    until(rehearsal, "ChainAct", after=1.0)


@_screen
def huge(rehearsal: Rehearsal) -> None:
    """A chain that is celebrated."""
    _round(rehearsal, found("huge")[0])
    until(rehearsal, "ChainAct", after=2.0)


@_screen
def after(rehearsal: Rehearsal) -> None:
    """The chain was shown: the ladder stays where it ended."""
    steps = found("chain")[0]
    won = coins(steps) * BET.coin_value_cents
    rehearsal.view(quarry_view(scene=raw(folded(*steps)), win_cents=won, credit_cents=12_250 + won))


@_screen
def beacons(rehearsal: Rehearsal) -> None:
    """Beacons are counted at the end of the spin."""
    _round(rehearsal, found("free")[0])
    until(rehearsal, "WinsAct", after=0.5)


@_screen
def won(rehearsal: Rehearsal) -> None:
    """Free spins have been won."""
    _round(rehearsal, found("free")[0])
    until(rehearsal, "FreeSpinsAct", after=1.2)


@_screen
def offer(rehearsal: Rehearsal) -> None:
    """The free spins wait for a press."""
    before = found("free")[0]
    scene = raw(folded(*before))
    rehearsal.view(quarry_view(state="offer", controls=("spin", "service"), scene=scene, offer=raw(Begin(10))))


def _free_spin(rehearsal: Rehearsal, wanted: Callable[[Steps], bool], kind: str = "free") -> None:
    parts = found(kind)
    place = next(place for place, part in enumerate(parts) if place and wanted(part))
    _round(rehearsal, parts[place], tuple(step for part in parts[:place] for step in part))


@_screen
def free(rehearsal: Rehearsal) -> None:
    """A free spin, with its own ladder."""
    _free_spin(rehearsal, lambda part: isinstance(part[0], FreeSpinBegins))
    rehearsal.wait(0.6)


@_screen
def free_chain(rehearsal: Rehearsal) -> None:
    """Cascades in free spins pay times more."""
    _free_spin(rehearsal, lambda part: falls(part) >= 2)
    until(rehearsal, "WaysAct", 2, after=0.5)


@_screen
def retrigger(rehearsal: Rehearsal) -> None:
    """More free spins."""
    _free_spin(rehearsal, lambda part: any(isinstance(step, FreeSpinsWon) for step in part), "retrigger")
    until(rehearsal, "FreeSpinsAct", after=0.8)


@_screen
def total(rehearsal: Rehearsal) -> None:
    """What the free spins have paid."""
    _free_spin(rehearsal, lambda part: any(isinstance(step, FreeSpinsEnded) for step in part))
    until(rehearsal, "TotalAct", after=1.6)


@_screen
def scatter_loop(rehearsal: Rehearsal) -> None:
    """The Beacons that have paid are shown while the game waits."""
    steps = tuple(step for step in found("free")[0] if not isinstance(step, FreeSpinsWon | Offer))
    assert any(isinstance(step, ScatterWin) for step in steps)
    rehearsal.view(quarry_view(scene=raw(folded(*steps)), win_cents=coins(steps) * BET.coin_value_cents))
    rehearsal.wait(0.4)


@_screen
def paytable(rehearsal: Rehearsal) -> None:
    """What pays."""
    rehearsal.view(quarry_view(state="paytable", controls=("paytable_close",)))


@_screen
def ways_page(rehearsal: Rehearsal) -> None:
    """How ways pay."""
    rehearsal.view(quarry_view(state="paytable", focus="page:1", controls=("paytable_close",)))


@_screen
def rules(rehearsal: Rehearsal) -> None:
    """The rules."""
    rehearsal.view(quarry_view(state="paytable", focus="page:3", controls=("paytable_close",)))
