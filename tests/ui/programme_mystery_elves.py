"""Mystery Elves' screens as short rehearsals, by name; they join the programme of `tests.ui.programme`."""

from collections.abc import Callable, Sequence

from gamekit import catalogue
from gamekit.beats import Begin, LineWin, ReelsLanded
from gamekit.hold_and_win import CellsLanded, RespinsEnded, RespinsWon
from gamekit.play import Scene, Stake, Step
from games.mystery_elves.bonuses import (
    Bonus,
    BonusesLanded,
    BonusTurned,
    HoldAndWinPaid,
    MultiplyingOpened,
    MysteryOpened,
)
from games.mystery_elves.pays import BUY_PRICE, GRAND, MAJOR, MINI, MULTIPLYING, MYSTERY
from games.mystery_elves.strips import HOLD_RULES, REELS
from tests.rigs.views import changed
from tests.ui.rehearsal import IDLE_CONTROLS, Rehearsal
from ui.protocol.messages import View, raw
from ui.protocol.values import Bet
from ui.protocol.view_parts import Balance, LobbyGames, ShownRound, Terms

GAME = catalogue.load("mystery_elves")
BET = Bet(lines=10, coins_per_line=1, coin_value_cents=10)
STAKE = Stake(lines=10, coins_per_line=1, coin_value_cents=10)
BETS_CENTS = (10, 20, 50, 100, 200, 500, 1_000, 8_000)
PRICE_CENTS = BUY_PRICE * BET.cents

Screenplay = Callable[[Rehearsal], None]
SCREENS: dict[str, Screenplay] = {}
MAIN_SCREENS = ("idle", "line", "won", "respin", "mystery", "multiplying", "paid", "buy", "paytable", "rules")


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    SCREENS[play.__name__] = play
    return play


def stops(*symbols: tuple[str, int]) -> tuple[int, ...]:
    """Return stops that show each reel's symbol in the row given."""
    return tuple(
        (strip.index(symbol) - row) % len(strip) for strip, (symbol, row) in zip(REELS.strips, symbols, strict=True)
    )


def folded(*steps: Step) -> Scene:
    """Return the scene that `steps` lead to."""
    scene: Scene = GAME.idle
    for step in steps:
        scene = GAME.advance(scene, STAKE, step)
    return scene


def elves_view(**changes: object) -> View:
    """Return the view of the idle screen, changed where the test wants."""
    plain = View(
        state="idle",
        controls=(*IDLE_CONTROLS, "buy"),
        balance=Balance(credit_cents=12_350),
        bet=BET,
        terms=Terms(bets_cents=BETS_CENTS, buy_cents=PRICE_CENTS),
        game="mystery_elves",
        round=ShownRound(scene=raw(GAME.idle)),
        lobby=LobbyGames(games=("mystery_elves",)),
    )
    return changed(plain, **changes)


def respun(held: Sequence[tuple[int, int]], landed: Sequence[tuple[int, int]], left: int) -> CellsLanded:
    """Return the respin in which bonus symbols land in the cells `landed`, while `held` ones stay."""
    cells = tuple(cell for cell in HOLD_RULES.cells if cell not in held)
    return CellsLanded(cells, tuple(0 if cell in landed else 7 for cell in cells), left)


QUEENS = stops(("gold_elf", 1), ("gold_elf", 1), ("gold_elf", 1), ("ten", 0), ("ace", 0))
PAID: tuple[Step, ...] = (
    ReelsLanded(QUEENS),
    BonusesLanded((Bonus((1, 2), 4),)),
    LineWin(1, "gold_elf", 3, coins=20),
)
TRIGGER = stops(("bonus", 0), ("bonus", 1), ("bonus", 1), ("wild", 0), ("lantern", 1))
HELD = ((0, 0), (0, 1), (1, 1), (1, 2), (2, 1), (2, 2))
LANDED = BonusesLanded(
    tuple(map(Bonus, HELD, (2, MYSTERY, 11, 1, MULTIPLYING, 6))),
)
WON: tuple[Step, ...] = (ReelsLanded(TRIGGER), LANDED, RespinsWon(3, HELD))
NEW = ((3, 0), (4, 2))
FIRST: tuple[Step, ...] = (
    respun(HELD, NEW, 3),
    BonusesLanded((Bonus(NEW[0], 18), Bonus(NEW[1], MYSTERY))),
)
ALL_HELD = (*HELD, *NEW)
OVER: tuple[Step, ...] = (respun(ALL_HELD, (), 0), RespinsEnded(8))
SETTLED: tuple[Step, ...] = (
    MysteryOpened((0, 1), "mini", MINI),
    MysteryOpened((4, 2), "major", MAJOR),
    MultiplyingOpened((2, 1), 3),
    BonusTurned((0, 1), 5),
    BonusTurned((2, 1), 2),
    BonusTurned((4, 2), 9),
)
BETS_PAID = 3 * (2 + 11 + 1 + 6 + 18 + MINI + MAJOR) + 5 + 2 + 9
PAYS = HoldAndWinPaid(BETS_PAID, full=False, coins=BETS_PAID * STAKE.coins)
FEATURE: tuple[Step, ...] = (*WON, *FIRST, *OVER, *SETTLED, PAYS)


def _round(rehearsal: Rehearsal, steps: tuple[Step, ...], won: int, wait: float) -> None:
    rehearsal.view(elves_view(state="round", controls=("spin",), credit_cents=12_250))
    rehearsal.show(list(steps), credit_cents=12_250 + won, win_cents=won)
    rehearsal.wait(wait)


def _held(rehearsal: Rehearsal, before: tuple[Step, ...], left: int) -> None:
    """Show the game after these steps: the first respin waits for a press, the others begin by themselves."""
    view = elves_view(state="round", controls=("spin", "service", "sound"), credit_cents=12_250)
    view = changed(view, scene=raw(folded(*before)))
    if not any(isinstance(step, CellsLanded) for step in before):
        view = changed(view, state="offer", offer=raw(Begin(left)))
    rehearsal.view(view)


def _settling(rehearsal: Rehearsal, wait: float) -> None:
    _held(rehearsal, (*WON, *FIRST), 1)
    rehearsal.show([*OVER, *SETTLED, PAYS], credit_cents=12_250 + BETS_PAID * 100, win_cents=BETS_PAID * 100)
    rehearsal.wait(wait)


@_screen
def idle(rehearsal: Rehearsal) -> None:
    """The game waits for the player; the feature is on sale."""
    rehearsal.view(elves_view())


@_screen
def unaffordable(rehearsal: Rehearsal) -> None:
    """The credit does not reach for the feature: its button is dead."""
    rehearsal.view(elves_view(credit_cents=1_000, controls=IDLE_CONTROLS))


@_screen
def spinning(rehearsal: Rehearsal) -> None:
    """At full speed."""
    _round(rehearsal, PAID, 200, 0.55)


@_screen
def landed(rehearsal: Rehearsal) -> None:
    """A bonus symbol has landed and shows what it carries."""
    _round(rehearsal, PAID, 200, 2.35)


@_screen
def line(rehearsal: Rehearsal) -> None:
    """A line is lit, the bonus symbol recedes."""
    rehearsal.view(elves_view(scene=raw(folded(*PAID)), win_cents=200))
    rehearsal.wait(0.4)


@_screen
def six(rehearsal: Rehearsal) -> None:
    """Six have landed and show one after another what they carry."""
    _round(rehearsal, WON, 0, 5.4)


@_screen
def won(rehearsal: Rehearsal) -> None:
    """Hold and Win is announced."""
    _round(rehearsal, WON, 0, 7.2)


@_screen
def offer(rehearsal: Rehearsal) -> None:
    """The first respin waits for a press."""
    _held(rehearsal, WON, 3)


@_screen
def respin(rehearsal: Rehearsal) -> None:
    """Every empty cell spins."""
    _held(rehearsal, WON, 3)
    rehearsal.show(list(FIRST), credit_cents=12_250, win_cents=0)
    rehearsal.wait(0.6)


@_screen
def reset(rehearsal: Rehearsal) -> None:
    """Two new symbols stay: three respins again."""
    _held(rehearsal, (*WON, respun(HELD, (), 2), respun(HELD, (), 1)), 1)
    rehearsal.show(list(FIRST), credit_cents=12_250, win_cents=0)
    rehearsal.wait(1.75)


@_screen
def last(rehearsal: Rehearsal) -> None:
    """The last respin waits."""
    _held(rehearsal, (*WON, *FIRST, respun(ALL_HELD, (), 2), respun(ALL_HELD, (), 1)), 1)


@_screen
def mystery(rehearsal: Rehearsal) -> None:
    """A Mystery has opened its award."""
    _settling(rehearsal, 5.6)


@_screen
def multiplying(rehearsal: Rehearsal) -> None:
    """Multiplying multiplies one after another."""
    _settling(rehearsal, 8.9)


@_screen
def turned(rehearsal: Rehearsal) -> None:
    """A Mystery has turned into a value."""
    _settling(rehearsal, 11.6)


@_screen
def paid(rehearsal: Rehearsal) -> None:
    """All of it is paid."""
    _settling(rehearsal, 16.8)


@_screen
def full(rehearsal: Rehearsal) -> None:
    """All fifteen cells are filled, GRAND among them."""
    cells = HOLD_RULES.cells
    steps = [
        ReelsLanded(TRIGGER),
        BonusesLanded(tuple(Bonus(cell, MYSTERY if cell == (2, 1) else 7) for cell in cells)),
        RespinsWon(3, cells),
    ]
    rehearsal.view(elves_view(state="round", controls=("spin",), credit_cents=12_250, scene=raw(folded(*steps))))
    bets = 2 * (14 * 7 + GRAND + 10)
    settled = [RespinsEnded(15), MysteryOpened((2, 1), "grand", GRAND), BonusTurned((2, 1), 10)]
    rehearsal.show(
        [*settled, HoldAndWinPaid(bets, full=True, coins=bets * STAKE.coins)],
        credit_cents=12_250 + bets * 100,
        win_cents=bets * 100,
    )
    rehearsal.wait(8.6)


@_screen
def after(rehearsal: Rehearsal) -> None:
    """The feature is over: the orbs are over the reels as they were paid."""
    rehearsal.view(elves_view(scene=raw(folded(*FEATURE)), win_cents=BETS_PAID * 100))


@_screen
def buy(rehearsal: Rehearsal) -> None:
    """The question before the feature is bought."""
    rehearsal.view(elves_view(state="confirm", controls=("spin", "collect", "service", "buy:yes", "buy:no")))


@_screen
def paytable(rehearsal: Rehearsal) -> None:
    """What pays."""
    rehearsal.view(elves_view(state="paytable", controls=("paytable_close",)))


@_screen
def rules(rehearsal: Rehearsal) -> None:
    """The rules."""
    rehearsal.view(elves_view(state="paytable", focus="page:3", controls=("paytable_close",)))
