"""Readers by a second author: the drivers against vectors and simulated devices that were written without them."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress

import pytest

from drivers.cards.contactless import GET_UID, ContactlessReader
from drivers.cards.keys import CHARACTERS, CHORDS, ENDS, SHIFTS, SIGNS
from drivers.cards.listener import is_card_number
from drivers.cards.pcsc import PcscTerminal
from drivers.cards.terminal import CardGoneError
from drivers.cards.wedge import EVENT, QUIET_S, Wedge
from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.input_port import EVIOCGRAB
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.card_box import CardBox
from tests.rigs.hid_wedge import CONSTANT, DROPPED, LEFT_SHIFT, NONE, ROWS, SYN, event, events, report, typed
from tests.rigs.picc_reader import PiccReader
from tests.rigs.silent import Silent

USAGES = [row for row in ROWS if row[0] == "usage"]
ANSWERS = [row for row in ROWS if row[0] == "answer"]
RECORDED = [row for row in ROWS if row[0] == "recorded"]
REPORTS = [row for row in ROWS if row[0] == "report"]
PHANTOM = bytes.fromhex("0000010101010101")
QEMU = {"ret": "ENTER"}

UID = bytes.fromhex("04A1B2C3D4E5F6")


@asynccontextmanager
async def reading() -> AsyncIterator[tuple[MemoryLine, CardBox]]:
    """A wedge's line with its driver running."""
    line, box = MemoryLine(Silent()), CardBox()
    driver = Wedge(line.port, LoopClock(), box)
    task = asyncio.create_task(driver.run())
    await asyncio.sleep(2 * QUIET_S)
    try:
        yield line, box
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        driver.stop()


async def read(*packets: bytes) -> list[str]:
    """Return what the driver makes of these events, then of a card of a good number."""
    async with reading() as (line, box):
        for packet in packets:
            line.send(packet)
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)
        seen = list(box.seen)
        line.send(b"".join(events(typed(*"4711", "ENTER"))))
        await asyncio.sleep(0.01)
        assert box.seen == [*seen, "4711"], "the next card is read right"
    return seen


def packets(reports: Iterable[bytes]) -> list[bytes]:
    """Return the events of these reports, one packet each."""
    return list(events(reports))


def test_the_kernels_constants() -> None:
    """The grab, the size of an event and the command for a number are those of their sources."""
    assert CONSTANT["EVIOCGRAB"] == EVIOCGRAB
    assert CONSTANT["EVENT_BYTES"] == EVENT.size == len(SYN)
    assert CONSTANT["GET_UID"] == int.from_bytes(GET_UID)


@pytest.mark.parametrize("row", USAGES, ids=lambda row: row[2])
def test_each_key_types_what_it_says(row: list[str]) -> None:
    """Letters and digits are themselves, Enter and Tab end, nothing else counts as either."""
    _, _usage, _name, code, types, _source = row
    assert (int(code) in ENDS) is (types == "end")
    assert CHARACTERS.get(int(code), "") == (types if len(types) == 1 else "")
    assert (int(code) in SIGNS, int(code) in SHIFTS, int(code) in CHORDS) == tuple(
        types == kind for kind in ("sign", "shift", "chord")
    )


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: row[1])
async def test_what_the_kernel_made_of_typed_keys(row: list[str]) -> None:
    """Events as Debian's kernel gave them to a reader of its device."""
    _, _keys, number, hex_, _source = row
    data = bytes.fromhex(hex_)
    assert await read(data) == [number]
    assert await read(*(data[at : at + 24] for at in range(0, len(data), 24))) == [number]


def pressed(keys: str) -> Iterable[bytes]:
    """Yield the reports of keys as qemu's `sendkey` names them."""
    for name in keys.split():
        *shift, key = name.split("-")
        if shift:
            yield report(modifiers=LEFT_SHIFT)
            yield report(QEMU.get(key, key.upper()), modifiers=LEFT_SHIFT)
            yield report(modifiers=LEFT_SHIFT)
            yield NONE
        else:
            yield from typed(QEMU.get(key, key.upper().replace("_", "")))


@pytest.mark.parametrize("row", [row for row in RECORDED if "hold" not in row[1]], ids=lambda row: row[1])
def test_the_simulated_wedge_is_as_the_kernel(row: list[str]) -> None:
    """What this page's reports become is what the kernel gave for the same keys."""
    assert b"".join(events(pressed(row[1]))) == bytes.fromhex(row[3])


async def test_numbers_as_wedges_type_them() -> None:
    """Digits, hex in either case, keypad; each with its own end."""
    assert await read(*packets(typed(*"0012345678", "ENTER"))) == ["0012345678"]
    assert await read(*packets(typed("KP0", "KP0", "KP1", "KP7", "KPENTER"))) == ["0017"]
    assert await read(*packets([*typed(*"04"), *typed("A", modifiers=LEFT_SHIFT), *typed("1", "TAB")])) == ["04A1"]
    assert await read(*packets(typed(*"04A1", "TAB"))) == ["04A1"]


async def test_keys_that_overlap() -> None:
    """The next key is down before the last is up: fast wedges do that."""
    reports = [report("1"), report("1", "2"), report("2"), report("2", "3"), report("3", "4"), report("ENTER"), NONE]
    assert await read(*packets(reports)) == ["1234"]


async def test_a_key_that_repeats_counts_once() -> None:
    """The kernel repeats a key that stays down; the card has it once."""
    one = CONSTANT["PRESSED"]
    again = event("EV_KEY", one + 1, CONSTANT["REPEATED"]) + event("EV_SYN", 0, 1)
    first, *rest = packets(typed(*"1234", "ENTER"))
    assert await read(first, again, again, *rest) == ["1234"]


@pytest.mark.parametrize("sign", [row[2].removeprefix("KEY_") for row in USAGES if row[4] == "sign"])
async def test_signs_part_and_are_no_characters(sign: str) -> None:
    """12-34 is not 123-4; before and after a number they are sentinels of a magnetic stripe."""
    assert await read(*packets(typed("1", "2", sign, sign, "3", "4", "ENTER"))) == ["12-34"]
    assert await read(*packets(typed(sign, *"1234", sign, "ENTER"))) == ["1234"]


@pytest.mark.parametrize("key", "1234567890")
async def test_a_shifted_digit_is_a_sign_of_a_stripe_or_unread(key: str) -> None:
    """A magnetic stripe's % is Shift and 5 on the US layout, its ^ Shift and 6; signs alone are no number, and said."""
    sign = [*typed(key, modifiers=LEFT_SHIFT)]
    assert await read(*packets([*sign, *typed(*"123456", "ENTER")])) == ["123456" if key in "56" else ""]
    assert await read(*packets([*typed(*"12"), *sign, *typed(*"3456", "ENTER")])) == ["12-3456" if key == "6" else ""]
    assert await read(*packets([*sign, *sign, *typed("ENTER")])) == [""]


@pytest.mark.parametrize("modifiers", [0x01, 0x04, 0x08, 0x10, 0x40, 0x80])
async def test_chords_make_no_number(modifiers: int) -> None:
    """Control, Alt (some readers type characters by their numbers with it) and Meta: not what the keys say."""
    assert await read(*packets([*typed("KP4", "KP8", "KP4", "KP9", modifiers=modifiers), *typed("ENTER")])) == [""]


async def test_locks_change_nothing() -> None:
    """Caps Lock and Num Lock, which a wedge may set before it types, and lamps."""
    lamp = event("EV_LED", 1, 1) + SYN
    assert await read(lamp, *packets(typed("CAPSLOCK", "NUMLOCK", *"04A1", "CAPSLOCK", "ENTER"))) == ["04A1"]


async def test_ends_alone_are_no_card() -> None:
    """Enter and a line feed's second end: nothing was presented."""
    assert await read(*packets(typed("ENTER", "ENTER", "TAB"))) == []
    assert await read(*packets(typed(*"1234", "ENTER", "ENTER"))) == ["1234"]


@pytest.mark.parametrize("at", range(5))
async def test_lost_events_lose_the_number(at: int) -> None:
    """After SYN_DROPPED what was typed is not known; what follows up to SYN_REPORT is to be ignored."""
    whole = packets(typed(*"12345678", "ENTER"))
    keys = [event("EV_KEY", 5, CONSTANT["PRESSED"]), b""]
    assert await read(*whole[:at], DROPPED + keys[at % 2] + SYN, *whole[at:]) == [""]


@pytest.mark.parametrize("row", REPORTS, ids=lambda row: row[2])
def test_reports_are_the_specifications(row: list[str]) -> None:
    """The simulated wedge's reports have the form of boot keyboards."""
    made = {
        "no key": NONE,
        "1": report("1"),
        "1 and 2 held at once": report("1", "2"),
        "too many keys at once": PHANTOM,
    }
    made["A with the left shift key"] = report("A", modifiers=LEFT_SHIFT)
    assert made[row[2]] == bytes.fromhex(row[1])


async def test_too_many_keys_at_once_is_nothing() -> None:
    """A wedge's ErrorRollOver is no key."""
    assert await read(*packets([*typed(*"12"), PHANTOM, *typed(*"34", "ENTER")])) == ["1234"]


async def laid(reader: PiccReader, *uids: bytes) -> list[str]:
    """Return what the driver makes of cards laid on one after the other."""
    box = CardBox()
    driver = ContactlessReader(reader, "ACR1281", LoopClock(), box)
    task = asyncio.create_task(driver.run())
    await asyncio.sleep(0.01)
    for uid in uids:
        reader.lay(uid)
        await asyncio.sleep(0.01)
        reader.take()
        await asyncio.sleep(0.01)
    assert not task.done()
    task.cancel()
    await asyncio.wait({task})
    return box.seen


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: row[1])
async def test_answers_are_numbers_or_none(row: list[str]) -> None:
    """Whole numbers are read; failures, warnings of damage and numbers that are no card's are none."""
    _, answer, number, _source = row
    assert await laid(PiccReader(answer=bytes.fromhex(answer)), UID) == [number]
    assert not number or is_card_number(number)


@pytest.mark.parametrize("le_is_a_length", [False, True])
async def test_readers_that_take_le_as_a_length(*, le_is_a_length: bool) -> None:
    """One of them asks for the right length; the number is the same."""
    reader = PiccReader(le_is_a_length=le_is_a_length)
    assert await laid(reader, UID, UID[:4], UID) == [UID.hex().upper(), UID[:4].hex().upper(), UID.hex().upper()]
    assert reader.asked[0] == GET_UID


class Functions:
    """pyscard's functions: one card lies there, and reading it ends with `result`."""

    SCARD_S_SUCCESS = SCARD_SCOPE_SYSTEM = SCARD_SHARE_SHARED = SCARD_LEAVE_CARD = SCARD_PCI_T0 = SCARD_PCI_T1 = 0
    SCARD_PROTOCOL_T0, SCARD_PROTOCOL_T1 = 1, 2

    def __init__(self, result: int) -> None:
        self._result = result
        vars(self).update({row[1]: int(row[2], 16) for row in ROWS if row[0] == "pcsc"})

    def SCardEstablishContext(self, _scope: int) -> tuple[int, int]:  # noqa: N802 - pyscard's names, as below
        return 0, 1

    def SCardConnect(self, *_arguments: object) -> tuple[int, int, int]:  # noqa: N802
        return 0, 1, self.SCARD_PROTOCOL_T1

    def SCardTransmit(self, *_arguments: object) -> tuple[int, list[int]]:  # noqa: N802
        return self._result, []

    def SCardDisconnect(self, *_arguments: object) -> None:  # noqa: N802
        pass

    def SCardGetErrorMessage(self, result: int) -> str:  # noqa: N802
        return hex(result)

    def SCardCancel(self, _context: int) -> None:  # noqa: N802
        pass

    def SCardReleaseContext(self, _context: int) -> None:  # noqa: N802
        pass


@pytest.mark.parametrize("row", [row for row in ROWS if row[0] == "pcsc"], ids=lambda row: row[1])
async def test_a_card_that_goes_is_not_a_lost_reader(row: list[str]) -> None:
    """What a card does is no fault of the reader: only the others end the driver."""
    terminal = PcscTerminal(Functions(int(row[2], 16)))
    await terminal.open()
    with pytest.raises(CardGoneError if row[3] == "gone" else PortError):
        await terminal.transmit("reader", GET_UID)
    terminal.close()


class Hanging(Functions):
    """A service that does not answer when it is left, until it is `woken`."""

    def __init__(self) -> None:
        super().__init__(0)
        self.woken = threading.Event()
        self.left = threading.Event()

    def SCardReleaseContext(self, _context: int) -> None:  # noqa: N802
        self.woken.wait(60.0)
        self.left.set()


async def test_a_service_that_hangs_holds_up_nobody() -> None:
    """The driver is closed at once, and what it had is released when the service goes on."""
    service = Hanging()
    terminal = PcscTerminal(service)
    await terminal.open()
    terminal.close()
    assert not service.left.is_set()
    service.woken.set()
    assert service.left.wait(60.0)
