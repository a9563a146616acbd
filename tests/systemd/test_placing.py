"""What is installed where, and the words of the plain screen; the scripts run as they are, in trees of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SYSTEMD = Path("systemd").resolve()
SCRIPTS = [path for path in sorted(SYSTEMD.rglob("*")) if path.is_file() and path.read_bytes().startswith(b"#!/bin/sh")]


def place(*arguments: object) -> list[str]:
    """Run `place` and return the lines it said."""
    return subprocess.check_output([SYSTEMD / "place", *map(str, arguments)], text=True).splitlines()


def files(tree: Path) -> dict[str, bytes]:
    """Return the files under `tree` with what they hold; of a link where it leads."""
    found = {}
    for path in sorted(tree.rglob("*")):
        if path.is_symlink():
            found[f"/{path.relative_to(tree)}"] = os.fsencode(path.readlink())
        elif path.is_file():
            found[f"/{path.relative_to(tree)}"] = path.read_bytes()
    return found


def test_every_system_file_has_one_place_and_is_listed_for_the_removal(tmp_path: Path) -> None:
    """What is put is what `place --list` names, and every unit and every file of conf is among it."""
    place(tmp_path)
    put = files(tmp_path)
    assert sorted(put) == sorted(place("--list"))
    held = {contents for path, contents in put.items() if path != "/usr/bin/cabinet"}
    sources = [*SYSTEMD.glob("units/*"), *SYSTEMD.glob("conf/*.conf"), *SYSTEMD.glob("conf/*.rules")]
    assert {path.read_bytes() for path in sources} == held


def test_putting_the_files_again_changes_nothing(tmp_path: Path) -> None:
    """An installation may be run as often as one likes."""
    place(tmp_path)
    first = files(tmp_path)
    place(tmp_path)
    assert files(tmp_path) == first


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_every_script_is_sound_shell(script: Path) -> None:
    """The shell reads each to its end; each stops at the first failure, but the screen, which says what it can."""
    subprocess.run(["sh", "-n", script], check=True)
    text = script.read_text(encoding="utf-8")
    assert "\nset -e" in text or script.name == "fault-screen"


@pytest.mark.skipif(os.getuid() == 0, reason="run as root it would install")
@pytest.mark.parametrize("script", ["install", "uninstall", "go-back"])
def test_what_changes_the_machine_wants_root(script: str) -> None:
    """Nothing is half done by somebody who may not do the rest."""
    done = subprocess.run([SYSTEMD / script], capture_output=True, text=True, check=False)
    assert (done.returncode, "as root" in done.stderr) == (1, True)


def test_an_option_that_nobody_knows_changes_nothing(tmp_path: Path) -> None:
    """A misspelt option of the staging ends it before anything is written."""
    done = subprocess.run(
        [SYSTEMD / "stage", "--bakde", tmp_path / "tree"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == []


def plain_screen(folder: Path, *, failed: str, said: str) -> str:
    """Return what the plain screen shows where the unit `failed` could not be started and `said` something last."""
    tools = folder / "bin"
    tools.mkdir()
    for name, script in (("systemctl", f'[ "$3" = {failed} ]'), ("journalctl", f"printf '%s\\n' \"{said}\"")):
        tool = tools / name
        tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        tool.chmod(0o755)
    environment = {"PATH": f"{tools}:{os.environ['PATH']}"}
    shown = subprocess.check_output([SYSTEMD / "fault-screen"], env=environment)
    return shown.decode("ascii")


def test_the_plain_screen_says_what_to_do_in_both_languages_and_why(tmp_path: Path) -> None:
    """Credit is kept, call an attendant; for the technician the program's last words (D10)."""
    shown = plain_screen(tmp_path, failed="cabinet.service", said="cabinet.toml: pins: is missing")
    assert "Your credit is kept. Please call an attendant." in shown
    assert "Ihr Guthaben ist gespeichert." in shown
    assert "cabinet.service could not be started" in shown
    assert "cabinet.toml: pins: is missing" in shown
    assert "cabinet-display.service could not" not in shown


def test_the_console_is_not_touched_by_a_misspelt_command() -> None:
    """Nothing but lock and unlock is understood."""
    done = subprocess.run([sys.executable, "-I", SYSTEMD / "lock_console.py", "lokc"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"usage: lock_console.py lock|unlock\n")
