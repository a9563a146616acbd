"""`cabinet par GAME`: the exact mathematics of a game."""

from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from controller.commands.game_name import GameName
from games.agreement import KEPT, KeptSimulation, Report, judge
from games.catalogue import folder_of, names
from games.chunks import simulate as play_many
from games.definition_file import prove, read
from games.maths import Maths, load_maths
from games.par import ParSheet, par_sheet, with_constants
from games.par_page import par_csv, par_html

_ROUNDS = 200_000
_COLUMNS = (TextColumn("[progress.description]{task.description}"), BarColumn(), MofNCompleteColumn())


@click.command()
@click.argument("game", type=GameName(), required=False)
@click.option(
    "--definition",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Prove a definition file instead of a game (docs/par/golden.toml shows one); as text or JSON.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "html", "csv", "json"]),
    default="text",
    show_default=True,
    help="What to write.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=0),
    default=None,
    help="Rounds of the production play beside the exact figures, 0 for none. If not set, those in the game's folder"
    " are shown there, or 200,000 are played where none are kept of this maths.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of those rounds.")
def par(*, game: str | None, definition: Path | None, style: str, rounds: int | None, seed: int) -> None:
    """Write the PAR sheet of GAME: its exact return at every bet, part by part."""
    if (game is None) == (definition is None):
        raise click.UsageError(f"Give a game ({', '.join(names())}) or --definition FILE, one of them.")
    if definition is not None:
        _prove_file(definition, style)
        return
    maths = load_maths(game or "")
    console = Console(stderr=True)
    with Progress(
        *_COLUMNS, TimeElapsedColumn(), console=console, disable=not console.is_terminal, transient=True
    ) as bar:
        steps = _Steps(bar)
        played = None if style == "text" else _played(maths, rounds, seed, steps)
        sheet = with_constants(par_sheet(maths, played, steps.show))
    if style == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(sheet), indent=2))
    elif style == "csv":
        click.echo(par_csv(sheet), nl=False)
    elif style == "html":
        click.echo(par_html(sheet))
    else:
        _print_sheet(sheet)


class _Steps:
    """A progress bar for each figure; it pulses where the number of steps is unknown."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}

    def show(self, what: str, done: int, total: int) -> None:
        """Show how many of `total` are done."""
        if what not in self._tasks:
            self._tasks[what] = self._bar.add_task(what, total=total if total > 1 else None)
        self._bar.update(self._tasks[what], completed=done)


def _played(maths: Maths, rounds: int | None, seed: int, steps: _Steps) -> Report | None:
    """Return the simulation shown beside the exact figures: the stored one, or `rounds` at the highest bet."""
    if rounds == 0:
        return None
    stored = None if rounds else _stored(maths)
    if stored is not None:
        return stored
    stake = maths.stakes[-1]
    total = rounds or _ROUNDS
    done = 0

    def progress(played: int) -> None:
        nonlocal done
        done += played
        steps.show("rounds played", done, total)

    steps.show("rounds played", 0, total)
    tally = play_many(maths.game.name, stake, total, seed=seed, jobs=1, progress=progress)
    return judge(maths, stake, tally, seed)


def _stored(maths: Maths) -> Report | None:
    """Return the simulation of this mathematics stored in the game's folder; None if there is none."""
    path = folder_of(maths.game.name) / KEPT
    if not path.exists():
        return None
    report = msgspec.json.decode(path.read_bytes(), type=KeptSimulation).report
    return report if report.maths_hash == maths.game.maths_hash else None


def _prove_file(path: Path, style: str) -> None:
    if style not in {"text", "json"}:
        raise click.UsageError("A definition is proved as text or JSON: html and csv are for the games.")
    try:
        sheet = prove(read(path))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if style == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(sheet), indent=2))
        return
    for name, share in {**sheet.parts, "total": sheet.rtp_percent}.items():
        click.echo(f"{name}: {share} %")


def _print_sheet(sheet: ParSheet) -> None:
    click.echo(f"{sheet.game}  maths version {sheet.maths_version}  {sheet.maths_hash}")
    parts = sheet.bets[0].parts
    table = Table("lines", "coins", "price", "state", "RTP %", "growing", *parts, "hit", "sigma", "max win", "one in")
    for bet in sheet.bets:
        table.add_row(
            str(bet.lines),
            str(bet.coins_per_line),
            str(bet.price),
            bet.state,
            bet.rtp_percent,
            bet.rtp_with_growth_percent or "",
            *bet.parts.values(),
            f"{bet.hit_frequency:.4f}",
            sigma_words(bet.sigma),
            f"{bet.max_win:,}",
            f"{1 / bet.max_win_odds:,.0f}",
        )
    Console(width=80 + 14 * len(parts)).print(table)
    for name, chance in sheet.triggers.items():
        click.echo(f"{name}: one in {1 / chance:,.2f} paid spins at the highest bet")
    free = sheet.free_spin
    if free is not None:
        click.echo(f"free spins: {free.per_round:.6f} a round; the best single one pays {free.max_win:,} coins")


def sigma_words(sigma: float | None) -> str:
    """Return a standard deviation as it is shown; "-" where none is known."""
    return "-" if sigma is None else f"{sigma:.4f}"
