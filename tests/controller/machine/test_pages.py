"""The pages beside the reels on the machine: menu, volumes, turbo, lobby; nothing is staked or paid there."""

from pathlib import Path

import msgspec
import pytest

from controller.machine.view import MENU, MENU_ROOM
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import only
from ui.protocol.values import Volumes

BUTTONS = {"spin", "max_bet", "bet", "lines", "auto", "info", "collect", "service"}


async def press(rig: Rig, *controls: str) -> None:
    """Press these controls one after the other; each must live."""
    for control in controls:
        assert control in rig.machine.states.controls, f"{control} is dead in {rig.shown}"
        await rig.press(control)


async def test_the_menu_does_by_buttons_what_fingers_do(tmp_path: Path) -> None:
    """INFO twice opens it, the cursor goes round its items, SPIN does each: all that only a finger has in the game."""
    async with Rig(tmp_path, config=only(tmp_path, "mystery_elves")) as rig:
        await rig.game(5000)
        await press(rig, *["lines"] * 6)
        touch_only = set(rig.machine.states.controls) - BUTTONS
        await press(rig, "info", "info")
        assert (rig.shown, rig.screen.view.focus) == ("menu", "paytable")
        items = rig.screen.view.pages.menu
        assert items == tuple(item for item in MENU if item not in ("coin_value", "session"))
        assert touch_only - {"menu"} == set(items) - {"paytable", "total_bet"}  # LINES and BET choose the bet too
        seen = []
        for _ in items:
            seen.append(rig.screen.view.focus)
            await press(rig, "bet")
        assert (seen, rig.screen.view.focus) == (list(items), items[0])
        await press(rig, "lines")
        assert rig.screen.view.focus == items[-1]
        await press(rig, "spin")
        assert rig.shown == "lobby"


@pytest.mark.parametrize(
    ("item", "state"),
    [("paytable", "paytable"), ("buy", "confirm"), ("settings", "settings"), ("history", "history"), ("home", "lobby")],
)
@pytest.mark.parametrize("by", ["buttons", "fingers"])
async def test_each_item_leads_to_its_page(tmp_path: Path, item: str, state: str, by: str) -> None:
    """With the cursor and SPIN, or with a touch; nothing is staked on the way."""
    async with Rig(tmp_path, config=only(tmp_path, "mystery_elves")) as rig:
        await rig.game(5000)
        await press(rig, *["lines"] * 6, "menu")
        if by == "buttons":
            await press(rig, *["bet"] * rig.screen.view.pages.menu.index(item), "spin")
        else:
            await press(rig, item)
        assert (rig.shown, rig.credit, await rig.meter("games")) == (state, 5000, 0)


async def test_sound_turbo_and_coin_value_change_in_the_menu(tmp_path: Path) -> None:
    """They leave the menu open with the cursor on them, and are kept over a power cut."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await press(rig, "menu", "coin_value")
        assert (rig.shown, rig.screen.view.focus, rig.machine.play.bet.coin_value_cents) == ("menu", "coin_value", 20)
        await press(rig, "bet", "spin")
        assert (rig.screen.view.focus, rig.screen.view.output.turbo) == ("turbo", True)
        await press(rig, "bet", "spin")
        await rig.until_true(lambda: rig.screen.view.output.muted)
        assert (rig.shown, rig.screen.view.focus) == ("menu", "sound")
        await rig.restart(until="idle")
        view = rig.screen.view
        assert (view.output.turbo, view.output.muted, rig.machine.play.bet.coin_value_cents) == (True, True, 20)


@pytest.mark.parametrize("name", ["witch_feature", "star_quarry", "mystery_elves"])
async def test_a_bet_chosen_by_its_total_is_changed_in_the_menu(tmp_path: Path, name: str) -> None:
    """It steps through all bets on offer and round, stays open with the cursor on it, and stakes nothing."""
    async with Rig(tmp_path, config=only(tmp_path, name)) as rig:
        await rig.game(5000)
        await press(rig, "menu")
        bets, seen = rig.screen.view.terms.bets_cents, []
        for _ in bets:
            await press(rig, "total_bet")
            assert (rig.shown, rig.screen.view.focus) == ("menu", "total_bet")
            seen.append(rig.machine.play.bet.cents)
        assert sorted(seen) == list(bets)
        assert (rig.credit, await rig.meter("games")) == (5000, 0)
    assert seen[-1] == 100  # where it began


async def test_the_menu_has_no_bet_where_there_is_none_to_choose_or_no_room(tmp_path: Path) -> None:
    """One bet on offer; lines and coins; and Mystery Elves, whose menu has eight items with the session's page."""
    one = only(tmp_path, "witch_feature")
    one = msgspec.structs.replace(one, games=msgspec.structs.replace(one.games, bets_cents={"witch_feature": (100,)}))
    full = only(tmp_path, "mystery_elves")
    full = msgspec.structs.replace(full, player=msgspec.structs.replace(full.player, panel=True))
    for number, config in enumerate((one, full, only(tmp_path, "neptune"))):
        (folder := tmp_path / str(number)).mkdir()
        async with Rig(folder, config=config) as rig:
            await rig.game(50_000)
            await press(rig, "menu")
            assert "total_bet" not in rig.screen.view.pages.menu
            assert len(rig.screen.view.pages.menu) <= MENU_ROOM


@pytest.mark.parametrize("leave", ["info", "collect", "menu_close"])
async def test_the_menu_is_left_for_the_game(tmp_path: Path, leave: str) -> None:
    """COLLECT only leaves: the credit stays."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await press(rig, "menu", leave)
        assert (rig.shown, rig.credit) == ("idle", 500)


async def test_pages_can_be_left_without_credit(tmp_path: Path) -> None:
    """COLLECT leads back where nothing could be paid out, too."""
    async with Rig(tmp_path) as rig:
        await press(rig, "screen", "info", "collect", "menu", "collect", "settings", "collect")
        assert rig.shown == "idle"
        assert "collect" not in rig.machine.states.controls


async def test_turbo_shortens_the_show(tmp_path: Path) -> None:
    """Each show says so to the display; the result is the same."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await press(rig, "spin")
        await rig.until("round")
        await rig.until("idle")
        await press(rig, "turbo", "spin")
        await rig.until("round")
        await rig.until("idle")
        assert rig.screen.turbo == [False, True]


async def test_volumes_are_chosen_with_buttons_and_saved(tmp_path: Path) -> None:
    """LINES and BET move, MAX BET and INFO choose, SPIN saves: kept over a power cut; heard while they are chosen."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await press(rig, "settings", "info", "info", "bet", "info", "lines", "lines", "info", "max_bet", "info")
        view = rig.screen.view
        chosen = Volumes(wins=80, game=90, overall=90)
        assert (view.state, view.focus, view.output.volumes) == ("settings", "volume:overall", chosen)
        await press(rig, "spin")
        assert (rig.shown, rig.screen.view.output.volumes) == ("idle", chosen)
        await rig.restart(until="idle")
        assert rig.screen.view.output.volumes == chosen


@pytest.mark.parametrize("cancel", ["auto", "collect", "settings:cancel"])
async def test_volumes_that_are_not_saved_are_as_before(tmp_path: Path, cancel: str) -> None:
    """By touch: more and less stop at their ends, and CANCEL brings the old ones back."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await press(rig, "settings")
        assert "volume:game:+" not in rig.machine.states.controls
        await press(rig, *["volume:game:-"] * 10)
        assert (rig.screen.view.focus, rig.screen.view.output.volumes.game) == ("volume:game", 0)
        assert "volume:game:-" not in rig.machine.states.controls
        await press(rig, "info", cancel)
        assert (rig.shown, rig.screen.view.output.volumes) == ("idle", Volumes())


async def test_the_lobby_is_walked_with_buttons(tmp_path: Path) -> None:
    """LINES and BET move over the games, SPIN opens the one under the cursor, INFO goes back to attract."""
    async with Rig(tmp_path, config=only(tmp_path, "neptune", "witch_feature", "mystery_elves")) as rig:
        await rig.note(500)
        await rig.until("lobby")
        assert rig.screen.view.focus == "game:neptune"
        await press(rig, "bet")
        assert rig.screen.view.focus == "game:witch_feature"
        await press(rig, "lines", "lines", "spin")
        assert (rig.shown, rig.screen.view.game) == ("idle", "mystery_elves")
        await press(rig, "home")
        assert rig.screen.view.focus == "game:mystery_elves"
        await rig.restart(until="lobby")
        assert rig.screen.view.focus == "game:mystery_elves"
        assert not {"info", "home"} & rig.machine.states.controls, "with credit attract would lead straight back"


async def test_a_touch_moves_the_lobby_s_cursor(tmp_path: Path) -> None:
    """An arrow of the screen puts it on the first game of a page, and no game is opened."""
    async with Rig(tmp_path, config=only(tmp_path, "neptune", "witch_feature", "mystery_elves")) as rig:
        await rig.note(500)
        await rig.until("lobby")
        await press(rig, "cursor:mystery_elves")
        assert (rig.shown, rig.screen.view.focus) == ("lobby", "game:mystery_elves")
        assert "cursor:bewitched" not in rig.machine.states.controls
        await press(rig, "spin")
        assert (rig.shown, rig.screen.view.game) == ("idle", "mystery_elves")


@pytest.mark.parametrize("leave", ["info", "home"])
async def test_the_lobby_is_left_for_attract_without_credit(tmp_path: Path, leave: str) -> None:
    """By the panel and by touch."""
    async with Rig(tmp_path, config=only(tmp_path, "neptune", "witch_feature")) as rig:
        await press(rig, "screen", leave)
        assert rig.shown == "attract"
