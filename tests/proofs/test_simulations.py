"""Ten million rounds of each game, and a million bought ones, played by the production code and held to the figures.

What was played is kept in docs/par: `<run>.simulated.json` for programs and `<run>.simulated.md` to read, each with
the command that plays the same rounds again. Beside them stands the game's PAR sheet, `<game>.json`. Running the proofs
writes them anew.
"""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from controller.commands.maths import par
from games.agreement import KeptSimulation, PartReport, Report, TriggerReport, judge
from games.catalogue import NAMES
from games.maths import load_maths
from games.par import ParSheet, round_bands
from games.par_page import band_name
from games.play import Stake
from games.simulate import simulate

pytestmark = pytest.mark.proof

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


PROMISED = {
    "neptune": {"96.56"},
    "bewitched": {"94.60"},
    "mona_lisa_jewels": {"94.30", "94.60"},
    "witch_feature": {"94.02"},
    "mystery_elves": {"95.01"},
}
"""The returns of games.md in percent, jackpots at their seed."""


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


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_ten_million_rounds_agree_with_the_exact_figures(
    run: Run, record_property: Callable[[str, object], None]
) -> None:
    """No part and no trigger is outside its jointly 99.99 % interval; every trigger of the game is counted."""
    tally = simulate(run.game, run.stake, run.rounds, seed=SEED, jobs=JOBS)
    report = judge(load_maths(run.game), run.stake, tally, SEED)
    kept = KeptSimulation(
        command=run.command,
        inside_jointly_99_percent=report.inside,
        outside_jointly_99_99_percent=report.alarm,
        report=report,
    )
    encoded = msgspec.json.format(msgspec.json.encode(kept), indent=2)
    (KEPT / f"{run.name}.simulated.json").write_bytes(encoded + b"\n")
    (KEPT / f"{run.name}.simulated.md").write_text(page(run, report))
    record_property(
        "proof",
        f"{run.name}: {report.rounds:,} rounds, {report.simulated:.4f} % (exact {report.exact:.6f} %),"
        f" {sum(part.inside for part in report.parts)} of {len(report.parts)} parts and"
        f" {sum(trigger.inside for trigger in report.triggers)} of {len(report.triggers)} triggers inside the jointly"
        " 99 % intervals",
    )
    assert report.rounds == run.rounds
    assert [part.name for part in report.parts if part.alarm] == []
    assert [trigger.name for trigger in report.triggers if trigger.alarm] == []
    assert {trigger.name for trigger in report.triggers} == {trigger.name for trigger in load_maths(run.game).triggers}


@pytest.mark.parametrize("name", NAMES)
def test_the_par_sheet_is_kept(name: str) -> None:
    """What `cabinet par GAME --format json` writes stands in docs/par, and gives the promised return at every bet."""
    written = CliRunner().invoke(par, [name, "--format", "json"])
    assert written.exit_code == 0
    (KEPT / f"{name}.json").write_text(written.stdout)
    sheet = msgspec.json.decode(written.stdout, type=ParSheet)
    assert PROMISED[name] == {f"{Decimal(bet.rtp_percent):.2f}" for bet in sheet.bets}
