"""Games are found by their folders: here, in a folder of a studio's own, and in a wheel."""

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from gamekit import catalogue
from gamekit.catalogue import BrokenGameError, UnknownGameError
from tests.rigs.game_folders import look_out_of
from tests.rigs.paths import ROOT

NUMBER = 9_001
"""One that no game of this program comes to."""
GAME = """
from games.neptune import GAME as NEPTUNE
import msgspec
GAME = msgspec.structs.replace(NEPTUNE, name="{name}")
"""


def game(folder: Path, name: str, number: object = NUMBER, code: str = GAME) -> Path:
    """A game's folder with its package alone."""
    (folder / name).mkdir(parents=True)
    (folder / name / "game.toml").write_text(f"number = {number}\n")
    (folder / name / "__init__.py").write_text(code.format(name=name))
    return folder / name


def told(result: Result) -> str:
    """What a command printed, its error's frame and line breaks left out."""
    return " ".join(result.output.replace("│", " ").split())


@contextmanager
def looking_in(folder: Path) -> Iterator[None]:
    """Find the games of this folder too, and afterwards no more."""
    before = set(sys.modules)
    catalogue.look_in(folder)
    try:
        yield
    finally:
        look_out_of(folder)
        for module in set(sys.modules) - before:
            if module.startswith("games."):
                del sys.modules[module]


def test_the_five_keep_their_numbers_and_their_order() -> None:
    """Hosts and books of cabinets that are in use go by them: none of these is ever changed."""
    numbers = {name: catalogue.number_of(name) for name in catalogue.names()}
    assert {name: number for name, number in numbers.items() if number <= 5} == {
        "neptune": 1,
        "bewitched": 2,
        "witch_feature": 3,
        "mystery_elves": 4,
        "mona_lisa_jewels": 5,
    }
    assert list(numbers.values()) == sorted(numbers.values())
    assert catalogue.refused() == ()


def test_a_studio_s_folder_holds_games_too(tmp_path: Path) -> None:
    """It is loaded as games.<name>, comes in the order of its number, and is gone with its folder."""
    game(tmp_path, "lagoon", 4_711)
    with looking_in(tmp_path):
        assert catalogue.names()[-1] == "lagoon"
        assert catalogue.load("lagoon").name == "lagoon"
        assert catalogue.module("lagoon").__name__ == "games.lagoon"
        assert (catalogue.number_of("lagoon"), catalogue.name_of(4_711), catalogue.most_number()) == (
            4_711,
            "lagoon",
            4_711,
        )
        assert not catalogue.is_own("lagoon")
    assert "lagoon" not in catalogue.names()
    with pytest.raises(UnknownGameError, match="there is no game 'lagoon'"):
        catalogue.load("lagoon")


@contextmanager
def wheel(site: Path, points: str, *files: str, called: str = "acme-slots") -> Iterator[None]:
    """Have a distribution installed in `site`, with these entry points and the record of its files."""
    about = site / f"{called.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {called}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(points)
    (about / "RECORD").write_text("".join(f"{one},,\n" for one in files))
    sys.path.append(str(site))
    try:
        yield
    finally:
        sys.path.remove(str(site))
        sys.modules.pop("acme_slots", None)
        look_out_of(site / "acme_slots")


def test_a_wheel_names_its_games_by_entry_points(tmp_path: Path) -> None:
    """The entry point's name is the game's, its value the package; what names none is refused with the reason."""
    game(tmp_path / "acme_slots", "lagoon")
    (tmp_path / "acme_slots" / "__init__.py").write_text("")
    points = "[cabinet.games]\nlagoon = acme_slots.lagoon\nreef = acme_slots.lagoon\nshoal = acme_shoal.shoal\n"
    with wheel(tmp_path, points), looking_in(tmp_path / "acme_slots"):
        assert catalogue.load("lagoon").name == "lagoon"
        assert catalogue.folder_of("lagoon") == tmp_path / "acme_slots" / "lagoon"
        reef, shoal = sorted(one for one in catalogue.refused())
        assert reef.reason == "names no package called reef with a game.toml in it"
        assert shoal.place == "entry point shoal = 'acme_shoal.shoal'"
        assert shoal.reason == "names no package (No module named 'acme_shoal')"


def test_what_a_wheel_installed_is_not_written_into(tmp_path: Path) -> None:
    """The next installation would overwrite it: the commands that write refuse it with the mend, others take it."""
    game(tmp_path / "acme_slots", "lagoon")
    (tmp_path / "acme_slots" / "__init__.py").write_text("")
    points = "[cabinet.games]\nlagoon = acme_slots.lagoon\n"
    with wheel(tmp_path, points, "acme_slots/lagoon/game.toml"), looking_in(tmp_path / "acme_slots"):
        assert catalogue.is_installed(tmp_path / "acme_slots" / "lagoon" / "game.toml")
        assert not catalogue.is_installed(catalogue.HOME / "__init__.py")
        for command in (["figures", "lagoon"], ["highlights", "lagoon"], ["tune", "lagoon", "--rtp", "95"]):
            refused = CliRunner().invoke(main, command)
            assert refused.exit_code != 0
            assert f"{tmp_path}/acme_slots/lagoon is what a wheel installed of lagoon" in told(refused)
            assert "`pip install --editable`" in told(refused)


def test_an_editable_installation_is_its_source(tmp_path: Path) -> None:
    """Its record names only the file that leads to the source."""
    game(tmp_path / "acme_slots", "lagoon")
    (tmp_path / "acme_slots" / "__init__.py").write_text("")
    points = "[cabinet.games]\nlagoon = acme_slots.lagoon\n"
    with wheel(tmp_path, points, "_acme_slots.pth"), looking_in(tmp_path / "acme_slots"):
        assert catalogue.source_of("lagoon") == tmp_path / "acme_slots" / "lagoon"


def test_this_program_may_be_a_wheel_too(tmp_path: Path) -> None:
    """Then `cabinet new-game` asks for a folder."""
    (tmp_path / "games").mkdir()
    with wheel(tmp_path, "", "games/__init__.py", called="cabinet"):
        assert catalogue.is_installed(tmp_path / "games" / "__init__.py")
        assert not catalogue.is_installed(tmp_path / "games" / "lines.py")


def test_a_game_in_a_wheel_and_in_a_folder_is_named_with_both(tmp_path: Path) -> None:
    """As when a studio has installed its wheel and works on the source."""
    game(tmp_path / "acme_slots", "lagoon")
    (tmp_path / "acme_slots" / "__init__.py").write_text("")
    source = game(tmp_path / "source", "lagoon")
    with wheel(tmp_path, "[cabinet.games]\nlagoon = acme_slots.lagoon\n"), looking_in(tmp_path / "source"):
        (found,) = catalogue.refused()
        assert found.place == str(source)
        assert found.reason == (
            f"lagoon was found in {tmp_path / 'acme_slots' / 'lagoon'}; take one of them away, or rename it"
        )


@pytest.mark.parametrize(
    ("name", "number", "reason"),
    [
        ("neptune", NUMBER, "neptune is taken in this program; give the game another name"),
        ("lagoon", 2, "number = 2 is that of bewitched; give the game another number"),
        ("lagoon", 0, "number = 0 is not from 1 to 9999"),
        ("lagoon", '"two"', "cannot be read: Expected `int`, got `str`"),
        ("Lagoon", NUMBER, "is no name of a game; use small letters, digits and underscores"),
        ("class", NUMBER, "is no name of a game; use small letters, digits and underscores"),
    ],
)
def test_what_is_no_game_is_refused_with_its_file_and_the_mend(
    tmp_path: Path, name: str, number: object, reason: str
) -> None:
    """The games that cabinets have had keep name and number whatever a studio calls its own."""
    folder = game(tmp_path, name, number)
    with looking_in(tmp_path):
        (found,) = catalogue.refused()
        assert found.reason.startswith(reason)
        assert found.place in (str(folder), str(folder / "game.toml"))
        assert catalogue.load("neptune").title == "Neptune"
        assert len(catalogue.names()) == len(catalogue.found())


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit('bye')\n", "SystemExit: bye"),
        ("GAME = 5\n", "GAME is 'int'; name it 'lagoon'"),
        ("from games.neptune import GAME\n", "GAME is 'neptune'; name it 'lagoon'"),
        ("", "AttributeError: module 'games.lagoon' has no attribute 'GAME'"),
    ],
)
def test_a_game_that_cannot_be_loaded_is_broken_and_ends_nothing(tmp_path: Path, code: str, reason: str) -> None:
    """Whatever its code does, it is one error, which names its file."""
    folder = game(tmp_path, "lagoon", code=code)
    with looking_in(tmp_path), pytest.raises(BrokenGameError) as raised:
        catalogue.load("lagoon")
    assert str(raised.value) == f"the game 'lagoon' cannot be loaded: {folder / '__init__.py'}: {reason}"


def test_a_withdrawn_game_is_not_here_but_keeps_its_number(tmp_path: Path) -> None:
    """Its meters are still those of its number; it is not played, listed or loaded."""
    game(tmp_path, "lagoon")
    with looking_in(tmp_path):
        catalogue.withdraw("lagoon", "its figures are stale")
        assert "lagoon" not in catalogue.names()
        assert "lagoon" in catalogue.found()
        assert (catalogue.number_of("lagoon"), catalogue.name_of(NUMBER)) == (NUMBER, None)
        with pytest.raises(BrokenGameError, match="its figures are stale"):
            catalogue.load("lagoon")


def test_no_code_outside_of_the_games_folders_names_one() -> None:
    """A game is its folder: no list of names, figures or art lies elsewhere."""
    named = []
    for package in ("common", "controller", "drivers", "gamekit", "games", "ui", "venue"):
        for path in sorted((ROOT / package).rglob("*.py")):
            inside = path.relative_to(ROOT).parts
            if inside[0] == "games" and inside[1] in catalogue.names():
                continue
            if inside[:2] == ("venue", "demo"):
                continue  # a story about three cabinets, which play what its guests like
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and node.value in catalogue.names():
                    named.append(f"{path}:{node.lineno}")
                if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[1:2]:
                    part = (node.module or "").split(".")
                    if part[0] == "games" and part[1] in catalogue.names():
                        named.append(f"{path}:{node.lineno}")
    assert named == []
