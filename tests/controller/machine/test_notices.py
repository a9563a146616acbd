"""What is said until the next play is there after a win too, and gone from the first view of the next play on."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.faults import Clears, known_faults
from controller.rounds.draws import seeded_source
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.rounds import spin
from tests.rigs.virtual_cabinet import configuration
from ui.protocol.values import Paid

WINNING = 2
"""A seed whose first round of 15 lines at 0.10 wins 3.00."""
REPORTED = sorted(
    code for code, kind in known_faults().items() if kind.clears is Clears.NEXT_PLAY and code != "door_closed"
)


async def is_gone_with_the_next_play(rig: Rig) -> None:
    """Play a round: from its first view on nothing is said that was said before it."""
    before = len(rig.screen.views)
    await spin(rig)
    views = [view for view in rig.screen.views[before:] if view.state == "round"]
    assert views
    for view in (*views, rig.screen.view):
        assert (view.balance.paid, view.notices, view.message) == (Paid(), (), "")


async def test_a_door_is_shown_after_a_win_until_the_next_play(tmp_path: Path) -> None:
    """Opened and shut between two rounds."""
    async with Rig(tmp_path, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        await spin(rig)
        assert rig.screen.view.round.win_cents
        await rig.door(is_open=True)
        await rig.door(is_open=False)
        assert rig.passing_notices() == {"door_closed"}
        assert rig.screen.view.round.win_cents
        await is_gone_with_the_next_play(rig)


async def test_a_payment_is_shown_after_a_win_until_the_next_play(tmp_path: Path) -> None:
    """In coins and by hand, over a restart too."""
    config = configuration(tmp_path)
    config = replace(config, payout=replace(config.payout, residue="hand_pay"))
    async with Rig(tmp_path, draws=seeded_source(WINNING), hopper=PlainHopper(), config=config) as rig:
        await rig.game(2000)
        await spin(rig)
        credit = rig.credit
        await rig.press("collect")
        await rig.until("handpay")
        await rig.turn_key("attendant")
        await rig.until("idle")
        paid = rig.screen.view.balance.paid
        assert paid.coins_cents + paid.hand_cents == credit
        assert paid.hand_cents
        await rig.restart(until="idle")
        assert rig.screen.view.balance.paid == paid
        assert await rig.note(2000)
        await rig.until("idle")
        await is_gone_with_the_next_play(rig)


@pytest.mark.parametrize("code", REPORTED)
async def test_a_fault_that_is_shown_until_the_next_play_goes_with_it(tmp_path: Path, code: str) -> None:
    """Whichever it is, once its cause is gone."""
    async with Rig(tmp_path, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        await spin(rig)
        await rig.listener.device_fault("coin_acceptor", code, present=True)
        await rig.listener.device_fault("coin_acceptor", code, present=False)
        assert code in rig.passing_notices()
        await is_gone_with_the_next_play(rig)
