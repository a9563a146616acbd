"""Frames enciphered under a key of six digits, on the device's side, and a hopper that is asked for a cipher."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.cctalk.encryption import FrameKey
from drivers.simulated.cctalk.frames import Frame, FrameReader, Framing, decode, encode
from drivers.simulated.cctalk.hopper import ZEROS, SimulatedHopper
from tests.rigs.cctalk_host import Host

VECTORS = Path(__file__).parents[2] / "cctalk_vectors.tsv"
KEYS = st.integers(0, 999_999).map("{:06}".format)


def _rows() -> list[list[str]]:
    with VECTORS.open(encoding="utf-8") as lines:
        return [row for row in csv.reader(lines, delimiter="\t") if row and row[0] == "encrypted"]


@pytest.mark.parametrize("row", _rows(), ids=lambda row: f"{row[1]} {row[2]}")
def test_the_specifications_example_and_what_was_caught(row: list[str]) -> None:
    """Each plain frame gives the enciphered one and comes out of it again; the plain one is no frame under the key."""
    key, plain, ciphered = FrameKey(row[1]), bytes.fromhex(row[2]), bytes.fromhex(row[3])
    frame = decode(plain, Framing.CRC16)
    assert frame is not None
    assert encode(frame, key=key) == ciphered
    assert decode(ciphered, Framing.SIMPLE, key) == frame
    assert decode(plain, Framing.SIMPLE, key) is None


@given(KEYS, st.binary(min_size=1, max_size=80))
def test_what_is_enciphered_is_deciphered(digits: str, data: bytes) -> None:
    """By the same key, at the same length."""
    key = FrameKey(digits)
    assert key.decipher(key.encipher(data)) == data


@given(KEYS, st.integers(0, 255), st.binary(max_size=40))
def test_a_reader_with_a_key_reads_such_frames(digits: str, header: int, data: bytes) -> None:
    """Whatever the framing was set to before."""
    reader = FrameReader(40)
    reader.key = FrameKey(digits)
    assert reader.feed(encode(Frame(40, 1, header, data), key=reader.key)) == [Frame(40, 1, header, data)]


@pytest.mark.parametrize("digits", ["", "12345", "1234567", "12345a", "\uff11" * 6])
def test_a_key_has_six_digits(digits: str) -> None:
    """Anything else is refused, and no key is in what is printed of it."""
    with pytest.raises(ValueError, match="six digits"):
        FrameKey(digits)
    assert repr(FrameKey("123456")) == "<FrameKey>"


async def test_a_validator_with_a_key_hears_nothing_else() -> None:
    """The caught question is answered enciphered; plain ones in either framing, and another key's, meet silence."""
    device = SimulatedCctalkBills(returned=lambda _paper: None, stacked=lambda _paper: None)
    device.key = FrameKey("123456")
    host = await Host(device).open()
    for other in ("28 00 01 9F 38", "28 00 31 9F 5D", "28 00 F5 AA D5"):
        assert await host.ask(other) == ""
    answer = bytes.fromhex(await host.ask("28 00 CB D8 FF"))
    assert decode(answer, Framing.SIMPLE, device.key) == Frame(1, 1, 0, bytes(11))


async def test_a_hopper_that_wants_to_be_asked_for_its_cipher() -> None:
    """SCH2 manual, page 59: NAK without the question, a payout after it, and again NAK without a new one."""
    hopper = SimulatedHopper()
    hopper.security, hopper.asks_for_cipher = ZEROS, True
    host = await Host(hopper).open()
    dispense = "03 09 01 A7 00 00 00 00 00 00 00 00 05 47"
    assert await host.ask("03 01 01 A4 A5 B2") == "01 00 03 00 FC"
    assert await host.ask(dispense) == "01 00 03 05 F7"
    assert (await host.ask("03 00 01 A0 5C"))[:11] == "01 08 03 00"
    assert (await host.ask(dispense))[:11] == "01 01 03 00"
    assert await host.ask("03 00 01 A7 55", wait_s=2) == "01 00 03 05 F7"
    assert await host.ask(dispense) == "01 00 03 05 F7"
    assert hopper.paid == 5
