"""The simulations whose reports the games' folders keep, and their pages: what is kept says what is played anew."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from gamekit.agreement import KEPT, KeptSimulation, PartReport, Report, TriggerReport
from gamekit.catalogue import folder_of, load, names
from gamekit.maths import load_maths
from gamekit.par import round_bands
from gamekit.par_page import band_name
from gamekit.play import Stake

ROUNDS = 10_000_000
"""What is played of each game at least; of a feature that is bought a tenth, since each round holds it."""


JOBS = 2


SEED = 3


class Run(NamedTuple):
    """One simulation: the file of its report, its game, its stake and how many rounds."""

    file: Path
    game: str
    stake: Stake
    rounds: int = ROUNDS

    @property
    def name(self) -> str:
        """The game, and what is said of the stake."""
        return self.game + self.file.stem.removeprefix("simulated")

    @property
    def page(self) -> Path:
        """The report to read."""
        return self.file.with_suffix(".md")

    @property
    def options(self) -> str:
        """What gives the command this stake: all lines are played."""
        coins = "" if self.stake.coins_per_line == 1 else f" --coins {self.stake.coins_per_line}"
        return coins + ("" if self.stake.price == 1 else " --bought")

    @property
    def command(self) -> str:
        """The command that plays the same rounds."""
        return f"cabinet simulate {self.game}{self.options} --rounds {self.rounds} --jobs {JOBS} --seed {SEED}"


def runs() -> Iterator[Run]:
    """Yield every simulation that a game's folder keeps; a game without one plays its lowest bet at all lines."""
    for game in names():
        folder = folder_of(game)
        kept = sorted(folder.glob("simulated*.json"))
        for file in kept:
            report = msgspec.json.decode(file.read_bytes(), type=KeptSimulation).report
            yield Run(file, game, report.stake, report.rounds)
        if not kept:
            one = load(game)
            yield Run(folder / KEPT, game, Stake(lines=one.line_counts[-1], coins_per_line=one.coins_per_line[0]))


RUNS = tuple(runs())


def page(run: Run, report: Report) -> str:
    """Return `report` as a page to read."""
    bet = f"{report.stake.lines} lines x {report.stake.coins_per_line}"
    bought = f", bought for {report.stake.price} bets" if report.stake.price > 1 else ""
    exact_sigma = "" if report.exact_sigma is None else f" (exact {report.exact_sigma:.4f})"
    judged = "Intervals are jointly 99 % over the parts; a part expected fewer than 100 times is judged by its count."
    if len(load_maths(run.game).states) > 1:
        judged += (
            " The memory was carried from round to round: exact is the mean over the states begun, without what is"
            " carried on at the end of a round."
        )
    return "\n".join(
        (
            f"# {load_maths(run.game).game.title}: {report.rounds:,} rounds played",
            "",
            f"`{run.command}`",
            "",
            f"Maths version {report.maths_version}, SHA-256 `{report.maths_hash}`; {bet}{bought}.",
            "",
            f"Returned {report.simulated:.4f} %, exactly {report.exact:.6f} %; sigma {report.sigma:.4f}{exact_sigma}.",
            "",
            judged,
            "",
            "| part | simulated % | exact % | jointly 99 % | events | inside |",
            "| --- | --- | --- | --- | --- | --- |",
            *map(row, report.parts),
            "",
            "How often features started; intervals are jointly 99 % over the triggers, from the exact chances:",
            "",
            "| trigger | counted | expected | one in | jointly 99 % | inside |",
            "| --- | --- | --- | --- | --- | --- |",
            *(trigger_row(trigger, report.rounds) for trigger in report.triggers),
            "",
            "What a whole round won, in bets:",
            "",
            "| win | rounds | % |",
            "| --- | --- | --- |",
            *(f"| {band_name(band)} | {band.ways:,} | {100 * band.chance:.5f} |" for band in round_bands(report)),
            "",
        )
    )


def row(part: PartReport) -> str:
    """Return a part's row of the page's table."""
    interval = f"{part.low:.0f} to {part.high:.0f} events" if part.counted else f"{part.low:.4f} to {part.high:.4f}"
    inside = "yes" if part.inside else "**no**"
    return f"| {part.name} | {part.simulated:.4f} | {part.exact:.4f} | {interval} | {part.events:,} | {inside} |"


def trigger_row(trigger: TriggerReport, rounds: int) -> str:
    """Return a trigger's row of the page's table."""
    figures = f"{trigger.events:,} | {trigger.expected:,.1f} | {rounds / trigger.expected:,.2f}"
    inside = "yes" if trigger.inside else "**no**"
    return f"| {trigger.name} | {figures} | {trigger.low:,.1f} to {trigger.high:,.1f} | {inside} |"
