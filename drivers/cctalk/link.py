"""The way to one ccTalk device: finding it, knowing it, and saying that it is there."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple

from drivers.capabilities import DeviceLog
from drivers.cctalk.bus import ATTEMPTS, SETTLE_S, Bus
from drivers.cctalk.protocol import MAX_DATA, Header
from drivers.device_words import readable
from drivers.errors import IdentityError, NoReplyError, WireError

_log = logging.getLogger(__name__)

SERIAL_SIZES = range(3, 4)
CATEGORY_TRIES: Final = 6
TEXT_SIZES = range(MAX_DATA + 1)
USUAL_ADDRESSES = (2, 3, 40)
"""Where coin acceptors, hoppers and bill validators are found (protocols.md, 1, "Framing")."""

ALIKE: Final = {"Bill Validator": ("bill validator", "bill acceptor")}
"""Categories that the specification names in several ways, in any case (protocols.md, 1, "Bill validator ...")."""

# What the end of a driver's run is reported as, by whoever runs it.
LINK_FAULTS = ("port_lost", "no_reply", "comm_error", "wrong_device", "wrong_currency")


class Identity(NamedTuple):
    """What a device says about itself; empty where it does not answer."""

    category: str
    product: str
    build: str
    manufacturer: str
    serial: int
    software: str
    comms: bytes

    def __str__(self) -> str:
        named = " ".join(filter(None, (self.manufacturer, self.product, self.build))) or self.category
        software = f", software {self.software}" if self.software else ""
        return f"{named}, serial number {self.serial}{software}"


async def reached(bus: Bus, address: int, *, category: str, serial: int) -> int:
    """Return the serial number of the device at `address` on `bus`, which is open, asking nothing else of it.

    For a device that may be taking money: what it holds is read, and it is inhibited, before it is asked who it is.
    `serial` is the configured one, 0 for any. Raise `IdentityError` where the device has another serial number, or
    where another device answers on a line of its own, and what the bus raises.
    """
    async with _no_stranger(bus, address, category):
        try:
            return await _serial_number(bus, address, serial)
        except NoReplyError:
            # It may have its frames in another way than the one that we tried.
            await bus.find_way(address)
            return await _serial_number(bus, address, serial)


async def refuse_other_kind(bus: Bus, address: int, category: str) -> None:
    """Raise `IdentityError` where the device at `address` says that it is of another category; it may be silent."""
    with suppress(NoReplyError, WireError):
        _require_kind(bus, address, category, await category_of(bus, address, tries=1, attempts=1))


async def identity_of(bus: Bus, address: int, *, category: str, number: int) -> Identity:
    """Ask the device that was `reached` who it is; `number` is its serial number.

    Raise `IdentityError` where it is not of `category`, and what the bus raises.
    """
    kind, product, build, manufacturer = await _names(bus, address, category)
    return Identity(kind, product, build, manufacturer, number, *await _revisions(bus, address))


async def identify(bus: Bus, address: int, *, category: str, serial: int) -> Identity:
    """Find the echo of `bus`, which is open, and ask the device who it is, in the order of the specification's app. 11.

    `serial` is the configured one, 0 for any. Raise `IdentityError` where the device is not of `category` or has
    another serial number, or where another device answers on a line of its own, and what the bus raises.
    """
    async with _no_stranger(bus, address, category):
        await bus.find_echo(address)
    kind, product, build, manufacturer = await _names(bus, address, category)
    number = await _serial_number(bus, address, serial)
    return Identity(kind, product, build, manufacturer, number, *await _revisions(bus, address))


async def category_of(bus: Bus, address: int, *, tries: int = CATEGORY_TRIES, attempts: int = ATTEMPTS) -> str:
    """Return what the device says twice in a row that it is, or once where it is asked once.

    Raise `NoReplyError` where it keeps answering with nothing. A bare acknowledgement is no answer to this question:
    mostly it is the late one to another.
    """
    before = ""
    for left in reversed(range(tries)):
        kind = readable(await bus.request(address, Header.CATEGORY, sizes=TEXT_SIZES, attempts=attempts))
        if kind and (kind == before or tries == 1):
            return kind
        if left and not kind:
            await bus.quiet(SETTLE_S)
        before = kind
    raise NoReplyError(f"{bus}: device {address} does not say what it is: check its power, its cable and its address")


async def said(bus: Bus, address: int, header: Header) -> bytes:
    """Ask until two answers agree for what some devices leave out; return empty bytes where they do.

    The late answer to the question before would otherwise be taken for this one's, and a line that failed for a moment
    for a device that says less: another device, to all appearance. So a silence counts where the device answers another
    question after it, and is silent again. Raise `NoReplyError` where it answers nothing.
    """
    for _ in range(2):
        with suppress(NoReplyError, WireError):
            return await bus.agreed(address, header, sizes=TEXT_SIZES)
        await category_of(bus, address)
    return b""


async def _names(bus: Bus, address: int, category: str) -> tuple[str, str, str, str]:
    """Return category, product, build and manufacturer; raise `IdentityError` for another category."""
    kind = await category_of(bus, address)
    _require_kind(bus, address, category, kind)
    names = (Header.PRODUCT_CODE, Header.BUILD_CODE, Header.MANUFACTURER)
    product, build, manufacturer = [readable(await said(bus, address, header)) for header in names]
    return kind, product, build, manufacturer


async def _serial_number(bus: Bus, address: int, serial: int) -> int:
    # Counters are journaled under this number, so it is worth asking until two answers agree.
    number = int.from_bytes(await bus.agreed(address, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES), "little")
    if serial not in {0, number}:
        raise IdentityError(
            f"{bus}: device {address} has serial number {number}, cabinet.toml says {serial}: "
            "put the right device back, or correct `serial`"
        )
    return number


async def _revisions(bus: Bus, address: int) -> tuple[str, bytes]:
    software = readable(await said(bus, address, Header.SOFTWARE_REVISION))
    return software, await said(bus, address, Header.COMMS_REVISION)


@asynccontextmanager
async def _no_stranger(bus: Bus, address: int, category: str) -> AsyncIterator[None]:
    """Where the device does not answer, see whether another one does on a line of its own."""
    try:
        yield
    except NoReplyError as error:
        if bus.lone:
            await refuse_stranger(bus, address, category, error)
        raise


def is_a(kind: str, category: str) -> bool:
    """Whether a device that says that it is a `kind` is of that category."""
    return kind == category or kind.casefold() in ALIKE.get(category, ())


def _require_kind(bus: Bus, address: int, category: str, kind: str) -> None:
    if not is_a(kind, category):
        raise IdentityError(f"{bus}: device {address} is a '{kind}', not a '{category}': check the wiring")


async def refuse_stranger(bus: Bus, address: int, category: str, error: NoReplyError) -> None:
    """Raise `IdentityError` where another kind of device answers on this line: two plugs are swapped.

    Each is asked once: whoever starts this again soon asks again, and the device that is looked for comes first.
    """
    for other in USUAL_ADDRESSES:
        if other == address:
            continue
        try:
            stranger = await category_of(bus, other, tries=1, attempts=1)
        except (NoReplyError, WireError):
            continue
        raise IdentityError(
            f"{bus}: no '{category}' answers at address {address}, but a '{stranger}' does at {other}: two plugs are "
            "swapped, or `address` is wrong"
        ) from error


async def found(device: str, identity: Identity, log: DeviceLog) -> None:
    """The right device answers: log who it is where that is news; none of the link's faults is left."""
    _log.info("%s found: %s", device, identity)
    await log.device_found(device, str(identity))
    for code in LINK_FAULTS:
        await log.device_fault(device, code, present=False)
