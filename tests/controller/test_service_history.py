"""H of the service menu: events by kind and page by page, recovered rounds, money and payouts (L6, P14)."""

from pathlib import Path

import pytest

from controller.journal.transaction import Transaction
from controller.play.draws import seeded_source
from controller.service.events import KINDS, kind_of
from controller.service.leaf import Who
from controller.service.lists import MOST
from tests.controller.machine_rig import Rig
from tests.controller.test_machine_history import CHESTS, spin
from tests.controller.test_service_menu import Hand
from tests.virtual_time import run_virtual
from ui.messages import Snapshot, encode

EVENTS = 10_000


def many_events(tx: Transaction) -> None:
    """More events than a cabinet has to keep, one in a hundred of them about a door."""
    for number in range(EVENTS):
        tx.event("door_open" if number % 100 == 0 else "service_call", f"number {number}")


def texts(hand: Hand) -> list[str]:
    """The events on the page."""
    return [row.label for row in hand.page.rows if not row.leads]


def test_ten_thousand_events_are_reached(tmp_path: Path) -> None:
    """L6: page after page under one code, the newest first, none twice and none left out; one BACK leaves them all."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.journal.do(many_events)
            hand = Hand(rig)
            await hand.turn(Who.ATTENDANT)
            await hand.go("H.2")
            seen = texts(hand)
            for _ in range(EVENTS // MOST):
                older = next(number for number, row in enumerate(hand.page.rows) if row.label == "Older")
                await rig.press(f"service:row:{older}")
                assert (hand.page.code, hand.page.rows[0].label) in (("H.2", "Older"), ("H.2", "Newest"))
                assert encode(Snapshot(turn=1, view=rig.screen.view))
                seen += texts(hand)
            numbers = [int(text.rpartition(" ")[2]) for text in seen if "number" in text]
            assert numbers == list(range(EVENTS - 1, -1, -1))
            newest = next(number for number, row in enumerate(hand.page.rows) if row.label == "Newest")
            await rig.press(f"service:row:{newest}")
            assert texts(hand)[0] == seen[0]
            await rig.press("collect")
            assert hand.page.code == "H"
            await hand.enter("H.2")
            assert texts(hand)[0] == seen[0]

    run_virtual(play())


def test_events_of_one_kind_are_shown_alone(tmp_path: Path) -> None:
    """Doors, with nothing else between, on one page however much else has happened."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.journal.do(many_events)
            hand = Hand(rig)
            await hand.turn(Who.ATTENDANT)
            await hand.go("H.2")
            await hand.enter("H.2.1")
            assert (hand.page.title, len(texts(hand))) == ("Doors", EVENTS // 100)
            assert all(text.startswith("door_open: ") for text in texts(hand))
            await rig.press("collect")
            for number, title in enumerate(KINDS.values(), start=1):
                await hand.enter(f"H.2.{number}")
                assert hand.page.title == title
                await rig.press("collect")

    run_virtual(play())


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("door_closed", "doors"),
        ("logic_access", "doors"),
        ("coin_jam", "faults"),
        ("fault_cleared", "faults"),
        ("payout_begun", "money"),
        ("collection", "money"),
        ("open_item", "money"),
        ("service_credit", "money"),
        ("credits_voided", "money"),
        ("hopper_refill", "money"),
        ("period_cleared", "money"),
        ("service_menu", "access"),
        ("service_test", "access"),
        ("console_refused", "access"),
        ("pin_wrong", "access"),
        ("setting", "settings"),
        ("power_up", "power"),
        ("round_recovered", "power"),
        ("departure", "power"),
        ("something new", "others"),
    ],
)
def test_every_event_has_its_kind(code: str, kind: str) -> None:
    """By the beginning of its code, or because the fault catalogue has it."""
    assert kind_of(code) == kind


def test_a_resumed_round_is_told(tmp_path: Path) -> None:
    """H.6: at which start, after which step, and that it went on; its own page is one step away."""

    async def play() -> None:
        async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
            await rig.game(2000)
            await rig.press("spin")
            await rig.until("offer")
            await rig.restart(until="offer")
            while rig.shown != "idle":
                await rig.press("spin", 1.0)
            await spin(rig)
            hand = Hand(rig)
            await hand.turn(Who.ATTENDANT)
            await hand.go("H.6")
            (row,) = hand.page.rows
            assert row.value == "resumed"
            await rig.press("spin")
            told = {row.label: row.value or row.count for row in hand.page.rows}
            assert (told["Found at power-up"], told["Interrupted after step"]) == (2, 1)
            assert (told["What became of it"], told["Round"]) == ("resumed", "settled")
            await hand.enter("H.1.1")
            assert hand.page.code == "H.1.1"

    run_virtual(play())


@pytest.mark.parametrize(("settled", "outcome"), [(False, "voided"), (True, "shown again")])
def test_what_became_of_an_interrupted_round_is_told(tmp_path: Path, outcome: str, *, settled: bool) -> None:
    """One that cannot be replayed is voided; of one that had ended, the end is shown once more."""

    async def play() -> None:
        async with Rig(tmp_path, draws=seeded_source(1 if settled else CHESTS)) as rig:
            await rig.game(2000)
            await rig.press("spin", 0.3)
            if not settled:
                await rig.journal.do(lambda tx: tx.execute("UPDATE rounds SET maths_version = 99").rowcount)
            await rig.restart()
            await rig.until("idle")
            if not settled:
                await rig.turn_key(Who.ATTENDANT)  # clears the fault
            hand = Hand(rig)
            await hand.turn(Who.ATTENDANT)
            await hand.go("H.6")
            assert [row.value for row in hand.page.rows] == [outcome]

    run_virtual(play())


def test_notes_and_coins_are_listed_together(tmp_path: Path) -> None:
    """H.3: both kinds, newest first."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.note(500)
            await rig.note(1000)
            hand = Hand(rig)
            await hand.turn(Who.ATTENDANT)
            await hand.go("H.3")
            assert [(row.label, row.cents) for row in hand.page.rows] == [("Note", 1000), ("Note", 500)]

    run_virtual(play())
