import pytest
from crccheck.crc import Crc16Cms
from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.ssp.frames import Frame, FrameParser, checksum, encode
from tests.rigs.vectors import vectors

HEADS = st.integers(0, 255).filter(lambda head: head != 0x7F)


@pytest.mark.parametrize("raw", [bytes.fromhex(row[3]) for row in vectors("ssp_ga138.tsv")], ids=bytes.hex)
def test_every_printed_packet_is_read_and_written_to_the_byte(raw: bytes) -> None:
    """What the manual prints is one packet, and its parts give the same bytes again."""
    (frame,) = FrameParser().feed(raw)
    assert encode(*frame) == raw


@given(st.binary())
def test_the_checksum_is_the_librarys(data: bytes) -> None:
    """CRC-16/CMS by a library of checksums."""
    assert checksum(data) == Crc16Cms.calc(data).to_bytes(2, "little")


@given(HEADS, st.binary(max_size=255), st.binary(max_size=20))
def test_a_packet_is_read_as_it_was_written(head: int, data: bytes, noise: bytes) -> None:
    """Byte by byte as well, and behind anything that is no packet but has ended."""
    parser = FrameParser()
    parser.feed(b"\x7f\x00" + noise.replace(b"\x7f", b""))
    heard = [frame for byte in encode(head, data) for frame in parser.feed(bytes((byte,)))]
    assert heard[-1] == Frame(head, data)


@given(HEADS, st.binary(min_size=1, max_size=60), st.data())
def test_no_flipped_bit_is_overlooked(head: int, data: bytes, draw: st.DataObject) -> None:
    """One wrong bit, and what is heard is not that packet with other content."""
    raw = bytearray(encode(head, data))
    raw[draw.draw(st.integers(1, len(raw) - 1))] ^= 1 << draw.draw(st.integers(0, 7))
    assert Frame(head, data) not in FrameParser().feed(bytes(raw))
