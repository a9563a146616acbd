"""`cabinet tune GAME`: reel strips for a designer's targets."""

import os
import re
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

from common.error_words import error_words
from controller.commands.game_name import GameName
from controller.commands.whole_table import print_whole
from controller.files.durable import write_durably
from controller.files.own_files import refuse_foreign, starting_with
from gamekit import catalogue
from gamekit.declared.line_game import LineGameMaths
from gamekit.read_back import DisagreementError
from gamekit.tuning.fixed import FILE, FixedError
from gamekit.tuning.measure import exact_figures
from gamekit.tuning.picture import picture
from gamekit.tuning.running import (
    Choice,
    Job,
    Tunable,
    UntunableError,
    choices,
    hold_written,
    line_maths,
    nearest,
    reels_of,
    search,
    stake_of,
    tunable_maths,
    what_is_fixed,
)
from gamekit.tuning.search import Chain
from gamekit.tuning.source import Edit, SourceError, edits, with_weights, write
from gamekit.tuning.targets import Figures, Targets
from gamekit.tuning.weights import table_of, weighed, with_table
from gamekit.weights import WeightedTable

_SVG = starting_with("picture as SVG", b"<svg ")
_TITLES = {"rtp": "RTP %", "hit": "hit", "sigma": "sigma", "free_spins": "free spins, one in"}


class OneIn(click.ParamType[float]):
    """A chance written as "1:150", converted to 1/150."""

    name = "1:N"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the chance; end the command for anything else."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"1:(\d+(?:\.\d+)?)", value)
        if found is None or float(found[1]) <= 1:
            self.fail(f"{value!r}: write one in 150 paid spins as 1:150", param, ctx)
        return 1 / float(found[1])


@click.command()
@click.argument("game", type=GameName())
@click.option("--rtp", type=click.FloatRange(1, 200), help="The return, in per cent; met to 0.01.")
@click.option(
    "--hit",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="The chance that a paid spin pays or starts a feature; met to 1 % of it, as the two below.",
)
@click.option("--sigma", type=click.FloatRange(0, min_open=True), help="The standard deviation of a round, in bets.")
@click.option("--free-spins", type=OneIn(), help="The chance that a paid spin starts free spins.")
@click.option("--lines", type=int, default=None, help="The lines at which hit and sigma are meant; all if not set.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed and chains find the same strips.")
@click.option("--chains", type=click.IntRange(1, 64), default=2, show_default=True, help="Searches beside each other.")
@click.option(
    "--jobs", type=click.IntRange(min=1), default=None, help="Processes to share them; one a core if not set."
)
@click.option(
    "--steps", type=click.IntRange(min=1), default=4000, show_default=True, help="Steps of each chain at the most."
)
@click.option(
    "--choices", "wanted", type=click.IntRange(min=1), default=4, show_default=True, help="Sets of strips to find."
)
@click.option("--choose", type=click.IntRange(min=1), default=None, help="Take this one; asked for where one can ask.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw strips before and after (SVG).")
@click.option(
    "--weights",
    metavar="TABLE",
    default=None,
    help="Weigh this table of pays.py anew too, for the last digits of --rtp.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing into the game's folder.")
def tune(
    *,
    game: str,
    rtp: float | None,
    hit: float | None,
    sigma: float | None,
    free_spins: float | None,
    lines: int | None,
    seed: int,
    chains: int,
    jobs: int | None,
    steps: int,
    wanted: int,
    choose: int | None,
    plot: Path | None,
    weights: str | None,
    dry_run: bool,
) -> None:
    """Find reel strips of GAME for the figures asked for, and write them into its folder.

    Only strips.py, the weights that --weights names, and the number of the maths version change; tune.toml in the
    game's folder says what of the strips stays as it is (docs/tuning.md). Exits with 1, and writes nothing, where no
    strips meet all targets.
    """
    targets = Targets(None if rtp is None else rtp / 100, hit, sigma, free_spins)
    if not targets.asked:
        raise click.UsageError("Ask for something: --rtp 95, --hit 0.30, --sigma 6, --free-spins 1:150, or several.")
    if weights is not None and rtp is None:
        raise click.UsageError("--weights mends the return: ask for one with --rtp.")
    started = time.process_time()
    try:
        if plot is not None:
            refuse_foreign(plot, _SVG)
        folder = catalogue.folder_of(game) if dry_run else catalogue.source_of(game)
        maths = tunable_maths(game)
        table = None if weights is None else table_of(line_maths(game), weights)
        job = Job(game, what_is_fixed(maths), targets, _lines(maths, lines), seed, chains)
        # Check before the search whether the source can be rewritten.
        edits(folder, reels_of(maths).strips, reels_of(maths).strips)
        _check(maths, targets)
        shared = min(jobs or os.cpu_count() or 1, chains)
        run = _searched(job, jobs=shared, steps=steps, wanted=wanted)
    except (UntunableError, FixedError, SourceError, catalogue.InstalledGameError, OSError) as error:
        raise click.ClickException(error_words(error)) from error
    found = choices(job, run)
    seconds = time.process_time() - started + (sum(chain.seconds for chain in run) if shared > 1 else 0)
    click.echo(f"{run[0].step} steps in each of {chains} chains, {seconds:.0f} processor seconds")
    if not found:
        _print(targets, [nearest(job, run)], "nearest")
        raise click.ClickException(_missed(game, targets, nearest(job, run).figures))
    _print(targets, found, "choice")
    taken = _chosen(found, choose)
    if plot is not None:
        try:
            write_durably(plot, picture(maths.game.title, reels_of(maths), reels_of(taken.maths)).encode(), _SVG)
        except OSError as error:
            raise click.ClickException(error_words(error)) from error
    weighty, figures = None, taken.figures
    if table is not None and weights is not None:
        other, figures = _weighed(job, taken, table)
        weighty = weights, other
    if not dry_run:
        _write(job, maths, taken, weighty, figures)


def _lines(maths: Tunable, lines: int | None) -> int:
    counts = maths.game.line_counts
    if lines is not None and lines not in counts:
        raise click.BadParameter(f"{maths.game.title} is played with {', '.join(map(str, counts))} lines, not {lines}")
    return counts[-1] if lines is None else lines


def _check(maths: Tunable, targets: Targets) -> None:
    if targets.free_spins is not None and "free_spins" not in [one.name for one in maths.triggers]:
        raise UntunableError(f"{maths.game.title} has no free spins: leave --free-spins out")


def _searched(job: Job, *, jobs: int, steps: int, wanted: int) -> list[Chain]:
    console = Console(stderr=True)
    best = float("inf")
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def show(chains: Sequence[Chain]) -> None:
            nonlocal best
            if console.is_terminal:
                live.update(_table(job.targets, chains), refresh=True)
                return
            near = min(chains, key=lambda chain: job.targets.worst(chain.nearest.figures))
            worst = job.targets.worst(near.nearest.figures)
            if worst < best:
                best = worst
                words = "  ".join(f"{_TITLES[name]} {_shown(name, near.nearest.figures)}" for name in job.targets.asked)
                click.echo(f"step {near.step:>5}  {words}", err=True)

        return search(job, jobs=jobs, steps=steps, wanted=wanted, show=show)


def _table(targets: Targets, chains: Sequence[Chain]) -> Table:
    """Return each chain's progress and its nearest layout; targets that are met are green."""
    table = Table("chain", "step", *(_TITLES[name] for name in targets.asked), "found", "processor s")
    for number, chain in enumerate(chains, start=1):
        for label, known in ((f"{number}", chain.at), ("nearest", chain.nearest)):
            errors = targets.errors(known.figures)
            cells = [
                f"[green]{_shown(name, known.figures)}[/]" if error <= 1 else _shown(name, known.figures)
                for name, error in errors.items()
            ]
            own = [str(len(chain.found)), f"{chain.seconds:.0f}"] if known is chain.at else []
            table.add_row(label, str(chain.step) if own else "", *cells, *own)
    return table


def _shown(name: str, figures: Figures) -> str:
    value: float = getattr(figures, name)
    if name == "rtp":
        return f"{value:.6%}"[:-1]
    if name == "free_spins":
        return f"{1 / value:,.2f}" if value else "never"
    return f"{value:.4f}"


def _print(targets: Targets, found: Sequence[Choice], title: str) -> None:
    table = Table(title, *_TITLES.values(), "max win", "stops")
    asked = [_TITLES[name] for name in targets.asked]
    for number, one in enumerate(found, start=1):
        maths = one.maths
        most = (
            f"{maths.analysis.largest(maths.game.line_counts[-1]).coins:,}" if isinstance(maths, LineGameMaths) else "-"
        )
        table.add_row(
            str(number),
            *(_shown(name, one.figures) for name in _TITLES),
            most,
            " ".join(map(str, reels_of(maths).lengths)),
        )
    print_whole(table)
    click.echo(f"asked for: {', '.join(asked)}; the rest is what comes of it")


def _missed(game: str, targets: Targets, figures: Figures) -> str:
    """Return which targets were not met, how far the nearest layout is off, and what may help."""
    wants = Figures(*(getattr(targets, name) or 0.0 for name in _TITLES))
    missed = [
        f"{_TITLES[name]} {_shown(name, figures)} for {_shown(name, wants)}"
        for name, error in targets.errors(figures).items()
        if error > 1
    ]
    return (
        f"nothing was written: no strips that meet all targets were found. The nearest misses {'; '.join(missed)}."
        f" Ask for something nearer to what the game has, change its pays, give its strips more room in"
        f" {catalogue.folder_of(game) / FILE} (stops, and least and most of symbols), or search on with --steps or"
        " another --seed."
    )


def _chosen(found: Sequence[Choice], choose: int | None) -> Choice:
    if choose is None:
        asks = len(found) > 1 and sys.stdin.isatty()
        choose = click.prompt("Which", type=click.IntRange(1, len(found)), default=1) if asks else 1
    if choose > len(found):
        raise click.UsageError(f"There are {len(found)} choices, and no {choose}.")
    return found[choose - 1]


def _weighed(job: Job, taken: Choice, table: WeightedTable) -> tuple[WeightedTable, Figures]:
    """Return the table with which the choice meets the requested return, and its figures; show that return."""
    maths = taken.maths
    if not isinstance(maths, LineGameMaths):
        raise click.ClickException(f"{maths.game.title} has no picks: leave --weights out")
    stake = stake_of(maths, job.lines)
    try:
        other = weighed(maths, stake, table, Fraction(str(job.targets.rtp)))
    except UntunableError as error:
        raise click.ClickException(str(error)) from error
    figures = exact_figures(with_table(maths, other), stake)
    click.echo(f"with weights {', '.join(map(str, other.weights.values()))}: RTP % {_shown('rtp', figures)}")
    if job.targets.worst(figures) > 1:
        raise click.ClickException(_missed(job.game, job.targets, figures))
    return other, figures


def _write(
    job: Job, before: Tunable, taken: Choice, weighty: tuple[str, WeightedTable] | None, figures: Figures
) -> None:
    """Write the choice, whose figures are `figures`; restore the files if the reloaded game has other figures."""
    game, folder = job.game, catalogue.folder_of(job.game)
    strips = reels_of(before).strips
    if reels_of(taken.maths).strips == strips and weighty is None:
        click.echo("The strips meet all targets as they are: nothing was written.")
        return
    try:
        planned, version = edits(folder, strips, reels_of(taken.maths).strips)
        if weighty is not None:
            planned = with_weights(folder, planned, weighty[0], weighty[1].weights)
        former = [Edit(edit.file, edit.file.read_text("utf-8")) for edit in planned]
        write(planned)
        try:
            hold_written(game, job.lines, figures, version)
        except DisagreementError as error:
            write(former)
            raise click.ClickException(f"the files are as they were: {error}") from error
    except (OSError, SourceError) as error:
        raise click.ClickException(error_words(error)) from error
    click.echo(f"{', '.join(str(edit.file) for edit in planned)}: written, maths version {version}. Next:")
    where = "" if catalogue.is_own(game) else f" --games {folder.parent}"
    click.echo(f"cabinet{where} figures {game}")
    click.echo(f"cabinet{where} check-game {game}")
    click.echo(f"cabinet{where} par {game}")
    click.echo(f"cabinet{where} simulate {game} --rounds 5000000")
