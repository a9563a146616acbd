import pytest
from crccheck.crc import Crc16Cms  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from drivers.ssp.protocol import (
    MAX_DATA,
    Barcode,
    Command,
    Event,
    Frame,
    FrameParser,
    PolledEvent,
    Reply,
    TicketState,
    barcode,
    crc16_cms,
    encode,
    events,
)
from tests.rigs.vectors import vectors

FRAMES = st.lists(st.builds(Frame, st.integers(0, 255).filter(lambda head: head != 0x7F), st.binary(max_size=20)))


def test_vectors() -> None:
    """Every published frame is parsed whole, and encoding what was parsed gives the same bytes."""
    frames = [bytes.fromhex(raw) for _page, _section, _who, raw in vectors("ssp_ga138.tsv")]

    assert len(frames) == 392
    for raw in frames:
        (frame,) = FrameParser().feed(raw)
        assert encode(frame.head, frame.data) == raw


@given(st.binary(max_size=300))
def test_crc_agrees_with_another_implementation(data: bytes) -> None:
    """Our checksum equals crccheck's CRC-16/CMS for any bytes."""
    assert crc16_cms(data) == Crc16Cms.calc(data)


def test_a_frame_too_long_for_its_length_byte_is_refused() -> None:
    """255 data bytes are the most; one more is an error that names the frame."""
    assert FrameParser().feed(encode(0x80, bytes(MAX_DATA))) == [Frame(0x80, bytes(MAX_DATA))]
    with pytest.raises(ValueError, match="frame 80 would carry 256 data bytes"):
        encode(0x80, bytes(MAX_DATA + 1))


@given(FRAMES, st.integers(1, 7))
def test_any_split(frames: list[Frame], size: int) -> None:
    """However the bytes are split, 7F inside or not, the same frames come out in order and none is discarded."""
    stream = b"".join(encode(frame.head, frame.data) for frame in frames)
    parser = FrameParser()
    parts = [stream[at : at + size] for at in range(0, len(stream), size)]

    assert [frame for part in parts for frame in parser.feed(part)] == frames
    assert parser.discarded == 0


@given(st.binary(min_size=1, max_size=20).map(lambda data: data.replace(b"\x7f", b"\x00")), FRAMES)
def test_noise_before_frames_costs_nothing(noise: bytes, frames: list[Frame]) -> None:
    """Bytes before a frame's start are passed over."""
    stream = noise + b"".join(encode(frame.head, frame.data) for frame in frames)

    assert FrameParser().feed(stream) == frames


@given(st.data())
def test_a_frame_cut_short_hides_none_that_follows(data: st.DataObject) -> None:
    """Wherever a frame breaks off, the next is found: its lone 7F begins it."""
    whole = encode(0x80, data.draw(st.binary(max_size=12)))
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]
    if (len(cut) - len(cut.rstrip(b"\x7f"))) % 2:  # half of a doubled byte would swallow the start that follows
        cut = cut[:-1]

    assert FrameParser().feed(cut + encode(0x00, b"\x07")) == [Frame(0x00, b"\x07")]


@given(st.data())
def test_no_single_wrong_byte_is_believed(data: st.DataObject) -> None:
    """A frame with one byte changed is never taken for another frame of the same length."""
    sent = Frame(0x80, data.draw(st.binary(min_size=1, max_size=12)))
    raw = bytearray(encode(sent.head, sent.data))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))

    assert all(len(frame.data) != len(sent.data) for frame in FrameParser().feed(bytes(raw)))


def test_events_are_read_in_order_with_their_channels() -> None:
    """A poll's answer has its events oldest first; a read of channel 0 is a note not yet recognised."""
    assert events(bytes.fromhex("EF00 EF02 CC EE02 EB")) == [
        PolledEvent(Event.READ, 0),
        PolledEvent(Event.READ, 2),
        PolledEvent(Event.STACKING),
        PolledEvent(Event.CREDIT, 2),
        PolledEvent(Event.STACKED),
    ]


@pytest.mark.parametrize(("answer", "message"), [("F1 55 01", "event 55 is not known"), ("EE", "EE names no channel")])
def test_an_answer_that_cannot_be_read_is_an_error(answer: str, message: str) -> None:
    """What follows an unreadable event might be a credit: nothing of it is guessed."""
    with pytest.raises(ValueError, match=message):
        events(bytes.fromhex(answer))


def test_an_unknown_last_event_names_no_money_and_is_passed_over() -> None:
    """The manual's poll after a reset (page 65) ends in F8, which is no event: what comes before it counts."""
    assert events(bytes.fromhex("F1 F8")) == [PolledEvent(Event.RESET)]


def test_the_manuals_barcode_answer_is_read() -> None:
    """Page 87: six characters of the ticket in escrow."""
    (asked,) = (raw for page, _, who, raw in vectors("ssp_ga138.tsv") if (page, who) == ("87", "H"))
    (answer,) = (raw for page, _, who, raw in vectors("ssp_ga138.tsv") if (page, who) == ("87", "S"))
    (frame,) = FrameParser().feed(bytes.fromhex(answer))

    assert bytes.fromhex(asked) == encode(0x80, bytes((Command.BARCODE_DATA,)))
    assert frame.data[0] == Reply.OK
    assert barcode(frame.data[1:]) == Barcode(TicketState.IN_ESCROW, "123456")


def test_a_barcode_that_is_no_number_has_none() -> None:
    """Letters, bytes beyond ASCII and an empty code are no ticket of anybody's."""
    assert [barcode(bytes((1, len(code))) + code).number for code in (b"12A456", b"\xb2\xb3", b"")] == ["", "", ""]


@pytest.mark.parametrize("data", ["", "01", "01 06 31 32", "01 02 31 32 33", "04 00", "FF 01 31"])
def test_a_barcode_answer_that_makes_no_sense_is_an_error(data: str) -> None:
    """Cut short, too long, or in a state that the manual does not name."""
    with pytest.raises(ValueError, match="makes no sense"):
        barcode(bytes.fromhex(data))
