"""What befalls a payout of the simulated ccTalk hopper, in the frames of part 2 and by what lies in the tray."""

import asyncio

import pytest

from drivers.simulated.whereabouts import Spot
from tests.drivers.simulated.cctalk.hopper_bench import ENABLE, LEVEL, STATUS, TEST, Bench, frame

STOP, SERIAL, COIN, RESET = "03 00 01 AC 50", "03 00 01 F2 0A", "03 00 01 AB 51", "03 00 01 01 FB"
EURO = 100


async def test_nothing_befalls_it_unasked() -> None:
    """Three ordered, three out, three counted."""
    bench = await Bench().ready()
    await bench.pay(3)
    await asyncio.sleep(2)
    assert await bench.data(STATUS) == [1, 0, 3, 0]
    assert (bench.tray, await bench.lifetime()) == ([EURO] * 3, 3)
    assert (bench.worth(Spot.STORE), bench.worth(Spot.PAID)) == (1700, 300)


@pytest.mark.parametrize(
    ("mishap", "out", "status", "lifetime"),
    [
        ("falls_uncounted", 4, [1, 0, 3, 0], 3),
        ("counts_without_fall", 2, [1, 0, 3, 0], 3),
        ("runs_on", 4, [1, 0, 3, 0], 4),
    ],
)
async def test_coins_out_and_coins_counted_differ(mishap: str, out: int, status: list[int], lifetime: int) -> None:
    """Of three ordered: one more past a blind sensor, one that the sensor saw twice, one after the last."""
    bench = await Bench().ready()
    bench.hopper.mishaps.next(mishap)
    await bench.pay(3)
    await asyncio.sleep(3)
    assert await bench.data(STATUS) == status
    assert (len(bench.tray), await bench.lifetime()) == (out, lifetime)
    assert (bench.worth(Spot.PAID), bench.worth(Spot.STORE)) == (out * EURO, 2000 - out * EURO)


async def test_a_jam_by_chance_ends_the_payout_with_what_is_unpaid() -> None:
    """The motor turns back and gives up: unpaid three, flags "reversed", "blocked during payout", "reverse limit"."""
    bench = await Bench().ready()
    bench.hopper.mishaps.rate("jams", 1.0)
    await bench.pay(3)
    await asyncio.sleep(5)
    assert await bench.data(STATUS) == [1, 0, 0, 3]
    first, second, _third = await bench.data(TEST)
    assert (first & 0x24, second & 0x10) == (0x24, 0x10)
    assert bench.tray == []


@pytest.mark.parametrize(
    ("mishap", "status", "told", "out"),
    [("", [0, 0, 1, 2], 1, 1), ("falls_at_cut", [0, 0, 1, 2], 1, 2), ("forgets_payout", [0, 0, 0, 0], 0, 1)],
)
async def test_a_cut_within_a_dispense(mishap: str, status: list[int], told: int, out: int) -> None:
    """Paid and unpaid are remembered, with the power-down flag; a coin falls uncounted; or all is forgotten."""
    bench = await Bench().ready()
    if mishap:
        bench.hopper.mishaps.next(mishap)
    await bench.pay(3)
    await asyncio.sleep(0.2)
    bench.hopper.power(on=False)
    bench.hopper.power(on=True)
    assert await bench.data(STATUS) == status
    assert (await bench.data(TEST))[2] & 1 == told
    assert len(bench.tray) == out


@pytest.mark.parametrize(("mishap", "out", "after"), [("", 1, [1, 0, 1, 4]), ("falls_after_stop", 2, [1, 0, 2, 3])])
async def test_an_emergency_stop(mishap: str, out: int, after: list[int]) -> None:
    """172 answers what remains; a coin that is under way still falls, and is counted."""
    bench = await Bench().ready()
    if mishap:
        bench.hopper.mishaps.next(mishap)
    await bench.pay(5)
    await asyncio.sleep(0.2)
    assert await bench.data(STOP) == [4]
    await asyncio.sleep(1)
    assert await bench.data(STATUS) == after
    assert len(bench.tray) == out


async def test_coins_of_another_kind_are_paid_as_its_own() -> None:
    """What fell into it by mistake leaves as a coin of 1.00, at once or when no other is left."""
    bench = await Bench().ready()
    for value in (20, 200):
        bench.hopper.troubles()["stray"](value)
    assert bench.worth(Spot.STORE) == 2220
    bench.hopper.mishaps.next("pays_stray")
    await bench.pay(22)
    await asyncio.sleep(8)
    assert await bench.data(STATUS) == [1, 0, 22, 0]
    assert (bench.tray[0], bench.tray[-1], sum(bench.tray)) == (20, 200, 2220)


async def test_an_unknown_coin_is_what_lies_in_it_by_mistake() -> None:
    """The flag "unknown coin paid", and the payout ends."""
    bench = await Bench().ready()
    bench.hopper.troubles()["stray"](20)
    bench.hopper.troubles()["unknown_coin"](1)
    await bench.pay(3)
    await asyncio.sleep(2)
    assert await bench.data(STATUS) == [1, 0, 1, 2]
    assert (await bench.data(TEST))[2] & 0b10
    assert bench.tray == [20]


@pytest.mark.parametrize(("value", "coin"), [(0, "45 55 31 30 30 41"), (200, "45 55 32 30 30 41")])
async def test_another_hopper_in_its_place(value: int, coin: str) -> None:
    """Another serial number, other coins, all counts at 0, disabled; the old one is carried away with its coins."""
    bench = await Bench().ready()
    await bench.pay(3)
    await asyncio.sleep(2)
    bench.hopper.troubles()["swapped"](value)
    assert await bench.data(SERIAL) == [0x30, 0x03, 0x00]
    assert bytes(await bench.data(COIN)) == bytes.fromhex(coin)
    assert (await bench.data(STATUS), await bench.lifetime()) == ([0, 0, 0, 0], 0)
    assert (await bench.ask(frame(0xA7, 0x2F, 0x03, 0x00, 1)))[9:11] == "05"
    assert (bench.worth(Spot.TAKEN), bench.worth(Spot.STORE)) == (1700, 500 * (value or EURO))
    await bench.ask(ENABLE)
    assert await bench.data(frame(0xA7, 0x30, 0x03, 0x00, 1)) == [1]


async def test_counts_that_a_workshop_or_a_failed_memory_has_lost() -> None:
    """The lifetime count begins anew; a failed memory says so (register 2, bit 6), and no coin is paid."""
    bench = await Bench().ready()
    await bench.pay(3)
    await asyncio.sleep(2)
    bench.hopper.troubles()["count_reset"](1)
    assert await bench.lifetime() == 0
    bench.hopper.troubles()["memory_lost"](1)
    assert await bench.data(STATUS) == [1, 0, 0, 0]
    assert (await bench.data(TEST))[1] & 0b1000000
    assert (await bench.ask(frame(0xA7, 0x2F, 0x03, 0x00, 1)))[9:11] == "05"
    assert bench.worth(Spot.STORE) == 1700


@pytest.mark.parametrize(("sensor", "level"), [("low_stuck", 0x31), ("full_stuck", 0x32)])
async def test_a_level_sensor_that_is_stuck(sensor: str, level: int) -> None:
    """217 says low, or full, of a hopper that is neither."""
    bench = await Bench().ready()
    bench.hopper.low_mark, bench.hopper.high_mark = 5, 100
    assert await bench.data(LEVEL) == [0x30]
    bench.hopper.troubles()[sensor](1)
    assert await bench.data(LEVEL) == [level]
    bench.hopper.troubles()[sensor](0)
    assert await bench.data(LEVEL) == [0x30]


async def test_coins_slip_out_and_the_motor_runs_on() -> None:
    """Counted by the exit's sensor; no more than there are."""
    bench = await Bench().ready()
    bench.hopper.troubles()["slip"](2)
    bench.hopper.troubles()["runaway"](3)
    await bench.pay(1)
    await asyncio.sleep(2)
    assert (len(bench.tray), await bench.lifetime()) == (6, 6)
    bench.hopper.troubles()["slip"](99)
    assert (len(bench.tray), bench.hopper.stock) == (20, 0)


async def test_a_brown_out_is_a_cut() -> None:
    """Counter 0, disabled, and the power-down flag."""
    bench = await Bench().ready()
    await bench.pay(3)
    await asyncio.sleep(0.2)
    bench.hopper.troubles()["brown_out"](1)
    assert await bench.data(STATUS) == [0, 0, 1, 2]


async def test_a_late_reply_to_a_dispense() -> None:
    """The coins leave, and the answer comes with the next question."""
    bench = await Bench().ready()
    bench.hopper.mishaps.next("late_reply")
    assert await bench.ask(frame(0xA7, 0x2F, 0x03, 0x00, 2), wait_s=0.1) == ""
    heard = await bench.ask(STATUS)
    assert heard.startswith("01 01 03 00 01 FA 01 04 03 00 01")
    await asyncio.sleep(1)
    assert len(bench.tray) == 2


async def test_what_public_hosts_ask_a_hopper() -> None:
    """A new PIN (219, then wanted), the state of its communication (2, 3), dates and base year."""
    bench = await Bench().ready()
    assert await bench.data("03 00 01 AA 52") == [*b"2020"]
    assert await bench.data("03 00 01 C4 38") == [0xCF, 0x08]
    assert await bench.data("03 00 01 02 FA") == [0, 0, 0]
    assert await bench.ask("03 00 01 03 F9") == "01 00 03 00 FC"
    assert await bench.ask("03 04 01 DB 31 32 33 34 53") == "01 00 03 00 FC"
    bench.hopper.power(on=False)
    bench.hopper.power(on=True)
    await bench.ask(ENABLE)
    assert await bench.ask(frame(0xA7, 0x2F, 0x03, 0x00, 1)) == ""
    assert await bench.ask("03 04 01 DA 31 32 33 34 54") == "01 00 03 00 FC"
    await bench.pay(1)


@pytest.mark.parametrize(
    ("name", "register", "bit"), [("blocked_idle", 1, 3), ("short_idle", 1, 4), ("coil", 2, 5), ("memory", 2, 6)]
)
async def test_a_condition_that_lasts(name: str, register: int, bit: int) -> None:
    """Its bit in the registers (163), and a dispense meets NAK until a hand mends it."""
    bench = await Bench().ready()
    bench.hopper.troubles()[name](1)
    assert (await bench.data(TEST))[register - 1] >> bit & 1
    assert (await bench.ask(frame(0xA7, 0x2F, 0x03, 0x00, 1)))[9:11] == "05"
    bench.hopper.troubles()[name](0)
    assert not (await bench.data(TEST))[register - 1] >> bit & 1
    await bench.pay(1)


@pytest.mark.parametrize(
    ("name", "register", "bit", "out"),
    [
        ("max_current", 1, 0, 0),
        ("reversed", 1, 2, 3),
        ("blocked_paying", 1, 5, 0),
        ("short_paying", 2, 0, 0),
        ("other_hopper", 2, 2, 0),
        ("finger", 2, 3, 0),
        ("reverse_limit", 2, 4, 0),
        ("unknown_coin", 3, 1, 1),
    ],
)
async def test_what_ends_a_payout_or_turns_it_back(name: str, register: int, bit: int, out: int) -> None:
    """The bit in the registers (163) after a dispense of three, and how many coins are out."""
    bench = await Bench().ready()
    bench.hopper.troubles()[name](1)
    await bench.pay(3)
    await asyncio.sleep(3)
    assert (await bench.data(TEST))[register - 1] >> bit & 1
    assert await bench.data(STATUS) == [1, 0, out, 3 - out]
    assert len(bench.tray) == out


async def test_a_jam_lasts_until_a_hand_frees_it() -> None:
    """Every dispense ends unpaid; freed, it pays again."""
    bench = await Bench().ready()
    bench.hopper.troubles()["jam"](1)
    for _ in range(2):
        await bench.pay(2)
        await asyncio.sleep(4)
        assert (await bench.data(STATUS))[1:] == [0, 0, 2]
    bench.hopper.troubles()["jam"](0)
    await bench.pay(2)
    await asyncio.sleep(2)
    assert bench.tray == [EURO, EURO]
