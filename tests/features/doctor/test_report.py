"""`cabinet doctor` on a Pi 4, a Pi 5 and a PC: what is there, who answers, and the mend of each trouble."""

import asyncio
import json
from pathlib import Path

import pytest

from controller.configuration.cabinet_toml import load
from controller.features.doctor.findings import as_json, as_table, is_well
from controller.features.doctor.report import report
from controller.features.doctor.world import Room, real_world
from controller.journal.money import note_acknowledged, note_stacked, note_stacking
from controller.settings.settings import change
from controller.system.findings import Finding, State
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.cctalk.party_line import PartyLine
from drivers.simulated.escpos.build import Build as PrinterBuild
from drivers.simulated.escpos.paper import Piece
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.id003.bill_validator import SimulatedBillValidator
from drivers.simulated.line import LineDevice
from drivers.simulated.mdb.bill_validator import SimulatedMdbBills
from drivers.simulated.mdb.bridge import MdbBridge
from drivers.simulated.mdb.coin_changer import SimulatedChanger
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from tests.rigs.books import opened
from tests.rigs.doctored import BY_PATH, CONFIG_TXT, Build, Computer, Silent, pc, pi4, pi5, to_mend
from tests.rigs.paths import SAMPLE

FILE = Path("/etc/cabinet/cabinet.toml")


def _nothing(_paper: object) -> None:
    raise AssertionError("a note has moved")


def _validator() -> SimulatedBillValidator:
    return SimulatedBillValidator(returned=_nothing, stacked=_nothing)


async def _whole_cabinet(root: Path) -> Computer:
    """A Pi 4 as docs/cabinet.toml wants it: acceptor, validator and hopper in sockets 1 to 3, a clock that is right."""
    computer = pi4(root)
    computer.write(str(FILE), SAMPLE.read_text())
    computer.plug(1, SimulatedCoinAcceptor(echo=True))
    computer.plug(2, _validator())
    computer.plug(3, SimulatedHopper(echo=True))
    await asyncio.sleep(30)
    return computer


async def _found(computer: Computer) -> list[Finding]:
    return await report(computer.world, FILE)


def _lines(findings: list[Finding], subject: str) -> list[str]:
    return [f"{one.state} {one.key}: {one.found}" for one in findings if one.subject == subject]


async def test_a_cabinet_as_configured_has_nothing_to_mend(tmp_path: Path) -> None:
    """With every device where cabinet.toml has it, the report is well, and names each device at its port."""
    findings = await _found(await _whole_cabinet(tmp_path))
    assert to_mend(findings) == []
    found = {one.key: one.found for one in findings if one.subject == "ports"}
    assert found["coin_acceptor"].startswith(f"{BY_PATH.format(1)}: Coin Acceptor at address 2 (cctalk): ")
    assert found["bill_validator"].startswith(f"{BY_PATH.format(2)}: bill validator (id003): ")
    assert found["hopper"].startswith(f"{BY_PATH.format(3)}: Payout at address 3 (cctalk): ")
    assert len(found) == 3


@pytest.mark.parametrize("build", [pi4, pi5])
async def test_a_bare_pi_without_a_configuration(build: Build, tmp_path: Path) -> None:
    """Without cabinet.toml the report says what is there, and nothing is missed."""
    computer = build(tmp_path)
    findings = await report(computer.world, None)
    assert to_mend(findings) == []
    assert "OK : Raspberry Pi" in _lines(findings, "board")[0]
    assert [one.state for one in findings if one.subject == "cabinet.toml"] == [State.NOTE]
    assert any("the header" in line for line in _lines(findings, "pins"))


async def test_a_pc(tmp_path: Path) -> None:
    """A PC is no cabinet; its one real serial port is asked, the other 31 names are left out."""
    findings = await report(pc(tmp_path).world, FILE)
    assert [one.subject for one in to_mend(findings)] == ["board"]
    assert _lines(findings, "board") == ["MEND : not a Raspberry Pi (ThinkCentre)"]
    assert _lines(findings, "ports") == ["note : /dev/ttyS0: nobody answers"]


async def test_devices_that_nobody_configured_are_shown_with_their_lines(tmp_path: Path) -> None:
    """Without a configuration each device comes with the lines that cabinet.toml needs for it."""
    computer = pi4(tmp_path)
    computer.plug(1, SimulatedCoinAcceptor(address=5))
    computer.plug(4, SimulatedSspValidator(returned=_nothing, stacked=_nothing))
    computer.plug(3)
    await asyncio.sleep(30)
    findings = [one for one in await report(computer.world, None) if one.subject == "ports"]
    mends = [one.mend for one in findings]
    assert f'to use it write [coin_acceptor]; port = "{BY_PATH.format(1)}"; address = 5' in mends
    assert f'to use it write [bill_validator]; port = "{BY_PATH.format(4)}"; protocol = "ssp"' in mends
    assert any("check the device's supply" in mend for mend in mends)


async def test_two_plugs_that_are_swapped(tmp_path: Path) -> None:
    """Acceptor and hopper in each other's sockets: each is found where it is, with the line to write."""
    computer = await _whole_cabinet(tmp_path)
    one, three = BY_PATH.format(1), BY_PATH.format(3)
    computer.lines[one], computer.lines[three] = computer.lines[three], computer.lines[one]
    mends = {one.key: one.mend for one in to_mend(await _found(computer))}
    assert f'it is at another port: write [coin_acceptor]; port = "{three}"; address = 2' in mends["coin_acceptor.port"]
    assert f'port = "{one}"; protocol = "cctalk"; address = 3' in mends["hopper.port"]


async def test_what_does_not_fit_is_named_with_its_key(tmp_path: Path) -> None:
    """Another address, another serial number, another protocol, an empty socket: each has its key and its mend."""
    computer = pi4(tmp_path)
    text = SAMPLE.read_text().replace("serial = 0", "serial = 99", 1).replace("address = 3", "address = 4")
    computer.write(str(FILE), text)
    computer.plug(1, SimulatedCoinAcceptor())
    computer.plug(2, SimulatedSspValidator(returned=_nothing, stacked=_nothing))
    computer.plug(3, SimulatedHopper())
    await asyncio.sleep(30)
    found = {one.key: one for one in to_mend(await _found(computer))}
    assert set(found) == {"coin_acceptor.serial", "hopper.address", "bill_validator.protocol"}
    assert "address = 3" in found["hopper.address"].mend
    assert 'protocol = "ssp"' in found["bill_validator.protocol"].mend


async def test_a_device_that_is_scanned_for_may_have_any_address_and_must_be_the_only_one(tmp_path: Path) -> None:
    """A hopper at 7 is what `address = "scan"` asks for; a second one on its line has to be taken away."""
    computer = pi4(tmp_path)
    computer.write(str(FILE), SAMPLE.read_text().replace("address = 3", 'address = "scan"'))
    hoppers = SimulatedHopper(address=7), SimulatedHopper(address=9)
    computer.plug(3, PartyLine(hoppers))
    hoppers[1].power(on=False)
    await asyncio.sleep(30)
    found = {one.key: one for one in await _found(computer)}
    assert (found["hopper"].state, "at address 7" in found["hopper"].found) == (State.OK, True)
    hoppers[1].power(on=True)
    await asyncio.sleep(30)
    (two,) = [one for one in to_mend(await _found(computer)) if one.key == "hopper.address"]
    assert two.found.endswith("several answer, at addresses 7, 9")
    assert "take all but one away" in two.mend


async def test_a_port_that_is_missing(tmp_path: Path) -> None:
    """A socket without an adapter is named by its key."""
    computer = pi4(tmp_path)
    computer.write(str(FILE), SAMPLE.read_text())
    keys = {one.key for one in to_mend(await _found(computer))}
    assert {"coin_acceptor.port", "bill_validator.port", "hopper.port"} == keys


async def test_a_running_supervisor_keeps_its_ports(tmp_path: Path) -> None:
    """While the supervisor runs nothing of its own is opened: its ports and its pins are in use by it."""
    computer = await _whole_cabinet(tmp_path)
    computer.supervise(*(f"/dev/ttyUSB{socket}" for socket in (1, 2, 3)))
    computer.use("gpiochip0", 4, "lg")
    findings = await _found(computer)
    assert to_mend(findings) == []
    assert computer.opened == []
    assert f"OK hopper.port: {BY_PATH.format(3)}: in use by cabinet (pid 4242)" in _lines(findings, "ports")
    assert "OK : 1 lines in use by cabinet (pid 4242)" in _lines(findings, "pins")


NETWORKED = "192.168.1.50:9100"


def _printer(root: Path, device: LineDevice | None) -> Computer:
    """A Pi 4 whose cabinet.toml names a network's printer, with what is at its address."""
    computer = pi4(root)
    table = f'[ticket_printer]\nlink = "network"\nport = "{NETWORKED}"\n'
    computer.write(str(FILE), SAMPLE.read_text() + table)
    if device is not None:
        computer.lines[NETWORKED] = MemoryLine(device, path=NETWORKED)
        device.power(on=True)
    return computer


async def test_a_printer_on_the_network_is_asked_who_it_is(tmp_path: Path) -> None:
    """Once, at its address; it prints nothing."""
    pieces: list[Piece] = []
    printer = SimulatedPrinter(dropped=pieces.append, build=PrinterBuild(baud=0))
    computer = _printer(tmp_path, printer)
    await asyncio.sleep(30)
    (line,) = [line for line in _lines(await _found(computer), "ports") if NETWORKED in line]
    assert line == f"OK ticket_printer: {NETWORKED}: ticket printer (escpos): SIMULATED TICKET-80"
    assert (computer.opened.count(NETWORKED), pieces) == (1, [])


@pytest.mark.parametrize(
    ("device", "found"),
    [(None, f"{NETWORKED} cannot be opened"), (Silent(), f"{NETWORKED}: nobody answers")],
    ids=["refused", "silent"],
)
async def test_a_printer_that_is_not_on_the_network_is_named(
    device: LineDevice | None, found: str, tmp_path: Path
) -> None:
    """By its key; whether nobody is there, or somebody says nothing."""
    computer = _printer(tmp_path, device)
    (one,) = [one for one in to_mend(await _found(computer)) if one.key == "ticket_printer.port"]
    assert one.found == found


async def test_a_running_supervisor_keeps_its_printer(tmp_path: Path) -> None:
    """Most printers serve one connection: beside a supervisor none is made."""
    computer = _printer(tmp_path, None)
    computer.supervise()
    assert f"OK ticket_printer.port: {NETWORKED}: in use by cabinet (pid 4242)" in _lines(
        await _found(computer), "ports"
    )
    assert NETWORKED not in computer.opened


async def test_a_running_supervisors_expanders_are_not_asked(tmp_path: Path) -> None:
    """A read could come between the supervisor's own: its expanders are left to it."""
    computer = pi5(tmp_path)
    computer.write(str(FILE), SAMPLE.with_name("cabinet-pi5.toml").read_text())
    assert ("pins.expanders.x20", "expanders") in {(one.key, one.subject) for one in to_mend(await _found(computer))}
    computer.supervise()
    assert "in use by cabinet (pid 4242), not asked" in "".join(_lines(await _found(computer), "expanders"))


async def test_a_port_of_another_user_is_known_by_its_lock(tmp_path: Path) -> None:
    """Whose open files are hidden is known by the lock that every port has; the port is not opened."""
    computer = await _whole_cabinet(tmp_path)
    computer.write("/proc/77/comm", "minicom\n")
    computer.lock(77, "/dev/ttyUSB2")
    (found,) = to_mend(await _found(computer))
    assert (found.key, "in use by minicom (pid 77)" in found.found) == ("bill_validator.port", True)
    assert BY_PATH.format(2) not in computer.opened


async def test_pins_that_others_use(tmp_path: Path) -> None:
    """A pin of cabinet.toml that an overlay has taken is named by its key, one that nobody wants is a note."""
    computer = await _whole_cabinet(tmp_path)
    computer.use("gpiochip0", 8, "spi0 CS0")
    (found,) = to_mend(await _found(computer))
    assert (found.key, found.found) == ("pins.buttons.bet.pin", "GPIO 8 is used by 'spi0 CS0'")
    findings = await report(computer.world, None)
    assert "note : GPIO 8 is used by 'spi0 CS0'" in _lines(findings, "pins")


async def test_expanders(tmp_path: Path) -> None:
    """One that answers where cabinet.toml wants it is well, a stranger is a note, a missing bus names its line."""
    computer = pi5(tmp_path)
    computer.write(str(FILE), SAMPLE.with_name("cabinet-pi5.toml").read_text())
    computer.expanders = {0x20, 0x23}
    lines = _lines(await _found(computer), "expanders")
    assert "OK pins.expanders.x20: 0x20 answers" in lines
    assert "note pins.expanders.x23: 0x23 answers, and cabinet.toml does not name it" in lines
    (tmp_path / "dev/i2c-1").unlink()
    assert "MEND pins.expanders: there is no /dev/i2c-1" in _lines(await _found(computer), "expanders")


async def test_firmware_settings(tmp_path: Path) -> None:
    """Each line that config.txt lacks is named; lines of another board's section do not count."""
    computer = await _whole_cabinet(tmp_path)
    computer.write("/boot/firmware/config.txt", "[pi5]\nenable_uart=0\n[all]\ndtparam=watchdog=on\n")
    computer.write("/boot/firmware/cmdline.txt", "console=serial0,115200 console=tty1\n")
    found = [one.mend for one in to_mend(await _found(computer))]
    assert found == [
        "add the line enable_uart=0 to /boot/firmware/config.txt and reboot",
        "add the line force_eeprom_read=0 to /boot/firmware/config.txt and reboot",
        "add the line dtparam=strict_gpiod to /boot/firmware/config.txt and reboot",
        "take console=serial0,115200 out of /boot/firmware/cmdline.txt and reboot",
    ]


async def test_an_overlay_that_is_not_there(tmp_path: Path) -> None:
    """A line of config.txt without its file changes nothing on the board; no other folder is looked into."""
    computer = await _whole_cabinet(tmp_path)
    computer.write("/boot/firmware/config.txt", f"{CONFIG_TXT}[all]\ndtoverlay=disable-bt\n")
    (found,) = to_mend(await _found(computer))
    assert found.found == "dtoverlay=disable-bt does nothing: there is no /boot/firmware/overlays/disable-bt.dtbo"
    assert found.mend == "put it there, or take that line out of /boot/firmware/config.txt"
    computer.write("/boot/firmware/config.txt", f"{CONFIG_TXT}[all]\ndtoverlay=disable-bt\noverlay_prefix=other/\n")
    assert not to_mend(await _found(computer))
    computer.write("/boot/firmware/config.txt", f"{CONFIG_TXT}[all]\ndtoverlay=pi3-disable-bt\n")
    assert len(to_mend(await _found(computer))) == 1
    computer.write("/boot/firmware/overlays/overlay_map.dtb", "pi3-disable-bt renamed disable-bt")
    assert not to_mend(await _found(computer))


async def test_the_rest_of_the_computer(tmp_path: Path) -> None:
    """No monitor, no sound, no time, no room, a failed unit and a missing group: each is to be mended."""
    computer = await _whole_cabinet(tmp_path)
    computer.add_screen("card1-HDMI-A-1")
    computer.write("/proc/asound/cards", "--- no soundcards ---\n")
    computer.programs["timedatectl"] = "NTPSynchronized=no\n"
    computer.programs["systemctl"] = computer.programs["systemctl"].replace(
        "ActiveState=active", "ActiveState=failed", 1
    )
    computer.free = 100_000_000
    computer.as_user("pi", "dialout", "i2c")
    found = {one.subject: one for one in to_mend(await _found(computer))}
    assert set(found) == {"screen", "sound", "clock", "room", "units", "groups"}
    assert found["room"].key == "storage.low_mb"
    assert found["screen"].mend == "plug the monitor in and switch it on: the picture comes by itself"
    assert "sudo usermod -aG gpio pi" in found["groups"].mend
    assert "journalctl -u cabinet.service" in found["units"].mend


async def test_a_second_copy_may_be_on_a_small_medium(tmp_path: Path) -> None:
    """It does not grow: what the books' own medium must have free is not asked of it."""
    computer = await _whole_cabinet(tmp_path)
    copy = computer.write("/media/fram/journal.copy", "").parent
    file = SAMPLE.read_text().replace('second_copy = ""', 'second_copy = "/media/fram/journal.copy"')
    computer.write(str(FILE), file)
    computer.media["/media/fram"] = Room(copy.stat().st_dev + 1, 1_000_000, 500_000)
    findings = await _found(computer)
    assert to_mend(findings) == []
    assert "OK : /media/fram: 0 of 1 MB are free" in _lines(findings, "room")


async def test_the_monitors_shape(tmp_path: Path) -> None:
    """A monitor on its side wants the portrait layout."""
    computer = await _whole_cabinet(tmp_path)
    computer.add_screen("card1-HDMI-A-1", "1080x1920")
    (found,) = to_mend(await _found(computer))
    assert (found.key, found.mend) == ("display.shape", 'write shape = "portrait" in [display]')


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("battery_voltage", "12345\n", "cell is missing"),
        ("since_epoch", "946684800\n", "is not set"),
    ],
)
async def test_a_clock_that_does_not_keep_the_time(file: str, text: str, said: str, tmp_path: Path) -> None:
    """A Pi 5 whose clock has no cell, or was never set, loses the time with the power."""
    computer = pi5(tmp_path)
    computer.write(f"/sys/class/rtc/rtc0/{file}", text)
    (found,) = to_mend(await report(computer.world, None))
    assert said in found.found


async def test_a_port_that_is_configured_by_another_name(tmp_path: Path) -> None:
    """A name of the installer's own for a socket is that socket; a port that no pattern finds is asked as well."""
    computer = await _whole_cabinet(tmp_path)
    named = tmp_path / "dev/cabinet/usb1"
    named.parent.mkdir()
    named.symlink_to("../ttyUSB1")
    computer.write("/dev/odd0", "")
    computer.lines["/dev/odd0"] = computer.lines[BY_PATH.format(3)]
    computer.lines[BY_PATH.format(3)] = MemoryLine(Silent())
    text = SAMPLE.read_text().replace(BY_PATH.format(1), "/dev/cabinet/usb1").replace(BY_PATH.format(3), "/dev/odd0")
    computer.write(str(FILE), text)
    findings = await _found(computer)
    assert to_mend(findings) == []
    found = {one.key: one.found for one in findings if one.key}
    assert "/dev/cabinet/usb1: Coin Acceptor" in found["coin_acceptor"]
    assert "/dev/odd0: Payout" in found["hopper"]


async def test_hosts_and_consoles_are_not_asked(tmp_path: Path) -> None:
    """On a SAS host's line the host asks, and the kernel's console is no device's."""
    computer = await _whole_cabinet(tmp_path)
    host = computer.plug(4)
    computer.write("/dev/ttyAMA0", "")
    computer.write("/proc/consoles", "ttyAMA0 -W- (EC p a) 204:64\n")
    computer.write(str(FILE), SAMPLE.read_text() + f'\n[host_port]\nport = "{host}"\n')
    lines = _lines(await _found(computer), "ports")
    assert f"note : {host}: not asked, the line of a host, which asks by itself" in lines
    assert "note : /dev/ttyAMA0: not asked, the kernel's console" in lines
    assert {host, "/dev/ttyAMA0"}.isdisjoint(computer.opened)


async def test_a_uart_whose_pins_are_the_cabinets_is_not_asked(tmp_path: Path) -> None:
    """The sample has hard meters at GPIO 14 and 15: where the UART is switched on, questions would be pulses."""
    computer = await _whole_cabinet(tmp_path)
    computer.write("/dev/ttyAMA0", "")
    lines = _lines(await _found(computer), "ports")
    assert "note : /dev/ttyAMA0: not asked, its pins 14 and 15 are the cabinet's, and would be pulsed" in lines
    assert "/dev/ttyAMA0" not in computer.opened


async def test_a_device_on_the_headers_uart_wants_it_on(tmp_path: Path) -> None:
    """With an MDB HAT on GPIO 14 and 15 nobody is asked to switch its UART off."""
    computer = await _whole_cabinet(tmp_path)
    computer.write("/boot/firmware/config.txt", CONFIG_TXT.replace("enable_uart=0", "enable_uart=1"))
    assert [one.found for one in to_mend(await _found(computer)) if one.subject == "config.txt"] == [
        "enable_uart=0 is missing: the boot console would move pins 14 and 15"
    ]
    lines = [line for line in SAMPLE.read_text().splitlines() if "pin = 14" not in line and "pin = 15" not in line]
    computer.write(str(FILE), "\n".join(lines).replace(BY_PATH.format(1), "/dev/ttyAMA0"))
    assert not [one for one in to_mend(await _found(computer)) if one.subject == "config.txt"]


async def test_a_wrong_configuration_is_reported_with_the_rest(tmp_path: Path) -> None:
    """Each problem of cabinet.toml is a finding with its key, and the computer is reported all the same."""
    computer = pi4(tmp_path)
    computer.write(str(FILE), SAMPLE.read_text().replace('shape = "wide"', 'shape = "round"'))
    findings = await _found(computer)
    assert [one.key for one in to_mend(findings)] == ["display.shape"]
    assert any(one.subject == "ports" for one in findings)


async def test_books_that_cannot_be_read_keep_validators_from_being_asked(tmp_path: Path) -> None:
    """Whether a note is in hand is not known, so a validator that may hold its credit is left to the cabinet."""
    computer = await _whole_cabinet(tmp_path)
    computer.write("/var/lib/cabinet/journal.sqlite", "no database")
    port = computer.plug(4, SimulatedSspValidator(returned=_nothing, stacked=_nothing))
    lines = _lines(await _found(computer), "ports")
    assert any(line.startswith(f"note : {port}: not asked, a note or payout may be on its way") for line in lines)


async def test_books_in_a_folder_without_access_end_no_report(tmp_path: Path) -> None:
    """Without the rights to look for the books all else is reported, and no validator is asked; so for the file."""
    computer = await _whole_cabinet(tmp_path)
    # root may look everywhere: a link to itself leads nobody anywhere, root neither
    (computer.root / "var/lib/cabinet/loop").symlink_to("loop")
    unseen = "/var/lib/cabinet/loop/journal.sqlite"
    computer.write(str(FILE), SAMPLE.read_text().replace("/var/lib/cabinet/journal.sqlite", unseen))
    port = computer.plug(4, SimulatedSspValidator(returned=_nothing, stacked=_nothing))
    findings = await _found(computer)
    ports = _lines(findings, "ports")
    assert any(line.startswith(f"note : {port}: not asked, a note or payout may be on its way") for line in ports)
    unread = f"note : {unseen} cannot be read: what was set in the service menu is not known"
    assert unread in _lines(findings, "cabinet.toml")
    (unreadable,) = to_mend(await report(computer.world, Path("/etc/cabinet/" + "x" * 300)))
    assert unreadable.found.startswith("cannot be read")


async def test_what_was_chosen_in_the_menu_is_what_is_expected(tmp_path: Path) -> None:
    """A port that the set-up guide has stored over cabinet.toml is the one that is looked at."""
    computer = await _whole_cabinet(tmp_path)
    computer.write(str(FILE), SAMPLE.read_text().replace("usb-0:1.1:1.0", "usb-0:1.4:1.0"))
    assert [one.key for one in to_mend(await _found(computer))] == ["coin_acceptor.port"]
    config = load(computer.root / str(FILE).removeprefix("/"))
    with opened(tmp_path / "var/lib/cabinet") as store:
        store.transact(lambda tx: change(tx, config, {"coin_acceptor.port": BY_PATH.format(1)}, "Ada"))
    assert to_mend(await _found(computer)) == []


async def test_a_smart_hopper_is_held_against_its_table(tmp_path: Path) -> None:
    """An SSP hopper where cabinet.toml wants a ccTalk one needs another protocol; with it, it is well."""
    computer = await _whole_cabinet(tmp_path)
    hopper = SimulatedSmartHopper()
    hopper.power(on=True)
    computer.lines[BY_PATH.format(3)] = MemoryLine(hopper)
    await asyncio.sleep(30)
    (found,) = to_mend(await _found(computer))
    assert (found.key, 'protocol = "ssp"' in found.mend) == ("hopper.protocol", True)
    changers, hoppers = SAMPLE.read_text().split("[hopper]")
    text = changers + "[hopper]" + hoppers.replace('protocol = "cctalk"', 'protocol = "ssp"')
    computer.write(str(FILE), text)
    assert to_mend(await _found(computer)) == []


async def test_an_mdb_bus_is_held_against_its_tables(tmp_path: Path) -> None:
    """Changer, validator and tubes answer behind one bridge; a bus without its validator is named with its key."""
    computer = pi4(tmp_path)
    bills = SimulatedMdbBills(returned=_nothing, stacked=_nothing)
    port = computer.plug(1, MdbBridge([SimulatedChanger(), bills]))
    await asyncio.sleep(30)
    found = [one.mend for one in await report(computer.world, None) if one.subject == "ports"]
    assert found == [
        f'to use it write [{table}]; port = "{port}"; protocol = "mdb"' for table in ("coin_acceptor", "bill_validator")
    ]
    text = SAMPLE.read_text().replace("usb-0:1.2:1.0", "usb-0:1.1:1.0").replace("usb-0:1.3:1.0", "usb-0:1.1:1.0")
    for protocol in ("cctalk", "id003"):
        text = text.replace(f'protocol = "{protocol}"', 'protocol = "mdb"')
    computer.write(str(FILE), text)
    findings = await _found(computer)
    assert to_mend(findings) == []
    names = {one.key: one.found for one in findings if one.subject == "ports"}
    assert names["coin_acceptor"] == names["hopper"]
    assert set(names) == {"coin_acceptor", "hopper", "bill_validator"}
    bills.dead = True
    (missing,) = to_mend(await _found(computer))
    assert missing.key == "bill_validator.port"


async def test_a_note_in_hand_keeps_validators_from_being_asked(tmp_path: Path) -> None:
    """While the books have a note on its way no SSP or EBDS device is asked; once it is settled it is."""
    computer = pi4(tmp_path)
    device = SimulatedSspValidator(returned=_nothing, stacked=_nothing)
    computer.plug(4, device)
    await asyncio.sleep(30)
    with opened(tmp_path / "var/lib/cabinet") as store:
        store.transact(lambda tx: note_stacking(tx, 500))
    before = _lines(await report(computer.world, None), "ports")
    with opened(tmp_path / "var/lib/cabinet", create=False) as store:
        store.transact(lambda tx: note_stacked(tx, 500))
        store.transact(note_acknowledged)
    after = _lines(await report(computer.world, None), "ports")
    assert "not asked, a note or payout may be on its way" in before[0]
    assert "bill validator at address 0 (ssp)" in after[0]


def test_table_and_json() -> None:
    """The table has a line for each finding and one for its mend; JSON has the same, and whether all is well."""
    findings = [Finding("board", State.OK, "a Pi"), Finding("ports", State.MEND, "nobody", "plug it in", "hopper.port")]
    assert as_table(findings).splitlines() == [
        "board  OK    a Pi",
        "ports  MEND  hopper.port: nobody",
        "             mend: plug it in",
        "1 to mend",
    ]
    read = json.loads(as_json(findings))
    assert (read["well"], read["findings"][1]["key"]) == (False, "hopper.port")
    assert is_well(findings[:1])
    assert as_table([]) == "Nothing to mend"


def test_a_program_of_the_system_may_say_what_the_locale_cannot_read() -> None:
    """Its other words are read all the same."""
    assert real_world().run(("printf", r"on \377")) == "on \N{REPLACEMENT CHARACTER}"
