"""Doors, faults and keys: what stops play, what goes on, and that everything returns to exactly where it was."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from controller.faults import DOOR_CLOSED, DOOR_OPEN, LARGE_WIN, PLACES, Clears, Stops, explain, known_faults
from controller.journal.money import coin_counter
from controller.machine.states import State
from controller.monitors.uptime import RETEST_S
from controller.rounds.draws import seeded_source
from controller.service.meters import COUNTS
from drivers.capabilities import CoinReport
from drivers.wiring import DOORS
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.seeds import CHESTS, LOSING, STAKE_CENTS, WINNING


async def into(rig: Rig, state: State) -> None:
    """Bring the machine into `state` with credit."""
    if state is State.ATTRACT:
        return
    await rig.game(2000)
    if state is State.LOBBY:
        await rig.press("home")
    elif state is State.PAYTABLE:
        await rig.press("info")
        await rig.press("bet")
    elif state in (State.ROUND, State.OFFER):
        await rig.press("spin", 0.3)
        if state is State.OFFER:
            await rig.until("offer")
            await rig.press("bet")
    elif state is State.HANDPAY:
        await rig.press("collect")
    await rig.until(state)


@pytest.mark.requirement("D2", "D3", "P1")
@pytest.mark.parametrize(
    "state",
    [State.ATTRACT, State.LOBBY, State.IDLE, State.PAYTABLE, State.ROUND, State.OFFER, State.HANDPAY],
)
async def test_an_open_door_stops_everything_and_a_closed_one_gives_it_back(tmp_path: Path, state: State) -> None:
    """Money off, buttons dead, tower and notice say why; closed, the same view returns as it was."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await into(rig, state)
        before = rig.screen.view
        await rig.door(is_open=True)
        assert (rig.shown, rig.notices()) == ("tilted", {"door_open"})
        assert (rig.front.coins, rig.front.notes) == (False, frozenset())
        assert dict(rig.front.lit) == {"service": "on"}
        assert rig.front.light["top"] == "fast"
        for control in ("spin", "collect", "max_bet", "choice:2"):
            await rig.press(control)
        assert not await rig.note(500)
        await rig.turn_key("attendant")
        assert rig.shown == "tilted"
        await rig.door(is_open=False)
        notices = (*before.notices, *(notice for notice in rig.screen.view.notices if notice.code == DOOR_CLOSED))
        assert (rig.shown, rig.screen.view) == (state, msgspec.structs.replace(before, notices=notices))
        assert rig.machine.conditions.active == [(DOOR_CLOSED, "main")]


async def test_a_round_under_an_open_door_is_shown_again_from_its_start(tmp_path: Path) -> None:
    """The interrupted segment is shown again, the same and once more, when the last door is shut; nothing is drawn."""
    async with Rig(tmp_path, draws=seeded_source(WINNING)) as rig:
        await into(rig, State.ROUND)
        await rig.door(is_open=True)
        await rig.door(is_open=True, name="cash_box")
        await rig.door(is_open=False)
        await asyncio.sleep(60.0)
        assert (rig.shown, len(rig.screen.shows)) == ("tilted", 1)
        await rig.door(is_open=False, name="cash_box")
        await rig.until("idle")
        assert len(rig.screen.shows) == 2
        assert rig.screen.shows[0] == rig.screen.shows[1]
        assert (await rig.meter("games"), await rig.meter("door_main"), await rig.meter("door_cash_box")) == (
            1,
            1,
            1,
        )


@pytest.mark.requirement("D1", "D2", "D3")
@pytest.mark.parametrize("door", DOORS)
async def test_each_door_has_all_that_a_door_has(tmp_path: Path, door: str) -> None:
    """It stops all, lights the tower, is heard, metered and logged, is named on M.1, and leaves a notice."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await rig.door(is_open=True, name=door)
        assert rig.shown == "tilted"
        assert rig.machine.conditions.active == [(DOOR_OPEN, door)]
        assert explain(DOOR_OPEN).alarm
        assert rig.front.light["top"] == "fast"
        assert (rig.front.coins, rig.front.notes) == (False, frozenset())
        await rig.restart()
        await rig.until("tilted")
        await rig.door(is_open=False, name=door)
        assert (DOOR_CLOSED, door) in rig.machine.conditions.active
        assert await rig.meter(f"door_{door}") == 1
        assert (await rig.events(DOOR_OPEN), await rig.events(DOOR_CLOSED)) == (["opened"], ["closed"])
        assert COUNTS[f"door_{door}"].endswith("door openings")
        assert PLACES[door].endswith("door")


async def test_a_door_that_only_flickers_does_not_hold_the_round_up(tmp_path: Path) -> None:
    """Opened and shut before anybody looked, the withdrawn show is shown again at once."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        await into(rig, State.ROUND)
        rig.machine.states.door("main", is_open=True)
        rig.machine.states.door("main", is_open=False)
        await rig.until("idle", 3.0)
        assert len(rig.screen.shows) == 2


@pytest.mark.requirement("P10")
async def test_a_door_open_at_the_start_is_seen(tmp_path: Path) -> None:
    """A door opened while the power was off is found, recorded, and stops play before it begins."""
    async with Rig(tmp_path) as rig:
        await rig.kill()
        await rig.start(until=None)
        await rig.door(is_open=True)
        assert rig.shown == "tilted"
        assert await rig.events("door_open") == ["opened"]
        assert not rig.front.coins
        await rig.door(is_open=False)
        assert rig.shown == "attract"


@pytest.mark.requirement("B3")
async def test_a_coin_past_the_gate_counts_under_a_tilt(tmp_path: Path) -> None:
    """No credit is lost: what passed the sensor as the door opened is money, with its counter."""
    async with Rig(tmp_path) as rig:
        await rig.door(is_open=True)
        await rig.listener.coins(CoinReport(serial=7, counter=3, values_cents=(100, 50)))
        assert (rig.credit, await rig.journal.do(lambda tx: coin_counter(tx, 7))) == (150, 3)
        assert (rig.shown, rig.screen.view.balance.credit_cents) == ("tilted", 150)


@pytest.mark.requirement("D5", "P5")
@pytest.mark.parametrize(
    "code",
    sorted(code for code, kind in known_faults().items() if kind.momentary and kind.clears is not Clears.NEXT_PLAY),
)
async def test_what_happened_is_cleared_by_whoever_may(tmp_path: Path, code: str) -> None:
    """A fault no device will ever take back stays until its key is turned, over a restart too."""
    kind = known_faults()[code]
    wrong, right = ("attendant", "technician") if kind.clears is Clears.TECHNICIAN else ("technician", "attendant")

    async with Rig(tmp_path) as rig:
        await rig.game(500)
        stopped = "large_win" if code == LARGE_WIN else "tilted"
        state = stopped if Stops.PLAY in kind.stops else "idle"
        await rig.listener.device_fault("hopper", code, present=True)
        await rig.turn_key(wrong)
        assert (rig.shown, rig.notices()) == (state, {code})
        await rig.turn_key(right)
        assert (rig.shown, rig.notices()) == ("idle", set())
        await rig.listener.device_fault("hopper", code, present=True)
        await rig.restart(until=state)
        await asyncio.sleep(2 * RETEST_S)
        assert (rig.shown, rig.notices()) == (state, {code})
        await rig.turn_key(right)
        assert (rig.shown, rig.notices()) == ("idle", set())
        assert await rig.cleared() == [f"{code} cleared by {right}"] * 2


async def test_a_tilt_that_lasts_is_not_cleared_away(tmp_path: Path) -> None:
    """As long as the device reports it the key clears nothing; afterwards it does."""
    async with Rig(tmp_path) as rig:
        await rig.listener.device_fault("bill_validator", "cheated", present=True)
        await rig.turn_key("attendant")
        assert rig.shown == "tilted"
        await rig.listener.device_fault("bill_validator", "cheated", present=False)
        assert rig.shown == "tilted"
        await rig.turn_key("attendant")
        assert rig.shown == "attract"


async def test_a_fault_is_raised_once_however_often_it_is_reported(tmp_path: Path) -> None:
    """Repeats change nothing: one event, one step of the meter; the same after it was cleared counts again."""
    async with Rig(tmp_path) as rig:
        for _ in range(3):
            await rig.listener.device_fault("coin_acceptor", "no_reply", present=True, detail="no answer")
        assert (await rig.events("no_reply"), await rig.meter("faults")) == (["no answer"], 1)
        assert rig.notices() == {"no_reply"}
        for _ in range(2):
            await rig.listener.device_fault("coin_acceptor", "no_reply", present=False)
        assert rig.notices() == set()
        assert await rig.cleared() == ["no_reply cleared by itself"]
        await rig.listener.device_fault("coin_acceptor", "no_reply", present=True)
        assert await rig.meter("faults") == 2


@pytest.mark.requirement("P5")
async def test_a_standing_fault_is_tested_again_at_the_start(tmp_path: Path) -> None:
    """It shows after power-up until a driver had the time to find it again, and stays where one did."""
    async with Rig(tmp_path) as rig:
        await rig.listener.device_fault("button spin", "stuck_button", present=True)
        await rig.listener.device_fault("lamps", "port_lost", present=True)
        await rig.restart(until="attract")
        assert rig.notices() == {"stuck_button", "port_lost"}
        await rig.listener.device_fault("lamps", "port_lost", present=True)
        await asyncio.sleep(RETEST_S + 1.0)
        assert rig.notices() == {"port_lost"}
        assert await rig.meter("faults") == 2


async def test_a_fault_gone_before_the_machine_is_up_is_gone(tmp_path: Path) -> None:
    """A driver that reports health in the first moment after the start is believed."""
    async with Rig(tmp_path) as rig:
        await rig.listener.device_fault("hopper", "no_reply", present=True)
        await rig.kill()
        await rig.start(until=None)
        await rig.listener.device_fault("hopper", "no_reply", present=False)
        await rig.until("attract")
        assert rig.notices() == set()
        assert rig.machine.conditions.active == [("power_reset", "")]


async def test_a_key_found_turned_is_no_turn(tmp_path: Path) -> None:
    """A key that is on when the power comes back confirms no hand-pay: it must be turned anew."""
    async with Rig(tmp_path) as rig:
        await into(rig, State.HANDPAY)
        await rig.kill()
        await rig.start(until="tilted", keys_on=("attendant",))
        await asyncio.sleep(5.0)
        assert (rig.machine.states.state, rig.credit) == ("handpay", 2000)
        rig.machine.keys.take("attendant", turned=False)
        await rig.until("handpay")
        await rig.turn_key("attendant")
        assert rig.credit == 0


async def test_a_key_turned_before_a_hand_pay_does_not_confirm_it(tmp_path: Path) -> None:
    """A turn made while the hopper still pays, to clear a fault, is not taken for the attendant's payment."""
    hopper = PlainHopper()
    hopper.stock = 5
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(2000)
        await rig.press("collect", 0.5)
        assert rig.shown == "collecting"
        await rig.turn_key("attendant")
        await rig.until("tilted")
        await rig.turn_key("attendant")
        await rig.until("handpay")
        await asyncio.sleep(5.0)
        assert (rig.shown, rig.credit) == ("handpay", 1500)
        await rig.turn_key("attendant")
        assert rig.credit == 0


async def test_money_that_nobody_can_account_for_is_shown_to_the_attendant(tmp_path: Path) -> None:
    """An open item is seen on the screen from the moment it is opened, and after a restart (invariant 9)."""
    async with Rig(tmp_path) as rig:
        assert rig.notices() == set()
        await rig.listener.bill_stacked(1000)
        assert (rig.credit, rig.notices()) == (0, {"open_item"})
        await rig.restart(until="attract")
        assert rig.notices() == {"open_item"}


async def test_lost_coins_are_shown_to_the_attendant(tmp_path: Path) -> None:
    """Of nine events with five read, five are credited and the rest is an open item that shows."""
    async with Rig(tmp_path) as rig:
        report = CoinReport(serial=7, counter=9, values_cents=(100,) * 5, lost=4)
        await rig.listener.coins(report)
        assert (rig.credit, rig.notices()) == (500, {"open_item"})


@pytest.mark.requirement("G1")
async def test_nothing_is_staked_under_an_obstacle_that_came_with_the_press(tmp_path: Path) -> None:
    """A door that opens while MAX BET is made durable stops the round that would follow."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        rig.machine.states.press("max_bet")
        for _ in range(3):
            await asyncio.sleep(0)
        await rig.door(is_open=True)
        await asyncio.sleep(1.0)
        assert (rig.shown, await rig.meter("games"), rig.credit) == ("tilted", 0, 2000)
        assert rig.machine.play.bet.cents > STAKE_CENTS


def sounding(rig: Rig) -> set[str]:
    """The places whose alarms sound now."""
    return {notice.place for notice in rig.screen.view.notices if notice.alarm and not notice.silenced}


@pytest.mark.requirement("D2")
async def test_a_door_s_alarm_sounds_until_it_is_shut_or_a_key_is_turned(tmp_path: Path) -> None:
    """Time alone ends none; whoever has a key has heard those that sound, and another door rings anew."""
    async with Rig(tmp_path) as rig:
        await rig.door(is_open=True)
        await asyncio.sleep(600.0)
        assert sounding(rig) == {"main door"}
        await rig.door(is_open=False)
        assert sounding(rig) == set()
        await rig.door(is_open=True)
        rig.machine.keys.take("attendant", turned=True)
        await rig.until("service_menu")
        assert sounding(rig) == set()
        rig.machine.keys.take("attendant", turned=False)
        await rig.until("tilted")
        assert sounding(rig) == set()
        await rig.door(is_open=True, name="logic")
        assert sounding(rig) == {"logic door"}
        for name in ("main", "logic"):
            await rig.door(is_open=False, name=name)
        await rig.door(is_open=True)
        assert sounding(rig) == {"main door"}
        await rig.kill()
        await rig.start(until="tilted")
        assert sounding(rig) == {"main door"}


@pytest.mark.requirement("D8")
async def test_an_alarm_of_the_notes_sounds_until_a_key_is_turned(tmp_path: Path) -> None:
    """The same for every alarm, in mid-game too; a door that is opened under a key does not sound."""
    async with Rig(tmp_path) as rig:
        await rig.game(1000)
        await rig.listener.device_fault("bill_validator", "note_yoyo", present=True)
        await rig.until_true(lambda: sounding(rig) == {"bill validator"})
        rig.machine.keys.take("technician", turned=True)
        await rig.until("service_menu")
        assert sounding(rig) == set()
        await rig.door(is_open=True)
        assert sounding(rig) == set()
