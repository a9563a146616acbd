"""`cabinet demo --web`: a whole cabinet of real processes, played over its page's WebSocket."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from controller.features.demo.books import Books
from tests.rigs.needing import skipped_where
from tests.rigs.paths import ROOT
from tests.rigs.patience import PATIENCE_S, until

pytestmark = [
    pytest.mark.processes,
    skipped_where(find_spec("uvicorn") is None, "the server is not installed", "pip install '.[web]'"),
]
if find_spec("uvicorn") is not None:
    from tests.rigs.web_bench import WebViewer

BAKED = ROOT / "build" / "baked"


@pytest.fixture
def run() -> Iterator[Path]:
    """A run directory with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="cabinet-", dir="/tmp") as name:
        yield Path(name)


def lies_in_return(viewer: "WebViewer") -> bool:
    """Whether a note lies in the mouth of the note slot, and nothing is done with it."""
    layers, labels = viewer.looks["bill_return"]
    return len(layers) > 1 and not labels


def test_a_note_a_crash_and_the_mains(run: Path) -> None:
    """The address is printed; a note is credited, a crash and a mains cut are seen on the glass; all processes end."""
    command = (sys.executable, "-m", "controller", "demo", "--web", "--run", run, "--baked", BAKED)
    books = Books(run / "journal.sqlite")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
        until(lambda: (run / "bench.url").exists() or demo.poll() is not None)
        url = (run / "bench.url").read_text("ascii").strip()
        with WebViewer(url) as viewer:
            viewer.until(lambda: bool(viewer.facts.get("lit")) and bool(viewer.pictures))
            while not books.credit_cents:
                viewer.tap("bill_return")
                viewer.until(lambda: not lies_in_return(viewer))
                viewer.tap("note_2000")
                # a validator that is not ready yet gives it back
                viewer.until(lambda: lies_in_return(viewer) or viewer.looks["counts"][1][0][0] == "20.00")
                until(lambda: lies_in_return(viewer) or books.credit_cents == 2000)
            for dark, light in (("crash", ()), ("mains", ("mains",))):
                viewer.tap(dark)
                viewer.until(lambda: not viewer.facts["lit"])
                for control in light:
                    viewer.tap(control)
                viewer.until(lambda: bool(viewer.facts["lit"]))
            viewer.until(lambda: viewer.looks["collect"][0][0][0] == "collect_10")
            assert viewer.looks["counts"][1][2][0] == "1"
            assert {"coin", "bill", "hopper"} <= set(viewer.facts["faults"])
            viewer.send("act", what="fault bill tea")
            viewer.until(lambda: viewer.facts["alert"].startswith("bill knows no fault 'tea'; there are "))
        assert books.credit_cents == 2000
        demo.terminate()
        said, _ = demo.communicate(timeout=PATIENCE_S)
    assert demo.returncode == 0, said
    assert f"The bench, in a browser: {url}\n" in said
    assert "WARNING" not in said


def first_words(*options: object, **variables: str) -> str:
    """Start a demo; return what it has said by the time at which its page is served."""
    command = (sys.executable, "-m", "controller", "demo", "--baked", BAKED, *options)
    environment = os.environ | variables
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as demo:
        assert demo.stdout is not None
        said = ""
        for line in iter(demo.stdout.readline, ""):
            said += line
            if line.startswith("The bench, in a browser:"):
                demo.terminate()
        assert demo.wait(PATIENCE_S) == 0, said
    return said


def test_a_bench_that_other_machines_reach_comes_with_a_warning(run: Path) -> None:
    """Before the address it says in words what listening on every address means."""
    said = first_words("--web", "--web-host", "0.0.0.0", "--run", run)  # noqa: S104 - what the warning is for
    assert "WARNING: the bench can be reached from other machines." in said.partition("The bench, in a browser")[0]


def test_without_a_screen_the_bench_is_a_page(run: Path) -> None:
    """`cabinet demo` where a window would not be seen serves the page by itself."""
    assert "The bench, in a browser: http://127.0.0.1:" in first_words("--run", run, SDL_VIDEODRIVER="dummy")
