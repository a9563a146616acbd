import random
import time

import pytest
from crccheck.crc import CrcXmodem
from hypothesis import given
from hypothesis import strategies as st

from drivers.cctalk import protocol as cctalk
from drivers.cctalk.protocol import Frame, Parser
from drivers.errors import WireError
from tests.rigs.vectors import vectors

FRAMES = st.builds(Frame, st.integers(0, 255), st.integers(0, 255), st.integers(0, 255), st.binary(max_size=255))


def test_every_worked_example_of_the_specification_is_a_frame() -> None:
    """Each frame of the specification decodes and encodes to the same bytes, and a parser finds it."""
    count = 0
    for _part, _page, _direction, text, *_ in vectors("cctalk_spec_v47.tsv"):
        raw = bytes.fromhex(text)
        assert cctalk.encode(cctalk.decode(raw)) == raw
        assert Parser().feed(raw) == [cctalk.decode(raw)]
        count += 1
    assert count > 150


def test_every_frame_of_the_hopper_manuals_is_a_frame() -> None:
    """Hopper manuals speak the same frames."""
    for (text,) in vectors("cctalk_hopper.tsv"):
        raw = bytes.fromhex(text)
        assert cctalk.encode(cctalk.decode(raw)) == raw


def test_misprinted_frames_are_refused() -> None:
    """A frame with a wrong checksum or a missing byte is no frame, for the decoder and for the parser."""
    for text, why in vectors("cctalk_invalid.tsv"):
        raw = bytes.fromhex(text)
        with pytest.raises(WireError, match=raw.hex(" ")):
            cctalk.decode(raw)
        assert Parser().feed(raw) == [], why


def test_the_crc_is_the_specifications() -> None:
    """The CRC of each example of appendix 9 is the printed one."""
    for text, crc in vectors("cctalk_crc16.tsv"):
        assert cctalk.crc16(bytes.fromhex(text)) == int(crc, 16)


@given(st.binary(max_size=300))
def test_the_crc_is_xmodems(data: bytes) -> None:
    """An independent library computes the same CRC for any bytes."""
    assert cctalk.crc16(data) == CrcXmodem.calc(data)


def test_crc_mode_frames_are_the_specifications() -> None:
    """The whole frames of appendix 9, both ways."""
    question, answer = bytes.fromhex("28 00 46 01 3F"), bytes.fromhex("01 00 30 00 37")
    assert cctalk.encode_crc(40, 1) == question
    assert cctalk.decode_crc(answer) == Frame(1, cctalk.HOST, 0, b"")


@given(st.integers(0, 255), st.integers(0, 255), st.binary(max_size=255), st.data())
def test_crc_mode_finds_every_flipped_bit(destination: int, header: int, data: bytes, draw: st.DataObject) -> None:
    """A frame of CRC mode survives the wire, and one flipped bit is noticed."""
    raw = cctalk.encode_crc(destination, header, data)
    assert cctalk.decode_crc(raw) == Frame(destination, cctalk.HOST, header, data)
    spoilt = bytearray(raw)
    spoilt[draw.draw(st.integers(0, len(raw) - 1))] ^= 1 << draw.draw(st.integers(0, 7))
    with pytest.raises(WireError):
        cctalk.decode_crc(bytes(spoilt))


@given(FRAMES, st.data())
def test_the_simple_checksum_finds_every_flipped_bit(frame: Frame, draw: st.DataObject) -> None:
    """A frame survives the wire, and one flipped bit is noticed."""
    raw = cctalk.encode(frame)
    assert cctalk.decode(raw) == frame
    spoilt = bytearray(raw)
    spoilt[draw.draw(st.integers(0, len(raw) - 1))] ^= 1 << draw.draw(st.integers(0, 7))
    with pytest.raises(WireError):
        cctalk.decode(bytes(spoilt))


def test_too_much_data_is_refused() -> None:
    """A frame holds 255 data bytes, in either mode."""
    with pytest.raises(ValueError, match="256 data bytes"):
        cctalk.encode(Frame(2, 1, 0, bytes(256)))
    with pytest.raises(ValueError, match="256 data bytes"):
        cctalk.encode_crc(2, 0, bytes(256))


@given(st.lists(FRAMES, max_size=5), st.data())
def test_frames_are_found_however_the_bytes_are_split(frames: list[Frame], draw: st.DataObject) -> None:
    """Where one read ends and the next begins changes nothing."""
    stream = b"".join(cctalk.encode(frame) for frame in frames)
    parser, found, at = Parser(), [], 0
    while at < len(stream):
        size = draw.draw(st.integers(1, len(stream) - at))
        found += parser.feed(stream[at : at + size])
        at += size
    assert found == frames
    assert not parser.partial


@given(st.binary(max_size=400), FRAMES)
def test_a_frame_after_noise_and_a_pause_is_found(noise: bytes, frame: Frame) -> None:
    """Whatever came before, a pause makes the parser start afresh."""
    parser = Parser()
    parser.feed(noise)
    parser.drop()
    assert parser.feed(cctalk.encode(frame)) == [frame]


@given(st.binary(max_size=100))
def test_a_host_finds_its_way_back_without_a_pause(noise: bytes) -> None:
    """After noise, at most as many bytes as the longest frames that it can feign are lost to it."""
    # No byte of this frame reads as a length that ends at another frame's same byte: a stream without any pause
    # that repeats such a frame would have two readings.
    frame = Frame(1, 2, 0, bytes([84] * 11))
    raw = cctalk.encode(frame)
    parser = Parser()
    parser.feed(noise)
    found = [got for _ in range(60) for got in parser.feed(raw)]
    assert found[-10:] == [frame] * 10


@given(st.lists(FRAMES, max_size=6))
def test_a_device_skips_what_is_for_others_unread(frames: list[Frame]) -> None:
    """A spoilt checksum in somebody else's frame costs nothing; only one's own frames are heard."""
    stream = b""
    for frame in frames:
        raw = cctalk.encode(frame)
        stream += raw if frame.destination == 2 else raw[:-1] + bytes((raw[-1] ^ 0xFF,))
    mine = [frame for frame in frames if frame.destination == 2]
    assert Parser(address=2).feed(stream) == mine


def test_a_million_random_bytes_hold_no_credit() -> None:
    """A fuzz of a million bytes neither crashes the parser nor looks like a coin, and takes it a few seconds."""
    chance = random.Random(2)
    parser = Parser()
    found: list[Frame] = []
    started = time.process_time()
    for _ in range(1000):
        found += parser.feed(chance.randbytes(1000))
    assert time.process_time() - started < 20
    assert found, "some random bytes have a right checksum; a parser that finds none does not look"
    assert not [frame for frame in found if frame[:3] == (cctalk.HOST, 2, 0) and len(frame.data) == 11]
