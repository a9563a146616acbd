"""Small program trees, bundles of them, and a machine around them that does what the updater asks for."""

import platform
import shutil
from pathlib import Path

import msgspec

from controller.features.update.bundle import LENGTH_BYTES, MAGIC, SUFFIX, Head, python_here, write_bundle
from controller.features.update.host_services import Fare, JournalRefusedError, SystemFailedError
from controller.features.update.orders import Act, Folders, Report, Wish, write
from controller.features.update.signing import SigningKey, write_public_key
from controller.features.update.updating import Updater

OLD, NEW, OLDER = "1.0", "2.0", "0.9"
KEY = SigningKey.throwaway()


def tree_of(version: str, place: Path) -> Path:
    """Make a program tree: files, an executable, an empty folder, links within it and to the system's interpreter."""
    (place / "venv/bin").mkdir(parents=True)
    (place / "empty").mkdir()
    (place / "system").mkdir()
    (place / "system/update").write_text("#!/bin/sh\n", encoding="ascii")
    (place / "version").write_text(f"{version}\n", encoding="ascii")
    (place / "program.py").write_text(f"print({version!r})\n", encoding="ascii")
    (place / "nothing").touch()
    run = place / "venv/bin/cabinet"
    run.write_text(f"#!/bin/sh\necho {version}\n", encoding="ascii")
    (place / "venv/bin/python").symlink_to("/usr/bin/python3")
    (place / "venv/lib").mkdir()
    (place / "venv/lib64").symlink_to("lib")
    for path in place.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    run.chmod(0o755)
    place.chmod(0o755)
    return place


def held(tree: Path) -> dict[str, object]:
    """Return all that a tree holds: names, contents, permissions, where links lead."""
    found: dict[str, object] = {}
    for path in sorted(tree.rglob("*")):
        name = str(path.relative_to(tree))
        mode = path.lstat().st_mode
        if path.is_symlink():
            found[name] = str(path.readlink())
        else:
            found[name] = (mode, path.read_bytes() if path.is_file() else b"")
    return found


def bundled(version: str, folder: Path, *, key: SigningKey = KEY, migrations: tuple[str, ...] = ("one",)) -> Path:
    """Make a bundle of a tree of that version in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tree = tree_of(version, folder / f"tree-{version}")
    path = folder / f"cabinet-{version}{SUFFIX}"
    write_bundle(tree, path, key, python=python_here(), architecture=platform.machine(), migrations=migrations)
    shutil.rmtree(tree)
    return path


def forged(path: Path, key: SigningKey = KEY, **changes: object) -> None:
    """Sign a bundle's head anew with these changes, the contents as they were."""
    whole = path.read_bytes()
    begin = len(MAGIC) + LENGTH_BYTES
    length = int.from_bytes(whole[len(MAGIC) : begin], "big")
    head = msgspec.structs.replace(msgspec.json.decode(whole[begin : begin + length], type=Head), **changes)
    text = msgspec.json.encode(head)
    signed = MAGIC + len(text).to_bytes(LENGTH_BYTES, "big") + text + key.sign(MAGIC + text)
    path.write_bytes(signed + whole[begin + length + 64 :])


class WatchedMachine:
    """A machine with one cabinet: an old program in its place, and around it services, system files and a journal.

    What a cut takes along (services) goes with `power_off`; what is on a disk stays. `broken` programs fail on trial:
    they `end`, stay `silent`, or `lack` something; `unsettled` ones have scripts that fail.
    """

    def __init__(self, folder: Path, *, previous: str = "") -> None:
        run = folder / "run"
        self.folders = Folders(folder / "opt/cabinet", folder / "state", run, folder / "release.pem")
        self.inbox = folder / "inbox"
        for made in (folder / "opt", self.folders.state, run, self.inbox):
            made.mkdir(parents=True, exist_ok=True)
        tree_of(OLD, self.folders.program)
        if previous:
            tree_of(previous, self.folders.previous)
        write_public_key(self.folders.release, KEY.public_key)
        self.settled_as = OLD
        self.journal = ("one",)
        self.copies: dict[str, tuple[str, ...]] = {}
        self.knows = {OLDER: ("one",), OLD: ("one",), NEW: ("one", "two")}
        self.running = OLD
        self.broken: dict[str, str] = {}
        self.game_open = False
        self.money_moved = False
        self.reports = True
        self.clock, self.pace = 1000.0, 1.0
        self.trials: list[str] = []
        self.cut_at: int | None = None
        self.steps: list[str] = []

    @property
    def version(self) -> str:
        """The version of the program that is in its place."""
        return (self.folders.program / "version").read_text("ascii").strip()

    def updater(self) -> Updater:
        """Return an updater, as each start of one of its units makes one."""
        return Updater(self.folders, self.inbox, self, self.step)

    def step(self, name: str) -> None:
        """Cut the power before the step whose turn it is."""
        self.steps.append(name)
        if self.cut_at == len(self.steps):
            raise PowerCutError(name)

    def wish(self, act: Act = Act.INSTALL, bundle: str = "") -> None:
        """Say what the supervisor says."""
        write(self.folders.wanted, Wish(id="7", act=act, bundle=bundle))

    def whole(self) -> bool:
        """Take a wish to its end, as cabinet-update.service does; return whether the trees changed places."""
        changed = self.updater().take()
        if changed:
            self.updater().judge()
        return changed

    def power_off(self) -> None:
        """Switch off: whatever ran, and whatever was wanted, is gone."""
        self.running, self.cut_at = "", None
        shutil.rmtree(self.folders.run)
        self.folders.run.mkdir()

    def power_on(self) -> None:
        """Start the computer: the updater's step, then the services."""
        self.updater().boot()
        self.start()

    # what the updater asks for

    def stop(self) -> None:
        """Stop the services."""
        self.running = ""

    def start(self) -> None:
        """Start the program that is in its place; a program writes its own schema into the journal."""
        self.running = self.version
        if self.folders.intent.exists():
            self.trials.append(self.version)
        if self.settled_as != self.version:
            raise AssertionError(f"{self.version} starts on a system that is {self.settled_as}'s")
        if not set(self.journal) <= set(self.knows[self.version]):
            raise AssertionError(f"{self.version} cannot read the journal")
        if self.broken.get(self.version) != "end":
            self.journal = self.knows[self.version]

    def settle(self) -> None:
        """Put the system's files in line."""
        self.step("within the system files")
        if self.broken.get(self.version) == "unsettled":
            raise SystemFailedError("place failed")
        self.settled_as = self.version

    def keep_journal(self, tree: Path, label: str) -> None:
        """Copy the journal."""
        assert (tree / "version").exists()
        assert not self.running
        if self.game_open:
            raise JournalRefusedError("a game is open")
        self.copies[label] = self.journal

    def suit_journal(self, tree: Path, migrations: tuple[str, ...]) -> None:
        """Put a copy in the journal's place where it knows too much."""
        assert (tree / "version").exists()
        assert not self.running
        if set(self.journal) <= set(migrations):
            return
        copies = [copy for copy in self.copies.values() if set(copy) <= set(migrations)]
        if self.money_moved or not copies:
            raise JournalRefusedError("money has moved")
        self.journal = copies[-1]

    def migrations(self, tree: Path) -> tuple[str, ...]:
        """Return what that program knows."""
        return self.knows[(tree / "version").read_text("ascii").strip()]

    def fares(self) -> tuple[Fare, Fare]:
        """Return how the services fare."""
        ill = self.broken.get(self.running)
        if ill not in ("end", "silent"):
            lacks = () if ill is None else (ill,)
            write(self.folders.report, Report(pid=77, version=self.running, at_s=self.clock, lacks=lacks))
        return Fare(bool(self.running), 77, int(ill == "end")), Fare(active=True, pid=78, restarts=0)

    def now(self) -> float:
        """Return the clock."""
        return self.clock

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.step("while it is watched")
        self.clock += seconds * self.pace


class PowerCutError(BaseException):
    """The power is gone."""
