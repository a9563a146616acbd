"""What befalls a coin in the simulated ccTalk acceptor, in the frames of part 2 and by where the coin lies."""

import asyncio
from collections import Counter

import pytest

from drivers.simulated.whereabouts import Spot
from tests.drivers.simulated.cctalk.coin_bench import (
    ACK,
    INHIBIT,
    READ,
    SELF_CHECK,
    Bench,
    Event,
)

SERIAL = "02 00 01 F2 0B"
EURO, POSITION = 100, 4


async def test_nothing_befalls_it_unasked() -> None:
    """A credit by position and path, and the coin has fallen on."""
    bench = await Bench().ready()
    bench.coins.insert(EURO)
    assert bench.lies() == {Spot.PATH: Counter([EURO])}
    assert await bench.events() == [(POSITION, 1)]
    assert (bench.lies(), bench.box) == ({Spot.BELOW: Counter([EURO])}, [EURO])
    assert not bench.coins.mishaps.happened


@pytest.mark.parametrize(
    ("mishap", "code"),
    [
        ("credit_sensor_timeout", 6),
        ("second_close", 8),
        ("sensor_blinded", 14),
        ("credit_sequence_error", 16),
        ("too_fast", 18),
        ("too_slow", 19),
        ("swallowed", 36),
    ],
)
async def test_a_coin_that_falls_on_uncredited(mishap: str, code: int) -> None:
    """Only the error of table 2 is recorded, and the coin is in the box."""
    bench = await Bench().ready()
    bench.coins.mishaps.next(mishap)
    bench.coins.insert(EURO)
    assert await bench.events() == [(0, code)]
    assert bench.lies() == {Spot.BELOW: Counter([EURO])}


@pytest.mark.parametrize(
    ("mishap", "code", "spot"),
    [("pulled_after_credit", 20, Spot.RETURNED), ("stuck_in_sorter", 7, Spot.PATH), ("missorted", 39, Spot.BELOW)],
)
async def test_what_befalls_a_coin_after_its_credit(mishap: str, code: int, spot: Spot) -> None:
    """The credit, the error, and where the coin really is."""
    bench = await Bench().ready()
    bench.coins.mishaps.next(mishap)
    bench.coins.insert(EURO)
    assert await bench.events() == [(POSITION, 1), (0, code)]
    assert bench.lies() == {spot: Counter([EURO])}


async def test_a_missorted_coin_takes_another_path_than_its_credit_names() -> None:
    """The path of the event is the one that the host has set (header 210); the coin falls elsewhere."""
    bench = await Bench().ready()
    paths: list[int] = []
    bench.coins.accepted = lambda cents: paths.append(bench.coins.path_of(cents))
    assert await bench.ask("02 02 01 D2 04 03 22") == ACK
    bench.coins.mishaps.next("missorted")
    for _ in range(2):
        bench.coins.insert(EURO)
        await asyncio.sleep(0.2)
    assert await bench.events() == [(POSITION, 3), (0, 39), (POSITION, 3)]
    assert paths == [1, 3]


async def test_a_blinded_sensor_stays_blind_until_a_hand_frees_it() -> None:
    """The coin in front of it is in the box uncredited (14); later ones come back (10), self-check 3."""
    bench = await Bench().ready()
    bench.coins.mishaps.next("sensor_blinded")
    bench.coins.insert(EURO)
    assert await bench.events() == [(0, 14)]
    bench.coins.insert(50)
    assert await bench.events() == [(0, 10)]
    assert bytes.fromhex(await bench.ask(SELF_CHECK))[4] == 3
    bench.coins.troubles()["sensor_blocked"](0)
    bench.coins.insert(50)
    assert await bench.events() == [(3, 1)]
    assert bytes.fromhex(await bench.ask(SELF_CHECK))[4] == 0
    assert bench.lies() == {Spot.BELOW: Counter([EURO, 50]), Spot.RETURNED: Counter([50])}


@pytest.mark.parametrize(
    ("fault", "begins", "each", "check", "spot"),
    [
        ("sensor_blocked", 14, [(0, 10)], 3, Spot.RETURNED),
        ("gate_stuck_shut", 30, [(0, 9)], 2, Spot.RETURNED),
        ("gate_stuck_open", 29, [], 2, Spot.BELOW),
        ("sorter_blocked", 15, [(0, 11)], 8, Spot.RETURNED),
        ("reject_blocked", 26, [(0, 12)], 18, Spot.RETURNED),
    ],
)
async def test_a_lasting_fault(fault: str, begins: int, each: list[Event], check: int, spot: Spot) -> None:
    """Its error once, then each coin comes back with another, or falls through unmeasured; its self-check."""
    bench = await Bench().ready()
    bench.coins.troubles()[fault](1)
    assert await bench.events() == [(0, begins)]
    bench.coins.insert(EURO)
    assert await bench.events() == each
    assert bytes.fromhex(await bench.ask(SELF_CHECK))[4] == check
    assert bench.lies() == {spot: Counter([EURO])}


@pytest.mark.parametrize("powered", [True, False])
async def test_an_open_gate_lets_coins_through_inhibited_or_without_power(powered: bool) -> None:  # noqa: FBT001
    """Nothing measures them, and nothing is recorded."""
    bench = await Bench().open()
    bench.coins.set_fault("gate_stuck_open", on=True)
    bench.coins.power(on=powered)
    bench.coins.insert(EURO)
    assert bench.box == [EURO]


@pytest.mark.parametrize(
    ("hand", "spot"),
    [("return_lever", Spot.RETURNED), ("stuck_to_box", Spot.BELOW), ("stuck_to_hand", Spot.TAKEN)],
)
async def test_a_coin_that_sticks_in_the_mouth(hand: str, spot: Spot) -> None:
    """Error 5; the lever (254) brings it back, a technician lets it fall or takes it."""
    bench = await Bench().ready()
    bench.coins.mishaps.next("stuck_in_mouth")
    bench.coins.insert(EURO)
    assert await bench.events() == [(0, 5)]
    assert bench.lies() == {Spot.PATH: Counter([EURO])}
    bench.coins.troubles()[hand](1)
    assert await bench.events() == ([(0, 254)] if hand == "return_lever" else [])
    assert bench.lies() == {spot: Counter([EURO])}


async def test_unread_coins_are_kept_and_gone_with_a_power_loss() -> None:
    """Three coins in the box; after the start the counter is 0 and the buffer empty (part 2, header 229)."""
    bench = await Bench().ready()
    for _ in range(3):
        bench.coins.insert(EURO)
        await asyncio.sleep(0.3)
    bench.coins.power(on=False)
    bench.coins.power(on=True)
    assert bytes.fromhex(await bench.ask(READ))[4:-1] == bytes(11)
    assert bench.lies() == {Spot.BELOW: Counter([EURO] * 3)}


@pytest.mark.parametrize(("mishap", "spot"), [("", Spot.RETURNED), ("kept_at_cut", Spot.BELOW)])
async def test_a_coin_that_a_cut_catches_before_the_credit_sensor(mishap: str, spot: Spot) -> None:
    """The gate falls shut and the coin comes back, or it falls into the box unreported."""
    bench = await Bench().ready()
    if mishap:
        bench.coins.mishaps.next(mishap)
    bench.coins.insert(EURO)
    bench.coins.power(on=False)
    assert bench.lies() == {spot: Counter([EURO])}
    bench.coins.power(on=True)
    assert await bench.events() == []


@pytest.mark.parametrize("whose", ["reset_after_credit", "brown_out"])
async def test_a_device_that_starts_by_itself_forgets_what_was_not_read(whose: str) -> None:
    """Its own supply fails for an instant: the coin is in the box, the counter 0, and everything inhibited."""
    bench = await Bench().ready()
    if whose != "brown_out":
        bench.coins.mishaps.next(whose)
    bench.coins.insert(EURO)
    await asyncio.sleep(0.2)
    if whose == "brown_out":
        bench.coins.troubles()["brown_out"](1)
    assert bytes.fromhex(await bench.ask(READ))[4:-1] == bytes(11)
    assert bench.lies() == {Spot.BELOW: Counter([EURO])}
    bench.coins.insert(EURO)
    assert await bench.events() == [(0, 2)]


async def test_a_full_buffer_pushes_out_a_credit() -> None:
    """Five errors follow the credit before the next poll: the counter tells of six, the buffer of the errors."""
    bench = await Bench().ready()
    bench.coins.mishaps.next("buffer_overflow")
    bench.coins.insert(EURO)
    await asyncio.sleep(0.3)
    assert [*bytes.fromhex(await bench.ask(READ))[4:-1]] == [6, *[0, 1] * 5]
    assert bench.lies() == {Spot.BELOW: Counter([EURO])}


@pytest.mark.parametrize("order", [INHIBIT, "02 02 01 E7 00 00 14"])
async def test_an_order_to_inhibit_that_is_obeyed_late(order: str) -> None:
    """Acknowledged at once; a coin in the 0.3 s after that is still taken, and a later one comes back."""
    bench = await Bench().ready()
    bench.coins.mishaps.next("obeys_late")
    assert await bench.ask(order) == ACK
    bench.coins.insert(EURO)
    await asyncio.sleep(0.3)
    bench.coins.insert(EURO)
    assert await bench.events() == [(POSITION, 1), (0, 2)]
    assert bench.lies() == {Spot.BELOW: Counter([EURO]), Spot.RETURNED: Counter([EURO])}


async def test_a_coin_past_the_gate_when_the_inhibit_comes_is_credited() -> None:
    """The inhibit is obeyed at once, and the coin that had passed the gate reaches the credit sensor."""
    bench = await Bench().ready()
    bench.coins.insert(EURO)
    assert await bench.ask(INHIBIT) == ACK
    assert await bench.events() == [(POSITION, 1)]


async def test_coins_fall_through_an_inhibited_acceptor_at_a_bounded_rate() -> None:
    """Each comes back as inhibited (2); one that is too close to the one before it does so as well (8) when enabled."""
    bench = await Bench().open()
    bench.coins.gap_s = 0.2
    for _ in range(7):
        bench.coins.insert(EURO)
        await asyncio.sleep(0.25)
    raw = bytes.fromhex(await bench.ask(READ))
    assert [*raw[4:-1]] == [7, *[0, 2] * 5]
    await bench.enabled()
    bench.counter = 7
    bench.coins.insert(EURO)
    bench.coins.insert(EURO)
    assert await bench.events() == [(0, 8), (POSITION, 1)]
    assert bench.lies() == {Spot.RETURNED: Counter([EURO] * 8), Spot.BELOW: Counter([EURO])}


async def test_not_recognised_by_chance() -> None:
    """Error 1, and the coin is in the return."""
    bench = await Bench().ready()
    bench.coins.mishaps.rate("not_recognised", 1.0)
    bench.coins.insert(EURO)
    assert await bench.events() == [(0, 1)]
    assert bench.lies() == {Spot.RETURNED: Counter([EURO])}


async def test_a_late_reply_is_heard_as_the_answer_to_the_next_question() -> None:
    """Three bytes of serial number come where the events were asked for."""
    bench = await Bench().ready()
    bench.coins.mishaps.next("late_reply")
    assert await bench.ask(SERIAL, wait_s=0.1) == ""
    assert (await bench.ask(READ)).startswith("01 03 02 00 67 12 00 81 01 0B")


async def test_any_error_and_any_self_check() -> None:
    """A hand can have every code of tables 2 and 3 reported."""
    bench = await Bench().ready()
    for code in (1, 14, 39, 254):
        bench.coins.troubles()["reject"](code)
        assert await bench.events(0.2) == [(0, code)]
    bench.coins.troubles()["self_check"](6)
    assert bytes.fromhex(await bench.ask(SELF_CHECK))[4] == 6


@pytest.mark.parametrize(
    ("frame", "data"),
    [
        ("02 00 01 F8 05", "00"),
        ("02 00 01 F3 0A", "00"),
        ("02 00 01 ED 10", "00"),
        ("02 00 01 EC 11", "00"),
        ("02 00 01 E2 1B", "03 00 00"),
        ("02 00 01 E1 1C", "01 00 00"),
        ("02 00 01 C2 3B", "02 00 00"),
        ("02 00 01 C1 3C", "00 00 00"),
        ("02 00 01 DD 20", "FF"),
        ("02 00 01 BC 41", "01"),
        ("02 00 01 B2 4B", "00"),
        ("02 00 01 AD 50", "14"),
        ("02 00 01 B0 4D", "00"),
        ("02 01 01 D4 04 24", "08 00"),
        ("02 01 01 B4 04 44", "00"),
        ("02 00 01 AA 53", "32 30 32 30"),
        ("02 00 01 C4 39", "CF 08"),
        ("02 00 01 C3 3A", "CF 08"),
        ("02 00 01 02 FB", "00 00 01"),
        ("02 00 01 03 FA", ""),
        ("02 01 01 F0 01 0B", ""),
        ("02 01 01 EE 01 0D", ""),
        ("02 01 01 E9 01 12", ""),
    ],
)
async def test_what_public_hosts_ask_a_coin_acceptor(frame: str, data: str) -> None:
    """The requests of a coin acceptor in part 3, appendix 1, beyond the core set: status, counters, sorter, dates."""
    bench = await Bench().ready()
    for cents in (EURO, 3, 3):
        bench.coins.insert(cents)
        await asyncio.sleep(0.3)
    wrong_checksum = "02 00 01 FE 00"
    assert await bench.ask(wrong_checksum) == ""
    heard = bytes.fromhex(await bench.ask(frame))
    assert heard[:4] == bytes((1, len(heard) - 5, 2, 0))
    assert heard[4:-1].hex(" ").upper() == data


async def test_a_sorter_override_sends_coins_to_the_default_path() -> None:
    """Header 222: a path whose bit is 0 is overridden; 221 reads it, 189 and 188 are the default path."""
    bench = await Bench().ready()
    assert await bench.ask("02 02 01 D2 04 02 23") == ACK
    assert await bench.ask("02 01 01 BD 03 3C") == ACK
    assert await bench.ask("02 01 01 DE FD 21") == ACK
    assert (await bench.ask("02 00 01 DD 20"))[12:14] == "FD"
    bench.coins.insert(EURO)
    assert await bench.events() == [(POSITION, 3)]
    assert await bench.ask("02 01 01 DE FF 1F") == ACK
    bench.coins.insert(EURO)
    assert await bench.events() == [(POSITION, 2)]


async def test_another_device_in_its_place() -> None:
    """Another serial number (4712 after 4711), counter 0, all inhibited; a coin that stuck is carried away."""
    bench = await Bench().ready()
    bench.coins.mishaps.next("stuck_in_mouth")
    bench.coins.insert(EURO)
    bench.coins.troubles()["swapped"](1)
    assert bytes.fromhex(await bench.ask(SERIAL))[4:-1] == (4712).to_bytes(3, "little")
    assert bytes.fromhex(await bench.ask(READ))[4:-1] == bytes(11)
    assert bench.lies() == {Spot.TAKEN: Counter([EURO])}
