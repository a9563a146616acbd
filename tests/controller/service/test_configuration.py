"""C on the machine: the pages before the open main door, what a change does at once, and the PIN before play."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.configuration.cabinet_toml import Config
from controller.journal.actor import Role
from controller.journal.errors import RefusedError
from controller.journal.settings import stored_settings
from controller.journal.transaction import Transaction
from controller.service import tree
from controller.service.page import MenuTransaction, Page
from controller.settings.settings import value_at
from controller.settings.settings_table import OFF, ON, Setting, all_settings, of_game
from controller.system.network import Interface, Interfaces
from gamekit.catalogue import names
from tests.games.bewitched_table import MOONS
from tests.rigs.bewitched import bewitched
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand, set_now
from tests.rigs.settings import REFUSABLE, TABLE, cabinet_in, goods
from ui.protocol.messages import ServiceRow

WITH_PAGES = ("bewitched", "witch_feature", "mystery_elves")
"""The games that have a page of their own settings, in the order of the lobby."""


class Switched(Interfaces):
    """Interfaces that keep how they were switched, or refuse."""

    def __init__(self, *, refuses: bool = False) -> None:
        super().__init__()
        self.up: list[bool] = []
        self._refuses = refuses

    def listed(self) -> list[Interface]:
        """One interface."""
        return [Interface("eth7", "up" if self.up[-1:] == [True] else "down", "02:00:00:00:00:07", "192.0.2.7")]

    def switch(self, name: str, *, up: bool) -> None:
        """Keep it."""
        assert name == "eth7"
        if self._refuses:
            raise PermissionError(1, "Operation not permitted")
        self.up.append(up)


async def technician_in(rig: Rig) -> Hand:
    """A technician who has opened the main door and the menu."""
    rig.machine.settings.interfaces = Switched()
    await rig.door(is_open=True)
    hand = Hand(rig)
    await hand.technician()
    return hand


def row_of(hand: Hand, setting: Setting) -> int | None:
    """The place of a setting's row on the page, by its words and its amount."""
    for place, row in enumerate(hand.page.rows):
        amount = setting.cents is None or row.cents == setting.cents
        if row.label == setting.label and amount and row.leads and not row.code:
            return place
    return None


async def enter_row(rig: Rig, place: int) -> None:
    """Touch a row."""
    await rig.press(f"service:row:{place}")


async def type_value(hand: Hand, setting: Setting, typed: str) -> None:
    """Type a value by touch, as the page asks for it."""
    page = hand.page
    assert page.entry == setting.label
    if page.entry_kind == "choice":
        await hand.rig.press(f"service:choice:{page.options.index(typed)}")
        return
    for sign in typed:
        if page.entry_kind == "text":
            small = sign.lower() if sign not in hand.page.options else sign
            if small not in hand.page.options:
                await hand.rig.press(f"service:letter:{hand.page.options.index('aA')}")
            await hand.rig.press(f"service:letter:{hand.page.options.index(sign)}")
        else:
            await hand.rig.press(f"service:digit:{sign}")
    await hand.rig.press("service:done")


def other(setting: Setting, config: Config) -> str:
    """Something else than what is in force."""
    value = setting.value(config)
    if setting.kind == "switch":
        return OFF if value else ON
    if setting.kind in ("number", "cents"):
        return next(typed for typed in goods(setting) if int(typed) * setting.per != value)
    return next(typed for typed in goods(setting) if typed not in (value, setting.words(value)))


def pages() -> Iterator[tuple[str, int | None]]:
    """Each page of settings: its code, and the row of a page that it leads to."""
    yield from ((f"C.{number}", None) for number in (1, 2, 3, 4, 6, 7))
    yield from (("C.3", sub) for sub in range(len(WITH_PAGES)))
    yield from (("C.5", sub) for sub in range(17))


@pytest.mark.parametrize(("code", "sub"), list(pages()))
async def test_every_setting_of_a_page_is_changed_by_touch(tmp_path: Path, code: str, sub: int | None) -> None:
    """Each row that leads to an entry: back keeps the old value, DONE saves; the cabinet goes by it, H.5 lists it."""

    async def play() -> None:
        async with Rig(tmp_path, config=cabinet_in(tmp_path)) as rig:
            hand = await technician_in(rig)
            await hand.go(code)
            if sub is not None:
                leads = [place for place, row in enumerate(hand.page.rows) if row.code.startswith(f"{code}.")]
                await enter_row(rig, leads[sub])
            inner = hand.page.code
            for name in [one.name for one in here(hand, sub)]:
                setting = {one.name: one for one in all_settings(rig.machine.settings.config)}[name]
                place = row_of(hand, setting)
                assert place is not None
                before = await rig.journal.do(stored_settings)
                await enter_row(rig, place)
                await rig.press("service:back")
                assert hand.page.entry == ""
                assert await rig.journal.do(stored_settings) == before
                await enter_row(rig, place)
                await type_value(hand, setting, other(setting, rig.machine.settings.config))
                assert hand.page.code == inner
                if hand.page.message.startswith("It is saved"):
                    kept = await rig.journal.do(stored_settings)
                    assert value_at(rig.machine.settings.config, setting.key) == msgspec.json.decode(kept[setting.key])
                    assert kept != before
                    if setting.kind == "switch":  # and back, or the last of a list is left alone
                        await enter_row(rig, place)
                        await type_value(hand, setting, other(setting, rig.machine.settings.config))
                        assert hand.page.message.startswith("It is saved")
                else:
                    assert setting.member is not None or setting.key in REFUSABLE
                    currency = setting.key == "cabinet.money.currency"  # it has to fit the country of the file
                    assert ("It does not fit" if currency else "must") in hand.page.message
            shown = await rig.rows("SELECT count(*) FROM setting_changes")
            for _ in range(3 if sub is not None else 2):
                await rig.press("collect")
            await hand.go("H.5")
            assert len(hand.page.rows) == shown[0][0]

    def here(hand: Hand, sub: int | None) -> list[Setting]:
        """The settings on the page that is open."""
        table = list(all_settings(hand.rig.machine.settings.config))
        if code == "C.5":
            labels = {row.label for row in hand.page.rows}
            conditions = list(
                dict.fromkeys(one.key.rpartition(".")[0] for one in table if one.key.startswith("tower."))
            )
            return [one for one in table if one.key.startswith(f"{conditions[sub or 0]}.") and one.label in labels]
        if sub is not None:
            return list(of_game(hand.rig.machine.settings.config, WITH_PAGES[sub]))
        return [one for one in table if row_of(hand, one) is not None and not one.key.startswith("tower.")]

    await play()


async def test_no_setting_is_on_no_page(tmp_path: Path) -> None:
    """Each setting of the table is found on some page, once: what the test above did not see would be out of reach."""
    async with Rig(tmp_path, config=cabinet_in(tmp_path)) as rig:
        rig.machine.settings.interfaces = Switched()
        machine = rig.service.machine

        def entries(tx: Transaction, page: Page) -> int:
            """How many lines of a page, and of the pages that it leads to, lead to the entry of a setting."""
            count = 0
            for line in page.read(tx, machine):
                if isinstance(line.leads, Page):
                    count += entries(tx, line.leads)
                elif isinstance(line.leads, MenuTransaction) and [entry.name for entry in line.leads.entries] == [
                    "value"
                ]:
                    count += 1
            return count

        in_c = [page for page in tree.pages().values() if page.section == "C"]
        found = await rig.journal.do(lambda tx: sum(entries(tx, page) for page in in_c))
        assert found == len(list(all_settings(machine.settings.config)))


@pytest.mark.requirement("S7")
async def test_configuration_wants_the_technician_and_the_open_main_door(tmp_path: Path) -> None:
    """The attendant sees no C; shut the door, and whatever was being typed is gone with the page."""
    async with Rig(tmp_path, config=cabinet_in(tmp_path)) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        assert "C" not in [row.code for row in hand.page.rows]
        await hand.turn(Role.ATTENDANT, on=False)
        await hand.technician()
        await hand.enter("C")
        await hand.enter("C.2")
        assert (hand.page.code, hand.page.message) == ("C", "Open the main door first")
        await rig.door(is_open=True)
        await hand.enter("C.2")
        await enter_row(rig, 0)
        await rig.press("service:digit:5")
        await rig.door(is_open=False)
        assert (hand.page.code, hand.page.entry) == ("C", "")
        assert await rig.journal.do(stored_settings) == {}


@pytest.mark.requirement("B5", "B6")
async def test_limits_and_notes_hold_at_once(tmp_path: Path) -> None:
    """A note that is off is not taken, and notes end before coins do where the limits say so."""
    async with Rig(tmp_path) as rig:
        await set_now(rig, {"limits.notes_cents": [500], "limits.notes_credit_cents": 1000})
        assert not await rig.note(1000)
        assert await rig.note(500)
        assert rig.front.notes == {500}
        assert await rig.note(500)
        assert (rig.front.coins, rig.front.notes) == (True, frozenset())
        assert not await rig.note(500)
        with pytest.raises(RefusedError, match="There is credit"):
            await set_now(rig, {"limits.notes_cents": [500, 1000]})


@pytest.mark.requirement("G7")
async def test_a_game_that_is_taken_off_is_left(tmp_path: Path) -> None:
    """The player who sat at it without credit finds the attract show, and the lobby without it."""
    async with Rig(tmp_path, config=cabinet_in(tmp_path)) as rig:
        await rig.press("spin")
        await rig.until("lobby")
        await rig.press("game:neptune")
        await rig.until("idle")
        await set_now(rig, {"games.enabled": ["bewitched", "mystery_elves"], "games.default": "bewitched"})
        assert (rig.shown, rig.screen.view.lobby.games) == ("attract", ("bewitched", "mystery_elves"))
        await rig.until_true(lambda: set(rig.machine.play.bet_ranges) == {"bewitched", "mystery_elves"})
        await rig.restart(until="attract")
        await rig.press("spin")
        await rig.until("lobby")
        assert "game:neptune" not in rig.screen.view.controls


async def test_autospin_is_taken_off(tmp_path: Path) -> None:
    """C.3: the button is dead."""
    (tmp_path / "without").mkdir()

    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        assert "auto" in rig.screen.view.controls
    async with Rig(tmp_path / "without") as rig:
        await set_now(rig, {"games.autospin": False})
        await rig.game(2000)
        assert "auto" not in rig.screen.view.controls


async def test_double_or_nothing_is_taken_off(tmp_path: Path) -> None:
    """C.3: a win that could be gambled is paid without a question."""
    async with bewitched(tmp_path, *MOONS) as rig:
        await set_now(rig, {"games.double_up": False})
        await rig.game(2000)
        await rig.press("spin", 0.3)
        seen = len(rig.screen.views)
        await rig.until("idle")
        assert {"offer", "gamble_offer", "gamble"} & {view.state for view in rig.screen.views[seen:]} == set()
        assert all("DoubleUp" not in str(step) for show in rig.screen.shows for step in show)
        assert "offer" not in {view.state for view in rig.screen.views[seen:]}
        assert rig.screen.view.round.win_cents > 0
        assert rig.credit == 2000 - rig.machine.play.bet.cents + rig.screen.view.round.win_cents


async def test_sound_brightness_attract_and_tower_hold_at_once(tmp_path: Path) -> None:
    """C.4, C.5: display and tower light change with the next view."""
    async with Rig(tmp_path) as rig:
        await set_now(
            rig,
            {
                "sound.percent": 30,
                "sound.attract": False,
                "display.brightness_percent": 50,
                "tower.idle.bottom": "medium",
                "tower.idle.top": "slow",
                "cabinet.language": "de",
            },
        )
        view = rig.screen.view
        assert (view.output.loudest_percent, view.output.muted, view.output.brightness_percent) == (30, True, 50)
        assert (view.locale.language, rig.front.light) == ("de", {"bottom": "medium", "top": "slow"})
        await set_now(rig, {"tower.idle.top": None})
        assert rig.front.light == {"bottom": "medium"}
        await rig.game(2000)
        assert not rig.screen.view.output.muted


async def test_what_the_light_shows_at_a_coin_value_stands_below_that_value(tmp_path: Path) -> None:
    """C.5: seven pages have one title; the first row of each has its coin value."""
    async with Rig(tmp_path) as rig:
        hand = await technician_in(rig)
        await hand.go("C.5")
        shown = []
        for place in [place for place, row in enumerate(hand.page.rows) if row.cents is not None]:
            await enter_row(rig, place)
            shown.append(hand.page.rows[0].cents)
            await rig.press("collect")
        assert tuple(shown) == rig.machine.settings.config.games.coin_values_cents


async def test_the_menu_closes_itself_when_its_time_is_over(tmp_path: Path) -> None:
    """C.7: the time-out is a setting."""
    async with Rig(tmp_path) as rig:
        await set_now(rig, {"service.idle_s": 30})
        await Hand(rig).turn(Role.ATTENDANT)
        await rig.machine.clock.sleep(31)
        assert rig.screen.view.pages.service is None


@pytest.mark.requirement("C1")
async def test_settings_outlive_a_power_cut(tmp_path: Path) -> None:
    """What was set is in force after every start."""
    async with Rig(tmp_path) as rig:
        await set_now(rig, {"limits.credit_cents": 5000})
        await rig.restart(until="attract")
        assert rig.machine.settings.config.limits.credit_cents == 5000


async def test_the_network_is_switched_before_it_is_kept(tmp_path: Path) -> None:
    """C.6: a switch that the system refuses is reported and not stored."""
    async with Rig(tmp_path, config=cabinet_in(tmp_path)) as rig:
        hand = await technician_in(rig)
        await hand.go("C.6")
        assert hand.page.rows[0] == ServiceRow(
            label="Interface {place}",
            place="eth7",
            value="switched off",
            detail="192.0.2.7   02:00:00:00:00:07",
        )
        await enter_row(rig, 1)
        await type_value(hand, TABLE["network.enabled"], ON)
        assert hand.page.message == "It is saved"
        assert rig.machine.settings.config.network.enabled
        rig.machine.settings.interfaces = Switched(refuses=True)
        await enter_row(rig, 1)
        await type_value(hand, TABLE["network.enabled"], OFF)
        assert hand.page.message == "The system does not let the network be switched: {reason}"
        assert rig.machine.settings.config.network.enabled
        switched = rig.machine.settings.interfaces = Switched()
        await set_now(rig, {"network.enabled": None})
        assert switched.up == [False]


async def test_the_network_is_as_it_was_set_after_a_start(tmp_path: Path) -> None:
    """What the computer brings up by itself goes down again; what cannot be switched is an event, and play goes on."""
    config = cabinet_in(tmp_path)

    async with Rig(tmp_path, config=config) as rig:
        await rig.machine.clock.sleep(1)
        (shown,) = await rig.events("network")
        assert shown.startswith("eth7 could not be switched off: ")


async def test_a_real_cabinet_plays_only_after_a_pin_was_chosen(tmp_path: Path) -> None:
    """The fault stops play and money, over restarts, whatever key is turned; choosing a PIN clears it."""
    rig = Rig(tmp_path, simulated=False)
    await rig.start(until="tilted")
    for _ in range(2):
        assert rig.notices() == {"no_pin"}
        assert (rig.front.coins, rig.front.notes) == (False, frozenset())
        await rig.turn_key("attendant")
        await rig.turn_key("attendant")
        assert "no_pin" in rig.notices()
        await rig.restart(until="tilted")
    hand = Hand(rig)
    await hand.technician()
    await hand.turn(Role.TECHNICIAN, on=False)
    await rig.until("attract")
    assert rig.notices() == set()
    assert await rig.note(500)
    await rig.restart(until="idle")
    assert "no_pin" not in rig.notices()
    await rig.kill()


async def test_a_cabinet_without_a_technicians_key_needs_no_pin(tmp_path: Path) -> None:
    """Nothing that a PIN guards could be opened there."""
    config = cabinet_in(tmp_path)
    keys = {"attendant": config.pins.keys["attendant"]}
    pins = msgspec.structs.replace(config.pins, keys=keys)
    async with Rig(tmp_path, simulated=False, config=msgspec.structs.replace(config, pins=pins)) as rig:
        assert rig.notices() == set()


async def test_a_setting_that_no_longer_fits_stops_play_until_it_is_forgotten(tmp_path: Path) -> None:
    """The builder has changed cabinet.toml: the fault names the key, and C.8 mends it."""
    async with Rig(tmp_path, config=cabinet_in(tmp_path)) as rig:
        await set_now(rig, {"games.enabled": list(names()[:2])})
        games = msgspec.structs.replace(rig.config.games, default="mystery_elves")
        rig.config = msgspec.structs.replace(rig.config, games=games)
        await rig.restart()
        await rig.until("tilted")
        (notice,) = [notice for notice in rig.screen.view.notices if notice.code == "setting_unfit"]
        assert notice.place == "games.enabled"
        assert rig.machine.settings.config.games == games
        hand = await technician_in(rig)
        await hand.go("C.8")
        await hand.enter("Forget it")
        await rig.press("lines")
        await rig.press("spin")
        assert hand.page.message == "It is forgotten"
        await rig.door(is_open=False)
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.until("attract")
        assert await rig.journal.do(stored_settings) == {}


@pytest.mark.requirement("L6")
async def test_h5_shows_old_new_who_and_when(tmp_path: Path) -> None:
    """A line for each change, and its whole words on a page of its own."""
    async with Rig(tmp_path, config=cabinet_in(tmp_path)) as rig:
        await set_now(rig, {"games.enabled": list(reversed(names()))})
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.5")
        assert hand.page.rows[0].place == "games.enabled"
        await rig.press("spin")
        shown = {row.label: row.value for row in hand.page.rows}
        words = ["".join(row.value for row in hand.page.rows if row.label == label)
                 for label in ("Until then", "From then on")]  # fmt: skip
        assert [msgspec.json.decode(word) for word in words] == [list(names()), list(reversed(names()))]
        assert shown["Changed by"] == "technician"
