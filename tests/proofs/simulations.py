"""The simulations whose reports docs/par keeps, and their pages."""

from pathlib import Path
from typing import NamedTuple

from games.agreement import PartReport, Report, TriggerReport
from games.maths import load_maths
from games.par import round_bands
from games.par_page import band_name
from games.play import Stake

KEPT = Path(__file__).parents[2] / "docs" / "par"


ROUNDS = 10_000_000


JOBS = 2


SEED = 3


class Run(NamedTuple):
    """One simulation: its file's name, its game, its stake, and the options that give the command this stake."""

    name: str
    game: str
    stake: Stake
    options: str
    rounds: int = ROUNDS

    @property
    def command(self) -> str:
        """The command that plays the same rounds."""
        return f"cabinet simulate {self.game}{self.options} --rounds {self.rounds} --jobs {JOBS} --seed {SEED}"


RUNS = (
    Run("neptune", "neptune", Stake(lines=15, coins_per_line=1), ""),
    # The most coins buy the jackpots their best odds, so that they fall often enough to be judged.
    Run("bewitched", "bewitched", Stake(lines=15, coins_per_line=10), " --coins 10"),
    Run("mona_lisa_jewels", "mona_lisa_jewels", Stake(lines=25, coins_per_line=10), " --coins 10"),
    Run("witch_feature", "witch_feature", Stake(lines=50, coins_per_line=1), ""),
    Run("mystery_elves", "mystery_elves", Stake(lines=10, coins_per_line=1), ""),
    # Each of these holds the feature: a million show it as often as 181 million paid rounds, and take as long as five.
    Run("mystery_elves_bought", "mystery_elves", Stake(lines=10, coins_per_line=1, price=70), " --bought", 1_000_000),
)


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
