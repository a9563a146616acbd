import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from drivers.cctalk import protocol as cctalk
from drivers.cctalk.bus import ATTEMPTS, REPLY_S, SETTLE_S, Bus
from drivers.cctalk.protocol import Frame, Header
from drivers.clock import LoopClock
from drivers.errors import NoReplyError, PortError, WireError
from drivers.serial_port import SerialPort
from drivers.simulated.cctalk.device import CctalkDevice, Identity, Refusal
from drivers.simulated.line import Line
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Way
from drivers.simulated.pty_line import PtyLine
from tests.rigs.virtual_time import run_virtual

ADDRESS = 2
IDENTITY = Identity(category=b"Coin Acceptor", product=b"TEST", build=b"1", serial=0x123456)
SERIAL_SIZES = range(3, 4)


class Device(CctalkDevice):
    """A device that counts what it is asked."""

    def __init__(self, *, echo: bool = False) -> None:
        super().__init__(ADDRESS, IDENTITY, echo=echo)
        self.asked: list[int] = []

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        self.asked.append(header)
        return super().answer(header, data)


class Scripted:
    """A device that answers each write with the next prepared pieces, each after its delay."""

    def __init__(self, *answers: list[tuple[float, bytes]]) -> None:
        self.answers = list(answers)
        self.heard: list[bytes] = []
        self.line: Line | None = None

    def connect(self, line: Line) -> None:
        self.line = line

    def receive(self, data: bytes) -> None:
        self.heard.append(data)
        for delay_s, piece in self.answers.pop(0) if self.answers else []:
            asyncio.get_running_loop().call_later(delay_s, self._say, piece)

    def power(self, *, on: bool) -> None:
        """Know no difference."""

    def _say(self, piece: bytes) -> None:
        if self.line is not None:
            self.line.send(piece)


def reply(header: int, data: bytes = b"") -> bytes:
    return cctalk.encode(Frame(cctalk.HOST, ADDRESS, header, data))


async def opened(device: Device | Scripted) -> tuple[Bus, MemoryLine]:
    line = MemoryLine(device)
    device.power(on=True)
    bus = Bus(line.port, LoopClock())
    await bus.open()
    return bus, line


@pytest.mark.parametrize("echo", [False, True])
async def test_the_echo_is_found_and_cut_off(*, echo: bool) -> None:
    """A simple poll shows whether the line echoes; data are the same either way."""

    async def scene() -> tuple[bool | None, bytes]:
        bus, _ = await opened(Device(echo=echo))
        await bus.detect_framing(ADDRESS)
        return bus.echo, await bus.request(ADDRESS, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES)

    assert (await scene()) == (echo, bytes.fromhex("56 34 12"))


async def test_the_echo_is_found_on_a_line_without_a_device() -> None:
    """The line's own echo is distinguished from an answer: it is found, and nobody answers."""

    async def scene() -> bool | None:
        device = Device(echo=True)
        bus, _ = await opened(device)
        device.power(on=False)
        with pytest.raises(NoReplyError, match="memory: device 2 does not answer"):
            await bus.detect_framing(ADDRESS)
        return bus.echo

    assert (await scene()) is True


async def test_a_spoilt_echo_fails_the_exchange() -> None:
    """What comes back differently was sent differently, so an answer to it counts for nothing."""

    async def scene() -> list[int]:
        device = Device(echo=True)
        bus, line = await opened(device)
        await bus.detect_framing(ADDRESS)
        line.misbehaviour.inject(Kind.CORRUPT)
        with pytest.raises(WireError, match="collision or a short"):
            await bus.exchange(ADDRESS, Header.CATEGORY)
        return device.asked

    assert (await scene()) == [Header.SIMPLE_POLL, Header.CATEGORY]


async def test_a_spoilt_echo_of_a_pin_names_no_byte_of_it() -> None:
    """The message becomes a fault's words and goes into books and logs: it has request and length alone."""
    bus, line = await opened(Device(echo=True))
    await bus.detect_framing(ADDRESS)
    line.misbehaviour.inject(Kind.CORRUPT)
    with pytest.raises(WireError, match="collision or a short") as caught:
        await bus.exchange(ADDRESS, Header.ENTER_PIN, bytes.fromhex("a1b2c3d4"))
    message = str(caught.value)
    assert f"sent {ADDRESS:02x} 04 ** da ** ** ** ** **, the echo is another" in message
    assert not any(byte in message for byte in ("a1", "b2", "c3", "d4"))


@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize("kind", [Kind.DROP, Kind.CORRUPT, Kind.CUT])
async def test_a_request_is_tried_three_times(kind: Kind, way: Way) -> None:
    """Two bad frames cost time, three are an error that names the port and the device."""

    async def scene(frames: int) -> bytes:
        bus, line = await opened(Device())
        line.misbehaviour.inject(kind, frames, way=way)
        return await bus.request(ADDRESS, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES)

    assert (await scene(ATTEMPTS - 1)) == bytes.fromhex("56 34 12")
    with pytest.raises(NoReplyError, match=r"memory: device 2 does not answer request 242"):
        await scene(ATTEMPTS)


async def test_an_exchange_is_never_repeated() -> None:
    """What must not be sent twice is sent once, answered or not."""

    async def scene() -> list[int]:
        device = Device()
        bus, line = await opened(device)
        line.misbehaviour.inject(Kind.DROP)
        with pytest.raises(NoReplyError):
            await bus.exchange(ADDRESS, Header.RESET)
        await asyncio.sleep(5.0)
        return device.asked

    assert (await scene()) == [Header.RESET]


async def test_a_late_reply_is_not_the_next_questions() -> None:
    """A reply that comes after its time is thrown away, not taken for the answer to what is asked next."""
    late = REPLY_S + SETTLE_S - 0.05

    async def scene() -> bytes:
        bus, _ = await opened(Scripted([(late, reply(0, b"\x01\x01\x01"))], [(0.005, reply(0, b"\x02\x02\x02"))]))
        with pytest.raises(NoReplyError):
            await bus.exchange(ADDRESS, Header.SERIAL_NUMBER)
        return await bus.request(ADDRESS, Header.DISPENSE_COUNT, sizes=SERIAL_SIZES)

    assert (await scene()) == b"\x02\x02\x02"


async def test_a_repeated_reply_is_not_the_next_questions() -> None:
    """The second copy of a reply is thrown away."""

    async def scene() -> tuple[bytes, bytes]:
        once = reply(0, b"\x01\x01\x01")
        bus, _ = await opened(Scripted([(0.005, once + once)], [(0.005, reply(0, b"\x02\x02\x02"))]))
        first = await bus.request(ADDRESS, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES)
        return first, await bus.request(ADDRESS, Header.DISPENSE_COUNT, sizes=SERIAL_SIZES)

    assert (await scene()) == (b"\x01\x01\x01", b"\x02\x02\x02")


@pytest.mark.parametrize(
    ("gap_s", "whole"), [pytest.param(0.04, True, id="slow sender"), pytest.param(0.06, False, id="partial frame")]
)
async def test_bytes_of_a_frame_may_be_fifty_milliseconds_apart(gap_s: float, *, whole: bool) -> None:
    """A slower frame is dropped, and its rest is not the beginning of another."""
    raw = reply(0, b"\x01\x02\x03")

    async def scene() -> bytes:
        pieces = [(0.01, raw[:4]), (0.01 + gap_s, raw[4:])]
        bus, _ = await opened(Scripted(pieces))
        return (await bus.exchange(ADDRESS, Header.SERIAL_NUMBER)).data

    if whole:
        assert (await scene()) == b"\x01\x02\x03"
    else:
        with pytest.raises(NoReplyError):
            await scene()


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(reply(Header.NAK), id="refused"),
        pytest.param(reply(Header.BUSY), id="busy"),
        pytest.param(reply(0, b"\x01"), id="too short"),
    ],
)
async def test_an_answer_that_makes_no_sense_is_an_error(wrong: bytes) -> None:
    """A refusal, a busy device, a wrong length: asked again, and in the end a WireError that shows the frame."""

    async def scene() -> Scripted:
        device = Scripted(*[[(0.005, wrong)]] * ATTEMPTS)
        bus, _ = await opened(device)
        with pytest.raises(WireError, match=wrong.hex(" ")):
            await bus.request(ADDRESS, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES)
        return device

    assert len((await scene()).heard) == ATTEMPTS


async def test_a_reply_of_another_device_is_none() -> None:
    """On a shared line only the asked device's answer counts."""

    async def scene() -> bytes:
        other = cctalk.encode(Frame(cctalk.HOST, 3, 0, b"\x09\x09\x09"))
        bus, _ = await opened(Scripted([(0.005, other + reply(0, b"\x01\x02\x03"))]))
        return (await bus.exchange(ADDRESS, Header.SERIAL_NUMBER)).data

    assert (await scene()) == b"\x01\x02\x03"


@pytest.mark.parametrize(
    ("answers", "expected"), [([1, 1], 1), ([1, 2, 2], 2), ([1, 2, 3, 4, 5, 5], 5), ([1, 2, 1, 2, 1, 2], None)]
)
async def test_figures_are_believed_when_two_reads_agree(answers: list[int], expected: int | None) -> None:
    """One read in 256 with errors passes the checksum; two equal ones in a row do not."""

    async def scene() -> bytes:
        bus, _ = await opened(Scripted(*([(0.005, reply(0, bytes((answer,))))] for answer in answers)))
        return await bus.agreed(ADDRESS, Header.DISPENSE_COUNT, sizes=range(1, 2))

    if expected is None:
        with pytest.raises(WireError, match="differently each time"):
            await scene()
    else:
        assert (await scene()) == bytes((expected,))


@pytest.mark.parametrize(
    ("answers", "expected"), [([1, 2, 3, 4, 5, 6], 5), ([1, 2, 3, 4, 5, 5], 5), ([1, 2, 3, 4, 9, 6], None)]
)
async def test_a_counter_that_runs_faster_than_it_is_read_is_believed_where_the_next_read_bears_it_out(
    answers: list[int], expected: int | None
) -> None:
    """Two equal reads still win; what does not follow from the read before is nonsense as ever."""

    async def scene() -> bytes:
        bus, _ = await opened(Scripted(*([(0.005, reply(0, bytes((answer,))))] for answer in answers)))
        return await bus.agreed(
            ADDRESS, Header.DISPENSE_COUNT, sizes=range(1, 2), follows=lambda before, now: 0 <= now[0] - before[0] <= 2
        )

    if expected is None:
        with pytest.raises(WireError, match="differently each time"):
            await scene()
    else:
        assert (await scene()) == bytes((expected,))


async def test_several_tasks_share_a_line_one_exchange_at_a_time() -> None:
    """Questions of several drivers do not mix on the wire, and each gets its own answer."""

    async def scene() -> list[bytes]:
        bus, _ = await opened(Device())
        anything = range(cctalk.MAX_DATA)
        asked = (Header.CATEGORY, Header.PRODUCT_CODE, Header.BUILD_CODE)
        return await asyncio.gather(*(bus.request(ADDRESS, header, sizes=anything) for header in asked))

    assert (await scene()) == [IDENTITY.category, IDENTITY.product, IDENTITY.build]


async def test_a_line_that_never_falls_silent_is_an_error_and_no_hang() -> None:
    """Under endless noise a request ends in bounded time."""
    chance = random.Random(1)

    async def scene() -> float:
        bus, line = await opened(Scripted())

        async def noise() -> None:
            while True:
                line.port.arrive(chance.randbytes(40))
                await asyncio.sleep(0.005)

        noisy = asyncio.create_task(noise())
        started = LoopClock().now()
        with pytest.raises(NoReplyError):
            await bus.request(ADDRESS, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES)
        noisy.cancel()
        return LoopClock().now() - started

    assert (await scene()) < 10.0


async def test_a_lost_line_is_a_port_error() -> None:
    """An unplugged adapter is no silent device."""
    bus, line = await opened(Device())
    line.unplug()
    with pytest.raises(PortError, match="memory"):
        await bus.request(ADDRESS, Header.SIMPLE_POLL)


async def test_no_attempt_at_all_is_a_mistake() -> None:
    """A request is tried at least once."""

    async def scene() -> None:
        bus, _ = await opened(Device())
        await bus.request(ADDRESS, Header.SIMPLE_POLL, attempts=0)

    with pytest.raises(ValueError, match="at least once"):
        await scene()


@pytest.mark.parametrize("echo", [False, True])
def test_the_bus_works_on_a_real_terminal_twice(tmp_path: Path, *, echo: bool) -> None:
    """The same exchanges through the kernel's pty, and again after the port was opened anew."""

    async def scene() -> list[bytes]:
        device = Device(echo=echo)
        device.power(on=True)
        line = PtyLine(device, tmp_path / "coin")
        answers = []
        for _ in range(2):
            bus = Bus(SerialPort(str(line.link_path)), LoopClock())
            await bus.open()
            await bus.detect_framing(ADDRESS)
            assert bus.echo is echo
            answers.append(await bus.request(ADDRESS, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES))
            bus.close()
        line.unplug()
        return answers

    assert asyncio.run(scene()) == [bytes.fromhex("56 34 12")] * 2


def test_a_device_drops_a_frame_that_comes_too_slowly() -> None:
    """The simulated device keeps the receiver's rule of fifty milliseconds."""

    async def scene(gap_s: float) -> int:
        device = Device()
        line = MemoryLine(device)
        device.power(on=True)
        await line.port.open()
        raw = cctalk.encode(Frame(ADDRESS, cctalk.HOST, Header.SIMPLE_POLL, b""))
        await line.port.write(raw[:3])
        await asyncio.sleep(gap_s)
        await line.port.write(raw[3:])
        await asyncio.sleep(1.0)
        return len(device.asked)

    asked: Callable[[float], int] = lambda gap_s: run_virtual(scene(gap_s))  # noqa: E731
    assert (asked(0.04), asked(0.06)) == (1, 0)
