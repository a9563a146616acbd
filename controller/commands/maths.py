"""`cabinet par GAME` and `cabinet simulate GAME`: the exact and the simulated mathematics of the games."""

import os
import time
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
    TimeRemainingColumn,
)
from rich.table import Table

from games.agreement import KeptSimulation, Report, judge
from games.catalogue import NAMES
from games.definition_file import prove, read
from games.maths import Maths, load_maths
from games.par import ParSheet, par_sheet, with_constants
from games.par_page import par_csv, par_html
from games.play import Stake
from games.simulate import simulate as play_many

_KEPT = Path(__file__).parents[2] / "docs" / "par"
_ROUNDS = 200_000
_COLUMNS = (TextColumn("[progress.description]{task.description}"), BarColumn(), MofNCompleteColumn())

_GAME = click.argument("game", type=click.Choice(NAMES))


@click.command()
@click.argument("game", type=click.Choice(NAMES), required=False)
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
    help="Rounds of the production play beside the exact figures, 0 for none. If not set, those in docs/par are shown"
    " there, or 200,000 are played where none are kept of this maths.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of those rounds.")
def par(*, game: str | None, definition: Path | None, style: str, rounds: int | None, seed: int) -> None:
    """Write the PAR sheet of GAME: its exact return at every bet, part by part."""
    if (game is None) == (definition is None):
        raise click.UsageError(f"Give a game ({', '.join(NAMES)}) or --definition FILE, one of them.")
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
    """Return the simulation of this mathematics stored in docs/par; None if there is none, as in an installation."""
    path = _KEPT / f"{maths.game.name}.simulated.json"
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


@click.command()
@_GAME
@click.option("--rounds", type=click.IntRange(min=1), default=1_000_000, show_default=True, help="Rounds to play.")
@click.option(
    "--jobs", type=click.IntRange(min=1), default=None, help="Processes to share them; one a core if not set."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed plays the same rounds.")
@click.option("--lines", type=int, default=None, help="Lines played; all if not set.")
@click.option("--coins", type=int, default=None, help="Coins per line; the fewest if not set.")
@click.option("--bought", is_flag=True, help="Buy the feature with each bet.")
@click.option(
    "--state", default=None, help="The memory to begin with, as the PAR sheet names it; a new player's if not set."
)
@click.pass_context
def simulate(
    ctx: click.Context,
    *,
    game: str,
    rounds: int,
    jobs: int | None,
    seed: int,
    lines: int | None,
    coins: int | None,
    bought: bool,
    state: str | None,
) -> None:
    """Play GAME with the production code and compare each part and each trigger with its exact figure.

    Exits with 1 if one is outside its joint 99.99 % interval. The intervals assume that the mean is normally
    distributed: with fewer than 100,000 rounds a single very large win can fall outside them.
    """
    maths = load_maths(game)
    stake = _stake(maths, lines, coins, bought=bought)
    if state is not None and state not in maths.states:
        raise click.BadParameter(
            f"{maths.game.title} has the states {', '.join(map(repr, maths.states))}, not {state!r}"
        )
    console = Console(stderr=True)
    started = time.monotonic()
    with Progress(*_COLUMNS, TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task(game, total=rounds)
        tally = play_many(
            game,
            stake,
            rounds,
            seed=seed,
            jobs=jobs or os.cpu_count() or 1,
            state=state,
            progress=lambda played: bar.advance(task, played),
        )
    seconds = time.monotonic() - started
    report = judge(maths, stake, tally, seed)
    _print_report(report)
    click.echo(f"{rounds / seconds:,.0f} rounds per second in {seconds:.1f} s")
    if report.alarm:
        ctx.exit(1)


def _stake(maths: Maths, lines: int | None, coins: int | None, *, bought: bool) -> Stake:
    game = maths.game
    if lines is None:
        lines = game.line_counts[-1]
    if coins is None:
        coins = game.coins_per_line[0]
    if lines not in game.line_counts:
        raise click.BadParameter(f"{game.title} has {game.line_counts[0]} to {game.line_counts[-1]} lines, not {lines}")
    if coins not in game.coins_per_line:
        raise click.BadParameter(f"{game.title} takes {', '.join(map(str, game.coins_per_line))} coins, not {coins}")
    for stake in maths.stakes:
        if (stake.lines, stake.coins_per_line, stake.price > 1) == (lines, coins, bought):
            return stake
    raise click.BadParameter(f"{game.title} sells no feature at {lines} lines of {coins}")


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
            _sigma(bet.sigma),
            f"{bet.max_win:,}",
            f"{1 / bet.max_win_odds:,.0f}",
        )
    Console(width=80 + 14 * len(parts)).print(table)
    for name, chance in sheet.triggers.items():
        click.echo(f"{name}: one in {1 / chance:,.2f} paid spins at the highest bet")
    free = sheet.free_spin
    if free is not None:
        click.echo(f"free spins: {free.per_round:.6f} a round; the best single one pays {free.max_win:,} coins")


def _sigma(sigma: float | None) -> str:
    return "-" if sigma is None else f"{sigma:.4f}"


def _print_report(report: Report) -> None:
    click.echo(
        f"{report.game}  maths version {report.maths_version}  {report.maths_hash}\n"
        f"{report.rounds:,} rounds, {report.stake.lines} lines x {report.stake.coins_per_line}, seed {report.seed}: "
        f"RTP {report.simulated:.4f} % (exact {report.exact:.6f} %), "
        f"sigma {report.sigma:.4f} (exact {_sigma(report.exact_sigma)})"
    )
    table = Table("part", "simulated %", "exact %", "jointly 99 %", "sigma", "exact", "events", "inside")
    for part in report.parts:
        interval = (
            f"{part.low:.0f} to {part.high:.0f} events" if part.counted else f"{part.low:.4f} to {part.high:.4f} %"
        )
        table.add_row(
            part.name,
            f"{part.simulated:.4f}",
            f"{part.exact:.4f}",
            interval,
            f"{part.sigma:.4f}",
            _sigma(part.exact_sigma),
            f"{part.events:,}",
            "yes" if part.inside else "NO",
        )
    Console(width=130).print(table)
    counts = Table("trigger", "counted", "expected", "jointly 99 %", "inside")
    for trigger in report.triggers:
        interval = f"{trigger.low:,.1f} to {trigger.high:,.1f}"
        inside = "yes" if trigger.inside else "NO"
        counts.add_row(trigger.name, f"{trigger.events:,}", f"{trigger.expected:,.1f}", interval, inside)
    Console(width=130).print(counts)
