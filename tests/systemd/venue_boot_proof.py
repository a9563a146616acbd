"""The venue's boot proof: `python -m tests.systemd.venue_boot_proof [--keep]` (`make venue-boot-proof`), as root.

A Debian tree with PostgreSQL gets the venue's package and is booted with systemd as PID 1, without KVM: from the blank
machine to a page that answers, a drawn round, a night's work, a power cut, a restored backup and a removal.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.rigs.round_records import record
from tests.systemd.boot_proof import MIRROR, available, report
from tests.systemd.machine import Machine, MachineError, make_tree

WORK = Path("build/venue-boot-proof")
PAGE, ALARMS, DAILY = "cabinet-venue-page.service", "cabinet-venue-alarms.service", "cabinet-venue-daily.service"
UNITS = (PAGE, ALARMS, DAILY, "cabinet-venue-daily.timer")
BOOT_S, START_S, DRAW_S = 180.0, 60.0, 120.0
HOST, PORT = "localhost", 8443
PASSWORD = "correct horse battery staple"  # noqa: S105 - a proof's
SESSION = """
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from venue.page.models import Account
account = Account.objects.get(username="carl")
account.must_change = False
account.save()
session = import_module(settings.SESSION_ENGINE).SessionStore()
session[SESSION_KEY] = str(account.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = account.get_session_auth_hash()
session.save()
print("session", session.session_key)
"""


class VenueBootProof:
    """One venue from its installation to its removal."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.session = ""

    def sh(self, script: str) -> str:
        """Run a shell script in the machine."""
        return self.machine.run("sh", "-euc", script)

    def sql(self, query: str) -> str:
        """Ask the venue's database as its superuser."""
        return self.machine.run("runuser", "-u", "postgres", "--", "psql", "-qAt", "venue", "-c", query).strip()

    def page(self, path: str) -> tuple[int, str]:
        """Return status and content of a page, asked for over TLS as a browser that trusts the venue's authority."""
        said = self.machine.run(
            *("curl", "-s", "--max-time", "20", "--cacert", "/etc/cabinet-venue/authority.pem"),
            *("-H", f"Cookie: sessionid={self.session}", "-w", "\n%{http_code}", f"https://{HOST}:{PORT}{path}"),
        )
        content, _, status = said.rpartition("\n")
        return int(status), content

    def answers(self) -> bool:
        """Whether the wall can be read."""
        try:
            return self.page("/wall/")[0] == 200
        except MachineError:
            return False

    def active(self, unit: str) -> bool:
        """Whether a unit is active."""
        return self.machine.property(unit, "ActiveState") == "active"

    def boot(self) -> None:
        """Switch on, and wait until everything that is to start by itself has."""
        self.machine.power_on()
        self.machine.wait("it has booted", lambda: self.active("multi-user.target"), BOOT_S)
        self.machine.run("ip", "link", "set", "lo", "up")

    def complaints(self) -> list[str]:
        """Return what our units, or the service manager about them, have logged as a warning or worse in this boot."""
        chosen = [f"--unit={unit}" for unit in UNITS]
        said = self.machine.run("journalctl", "--boot", "--priority=warning", "--output=short", "--quiet", *chosen)
        return said.splitlines()


def set_up(proof: VenueBootProof, package: Path) -> None:
    """From the blank machine to a page that answers, as docs/venue.md says."""
    machine = proof.machine
    shutil.copy(package, machine.tree / "root/venue.deb")
    proof.boot()
    for _ in range(2):
        machine.run("dpkg", "--install", "/root/venue.deb")
    verified = machine.run("systemd-analyze", "verify", "--man=no", *UNITS)
    assert not verified.strip(), verified
    assert not proof.active(PAGE), "it waits for `cabinet-venue init`"
    proof.sh(f"cabinet-venue init --name 'Casino Nord' --host {HOST} --coin 10 --coin 25")
    machine.run("systemctl", "restart", "postgresql", PAGE, ALARMS)
    took = machine.wait("the page answers", proof.answers, START_S)
    assert proof.active(ALARMS)
    report(f"installed twice, set up: the page answers over TLS {took:.1f} s after its start")


def draw_a_round(proof: VenueBootProof) -> None:
    """A round is drawn by the display's program within the page's sandbox."""
    proof.sh(f"echo '{PASSWORD}' | cabinet-venue page add_account carl --role cashier")
    (proof.machine.tree / "root/session.py").write_text(SESSION, encoding="utf-8")
    said = proof.sh("cabinet-venue page shell < /root/session.py")
    proof.session = said.rpartition("session ")[2].strip()
    proof.sql("INSERT INTO venue.cabinet (cabinet, role, label) VALUES (1, 'cab_1', 'By the bar')")
    query = "INSERT INTO venue.wanted_round (cabinet, round, wanted_by, answered_at, record)"
    proof.sql(f"{query} VALUES (1, 1001, 'carl', now(), $round${json.dumps(record('neptune'))}$round$)")
    took = proof.machine.wait("the round is drawn", lambda: "<img" in proof.page("/rounds/1/1001/")[1], DRAW_S)
    assert "Reproduces every recorded hash" in proof.page("/rounds/1/1001/")[1]
    report(f"a round was drawn in the page's sandbox after {took:.1f} s, and reproduces every hash")


def a_night(proof: VenueBootProof) -> None:
    """Partitions, backup and audit; nothing is complained of."""
    proof.machine.run("systemctl", "start", DAILY)
    assert proof.machine.property(DAILY, "Result") == "success"
    assert proof.sql("SELECT count(*) FROM venue.backup") == "1"
    assert proof.sql("SELECT failures = '{}' FROM venue.audit_run") == "t"
    assert proof.complaints() == []
    report("the night's work: partitions, a backup, the books proved; no unit complains")


def cut_and_restore(proof: VenueBootProof) -> None:
    """After a power cut all is there again; a restored backup recovers, and the units go on."""
    proof.sql("INSERT INTO venue.audit (by, act) VALUES ('proof', 'before the cut')")
    proof.machine.cut()
    proof.boot()
    took = proof.machine.wait("the page answers", proof.answers, START_S)
    assert proof.sql("SELECT count(*) FROM venue.audit WHERE act = 'before the cut'") == "1"
    assert proof.active(ALARMS)
    report(f"power cut: the page answers {took:.1f} s after the boot, and what was written is there")
    proof.machine.run("systemctl", "stop", PAGE, ALARMS)
    proof.sh("cabinet-venue restore --put-aside /var/backups/cabinet-venue/venue-*")
    proof.machine.run("systemctl", "start", PAGE, ALARMS)
    assert proof.sql("SELECT DISTINCT state FROM venue.pool") == "recovering"
    proof.sql("SELECT venue.write_off(1, 'a proof', 'anna')")
    proof.sh("cabinet-venue open --complete && cabinet-venue audit")
    proof.machine.wait("the page answers", proof.answers, START_S)
    report("a backup was restored: its pools recovered and were opened, the books proved, and the page goes on")


def remove(proof: VenueBootProof) -> None:
    """The program goes, database, keys and backups stay."""
    proof.machine.run("dpkg", "--remove", "cabinet-venue")
    assert not (proof.machine.tree / "opt/cabinet-venue/venv").exists()
    assert not proof.active(PAGE)
    assert proof.sql("SELECT count(*) FROM venue.pool") == "4"
    proof.sh("test -e /etc/cabinet-venue/authority.key && ls -d /var/backups/cabinet-venue/venue-*")
    report("removed: program and units gone, database, keys and backups kept")


def main() -> int:
    """Run the proof; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.systemd.venue_boot_proof", description="The boot proof.")
    parser.add_argument("--keep", action="store_true", help="leave the machine's tree as the proof left it")
    parser.add_argument("--mirror", default=MIRROR, help="where the Debian tree comes from")
    parser.add_argument("--package", type=Path, help="the package to prove; else it is built from this tree")
    options = parser.parse_args()
    missing = [tool for tool in ("mmdebstrap", "systemd-nspawn", "nsenter", "dpkg-deb") if shutil.which(tool) is None]
    if os.geteuid() != 0 or missing:
        sys.stderr.write(f"the boot proof needs root, and: {' '.join(missing) or 'nothing else'}\n")
        return 1
    WORK.mkdir(parents=True, exist_ok=True)
    package = options.package
    if package is None:
        report("building the package")
        package = Path(subprocess.check_output(["systemd/venue/make-deb"], text=True).splitlines()[-1])
    depends = subprocess.check_output(["dpkg-deb", "--field", str(package), "Depends"], text=True)
    base = WORK / f"debian-{hashlib.sha256(depends.encode()).hexdigest()[:8]}"
    tree = WORK / "machine"
    if not (base / "etc/os-release").exists():
        report("making the Debian tree (once)")
        packages = [available(choices) for choices in depends.split(",")]
        make_tree(base, [*packages, "curl", "ca-certificates", "iproute2"], options.mirror)
    if tree.exists():
        shutil.rmtree(tree)
    subprocess.run(["cp", "--archive", str(base), str(tree)], check=True)
    began = time.monotonic()
    with Machine(tree.resolve(), WORK / "console.log") as machine:
        proof = VenueBootProof(machine)
        try:
            set_up(proof, package)
            draw_a_round(proof)
            a_night(proof)
            cut_and_restore(proof)
            remove(proof)
        except (MachineError, AssertionError):
            report(machine.run("journalctl", "--boot", "--no-pager", "--lines=60"))
            raise
    report(f"all proved in {time.monotonic() - began:.0f} s")
    if not options.keep:
        shutil.rmtree(tree)
    return 0


if __name__ == "__main__":
    sys.exit(main())
