"""Computers for the doctor: what the kernel of a Pi 4, a Pi 5 or a PC shows, as folders, with devices on the ports."""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from controller.features.doctor.world import Room, World
from controller.system.findings import Finding, State
from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.pins.line_info import ChipInfo, LineInfo
from drivers.port import Port
from drivers.probe import LineSettings
from drivers.simulated.line import Line, LineDevice
from drivers.simulated.memory_line import MemoryLine

BY_PATH = "/dev/serial/by-path/platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.{}:1.0-port0"
"""The four sockets of a Pi 4, as docs/cabinet.toml names them."""
SUPERVISOR_PID = 4242
CONFIG_TXT = """\
# comment
enable_uart=0
force_eeprom_read=0
dtparam=strict_gpiod
dtparam=watchdog=on
dtparam=i2c_arm=on,i2c_arm_baudrate=400000
dtoverlay=vc4-kms-v3d
[pi3]
dtoverlay=never-loaded
"""
TIMED = "NTPSynchronized=yes\n"
UNIT = "Id={}\nLoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\nNRestarts=0\n"
UNITS = "\n".join(UNIT.format(name) for name in ("cabinet.service", "cabinet-display.service"))


class Silent:
    """A far end at which nobody is."""

    def connect(self, line: Line) -> None:
        pass

    def power(self, *, on: bool) -> None:
        pass

    def receive(self, data: bytes) -> None:
        pass


class Computer:
    """A computer in `root`, to which tests plug devices in; `world` is what the doctor sees of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lines: dict[str, MemoryLine] = {}
        self.chips: dict[str, ChipInfo] = {}
        self.expanders: set[int] = set()
        self.opened: list[str] = []
        self.programs = {"timedatectl": TIMED, "systemctl": UNITS}
        self.free = 10_000_000_000
        self.media: dict[str, Room] = {}
        self.world = World(
            root=root,
            user="root",
            groups=frozenset({"root"}),
            chip=self._chip,
            i2c_answers=lambda address: address in self.expanders,
            open_port=self._open_port,
            room=self._room,
            run=lambda command: self.programs.get(command[0]),
            clock=LoopClock(),
        )
        self.write("/etc/group", "root:x:0:\ndialout:x:20:\ngpio:x:997:\ni2c:x:998:\n")
        self.write("/etc/passwd", "root:x:0:0::/root:/bin/sh\ncabinet:x:990:990::/:/bin/false\n")
        for folder in ("dev", "proc", "var/lib/cabinet"):
            (root / folder).mkdir(parents=True, exist_ok=True)

    def _room(self, path: Path) -> Room:
        card = Room(path.stat().st_dev, 32_000_000_000, self.free)
        return self.media.get(f"/{path.relative_to(self.root)}", card)

    def as_user(self, user: str, *groups: str) -> None:
        """Have the doctor run with another user's rights."""
        self.world = replace(self.world, user=user, groups=frozenset(groups))

    def write(self, path: str, text: str) -> Path:
        """Write a file of that computer."""
        file = self.root / path.removeprefix("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def plug(self, socket: int, device: LineDevice | None = None) -> str:
        """Plug an adapter with `device` into one of the sockets, and return the name of its port."""
        name = BY_PATH.format(socket)
        self.write(f"/dev/ttyUSB{socket}", "")
        link = self.root / name.removeprefix("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"../../ttyUSB{socket}")
        self.lines[name] = MemoryLine(device or Silent(), path=name)
        if device is not None:
            device.power(on=True)
        return name

    def process(self, pid: int, *command: str, files: Iterable[str] = ()) -> None:
        """Have a process run, with device files open."""
        self.write(f"/proc/{pid}/cmdline", "\0".join(command) + "\0")
        self.write(f"/proc/{pid}/comm", Path(command[0]).name + "\n")
        fds = self.root / f"proc/{pid}/fd"
        fds.mkdir()
        for number, file in enumerate(files):
            (fds / str(number)).symlink_to(file)

    def supervise(self, *files: str) -> None:
        """Have the supervisor run."""
        command = ("/opt/cabinet/venv/bin/python", "-m", "controller.supervisor", "/etc/cabinet/cabinet.toml")
        self.process(SUPERVISOR_PID, *command, files=files)

    def lock(self, pid: int, device: str) -> None:
        """Have a process of another user hold the lock of a port, without showing its files."""
        status = (self.root / device.removeprefix("/")).stat()
        number = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        self.write(
            "/proc/locks", f"1: POSIX  ADVISORY  READ 1 00:01:7 0 EOF\n2: FLOCK  ADVISORY  WRITE {pid} {number} 0 EOF\n"
        )

    def use(self, chip: str, number: int, consumer: str) -> None:
        """Have somebody use a line."""
        known = self.chips[chip]
        lines = [line._replace(consumer=consumer) if line.number == number else line for line in known.lines]
        self.chips[chip] = known._replace(lines=tuple(lines))

    def _chip(self, path: Path) -> ChipInfo:
        return self.chips[path.name]

    def _open_port(self, settings: LineSettings) -> Port:
        self.opened.append(settings.path)
        if settings.path not in self.lines:
            raise PortError(f"{settings.path} cannot be opened")
        return self.lines[settings.path].port

    def add_chip(self, name: str, label: str, lines: int) -> None:
        """Add a GPIO chip."""
        self.write(f"/dev/{name}", "")
        self.chips[name] = ChipInfo(
            name, label, tuple(LineInfo(number, f"GPIO{number}", "", output=False) for number in range(lines))
        )

    def add_screen(self, connector: str, *modes: str) -> None:
        """Add a connector, with a monitor where it has modes."""
        self.write(f"/sys/class/drm/{connector}/status", "connected\n" if modes else "disconnected\n")
        self.write(f"/sys/class/drm/{connector}/modes", "".join(f"{mode}\n" for mode in modes))


def pi4(root: Path) -> Computer:
    """A Raspberry Pi 4 with Raspberry Pi OS, a monitor, and no clock of its own."""
    computer = Computer(root)
    computer.write("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
    computer.write("/boot/firmware/config.txt", CONFIG_TXT)
    computer.write("/boot/firmware/overlays/vc4-kms-v3d.dtbo", "")
    computer.write("/boot/firmware/cmdline.txt", "console=tty3 quiet\n")
    computer.add_chip("gpiochip0", "pinctrl-bcm2711", 58)
    computer.add_chip("gpiochip1", "raspberrypi-exp-gpio", 8)
    computer.add_screen("card1-HDMI-A-1", "1920x1080", "1280x720")
    computer.add_screen("card1-HDMI-A-2")
    computer.write("/dev/i2c-1", "")
    computer.write("/proc/asound/cards", " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones\n")
    return computer


def pi5(root: Path) -> Computer:
    """A Raspberry Pi 5: its header hangs on the RP1, and it has a clock."""
    computer = pi4(root)
    computer.write("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    computer.chips.clear()
    computer.add_chip("gpiochip0", "pinctrl-rp1", 54)
    computer.add_chip("gpiochip1", "gpio-brcmstb@107d508500", 32)
    computer.write("/sys/class/rtc/rtc0/name", "rpi-rtc\n")
    computer.write("/sys/class/rtc/rtc0/since_epoch", "1790000000\n")
    computer.write("/sys/class/rtc/rtc0/battery_voltage", "3012345\n")
    return computer


def pc(root: Path) -> Computer:
    """A PC: no header, no device tree, a serial port of its own and names for others."""
    computer = Computer(root)
    computer.write("/sys/class/dmi/id/product_name", "ThinkCentre\n")
    computer.write("/dev/ttyS0", "")
    computer.write("/dev/ttyS1", "")
    computer.write("/sys/class/tty/ttyS0/type", "4\n")
    computer.write("/sys/class/tty/ttyS1/type", "0\n")
    computer.lines["/dev/ttyS0"] = MemoryLine(Silent())
    computer.add_screen("card0-DP-1", "2560x1440")
    computer.write("/proc/asound/cards", " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n")
    computer.programs.pop("systemctl")
    return computer


def to_mend(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that must be mended."""
    return [one for one in findings if one.state is State.MEND]


Build = Callable[[Path], Computer]
