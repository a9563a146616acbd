"""A bake's order: the first game's pieces before all others, one bake at a time in a folder, no worker left behind."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from tests.rigs.patience import PATIENCE_S
from ui.bake_order import Piece, alone, work


def _made(name: str, folder: Path) -> list[str]:
    (folder / name).touch()
    return [name]


def test_the_first_pieces_are_done_before_any_other(tmp_path: Path) -> None:
    """`first` is called when they are, and nothing of the rest has begun."""
    seen: list[list[str]] = []
    said: list[str] = []
    pieces = [Piece(partial(_made, name, tmp_path), first=name.startswith("first")) for name in ("b", "first a", "c")]
    work(pieces, said.append, lambda: seen.append(sorted(path.name for path in tmp_path.iterdir())))
    assert seen == [["first a"]]
    assert said[0] == "first a"
    assert sorted(said) == ["b", "c", "first a"]


def test_without_a_first_game_all_is_done(tmp_path: Path) -> None:
    """A plain bake has one part only."""
    said: list[str] = []
    work([Piece(partial(_made, "b", tmp_path), first=False)], said.append, lambda: None)
    assert said == ["b"]


HOLDER = """
import sys
from pathlib import Path
from ui.bake_order import alone
with alone(Path(sys.argv[1]), print):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_bake_waits_for_the_first(tmp_path: Path) -> None:
    """It says so, and goes on when the first has ended, even by SIGKILL."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"

        def say(words: str) -> None:
            assert "another bake" in words
            holder.kill()

        with alone(tmp_path, say):
            assert holder.wait(PATIENCE_S) == -signal.SIGKILL


BAKER = """
import os, sys, time
from functools import partial
from pathlib import Path
from ui.bake_order import Piece, work
def piece(path):
    Path(path).write_text(str(os.getpid()))
    time.sleep(600)
work([Piece(partial(piece, sys.argv[1]), first=False)], print, lambda: None)
"""


def test_no_worker_outlives_a_bake_that_is_killed(tmp_path: Path) -> None:
    """The demo kills its bake in the worst case."""
    script, mark = tmp_path / "baker.py", tmp_path / "pid"
    script.write_text(BAKER, "utf-8")
    with subprocess.Popen([sys.executable, str(script), str(mark)], env={**os.environ, "PYTHONPATH": "."}) as baker:
        deadline = time.monotonic() + PATIENCE_S
        while not (mark.exists() and mark.read_text("utf-8")):
            assert time.monotonic() < deadline
        worker = int(mark.read_text("utf-8"))
        baker.kill()
    while Path(f"/proc/{worker}").exists() and "Z" not in Path(f"/proc/{worker}/stat").read_text("utf-8").split()[2]:
        assert time.monotonic() < deadline
