"""`address = "scan"`: a device is found wherever it is, two of a kind are a fault, money on its way is left alone."""

import asyncio
from itertools import chain

import msgspec
import pytest
from crccheck.crc import CrcXmodem  # type: ignore[import-untyped]

from drivers.capabilities import PayoutEnd
from drivers.cctalk.bus import Bus
from drivers.cctalk.framing import CRC, SIMPLE, Encrypted
from drivers.cctalk.protocol import Header
from drivers.cctalk.scan import PLACES
from drivers.cctalk.wire import Wire
from drivers.clock import LoopClock
from drivers.errors import IdentityError, NoReplyError, SettingsError
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.cctalk.party_line import PartyLine
from drivers.simulated.line import LineDevice
from drivers.simulated.memory_line import MemoryLine
from drivers.wiring import SCAN
from tests.rigs.bill_rig import NOTE, DeviceRig, DyingPort, check_accounted, until_credited, until_stacking
from tests.rigs.cash_desk import Desk, pay
from tests.rigs.coin_slot import Slot
from tests.rigs.framed import Framed
from tests.rigs.party import COIN, Listener, Party, Quiet, TappedLine

FAR = 12
LONGEST_SCAN_S = 20.0


def scanning(*others: LineDevice, address: int = FAR, echo: bool = True) -> tuple[Slot, Listener]:
    """Return an acceptor at `address` that is scanned for, beside `others` on its line, and an ear on it."""
    made, ear = Slot(), Listener()
    made.device = SimulatedCoinAcceptor(address=address, accepted=made.accepted.append, returned=made.returned.append)
    line = MemoryLine(PartyLine([ear, made.device, *others], echo=echo))
    made.line = TappedLine(Quiet(), Wire(line.port))
    made.settings = msgspec.structs.replace(made.settings, address=SCAN)
    made.driver = made.new_driver()
    for device in others:
        device.power(on=True)
    return made, ear


@pytest.mark.parametrize("address", [*PLACES["Coin Acceptor"], 99, 255])
@pytest.mark.parametrize("echo", [False, True])
async def test_an_acceptor_is_found_at_any_address(address: int, *, echo: bool) -> None:
    """At those of its category by a poll, at any other by its own word; then its coins are credited."""
    slot, _ = scanning(address=address, echo=echo)
    async with slot.served():
        await asyncio.sleep(LONGEST_SCAN_S)
        assert slot.falls == []
        slot.device.insert(100)
        await asyncio.sleep(1.0)
    assert slot.books.credited == slot.accepted == [100]


async def test_an_acceptor_with_crc_is_found_by_itself() -> None:
    """Each address is asked in both framings."""
    slot, _ = scanning()
    slot.line = MemoryLine(Framed(slot.device, CRC))
    slot.driver = slot.new_driver()
    async with slot.served():
        await asyncio.sleep(LONGEST_SCAN_S)
        slot.device.insert(200)
        await asyncio.sleep(1.0)
    assert (slot.books.credited, slot.falls) == ([200], [])


async def test_two_of_a_category_are_a_fault_until_one_is_gone() -> None:
    """Neither takes a coin nor is any credited; the words name both places."""
    other = SimulatedCoinAcceptor(address=COIN)
    slot, ear = scanning(other)
    async with slot.served():
        await asyncio.sleep(LONGEST_SCAN_S)
        assert {type(error) for error in slot.falls} == {IdentityError}
        assert f"at address {COIN} and another at {FAR}: take one away" in str(slot.falls[-1])
        assert (COIN, Header.MASTER_INHIBIT) in {(whom, what) for _at, whom, what in ear.asked}
        assert Header.INHIBITS not in {what for _at, _whom, what in ear.asked}
        assert slot.books.credited == []
        other.power(on=False)
        await asyncio.sleep(LONGEST_SCAN_S)
        assert slot.books.faults == {}
        slot.device.insert(50)
        await asyncio.sleep(1.0)
    assert slot.books.credited == slot.accepted == [50]


async def test_coins_that_fell_before_the_scan_are_credited_after_it() -> None:
    """What the device holds is read as soon as it is found; whether it is alone is asked before that is booked."""
    slot, ear = scanning()
    async with slot.served():
        await asyncio.sleep(LONGEST_SCAN_S)
        slot.driver.stop()
        for _ in range(4):
            slot.device.insert(100)
            await asyncio.sleep(0.1)
        await asyncio.sleep(LONGEST_SCAN_S)
    assert slot.books.credited == slot.accepted == [100] * 4
    assert slot.books.lost == 0
    headers = [what for _at, whom, what in ear.asked if whom == FAR]
    assert headers.index(Header.SERIAL_NUMBER) < headers.index(Header.READ_CREDIT) < headers.index(Header.INHIBITS)


async def test_an_address_is_remembered_for_the_device_that_had_it() -> None:
    """A driver that begins anew asks there first, and nowhere else while the same device answers."""
    slot, ear = scanning()
    async with slot.served():
        await asyncio.sleep(LONGEST_SCAN_S)
        since = asyncio.get_running_loop().time()
        slot.driver.stop()
        await asyncio.sleep(5.0)
        assert {whom for at, whom, _what in ear.asked if at > since} == {FAR}
        slot.device.insert(100)
        await asyncio.sleep(1.0)
    assert slot.books.credited == [100]


async def test_a_hopper_that_is_found_pays_its_order() -> None:
    """At address 7, where a scan finds it."""
    desk = Desk(SimulatedHopper(stock=500, address=7))
    desk.settings = msgspec.structs.replace(desk.settings, address=SCAN)
    assert await pay(desk, 3) is PayoutEnd.DONE
    assert (len(desk.tray), desk.books.paid) == (3, 3)


@pytest.mark.parametrize("what", ["coins", "payout"])
async def test_nothing_is_scanned_while_money_is_on_its_way(what: str) -> None:
    """While coins fall or a hopper pays, only usual addresses and known devices are asked on the line; later all."""
    party = Party()
    bills = set(PLACES["Bill Validator"]) - {40}
    party.bills._settings = msgspec.structs.replace(party.bills._settings, address=SCAN)
    await party.start()
    party.bills.device.power(on=False)
    paying = asyncio.create_task(party.desk.order(60)) if what == "payout" else None
    await asyncio.sleep(0.5)
    if paying is None:
        party.slot.device.insert(100)
    await asyncio.sleep(0.5)
    began = asyncio.get_running_loop().time()
    if paying is None:
        for _ in range(10):
            party.slot.device.insert(100)
            await asyncio.sleep(1.0)
    else:
        await paying
    ended = asyncio.get_running_loop().time()
    asked = {whom for at, whom, _what in party.ear.asked if began + 0.2 <= at <= ended}
    assert ended > began + 5.0
    assert asked.isdisjoint(bills)
    await asyncio.sleep(LONGEST_SCAN_S)
    assert bills <= {whom for at, whom, _what in party.ear.asked if at > ended}
    assert Header.ADDRESS_POLL not in {what for _at, _whom, what in party.ear.asked}
    await party.end()


@pytest.mark.parametrize(("framing", "key"), [(SIMPLE, ""), (CRC, ""), (Encrypted("314159"), "314159")])
async def test_a_validator_that_is_found_takes_a_note(framing: object, key: str) -> None:
    """Also one that encrypts its frames, of which only its category's addresses are asked."""
    rig: DeviceRig[SimulatedCctalkBills] = DeviceRig(
        "cctalk", lambda returned, stacked: SimulatedCctalkBills(returned=returned, stacked=stacked, address=44)
    )
    rig.line = MemoryLine(Framed(rig.device, framing))  # type: ignore[arg-type]
    rig.port = DyingPort(rig.line.port)
    rig._settings = msgspec.structs.replace(rig._settings, address=SCAN, cctalk_key=key)
    await rig.start()
    await asyncio.sleep(LONGEST_SCAN_S)
    rig.device.insert(NOTE)
    await rig.settle()
    await rig.end()
    check_accounted(rig)
    assert (rig.books.credit_cents, rig.deaths) == (NOTE, [])


async def test_a_note_on_its_way_has_its_end_before_the_line_is_scanned() -> None:
    """The program is killed while a note is stacked: it is credited once, and only then the others are looked for."""
    ear = Listener()
    rig: DeviceRig[SimulatedCctalkBills] = DeviceRig(
        "cctalk", lambda returned, stacked: SimulatedCctalkBills(returned=returned, stacked=stacked, address=41)
    )
    rig.line = MemoryLine(PartyLine([ear, rig.device]))
    rig.port = DyingPort(rig.line.port)
    rig._settings = msgspec.structs.replace(rig._settings, address=SCAN)
    await rig.start()
    await asyncio.sleep(LONGEST_SCAN_S)
    await until_stacking(rig)
    await rig.kill()
    since = asyncio.get_running_loop().time()
    rig.port = DyingPort(rig.line.port)
    rig.run()
    await until_credited(rig)
    later = set(PLACES["Bill Validator"]) - {40, 41}
    assert later.isdisjoint({whom for at, whom, _what in ear.asked if at > since})
    await rig.settle(LONGEST_SCAN_S)
    assert later <= {whom for at, whom, _what in ear.asked if at > since}
    await rig.end()
    check_accounted(rig)
    assert rig.books.credit_cents == NOTE


async def test_nobody_there_names_where_was_asked_and_how() -> None:
    """The fault has addresses, framings and the mend; a hopper in its place is named."""
    slot, _ = scanning()
    slot.device.power(on=False)
    with pytest.raises(NoReplyError, match=r"asked: 2, 11, .*17; tried: simple checksum, CRC-16\).*\[coin_acceptor\]"):
        await slot.driver.run()
    swapped, _ = scanning(SimulatedHopper())
    with pytest.raises(IdentityError, match="two plugs are swapped"):
        await swapped.driver.run()


class Spoken:
    """A line that keeps what is said to it, and answers a broadcast with its own `answer` behind an echo."""

    path = "spoken"

    def __init__(self, answer: bytes, *, echo: bool) -> None:
        self.said: list[bytes] = []
        self._answer, self._echo, self._waiting = answer, echo, b""

    async def open(self) -> None:
        """Always there."""

    async def write(self, data: bytes) -> None:
        """Keep it, and have the answer wait."""
        self.said.append(data)
        self._waiting = (data if self._echo else b"") + self._answer

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - the seam's own signature
        """Return what waits, or nothing at the end of the time."""
        heard, self._waiting = self._waiting, b""
        if not heard:
            await asyncio.sleep(timeout)
        return heard

    def close(self) -> None:
        """Nothing to release."""


@pytest.mark.parametrize("echo", [False, True])
async def test_the_address_poll_is_the_specifications(*, echo: bool) -> None:
    """Header 253 to address 0 (part 2; with CRC by crccheck's own XMODEM); the answers are bare addresses."""
    crc = CrcXmodem.calc(bytes((0, 0, 253)))
    for framing, question in (
        (SIMPLE, bytes.fromhex("00 00 01 FD 02")),
        (CRC, bytes((0, 0, crc & 0xFF, 253, crc >> 8))),
    ):
        port = Spoken(bytes((2, 40, 0, 1)), echo=echo)
        bus = Bus(port, LoopClock())
        await bus.open()
        assert await bus.roll_call(framing) == {2, 40}
        assert port.said == [question]


async def test_noise_instead_of_addresses_is_no_device() -> None:
    """Whatever is heard after the address poll is asked, and what does not answer is nobody."""

    class Babbler(Listener):
        def connect(self, line: object) -> None:
            self.line = line

        def receive(self, data: bytes) -> None:
            super().receive(data)
            if data[3:4] == bytes((Header.ADDRESS_POLL,)):
                self.line.send(bytes(range(60, 90)))  # type: ignore[attr-defined]

    babbler = Babbler()
    slot, ear = scanning(babbler, address=200)
    async with slot.served():
        await asyncio.sleep(3 * LONGEST_SCAN_S)
        assert slot.driver.identity is not None
    assert set(range(60, 90)) <= {whom for _at, whom, _what in ear.asked}
    assert slot.falls == []


@pytest.mark.parametrize("address", [0, 1, 256])
def test_an_address_that_no_device_has_is_refused(address: int) -> None:
    """Broadcast, the host, and what is no byte."""
    slot = Slot()
    slot.settings = msgspec.structs.replace(slot.settings, address=address)
    with pytest.raises(SettingsError, match=r'\[coin_acceptor\] address = .* 2 to 255, usually 2, or "scan"'):
        slot.new_driver()


def test_no_two_categories_are_looked_for_at_one_address() -> None:
    """Else two drivers could ask a third one's device in the other's framing."""
    places = [*chain.from_iterable(PLACES.values())]
    assert len(places) == len(set(places))
