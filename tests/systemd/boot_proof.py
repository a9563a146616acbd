"""The boot proof: `python -m tests.systemd.boot_proof [--keep]` (`make boot-proof`), as root, without KVM.

A Debian tree gets the cabinet's packages and is booted with systemd as PID 1; then everything that can happen to a
machine happens to it, and after each misfortune the books are proved. What it shows and what it cannot is in
docs/testing.md.
"""

import argparse
import hashlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from controller.books.audit import audit
from controller.books.proof import Proof
from controller.features.update.installed import HOME, RELEASE, RELEASE_KEY
from controller.features.update.manifest import Manifest, decoded, measured
from controller.features.update.signing import MANIFEST, SigningKey, write_public_key, write_signed
from controller.journal.event_words import row_in_english
from drivers.simulated.bench.frame_mirror import FrameMirror
from drivers.simulated.front_client import FrontClient, FrontLostError
from tests.rigs.journal_rows import Books
from tests.rigs.logged_events import EVENTS
from tests.systemd import simulated_unit
from tests.systemd.boot_updates import updates
from tests.systemd.machine import Machine, MachineError, make_tree

SUPERVISOR, DISPLAY, FAULT = "cabinet.service", "cabinet-display.service", "cabinet-fault.target"
UNITS = (
    SUPERVISOR,
    DISPLAY,
    "cabinet-console.service",
    "cabinet-fault.service",
    "cabinet-display-end.service",
    "cabinet-update.service",
    "cabinet-update-boot.service",
    "cabinet-settle.service",
)
WORK = Path("build/boot-proof")
MIRROR = "http://deb.debian.org/debian"
INSTALLED = ("/root/cabinet.deb", "/root/cabinet-art.deb")
CUTS = 5
BOOT_S, RESTART_S, WATCHDOG_S, FAULT_S, PROOF_S = 120.0, 60.0, 60.0, 180.0, 120.0
NAME, PIN = "ADA", "258014"


def report(text: str) -> None:
    """Print one line."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')}  {text}\n")
    sys.stdout.flush()


class BootProof:
    """One cabinet from its installation to its removal."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.journal = machine.tree / simulated_unit.JOURNAL.lstrip("/")
        self.books = Books(self.journal)
        self.client: FrontClient | None = None
        self.proved = 0

    # what is looked at

    def credited(self) -> tuple[int, bytes]:
        """Return the newest ledger row's number and hash: what the books have acknowledged."""
        return self.books.rows("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1")[0]

    def prove(self, known: tuple[int, bytes]) -> Proof:
        """Prove the books from the first row, and that nothing which they had acknowledged (`known`) is gone."""
        assert known in self.books.rows("SELECT seq, hash FROM ledger")
        proof = audit(self.journal, lambda _what, _done, _total: None)
        assert proof.failures == [], proof.failures
        self.proved += 1
        return proof

    def connect(self) -> None:
        """Take hold of the cabinet's front."""
        client = FrontClient(self.machine.path(simulated_unit.HARDWARE))

        def connected() -> bool:
            try:
                client.connect()
            except FrontLostError:
                return False
            return True

        self.machine.wait("the front can be reached", connected, BOOT_S)
        self.client = client

    def do(self, words: str) -> None:
        """Do something at the front."""
        assert self.client is not None
        self.client.do(words)

    def lit(self, lamp: str) -> bool:
        """Return whether a button is lit."""
        assert self.client is not None
        return self.client.front.lamps[lamp]

    def glass(self) -> FrameMirror:
        """Return the monitor."""
        return FrameMirror(self.machine.path(simulated_unit.GLASS))

    def drawn(self) -> bool:
        """Return whether a display draws."""
        with self.glass() as glass:
            return glass.alive() and glass.frame() is not None

    def complaints(self) -> list[str]:
        """Return what our units, or the service manager about them, have logged as a warning or worse in this boot."""
        chosen = [f"--unit={unit}" for unit in UNITS]
        said = self.machine.run("journalctl", "--boot", "--priority=warning", "--output=short", "--quiet", *chosen)
        return said.splitlines()

    # what is done

    def boot(self) -> float:
        """Switch on; return the seconds from then until the game can be used: READY, a lit button and a picture."""
        began = time.monotonic()
        self.machine.power_on()
        self.connect()
        self.machine.wait("the supervisor is ready", lambda: self.active(SUPERVISOR), BOOT_S)
        self.machine.wait("a button is lit", lambda: self.lit("service"), BOOT_S)
        self.machine.wait("the display draws", self.drawn, BOOT_S)
        return time.monotonic() - began

    def present_at(self, code: str) -> list[str]:
        """Return the places of a fault whose cause is present."""
        faults = self.books.rows("SELECT code, place FROM faults WHERE present ORDER BY place")
        return [str(place) for present, place in faults if present == code]

    def newest_start(self) -> str:
        """Return what the event log says of the newest start."""
        *_, newest = (row_in_english(*row) for row in self.books.rows(EVENTS) if row[0] == "power_up")
        return newest

    def active(self, unit: str) -> bool:
        """Return whether a unit is up."""
        return self.machine.property(unit, "ActiveState") == "active"

    def restarts(self, unit: str) -> int:
        """Return how often the service manager has started a unit again."""
        return int(self.machine.property(unit, "NRestarts") or 0)

    def insert_note(self) -> None:
        """Have a note of 20.00 taken, again while the validator, which may still be starting, gives it back."""
        before = self.books.credit_cents

        def taken() -> bool:
            assert self.client is not None
            front = self.client.front
            if front.bill_return_cents:
                self.do("take note")
            if not front.bill_slot and not front.escrow_cents and self.books.credit_cents == before:
                try:
                    self.do("note 20")
                except ValueError:
                    return False
                time.sleep(1.0)
            return self.books.credit_cents == before + 2000

        self.machine.wait("the note is credited", taken, 60.0)

    def spin(self) -> int:
        """Press SPIN until a round is open, and return its number."""
        before = self.books.rounds_played

        def begun() -> bool:
            if self.books.rounds_played > before:
                return True
            if self.lit("spin"):
                self.do("tap spin")
            time.sleep(0.1)
            return False

        self.machine.wait("a round begins", begun, 60.0)
        return before + 1

    def settle(self, number: int) -> None:
        """Let round `number` end, pressing SPIN where it waits for the player."""

        def over() -> bool:
            last = self.books.last_round
            if last is not None and last.id >= number and last.state != "open":
                assert last.state == "settled", last
                return True
            if self.lit("spin"):
                self.do("tap spin")
            time.sleep(0.2)
            return False

        self.machine.wait(f"round {number} ends", over, 240.0)

    def misfortune(self, what: str, strike: Callable[[], None], recovered: Callable[[], bool], seconds: float) -> None:
        """Strike in the middle of a round, wait until all is well again, let the round end, prove the books."""
        number = self.spin()
        known = self.credited()
        began = time.monotonic()
        strike()
        self.machine.wait(f"all is well after: {what}", recovered, seconds)
        took = time.monotonic() - began
        assert not self.active(FAULT), "one restart is no reason for the plain screen"
        self.settle(number)
        proof = self.prove(known)
        report(f"{what}: well again after {took:.1f} s, round {number} ended, {proof.rounds} rounds replayed")


def install(machine: Machine, packages: Sequence[Path]) -> None:
    """Install the packages, twice: the second time must change nothing."""
    for package, name in zip(packages, INSTALLED, strict=True):
        shutil.copy(package, machine.tree / name.lstrip("/"))
    for _ in range(2):
        machine.offline("dpkg", "--install", *INSTALLED)
    verified = machine.offline("systemd-analyze", "verify", *(f"/usr/lib/systemd/system/{unit}" for unit in UNITS))
    assert not verified.strip(), verified
    security = machine.offline("systemd-analyze", "security", "--offline=true", "--threshold=20", SUPERVISOR)
    exposure = re.findall(r"\d+\.\d", security.splitlines()[-1])[-1]
    report(f"installed twice; systemd-analyze verify says nothing; exposure of {SUPERVISOR} is {exposure}")


def signalled(proof: BootProof, unit: str, number: signal.Signals) -> None:
    """Send a signal to a unit's main process from outside, as nothing of the machine's own could."""
    pid = proof.machine.pid(unit)
    assert pid, f"{unit} does not run"
    os.kill(pid, number)


def story(proof: BootProof) -> None:
    """Everything that happens to the cabinet."""
    machine = proof.machine
    report(f"first boot: play {proof.boot():.1f} s after power-on, without any network")
    assert machine.run("ss", "--no-header", "--listening", "--tcp", "--udp").strip() == ""
    proof.insert_note()
    proof.settle(proof.spin())
    played = proof.prove(proof.credited())
    report(f"a note and a round: credit {played.credit_cents} cents, books proved")
    machine.run("sleep", "22")
    assert proof.restarts(SUPERVISOR) == 0, "the watchdog was not fed"
    assert proof.complaints() == [], proof.complaints()
    report("no unit of ours has logged a warning")
    with proof.glass() as glass:
        glass.save_png(WORK / "playing.png")

    restarts = proof.restarts(SUPERVISOR)
    proof.misfortune(
        "supervisor killed",
        lambda: signalled(proof, SUPERVISOR, signal.SIGKILL),
        lambda: proof.restarts(SUPERVISOR) > restarts and proof.active(SUPERVISOR) and proof.lit("service"),
        RESTART_S,
    )
    restarts = proof.restarts(SUPERVISOR)
    proof.misfortune(
        "supervisor hung (SIGSTOP), ended by the watchdog",
        lambda: signalled(proof, SUPERVISOR, signal.SIGSTOP),
        lambda: proof.restarts(SUPERVISOR) > restarts and proof.active(SUPERVISOR) and proof.lit("service"),
        WATCHDOG_S,
    )
    for what, number in (
        ("killed", signal.SIGKILL),
        ("hung (SIGSTOP), ended at the supervisor's word", signal.SIGSTOP),
    ):
        restarts, supervisor = proof.restarts(DISPLAY), machine.property(SUPERVISOR, "MainPID")
        proof.misfortune(
            f"display {what}",
            lambda number=number: signalled(proof, DISPLAY, number),  # type: ignore[misc]
            lambda restarts=restarts: proof.restarts(DISPLAY) > restarts and proof.drawn(),  # type: ignore[misc]
            WATCHDOG_S,
        )
        assert machine.property(SUPERVISOR, "MainPID") == supervisor, "the supervisor was touched"
    for cut in range(1, CUTS + 1):
        power_cut(proof, cut)
    changed_program(proof)
    locked_screen(proof)
    fault_screen(proof)


def changed_program(proof: BootProof) -> None:
    """One letter in a game, and nothing is played, over a restart too; put back and proved, the technician opens it."""
    machine, known = proof.machine, proof.credited()
    began = time.monotonic()
    said = machine.run("cabinet", "software", "verify").splitlines()[-1]
    report(f"{said}; read from the medium and proved in {time.monotonic() - began:.1f} s")
    (game,) = machine.tree.glob("opt/cabinet/venv/lib/python3.*/site-packages/games/neptune/__init__.py")
    path = f"/{game.relative_to(machine.tree)}"
    good = game.read_bytes()
    at = good.index(b'"""') + 3
    game.write_bytes(good[:at] + bytes([good[at] ^ 0x20]) + good[at + 1 :])
    swing(proof)
    took = machine.wait("the changed game is found", lambda: proof.present_at("software_tampered") == [path], PROOF_S)
    with proof.glass() as glass:
        glass.save_png(WORK / "tampered.png")
    machine.run("systemctl", "restart", SUPERVISOR)
    machine.wait("the supervisor is back", lambda: proof.active(SUPERVISOR), RESTART_S)
    for lamp in ("spin", "collect", "max_bet"):
        assert not proof.lit(lamp), f"{lamp} lives"
    machine.run("sleep", "10")
    assert proof.present_at("software_tampered") == [path]
    assert not proof.lit("spin")
    game.write_bytes(good)
    swing(proof)
    machine.wait("the game put back is proved", lambda: proof.present_at("software_tampered") == [], PROOF_S)
    proof.do("key technician on")
    machine.wait("the menu is open", lambda: proof.lit("collect"), RESTART_S)
    console = f"printf '%s\\n' {NAME} {PIN} {PIN} | runuser -u cabinet -- cabinet service M.1 --json"
    machine.run("sh", "-c", console)
    proof.do("key technician off")
    proof.settle(proof.spin())
    proof.prove(known)
    report(
        f"a letter of a game changed: locked {took:.1f} s after the door was shut and after a restart; put back, plays"
    )


def swing(proof: BootProof) -> None:
    """Open the main door and shut it, each until the books have it."""
    for position, places in (("open", ["main"]), ("close", [])):
        proof.do(f"door main {position}")
        proof.machine.wait(f"the door is {position}", lambda s=places: proof.present_at("door_open") == s, 10.0)  # type: ignore[misc]


def power_cut(proof: BootProof, cut: int) -> None:
    """Cut the power in the middle of a round, a little later each time, and boot again."""
    if proof.books.credit_cents < 500:
        proof.insert_note()
    number = proof.spin()
    time.sleep(0.15 * cut)
    known = proof.credited()
    proof.machine.cut()
    took = proof.boot()
    proof.settle(number)
    played = proof.prove(known)
    assert proof.client is not None
    assert played.meters["notes_in"] == proof.client.front.stacked_cents
    assert "power was off" in proof.newest_start(), proof.newest_start()
    report(f"power cut {cut}: play again {took:.1f} s after power-on, round {number} ended, books proved")
    assert proof.complaints() == [], proof.complaints()


def locked_screen(proof: BootProof) -> None:
    """Damaged books lock the cabinet with its screen up and its watchdog fed; the same books, put back, open it."""
    machine, known = proof.machine, proof.credited()
    machine.run("systemctl", "stop", SUPERVISOR)
    good = proof.journal.read_bytes()
    proof.journal.write_bytes(b"rotten" * 1000 + good[6000:])
    machine.run("systemctl", "start", SUPERVISOR)
    machine.run("sleep", "25")
    said = machine.property(SUPERVISOR, "StatusText")
    assert said.startswith("locked: "), said
    assert proof.active(SUPERVISOR)
    assert proof.drawn()
    assert not any(proof.lit(lamp) for lamp in ("spin", "service"))
    with proof.glass() as glass:
        glass.save_png(WORK / "locked.png")
    machine.run("systemctl", "stop", SUPERVISOR)
    proof.journal.write_bytes(good)
    machine.run("systemctl", "start", SUPERVISOR)
    machine.wait("the cabinet plays again", lambda: proof.lit("service"), RESTART_S)
    proof.prove(known)
    report(f"damaged books: {said[:60]}..., fed for 25 s; the books put back, play again")


def fault_screen(proof: BootProof) -> None:
    """Starts that keep failing end in the plain screen; a mended configuration leads back into play."""
    machine = proof.machine
    configuration = machine.tree / simulated_unit.CONFIGURATION
    good = configuration.read_text(encoding="utf-8")
    known = proof.credited()
    configuration.write_text(f"[misspelt]\n{good}", encoding="utf-8")
    machine.read_screen()
    machine.run("systemctl", "restart", "--no-block", SUPERVISOR)
    took = machine.wait("the plain screen is shown", lambda: proof.active(FAULT), FAULT_S)
    machine.wait("the reason is on it", lambda: "misspelt" in machine.read_screen(), 10.0)
    assert "OUT OF ORDER" in machine.shown
    assert not proof.active(DISPLAY)
    (WORK / "fault-screen.txt").write_text(machine.shown, encoding="utf-8")
    report(f"a start that keeps failing: plain screen with the reason after {took:.1f} s")
    configuration.write_text(good, encoding="utf-8")
    machine.run("systemctl", "reset-failed")
    machine.run("systemctl", "start", SUPERVISOR, DISPLAY)
    machine.wait("the cabinet plays again", lambda: proof.lit("service") and proof.drawn(), RESTART_S)
    assert not proof.active(FAULT) or not proof.active("cabinet-fault.service")
    proof.prove(known)


def remove(proof: BootProof) -> None:
    """An upgrade keeps books and configuration and leaves a copy; so does a removal."""
    machine = proof.machine
    known = proof.credited()
    machine.run("dpkg", "--install", *INSTALLED)
    machine.wait("the cabinet plays again", lambda: proof.active(SUPERVISOR) and proof.lit("service"), RESTART_S)
    proof.prove(known)
    version = machine.run("cat", f"{HOME}/version").strip()
    with closing(sqlite3.connect(proof.journal.parent / f"upgrades/before-{version}.sqlite")) as copy:
        assert copy.execute("SELECT hash FROM ledger WHERE seq = ?", (known[0],)).fetchone() == (known[1],)
    report("upgrade in place: books kept, a copy beside them, play goes on")
    machine.run("dpkg", "--install", INSTALLED[1])
    machine.wait("the cabinet plays again", lambda: proof.active(SUPERVISOR) and proof.lit("service"), RESTART_S)
    proof.prove(known)
    report("the art alone installed again: stopped for it, then play goes on")
    machine.run("dpkg", "--remove", "cabinet")
    assert [path.name for path in (machine.tree / HOME.lstrip("/")).iterdir()] == ["baked"]
    machine.run("dpkg", "--remove", "cabinet-art")
    assert not (machine.tree / HOME.lstrip("/")).exists()
    assert machine.property(SUPERVISOR, "LoadState") in ("not-found", "")
    proof.prove(known)
    report("removed: program and units gone, books and configuration kept")


def switch_off(proof: BootProof) -> None:
    """The supervisor's user may switch the machine off, and nobody may do more in its name (U.10)."""
    machine = proof.machine
    for asked in (("restart", "dbus.service"), ("mask", SUPERVISOR)):
        try:
            machine.run("runuser", "-u", "cabinet", "--", "systemctl", "--no-ask-password", *asked)
        except MachineError:
            continue
        raise AssertionError(f"the supervisor's user may {asked}")
    machine.run("runuser", "-u", "cabinet", "--", "systemctl", "--no-ask-password", "poweroff")
    took = machine.wait("the machine is off", machine.is_off, RESTART_S)
    report(f"switched off by the supervisor's user after {took:.1f} s")
    proof.boot()


def main() -> int:
    """Run the proof; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.systemd.boot_proof", description="The boot proof.")
    parser.add_argument("--keep", action="store_true", help="leave the machine's tree as the proof left it")
    parser.add_argument("--only-updates", action="store_true", help="boot, update, and nothing else")
    parser.add_argument("--mirror", default=MIRROR, help="where the Debian tree comes from")
    parser.add_argument(
        "--packages",
        type=Path,
        nargs=2,
        metavar=("CABINET", "ART"),
        help="the packages to prove; else they are built from this tree",
    )
    options = parser.parse_args()
    missing = [tool for tool in ("mmdebstrap", "systemd-nspawn", "nsenter", "dpkg-deb") if shutil.which(tool) is None]
    if os.geteuid() != 0 or missing:
        sys.stderr.write(f"the boot proof needs root, and: {' '.join(missing) or 'nothing else'}\n")
        return 1
    WORK.mkdir(parents=True, exist_ok=True)
    maker = SigningKey.throwaway()
    program, art = options.packages or built()
    program = signed(program, maker)
    depends = subprocess.check_output(["dpkg-deb", "--field", str(program), "Depends"], text=True)
    depends = ",".join(choices for choices in depends.split(",") if not choices.strip().startswith("cabinet-art "))
    base = WORK / f"debian-{hashlib.sha256(depends.encode()).hexdigest()[:8]}"
    tree = WORK / "machine"
    if not (base / "etc/os-release").exists():
        report("making the Debian tree (once)")
        make_tree(base, [available(choices) for choices in depends.split(",")], options.mirror)
    if tree.exists():
        shutil.rmtree(tree)
    subprocess.run(["cp", "--archive", str(base), str(tree)], check=True)
    began = time.monotonic()
    with Machine(tree.resolve(), WORK / "console.log") as machine, tempfile.TemporaryDirectory() as scratch:
        install(machine, (program, art))
        simulated_unit.write(machine.tree, Path(scratch))
        proof = BootProof(machine)
        try:
            if options.only_updates:
                proof.boot()
                proof.insert_note()
            else:
                story(proof)
            with tempfile.TemporaryDirectory(dir=WORK) as room:
                updates(proof, maker, Path(room), report)
            if not options.only_updates:
                switch_off(proof)
                remove(proof)
        except (MachineError, AssertionError):
            report(log_of(machine))
            raise
    report(f"all proved: the books {proof.proved} times, in {time.monotonic() - began:.0f} s")
    if not options.keep:
        shutil.rmtree(tree)
    return 0


def available(choices: str) -> str:
    """Return the package of a dependency's alternatives that the host's own Debian release has, without a version."""
    names = [choice.split("(")[0].strip() for choice in choices.split("|")]
    asked = {name: subprocess.run(["apt-cache", "show", name], capture_output=True, check=False) for name in names}
    return next((name for name in names if asked[name].returncode == 0), names[-1])


def built() -> tuple[Path, Path]:
    """Build the packages of program and art with the art that is baked already."""
    said = subprocess.check_output(
        ["systemd/make-deb", "--baked", "build/baked"], text=True, env={**os.environ, "EXTRAS": ""}
    )
    program, art = map(Path, said.splitlines())
    return program, art


def signed(package: Path, maker: SigningKey) -> Path:
    """Return the program's package as a release with the proof's own units in it: to any other they are tampering."""
    tree, made = WORK / "package", WORK / "signed.deb"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), str(tree)], check=True)
    home = tree / HOME.lstrip("/")
    with tempfile.TemporaryDirectory() as scratch:
        simulated_unit.put_units(Path(scratch))
        units = measured(Manifest(kind=RELEASE, version=""), simulated_unit.UNITS, root=Path(scratch)).entries
    manifest = decoded((home / MANIFEST).read_bytes())
    entries = sorted((*manifest.entries, *units), key=lambda entry: entry.path)
    write_signed(home, replace(manifest, entries=tuple(entries)), maker)
    write_public_key(home / RELEASE_KEY, maker.public_key)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(made)], check=True)
    shutil.rmtree(tree)
    return made


def log_of(machine: Machine) -> str:
    """Return the end of the machine's log."""
    try:
        return machine.run("journalctl", "--boot", "--no-pager", "--lines=60", "--output=short-monotonic")
    except MachineError as error:
        return str(error)


if __name__ == "__main__":
    sys.exit(main())
