"""The SAS host's frames: every captured one is read and written again, and whatever is written is read back."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rigs import sas_frames
from tests.rigs.sas_fields import FrameError, Layout, bcd, from_bcd, meter_size
from tests.rigs.sas_frames import POLLS, RTE_DATA, crc, read_answer, read_event, read_request, sealed, whole_size
from tests.rigs.vectors import vectors

TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=20)
ADDRESS = st.integers(1, 127)


def captured() -> dict[str, bytes]:
    """The captured frames, by their text."""
    return {row[0]: bytes.fromhex(row[0]) for name in ("sas.tsv", "sas_extra.tsv") for row in vectors(name)}


def again(frame: bytes) -> list[bytes]:
    """What is written from what each of the three readers makes of a frame."""
    written = []
    for read, write in ((read_request, sas_frames.request), (read_answer, sas_frames.answer)):
        try:
            said = read(frame)
        except FrameError:
            continue
        written.append(write(said.address, said.command, **said.values))
    try:
        event = read_event(frame)
    except FrameError:
        return written
    return [*written, sas_frames.event(event.address, event.code, **event.values)]


def test_every_captured_frame_is_read_and_written_again() -> None:
    """What is read from a captured frame, as a request, an answer or an event, gives its bytes again."""
    frames = captured()
    assert len(frames) > 70
    for text, frame in frames.items():
        written = again(frame)
        assert written, f"{text} was not read"
        assert set(written) == {frame}, text


def test_the_crc_is_that_of_every_captured_frame() -> None:
    """Low byte first, seed 0; one bit more or less is found."""
    for text, frame in captured().items():
        if len(frame) > 2:
            assert crc(frame[:-2]) == frame[-2:], text
            spoilt = bytes([frame[0], frame[1] ^ 0x10]) + frame[2:]
            assert crc(spoilt[:-2]) != spoilt[-2:], text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("01 19 00 45 20 40 00 86 14 80 00 41 30 78 00 63 44 94 00 00 20 62 D5 CE", {"coin_in": 452040, "games": 2062}),
        ("01 72 02 00 87 78 2D", {"position": 0, "status": 0x87}),
        ("01 B0 06 01 56 03 01 00 12 09 35", {"denomination": 1, "base": 0x56, "data": bytes.fromhex("03010012")}),
    ],
)
def test_an_answer_is_read(text: str, values: dict[str, object]) -> None:
    """The figures of answers that real machines gave."""
    assert values.items() <= read_answer(bytes.fromhex(text)).values.items()


def test_the_captured_transfer_is_read_in_full() -> None:
    """A transfer of 11.00 to the host, status full, with three cumulative meters of 9 bytes (section 1.2)."""
    frame = next(frame for text, frame in captured().items() if text.startswith("01 72 48"))
    values = read_answer(frame).values
    expected = {"position": 0x2A, "status": 0, "receipt": 0xFF, "type": 0x80, "cashable": 1100, "flags": 7}
    assert expected.items() <= values.items()
    assert {"asset": 122, "id": "3692", "date": 7122020, "time": 21501, "total_cashable": 12682423}.items() <= (
        values.items()
    )


def test_the_captured_status_is_read_in_full() -> None:
    """The limit and the restricted amount of a real machine's answer 74 (section 1.5)."""
    frames = [read_answer(frame).values for text, frame in captured().items() if text.startswith("01 74 23")]
    assert [(one["limit"], one["restricted"], one["lock"]) for one in frames] == [
        (2989800, 0, 0xFF),
        (9999991268, 8290, 0xFF),
    ]


@given(st.integers(0, 10**10 - 1))
def test_bcd_is_read_back(value: int) -> None:
    """Five bytes hold ten digits."""
    assert from_bcd(bcd(value, 5)) == value


@pytest.mark.parametrize(("value", "size"), [(100, 1), (-1, 1), (10**8, 4)])
def test_what_does_not_fit_is_not_written(value: int, size: int) -> None:
    """A host that writes a wrong amount would prove the wrong thing."""
    with pytest.raises(ValueError, match="BCD"):
        bcd(value, size)


def test_what_is_not_bcd_is_not_read() -> None:
    """A digit above 9 is no figure."""
    with pytest.raises(FrameError):
        from_bcd(b"\x1a")


METERS1 = st.integers(0, 255).flatmap(
    lambda code: st.fixed_dictionaries({code: st.integers(0, 10 ** (2 * meter_size(code)) - 1)})
)
WHOLE = {
    "meters1": METERS1,
    "meters2": st.dictionaries(st.integers(0, 0xFFFF), st.none() | st.integers(0, 10**8 - 1), max_size=12),
    "elements": st.dictionaries(st.integers(0, 255), TEXT, max_size=5),
    "raw*": st.binary(max_size=30),
    "lraw": st.binary(max_size=30),
    "text*": TEXT,
    "ltext": TEXT,
}


def values_of(word: str) -> st.SearchStrategy[Any]:
    """Draws of a kind of field."""
    if word in WHOLE:
        return WHOLE[word]
    if word.endswith("*") or word.startswith("count-"):
        return st.lists(values_of(word.removeprefix("count-").removesuffix("*")), max_size=10)
    match = re.fullmatch(r"l?([a-z]+)(\d+)", word)
    assert match is not None
    kind, size = match[1], int(match[2])
    if kind == "raw":
        return st.binary(min_size=size, max_size=size)
    if kind == "text":
        return st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=size, max_size=size)
    return st.integers(0, (10**2 if kind == "bcd" else 256) ** size - 1)


@st.composite
def bodies(draw: st.DrawFn, layout: Layout) -> dict[str, Any]:
    """The values of a body; it ends where it may, as often as not."""
    values = {}
    for word in layout.words.split():
        if word == "?":
            if draw(st.booleans()):
                break
            continue
        name, kind = word.split(":")
        values[name] = draw(values_of(kind))
    return values


@given(ADDRESS, st.sampled_from(sorted(POLLS)), st.data())
def test_a_request_is_read_back(address: int, command: int, data: st.DataObject) -> None:
    """Whatever the host may ask, its bytes say it."""
    values = data.draw(bodies(POLLS[command].request))
    frame = sas_frames.request(address, command, **values)
    assert read_request(frame) == sas_frames.Frame(address, command, values)
    assert (len(frame) == 2) == (POLLS[command].type == "R")


@given(ADDRESS, st.sampled_from(sorted(code for code in POLLS if POLLS[code].answer)), st.data())
def test_an_answer_is_read_back(address: int, command: int, data: st.DataObject) -> None:
    """Whatever a machine may answer is read, and its size is known before its end."""
    layout = POLLS[command].answer
    assert layout is not None
    values = data.draw(bodies(layout))
    frame = sas_frames.answer(address, command, **values)
    assert read_answer(frame) == sas_frames.Frame(address, command, values)
    assert whole_size(frame[:-1], command) == len(frame)
    with pytest.raises(FrameError):
        read_answer(frame[:-1])


@given(ADDRESS, st.integers(0, 255), st.data())
def test_an_event_is_read_back(address: int, code: int, data: st.DataObject) -> None:
    """An exception with its data, and without, as one machine sent it."""
    values = data.draw(bodies(RTE_DATA.get(code, Layout(""))) if data.draw(st.booleans()) else st.just({}))
    frame = sas_frames.event(address, code, **values)
    assert read_event(frame) == sas_frames.Event(address, code, values)
    assert whole_size(frame, None) == len(frame)


@pytest.mark.parametrize(
    ("elements", "body"),
    [({}, "00"), ({0: "A B", 2: ""}, "07 00 03 41 20 42 02 00"), ({0x10: "R"}, "03 10 01 52")],
)
def test_the_lines_of_tickets_are_written_by_element(elements: dict[int, str], body: str) -> None:
    """Poll 7C: a length, then code, length and text of each; nothing for an inquiry (section 2.2)."""
    frame = sealed(bytes.fromhex("01 7C " + body))
    assert sas_frames.request(1, 0x7C, elements=elements) == frame
    assert read_request(frame).values == {"elements": elements}


@pytest.mark.parametrize(
    ("command", "size"),
    [
        (0x0F, 28), (0x10, 8), (0x17, 8), (0x18, 8), (0x19, 24), (0x1A, 8), (0x1B, 24), (0x1C, 36), (0x1E, 28),
        (0x1F, 24), (0x2D, 10), (0x3D, 13), (0x48, 10), (0x4C, 10), (0x4D, 35), (0x50, 14), (0x51, 6), (0x52, 22),
        (0x53, 26), (0x55, 6), (0x57, 10), (0x58, 5), (0x7C, 5), (0x7D, 5),
        (0x7E, 11), (0x94, 5), (0xA0, 12), (0xA8, 5), (0xB1, 5),
    ],
)  # fmt: skip
def test_an_answer_has_the_size_of_the_table(command: int, size: int) -> None:
    """The sizes of `protocols.md` section 3 and `sas.md` sections 2 to 5, address and CRC included."""
    assert whole_size(bytes([1, command]), command) == size


def test_a_cut_or_spoilt_answer_is_refused() -> None:
    """A wrong CRC, a body of another size and a poll without a layout are errors, not figures."""
    right = sas_frames.answer(1, 0x1A, credits=500)
    for wrong in (right[:-1] + b"\0", right[:4], sealed(right[:5]), sealed(bytes([1, 0x1D, 0, 0])), b"\x01"):
        with pytest.raises(FrameError):
            read_answer(wrong)
