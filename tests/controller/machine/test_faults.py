"""Faults by their class: what each stops, how long it is shown, and what becomes of it over a restart."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from controller.faults import (
    EVERYTHING,
    LARGE_WIN,
    NO_BET,
    SERVES,
    TAKING,
    Clears,
    Stops,
    explain,
    known_faults,
    stopped_by,
)
from controller.machine.states import State
from controller.machine.tickets import NO_TICKETS
from controller.monitors.uptime import RETEST_S
from controller.rounds.draws import seeded_source
from drivers.capabilities import CoinReport
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.seeds import CHESTS, LOSING
from tests.rigs.virtual_cabinet import configuration
from ui.protocol.values import Paid

pytestmark = pytest.mark.sampled(4)

POWER_RESET, DOOR_CLOSED = "power_reset", "door_closed"


@pytest.mark.requirement("B3", "B9", "D2")
def test_where_play_stops_no_money_moves() -> None:
    """A fault that stops play stops coins, notes and the hopper with it, unless there is nothing to play.

    Then nothing is taken, and COLLECT pays out what is there.
    """
    stopping = {code: kind.stops for code, kind in known_faults().items() if Stops.PLAY in kind.stops}
    assert {code for code, stops in stopping.items() if stops != EVERYTHING} == {NO_BET, NO_TICKETS, "games_unfit"}
    assert stopping[NO_BET] == stopping[NO_TICKETS] == stopping["games_unfit"] == TAKING
    assert TAKING == EVERYTHING & ~Stops.PAYOUT


@pytest.mark.requirement("D4")
def test_what_is_shown_until_the_next_play_stops_nothing() -> None:
    """The player may simply play on, so nothing may be stopped by it, and no device can say that it is over."""
    passing = [kind for kind in known_faults().values() if kind.clears is Clears.NEXT_PLAY]
    assert passing
    assert all((kind.stops, kind.momentary) == (Stops.NOTHING, True) for kind in passing)


@pytest.mark.requirement("B7", "D5", "D7")
@pytest.mark.parametrize("place", sorted(SERVES))
@pytest.mark.parametrize("code", sorted(known_faults()))
async def test_what_a_fault_stops_is_stopped(tmp_path: Path, code: str, place: str) -> None:
    """Acceptor, validator, hopper and play are stopped by what the catalogue says, and by nothing else."""
    stops = stopped_by([(code, place)])

    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.listener.device_fault(place, code, present=True)
        stopped = "large_win" if code == LARGE_WIN else "tilted"
        assert rig.shown == (stopped if EVERYTHING in stops else "idle")
        assert rig.front.coins is (Stops.COINS not in stops)
        assert rig.front.notes == (frozenset() if Stops.NOTES in stops else frozenset(rig.config.limits.notes_cents))
        assert await rig.note(500) is (Stops.NOTES not in stops)
        view, machine = rig.screen.view, rig.machine
        assert (view.balance.accepts_coins, view.balance.accepts_notes) == (
            machine.states.takes_coins,
            machine.states.takes_notes,
        )
        assert machine.states.pays_coins is (Stops.PAYOUT not in stops)
        if explain(code).clears is Clears.ITSELF:
            await rig.listener.device_fault(place, code, present=False)
            assert (rig.shown, rig.front.coins, machine.states.pays_coins) == ("idle", True, True)


@pytest.mark.requirement("B7")
@pytest.mark.parametrize("code", [NO_BET, NO_TICKETS, "games_unfit"])
async def test_where_there_is_nothing_to_play_only_collect_lives(tmp_path: Path, code: str) -> None:
    """SPIN stakes nothing, no money is taken, and the credit is paid out."""
    async with Rig(tmp_path, hopper=PlainHopper()) as rig:
        await rig.game(2000)
        await rig.listener.device_fault("display", code, present=True)
        await rig.press("spin")
        assert (await rig.meter("games"), rig.credit, rig.front.coins, rig.front.notes) == (0, 2000, False, frozenset())
        await rig.press("collect")
        await rig.until_true(lambda: rig.credit == 0)


@pytest.mark.requirement("B8")
async def test_a_hopper_that_must_not_pay_is_not_asked_to(tmp_path: Path) -> None:
    """COLLECT is then paid by hand; with the fault cleared the hopper pays again."""
    hopper = PlainHopper()
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(500)
        await rig.listener.device_fault("hopper", "hopper_motor", present=True)
        await rig.press("collect")
        assert (rig.shown, hopper.tray) == ("handpay", 0)
        await rig.press("collect")
        await rig.turn_key("technician")
        await rig.press("collect", 3.0)
        assert hopper.tray == 5


@pytest.mark.requirement("P14", "D4")
async def test_a_power_reset_is_shown_until_the_next_play(tmp_path: Path) -> None:
    """From the second start on, over further ones, logged once each time, and gone with the next stake."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        assert rig.passing_notices() == set()
        await rig.game(500)
        for _ in range(2):
            await rig.restart(until="idle")
            assert rig.passing_notices() == {POWER_RESET}
            assert rig.front.coins
        assert len(await rig.events("power_up")) == 3
        assert await rig.meter("power_ups") == 3
        await rig.press("info")
        await rig.press("collect")
        assert rig.passing_notices() == {POWER_RESET}
        await rig.press("spin")
        await rig.until("idle")
        assert rig.passing_notices() == set()
        assert await rig.cleared() == ["power_reset cleared by the next play"]
        assert await rig.meter("faults") == 0


@pytest.mark.requirement("D3", "D4")
async def test_a_closed_door_is_shown_until_the_next_play(tmp_path: Path) -> None:
    """Each door by its name, over a power cut, until the next stake."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        await rig.game(500)
        for name in ("main", "logic"):
            await rig.door(is_open=True, name=name)
        for name in ("logic", "main"):
            await rig.door(is_open=False, name=name)
        assert {(notice.code, notice.place) for notice in rig.screen.view.notices} == {
            (DOOR_CLOSED, "main door"),
            (DOOR_CLOSED, "logic door"),
        }
        assert await rig.events(DOOR_CLOSED) == ["closed", "closed"]
        await rig.restart(until="idle")
        await asyncio.sleep(2 * RETEST_S)
        assert rig.passing_notices() == {DOOR_CLOSED, POWER_RESET}
        await rig.press("spin")
        await rig.until("idle")
        assert rig.passing_notices() == set()


@pytest.mark.requirement("P5")
async def test_a_door_that_stood_open_keeps_the_machine_stopped_over_a_power_cut(tmp_path: Path) -> None:
    """Until its switch has spoken nothing plays; still open it was opened once, shut it gives everything back."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await rig.door(is_open=True)
        await rig.restart(until="tilted")
        assert not rig.front.coins
        await asyncio.sleep(5.0)
        await rig.door(is_open=True)
        assert (rig.shown, await rig.meter("door_main")) == ("tilted", 1)
        await rig.restart(until="tilted")
        await rig.door(is_open=False)
        assert (rig.shown, rig.notices()) == ("idle", set())
        assert DOOR_CLOSED in rig.passing_notices()
        assert (await rig.events("door_open"), await rig.events(DOOR_CLOSED)) == (["opened"], ["closed"])


@pytest.mark.requirement("B3", "D4")
async def test_a_coin_that_no_one_asked_for_is_credited_and_reported(tmp_path: Path) -> None:
    """A coin that comes while none are taken is money, and an inappropriate coin-in until the next play."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        await rig.game(500)
        await rig.listener.coins(CoinReport(serial=7, counter=1, values_cents=(100,)))
        assert (rig.credit, rig.passing_notices()) == (600, set())
        await rig.door(is_open=True)
        await rig.listener.coins(CoinReport(serial=7, counter=2, values_cents=(100,)))
        await rig.door(is_open=False)
        assert (rig.credit, rig.passing_notices()) == (700, {"coin_unexpected", DOOR_CLOSED})
        await rig.press("spin")
        await rig.until("idle")
        assert rig.passing_notices() == set()


@pytest.mark.requirement("B11")
async def test_what_was_paid_is_shown_until_the_next_play(tmp_path: Path) -> None:
    """Coins and hand-pay, added up over several cash-outs and a power cut, gone with the next stake."""
    config = configuration(tmp_path)
    limits = msgspec.structs.replace(config.limits, hopper_cents=300)
    config = msgspec.structs.replace(config, limits=limits)
    async with Rig(tmp_path, config=config, draws=seeded_source(LOSING), hopper=PlainHopper()) as rig:
        await rig.game(500)
        assert rig.screen.view.balance.paid == Paid()
        for times in (1, 2):
            await rig.press("collect")
            await rig.until("handpay")
            await rig.turn_key("attendant")
            await rig.until("idle")
            assert rig.screen.view.balance.paid == Paid(coins_cents=300 * times, hand_cents=200 * times)
            await rig.note(500)
        await rig.restart(until="idle")
        assert rig.screen.view.balance.paid == Paid(coins_cents=600, hand_cents=400)
        await rig.press("spin")
        await rig.until("idle")
        assert rig.screen.view.balance.paid == Paid()


@pytest.mark.requirement("B9")
@pytest.mark.parametrize("state", [State.ROUND, State.OFFER, State.PAYTABLE, State.TILTED])
async def test_nothing_is_paid_where_collect_is_barred(tmp_path: Path, state: State) -> None:
    """During a game, its show, a page and a fault COLLECT pays nothing, whatever else it does there."""
    hopper = PlainHopper()
    async with Rig(tmp_path, draws=seeded_source(CHESTS), hopper=hopper) as rig:
        await rig.game(2000)
        if state is State.TILTED:
            await rig.listener.device_fault("coin_acceptor", "coin_jam", present=True)
        elif state is State.PAYTABLE:
            await rig.press("info")
        else:
            await rig.press("spin", 0.3)
        await rig.until(state)
        rig.machine.states.press("collect")
        await asyncio.sleep(5.0)
        assert (hopper.tray, await rig.rows("SELECT count(*) FROM payouts")) == (0, [(0,)])


@pytest.mark.requirement("D3")
async def test_a_door_found_shut_at_the_start_is_no_news(tmp_path: Path) -> None:
    """Its switch says so for the first time; it was not open, so nothing is logged and nothing shown."""
    async with Rig(tmp_path) as rig:
        await rig.door(is_open=False)
        assert (rig.shown, rig.passing_notices(), await rig.events(DOOR_CLOSED)) == ("attract", set(), [])


@pytest.mark.requirement("P5")
async def test_no_fault_of_a_device_is_cleared_that_could_not_be_asked_since_the_start(tmp_path: Path) -> None:
    """A fault from before a power cut stays until its device has been asked again, however long that takes."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.listener.device_fault("hopper", "hopper_low", present=True)
            await rig.listener.device_fault("bill_validator", "stacker_full", present=True)
            await rig.restart(until="attract")
            await rig.listener.device_fault("hopper", "port_lost", present=True)
            await asyncio.sleep(3 * RETEST_S)
            assert await present_faults(rig) == {("hopper_low", "hopper"), ("port_lost", "hopper")}
            await rig.listener.device_fault("hopper", "port_lost", present=False)
            await asyncio.sleep(RETEST_S)
            assert await present_faults(rig) == set()
            assert await rig.cleared() == [
                "stacker_full cleared by itself",
                "port_lost cleared by itself",
                "hopper_low cleared by itself",
            ]

    async def present_faults(rig: Rig) -> set[tuple[object, ...]]:
        return set(await rig.rows("SELECT code, place FROM faults WHERE code <> 'power_reset'"))

    await play()
