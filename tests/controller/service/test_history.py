"""H of the service menu: events by kind and page by page, recovered rounds, money and payouts."""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from controller.books.opening import opened_books
from controller.journal import tickets
from controller.journal.actor import Role
from controller.journal.money import coins_taken, note_stacking, ticket_stacked
from controller.journal.payouts import begin_payout, confirm_hand_pay
from controller.journal.search import LEDGER, NEWEST, PAYOUTS, first_at
from controller.journal.transaction import Transaction
from controller.rounds.draws import seeded_source
from controller.service import tree
from controller.service.events import KINDS, kind_of
from controller.service.lists import MOST
from controller.service.page import Line
from tests.rigs.books import laid, opened
from tests.rigs.machine import Rig
from tests.rigs.rounds import spin
from tests.rigs.seeds import CHESTS
from tests.rigs.service_menu import Hand
from ui.protocol.messages import Snapshot, encode
from ui.protocol.values import moment

pytestmark = pytest.mark.requirement("L6", "P14")

EVENTS = 10_000


def many_events(tx: Transaction) -> None:
    """More events than a cabinet has to keep, one in a hundred of them about a door."""
    for number in range(EVENTS):
        tx.log("door_open" if number % 100 == 0 else "service_call", f"number {number}")


def texts(hand: Hand) -> list[str]:
    """The events on the page."""
    return [f"{row.code}: {row.detail or row.label}" for row in hand.page.rows if row.value]


@pytest.mark.requirement("L6")
async def test_ten_thousand_events_are_reached(tmp_path: Path) -> None:
    """Page after page under one code, the newest first, none twice and none left out; one BACK leaves them all."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(many_events)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.2")
        seen = texts(hand)
        for _ in range(EVENTS // MOST):
            older = next(number for number, row in enumerate(hand.page.rows) if row.label == "Older")
            await rig.press(f"service:row:{older}")
            assert hand.page.code == "H.2"
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


async def test_events_of_one_kind_are_shown_alone(tmp_path: Path) -> None:
    """Doors, with nothing else between, on one page however much else has happened."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(many_events)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.2")
        await hand.enter("H.2.1")
        assert (hand.page.title, len(texts(hand))) == ("Doors", EVENTS // 100)
        assert all(text.startswith("door_open: ") for text in texts(hand))
        await rig.press("collect")
        for number, title in enumerate(KINDS.values(), start=1):
            await hand.enter(f"H.2.{number}")
            assert hand.page.title == title
            await rig.press("collect")


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


async def test_a_resumed_round_is_reported(tmp_path: Path) -> None:
    """H.6: at which start, after which step, and that it went on; its own page is one step away."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        await rig.restart(until="offer")
        while rig.shown != "idle":
            await rig.press("spin", 1.0)
        await spin(rig)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.6")
        (row,) = hand.page.rows
        assert row.value == "resumed"
        await rig.press("spin")
        shown = {row.label: row.value or row.count for row in hand.page.rows}
        assert (shown["Found at power-up"], shown["Interrupted after step"]) == (2, 1)
        assert (shown["What became of it"], shown["Round"]) == ("resumed", "settled")
        await hand.enter("H.1.1")
        assert hand.page.code == "H.1.1"


@pytest.mark.parametrize(("settled", "outcome"), [(False, "voided"), (True, "shown again")])
async def test_what_became_of_an_interrupted_round_is_reported(tmp_path: Path, outcome: str, *, settled: bool) -> None:
    """One that cannot be replayed is voided; of one that had ended, the end is shown once more."""
    async with Rig(tmp_path, draws=seeded_source(1 if settled else CHESTS)) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.3)
        if not settled:
            await rig.journal.do(lambda tx: tx.execute("UPDATE rounds SET maths_version = 99").rowcount)
        await rig.restart()
        await rig.until("idle")
        if not settled:
            await rig.turn_key(Role.ATTENDANT)  # clears the fault
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.6")
        assert [row.value for row in hand.page.rows] == [outcome]


@pytest.mark.requirement("L5")
async def test_notes_and_coins_are_listed_together(tmp_path: Path) -> None:
    """H.3: both kinds, newest first."""
    async with Rig(tmp_path) as rig:
        await rig.note(500)
        await rig.note(1000)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.3")
        assert [(row.label, row.cents) for row in hand.page.rows] == [("Note", 1000), ("Note", 500)]


DAY_MS = 24 * 3600 * 1000
NOON_MS = int(datetime(2026, 11, 22, 12).astimezone().timestamp() * 1000)
ROUNDS = 450


def many_rounds(tx: Transaction) -> None:
    """More rounds than a page holds, fifty a day; the newest has won, the one before it is void."""
    for number in range(2, ROUNDS + 1):
        tx.execute(
            "INSERT INTO rounds (id, game, maths_version, maths_hash, lines, coins_per_line, coin_value_cents, price,"
            " stake_cents, win_cents, memory_before, state, credit_before_cents, started_ms)"
            " SELECT ?, game, maths_version, maths_hash, lines, coins_per_line, coin_value_cents, price,"
            " stake_cents, ?, memory_before, ?, credit_before_cents, ? FROM rounds WHERE id = 1",
            (
                number,
                300 if number == ROUNDS else 0,
                "void" if number == ROUNDS - 1 else "settled",
                NOON_MS + DAY_MS * (number // 50),
            ),
        )


async def follow(hand: Hand, label: str) -> None:
    """Open the first row of that label."""
    await hand.rig.press(f"service:row:{[row.label for row in hand.page.rows].index(label)}")


def rounds_of(hand: Hand) -> list[int]:
    """The numbers of the rounds that the page lists."""
    return [int(row.code.removeprefix("H.1.")) for row in hand.page.rows if row.code.startswith("H.1.")]


@pytest.mark.requirement("L2")
@pytest.mark.parametrize("code", ["A.5", "H.1"])
async def test_a_round_s_stake_win_and_state_stand_in_columns(tmp_path: Path, code: str) -> None:
    """At a glance: what won and what is void is marked, under headings of their own."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("idle")
        await rig.journal.do(many_rounds)
        ((stake,),) = await rig.rows("SELECT stake_cents FROM rounds WHERE id = 1")
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go(code)
        at = next(number for number, row in enumerate(hand.page.rows) if row.columns) + 1
        assert hand.page.rows[at - 1].columns == ("State", "Stake", "Win")
        shown = [(row.code, row.columns, row.tone) for row in hand.page.rows[at : at + 3]]
        assert shown == [
            (f"H.1.{ROUNDS}", ("settled", stake, 300), "good"),
            (f"H.1.{ROUNDS - 1}", ("void", stake, 0), "bad"),
            (f"H.1.{ROUNDS - 2}", ("settled", stake, 0), "plain"),
        ]


async def test_a_round_that_the_power_interrupted_is_called_so(tmp_path: Path) -> None:
    """In the list, and on its own page, which leads to what became of it."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        await rig.restart(until="offer")
        while rig.shown != "idle":
            await rig.press("spin", 1.0)
        await spin(rig)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.1")
        assert [row.columns[0] for row in hand.page.rows if row.leads] == ["settled", "interrupted"]
        await hand.enter("H.1.1")
        (row,) = (row for row in hand.page.rows if row.label == "This round was interrupted")
        assert row.code == "H.6"


async def test_a_day_is_gone_to_and_its_list_goes_on_from_there(tmp_path: Path) -> None:
    """Typed, not stepped to: the newest round of that day first; older, newer and newest lead on; one BACK leaves."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("idle")
        await rig.journal.do(many_rounds)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.1")
        await hand.enter("Go to a day")
        await hand.type("20261127")
        await rig.until_true(lambda: "Newest" in [row.label for row in hand.page.rows])
        newest_of_the_day = 299
        assert (hand.page.code, rounds_of(hand)[0]) == ("H.1", newest_of_the_day)
        await follow(hand, "Older")
        assert rounds_of(hand) == list(range(newest_of_the_day - 200, 0, -1))
        await follow(hand, "Newer")
        assert rounds_of(hand)[0] == newest_of_the_day
        await follow(hand, "Newest")
        assert rounds_of(hand)[0] == ROUNDS
        await hand.enter("Go to a day")
        await hand.type("20200101")
        await rig.until_true(lambda: rounds_of(hand) == [1])
        assert [row.label for row in hand.page.rows][:2] == ["Go to a day", "Newest"]
        await hand.enter("Go to a day")
        await hand.type("20250231")
        await rig.until_true(lambda: bool(hand.page.figures))
        assert (hand.page.message, hand.page.figures) == ("There is no day {date}", {"date": "20250231"})
        await rig.press("collect")
        assert hand.page.code == "H"


def test_a_moment_is_found_by_halving(tmp_path: Path) -> None:
    """The first row at or after it, whatever it is; none after the newest, and none in books without any."""
    with opened(tmp_path) as store:

        def act(tx: Transaction) -> None:
            assert first_at(tx, PAYOUTS, 0) == NEWEST
            for at_ms in (10, 10, 20, 35):
                tx.at_ms = at_ms * 1_000_000_000_000
                tx.log("service_call", "called")
            first = tx.execute("SELECT max(seq) - 3 FROM ledger").fetchone()[0]
            found = [first_at(tx, LEDGER, at * 1_000_000_000_000) for at in (10, 11, 20, 21, 35, 36)]
            assert found == [first, first + 2, first + 2, first + 3, first + 3, NEWEST]

        store.transact(act)


async def test_a_long_page_is_turned_by_button_touch_and_console(tmp_path: Path) -> None:
    """INFO and MAX BET go ten rows on, and at the ends to the other end; a short page has no such keys."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(many_events)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        assert not {"info", "max_bet", "service:page_up"} & set(rig.screen.view.controls)
        await hand.go("H.2")
        last, seen = len(hand.page.rows) - 1, []
        keys = ("max_bet", "service:page_down", "info", "info", "info", "max_bet", "service:page_up", "lines")
        for key in keys:
            await rig.press(key)
            seen.append(hand.page.focus)
        assert seen == [10, 20, 10, 0, last, 0, last, last - 1]
        assert hand.page.rows[last].label == "Older"
        await rig.press("max_bet")
        await rig.press("spin")
        assert hand.page.rows[1].label == "Older"
        assert "Newer" in [row.label for row in hand.page.rows]
        await hand.enter("Go to a day")
        assert not {"info", "max_bet", "service:page_up"} & set(rig.screen.view.controls)


@pytest.mark.requirement("L4")
def test_the_last_35_tickets_of_each_way_are_listed(tmp_path: Path) -> None:
    """H.8 has the newest 35 in and the newest 35 out, each with its time, value and number, the newest first."""
    path = laid(tmp_path / "journal.sqlite")
    with closing(opened_books(path, path.with_name("journal.sqlite.key"), lambda: 0, simulated=True)) as store:

        def act(tx: Transaction) -> Sequence[Line]:
            for number in range(1, 38):
                tx.at_ms = number * 60_000
                coins_taken(tx, 1, number, (100 * number,), 0)
                begin_payout(tx, "ticket", 100 * number)
                tickets.begin(tx, lambda *_: f"{number:018}")  # noqa: B023 - called at once
                tickets.printed(tx)
                note_stacking(tx, 500 + number, tx.numbers.sealed(f"9{number:017}"))
                ticket_stacked(tx)
                begin_payout(tx, "hand_pay", tx.credit_cents)
                confirm_hand_pay(tx)
            read = tree.pages()["H.8"].books
            assert read is not None
            return read(tx)

        lines = store.transact(act)
    heads = [place for place, line in enumerate(lines) if line.tone == "heading"]
    printed, taken = lines[1 : heads[1]], lines[heads[1] + 1 :]
    newest = range(37, 2, -1)
    assert [(line.label.split()[-1][-4:], line.cents) for line in printed] == [(f"{n:04}", 100 * n) for n in newest]
    assert [line.label.split()[-1] for line in taken] == [f"9{n:017}" for n in newest]
    assert [line.cents for line in taken] == [500 + n for n in newest]
    assert [line.label.split()[1] for line in taken] == [moment(n * 60_000).split()[1] for n in newest]
