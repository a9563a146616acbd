"""The device's own frame codec, against the vectors that the driver's is tested against."""

import random

from drivers.simulated.id003.frames import Frame, FrameParser, encode
from tests.rigs.vectors import of_drivers, vectors

RAW = bytes.fromhex("FC 07 C6 01 12 BF 49")


def test_every_frame_of_the_vectors_is_read_and_written() -> None:
    """The frames of notes and of tickets, byte for byte, alone and one after another."""
    rows = [bytes.fromhex(row[0]) for row in vectors("id003.tsv")]
    rows += [bytes.fromhex(row[1]) for row in of_drivers("id003_ticket_vectors.tsv")]
    frames = FrameParser().feed(b"".join(rows))
    assert [encode(*frame) for frame in frames] == rows
    assert [FrameParser().feed(raw) for raw in rows] == [[frame] for frame in frames]


def test_a_spoilt_frame_is_met_with_silence_and_the_next_one_is_heard() -> None:
    """Any flipped bit of it, and any noise without a sync byte before it."""
    for byte in range(len(RAW)):
        for bit in range(8):
            spoilt = bytearray(RAW)
            spoilt[byte] ^= 1 << bit
            parser = FrameParser()
            heard = parser.feed(bytes(spoilt) + RAW)
            # a longer LEN waits for more; the silence after it ends that
            assert heard == [Frame(0xC6, b"\x01\x12")] or (byte == 1 and heard == [])
    assert FrameParser().feed(bytes(range(200)) + RAW) == [Frame(0xC6, b"\x01\x12")]


def test_a_frame_may_arrive_in_any_pieces() -> None:
    """Byte by byte as at once."""
    draw = random.Random(3)
    raw = RAW * 50
    parser, heard = FrameParser(), []
    while raw:
        length = draw.randrange(12)
        heard += parser.feed(raw[:length])
        raw = raw[length:]
    assert heard == [Frame(0xC6, b"\x01\x12")] * 50
