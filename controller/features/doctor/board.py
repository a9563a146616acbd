"""The board, its firmware's configuration, and the access rights to its devices."""

from collections.abc import Iterator
from typing import Final

from controller.configuration.cabinet_toml import Config
from controller.configuration.pins import HEADER_UARTS
from controller.configuration.ports import ports_of
from controller.features.doctor.boards import LEAST_GB, LEAST_SEEN_MB, MEND, board_of, memory_mb
from controller.features.doctor.world import World
from controller.system.findings import Finding, fine, note, wrong

MODEL: Final = "/proc/device-tree/model"
MEMORY: Final = "/proc/meminfo"
FIRMWARE: Final = ("/boot/firmware", "/boot")
"""The folders of config.txt in Raspberry Pi OS: since Bookworm, and before."""
NO_UART: Final = "enable_uart=0"
WANTED: Final = {
    NO_UART: "the boot console would move pins 14 and 15",
    "force_eeprom_read=0": "the firmware would look for a HAT on pins 0 and 1",
    "dtparam=strict_gpiod": "a killed supervisor would leave outputs on",
    "dtparam=watchdog=on": "a hung computer would not be restarted",
}
"""Lines of config.txt, and what happens without them (docs/wiring.md, docs/install.md)."""
I2C: Final = "dtparam=i2c_arm=on"
GROUPS: Final = {"dialout": "serial ports", "gpio": "the header's pins", "i2c": "port expanders"}


def is_pi(world: World) -> bool:
    """Whether this is a Raspberry Pi."""
    return "Raspberry Pi" in (world.text(MODEL) or "")


def board(world: World, config: Config | None) -> Iterator[Finding]:
    """Report the board by its device tree, and its memory."""
    del config
    model = world.text(MODEL)
    if is_pi(world):
        yield _judged(str(model), memory_mb(world.text(MEMORY) or ""))
        return
    found = model or world.text("/sys/class/dmi/id/product_name") or "without a device tree"
    yield wrong(
        "board",
        f"not a Raspberry Pi ({found})",
        f"a cabinet needs the header of one: {MEND}; `cabinet demo` runs anywhere",
    )


def _judged(model: str, has_mb: int | None) -> Finding:
    """Return whether a cabinet runs on this board with this much memory; `has_mb` is None if unknown."""
    kind, memory = board_of(model), "" if has_mb is None else f", {has_mb:,} MB of memory"
    if kind is None:
        return note("board", f"{model}{memory}: not in the table of boards", "see docs/install.md before it is used")
    if not kind.fits:
        return wrong("board", f"{model}{memory}: no cabinet runs on it ({kind.reason})", MEND)
    if has_mb is not None and has_mb < LEAST_SEEN_MB:
        return wrong("board", f"{model}{memory}: less than {LEAST_GB} GB", MEND)
    return fine("board", f"{model}{memory}")


def overlays(world: World, config: Config | None) -> Iterator[Finding]:
    """Report the lines that config.txt and cmdline.txt must have, and the loaded overlays."""
    if not is_pi(world):
        return
    for folder in FIRMWARE:
        if (text := world.text(f"{folder}/config.txt")) is not None:
            break
    else:
        yield wrong("config.txt", "cannot be read", f"mount the boot partition, which has {FIRMWARE[0]}/config.txt")
        return
    file = f"{folder}/config.txt"
    settings = _settings(text, world.text(MODEL) or "")
    wanted = {**WANTED, **({I2C: "expanders need the I2C bus"} if config is not None and config.pins.expanders else {})}
    if _has_uart_device(config):
        del wanted[NO_UART]
    for line, reason in wanted.items():
        if line not in settings:
            yield wrong("config.txt", f"{line} is missing: {reason}", f"add the line {line} to {file} and reboot")
    yield from _loaded(world, folder, settings)
    words = (world.text(f"{folder}/cmdline.txt") or "").split()
    for console in words:
        if console.startswith(("console=serial", "console=ttyAMA", "console=ttyS")):
            mend = f"take {console} out of {folder}/cmdline.txt and reboot"
            yield wrong("cmdline.txt", f"{console}: the kernel's console is on a serial port", mend)


def _loaded(world: World, folder: str, settings: set[str]) -> Iterator[Finding]:
    """Report the overlays of config.txt, and those without a file or a place in the firmware's map."""
    loaded = sorted(name for line in settings if (name := line.removeprefix("dtoverlay=")) not in {line, ""})
    yield fine("config.txt", f"overlays: {', '.join(loaded)}" if loaded else "no overlays")
    if any(line.startswith(("os_prefix=", "overlay_prefix=")) for line in settings):
        return
    renamed = world.text(f"{folder}/overlays/overlay_map.dtb") or ""
    for name in loaded:
        overlay = f"{folder}/overlays/{name}.dtbo"
        if not world.may_exist(overlay) and name not in renamed:
            mend = f"put it there, or take that line out of {folder}/config.txt"
            yield wrong("config.txt", f"dtoverlay={name} does nothing: there is no {overlay}", mend)


def _has_uart_device(config: Config | None) -> bool:
    """Whether a device is wired to the header's UART, which must then be enabled."""
    if config is None:
        return False
    return any(port in HEADER_UARTS for port in ports_of(config).values())


def _settings(text: str, model: str) -> set[str]:
    """Return the lines of config.txt that apply to this board, with each `dtparam` setting as its own line."""
    applies = True
    found = set[str]()
    for raw in text.splitlines():
        line = raw.split("#", 1)[0].strip()
        if line.startswith("["):
            section = line.strip("[]").lower()
            # [pi4], [pi5], [cm4] ... are for one board; other sections depend on unknown conditions and are included.
            board_only = section[:2] in {"pi", "cm"} and section[2:3].isdigit()
            applies = not board_only or f"{section[2]}" in _generation(model)
        elif line and applies:
            name, _, value = line.partition("=")
            if name == "dtparam":
                found |= {f"dtparam={one}" for one in value.split(",")}
            elif name == "dtoverlay":
                found.add(f"dtoverlay={value.split(',')[0]}")
            else:
                found = {one for one in found if one.partition("=")[0] != name} | {line}
    return found


def _generation(model: str) -> str:
    """Return the digit in `Raspberry Pi 5 Model B` or `Raspberry Pi Compute Module 4`."""
    return next((word[0] for word in model.split() if word[0].isdigit()), "")


def groups(world: World, config: Config | None) -> Iterator[Finding]:
    """Report whether this user may use the devices, and whether the supervisor's user exists."""
    del config
    known = {line.split(":", 1)[0] for line in (world.text("/etc/group") or "").splitlines()}
    for group, purpose in GROUPS.items():
        if known and group not in known:
            yield wrong("groups", f"there is no group {group} ({purpose})", "run `sudo make install` (docs/install.md)")
    missing = [group for group in GROUPS if group not in world.groups and (not known or group in known)]
    if world.is_root or not missing:
        yield fine("groups", f"{world.user} may use {', '.join(GROUPS.values())}")
    else:
        purposes = ", ".join(GROUPS[group] for group in missing)
        yield wrong(
            "groups",
            f"{world.user} is not in {', '.join(missing)} ({purposes})",
            f"run `sudo cabinet doctor`, or `sudo usermod -aG {','.join(missing)} {world.user}` and log in anew",
        )
    users = {line.split(":", 1)[0] for line in (world.text("/etc/passwd") or "").splitlines()}
    if users and "cabinet" not in users:
        yield note("groups", "there is no user cabinet: the supervisor is not installed", "docs/install.md")
