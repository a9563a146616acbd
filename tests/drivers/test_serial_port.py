import asyncio
import os
import select
from collections.abc import Callable
from pathlib import Path

import pytest

from drivers.errors import PortError
from drivers.port import Port
from drivers.serial_port import SerialPort
from drivers.simulated.line import Line
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.simulated.pty_line import PtyLine


class Parrot:
    """A device that says back whatever it hears."""

    def __init__(self) -> None:
        self.heard = bytearray()
        self.line: Line | None = None

    def connect(self, line: Line) -> None:
        """Remember the line."""
        self.line = line

    def receive(self, data: bytes) -> None:
        """Say `data` back."""
        self.heard += data
        if self.line is not None:
            self.line.send(data)

    def power(self, *, on: bool) -> None:
        """Know no difference."""


async def read_exactly(port: Port, count: int) -> bytes:
    """Return `count` bytes, or what came before the line fell silent for a second."""
    data = b""
    while len(data) < count:
        more = await port.read(1.0)
        if not more:
            break
        data += more
    return data


async def until(holds: Callable[[], bool]) -> None:
    """Give the kernel up to a second to hand bytes over."""
    async with asyncio.timeout(1.0):
        while not holds():  # noqa: ASYNC110  (the kernel sends no event when a pty has handed bytes over)
            await asyncio.sleep(0.001)


def is_waiting(pty: Path) -> bool:
    """Whether something comes to lie in the pty unread: the kernel carries it across in its own time."""
    slave = os.open(pty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return bool(select.select([slave], [], [], 1.0)[0])
    finally:
        os.close(slave)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_every_byte_value_crosses_a_pty_both_ways(tmp_path: Path) -> None:
    """A pty is raw: no byte is translated, echoed or swallowed."""

    async def scene() -> bytes:
        device = Parrot()
        line = PtyLine(device, tmp_path / "coin")
        port = SerialPort(str(tmp_path / "coin"))
        await port.open()
        await port.write(bytes(range(256)))
        answer = await read_exactly(port, 256)
        port.close()
        line.unplug()
        return answer

    assert bytes(range(256)) == asyncio.run(scene())


def test_a_pty_can_be_opened_a_second_time(tmp_path: Path) -> None:
    """A driver that restarts opens the same pty again, and hears nothing of before."""

    async def scene() -> list[bytes]:
        device = Parrot()
        line = PtyLine(device, tmp_path / "bill")
        port = SerialPort(str(tmp_path / "bill"))
        answers = []
        for word in (b"first", b"second", b"third"):
            await port.open()
            await port.write(word)
            answers.append(await read_exactly(port, len(word)))
            for _ in range(20):
                await port.write(b"stale")
                await until(lambda: device.heard.endswith(b"stale"))
                if is_waiting(tmp_path / "bill"):
                    break
            else:
                raise AssertionError("nothing lies unread in the pty")
            port.close()
        line.unplug()
        return answers

    assert asyncio.run(scene()) == [b"first", b"second", b"third"]


def test_an_even_parity_port_on_a_pty_says_what_to_change(tmp_path: Path) -> None:
    """A pty refuses parity at the second opening at the latest, and the error names path and mend."""

    async def scene() -> None:
        line = PtyLine(Parrot(), tmp_path / "bill")
        port = SerialPort(str(tmp_path / "bill"), parity="even")
        try:
            for _ in range(2):
                await port.open()
                port.close()
        finally:
            line.unplug()

    with pytest.raises(PortError, match=r'bill cannot be opened .*parity = "none" in cabinet\.toml'):
        asyncio.run(scene())


def test_a_missing_port_says_which_and_what_to_do(tmp_path: Path) -> None:
    """The error of a port that is not there names its path and the mend."""
    port = SerialPort(str(tmp_path / "nothing"))
    with pytest.raises(PortError, match=r"nothing cannot be opened .*plug the adapter in"):
        asyncio.run(port.open())


def test_a_file_that_is_no_port_is_refused(tmp_path: Path) -> None:
    """A path that names an ordinary file is an error, and leaves no file open."""
    (tmp_path / "file").write_bytes(b"")
    before = open_files()
    with pytest.raises(PortError, match="file cannot be opened"):
        asyncio.run(SerialPort(str(tmp_path / "file")).open())
    assert before == open_files()


def test_a_port_is_opened_by_one_only(tmp_path: Path) -> None:
    """A second opener is refused as long as the first holds the port."""

    async def scene() -> None:
        line = PtyLine(Parrot(), tmp_path / "coin")
        first, second = SerialPort(str(tmp_path / "coin")), SerialPort(str(tmp_path / "coin"))
        await first.open()
        try:
            with pytest.raises(PortError, match="another program has it open"):
                await second.open()
            with pytest.raises(PortError, match="already open"):
                await first.open()
            first.close()
            await second.open()
        finally:
            first.close()
            second.close()
            line.unplug()

    asyncio.run(scene())


def test_silence_reads_as_nothing(tmp_path: Path) -> None:
    """A silent line is no error."""

    async def scene() -> tuple[bytes, bytes]:
        line = PtyLine(Parrot(), tmp_path / "coin")
        port = SerialPort(str(tmp_path / "coin"))
        await port.open()
        silence = (await port.read(0.01), await port.read(0))
        port.close()
        line.unplug()
        return silence

    assert asyncio.run(scene()) == (b"", b"")


def test_a_pulled_adapter_fails_a_waiting_read_and_comes_back(tmp_path: Path) -> None:
    """Unplugging ends the read with an error, closes every file, and plugging in again works."""

    async def scene() -> bytes:
        line = PtyLine(Parrot(), tmp_path / "coin")
        port = SerialPort(str(tmp_path / "coin"))
        await port.open()
        reading = asyncio.create_task(port.read(5.0))
        await asyncio.sleep(0)
        line.unplug()
        with pytest.raises(PortError, match="coin"):
            await reading
        with pytest.raises(PortError, match="closed"):
            await port.write(b"x")
        with pytest.raises(PortError, match="plug the adapter in"):
            await port.open()
        line.plug()
        await port.open()
        await port.write(b"again")
        answer = await read_exactly(port, 5)
        port.close()
        line.unplug()
        return answer

    before = open_files()
    assert asyncio.run(scene()) == b"again"
    assert before == open_files()


def test_closing_fails_a_waiting_read(tmp_path: Path) -> None:
    """`stop()` of a driver ends its read at once, and closing twice is harmless."""

    async def scene() -> None:
        line = PtyLine(Parrot(), tmp_path / "coin")
        memory = MemoryLine(Parrot())
        for port in (SerialPort(str(tmp_path / "coin")), memory.port):
            await port.open()
            reading = asyncio.create_task(port.read(60.0))
            await asyncio.sleep(0)
            port.close()
            port.close()
            with pytest.raises(PortError, match="the port is closed"):
                await reading
        line.unplug()

    asyncio.run(scene())


def test_a_port_that_takes_nothing_is_lost(tmp_path: Path) -> None:
    """Writing to a line whose far end has stopped reading fails instead of hanging."""

    async def scene() -> None:
        master, slave = os.openpty()
        (tmp_path / "stuck").symlink_to(os.ttyname(slave))
        port = SerialPort(str(tmp_path / "stuck"))
        await port.open()
        try:
            with pytest.raises(PortError, match="took no bytes"):
                await port.write(bytes(1 << 20))
        finally:
            port.close()
            os.close(master)
            os.close(slave)

    asyncio.run(scene())


async def test_a_memory_line_carries_both_ways_and_comes_back() -> None:
    """The line in memory behaves like a port: exclusive, lost when unplugged, opened again when plugged."""

    async def scene() -> list[bytes]:
        line = MemoryLine(Parrot())
        port = line.port
        await port.open()
        with pytest.raises(PortError, match="already open"):
            await port.open()
        await port.write(b"one")
        heard = [await port.read(1.0), await port.read(0.5)]
        line.unplug()
        with pytest.raises(PortError, match="closed"):
            await port.read(1.0)
        with pytest.raises(PortError, match="plug the line in"):
            await port.open()
        line.plug()
        await port.open()
        await port.write(b"two")
        return [*heard, await port.read(1.0)]

    assert (await scene()) == [b"one", b"", b"two"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Kind.DROP, [b"", b"money"]),
        (Kind.REPEAT, [b"moneymoney", b"money"]),
        (Kind.DELAY, [b"", b"moneymoney"]),
    ],
)
@pytest.mark.parametrize("way", list(Way))
async def test_the_next_frame_only_goes_wrong(kind: Kind, way: Way, expected: list[bytes]) -> None:
    """An order concerns as many frames as it says, in its direction, and then the line behaves."""

    async def scene() -> list[bytes]:
        misbehaviour = Misbehaviour(delay_s=0.3)
        line = MemoryLine(Parrot(), misbehaviour)
        await line.port.open()
        misbehaviour.inject(kind, way=way)
        heard = []
        for pause in (0.1, 0.4):
            await line.port.write(b"money")
            await asyncio.sleep(pause)
            heard.append(await line.port.read(0))
        return heard

    assert expected == (await scene())


def test_a_spoilt_frame_is_never_the_frame() -> None:
    """A corrupted frame differs in one bit, a cut one lacks its end, noise surrounds a whole frame."""
    misbehaviour = Misbehaviour()
    frame = bytes(range(10))
    for _ in range(200):
        misbehaviour.inject(Kind.CORRUPT)
        misbehaviour.inject(Kind.CUT)
        misbehaviour.inject(Kind.NOISE)
        (_, spoilt), (_, cut), (_, noisy) = (misbehaviour.mangle(Way.TO_HOST, frame)[0] for _ in range(3))
        assert sum((a ^ b).bit_count() for a, b in zip(frame, spoilt, strict=True)) == 1
        assert cut == frame[: len(cut)]
        assert len(cut) < len(frame)
        assert frame in noisy
        assert len(noisy) > len(frame)


def test_orders_can_be_taken_back() -> None:
    """After `forget` every frame passes; an order for no frame at all is refused."""
    misbehaviour = Misbehaviour()
    misbehaviour.inject(Kind.DROP, 3)
    misbehaviour.forget()
    assert misbehaviour.mangle(Way.TO_HOST, b"x") == [(0.0, b"x")]
    with pytest.raises(ValueError, match="at least one"):
        misbehaviour.inject(Kind.DROP, 0)
