"""The status registers of a hopper: every bit read, reported, and followed by what the table says."""

import asyncio
from collections.abc import Callable

import pytest

from drivers.capabilities import PayoutEnd
from drivers.cctalk.hopper_status import DISPENSE_CODES, LIVE_CODES, Flag, Registers, registers
from drivers.simulated.cctalk.hopper import CONDITIONS, UPSETS, SimulatedHopper
from tests.rigs.cash_desk import Desk, pay, served
from tests.rigs.cctalk_books import PayoutBooks

pytestmark = pytest.mark.requirement("D5", "D9")

# As the public ccTalk specification lists them for request 163, lowest bit first.
BITS = (
    (
        "MAX_CURRENT",
        "TIMEOUT",
        "REVERSED",
        "BLOCKED_IDLE",
        "SHORT_IDLE",
        "BLOCKED_PAYING",
        "POWER_UP",
        "DISABLED",
    ),
    ("SHORT_PAYING", "SINGLE_COIN", "OTHER_HOPPER", "FINGER", "REVERSE_LIMIT", "COIL", "MEMORY", "PIN"),
    ("POWER_DOWN", "UNKNOWN_COIN", "PIN_WRONG", "CIPHER_WRONG", "ENCRYPTED"),
)
ALL = [(register, bit, name) for register, names in enumerate(BITS) for bit, name in enumerate(names)]


@pytest.mark.parametrize(("register", "bit", "name"), ALL)
def test_each_bit_is_read_as_what_it_is(register: int, bit: int, name: str) -> None:
    """One bit set means one flag, and that flag sets the same bit."""
    data = bytes(1 << bit if at == register else 0 for at in range(3))
    assert set(Registers.of(data)) == {Flag[name]}
    assert registers(frozenset({Flag[name]})) == data


def test_the_table_has_every_bit_and_no_other() -> None:
    """Twenty-one bits are named; the reserved ones, and registers that an older hopper lacks, say nothing."""
    assert {flag.name for flag in Flag} == {name for _, _, name in ALL}
    assert set(Registers.of(bytes((0, 0, 0xE0)))) == set()
    assert set(Registers.of(b"\xff")) == {Flag[name] for name in BITS[0]}


def test_every_fault_of_the_table_has_plain_words_and_one_way_to_end() -> None:
    """A fault is either present as long as its bit, or is a dispense's and gone with one that ends well."""
    assert not LIVE_CODES & DISPENSE_CODES
    for flag in Flag:
        assert flag.words
        assert not (flag.live or flag.end) or flag.code


@pytest.mark.parametrize("flag", sorted(UPSETS, key=str))
async def test_what_befalls_a_payout_ends_it_as_the_table_says(flag: Flag) -> None:
    """After two of five coins: the coins that fell are booked, the fault has the table's words, and it pays later."""
    desk = Desk()

    def fall(value_cents: int) -> None:
        desk.tray.append(value_cents)
        if len(desk.tray) == 2:
            desk.device.upset = flag

    desk.device.coin_out = fall
    assert await pay(desk, 5) is (flag.end or PayoutEnd.DONE)
    assert len(desk.tray) == desk.books.paid
    assert desk.device.dispenses == desk.books.announced == 1
    assert (len(desk.tray) == 5) is (flag.end is None)
    assert set(desk.books.present) == {("hopper", flag.code)}
    assert flag.words in desk.books.details[flag.code]
    assert ("coins unpaid" in desk.books.details[flag.code]) is (flag.end is not None)

    desk.device.coin_out = desk.tray.append
    again(desk)
    assert await pay(desk, 2) is PayoutEnd.DONE
    assert desk.books.paid == 2
    assert desk.books.present == {}


def again(desk: Desk) -> None:
    """Begin another order's page in the books; the present faults, and the hoppers' counts, are kept."""
    old, desk.books = desk.books, PayoutBooks()
    desk.books.present, desk.books.lifetimes = old.present, old.lifetimes


@pytest.mark.parametrize("flag", sorted(CONDITIONS - {Flag.MEMORY}, key=str))
async def test_what_stands_is_a_fault_as_long_as_it_stands_and_nothing_is_dispensed(flag: Flag) -> None:
    """Seen while idle, gone once it is mended; an order meanwhile ends without a dispense having been sent."""
    desk = Desk()

    async def scene() -> None:
        await asyncio.sleep(2.0)
        assert desk.books.present == {}
        desk.device.conditions.add(flag)
        await asyncio.sleep(2.0)
        assert set(desk.books.present) == {("hopper", flag.code)}
        assert desk.books.details[flag.code] == flag.words
        outcome = await desk.order(5)
        assert (outcome.end, outcome.faults) == (
            PayoutEnd.STOPPED,
            ((flag.code, f"{flag.words}; 5 coins unpaid"),),
        )
        assert (desk.books.announced, desk.device.counter) == (0, 0)
        desk.device.conditions.clear()
        await asyncio.sleep(2.0)
        assert desk.books.present == {}
        assert (await desk.order(5)).end is PayoutEnd.DONE

    await served(desk, scene())


@pytest.mark.parametrize("flag", [Flag.BLOCKED_IDLE, Flag.SHORT_IDLE, Flag.COIL])
async def test_what_begins_to_stand_within_a_payout_ends_it_before_another_dispense(flag: Flag) -> None:
    """A hopper that stops half-way with its sensor gone is not asked again: what fell is booked, the rest is not."""
    desk = Desk()

    def fall(value_cents: int) -> None:
        desk.tray.append(value_cents)
        if len(desk.tray) == 2:
            desk.device.conditions.add(flag)

    desk.device.coin_out = fall
    end = PayoutEnd.UNDECIDED if flag is Flag.COIL else PayoutEnd.STOPPED
    assert await pay(desk, 5) is end
    assert (len(desk.tray), desk.books.paid, desk.device.dispenses) == (2, 2, 1)
    assert set(desk.books.present) == {("hopper", "hopper_sensor")}


async def test_a_memory_that_fails_within_a_payout_leaves_it_undecided() -> None:
    """Counters that may be wrong decide nothing: no other dispense, and the next count is a new beginning."""
    desk = Desk()

    async def scene() -> None:
        await asyncio.sleep(1.0)
        paying = asyncio.create_task(desk.order(5))
        await asyncio.sleep(0.6)
        desk.device.conditions.add(Flag.MEMORY)
        outcome = await paying
        assert (outcome.end, outcome.recount) == (PayoutEnd.UNDECIDED, True)
        assert desk.device.dispenses == desk.books.announced == 1
        await asyncio.sleep(2.0)
        assert desk.books.details["hopper_memory"] == Flag.MEMORY.words

    await served(desk, scene())


async def test_a_memory_that_failed_is_reset_before_the_next_payout() -> None:
    """An order finds it first: it resets the hopper, reads its counters afresh, is paid, and reports the fault."""
    desk = Desk()

    async def scene() -> None:
        await asyncio.sleep(1.0)
        desk.device.conditions.add(Flag.MEMORY)
        outcome = await desk.order(5)
        assert outcome.end is PayoutEnd.DONE
        assert dict(outcome.faults) == {"hopper_memory": f"{Flag.MEMORY.words}; it was reset"}
        await asyncio.sleep(2.0)
        assert desk.books.present == {}
        assert (desk.books.paid, len(desk.tray), desk.device.dispenses) == (5, 5, 1)

    await served(desk, scene())


async def test_a_memory_that_failed_while_idle_is_reported_and_reset() -> None:
    """The fault is raised before the reset that ends it: a technician hears of it all the same."""
    desk = Desk()

    async def scene() -> None:
        await asyncio.sleep(1.0)
        desk.device.conditions.add(Flag.MEMORY)
        await asyncio.sleep(5.0)
        assert desk.books.details["hopper_memory"] == Flag.MEMORY.words
        assert (desk.books.present, desk.device.conditions) == ({}, set())

    await served(desk, scene())


class Keeping(SimulatedHopper):
    """A hopper that keeps reporting a blocked exit until it is reset or pays."""

    def kept(self) -> None:
        """The exit was blocked for a moment."""
        self._flags.add(Flag.BLOCKED_IDLE)


@pytest.mark.parametrize("idle_s", [0.0, 5.0])
async def test_what_a_hopper_only_keeps_from_before_does_not_stop_it_for_good(idle_s: float) -> None:
    """A flag that a reset clears is gone at the next look, and before a dispense; a lasting one is still there."""
    device = Keeping()
    desk = Desk(device)

    async def scene() -> None:
        await asyncio.sleep(2.0)
        device.kept()
        await asyncio.sleep(idle_s)
        assert desk.books.present == {}
        assert ("hopper_sensor" in desk.books.details) is (idle_s > 0)
        assert (await desk.order(3)).end is PayoutEnd.DONE
        assert len(desk.tray) == 3

    await served(desk, scene())


async def test_a_retest_waits_for_coins_that_are_not_accounted_for() -> None:
    """A reset forgets what was paid: while an announced payout is open none is sent."""
    desk = Desk()
    desk.device.power(on=True)
    desk.device.conditions.add(Flag.BLOCKED_IDLE)
    desk.books.announce(desk.device.identity.serial, 0, 0)
    desk.device.counter, desk.device.lifetime, desk.device.paid, desk.device.unpaid = 1, 2, 2, 3

    async def scene() -> None:
        await asyncio.sleep(30.0)
        assert (desk.device.counter, desk.device.paid, desk.device.unpaid) == (1, 2, 3)
        outcome = await desk.hopper.pay(desk.books.order(5), desk.books)
        assert (outcome.end, desk.books.paid) == (PayoutEnd.STOPPED, 2)

    await served(desk, scene())


async def test_a_hopper_that_pays_single_coins_is_asked_for_each() -> None:
    """Its switch allows one coin a dispense: five are announced, one after the other, and five fall."""
    desk = Desk()
    desk.device.single_coin = True
    assert await pay(desk, 5) is PayoutEnd.DONE
    assert (len(desk.tray), desk.books.paid) == (5, 5)
    assert desk.device.dispenses == desk.books.announced == 5


def stop(desk: Desk) -> None:
    desk.device.notices_jam = False
    desk.device.jammed = True


def empty(desk: Desk) -> None:
    desk.device.stock = 0


@pytest.mark.requirement("D9")
@pytest.mark.parametrize(("trouble", "code"), [(stop, "hopper_jam"), (empty, "hopper_empty")])
async def test_time_out_distinguishes_empty_from_jammed(trouble: Callable[[Desk], None], code: str) -> None:
    """A hopper that finds no coin says so itself; one that just turns on is stopped and is a jam."""
    desk = Desk()
    trouble(desk)
    assert await pay(desk, 3) is not PayoutEnd.DONE
    assert set(desk.books.present) == {("hopper", code)}
    assert desk.device.remaining == 0
