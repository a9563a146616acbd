"""What one turn of a key means: one answer, and to nothing that comes later."""

import asyncio
from pathlib import Path

import pytest

from controller.journal.actor import Role
from tests.rigs.machine import COIN_S, PlainHopper, Rig
from tests.rigs.people import PIN
from tests.rigs.service_menu import Hand

pytestmark = pytest.mark.requirement("D5", "B8", "S1")


@pytest.mark.requirement("B8", "D8")
async def test_one_turn_is_one_answer_and_the_waiting_payout_comes_first(tmp_path: Path) -> None:
    """The first turn pays by hand, the alarm stays; the second clears it; the third opens the menu."""
    async with Rig(tmp_path) as rig:
        await rig.game(1000)
        await rig.listener.device_fault("bill_validator", "note_yoyo", present=True)
        await rig.press("collect")
        await rig.until("handpay")
        await rig.turn_key("attendant")
        assert (rig.credit, rig.notices()) == (0, {"note_yoyo"})
        await rig.until("idle")
        await rig.turn_key("attendant")
        assert rig.notices() == set()
        rig.machine.keys.take("attendant", turned=True)
        await rig.until("service_menu")


async def test_a_tilt_over_a_hand_pay_is_cleared_before_it_is_paid(tmp_path: Path) -> None:
    """Nothing is paid under a tilt: its turn clears it, and the next one pays."""
    async with Rig(tmp_path) as rig:
        await rig.game(1000)
        await rig.press("collect")
        await rig.until("handpay")
        await rig.listener.device_fault("coin_acceptor", "coin_jam", present=True)
        await rig.turn_key("attendant")
        assert (rig.shown, rig.credit) == ("handpay", 1000)
        await rig.turn_key("attendant")
        assert rig.credit == 0


@pytest.mark.requirement("D9")
async def test_a_turn_while_the_hopper_pays_does_not_end_what_is_interrupted_later(tmp_path: Path) -> None:
    """The line fails after the turn: the payout waits for the hopper as if nobody had touched the key.

    It stands still while the key is on; once it is over a turn means the menu again.
    """
    hopper = PlainHopper()
    hopper.breaks_after = 5
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(1000)
        await rig.press("collect", 2 * COIN_S)
        await rig.turn_key("attendant")
        await rig.until_true(lambda: hopper.breaks_after is None)
        await rig.until("idle")
        assert (hopper.tray, rig.credit) == (10, 0)
        assert await rig.rows("SELECT kind, state FROM payouts") == [("hopper", "done")]
        rig.machine.keys.take("attendant", turned=True)
        await rig.until("service_menu")


@pytest.mark.requirement("P10")
async def test_the_technicians_faults_are_cleared_by_the_pin_and_not_by_the_key(tmp_path: Path) -> None:
    """Whoever only turns the key, or types a wrong PIN, leaves the opened logic area as it is."""
    async with Rig(tmp_path) as rig:
        await rig.turn_key("technician")
        await rig.listener.device_fault("logic", "logic_opened", present=True)
        hand = Hand(rig)
        await hand.turn(Role.TECHNICIAN)
        await hand.type("111111")
        assert rig.notices() == {"logic_opened"}
        await hand.type(PIN)
        await rig.until_true(lambda: bool(hand.page.rows))
        assert rig.notices() == set()
        assert await rig.cleared() == ["logic_opened cleared by technician"]


async def test_a_press_drawn_from_an_older_page_does_nothing_on_a_newer_one(tmp_path: Path) -> None:
    """Two fingers at once: the second press meant a page that is gone, and is dropped."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        for _ in range(2):
            rig.machine.states.press("service:row:0")
        await asyncio.sleep(0.2)
        assert hand.page.code == "A"
