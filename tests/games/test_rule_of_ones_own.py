"""docs/adding-a-game.md, "A rule of one's own": the game shown there agrees with itself, and tools take all of it.

One winning paid spin in twenty has its line wins paid again, around a declared game of lines.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from gamekit import catalogue, figures
from gamekit.agreement import judge
from gamekit.checking import Fault, faults
from gamekit.declared.maths import LawMaths
from gamekit.declared.reach import DeclaredReach
from gamekit.designer_checks import faults_of_kept
from gamekit.exact.moments import SpinMoments
from gamekit.exact.rounds import RoundFigures
from gamekit.kernels.declared import declared_kernel
from gamekit.maths import load_maths
from gamekit.par import par_sheet
from gamekit.play import Answer, Draw, Memory, Stake, Step
from gamekit.read_back import DisagreementError, read_highlights, read_kept
from gamekit.simulate import play_rounds, seeded_draw
from games.star_quarry.maths import MATHS as QUARRY
from tests.games.written_game import change, lagoon, write_echo
from tests.rigs.paths import ROOT
from ui.explaining import misprinted, untold
from ui.theme import load

pytestmark = pytest.mark.sampled(2)

DECLARED = "94.835794"
WITH_ECHO = "98.674169"
"""What new-game's lines return, and with the echo of the page's example."""


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Path]:
    """The folder of a new game of lines."""
    with lagoon(tmp_path / "studio") as folder:
        yield folder


@pytest.fixture
def echo(plain: Path) -> Path:
    """The folder of the page's game."""
    write_echo(plain)
    return plain


def run(*words: str) -> Result:
    return CliRunner().invoke(main, [*words])


def without(file: Path, pattern: str) -> None:
    """Take what `pattern` matches out of a file, which it must once."""
    text, found = re.subn(pattern, "", file.read_text("utf-8"), flags=re.DOTALL)
    assert found == 1
    file.write_text(text, "utf-8")


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def test_the_page_s_game_agrees_with_itself(echo: Path) -> None:
    """Figures are worked out, nothing is missing, and rounds of its play lie inside the exact interval of each part."""
    made = run("figures", "lagoon")
    assert made.exit_code == 0, made.output
    assert f"returns {WITH_ECHO} %" in made.output
    assert faults("lagoon") == faults_of_kept("lagoon") == unexplained("lagoon") == []
    assert figures.figures_of("lagoon").left_out
    maths = load_maths("lagoon")
    stake = maths.stakes[-1]
    report = judge(maths, stake, play_rounds(maths, stake, seeded_draw(random.Random(3)), 20_000), seed=3)
    assert [part.name for part in report.parts if part.alarm] == []
    assert [part.name for part in report.parts][-1] == "echo"
    assert {bet.rtp_percent for bet in par_sheet(maths).bets} == {WITH_ECHO}
    assert echo.is_dir()


def test_moments_with_a_repeated_part_are_those_of_every_outcome() -> None:
    """Lines, scatter, picks and free spins of a small spin, the lines paid again by a draw of one in three."""
    outcomes = [(0, 0, 0, 0), (4, 0, 1, 0), (4, 2, 0, 1), (9, 5, 2, 2), (0, 5, 0, 0)]
    chance = Fraction(1, 3)

    def moments(rows: list[tuple[Fraction, tuple[int, ...], int]]) -> SpinMoments:
        size = range(len(rows[0][1]))

        def mean(value: object) -> Fraction:
            return sum((part * value(parts, spins) for part, parts, spins in rows), Fraction(0))  # type: ignore[operator]

        return SpinMoments(
            mean=tuple(mean(lambda parts, _, a=a: parts[a]) for a in size),
            product=tuple(tuple(mean(lambda parts, _, a=a, b=b: parts[a] * parts[b]) for b in size) for a in size),
            with_spins=tuple(mean(lambda parts, spins, a=a: parts[a] * spins) for a in size),
            spins=mean(lambda _, spins: spins),
            spins_square=mean(lambda _, spins: spins**2),
        )

    share = Fraction(1, len(outcomes))
    plain = moments([(share, tuple(parts), spins) for *parts, spins in outcomes])
    again = moments(
        [
            (share * likely, (*parts, parts[0] * echoes), spins)
            for (*parts, spins), (echoes, likely) in product(outcomes, ((1, chance), (0, 1 - chance)))
        ]
    )
    assert plain.repeated(0, chance) == again
    assert RoundFigures(again, plain.repeated(0, Fraction(0))).parts()[3].mean == chance * plain.mean[0]


def test_tune_refuses_a_maths_that_extends_a_declared_one(echo: Path) -> None:
    """Its search would leave the echo out and show a return that is 3.8 % too low; not a letter is written."""
    before = contents(echo)
    result = run("tune", "lagoon", "--rtp", "95", "--jobs", "1", "--chains", "1", "--choices", "1")
    assert result.exit_code == 1
    assert "(EchoMaths) adds something to that of a declared game" in result.output
    assert contents(echo) == before


def test_tune_puts_the_files_back_where_the_loaded_game_has_other_figures(plain: Path) -> None:
    """Free spins on reels that are made of the same strips once more: the search took them for others that stay."""
    definition = plain / "definition.py"
    change(
        definition,
        "-    free_spins=FreeSpins(multiplier=FREE_SPIN_MULTIPLIER),\n"
        "+    free_spins=FreeSpins(multiplier=FREE_SPIN_MULTIPLIER, reels=Reels(REELS.strips, REELS.rows)),",
    )
    change(definition, " from games.lagoon.strips import REELS\n+from gamekit.reels import Reels")
    before = contents(plain)
    result = run("tune", "lagoon", "--rtp", "94.2", "--jobs", "1", "--chains", "1", "--choices", "1")
    assert result.exit_code == 1
    assert "the files are as they were: the strips were to return 94." in result.output
    assert contents(plain) == before


@dataclass(frozen=True)
class Wrong:
    """What is taken out of a file of the page's game, the command that is run then, and what it says."""

    file: str
    pattern: str
    command: str
    words: str


@pytest.mark.parametrize(
    "wrong",
    [
        Wrong("reach.py", r'(?<=LEFT_OUT = ")[^"]+', "figures", "or say in LEFT_OUT what it has not"),
        Wrong("maths.py", r"    def mean.*?_CHANCE\n\n", "figures", "MATHS.mean returns 94.835794%"),
        Wrong(
            "__init__.py",
            r"    maths_hash=.*?\n",
            "par",
            "GAME.maths_hash is not the hash of MATHS_PARTS",
        ),
        Wrong(
            "maths.py",
            r"    def mean.*?_CHANCE\n\n",
            "par",
            "MATHS.mean returns 94.835794%",
        ),
    ],
    ids=["reach", "mean", "hash", "sheet"],
)
def test_no_tool_writes_what_the_game_s_own_figures_contradict(echo: Path, wrong: Wrong, tmp_path: Path) -> None:
    """A promise without the echo that does not say so, a mean without it, a hash without it: nothing is written."""
    without(echo / wrong.file, wrong.pattern)
    before = contents(tmp_path)
    sheet = ("--sheet", str(tmp_path / "lagoon.html")) if wrong.command == "par" else ()
    result = run(wrong.command, "lagoon", *sheet)
    assert result.exit_code == 1
    assert wrong.words in " ".join(result.output.split())
    assert "nothing was written" in result.output
    assert contents(tmp_path) == before


def test_the_filed_sheet_says_and_counts_the_rule(echo: Path, tmp_path: Path) -> None:
    """Its order names the echo, its constants its number, its returns are with it, and its hash is that of its text."""
    filed = tmp_path / "lagoon.html"
    assert run("figures", "lagoon").exit_code == 0
    result = run("par", "lagoon", "--rounds", "0", "--sheet", str(filed))
    assert result.exit_code == 0, result.output
    text = filed.read_text("utf-8")
    for words in (WITH_ECHO, "ECHO_ONE_IN", "One paid spin in 20 whose lines pay", "of it echo", '"echo_one_in":20'):
        assert words in text.replace("&quot;", '"')
    assert echo.is_dir()


def test_check_game_names_a_beat_that_nothing_explains(echo: Path) -> None:
    """A rule that is missing, a beat that the theme gives no heading, and a part that no sentence of order says."""
    without(echo / "display" / "rules.py", r'    \(\n        ECHO,\n.*?    \),\n(?=    \(\n        "Fair play")')
    (fault,) = unexplained("lagoon")
    assert fault.file == str(echo / "display" / "rules.py")
    assert fault.text.startswith("no rule is headed 'The echo', as THEME.explains names what LinesPaidAgain pays")
    forget()
    without(echo / "display" / "theme.py", r"    explains = _EXPLAINED\n")
    without(echo / "maths.py", r"    @property\n    def order.*?rest\)\n\n")
    (fault,) = unexplained("lagoon")
    assert fault.text.startswith("nothing says what LinesPaidAgain pays; write a rule about it")
    (fault, *_) = faults_of_kept("lagoon")
    assert fault.text.startswith("MATHS.parts are its own and MATHS.order is the declared game's")


def unexplained(name: str) -> list[Fault]:
    """Return a fault for each kind of win of the game `name` that is not explained to the player, or wrongly."""
    theme, maths = load(name), load_maths(name)
    return [*misprinted(theme, maths), *untold(theme, maths)]


def forget() -> None:
    """Let the game be imported anew."""
    for module in [name for name in sys.modules if name.startswith("games.lagoon")]:
        del sys.modules[module]


def test_check_game_names_a_paytable_that_the_play_contradicts(plain: Path) -> None:
    """Jacks that pay otherwise than the theme says, as the tables say and rounds show."""
    theme = plain / "display" / "theme.py"
    pays = "        return LINE_PAYS.get(symbol, {})"
    change(theme, f"+        if symbol == 'jack':\n+            return {{3: 7}}\n {pays}")
    printed, *_, seen = (fault.text for fault in unexplained("lagoon"))
    assert printed.startswith("3 x jack pays 6 coins at 1 x 1, and the paytable prints 7;")
    assert "x jack paid" in seen
    assert "the paytable says otherwise" in seen


def test_all_that_is_stale_is_named_at_once(plain: Path) -> None:
    """After a change of the maths: figures and highlights, before anything is drawn."""
    change(plain / "pays.py", "-MATHS_VERSION = 1\n+MATHS_VERSION = 2")
    result = run("check-game", "lagoon", "--baked", str(plain / "nowhere"), "--shape", "wide", "--language", "en")
    assert result.exit_code == 1
    first, second, *rest = result.output.splitlines()
    assert first.endswith("keeps the figures of another maths: run `cabinet figures lagoon`")
    assert second.endswith("keeps the highlights of another maths: run `cabinet highlights lagoon`")
    assert any("manifest.json" in line for line in rest)


def test_kept_figures_and_highlights_are_read_back(plain: Path) -> None:
    """A process of its own finds what is kept to be the game's, and names a return that is another."""
    read_kept("lagoon")
    assert len(read_highlights("lagoon")) >= 6
    kept = plain / figures.FILE
    usual = re.search(r'"usual_return": (\d+)', kept.read_text())
    assert usual is not None
    kept.write_text(kept.read_text().replace(usual[1], str(int(usual[1]) + 1)))
    with pytest.raises(DisagreementError, match=r"returns 94.835795 %, its maths 94.835794%: run `cabinet figures"):
        read_kept("lagoon")
    change(plain / "pays.py", "-MATHS_VERSION = 1\n+MATHS_VERSION = 2")
    with pytest.raises(DisagreementError, match="another maths"):
        read_highlights("lagoon")


class More(LawMaths):
    """Ways whose mathematics adds something."""


def played_around(stake: Stake, draw: Draw, memory: Memory) -> Generator[Step, Answer | None, Memory]:
    return (yield from QUARRY.game.play(stake, draw, memory))


def test_what_knows_declarations_alone_refuses_more() -> None:
    """The declared kernel plays no more than the declaration; a declared reach must say what it leaves out."""
    more = More(QUARRY.game, QUARRY.declared)
    with pytest.raises(TypeError, match="plays more than its declaration says"):
        declared_kernel(more)
    around = msgspec.structs.replace(QUARRY.game, play=played_around)
    with pytest.raises(TypeError, match="plays more than its declaration says"):
        declared_kernel(LawMaths(around, QUARRY.declared))
    with pytest.raises(ValueError, match="what More adds is left out"):
        DeclaredReach(more, 2**20)
    assert DeclaredReach(more, 2**20, also="echoes").left_out == "echoes"


@pytest.mark.proof
@pytest.mark.processes
def test_the_page_s_game_is_baked_and_passes(echo: Path) -> None:
    """Its commands in turn, each with exit code 0, and at the end it plays: nothing is missing on any monitor."""
    with tempfile.TemporaryDirectory() as name:
        baked = Path(name, "baked")
        shutil.copytree(ROOT / "build" / "baked", baked)
        for words in (
            ("figures", "lagoon"),
            ("highlights", "lagoon"),
            ("bake", "--world", "lagoon", "--scale", "1", "--out", str(baked)),
            ("check-game", "lagoon", "--baked", str(baked)),
        ):
            command = [sys.executable, "-m", "controller", *words]
            environment = {**os.environ, catalogue.VARIABLE: str(echo.parent)}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout == "lagoon passes\n"
