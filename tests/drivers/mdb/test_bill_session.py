"""The MDB validator's driver on a bus of the tests' own: what is credited, when, and what no misfortune changes."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from drivers.bill_validator import BillValidator
from drivers.capabilities import Verdict
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.wiring import BillValidator as Settings
from tests.rigs.babbling_port import BabblingPort
from tests.rigs.bill_rig import NOTE, Books, DeviceRig, KilledError
from tests.rigs.mdb_peer import SETUP, mdb_rig

Rig = DeviceRig[Any]


async def started(misbehaviour: Misbehaviour | None = None, prepare: Callable[[Rig], None] | None = None) -> Rig:
    """A validator that takes bills."""
    rig = mdb_rig(misbehaviour)
    if prepare is not None:
        prepare(rig)
    await rig.start()
    return rig


def end_of(rig: Rig) -> str:
    """See that the bill is accounted for, and return how: credited, returned, or an open item."""
    assert len(rig.stacked) + len(rig.returned) == 1
    assert rig.books.escrow is None
    if rig.books.open_items:
        assert rig.books.credit_cents == 0
        assert rig.books.open_items in ([NOTE], [None])
        return "open"
    assert rig.books.credit_cents == sum(map(int, rig.stacked))
    return "credited" if rig.stacked else "returned"


# Starting.


async def test_it_says_who_it_is_and_takes_the_cabinets_bills() -> None:
    """Set up without a reset; bills of the values that are wanted are enabled, each with escrow."""
    rig = await started()
    assert rig.books.found == ["TST PEER, serial number 000000012345, software 0102, level 2"]
    assert rig.device.commands[:3] == ["V", "M,1", "R,31"]
    assert rig.device.validator.enabled == 0b1111
    assert rig.driver is not None
    rig.driver.accept(frozenset({1000}))
    await rig.settle(1)
    assert "R,34,00020002" in rig.device.commands
    rig.driver.accept(frozenset())
    await rig.settle(1)
    assert rig.device.validator.enabled == 0
    assert (rig.books.faults, rig.deaths) == ({}, [])
    await rig.end()


@pytest.mark.parametrize(
    ("setup", "fault", "words"),
    [
        (SETUP[:1] + bytes.fromhex("1826") + SETUP[3:], "wrong_currency", "bills of GBP, the cabinet is played in EUR"),
        (SETUP[:10] + b"\0" + SETUP[11:], "wrong_device", "has no escrow"),
        (SETUP[:11] + b"\xff", "wrong_device", "knows no bill"),
    ],
)
async def test_a_device_that_cannot_be_used_is_refused(setup: bytes, fault: str, words: str) -> None:
    """Nothing is enabled, and the fault says why."""

    def prepare(rig: Rig) -> None:
        rig.device.validator.setup = setup

    rig = await started(prepare=prepare)
    assert words in rig.books.faults[fault]
    assert rig.device.validator.enabled == 0
    rig.device.validator.setup = SETUP
    await rig.settle(5)
    assert rig.books.faults == {}
    await rig.end()


async def test_another_validator_than_the_configured_one_is_refused() -> None:
    """`serial` is its own number."""

    def prepare(rig: Rig) -> None:
        rig.configure(serial=7)

    rig = await started(prepare=prepare)
    assert "has serial number 12345" in rig.books.faults["wrong_device"]
    await rig.end()


@pytest.mark.parametrize(("question", "place"), [("R,37,00", 14), ("R,37,00", 20), ("R,31", 2)])
async def test_a_flipped_bit_makes_no_other_validator(question: str, place: int) -> None:
    """Serial number, model and currency: the bridge's line bears no checksum, so two answers must agree."""
    rig = await started(prepare=lambda rig: rig.device.flipped.update({question: place}))
    rig.device.insert(NOTE)
    await rig.settle()
    assert rig.books.found == ["TST PEER, serial number 000000012345, software 0102, level 2"]
    assert (rig.deaths, rig.books.credit_cents, rig.device.flipped) == ([], NOTE, {})
    await rig.end()


async def test_a_silent_validator_is_reported_and_found_again() -> None:
    """Silence on the bus is borne for five seconds; then it is a fault, until it answers."""
    rig = await started()
    rig.device.deaf.add(0x30)
    await rig.settle(3)
    assert rig.books.faults == {}
    await rig.settle(4)
    assert "does not answer on the MDB bus" in rig.books.faults["no_reply"]
    rig.device.deaf.clear()
    await rig.settle(8)
    assert rig.books.faults == {}
    rig.device.insert(NOTE)
    await rig.settle()
    assert end_of(await rig.end()) == "credited"


async def test_a_bridge_that_is_none_is_reported() -> None:
    """What does not say a version is no bridge."""

    def prepare(rig: Rig) -> None:
        rig.device.answers["V"] = b"hello"

    rig = await started(prepare=prepare)
    await rig.settle(5)
    assert "the MDB bridge does not answer" in rig.books.faults["no_reply"]
    await rig.end()


async def test_a_bridge_that_is_no_master_is_reported() -> None:
    """One that refuses M,1 is the wrong one."""

    def prepare(rig: Rig) -> None:
        rig.device.answers["M,1"] = b"m,NACK"

    rig = await started(prepare=prepare)
    assert "does not become the bus's master" in rig.books.faults["wrong_device"]
    await rig.end()


async def test_a_bridge_that_starts_anew_is_made_the_master_again() -> None:
    """Its silence for others is not the validator's."""
    rig = await started()
    rig.device.restart()
    await rig.settle(3)
    rig.device.insert(NOTE)
    await rig.settle()
    assert rig.deaths == []
    assert end_of(await rig.end()) == "credited"


# Bills.


async def test_a_bill_is_credited_once_after_its_order_is_durable() -> None:
    """The cash box's number is journaled with the order, before it goes out."""
    rig = await started()
    rig.device.insert(NOTE)
    await rig.settle()
    calls = [call for call in rig.books.calls if call not in {"acknowledged", "never ordered"}]
    assert calls == ["heard mdb12345 7", f"escrow {NOTE}", "dialogue mdb2 7 12345", "heard mdb12345 8", "stacked"]
    rig.device.insert(1000)
    await rig.settle()
    assert "dialogue mdb1 8 12345" in rig.books.calls
    await rig.end()
    assert (rig.stacked, rig.books.credit_cents) == ([NOTE, 1000], NOTE + 1000)
    assert rig.books.open_items == []


async def test_a_refused_bill_is_returned() -> None:
    """The verdict is obeyed."""
    rig = await started()
    rig.books.verdict = Verdict.RETURN
    rig.device.validator.orders.clear()
    rig.device.insert(NOTE)
    await rig.settle()
    assert rig.device.validator.orders == [0]
    assert end_of(await rig.end()) == "returned"


async def test_a_verdict_that_takes_long_is_polled_for() -> None:
    """The validator is not left alone."""
    rig = await started()
    rig.books.verdict_after_s = 10.0
    rig.device.insert(NOTE)
    await rig.settle(2)
    polls = rig.device.commands.count("R,33")
    await rig.settle(5)
    assert rig.device.commands.count("R,33") - polls > 20
    await rig.settle()
    assert end_of(await rig.end()) == "credited"


async def test_a_bill_that_is_drawn_back_while_its_verdict_is_awaited() -> None:
    """It is the player's again, and never ordered to be stacked."""
    rig = await started()
    rig.books.verdict_after_s = 3.0
    rig.device.insert(NOTE)
    await rig.settle(1)
    rig.device.validator.slot = ""
    rig.device.validator.events.append(0xA2)
    rig.returned.append(NOTE)
    await rig.settle()
    assert 1 not in rig.device.validator.orders
    assert end_of(await rig.end()) == "returned"


@pytest.mark.parametrize("event", [0x82, 0x80])
async def test_a_bill_that_nobody_ordered_is_an_open_item(event: int) -> None:
    """Stacked without us: somebody's money, but nobody's credit."""
    rig = await started()
    rig.device.validator.events.append(event)
    await rig.settle()
    await rig.end()
    assert (rig.books.credit_cents, len(rig.books.open_items)) == (0, 1)


async def test_a_bill_that_is_stacked_as_another_is_an_open_item() -> None:
    """Ordered was one kind, reported another: nobody guesses."""
    rig = await started()
    rig.device.insert(NOTE)
    while rig.device.slot != "stacking":
        await rig.settle(0.05)
    rig.device.validator._paper = 500
    await rig.settle()
    await rig.end()
    assert (rig.books.credit_cents, rig.books.open_items) == (0, [NOTE])


# Faults.


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        (0x01, "failure"),
        (0x02, "failure"),
        (0x04, "failure"),
        (0x05, "acceptor_jam"),
        (0x07, "cheated"),
        (0x08, "stacker_open"),
        (0x0C, "cheated"),
    ],
)
async def test_a_fault_lasts_until_a_reset_does_not_show_it_again(event: int, fault: str) -> None:
    """It is said once; the validator takes nothing until it was reset and did not say it again."""
    rig = await started()
    rig.device.validator.events.append(event)
    await rig.settle(10)
    assert list(rig.books.faults) == [fault]
    assert rig.device.validator.enabled == 0
    rig.device.validator.events += [0x06, event]
    await rig.settle(8)
    assert list(rig.books.faults) == [fault]
    rig.device.validator.events.append(0x06)
    await rig.settle(8)
    assert rig.books.faults == {}
    assert rig.device.validator.enabled == 0b1111
    await rig.end()


async def test_a_validator_with_a_fault_is_reset_now_and_then() -> None:
    """Its own test says whether the fault lasts."""
    rig = await started()
    rig.device.validator.events.append(0x05)
    await rig.settle(45)
    assert rig.device.commands.count("R,30") == 2
    await rig.end()


async def test_a_full_cash_box_keeps_bills_out() -> None:
    """The number in the cash box says so."""

    def prepare(rig: Rig) -> None:
        rig.device.validator.full = True

    rig = await started(prepare=prepare)
    assert list(rig.books.faults) == ["stacker_full"]
    assert rig.device.validator.enabled == 0
    rig.device.validator.full = False
    await rig.settle(70)
    assert rig.books.faults == {}
    await rig.end()


# Misfortunes.


def depths(some: range, every: range) -> pytest.MarkDecorator:
    """Parametrize `moments`: some of them in each run, every one in the proofs."""
    return pytest.mark.parametrize(
        "moments", [pytest.param(some, id="some"), pytest.param(every, id="every", marks=pytest.mark.proof)]
    )


HARMLESS = {Kind.DELAY, Kind.REPEAT}


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.CORRUPT])
@pytest.mark.parametrize("way", list(Way))
@depths(range(4, 40, 9), range(60))
async def test_every_line_goes_wrong(kind: Kind, way: Way, moments: range) -> None:
    """Whatever happens to a line at any moment, a stacked bill is credited once, or is an open item."""

    async def main(after: int, lines: int) -> Rig:
        misbehaviour = Misbehaviour(delay_s=1.2)
        rig = await started(misbehaviour)
        rig.device.insert(NOTE)
        await rig.settle(after * 0.03)
        misbehaviour.inject(kind, lines, way=way)
        await rig.settle(60)
        return await rig.end()

    for after in moments:
        for lines in (1, 3):
            end = end_of(await main(after, lines))
            assert end in {"credited", "returned"} if kind in HARMLESS else True


@pytest.mark.parametrize("counts", [True, False], ids=["counts", "does not"])
async def test_a_lost_report_is_settled_by_the_cash_box(counts: bool) -> None:  # noqa: FBT001 - a parameter
    """A number that has risen by one is the proof; without it the bill is an open item."""
    misbehaviour = Misbehaviour()
    rig = await started(misbehaviour)
    rig.device.validator.counts = counts
    rig.device.insert(NOTE)
    while rig.device.slot != "stacking":
        await rig.settle(0.01)
    while rig.device.slot == "stacking":
        await rig.settle(0.001)
    misbehaviour.inject(Kind.DROP)
    await rig.settle(60)
    assert rig.device.validator.events == []
    assert end_of(await rig.end()) == ("credited" if counts else "open")


async def test_a_refused_bill_is_none_of_the_cash_boxs() -> None:
    """Its return was not heard, and the one bill in the cash box is another's."""
    misbehaviour = Misbehaviour()
    rig = await started(misbehaviour)
    rig.device.validator.bills = 1
    rig.books.verdict = Verdict.RETURN
    rig.device.insert(NOTE)
    while rig.device.slot != "returning":
        await rig.settle(0.01)
    while rig.device.slot == "returning":
        await rig.settle(0.001)
    misbehaviour.inject(Kind.DROP)
    await rig.settle(1.3)
    rig.device.validator.events.append(0x0B)
    await rig.settle(60)
    assert "stacked" not in rig.books.calls
    assert end_of(await rig.end()) == "returned"


async def test_an_emptied_cash_box_proves_no_return() -> None:
    """Its number begins again: a bill whose stacking was not heard is an open item."""
    misbehaviour = Misbehaviour()
    rig = await started(misbehaviour)
    rig.device.insert(NOTE)
    await rig.settle()
    rig.device.validator.bills = 0
    rig.device.insert(NOTE)
    while rig.device.slot != "stacking":
        await rig.settle(0.01)
    while rig.device.slot == "stacking":
        await rig.settle(0.001)
    rig.device.validator.bills = 0
    misbehaviour.inject(Kind.DROP)
    await rig.settle(2)
    rig.device.validator.events.append(0x08)
    await rig.settle(60)
    await rig.end()
    assert (rig.stacked, rig.books.credit_cents, rig.books.open_items) == ([NOTE, NOTE], NOTE, [NOTE])


async def stacked_unheard(*, counts: bool) -> Rig:
    """A rig whose bill of `NOTE` lies in the cash box, and whose report of that was lost."""
    misbehaviour = Misbehaviour()
    rig = await started(misbehaviour)
    rig.device.validator.counts = counts
    rig.device.insert(NOTE)
    while rig.device.slot != "stacking":
        await rig.settle(0.01)
    while rig.device.slot == "stacking":
        await rig.settle(0.001)
    misbehaviour.inject(Kind.DROP)
    await rig.settle(0.2)
    return rig


@pytest.mark.parametrize(("counts", "end"), [(True, "credited"), (False, "open")])
async def test_the_return_of_another_bill_says_nothing_of_the_one_in_hand(counts: bool, end: str) -> None:  # noqa: FBT001 - a parameter
    """A 5.00 came and was drawn back while answers were lost: the bill before it is not the one that came back."""
    rig = await stacked_unheard(counts=counts)
    rig.device.validator.events.append(0xA0)
    await rig.settle(60)
    assert end_of(await rig.end()) == end


async def test_a_return_that_the_cash_box_contradicts_is_an_open_item() -> None:
    """Another bill of its kind came back, or the validator counted it too early: nobody knows which."""
    rig = await stacked_unheard(counts=True)
    rig.device.validator.events.append(0xA2)
    await rig.settle(60)
    assert end_of(await rig.end()) == "open"


@pytest.mark.parametrize("sent", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 40.0])
@depths(range(1, 40, 5), range(1, 50))
async def test_killed_at_every_write(down_s: float, sent: bool, moments: range) -> None:  # noqa: FBT001 - a parameter
    """A driver killed around any line: credited once or returned, never lost."""

    async def main(write: int) -> Rig:
        rig = await started()
        rig.down_s = down_s
        rig.port.die_at, rig.port.die_sent = rig.port.writes + write, sent
        rig.device.insert(NOTE)
        await rig.settle(down_s + 60)
        return await rig.end()

    for write in moments:
        rig = await main(write)
        assert [type(death) for death in rig.deaths] == [KilledError]
        assert end_of(rig) in {"credited", "returned"}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 40.0])
@depths(range(1, 7, 2), range(1, 9))
async def test_killed_around_every_commit(down_s: float, when: str, moments: range) -> None:
    """The process dies before or after any transaction: still credited exactly once, or returned."""

    async def main(call: int) -> Rig:
        rig = await started()
        rig.down_s = down_s
        fatal = len(rig.books.calls) + call

        async def die(number: int, at: str) -> None:
            if (number, at) == (fatal, when):
                raise KilledError

        rig.books.at_call = die
        rig.device.insert(NOTE)
        await rig.settle(down_s + 60)
        return await rig.end()

    deaths = 0
    for call in moments:
        rig = await main(call)
        deaths += len(rig.deaths)
        assert end_of(rig) in {"credited", "returned"}
    assert deaths >= 1


@depths(range(2, 60, 8), range(80))
async def test_killed_at_every_moment(moments: range) -> None:
    """The task is cancelled wherever it waits, and another begins at once."""

    async def main(fiftieths: int) -> Rig:
        rig = await started()
        rig.device.insert(NOTE)
        await rig.settle(fiftieths / 50 + 0.003)
        await rig.kill()
        rig.run()
        await rig.settle(60)
        return await rig.end()

    for fiftieths in moments:
        assert end_of(await main(fiftieths)) in {"credited", "returned"}


@depths(range(1, 40, 6), range(40))
@pytest.mark.parametrize("whole_cabinet", [False, True])
async def test_the_mains_fail_at_every_position(whole_cabinet: bool, moments: range) -> None:  # noqa: FBT001 - a parameter
    """What a cut catches on its way into the box is credited by the box's number; all else comes back."""

    async def main(fiftieths: int) -> Rig:
        rig = await started()
        rig.device.insert(NOTE)
        await rig.settle(fiftieths / 50)
        rig.device.power(on=False)
        if whole_cabinet:
            await rig.kill()
        await rig.settle(1)
        rig.device.power(on=True)
        if whole_cabinet:
            rig.run()
        await rig.settle(80)
        return await rig.end()

    for fiftieths in moments:
        rig = await main(fiftieths)
        if rig.stacked:
            assert end_of(rig) == "credited"
        else:
            assert end_of(rig) in {"returned", "open"}


async def test_a_bill_left_by_another_protocol_is_not_guessed() -> None:
    """Another driver ordered it to be stacked, of another device."""

    def prepare(rig: Rig) -> None:
        rig.books.escrow, rig.books.dialogue = (NOTE, "stacking"), "ebds1"

    rig = await started(prepare=prepare)
    await rig.end()
    assert (rig.books.credit_cents, rig.books.open_items) == (0, [NOTE])


@pytest.mark.parametrize("least", [40_000, pytest.param(1_000_000, marks=pytest.mark.proof)])
async def test_random_bytes_without_end_credit_nothing_and_are_a_fault(least: int) -> None:
    """Noise in place of a bridge: no credit, and a `DriverError` within 60 s."""
    port, books = BabblingPort(20, b"p,vmACKN0123456789ABCDEF\n\r", piece=200, baud=115_200), Books()
    while port.given < least:
        driver = BillValidator(Settings(port=port.path, protocol="mdb"), port, LoopClock(), books, currency=EURO)
        driver.accept(frozenset({NOTE}))
        with pytest.raises(DriverError):
            await asyncio.wait_for(driver.run(), 60)
    assert books.credit_cents == 0
