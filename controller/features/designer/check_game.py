"""`cabinet check-game GAME`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from controller.commands.game_name import GameName
from controller.play.checking import faults_of_display
from gamekit import catalogue
from gamekit.checking import Fault, faults, faults_of_highlights
from gamekit.designer_checks import faults_of_kept
from gamekit.kernel_check import faults_of_kernel
from gamekit.maths import load_maths

SHAPES = ("wide", "tall", "portrait")
LANGUAGES = ("en", "de")


@click.command()
@click.argument("game", type=GameName())
@click.option("--baked", type=click.Path(path_type=Path, file_okay=False), default="build/baked", show_default=True)
@click.option("--shape", "shapes", type=click.Choice(SHAPES), multiple=True, help="Only these monitors; else all.")
@click.option("--scale", "scales", multiple=True, default=("1x",), show_default=True, help="1x, or 1.5x of a wide one.")
@click.option("--language", "languages", type=click.Choice(LANGUAGES), multiple=True, help="Only these; else all.")
@click.option(
    "--pictures", type=click.Path(path_type=Path, file_okay=False), help="Keep a picture of each screen here."
)
def check_game(
    *,
    game: str,
    baked: Path,
    shapes: tuple[str, ...],
    scales: tuple[str, ...],
    languages: tuple[str, ...],
    pictures: Path | None,
) -> None:
    """Load and draw all that a cabinet needs of GAME, and name what is missing, with its file and the mend.

    First tables, play, maths, figures and highlights, by which attract shows more than its card, and where numba is
    installed 300 rounds of its compiled kernel beside production's; then, in each shape of monitor and each language,
    its symbols, pictures by kind and size, sounds and words, its screens, pages, and rounds that show every step it
    has, whose wins the paytable and the rules must tell. Each fault is printed as soon as it is known. Exit code 1 if
    there is any: such a game is not offered, but for one of highlights.
    """
    found: dict[Fault, None] = {}
    for fault in _faults(
        game, baked, shapes=shapes or SHAPES, scales=scales, languages=languages or LANGUAGES, pictures=pictures
    ):
        if fault not in found:
            click.echo(fault)
        found[fault] = None
    if found:
        raise click.ClickException(f"{game} does not pass: {len(found)} to mend")
    click.echo(f"{game} passes")


def _faults(
    game: str,
    baked: Path,
    *,
    shapes: Sequence[str],
    scales: Sequence[str],
    languages: Sequence[str],
    pictures: Path | None,
) -> Iterator[Fault]:
    """Yield all that a game lacks, what is known in seconds first, and say what is left out.

    Nothing more is looked at of a game whose package cannot be loaded; without its maths what is held against it.
    """
    yield from faults(game)
    try:
        catalogue.load(game)
    except catalogue.UnknownGameError:
        click.echo("nothing else can be looked at before its package can be loaded", err=True)
        return
    yield from faults_of_highlights(game)
    try:
        load_maths(game)
    except (Exception, SystemExit):  # noqa: BLE001 - `faults` has said what a game's own code has raised
        click.echo("figures, kernel, paytable and rules are looked at once its maths can be loaded", err=True)
    else:
        yield from faults_of_kept(game)
        yield from faults_of_kernel(game)
    yield from faults_of_display(game, baked, shapes=shapes, scales=scales, languages=languages, pictures=pictures)
