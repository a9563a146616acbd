"""The service menu on the machine: keys, PIN, pages and acts, with the panel's four keys (service-menu.md)."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.configuration.cabinet_toml import Service
from controller.features.diagnostics.device_test import DeviceTestPage
from controller.journal.actor import Role
from controller.journal.event_catalogue import Event
from controller.journal.money import coins_taken, note_stacking, note_unknown
from controller.journal.open_items import add_item
from controller.journal.payouts import begin_payout, end_hopper_payout
from controller.journal.people import MOST_FAILURES
from controller.journal.transaction import Transaction
from controller.service import tree
from controller.service.messages import WORDS
from tests.rigs.machine import Rig
from tests.rigs.people import PIN, pad_presses
from tests.rigs.service_menu import Hand, strayed
from ui.protocol.messages import Snapshot, encode


def swallow(tx: Transaction) -> None:
    """A note of which nobody knows where it went."""
    note_stacking(tx, 2000)
    note_unknown(tx, "the line was cut")


@pytest.mark.requirement("M12")
async def test_the_attendants_key_opens_the_menu_and_gives_back_the_very_state(tmp_path: Path) -> None:
    """No money is taken meanwhile, and turning the key back leaves everything as it was."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        before = rig.screen.view
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        assert (rig.shown, rig.screen.view.balance.accepts_notes) == ("service_menu", False)
        assert not await rig.note(500)
        await hand.go("M.1")
        await hand.turn(Role.ATTENDANT, on=False)
        assert rig.screen.view == before
        assert await rig.events("service_menu") == [
            "Service menu opened by the attendant",
            "Service menu closed: the key was turned back (attendant)",
        ]


@pytest.mark.requirement("S7")
async def test_a_door_opens_no_menu(tmp_path: Path) -> None:
    """An open door is an open door."""
    async with Rig(tmp_path) as rig:
        await rig.door(is_open=True)
        assert rig.screen.view.pages.service is None


@pytest.mark.parametrize(
    "code", sorted(code for code, page in tree.pages().items() if not isinstance(page, DeviceTestPage))
)
async def test_every_leaf_opens(tmp_path: Path, code: str) -> None:
    """Each page has lines, reached with the four keys alone; back leads out again, level by level."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("spin")
        hand = Hand(rig)
        await hand.technician()
        page = tree.pages()[code]
        if page.door or page.memory:
            await rig.door(is_open=True, name="logic" if page.memory else "main")
        await hand.go(code)
        assert hand.page.title == tree.pages()[code].title
        assert hand.page.rows
        for left in (code[0], ""):
            await rig.press("collect")
            assert hand.page.code == left
        await rig.press("collect")
        assert rig.screen.view.pages.service is None


async def test_the_attendant_sees_nothing_of_the_technicians(tmp_path: Path) -> None:
    """Sections with nothing for him are not listed."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        assert [row.code for row in hand.page.rows] == ["A", "M", "H", "T", "U", ""]
        for section, own in (("T", ["T.4", "T.5", "T.6"]), ("U", ["U.2", "U.3", "U.15"])):
            await hand.enter(section)
            assert [row.code for row in hand.page.rows] == own
            await rig.press("collect")


async def test_wrong_pins_bar_the_technician(tmp_path: Path) -> None:
    """After five wrong ones even the right one waits ten powered-on minutes; each attempt is an event."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.technician()
        await hand.turn(Role.TECHNICIAN, on=False)
        await hand.turn(Role.TECHNICIAN)
        for _ in range(MOST_FAILURES):
            assert not hand.page.rows
            await hand.type("111111")
        await hand.type(PIN)
        assert not hand.page.rows
        assert hand.page.message.startswith("Too many")
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.machine.clock.sleep(660.0)
        await hand.turn(Role.TECHNICIAN)
        await hand.type(PIN)
        await rig.until_true(lambda: bool(hand.page.rows))
        assert len(await rig.events("pin_wrong")) == MOST_FAILURES - 1
        assert len(await rig.events("pin_barred")) == 2


async def test_two_different_first_pins_are_no_pin(tmp_path: Path) -> None:
    """It is chosen only when typed twice the same."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.turn(Role.TECHNICIAN)
        await hand.name()
        await hand.type("135790")
        await hand.type("135791")
        assert (hand.page.rows, hand.page.message) == ((), "The two are not the same")
        assert await rig.rows("SELECT * FROM people") == []


async def test_a_pin_can_be_typed_with_four_keys(tmp_path: Path) -> None:
    """One press chooses three digits, the next one of them, and two end it; the screen shows stars."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.technician()
        await hand.turn(Role.TECHNICIAN, on=False)
        await hand.turn(Role.TECHNICIAN)
        presses = [button for digit in PIN for button in pad_presses(digit)]
        for number, button in enumerate([*presses, *pad_presses("done")], start=1):
            assert hand.page.typed == "*" * ((number - 1) // 2)
            await rig.press(button)
        await rig.until_true(lambda: bool(hand.page.rows))
        assert len(presses) == 2 * len(PIN)


async def test_a_swallowed_note_is_resolved_from_the_menu(tmp_path: Path) -> None:
    """The amount is typed, the question is answered with YES on purpose; NO changes nothing."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(swallow)
        hand = Hand(rig)
        await hand.turn(Role.TECHNICIAN)
        await rig.type_pin()
        await hand.go("A.8")
        await hand.enter("Pay by hand")
        await hand.type("2000")
        assert (hand.page.question, hand.page.yes) == ("Pay this amount to the player by hand?", False)
        await rig.press("spin")
        assert hand.page.message == "Nothing was changed"
        assert await rig.rows("SELECT value FROM meters WHERE name = 'found_in'") == []
        await hand.enter("Pay by hand")
        await hand.type("2000")
        await rig.press("lines")
        await rig.press("spin")
        assert (hand.page.message, hand.page.typed) == (WORDS["again"], "2000")
        assert (hand.page.question, hand.page.yes) == ("Pay this amount to the player by hand?", False)
        await rig.press("lines")
        await rig.press("spin")
        assert hand.page.message == "It is resolved"
        assert (await rig.meter("found_in"), rig.credit) == (2000, 0)
        assert not rig.machine.conditions.open_items


def lost_coins(tx: Transaction) -> None:
    """Coins that fell out of the acceptor's memory: thirty at the most, of 2.00 at the most."""
    coins_taken(tx, 1, 35, (), 30, lost_cents=6000)


@pytest.mark.parametrize(
    ("typed", "shown"), [("6000", "It is resolved"), ("6001", "Item {number} is {most_cents} at the most")]
)
async def test_an_amount_that_nobody_knows_has_its_limits(tmp_path: Path, typed: str, shown: str) -> None:
    """A.8: the technician books as much as the device can have lost, and no more."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(lost_coins)
        hand = Hand(rig)
        await hand.turn(Role.TECHNICIAN)
        await rig.type_pin()
        await hand.go("A.8")
        await hand.enter("Pay by hand")
        await hand.type(typed)
        for _ in range(2):
            assert hand.page.typed == typed
            await rig.press("lines")
            await rig.press("spin")
        done = shown == "It is resolved"
        assert hand.page.message == shown
        assert await rig.meter("found_in") == (int(typed) if done else 0)
        said = await rig.events("open_item_resolved")
        assert said == ([f"Open item 1: {typed} cents paid by hand, says the {Role.TECHNICIAN}"] if done else [])


def much(tx: Transaction) -> None:
    """Coins of which more are proved than an attendant may book."""
    add_item(tx, "demo_coins", 2001, Event.DEMO_COINS, coins=10)


def overpaid(tx: Transaction) -> None:
    """Coins of which nothing is to be booked."""
    add_item(tx, "hopper_overpaid", 100, Event.COINS_BEYOND_ORDER, reason="jammed")


@pytest.mark.parametrize(
    ("opens", "technicians"), [(lost_coins, True), (much, True), (strayed, False), (overpaid, False)]
)
async def test_an_item_is_offered_to_whoever_may_decide_it(
    tmp_path: Path, opens: Callable[[Transaction], object], *, technicians: bool
) -> None:
    """The notice says whose decision it is; A.8 offers the attendant nothing of an item that is the technician's."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(opens)
        await rig.machine.journal.reload()
        (notice,) = rig.screen.view.notices
        assert (notice.who in notice.text, notice.who) == (True, "technician" if technicians else "attendant")
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.8")
        assert any(row.leads for row in hand.page.rows) is not technicians
        assert (hand.page.rows[-1].label == "Only the technician may decide this") is technicians
        await hand.leave()
        await hand.turn(Role.TECHNICIAN)
        await rig.type_pin()
        await hand.go("A.8")
        assert hand.page.rows[-1].leads


async def test_items_of_both_have_a_notice_each(tmp_path: Path) -> None:
    """The attendant's item does not hide behind the technician's."""
    async with Rig(tmp_path) as rig:
        for opens in (strayed, lost_coins):
            await rig.journal.do(opens)
        await rig.machine.journal.reload()
        assert [notice.who for notice in rig.screen.view.notices] == ["technician", "attendant"]


async def test_nobody_pays_more_than_a_credit_may_be_for_an_item_without_any_bound(tmp_path: Path) -> None:
    """A.8: where not even the device can say how much, no player had more in the machine than its credit limit."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(lambda tx: coins_taken(tx, 1, 35, (), 30))
        most = rig.machine.settings.config.limits.credit_cents
        hand = Hand(rig)
        await hand.turn(Role.TECHNICIAN)
        await rig.type_pin()
        await hand.go("A.8")
        for cents, shown in ((most + 1, "Item {number} is {most_cents} at the most"), (most, "It is resolved")):
            await hand.enter("Pay by hand")
            await hand.type(str(cents))
            for _ in range(2):
                await rig.press("lines")
                await rig.press("spin")
            assert hand.page.message == shown


async def test_what_is_held_of_a_payout_is_the_technicians_and_what_is_left_over_the_attendants(tmp_path: Path) -> None:
    """A.2 shows it and pays only the credit; A.8 needs the PIN for an unproven amount, the key for a proven one."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.journal.do(_give_up)
        await rig.machine.journal.reload()
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.2")
        assert [(row.label, row.cents) for row in hand.page.rows] == [
            ("Credit", 500),
            ("Pay by hand", 500),
            ("Held from payouts", 1500),
        ]
        await hand.leave()
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.8")
        assert not any(row.leads for row in hand.page.rows)
        assert (rig.credit, rig.machine.conditions.held_cents) == (500, 1500)
        await hand.leave()
        await rig.note(500)  # somebody else comes
        await hand.turn(Role.TECHNICIAN)
        await rig.type_pin()
        await hand.go("A.8")
        await hand.enter("Coins had left the hopper")
        await hand.type("1100")
        await hand.agree()
        assert (hand.page.message, rig.credit) == ("It is resolved", 1000)
        await hand.leave(Role.TECHNICIAN)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.8")
        assert hand.page.rows[0].cents == 400
        await hand.enter("Pay by hand")
        await hand.agree()
        assert (hand.page.message, rig.credit, rig.machine.conditions.held_cents) == ("It is resolved", 1000, 0)
        assert (await rig.meter("hopper_out"), await rig.meter("hand_pay")) == (1100, 400)


def _give_up(tx: Transaction) -> None:
    """A hopper of 1.00 that was asked for 15 coins, and given up before it gave any."""
    begin_payout(tx, "hopper", 1500, 100)
    end_hopper_payout(tx, "undecided", "away", settles=True)


@pytest.mark.requirement("L1", "L2", "L3")
async def test_a_round_is_reported_with_its_draws(tmp_path: Path) -> None:
    """Each round leads to a page with its stake, draws, wins and credits, and the money before it."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("idle")
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.1")
        await rig.press("spin")
        assert hand.page.code == "H.1.1"
        shown = {row.label: row for row in hand.page.rows}
        ((stake, win),) = await rig.rows("SELECT stake_cents, win_cents FROM rounds")
        assert (shown["Credit before"].cents, shown["Stake"].cents, shown["Round"].cents) == (2000, stake, win)
        assert shown["Credit after"].cents == rig.credit
        assert (shown["Note"].cents, shown["Note"].value) == (2000, "before the round")
        assert len(shown["Draw"].value.split()) == 5


async def test_a_machine_is_closed_for_players_across_a_power_cut(tmp_path: Path) -> None:
    """A.7: it takes no money and plays nothing until it is opened again, and shows the reason."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        hand = Hand(rig)
        for shown, word in (("out_of_service", "Close"), ("idle", "Open the")):
            await hand.turn(Role.ATTENDANT)
            await hand.go("A.7")
            await hand.enter(word)
            await hand.turn(Role.ATTENDANT, on=False)
            assert rig.shown == shown
            await rig.restart()
            await rig.until(shown)
            assert await rig.note(500) is (shown == "idle")


async def test_the_credit_is_paid_by_hand_from_the_menu(tmp_path: Path) -> None:
    """A.2: asked twice, metered as a hand-pay, and refused in plain words while a round is open."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.2")
        await hand.enter("Pay by hand")
        for credit in (2000, 0):
            await rig.press("lines")
            await rig.press("spin")
            assert rig.credit == credit
        assert (hand.page.message, await rig.meter("hand_pay")) == ("It is paid", 2000)
        await hand.turn(Role.ATTENDANT, on=False)
        await rig.note(1000)
        await rig.until("idle")
        await rig.press("spin", 0.3)
        assert rig.shown == "round"
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.2")
        assert [row.label for row in hand.page.rows] == ["A game or a payout is in progress"]


async def test_what_is_asked_about_is_reported_and_answered_by_touch(tmp_path: Path) -> None:
    """A.4: the amount is in the question; NO and YES are touched, and the second asking says that it is one."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.4")
        for answer, credit in (("no", 2000), ("yes", 3500)):
            await hand.enter("Give service credit")
            await hand.type("1500")
            assert (hand.page.entry_kind, hand.page.typed) == ("cents", "1500")
            assert {"service:no", "service:yes"} <= set(rig.screen.view.controls)
            await rig.press(f"service:{answer}")
            if answer == "yes":
                assert (rig.credit, hand.page.message) == (2000, WORDS["again"])
                await rig.press("service:yes")
            assert (rig.credit, hand.page.question, hand.page.typed) == (credit, "", "")
        await hand.enter("Give service credit")
        await hand.type("1500")
        await rig.press("service:yes")
        await rig.press("service:no")
        assert (rig.credit, hand.page.message) == (3500, WORDS["nothing"])


async def test_an_amount_must_be_typed(tmp_path: Path) -> None:
    """DONE on an empty amount does nothing, and what is no key of the menu neither."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(swallow)
        await rig.machine.journal.reload()
        hand = Hand(rig)
        await hand.turn(Role.TECHNICIAN)
        await rig.type_pin()
        await hand.go("A.8")
        await hand.enter("Pay by hand")
        for control in ("service:done", "service:row:1", "service:nonsense"):
            rig.service.press(control)
            await rig.until_true(lambda: hand.page.entry == "Amount")
        assert hand.page.question == ""
        assert len(rig.machine.conditions.open_items) == 1


async def test_what_is_shown_while_the_menu_closes_is_its_last_page(tmp_path: Path) -> None:
    """BACK on the whole menu is written down before it is gone; a fault, a door or a display may look meanwhile."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        closing = rig.service.press("service:back")
        codes = set()
        while not closing.is_set():
            page = rig.service.page
            codes.add(None if page is None else page.code)
            await asyncio.sleep(0)
        assert codes <= {"", None}
        assert rig.service.page is None


async def test_back_leaves_the_pin(tmp_path: Path) -> None:
    """Somebody who has no PIN gets out again with the key that leaves every page."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.turn(Role.TECHNICIAN)
        await rig.press("collect")
        assert rig.screen.view.pages.service is None


async def test_a_page_fits_into_a_packet(tmp_path: Path) -> None:
    """However much has happened: a page of the longest events goes through the socket."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(lambda tx: [tx.log("open_item", "\u00e4" * 400) for _ in range(300)])
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.2")
        assert encode(Snapshot(turn=1, view=rig.screen.view))


async def test_an_untouched_menu_closes_itself(tmp_path: Path) -> None:
    """The key may stay turned; the machine is played again."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await rig.machine.clock.sleep(Service().idle_s + 1)
        assert rig.screen.view.pages.service is None


async def test_a_collection_is_asked_twice(tmp_path: Path) -> None:
    """One YES is not enough; the second closes the period."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.3")
        await hand.enter("Collect")
        for closed in (0, 1):
            await rig.press("bet")
            await rig.press("spin")
            assert len(await rig.rows("SELECT * FROM periods")) == closed
