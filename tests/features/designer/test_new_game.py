"""`cabinet new-game` writes a game outside of the tree that plays at once, and survives a kill."""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.features.designer.new_game import SAMPLES
from controller.rounds.engine import Round
from gamekit import catalogue
from gamekit.checking import faults
from gamekit.designer.figures import DesignSheet
from gamekit.kernel_check import faults_of_kernel
from gamekit.maths import load_maths
from gamekit.par import par_sheet
from gamekit.simulate import seeded_draw
from tests.rigs.game_folders import look_out_of
from tests.rigs.paths import ROOT
from ui.theme import load

pytestmark = pytest.mark.sampled(2)

BAKED = ROOT / "build" / "baked"
PLAYS_NOTHING = """
from gamekit.maths import load_maths
from gamekit.simulate import Tally


class Idle:
    def play(self, stake, generator, rounds, state=None):
        return Tally.empty(load_maths("coral_reef"))


KERNEL = Idle()
"""


RETURNS = {"lines": "94.835794", "ways": "94.143789", "cascades": "94.083685"}
each_kind = pytest.mark.parametrize("studio", SAMPLES, indirect=True)


@pytest.fixture
def studio(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A studio's folder with a new game of lines, or of another kind; afterwards it is not found any more."""
    folder = tmp_path / "studio"
    kind = getattr(request, "param", "lines")
    made = CliRunner().invoke(main, ["new-game", "coral_reef", "--kind", kind, "--in", str(folder)])
    try:
        assert made.exit_code == 0, made.output
        yield folder
    finally:
        look_out_of(folder)
        for module in [name for name in sys.modules if name.startswith("games.coral_reef")]:
            del sys.modules[module]


@each_kind
def test_a_new_game_lies_in_one_folder_and_passes(studio: Path) -> None:
    """Its tables, play, scene, maths and figures: nothing is missing, and its number is one that no other has."""
    assert [path.name for path in studio.iterdir()] == ["coral_reef"]
    game = catalogue.load("coral_reef")
    assert (game.title, game.name) == ("Coral Reef", "coral_reef")
    others = {catalogue.number_of(name) for name in catalogue.names() if name != "coral_reef"}
    assert catalogue.number_of("coral_reef") == min(set(range(1, 99)) - others)
    assert faults("coral_reef") == []
    # Declared as data: no play and no scene of its own.
    assert {"definition.py", "RULES.md"} <= {path.name for path in (studio / "coral_reef").iterdir()}
    assert not {"play.py", "scene.py"} & {path.name for path in (studio / "coral_reef").iterdir()}
    text = "".join(
        path.read_text("utf-8") for path in studio.rglob("*") if path.suffix in (".py", ".svg", ".md", ".po")
    )
    assert "sample" not in text.lower()


@each_kind
def test_its_rules_begin_on_the_day_on_which_it_was_written(studio: Path) -> None:
    """The first edition of its rules, on each of their pages."""
    written = datetime.fromtimestamp((studio / "coral_reef" / catalogue.DEFINITION).stat().st_mtime, UTC)
    assert load("coral_reef").edition == (1, written.astimezone().date())


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("name", ["abyss", "zephyr"])
def test_what_is_written_is_in_this_program_s_style(tmp_path: Path, name: str, kind: str) -> None:
    """Imports are in order whatever the name: a game in the tree has to pass `make check`."""
    rules = [
        "--isolated",
        "--select",
        "I",
        "--line-length",
        "120",
        "--config",
        "lint.isort.known-first-party=['games']",
    ]
    try:
        made = CliRunner().invoke(main, ["new-game", name, "--kind", kind, "--in", str(tmp_path)])
    finally:
        look_out_of(tmp_path)
    assert made.exit_code == 0, made.output
    for module in (tmp_path / name).rglob("*.py"):
        compile(module.read_text("utf-8"), str(module), "exec")
    folder = str(tmp_path / name)
    checked = subprocess.run(
        [sys.executable, "-m", "ruff", "check", *rules, folder], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
    subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--check", "--line-length", "120", folder], check=True
    )


def test_code_that_ends_the_process_is_named(studio: Path) -> None:
    """Mathematics that exits is a fault of its file: the check goes on, and does not end as if all were well."""
    with (studio / "coral_reef" / "maths.py").open("a", encoding="utf-8") as maths:
        maths.write("\nraise SystemExit(0)\n")
    (fault,) = faults("coral_reef")
    assert fault.file == str(studio / "coral_reef" / "maths.py")
    assert fault.text == "MATHS cannot be loaded: SystemExit: 0"


@pytest.mark.requirement("C9")
@pytest.mark.parametrize(
    ("studio", "stops", "what"),
    [
        ("lines", "20, 7, 12, 16, 16", "pay 12500 coins"),
        ("cascades", "2, 7, 12, 4, 9", "pay 7 coins"),
    ],
    indirect=["studio"],
)
def test_an_idle_screen_that_wins_is_named(studio: Path, stops: str, what: str) -> None:
    """Nothing is staked when it is shown: strips that were changed may have made a win of it."""
    package = studio / "coral_reef" / "__init__.py"
    package.write_text(re.sub(r"idle=\(.*\)", f"idle=({stops})", package.read_text()))
    (fault,) = faults("coral_reef")
    assert fault.file == str(package)
    said = f"the stops of the idle screen, ({stops}), {what}; choose others, that win nothing, as ("
    assert fault.text.startswith(said)
    better = fault.text.removeprefix(said).removesuffix(") do")
    package.write_text(package.read_text().replace(stops, better))
    # Python takes a compiled file whose source has the same second and size, as this one may have.
    shutil.rmtree(package.parent / "__pycache__", ignore_errors=True)
    for module in [name for name in sys.modules if name.startswith("games.coral_reef")]:
        del sys.modules[module]
    assert faults("coral_reef") == []


def test_a_broken_kernel_is_named(studio: Path) -> None:
    """None at all is no fault; one that cannot be imported, or plays nothing, is: with file and reason."""
    kernel = studio / "coral_reef" / "kernel.py"
    assert faults_of_kernel("coral_reef") == []
    for text, reason in (
        ("KERNEL = missing\n", "NameError"),
        ("KERNEL = 1\n", "AttributeError"),
        (PLAYS_NOTHING, "by production; play as play.py does"),
    ):
        kernel.write_text(text)
        sys.modules.pop("games.coral_reef.kernel", None)
        found = faults_of_kernel("coral_reef")
        assert {fault.file for fault in found} == {str(kernel)}
        assert reason in found[0].text


def test_a_studio_s_game_has_a_designer_s_page(studio: Path, tmp_path: Path) -> None:
    """Lines, a scatter and free spins, no picks: every figure is there, and the regulators' sheet too."""
    page, filed = tmp_path / "reef.html", tmp_path / "reef_sheet.html"
    arguments = ["par", "coral_reef", "--html", str(page), "--sheet", str(filed), "--rounds", "2000", "--limit", "0.2"]
    done = CliRunner().invoke(main, ["--games", str(studio), *arguments])
    assert done.exit_code == 0, done.output
    sheet = msgspec.json.decode(page.with_suffix(".json").read_bytes(), type=DesignSheet)
    assert sheet.wins.exact
    assert [miss.name for miss in sheet.near_misses] == ["free_spins"]
    assert [one.name for one in sheet.sensitivity.strips] == ["REELS"]
    assert "94.835794" in filed.read_text()


def test_its_par_sheet_has_no_picks(studio: Path) -> None:
    """A game without picks has its figures: parts, triggers and order leave them out."""
    sheet = par_sheet(load_maths("coral_reef"))
    assert studio.is_dir()
    assert {bet.rtp_percent for bet in sheet.bets} == {"94.835794"}
    assert set(sheet.bets[0].parts) == {"lines", "scatter", "free_lines", "free_scatter"}
    assert set(sheet.triggers) == {"free_spins"}
    assert not any("Picks" in step for step in sheet.order)


@pytest.mark.parametrize("studio", ["ways"], indirect=True)
def test_ways_have_their_sheet(studio: Path) -> None:
    """The return is that of the figures that were written with it; cascades have theirs in the proof."""
    assert studio.is_dir()
    sheet = par_sheet(load_maths("coral_reef"))
    assert {bet.rtp_percent for bet in sheet.bets} == {RETURNS["ways"]}
    assert set(sheet.bets[0].parts) == {"ways", "scatter", "free_ways", "free_scatter"}


@each_kind
def test_the_controller_plays_it(studio: Path) -> None:
    """Rounds with free spins run in segments, and their scenes count every coin."""
    assert studio.is_dir()
    game = catalogue.load("coral_reef")
    stake = msgspec.structs.replace(game.stakes()[-1], coin_value_cents=10)
    draw = seeded_draw(random.Random(4))
    free = 0
    for _ in range(400):
        played = Round(game, stake, "null")
        played.advance(None, draw)
        while played.offer is not None:
            free += 1
            played.advance(played.offer.choices[0], draw)
        assert played.final_scene.round_win * 10 == played.win_cents  # type: ignore[attr-defined]
    assert free


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["neptune"], "games/neptune; give the game another name"),
        (["Lagoon"], "use small letters, digits and single underscores"),
        (["lagoon", "--number", "3"], "3 is the number of witch_feature"),
        (["lagoon", "--title", 'A "b"'], "holds what a title cannot"),
    ],
)
def test_what_would_be_no_game_is_refused(tmp_path: Path, arguments: list[str], reason: str) -> None:
    """With the mend, and nothing is written."""
    folder = tmp_path / "studio"
    try:
        made = CliRunner().invoke(main, ["new-game", *arguments, "--in", str(folder)])
    finally:
        look_out_of(folder)
    assert made.exit_code == 2
    assert reason in " ".join(made.output.replace("│", " ").split())
    assert list(folder.iterdir()) == []


@pytest.mark.proof
@pytest.mark.processes
@each_kind
def test_it_is_checked_played_killed_resumed_and_proved(studio: Path, request: pytest.FixtureRequest) -> None:
    """Baked, checked, tested, worked out, played by the demo's script with kills and a mains cut, audited.

    Nothing outside its folder is needed: the program has not heard of it.
    """
    with tempfile.TemporaryDirectory(prefix="cabinet-", dir="/tmp") as name:
        run, baked = Path(name, "run"), Path(name, "baked")
        shutil.copytree(BAKED, baked)
        environment = {**os.environ, catalogue.VARIABLE: str(studio)}

        def cabinet(*words: object) -> str:
            done = subprocess.run(
                [sys.executable, "-m", "controller", *map(str, words)],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        cabinet("bake", "--world", "coral_reef", "--scale", 1, "--out", baked)
        assert cabinet("check-game", "coral_reef", "--baked", baked) == "coral_reef passes\n"
        returned = RETURNS[request.node.callspec.params["studio"]]
        figures = (studio / "coral_reef" / "figures.json").read_bytes()
        assert f"figures.json: returns {returned} %" in cabinet("figures", "coral_reef")
        assert (studio / "coral_reef" / "figures.json").read_bytes() == figures
        assert returned in cabinet("par", "coral_reef")
        own = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(studio / "coral_reef" / "tests")]
        subprocess.run(own, env=environment, cwd=ROOT, check=True)
        demo = ("demo", "--game", "coral_reef", "--headless", "--fast", "--run", run, "--baked", baked)
        said = cabinet(*demo, "--pictures", Path(name, "pictures"))
        for words in ("are killed with SIGKILL.", "starts a feature", "it resumes at that part, with that win."):
            assert words in said
        assert "coral_reef.games" in said
        assert "the books are proved" in said
