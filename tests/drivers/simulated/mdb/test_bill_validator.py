"""The simulated MDB bill validator, from its mouth and from a host's end of the line (MDB/ICP 4.3, section 6)."""

import pytest

from drivers.simulated.mdb.bill_validator import BillHabits, SimulatedMdbBills
from drivers.simulated.note_path import Paper
from tests.rigs.mdb_host import Attempts, Bill, MdbHost

FIVE, TEN, TWENTY, FIFTY = range(4)
ALL, ESCROW = "34 FF FF 00 00", "34 FF FF FF FF"
STACK, RETURN = "35 01", "35 00"


class Bench:
    """A validator, where its paper went, and its host."""

    def __init__(self, **habits: object) -> None:
        self.returned: list[Paper] = []
        self.stacked: list[Paper] = []
        self.bills = SimulatedMdbBills(
            returned=self.returned.append,
            stacked=self.stacked.append,
            habits=BillHabits(**habits),  # type: ignore[arg-type]
        )
        self.host = MdbHost(self.bills)

    async def ready(self, enable: str = ESCROW) -> "Bench":
        """Switch on, hear the reset, enable."""
        await self.host.open()
        assert await self.host.bills() == [0x09, 0x06]
        assert await self.host.ask(enable) == "ACK"
        return self

    async def insert(self, cents: int) -> list[object]:
        """Push a note in and return what is reported of it in two seconds."""
        self.bills.insert(cents)
        return list(await self.host.bills_for(2))

    async def stacker(self) -> int:
        """The answer to STACKER."""
        return int.from_bytes(await self.host.data("36"), "big")


async def test_a_bill_waits_in_escrow_for_the_hosts_word() -> None:
    """Reported once; stacked or returned as ordered, and counted where it was stacked."""
    bench = await Bench().ready()
    assert await bench.insert(1000) == [Bill("escrow", TEN)]
    assert (bench.bills.escrow_cents, bench.bills.slot) == (1000, "escrow")
    assert await bench.host.ask(STACK) == "ACK"
    assert await bench.host.bills_for(1) == [Bill("stacked", TEN)]
    assert await bench.insert(5000) == [Bill("escrow", FIFTY)]
    assert await bench.host.ask(RETURN) == "ACK"
    assert await bench.host.bills_for(1) == [Bill("returned", FIFTY)]
    assert (bench.stacked, bench.returned, await bench.stacker()) == ([1000], [5000], 1)


async def test_without_escrow_a_bill_is_stacked_at_once() -> None:
    """Types whose escrow bit is off."""
    bench = await Bench().ready(ALL)
    assert await bench.insert(2000) == [Bill("stacked", TWENTY)]


async def test_an_order_for_a_bill_that_is_not_there() -> None:
    """ACK, and then "invalid escrow request", once."""
    bench = await Bench().ready()
    assert [await bench.host.ask(order) for order in (STACK, RETURN)] == ["ACK", "ACK"]
    assert await bench.host.bills_for(1) == [0x0A]


async def test_bills_that_are_not_wanted_are_returned() -> None:
    """One of a type that is not enabled, one not recognised, and one offered to a unit that takes none."""
    bench = await Bench().ready("34 00 02 00 02")
    assert await bench.insert(500) == [Bill("disabled", FIVE)]
    bench.bills.unreadable = 1
    assert await bench.insert(1000) == [0x0B]
    assert await bench.host.ask("34 00 00 00 00") == "ACK"
    bench.bills.insert(1000)
    assert await bench.insert(1000) == [Attempts(2)]
    assert await bench.host.bills() == [0x09]
    assert (bench.returned, bench.stacked) == ([500, 1000, 1000, 1000], [])


async def test_a_full_stacker_is_reported_by_its_count_alone() -> None:
    """Bit 15 and "disabled"; no bill is drawn in."""
    bench = await Bench(capacity=1).ready(ALL)
    assert await bench.insert(500) == [Bill("stacked", FIVE)]
    assert await bench.stacker() == 0x8001
    assert await bench.host.bills() == [0x09]
    assert await bench.insert(500) == [Attempts(1)]
    bench.bills.set_fault("stacker_open", on=True)
    bench.bills.set_fault("stacker_open", on=False)
    assert (await bench.host.bills(), await bench.stacker()) == ([0x08], 0)
    bench.bills.troubles()["stacker_full"](1)
    assert (await bench.host.bills(), await bench.stacker()) == ([0x09], 0x8000)


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("stacker_open", 0x08),
        ("acceptor_jam", 0x05),
        ("stacker_jam", 0x05),
        ("failure", 0x01),
        ("sensor", 0x02),
        ("rom", 0x04),
    ],
)
async def test_a_fault_is_reported_once_and_disables(fault: str, status: int) -> None:
    """What is inside stays where it is, and goes on when the fault ends."""
    bench = await Bench().ready()
    assert await bench.insert(500) == [Bill("escrow", FIVE)]
    assert await bench.host.ask(STACK) == "ACK"
    bench.bills.set_fault(fault, on=True)
    assert await bench.host.bills_for(2) == [status]
    assert await bench.host.bills() == [0x09]
    assert bench.bills.slot == "stacking"
    bench.bills.set_fault(fault, on=False)
    assert await bench.host.bills_for(1) == [Bill("stacked", FIVE)]


async def test_some_devices_repeat_their_faults_and_say_when_they_are_busy() -> None:
    """Both are allowed by the specification."""
    bench = await Bench(repeats_faults=True, reports_busy=True).ready()
    bench.bills.insert(500)
    assert await bench.host.bills() == [0x03]
    bench.bills.set_fault("acceptor_jam", on=True)
    await bench.host.bills()
    assert [await bench.host.bills() for _ in range(2)] == [[0x03, 0x05, 0x09]] * 2


async def test_a_hand_at_the_paper() -> None:
    """Drawn out of escrow: removed and returned; a stacked one fished for: reported once."""
    bench = await Bench().ready()
    assert await bench.insert(500) == [Bill("escrow", FIVE)]
    bench.bills.troubles()["pulled_back"](1)
    assert await bench.host.bills_for(1) == [0x07, Bill("returned", FIVE)]
    bench.bills.set_fault("cheated", on=True)
    assert await bench.host.bills_for(1) == [0x0C]
    with pytest.raises(ValueError, match="no tickets"):
        bench.bills.insert_ticket("004759625755877102")


async def test_a_reset_returns_what_is_in_escrow() -> None:
    """And what is on its way into the stacker gets there and is reported."""
    bench = await Bench().ready()
    assert await bench.insert(500) == [Bill("escrow", FIVE)]
    assert await bench.host.ask("30") == "ACK"
    assert await bench.host.bills_for(1) == [0x06, Bill("returned", FIVE)]
    await bench.host.ask(ESCROW)
    assert await bench.insert(500) == [Bill("escrow", FIVE)]
    await bench.host.ask(STACK)
    assert await bench.host.ask("30") == "ACK"
    assert await bench.host.bills_for(1) == [0x06, Bill("stacked", FIVE)]


async def test_a_cut_with_a_bill_in_escrow_gives_it_back() -> None:
    """After the start; nothing is enabled any more."""
    bench = await Bench().ready()
    assert await bench.insert(500) == [Bill("escrow", FIVE)]
    await bench.host.cut()
    assert await bench.host.bills_for(1) == [0x06, Bill("returned", FIVE)]
    assert (bench.returned, await bench.stacker()) == ([500], 0)


@pytest.mark.parametrize("reported", [False, True])
async def test_a_cut_on_the_way_into_the_stacker(reported: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """The bill gets there after the start; the count says so, a report only by some devices."""
    bench = await Bench(finishes_reported=reported).ready()
    assert await bench.insert(500) == [Bill("escrow", FIVE)]
    await bench.host.ask(STACK)
    await bench.host.cut()
    assert await bench.host.bills_for(2) == [0x06, *([Bill("stacked", FIVE)] if reported else [])]
    assert (bench.stacked, await bench.stacker()) == ([500], 1)


async def test_level_two_and_a_short_setup() -> None:
    """Features and the second identification; a SETUP that ends after the last type."""
    bench = await Bench(level=2, short_setup=True).ready()
    setup = await bench.host.data("31")
    assert (setup[0], setup[-4:]) == (2, bytes((5, 10, 20, 50)))
    assert (await bench.host.data("37 02"))[-4:] == bytes(4)
    assert await bench.host.ask("37 01 00 00 00 02") == "ACK"
    assert [await (await Bench().ready()).host.ask(command) for command in ("37 02", "37 01 00 00 00 00")] == [
        "NACK"
    ] * 2
