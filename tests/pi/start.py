"""The card's start on the emulated machine: partitions, first start, units, sandboxes, times, watchdog."""

import re
from collections.abc import Iterator

from tests.pi.cabinet import DISPLAY, SUPERVISOR, Cabinet
from tests.pi.fitted import put_all

FIRST_START = "first-start.service"
START_S, WELL_S, DOCTOR_S, WATCHDOG_S = 3600.0, 1200.0, 600.0, 180.0


def begun_again(cabinet: Cabinet) -> Iterator[str]:
    """The first start gives the books the rest of the card; power that fails then begins it again."""
    machine = cabinet.machine
    log = f"journalctl -b -u {FIRST_START} --no-pager --output=cat"
    machine.wait("the books' partition has grown", lambda: "the books have" in machine.run(log), START_S)
    grown = re.search(r"the books have (\d+) MB of the card, (\d+) before", machine.run(log))
    assert grown is not None, machine.run(log)
    assert int(grown[1]) > 10_000 > int(grown[2]), grown[0]
    yield f"the books' partition grew from {grown[2]} to {grown[1]} MB"
    assert machine.attempt("test -e /etc/cabinet/first-start")[0] != 0
    machine.cut()
    machine.power_on()
    put_all(machine)
    yield f"power cut before it was over; a shell again {machine.wait_for_shell(WELL_S):.0f} s after power-on"
    machine.wait("it begins again", lambda: "the books have" in machine.run(log), START_S)


def first_start(cabinet: Cabinet) -> Iterator[str]:
    """The written card has become this cabinet's own."""
    machine = cabinet.machine
    machine.run("until test -e /etc/cabinet/first-start; do sleep 20; done", seconds=START_S)
    yield f"first start over {machine.run('cut -d. -f1 /proc/uptime').strip()} s after power-on"
    log = machine.run(f"journalctl -b -u {FIRST_START} --no-pager --output=short-monotonic")
    cabinet.keep("first-start.txt", log + machine.run(f"systemctl status --no-pager --lines=0 {FIRST_START} || true"))
    megabytes = int(machine.run("stat --file-system --format=%b /var/lib/cabinet")) * 4096 // 10**6
    assert megabytes > 9_000, log
    yield f"the books' file system has {megabytes} MB"
    assert len(machine.run("cat /etc/machine-id").strip()) == 32
    files = machine.run("ls -A /var/lib/cabinet").split()
    assert {"journal.sqlite", "journal.sqlite.key"} <= set(files), files
    yield "machine id, key and books are made"


def mounts(cabinet: Cabinet) -> Iterator[str]:
    """The root is read-only, the books have their partition and their options, as the kernel has them."""
    machine = cabinet.machine
    found = cabinet.mounts()
    assert "ro" in found["/"][1], found["/"]
    assert machine.attempt("touch /usr/lib/x || touch /opt/cabinet/x || touch /etc/x")[0] != 0
    for place in ("/var", "/var/lib/cabinet", "/var/lib/cabinet-copy"):
        assert {"rw", "noatime", "nodev", "nosuid"} <= found[place][1], (place, found[place])
    assert len({found[place][0] for place in ("/", "/var", "/var/lib/cabinet", "/var/lib/cabinet-copy")}) == 4
    # What is ext4's default is left out of /proc/mounts: the kernel's own list has all of it.
    device = found["/var/lib/cabinet"][0].removeprefix("/dev/")
    options = set(machine.run(f"cat /proc/fs/ext4/{device}/options").split())
    assert {"barrier", "data=ordered", "errors=remount-ro"} <= options, options
    yield f"root read-only; books on {device} with barrier, data=ordered, errors=remount-ro"


def units(cabinet: Cabinet) -> Iterator[str]:
    """Supervisor and display run as their users in their sandboxes."""
    machine = cabinet.machine
    took = machine.wait("supervisor runs", lambda: machine.property(SUPERVISOR, "ActiveState") == "active", WELL_S)
    yield f"{SUPERVISOR} active {took:.0f} s later"
    took = machine.wait("display runs", lambda: machine.property(DISPLAY, "ActiveState") == "active", WELL_S)
    yield f"{DISPLAY} active {took:.0f} s later"
    for unit, user, groups in (
        (SUPERVISOR, "cabinet", {"cabinet", "cabinet-display", "dialout", "gpio", "i2c"}),
        (DISPLAY, "cabinet-display", {"cabinet-display", "video", "render", "input", "audio"}),
    ):
        pid = machine.property(unit, "MainPID")
        status = machine.run(f"cat /proc/{pid}/status")
        uids, gids, held = (re.search(rf"^{key}:\s*(.*)$", status, re.MULTILINE) for key in ("Uid", "Groups", "CapEff"))
        assert uids is not None, status
        assert gids is not None, status
        assert held is not None, status
        assert machine.run(f"id -nu {uids[1].split()[0]}").strip() == user
        names = {machine.run(f"getent group {gid}").split(":")[0] for gid in gids[1].split()}
        assert names <= groups, names
        assert int(held[1], 16) == 0, held[1]
        yield f"{unit}: user {user}, groups {' '.join(sorted(names))}, no capability"
    pid = machine.property(SUPERVISOR, "MainPID")
    mapped = machine.run(f"cat /proc/{pid}/uid_map").split()
    assert "4294967295" not in mapped, mapped  # that is the whole machine's map
    assert machine.property(SUPERVISOR, "DevicePolicy") == "closed"
    assert machine.run(f"readlink /proc/{pid}/ns/net") != machine.run("readlink /proc/1/ns/net")
    yield f"{SUPERVISOR}: users of its own (uid_map {' '.join(mapped)}), devices closed, no network"


def times(cabinet: Cabinet) -> Iterator[str]:
    """How long the start took, and what waited for what."""
    machine = cabinet.machine
    machine.wait(
        "the start is over",
        lambda: machine.attempt("systemctl is-system-running")[1].strip() in {"running", "degraded"},
        WELL_S,
    )
    state = machine.attempt("systemctl is-system-running")[1].strip()
    assert state == "running", machine.run("systemctl --failed --no-pager")
    cabinet.keep("blame.txt", machine.run("systemd-analyze blame --no-pager", seconds=DOCTOR_S))
    for unit in (SUPERVISOR, DISPLAY):
        chain = machine.run(f"systemd-analyze critical-chain --no-pager {unit}", seconds=DOCTOR_S)
        cabinet.keep(f"chain-{unit}.txt", chain)
        yield f"critical chain of {unit}: " + " < ".join(
            " ".join(line.lstrip("└─ ").split()) for line in chain.splitlines() if "@" in line and '"@"' not in line
        )
    yield machine.run("systemd-analyze time").splitlines()[0]


def doctor(cabinet: Cabinet) -> Iterator[str]:
    """`cabinet doctor` finds board, pins, units and devices, and has nothing to be mended."""
    machine = cabinet.machine
    code, said = machine.attempt(
        f"modprobe snd-aloop; systemctl start {DISPLAY}; cd /; cabinet doctor", seconds=DOCTOR_S
    )
    machine.run(f"systemctl stop {DISPLAY}; rmmod snd-aloop")
    cabinet.keep("doctor.txt", said)
    assert code == 0, said
    yield f"{len(said.splitlines())} lines, {said.splitlines()[-1]}"


def watchdog(cabinet: Cabinet) -> Iterator[str]:
    """The hardware watchdog resets a machine whose service manager has crashed, and it boots anew."""
    machine = cabinet.machine
    assert machine.qmp is not None
    if bites := machine.qmp.count("WATCHDOG"):
        # A bite without an action leaves qemu's watchdog off.
        yield f"it has bitten {bites} times, where the host was too busy to give the machine its turn: booted anew"
        machine.cut()
        machine.power_on()
        machine.wait_for_shell(WELL_S)
    assert machine.run("systemctl show --property RuntimeWatchdogUSec --value").strip() == "15s"
    # What it says before there is a journal comes by the kernel's log.
    log = "journalctl -b --no-pager --output=cat --grep='hardware watchdog'"
    machine.wait("the watchdog is in use", lambda: machine.attempt(log)[0] == 0, WELL_S)
    said = machine.run(log).strip()
    assert "Using hardware watchdog" in said, said
    device = machine.run("cd /sys/class/watchdog/watchdog0; cat identity state timeout").splitlines()
    assert device[1:] == ["active", "15"], device
    yield f"{said.splitlines()[0]}; {device[0]}: {device[1]}, bites after {device[2]} s"
    boot = machine.run("cat /proc/sys/kernel/random/boot_id").strip()
    machine.qmp.do("watchdog-set-action", action="reset")
    machine.send("kill -SEGV 1")
    took = machine.wait(
        "qemu's watchdog bites",
        lambda: machine.qmp is not None and machine.qmp.count("WATCHDOG") > 0,
        WATCHDOG_S,
    )
    yield f"service manager crashed (SIGSEGV): reset by the watchdog {took:.0f} s later"
    machine.wait("the machine is reset", lambda: machine.qmp is not None and machine.qmp.count("RESET") > 0, WATCHDOG_S)
    machine.forget()
    yield f"the kernel boots anew: a shell {machine.wait_for_shell(WELL_S):.0f} s after the reset"
    assert machine.run("cat /proc/sys/kernel/random/boot_id").strip() != boot, boot


def begun_in_1970(cabinet: Cabinet) -> Iterator[str]:
    """Power cut, and back with a clock of 1970: the cabinet starts, records it, and its books are proved."""
    machine = cabinet.machine
    machine.cut()
    machine.power_on("-rtc", "base=1970-01-01T00:00:00")
    machine.wait_for_shell(WELL_S)
    yield f"a shell at {machine.run('date --utc +%FT%TZ').strip()} by the machine's clock"
    took = machine.wait("supervisor runs", lambda: machine.property(SUPERVISOR, "ActiveState") == "active", WELL_S)
    yield f"{SUPERVISOR} active {took:.0f} s later"
    jumps = cabinet.rows("SELECT text FROM events WHERE code = 'clock_jumped' ORDER BY seq DESC LIMIT 1")
    assert jumps, "no event of a clock that went back"
    yield f"recorded: {jumps[0][0]}"
    machine.run("cd /; runuser -u cabinet -- cabinet audit /var/lib/cabinet/journal.sqlite", seconds=DOCTOR_S)
    yield "the books are proved"
