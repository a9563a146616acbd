"""Who answers on a port is found without a request that moves anything: every byte that is sent is on a list here."""

import asyncio
import zlib
from collections.abc import Callable
from functools import partial

import pytest
from crccheck.crc import CrcXmodem  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from drivers.cctalk.framing import Encrypted
from drivers.cctalk.protocol import Frame
from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.mdb.bridge import BAUD as BRIDGE_BAUD
from drivers.port import Port
from drivers.probe import Heard, LineSettings, probes, who_answers
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.cctalk.party_line import PartyLine
from drivers.simulated.ebds.bill_validator import SimulatedEbdsValidator
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.id003.bill_validator import SimulatedBillValidator
from drivers.simulated.line import Line, LineDevice
from drivers.simulated.mdb.bill_validator import SimulatedMdbBills
from drivers.simulated.mdb.bridge import MdbBridge
from drivers.simulated.mdb.coin_changer import SimulatedChanger
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from tests.drivers.cctalk import campaigns as cctalk
from tests.drivers.escpos import campaigns as escpos
from tests.drivers.id003 import campaigns as id003
from tests.rigs.known_protocols import harmless, on_own_lines, simulated
from tests.rigs.mdb_peer import COIN_SETUP, peer_with_changer

HARMLESS = harmless()
"""Everything that may be sent on a port of which nobody knows who answers."""


class Mute:
    """Nobody: what it hears is kept in `heard`, and `answer` may be sent for it."""

    def __init__(self, answer: Callable[[bytes], bytes] = lambda _asked: b"") -> None:
        self._answer = answer
        self._line: Line | None = None

    def connect(self, line: Line) -> None:
        self._line = line

    def power(self, *, on: bool) -> None:
        pass

    def receive(self, data: bytes) -> None:
        answer = self._answer(data)
        if answer and self._line is not None:
            self._line.send(answer)


class Recorded:
    """A port that keeps what is sent through it."""

    def __init__(self, port: Port, sent: list[bytes]) -> None:
        self.path = port.path
        self._port = port
        self._sent = sent

    async def open(self) -> None:
        await self._port.open()

    async def write(self, data: bytes) -> None:
        self._sent.append(data)
        await self._port.write(data)

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - the seam's own signature
        return await self._port.read(timeout)

    def close(self) -> None:
        self._port.close()


class Bench:
    """One port with `device` at its far end, which listens at `baud` with `parity` only."""

    def __init__(self, device: LineDevice, *, baud: int = 9600, parity: str | None = None) -> None:
        self.sent: list[bytes] = []
        self.opened: list[LineSettings] = []
        self._line = MemoryLine(device)
        self._deaf = MemoryLine(Mute())
        self._baud, self._parity = baud, parity

    def open_port(self, settings: LineSettings) -> Port:
        self.opened.append(settings)
        fits = settings.baud == self._baud and self._parity in {None, settings.parity}
        return Recorded((self._line if fits else self._deaf).port, self.sent)

    async def ask(self, *, validators: bool = True, first: str | None = None) -> Heard:
        chosen = next((name for name in probes() if name == first), None)
        return await who_answers("port", self.open_port, LoopClock(), first=chosen, validators=validators)


def _notes(_paper: object) -> None:
    raise AssertionError("a note has moved")


DEVICES: dict[str, Callable[[], LineDevice]] = {
    **{
        f"{name} bill validator": partial(simulated, name, _notes, _notes)
        for name in on_own_lines()
        if name not in ("cctalk", "ssp")
    },
    "cctalk Coin Acceptor at address 2": lambda: SimulatedCoinAcceptor(echo=True),
    "cctalk Payout at address 3": lambda: SimulatedHopper(echo=True),
    "cctalk Bill Validator at address 40": lambda: SimulatedCctalkBills(returned=_notes, stacked=_notes),
    "ssp bill validator at address 0": lambda: SimulatedSspValidator(returned=_notes, stacked=_notes),
    "ssp hopper at address 16": SimulatedSmartHopper,
    "ebds bill validator with parity": lambda: SimulatedEbdsValidator(returned=_notes, stacked=_notes, even=True),
    "escpos ticket printer": lambda: SimulatedPrinter(dropped=_notes),
    "mdb coin changer": lambda: MdbBridge([SimulatedChanger(coin_out=_notes)]),
    "mdb bill validator": lambda: MdbBridge([SimulatedMdbBills(returned=_notes, stacked=_notes)]),
}


def _bench(name: str, device: LineDevice) -> "Bench":
    """Return the bench of a device of that name, at its rate."""
    return Bench(device, baud=BRIDGE_BAUD if name.startswith("mdb") else 9600)


def _named(name: str) -> tuple[str, str, str]:
    """Return protocol, kind and address that a device's name here says."""
    protocol, _, rest = name.removesuffix(" with parity").partition(" ")
    kind, _, address = rest.partition(" at address ")
    return protocol, kind, address or "None"


@pytest.mark.parametrize("name", DEVICES)
async def test_each_device_is_found_in_its_protocol_and_hears_harmless_requests_only(name: str) -> None:
    """The one device on a line is named with protocol, kind and address, whatever was asked before it."""
    device = DEVICES[name]()
    device.power(on=True)
    await asyncio.sleep(30)
    bench = _bench(name, device)
    (found,) = (await bench.ask()).devices
    assert _named(name) == (found.protocol, found.kind, str(found.address))
    assert set(bench.sent) <= HARMLESS


async def test_all_devices_of_one_cctalk_wire_are_found() -> None:
    """Acceptor, hopper and validator on one wire are three devices, each with its serial number."""
    acceptor, hopper = SimulatedCoinAcceptor(), SimulatedHopper()
    line = PartyLine((acceptor, hopper, SimulatedCctalkBills(returned=_notes, stacked=_notes)), echo=True)
    for device in line.devices:
        device.power(on=True)
    await asyncio.sleep(30)
    heard = await Bench(line).ask()
    assert [found.address for found in heard.devices] == [2, 3, 40]
    assert acceptor.identity.serial == heard.devices[0].serial
    assert heard.echo


async def test_both_devices_of_an_mdb_bus_are_found_and_keep_what_they_have_to_say() -> None:
    """Each with its maker and number; none is polled, so that no coin or note is taken from what it keeps."""
    changer, bills = SimulatedChanger(), SimulatedMdbBills(returned=_notes, stacked=_notes)
    bridge = MdbBridge([changer, bills])
    bridge.power(on=True)
    await asyncio.sleep(30)
    kept = [*changer.events], [*bills.events]
    bench = Bench(bridge, baud=BRIDGE_BAUD)
    heard = await bench.ask()
    assert [(one.kind, one.name, one.serial, one.baud) for one in heard.devices] == [
        ("coin changer", "MEI CF7900SIM", 42, BRIDGE_BAUD),
        ("bill validator", "JCM DBVSIM", 7, BRIDGE_BAUD),
    ]
    assert ([*changer.events], [*bills.events]) == kept
    assert all(kept)
    assert set(bench.sent) <= HARMLESS


async def test_a_changer_of_level_2_is_known_by_its_set_up() -> None:
    """It does not say who it is."""
    peer, changer = peer_with_changer()
    changer.setup = b"\x02" + COIN_SETUP[1:]
    peer.devices = {0x08: lambda block: None if block[0] == 0x0F else changer.answer(block)}
    peer.power(on=True)
    heard = await Bench(peer, baud=BRIDGE_BAUD).ask(first="mdb")
    assert [(one.kind, one.serial) for one in heard.devices] == [("coin changer", zlib.crc32(changer.setup))]


async def test_a_bridge_without_devices_is_no_device() -> None:
    """It is known by what it says of itself."""
    bridge = MdbBridge([])
    bridge.power(on=True)
    heard = await Bench(bridge, baud=BRIDGE_BAUD).ask(first="mdb")
    assert heard.devices == ()
    assert heard.noise.startswith(b"v,4.0.2.0")


async def test_a_device_with_crc_checksums_is_found() -> None:
    """A ccTalk device that knows CRC frames only is found by them, at its address, echo or not."""

    def answer(asked: bytes) -> bytes:
        if asked not in {cctalk.with_crc(5, header) for header in cctalk.HEADERS}:
            return b""
        data = {245: b"Payout", 246: b"Maker", 244: b"HCS"}.get(asked[3], b"")
        crc = CrcXmodem.calc(bytes((1, len(data), 0)) + data)
        return bytes((1, len(data), crc & 0xFF, 0)) + data + bytes((crc >> 8,))

    for echo in (False, True):
        bench = Bench(Mute(lambda asked, echo=echo: (asked if echo else b"") + answer(asked)))  # type: ignore[misc]
        (found,) = (await bench.ask()).devices
        assert (found.protocol, found.framing, found.kind) == ("cctalk", "CRC-16", "Payout")
        assert (found.address, found.name) == (5, "Maker HCS")
        assert set(bench.sent) <= HARMLESS


async def test_an_encrypted_device_is_found_with_its_key_alone() -> None:
    """A validator that encrypts is silent without its key; with it the same harmless requests go out encrypted."""
    key, address = "123456", 40
    sealed = Encrypted(key)
    requests = {sealed.encode(Frame(address, 1, header, b"")): header for header in cctalk.HEADERS}

    def answer(asked: bytes) -> bytes:
        header = requests.get(asked)
        data = {245: b"Bill Validator", 246: b"Maker", 244: b"X"}.get(header or 0, b"")
        return b"" if header is None else sealed.encode(Frame(1, address, 0, data))

    bench = Bench(Mute(answer))
    assert (await bench.ask()).devices == ()
    assert set(bench.sent) <= HARMLESS
    heard = await who_answers("port", bench.open_port, LoopClock(), keys={address: key})
    assert [(one.kind, one.address) for one in heard.devices] == [("Bill Validator", address)]
    assert set(bench.sent) <= HARMLESS | set(requests)


async def test_a_printer_is_asked_at_each_rate_and_hears_no_other_protocol() -> None:
    """A printer that is set to the highest rate is found there, and nothing else was sent on its line at that rate."""
    printer = SimulatedPrinter(dropped=_notes)
    printer.power(on=True)
    await asyncio.sleep(30)
    bench = Bench(printer, baud=115_200)
    (found,) = (await bench.ask()).devices
    assert found.baud == 115_200
    assert all(raw[:1] in {b"\x10", b"\x1d"} for raw in bench.sent)


async def test_parity_is_found() -> None:
    """An ID-003 validator behind a line with even parity, as it usually is, is found with that parity."""
    device = SimulatedBillValidator(returned=_notes, stacked=_notes)
    device.power(on=True)
    await asyncio.sleep(30)
    (found,) = (await Bench(device, parity="even").ask()).devices
    assert found.parity == "even"


async def test_nobody() -> None:
    """A line on which nobody answers has no device, and every protocol was asked for."""
    bench = Bench(Mute())
    assert Heard() == await bench.ask()
    assert (
        HARMLESS
        >= set(bench.sent)
        >= {
            escpos.STATUS,
            cctalk.simple(2, 254),
            cctalk.with_crc(2, 254),
            id003.STATUS,
        }
    )


@pytest.mark.parametrize("first", [None, *probes()])
async def test_a_line_that_returns_what_is_sent_has_no_device(first: str | None) -> None:
    """An echo is nobody's answer, whichever protocol was asked for first: it is a ccTalk adapter without a device."""
    bench = Bench(Mute(lambda asked: asked))
    heard = await bench.ask(first=first)
    assert (heard.devices, heard.echo) == ((), True)
    assert set(bench.sent) <= HARMLESS


async def test_bytes_of_no_protocol_are_shown() -> None:
    """What comes from a device that speaks another language is returned, so that a person may know it."""
    heard = await Bench(Mute(lambda _asked: b"$GPRMC")).ask()
    assert heard.devices == ()
    assert heard.noise.startswith(b"$GPRMC")


async def test_no_validator_is_asked_whose_last_answer_may_be_a_credit() -> None:
    """With a note in hand neither SSP nor EBDS is asked: their devices forget an unread answer at the next question."""
    bench = Bench(Mute())
    await bench.ask(validators=False)
    assert not [raw for raw in bench.sent if raw[:1] in {b"\x7f", b"\x02", b"\x82"} and raw[1:2] != b"\x00"]


async def test_a_port_that_cannot_be_opened_is_an_error() -> None:
    """The port's own error reaches the caller."""
    bench = Bench(Mute())
    bench._line.unplug()
    with pytest.raises(PortError):
        await bench.ask()


@given(answers=st.lists(st.binary(max_size=40), min_size=1, max_size=40))
async def test_whatever_answers_only_harmless_requests_are_sent(answers: list[bytes]) -> None:
    """Any bytes in answer, a frame of some protocol by chance too, cause no request beyond the list and no error."""
    rest = iter(answers * 20)
    bench = Bench(Mute(lambda _asked: next(rest, b"")))
    await bench.ask()
    assert set(bench.sent) <= HARMLESS


@pytest.mark.parametrize("seed", DEVICES)
async def test_a_device_whose_answers_are_cut_hears_harmless_requests_only(seed: str) -> None:
    """Of each device's answers every second one is lost and every third is cut."""
    device = DEVICES[seed]()
    device.power(on=True)
    await asyncio.sleep(30)

    class Spoilt(Mute):
        count = 0

        def receive(self, data: bytes) -> None:
            device.connect(self)
            device.receive(data)

        def send(self, data: bytes) -> None:
            self.count += 1
            if self._line is not None and self.count % 2:
                self._line.send(data[: len(data) // 2] if self.count % 3 == 0 else data)

    bench = _bench(seed, Spoilt())
    await bench.ask()
    assert set(bench.sent) <= HARMLESS
