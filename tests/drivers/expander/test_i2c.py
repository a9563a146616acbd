"""The kernel's I2C bus as the expanders' drivers use it, on a library that writes down what it is asked."""

import errno

import pytest

from drivers.errors import PortError
from drivers.expander.chip import ExpanderChip
from drivers.expander.i2c import KernelBus


class Message:
    """One I2C message: bytes to a device, or room for bytes from it."""

    def __init__(self, address: int, data: bytes, *, reads: bool) -> None:
        self.address = address
        self.data = data
        self.reads = reads

    def __bytes__(self) -> bytes:
        return self.data


class i2c_msg:  # noqa: N801 - the library's own name
    """How the library makes messages."""

    @staticmethod
    def write(address: int, data: bytes) -> Message:
        """A message to a device."""
        return Message(address, bytes(data), reads=False)

    @staticmethod
    def read(address: int, count: int) -> Message:
        """Room for an answer."""
        return Message(address, bytes(count), reads=True)


class Library:
    """What smbus2 offers of a bus, with one device that answers 1, 2, 3, ..."""

    i2c_msg = i2c_msg

    def __init__(self, *, missing: bool = False) -> None:
        self.fd: int | None = None
        self.missing = missing
        self.opened: list[int] = []
        self.transfers: list[list[tuple[int, bytes, bool]]] = []

    def SMBus(self) -> "Library":  # noqa: N802 - the library's own name
        """The bus itself."""
        return self

    def open(self, number: int) -> None:
        """Open the kernel's device."""
        if self.missing:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", f"/dev/i2c-{number}")
        self.opened.append(number)
        self.fd = 3

    def close(self) -> None:
        """Close it."""
        self.fd = None

    def i2c_rdwr(self, *messages: Message) -> None:
        """One transfer of all messages, with repeated starts."""
        self.transfers.append([(message.address, message.data, message.reads) for message in messages])
        for message in messages:
            if message.reads:
                message.data = bytes(range(1, len(message.data) + 1))


def test_registers_are_written_and_read_in_one_transfer_each() -> None:
    """Register number first; a read is its write and the answer with no stop between, and the bus opens once."""
    library = Library()
    bus = KernelBus(1, library)
    assert library.opened == []
    bus.write(0x20, 0x14, b"\xaa\x55")
    assert bus.read(0x21, 0x0A, 3) == b"\x01\x02\x03"
    assert library.transfers == [
        [(0x20, b"\x14\xaa\x55", False)],
        [(0x21, b"\x0a", False), (0x21, bytes(3), True)],
    ]
    assert library.opened == [1]


def test_a_closed_bus_opens_again() -> None:
    """With the next transfer; closing twice is no error."""
    library = Library()
    bus = KernelBus(1, library)
    bus.write(0x20, 0, b"\0")
    bus.close()
    bus.close()
    bus.write(0x20, 0, b"\0")
    assert library.opened == [1, 1]


def test_a_bus_that_is_not_switched_on_says_how_to() -> None:
    """The expander is lost, and its fault names the line that config.txt lacks."""
    chip = ExpanderChip("x20", KernelBus(1, Library(missing=True)))
    with pytest.raises(
        PortError, match=r"expander 0x20 .*there is no /dev/i2c-1; add dtparam=i2c_arm=on to config.txt"
    ):
        chip.begin()


def test_whether_anybody_answers_is_asked_by_reading_one_byte() -> None:
    """Nothing is written to whoever may be there; nobody is False, a missing bus is an error."""
    library = Library()
    assert KernelBus(1, library).answers(0x27)
    assert library.transfers == [[(0x27, b"\x00", True)]]

    class Nobody(Library):
        def i2c_rdwr(self, *_messages: Message) -> None:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    assert not KernelBus(1, Nobody()).answers(0x27)
    with pytest.raises(OSError, match="add dtparam=i2c_arm=on"):
        KernelBus(1, Library(missing=True)).answers(0x27)
