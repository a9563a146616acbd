"""The pages beside the reels and a past round shown again, as short rehearsals; they join `tests.ui.programme`."""

from collections.abc import Callable

from tests.ui.rehearsal import BET as PLAYED
from tests.ui.rehearsal import Rehearsal, coins, game_view, neptune_view, round_of
from ui.protocol.messages import CarePage
from ui.protocol.values import Bet, PastRound, SessionFigures, Volumes

Screenplay = Callable[[Rehearsal], None]
SCREENS: dict[str, Screenplay] = {}
MAIN_SCREENS = (
    "menu",
    "volumes",
    "history",
    "lowest_bet",
    "replay",
    "session",
    "reality_check",
    "loss_limit",
    "break",
    "clock",
)
PANEL = ("spin", "lines", "bet", "max_bet", "info", "auto", "collect", "service", "sound")
ITEMS = ("paytable", "coin_value", "turbo", "sound", "settings", "history", "session", "home")
FOUR_ACES = (14, 21, 0, 39, 3)
"""Stops of Neptune's that win on line 13 alone."""
BELOW_THE_STAKE = (27, 25, 36, 28, 8)
"""Stops of Neptune's that win 20 coins of the 30 staked."""
STEPS = tuple(f"volume:{name}:{step}" for name in ("wins", "game", "background", "overall") for step in "+-")


def past(number: int, game: str = "neptune", *, won: int = 0, state: str = "settled") -> PastRound:
    """Return a round that has ended."""
    return PastRound(
        number=number, game=game, when=f"2026-11-21 23:{number:02}", bet_cents=150, win_cents=won, state=state
    )


ROUNDS = (
    past(41, "mystery_elves", won=1_250),
    past(40, "bewitched"),
    past(39, "witch_feature", won=75),
    past(38, "mona_lisa_jewels", won=1_234_567),
    past(37, state="void"),
    *(past(number, won=15 * (number % 3)) for number in range(36, 29, -1)),
)


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    SCREENS[play.__name__] = play
    return play


@_screen
def menu(rehearsal: Rehearsal) -> None:
    """What there is to choose, the cursor on turbo."""
    live = (*PANEL, *ITEMS, "menu_close")
    view = neptune_view(state="menu", controls=live, menu=ITEMS, focus="turbo", turbo=True, last_round=ROUNDS[5])
    rehearsal.view(view)


@_screen
def menu_with_all(rehearsal: Rehearsal) -> None:
    """A game that sells its feature."""
    items = (ITEMS[0], "buy", *ITEMS[2:])  # it is bet by its total, and has no coin value to choose
    bet = Bet(lines=10, coins_per_line=1, coin_value_cents=10)
    live = (*PANEL, *items, "menu_close")
    rehearsal.view(
        game_view("mystery_elves", state="menu", controls=live, menu=items, focus="paytable", bet=bet, buy_cents=7_000)
    )


@_screen
def volumes(rehearsal: Rehearsal) -> None:
    """The volumes are being chosen, the cursor on the background's."""
    chosen = Volumes(wins=100, game=70, background=30, overall=80)
    live = (*PANEL, *STEPS, "settings:save", "settings:cancel")
    rehearsal.view(neptune_view(state="settings", controls=live, focus="volume:background", volumes=chosen))


@_screen
def history(rehearsal: Rehearsal) -> None:
    """Twelve past rounds, the cursor on the second."""
    live = (*PANEL, *(f"history:{each.number}" for each in ROUNDS), "history:close")
    rehearsal.view(neptune_view(state="history", controls=live, focus="history:40", history=ROUNDS))


@_screen
def history_unavailable(rehearsal: Rehearsal) -> None:
    """A round that cannot be shown."""
    live = (*PANEL, *(f"history:{each.number}" for each in ROUNDS[:3]), "history:close")
    view = neptune_view(
        state="history", controls=live, focus="history:41", history=ROUNDS[:3], message="history_unavailable"
    )
    rehearsal.view(view)


@_screen
def history_empty(rehearsal: Rehearsal) -> None:
    """Nothing has been played yet."""
    rehearsal.view(neptune_view(state="history", controls=("info", "collect", "history:close")))


@_screen
def lowest_bet(rehearsal: Rehearsal) -> None:
    """The credit is too low for the bet."""
    live = ("spin", "collect", "service", "lowest_bet:yes", "lowest_bet:no")
    rehearsal.view(neptune_view(state="lowest_bet", controls=live, credit_cents=95, lowest_bet_cents=1))


@_screen
def replay(rehearsal: Rehearsal) -> None:
    """A past round on the reels again."""
    live = ("spin", "info", "collect", "service", "history:close")
    steps = round_of(list(FOUR_ACES), [])[0]
    won = coins(steps) * PLAYED.coin_value_cents
    rehearsal.view(neptune_view(state="replay", controls=live, replay=past(36, won=won), win_cents=0))
    rehearsal.show(steps, credit_cents=12_350, win_cents=won)
    rehearsal.wait(3.4)


SHOWN_S = 100.0
"""When a rehearsal begins."""
PLAYED_SO_FAR = SessionFigures(
    began_s=SHOWN_S - 7_627, in_cents=20_000, out_cents=1_234_500, net_cents=1_229_750, loss_limit_cents=100_000
)
LOSING = SessionFigures(began_s=SHOWN_S - 3_600, in_cents=5_000, net_cents=-3_455)


@_screen
def session(rehearsal: Rehearsal) -> None:
    """What a session with long amounts has cost, the cursor on the break."""
    keys = ("session:break", "session:limit", "session:close")
    page = CarePage(figures=PLAYED_SO_FAR, keys=keys, break_minutes=15)
    rehearsal.view(
        neptune_view(
            state="session", controls=(*PANEL, *keys), focus=keys[0], care=page, clock="23:59", session=PLAYED_SO_FAR
        )
    )


@_screen
def session_empty(rehearsal: Rehearsal) -> None:
    """Nothing has been played yet, and there is nothing to do but to leave."""
    page = CarePage(figures=SessionFigures(), keys=("session:close",))
    rehearsal.view(neptune_view(state="session", controls=(*PANEL, *page.keys), focus=page.keys[0], care=page))


@_screen
def reality_check(rehearsal: Rehearsal) -> None:
    """An hour has passed: go on, break, or pay out."""
    keys = ("check:go_on", "check:break", "collect")
    page = CarePage(figures=LOSING, keys=keys, break_minutes=5)
    live = ("spin", "lines", "bet", "service", "sound", *keys)
    rehearsal.view(
        neptune_view(state="reality_check", controls=live, focus=keys[0], care=page, clock="21:07", session=LOSING)
    )


@_screen
def loss_limit(rehearsal: Rehearsal) -> None:
    """The loss limit is asked for, twenty is being chosen."""
    keys = ("limit:less", "limit:more", "limit:take")
    page = CarePage(figures=SessionFigures(), keys=keys, limit_cents=2_000)
    live = ("spin", "lines", "bet", "collect", "service", "sound", *keys)
    rehearsal.view(neptune_view(state="loss_limit", controls=live, focus="limit:take", care=page))


@_screen
def loss_limit_none(rehearsal: Rehearsal) -> None:
    """No limit is chosen, which goes no lower."""
    keys = ("limit:less", "limit:more", "limit:take")
    page = CarePage(figures=SessionFigures(), keys=keys)
    live = ("spin", "bet", "collect", "service", "sound", "limit:more", "limit:take")
    rehearsal.view(neptune_view(state="loss_limit", controls=live, focus="limit:take", care=page))


@_screen
def clock(rehearsal: Rehearsal) -> None:
    """The time of day and the session over the game, and a win below the stake that is not celebrated."""
    steps = round_of(list(BELOW_THE_STAKE), [])[0]
    won = coins(steps) * PLAYED.coin_value_cents
    live = ("auto", "service", "sound")
    rehearsal.view(neptune_view(state="round", controls=live, clock="09:30", plain=True, session=PLAYED_SO_FAR))
    rehearsal.show(steps, credit_cents=12_350, win_cents=won, plain=True)
    rehearsal.wait(3.4)


def _break(rehearsal: Rehearsal) -> None:
    """A break that the player has begun."""
    page = CarePage(figures=LOSING, keys=("collect",), left_minutes=12)
    rehearsal.view(neptune_view(state="break", controls=("collect", "service", "sound"), care=page, clock="21:07"))


SCREENS["break"] = _break
