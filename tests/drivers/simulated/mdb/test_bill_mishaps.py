"""What befalls a bill in the simulated MDB validator, by POLL, by STACKER, and by where the bill lies (4.3, 6)."""

import pytest

from drivers.simulated.mdb.bill_validator import BillHabits
from drivers.simulated.whereabouts import Spot
from tests.drivers.simulated.mdb.bill_bench import (
    BILL_REMOVED,
    BOX_OUT,
    CREDITED_REMOVAL,
    INVALID_ESCROW,
    JAMMED,
    JUST_RESET,
    NOTE,
    REJECTED,
    RESET,
    RETURN,
    STACK,
    Bench,
)
from tests.rigs.mdb_host import Bill, BillEvent

TEN, TWENTY = 1, 2


async def test_nothing_befalls_it_unasked() -> None:
    """Stacked and counted, or returned, and the bill where that says."""
    bench = await (await Bench().ready()).escrow()
    assert (bench.lies(), await bench.count()) == (Spot.PATH, 0)
    assert await bench.follow(STACK) == [Bill("stacked", TEN)]
    assert (bench.lies(), await bench.count()) == (Spot.CASH_BOX, 1)
    await bench.escrow(2000)
    assert await bench.follow(RETURN) == [Bill("returned", TWENTY)]
    assert (bench.lies(2000), await bench.count()) == (Spot.RETURNED, 1)


@pytest.mark.parametrize(
    ("mishap", "order", "heard", "spot", "counted"),
    [
        ("jam_on_the_way", STACK, [JAMMED], Spot.PATH, 0),
        ("jam_in_stacker", STACK, [JAMMED], Spot.PATH, 0),
        ("cassette_out_on_the_way", STACK, [BOX_OUT], Spot.LOOSE, 0),
        ("pulled_on_the_way", STACK, [BILL_REMOVED], Spot.RETURNED, 0),
        ("returned_in_spite", STACK, [Bill("returned", TEN)], Spot.RETURNED, 0),
        ("stacked_in_spite", RETURN, [Bill("stacked", TEN)], Spot.CASH_BOX, 1),
        ("jam_after_credit", STACK, [Bill("stacked", TEN), JAMMED], Spot.PATH, 0),
        ("pulled_after_credit", STACK, [Bill("stacked", TEN), CREDITED_REMOVAL], Spot.RETURNED, 0),
        ("end_unreported", STACK, [], Spot.CASH_BOX, 1),
        ("return_unreported", RETURN, [], Spot.RETURNED, 0),
        ("counted_never", STACK, [Bill("stacked", TEN)], Spot.CASH_BOX, 0),
    ],
)
async def test_what_befalls_a_bill_after_the_order(
    mishap: str, order: str, heard: list[BillEvent], spot: Spot, counted: int
) -> None:
    """What is reported after the order, if anything, where the bill really is, and what STACKER counts."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next(mishap)
    assert await bench.follow(order) == heard
    assert (bench.lies(), await bench.count()) == (spot, counted)
    assert bench.bills.mishaps.happened == {mishap: 1}


async def test_a_count_that_rises_before_the_order() -> None:
    """STACKER says 1 while the bill is in escrow; after a lost report it says no more, and after a return less."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("counted_early", 2)
    bench.bills.mishaps.next("end_unreported")
    await bench.escrow()
    assert await bench.count() == 1
    assert await bench.follow(STACK) == []
    assert (bench.lies(), await bench.count()) == (Spot.CASH_BOX, 1)
    await bench.escrow(2000)
    assert await bench.count() == 2
    await bench.follow(RETURN)
    assert await bench.count() == 1


@pytest.mark.parametrize("reported", [True, False])
async def test_a_count_that_rises_late(reported: bool) -> None:  # noqa: FBT001
    """The standard gives STACKER no time: it rises 45 s after the bill, the report of which may be lost."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next("counted_late")
    if not reported:
        bench.bills.mishaps.next("end_unreported")
    assert await bench.follow(STACK) == ([Bill("stacked", TEN)] if reported else [])
    assert (bench.lies(), await bench.count()) == (Spot.CASH_BOX, 0)
    await bench.host.bills_for(40)
    assert await bench.count() == 0
    await bench.host.bills_for(5)
    assert await bench.count() == 1


@pytest.mark.parametrize("order", [STACK, RETURN])
@pytest.mark.parametrize(("mishap", "heard"), [("order_refused", [INVALID_ESCROW]), ("order_ignored", [])])
async def test_an_order_that_is_not_obeyed(mishap: str, heard: list[BillEvent], order: str) -> None:
    """Invalid escrow request, or nothing: the bill stays in escrow, and the next order is obeyed."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next(mishap)
    assert await bench.follow(order) == heard
    assert bench.lies() is Spot.PATH
    assert await bench.follow(STACK) == [Bill("stacked", TEN)]


@pytest.mark.parametrize("finishes_reported", [True, False])
@pytest.mark.parametrize(
    ("then", "spot"), [("", Spot.PATH), ("start_stacks", Spot.CASH_BOX), ("start_returns", Spot.RETURNED)]
)
@pytest.mark.parametrize("how", ["power", "reset"])
async def test_a_start_leaves_stacks_or_returns_what_is_jammed(
    how: str,
    then: str,
    spot: Spot,
    finishes_reported: bool,  # noqa: FBT001
) -> None:
    """After power off and on, or RESET: jammed again, stacked (reported by its habit or not), or returned."""
    bench = await (await Bench(BillHabits(finishes_reported=finishes_reported)).ready()).escrow()
    bench.bills.mishaps.next("jam_in_stacker")
    await bench.follow(STACK)
    if then:
        bench.bills.mishaps.next(then)
    if how == "power":
        await bench.host.cut()
    else:
        await bench.host.ask(RESET)
    heard = await bench.follow()
    stacked: list[BillEvent] = [Bill("stacked", TEN)] if finishes_reported else []
    ends: dict[str, list[BillEvent]] = {
        "": [JAMMED],
        "start_stacks": stacked,
        "start_returns": [Bill("returned", TEN)],
    }
    assert heard == [JUST_RESET, *ends[then]]
    assert bench.lies() is spot


@pytest.mark.parametrize(
    ("hand", "spot"), [("jam_to_box", Spot.CASH_BOX), ("jam_to_mouth", Spot.RETURNED), ("jam_to_hand", Spot.TAKEN)]
)
async def test_a_jam_cleared_by_hand_is_followed_by_no_word_of_the_bill(hand: str, spot: Spot) -> None:
    """Not even STACKER counts what a hand has pushed into the box."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next("jam_in_stacker")
    await bench.follow(STACK)
    bench.bills.troubles()[hand](1)
    assert await bench.follow() == []
    assert (bench.lies(), await bench.count()) == (spot, 0)
    for cents in (500, NOTE):
        await bench.escrow(cents)
        assert len(await bench.follow(STACK)) == 1


async def test_the_box_is_out_while_a_bill_moves_and_the_count_is_none_after_that() -> None:
    """The bill lies loose; the box put back, STACKER begins at 0 and the unit takes bills again."""
    bench = await (await Bench().ready()).escrow(2000)
    await bench.follow(STACK)
    await bench.escrow()
    bench.bills.mishaps.next("cassette_out_on_the_way")
    assert await bench.follow(STACK) == [BOX_OUT]
    bench.bills.set_fault("stacker_open", on=False)
    assert await bench.follow() == []
    assert (bench.lies(), await bench.count()) == (Spot.LOOSE, 0)
    await bench.escrow(500)


@pytest.mark.parametrize("whose", ["host", "device"])
async def test_a_reset_loses_the_report(whose: str) -> None:
    """The bus is held down, or the unit resets itself, when the bill has been stacked: "just reset" comes in place."""
    bench = await (await Bench().ready()).escrow()
    if whose == "device":
        bench.bills.mishaps.next("reset_after_end")
    assert await bench.host.ask(STACK) == "ACK"
    await bench.host.pause(1)
    if whose == "host":
        await bench.host.say("R,RESET")
        await bench.host.pause(0.5)
    assert await bench.follow() == [JUST_RESET]
    assert (bench.lies(), await bench.count()) == (Spot.CASH_BOX, 1)


async def test_another_bill_comes_first_where_an_end_was_never_reported() -> None:
    """The unit is free at once, for another bill and for one of the same value."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("end_unreported", 2)
    for cents in (NOTE, NOTE, 500):
        await bench.escrow(cents)
        await bench.follow(STACK)
    assert bench.box == [NOTE, NOTE, 500]


@pytest.mark.parametrize(
    ("then", "spot"), [("", Spot.RETURNED), ("start_stacks", Spot.CASH_BOX), ("start_returns", Spot.RETURNED)]
)
async def test_a_cut_with_a_bill_in_escrow(then: str, spot: Spot) -> None:
    """At the next start it is returned, or stacked."""
    bench = await (await Bench().ready()).escrow()
    if then:
        bench.bills.mishaps.next(then)
    await bench.host.cut()
    await bench.follow()
    assert bench.lies() is spot


async def test_not_recognised_by_chance() -> None:
    """Rejected, and in the hand."""
    bench = await Bench().ready()
    bench.bills.mishaps.rate("unreadable", 1.0)
    bench.bills.insert(NOTE)
    assert await bench.follow() == [REJECTED]
    assert bench.lies() is Spot.RETURNED


async def test_a_brown_out_in_escrow_is_a_reset() -> None:
    """Just reset, and the bill comes back."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.troubles()["brown_out"](1)
    await bench.host.pause(0.3)
    assert await bench.follow() == [JUST_RESET, Bill("returned", TEN)]
    assert bench.lies() is Spot.RETURNED


async def test_a_bill_in_escrow_that_is_reported_twice() -> None:
    """One bill, which is stacked, reported and counted once."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("escrow_twice")
    bench.bills.insert(1000)
    assert await bench.follow() == [Bill("escrow", TEN)] * 2
    assert await bench.follow(STACK) == [Bill("stacked", TEN)]
    assert (bench.lies(), await bench.count()) == (Spot.CASH_BOX, 1)


async def test_a_unit_that_is_busy_or_dead() -> None:
    """Busy it answers POLL alone; dead it answers nothing."""
    bench = await Bench().ready()
    bench.bills.troubles()["busy"](1)
    assert await bench.host.bills() == [0x03]
    assert await bench.host.ask("36") == "NACK"
    bench.bills.troubles()["dead"](1)
    assert await bench.host.ask("33") == "NACK"


async def test_another_device_in_its_place() -> None:
    """Another serial number, a count from 0, and what was inside is carried away."""
    bench = await (await Bench().ready()).escrow(2000)
    await bench.follow(STACK)
    await bench.escrow()
    bench.bills.troubles()["swapped"](1)
    await bench.host.pause(0.5)
    assert await bench.follow() == [JUST_RESET]
    assert (await bench.host.data("37 00"))[3:15] == b"000000000008"
    assert (bench.lies(), await bench.count()) == (Spot.TAKEN, 0)
