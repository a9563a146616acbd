"""Connection to one ccTalk device: reach it, identify it and report it as found."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple

from drivers.cctalk.bus import ATTEMPTS, SETTLE_S, Bus
from drivers.cctalk.protocol import MAX_DATA, Header
from drivers.device_words import readable
from drivers.errors import IdentityError, NoReplyError, WireError

SERIAL_SIZES = range(3, 4)
CATEGORY_TRIES: Final = 6
SUPPORT_TRIES: Final = 6
LATE_S: Final = 1.0
"""How long no byte may arrive before a device that was silent is taken to be asked without late replies on the way."""
TEXT_SIZES = range(MAX_DATA + 1)
USUAL_ADDRESSES = (2, 3, 40)
"""Default addresses of coin acceptor, hopper and bill validator (protocols.md, 1, "Framing")."""

ALIKE: Final = {"Bill Validator": ("bill validator", "bill acceptor")}
"""Other names of a category in the specification, case-insensitive (protocols.md, 1, "Bill validator ...")."""


class Identity(NamedTuple):
    """What a device reports about itself; empty for requests that it does not answer."""

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
    """Return the serial number of the device at `address` on the open `bus`; send it no other request.

    For a device that may be accepting money: its events are read and it is inhibited before it is identified. `serial`
    is the configured number, 0 for any. Raise `IdentityError` if the device has another serial number or if another
    device answers on an unshared line, and what the bus raises.
    """
    async with _no_stranger(bus, address, category):
        try:
            return await _serial_number(bus, address, serial)
        except NoReplyError:
            # The device may use another framing than the one that was tried.
            await bus.try_other_framings(address)
            return await _serial_number(bus, address, serial)


async def refuse_other_kind(bus: Bus, address: int, category: str) -> None:
    """Raise `IdentityError` if the device at `address` reports another category twice; ignore a missing answer.

    Its late replies to the requests before come first.
    """
    await bus.quiet(LATE_S)
    with suppress(NoReplyError, WireError):
        _require_kind(bus, address, category, await category_of(bus, address, tries=2, attempts=1))


async def identity_of(bus: Bus, address: int, *, category: str, number: int) -> Identity:
    """Identify a device whose serial number `number` was read with `reached`.

    Raise `IdentityError` if it is not of `category`, and what the bus raises.
    """
    kind, product, build, manufacturer = await _names(bus, address, category)
    return Identity(kind, product, build, manufacturer, number, *await _revisions(bus, address))


async def identify(bus: Bus, address: int, *, category: str, serial: int) -> Identity:
    """Detect the echo of the open `bus` and identify the device, in the order of the specification's appendix 11.

    `serial` is the configured number, 0 for any. Raise `IdentityError` if the device is not of `category` or has
    another serial number, or if another device answers on an unshared line, and what the bus raises.
    """
    async with _no_stranger(bus, address, category):
        await bus.detect_framing(address)
    kind, product, build, manufacturer = await _names(bus, address, category)
    number = await _serial_number(bus, address, serial)
    return Identity(kind, product, build, manufacturer, number, *await _revisions(bus, address))


async def require_same(bus: Bus, address: int, serial: int) -> None:
    """Raise `WireError` if a device with another serial number answers: a new session identifies it.

    An answer with the number is believed; another one is believed if the next two agree.
    """
    number = int.from_bytes(await bus.request(address, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES), "little")
    if number != serial and (number := await _serial_number(bus, address, 0)) != serial:
        raise WireError(f"{bus}: another device is in the place of {serial}: {number}")


async def category_of(bus: Bus, address: int, *, tries: int = CATEGORY_TRIES, attempts: int = ATTEMPTS) -> str:
    """Return the category that the device reports twice in a row.

    Raise `NoReplyError` if its answers stay empty. A bare ACK does not answer this request: it is mostly a late reply
    to another one.
    """
    before = ""
    for left in reversed(range(tries)):
        kind = readable(await bus.request(address, Header.CATEGORY, sizes=TEXT_SIZES, attempts=attempts))
        if kind and kind == before:
            return kind
        if left and not kind:
            await bus.quiet(SETTLE_S)
        before = kind
    raise NoReplyError(f"{bus}: device {address} does not say what it is: check its power, its cable and its address")


async def said(bus: Bus, address: int, header: Header) -> bytes:
    """Send a request that some devices do not support until two answers agree; return empty bytes if unsupported.

    Two answers must agree so that a late reply to the previous request is not mistaken for this one. The request counts
    as unsupported only if the device twice stays silent to it, with no late reply either, and answers another request:
    after a short line failure or a busy second the identity would otherwise look like another device's. Raise
    `NoReplyError` if it answers nothing, or always too late.
    """
    silent = False
    for _ in range(SUPPORT_TRIES):
        with suppress(NoReplyError, WireError):
            return await bus.agreed(address, header, sizes=TEXT_SIZES)
        is_late = await bus.quiet(LATE_S)
        await category_of(bus, address)
        if silent and not is_late:
            return b""
        silent = silent or not is_late
    raise NoReplyError(f"{bus}: device {address} answers request {header} too late: check its power and its cable")


async def _names(bus: Bus, address: int, category: str) -> tuple[str, str, str, str]:
    """Return category, product, build and manufacturer; raise `IdentityError` for another category."""
    kind = await category_of(bus, address)
    _require_kind(bus, address, category, kind)
    names = (Header.PRODUCT_CODE, Header.BUILD_CODE, Header.MANUFACTURER)
    product, build, manufacturer = [readable(await said(bus, address, header)) for header in names]
    return kind, product, build, manufacturer


async def _serial_number(bus: Bus, address: int, serial: int) -> int:
    # Counters are journaled under this number, so read it until two answers agree.
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
    """If the device does not answer, check whether another device answers on an unshared line."""
    try:
        yield
    except NoReplyError as error:
        if bus.lone:
            await refuse_stranger(bus, address, category, error)
        raise


def is_a(kind: str, category: str) -> bool:
    """Return whether a device that reports `kind` is of that category."""
    return kind == category or kind.casefold() in ALIKE.get(category, ())


def _require_kind(bus: Bus, address: int, category: str, kind: str) -> None:
    if not is_a(kind, category):
        raise IdentityError(f"{bus}: device {address} is a '{kind}', not a '{category}': check the wiring")


async def refuse_stranger(bus: Bus, address: int, category: str, error: NoReplyError) -> None:
    """Raise `IdentityError` if another kind of device answers on this line: two plugs are swapped.

    A silent address is asked once: the driver restarts soon and asks again, and the wanted device has priority.
    """
    for other in USUAL_ADDRESSES:
        if other == address:
            continue
        try:
            stranger = await category_of(bus, other, tries=2, attempts=1)
        except (NoReplyError, WireError):
            continue
        raise IdentityError(
            f"{bus}: no '{category}' answers at address {address}, but a '{stranger}' does at {other}: two plugs are "
            "swapped, or `address` is wrong"
        ) from error
