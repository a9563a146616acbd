"""T.8 to T.10 and T.14 on the whole cabinet: real drivers, simulated devices, every answer that a device may give."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.features.diagnostics import coins, hopper, notes, ports
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.number_seal import masked
from controller.journal.open_items import open_items
from controller.journal.refills import FILLED, in_hopper_cents
from drivers.cctalk.hopper_status import Flag
from drivers.currency import EURO
from drivers.simulated.misbehaviour import Kind, Way
from drivers.simulated.validators import fitted_validator
from drivers.validator_protocols import ticket_readers
from tests.rigs.technician import Technician, books, opened, says, technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet

pytestmark = pytest.mark.sampled(3)

PROTOCOLS: tuple[str, ...] = ("id003", "ssp", "cctalk")
Trouble = Callable[[VirtualCabinet], None]


async def left(technician: Technician) -> None:
    """Leave the test, the menu and the cabinet, and wait until money is taken again."""
    await technician.touch("service:back")
    await technician.close()
    await technician.cabinet.until(lambda: technician.machine.states.takes_notes)
    await technician.pause(5.0)


# T.8


async def test_the_coin_acceptor_shows_each_coin_and_credits_none(tmp_path: Path) -> None:
    """Counted by number and value; the coin after the test is the player's, once."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        before = await opened(technician, "T.8")
        await says(technician, coins.TAKES)
        for value in (10, 200, 200):
            assert cabinet.coins.insert(value)
            await technician.pause(1.0)
        rows = {row.place: row.count for row in technician.page.rows if row.label == "Coin {place}"}
        assert (rows["1"], rows["5"], rows["2"]) == (1, 2, 0)
        assert technician.row("Coins in this test, none of them credited").count == 3
        assert await technician.machine.journal.do(books) == before
        await left(technician)
        assert await technician.machine.journal.do(books) == before
        assert cabinet.coins.insert(100)
        await cabinet.until(lambda: cabinet.credit == 2100)
        assert await technician.events("coin_tested") == [
            "T.8: coins of a test, not credited: 1 x 0.10",
            "T.8: coins of a test, not credited: 1 x 2.00",
            "T.8: coins of a test, not credited: 1 x 2.00",
        ]


def _silent(cabinet: VirtualCabinet) -> None:
    cabinet.coins.power(on=False)


def _unplugged(cabinet: VirtualCabinet) -> None:
    cabinet.lines["coin"].unplug()


def _sick(cabinet: VirtualCabinet) -> None:
    cabinet.coins.self_check = b"\x03"


def _other(cabinet: VirtualCabinet) -> None:
    cabinet.coins.power(on=False)
    cabinet.coins.identity = cabinet.coins.identity._replace(category=b"Payout")
    cabinet.coins.power(on=True)
    cabinet.lines["coin"].unplug()
    cabinet.lines["coin"].plug()


def _string(cabinet: VirtualCabinet) -> None:
    cabinet.coins.reject(20)


def _garbled(cabinet: VirtualCabinet) -> None:
    cabinet.lines["coin"].misbehaviour.inject(Kind.CORRUPT, 30, way=Way.TO_HOST)


@pytest.mark.parametrize("when", ["before", "during"])
@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (_silent, "does not answer"),
        (_unplugged, "unplugged"),
        (_sick, "self-check"),
        (_other, "Another device answers"),
        (_string, "Error code 20"),
        (_garbled, ""),
    ],
)
async def test_whatever_the_coin_acceptor_answers_is_shown_and_moves_no_money(
    tmp_path: Path, trouble: Trouble, words: str, when: str
) -> None:
    """Silent, unplugged, sick, another device, a coin on a string, garbled: the page says so, the books stay."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        if when == "before" and trouble is not _string:
            await technician.open()
            before = await technician.machine.journal.do(books)
            trouble(cabinet)
            await technician.pause(4.0)
            await technician.go("T.8")
        else:
            before = await opened(technician, "T.8")
            await says(technician, coins.TAKES)
            assert cabinet.coins.insert(50)
            await technician.pause(1.0)
            trouble(cabinet)
        await says(technician, words)
        await technician.touch("service:back")
        assert await technician.machine.journal.do(books) == before


# T.9


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_note_is_shown_and_comes_back(tmp_path: Path, protocol: str) -> None:
    """In each protocol: held, shown with its value, returned; the note after the test is credited."""
    async with technician_at(tmp_path, VirtualCabinet(tmp_path, protocol=protocol)) as technician:
        cabinet = technician.cabinet
        before = await opened(technician, "T.9")
        await says(technician, notes.INSERT)
        await technician.pause(5.0)
        stacked = cabinet.stacked_cents
        cabinet.bills.insert(1000)
        await says(technician, notes.SIGHTS["escrow"])
        assert technician.row(notes.SIGHTS["escrow"]).cents == 1000
        await says(technician, notes.SIGHTS["returned"])
        await cabinet.until(lambda: cabinet.returned_cents == 1000)
        assert (cabinet.stacked_cents, await technician.machine.journal.do(books)) == (stacked, before)
        await left(technician)
        await cabinet.insert_note(500)
        assert cabinet.credit == 2500
        assert await technician.machine.journal.do(open_items) == []


@pytest.mark.parametrize("protocol", sorted({"cctalk", "id003", "ssp"}.intersection(ticket_readers())))
async def test_a_ticket_is_shown_and_comes_back(tmp_path: Path, protocol: str) -> None:
    """Held, shown with its last four digits and returned; nobody asks what it is worth."""
    number = "001234567890123456"
    async with technician_at(tmp_path, VirtualCabinet(tmp_path, protocol=protocol)) as technician:
        cabinet = technician.cabinet
        before = await opened(technician, "T.9")
        await says(technician, notes.INSERT)
        await technician.pause(5.0)
        cabinet.bills.insert_ticket(number)
        await says(technician, notes.SIGHTS["escrow"])
        assert technician.row(notes.SIGHTS["escrow"]).detail == masked(number)
        await says(technician, notes.SIGHTS["returned"])
        await cabinet.until(lambda: cabinet.returned_tickets == [number])
        assert (cabinet.stacked_tickets, await technician.machine.journal.do(books)) == ([], before)
        shown = f"T.9: ticket {masked(number)}: in escrow; nothing is credited"
        assert shown in await technician.events("service_test")
        assert await technician.events("ticket") == []


def _bill_fault(name: str) -> Trouble:
    return lambda cabinet: cabinet.bills.set_fault(name, True)  # noqa: FBT003 - the simulated devices' signature


def _no_bills(cabinet: VirtualCabinet) -> None:
    cabinet.bills.power(on=False)


def _bills_unplugged(cabinet: VirtualCabinet) -> None:
    cabinet.lines["bill"].unplug()


def _bills_garbled(cabinet: VirtualCabinet) -> None:
    cabinet.lines["bill"].misbehaviour.inject(Kind.CORRUPT, 200, way=Way.TO_HOST)


def _other_bills(cabinet: VirtualCabinet) -> None:
    """Put a validator of another language onto the line."""
    fitted, line = cabinet.config.bill_validator, cabinet.lines["bill"]
    assert fitted is not None
    other: str = "id003" if fitted.protocol == "ssp" else "ssp"
    line.unplug()
    cabinet.bills.power(on=False)
    device = fitted_validator(replace(fitted, protocol=other), currency=EURO, returned=_nothing, stacked=_nothing)
    line.device = device
    device.connect(line)
    device.power(on=True)
    line.plug()


def _nothing(_cents: int) -> None:
    """No note goes through a validator that nobody understands."""


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (_bill_fault("stacker_full"), "Bill acceptor malfunction"),
        (_bill_fault("stacker_open"), "cash box of the bill validator is out"),
        (_bill_fault("acceptor_jam"), "stuck in the bill validator"),
        (_bill_fault("stacker_jam"), "stuck in the stacker"),
        (_no_bills, "does not answer"),
        (_bills_unplugged, "unplugged"),
        (_bills_garbled, "answer|nonsense"),
        (_other_bills, "does not answer"),
    ],
)
async def test_whatever_the_bill_validator_answers_is_shown(
    tmp_path: Path, trouble: Trouble, words: str, protocol: str
) -> None:
    """Full, open, jammed, silent, unplugged, garbled, of another protocol: shown on the page, no money moved."""
    async with technician_at(tmp_path, VirtualCabinet(tmp_path, protocol=protocol)) as technician:
        before = await opened(technician, "T.9")
        await technician.pause(3.0)
        trouble(technician.cabinet)
        await says(technician, words)
        await technician.touch("service:back")
        assert await technician.machine.journal.do(books) == before


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "trouble",
    [
        _bill_fault("stacker_full"),
        _bill_fault("acceptor_jam"),
        _bill_fault("stacker_jam"),
        _no_bills,
        _bills_unplugged,
        _bills_garbled,
    ],
)
async def test_a_note_in_a_tests_escrow_is_no_money_whatever_goes_wrong(
    tmp_path: Path, trouble: Trouble, protocol: str
) -> None:
    """The trouble comes while the note is held; mended and left, nothing was stacked, credited or put down as open."""
    async with technician_at(tmp_path, VirtualCabinet(tmp_path, protocol=protocol)) as technician:
        cabinet = technician.cabinet
        before = await opened(technician, "T.9")
        await says(technician, notes.INSERT)
        await technician.pause(5.0)
        stacked = cabinet.stacked_cents
        cabinet.bills.insert(1000)
        await says(technician, notes.SIGHTS["escrow"])
        trouble(cabinet)
        await technician.pause(6.0)
        await technician.touch("service:back")
        cabinet.lines["bill"].misbehaviour.forget()
        cabinet.lines["bill"].plug()
        cabinet.bills.power(on=False)
        for name in ("stacker_full", "acceptor_jam", "stacker_jam"):
            cabinet.bills.set_fault(name, False)  # noqa: FBT003 - the simulated devices' signature
        cabinet.bills.power(on=True)
        await technician.pause(20.0)
        assert await technician.machine.journal.do(books) == before
        assert (cabinet.stacked_cents, await technician.machine.journal.do(open_items)) == (stacked, [])


# T.10


async def give(technician: Technician, amount: int) -> None:
    """Choose the row that gives so many coins, and answer with YES."""
    at = next(
        number for number, row in enumerate(technician.page.rows) if row.label == "Give coins" and row.count == amount
    )
    await technician.touch(f"service:row:{at}")
    await technician.touch("service:up")
    await technician.touch("service:enter")


def _sorting(cabinet: VirtualCabinet) -> VirtualCabinet:
    """Let the acceptor's own sorter send the hopper's coins to it."""
    wired = cabinet.config.coin_acceptor
    assert wired is not None
    cabinet.config = replace(cabinet.config, coin_acceptor=replace(wired, hopper_path=2))
    return cabinet


async def out(technician: Technician) -> int:
    """Coins that have still to be put back."""
    return (await technician.machine.journal.do(hopper_diagnostic.coins_out)).missing


@pytest.mark.parametrize("way", ["acceptor", "hand"])
async def test_the_hopper_passes_once_its_coins_are_back(tmp_path: Path, way: str) -> None:
    """Three coins out, three back through the slot or by the technician's word; then PASS, and no meter has moved."""
    async with technician_at(tmp_path, _sorting(VirtualCabinet(tmp_path))) as technician:
        cabinet = technician.cabinet
        before = await opened(technician, "T.10")
        await give(technician, 3)
        await cabinet.until(lambda: cabinet.tray_cents == 300)
        await says(technician, hopper.ENDS[hopper.PayoutEnd.DONE])
        await cabinet.until(lambda: technician.row(hopper.MISSING).count == 3)
        assert technician.row("The test is").value == hopper.NOT_PASSED
        if way == "acceptor":
            for _ in range(3):
                await cabinet.until(lambda: cabinet.coins.insert(100))
                await technician.pause(1.0)
        else:
            await technician.enter(hopper.ARE_BACK)
            await technician.touch("service:up")
            await technician.touch("service:enter")
        await says(technician, hopper.PASSED)
        assert (await technician.machine.journal.do(books), await out(technician)) == (before, 0)
        logged = (await technician.events("hopper_test"))[-1]
        assert ("coin acceptor" if way == "acceptor" else "by hand (technician)") in logged
        await left(technician)
        assert await technician.machine.journal.do(open_items) == []


async def test_coins_that_fall_into_the_cash_box_are_not_back(tmp_path: Path) -> None:
    """Without a way to the hopper the acceptor's coins must be carried there: the hopper's level stays true."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        await technician.machine.journal.do(lambda tx: tx.log("filled", "", meters={FILLED: 10_000}))
        await opened(technician, "T.10")
        await give(technician, 1)
        await says(technician, hopper.MISSING)
        assert await technician.machine.journal.do(in_hopper_cents) == 9900
        await cabinet.until(lambda: cabinet.coins.insert(100))
        await says(technician, coins.WAYS[coins.CoinWay.CASH_BOX])
        assert await out(technician) == 1
        await technician.enter(hopper.ARE_BACK)
        await technician.touch("service:up")
        await technician.touch("service:enter")
        await says(technician, hopper.PASSED)
        assert await technician.machine.journal.do(in_hopper_cents) == 10_000


async def test_coins_that_are_missing_are_reported_at_the_next_test_too(tmp_path: Path) -> None:
    """Leaving with coins out is no way to pass; nothing more is given until they are back, a power cut or not."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        before = await opened(technician, "T.10")
        await give(technician, 1)
        await says(technician, hopper.MISSING)
        await left(technician)
        await cabinet.kill()
        await cabinet.start()
        await technician.pause(8.0)
        await opened(technician, "T.10")
        await says(technician, hopper.MISSING)
        assert not any(row.label == "Give coins" for row in technician.page.rows)
        # the cut fell into a pulse that the hard meters were given after the menu was shut
        assert (await technician.machine.journal.do(books))[:2] == before[:2]


def _jam(cabinet: VirtualCabinet) -> None:
    cabinet.hopper.jammed = True


def _empty(cabinet: VirtualCabinet) -> None:
    cabinet.hopper.stock = 1


def _blocked(cabinet: VirtualCabinet) -> None:
    cabinet.hopper.conditions.add(Flag.BLOCKED_IDLE)


def _security(cabinet: VirtualCabinet) -> None:
    cabinet.hopper.security = b"\1\2\3"


def _hopper_lost(cabinet: VirtualCabinet) -> None:
    asyncio.get_running_loop().call_later(1.0, cabinet.lines["hopper"].unplug)


def _hopper_dead(cabinet: VirtualCabinet) -> None:
    asyncio.get_running_loop().call_later(1.0, lambda: cabinet.hopper.power(on=False))


def _lost_replies(cabinet: VirtualCabinet) -> None:
    asyncio.get_running_loop().call_later(
        0.4, lambda: cabinet.lines["hopper"].misbehaviour.inject(Kind.DROP, 4, way=Way.TO_HOST)
    )


def _unknown_coin(cabinet: VirtualCabinet) -> None:
    cabinet.hopper.upset = Flag.UNKNOWN_COIN


def _hopper_garbled(cabinet: VirtualCabinet) -> None:
    line = cabinet.lines["hopper"].misbehaviour
    asyncio.get_running_loop().call_later(0.4, lambda: line.inject(Kind.CORRUPT, 80, way=Way.TO_HOST))


def _no_hopper(cabinet: VirtualCabinet) -> None:
    """Another kind of device answers at the hopper's address from the middle of the dispense on."""

    def swap() -> None:
        cabinet.lines["hopper"].unplug()
        cabinet.hopper.identity = cabinet.hopper.identity._replace(category=b"Coin Acceptor")
        cabinet.lines["hopper"].plug()

    asyncio.get_running_loop().call_later(1.0, swap)


@pytest.mark.parametrize(
    "trouble",
    [
        _jam,
        _empty,
        _blocked,
        _security,
        _hopper_lost,
        _hopper_dead,
        _lost_replies,
        _unknown_coin,
        _hopper_garbled,
        _no_hopper,
    ],
)
async def test_whatever_the_hopper_does_each_coin_is_counted_once(tmp_path: Path, trouble: Trouble) -> None:
    """Jammed, empty, blocked, of another security, gone, dead, mute, garbled, another: coins in the tray are owed."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        before, identity = await opened(technician, "T.10"), cabinet.hopper.identity
        trouble(cabinet)
        await give(technician, 3)
        await technician.pause(60.0)
        assert technician.page.code == "T.10"
        passed = technician.row("The test is").value
        assert passed != hopper.PASSED
        await technician.touch("service:back")
        cabinet.lines["hopper"].plug()
        cabinet.hopper.power(on=True)
        cabinet.hopper.conditions.clear()
        cabinet.hopper.identity = identity
        cabinet.lines["hopper"].misbehaviour.forget()
        await technician.pause(60.0)
        assert await technician.machine.journal.do(hopper_diagnostic.running) is None
        assert await out(technician) * 100 == cabinet.tray_cents
        assert await technician.machine.journal.do(books) == before
        assert await technician.machine.journal.do(open_items) == []


async def test_a_door_that_is_shut_stops_the_motor(tmp_path: Path) -> None:
    """Leaving in the middle of a dispense: no coin more falls, and those that did are owed back."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        before = await opened(technician, "T.10")
        await give(technician, 10)
        await cabinet.until(lambda: cabinet.tray_cents >= 300)
        cabinet.door("main", is_open=False)
        await technician.pause(3.0)
        tray = cabinet.tray_cents
        await technician.pause(20.0)
        assert (cabinet.tray_cents, await out(technician)) == (tray, tray // 100)
        assert tray < 1000
        assert await technician.machine.journal.do(books) == before


# T.14


@pytest.mark.parametrize("port", ["coin", "bill", "hopper"])
async def test_what_goes_over_a_port_is_shown(tmp_path: Path, port: str) -> None:
    """Both ways, with time and bytes; held still on request; and after the test nothing is traced."""
    async with technician_at(tmp_path) as technician:
        await opened(technician, "T.14")
        supervisor = technician.cabinet.supervisor
        assert supervisor is not None
        traced = supervisor.hardware.ports
        assert not any(one.watched for one in traced.values())
        await technician.enter(port)
        await says(technician, "Sent")
        await says(technician, "Received")
        assert [name for name, one in traced.items() if one.watched] == [port]
        await technician.enter(ports.HOLD_STILL)
        held = [row.detail for row in technician.page.rows if row.detail]
        await technician.pause(3.0)
        assert [row.detail for row in technician.page.rows if row.detail] == held
        await technician.enter(ports.GO_ON)
        await technician.pause(1.0)
        assert [row.value for row in technician.page.rows if row.label == "Sent"]
        await technician.touch("service:back")
        assert not any(one.watched for one in traced.values())


async def test_every_frame_is_logged_for_a_while(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Chosen in T.14 and recorded, chosen again it ends; it goes on after the test."""
    caplog.set_level(logging.DEBUG, "drivers")  # the handler; the cabinet sets its own level

    def frames() -> list[logging.LogRecord]:
        return [record for record in caplog.records if record.name == "drivers.wire_trace"]

    async with technician_at(tmp_path) as technician:
        await opened(technician, "T.14")
        assert not frames()
        await technician.enter(ports.EVERY_FRAME)
        await technician.enter(ports.NO_FRAMES)
        caplog.clear()
        await technician.pause(2.0)
        assert not frames()
        await technician.enter(ports.EVERY_FRAME)
        await technician.touch("service:back")
        caplog.clear()
        await technician.pause(2.0)
        assert frames()
        logged = "T.14: every frame of the drivers is logged for 30 min"
        events = [event for event in await technician.events("service_test") if "frame" in event]
        assert events == [logged, "T.14: frames of the drivers are no longer logged", logged]


@pytest.mark.parametrize("trouble", [_silent, _unplugged, _garbled])
async def test_a_lost_port_is_reported_and_its_trace_goes_on(tmp_path: Path, trouble: Trouble) -> None:
    """The questions that nobody answers are in the trace; the fault is shown beside the port."""
    async with technician_at(tmp_path) as technician:
        await opened(technician, "T.14")
        await technician.enter("coin")
        await says(technician, "Received")
        trouble(technician.cabinet)
        await technician.pause(5.0)
        assert technician.page.code == "T.14"
        assert any(row.label == "Sent" for row in technician.page.rows)
