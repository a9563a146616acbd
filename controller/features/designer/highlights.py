"""`cabinet highlights GAME`."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import click
import msgspec

from controller.commands.game_name import GameName
from gamekit.highlights import LEAST, Highlights, file_of
from gamekit.read_back import DisagreementError, read_highlights
from gamekit.rewriting import rewrite


@click.command()
@click.argument("game", type=GameName(to_write=True))
def highlights(game: str) -> None:
    """Find rounds of GAME that are worth seeing, and keep them in its folder (highlights.json); it takes half a minute.

    Attract plays them while nobody plays, to the whole amount that each has won: big wins and features, from their
    beginning where that takes no longer than attract has time. They carry the hash of the game's maths: after each
    change of the maths run this again: until then attract shows the game's name and symbols alone.
    """
    found = _found(game)
    rewrite(file_of(game), found)
    said = [one.kind for one in msgspec.json.decode(found, type=Highlights).rounds]
    for kind, count in Counter(said).items():
        click.echo(f"{count} x {kind}")
    file = file_of(game)
    click.echo(f"{file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file}: {len(said)}")
    if len(said) < LEAST:
        raise click.ClickException(f"{len(said)} of {LEAST} highlights: the game has too few kinds of steps")
    try:
        again = read_highlights(game)
    except DisagreementError as error:
        raise click.ClickException(str(error)) from error
    if again != said:
        raise click.ClickException(f"{file} holds {', '.join(again)}: it was changed meanwhile; run this again")


def _found(game: str) -> bytes:
    """Return the highlights of `game` as stored; the display knows how long it shows a round."""
    command = [sys.executable, "-m", "ui.scenes.find_highlights", game]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - our own
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise click.ClickException(f"the rounds of {game} cannot be shown: {' '.join(said)}; run check-game")
    return done.stdout
