import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest

from controller.features.demo.settings import RunDirectory
from controller.journal.store import held
from controller.system.starts import Start
from tests.rigs.logged_events import words_of
from tests.rigs.paths import ROOT
from tests.rigs.patience import PATIENCE_S, until

BAKED = ROOT / "build" / "baked"


@pytest.fixture
def run() -> Iterator[Path]:
    """A run directory with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="cabinet-", dir="/tmp") as name:
        yield Path(name)


def processes_of(run: Path) -> list[str]:
    """The command lines of all processes that name this run directory."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if any(str(run).encode() in word for word in words):
            found.append(b" ".join(words).decode())
    return found


@pytest.mark.processes
def test_the_script_plays_from_a_note_to_proved_books(run: Path, tmp_path: Path) -> None:
    """`cabinet demo --headless`: crash, mains cut, feature and cash-out with lines and pictures; all processes end."""
    assert BAKED.is_dir(), "the art is not baked: run `make bake` first"
    demo = subprocess.run(
        [
            *(sys.executable, "-m", "controller", "demo", "--headless", "--fast"),
            *("--run", run, "--baked", BAKED, "--pictures", tmp_path),
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert demo.returncode == 0, demo.stdout + demo.stderr
    for words in (
        "A note of 20.00 € is inserted, stacked and credited: credit 20.00 €.",
        "are killed with SIGKILL.",
        "Both are back:",
        "lies in escrow when the mains fail: everything is dark.",
        "Power is back: the note",
        "starts a feature",
        "it resumes at that part, with that win.",
        "COLLECT: the hopper pays",
        "The credit is 0.",  # less than one coin of the hopper
        "the books are proved",
    ):
        assert words in demo.stdout
    names = [path.name.split("-", 1)[1] for path in sorted(tmp_path.glob("*.png"))]
    assert names[:4] == ["attract.png", "lobby.png", "note-credited.png", "reels-turning.png"]
    later = {"win.png", "before-the-crash.png", "after-the-crash.png", "after-the-mains-cut.png", "cash-out.png"}
    assert later < set(names)  # a busy machine begins another round for a picture: a feature may come before the win
    twins = [
        pair
        for pair in combinations(sorted(tmp_path.glob("*.png")), 2)
        if len({path.read_bytes() for path in pair}) == 1
    ]
    # A note that the mains cut gave back leaves the same reels and the same credit as after the crash.
    given_back = ("after-the-crash.png", "after-the-mains-cut.png") if "is given back" in demo.stdout else ()
    assert [pair for pair in twins if tuple(path.name.split("-", 1)[1] for path in pair) != given_back] == []
    assert processes_of(run) == []
    with closing(sqlite3.connect(run / "journal.sqlite")) as books:
        starts = words_of(books.execute, "power_up")
    assert starts == [f"The program {start}" for start in (Start.FIRST, Start.CRASHED, Start.POWER, Start.CRASHED)]

    command = [sys.executable, "-m", "controller", "run", run / "cabinet.toml"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "which only `cabinet demo` may use" in refused.stderr


@pytest.mark.processes
def test_a_second_demo_in_one_directory_is_refused(run: Path) -> None:
    """At once and with words, while the first one plays on; once that has ended there is room for another."""
    command = [sys.executable, "-m", "controller", "demo", "--unattended", "--run", run, "--baked", BAKED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as first:
        until((run / "journal.sqlite").exists)
        second = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert (second.returncode, first.poll()) == (1, None)
        assert second.stdout == f"another demo runs in {run}: end it, or name another directory with --run\n"
        first.terminate()
        assert first.wait(PATIENCE_S) == 0
    with RunDirectory(run).taken():
        assert processes_of(run) == []


@pytest.mark.processes
def test_a_demo_imports_nothing_from_the_current_folder(run: Path, tmp_path: Path) -> None:
    """As installed it starts its processes in a folder with modules of its libraries' names, and they come up."""
    for name in ("random.py", "serial.py", "logging.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the current folder')\n")
    script = run / "cabinet"
    script.write_text("from controller.cli import run\nrun()\n")
    command = [sys.executable, script, "demo", "--unattended", "--run", run / "r", "--baked", BAKED]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
        until(lambda: demo.poll() is not None or (run / "r" / "display.sock").exists())
        demo.terminate()
        said, _ = demo.communicate(timeout=PATIENCE_S)
    assert "current folder" not in said
    assert demo.returncode == 0, said


@pytest.mark.processes
def test_a_process_that_cannot_start_ends_the_demo_with_its_last_words(run: Path) -> None:
    """Each end is a line; after the fifth the demo gives up, however long each start took."""
    with held(run / "journal.sqlite"):
        demo = subprocess.run(
            [sys.executable, "-m", "controller", "demo", "--unattended", "--run", run, "--baked", BAKED],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    words = f"{run / 'journal.sqlite'} is held by another supervisor: stop it first"
    assert demo.returncode == 1
    assert demo.stdout.count(f"supervisor ended with 1 and is started again: {words}\n") == 4
    assert "supervisor ended 5 times, last with 1; the end of" in demo.stdout
