import random

import pytest
from crccheck.crc import CrcKermit  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from drivers.crc16 import crc16_kermit
from drivers.id003.protocol import (
    MAX_DATA,
    Denomination,
    Frame,
    FrameParser,
    currency_table,
    denomination_mask,
    encode,
)
from tests.rigs.vectors import of_drivers, vectors

FRAMES = st.lists(st.builds(Frame, st.integers(0, 255), st.binary(max_size=20)), max_size=5)
NO_SYNC = st.binary(max_size=8).map(lambda noise: noise.replace(b"\xfc", b"\x00"))


def test_vectors() -> None:
    """Every published frame is parsed whole, and encoding what was parsed gives the same bytes."""
    frames = [bytes.fromhex(row[0]) for row in vectors("id003.tsv")]

    assert len(frames) == 41
    for raw in frames:
        (frame,) = FrameParser().feed(raw)
        assert encode(frame.code, frame.data) == raw


def test_ticket_vectors() -> None:
    """Every frame of a barcode ticket is parsed whole and encoded the same, and an escrow frame ends in its digits."""
    rows = [(bytes.fromhex(raw), digits) for _, raw, digits, *_ in of_drivers("id003_ticket_vectors.tsv")]

    assert len(rows) == 25
    for raw, digits in rows:
        (frame,) = FrameParser().feed(raw)
        assert encode(frame.code, frame.data) == raw
        assert digits == "-" or frame.data == b"\x6f" + digits.encode("ascii")


@given(st.binary(max_size=300))
def test_crc_agrees_with_another_implementation(data: bytes) -> None:
    """Our checksum equals crccheck's CRC-16/KERMIT for any bytes."""
    assert crc16_kermit(data) == CrcKermit.calc(data)


def test_a_frame_too_long_for_its_length_byte_is_refused() -> None:
    """A frame of 255 bytes is the longest; one byte more is an error that names the command."""
    assert FrameParser().feed(encode(0x88, bytes(MAX_DATA))) == [Frame(0x88, bytes(MAX_DATA))]
    with pytest.raises(ValueError, match="frame 88 would carry 251 data bytes"):
        encode(0x88, bytes(MAX_DATA + 1))


@given(FRAMES, st.integers(1, 7))
def test_any_split(frames: list[Frame], size: int) -> None:
    """However the bytes are split, the same frames come out in order and none is discarded."""
    stream = b"".join(encode(frame.code, frame.data) for frame in frames)
    parser = FrameParser()

    found = [frame for at in range(0, len(stream), size) for frame in parser.feed(stream[at : at + size])]

    assert found == frames
    assert parser.discarded == 0
    assert not parser.partial


@given(FRAMES, st.data())
def test_noise_without_a_sync_byte_costs_nothing(frames: list[Frame], data: st.DataObject) -> None:
    """Noise between frames is discarded at once and counted."""
    parser = FrameParser()
    for frame in frames:
        noise = data.draw(NO_SYNC)
        before = parser.discarded
        assert parser.feed(noise + encode(frame.code, frame.data)) == [frame]
        assert parser.discarded == before + len(noise)


@given(FRAMES, st.data())
def test_frames_behind_any_noise_are_found_once_the_line_is_silent(frames: list[Frame], data: st.DataObject) -> None:
    """Noise that looks like the start of a long frame hides what follows only until the flush."""
    parser = FrameParser()
    stream = b"".join(data.draw(st.binary(max_size=8)) + encode(frame.code, frame.data) for frame in frames)

    assert parser.feed(stream) + parser.flush() == frames
    assert not parser.partial


def test_a_frame_inside_a_broken_one_is_found() -> None:
    """A frame cut in the middle costs itself only, not the whole frame after it."""
    cut = encode(0x8A, bytes(range(16)))[:9]
    parser = FrameParser()

    assert parser.feed(cut + encode(0x15)) == []
    assert parser.feed(encode(0x16)) + parser.flush() == [Frame(0x15), Frame(0x16)]


@pytest.mark.parametrize("bit", range(5 * 8))
def test_one_wrong_bit_is_noticed(bit: int) -> None:
    """A vend valid with any single bit flipped is no frame."""
    raw = bytearray(encode(0x15))
    raw[bit // 8] ^= 1 << bit % 8
    parser = FrameParser()

    assert parser.feed(bytes(raw)) + parser.flush() == []


def test_a_million_random_bytes() -> None:
    """A flood neither crashes the parser nor makes it hoard, and the frame after it is found."""
    parser = FrameParser()
    flood = random.Random(3).randbytes(1_000_000)
    for at in range(0, len(flood), 1000):
        parser.feed(flood[at : at + 1000])
        assert len(parser._pending) <= 255
    parser.flush()

    assert parser.feed(encode(0x11)) == [Frame(0x11)]


def test_currency_table_in_cents() -> None:
    """Value times ten to the exponent is in units; unused entries and a broken last group are left out."""
    data = bytes.fromhex("61E00500 62E00101 63E00000 64E00501 65E0")

    assert currency_table(data) == {
        0x61: Denomination(0x61, 0xE0, 500),
        0x62: Denomination(0x62, 0xE0, 1000),
        0x64: Denomination(0x64, 0xE0, 5000),
    }


@pytest.mark.parametrize(
    ("data", "words"),
    [("61E00107", "61 has exponent 7"), ("61E00100 61E00200", "61 means two different notes")],
)
def test_an_impossible_currency_table_is_refused(data: str, words: str) -> None:
    """A table that cannot be true is an error, never a note of some value."""
    with pytest.raises(ValueError, match=words):
        currency_table(bytes.fromhex(data))


def test_the_mask_disables_all_that_is_not_accepted() -> None:
    """A set bit disables: only the accepted notes' bits are clear, those of unknown codes are set."""
    table = currency_table(bytes.fromhex("61E00500 62E00101 63E00201 69E00501"))

    assert denomination_mask(table, frozenset({1000, 5000})) == b"\xfd\xfe"
    assert denomination_mask(table, frozenset()) == b"\xff\xff"
