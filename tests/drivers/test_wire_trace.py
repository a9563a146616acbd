"""The trace of a serial line: bounded, timed, and costing nothing while nobody looks (T.14)."""

import asyncio
import logging

import pytest

from drivers.cctalk.protocol import HOST, Frame, Header, encode, encode_crc
from drivers.clock import LoopClock
from drivers.exchange_log import ExchangeLog
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.line import Line
from drivers.simulated.memory_line import MemoryLine
from drivers.wire_trace import GAP_S, KEPT, LONGEST, TracedPort


class Parrot:
    """Answers each frame with `pieces`, one after the other."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces
        self.line: Line | None = None

    def connect(self, line: Line) -> None:
        self.line = line

    def power(self, *, on: bool) -> None:
        del on

    def receive(self, data: bytes) -> None:
        del data
        for number, piece in enumerate(self.pieces):
            assert self.line is not None
            asyncio.get_running_loop().call_later(number * GAP_S / 2, self.line.send, piece)


def traced(parrot: Parrot) -> TracedPort:
    return TracedPort(MemoryLine(parrot, path="tty").port, LoopClock())


async def talk(port: TracedPort, question: bytes, seconds: float = 0.2) -> bytes:
    """Ask, and read until nothing more comes."""
    await port.write(question)
    heard = b""
    while data := await port.read(seconds):
        heard += data
    return heard


async def test_a_watched_port_keeps_both_ways_with_their_times() -> None:
    """What comes in pieces is one frame; what the driver hears is what came."""
    port = traced(Parrot(b"\x01\x02", b"\x03"))
    await port.open()
    port.watch(on=True)
    assert await talk(port, b"\xfc\x05") == b"\x01\x02\x03"
    await asyncio.sleep(1.0)
    await talk(port, b"\xfc\x06")
    frames = [(frame.way, frame.text) for frame in port.frames]
    assert frames == [("out", "FC 05"), ("in", "01 02 03"), ("out", "FC 06"), ("in", "01 02 03")]
    times = [frame.at for frame in port.frames]
    assert times == sorted(times)
    assert times[2] - times[0] > 1.0


async def test_an_unwatched_port_keeps_nothing() -> None:
    """Bytes pass through, and nothing of them is kept."""
    port = traced(Parrot(b"\x01\x02"))
    await port.open()
    assert (await talk(port, b"\xff"), port.frames) == (b"\x01\x02", ())
    port.watch(on=True)
    port.watch(on=False)
    assert (await talk(port, b"\xff"), port.frames) == (b"\x01\x02", ())


async def test_a_trace_is_bounded() -> None:
    """The oldest frames go, and a babbling line fills no memory."""
    port = traced(Parrot(bytes(LONGEST), bytes(LONGEST)))
    await port.open()
    port.watch(on=True)
    for _ in range(KEPT):
        await talk(port, b"\xff")
    assert len(port.frames) == KEPT
    assert max(len(frame.data) for frame in port.frames) == LONGEST


async def test_a_trace_that_ends_in_the_middle_of_a_read_keeps_nothing() -> None:
    """The read that was under way when watching ended still brings its bytes."""
    port = traced(Parrot(b"\x01"))
    await port.open()
    port.watch(on=True)
    reading = asyncio.ensure_future(port.read(1.0))
    await asyncio.sleep(0.1)
    port.watch(on=False)
    await port.write(b"\xff")
    assert (await reading, port.frames) == (b"\x01", ())


async def test_a_port_of_a_device_can_be_watched_while_it_is_served() -> None:
    """Opening and closing pass through; a lost line is lost for the traced port too."""
    line = MemoryLine(SimulatedHopper(), path="tty")
    port = TracedPort(line.port, LoopClock())
    await port.open()
    port.close()
    await port.open()
    assert "tty" in repr(port)


PIN = bytes.fromhex("a1b2c3d4")


@pytest.mark.parametrize(
    "encoded", [encode(Frame(3, HOST, Header.ENTER_PIN, PIN)), encode_crc(3, Header.ENTER_PIN, PIN)]
)
@pytest.mark.parametrize("broken", [False, True])
async def test_a_pin_is_in_no_trace(encoded: bytes, *, broken: bool) -> None:
    """Neither what was sent nor its echo, in pieces and with a wrong bit; the next frames are whole again."""
    echo = encoded[:4] + bytes((encoded[4] ^ broken,)) + encoded[5:]
    parrot = Parrot(echo[:6], echo[6:], b"\x01\x00\x03\x00\xfc")
    port = traced(parrot)
    await port.open()
    port.watch(on=True)
    await talk(port, encoded)
    frames = "".join(frame.text for frame in port.frames)
    assert [frame.text for frame in port.frames] == ["03 04 ** DA ** ** ** ** **", " ".join(["**"] * 14)]
    assert not any(byte in frame.data for frame in port.frames for byte in PIN), frames
    parrot.pieces = (b"\x01\x00\x03\x00\xfc",)
    await talk(port, b"\x03\x00\x01\xfe\xfe")
    assert [frame.text for frame in port.frames][2:] == ["03 00 01 FE FE", "01 00 03 00 FC"]


@pytest.mark.parametrize("cut", range(1, 18))
async def test_a_ticket_s_number_is_in_no_trace(cut: int) -> None:
    """Wherever a read ends: of a barcode the last four digits are shown, of shorter figures all."""
    number = b"001234567890123456"
    port = traced(Parrot(b"\x13\x6f" + number[:cut], number[cut:] + b"\x03"))
    await port.open()
    port.watch(on=True)
    await talk(port, b"\xfc 28600123456 ")
    texts = [frame.text for frame in port.frames]
    assert texts == ["FC 20 32 38 36 30 30 31 32 33 34 35 36 20", f"13 6F {'** ' * 14}33 34 35 36 03"]


def test_bytes_that_are_no_frame_are_logged_without_the_number(caplog: pytest.LogCaptureFixture) -> None:
    """A spoilt answer with a barcode is a warning with its other bytes."""
    log = ExchangeLog(logging.getLogger("drivers.test"))
    log.answered("tty")
    log.wrong("tty", b"\xff001234567890123456\x00")
    assert caplog.messages == [f"tty: wrong frame: FF {'** ' * 14}33 34 35 36 00"]


async def test_a_trace_that_begins_after_a_pin_was_sent_shows_no_echo_of_it() -> None:
    """What comes before the first frame that the trace has seen is not kept."""
    port = traced(Parrot(encode(Frame(3, HOST, Header.ENTER_PIN, PIN))))
    await port.open()
    await port.write(b"\x00")
    port.watch(on=True)
    await port.read(0.2)
    assert [frame.text for frame in port.frames] == [" ".join(["**"] * 9)]
