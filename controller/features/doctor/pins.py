"""The header's GPIO chip, its lines in use by others, and the port expanders."""

from collections.abc import Iterator
from typing import Final

import msgspec

from common.error_words import error_words
from controller.configuration.cabinet_toml import Config
from controller.features.doctor.board import is_pi
from controller.features.doctor.processes import supervisor
from controller.features.doctor.world import World
from controller.system.findings import Finding, fine, note, wrong
from drivers.errors import SettingsError
from drivers.expander.i2c import HEADER_BUS
from drivers.pin_names import EXPANDERS, I2C_PINS, address_of
from drivers.pins.line_info import ChipInfo

HEADER_PINS: Final = range(28)
OURS: Final = "lg"
"""The name in the kernel's list for lgpio, through which the supervisor uses its pins."""
I2C_MEND: Final = "add dtparam=i2c_arm=on to config.txt and reboot"


def pins(world: World, config: Config | None) -> Iterator[Finding]:
    """Report each GPIO chip, and which programs use lines of the header."""
    chips: list[ChipInfo] = []
    for path in world.listed("/dev", "gpiochip*"):
        try:
            chips.append(world.chip(world.path(path)))
        except OSError as error:
            yield wrong("pins", f"{path} cannot be read ({error.strerror})", "run `sudo cabinet doctor`")
    for chip in chips:
        yield fine("pins", f"{chip.name} ({chip.label}): {len(chip.lines)} lines{_header(chip)}")
    headers = [chip for chip in chips if chip.is_header and len(chip.lines) > max(HEADER_PINS)]
    if headers:
        yield from _lines(headers[0], world, config)
    elif is_pi(world) and not chips:
        yield wrong("pins", "there is no /dev/gpiochip*", "boot a kernel of Raspberry Pi OS or Debian")
    elif not chips:
        yield note("pins", "no GPIO chip")


def _header(chip: ChipInfo) -> str:
    return ", the header" if chip.is_header else ""


def _lines(chip: ChipInfo, world: World, config: Config | None) -> Iterator[Finding]:
    """Report the header's lines in use, including those that cabinet.toml needs."""
    wanted = header_pins(config)
    running = supervisor(world)
    used = [line for line in chip.lines if line.number in HEADER_PINS and line.consumer]
    for line in used:
        key = wanted.get(line.number, "")
        ours = line.consumer == OURS and running is not None
        if key and not ours:
            yield wrong(
                "pins",
                f"GPIO {line.number} is used by '{line.consumer}'",
                f"end that program, take its overlay out of config.txt, or wire another pin and change {key}",
                key=key,
            )
        elif not ours:
            yield note("pins", f"GPIO {line.number} is used by '{line.consumer}'")
    mine = [line.number for line in used if line.consumer == OURS]
    if running is not None and mine:
        yield fine("pins", f"{len(mine)} lines in use by {running}")
    elif not used:
        yield fine("pins", "no line of the header is in use")


def header_pins(config: Config | None) -> dict[int, str]:
    """Return each pin of the header that cabinet.toml names, with its key."""
    return {} if config is None else dict(_wanted(config))


def _wanted(config: Config) -> Iterator[tuple[int, str]]:

    def under(key: str, value: object) -> Iterator[tuple[int, str]]:
        if not isinstance(value, dict):
            return
        for name, item in value.items():
            if name in {"pin", "lamp", "reset", "sense", "interrupt", "enable"} and isinstance(item, int):
                yield item, f"{key}.{name}"
            yield from under(f"{key}.{name}", item)

    yield from under("pins", msgspec.to_builtins(config.pins))
    if config.pins.expanders:
        yield from ((pin, "pins.expanders") for pin in I2C_PINS)


def expanders(world: World, config: Config | None) -> Iterator[Finding]:
    """Report the I2C bus and the expanders that answer on it; one byte is read, nothing is written."""
    wanted = set(config.pins.expanders) if config is not None else set[str]()
    bus = f"/dev/i2c-{HEADER_BUS}"
    if not world.may_exist(bus):
        if wanted:
            yield wrong("expanders", f"there is no {bus}", I2C_MEND, key="pins.expanders")
        else:
            yield note("expanders", f"no I2C bus ({bus}); only port expanders need it")
        return
    if wanted and (running := supervisor(world)):
        yield fine("expanders", f"{', '.join(sorted(wanted))}: in use by {running}, not asked", key="pins.expanders")
        return
    found = []
    for name in EXPANDERS:
        try:
            if world.i2c_answers(address_of(name)):
                found.append(name)
        except (OSError, SettingsError) as error:
            yield wrong("expanders", f"{bus}: {error_words(error)}", "run `sudo cabinet doctor`")
            return
    for name in sorted(wanted | set(found)):
        yield _expander(name, answers=name in found, configured=config is not None, wanted=name in wanted)
    if not found and not wanted:
        yield note("expanders", f"{bus}: nobody answers at 0x20 to 0x27")


def _expander(name: str, *, answers: bool, configured: bool, wanted: bool) -> Finding:
    address = f"0x{address_of(name):02x}"
    key = f"pins.expanders.{name}" if configured else ""
    if not answers:
        mend = "check its 3.3 V, SDA (GPIO 2), SCL (GPIO 3) and its address straps A0 to A2"
        return wrong("expanders", f"nobody answers at {address}", mend, key=key)
    if wanted or not configured:
        return fine("expanders", f"{address} answers", key=key)
    return note("expanders", f"{address} answers, and cabinet.toml does not name it", f"add {name} = {{}}", key=key)
