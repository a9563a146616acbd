"""The units and system files say what issue 7 asks for, and the system's own tools accept them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from controller.features.update.trial import PATIENCE_S, WELL_S
from controller.features.update.trial_watch import LONGEST_MS
from controller.system.host import EXIT_RESTART
from controller.system.notify import START_S
from tests.bench.display_memory import MOST_MIB
from tests.rigs.needing import needs_tools
from tests.systemd.unit_files import SYSTEMD, UNITS, settings, values

SERVICES = sorted(UNITS.glob("*.service"))
PROGRAM = "/opt/cabinet"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The units where their commands exist: paths under /opt/cabinet lead into a tree of fakes."""
    tree = tmp_path / "opt/cabinet"
    (tree / "venv/bin").mkdir(parents=True)
    shutil.copytree(SYSTEMD, tree / "system")
    for name in ("cabinet", "python"):
        stand_in = tree / "venv/bin" / name
        stand_in.write_text("#!/bin/sh\n", encoding="utf-8")
        stand_in.chmod(0o755)
    units = tmp_path / "units"
    units.mkdir()
    for unit in UNITS.iterdir():
        text = unit.read_text(encoding="utf-8").replace(PROGRAM, str(tree))
        (units / unit.name).write_text(text, encoding="utf-8")
    return units


@needs_tools("systemd-analyze", packages="systemd")
def test_the_service_manager_finds_nothing_wrong_with_any_unit(installed: Path) -> None:
    """`systemd-analyze verify` is silent."""
    units = [str(unit) for unit in sorted(installed.iterdir())]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *units],
        capture_output=True,
        text=True,
        check=False,
    )
    about_ours = [line for line in (done.stdout + done.stderr).splitlines() if "cabinet" in line]
    assert about_ours == []


@needs_tools("systemd-analyze", packages="systemd")
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_every_service_is_hardened(unit: Path) -> None:
    """`systemd-analyze security` gives each an exposure below 2.0 of 10."""
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout.splitlines()[-1]


@pytest.mark.parametrize("text", ["cabinet = 3", "[cabinet]\njournal = 3", "[cabinet]\nrun_dir = 1979-05-27"])
@pytest.mark.parametrize(
    "command",
    ["unit_options.py {}", "unit_options.py {} --more", "journal_copies.py where {}", "display_settings.py {} {}.d"],
)
def test_a_value_of_another_kind_is_said_in_words(tmp_path: Path, command: str, text: str) -> None:
    """Where a script can do nothing with it; each leaves to check-config what it does not read itself."""
    configuration = tmp_path / "cabinet.toml"
    configuration.write_text(text, encoding="utf-8")
    words = [word.replace("{}", str(configuration)) for word in command.split()]
    done = subprocess.run(
        [sys.executable, "-I", SYSTEMD / words[0], *words[1:]], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert ("check-config" in done.stderr) == (done.returncode == 1)
    assert done.returncode in (0, 1)


@needs_tools("systemd-analyze", packages="systemd")
def test_a_supervisor_that_reaches_a_printer_is_hardened(tmp_path: Path) -> None:
    """With the drop-in for a printer on the network its exposure is below 2.0 of 10, too."""
    configuration, unit = tmp_path / "cabinet.toml", tmp_path / "cabinet.service"
    configuration.write_text("[ticket_printer]\nlink = 'network'\nport = '192.168.1.50:9100'\n", encoding="utf-8")
    drop_in = subprocess.check_output([sys.executable, "-I", SYSTEMD / "unit_options.py", configuration], text=True)
    unit.write_text((UNITS / "cabinet.service").read_text(encoding="utf-8") + drop_in, encoding="utf-8")
    assert "IPAddressAllow=192.168.1.50" in drop_in
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout.splitlines()[-1]


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_every_service_is_closed_in(unit: Path) -> None:
    """No new privileges, no devices but those named, no network but the venue link's, no system file writable."""
    said = dict(settings(unit))
    asked = {"NoNewPrivileges": "yes", "DevicePolicy": "closed", "PrivateNetwork": "yes", "ProtectSystem": "strict"}
    if unit.stem == "cabinet-settle":  # puts units, rules and users where the system looks for them
        del asked["ProtectSystem"]
    if unit.stem == "cabinet-display":  # udev reports a touch screen that is plugged in within its own network alone
        del asked["PrivateNetwork"]
        assert said["RestrictAddressFamilies"] == "AF_UNIX AF_NETLINK"
        assert said["IPAddressDeny"] == "any"
        assert "PrivateNetwork" not in said
    if unit.stem == "cabinet-venue-link":  # the one process that has the network; the books are out of its sight
        del asked["PrivateNetwork"]
        assert "-/var/lib/cabinet -/etc/cabinet" in said["InaccessiblePaths"]
        assert (said["DynamicUser"], said["SupplementaryGroups"]) == ("yes", "cabinet-link")
    assert asked.items() <= said.items()


def test_each_kind_of_device_is_known_before_a_service_starts() -> None:
    """`DeviceAllow=char-KIND` is a number that is looked up at the start: a module that comes later is refused."""
    brought = {
        "drm": "drm",
        "alsa": "snd",
        "i2c": "i2c-dev",
        "ttyUSB": "usbserial",
        "usb": "usbserial",
        "ttyACM": "cdc_acm",
    }
    built_in = {"input", "gpiochip", "ttyAMA", "ttyS"}
    asked = {
        word.removeprefix("char-").split()[0]
        for unit in SERVICES
        for word in values(unit.name, "DeviceAllow")
        if word.startswith("char-")
    }
    lines = (SYSTEMD / "conf/modules-load.conf").read_text("utf-8").splitlines()
    loaded = {line for line in lines if line and not line.startswith("#")}
    assert {brought[kind] for kind in asked - built_in} == loaded


def test_a_wish_for_a_new_start_is_no_failure() -> None:
    """The supervisor's exit for an archive, or from the menu, counts as none, and it is started anew."""
    assert values("cabinet.service", "SuccessExitStatus") == [str(EXIT_RESTART)]
    assert values("cabinet.service", "Restart") == ["always"]


@pytest.mark.requirement("S1")
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_no_variable_of_the_service_manager_brings_code_in(unit: Path) -> None:
    """What system.conf or the kernel's command line sets for all services decides nothing that runs."""
    (unset,) = values(unit.name, "UnsetEnvironment")
    loader = {"LD_AUDIT", "LD_LIBRARY_PATH", "LD_PRELOAD"}
    assert set(unset.split()) == loader | {"PYTHONHOME", "PYTHONPATH", "PYTHONPLATLIBDIR", "PYTHONWARNINGS"}


def test_only_what_must_be_root_is_root() -> None:
    """Console lock, display's end and settings, sticks, updates: each with the few capabilities that it needs."""
    roots = {unit.stem: dict(settings(unit)) for unit in SERVICES if "User" not in dict(settings(unit))}
    assert {name: said["CapabilityBoundingSet"] for name, said in roots.items()} == {
        "cabinet-console": "CAP_SYS_TTY_CONFIG",
        "cabinet-display-end": "CAP_DAC_OVERRIDE",
        "cabinet-display-settings": "",
        "cabinet-sticks": "CAP_DAC_READ_SEARCH",
        "cabinet-update": "CAP_DAC_OVERRIDE CAP_SETUID CAP_SETGID",
        "cabinet-update-boot": "CAP_DAC_OVERRIDE CAP_SETUID CAP_SETGID",
        "cabinet-settle": "CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID",
    }


def test_what_reads_a_bundle_may_write_no_system_file() -> None:
    """The trees, the inbox and the run directory: what changes the system is what was signed, in a unit of its own."""
    for unit in ("cabinet-update.service", "cabinet-update-boot.service"):
        assert values(unit, "ReadWritePaths") == ["/opt /var/lib/cabinet /run/cabinet"]
        assert values(unit, "StateDirectory") == ["cabinet-update"]


def test_what_a_power_cut_left_of_an_update_is_set_right_before_anything_starts() -> None:
    """And an updater that has itself failed mends what it left."""
    assert values("cabinet-update-boot.service", "Before") == ["cabinet.service cabinet-display.service"]
    assert values("cabinet-update-boot.service", "WantedBy") == ["multi-user.target"]
    assert values("cabinet-update.service", "ExecStopPost") == [
        "/bin/sh /usr/lib/cabinet/update mend",
        "+/bin/sh /usr/lib/cabinet/writable no",
    ]


def test_the_updater_waits_longer_than_a_trial_lasts_and_the_supervisor_longer_than_the_updater() -> None:
    """Nobody gives up on a sound update."""
    (start_s,), (stop_s,) = (
        [int(value) for value in values("cabinet-update.service", name)]
        for name in ("TimeoutStartSec", "TimeoutStopSec")
    )
    assert start_s > PATIENCE_S * 4
    assert (start_s + stop_s) * 1000 <= LONGEST_MS
    assert int(values("cabinet.service", "WatchdogSec")[0]) < WELL_S


def test_the_supervisor_is_watched_and_started_again_and_given_up_at_last() -> None:
    """READY and watchdog by notification; after five starts in vain the plain screen."""
    unit = "cabinet.service"
    assert values(unit, "Type") == ["notify"]
    assert int(values(unit, "WatchdogSec")[0]) == 20
    assert int(values(unit, "TimeoutStartSec")[0]) == START_S
    assert values(unit, "Restart") == ["always"]
    assert values(unit, "StartLimitBurst") == ["5"]
    assert values(unit, "OnFailure") == values("cabinet-display.service", "OnFailure") == ["cabinet-fault.target"]
    assert values("cabinet-fault.target", "Requires") == ["cabinet-fault.service"]


def test_a_restart_that_takes_its_time_still_counts_towards_giving_up() -> None:
    """Five hangs, each of a watchdog's and a start's length, fit into the interval of the start limit."""
    unit = "cabinet.service"
    one = int(values(unit, "WatchdogSec")[0]) + int(values(unit, "RestartSec")[0]) + 10
    assert one * int(values(unit, "StartLimitBurst")[0]) < int(values(unit, "StartLimitIntervalSec")[0])


@pytest.mark.parametrize("unit", sorted(UNITS.iterdir()), ids=lambda unit: unit.name)
def test_nothing_waits_for_network_or_clock(unit: Path) -> None:
    """Play begins without either (issue 7)."""
    order = {"After", "Wants", "Requires", "BindsTo", "Requisite"}
    waited_for = " ".join(value for name, value in settings(unit) if name in order)
    assert not re.search(r"network|time-s|chrony|ntp|resolved", waited_for)


def test_screen_and_plain_screen_own_tty1_and_never_together() -> None:
    """One terminal, one owner; no login prompt on it."""
    assert values("cabinet-display.service", "TTYPath") == values("cabinet-fault.service", "TTYPath") == ["/dev/tty1"]
    assert values("cabinet-fault.service", "Conflicts") == ["cabinet-display.service"]
    assert values("cabinet-display.service", "Conflicts") == ["getty@tty1.service"]
    assert "getty@tty1.service" in (SYSTEMD / "conf/masked").read_text(encoding="utf-8").split()


def test_a_display_that_leaks_is_ended_before_the_machine_runs_out_of_memory() -> None:
    """Above what it may hold at 1920x1080 it is slowed down, and killed and started again soon after."""
    high, most = (values("cabinet-display.service", name) for name in ("MemoryHigh", "MemoryMax"))
    bounds = [int(value.removesuffix("M")) for value in (*high, *most)]
    assert MOST_MIB["full_hd"] < bounds[0] < bounds[1] <= 1.3 * MOST_MIB["full_hd"]
    assert values("cabinet-display.service", "Restart") == ["always"]


def test_ctrl_alt_del_and_console_switching_lead_nowhere() -> None:
    """No stray key restarts the machine or brings a shell up."""
    assert "ctrl-alt-del.target" in (SYSTEMD / "conf/masked").read_text(encoding="utf-8").split()
    assert "CtrlAltDelBurstAction=none" in (SYSTEMD / "conf/system.conf").read_text(encoding="utf-8").split()
    assert "NAutoVTs=0" in (SYSTEMD / "conf/logind.conf").read_text(encoding="utf-8").split()
    assert "kernel.sysrq = 0" in (SYSTEMD / "conf/sysctl.conf").read_text(encoding="utf-8").splitlines()


def test_the_hardware_watchdog_is_within_what_a_pi_can_do() -> None:
    """The Pi's own timer runs out after 15 s at most."""
    text = (SYSTEMD / "conf/system.conf").read_text(encoding="utf-8")
    (seconds,) = re.findall(r"^RuntimeWatchdogSec=(\d+)s$", text, re.MULTILINE)
    assert int(seconds) <= 15


def test_every_user_and_group_of_a_unit_is_made() -> None:
    """What Debian and Pi OS bring by themselves need not be."""
    brought = {"dialout", "video", "render", "input", "audio", "systemd-journal"}
    lines = [line.split() for line in (SYSTEMD / "conf/sysusers.conf").read_text("utf-8").splitlines()]
    made = {line[1] for line in lines if line and line[0] in ("u", "g")}
    asked = {
        name
        for unit in SERVICES
        for key, value in settings(unit)
        if value != "cabinet-venue-link"  # made by the service manager itself (DynamicUser)
        if key in ("User", "Group", "SupplementaryGroups")
        for name in value.split()
    }
    assert asked - brought <= made
    assert {"cabinet", "cabinet-display"} <= made


@needs_tools("systemd-sysusers", packages="systemd")
def test_the_users_are_understood(tmp_path: Path) -> None:
    """`systemd-sysusers` reads the file without complaint: neither user can log in."""
    conf = (SYSTEMD / "conf/sysusers.conf").resolve()
    (tmp_path / "etc").mkdir()
    command = ["systemd-sysusers", f"--root={tmp_path}", "--dry-run", str(conf)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "not a valid" not in done.stderr


@pytest.mark.parametrize("rules", sorted(SYSTEMD.glob("conf/*.rules")), ids=lambda rules: rules.name)
def test_every_udev_rule_matches_before_it_sets(rules: Path) -> None:
    """Each line is a list of keys with operators, quoted values, and at least one match and one assignment."""
    token = re.compile(r'^[A-Z_]+(\{[^}]+\})?(==|!=|=|\+=|:=)"[^"]*"$')
    lines = [line for line in rules.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    for line in lines:
        tokens = line.split(", ")
        assert all(token.match(each) for each in tokens), line
        operators = {token.match(each)[2] for each in tokens}  # type: ignore[index]
        assert operators & {"=", "+="}, line
        assert operators & {"==", "!="}, line


def test_sticks_and_keyboards_are_nobodys() -> None:
    """USB storage is ignored outside the menu's actions, and no keyboard reaches the display."""
    rules = (SYSTEMD / "conf/70-cabinet.rules").read_text("utf-8").splitlines()
    (stick,) = [rule for rule in rules if rule.startswith('SUBSYSTEM=="block", ENV{ID_BUS}=="usb"')]
    assert 'MODE="0600"' in stick
    assert 'GROUP="root"' in stick
    (keyboard,) = [rule for rule in rules if 'ENV{ID_INPUT_KEYBOARD}=="1"' in rule]
    assert 'GROUP="cabinet", MODE="0640"' in keyboard
