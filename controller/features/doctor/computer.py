"""The rest of the computer: screen, sound, clock, card, disk space, and the units."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from controller.configuration.cabinet_toml import Config, Screen, Storage
from controller.features.doctor.ports import JOURNAL
from controller.features.doctor.world import World
from controller.system.card_wear import DEVICES as BLOCK_DEVICES
from controller.system.card_wear import card_wear_percent
from controller.system.findings import Finding, fine, note, wrong

WORN_PERCENT: Final = 80
"""The wear from which the card is to be replaced."""
MEGABYTE: Final = 1_000_000
UNITS: Final = ("cabinet.service", "cabinet-display.service")
LINK_UNIT: Final = "cabinet-venue-link.service"
_TALL: Final = 1.5
_BUILT: Final = 1_700_000_000
"""Any correct clock shows a later time than this one (2023), in seconds since 1970."""
_LOW_CELL_UV: Final = 2_000_000


def screen(world: World, config: Config | None) -> Iterator[Finding]:
    """Report the connectors, the modes of the connected ones, and whether the shape fits."""
    connectors = [path.parent for path in world.listed("/sys/class/drm", "card*-*/status")]
    connected = [path for path in connectors if world.text(path / "status") == "connected"]
    if not connectors:
        mend = "a Pi needs dtoverlay=vc4-kms-v3d in config.txt, as Raspberry Pi OS has it"
        yield wrong("screen", "the kernel shows no connector (/sys/class/drm)", mend)
    elif not connected:
        names = ", ".join(_connector(path) for path in connectors)
        yield wrong(
            "screen", f"no monitor at {names}", "plug the monitor in and switch it on: the picture comes by itself"
        )
    shapes = [shape for path in connected if (shape := _shape((world.text(path / "modes") or "").split()))]
    for path in connected:
        modes = list(dict.fromkeys((world.text(path / "modes") or "").split()))
        if modes:
            yield fine("screen", f"{_connector(path)}: {modes[0]}, also {len(modes) - 1} other modes")
        else:
            yield wrong("screen", f"{_connector(path)}: connected, without a mode", "check the monitor's cable (DDC)")
    wanted = (config.display if config is not None else Screen()).shape
    if config is not None and shapes and wanted not in shapes:
        mend = f'write shape = "{shapes[0]}" in [display]'
        yield wrong("screen", f'is "{wanted}", the monitor is {shapes[0]}', mend, key="display.shape")


def _connector(path: Path) -> str:
    return path.name.partition("-")[2]


def _shape(modes: list[str]) -> str:
    """Return the monitor's shape by its preferred mode, which is the first; "" if that is not a size."""
    width, _, height = (modes[0] if modes else "").partition("x")
    if not (width.isdecimal() and height.rstrip("i").isdecimal()):
        return ""
    ratio = int(width) / int(height.rstrip("i"))
    return "portrait" if ratio < 1 else "tall" if ratio < _TALL else "wide"


def sound(world: World, config: Config | None) -> Iterator[Finding]:
    """Report the sound cards."""
    del config
    lines = (world.text("/proc/asound/cards") or "").splitlines()
    cards = [line.split(":", 1)[1].strip() for line in lines if line.strip()[:1].isdigit() and ":" in line]
    if cards:
        yield fine("sound", ", ".join(cards))
    else:
        yield wrong("sound", "no sound card", "add dtparam=audio=on to config.txt, or plug a USB sound card in")


def clock(world: World, config: Config | None) -> Iterator[Finding]:
    """Report whether the clock is set by the network or backed by a battery."""
    del config
    shown = world.run(("timedatectl", "show", "--property=NTPSynchronized")) or ""
    synchronised = "yes" in shown
    rtcs = world.listed("/sys/class/rtc", "rtc*")
    if synchronised:
        yield fine("clock", "set by the network")
    for rtc in rtcs:
        name = world.text(rtc / "name") or rtc.name
        seconds = world.text(rtc / "since_epoch") or ""
        cell = world.text(rtc / "battery_voltage") or world.text(rtc / "device/battery_voltage") or ""
        if cell.isdecimal() and int(cell) < _LOW_CELL_UV:
            yield wrong("clock", f"{name}: its cell is missing or empty", "plug the RTC's cell into J5 of the Pi 5")
        elif seconds.isdecimal() and int(seconds) < _BUILT:
            yield wrong("clock", f"{name} is not set", "set the clock in U.1, or run `sudo hwclock --systohc`")
        else:
            yield fine("clock", f"{name} keeps the time without power")
    if not rtcs and not synchronised:
        mend = (
            "fit one (a Pi 5 has it, with a cell at J5; else a DS3231 and dtoverlay=i2c-rtc,ds3231), or set it in U.1"
        )
        yield wrong("clock", "no clock keeps the time without power, and no network sets it", mend)


def card(world: World, config: Config | None) -> Iterator[Finding]:
    """Report the wear of the books' card."""
    books = _first_that_exists(world, Path(config.cabinet.journal if config is not None else JOURNAL).parent)
    try:
        percent = card_wear_percent(world.path(books), world.path(BLOCK_DEVICES))
    except OSError as error:
        yield wrong("card", f"{books} cannot be read ({error.strerror})", "run `sudo cabinet doctor`")
        return
    if percent is None:
        yield note("card", f"the medium of {books} does not say how worn it is; an SD card never does")
    elif percent >= WORN_PERCENT:
        mend = "make a backup (U.6), replace the card, and restore"
        yield wrong("card", f"the card of {books} is worn to {percent} %", mend)
    else:
        yield fine("card", f"the card of {books} is worn to {percent} %")


def room(world: World, config: Config | None) -> Iterator[Finding]:
    """Report the free space of each file system that the cabinet writes to.

    The second copy does not grow and may be on a small medium, so its free space is not judged.
    """
    storage = config.storage if config is not None else Storage()
    folders = [Path("/"), JOURNAL.parent if config is None else Path(config.cabinet.journal).parent]
    if storage.archive_folder is not None:
        folders.append(storage.archive_folder)
    copies = [Path(config.cabinet.second_copy).parent] if config is not None and config.cabinet.second_copy else []
    seen = set[int]()
    for folder in (*folders, *copies):
        there = _first_that_exists(world, folder)
        try:
            found = world.room(world.path(there))
        except OSError as error:
            yield wrong("room", f"{there} cannot be read ({error.strerror})", "run `sudo cabinet doctor`")
            continue
        if found.number in seen:
            continue
        seen.add(found.number)
        free = f"{there}: {found.free // MEGABYTE} of {found.total // MEGABYTE} MB are free"
        if folder not in copies and found.free < storage.low_mb * MEGABYTE:
            mend = f"make room, or replace the card; the cabinet wants {storage.low_mb} MB"
            yield wrong("room", free, mend, key="storage.low_mb" if config is not None else "")
        else:
            yield fine("room", free)


def _first_that_exists(world: World, folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if world.may_exist(path) or path == Path("/"))


def units(world: World, config: Config | None) -> Iterator[Finding]:
    """Report the units of an installed cabinet."""
    has_venue = config is not None and config.table("venue", msgspec.Struct) is not None
    wanted = (*UNITS, *([LINK_UNIT] if has_venue else []))
    properties = "--property=Id,LoadState,ActiveState,SubState,UnitFileState,NRestarts"
    shown = world.run(("systemctl", "show", properties, *wanted))
    if shown is None:
        yield note("units", "no service manager answers (systemctl)")
        return
    states = [dict(line.partition("=")[::2] for line in block.splitlines()) for block in shown.strip().split("\n\n")]
    if all(state.get("LoadState") == "not-found" for state in states):
        yield note("units", "the cabinet is not installed as a service", "run `sudo make install` (docs/install.md)")
        return
    for state in states:
        yield _unit(state)


def _unit(state: dict[str, str]) -> Finding:
    name = state.get("Id", "?")
    active, sub = state.get("ActiveState", "?"), state.get("SubState", "?")
    if state.get("LoadState") == "not-found":
        return wrong("units", f"{name} is missing", "run `sudo make install`")
    if active == "failed" or sub == "auto-restart":
        return wrong("units", f"{name}: {active} ({sub})", f"read why: sudo journalctl -u {name} -e (docs/recover.md)")
    if state.get("UnitFileState") != "enabled":
        return wrong("units", f"{name} does not start by itself", f"sudo systemctl enable {name}")
    if active != "active":
        return wrong("units", f"{name}: {active} ({sub})", f"sudo systemctl start {name}")
    restarts = state.get("NRestarts", "0")
    return fine("units", f"{name}: {active} ({sub}), {restarts} restarts")
