"""What befalls a note in the simulated ccTalk validator, in the frames of parts 2 and 3 and by where the note lies."""

import pytest

from drivers.simulated.whereabouts import Spot
from tests.drivers.simulated.cctalk.bill_bench import (
    ACK,
    FAILED,
    NAK,
    READ,
    RETURN,
    STACK,
    Bench,
    Event,
)

SELF_CHECK, RESET, SERIAL = "28 00 01 E8 EF", "28 00 01 01 D6", "28 00 01 F2 E5"
TEN, TWENTY = 2, 3
"""Bill types."""


async def test_nothing_befalls_it_unasked() -> None:
    """Escrow, stacked, and back on order: one event each, and the note where they say."""
    bench = await (await Bench().ready()).escrow()
    assert bench.lies() is Spot.PATH
    assert await bench.stack() == [(TEN, 0)]
    assert (bench.lies(), bench.box) == (Spot.CASH_BOX, [1000])
    await bench.escrow(2000)
    assert await bench.ask(RETURN) == ACK
    assert await bench.events() == [(0, 1)]
    assert (bench.lies(2000), bench.hand) == (Spot.RETURNED, [2000])
    assert not bench.bills.mishaps.happened


@pytest.mark.parametrize(
    ("mishap", "code", "check"),
    [("jam_in_reach", 6, 39), ("jam_in_stacker", 7, 39), ("stacker_jams", 15, 39), ("jam_on_the_way", 16, 39)],
)
async def test_a_jam_after_the_order_keeps_the_note(mishap: str, code: int, check: int) -> None:
    """Events 6, 7, 15 and 16 (table 7): the note is neither in the box nor in a hand, and no other is drawn in."""
    bench = await Bench().ready()
    bench.bills.mishaps.next(mishap)
    await bench.escrow()
    assert await bench.stack() == [(0, code)]
    assert bytes.fromhex(await bench.ask(SELF_CHECK))[4] == check
    assert (bench.lies(), bench.box, bench.hand) == (Spot.PATH, [], [])
    bench.bills.insert(2000)
    assert bench.hand == [2000]
    assert await bench.events(30) == []


@pytest.mark.parametrize(
    ("then", "events", "spot"),
    [
        ("", [(0, 16)], Spot.PATH),
        ("start_stacks", [(TEN, 0)], Spot.CASH_BOX),
        ("start_returns", [(0, 1)], Spot.RETURNED),
    ],
)
@pytest.mark.parametrize("how", ["power", "reset"])
async def test_a_start_leaves_stacks_or_returns_what_is_jammed(
    how: str, then: str, events: list[Event], spot: Spot
) -> None:
    """After power off and on, or a reset, the counter begins at 0; the jam is reported anew, or the note's end is."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("jam_on_the_way")
    await bench.escrow()
    await bench.stack()
    if then:
        bench.bills.mishaps.next(then)
    if how == "power":
        bench.bills.power(on=False)
        bench.bills.power(on=True)
    else:
        assert await bench.ask(RESET) == ACK
    bench.counter = 0
    assert await bench.events() == events
    assert bench.lies() is spot


@pytest.mark.parametrize(
    ("hand", "spot"), [("jam_to_box", Spot.CASH_BOX), ("jam_to_mouth", Spot.RETURNED), ("jam_to_hand", Spot.TAKEN)]
)
async def test_a_jam_cleared_with_the_power_on_is_followed_by_no_event_of_the_note(hand: str, spot: Spot) -> None:
    """Only a person knows where it went; the next note, and the same again, are drawn in as any other."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("stacker_jams")
    await bench.escrow()
    await bench.stack()
    bench.bills.troubles()[hand](1)
    assert await bench.events() == [(0, 10)]
    assert bench.lies() is spot
    for cents in (500, 1000):
        await bench.escrow(cents)
        assert (await bench.stack())[-1][1] == 0


async def test_a_jam_within_reach_is_pulled_out() -> None:
    """A hand draws the note back out of the mouth: (0,8), and the jam is over."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("jam_in_reach")
    await bench.escrow()
    await bench.stack()
    bench.bills.pull_back()
    assert await bench.events() == [(0, 8)]
    assert bench.lies() is Spot.RETURNED


async def test_nobody_clears_what_is_not_jammed() -> None:
    """The hand is told so."""
    bench = await (await Bench().ready()).escrow()
    with pytest.raises(ValueError, match="nothing is jammed"):
        bench.bills.troubles()["jam_to_hand"](1)


async def test_the_cassette_is_pulled_out_from_under_a_note_and_put_back() -> None:
    """(0,11), later (0,12): the note lies loose in the cabinet, and no event is about it."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("cassette_out_on_the_way")
    await bench.escrow()
    assert await bench.stack() == [(0, 11)]
    assert (bench.lies(), bench.box) == (Spot.LOOSE, [])
    bench.bills.set_fault("stacker_open", on=False)
    assert await bench.events() == [(0, 12)]
    await bench.escrow(500)
    assert await bench.stack() == [(1, 0)]


@pytest.mark.parametrize(
    ("mishap", "order", "events", "spot"),
    [
        ("returned_in_spite", STACK, [(0, 1)], Spot.RETURNED),
        ("stacked_in_spite", RETURN, [(TEN, 0)], Spot.CASH_BOX),
        ("pulled_on_the_way", STACK, [(0, 8)], Spot.RETURNED),
        ("pulled_after_credit", STACK, [(TEN, 0), (0, 8)], Spot.RETURNED),
        ("jam_after_credit", STACK, [(TEN, 0), (0, 7)], Spot.PATH),
        ("unknown_type_stacked", STACK, [(0, 21)], Spot.CASH_BOX),
        ("end_unreported", STACK, [], Spot.CASH_BOX),
        ("return_unreported", RETURN, [], Spot.RETURNED),
    ],
)
async def test_what_befalls_a_note_after_the_order(mishap: str, order: str, events: list[Event], spot: Spot) -> None:
    """The events of table 7 that follow, if any, and where the note really is; the order itself meets ACK."""
    bench = await Bench().ready()
    bench.bills.mishaps.next(mishap)
    await bench.escrow()
    assert await bench.ask(order) == ACK
    assert await bench.events() == events
    assert bench.lies() is spot
    assert bench.bills.mishaps.happened == {mishap: 1}


async def test_a_jam_after_the_credit_ends_without_a_second_credit() -> None:
    """The plate is freed: the note falls into the box, and (n,0) was said once."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("jam_after_credit")
    await bench.escrow()
    assert await bench.stack() == [(TEN, 0), (0, 7)]
    bench.bills.set_fault("throat_jam", on=False)
    assert await bench.events() == []
    assert bench.lies() is Spot.CASH_BOX


async def test_another_note_comes_first_where_an_end_was_never_reported() -> None:
    """The device is free at once, for another note and for one of the same value: each escrow is a note of its own."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("end_unreported", 2)
    for cents in (1000, 1000, 500):
        await bench.escrow(cents)
        await bench.ask(STACK)
        await bench.events()
    assert (bench.box, bench.hand) == ([1000, 1000, 500], [])


async def test_five_more_events_push_the_notes_end_out_of_the_buffer() -> None:
    """The counter has gone up by six between two polls (part 2, header 159), and the oldest of them is gone."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("buffer_overflow")
    await bench.escrow()
    before = bench.counter
    assert await bench.ask(STACK, wait_s=1.0) == ACK
    raw = bytes.fromhex(await bench.ask(READ))
    assert raw[4] == before + 6
    assert [*raw[5:-1]] == [0, 2] * 5
    assert bench.lies() is Spot.CASH_BOX


@pytest.mark.parametrize("order", [STACK, RETURN])
@pytest.mark.parametrize(("mishap", "answer"), [("order_refused", FAILED), ("order_nak", NAK), ("order_ignored", ACK)])
async def test_an_order_that_is_not_obeyed(mishap: str, answer: str, order: str) -> None:
    """Header 154 is answered 255, NAK or even ACK: the note stays in escrow, and the next order is obeyed."""
    bench = await Bench().ready()
    await bench.escrow()
    bench.bills.mishaps.next(mishap)
    assert await bench.ask(order) == answer
    assert await bench.events() == []
    assert bench.lies() is Spot.PATH
    assert await bench.stack() == [(TEN, 0)]


async def test_a_reset_after_the_end_forgets_it() -> None:
    """Its supply fails for an instant when the note has been stacked: counter 0, no events, all notes inhibited."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("reset_after_end")
    await bench.escrow()
    assert await bench.ask(STACK, wait_s=1.0) == ACK
    assert bytes.fromhex(await bench.ask(READ))[4:-1] == bytes(11)
    assert bench.lies() is Spot.CASH_BOX
    bench.bills.insert(500)
    assert bench.hand == [500]


@pytest.mark.parametrize(
    ("mishap", "events", "spot"),
    [
        ("", [(0, 1)], Spot.RETURNED),
        ("start_stacks", [(TEN, 0)], Spot.CASH_BOX),
        ("start_returns", [(0, 1)], Spot.RETURNED),
    ],
)
@pytest.mark.parametrize("position", ["escrow", "stacking"])
async def test_a_cut_with_a_note_inside(position: str, mishap: str, events: list[Event], spot: Spot) -> None:
    """What was in escrow or on its way is returned or stacked at the next start, and reported with a new counter."""
    bench = await (await Bench().ready()).escrow()
    if position == "stacking":
        await bench.ask(STACK)
    bench.bills.power(on=False)
    if mishap:
        bench.bills.mishaps.next(mishap)
    assert bench.lies() is Spot.PATH
    bench.bills.power(on=True)
    bench.counter = 0
    assert await bench.events() == events
    assert bench.lies() is spot


async def test_a_cut_may_be_finished_silently() -> None:
    """Stacked after the start, and not a word of it."""
    bench = await (await Bench().ready()).escrow()
    await bench.ask(STACK)
    bench.bills.power(on=False)
    for mishap in ("start_stacks", "end_unreported"):
        bench.bills.mishaps.next(mishap)
    bench.bills.power(on=True)
    bench.counter = 0
    assert await bench.events() == []
    assert bench.lies() is Spot.CASH_BOX


async def test_notes_that_are_seen_on_a_string_or_not_recognised_come_back() -> None:
    """(0,18) and (0,2), each followed by (0,1)."""
    bench = await Bench().ready()
    for mishap, code in (("string_seen", 18), ("unreadable", 2)):
        bench.bills.mishaps.next(mishap)
        bench.bills.insert(1000)
        assert await bench.events() == [(0, code), (0, 1)]
    assert bench.hand == [1000, 1000]


@pytest.mark.parametrize(
    ("fault", "begins", "ends", "check"),
    [
        ("acceptor_jam", 6, None, 39),
        ("safe_jam", 16, None, 39),
        ("throat_jam", 7, None, 39),
        ("stacker_jam", 15, 10, 39),
        ("stacker_full", 14, 10, 45),
        ("stacker_open", 11, 12, 44),
        ("cheated", 17, None, 0),
        ("tampered", 9, None, 0),
        ("transport", 3, None, 37),
        ("string_guard", 19, None, 41),
        ("failure", 13, None, 36),
    ],
)
async def test_a_lasting_fault(fault: str, begins: int, ends: int | None, check: int) -> None:
    """Its event (table 7), its self-check (table 3), nothing drawn in, and the event with which it ends."""
    bench = await Bench().ready()
    bench.bills.troubles()[fault](1)
    assert await bench.events(0.4) == [(0, begins)]
    assert bytes.fromhex(await bench.ask(SELF_CHECK))[4] == check
    bench.bills.insert(1000)
    assert bench.hand == [1000]
    bench.bills.troubles()[fault](0)
    assert await bench.events(0.4) == ([] if ends is None else [(0, ends)])
    await bench.escrow()


async def test_a_jam_that_frees_itself_lets_the_note_go_on() -> None:
    """The fault ends by itself: the move begins again, and the note's end is reported."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("stacker_jams")
    await bench.escrow()
    await bench.stack()
    bench.bills.set_fault("stacker_jam", on=False)
    assert await bench.events() == [(0, 10), (TEN, 0)]
    assert bench.lies() is Spot.CASH_BOX


async def test_a_late_reply_arrives_after_the_next_question() -> None:
    """The serial number comes when the host has given up and asked for something else."""
    bench = await Bench().ready()
    bench.bills.mishaps.next("late_reply")
    assert await bench.ask(SERIAL, wait_s=0.1) == ""
    heard = await bench.ask(READ)
    assert heard == "01 03 28 00 CB 12 00 F7 01 0B 28 00" + " 00" * 11 + " CC"


async def test_a_brown_out_is_a_start() -> None:
    """The device's own supply fails for an instant: its counter is 0, and what was in escrow comes back."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.troubles()["brown_out"](1)
    bench.counter = 0
    assert await bench.events() == [(0, 1)]
    assert bench.lies() is Spot.RETURNED


async def test_pulled_out_of_escrow() -> None:
    """(0,8), and the note is in the hand."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.troubles()["pulled_back"](1)
    assert await bench.events() == [(0, 8)]
    assert bench.lies() is Spot.RETURNED


async def test_a_mishap_by_chance() -> None:
    """With a rate of one each note is befallen, with a rate of none no note is; both need no order."""
    bench = await Bench().ready()
    bench.bills.mishaps.rate("end_unreported", 1.0)
    await bench.escrow()
    assert await bench.stack() == []
    bench.bills.mishaps.rate("end_unreported", 0.0)
    await bench.escrow()
    assert await bench.stack() == [(TEN, 0)]


@pytest.mark.parametrize(
    ("frame", "data"),
    [
        ("28 00 01 E2 F5", "02 00 00"),
        ("28 00 01 E1 F6", "01 00 00"),
        ("28 00 01 C2 15", "01 00 00"),
        ("28 00 01 C1 16", "00 00 00"),
        ("28 01 01 96 02 3E", "01 00 00"),
        ("28 01 01 95 02 3F", "01 00 00"),
        ("28 02 01 9B 45 55 A0", "0F 00"),
        ("28 00 01 EC EB", "00"),
        ("28 00 01 ED EA", "00"),
        ("28 00 01 B2 25", "01"),
        ("28 01 01 B4 02 20", "00"),
        ("28 00 01 93 44", ""),
        ("28 02 01 97 01 01 3C", ""),
        ("28 01 01 EF 01 E6", ""),
        ("28 00 01 AA 2D", "32 30 32 30"),
        ("28 00 01 02 D5", "00 00 00"),
        ("28 00 01 03 D4", ""),
    ],
)
async def test_what_public_hosts_ask_a_bill_validator(frame: str, data: str) -> None:
    """The requests of a bill validator in part 3, appendix 1, beyond the core set: counts, position, lamps, dates."""
    bench = await (await Bench().ready()).escrow()
    await bench.stack()
    bench.bills.mishaps.next("unreadable")
    bench.bills.insert(1000)
    await bench.events()
    heard = bytes.fromhex(await bench.ask(frame))
    assert heard[:4] == bytes((1, len(heard) - 5, 40, 0))
    assert heard[4:-1].hex(" ").upper() == data


async def test_another_device_in_its_place() -> None:
    """Another serial number (4812 after 4811), counter 0, and what was inside is carried away."""
    bench = await (await Bench().ready()).escrow()
    bench.bills.troubles()["swapped"](1)
    assert bytes.fromhex(await bench.ask(SERIAL))[4:-1] == (4812).to_bytes(3, "little")
    assert bytes.fromhex(await bench.ask(READ))[4:-1] == bytes(11)
    assert bench.lies() is Spot.TAKEN
