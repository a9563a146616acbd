"""Ten million rounds of each game, and a million bought ones, played by the production code and held to the figures.

What was played is kept in the game's folder: `simulated.json` for programs and `simulated.md` to read, each with the
command that plays the same rounds again. Beside them is the game's PAR sheet, `par.json`. Running the proofs writes
them anew.
"""

from collections.abc import Callable
from decimal import Decimal

import msgspec
import pytest
from click.testing import CliRunner

from controller.features.designer.par import par
from gamekit.agreement import KeptSimulation, judge
from gamekit.catalogue import folder_of, names
from gamekit.chunks import simulate
from gamekit.maths import load_maths
from gamekit.par import ParSheet
from tests.proofs.simulations import JOBS, RUNS, SEED, Run, page

pytestmark = pytest.mark.proof


PROMISED = {
    "neptune": {"96.56"},
    "bewitched": {"94.60"},
    "mona_lisa_jewels": {"94.30", "94.60"},
    "witch_feature": {"94.02"},
    "mystery_elves": {"95.01"},
}
"""Promised returns in percent, jackpots at their seed; nobody has promised those of another game."""


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
    run.file.write_bytes(encoded + b"\n")
    run.page.write_text(page(run, report))
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


@pytest.mark.parametrize("name", names())
def test_the_par_sheet_is_kept(name: str) -> None:
    """What `cabinet par GAME --format json` writes is in its folder, and gives the promised return at every bet."""
    written = CliRunner().invoke(par, [name, "--format", "json"])
    assert written.exit_code == 0
    (folder_of(name) / "par.json").write_text(written.stdout)
    sheet = msgspec.json.decode(written.stdout, type=ParSheet)
    returned = {f"{Decimal(bet.rtp_percent):.2f}" for bet in sheet.bets}
    assert PROMISED.get(name, returned) == returned
