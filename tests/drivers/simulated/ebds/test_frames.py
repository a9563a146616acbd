"""The simulated EBDS device's codec against every frame of the vectors, and against what is no frame."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.ebds.frames import FrameParser, Kind, Subtype, amount, barcode_data, decode, encode, parity
from tests.rigs.vectors import vectors

EIGHT_BITS = "message_8bit.rs"
"""Flash downloads to devices that are switched to eight data bits: they do not travel on a 7E1 line."""


def frames() -> list[tuple[bytes, str]]:
    """Return the vectors of seven bits, with their source."""
    all_rows = [(bytes.fromhex(raw), source) for raw, source in vectors("ebds.tsv")]
    found = [(raw, source) for raw, source in all_rows if EIGHT_BITS not in source]
    assert len(all_rows) - len(found) == 2
    return found


def test_every_vector_is_decoded_and_encoded_again() -> None:
    """The codec takes each frame apart, puts it together byte for byte, and finds it on a line with parity."""
    for raw, source in frames():
        frame = decode(raw)
        assert frame is not None, source
        assert encode(*frame) == raw, source
        assert FrameParser().feed(parity(raw)) == [frame], source
        assert frame.kind in set(Kind) or source == "spark-sas2", source


def test_all_vectors_in_a_row_are_found_whatever_the_pieces() -> None:
    """Frames that follow each other are cut where they end, if they arrive byte by byte too."""
    known = [raw for raw, _source in frames()]
    stream = parity(b"".join(known))
    for size in (1, 7, len(stream)):
        parser = FrameParser()
        heard = [frame for begin in range(0, len(stream), size) for frame in parser.feed(stream[begin : begin + size])]
        assert [encode(*frame) for frame in heard] == known


@given(st.data())
def test_no_frame_with_a_flipped_bit_is_taken(data: st.DataObject) -> None:
    """Parity and checksum each see a single bit, in every frame."""
    raw = parity(encode(0x21, data.draw(st.binary(max_size=20).map(lambda some: bytes(one & 0x7F for one in some)))))
    bit = data.draw(st.integers(0, len(raw) * 8 - 1))
    spoilt = bytearray(raw)
    spoilt[bit // 8] ^= 1 << bit % 8
    assert FrameParser().feed(bytes(spoilt)) == []


@pytest.mark.parametrize("spoil", [1, 2, -2, -1])
def test_a_frame_whose_parity_is_right_and_whose_sum_is_wrong_is_passed_over(spoil: int) -> None:
    """Length, control byte, ETX and checksum: with two bits flipped, so that the parity is even again."""
    raw = bytearray(encode(0x10, bytes((0x7F, 0x1C, 0x10))))
    raw[spoil] ^= 0b11
    good = encode(0x11, bytes((0x7F, 0x1C, 0x10)))
    parser = FrameParser()
    heard = parser.feed(parity(bytes(raw))) + parser.feed(parity(good * 2))
    assert {encode(*frame) for frame in heard} == {good}


def test_a_line_without_parity_carries_the_same_frames_plain() -> None:
    """`parity = "none"`: bit 7 is zero, and a frame with parity is none."""
    raw = encode(0x11, bytes((0x7F, 0x1C, 0x10)))
    for even, line in ((False, raw), (True, parity(raw))):
        assert FrameParser(even=even).feed(line) == [decode(raw)]
        assert FrameParser(even=not even).feed(line) == []


@given(st.binary(max_size=400))
def test_noise_is_no_frame(noise: bytes) -> None:
    """Whatever comes, nothing is raised, and what waits is never longer than a frame can be."""
    parser = FrameParser()
    parser.feed(noise)
    assert len(parser._waiting) <= 0x7F


def test_what_seven_bits_cannot_hold_is_refused() -> None:
    """A byte above 127 and a frame above 127 bytes are errors of the caller."""
    for data in (b"\x80", bytes(123)):
        with pytest.raises(ValueError, match="seven bits"):
            encode(Kind.REPLY, data)


def test_amounts_and_barcodes_are_written_as_public_programs_read_them() -> None:
    """Base, sign and exponent; a barcode is filled up to 28 characters."""
    assert [amount(cents) for cents in (500, 1000, 2000, 5000, 50_000)] == [
        b"005+00",
        b"001+01",
        b"002+01",
        b"005+01",
        b"005+02",
    ]
    assert barcode_data("0123", b"(") == b"0123" + b"(" * 24
    assert [Subtype.BARCODE, Subtype.NOTE] == [1, 2]
