"""A whole Debian machine in a container: systemd as its PID 1, tty1 of its own, power that can be cut.

systemd-nspawn needs root, no KVM and no registration with the host's service manager. The machine has no network.
"""

import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

LOOK_S = 0.05
DEBIAN = "bookworm"
_NSPAWN = ("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network")


class MachineError(RuntimeError):
    """Something that must happen in the machine did not."""


def make_tree(tree: Path, packages: Sequence[str], mirror: str) -> None:
    """Make a Debian tree with systemd and `packages` (none of ours) from a mirror; needs root and mmdebstrap."""
    wanted = ",".join(("systemd", "systemd-sysv", "udev", "dbus", *packages))
    command = ["mmdebstrap", "--mode=root", "--variant=minbase", f"--include={wanted}", DEBIAN, str(tree), mirror]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise MachineError(f"mmdebstrap failed: {done.stderr[-2000:]}")


def namespace_pids(pid: int) -> list[str]:
    """Return a process's pids, from the host's namespace inwards; empty where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return next((line.split()[1:] for line in lines if line.startswith("NSpid:")), [])


class Machine:
    """One machine, off at first, whose disk is the directory `tree`."""

    def __init__(self, tree: Path, log: Path) -> None:
        self.tree = tree
        self._log = log
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._leader = 0
        self._screen = self._tty = -1
        self.shown = ""
        """Everything that was written on tty1."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def offline(self, *command: str) -> str:
        """Run a command in the tree while the machine is off, and return what it said."""
        return self._said([*_NSPAWN, "--pipe", "-D", str(self.tree), *command])

    def power_on(self) -> None:
        """Begin to boot; returns as soon as there is a PID 1."""
        self._screen, self._tty = pty.openpty()
        bind = f"--bind={os.ttyname(self._tty)}:/dev/tty1"
        command = [*_NSPAWN, "-D", str(self.tree), "--boot", "--console=pipe", "--notify-ready=no", bind]
        with self._log.open("ab") as log:
            self._nspawn = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.wait("the machine has a PID 1", self._has_leader, 20.0)

    def _has_leader(self) -> bool:
        """Find the machine's PID 1 among nspawn's children, of which the first are helpers that soon end."""
        assert self._nspawn is not None
        nspawn = self._nspawn.pid
        for child in Path(f"/proc/{nspawn}/task/{nspawn}/children").read_text(encoding="ascii").split():
            if namespace_pids(int(child))[1:] == ["1"]:
                self._leader = int(child)
        return bool(self._leader)

    def cut(self) -> None:
        """Take the power away: PID 1 and with it every process dies at once, unasked."""
        if self._nspawn is not None:
            with suppress(ProcessLookupError):
                os.kill(self._leader or self._nspawn.pid, signal.SIGKILL)
            self._off()

    def _off(self) -> None:
        if self._nspawn is not None:
            self._nspawn.wait(30.0)
            self._nspawn, self._leader = None, 0
            self.read_screen()
            os.close(self._screen)
            os.close(self._tty)

    def is_off(self) -> bool:
        """Return whether the machine has switched itself off."""
        if self._nspawn is not None and self._nspawn.poll() is None:
            return False
        self._off()
        return True

    def run(self, *command: str) -> str:
        """Run a command in the running machine and return what it said; raise `MachineError` where it failed."""
        return self._said(["nsenter", "--target", str(self._leader), "--all", *command])

    def path(self, path: str) -> Path:
        """Return where the host finds `path` of the running machine, its run directory included."""
        return Path(f"/proc/{self._leader}/root{path}")

    def wait(self, what: str, holds: Callable[[], bool], seconds: float) -> float:
        """Wait until `holds()` and return the seconds it took; raise `MachineError` after `seconds`."""
        began = time.monotonic()
        while not holds():
            if time.monotonic() - began > seconds:
                raise MachineError(f"not within {seconds:g} s: {what}")
            time.sleep(LOOK_S)
        return time.monotonic() - began

    def property(self, unit: str, name: str) -> str:
        """Return a unit's property as `systemctl show` has it; empty while the service manager does not answer."""
        try:
            return self.run("systemctl", "show", "--property", name, "--value", unit).strip()
        except MachineError:
            return ""

    def pid(self, unit: str) -> int:
        """Return a service's main process as the host sees it, 0 where there is none."""
        inside = self.property(unit, "MainPID")
        if inside in ("", "0"):
            return 0
        for process in Path("/proc").glob("[0-9]*"):
            pid = int(process.name)
            if namespace_pids(pid)[1:] == [inside] and self._is_ours(pid):
                return pid
        return 0

    def _is_ours(self, pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/ns/pid").readlink() == Path(f"/proc/{self._leader}/ns/pid").readlink()
        except OSError:
            return False

    def read_screen(self) -> str:
        """Return all that was ever written on tty1."""
        while select.select([self._screen], [], [], 0)[0]:
            try:
                self.shown += os.read(self._screen, 65536).decode("utf-8", "replace")
            except OSError:
                break
        return self.shown

    def _said(self, command: Sequence[str]) -> str:
        done = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise MachineError(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout
