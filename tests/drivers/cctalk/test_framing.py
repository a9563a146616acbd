"""Tests of drivers.cctalk.framing and drivers.cctalk.encryption, and of how a bus finds a device's way."""

import asyncio
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.cctalk import protocol as cctalk
from drivers.cctalk.bus import ATTEMPTS, SEEK_AFTER_S, Bus
from drivers.cctalk.encryption import Cipher, is_key
from drivers.cctalk.framing import CRC, SIMPLE, Encrypted, Framing
from drivers.cctalk.protocol import HOST, Frame, Header, Parser
from drivers.clock import LoopClock
from drivers.errors import IdentityError, NoReplyError, WireError
from drivers.simulated.cctalk.device import CctalkDevice, Identity
from drivers.simulated.cctalk.party_line import PartyLine
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind
from tests.rigs.framed import Framed

KEY = "123456"
SERIAL = bytes.fromhex("56 34 12")
SIZES = range(3, 4)
WAYS = {"simple": SIMPLE, "crc": CRC, "encrypted": Encrypted(KEY)}
EACH = pytest.mark.parametrize("framing", WAYS.values(), ids=WAYS)
FRAMES = st.builds(Frame, st.integers(0, 255), st.just(HOST), st.integers(0, 255), st.binary(max_size=255))
KEYS = st.from_regex("[0-9]{6}", fullmatch=True)


def vectors(kind: str) -> Iterator[list[str]]:
    """Yield the rest of each line of that kind."""
    path = Path(__file__).parents[1] / "cctalk_vectors.tsv"
    for line in path.read_text("utf-8").splitlines():
        found, *rest = line.split("\t")
        if found == kind:
            yield rest


def device(address: int, *, echo: bool = False) -> CctalkDevice:
    """Return a device with that address."""
    identity = Identity(category=b"Bill Validator", product=b"TEST", build=b"1", serial=0x123456)
    return CctalkDevice(address, identity, echo=echo)


async def opened(framed: Framed | CctalkDevice, key: str = "") -> Bus:
    """Return an open bus to a powered device."""
    line = MemoryLine(framed)
    framed.power(on=True)
    bus = Bus(line.port, LoopClock(), key=key)
    await bus.open()
    return bus


def test_every_caught_frame_is_encrypted_and_decrypted_alike() -> None:
    """The specification's example and what real validators sent, both ways."""
    count = 0
    for key, plain, secret, *_source in vectors("encrypted"):
        framing = Encrypted(key)
        frame = framing.decode(bytes.fromhex(secret))
        assert frame == cctalk.decode_crc(bytes.fromhex(plain))
        assert framing.encode(frame) == bytes.fromhex(secret)
        count += 1
    assert count >= 5


def test_every_frame_of_the_unencrypted_hopper_is_a_frame() -> None:
    """The worked example of the SCH2's manual has good checksums."""
    frames = [cctalk.decode(bytes.fromhex(text)) for text, _what in vectors("simple")]
    assert [frame.header for frame in frames] == [164, 160, 0, 167, 0]


@given(KEYS, st.binary(min_size=1, max_size=258))
def test_what_is_encrypted_is_decrypted(key: str, data: bytes) -> None:
    """For any key and any bytes."""
    assert Cipher(key).decrypt(Cipher(key).encrypt(data)) == data


@pytest.mark.parametrize("text", ["", "12345", "1234567", "12345x", "12345\n", "٣23456"])
def test_another_text_is_no_key(text: str) -> None:
    """Six decimal digits; the message repeats nothing of what may be a key with a slip."""
    assert not is_key(text)
    with pytest.raises(ValueError, match="six decimal digits") as refused:
        Cipher(text)
    assert not text or text not in str(refused.value)


def test_a_cipher_shows_no_digit() -> None:
    """Whatever is logged of it."""
    assert not any(character.isdigit() for character in repr(Cipher(KEY)) + repr(Encrypted(KEY)).replace("CRC-16", ""))


@EACH
@given(frame=FRAMES, draw=st.data())
def test_each_way_finds_every_flipped_bit(framing: Framing, frame: Frame, draw: st.DataObject) -> None:
    """A frame survives the wire; one flipped bit is noticed, in an encrypted one but for one case in 65,536."""
    raw = framing.encode(frame)
    assert framing.decode(raw) == frame
    assert Parser(read=framing.decode).feed(raw) == [frame]
    if framing.hidden:
        return
    spoilt = bytearray(raw)
    spoilt[draw.draw(st.integers(0, len(raw) - 1))] ^= 1 << draw.draw(st.integers(0, 7))
    with pytest.raises(WireError):
        framing.decode(bytes(spoilt))


def test_a_flipped_bit_of_an_encrypted_frame_is_noticed() -> None:
    """Each bit of a frame that is money: the event buffer with a stacked note."""
    framing = WAYS["encrypted"]
    raw = framing.encode(Frame(HOST, HOST, 0, bytes.fromhex("02 03 00 03 01 00 00 00 00 00 00")))
    for bit in range(8 * len(raw)):
        spoilt = bytearray(raw)
        spoilt[bit // 8] ^= 1 << bit % 8
        with pytest.raises(WireError):
            framing.decode(bytes(spoilt))


@pytest.mark.parametrize("echo", [False, True])
@pytest.mark.parametrize("framing", [SIMPLE, CRC])
async def test_a_devices_way_is_found(framing: Framing, *, echo: bool) -> None:
    """The simple checksum first, then CRC; from then on it is asked in its own way alone."""
    framed = Framed(device(40, echo=echo), framing)
    bus = await opened(framed)
    await bus.detect_framing(40)
    assert len(framed.missed) == (ATTEMPTS if framing is CRC else 0)
    framed.missed.clear()
    assert await bus.request(40, Header.SERIAL_NUMBER, sizes=SIZES) == SERIAL
    assert framed.missed == []


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("name", ["crc", "encrypted"])
async def test_each_way_bears_a_bad_frame(name: str, kind: Kind) -> None:
    """A reply that is spoilt, cut, late, repeated or among noise costs a repetition, and gives no wrong answer."""
    framed = Framed(device(40), WAYS[name])
    line = MemoryLine(framed)
    framed.power(on=True)
    bus = Bus(line.port, LoopClock(), key=KEY if name == "encrypted" else "")
    await bus.open()
    await bus.detect_framing(40)
    for _ in range(10):
        line.misbehaviour.inject(kind)
        assert await bus.request(40, Header.SERIAL_NUMBER, sizes=SIZES) == SERIAL
        assert await bus.request(40, Header.CATEGORY, sizes=range(256)) == b"Bill Validator"


async def test_a_fault_names_the_ways_that_were_tried() -> None:
    """Whoever reads it need not wonder whether CRC was."""
    bus = await opened(device(2))
    with pytest.raises(NoReplyError, match=r"device 40 does not answer request 254 \(tried: simple checksum, CRC-16\)"):
        await bus.detect_framing(40)


async def test_a_device_that_changes_its_way_is_found_again() -> None:
    """Another device was put in the place of one with CRC: after a while of silence the other way is tried as well."""
    crc, simple = Framed(device(40), CRC), device(40)
    line = MemoryLine(PartyLine([crc, simple], echo=False))
    crc.power(on=True)
    bus = Bus(line.port, LoopClock())
    await bus.open()
    await bus.detect_framing(40)
    assert bus.framing(40) is CRC
    crc.power(on=False)
    simple.power(on=True)
    with pytest.raises(NoReplyError):
        await bus.detect_framing(40)
    await asyncio.sleep(SEEK_AFTER_S)
    await bus.detect_framing(40)
    assert bus.framing(40) is SIMPLE


async def test_devices_of_one_line_have_their_own_ways() -> None:
    """A hopper with the simple checksum and a validator with CRC answer in turn."""
    hopper, bills = device(3), Framed(device(40), CRC)
    line = MemoryLine(PartyLine([hopper, bills], echo=True))
    line.device.power(on=True)
    bus = Bus(line.port, LoopClock())
    await bus.open()
    await bus.detect_framing(3)
    await bus.detect_framing(40)
    for address in (3, 40, 3, 40):
        assert await bus.request(address, Header.SERIAL_NUMBER, sizes=SIZES) == SERIAL
    assert (bus.framing(3), bus.framing(40)) == (SIMPLE, CRC)


async def test_a_late_crc_reply_is_taken_for_nobody_elses() -> None:
    """Such a reply names no sender: the other CRC device of the line is asked only once it cannot come any more."""
    near, far = Framed(device(40), CRC), Framed(device(41), CRC)
    line = MemoryLine(PartyLine([near, far], echo=False))
    line.device.power(on=True)
    bus = Bus(line.port, LoopClock())
    await bus.open()
    await bus.detect_framing(40)
    await bus.detect_framing(41)
    far.device.power(on=False)
    line.misbehaviour.delay_s = 0.15
    line.misbehaviour.inject(Kind.DELAY)
    with pytest.raises(NoReplyError):
        await bus.exchange(40, Header.SERIAL_NUMBER)
    with pytest.raises(NoReplyError):
        await bus.exchange(41, Header.SERIAL_NUMBER)


async def test_an_encrypted_device_is_asked_under_its_key() -> None:
    """With its key it answers; with another one, or in the clear, it is silent."""
    framed = Framed(device(40), WAYS["encrypted"])
    bus = await opened(framed, key=KEY)
    await bus.detect_framing(40)
    assert await bus.request(40, Header.SERIAL_NUMBER, sizes=SIZES) == SERIAL
    with pytest.raises(NoReplyError, match="tried: encrypted CRC-16"):
        await (await opened(framed, key="654321")).detect_framing(40)


async def test_a_device_in_the_clear_is_refused_where_a_key_is_set() -> None:
    """Whoever wants encryption gets none without: the fault says what to change, and no digit of the key."""
    bus = await opened(device(40), key=KEY)
    with pytest.raises(
        IdentityError, match=r"answers unencrypted \(simple checksum\), and `cctalk_key` is set"
    ) as refused:
        await bus.detect_framing(40)
    assert KEY not in str(refused.value)


class Reticent(CctalkDevice):
    """A device that answers in the clear what encryption it has, and nothing else."""

    def receive(self, data: bytes) -> None:
        """Answer request 111 with level 1 and, as in the mode of key exchange, with the key."""
        if data[3] == Header.ENCRYPTION_SUPPORT and data[4:-1] == bytes.fromhex("aa 55 00 00 55 aa"):
            support = bytes((1, 0, 24, 0, 0, 255)) + bytes.fromhex("21 43 65")
            assert self._line is not None
            self._line.send(cctalk.encode(Frame(HOST, self.address, Header.ACK, support)))


@pytest.mark.parametrize(
    ("key", "mend"), [("", "give a bill validator its `cctalk_key`"), ("654321", "not under this `cctalk_key`")]
)
async def test_a_device_that_wants_encryption_says_so(key: str, mend: str) -> None:
    """Request 111 is never encrypted: the fault names the key to set, or to correct."""
    bus = await opened(Reticent(40, device(40).identity), key=key)
    with pytest.raises(IdentityError, match=mend) as refused:
        await bus.detect_framing(40)
    assert not any(digits in str(refused.value) for digits in ("123456", "21 43 65", "654321"))


async def test_a_spoilt_echo_of_an_encrypted_frame_is_not_shown() -> None:
    """What a request says is known: with its encrypted bytes the key could be computed."""
    framed = Framed(device(40, echo=True), WAYS["encrypted"])
    line = MemoryLine(framed)
    framed.power(on=True)
    bus = Bus(line.port, LoopClock(), key=KEY)
    await bus.open()
    await bus.detect_framing(40)
    line.misbehaviour.inject(Kind.CORRUPT)
    with pytest.raises(WireError, match="sent request 242 encrypted, the echo is another"):
        await bus.exchange(40, Header.SERIAL_NUMBER)


@EACH
def test_random_bytes_end_no_parser(framing: Framing) -> None:
    """Fifty thousand random bytes in pieces; a frame after them and a pause is found."""
    chance = random.Random(20)
    parser = Parser(read=framing.decode)
    for _ in range(500):
        parser.feed(chance.randbytes(100))
    parser.drop()
    frame = Frame(HOST, HOST, 0, SERIAL)
    assert parser.feed(framing.encode(frame)) == [frame]


@pytest.mark.proof
@EACH
def test_a_million_random_bytes_end_no_parser(framing: Framing, record_property: Callable[[str, object], None]) -> None:
    """Chance makes frames as often as the checksum lets it; the next real one is found."""
    chance, parser, frames = random.Random(7), Parser(read=framing.decode), 0
    for _ in range(10_000):
        frames += len(parser.feed(chance.randbytes(100)))
    parser.drop()
    frame = Frame(HOST, HOST, 0, SERIAL)
    assert parser.feed(framing.encode(frame)) == [frame]
    record_property("proof", f"1,000,000 random bytes, {framing.name}: {frames:,} frames by chance")
    assert frames < (5_000 if framing is SIMPLE else 50)
