"""Every captured frame is decoded to what it means, and encoded again to the same bytes."""

import pytest

from drivers.errors import WireError
from drivers.sas import denominations, frames, meters, transfers
from tests.rigs.sas_answers import read_answer, read_event, read_figures, read_lock_answer, read_row, selecting
from tests.rigs.vectors import vectors

FILES = ("sas.tsv", "sas_extra.tsv")


def captured() -> list[bytes]:
    """Return every captured frame."""
    return [bytes.fromhex(row[0]) for name in FILES for row in vectors(name)]


def again(frame: bytes) -> bytes:
    """Return a frame after its own codec has read and written it: a request's, an event's, or an answer's."""
    if frame[1] == frames.EVENT:
        return read_event(frame).encode()
    try:
        poll = frames.read_poll(frame)
    except WireError:
        return answered_again(frame)
    return CODECS.get(poll.command, plain_again)(frame, poll)


def plain_again(_frame: bytes, poll: frames.Poll) -> bytes:
    """Return a poll without a codec of its own."""
    return poll.raw


def lock_again(_frame: bytes, poll: frames.Poll) -> bytes:
    """Return a frame of poll 74."""
    return transfers.read_lock(poll).encode(poll.address).raw


def denominated_again(frame: bytes, _poll: frames.Poll) -> bytes:
    """Return a frame of poll B0."""
    return denominations.read_denominated(frame).encode()


def transfer_again(frame: bytes, poll: frames.Poll) -> bytes:
    """Return a frame of poll 72, whose answers begin with a position and never with a request's code."""
    try:
        return transfers.read_transfer(poll).encode(poll.address).raw
    except WireError:
        return answered_again(frame)


def selected_again(frame: bytes, poll: frames.Poll) -> bytes:
    """Return a list of meters, or the answer to one, which is longer than any list."""
    try:
        wanted = meters.selection(poll)
    except WireError:
        return answered_again(frame)
    return selecting(poll.address, poll.command, wanted).raw


CODECS = {
    transfers.TRANSFER: transfer_again,
    transfers.LOCK: lock_again,
    denominations.DENOMINATED: denominated_again,
    **dict.fromkeys(meters.MOST, selected_again),
}


def answered_again(frame: bytes) -> bytes:
    """Return an answer of the machine after its codec."""
    address, command = frame[0], frame[1]
    if command == transfers.TRANSFER:
        answer = read_answer(frame)
        return transfers.short_answer(address, *answer) if isinstance(answer, tuple) else answer.encode(address)
    if command == transfers.LOCK:
        return read_lock_answer(frame).encode(address)
    if command in meters.MOST:
        return meters.figures_answer(address, command, read_figures(frame))
    if command == 0x19:
        return read_row(frame).encode()
    raise AssertionError(f"no codec for {frame.hex(' ')}")


def test_every_captured_frame_is_decoded_and_encoded() -> None:
    """The bytes of each are the same after its codec, and there are as many as were captured."""
    found = captured()
    assert len(found) >= 78
    assert found == [again(frame) for frame in found]


def test_every_captured_frame_with_a_wrong_bit_is_refused() -> None:
    """A single flipped bit anywhere after the command spoils the CRC."""
    for frame in captured():
        if len(frame) == frames.HEAD:
            continue
        for at in range(frames.HEAD, len(frame)):
            spoiled = bytearray(frame)
            spoiled[at] ^= 0x10
            assert not frames.is_sealed(bytes(spoiled)), spoiled.hex(" ")


def test_a_captured_transfer_says_what_its_fields_hold() -> None:
    """The known answer to poll 72: 11.00 to the host, done, with its totals (sas.md §1.2)."""
    frame = next(each for each in captured() if each[:3] == bytes.fromhex("01 72 48"))
    answer = read_answer(frame)
    assert isinstance(answer, transfers.TransferAnswer)
    assert (answer.position, answer.status, answer.kind) == (0x2A, transfers.Status.FULL, transfers.IN_HOUSE_OUT)
    assert answer.amounts == transfers.Amounts(cashable=1_100)
    assert (answer.asset, answer.id, answer.at.hex()) == (0x7A, b"3692", "07122020021501")
    assert answer.totals == transfers.Amounts(cashable=12_682_423, restricted=191_740)


def test_a_captured_start_of_a_transfer_says_what_its_fields_hold() -> None:
    """The known cash-in of 51.00 with the id 123458, an expiration and a pool, and no lock timeout (sas.md §1.1)."""
    frame = next(each for each in captured() if each[:3] == bytes.fromhex("01 72 39"))
    request = transfers.read_transfer(frames.read_poll(frame))
    assert isinstance(request, transfers.TransferRequest)
    assert request.amounts == transfers.Amounts(cashable=5_100)
    assert (request.code, request.kind, request.flags, request.asset) == (0, 0, 0x0B, 1)
    assert (request.id, request.expiration.hex(), request.pool.hex()) == (b"123458", "05302016", "0030")
    assert (request.key, request.lock_timeout) == (transfers.NO_KEY, b"")


def test_captured_meters_are_read_with_their_widths() -> None:
    """The ten meters of a captured 2F answer end with its last byte (sas.md §5.2)."""
    frame = next(each for each in captured() if each[:8] == bytes.fromhex("01 2F 38 00 00 A0 00 89"))
    figures = read_figures(frame)
    assert (figures.game, len(figures.values)) == (0, 10)
    assert dict(figures.values)[0xA0] == 89_475_290


def test_a_poll_of_another_length_is_refused() -> None:
    """A poll of type R has no CRC, and one with data has exactly its own length."""
    with pytest.raises(WireError):
        frames.read_poll(bytes.fromhex("01 57 00 00"))
    with pytest.raises(WireError):
        frames.read_poll(frames.sealed(bytes.fromhex("01 01 00")))
