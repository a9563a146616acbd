"""The leaves that look after the machine: credit, volume, clock, refill, periods, leaving, licences (A.4 to U.12)."""

from datetime import datetime
from importlib.metadata import distribution
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.books.audit import audit
from controller.journal.actor import Role
from controller.journal.money import note_stacking
from controller.journal.transaction import Transaction
from controller.system.clock_watch import LOOK_S
from controller.system.host import Departure
from controller.system.licences import licences
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.service_menu import Hand
from tests.rigs.virtual_cabinet import configuration
from ui.protocol.values import Volumes

MONEY = ("coins_in", "notes_in", "found_in", "hopper_out", "hand_pay", "wins", "stakes")


async def yes(rig: Rig, times: int) -> None:
    """Answer a question that often with YES."""
    for _ in range(times):
        await rig.press("lines")
        await rig.press("spin")


async def figures(rig: Rig) -> dict[str, int]:
    """Every meter of money in and out, and of play."""
    return {name: await rig.meter(name) for name in MONEY}


async def pulses(rig: Rig) -> list[tuple[object, ...]]:
    """What the hard meters are owed and were given."""
    return await rig.rows("SELECT name, owed, given FROM hard_meters ORDER BY name")


def proved(rig: Rig) -> None:
    """The books hold from the first row to the last."""
    assert audit(rig.path, lambda *_: None).failures == []


@pytest.mark.requirement("M7")
async def test_service_credit_is_metered_apart_from_money(tmp_path: Path) -> None:
    """A.4: asked twice, on a meter and in a term of the equation of its own; no hard meter is owed anything."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        before, owed = await figures(rig), await pulses(rig)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.4")
        await hand.enter("Give service")
        await hand.type("1500")
        await yes(rig, 1)
        assert (rig.credit, hand.page.yes) == (2000, False)
        await yes(rig, 1)
        assert (rig.credit, await rig.meter("service_credit"), hand.page.message) == (3500, 1500, "It is credited")
        assert (await figures(rig), await pulses(rig)) == (before, owed)
        assert await rig.events("service_credit") == ["Service credit given by the attendant: 1500 cents"]
        await rig.press("collect")
        await rig.press("collect")
        await hand.go("M.5")
        assert (hand.page.rows[0].label, hand.page.rows[0].value) == ("Self-audit", "agrees")
        assert [row.cents for row in hand.page.rows if row.label == "Service credit"] == [1500]
        proved(rig)


@pytest.mark.parametrize(
    ("digits", "message", "figure"),
    [("5001", "At most {most_cents} can be given at once", 5000), ("0", "An amount is needed", None)],
)
async def test_service_credit_has_its_limits(tmp_path: Path, digits: str, message: str, figure: int | None) -> None:
    """More than the limit of one act is refused in words that the screen can translate."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.4")
        await hand.enter("Give service")
        await hand.type(digits)
        await yes(rig, 2)
        assert (hand.page.message, hand.page.figures.get("most_cents")) == (message, figure)
        assert (rig.credit, await rig.events("service_credit")) == (0, [])


@pytest.mark.requirement("B5")
async def test_service_credit_stops_at_the_highest_credit(tmp_path: Path) -> None:
    """No act of the menu lifts the credit above the limit at which money is refused."""
    config = configuration(tmp_path)
    config = replace(config, limits=replace(config.limits, credit_cents=3000))
    async with Rig(tmp_path, config=config) as rig:
        await rig.game(2000)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.4")
        await hand.enter("Give service")
        await hand.type("1001")
        await yes(rig, 2)
        assert (hand.page.message, hand.page.figures) == (
            "The credit cannot exceed {limit_cents}",
            {"limit_cents": 3000},
        )
        assert rig.credit == 2000


async def test_credits_are_voided_with_a_reason_and_paid_to_nobody(tmp_path: Path) -> None:
    """U.5: the technician's, asked twice; a meter of its own, no hand-pay, no coin, no pulse."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        before, owed = await figures(rig), await pulses(rig)
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.5")
        await hand.enter("Void the")
        assert hand.page.typed == "service credit"
        await rig.press("bet")
        await rig.press("spin")
        await yes(rig, 2)
        assert (rig.credit, await rig.meter("credits_voided"), hand.page.message) == (0, 2000, "The credit is void")
        assert (await figures(rig), await pulses(rig)) == (before, owed)
        (shown,) = await rig.events("credits_voided")
        assert shown.endswith("by the technician: credited by mistake")
        assert hand.page.rows[0].label == "There is no credit"
        proved(rig)


@pytest.mark.requirement("C11")
async def test_money_acts_wait_for_the_end_of_a_round(tmp_path: Path) -> None:
    """In a round nothing of A.4, U.2, U.5 and U.10 is on offer, and the books refuse it on their own."""
    async with Rig(tmp_path, hopper=PlainHopper()) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.3)
        assert rig.shown == "round"
        hand = Hand(rig)
        await hand.technician()
        for code in ("A.4", "U.2", "U.5", "U.10"):
            await hand.go(code)
            assert [row.label for row in hand.page.rows] == ["A game or a payout is in progress"]
            await rig.press("collect")
            await rig.press("collect")


async def test_the_attendant_sets_the_volume(tmp_path: Path) -> None:
    """A.6: chosen in steps, heard at once, kept over a power cut, and recorded with old and new value."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.6")
        await hand.enter("All sounds")
        for _ in range(4):
            await rig.press("bet")
        await rig.press("spin")
        assert rig.screen.view.output.volumes == Volumes(overall=60)
        await hand.enter("Sound")
        assert rig.screen.view.output.muted
        await rig.restart(until="attract")
        assert (rig.screen.view.output.volumes.overall, rig.screen.view.output.muted) == (60, True)
        assert await rig.events("volume") == [
            "Volume, All sounds: from 100 % to 60 % by the attendant",
            "Sound switched off by the attendant",
        ]


async def test_the_clock_is_set_where_the_system_allows(tmp_path: Path) -> None:
    """U.1: an event with the old and the new moment, before it is made; the watch does not record it again."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.technician()
        rig.machine.clock_watch.settle()
        await hand.go("U.1")
        await hand.enter("Set the clock")
        await hand.type("20261122")
        assert hand.page.entry.startswith("Time")
        await hand.type("0905")
        await yes(rig, 1)
        await rig.until_true(lambda: hand.page.message == "The clock is set")
        wanted = datetime(2026, 11, 22, 9, 5).astimezone().timestamp() * 1000
        assert rig.host.set_to == [wanted]
        ((logged,),) = await rig.rows("SELECT data FROM ledger WHERE data LIKE '%clock_set%'")
        assert '"before":"1970-01-01 00:00:00 UTC"' in str(logged)
        assert '"from_ms":0,"place":"","text":"clock_set"' in str(logged)
        assert f'"to_ms":{int(wanted)}' in str(logged)
        rig.machine.clock_watch.look()
        assert await rig.events("clock_jumped") == []


@pytest.mark.parametrize(
    ("date", "time", "refusal", "message"),
    [
        ("20261322", "0905", "", "There is no date {date} with the time {time}"),
        ("20261122", "2260", "", "There is no date {date} with the time {time}"),
        ("20261122", "0905", "The network sets the clock", "The network sets the clock"),
    ],
)
async def test_a_clock_that_cannot_be_set_says_why(
    tmp_path: Path, date: str, time: str, refusal: str, message: str
) -> None:
    """The clock stays, and a refusal of the system is recorded."""
    async with Rig(tmp_path) as rig:
        rig.host.refusal = refusal
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.1")
        await hand.enter("Set the clock")
        await hand.type(date)
        await hand.type(time)
        await yes(rig, 1)
        await rig.until_true(lambda: hand.page.message == message)
        assert rig.host.set_to == []
        assert await rig.events("clock_not_set") == ([f"The clock could not be set: {refusal}"] if refusal else [])


@pytest.mark.requirement("L6")
async def test_a_jump_of_the_clock_is_an_event(tmp_path: Path) -> None:
    """Forwards and backwards, each once; gentle corrections are none."""
    async with Rig(tmp_path) as rig:
        watch = rig.machine.clock_watch
        watch.settle()
        for lead in (5, 3_600_005, 3_600_005, 1_000):
            rig.host.lead = lead
            watch.look()
        await rig.until_true(lambda: rig.machine.journal.posts.empty)
        jumps = await rig.rows(
            "SELECT (data ->> '$.to_ms') - (data ->> '$.from_ms') FROM events JOIN ledger USING (seq)"
            " WHERE code = 'clock_jumped' AND text = 'clock_jumped' ORDER BY seq"
        )
        assert jumps == [(3_600_000,), (-3_599_005,)]
        assert LOOK_S * 1000 * 0.0005 < 1_000


async def test_a_clock_that_went_back_while_the_power_was_off_is_an_event(tmp_path: Path) -> None:
    """At the start the clock is held against the newest row of the books; no credit depends on it."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)

        def later(tx: Transaction) -> None:
            tx.at_ms = 86_400_000
            tx.log("note", "of tomorrow")

        await rig.journal.do(later)
        assert await rig.events("clock_jumped") == []
        await rig.restart(until="idle")
        assert await rig.events("clock_jumped") == [
            "The clock went back while the machine was off: from 1970-01-02 00:00:00 UTC to 1970-01-01 00:00:00 UTC"
        ]
        assert rig.credit == 2000
        proved(rig)


async def test_a_refill_is_metered_and_ends_an_empty_hopper(tmp_path: Path) -> None:
    """U.2: count and value, no credit, no coins in, no drop; what said that the hopper is empty is cleared."""
    async with Rig(tmp_path, hopper=PlainHopper()) as rig:
        await rig.game(2000)
        await rig.listener.device_fault("hopper", "hopper_empty", present=True)
        before, owed = await figures(rig), await pulses(rig)
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.2")
        assert hand.page.rows[0].label == "The {place} is empty"
        await hand.enter("Put coins in")
        await hand.type("250")
        await yes(rig, 1)
        assert hand.page.message == "The coins are booked"
        assert (await rig.meter("hopper_refill"), await rig.meter("hopper_refill_coins")) == (25_000, 250)
        assert (await figures(rig), await pulses(rig), rig.credit) == (before, owed, 2000)
        assert rig.notices() == set()
        shown = {row.label: row for row in hand.page.rows}
        assert (shown["In the hopper by the books"].count, shown["Put in so far"].cents) == (250, 25_000)
        proved(rig)


@pytest.mark.requirement("M10")
async def test_period_meters_are_cleared_without_a_collection(tmp_path: Path) -> None:
    """U.4: the period begins anew and says how; lifetime meters stay, and no collection is counted."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.4")
        await hand.enter("Clear the period")
        await yes(rig, 2)
        assert hand.page.message == "The period meters begin anew"
        assert (await rig.meter("notes_in"), await rig.meter("collections")) == (2000, 0)
        assert await rig.rows("SELECT value - collected FROM meters WHERE name = 'notes_in'") == [(0,)]
        assert await rig.events("period_cleared") == ["Period meters cleared by the technician"]
        assert (hand.page.rows[1].label, hand.page.rows[1].cents) == ("Period {place}, cleared", 2000)
        proved(rig)


@pytest.mark.parametrize(("place", "way"), list(enumerate(Departure)))
async def test_the_machine_leaves_in_order(tmp_path: Path, place: int, way: Departure) -> None:
    """U.10: asked twice, recorded before it happens."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.10")
        for _ in range(place):
            await rig.press("bet")
        await rig.press("spin")
        await yes(rig, 1)
        assert rig.host.departures == []
        await yes(rig, 1)
        assert rig.host.departures == [way]
        assert await rig.events("departure") == [f"By the technician: {way}"]


async def test_the_machine_does_not_leave_with_a_note_in_hand(tmp_path: Path) -> None:
    """Its end is awaited first."""
    async with Rig(tmp_path) as rig:
        await rig.journal.do(lambda tx: note_stacking(tx, 1000))
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.10")
        await rig.press("spin")
        await yes(rig, 2)
        assert hand.page.message == "A note is being taken: wait for its end"
        assert rig.host.departures == []


async def test_every_package_that_is_needed_states_its_licence(tmp_path: Path) -> None:
    """U.12: our own first, the fonts too; each with its text where one came with it."""
    shown = {licence.name: licence for licence in licences()}
    assert next(iter(shown)) == "cabinet"
    assert shown["cabinet"].licence == "MIT"
    assert {name for name in shown if name.startswith("font-")} == {
        "font-fredoka-one",
        "font-manrope",
        "font-roboto",
        "font-source-serif-pro",
    }
    assert {"pygame-ce", "msgspec", "gpiozero", "pyserial", "click", "rich", "sqlite-utils"} <= set(shown)
    assert all(distribution(name).version == licence.version for name, licence in shown.items() if licence.version)

    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.12")
        assert [row.code for row in hand.page.rows if row.leads][:1] == ["U.12.1"]
        assert hand.page.rows[0].label.startswith("cabinet ")
        await hand.enter("U.12.1")
        assert any("MIT" in row.label for row in hand.page.rows)
