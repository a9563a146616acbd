"""`cabinet par GAME`: the exact mathematics of a game."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

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
from controller.commands.whole_table import print_whole
from controller.features.designer import par_files
from gamekit.agreement import KEPT, KeptSimulation, Report, judge
from gamekit.catalogue import folder_of, names
from gamekit.chunks import simulate as play_many
from gamekit.definition_file import prove, read
from gamekit.maths import Maths, load_maths
from gamekit.par import ParSheet, par_sheet, with_constants
from gamekit.par_page import par_csv, par_html

_ROUNDS = 200_000
_HERE = Path()
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
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of rounds that are played.")
@click.option(
    "--html",
    "page",
    is_flag=False,
    flag_value=_HERE,
    type=click.Path(path_type=Path),
    help="Write the designer's page into this file, GAME.html where none is named, and its figures as .json and"
    " .csv beside it: the distribution of a play, sessions, time on device, bands of hold, droughts, near misses,"
    " sensitivity. Needs numpy (cabinet[bake]).",
)
@click.option(
    "--against",
    type=click.Path(exists=True, path_type=Path),
    help="Set another version of GAME beside this one: a JSON file that this command wrote, or a folder of the game, as"
    " git exports it. With --html on the page, otherwise as text.",
)
@click.option(
    "--sheet",
    "filed",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the sheet as regulators file it into this file, which ends in .html (to print) or .pdf (needs"
    " cabinet[sheets]).",
)
@click.option(
    "--limit",
    "limit_s",
    type=click.FloatRange(min=0),
    default=120.0,
    show_default=True,
    help="Seconds of the processor that --html may take for the sensitivities of each set of strips or table; what"
    " would take longer is left out, and named on the page.",
)
def par(
    *,
    game: str | None,
    definition: Path | None,
    style: str,
    rounds: int | None,
    seed: int,
    page: Path | None,
    against: Path | None,
    filed: Path | None,
    limit_s: float,
) -> None:
    """Write the PAR sheet of GAME: its exact return at every bet, part by part.

    With --html, --against or --sheet it writes what these ask for instead, and --format is left aside.
    """
    files = _Files(page, against, filed, seed, limit_s)
    if (game is None) == (definition is None):
        raise click.UsageError(f"Give a game ({', '.join(names())}) or --definition FILE, one of them.")
    if definition is not None:
        if files.any:
            raise click.UsageError("--html, --against and --sheet are for the games, not for a definition.")
        _prove_file(definition, style)
        return
    if filed is not None and filed.suffix not in {".html", ".pdf"}:
        raise click.BadParameter(f"{filed} ends in neither .html nor .pdf", param_hint="--sheet")
    maths = load_maths(game or "")
    console = Console(stderr=True)
    with Progress(
        *_COLUMNS, TimeElapsedColumn(), console=console, disable=not console.is_terminal, transient=True
    ) as bar:
        steps = _Steps(bar)
        plain = page is None and filed is None and (style == "text" or files.any)
        played = None if plain else _played(maths, rounds, seed, steps)
        sheet = with_constants(par_sheet(maths, played, steps.show))
        say = files.write(maths, sheet, steps.show) if files.any else lambda: _print(sheet, style)
    say()


class _Files(NamedTuple):
    """The files requested besides the plain sheet."""

    page: Path | None
    against: Path | None
    filed: Path | None
    seed: int
    limit_s: float

    @property
    def any(self) -> bool:
        return any(place is not None for place in (self.page, self.against, self.filed))

    def write(self, maths: Maths, sheet: ParSheet, progress: Callable[[str, int, int], None]) -> Callable[[], None]:
        """Write the files; return a function that prints their names, and the comparison if no page contains it."""
        name = maths.game.name
        wrote: list[Path] = []
        designed = None
        if self.page is not None:
            designed = par_files.design(maths, sheet, self.seed, self.limit_s, progress)
        comparison = None
        if self.against is not None:
            wanted = None if self.page is None else (self.seed, self.limit_s)
            other = par_files.other_version(self.against, name, wanted, progress)
            comparison = par_files.compared(sheet, designed, other)
        if self.page is not None and designed is not None:
            wrote += par_files.write_page(
                Path(f"{name}.html") if self.page == _HERE else self.page, designed, comparison
            )
        if self.filed is not None:
            par_files.write_sheet(self.filed, maths, sheet)
            wrote.append(self.filed)

        def say() -> None:
            if self.page is None and comparison is not None:
                par_files.print_comparison(comparison)
            for file in wrote:
                click.echo(f"wrote {file}")

        return say


def _print(sheet: ParSheet, style: str) -> None:
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
    print_whole(table)
    for name, chance in sheet.triggers.items():
        click.echo(f"{name}: one in {1 / chance:,.2f} paid spins at the highest bet")
    free = sheet.free_spin
    if free is not None:
        click.echo(f"free spins: {free.per_round:.6f} a round; the best single one pays {free.max_win:,} coins")


def sigma_words(sigma: float | None) -> str:
    """Return a standard deviation as text, or "-" if none is known."""
    return "-" if sigma is None else f"{sigma:.4f}"
