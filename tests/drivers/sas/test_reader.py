"""Polls are found in whatever comes over the line, and nothing else is."""

from hypothesis import given
from hypothesis import strategies as st

from drivers.sas.frames import Poll
from drivers.sas.reader import WAKE, FrameReader, Heard, Item
from tests.rigs.sas_line import woken

METERS = Poll(1, 0x2F, bytes.fromhex("03 00 00 A0"))
POLLS = (Poll(1, 0x1F), Poll(1, 0x01), METERS, Poll(1, 0x74, bytes.fromhex("FF 00 00 00")))


def read(*frames: bytes) -> list[Item]:
    """Return what a reader with the wake-up bit finds in these frames."""
    reader = FrameReader(1, by_time=False)
    return [item for frame in frames for item in reader.feed(woken(frame))]


def test_every_kind_of_poll_is_found_in_any_pieces() -> None:
    """A general poll, others' polls and long polls of all lengths are found byte by byte."""
    reader = FrameReader(1, by_time=False)
    found: list[Item] = []
    for frame in (b"\x81", b"\x82", b"\x80", *(poll.raw for poll in POLLS)):
        for symbol in woken(frame):
            found += reader.feed([symbol])
    assert found == [Heard.GENERAL, Heard.OTHER, Heard.OTHER, *POLLS]
    assert reader.dropped == 0


def test_a_crc_after_a_poll_that_has_none_is_dropped() -> None:
    """Some hosts send a CRC after type R (sas.md §7); its bytes lack the wake-up bit and begin nothing."""
    assert read(bytes.fromhex("01 1B 12 34"), b"\x81") == [POLLS[0].__class__(1, 0x1B), Heard.GENERAL]


def test_a_wrong_crc_an_unknown_poll_and_a_cut_frame_are_no_polls() -> None:
    """None of them is a poll, and the next frame is found."""
    spoiled = bytearray(METERS.raw)
    spoiled[-1] ^= 1
    assert read(bytes(spoiled), b"\x81") == [Heard.BROKEN, Heard.GENERAL]
    assert read(bytes.fromhex("01 5A 00 00"), b"\x81") == [Heard.BROKEN, Heard.GENERAL]
    assert read(METERS.raw[:5], b"\x81") == [Heard.GENERAL]


def test_a_broadcast_is_a_poll_of_address_zero() -> None:
    """The clock for all machines counts as another's address, and is handed on."""
    clock = Poll(0, 0x7F, bytes.fromhex("01 02 20 26 12 30 00"))
    assert read(clock.raw) == [Heard.OTHER, clock]


def test_by_time_a_frame_begins_after_silence_only() -> None:
    """What follows a frame without a pause belongs to no poll."""
    reader = FrameReader(1, by_time=True)
    assert reader.feed(METERS.raw + b"\x81") == [METERS]
    assert reader.feed(b"\x81") == []
    reader.silence()
    assert reader.feed(b"\x81") == [Heard.GENERAL]


def test_by_time_a_poll_may_follow_another_machines_general_poll_at_once() -> None:
    """Such a poll is one byte: a busy computer may have read it together with the next one."""
    reader = FrameReader(1, by_time=True)
    assert reader.feed(b"\x80\x82" + METERS.raw) == [Heard.OTHER, METERS]


def test_a_pause_ends_a_frame() -> None:
    """The rest that comes after it is no poll (sas.md §7)."""
    for by_time in (False, True):
        reader = FrameReader(1, by_time=by_time)
        assert reader.feed(woken(METERS.raw)[:3]) == []
        assert reader.partial
        reader.silence()
        assert METERS not in reader.feed(METERS.raw[3:])


@given(st.lists(st.integers(0, 0x1FF), max_size=400), st.sampled_from(POLLS))
def test_a_poll_is_found_after_any_noise(noise: list[int], poll: Poll) -> None:
    """With the wake-up bit at once, by time after a pause; noise holds no more memory than one frame."""
    reader = FrameReader(1, by_time=False)
    reader.feed(noise)
    assert reader.feed(woken(poll.raw))[-1:] == [poll]
    timed = FrameReader(1, by_time=True)
    timed.feed([symbol & ~WAKE for symbol in noise])
    timed.silence()
    assert timed.feed(poll.raw) == [poll]
