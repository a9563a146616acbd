"""`cabinet new-game NAME`."""

import ast
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import click

from gamekit import catalogue
from gamekit.catalogue import DEFINITION
from gamekit.read_back import DisagreementError, read_kept

SAMPLES = {"lines": "sample_game", "ways": "sample_ways", "cascades": "sample_cascades"}
"""The package from which a game of each kind is written."""
_SHARED = ("display/art", "display/music.py")
"""The files that the other kinds take from the `lines` package."""
_ROOM = 520
"""The greatest width of the logo's words, in units, and the approximate width of a letter of size 1."""
_LETTER = 0.72
_LARGEST = 68
_SINCE = re.compile(r"(?<=RulesEdition\(1, )date\([\d, ]+\)")
"""The day from which the package's rules apply."""


@click.command()
@click.argument("name")
@click.option(
    "--in",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder for the game's own folder, a studio's; without it the game is put into this program's source.",
)
@click.option(
    "--kind",
    type=click.Choice(list(SAMPLES)),
    default="lines",
    show_default=True,
    help="What it begins as: ten lines; 243 ways; or 243 ways with cascades and a rising multiplier.",
)
@click.option("--title", default="", help="What the player calls it; made of NAME if not given.")
@click.option(
    "--number",
    type=click.IntRange(1, catalogue.MOST_NUMBER),
    default=None,
    help="The number by which hosts name it and in whose order lobbies show it; the next free one if not given.",
)
def new_game(name: str, folder: Path | None, kind: str, title: str, number: int | None) -> None:
    """Write a working game called NAME, which plays at once: five reels, a wild, stars and free spins.

    Its definition as data, pays, strips, look, placeholder art, music, German, rule page and tests: all in one folder.
    Change it to the game that you want (docs/adding-a-game.md).
    """
    home = catalogue.HOME if folder is None else folder
    if folder is None and catalogue.is_installed(catalogue.HOME / "__init__.py"):
        raise click.UsageError(f"{home} is what a wheel installed: name a folder for the game by --in.")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        catalogue.look_in(folder)
    _check(name, home, number)
    title = title or name.replace("_", " ").title()
    if not title.isprintable() or not title.isascii() or set(title) & set("\"'\\{}<>&"):
        raise click.BadParameter(f"{title!r} holds what a title cannot: use letters, digits and spaces of ASCII")
    taken = {catalogue.number_of(one) for one in catalogue.found()}
    free = next(one for one in range(1, catalogue.MOST_NUMBER + 1) if one not in taken)
    _write(home / name, SAMPLES[kind], name, title, number or free)
    catalogue.look_again()
    if name not in catalogue.names():
        reasons = "; ".join(f"{one.place}: {one.reason}" for one in catalogue.refused())
        raise click.ClickException(f"{home / name} was written and is not found: {reasons}")
    try:
        read_kept(name)
    except DisagreementError as error:
        shutil.rmtree(home / name)
        catalogue.look_again()
        raise click.ClickException(f"{home / name} was taken away again: {error}") from error
    where = "" if folder is None else f" --games {folder}"
    click.echo(f"{home / name}: {title}, number {catalogue.number_of(name)}")
    click.echo(f"cabinet{where} bake --world {name} --scale 1")
    click.echo(f"cabinet{where} check-game {name}")
    click.echo(f"cabinet{where} demo --game {name}")


def _check(name: str, home: Path, number: int | None) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise click.BadParameter(f"{name!r}: use small letters, digits and single underscores, a letter first")
    if (home / name).exists():
        raise click.BadParameter(f"{home / name} is there already; give the game another name")
    if name in catalogue.found():
        raise click.BadParameter(f"{name} lies in {catalogue.folder_of(name)}; give the game another name")
    for other in catalogue.found():
        if catalogue.number_of(other) == number:
            raise click.BadParameter(f"{number} is the number of {other}; give the game another number")


def _write(target: Path, sample: str, name: str, title: str, number: int) -> None:
    """Copy the package called `sample` with its names changed, and rules that apply from today."""
    today = datetime.now(UTC).astimezone()
    size = min(_LARGEST, int(_ROOM / (_LETTER * len(title))))
    changes = {
        **dict.fromkeys(SAMPLES.values(), name),
        "SampleGame": "".join(part.capitalize() for part in name.split("_")),
        "SAMPLE GAME": title.upper(),
        "Sample Game": title,
        f'font-size="{_LARGEST}"': f'font-size="{size}"',
    }
    for inside, path in sorted(_files(sample).items()):
        words = path.read_text("utf-8")
        for old, new in changes.items():
            words = words.replace(old, new)
        words = _SINCE.sub(f"date({today.year}, {today.month}, {today.day})", words)
        written = target / str(inside).replace(sample, name)
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(_sorted_imports(words) if written.suffix == ".py" else words, "utf-8")
    (target / DEFINITION).write_text(f"number = {number}\n", "utf-8")


def _sorted_imports(text: str) -> str:
    """Return a module with each block of its imports sorted, since another name has another alphabetical place."""
    lines = text.splitlines(keepends=True)
    blocks: list[list[ast.ImportFrom]] = []
    end = None
    for node in ast.parse(text).body:
        if not isinstance(node, ast.ImportFrom):
            continue
        if end is None or node.lineno != end + 1:
            blocks.append([])
        blocks[-1].append(node)
        end = node.end_lineno
    for block in blocks:
        places = slice(block[0].lineno - 1, block[-1].end_lineno)
        ordered = sorted(block, key=lambda node: node.module or "")
        lines[places] = [line for node in ordered for line in lines[node.lineno - 1 : node.end_lineno]]
    return "".join(lines)


def _files(sample: str) -> dict[Path, Path]:
    """Return the files of the package called `sample` by their paths in it, with those that all samples share."""
    homes = [catalogue.HOME / one for one in dict.fromkeys((SAMPLES["lines"], sample))]
    return {
        path.relative_to(home): path
        for home in homes
        for path in home.rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and (home == homes[-1] or str(path.relative_to(home)).startswith(_SHARED))
    }
