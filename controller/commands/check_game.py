"""`cabinet check-game GAME`."""

from pathlib import Path

import click

from controller.commands.game_name import GameName
from controller.play.checking import faults_of
from games.checking import faults_of_highlights
from games.kernels.check import faults_of_kernel

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

    Tables, play, maths and figures; then, in each shape of monitor and each language, its symbols, pictures by kind and
    size, sounds and words, its screens, pages, and rounds that show every step it has. Exit code 1 if anything is
    missing: such a game is not offered. Last, where numba is installed, its compiled kernel plays 300 rounds as
    production does, and its highlights are played: without them attract shows its card alone.
    """
    found = faults_of(
        game, baked, shapes=shapes or SHAPES, scales=scales, languages=languages or LANGUAGES, pictures=pictures
    )
    found = found or [*faults_of_kernel(game), *faults_of_highlights(game)]
    for fault in found:
        click.echo(fault)
    if found:
        raise click.ClickException(f"{game} does not pass: {len(found)} to mend")
    click.echo(f"{game} passes")
