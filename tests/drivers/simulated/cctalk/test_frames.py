import pytest
from crccheck.crc import CrcXmodem
from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.cctalk.frames import Frame, FrameReader, Framing, decode, encode
from tests.rigs.vectors import vectors

FRAMINGS = st.sampled_from(Framing)
BYTES = st.integers(0, 255)


def _frames(name: str, column: int) -> list[bytes]:
    return [bytes.fromhex(row[column]) for row in vectors(name)]


@pytest.mark.parametrize("raw", [*_frames("cctalk_hopper.tsv", 0), *_frames("cctalk_spec_v47.tsv", 3)], ids=bytes.hex)
def test_every_printed_frame_is_read_and_written_to_the_byte(raw: bytes) -> None:
    """What a manual prints is decoded, and its parts give the same bytes again."""
    frame = decode(raw, Framing.SIMPLE)
    assert frame is not None
    assert encode(frame) == raw
    assert FrameReader(raw[0]).feed(raw) == [frame]


@pytest.mark.parametrize("raw", _frames("cctalk_invalid.tsv", 0), ids=bytes.hex)
def test_no_misprinted_frame_is_read(raw: bytes) -> None:
    """A wrong sum and a missing byte are no frame."""
    assert FrameReader(raw[0]).feed(raw) == []


@pytest.mark.parametrize("row", list(vectors("cctalk_crc16.tsv")), ids=str)
def test_the_checksum_is_the_appendixs(row: list[str]) -> None:
    """Appendix 9's examples, and a library's CRC-16/XMODEM, agree with the two bytes around a frame's header."""
    said = bytes.fromhex(row[0])
    assert CrcXmodem.calc(said) == int(row[1], 16)
    if said[1] == len(said) - 3:
        raw = encode(Frame(said[0], 1, said[2], said[3:]), Framing.CRC16)
        assert (raw[2] | raw[-1] << 8, raw[:2] + raw[3:-1]) == (int(row[1], 16), said)


def test_the_appendixs_whole_frames() -> None:
    """A reset of a device at 40 and its ACK, which name no source."""
    assert encode(Frame(40, 1, 1), Framing.CRC16) == bytes.fromhex("28 00 46 01 3F")
    assert encode(Frame(1, 40, 0), Framing.CRC16) == bytes.fromhex("01 00 30 00 37")


@given(FRAMINGS, BYTES, BYTES, BYTES, st.binary(max_size=255))
def test_a_frame_is_read_as_it_was_written(framing: Framing, whom: int, source: int, header: int, data: bytes) -> None:
    """Whatever is said is heard, byte by byte as well, but for the source, which only one framing carries."""
    frame = Frame(whom, source if framing is Framing.SIMPLE else 1, header, data)
    raw = encode(frame, framing)
    reader = FrameReader(whom, framing)
    assert [heard for byte in raw for heard in reader.feed(bytes((byte,)))] == [frame]


@given(FRAMINGS, st.binary(max_size=40), st.data())
def test_no_flipped_bit_is_overlooked(framing: Framing, data: bytes, draw: st.DataObject) -> None:
    """One wrong bit behind the length, and the frame is none."""
    raw = bytearray(encode(Frame(2, 1, 229, data), framing))
    place = draw.draw(st.integers(2, len(raw) - 1))
    raw[place] ^= 1 << draw.draw(st.integers(0, 7))
    assert FrameReader(2, framing).feed(bytes(raw)) == []


def test_a_frame_for_another_is_skipped_whatever_its_checksum() -> None:
    """Its length says where the next one begins; what is said to everybody is heard."""
    reader = FrameReader(2)
    other = bytes.fromhex("03 04 01 A7 02 00 01 FE 77")
    mine, all_of_us = bytes.fromhex("02 00 01 FE FF"), bytes.fromhex("00 00 01 FE 01")
    assert reader.feed(other + mine + all_of_us) == [Frame(2, 1, 254), Frame(0, 1, 254)]
