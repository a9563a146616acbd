"""What the updater asks of the machine: by the system's own tools, here fakes on the path."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.schema import NAMES
from controller.journal.store import Store

PROGRAM = """
from pathlib import Path
from controller.features.update.orders import Folders
from controller.features.update.host_services import *
host = SystemdServices(Folders(program=Path({program!r})))
"""


def ask(folder: Path, words: str, systemctl: str = "exit 1") -> str:
    """Run `words` of a machine whose `systemctl` is that script; return what it prints and what was asked."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    tool = tools / "systemctl"
    tool.write_text(f'#!/bin/sh\necho "$@" >>{folder}/asked\n{systemctl}\n', encoding="utf-8")
    tool.chmod(0o755)
    program = folder / "opt/cabinet"
    program.mkdir(parents=True, exist_ok=True)
    if not (program / "system").exists():
        (program / "system").symlink_to(Path("systemd").resolve())
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(program=str(program)) + words],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("ActiveState=active\\nMainPID=12\\nNRestarts=0", "Fare(active=True, pid=12, restarts=0)"),
        ("ActiveState=activating\\nMainPID=12\\nNRestarts=2", "Fare(active=False, pid=12, restarts=2)"),
        ("ActiveState=failed\\nMainPID=0\\nNRestarts=0", "Fare(active=False, pid=0, restarts=1)"),
        ("", "Fare(active=False, pid=0, restarts=0)"),
    ],
)
def test_how_the_services_fare_is_what_the_service_manager_says(tmp_path: Path, said: str, expected: str) -> None:
    """Up, its process, and whether it was started again or given up."""
    found = ask(tmp_path, "print(*host.fares(), sep='\\n')", f"printf '{said}'")
    assert found.splitlines() == [expected, expected]


def test_a_system_that_does_not_obey_says_which_command_failed(tmp_path: Path) -> None:
    """Stopping and settling must succeed; forgetting failed starts need not."""
    assert "SystemFailedError: systemctl stop cabinet.service" in ask(tmp_path, "host.stop()")
    assert "SystemFailedError: systemctl start cabinet-settle.service: no" in ask(
        tmp_path, "host.settle()", "echo no >&2; exit 3"
    )
    ask(tmp_path, "host.stop()", "[ $1 = stop ]")
    assert (tmp_path / "asked").read_text("ascii").splitlines()[-1].startswith("reset-failed cabinet.service")


def test_the_journals_rule_is_distinguished_from_a_failure(tmp_path: Path) -> None:
    """A copy is kept; a journal without a copy is refused, and a command that is wrong has failed."""
    journal = tmp_path / "journal.sqlite"
    Store(journal, lambda: 0, simulated=True, create=True).close()
    tree = "host._at.program"
    act = f"host._journal = lambda: Path({str(journal)!r})\n"
    assert ask(tmp_path, f"{act}host.keep_journal({tree}, 'before-9')") == ""
    with closing(sqlite3.connect(tmp_path / "upgrades/before-9.sqlite")) as copy:
        assert copy.execute("PRAGMA quick_check").fetchone() == ("ok",)
    assert ask(tmp_path, f"{act}host.suit_journal({tree}, {NAMES!r})") == ""
    assert "JournalRefusedError: there is no copy" in ask(tmp_path, f"{act}host.suit_journal({tree}, ('m000',))")
    assert "SystemFailedError" in ask(tmp_path, f"{act}host.suit_journal({tree}, ())")


def test_the_inbox_lies_beside_the_journal(tmp_path: Path) -> None:
    """Wherever the configuration has that."""
    assert ask(tmp_path, "print(host.inbox())").endswith("/bundles\n")
