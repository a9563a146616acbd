"""What befalls a coin in the simulated MDB changer, by POLL, by its counts, and by where the coin lies (4.3, 5)."""

from collections import Counter

import pytest

from drivers.simulated.whereabouts import Spot
from tests.drivers.simulated.mdb.changer_bench import (
    COIN_JAM,
    CREDITED_REMOVAL,
    DOUBLE_ARRIVAL,
    JUST_RESET,
    NO_CREDIT,
    STOCK,
    TUBE_JAM,
    TUBE_SENSOR,
    Bench,
)
from tests.rigs.mdb_host import CoinEvent, Deposit

TEN, FIFTY, EURO, TWO_EURO = 0, 2, 3, 4
WORTH = sum(value * coins for value, coins in STOCK.items())


async def test_nothing_befalls_it_unasked() -> None:
    """A deposit, and the coin in its tube; a payout, and the coins in the tray."""
    bench = await Bench().ready()
    assert await bench.coin(100) == [Deposit("tube", EURO, 21)]
    assert bench.worth(Spot.STORE) == WORTH + 100
    await bench.paid("0D 23")
    assert (bench.tray, await bench.tube(EURO)) == ([100, 100], 19)
    assert (bench.worth(Spot.STORE), bench.worth(Spot.PAID)) == (WORTH - 100, 200)


@pytest.mark.parametrize(
    ("mishap", "value", "heard", "spot"),
    [
        ("no_credit_kept", 100, [NO_CREDIT], Spot.CASH_BOX),
        ("deposit_unreported", 200, [], Spot.CASH_BOX),
        ("deposit_unreported", 100, [], Spot.STORE),
    ],
)
async def test_a_coin_that_is_not_credited(mishap: str, value: int, heard: list[CoinEvent], spot: Spot) -> None:
    """No deposit, and the coin is kept."""
    bench = await Bench().ready()
    bench.changer.mishaps.next(mishap)
    before = bench.worth(spot)
    assert await bench.coin(value) == heard
    assert bench.worth(spot) - before == value


@pytest.mark.parametrize(
    ("hand", "spot"),
    [("stuck_to_box", Spot.CASH_BOX), ("stuck_to_return", Spot.RETURNED), ("stuck_to_hand", Spot.TAKEN)],
)
async def test_a_coin_that_jams_in_the_path(hand: str, spot: Spot) -> None:
    """POLL 0C; later coins come back, until a technician has freed the one that sticks."""
    bench = await Bench().ready()
    bench.changer.mishaps.next("jams")
    assert await bench.coin(100) == [COIN_JAM]
    assert bench.worth(Spot.PATH) == 100
    assert await bench.coin(50) == []
    assert bench.hand == [50]
    bench.changer.troubles()[hand](1)
    assert bench.worth(Spot.PATH) == 0
    assert bench.worth(spot) == 100 + (50 if spot is Spot.RETURNED else 0)
    assert await bench.coin(50) == [Deposit("tube", FIFTY, 21)]


@pytest.mark.parametrize(
    ("mishap", "heard", "spot"),
    [
        ("removed_after_credit", [Deposit("cash box", EURO, 20), CREDITED_REMOVAL], Spot.RETURNED),
        ("reset_after_deposit", [JUST_RESET], Spot.STORE),
    ],
)
async def test_what_befalls_a_coin_after_its_credit(mishap: str, heard: list[CoinEvent], spot: Spot) -> None:
    """The coin is pulled out again, or the changer resets itself before the deposit was polled."""
    bench = await Bench().ready()
    bench.changer.mishaps.next(mishap)
    before = bench.worth(spot)
    bench.changer.insert(100)
    await bench.host.pause(0.6)
    assert await bench.host.coins_for(0.3) == heard
    assert bench.worth(spot) - before == 100
    assert bench.box == []


async def test_two_coins_too_close_together() -> None:
    """POLL 05: one is kept, uncredited, or both come back."""
    bench = await Bench().ready()
    bench.changer.mishaps.next("double_arrival_keeps_one")
    for box, hand in (([100], [100]), ([100], [100, 100, 100])):
        bench.changer.troubles()["double_arrival"](1)
        assert await bench.host.coins() == [DOUBLE_ARRIVAL]
        assert (bench.box, bench.hand) == (box, hand)


@pytest.mark.parametrize(("mishap", "spot"), [("", Spot.RETURNED), ("kept_at_cut", Spot.CASH_BOX)])
async def test_a_coin_that_a_cut_catches(mishap: str, spot: Spot) -> None:
    """It comes back, or falls into the cash box, unreported."""
    bench = await Bench().ready()
    if mishap:
        bench.changer.mishaps.next(mishap)
    bench.changer.insert(100)
    await bench.host.cut()
    assert await bench.host.coins() == [JUST_RESET]
    assert bench.worth(spot) == 100


async def test_an_order_that_is_obeyed_late() -> None:
    """COIN TYPE 0 is acknowledged; a coin in the 0.3 s after that is taken and credited, a later one rejected."""
    bench = await Bench().ready()
    bench.changer.mishaps.next("obeys_late")
    assert await bench.host.ask("0C 00 00 00 00") == "ACK"
    assert await bench.coin(100) == [Deposit("tube", EURO, 21)]
    assert await bench.coin(100) == [Deposit("reject", EURO, 21)]


@pytest.mark.parametrize(
    ("mishap", "on_its_way", "after", "later"),
    [("counted_early", 21, 21, 21), ("counted_late", 20, 20, 21), ("counted_never", 20, 20, 20)],
)
async def test_a_count_that_is_early_late_or_never_right(mishap: str, on_its_way: int, after: int, later: int) -> None:
    """TUBE STATUS while the coin is on its way, after its deposit, and a minute later; the coin is in the tube."""
    bench = await Bench().ready()
    bench.changer.mishaps.next(mishap)
    bench.changer.insert(100)
    assert await bench.tube(EURO) == on_its_way
    assert await bench.host.coins_for(0.5) == [Deposit("tube", EURO, after)]
    assert await bench.tube(EURO) == after
    await bench.host.pause(60)
    assert await bench.tube(EURO) == later
    assert bench.changer.held[100] == 21


@pytest.mark.parametrize(("mishap", "out", "counted"), [("falls_uncounted", 4, 17), ("counts_without_fall", 2, 17)])
async def test_coins_out_and_coins_counted_differ(mishap: str, out: int, counted: int) -> None:
    """Of three ordered: one more past a blind sensor, or one fewer; TUBE STATUS has three fewer either way."""
    bench = await Bench().ready()
    bench.changer.mishaps.next(mishap)
    await bench.paid("0D 33")
    assert (len(bench.tray), await bench.tube(EURO)) == (out, counted)
    assert (bench.worth(Spot.PAID), bench.worth(Spot.STORE)) == (100 * out, WORTH - 100 * out)


@pytest.mark.parametrize(
    ("mishap", "heard"), [("reset_in_payout", [JUST_RESET]), ("breaks_off", [TUBE_SENSOR, TUBE_JAM])]
)
async def test_a_payout_that_breaks_off(mishap: str, heard: list[CoinEvent]) -> None:
    """Reset, or 04 and 07, in the middle of a payout of 3.00: a coin is out, and PAYOUT STATUS says nothing of it."""
    bench = await Bench().ready()
    bench.changer.mishaps.next(mishap)
    assert await bench.host.ask("0F 02 1E") == "ACK"
    await bench.host.pause(1)
    assert await bench.host.coins_for(0.3) == heard
    assert bench.tray == [100]
    if mishap == "reset_in_payout":
        assert await bench.host.ask("0F 03") == "NACK"
        await bench.enabled()
    assert not any(await bench.host.data("0F 03"))


async def test_another_changer_in_its_place() -> None:
    """Another serial number and scaling factor, empty tubes; the old one is carried away with its coins."""
    bench = await Bench().ready()
    await bench.coin(200)
    bench.changer.troubles()["swapped"](5)
    await bench.host.pause(1)
    setup = await bench.host.data("09")
    assert (setup[3], [*setup[7:12]]) == (5, [2, 4, 10, 20, 40])
    assert (await bench.host.data("0F 00"))[3:15] == b"000000000043"
    assert (await bench.host.tubes())[1] == [0] * 16
    assert (bench.worth(Spot.TAKEN), bench.worth(Spot.STORE), bench.worth(Spot.CASH_BOX)) == (WORTH, 0, 200)


async def test_a_brown_out_forgets_what_was_not_reported() -> None:
    """Just reset; the coin is in its tube, which counts it."""
    bench = await Bench().ready()
    bench.changer.insert(100)
    await bench.host.pause(0.3)
    bench.changer.troubles()["brown_out"](1)
    await bench.host.pause(1)
    assert await bench.host.coins_for(0.3) == [JUST_RESET]
    assert (await bench.tube(EURO), bench.changer.held[100]) == (21, 21)


async def test_what_is_set_aside_is_in_a_technicians_hands() -> None:
    """The tubes are emptied and filled again."""
    bench = await Bench().ready()
    bench.changer.troubles()["empty"](1)
    assert (bench.worth(Spot.TAKEN), bench.worth(Spot.STORE)) == (WORTH, 0)
    bench.changer.troubles()["empty"](0)
    assert bench.changer.money() == {Spot.STORE: Counter(STOCK)}


async def test_a_mishap_by_chance() -> None:
    """With a rate of one each coin is befallen, unordered."""
    bench = await Bench().ready()
    bench.changer.mishaps.rate("no_credit_kept", 1.0)
    assert await bench.coin(100) == [NO_CREDIT]
    assert await bench.coin(10) == [NO_CREDIT]
    assert bench.box == [100, 10]
