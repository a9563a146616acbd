"""What befalls a payout of a simulated SMART Hopper or recycler, by its polls and by where each piece lies (GA138)."""

import asyncio

import pytest

from drivers.simulated.ssp.payout_store import StoreHabits
from drivers.simulated.whereabouts import Spot
from tests.drivers.simulated.ssp.payout_bench import EURO, Coins, Notes

PAY_3, PAY_10 = f"33 2C 01 00 00 {EURO} 58", f"33 E8 03 00 00 {EURO} 58"
SLOW = StoreHabits(grip_s=0.3, exit_s=0.3)


def said(event: str, value: int, *more: str) -> str:
    """An event with an amount in euros."""
    return " ".join((event, "01", value.to_bytes(4, "little").hex(" ").upper(), EURO, *more))


@pytest.mark.parametrize(
    ("mishap", "out", "level"),
    [("", 3, 7), ("falls_uncounted", 4, 7), ("counts_without_fall", 2, 7), ("runs_on", 4, 7)],
)
async def test_pieces_out_and_pieces_counted_differ(mishap: str, out: int, level: int) -> None:
    """Dispensed says 3.00 and the level has three fewer, whatever has really left."""
    host = await Coins().ready()
    if mishap:
        host.hopper.mishaps.next(mishap)
    assert await host.asked(PAY_3) == "F0"
    assert said("D2", 300) in await host.polls()
    assert (len(host.tray), await host.level()) == (out, level)
    assert (host.worth(Spot.PAID), host.worth(Spot.STORE)) == (100 * out, 1000 - 100 * out)


@pytest.mark.parametrize(("mishap", "event"), [("jams", said("D5", 0)), ("breaks_off", said("B1", 0, "01"))])
async def test_a_payout_that_ends_early(mishap: str, event: str) -> None:
    """Jammed, or an error with its code; nothing more is paid."""
    host = await Coins().ready()
    host.hopper.mishaps.rate(mishap, 1.0)
    assert await host.asked(PAY_3) == "F0"
    assert event in await host.polls()
    assert (host.tray, await host.level()) == ([], 10)


@pytest.mark.parametrize(
    ("mishap", "event", "spot"),
    [
        ("", "", Spot.STORE),
        ("back_reported", "CB 64 00 00 00", Spot.STORE),
        ("falls_at_start", "CD 64 00 00 00", Spot.PAID),
        ("boxed_at_start", "CA 64 00 00 00", Spot.CASH_BOX),
    ],
)
async def test_a_cut_and_what_was_under_way(mishap: str, event: str, spot: Spot) -> None:
    """DC with nothing paid of 3.00, and one of three events about the coin that the cut caught."""
    host = await Coins(SLOW).ready()
    if mishap:
        host.hopper.mishaps.next(mishap)
    assert await host.asked(PAY_3) == "F0"
    await asyncio.sleep(0.35)
    assert host.worth(Spot.PATH) == 100
    host.device.power(on=False)
    host.device.power(on=True)
    await host.again()
    heard = await host.polls(0.5)
    assert f"DC 01 00 00 00 00 2C 01 00 00 {EURO}" in heard
    assert event in heard
    assert [other for other in ("CA", "CB", "CD") if f" {other} " in heard] == ([event[:2]] if event else [])
    assert (host.worth(Spot.PATH), host.worth(spot)) == (0, 1000 if spot is Spot.STORE else 100)


async def test_what_a_technician_does_to_a_store() -> None:
    """Emptied it counts what it held (D9), filled it counts on; what slips out stays counted; begun anew, it pays 0."""
    host = await Coins().ready()
    host.hopper.troubles()["empty"](1)
    assert (host.worth(Spot.TAKEN), await host.level()) == (1000, 10)
    assert await host.asked(PAY_3) == "F0"
    assert said("D9", 0) in await host.polls(4)
    host.hopper.troubles()["empty"](0)
    host.hopper.stock = 15
    assert (host.worth(Spot.STORE), await host.level()) == (1500, 15)
    host.hopper.troubles()["slip"](2)
    assert (host.worth(Spot.STORE), host.worth(Spot.PAID), await host.level()) == (1300, 200, 15)
    host.hopper.troubles()["count_reset"](1)
    assert await host.asked(PAY_3) == "F5 01"
    assert (host.worth(Spot.STORE), await host.level()) == (1300, 0)


@pytest.mark.parametrize("value", [0, 50])
async def test_another_hopper_in_its_place(value: int) -> None:
    """Another serial number and other levels; the old one is carried away with its coins."""
    host = await Coins().ready()
    host.hopper.troubles()["swapped"](value)
    await host.again()
    assert bytes.fromhex(await host.asked("0C"))[1:] == (4_223_312).to_bytes(4, "big")
    assert (await host.level(100), await host.level(50)) == ((500, 0) if not value else (0, 500))
    assert (host.worth(Spot.TAKEN), host.worth(Spot.STORE)) == (1000, 500 * (value or 100))


async def test_a_brown_out_is_a_cut() -> None:
    """F1, and the incomplete payout."""
    host = await Coins(SLOW).ready()
    assert await host.asked(PAY_3) == "F0"
    await asyncio.sleep(0.9)
    host.hopper.troubles()["brown_out"](1)
    await host.again()
    heard = await host.polls(0.3)
    assert heard.startswith(" F1 ")
    assert f"DC 01 64 00 00 00 2C 01 00 00 {EURO}" in heard


async def test_a_note_that_hangs_in_the_bezel() -> None:
    """CE, and the payout waits; taken, it is dispensed; a cut while it hangs there leaves it to who takes it: CD."""
    for cut in (False, True):
        host = await Notes().ready()
        host.recycler.mishaps.next("held_in_bezel")
        assert await host.asked(PAY_10) == "F0"
        heard = await host.polls()
        assert f"CE E8 03 00 00 {EURO}" in heard
        assert " D2 " not in heard
        assert (host.out, host.worth(Spot.PATH)) == ([], 1000)
        if cut:
            host.device.power(on=False)
            host.device.power(on=True)
            await host.negotiate()
            assert await host.asked("06 06") == "F0"
            assert f"CD E8 03 00 00 {EURO}" in await host.polls(0.5)
        else:
            host.recycler.troubles()["bezel_taken"](1)
            assert said("D2", 1000) in await host.polls()
        assert (host.out, host.worth(Spot.PAID), host.worth(Spot.STORE)) == ([1000], 1000, 1000)


async def test_a_stored_note_goes_on_to_the_box() -> None:
    """Credited and stored, EE and DB; then C9, and the note is in the cash box."""
    host = await Notes().ready()
    assert await host.asked(f"3B 00 E8 03 00 00 {EURO}") == "F0"
    host.recycler.mishaps.next("moves_to_box")
    host.recycler.insert(1000)
    heard = await host.polls()
    assert "EE 02 DB" in heard
    assert f"C9 E8 03 00 00 {EURO}" in heard
    assert (host.box, host.worth(Spot.CASH_BOX), host.worth(Spot.STORE)) == ([1000], 1000, 2000)


async def test_a_store_that_is_carried_away() -> None:
    """C7 with all that is in it, and C8 when it is attached again; neither wants an acknowledgement."""
    host = await Notes().ready()
    host.recycler.troubles()["store_removed"](1)
    assert (await host.asked("56")).endswith(" C7")
    assert "C7" not in await host.asked("56")
    assert (host.worth(Spot.TAKEN), host.worth(Spot.STORE)) == (2000, 0)
    host.recycler.troubles()["store_removed"](0)
    assert "C8" in (await host.polls(0.2)).split()
    assert (host.worth(Spot.TAKEN), host.worth(Spot.STORE)) == (0, 2000)


async def test_another_recycler_in_its_place() -> None:
    """Another serial number and an empty store; the old one is carried away with its notes."""
    host = await Notes().ready()
    host.recycler.troubles()["swapped"](1)
    await host.negotiate()
    assert await host.asked("06 06") == "F0"
    assert bytes.fromhex(await host.asked("0C"))[1:] == (1_873_453).to_bytes(4, "big")
    assert await host.asked(f"35 E8 03 00 00 {EURO}") == "F0 00 00"
    assert (host.worth(Spot.TAKEN), host.worth(Spot.STORE)) == (2000, 0)
