"""Money out: hopper and hand-pay, each interrupted in every way, and never paid twice or lost."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from controller.journal import payouts
from controller.journal.errors import RefusedError
from controller.machine.states import TABLE
from controller.play.draws import seeded_source
from drivers.capabilities import PayoutEnd
from drivers.wiring import BUTTONS
from tests.controller.machine_rig import COIN_S, PlainHopper, Rig
from tests.controller.test_machine_play import CHESTS, LOSING
from tests.controller.virtual_cabinet import configuration
from tests.virtual_time import run_virtual


async def paid_out(rig: Rig) -> tuple[int, int]:
    """The meters of money out: by the hopper, by hand."""
    return await rig.meter("hopper_out"), await rig.meter("hand_pay")


def test_credit_within_the_limit_comes_from_the_hopper(tmp_path: Path) -> None:
    """Each coin leaves the credit as it passes (D9); afterwards the amount stays on the screen for a while (B11)."""

    async def play() -> None:
        hopper = PlainHopper()
        async with Rig(tmp_path, hopper=hopper) as rig:
            await rig.game(1000)
            await rig.press("collect", 1.1)
            assert (rig.shown, rig.credit) == ("collecting", 1000 - 100 * hopper.tray)
            assert 0 < hopper.tray < 10
            assert (rig.front.coins, rig.front.notes, dict(rig.front.lit)) == (False, frozenset(), {"service": "on"})
            await rig.until_true(lambda: rig.credit == 0)
            payout = rig.screen.view.payout
            assert payout is not None
            assert (rig.shown, payout.by, payout.amount_cents, payout.paid_cents) == (
                "collecting",
                "hopper",
                1000,
                1000,
            )
            await rig.until("idle")
            assert (hopper.tray, await paid_out(rig), rig.screen.view.payout) == (10, (1000, 0), None)
            assert await rig.rows("SELECT state FROM payouts") == [("done",)]

    run_virtual(play())


def test_odd_cents_and_what_is_above_the_limit_are_paid_by_hand(tmp_path: Path) -> None:
    """The hopper pays whole coins up to its limit, the attendant the rest (B8)."""

    async def play() -> None:
        hopper = PlainHopper()
        cabinet = configuration(tmp_path)
        limits = msgspec.structs.replace(cabinet.limits, hopper_cents=300)
        rig = Rig(
            tmp_path,
            hopper=hopper,
            draws=seeded_source(LOSING),
            cabinet=msgspec.structs.replace(cabinet, limits=limits),
        )
        async with rig:
            await rig.game(1000)
            await rig.press("spin")
            await rig.until("idle")
            await rig.press("collect")
            await rig.until("handpay")
            assert (hopper.tray, rig.credit) == (3, 550)
            assert rig.front.light == {"top": "slow", "bottom": "slow"}
            await rig.turn_key("attendant")
            assert rig.credit == 0
            await rig.until("idle")
            assert await paid_out(rig) == (300, 550)

    run_virtual(play())


def test_without_a_hopper_all_is_paid_by_hand_and_the_player_may_back_out(tmp_path: Path) -> None:
    """COLLECT takes a hand-pay back (B8): the credit stays, nothing is metered, and play goes on."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.game(1000)
            await rig.press("collect")
            assert rig.shown == "handpay"
            await rig.turn_key("technician")
            assert (rig.shown, rig.credit) == ("handpay", 1000)
            await rig.press("collect")
            assert (rig.shown, rig.credit, await paid_out(rig)) == ("idle", 1000, (0, 0))
            assert await rig.rows("SELECT state FROM payouts") == [("cancelled",)]
            await rig.turn_key("attendant")
            assert rig.credit == 1000

    run_virtual(play())


def test_a_hand_pay_survives_a_restart(tmp_path: Path) -> None:
    """It is on the screen again, for the same amount, and confirmed once."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.game(1000)
            await rig.press("collect")
            await rig.restart(until="handpay")
            assert rig.screen.view.payout is not None
            assert rig.screen.view.payout.amount_cents == 1000
            await rig.turn_key("attendant")
            await rig.restart(until="idle")
            assert (rig.credit, await paid_out(rig), await rig.meter("hand_pays")) == (0, (0, 1000), 1)

    run_virtual(play())


@pytest.mark.parametrize("end", [PayoutEnd.EMPTY, PayoutEnd.JAMMED, PayoutEnd.STOPPED])
def test_what_the_hopper_cannot_pay_is_paid_by_hand(tmp_path: Path, end: PayoutEnd) -> None:
    """An empty or jammed hopper ends its payout short and stops play until cleared (D5); the rest is paid by hand."""

    async def play() -> None:
        hopper = PlainHopper()
        hopper.stock, hopper.end = 4, end
        async with Rig(tmp_path, hopper=hopper) as rig:
            await rig.game(1000)
            await rig.press("collect")
            await rig.until("tilted")
            assert (hopper.tray, rig.credit, "hopper_empty" in rig.notices()) == (4, 600, True)
            await asyncio.sleep(10.0)
            await rig.turn_key("attendant")
            assert (rig.shown, rig.credit, rig.notices() - {"open_item"}) == ("handpay", 600, set())
            await rig.turn_key("attendant")
            await rig.until("idle")
            assert (rig.credit, rig.notices(), await paid_out(rig)) == (0, set(), (400, 600))
            assert await rig.rows("SELECT state FROM payouts ORDER BY id") == [("short",), ("done",)]

    run_virtual(play())


def test_what_a_hopper_leaves_undecided_is_an_open_item(tmp_path: Path) -> None:
    """Where the counters contradict each other the amount in doubt is written down and shown, not guessed."""

    async def play() -> None:
        hopper = PlainHopper()
        hopper.stock, hopper.end = 4, PayoutEnd.UNDECIDED
        async with Rig(tmp_path, hopper=hopper) as rig:
            await rig.game(1000)
            await rig.press("collect")
            await rig.until("tilted")
            await rig.turn_key("attendant")
            await rig.until("handpay")
            assert "open_item" in rig.notices()
            assert await rig.rows("SELECT kind, amount_cents FROM open_items") == [("payout_undecided", 600)]

    run_virtual(play())


@pytest.mark.parametrize(("limit", "most", "coins"), [(500, 250, 5), (20_000, 7, 7), (20_000, 250, 20), (0, 250, 0)])
def test_the_hopper_pays_up_to_its_limits_and_the_attendant_the_rest(
    tmp_path: Path, limit: int, most: int, coins: int
) -> None:
    """The lesser of `hopper_cents` and `max_coins` (B8); whichever way, all of the credit goes out once."""

    async def play() -> None:
        hopper = PlainHopper()
        cabinet = configuration(tmp_path)
        assert cabinet.hopper is not None
        cabinet = msgspec.structs.replace(
            cabinet,
            limits=msgspec.structs.replace(cabinet.limits, hopper_cents=limit),
            hopper=msgspec.structs.replace(cabinet.hopper, max_coins=most),
        )
        async with Rig(tmp_path, hopper=hopper, cabinet=cabinet) as rig:
            await rig.game(2000)
            await rig.press("collect")
            if coins < 20:
                await rig.until("handpay")
                assert (rig.credit, hopper.tray) == (2000 - 100 * coins, coins)
                await rig.turn_key("attendant")
            await rig.until("idle")
            assert (rig.credit, await paid_out(rig)) == (0, (100 * coins, 2000 - 100 * coins))

    run_virtual(play())


def test_the_player_cannot_pause_a_payout(tmp_path: Path) -> None:
    """Whatever is pressed on panel and screen, coin follows coin without a gap (D9); only the service call lives."""

    async def play() -> None:
        hopper = PlainHopper()
        async with Rig(tmp_path, hopper=hopper) as rig:
            await rig.game(2000)
            await rig.press("collect")
            assert rig.machine.controls == {"service"}
            pressed = [*BUTTONS, *(control for row in TABLE.values() for control in row.touch)]
            for at, control in enumerate(pressed):
                await rig.press(control, COIN_S / 4)
                if rig.credit:
                    assert hopper.tray >= at // 4
            await rig.until("idle")
            assert (hopper.tray, rig.credit, await paid_out(rig)) == (20, 0, (2000, 0))
            assert await rig.rows("SELECT state FROM payouts") == [("done",)]

    run_virtual(play())


@pytest.mark.parametrize("obstacle", ["door", "tilt"])
def test_an_obstacle_stops_the_hopper_and_its_end_goes_on(tmp_path: Path, obstacle: str) -> None:
    """A door or a tilt stops a payout at once (D2); shut or cleared, the same order pays its rest and no coin more."""

    async def play() -> None:
        hopper = PlainHopper()
        async with Rig(tmp_path, hopper=hopper) as rig:
            await rig.game(1000)
            await rig.press("collect", 1.1)
            if obstacle == "door":
                await rig.door(is_open=True)
            else:
                await rig.listener.device_fault("coin_acceptor", "coin_string", present=True)
            tray = hopper.tray
            await asyncio.sleep(30.0)
            assert (rig.shown, hopper.tray, rig.credit) == ("tilted", tray, 1000 - 100 * tray)
            if obstacle == "door":
                await rig.turn_key("attendant")
                await rig.door(is_open=False)
            else:
                await rig.turn_key("attendant")
            assert rig.shown == "collecting"
            await rig.until("idle")
            assert (hopper.tray, rig.credit, await paid_out(rig)) == (10, 0, (1000, 0))
            assert await rig.rows("SELECT state FROM payouts") == [("done",)]
            assert await rig.rows("SELECT count(*) FROM open_items") == [(0,)]

    run_virtual(play())


def test_a_line_that_fails_within_a_payout_is_told_and_the_order_goes_on(tmp_path: Path) -> None:
    """The error is on the screen until the hopper pays again; the order is finished, not begun anew."""

    async def play() -> None:
        hopper = PlainHopper()
        hopper.breaks_after = 3
        async with Rig(tmp_path, hopper=hopper) as rig:
            await rig.game(1000)
            await rig.press("collect", 1.1)
            assert (rig.shown, rig.notices()) == ("collecting", {"driver_stopped"})
            await rig.until("idle")
            assert (hopper.tray, rig.notices(), await paid_out(rig)) == (10, set(), (1000, 0))

    run_virtual(play())


def test_a_hopper_that_stays_away_is_given_up_by_the_attendant(tmp_path: Path) -> None:
    """Nobody knows what an unplugged hopper paid last: the key makes it an open item, and the rest a hand-pay."""

    async def play() -> None:
        hopper = PlainHopper()
        async with Rig(tmp_path, hopper=hopper) as rig:
            await rig.game(1000)
            hopper.breaks_after = 3
            await rig.press("collect", 0.3)
            hopper.ready = False
            await asyncio.sleep(60.0)
            assert (rig.shown, rig.credit) == ("collecting", 700)
            await rig.turn_key("attendant")
            await rig.until("handpay")
            assert await rig.rows("SELECT kind, amount_cents FROM open_items") == [("payout_undecided", 700)]
            await rig.turn_key("attendant")
            assert (rig.credit, await paid_out(rig)) == (0, (300, 700))

    run_virtual(play())


@pytest.mark.parametrize("after_s", [0.0, 0.25, 0.5, 1.0, 1.9, 2.05, 3.0])
def test_a_payout_cut_at_any_moment_pays_every_coin_once(tmp_path: Path, after_s: float) -> None:
    """Killed within a payout and started again with a hopper that comes late, the coins add up to the credit."""

    async def play() -> None:
        hopper = PlainHopper()
        async with Rig(tmp_path, hopper=hopper) as rig:
            await rig.game(1000)
            await rig.press("collect", after_s)
            await rig.kill()
            hopper.ready = False
            await rig.start(until=None)
            await asyncio.sleep(20.0)
            assert rig.credit - (1000 - 100 * hopper.tray) in {0, 100}
            hopper.ready = True
            await rig.until("idle")
            await rig.press("collect")
            await asyncio.sleep(10.0)
            assert (hopper.tray, rig.credit, await paid_out(rig)) == (10, 0, (1000, 0))

    run_virtual(play())


def test_money_that_comes_within_a_hand_pay_stays(tmp_path: Path) -> None:
    """A note that was being stacked as COLLECT was pressed is credited, and not paid with the confirmed amount."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.game(1000)
            await rig.listener.bill_in_escrow(500)
            await rig.press("collect")
            assert rig.shown == "handpay"
            await rig.listener.bill_stacked(500)
            assert rig.credit == 1500
            await rig.turn_key("attendant")
            assert (rig.credit, await paid_out(rig)) == (500, (0, 1000))

    run_virtual(play())


def test_no_payout_begins_within_a_round(tmp_path: Path) -> None:
    """The books themselves refuse it (B9), so that no race of flows can pay a stake that is played."""

    async def play() -> None:
        async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
            await rig.game(1000)
            await rig.press("spin")
            await rig.until("offer")
            with pytest.raises(RefusedError, match="A round is in progress"):
                await rig.journal.do(lambda tx: payouts.begin_payout(tx, "hand_pay", 1000))

    run_virtual(play())


def test_coins_beyond_the_order_tilt_once_and_are_open_items(tmp_path: Path) -> None:
    """The tilt stops the payout that raised it; cleared, the payout finds the same coins and does not tilt again."""

    async def play() -> None:
        hopper = PlainHopper()
        hopper.runaway = 2
        async with Rig(tmp_path, hopper=hopper) as rig:
            await rig.game(500)
            await rig.press("collect")
            await rig.until("tilted")
            await asyncio.sleep(5.0)
            assert (hopper.tray, rig.credit, rig.notices()) == (7, 0, {"hopper_runaway", "open_item"})
            await rig.turn_key("attendant")
            await rig.until("idle")
            assert await paid_out(rig) == (500, 0)
            assert await rig.rows("SELECT kind, amount_cents FROM open_items") == [("hopper_overpaid", 100)] * 2

    run_virtual(play())


# the same with the real driver and a hopper on its wire
