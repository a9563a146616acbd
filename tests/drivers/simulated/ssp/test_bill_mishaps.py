"""What befalls a note in the simulated SSP validator, by its polls and by where the note lies (GA138, events)."""

import pytest

from drivers.simulated.whereabouts import Spot
from tests.drivers.simulated.ssp.bill_bench import (
    LAST_REJECT,
    NOTE,
    POLL,
    REJECT,
    Bench,
)


async def test_nothing_befalls_it_unasked() -> None:
    """Read, credited and stacked by the polls; rejected on order."""
    bench = await (await Bench().ready()).escrow()
    assert bench.lies() is Spot.PATH
    assert await bench.events() == ["EF 02", "EE 02", "EB"]
    assert bench.lies() is Spot.CASH_BOX
    await bench.escrow(2000)
    assert await bench.plain(REJECT) == b"\xf0"
    assert await bench.events() == ["EF 03", "EC"]
    assert bench.lies(2000) is Spot.RETURNED


@pytest.mark.parametrize(
    ("mishap", "heard", "spot"),
    [
        ("jam_in_reach", ["EF 02", "E9"], Spot.PATH),
        ("jam_on_the_way", ["EF 02", "EA"], Spot.PATH),
        ("jam_in_stacker", ["EF 02", "EA"], Spot.PATH),
        ("cassette_out_on_the_way", ["EF 02", "E3"], Spot.LOOSE),
        ("pulled_on_the_way", ["EF 02", "E6 02"], Spot.RETURNED),
        ("returned_in_spite", ["EF 02", "EC"], Spot.RETURNED),
        ("jam_after_credit", ["EF 02", "EE 02", "EA"], Spot.PATH),
        ("pulled_after_credit", ["EF 02", "EE 02", "E6 02"], Spot.RETURNED),
        ("end_unreported", ["EF 02"], Spot.CASH_BOX),
    ],
)
async def test_what_befalls_a_note_that_the_poll_orders_to_be_stacked(
    mishap: str, heard: list[str], spot: Spot
) -> None:
    """The events that follow, and where the note really is."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next(mishap)
    assert await bench.events() == heard
    assert bench.lies() is spot
    assert bench.bills.mishaps.happened == {mishap: 1}


@pytest.mark.parametrize(
    ("mishap", "answer", "heard", "spot"),
    [
        ("stacked_in_spite", b"\xf0", ["EF 02", "EE 02", "EB"], Spot.CASH_BOX),
        ("return_unreported", b"\xf0", ["EF 02"], Spot.RETURNED),
        ("order_refused", b"\xf5", ["EF 02", "EE 02", "EB"], Spot.CASH_BOX),
        ("order_ignored", b"\xf0", ["EF 02", "EE 02", "EB"], Spot.CASH_BOX),
    ],
)
async def test_what_befalls_a_note_that_is_to_be_rejected(
    mishap: str, answer: bytes, heard: list[str], spot: Spot
) -> None:
    """08 is refused, or answered OK and not obeyed; a note that stays in escrow is stacked by the poll after that."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next(mishap)
    assert await bench.plain(REJECT) == answer
    assert await bench.events() == heard
    assert bench.lies() is spot


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize(
    ("then", "heard", "spot"),
    [
        ("", ["F1", "EA"], Spot.PATH),
        ("start_stacks", ["F1", "E2"], Spot.CASH_BOX),
        ("start_returns", ["F1", "E1"], Spot.RETURNED),
    ],
)
async def test_a_start_leaves_stacks_or_returns_what_is_jammed(
    then: str,
    heard: list[str],
    spot: Spot,
    unknown: bool,  # noqa: FBT001
) -> None:
    """Cleared into the cash box (E2) or from the front (E1), with the channel or with 0 for "not known"."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next("jam_in_stacker")
    await bench.events()
    bench.bills.power(on=False)
    bench.bills.power(on=True)
    for mishap, ordered in ((then, bool(then)), ("channel_unknown", unknown)):
        if ordered:
            bench.bills.mishaps.next(mishap)
    bench.bills.power(on=False)
    bench.bills.power(on=True)
    await bench.enabled()
    channel = " 00" if unknown else " 02"
    assert await bench.events() == [event + channel if event in {"E1", "E2"} else event for event in heard]
    assert bench.lies() is spot


@pytest.mark.parametrize(
    ("hand", "spot"), [("jam_to_box", Spot.CASH_BOX), ("jam_to_mouth", Spot.RETURNED), ("jam_to_hand", Spot.TAKEN)]
)
async def test_a_jam_cleared_by_hand_is_followed_by_no_word_of_the_note(hand: str, spot: Spot) -> None:
    """The polls stop to say "jam": nothing says where the note went."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next("jam_on_the_way")
    await bench.events()
    bench.bills.troubles()[hand](1)
    assert await bench.events() == []
    assert bench.lies() is spot
    for cents in (500, NOTE):
        await bench.escrow(cents)
        assert (await bench.events())[-1] == "EB"


async def test_an_unsafe_jam_is_within_reach() -> None:
    """Somebody pulls the note out of the mouth: the jam is over, and nothing is said."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next("jam_in_reach")
    await bench.events()
    bench.bills.troubles()["pulled_back"](1)
    assert await bench.events() == []
    assert bench.lies() is Spot.RETURNED


async def test_a_jam_after_the_credit_is_not_credited_again() -> None:
    """Freed, the note is stacked (EB); after a cut it goes to the cash box, and nothing is reported of it."""
    for cut in (False, True):
        bench = await (await Bench().ready()).escrow()
        bench.bills.mishaps.next("jam_after_credit")
        assert (await bench.events())[-2:] == ["EE 02", "EA"]
        if cut:
            bench.bills.power(on=False)
        bench.bills.set_fault("stacker_jam", on=False)
        if cut:
            bench.bills.power(on=True)
            await bench.enabled()
        assert await bench.events() == (["F1"] if cut else ["EB"])
        assert bench.lies() is Spot.CASH_BOX


async def test_a_note_falls_beside_a_cash_box_that_is_put_back() -> None:
    """E3, E4, and the note lies loose in the cabinet."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next("cassette_out_on_the_way")
    assert (await bench.events())[-1] == "E3"
    bench.bills.set_fault("stacker_open", on=False)
    assert await bench.events() == ["E4"]
    assert bench.lies() is Spot.LOOSE


async def test_a_reset_after_the_end() -> None:
    """Its supply fails before the credit was polled: cleared into the cash box (E2) after the start, no credit."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.mishaps.next("reset_after_end")
    assert await bench.plain(POLL) == b"\xf0\xef\x02"
    assert await bench.plain(POLL) == b"\xf0\xcc"
    await bench.port.read(1.0)
    await bench.enabled()
    assert await bench.events() == ["F1", "E2 02"]
    assert bench.lies() is Spot.CASH_BOX


async def test_another_note_comes_first_where_an_end_was_never_reported() -> None:
    """The device is free at once, for another note and for one of the same value."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("end_unreported", 2)
    for cents in (NOTE, NOTE, 500):
        await bench.escrow(cents)
        await bench.events()
    assert bench.box == [NOTE, NOTE, 500]


@pytest.mark.parametrize(
    ("then", "heard", "spot"),
    [
        ("", ["F1", "E1 02"], Spot.RETURNED),
        ("start_stacks", ["F1", "E2 02"], Spot.CASH_BOX),
        ("start_returns", ["F1", "E1 02"], Spot.RETURNED),
    ],
)
async def test_a_cut_with_a_note_in_escrow(then: str, heard: list[str], spot: Spot) -> None:
    """At the next start it is cleared, one way or the other, and reported with the first poll."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.power(on=False)
    assert bench.lies() is Spot.PATH
    if then:
        bench.bills.mishaps.next(then)
    bench.bills.power(on=True)
    await bench.enabled()
    assert await bench.events() == heard
    assert bench.lies() is spot


async def test_not_recognised_by_chance() -> None:
    """Rejected with code 2, and in the hand."""
    bench = await Bench().ready()
    bench.bills.mishaps.rate("unreadable", 1.0)
    bench.bills.insert(NOTE)
    assert await bench.events() == ["EC"]
    assert await bench.plain(LAST_REJECT) == b"\xf0\x02"
    assert bench.lies() is Spot.RETURNED


@pytest.mark.parametrize(
    ("fault", "begins", "ends"),
    [
        ("stacker_full", ["E7"], []),
        ("acceptor_jam", ["E9"], []),
        ("stacker_jam", ["EA"], []),
        ("failure", ["E0"], []),
        ("stacker_open", ["E3"], ["E4"]),
        ("cheated", ["E6 01"], []),
    ],
)
async def test_a_lasting_fault(fault: str, begins: list[str], ends: list[str]) -> None:
    """Reported while it lasts, or once when it begins and once when it ends."""
    bench = await Bench().ready()
    bench.bills.troubles()[fault](1)
    assert await bench.events() == begins
    bench.bills.troubles()[fault](0)
    assert await bench.events() == ends


async def test_a_brown_out_in_escrow_is_a_start() -> None:
    """Reset, disabled, and the note is cleared from the front."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.troubles()["brown_out"](1)
    await bench.sync()
    assert (await bench.plain(POLL)).hex(" ").upper() == "F0 F1 E1 02 E8"
    assert bench.lies() is Spot.RETURNED


async def test_another_device_in_its_place() -> None:
    """Another serial number, the reset alone to report, and what was inside is carried away."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.troubles()["swapped"](1)
    await bench.enabled()
    assert await bench.plain(0x0C) == b"\xf0" + (1_873_453).to_bytes(4, "big")
    assert await bench.events() == ["F1"]
    assert bench.lies() is Spot.TAKEN
