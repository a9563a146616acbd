"""`cabinet figures GAME`."""

from pathlib import Path

import click

from controller.commands.game_name import GameName
from gamekit.figures import file_of
from gamekit.read_back import DisagreementError


@click.command()
@click.argument("game", type=GameName(to_write=True))
def figures(game: str) -> None:
    """Work out what GAME returns and may win, and keep it in its folder (figures.json); some games take minutes.

    Needs numpy (pip install 'cabinet[bake]'). What is kept carries the hash of the game's maths: after each change of
    the maths it is worked out anew. Exits with 1, and writes nothing, where maths.py and reach.py do not agree.
    """
    try:
        from gamekit.working_out import keep  # noqa: PLC0415 - numpy, which a cabinet has not
    except ImportError as error:
        raise click.ClickException(f"{error}: run `pip install 'cabinet[bake]'`") from error
    try:
        found = keep(game)
    except DisagreementError as error:
        raise click.ClickException(f"nothing was written: {error}") from error
    percent = found.usual_return / 10**6
    highest = [one for one in found.promises if one.price == 1][-1]
    click.echo(f"{_shown(file_of(game))}: returns {percent:.6f} %")
    click.echo(f"win up to {highest.coins:,} coins at the highest bet, one play in {highest.one_in:,}")


def _shown(file: Path) -> Path:
    here = Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file
