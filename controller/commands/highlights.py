"""`cabinet highlights GAME`."""

from collections import Counter
from pathlib import Path

import click

from controller.commands.game_name import GameName
from games.highlights import LEAST, file_of
from games.read_back import DisagreementError, read_highlights


@click.command()
@click.argument("game", type=GameName(to_write=True))
def highlights(game: str) -> None:
    """Find rounds of GAME that are worth seeing, and keep them in its folder (highlights.json); it takes a minute.

    Attract plays them while nobody plays: big wins, and the beginning and end of each feature. They carry the hash of
    the game's maths: after each change of the maths they are found anew, and until then attract shows the game's name
    and symbols alone.
    """
    from games.highlight_search import keep  # noqa: PLC0415 - the game's maths, which `--help` does not need

    found = keep(game)
    said = [one.kind for one in found.rounds]
    for kind, count in Counter(said).items():
        click.echo(f"{count} x {kind}")
    file = file_of(game)
    click.echo(f"{file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file}: {len(found.rounds)}")
    if len(found.rounds) < LEAST:
        raise click.ClickException(f"{len(found.rounds)} of {LEAST} highlights: the game has too few kinds of steps")
    try:
        again = read_highlights(game)
    except DisagreementError as error:
        raise click.ClickException(str(error)) from error
    if again != said:
        raise click.ClickException(f"{file} holds {', '.join(again)}: it was changed meanwhile; run this again")
