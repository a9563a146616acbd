"""Money out: hopper and hand-pay, each interrupted in every way, and never paid twice or lost."""

import asyncio
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from controller.configuration.cabinet_toml import Config, Games
from controller.journal import payouts
from controller.journal.errors import RefusedError
from controller.machine.states import TABLE
from controller.rounds.draws import seeded_source
from controller.session.betting import residue_cents
from drivers.capabilities import CoinReport, PayoutEnd
from drivers.wiring import BUTTONS
from tests.rigs.machine import COIN_S, PlainHopper, Rig
from tests.rigs.seeds import CHESTS, LOSING
from tests.rigs.virtual_cabinet import configuration
from ui.protocol.values import Payout


async def paid_out(rig: Rig) -> tuple[int, int]:
    """The meters of money out: by the hopper, by hand."""
    return await rig.meter("hopper_out"), await rig.meter("hand_pay")


@pytest.mark.requirement("D9", "B11")
async def test_credit_within_the_limit_comes_from_the_hopper(tmp_path: Path) -> None:
    """Each coin leaves the credit as it passes; afterwards the amount stays on the screen for a while."""
    hopper = PlainHopper()
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(1000)
        await rig.press("collect", 1.1)
        assert (rig.shown, rig.credit) == ("collecting", 1000 - 100 * hopper.tray)
        assert 0 < hopper.tray < 10
        assert (rig.front.coins, rig.front.notes, dict(rig.front.lit)) == (False, frozenset(), {"service": "on"})
        await rig.until_true(lambda: rig.credit == 0)
        payout = rig.screen.view.balance.payout
        assert payout is not None
        assert (rig.shown, payout.by, payout.amount_cents, payout.paid_cents) == (
            "collecting",
            "hopper",
            1000,
            1000,
        )
        await rig.until("idle")
        assert (hopper.tray, await paid_out(rig), rig.screen.view.balance.payout) == (10, (1000, 0), None)
        assert await rig.rows("SELECT state FROM payouts") == [("done",)]


@pytest.mark.requirement("M3", "B8")
async def test_odd_cents_and_what_is_above_the_limit_are_paid_by_hand(tmp_path: Path) -> None:
    """The hopper pays whole coins up to its limit, the attendant the rest."""
    hopper = PlainHopper()
    config = configuration(tmp_path)
    limits = msgspec.structs.replace(config.limits, hopper_cents=300)
    rig = Rig(
        tmp_path,
        hopper=hopper,
        draws=seeded_source(LOSING),
        config=msgspec.structs.replace(config, limits=limits),
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
        assert await rig.meter("wins") == 0


@pytest.mark.requirement("B8")
async def test_without_a_hopper_all_is_paid_by_hand_and_the_player_may_back_out(tmp_path: Path) -> None:
    """COLLECT takes a hand-pay back: the credit stays, nothing is metered, and play goes on."""
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


async def test_a_hand_pay_survives_a_restart(tmp_path: Path) -> None:
    """It is on the screen again, for the same amount, and confirmed once."""
    async with Rig(tmp_path) as rig:
        await rig.game(1000)
        await rig.press("collect")
        await rig.restart(until="handpay")
        assert rig.screen.view.balance.payout is not None
        assert rig.screen.view.balance.payout.amount_cents == 1000
        await rig.turn_key("attendant")
        await rig.restart(until="idle")
        assert (rig.credit, await paid_out(rig), await rig.meter("hand_pays")) == (0, (0, 1000), 1)


@pytest.mark.requirement("D5")
@pytest.mark.parametrize("end", [PayoutEnd.EMPTY, PayoutEnd.JAMMED, PayoutEnd.STOPPED])
async def test_what_the_hopper_cannot_pay_is_paid_by_hand(tmp_path: Path, end: PayoutEnd) -> None:
    """An empty or jammed hopper ends its payout short and stops play until cleared; the rest is paid by hand."""
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


async def test_what_a_hopper_leaves_undecided_is_held(tmp_path: Path) -> None:
    """Where the counters contradict each other the amount in doubt is no credit and no hand-pay, but an open item."""
    hopper = PlainHopper()
    hopper.stock, hopper.end = 4, PayoutEnd.UNDECIDED
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(1000)
        await rig.press("collect")
        await rig.until("tilted")
        await rig.turn_key("attendant")
        await rig.until("idle")
        assert "open_item" in rig.notices()
        assert (rig.credit, rig.screen.view.balance.held_cents, await paid_out(rig)) == (0, 600, (400, 0))
        assert await rig.rows("SELECT kind, amount_cents FROM open_items") == [("payout_held", 600)]
        await asyncio.sleep(10.0)
        assert rig.screen.view.balance.held_cents == 600


@pytest.mark.requirement("B8")
@pytest.mark.parametrize(("limit", "most", "coins"), [(500, 250, 5), (20_000, 7, 7), (20_000, 250, 20), (0, 250, 0)])
async def test_the_hopper_pays_up_to_its_limits_and_the_attendant_the_rest(
    tmp_path: Path, limit: int, most: int, coins: int
) -> None:
    """The lesser of `hopper_cents` and `max_coins`; whichever way, all of the credit goes out once."""
    hopper = PlainHopper()
    config = configuration(tmp_path)
    assert config.hopper is not None
    config = msgspec.structs.replace(
        config,
        limits=msgspec.structs.replace(config.limits, hopper_cents=limit),
        hopper=msgspec.structs.replace(config.hopper, max_coins=most),
    )
    async with Rig(tmp_path, hopper=hopper, config=config) as rig:
        await rig.game(2000)
        await rig.press("collect")
        if coins < 20:
            await rig.until("handpay")
            assert (rig.credit, hopper.tray) == (2000 - 100 * coins, coins)
            await rig.turn_key("attendant")
        await rig.until("idle")
        assert (rig.credit, await paid_out(rig)) == (0, (100 * coins, 2000 - 100 * coins))


@pytest.mark.requirement("D9")
async def test_the_player_cannot_pause_a_payout(tmp_path: Path) -> None:
    """Whatever is pressed on panel and screen, coin follows coin without a gap; only the service call lives."""
    hopper = PlainHopper()
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(2000)
        await rig.press("collect")
        assert rig.machine.states.controls == {"service"}
        pressed = [*BUTTONS, *(control for row in TABLE.values() for control in row.touch)]
        for at, control in enumerate(pressed):
            await rig.press(control, COIN_S / 4)
            if rig.credit:
                assert hopper.tray >= at // 4
        await rig.until("idle")
        assert (hopper.tray, rig.credit, await paid_out(rig)) == (20, 0, (2000, 0))
        assert await rig.rows("SELECT state FROM payouts") == [("done",)]


@pytest.mark.requirement("D2")
@pytest.mark.parametrize("obstacle", ["door", "tilt"])
async def test_an_obstacle_stops_the_hopper_and_its_end_goes_on(tmp_path: Path, obstacle: str) -> None:
    """A door or a tilt stops a payout at once; shut or cleared, the same order pays its rest and no coin more."""
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


async def test_a_line_that_fails_within_a_payout_is_reported_and_the_order_goes_on(tmp_path: Path) -> None:
    """The error is on the screen until the hopper pays again; the order is finished, not begun anew."""
    hopper = PlainHopper()
    hopper.breaks_after = 3
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(1000)
        await rig.press("collect", 1.1)
        assert (rig.shown, rig.notices()) == ("collecting", {"driver_stopped"})
        await rig.until("idle")
        assert (hopper.tray, rig.notices(), await paid_out(rig)) == (10, set(), (1000, 0))


async def test_the_key_has_a_hopper_that_comes_back_stopped_and_counted(tmp_path: Path) -> None:
    """Turned while it is away, it pays nothing by hand yet: the hopper answers first, and gives no coin more."""
    hopper = PlainHopper()
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(1000)
        hopper.breaks_after = 3
        await rig.press("collect", 0.3)
        hopper.ready = False
        await rig.until_true(lambda: hopper.breaks_after is None)
        hopper.tray += 2  # they fell while nobody heard it
        await rig.turn_key("attendant")
        await asyncio.sleep(10.0)
        payout = rig.screen.view.balance.payout
        assert payout is not None
        assert (rig.shown, rig.credit) == ("collecting", 700)
        assert (payout.hopper, payout.held_cents, payout.hand_cents) == ("counted", 700, 0)
        assert 15 < payout.key_in_s < 25
        hopper.ready = True
        await rig.until("handpay")
        assert (hopper.tray, rig.credit) == (5, 500)
        await rig.turn_key("attendant")
        await rig.until("idle")
        assert (rig.credit, await paid_out(rig)) == (0, (500, 500))
        assert await rig.rows("SELECT state FROM payouts ORDER BY id") == [("short",), ("done",)]
        assert await rig.rows("SELECT count(*) FROM open_items") == [(0,)]


@pytest.mark.parametrize("fell", [0, 2, 7])
async def test_a_hopper_that_stays_away_is_given_up_and_settles_when_it_is_back(tmp_path: Path, fell: int) -> None:
    """After so many seconds the key ends the payout: what may have left is held until the hopper has counted it."""
    hopper = PlainHopper()
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(1000)
        hopper.breaks_after = 3
        await rig.press("collect", 0.3)
        hopper.ready = False
        await asyncio.sleep(40.0)
        assert (rig.shown, rig.credit) == ("collecting", 700)
        await rig.turn_key("attendant")
        assert (rig.shown, rig.credit, rig.screen.view.balance.held_cents) == ("collecting", 0, 700)
        await rig.until("idle")
        assert await rig.rows("SELECT kind, amount_cents FROM open_items") == [("payout_held", 700)]
        hopper.tray += fell
        await rig.restart(until="idle")
        await asyncio.sleep(5.0)
        assert (rig.credit, rig.screen.view.balance.held_cents) == (0, 700)
        hopper.ready = True
        await rig.until_true(lambda: rig.screen.view.balance.held_cents == 0)
        assert (rig.credit, await paid_out(rig)) == (700 - 100 * fell, (300 + 100 * fell, 0))
        assert "open_item" not in rig.notices()
        await rig.until_true(lambda: not rig.notices(), 90.0)  # the fault that it raised is retested
        if rig.credit:
            await rig.press("collect")
            await rig.until_true(lambda: rig.credit == 0)
        assert (hopper.tray, await paid_out(rig)) == (10, (1000, 0))


async def test_what_is_not_in_doubt_is_paid_by_hand_when_a_hopper_is_given_up(tmp_path: Path) -> None:
    """Credit beyond the hopper's order never was its to pay; the screen shows what is paid how, and what is held."""
    hopper = PlainHopper()
    config = configuration(tmp_path)
    limits = msgspec.structs.replace(config.limits, hopper_cents=500)
    async with Rig(tmp_path, hopper=hopper, config=msgspec.structs.replace(config, limits=limits)) as rig:
        await rig.game(2000)
        hopper.breaks_after = 3
        await rig.press("collect", 0.3)
        hopper.ready = False
        await asyncio.sleep(40.0)
        payout = rig.screen.view.balance.payout
        assert payout is not None
        assert (payout.hopper, payout.key_in_s, payout.held_cents, payout.hand_cents) == ("away", 0, 200, 1500)
        await rig.turn_key("attendant")
        await rig.until("handpay")
        payout = rig.screen.view.balance.payout
        assert payout is not None
        assert (payout.amount_cents, payout.coins_cents, payout.held_cents) == (1500, 300, 200)
        await rig.turn_key("attendant")
        assert (rig.credit, await paid_out(rig)) == (0, (300, 1500))
        await rig.until("idle")
        assert rig.screen.view.balance.held_cents == 200


async def test_an_open_door_is_no_hopper_that_stays_away(tmp_path: Path) -> None:
    """While a door holds the payout up nobody asks the hopper: the seconds begin when it is shut."""
    hopper = PlainHopper()
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(1000)
        hopper.breaks_after = 3
        await rig.press("collect", 0.3)
        hopper.ready = False
        await rig.until_true(lambda: hopper.breaks_after is None)
        await rig.door(is_open=True)
        await asyncio.sleep(60.0)
        await rig.door(is_open=False)
        await rig.turn_key("attendant")
        await asyncio.sleep(5.0)
        assert (rig.shown, rig.credit) == ("collecting", 700)
        assert await rig.rows("SELECT state FROM payouts") == [("open",)]


@pytest.mark.parametrize("after_s", [0.0, 0.25, 0.5, 1.0, 1.9, 2.05, 3.0])
async def test_a_payout_cut_at_any_moment_pays_every_coin_once(tmp_path: Path, after_s: float) -> None:
    """Killed within a payout and started again with a hopper that comes late, the coins add up to the credit."""
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


async def test_money_that_comes_within_a_hand_pay_stays(tmp_path: Path) -> None:
    """A note that was being stacked as COLLECT was pressed is credited, and not paid with the confirmed amount."""
    async with Rig(tmp_path) as rig:
        await rig.game(1000)
        await rig.listener.bill_in_escrow(500)
        await rig.press("collect")
        assert rig.shown == "handpay"
        await rig.listener.bill_stacked(500)
        assert rig.credit == 1500
        await rig.turn_key("attendant")
        assert (rig.credit, await paid_out(rig)) == (500, (0, 1000))


@pytest.mark.requirement("B9")
async def test_no_payout_begins_within_a_round(tmp_path: Path) -> None:
    """The books themselves refuse it, so that no race of flows can pay a stake that is played."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(1000)
        await rig.press("spin")
        await rig.until("offer")
        with pytest.raises(RefusedError, match="A round is in progress"):
            await rig.journal.do(lambda tx: payouts.begin_payout(tx, "hand_pay", 1000))


async def test_coins_beyond_the_order_tilt_once_and_are_open_items(tmp_path: Path) -> None:
    """The tilt stops the payout that raised it; cleared, the payout finds the same coins and does not tilt again."""
    hopper = PlainHopper()
    hopper.runaway = 2
    async with Rig(tmp_path, hopper=hopper) as rig:
        await rig.game(500)
        await rig.press("collect")
        await rig.until("tilted")
        await asyncio.sleep(5.0)
        assert (hopper.tray, rig.credit, rig.notices()) == (7, 0, {"hopper_runaway", "open_item_attendant"})
        await rig.turn_key("attendant")
        await rig.until("idle")
        assert await paid_out(rig) == (500, 0)
        assert await rig.rows("SELECT kind, amount_cents FROM open_items") == [("hopper_overpaid", 100)] * 2


def with_residue(folder: Path, residue: Literal["credit", "hand_pay"]) -> Config:
    """The sample cabinet with a hopper of 1.00 and that `payout.residue`."""
    config = configuration(folder)
    return msgspec.structs.replace(config, payout=msgspec.structs.replace(config.payout, residue=residue))


async def put_in(rig: Rig, cents: int) -> None:
    """Have that credit, the last of it in coins of 0.50."""
    await rig.game(cents - cents % 500)
    coins = tuple(50 for _ in range(cents % 500 // 50))
    report = CoinReport(serial=7, counter=len(coins), values_cents=coins)
    await rig.listener.coins(report)
    assert rig.credit == cents


@pytest.mark.requirement("B12")
async def test_less_than_a_coin_of_the_hopper_stays_as_credit(tmp_path: Path) -> None:
    """58.50: 58.00 in coins, 0.50 on the meter, shown until the next play and played off; nobody is called."""
    hopper = PlainHopper()
    config = with_residue(tmp_path, "credit")
    async with Rig(tmp_path, hopper=hopper, config=config, draws=seeded_source(LOSING)) as rig:
        await put_in(rig, 5850)
        await rig.press("collect")
        await rig.until_true(lambda: rig.credit == 50)
        assert rig.screen.view.balance.residue_cents == 50
        await rig.until("idle")
        view = rig.screen.view
        assert (hopper.tray, rig.credit, await paid_out(rig)) == (58, 50, (5800, 0))
        assert (view.balance.paid.coins_cents, view.balance.residue_cents, view.message) == (5800, 50, "")
        await rig.press("collect")
        view = rig.screen.view
        assert (rig.shown, rig.credit, view.message) == ("idle", 50, "residue_stays")
        assert await rig.rows("SELECT kind, state FROM payouts") == [("hopper", "done")]
        await rig.press("spin")
        await rig.until("lowest_bet")
        await rig.press("spin")
        await rig.press("spin")
        await rig.until("idle")
        assert rig.credit < 50


async def test_a_residue_is_shown_only_while_it_is_one(tmp_path: Path) -> None:
    """In lobby and game: once money that has come in makes it a whole coin, COLLECT pays it and the words end."""
    config = with_residue(tmp_path, "credit")
    async with Rig(tmp_path, hopper=PlainHopper(), config=config) as rig:
        await put_in(rig, 550)
        await rig.press("collect")
        await rig.until("idle")
        for place in ("idle", "lobby"):
            if place == "lobby":
                await rig.press("home")
            await rig.press("collect")
            assert (rig.shown, rig.screen.view.message, rig.screen.view.balance.residue_cents) == (
                place,
                "residue_stays",
                50,
            )
        await rig.listener.coins(CoinReport(serial=7, counter=2, values_cents=(50,)))
        assert (rig.credit, rig.screen.view.message, rig.screen.view.balance.residue_cents) == (100, "", 0)


async def test_a_residue_that_was_left_behind_keeps_no_attract_show_away(tmp_path: Path) -> None:
    """The show comes with the credit on it, also after a restart; money that comes in then opens the game."""
    config = with_residue(tmp_path, "credit")
    async with Rig(tmp_path, hopper=PlainHopper(), config=config) as rig:
        await put_in(rig, 550)
        await rig.press("collect")
        await rig.until("attract", 90.0)
        assert rig.credit == 50
        await rig.restart(until="attract")
        await asyncio.sleep(30.0)
        assert (rig.shown, rig.credit) == ("attract", 50)
        await rig.listener.coins(CoinReport(serial=7, counter=9, values_cents=(20,)))
        await rig.until("idle")
        assert rig.credit == 70


async def test_a_residue_is_paid_by_hand_where_that_is_configured(tmp_path: Path) -> None:
    """The screen shows the whole cash-out, 58.00 in coins and 0.50 by hand, before and after the key."""
    config = with_residue(tmp_path, "hand_pay")
    async with Rig(tmp_path, hopper=PlainHopper(), config=config) as rig:
        await put_in(rig, 5850)
        await rig.press("collect")
        await rig.until("handpay")
        assert rig.screen.view.balance.payout == Payout("attendant", 50, 0, coins_cents=5800)
        await rig.restart(until="handpay")
        assert rig.screen.view.balance.payout == Payout("attendant", 50, 0, coins_cents=5800)
        await rig.turn_key("attendant")
        assert (rig.shown, rig.credit) == ("handpay", 0)
        assert rig.screen.view.balance.payout == Payout("attendant", 50, 50, coins_cents=5800)
        await rig.until("idle")
        assert await paid_out(rig) == (5800, 50)


ELVES_FROM_2 = {"mystery_elves": (200, 400)}


def offering(
    folder: Path,
    *names: str,
    bets_cents: dict[str, tuple[int, ...]] | None = None,
    values_cents: tuple[int, ...] = (1,),
) -> Config:
    """The sample cabinet with `payout.residue = "credit"`, which offers those games alone at those bets."""
    config = with_residue(folder, "credit")
    games = Games(
        enabled=names,
        default=names[0],
        coin_values_cents=values_cents,
        default_coin_value_cents=values_cents[0],
        bets_cents=bets_cents or {},
    )
    return msgspec.structs.replace(config, games=games)


@pytest.mark.parametrize(
    ("names", "bets_cents", "values_cents", "lowest_cents"),
    [
        (("witch_feature",), {}, (1,), 50),
        (("mystery_elves",), {}, (1,), 10),
        (("mystery_elves",), ELVES_FROM_2, (1,), None),
        (("mystery_elves", "witch_feature"), ELVES_FROM_2, (1,), 50),
        (("neptune",), {}, (20,), 20),
        (("neptune",), {}, (50, 5), 5),
        (("neptune",), {}, (100,), None),
        (("witch_feature", "neptune"), {}, (1,), 1),
    ],
)
def test_only_what_some_bet_on_offer_can_play_off_is_a_residue(
    tmp_path: Path,
    names: tuple[str, ...],
    bets_cents: dict[str, tuple[int, ...]],
    values_cents: tuple[int, ...],
    lowest_cents: int | None,
) -> None:
    """From the lowest bet of all games and coin values on, and below the hopper's coin of 1.00."""
    config = offering(tmp_path, *names, bets_cents=bets_cents, values_cents=values_cents)
    stays = {cents for cents in range(1, 301) if residue_cents(config, cents)}
    assert stays == (set() if lowest_cents is None else set(range(lowest_cents, 100)))
    assert all(residue_cents(config, cents) == cents for cents in stays)


async def test_less_than_the_lowest_bet_is_paid_by_hand(tmp_path: Path) -> None:
    """Nobody can play 0.20 off where the lowest bet is 0.50: COLLECT ends with a hand-pay, after coins and alone."""
    hopper = PlainHopper()
    config = offering(tmp_path, "witch_feature")
    async with Rig(tmp_path, hopper=hopper, config=config) as rig:
        await rig.game(500)
        await rig.listener.coins(CoinReport(serial=7, counter=1, values_cents=(20,)))
        await rig.press("collect")
        await rig.until("handpay")
        assert (hopper.tray, rig.credit) == (5, 20)
        assert rig.screen.view.balance.payout == Payout("attendant", 20, 0, coins_cents=500)
        await rig.press("collect")  # backs out
        view = rig.screen.view
        assert (rig.shown, rig.credit, view.message, view.balance.residue_cents) == ("idle", 20, "", 0)
        await rig.press("spin")
        assert (rig.shown, rig.screen.view.message) == ("idle", "credit_below_lowest_bet")
        await asyncio.sleep(90.0)
        assert rig.shown == "idle", "a player's money keeps the attract show away"
        await rig.press("collect")
        assert (rig.shown, rig.screen.view.balance.payout) == ("handpay", Payout("attendant", 20, 0))
        await rig.restart(until="handpay")
        await rig.turn_key("attendant")
        await rig.until("idle")
        assert (rig.credit, await paid_out(rig)) == (0, (500, 20))


async def test_what_is_left_of_a_residue_that_was_played_is_paid_by_hand(tmp_path: Path) -> None:
    """0.70 stays as credit where the lowest bet is 0.50; one lost spin later 0.20 is none, and its words end."""
    config = offering(tmp_path, "witch_feature", bets_cents={"witch_feature": (50,)})
    draws = seeded_source(8)
    async with Rig(tmp_path, hopper=PlainHopper(), config=config, draws=draws) as rig:
        await rig.game(500)
        await rig.listener.coins(CoinReport(serial=7, counter=2, values_cents=(50, 20)))
        await rig.press("collect")
        await rig.until("idle")
        assert (rig.credit, rig.screen.view.balance.residue_cents) == (70, 70)
        await rig.press("collect")
        assert (rig.shown, rig.screen.view.message) == ("idle", "residue_stays")
        await rig.press("spin")
        await rig.until("idle")
        view = rig.screen.view
        assert (rig.credit, view.balance.residue_cents, view.message) == (20, 0, "")
        await rig.press("collect")
        assert (rig.shown, rig.screen.view.balance.payout) == ("handpay", Payout("attendant", 20, 0))


async def test_the_lobby_leads_to_the_show_only_with_a_residue_that_can_be_played(tmp_path: Path) -> None:
    """0.20 at bets from 0.50 on: HOME and INFO would lead to a show that leads straight back."""
    config = offering(tmp_path, "witch_feature", "mystery_elves", bets_cents={"mystery_elves": (50, 100)})
    async with Rig(tmp_path, hopper=PlainHopper(), config=config) as rig:
        for cents, leads in ((20, False), (50, True)):
            await rig.listener.coins(CoinReport(serial=7, counter=cents, values_cents=(cents,)))
            await rig.until("lobby")
            assert ({"home", "info"} <= rig.machine.states.controls, "collect" in rig.machine.states.controls) == (
                leads,
                True,
            )


async def test_a_hand_pay_that_is_wanted_anyway_leaves_no_residue(tmp_path: Path) -> None:
    """Above the hopper's limit, or without a hopper that can be asked, an attendant pays the odd cents too."""
    hopper = PlainHopper()
    config = with_residue(tmp_path, "credit")
    limits = msgspec.structs.replace(config.limits, hopper_cents=5000)
    async with Rig(tmp_path, hopper=hopper, config=msgspec.structs.replace(config, limits=limits)) as rig:
        await put_in(rig, 5850)
        await rig.press("collect")
        await rig.until("handpay")
        assert rig.screen.view.balance.payout == Payout("attendant", 850, 0, coins_cents=5000)


@pytest.mark.parametrize("fitted", [True, False])
async def test_a_cabinet_that_pays_no_coins_pays_everything_by_hand(tmp_path: Path, *, fitted: bool) -> None:
    """Without a hopper, or with one that may pay nothing, a residue is no residue."""
    config = with_residue(tmp_path, "credit")
    if fitted:
        config = msgspec.structs.replace(config, limits=msgspec.structs.replace(config.limits, hopper_cents=0))
    else:
        config = msgspec.structs.replace(config, hopper=None)
    async with Rig(tmp_path, hopper=PlainHopper() if fitted else None, config=config) as rig:
        await put_in(rig, 550)
        await rig.press("collect")
        assert (rig.shown, rig.screen.view.balance.payout) == ("handpay", Payout("attendant", 550, 0))
        await rig.turn_key("attendant")
        await rig.until("idle")
        await rig.listener.coins(CoinReport(serial=7, counter=9, values_cents=(50,)))
        await rig.press("collect")
        assert (rig.shown, rig.screen.view.balance.residue_cents) == ("handpay", 0)
