"""ESC/POS on the wire, against `escpos_vectors.tsv`: commands, status bits, answers told apart, and noise."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.escpos import protocol
from drivers.escpos.protocol import IDS, Answer, AnswerParser, Kind, Status, process_id, realtime_status

VECTORS = [
    line.split("\t")
    for line in Path(__file__).parents[1].joinpath("escpos_vectors.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
COMMANDS = {
    **{f"DLE EOT {kind}": realtime_status(kind) for kind in (1, 2, 3, 4)},
    "DLE ENQ 2": protocol.RECOVER,
    "DLE DC4 fn 8": protocol.CLEAR_BUFFERS,
    "ESC @": protocol.INITIALIZE,
    "GS a 0": protocol.NO_AUTOMATIC_STATUS,
    "GS I 66": protocol.MAKER,
    "GS I 67": protocol.MODEL,
    "GS r 1": protocol.TRANSMIT_STATUS,
    "GS ( H fn 48": protocol.report_processed(b"ABCD"),
}
SHOWN = ("fed_by_hand", "paper_low", "paper_out", "cover_open", "cutter_jam", "paper_jam", "head_hot", "failed")
CLEAN = Status(0x12, 0x12, 0x12, 0x12)


def rows(kind: str) -> list[list[str]]:
    """Return the vectors of one kind."""
    return [row[1:] for row in VECTORS if row[0] == kind]


def test_commands_are_those_of_the_reference() -> None:
    """Each command that is sent, byte for byte."""
    written = {name.partition(",")[0].split(" process")[0]: bytes.fromhex(code) for name, code, _ in rows("command")}
    assert written == COMMANDS


@pytest.mark.parametrize(("kind", "code", "holds"), [row[:3] for row in rows("status")])
def test_each_status_bit_means_what_the_reference_says(kind: str, code: str, holds: str) -> None:
    """One status byte beside three that report nothing shows exactly what it stands for."""
    statuses = [0x12] * 4
    statuses[int(kind) - 1] = int(code, 16)
    status = Status(*statuses)
    wanted = set(holds.split()) & set(SHOWN)
    assert {name for name in SHOWN if getattr(status, name)} == wanted
    if kind == "1":
        assert status.online == ("online" in holds)
    assert status.clean == (status.online and wanted <= {"paper_low", "fed_by_hand"})


def test_an_open_cover_is_no_hot_head() -> None:
    """The same bit stands for both (specification of the TM-T88III, status 3, bit 6)."""
    assert not Status(0x1A, 0x56, 0x52, 0x12).head_hot


@pytest.mark.parametrize(("kind", "code", "data"), [row[:3] for row in rows("answer")])
def test_answers_are_told_apart(kind: str, code: str, data: str) -> None:
    """Each comes out as what it is, whether its bytes come at once or one by one."""
    wanted = [Answer(Kind[kind], bytes.fromhex(data))]
    assert AnswerParser().feed(bytes.fromhex(code)) == wanted
    parser = AnswerParser()
    assert [each for byte in bytes.fromhex(code) for each in parser.feed(bytes((byte,)))] == wanted
    assert not parser.inside


@given(st.integers(0, IDS - 1), st.integers(0, 6), st.sampled_from([0x12, 0x1A, 0x32, 0x72, 0x11, 0x13]))
def test_a_status_in_the_middle_of_a_process_id_spoils_neither(number: int, at: int, byte: int) -> None:
    """A real-time status and flow control are sent at once, whatever else is on its way."""
    sent = b"\x37\x22" + process_id(number) + b"\x00"
    answers = AnswerParser().feed(sent[:at] + bytes((byte,)) + sent[at:])
    assert Answer(Kind.PROCESS_ID, process_id(number)) in answers
    assert len(answers) == (1 if byte in (0x11, 0x13) else 2)


def test_no_two_process_ids_are_alike() -> None:
    """All `IDS` of them are four characters that the command allows, and differ."""
    ids = {process_id(number) for number in range(IDS)}
    assert len(ids) == IDS
    assert all(0x20 <= byte <= 0x7E for each in ids for byte in each)


@given(st.binary(max_size=200))
def test_after_noise_an_answer_is_found_again(noise: bytes) -> None:
    """Whatever came before: at the latest the second process ID is read."""
    parser = AnswerParser()
    parser.feed(noise)
    sent = b"\x37\x22ABCD\x00"
    assert Answer(Kind.PROCESS_ID, b"ABCD") in parser.feed(sent + sent)


def test_ten_thousand_random_bytes_are_cut_into_answers_of_every_kind() -> None:
    """No byte is lost or made up, but flow control and the frames around answers."""
    noise = random.Random(20).randbytes(10_000)
    answers = AnswerParser().feed(noise)
    assert {answer.kind for answer in answers} >= {Kind.REALTIME, Kind.TRANSMITTED, Kind.NOISE, Kind.OTHER}
    assert sum(len(answer.data) for answer in answers) <= len(noise)


@pytest.mark.proof
def test_a_million_random_bytes_hold_no_process_id_that_is_looked_for() -> None:
    """A process ID takes seven right bytes in a row: a million random ones have none at all, with this seed."""
    answers = AnswerParser().feed(random.Random(21).randbytes(1_000_000))
    assert [answer for answer in answers if answer.kind is Kind.PROCESS_ID] == []
