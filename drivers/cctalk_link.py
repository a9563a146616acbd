"""The way to one ccTalk device: finding it, knowing it, and saying that it is there."""

from typing import NamedTuple

from drivers.capabilities import DeviceLog
from drivers.cctalk import MAX_DATA, Header
from drivers.cctalk_bus import Bus
from drivers.device_words import readable
from drivers.errors import IdentityError, NoReplyError, WireError

SERIAL_SIZES = range(3, 4)
TEXT_SIZES = range(MAX_DATA + 1)
USUAL_ADDRESSES = (2, 3, 40)
"""Where coin acceptors, hoppers and bill validators are found (protocols.md, 1, "Framing")."""

# What the end of a driver's run is reported as, by whoever runs it.
LINK_FAULTS = ("port_lost", "no_reply", "comm_error", "wrong_device")


class Identity(NamedTuple):
    """What a device says about itself."""

    category: str
    product: str
    build: str
    manufacturer: str
    serial: int
    software: str
    comms: bytes

    def __str__(self) -> str:
        return f"{self.manufacturer} {self.product} {self.build}, serial number {self.serial}, software {self.software}"


async def identify(bus: Bus, address: int, *, category: str, serial: int) -> Identity:
    """Open `bus`, find its echo and ask the device who it is, in the order of the specification's app. 11.

    `serial` is the configured one, 0 for any. Raise `IdentityError` where the device is not of `category` or has
    another serial number, or where another device answers on a line of its own, and what the bus raises.
    """

    async def text(header: Header) -> str:
        return readable(await bus.request(address, header, sizes=TEXT_SIZES))

    await bus.open()
    try:
        await bus.find_echo(address)
    except NoReplyError as error:
        if bus.lone:
            await _refuse_stranger(bus, address, category, error)
        raise
    found = await text(Header.CATEGORY)
    if found != category:
        raise IdentityError(f"{bus}: device {address} is a {found!r}, not a {category!r}: check the wiring")
    product, build = await text(Header.PRODUCT_CODE), await text(Header.BUILD_CODE)
    manufacturer = await text(Header.MANUFACTURER)
    # Counters are journaled under this number, so it is worth asking until two answers agree.
    number = int.from_bytes(await bus.agreed(address, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES), "little")
    if serial not in {0, number}:
        raise IdentityError(
            f"{bus}: device {address} has serial number {number}, cabinet.toml says {serial}: "
            "put the right device back, or correct `serial`"
        )
    software = await text(Header.SOFTWARE_REVISION)
    comms = await bus.request(address, Header.COMMS_REVISION, sizes=TEXT_SIZES)
    return Identity(found, product, build, manufacturer, number, software, comms)


async def _refuse_stranger(bus: Bus, address: int, category: str, error: NoReplyError) -> None:
    """Raise `IdentityError` where another kind of device answers on this line: two plugs are swapped."""
    for other in USUAL_ADDRESSES:
        if other == address:
            continue
        try:
            stranger = await bus.request(other, Header.CATEGORY, sizes=TEXT_SIZES)
        except (NoReplyError, WireError):
            continue
        raise IdentityError(
            f"{bus}: no {category!r} answers at address {address}, but a {stranger.decode('ascii', 'replace')!r} does "
            f"at {other}: two plugs are swapped, or `address` is wrong"
        ) from error


async def found(device: str, identity: Identity, log: DeviceLog) -> None:
    """The right device answers: log who it is where that is news; none of the link's faults is left."""
    await log.device_found(device, str(identity))
    for code in LINK_FAULTS:
        await log.device_fault(device, code, present=False)
