"""Every screen of the cabinet as a short rehearsal, by name: for golden pictures and for looking at them.

`python -m tests.ui.programme FOLDER [NAME ...] [--shape portrait] [--language de]` saves the pictures.

The screens here are the shared ones, played with Neptune. Each other game has a module `programme_<game>` beside this
one with its own: `SCREENS`, a screenplay by name, and `MAIN_SCREENS`, the names of those kept as golden pictures. They
join the programme as `<game>_<name>`.
"""

import argparse
from collections.abc import Callable, Collection
from importlib import import_module
from pathlib import Path

import msgspec
import pygame

from controller.journal.errors import CorruptJournalError
from controller.machine.view import fault_notice, lock_notice
from controller.session.autospin import AutospinSettings
from controller.session.autospin_panel import SettingsPanel
from gamekit.beats import (
    Continue,
    FreeSpinBegins,
    FreeSpinsEnded,
    FreeSpinsWon,
    LineWin,
    Pick,
    PickOpened,
    PicksEnded,
    PicksWon,
    ReelsLanded,
    ScatterWin,
)
from gamekit.play import Scene, Step
from games.neptune.scene import advance
from games.neptune.strips import REELS
from tests.rigs.views import changed
from tests.ui.rehearsal import (
    ATTRACT,
    BET,
    GAMES,
    STAGED,
    STAKE,
    Rehearsal,
    coins,
    neptune_view,
    round_of,
)
from ui.layout import SHAPES
from ui.protocol.messages import AutospinPanel, View, raw
from ui.protocol.values import Paid, Payout
from ui.scenes.attract import LATE_S, TURN_S
from ui.scenes.wipe import LASTS_S

BASE = STAGED["neptune"]
CHESTS = tuple(f"choice:{place}" for place in range(8))
PICK_CONTROLS = ("spin", "lines", "bet", "service", "sound")

Screenplay = Callable[[Rehearsal], None]
PROGRAMME: dict[str, Screenplay] = {}


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    PROGRAMME[play.__name__] = play
    return play


def stops(*symbols: tuple[str, int]) -> tuple[int, ...]:
    """Return stops that show each reel's symbol in the row given."""
    return tuple(
        (strip.index(symbol) - row) % len(strip) for strip, (symbol, row) in zip(REELS.strips, symbols, strict=True)
    )


def folded(*steps: Step) -> Scene:
    """Return the scene that `steps` lead to."""
    scene: Scene = BASE
    for step in steps:
        scene = advance(scene, STAKE, step)
    return scene


SEA_HORSES = stops(("sea_horse", 1), ("sea_horse", 1), ("sea_horse", 1), ("neptune", 0), ("ace", 1))
MERMAIDS = stops(("mermaid", 1), ("mermaid", 0), ("ten", 1), ("mermaid", 1), ("king", 1))
TREASURES = stops(("treasure", 1), ("treasure", 1), ("treasure", 1), ("ace", 1), ("ace", 1))
WIN: tuple[Step, ...] = tuple(round_of(list(SEA_HORSES), [])[0])
WON = coins(list(WIN)) * BET.coin_value_cents
FREE: tuple[Step, ...] = (
    ReelsLanded(MERMAIDS),
    ScatterWin("mermaid", 3, ((0, 1), (1, 0), (3, 1)), coins=120),
    FreeSpinsWon(10),
    Continue(left=10),
)
TREASURE: tuple[Step, ...] = (
    ReelsLanded(TREASURES),
    PicksWon(1, "treasure", 3, 8),
    Pick(choices=tuple(range(8)), left=3),
)
FIRST_CHEST = PickOpened(2, coins=80)


def _spin(rehearsal: Rehearsal, steps: tuple[Step, ...], won: int, wait: float) -> None:
    rehearsal.view(neptune_view(state="round", controls=("spin",), credit_cents=12_050))
    rehearsal.show(list(steps), credit_cents=12_050 + won, win_cents=won)
    rehearsal.wait(wait)


def _offer(rehearsal: Rehearsal, scene: Scene, offer: Step, **changes: object) -> None:
    plain = neptune_view(state="offer", controls=("spin", "service"), scene=raw(scene), offer=raw(offer))
    rehearsal.view(changed(plain, **changes))


@_screen
def booting(rehearsal: Rehearsal) -> None:
    """Before anything is known."""
    rehearsal.view(View(state="booting"))


@_screen
def attract(rehearsal: Rehearsal) -> None:
    """Nobody plays."""
    rehearsal.view(ATTRACT)


@_screen
def attract_most(rehearsal: Rehearsal) -> None:
    """Nobody plays: the most that one spin of the game can win."""
    attract(rehearsal)
    _drawn(rehearsal)
    rehearsal.wait(LATE_S)


@_screen
def attract_moment(rehearsal: Rehearsal) -> None:
    """Nobody plays: a highlight of a game, its reels spinning."""
    attract(rehearsal)
    _drawn(rehearsal)
    rehearsal.wait(TURN_S)
    while not rehearsal.scene_manager.game:
        rehearsal.picture()
    for seconds in (LASTS_S, 0.8):
        _drawn(rehearsal)
        rehearsal.wait(seconds)


def _drawn(rehearsal: Rehearsal) -> None:
    """Draw until the picture is whole."""
    rehearsal.picture()
    while not rehearsal.scene_manager.frame_complete:
        rehearsal.picture()


@_screen
def lobby(rehearsal: Rehearsal) -> None:
    """The choice of games."""
    controls = (*(f"game:{game}" for game in GAMES), "spin", "collect", "service", "sound")
    plain = neptune_view(state="lobby", game="", scene=msgspec.Raw(b"null"), controls=controls)
    rehearsal.view(changed(plain, games=GAMES, focus="game:bewitched"))


@_screen
def idle(rehearsal: Rehearsal) -> None:
    """A game waits for the player."""
    rehearsal.view(neptune_view())


@_screen
def idle_without_credit(rehearsal: Rehearsal) -> None:
    """A game waits for money."""
    rehearsal.view(neptune_view(credit_cents=0, controls=("service", "info", "coin_value", "sound")))


@_screen
def accelerating(rehearsal: Rehearsal) -> None:
    """The reels set off."""
    _spin(rehearsal, WIN, WON, 0.14)


@_screen
def spinning(rehearsal: Rehearsal) -> None:
    """At full speed."""
    _spin(rehearsal, WIN, WON, 0.55)


@_screen
def stopping(rehearsal: Rehearsal) -> None:
    """From left to right."""
    _spin(rehearsal, WIN, WON, 1.12)


@_screen
def suspense(rehearsal: Rehearsal) -> None:
    """Two Mermaids in view: the third reel makes the player wait."""
    _spin(rehearsal, FREE, 600, 1.9)


@_screen
def all_lit(rehearsal: Rehearsal) -> None:
    """All winning lines at once, the figure rolling."""
    _spin(rehearsal, WIN, WON, 2.5)


@_screen
def line_by_line(rehearsal: Rehearsal) -> None:
    """The second line of the loop."""
    rehearsal.view(neptune_view(scene=raw(folded(*WIN)), win_cents=WON))
    rehearsal.wait(1.9)


@_screen
def big_win(rehearsal: Rehearsal) -> None:
    """From fifteen total bets on."""
    _spin(rehearsal, (ReelsLanded(SEA_HORSES), LineWin(1, "sea_horse", 5, coins=500)), 2_500, 5.0)


@_screen
def huge_win(rehearsal: Rehearsal) -> None:
    """From forty total bets on."""
    _spin(rehearsal, (ReelsLanded(SEA_HORSES), LineWin(1, "sea_horse", 5, coins=2_000)), 10_000, 7.4)


@_screen
def mega_win(rehearsal: Rehearsal) -> None:
    """From a hundred total bets on, as its last hit lands."""
    _spin(rehearsal, (ReelsLanded(SEA_HORSES), LineWin(1, "sea_horse", 5, coins=15_000)), 75_000, 10.15)


@_screen
def mermaids(rehearsal: Rehearsal) -> None:
    """A scatter win is lit."""
    _spin(rehearsal, FREE, 600, 6.3)


@_screen
def free_spins_won(rehearsal: Rehearsal) -> None:
    """The intro."""
    _spin(rehearsal, FREE, 600, 8.5)


@_screen
def free_spins_offer(rehearsal: Rehearsal) -> None:
    """The first free spin waits for a press."""
    _offer(rehearsal, folded(*FREE), FREE[-1], win_cents=600)


@_screen
def free_spin_win(rehearsal: Rehearsal) -> None:
    """A tripled line in the third of ten."""
    _offer(rehearsal, folded(*FREE), FREE[-1], win_cents=600)
    steps: list[Step] = [FreeSpinBegins(3, 10), ReelsLanded(SEA_HORSES), LineWin(1, "sea_horse", 3, 3, coins=90)]
    rehearsal.show(steps, credit_cents=12_800, win_cents=1_050)
    rehearsal.wait(2.6)


@_screen
def free_spins_total(rehearsal: Rehearsal) -> None:
    """The outro."""
    _offer(rehearsal, folded(*FREE), FREE[-1], win_cents=600)
    last = LineWin(1, "sea_horse", 3, 3, coins=90)
    steps: list[Step] = [FreeSpinBegins(10, 10), ReelsLanded(SEA_HORSES), last, FreeSpinsEnded(10, last.coins)]
    rehearsal.show(steps, credit_cents=12_800, win_cents=1_050)
    rehearsal.wait(4.8)


@_screen
def treasure_won(rehearsal: Rehearsal) -> None:
    """Three Treasures on a line."""
    _spin(rehearsal, TREASURE, 0, 5.0)


@_screen
def chests(rehearsal: Rehearsal) -> None:
    """Eight closed chests."""
    _offer(rehearsal, folded(*TREASURE), TREASURE[-1], controls=(*CHESTS, *PICK_CONTROLS))


@_screen
def chest_opening(rehearsal: Rehearsal) -> None:
    """The picked chest shows what it pays."""
    chests(rehearsal)
    rehearsal.show([FIRST_CHEST], credit_cents=12_750, win_cents=400)
    rehearsal.wait(0.4)


@_screen
def chest_cursor(rehearsal: Rehearsal) -> None:
    """One opened, the cursor on another."""
    controls = (*(chest for chest in CHESTS if chest != "choice:2"), *PICK_CONTROLS)
    scene = folded(*TREASURE, FIRST_CHEST)
    offer = Pick(choices=(0, 1, 3, 4, 5, 6, 7), left=2)
    _offer(rehearsal, scene, offer, controls=controls, focus="choice:5", win_cents=400)


@_screen
def treasure_total(rehearsal: Rehearsal) -> None:
    """All picks are made."""
    chest_cursor(rehearsal)
    steps: list[Step] = [PickOpened(5, coins=40), PickOpened(6, coins=200), PicksEnded(320)]
    rehearsal.show(steps, credit_cents=13_550, win_cents=1_600)
    rehearsal.wait(5.0)


@_screen
def paytable(rehearsal: Rehearsal) -> None:
    """What pays."""
    rehearsal.view(neptune_view(state="paytable", controls=("paytable_close",)))


@_screen
def paylines(rehearsal: Rehearsal) -> None:
    """The lines."""
    rehearsal.view(neptune_view(state="paytable", focus="page:1", controls=("paytable_close",)))


@_screen
def buttons(rehearsal: Rehearsal) -> None:
    """What each button does."""
    rehearsal.view(neptune_view(state="paytable", focus="page:2", controls=("paytable_close",)))


@_screen
def rules(rehearsal: Rehearsal) -> None:
    """The rules."""
    rehearsal.view(neptune_view(state="paytable", focus="page:3", controls=("paytable_close",)))


AUTOSPIN = AutospinPanel(
    spins=50, loss_limit_cents=5_000, single_win_cents=0, stop_on_jackpot=True, stop_on_feature=False
)
SETTINGS = SettingsPanel(AutospinSettings(), BET.cents, pool=True)
AUTO_BUTTONS = ("spin", "auto", "collect", "lines", "bet", "max_bet", "info", "service")


def _settings(rehearsal: Rehearsal, panel: AutospinPanel, controls: Collection[str]) -> None:
    rehearsal.view(neptune_view(state="autospin", autospin=panel, focus="auto:loss_limit", controls=tuple(controls)))


@_screen
def autospin_settings(rehearsal: Rehearsal) -> None:
    """Spins and limits are chosen, the cursor on the loss limit."""
    _settings(rehearsal, AUTOSPIN, [*AUTO_BUTTONS, *SETTINGS.touches])


@_screen
def autospin_settings_without_pool(rehearsal: Rehearsal) -> None:
    """A game without a jackpot."""
    plain = SettingsPanel(AutospinSettings(), BET.cents, pool=False)
    _settings(rehearsal, msgspec.structs.replace(AUTOSPIN, stop_on_jackpot=None), [*AUTO_BUTTONS, *plain.touches])


@_screen
def autospin_pad(rehearsal: Rehearsal) -> None:
    """An amount is typed."""
    pad = SettingsPanel(AutospinSettings(), BET.cents, pool=True)
    pad.take("auto:loss_limit:pad")
    typed = msgspec.structs.replace(AUTOSPIN, typing="loss_limit", typed_cents=123_450)
    _settings(rehearsal, typed, ["spin", "auto", "collect", *pad.touches])


@_screen
def autospin_spinning(rehearsal: Rehearsal) -> None:
    """Seven of ten spins are still to come."""
    controls = ("spin", "auto", "service", "sound")
    rehearsal.view(neptune_view(state="round", controls=controls, autospin_left=7, autospin_of=10))
    rehearsal.show(list(WIN), credit_cents=12_350 + WON, win_cents=WON)
    rehearsal.wait(0.55)


@_screen
def autospin_between(rehearsal: Rehearsal) -> None:
    """A spin has won nothing, the next is about to start."""
    controls = ("spin", "auto", "service", "sound")
    rehearsal.view(neptune_view(state="round", controls=controls, autospin_left=1_000, autospin_of=1_000))


@_screen
def autospin_stopped(rehearsal: Rehearsal) -> None:
    """The reason is under the reels."""
    rehearsal.view(neptune_view(message="autospin_loss_limit"))


@_screen
def collecting(rehearsal: Rehearsal) -> None:
    """The hopper pays."""
    payout = Payout("hopper", 12_350, 4_200)
    rehearsal.view(neptune_view(state="collecting", controls=(), payout=payout, credit_cents=8_150))


@_screen
def collected(rehearsal: Rehearsal) -> None:
    """The hopper has paid."""
    payout = Payout("hopper", 12_350, 12_350)
    rehearsal.view(neptune_view(state="collecting", controls=(), payout=payout, credit_cents=0))


@_screen
def ticket(rehearsal: Rehearsal) -> None:
    """A ticket of what the hopper's limit left of the cash-out is printed."""
    payout = Payout("printer", 103_450, 0, coins_cents=20_000)
    rehearsal.view(neptune_view(state="collecting", controls=("service",), payout=payout, credit_cents=103_450))


@_screen
def ticket_printed(rehearsal: Rehearsal) -> None:
    """The ticket lies in the tray."""
    payout = Payout("printer", 12_350, 12_350)
    rehearsal.view(neptune_view(state="collecting", controls=("service",), payout=payout, credit_cents=0))


@_screen
def handpay(rehearsal: Rehearsal) -> None:
    """Locked up until an attendant has paid what the hopper's limit left of the cash-out."""
    payout = Payout("attendant", 103_450, 0, coins_cents=20_000)
    rehearsal.view(neptune_view(state="handpay", controls=("service",), payout=payout, credit_cents=103_450))


@_screen
def handpay_done(rehearsal: Rehearsal) -> None:
    """The attendant's key has confirmed it: the whole cash-out stays for a moment."""
    payout = Payout("attendant", 50, 50, coins_cents=5_800)
    rehearsal.view(neptune_view(state="handpay", controls=("service",), payout=payout, credit_cents=0))


@_screen
def handpay_held(rehearsal: Rehearsal) -> None:
    """A hopper was given up: what may have left it is held, the rest is paid by hand."""
    payout = Payout("attendant", 5_850, 0, coins_cents=5_000, held_cents=15_000)
    view = neptune_view(state="handpay", controls=("service",), payout=payout, credit_cents=5_850)
    rehearsal.view(changed(view, held_cents=15_000))


@_screen
def collected_residue(rehearsal: Rehearsal) -> None:
    """The hopper has paid all its coins could pay."""
    payout = Payout("hopper", 5_800, 5_800)
    view = neptune_view(state="collecting", controls=(), payout=payout, credit_cents=50)
    rehearsal.view(changed(view, residue_cents=50))


@_screen
def hopper_away(rehearsal: Rehearsal) -> None:
    """The hopper does not answer in the middle of its payout."""
    payout = Payout("hopper", 2_000, 200, hopper="away", key_in_s=27, held_cents=1_800)
    rehearsal.view(neptune_view(state="collecting", controls=("service",), payout=payout, credit_cents=1_800))


@_screen
def hopper_counted(rehearsal: Rehearsal) -> None:
    """The attendant's key has asked for the end of the payout."""
    payout = Payout("hopper", 2_000, 200, hopper="counted", key_in_s=12, held_cents=1_800)
    rehearsal.view(neptune_view(state="collecting", controls=("service",), payout=payout, credit_cents=1_800))


@_screen
def hopper_given_up(rehearsal: Rehearsal) -> None:
    """It has been silent for long enough: the key may end the payout."""
    payout = Payout("hopper", 2_000, 200, hopper="counted", held_cents=1_800, hand_cents=50)
    rehearsal.view(neptune_view(state="collecting", controls=("service",), payout=payout, credit_cents=1_850))


@_screen
def payout_held(rehearsal: Rehearsal) -> None:
    """After the end: what is held stays on the screen until it is decided."""
    view = neptune_view(credit_cents=50, last_round=None)
    paid = Paid(coins_cents=5_800)
    rehearsal.view(changed(view, paid=paid, residue_cents=50, held_cents=1_800))


@_screen
def recovering(rehearsal: Rehearsal) -> None:
    """After a power cut."""
    rehearsal.view(neptune_view(state="recovering", controls=()))


@_screen
def door_open(rehearsal: Rehearsal) -> None:
    """A door is open."""
    notice = fault_notice("door_open", "main")
    rehearsal.view(neptune_view(state="tilted", controls=("service",), notices=(notice,)))


@_screen
def door_closed(rehearsal: Rehearsal) -> None:
    """It has been shut; the player may go on."""
    rehearsal.view(neptune_view(notices=(fault_notice("door_closed", "main"),)))


@_screen
def host_off(rehearsal: Rehearsal) -> None:
    """A host has switched the machine off, and has it in maintenance; the credit stays where it is."""
    notices = (fault_notice("host_off", "host_port"), fault_notice("host_maintenance", "host_port"))
    rehearsal.view(neptune_view(state="tilted", controls=("service",), notices=notices))


@_screen
def host_lock(rehearsal: Rehearsal) -> None:
    """A host holds the machine for a transfer."""
    rehearsal.view(neptune_view(state="tilted", controls=("service",), notices=(fault_notice("host_lock", ""),)))


@_screen
def host_notes(rehearsal: Rehearsal) -> None:
    """A host has switched notes off; play goes on."""
    rehearsal.view(neptune_view(notices=(fault_notice("host_notes", "host_port"),)))


@_screen
def power_reset(rehearsal: Rehearsal) -> None:
    """After a power cut, until the next play."""
    rehearsal.view(neptune_view(notices=(fault_notice("power_reset", ""),)))


@_screen
def power_reset_lobby(rehearsal: Rehearsal) -> None:
    """After a power cut, where the player chooses a game."""
    rehearsal.view(neptune_view(state="lobby", game="", games=GAMES, notices=(fault_notice("power_reset", ""),)))


@_screen
def power_reset_recovering(rehearsal: Rehearsal) -> None:
    """After a power cut in the middle of a game."""
    notice = fault_notice("power_reset", "")
    rehearsal.view(neptune_view(state="recovering", controls=(), notices=(notice,)))


@_screen
def paid_out(rehearsal: Rehearsal) -> None:
    """After a cash-out in coins and by hand, until the next play."""
    paid = Paid(coins_cents=20_000, hand_cents=103_450)
    rehearsal.view(neptune_view(credit_cents=0, controls=("info", "service"), paid=paid))


@_screen
def large_win(rehearsal: Rehearsal) -> None:
    """Locked up until an attendant has seen it."""
    view = neptune_view(state="large_win", controls=("service",), large_win_cents=250_000, credit_cents=262_350)
    rehearsal.view(msgspec.structs.replace(view, notices=(fault_notice("large_win", "game"),)))


@_screen
def faults(rehearsal: Rehearsal) -> None:
    """Two faults at once."""
    jam = fault_notice("coin_jam", "coin_acceptor")
    empty = fault_notice("hopper_empty", "hopper")
    rehearsal.view(neptune_view(state="tilted", controls=(), notices=(empty, jam)))


@_screen
def locked(rehearsal: Rehearsal) -> None:
    """The books do not balance."""
    notice = lock_notice(CorruptJournalError("the credit meter shows 12350 cents, the ledger leads to 12300"))
    rehearsal.view(neptune_view(state="locked", controls=(), notices=(notice,)))


@_screen
def out_of_service(rehearsal: Rehearsal) -> None:
    """Closed."""
    rehearsal.view(neptune_view(state="out_of_service", controls=()))


@_screen
def service(rehearsal: Rehearsal) -> None:
    """A technician is at work."""
    rehearsal.view(neptune_view(state="service", controls=()))


@_screen
def resumed(rehearsal: Rehearsal) -> None:
    """The game is back after a power cut."""
    rehearsal.view(neptune_view(resumed=True))


@_screen
def supervisor_away(rehearsal: Rehearsal) -> None:
    """The picture stays, no button lives."""
    rehearsal.view(neptune_view())
    rehearsal.director.connection_lost(rehearsal.now)
    rehearsal.wait(2.5)


def joined() -> list[str]:
    """Return the names of the programmes beside this one, without `programme_`."""
    return sorted(path.stem.removeprefix("programme_") for path in Path(__file__).parent.glob("programme_*.py"))


def _join() -> tuple[str, ...]:
    """Enter the other games' screens in the programme; return the names of their main ones."""
    main: list[str] = []
    for game in joined():
        module = import_module(f"tests.ui.programme_{game}")
        PROGRAMME.update({f"{game}_{name}": play for name, play in module.SCREENS.items()})
        main += [f"{game}_{name}" for name in module.MAIN_SCREENS]
    return tuple(main)


OTHER_GAMES = _join()
"""The main screens of the games that have a programme of their own."""


def main() -> None:
    """Save the pictures that the command line names, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.ui.programme")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--shape", choices=SHAPES, default="wide")
    parser.add_argument("--language", choices=("en", "de"), default="en")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for number, (name, play) in enumerate(PROGRAMME.items()):
        if not arguments.names or name in arguments.names:
            rehearsal = Rehearsal(shape=arguments.shape, language=arguments.language)
            play(rehearsal)
            pygame.image.save(rehearsal.picture(), str(arguments.folder / f"{number:02d}_{name}.png"))


if __name__ == "__main__":
    main()
