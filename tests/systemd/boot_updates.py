"""The boot proof's part about updates: bundles of a next version, one that crashes, a power cut on trial, and back.

What the service menu would write is written here by the supervisor's user; everything from there on is the machine's.
"""

import platform
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from controller.features.update.bundle import SUFFIX, write_bundle
from controller.features.update.installed import HOME, RELEASE, RELEASE_KEY
from controller.features.update.manifest import Manifest, decoded, measured
from controller.features.update.orders import (
    INBOX,
    INTENT,
    OUTCOME,
    STATE,
    WANTED,
    Act,
    End,
    Intent,
    Outcome,
    Why,
    Wish,
    read,
)
from controller.features.update.signing import MANIFEST, SIGNATURE, SigningKey, write_public_key, write_signed
from controller.journal.schema import NAMES
from tests.systemd import simulated_unit

if TYPE_CHECKING:
    from tests.systemd.boot_proof import BootProof

SUPERVISOR = "cabinet.service"
UPDATE_S = 600.0
CRASH = "raise SystemExit('this program cannot start')\n"

Change = Callable[[Path], None]
"""Changes the packages below a tree's `site-packages`."""


def unchanged(_packages: Path) -> None:
    """Change nothing but the version."""


def crashing(packages: Path) -> None:
    """Have the supervisor end as soon as it starts."""
    rewritten(packages / "controller/supervisor.py", CRASH)
    for compiled in packages.glob("controller/__pycache__/supervisor.*"):
        compiled.unlink()


def rewritten(path: Path, text: str) -> None:
    """Write a file anew; the one that it was hard-linked to stays as it is."""
    path.unlink()
    path.write_text(text, encoding="utf-8")
    path.chmod(0o644)


def next_bundle(
    installed: Path, version: str, change: Change, maker: SigningKey, scratch: Path, *, architecture: str
) -> Path:
    """Make a bundle of the installed program as that version, with a change, in `scratch` on the same file system."""
    root = scratch / version
    home = root / HOME.lstrip("/")
    home.parent.mkdir(parents=True)
    subprocess.run(["cp", "--archive", "--link", str(installed), str(home)], check=True)
    (packages,) = home.glob("venv/lib/python3.*/site-packages")
    (metadata,) = packages.glob("cabinet-*.dist-info/METADATA")
    old = (home / "version").read_text("ascii").strip()
    rewritten(metadata, metadata.read_text("utf-8").replace(f"\nVersion: {old}\n", f"\nVersion: {version}\n"))
    rewritten(home / "version", f"{version}\n")
    change(packages)
    manifest = decoded((home / MANIFEST).read_bytes())
    for name in (MANIFEST, SIGNATURE, RELEASE_KEY):
        (home / name).unlink()
    own = measured(Manifest(kind=RELEASE, version=version, trees=(HOME,)), root=root).entries
    others = (entry for entry in manifest.entries if entry.path != HOME and not entry.path.startswith(f"{HOME}/"))
    entries = tuple(sorted((*others, *own), key=lambda entry: entry.path))
    write_signed(home, msgspec.structs.replace(manifest, version=version, entries=entries), maker)
    write_public_key(home / RELEASE_KEY, maker.public_key)
    for name in (MANIFEST, SIGNATURE, RELEASE_KEY):
        (home / name).chmod(0o644)
    python = packages.parent.name.removeprefix("python")
    path = scratch / f"cabinet-{version}{SUFFIX}"
    write_bundle(home, path, maker, python=python, architecture=architecture, migrations=NAMES)
    shutil.rmtree(root)
    return path


class Updates:
    """Updates of the machine of a proof, whose release `maker` has signed."""

    def __init__(self, proof: "BootProof", maker: SigningKey, scratch: Path) -> None:
        self.proof = proof
        self.machine = proof.machine
        self.inbox = proof.journal.with_name(INBOX)
        self.state = self.machine.tree / str(STATE).lstrip("/")
        self._maker = maker
        self._scratch = scratch
        self._number = 0

    @property
    def version(self) -> str:
        """The version of the program that is in place."""
        return (self.machine.tree / HOME.lstrip("/") / "version").read_text("ascii").strip()

    def bundle(self, version: str, change: Change) -> Path:
        """Make a bundle of the installed program as that version, with a change."""
        installed = self.machine.tree / HOME.lstrip("/")
        return next_bundle(installed, version, change, self._maker, self._scratch, architecture=platform.machine())

    def ask(self, act: Act, bundle: Path | None = None) -> str:
        """Ask for an update as the supervisor does; return what names it."""
        self._number += 1
        wish = Wish(id=f"proof-{self._number}", act=act, bundle="" if bundle is None else bundle.name)
        if bundle is not None:
            self.inbox.mkdir(exist_ok=True)
            shutil.move(bundle, self.inbox / bundle.name)
            self.machine.run("chown", "--recursive", "cabinet:cabinet", f"/var/lib/cabinet/{INBOX}")
        words = msgspec.json.encode(wish).decode()
        part, wanted = f"{simulated_unit.RUN}/part", f"{simulated_unit.RUN}/{WANTED}"
        script = f"printf '%s' '{words}' >{part}; mv {part} {wanted}"
        self.machine.run("runuser", "-u", "cabinet", "--", "sh", "-c", script)
        return wish.id

    def intent(self) -> Intent | None:
        """What the updater is about."""
        return read(self.state / INTENT, Intent)

    def ended(self, number: str) -> Outcome:
        """Wait for the end of an update, during which nothing may be played, and until the machine plays again."""

        def is_over() -> bool:
            lit, intent = self.lit("spin"), self.intent()
            outcome = read(self.state / OUTCOME, Outcome)
            on_trial = intent is not None
            if intent is not None and intent.exchanging:
                dark.append(not lit)
            return outcome is not None and outcome.id == number and not on_trial

        dark: list[bool] = []
        self.machine.wait("the update ends", is_over, UPDATE_S)
        assert all(dark), "a program on trial lit SPIN"
        outcome = read(self.state / OUTCOME, Outcome)
        assert outcome is not None
        self.machine.wait("the cabinet plays again", self.plays, 120.0)
        return outcome

    def lit(self, lamp: str) -> bool:
        """Return whether a button is lit by the newest that the front has said: what it said before lies unread."""
        client = self.proof.client
        assert client is not None
        client.receive()
        return self.proof.lit(lamp)

    def plays(self) -> bool:
        """Whether the supervisor is up, for good, and the front and the screen are alive."""
        return self.proof.active(SUPERVISOR) and self.lit("spin") and self.proof.drawn()

    def proved(self, known: tuple[int, bytes]) -> None:
        """Play a round with the program that is in place, and prove the books."""
        proof = self.proof
        if proof.books.credit_cents < 500:
            proof.insert_note()
        proof.settle(proof.spin())
        proof.prove(known)


def updates(proof: "BootProof", maker: SigningKey, scratch: Path, report: Callable[[str], None]) -> None:
    """A next version, one that crashes, a cut on trial, and one version back."""
    made = Updates(proof, maker, scratch)
    first, known = made.version, proof.credited()
    good = made.bundle("99.1", unchanged)
    size = good.stat().st_size / 1e6
    began = time.monotonic()
    outcome = made.ended(made.ask(Act.INSTALL, good))
    assert (outcome.end, made.version) == (End.DONE, "99.1"), outcome
    made.proved(known)
    report(f"update to 99.1 ({size:.0f} MB): well on trial and playing after {time.monotonic() - began:.1f} s")

    known, began = proof.credited(), time.monotonic()
    outcome = made.ended(made.ask(Act.INSTALL, made.bundle("99.2", crashing)))
    assert (outcome.end, outcome.why, made.version) == (End.UNDONE, Why.ENDED, "99.1"), outcome
    made.proved(known)
    report(f"update to 99.2, which crashes: undone, 99.1 plays after {time.monotonic() - began:.1f} s")

    known = proof.credited()
    number = made.ask(Act.INSTALL, made.bundle("99.3", unchanged))

    def on_trial() -> bool:
        intent = made.intent()
        return intent is not None and intent.exchanging and proof.active(SUPERVISOR)

    proof.machine.wait("99.3 is on trial", on_trial, UPDATE_S)
    assert made.version == "99.3"
    proof.machine.cut()
    took = proof.boot()
    outcome = made.ended(number)
    assert (outcome.end, outcome.why, made.version) == (End.UNDONE, Why.POWER, "99.1"), outcome
    made.proved(known)
    report(f"power cut while 99.3 was on trial: 99.1 plays {took:.1f} s after power-on")

    known, began = proof.credited(), time.monotonic()
    outcome = made.ended(made.ask(Act.BACK))
    assert (outcome.end, made.version) == (End.DONE, first), outcome
    made.proved(known)
    assert proof.present_at("software_tampered") == []
    report(f"back to {first}: well on trial and playing after {time.monotonic() - began:.1f} s")
