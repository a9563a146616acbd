"""What a hopper wants before a dispense: its serial number, zeros, a PIN, or a cipher that a plug brings."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from drivers.capabilities import PayoutEnd, PayoutOutcome
from drivers.cctalk import hopper_security
from drivers.cctalk.bus import Bus
from drivers.cctalk.hopper import Hopper
from drivers.cctalk.hopper_security import SECURITIES, Security
from drivers.cctalk.hopper_wire import HopperWire
from drivers.cctalk.protocol import Header
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import SettingsError
from drivers.simulated.cctalk.device import Refusal
from drivers.simulated.cctalk.hopper import ZEROS, SimulatedHopper
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Misbehaviour, Piece, Way
from drivers.wiring import Hopper as Settings
from drivers.wiring import HopperSecurity
from tests.rigs.cash_desk import Desk, served
from tests.rigs.cctalk_books import PayoutBooks
from tests.rigs.vectors import vectors

PIN = "31323334"


def desk(security: HopperSecurity = "serial", *, pin: str = "", device: SimulatedHopper | None = None) -> Desk:
    """A desk whose driver has these settings."""
    made = Desk(device)
    made.settings = msgspec.structs.replace(made.settings, security=security, pin=pin)
    made.hopper = made.new_driver()
    return made


async def ordered(made: Desk, coins: int = 3) -> PayoutOutcome:
    """Order some coins a while after the start, and watch on for a while."""
    outcomes: list[PayoutOutcome] = []

    async def scene() -> None:
        await asyncio.sleep(2.0)
        outcomes.append(await made.order(coins))
        await asyncio.sleep(3.0)

    await served(made, scene())
    return outcomes[0]


class Tapped(Misbehaviour):
    """Keeps what the host sends."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def mangle(self, way: Way, frame: bytes) -> list[Piece]:
        """Keep, and carry."""
        if way is Way.TO_DEVICE:
            self.sent.append(frame)
        return super().mangle(way, frame)


@pytest.mark.parametrize(
    ("say", "frame"),
    [
        (lambda wire: wire.dispense((0x0AD7DF).to_bytes(3, "little"), 1), "03 04 01 A7 DF D7 0A 01 90"),
        (lambda wire: wire.dispense(hopper_security.ZEROS, 1), "03 09 01 A7 00 00 00 00 00 00 00 00 01 4B"),
        (lambda wire: wire.enter_pin(bytes.fromhex(PIN)), "03 04 01 DA 31 32 33 34 54"),
        (lambda wire: wire.enable(), "03 01 01 A4 A5 B2"),
        (lambda wire: wire.registers(), "03 00 01 A3 59"),
        (lambda wire: wire.status(), "03 00 01 A6 56"),
    ],
)
async def test_the_driver_sends_the_makers_own_frames(
    say: Callable[[HopperWire], Awaitable[object]], frame: str
) -> None:
    """What the driver says is, byte for byte, what the makers' manuals print."""
    tapped = Tapped()
    device = SimulatedHopper()
    line = MemoryLine(device, tapped)

    device.power(on=True)
    bus = Bus(line.port, LoopClock())
    await bus.open()
    await say(HopperWire(bus, 3))
    assert [frame] in list(vectors("cctalk_hopper.tsv"))
    assert set(tapped.sent) == {bytes.fromhex(frame)}


@pytest.mark.parametrize("security", SECURITIES)
async def test_each_security_pays_a_hopper_that_wants_it(security: HopperSecurity) -> None:
    """Serial number or eight zeros, as the model wants it: paid, and nothing said about it."""
    made = desk(security)
    if security != "serial":
        made.device.security = ZEROS
    assert (await ordered(made)).end is PayoutEnd.DONE
    assert (len(made.tray), made.books.paid, made.books.present) == (3, 3, {})


class Asking(SimulatedHopper):
    """A hopper that wants to be asked for a cipher key before each dispense, and ignores what comes of it."""

    def __init__(self) -> None:
        super().__init__(stock=500)
        self.security = ZEROS
        self.asked: list[int] = []

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Answer 160 with any eight bytes, and refuse a dispense without it."""
        asked, self.asked = self.asked, [*self.asked, header][-1:] if header == Header.CIPHER_KEY else []
        if header == Header.CIPHER_KEY:
            return bytes.fromhex("61 a2 39 42 70 e6 4c 0b")
        if header == Header.DISPENSE and asked != [Header.CIPHER_KEY]:
            return Refusal.NAK
        return super().answer(header, data)


async def test_a_hopper_that_wants_an_unused_cipher_key_is_asked_for_it() -> None:
    """The SCH2 without encryption refuses a dispense that does not follow request 160; twice in a row it pays."""
    made = desk("cipher_unused", device=Asking())
    for _ in range(2):
        assert (await ordered(made)).end is PayoutEnd.DONE
    assert len(made.tray) == 6
    assert (await ordered(desk("zeros", device=Asking()))).end is not PayoutEnd.DONE


@pytest.mark.parametrize("security", SECURITIES)
async def test_a_hopper_that_wants_another_security_names_the_key(security: HopperSecurity) -> None:
    """It refuses once and says why: no second try, no coin, and a fault that stays until the key is changed."""
    made = desk(security)
    if security == "serial":
        made.device.security = ZEROS
    outcome = await ordered(made)
    assert outcome.end is PayoutEnd.STOPPED
    assert f'[hopper] security = "{security}": change `security`' in dict(outcome.faults)["hopper_security"]
    assert (made.tray, made.books.announced) == ([], 1)
    assert set(made.books.present) == {("hopper", "hopper_security")}

    other: HopperSecurity = "zeros" if security == "serial" else "serial"
    made.settings = msgspec.structs.replace(made.settings, security=other)
    made.hopper = made.new_driver()
    assert (await ordered(made)).end is PayoutEnd.DONE
    assert made.books.present == {}


@pytest.mark.parametrize("security", SECURITIES)
async def test_a_hopper_that_encrypts_is_reported_at_the_start_and_never_asked(security: HopperSecurity) -> None:
    """No dispense is sent that the hopper says it will refuse; the fault is there before a player waits for coins."""
    made = desk(security)
    made.device.encrypted = True

    async def scene() -> None:
        await asyncio.sleep(1.0)
        assert set(made.books.present) == {("hopper", "hopper_security")}
        assert f'[hopper] security = "{security}"' in made.books.details["hopper_security"]
        assert (await made.order(3)).end is PayoutEnd.STOPPED
        assert made.books.announced == 0
        made.device.encrypted = False
        await asyncio.sleep(2.0)
        assert made.books.present == {}

    await served(made, scene())


@pytest.mark.parametrize(("pin", "says"), [("", "set `pin` in [hopper]"), ("00000000", "correct `pin` in [hopper]")])
async def test_a_pin_that_is_missing_or_wrong_names_the_key(pin: str, says: str) -> None:
    """Without its PIN a hopper does not even answer a dispense: none is sent, and the key to set is named."""
    made = desk(pin=pin)
    made.device.pin = bytes.fromhex(PIN)
    outcome = await ordered(made)
    assert outcome.end is PayoutEnd.STOPPED
    assert says in dict(outcome.faults)["hopper_security"]
    assert (made.tray, made.books.announced) == ([], 0)
    assert set(made.books.present) == {("hopper", "hopper_security")}


async def test_the_pin_is_entered_after_each_start() -> None:
    """Set right, it is entered before a dispense, and again after a power cut has made the hopper forget it."""
    made = desk(pin=PIN)
    made.device.pin = bytes.fromhex(PIN)

    async def scene() -> None:
        await asyncio.sleep(2.0)
        assert (await made.order(3)).end is PayoutEnd.DONE
        made.cut_power()
        await asyncio.sleep(5.0)
        assert (await made.order(3)).end is PayoutEnd.DONE
        assert (len(made.tray), made.books.present) == (6, {})

    await served(made, scene())


class CipherHopper(SimulatedHopper):
    """A hopper that encrypts, with a cipher of this test's own: each code is good for one dispense."""

    def __init__(self) -> None:
        super().__init__()
        self.encrypted = True
        self._pumped = bytes(8)
        self._drawn = 0

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Answer the two questions of an encrypted dispense."""
        if header == Header.PUMP_RNG and len(data) == 8:
            self._pumped = data
            return b""
        if header == Header.CIPHER_KEY:
            self._drawn += 1
            key = bytes((self._drawn,)) * 8
            self.security = bytes(a ^ b for a, b in zip(key, self._pumped, strict=True))
            return key
        answer = super().answer(header, data)
        if header == Header.DISPENSE:
            self.security = b"used"
        return answer


class CipherSecurity:
    """The host's half of it, plugged in as any maker's would be."""

    encrypts = True

    async def code(self, bus: Bus, address: int) -> bytes:
        """Pump, ask for the key, and compute."""
        pumped = bytes(range(1, 9))
        await bus.request(address, Header.PUMP_RNG, pumped)
        key = await bus.request(address, Header.CIPHER_KEY, sizes=range(8, 9))
        return bytes(a ^ b for a, b in zip(key, pumped, strict=True))


async def test_a_cipher_can_be_plugged_in() -> None:
    """A security that talks to the hopper before each dispense is all that a maker's encryption needs."""

    def cipher(_serial: int) -> Security:
        return CipherSecurity()

    made = desk(device=CipherHopper())
    made.hopper = Hopper(
        made.settings,
        made.line.port,
        LoopClock(),
        made.books,
        currency=EURO,
        securities={**SECURITIES, "serial": cipher},
    )
    assert (await ordered(made)).end is PayoutEnd.DONE
    made.hopper = Hopper(
        made.settings,
        made.line.port,
        LoopClock(),
        made.books,
        currency=EURO,
        securities={**SECURITIES, "serial": cipher},
    )
    assert (await ordered(made)).end is PayoutEnd.DONE
    assert (len(made.tray), made.books.present) == (6, {})


@pytest.mark.parametrize(
    ("setting", "says"),
    [({"security": "rot13"}, r"\[hopper\] security"), ({"pin": "1234"}, r"\[hopper\] pin.*eight hex digits")],
)
def test_settings_that_cannot_work_are_refused(setting: dict[str, str], says: str) -> None:
    """The error names the key."""
    line = MemoryLine(SimulatedHopper())
    settings = msgspec.structs.replace(Settings(port="memory", coin_value_cents=100), **setting)
    with pytest.raises(SettingsError, match=says):
        Hopper(settings, line.port, LoopClock(), PayoutBooks(), currency=EURO)
