import functools
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.ebds.protocol import (
    MAX_DATA,
    Auxiliary,
    Condition,
    Extended,
    Frame,
    FrameParser,
    Mode,
    Note,
    Options,
    State,
    Trouble,
    Type,
    checksum,
    enabled,
    encode,
    listed_note,
    omnibus,
    status,
    ticket_number,
    value_table,
)
from drivers.ebds.seven_bits import _HEARD, _SENT, SPOILT
from tests.rigs.vectors import vectors

SEVEN = st.binary(max_size=20).map(lambda data: bytes(byte & 0x7F for byte in data))
FRAMES = st.lists(st.builds(Frame, st.integers(0, 0x7F), SEVEN), max_size=5)
JPY = bytes.fromhex("00") + b"JPY002+03" + bytes.fromhex("00") + b"AABA" + bytes(3)


def frames() -> list[tuple[bytes, str]]:
    """The published frames and where they come from."""
    return [(bytes.fromhex(row[0]), row[1]) for row in vectors("ebds.tsv")]


def test_vectors() -> None:
    """Every published frame is parsed whole and encoded the same; those of eight-bit downloads are not frames here."""
    assert len(frames()) == 83
    for raw, source in frames():
        found = FrameParser().feed(raw)
        if "8bit" in source and not raw.isascii():
            assert found == []
        else:
            assert [encode(frame.head, frame.data) for frame in found] == [raw]


def test_what_the_host_says_are_the_published_frames() -> None:
    """Polls, orders, questions and inhibits, byte by byte as other hosts send them."""
    everything = omnibus(0x7F, Mode.ALL_ORIENTATIONS | Mode.ESCROW, Options.EXTENDED_NOTES)
    said = {
        encode(Type.OMNIBUS_COMMAND, everything),
        encode(Type.OMNIBUS_COMMAND | 1, everything),
        encode(Type.OMNIBUS_COMMAND, b"\0" + everything[1:]),
        encode(Type.OMNIBUS_COMMAND | 1, b"\0" + everything[1:]),
        encode(Type.AUXILIARY, bytes((0, 0, Auxiliary.APPLICATION_PART_NUMBER))),
        encode(Type.AUXILIARY, bytes((0, 0, Auxiliary.VARIANT_NAME))),
        encode(Type.EXTENDED, bytes((Extended.NOTE, 0, 0, 0, 1))),
        encode(Type.EXTENDED, bytes((Extended.VALUE_TABLE, 0, 0, 0))),
        encode(Type.EXTENDED, bytes((Extended.NOTE_INHIBITS, 0, 0, 0)) + enabled(frozenset({1}), 8)),
        encode(Type.EXTENDED, bytes((Extended.NOTE_INHIBITS, 0, 0, 0)) + enabled(frozenset({1}), 19)),
    }

    assert len(said) == 10
    assert said <= {raw for raw, _ in frames()}


def test_the_published_states_are_read() -> None:
    """Each answer that bears a state is read into its bits, and they make up its bytes again."""
    read = 0
    for raw, _ in frames():
        (frame,) = FrameParser().feed(raw) or [Frame(0)]
        if frame.type not in {Type.OMNIBUS_REPLY, Type.EXTENDED} or len(frame.data) < 7 - (frame.type == 0x20):
            continue
        found = status(frame)
        assert found is not None
        at = frame.type == Type.EXTENDED
        assert (found.state, found.condition, found.trouble | found.denomination << 3) == tuple(frame.data[at : at + 3])
        read += 1

    assert read >= 40


def test_a_stacked_note_and_a_note_in_escrow() -> None:
    """Two published answers by their meaning: a stacked note of denomination 1, and one of 7 in escrow."""
    stacked = status(FrameParser().feed(bytes.fromhex("02 0B 21 11 10 08 00 01 02 03 20"))[0])
    escrowed = status(FrameParser().feed(bytes.fromhex("02 0B 21 04 10 38 00 01 02 03 05"))[0])

    assert stacked is not None
    assert (stacked.state, stacked.denomination) == (State.IDLING | State.STACKED, 1)
    assert (stacked.condition, stacked.trouble, stacked.model, stacked.revision) == (
        Condition.CASSETTE_PRESENT,
        Trouble(0),
        1,
        2,
    )
    assert stacked.has_news
    assert escrowed is not None
    assert (escrowed.state, escrowed.denomination, escrowed.has_news) == (State.ESCROWED, 7, False)


def test_the_published_barcode_message() -> None:
    """Its 28 characters are taken as they are; letters among them make it no ticket of ours."""
    (raw,) = (raw for raw, _ in frames() if raw[2:4] == b"\x71\x01")
    found = status(FrameParser().feed(raw)[0])

    assert found is not None
    assert found.barcode == b"0123456789ABCDEFGHIJKLMNOPQR"
    assert ticket_number(found.barcode) == ""


@pytest.mark.parametrize("filling", [b"", b"\0" * 10, b" " * 10, b"(" * 10])
def test_a_tickets_number_is_its_digits(filling: bytes) -> None:
    """What fills a shorter code up at its end is left out."""
    assert ticket_number(b"001234567890123456" + filling) == "001234567890123456"
    assert ticket_number(b"12 34" + filling) == ""
    assert ticket_number(filling) == ""


def test_a_listed_note() -> None:
    """Two thousand yen as public implementations show it; one that a device takes for a forgery is worth nothing."""
    assert listed_note(JPY) == Note("JPY", 200_000)
    assert listed_note(JPY[:15] + b"\x04" + JPY[16:]) == Note("JPY", 200_000)
    assert listed_note(JPY[:15] + b"\x02" + JPY[16:]) == Note("JPY", 0)
    assert listed_note(bytes(18)) is None
    assert listed_note(b"\x05" + bytes(17)) is None
    assert listed_note(JPY.replace(b"+03", b"-02")) == Note("JPY", 2)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"\0JPY002", "cut short"),
        (JPY.replace(b"JPY", b"J1Y"), "makes no sense"),
        (JPY.replace(b"002", b"0x2"), "makes no sense"),
        (JPY.replace(b"+", b"*"), "makes no sense"),
        (JPY.replace(b"+03", b"+08"), "no note is"),
        (JPY.replace(b"+03", b"-03"), "no whole cents"),
    ],
)
def test_a_note_that_makes_no_sense_is_an_error(said: bytes, words: str) -> None:
    """Nothing of a note's value is guessed."""
    with pytest.raises(ValueError, match=words):
        listed_note(said)


def test_a_value_table() -> None:
    """Seven denominations; one without a note has zeros behind its number."""
    table = b"\x01EUR005+00\x02EUR001+01" + b"".join(bytes((at, *bytes(9))) for at in range(3, 8))

    assert value_table(table) == {1: Note("EUR", 500), 2: Note("EUR", 1000)}
    with pytest.raises(ValueError, match="cut short"):
        value_table(table[:-1])
    with pytest.raises(ValueError, match="has denomination 1 where it cannot be"):
        value_table(b"\x01EUR005+00\x01EUR001+01" + table[20:])


def test_inhibits_have_seven_notes_a_byte() -> None:
    """The first note is the lowest bit of the first byte; one beyond the last is an error."""
    assert enabled(frozenset({1, 7, 8, 50}), 8) == bytes((0x41, 1, 0, 0, 0, 0, 0, 1))
    with pytest.raises(ValueError, match="note 57 of the table does not fit into 8 bytes"):
        enabled(frozenset({57}), 8)


@given(SEVEN)
def test_the_checksum_is_the_xor(data: bytes) -> None:
    """Of everything between STX and ETX."""
    assert checksum(data) == functools.reduce(operator.xor, data, 0)
    assert encode(0x10, data)[-1] == checksum(bytes((len(data) + 5, 0x10)) + data)


def test_a_frame_too_long_for_its_length_byte_is_refused() -> None:
    """127 bytes are the longest; one byte more is an error that names the message."""
    assert FrameParser().feed(encode(0x70, bytes(MAX_DATA))) == [Frame(0x70, bytes(MAX_DATA))]
    with pytest.raises(ValueError, match="frame 70 would carry 123 data bytes"):
        encode(0x70, bytes(MAX_DATA + 1))


@given(FRAMES, st.integers(1, 7))
def test_any_split(sent: list[Frame], size: int) -> None:
    """However the bytes are split, the same frames come out in order and none is discarded."""
    stream = b"".join(encode(frame.head, frame.data) for frame in sent)
    parser = FrameParser()

    assert [frame for at in range(0, len(stream), size) for frame in parser.feed(stream[at : at + size])] == sent
    assert parser.discarded == 0


@given(st.binary(max_size=12), FRAMES)
def test_no_noise_hides_a_frame_for_good(noise: bytes, sent: list[Frame]) -> None:
    """Whatever comes before, the frames are found once the line is silent; noise that is a frame apart."""
    stream = noise.replace(b"\x02", b"\x00") + b"".join(encode(frame.head, frame.data) for frame in sent)
    parser = FrameParser()

    assert parser.feed(b"\x02\x7f" + stream) + parser.flush() == sent


@given(st.data())
def test_no_single_wrong_bit_is_believed(data: st.DataObject) -> None:
    """Each bit of a frame is under the checksum, or its frame begins or ends elsewhere."""
    raw = bytearray(encode(0x21, data.draw(SEVEN)))
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))

    assert all(len(frame.data) + 5 < len(raw) for frame in FrameParser().feed(bytes(raw)))


def test_seven_bits_with_even_parity() -> None:
    """Each byte is sent with an even number of ones and heard without its parity; a flipped bit spoils it."""
    for byte in range(0x80):
        sent = _SENT[byte]
        assert sent.bit_count() % 2 == 0
        assert _HEARD[sent] == byte
        assert {_HEARD[sent ^ 1 << bit] for bit in range(8)} == {SPOILT}


@given(st.binary(max_size=40))
def test_any_answer_is_read_or_refused(data: bytes) -> None:
    """No answer ends the driver otherwise than by an error of its own."""
    for kind in (Type.OMNIBUS_REPLY, Type.EXTENDED, Type.AUXILIARY):
        frame = Frame(kind, bytes(byte & 0x7F for byte in data))
        try:
            found = status(frame)
        except ValueError:
            continue
        assert (found is None) == (kind == Type.AUXILIARY)
