"""`cabinet demo`: the whole cabinet with simulated hardware, in one command."""

from pathlib import Path

import click

from controller.commands.game_name import GameName
from controller.features.demo.launcher import Web
from controller.features.demo.performance import Options, run_demo
from controller.features.demo.settings import DEVICES, VenueServer
from controller.files.own_files import NotOursError
from gamekit.catalogue import names


def _server(words: str) -> VenueServer:
    """Return the server of HOST:PORT."""
    host, _, port = words.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise click.BadParameter(f"{words!r} is no HOST:PORT, as localhost:5432")
    return VenueServer(host, int(port))


@click.command()
@click.option("--headless", is_flag=True, help="Play the script off-screen: text, pictures, an audit.")
@click.option("--web", is_flag=True, help="Show the bench in a browser even where there is a screen.")
@click.option("--web-host", default="127.0.0.1", show_default=True, help="The address on which the bench is served.")
@click.option("--web-port", type=click.IntRange(0, 65535), default=0, help="Its port; without it one that is free.")
@click.option("--unattended", is_flag=True, help="Play without a screen until it is ended; nobody watches.")
@click.option(
    "--run", type=click.Path(path_type=Path, file_okay=False), help="Keep the journal and go on with it here."
)
@click.option(
    "--seed", type=int, help="Seed of the draws; without it the script chooses one, a hand plays real chance."
)
@click.option("--fast", is_flag=True, help="Let the script hurry every show.")
@click.option("--shape", type=click.Choice(["wide", "tall", "portrait"]), default="wide", help="The monitor's shape.")
@click.option("--game", type=GameName(), default=lambda: names()[0], help="The first in the lobby.")
@click.option("--name", default="Demo", show_default=True, help="The cabinet's name.")
@click.option(
    "--venue", type=_server, metavar="HOST:PORT", help="The venue whose jackpots an unattended cabinet plays for."
)
@click.option("--code", default="", help="One-time code by which an unattended cabinet enrols at the venue.")
@click.option(
    "--devices", type=click.Choice(DEVICES), default=DEVICES[0], show_default=True, help="What takes and pays money."
)
@click.option("--tickets", is_flag=True, help="Pay by ticket: fit a printer, and a validator that takes tickets.")
@click.option("--baked", type=click.Path(path_type=Path, file_okay=False), default="build/baked", show_default=True)
@click.option(
    "--bake", is_flag=True, help="Bake what has changed; open with the first game, the others join as they come."
)
@click.option("--pictures", type=click.Path(path_type=Path, file_okay=False), default="demo", show_default=True)
def demo(
    *,
    headless: bool,
    web: bool,
    web_host: str,
    web_port: int,
    unattended: bool,
    run: Path | None,
    seed: int | None,
    fast: bool,
    shape: str,
    game: str,
    name: str,
    venue: VenueServer | None,
    code: str,
    devices: str,
    tickets: bool,
    baked: Path,
    bake: bool,
    pictures: Path,
) -> None:
    """Run the whole cabinet: at the bench in a window if there is a screen, else in a browser."""
    if web and (headless or unattended):
        raise click.UsageError("--web shows the bench; --headless and --unattended show none")
    if (venue or code) and not unattended:
        raise click.UsageError("--venue and --code are for --unattended: other demos have no link to a venue")
    if code and venue is None:
        raise click.UsageError("--code enrols at a venue: name it with --venue")
    options = Options(
        headless=headless,
        web=web,
        place=Web(web_host, web_port),
        unattended=unattended,
        run=run,
        seed=seed,
        fast=fast,
        baked=baked,
        bake=bake,
        pictures=pictures,
        shape=shape,
        game=game,
        name=name,
        venue=venue,
        code=code,
        devices=devices,
        tickets=tickets,
    )
    try:
        raise SystemExit(run_demo(options, click.echo))
    except NotOursError as error:
        raise click.ClickException(f"{error}; or name another folder with --run") from error
