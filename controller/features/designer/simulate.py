"""`cabinet simulate GAME`: plays many rounds of a game and compares them with its exact mathematics."""

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
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from controller.commands.game_name import GameName
from controller.commands.whole_table import print_whole
from controller.features.designer.par import sigma_words
from controller.files.durable import write_durably
from controller.files.own_files import starting_with
from gamekit.agreement import Report, judge
from gamekit.chunks import Played, Run, go_on
from gamekit.kernel_check import differences
from gamekit.kernels.finding import NoKernelError, find_kernel, kernel_of
from gamekit.maths import Maths, load_maths
from gamekit.play import Stake
from gamekit.simulate import Tally

_COLUMNS = (TextColumn("[progress.description]{task.description}"), BarColumn(), MofNCompleteColumn())
_SAVE_S = 5.0
_PLAYED = starting_with("simulation", b'{"run":')


@click.command()
@click.argument("game", type=GameName())
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
@click.option(
    "--kernel/--production",
    "compiled",
    default=None,
    help="Play by the game's compiled kernel, or by the production code; by the kernel where numba is installed.",
)
@click.option(
    "--resume",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep what has been played in this file, and go on from it.",
)
@click.option(
    "--check",
    type=click.IntRange(min=1),
    metavar="N",
    help="Play N rounds by kernel and production, and compare every figure and the generators' states instead.",
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
    compiled: bool | None,
    resume: Path | None,
    check: int | None,
) -> None:
    """Play GAME and compare each part and each trigger with its exact figure.

    Its kernel plays the same rounds as its production code, draw by draw, and faster. Exits with 1 if a part or trigger
    is outside its joint 99.99 % interval. The intervals assume that the mean is normally distributed: with fewer than
    100,000 rounds a single very large win can fall outside them.
    """
    maths = load_maths(game)
    stake = _stake(maths, lines, coins, bought=bought)
    if state is not None and state not in maths.states:
        raise click.BadParameter(
            f"{maths.game.title} has the states {', '.join(map(repr, maths.states))}, not {state!r}"
        )
    run = Run.of(game, stake, seed, state)
    if check is not None:
        _check(ctx, run, check)
        return
    if compiled is None:
        compiled = find_kernel(game) is not None
    started = time.monotonic()
    played = _read(resume, run)
    before = played.tally.rounds
    try:
        tally = _play(played, rounds, resume, jobs=jobs or os.cpu_count() or 1, compiled=compiled)
    except NoKernelError as error:
        raise click.UsageError(str(error)) from error
    seconds = time.monotonic() - started
    report = judge(maths, stake, tally, seed)
    _print_report(report)
    by = "its kernel" if compiled else "the production code"
    click.echo(f"{(tally.rounds - before) / seconds:,.0f} rounds per second in {seconds:.1f} s, by {by}")
    if report.alarm:
        ctx.exit(1)


def _read(resume: Path | None, run: Run) -> Played:
    """Return what a file stores of `run`, or an empty result; refuse a file of other rounds."""
    nothing = Played(run=run, chunks=0, tally=Tally.empty(load_maths(run.game)))
    if resume is None or not resume.exists():
        return nothing
    try:
        played = msgspec.json.decode(resume.read_bytes(), type=Played)
    except msgspec.DecodeError as error:
        raise click.UsageError(f"{resume} holds no simulation: {error}. Name another file.") from error
    for field in Run.__struct_fields__:
        kept, asked = getattr(played.run, field), getattr(run, field)
        if kept != asked:
            raise click.UsageError(
                f"{resume} holds a simulation with {field} {kept!r}, not {asked!r}: name another file."
            )
    return played


def _play(played: Played, rounds: int, resume: Path | None, *, jobs: int, compiled: bool) -> Tally:
    """Continue to `rounds` rounds, with a progress bar; store the result in `resume` from time to time."""
    if rounds < played.tally.rounds:
        raise click.UsageError(f"{resume} already holds {played.tally.rounds:,} rounds: ask for more with --rounds")
    written = time.monotonic()
    latest = played
    with Progress(*_COLUMNS, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(played.run.game, total=rounds, completed=played.tally.rounds)

        def progress(now: Played, more: int) -> None:
            nonlocal written, latest
            latest = now
            bar.advance(task, more)
            if resume is not None and time.monotonic() - written > _SAVE_S:
                write_durably(resume, msgspec.json.encode(now), _PLAYED)
                written = time.monotonic()

        try:
            return go_on(played, rounds, jobs=jobs, compiled=compiled, progress=progress)
        finally:
            if resume is not None:
                write_durably(resume, msgspec.json.encode(latest), _PLAYED)


def _check(ctx: click.Context, run: Run, rounds: int) -> None:
    """Compare the kernel with production; exit with 1 if they differ."""
    try:
        with Progress(*_COLUMNS, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
            task = bar.add_task(run.game, total=rounds)
            found = list(differences(run, kernel_of(run.game), rounds, lambda played: bar.advance(task, played)))
    except NoKernelError as error:
        raise click.UsageError(str(error)) from error
    for difference in found:
        click.echo(difference)
    if found:
        ctx.exit(1)
    click.echo(f"{rounds:,} rounds: every figure is equal, and the generators end in the same state.")


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


def _print_report(report: Report) -> None:
    click.echo(
        f"{report.game}  maths version {report.maths_version}  {report.maths_hash}\n"
        f"{report.rounds:,} rounds, {report.stake.lines} lines x {report.stake.coins_per_line}, seed {report.seed}: "
        f"RTP {report.simulated:.4f} % (exact {report.exact:.6f} %), "
        f"sigma {report.sigma:.4f} (exact {sigma_words(report.exact_sigma)})"
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
            sigma_words(part.exact_sigma),
            f"{part.events:,}",
            "yes" if part.inside else "NO",
        )
    print_whole(table)
    counts = Table("trigger", "counted", "expected", "jointly 99 %", "inside")
    for trigger in report.triggers:
        interval = f"{trigger.low:,.1f} to {trigger.high:,.1f}"
        inside = "yes" if trigger.inside else "NO"
        counts.add_row(trigger.name, f"{trigger.events:,}", f"{trigger.expected:,.1f}", interval, inside)
    print_whole(counts)
