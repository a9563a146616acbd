"""A key that is on: until it is turned back nothing is staked, and no press pays anything out."""

from pathlib import Path

import pytest

from controller.faults import KEY_TURNED
from controller.journal.actor import Role
from drivers.wiring import KEYS
from tests.rigs.fair_house import house
from tests.rigs.machine import COIN_S, PlainHopper, Rig
from tests.rigs.service_menu import Hand

pytestmark = pytest.mark.requirement("S1")

PANEL = ("auto", "lines", "spin", "max_bet", "bet", "info", "collect", "spin")


async def key_left_on(rig: Rig, who: Role) -> None:
    """Turn a key, come in, and leave the menu by BACK; the key stays on."""
    hand = Hand(rig)
    await hand.turn(who)
    if hand.page.gate:
        await rig.type_pin()
    while rig.shown == "service_menu":
        await rig.press("collect")


@pytest.mark.parametrize("who", [Role(key) for key in KEYS])
async def test_a_menu_that_is_left_with_its_key_on_leaves_a_dead_panel(tmp_path: Path, who: Role) -> None:
    """The keys by which page codes are typed, AUTO, LINES and SPIN, play nothing; the screen names the key."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await key_left_on(rig, who)
        for control in PANEL:
            await rig.press(control, 2.0)
        assert (rig.credit, await rig.meter("games")) == (2000, 0)
        assert [(note.code, note.who) for note in rig.screen.view.notices] == [(KEY_TURNED, who)]
        assert rig.screen.view.notices[0].text == f"The key of the {who} is on: turn the key back"
        assert rig.screen.view.controls == ("service",)
        rig.machine.keys.take(who, turned=False)
        await rig.until("idle")
        assert rig.notices() == set()
        await rig.press("spin")
        assert rig.credit < 2000


async def test_a_turned_key_ends_autospin(tmp_path: Path) -> None:
    """The round in play ends once the key is back; no other is begun, then or later."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("auto")
        await rig.press("auto:start", 0.5)
        await key_left_on(rig, Role.ATTENDANT)
        await rig.press("spin", 30.0)
        assert (rig.shown, await rig.meter("games")) == ("tilted", 1)
        rig.machine.keys.take("attendant", turned=False)
        await rig.until("idle")
        await rig.machine.clock.sleep(30.0)
        assert await rig.meter("games") == 1


@pytest.mark.parametrize("controls", [("spin",), ("auto", "auto:start")])
async def test_a_stake_that_waits_for_its_time_is_not_taken_once_a_key_is_on(
    tmp_path: Path, controls: tuple[str, ...]
) -> None:
    """`[games] least_ms` holds the stake of a press back; the key comes meanwhile, and the stake does not."""
    async with Rig(tmp_path, config=house(tmp_path, games={"least_ms": 5000})) as rig:
        await rig.game(2000)
        await rig.restart(until="idle")
        for control in controls:
            await rig.press(control)
        await key_left_on(rig, Role.ATTENDANT)
        await rig.machine.clock.sleep(30.0)
        rig.machine.keys.take("attendant", turned=False)
        await rig.machine.clock.sleep(30.0)
        assert (rig.credit, await rig.meter("games")) == (2000, 0)


@pytest.mark.parametrize("who", [Role(key) for key in KEYS])
async def test_a_key_that_was_on_at_the_start_is_noticed_and_named(tmp_path: Path, who: Role) -> None:
    """It opens no menu and plays nothing; the event log has it, and the next turn is a turn again."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.kill()
        await rig.start(until="tilted", keys_on=[who])
        assert rig.notices() == {KEY_TURNED}
        for control in PANEL:
            await rig.press(control)
        assert rig.credit == 2000
        assert await rig.events("key_turned") == [f"The key of the {who} was on when the machine started"]
        rig.machine.keys.take(who, turned=False)
        await rig.until("idle")
        rig.machine.keys.take(who, turned=True)
        await rig.until("service_menu")


async def test_coins_notes_and_the_hopper_stand_still_while_a_key_is_on(tmp_path: Path) -> None:
    """As under the menu: nothing is taken, a payout under way stops at its coin, and goes on with the key back."""
    hopper = PlainHopper()
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(1000)
        await rig.press("collect", 2.5 * COIN_S)
        rig.machine.keys.take("attendant", turned=True)
        await rig.until("tilted")
        given = hopper.tray
        await rig.press("collect", 20 * COIN_S)
        assert (hopper.tray, rig.front.coins, rig.front.notes) == (given, False, frozenset())
        assert 0 < given < 10
        rig.machine.keys.take("attendant", turned=False)
        await rig.until("idle")
        assert (hopper.tray, rig.credit, rig.front.coins) == (10, 0, True)


@pytest.mark.requirement("B8")
async def test_a_hand_pay_is_confirmed_by_the_turn_and_its_key_is_then_called_back(tmp_path: Path) -> None:
    """The turn pays, the amount is seen for as long as ever; a second payout begins with no key on."""
    async with Rig(tmp_path) as rig:
        await rig.game(1000)
        await rig.press("collect")
        await rig.until("handpay")
        rig.machine.keys.take("attendant", turned=True)
        await rig.until_true(lambda: rig.credit == 0)
        assert rig.shown == "handpay"
        await rig.until("tilted")
        assert rig.notices() == {KEY_TURNED}
        rig.machine.keys.take("attendant", turned=False)
        await rig.until("idle")


async def test_a_hand_pay_does_not_take_a_key_that_was_on_before_it(tmp_path: Path) -> None:
    """The technician's key left on: COLLECT cancels nothing, the attendant's turn pays nothing, until it is back."""
    async with Rig(tmp_path) as rig:
        await rig.game(1000)
        await rig.press("collect")
        await rig.until("handpay")
        await key_left_on(rig, Role.TECHNICIAN)
        await rig.until("tilted")
        await rig.press("collect")
        await rig.turn_key("attendant")
        assert (rig.credit, rig.shown) == (1000, "tilted")
        rig.machine.keys.take("technician", turned=False)
        await rig.until("handpay")
        await rig.turn_key("attendant")
        assert rig.credit == 0


async def test_the_menu_opens_without_a_word_about_its_key(tmp_path: Path) -> None:
    """A turn that opens the menu is what the key is for: no screen calls it back before."""
    async with Rig(tmp_path) as rig:
        await rig.game(1000)
        seen = len(rig.screen.views)
        rig.machine.keys.take("attendant", turned=True)
        await rig.until("service_menu")
        rig.machine.keys.take("attendant", turned=False)
        await rig.until("idle")
        assert {view.state for view in rig.screen.views[seen:]} == {"service_menu", "idle"}
