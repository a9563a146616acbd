"""The full clear and demo mode in the service menu (U.8, U.9): who may, what is asked, and what it leaves."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.books.audit import audit
from controller.books.rotation import seal_of, sealed_files
from controller.features.copies.page import NO_LOGIC_DOOR, REASONS
from controller.journal import tickets
from controller.journal.actor import Role
from controller.journal.money import coins_taken
from controller.journal.payouts import begin_payout
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.supervisor import build_pulsing
from tests.rigs.machine import Rig
from tests.rigs.service_menu import (
    CLEAR,
    Hand,
    clear,
    cleared,
    confirm_clear,
    started_anew,
    technician,
    technician_back,
)
from tests.rigs.virtual_cabinet import configuration


async def test_a_full_clear_from_the_menu(tmp_path: Path) -> None:
    """U.8: key, PIN, door, reason and two confirmations; then zero meters, no PIN, attract, and both books proved."""
    async with technician(tmp_path) as (rig, hand):
        await clear(rig, hand)
        await started_anew(rig)
        assert rig.shown == "attract"
        assert rig.screen.view.past.last_round is None
        (text,) = await rig.events("full_clear")
        assert text.startswith("Full clear by the technician (new installation): journal 2 follows row")
        assert await rig.rows("SELECT name FROM meters WHERE name <> 'power_ups'") == []
        assert await rig.rows("SELECT * FROM people") == []
        for path in (rig.path, *sealed_files(rig.path)):
            assert audit(path, lambda *_: None).failures == []


async def test_the_reason_of_the_last_clear_stands_on_its_page(tmp_path: Path) -> None:
    """U.8: as it was chosen, in words that the screen translates; the seal of the old books has it too."""
    async with technician(tmp_path) as (rig, hand):
        await rig.door(is_open=True, name="logic")
        await hand.go("U.8")
        assert [row.value for row in hand.page.rows if row.label in ("Last full clear", "Reason")] == ["never"]
        for _ in range(2):
            await rig.press("collect")
        await cleared(rig, hand)
        await rig.door(is_open=True, name="logic")
        await hand.go("U.8")
        (reason,) = [row.value for row in hand.page.rows if row.label == "Reason"]
        assert reason == REASONS[0]
        words = seal_of(sealed_files(rig.path)[0])
        assert words is not None
        assert words.reason == reason


async def test_tickets_that_are_out_are_named_before_a_clear(tmp_path: Path) -> None:
    """U.8: how many and what they are worth; without any the page says nothing of tickets."""
    out = "Printed tickets that were not redeemed: {count}"
    async with technician(tmp_path) as (rig, hand):
        await rig.door(is_open=True, name="logic")
        await hand.go("U.8")
        assert out not in [row.label for row in hand.page.rows]
        for _ in range(2):
            await rig.press("collect")
        for cents in (700, 50):
            await rig.journal.do(lambda tx, cents=cents: printed_ticket(tx, cents))  # type: ignore[misc]
        await hand.go("U.8")
        assert [(row.figures, row.cents) for row in hand.page.rows if row.label == out] == [({"count": 2}, 750)]


def printed_ticket(tx: Transaction, cents: int) -> None:
    """Take in coins of `cents`, and print a ticket of as much."""
    coins_taken(tx, 1, 1, (cents,), 0)
    begin_payout(tx, "ticket", cents)
    tickets.begin(tx, lambda number, *_: f"{number:018}")
    tickets.printed(tx)


async def test_no_is_the_answer_of_whoever_only_presses_on(tmp_path: Path) -> None:
    """Without YES twice nothing is written, and a closed door leaves the page."""
    async with technician(tmp_path) as (rig, hand):
        await rig.door(is_open=True, name="logic")
        await hand.go("U.8")
        await hand.enter(CLEAR)
        await rig.press("spin")
        await rig.press("lines")
        await rig.press("spin")
        await rig.press("spin")
        assert hand.page.message == "Nothing was changed"
        await rig.door(is_open=False, name="logic")
        await rig.until_true(lambda: hand.page.code == "U")
        assert rig.host.departures == []
        assert [path.name for path in tmp_path.glob("cabinet-*")] == []  # noqa: ASYNC240 - a look at the test's own folder


@pytest.mark.requirement("C8")
async def test_a_door_that_is_shut_meanwhile_stops_the_clear(tmp_path: Path) -> None:
    """The door must be open at the very commit that decides, however long the snapshot took."""
    async with technician(tmp_path) as (rig, hand):
        await rig.door(is_open=True, name="logic")
        await hand.go("U.8")
        await hand.enter(CLEAR)
        await rig.press("spin")
        for key in ("lines", "spin", "lines"):
            await rig.press(key)
        rig.machine.states.press("spin")
        rig.machine.conditions.doors["logic"] = False
        await rig.until_true(lambda: hand.page.message == "Open the logic door first")
        assert rig.host.departures == []
        assert seal_of(rig.path) is None


@pytest.mark.requirement("C8")
async def test_the_door_of_the_memory_is_the_logic_door(tmp_path: Path) -> None:
    """Where a logic door is wired the open main door does not lead to the full clear; the page says which does."""
    async with technician(tmp_path) as (rig, hand):
        await hand.enter("U")
        await hand.enter("U.8")
        assert (hand.page.code, hand.page.message) == ("U", "Open the logic door first")
        await rig.door(is_open=False)
        await rig.door(is_open=True, name="logic")
        await hand.enter("U.8")
        assert NO_LOGIC_DOOR not in [row.label for row in hand.page.rows]
        assert hand.page.code == "U.8"


async def test_without_a_logic_door_the_main_door_is_that_of_the_memory(tmp_path: Path) -> None:
    """The page says so, and the clear needs the main door at its commit."""
    config = configuration(tmp_path)
    doors = {name: wired for name, wired in config.pins.doors.items() if name != "logic"}
    own = identity.make_identity(tmp_path / "journal.sqlite.key")
    async with Rig(tmp_path, config=replace(config, pins=replace(config.pins, doors=doors))) as rig:
        await rig.journal.do(lambda tx: identity.bind(tx, own, "test", "test"))
        hand = Hand(rig)
        await hand.technician()
        await hand.enter("U")
        await hand.enter("U.8")
        assert (hand.page.code, hand.page.message) == ("U", "Open the main door first")
        await rig.door(is_open=True)
        await hand.enter("U.8")
        assert NO_LOGIC_DOOR in [row.label for row in hand.page.rows]
        await confirm_clear(rig, hand)
        await started_anew(rig)
        assert rig.shown == "attract"


async def test_a_disk_that_fails_stops_the_clear_and_nothing_else(tmp_path: Path) -> None:
    """U.8: where the new journal cannot be written the page says so, the old one goes on, and nothing crashes."""
    async with technician(tmp_path) as (rig, hand):
        rig.path.with_name("journal.sqlite.new").mkdir()
        await clear(rig, hand)
        assert await hand.result() == "The disk with the books of the machine is full or failing"
        assert (rig.machine.journal.lock, rig.host.departures) == (None, [])
        await rig.press("collect")
        assert hand.page.code == "U"


async def test_credit_must_be_paid_first(tmp_path: Path) -> None:
    """The page says what is in the way; the credit and the books are as they were."""
    async with technician(tmp_path) as (rig, hand):
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.door(is_open=False)
        await rig.game(2000)
        await technician_back(rig, hand)
        await clear(rig, hand)
        assert await hand.result() == "First pay out the credit of {credit_cents}"
        assert hand.page.figures == {"credit_cents": 2000}
        assert (rig.credit, rig.host.departures) == (2000, [])


async def demo_begun(rig: Rig, hand: Hand) -> None:
    """Ask for demo mode, twice YES."""
    await hand.go("U.9")
    await hand.enter("Begin demo mode")
    for _ in range(2):
        await rig.press("lines")
        await rig.press("spin")


async def test_demo_mode_only_follows_a_full_clear(tmp_path: Path) -> None:
    """U.9: a cabinet that is in service cannot slip into it."""
    async with technician(tmp_path) as (rig, hand):
        await demo_begun(rig, hand)
        assert hand.page.message == "Demo mode begins only right after a full clear (U.8)"
        for _ in range(2):
            await rig.press("collect")
        await cleared(rig, hand)
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.door(is_open=False)
        await rig.game(500)
        await technician_back(rig, hand)
        await demo_begun(rig, hand)
        assert hand.page.message.startswith("Money was counted since the full clear")
        assert not rig.screen.view.status.demo_mode


async def test_demo_mode_plays_for_nothing(tmp_path: Path) -> None:
    """U.9: marked on every screen, free credits, money refused, COLLECT pays nobody, no pulse; a full clear ends it."""
    async with technician(tmp_path) as (rig, hand):
        await cleared(rig, hand)
        await demo_begun(rig, hand)
        assert hand.page.message == "Demo mode is on"
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.door(is_open=False)
        await rig.until_true(lambda: rig.shown in ("witch", "idle", "lobby"))
        assert (rig.credit, rig.screen.view.status.demo_mode) == (10_000, True)
        assert not await rig.note(500)
        assert (rig.front.coins, rig.front.notes) == (False, frozenset())
        await rig.press("spin")
        await rig.until("idle")
        assert await rig.meter("stakes") > 0
        await rig.restart()
        await rig.until("idle")
        assert rig.screen.view.status.demo_mode
        pulsing = asyncio.create_task(build_pulsing(rig.machine, {}, 10).run())
        await asyncio.sleep(5)
        pulsing.cancel()
        assert rig.machine.conditions.meters_held
        before = rig.credit
        await rig.press("collect", 5.0)
        assert (rig.credit, await rig.meter("demo_out")) == (0, before)
        assert await rig.rows("SELECT * FROM payouts") == []
        await technician_back(rig, hand)
        await hand.go("U.9")
        await hand.enter("Give free credits")
        assert rig.credit == 10_000
        for _ in range(2):
            await rig.press("collect")
        await cleared(rig, hand)
        assert (rig.screen.view.status.demo_mode, rig.credit) == (False, 0)
        for path in (rig.path, *sealed_files(rig.path)):
            assert audit(path, lambda *_: None).failures == []


async def test_a_coin_that_gets_in_all_the_same_is_no_credit(tmp_path: Path) -> None:
    """It is an open item, which must be resolved before the clear that ends demo mode."""
    async with technician(tmp_path) as (rig, hand):
        await cleared(rig, hand)
        await demo_begun(rig, hand)
        await rig.journal.do(lambda tx: coins_taken(tx, 1, 1, (200, 50), 0))
        assert rig.credit == 10_000
        for _ in range(2):
            await rig.press("collect")
        await clear(rig, hand)
        assert await hand.result() == "First resolve the open items (A.8): {count}"
        assert await rig.rows("SELECT kind, amount_cents FROM open_items") == [("demo_coins", 250)]
