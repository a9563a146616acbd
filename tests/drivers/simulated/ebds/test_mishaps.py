"""What befalls a note in the simulated EBDS validator, by the bits of its replies and by where the note lies."""

import asyncio

import pytest

from drivers.simulated.whereabouts import Spot
from tests.drivers.simulated.ebds.bench import (
    CASSETTE,
    CHEATED,
    FULL,
    IDLING,
    JAMMED,
    NOTE,
    POLL,
    POWER_UP,
    RETURN,
    STACK,
    Bench,
    Seen,
)

POLICY_B, STACK_B = "7F 1C 04", "7F 3C 04"
TEN = 2


async def test_nothing_befalls_it_unasked() -> None:
    """Stacked with its number, or returned, and the note where that says."""
    bench = await (await Bench().open()).escrow()
    assert bench.lies() is Spot.PATH
    assert await bench.follow(STACK) == [("stacked", TEN)]
    assert bench.lies() is Spot.CASH_BOX
    await bench.escrow(2000)
    assert await bench.follow(RETURN) == [("returned", 0)]
    assert bench.lies(2000) is Spot.RETURNED


@pytest.mark.parametrize(
    ("mishap", "order", "heard", "spot"),
    [
        ("jam_on_the_way", STACK, [("jammed", 0)], Spot.PATH),
        ("jam_in_stacker", STACK, [("jammed", 0)], Spot.PATH),
        ("cassette_out_on_the_way", STACK, [("cassette out", 0)], Spot.LOOSE),
        ("pulled_on_the_way", STACK, [("cheated", 0)], Spot.RETURNED),
        ("returned_in_spite", STACK, [("returned", 0)], Spot.RETURNED),
        ("stacked_in_spite", RETURN, [("stacked", TEN)], Spot.CASH_BOX),
        ("jam_after_credit", STACK, [("stacked", TEN), ("jammed", 0)], Spot.PATH),
        ("pulled_after_credit", STACK, [("stacked", TEN), ("cheated", 0)], Spot.RETURNED),
        ("end_unreported", STACK, [], Spot.CASH_BOX),
        ("return_unreported", RETURN, [], Spot.RETURNED),
    ],
)
async def test_what_befalls_a_note_after_the_order(mishap: str, order: str, heard: list[Seen], spot: Spot) -> None:
    """The bits that follow the order, if any, and where the note really is."""
    bench = await (await Bench().open()).escrow()
    bench.device.mishaps.next(mishap)
    assert await bench.follow(order) == heard
    assert bench.lies() is spot
    assert bench.device.mishaps.happened == {mishap: 1}


@pytest.mark.parametrize("order", [STACK, RETURN])
@pytest.mark.parametrize(("mishap", "heard"), [("order_refused", [("invalid", 0)]), ("order_ignored", [])])
async def test_an_order_that_is_not_obeyed(mishap: str, heard: list[Seen], order: str) -> None:
    """Invalid command, or nothing: the note stays in escrow, and the next order is obeyed."""
    bench = await (await Bench().open()).escrow()
    bench.device.mishaps.next(mishap)
    assert await bench.follow(order) == heard
    assert bench.lies() is Spot.PATH
    assert await bench.follow(STACK) == [("stacked", TEN)]


@pytest.mark.parametrize("policy", [POLL, POLICY_B])
@pytest.mark.parametrize(
    ("then", "spot"), [("", Spot.PATH), ("start_stacks", Spot.CASH_BOX), ("start_returns", Spot.RETURNED)]
)
async def test_a_start_leaves_stacks_or_returns_what_is_jammed(then: str, spot: Spot, policy: str) -> None:
    """Still jammed; or stacked, which only power-up policy B has reported with its value; or returned."""
    bench = await (await Bench().open()).escrow()
    bench.device.mishaps.next("jam_in_stacker")
    await bench.follow(STACK)
    bench.device.power(on=False)
    bench.device.power(on=True)
    if then:
        bench.device.mishaps.next(then)
    await bench.started(policy)
    heard = await bench.follow(policy, poll=policy)
    reported = [("stacked", TEN)] if policy == POLICY_B else []
    assert heard == {"": [("jammed", 0)], "start_stacks": reported, "start_returns": [("returned", 0)]}[then]
    assert bench.lies() is spot


@pytest.mark.parametrize(
    ("hand", "spot"), [("jam_to_box", Spot.CASH_BOX), ("jam_to_mouth", Spot.RETURNED), ("jam_to_hand", Spot.TAKEN)]
)
async def test_a_jam_cleared_by_hand_is_followed_by_no_word_of_the_note(hand: str, spot: Spot) -> None:
    """The bit "jammed" goes, and the device is at rest: nothing says where the note went."""
    bench = await (await Bench().open()).escrow()
    bench.device.mishaps.next("jam_in_stacker")
    await bench.follow(STACK)
    bench.device.troubles()[hand](1)
    assert await bench.follow() == []
    assert bench.lies() is spot
    for cents in (500, NOTE):
        await bench.escrow(cents)
        assert len(await bench.follow(STACK)) == 1


async def test_a_note_falls_beside_a_cassette_that_is_put_back() -> None:
    """The bit "cassette present" comes back, and nothing else: the note lies loose in the cabinet."""
    bench = await (await Bench().open()).escrow()
    bench.device.mishaps.next("cassette_out_on_the_way")
    await bench.follow(STACK)
    bench.device.set_fault("stacker_open", on=False)
    assert await bench.follow() == []
    assert bench.lies() is Spot.LOOSE


async def test_a_blank_stacked_at_power_up() -> None:
    """STACKED with a value of 0, though nothing was inside (as public drivers of the device describe)."""
    bench = Bench()
    bench.device.mishaps.next("blank_at_start")
    bench.device.power(on=True)
    await bench.line.port.open()
    assert await bench.follow() == [("stacked", 0)]
    assert (bench.box, bench.device.money()) == ([], {})
    await bench.escrow()
    assert await bench.follow(STACK) == [("stacked", TEN)]


async def test_a_blank_stacked_when_the_cassette_is_put_back() -> None:
    """STACKED with a value of 0, when somebody has emptied the cassette."""
    bench = await Bench().open()
    bench.device.mishaps.next("blank_at_cassette")
    bench.device.troubles()["stacker_open"](1)
    assert await bench.follow() == [("cassette out", 0)]
    bench.device.troubles()["stacker_open"](0)
    assert await bench.follow() == [("stacked", 0)]
    assert bench.box == []


@pytest.mark.parametrize(("policy", "stack"), [(POLL, STACK), (POLICY_B, STACK_B)])
async def test_a_reset_after_the_end(policy: str, stack: str) -> None:
    """Its supply fails before "stacked" was heard: policy B has it reported after the start, A never."""
    bench = await (await Bench().open(policy)).escrow(poll=policy)
    bench.device.mishaps.next("reset_after_end")
    await bench.ask(stack)
    await asyncio.sleep(1.0)
    assert await bench.follow(policy, seconds=5.0, poll=policy) == ([("stacked", TEN)] if policy == POLICY_B else [])
    assert bench.lies() is Spot.CASH_BOX


@pytest.mark.parametrize(("then", "spot"), [("start_stacks", Spot.CASH_BOX), ("start_returns", Spot.RETURNED)])
async def test_a_cut_with_a_note_in_escrow(then: str, spot: Spot) -> None:
    """At the next start it is stacked, unreported without policy B, or returned."""
    bench = await (await Bench().open()).escrow()
    bench.device.power(on=False)
    assert bench.lies() is Spot.PATH
    bench.device.mishaps.next(then)
    bench.device.power(on=True)
    await bench.started()
    assert await bench.follow() == ([] if spot is Spot.CASH_BOX else [("returned", 0)])
    assert bench.lies() is spot


async def test_another_note_comes_first_where_an_end_was_never_reported() -> None:
    """The device idles at once, for another note and for one of the same value."""
    bench = await Bench().open()
    bench.device.mishaps.next("end_unreported", 2)
    for cents in (NOTE, NOTE, 500):
        await bench.escrow(cents)
        await bench.follow(STACK)
    assert bench.box == [NOTE, NOTE, 500]


async def test_not_recognised_by_chance() -> None:
    """Rejected, and in the hand."""
    bench = await Bench().open()
    bench.device.mishaps.rate("unreadable", 1.0)
    bench.device.insert(NOTE)
    assert await bench.follow() == [("rejected", 0)]
    assert bench.lies() is Spot.RETURNED


@pytest.mark.parametrize(
    ("fault", "place", "bits"),
    [
        ("stacker_full", 1, CASSETTE | FULL),
        ("stacker_open", 1, 0),
        ("acceptor_jam", 1, CASSETTE | JAMMED),
        ("stacker_jam", 1, CASSETTE | JAMMED),
        ("pause", 1, CASSETTE | 0x20),
        ("calibration", 1, CASSETTE | 0x40),
        ("cheated", 1, CASSETTE | CHEATED),
        ("failure", 2, 0x04),
    ],
)
async def test_a_lasting_fault(fault: str, place: int, bits: int) -> None:
    """Its bit, and none when it ends."""
    bench = await Bench().open()
    bench.device.troubles()[fault](1)
    assert (await bench.ask())[place] == bits
    bench.device.troubles()[fault](0)
    await bench.ask()
    assert (await bench.ask())[1:3] == bytes((CASSETTE, 0))


@pytest.mark.parametrize("hand", ["pulled_back", "brown_out"])
async def test_a_note_in_escrow_and_a_hand_or_a_brown_out(hand: str) -> None:
    """Either way the note comes back, as policy A has it."""
    bench = await (await Bench().open()).escrow()
    bench.device.troubles()[hand](1)
    await bench.started()
    assert await bench.follow() == [("returned", 0)]
    assert bench.lies() is Spot.RETURNED


async def test_what_a_public_host_asks_first() -> None:
    """MPOST: type, serial number, the total of the cash box, starts, and the total cleared, in auxiliary commands."""
    bench = await (await Bench().open()).escrow()
    await bench.follow(STACK)
    auxiliary = {}
    for command in (0x04, 0x05, 0x01, 0x02):
        bench._ack ^= 1
        auxiliary[command] = await bench.message(0x60, bytes((0, 0, command)))
    assert auxiliary[0x04].startswith(b"SIMSC66\x00")
    assert (auxiliary[0x05][:10], len(auxiliary[0x05])) == (b"SIM0000815", 20)
    assert auxiliary[0x01] == bytes((0, 0, 0, 3, 0xE, 8))
    assert auxiliary[0x02] == bytes((0, 0, 0, 0, 0, 1))
    bench._ack ^= 1
    assert (await bench.message(0x60, bytes((0, 0, 3))))[0] == IDLING
    bench._ack ^= 1
    assert await bench.message(0x60, bytes((0, 0, 1))) == bytes(6)


async def test_another_device_in_its_place() -> None:
    """Power-up, another serial number, and what was inside is carried away."""
    bench = await (await Bench().open()).escrow()
    bench.device.troubles()["swapped"](1)
    assert (await bench.ask())[2] & POWER_UP
    await bench.started()
    assert await bench.follow() == []
    bench._ack ^= 1
    assert (await bench.message(0x60, bytes((0, 0, 5))))[:10] == b"SIM0000816"
    assert bench.lies() is Spot.TAKEN
