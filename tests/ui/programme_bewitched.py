"""Bewitched's screens as short rehearsals, by name; they join the programme of `tests.ui.programme`."""

from collections.abc import Callable, Sequence

from gamekit import catalogue
from gamekit.beats import Continue
from gamekit.double_up import COLLECT
from gamekit.play import Answer, Beat, Claim, Offer, Scene, Stake, Step
from games.bewitched.pays import MERLIN, VIALS_SHOWN, WITCHES
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY, Potion, potion_weights
from games.bewitched.strips import REELS
from tests.rigs.views import changed
from tests.ui.rehearsal import IDLE_CONTROLS, Rehearsal, game_view
from ui.protocol.messages import View, raw
from ui.protocol.values import Bet

GAME = catalogue.load("bewitched")
BET = Bet(lines=15, coins_per_line=2, coin_value_cents=5)
STAKE = Stake(lines=15, coins_per_line=2, coin_value_cents=5)
POOL_CENTS = 12_487
POOL_COINS = POOL_CENTS // BET.coin_value_cents
CREDIT = 12_050
CHOICES = tuple(f"choice:{vial}" for vial in range(VIALS_SHOWN))

Screenplay = Callable[[Rehearsal], None]
SCREENS: dict[str, Screenplay] = {}
MAIN_SCREENS = (
    "idle",
    "line",
    "witch",
    "battle_spell",
    "battle_won",
    "battle_lost",
    "merlin",
    "vials",
    "pouring",
    "brewed_money",
    "brewed_spins",
    "jackpot",
    "free_spin",
    "double",
    "gamble_offer",
    "paytable",
    "rules_on",
)


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    SCREENS[play.__name__] = play
    return play


def stops(*symbols: tuple[str, int]) -> list[int]:
    """Return stops that show each reel's symbol in the row given."""
    return [
        (strip.index(symbol) - row) % len(strip) for strip, (symbol, row) in zip(REELS.strips, symbols, strict=True)
    ]


WITCHES_AND_NOTHING = stops((WITCHES, 1), ("ace", 1), (WITCHES, 0), ("jack", 1), ("books", 1))
MERLINS = stops((MERLIN, 1), ("queen", 1), (MERLIN, 2), ("king", 1), (MERLIN, 0))
CRYSTALS = stops(("crystal_ball", 1), ("crystal_ball", 1), ("crystal_ball", 1), ("moon", 1), ("king", 1))


def draw_of(potion: Potion) -> int:
    """Return the draw that brews `potion` at the rehearsals' bet."""
    draw = 0
    for other, weight in potion_weights(STAKE.coins).items():
        if other == potion:
            return draw
        draw += weight
    raise ValueError(f"{potion} is never brewed")


def segments_of(draws: Sequence[int], answers: Sequence[int]) -> list[list[Step]]:
    """Play Bewitched's production generator with these draws and answers until one runs out; steps by segment."""
    wanted, replies = iter(draws), iter(answers)
    play = GAME.play(STAKE, lambda _bound: next(wanted), None)
    segments: list[list[Step]] = [[]]
    answer: Answer | None = None
    while True:
        try:
            step = play.send(answer)
        except (StopIteration, RuntimeError):
            return segments
        answer = None
        segments[-1].append(step)
        if isinstance(step, Offer):
            if isinstance(step, Claim):
                answer = Answer(POOL_COINS)
            elif (reply := next(replies, None)) is not None:
                answer = Answer(reply)
            else:
                return segments
            segments.append([])


def folded(segments: Sequence[Sequence[Step]]) -> Scene:
    """Return the scene that `segments` lead to."""
    scene: Scene = GAME.idle
    for segment in segments:
        for step in segment:
            scene = GAME.advance(scene, STAKE, step)
    return scene


def witches_view(**changes: object) -> View:
    """Return the view of the idle screen, changed where the test wants."""
    plain = game_view("bewitched", bet=BET, jackpot_cents=POOL_CENTS)
    return changed(plain, **changes)


def perform(rehearsal: Rehearsal, segments: Sequence[Sequence[Step]], wait: float, **changes: object) -> None:
    """Perform the last of `segments` after all before it, and let `wait` seconds pass."""
    before = _won(segments[:-1])
    view = witches_view(
        state="round", controls=("spin",), credit_cents=CREDIT, win_cents=before, scene=raw(folded(segments[:-1]))
    )
    rehearsal.view(changed(view, **changes))
    won = _won(segments[-1:])
    rehearsal.show(list(segments[-1]), credit_cents=CREDIT + won, win_cents=before + won)
    rehearsal.wait(wait)


def offer(rehearsal: Rehearsal, segments: Sequence[Sequence[Step]], **changes: object) -> None:
    """Show the offer that ends `segments`."""
    asked = segments[-1][-1]
    choices = tuple(f"choice:{choice}" for choice in getattr(asked, "choices", ()))
    controls = (*choices, *(("lines", "bet") if choices else ()), "spin", "service", "sound")
    plain = witches_view(
        state="offer", controls=controls, scene=raw(folded(segments)), offer=raw(asked), win_cents=_won(segments)
    )
    rehearsal.view(changed(plain, **changes))


def _won(segments: Sequence[Sequence[Step]]) -> int:
    coins = sum(step.coins for segment in segments for step in segment if isinstance(step, Beat))
    return coins * BET.coin_value_cents


def battle(*, won: bool) -> list[list[Step]]:
    """Return a spin of two witches whose battle is won or lost."""
    return segments_of([*WITCHES_AND_NOTHING, 0 if won else 1], [])


def brewed(potion: Potion) -> list[list[Step]]:
    """Return a round of Merlin up to the third vial, which becomes `potion`."""
    return segments_of([*MERLINS, draw_of(potion)], [4, 0, 7])


def until(segments: list[list[Step]], number: int) -> list[list[Step]]:
    """Return the first `number` segments."""
    return segments[:number]


@_screen
def idle(rehearsal: Rehearsal) -> None:
    """The game waits for the player."""
    rehearsal.view(witches_view())


@_screen
def idle_other_witch(rehearsal: Rehearsal) -> None:
    """The other witch has been chosen."""
    rehearsal.view(witches_view(witch=1))


@_screen
def spinning(rehearsal: Rehearsal) -> None:
    """At full speed."""
    perform(rehearsal, segments_of(CRYSTALS, []), 0.55)


@_screen
def line(rehearsal: Rehearsal) -> None:
    """A win on a line, which has been collected, is shown."""
    rehearsal.view(witches_view(scene=raw(folded(segments_of(CRYSTALS, [COLLECT]))), win_cents=200))
    rehearsal.wait(0.5)


@_screen
def witch(rehearsal: Rehearsal) -> None:
    """A witch is to be chosen; the cursor is on the first."""
    controls = ("witch:0", "witch:1", "lines", "bet", "spin", "collect", "home", "sound")
    rehearsal.view(witches_view(state="witch", controls=controls, focus="witch:0"))


@_screen
def battle_begins(rehearsal: Rehearsal) -> None:
    """The witches come."""
    perform(rehearsal, battle(won=True), 0)
    _reach(rehearsal, "BattleAct", 0.5)


@_screen
def battle_spell(rehearsal: Rehearsal) -> None:
    """A spell flies."""
    perform(rehearsal, battle(won=True), 0)
    _reach(rehearsal, "BattleAct", 1.55)


@_screen
def battle_beams(rehearsal: Rehearsal) -> None:
    """Both beams meet."""
    perform(rehearsal, battle(won=True), 0)
    _reach(rehearsal, "BattleAct", 4.4)


@_screen
def battle_falls(rehearsal: Rehearsal) -> None:
    """The other witch is swept away."""
    perform(rehearsal, battle(won=True), 0)
    _reach(rehearsal, "BattleAct", 5.25)


@_screen
def battle_won(rehearsal: Rehearsal) -> None:
    """The player's witch has won."""
    perform(rehearsal, battle(won=True), 0)
    _reach(rehearsal, "BattleAct", 6.0)


@_screen
def battle_lost(rehearsal: Rehearsal) -> None:
    """The player's witch, the second, has lost."""
    perform(rehearsal, battle(won=False), 0, witch=1)
    _reach(rehearsal, "BattleAct", 6.0)


@_screen
def merlin(rehearsal: Rehearsal) -> None:
    """Merlin has come."""
    perform(rehearsal, until(brewed(Potion(MONEY, 50)), 1), 0)
    _reach(rehearsal, "MerlinAct", 0.5)


@_screen
def vials(rehearsal: Rehearsal) -> None:
    """One vial has been taken; the cursor is on another."""
    offer(rehearsal, until(brewed(Potion(MONEY, 50)), 2), focus="choice:2")


@_screen
def pouring(rehearsal: Rehearsal) -> None:
    """The second vial is poured."""
    perform(rehearsal, until(brewed(Potion(MONEY, 50)), 3), 0.8)


@_screen
def boiling(rehearsal: Rehearsal) -> None:
    """The potion boils."""
    perform(rehearsal, brewed(Potion(MONEY, 50))[:4], 0)
    _reach(rehearsal, "BrewAct", 1.2)


@_screen
def brewed_money(rehearsal: Rehearsal) -> None:
    """The potion is money."""
    perform(rehearsal, brewed(Potion(MONEY, 50))[:4], 0)
    _reach(rehearsal, "BrewAct", 4.0)


@_screen
def brewed_spins(rehearsal: Rehearsal) -> None:
    """The potion is free spins."""
    perform(rehearsal, brewed(Potion(FREE_SPINS, 25))[:4], 0)
    _reach(rehearsal, "BrewAct", 3.6)


@_screen
def brewed_jackpot(rehearsal: Rehearsal) -> None:
    """The potion is the jackpot; the pool is asked."""
    offer(rehearsal, brewed(Potion(JACKPOT))[:4], controls=())


@_screen
def jackpot(rehearsal: Rehearsal) -> None:
    """The pool has paid."""
    perform(rehearsal, brewed(Potion(JACKPOT))[:5], 2.5)


@_screen
def free_spins_offer(rehearsal: Rehearsal) -> None:
    """The free spins wait for a press."""
    segments = battle(won=True)
    assert isinstance(segments[0][-1], Continue)
    offer(rehearsal, segments)


@_screen
def free_spin(rehearsal: Rehearsal) -> None:
    """A free spin has won on a line."""
    perform(rehearsal, segments_of([*WITCHES_AND_NOTHING, 0, *CRYSTALS], [0]), 0)
    _reach(rehearsal, "WinsAct", 0.6)


@_screen
def double(rehearsal: Rehearsal) -> None:
    """The line win may be doubled."""
    segments = segments_of(CRYSTALS, [])
    won = _won(segments)
    offer(rehearsal, segments, state="gamble", at_risk_cents=won, win_cents=won)


@_screen
def gamble_offer(rehearsal: Rehearsal) -> None:
    """A win that may be doubled: the reels stay, GAMBLE and SPIN are lit."""
    segments = segments_of(CRYSTALS, [])
    won = _won(segments)
    controls = tuple(name for name in IDLE_CONTROLS if name not in ("menu", "history", "settings", "turbo"))
    offer(rehearsal, segments, state="gamble_offer", controls=controls, at_risk_cents=won, win_cents=won)


@_screen
def paytable(rehearsal: Rehearsal) -> None:
    """The paytable, where the witch may be changed."""
    controls = ("paytable_close", "witch:0", "witch:1", "lines", "bet", "max_bet", "info", "collect")
    rehearsal.view(witches_view(state="paytable", focus="page:0", controls=controls))


@_screen
def rules(rehearsal: Rehearsal) -> None:
    """The first page of the rules."""
    paytable(rehearsal)
    rehearsal.view(witches_view(state="paytable", focus="page:4", controls=IDLE_CONTROLS))


@_screen
def rules_on(rehearsal: Rehearsal) -> None:
    """A later page: in a wide monitor the one with the jackpot's odds."""
    paytable(rehearsal)
    rehearsal.view(witches_view(state="paytable", focus="page:6", controls=IDLE_CONTROLS))


def _reach(rehearsal: Rehearsal, act: str, into: float) -> None:
    """Let time pass until `into` seconds of the act called so."""
    while (performance := rehearsal.director.performance) is None or type(performance.act).__name__ != act:
        if performance is None or performance.ended:
            raise ValueError(f"the show has no {act}")
        rehearsal.wait(1 / 60)
    rehearsal.wait(into)
