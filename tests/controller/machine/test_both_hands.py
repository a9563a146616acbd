"""Everything a player may do can be done with the panel's buttons alone, and by touch alone."""

from pathlib import Path

import pytest

from controller.machine.states import TABLE, State
from drivers.wiring import BUTTONS
from gamekit.catalogue import names
from gamekit.play import Draw
from tests.games.bewitched_table import MOONS_AND_MERLINS
from tests.games.table import Script
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.virtual_cabinet import only

Step = tuple[str, State]
"""A control and the state that it leads to."""

BY_BUTTONS: tuple[Step, ...] = (
    ("bet", State.LOBBY),
    ("spin", State.COMPANION),
    ("bet", State.COMPANION),
    ("collect", State.LOBBY),
    ("spin", State.COMPANION),
    ("spin", State.IDLE),
    ("info", State.PAYTABLE),
    ("max_bet", State.PAYTABLE),
    ("collect", State.IDLE),
    ("info", State.PAYTABLE),
    ("info", State.MENU),
    *[("lines", State.MENU)] * 3,
    ("spin", State.SETTINGS),
    ("info", State.SETTINGS),
    ("spin", State.IDLE),
    ("auto", State.AUTOSPIN),
    ("auto", State.IDLE),
    ("max_bet", State.IDLE),
    ("lines", State.IDLE),
    ("spin", State.LOWEST_BET),
    ("collect", State.IDLE),
    *[("lines", State.IDLE)] * 4,
    *[("bet", State.IDLE)] * 2,
    ("spin", State.OFFER),
    ("bet", State.OFFER),
    ("lines", State.OFFER),
    *[("spin", State.OFFER)] * 2,
    ("spin", State.GAMBLE_OFFER),
    ("info", State.PAYTABLE),
    ("bet", State.PAYTABLE),
    ("info", State.GAMBLE_OFFER),
    ("max_bet", State.GAMBLE),
    ("bet", State.GAMBLE),
    ("lines", State.GAMBLE),
    ("collect", State.IDLE),
    ("info", State.PAYTABLE),
    ("info", State.MENU),
    *[("lines", State.MENU)] * 2,
    ("spin", State.HISTORY),
    ("spin", State.REPLAY),
    ("collect", State.HISTORY),
    ("info", State.IDLE),
    ("info", State.PAYTABLE),
    ("info", State.MENU),
    ("lines", State.MENU),
    ("spin", State.LOBBY),
    *[("bet", State.LOBBY)] * 2,
    ("spin", State.IDLE),
    *[("lines", State.IDLE)] * 6,
    ("info", State.PAYTABLE),
    ("info", State.MENU),
    *[("bet", State.MENU)] * 2,
    ("spin", State.CONFIRM),
    ("collect", State.IDLE),
    ("collect", State.COLLECTING),
)
"""A player who never touches the screen: Bewitched's double, settings, history, then Mystery Elves' shop, then home."""

BY_TOUCH: tuple[Step, ...] = (
    ("game:bewitched", State.COMPANION),
    ("home", State.LOBBY),
    ("game:bewitched", State.COMPANION),
    ("witch:1", State.IDLE),
    ("menu", State.MENU),
    ("paytable", State.PAYTABLE),
    ("witch:0", State.PAYTABLE),
    ("menu", State.MENU),
    ("menu_close", State.IDLE),
    ("settings", State.SETTINGS),
    ("volume:game:-", State.SETTINGS),
    ("settings:save", State.IDLE),
    ("menu", State.MENU),
    ("paytable", State.PAYTABLE),
    ("paytable_close", State.IDLE),
    ("coin_value", State.IDLE),
    ("turbo", State.IDLE),
    ("history", State.HISTORY),
    ("history:close", State.IDLE),
    ("home", State.LOBBY),
    ("game:mystery_elves", State.IDLE),
    ("home", State.LOBBY),
)
"""A finger on all that only the screen has; the panel's words are drawn there as well."""


async def walk(rig: Rig, steps: tuple[Step, ...]) -> set[State]:
    """Press each control once it lives, and return the states seen."""
    seen = set()
    for control, state in steps:
        assert control in rig.machine.states.controls, f"{control} is dead in {rig.shown}"
        if control in BUTTONS:
            assert control in rig.front.lit, f"{control} lives in the dark in {rig.shown}"
        await rig.press(control)
        await rig.until(state)
        seen.add(state)
    return seen


def cabinet(folder: Path) -> Rig:
    """A cabinet with all games, whose every round of Bewitched wins on a line and Merlin's vials."""

    def draws(_round: int, _segment: int) -> Draw:
        return Script([*MOONS_AND_MERLINS, *[0] * 50])

    return Rig(folder, draws=draws, config=only(folder, *names()), hopper=PlainHopper())


async def test_the_buttons_reach_every_state(tmp_path: Path) -> None:
    """All that a player may see is reached, and left, with lit buttons and no touch."""
    async with cabinet(tmp_path) as rig:
        await rig.note(1000)
        await rig.until("lobby")
        seen = await walk(rig, BY_BUTTONS)
        beside = {State.BOOTING, State.RECOVERING, State.ATTRACT, State.ROUND, State.HANDPAY}
        laid_over = {State.TILTED, State.LARGE_WIN, State.LOCKED, State.OUT_OF_SERVICE, State.SERVICE_MENU}
        held_back = {
            State.SESSION,
            State.REALITY_CHECK,
            State.LOSS_LIMIT,
            State.BREAK,
        }  # tests/controller/play/test_fair_play.py
        assert seen == set(State) - beside - laid_over - held_back


async def test_a_finger_reaches_what_only_the_screen_has(tmp_path: Path) -> None:
    """Each page is opened and closed by a touch."""
    async with cabinet(tmp_path) as rig:
        await rig.note(1000)
        await rig.until("lobby")
        seen = await walk(rig, BY_TOUCH)
        assert {State.COMPANION, State.MENU, State.PAYTABLE, State.SETTINGS} <= seen
        assert rig.shown == BY_TOUCH[-1][1]


@pytest.mark.parametrize("state", [State.LOWEST_BET, State.CONFIRM, State.SETTINGS, State.HISTORY, State.REPLAY])
def test_what_asks_is_answered_by_touch_too(state: State) -> None:
    """No dialog or page of these waits for a button: the screen has its answers, or its way out."""
    answers = {
        State.LOWEST_BET: {"lowest_bet:yes", "lowest_bet:no"},
        State.CONFIRM: {"buy:yes", "buy:no"},
        State.SETTINGS: {"settings:save", "settings:cancel"},
        State.HISTORY: {"history:close"},
        State.REPLAY: {"history:close"},
    }
    assert answers[state] <= set(TABLE[state].touch)


def test_attendant_and_sound_live_wherever_the_player_is() -> None:
    """In every state that is the player's the attendant can be called and the sound turned off."""
    not_the_players = {State.BOOTING, State.RECOVERING, State.OUT_OF_SERVICE, State.LOCKED, State.SERVICE_MENU}
    for state in set(State) - not_the_players:
        assert "service" in TABLE[state].lamps
        assert "sound" in TABLE[state].touch or not TABLE[state].money
