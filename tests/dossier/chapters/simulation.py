"""Rounds of each game's own play beside its exact figures: those of this run, and the many that are kept."""

import random
from collections.abc import Iterator

from gamekit.agreement import KEPT, Report, judge
from gamekit.catalogue import folder_of
from gamekit.maths import load_maths
from gamekit.simulate import play_rounds, seeded_draw
from tests.dossier.chapter import Chapter, Run, Written, table
from tests.dossier.chapters.games import kept_report
from tests.dossier.tree import dated
from tests.rigs.paths import ROOT

HEAD = ("part", "simulated, % of the bet", "exact", "from", "to", "events", "inside")
INTRODUCTION = """Intervals are jointly 99 % over the parts of a game. A part of which fewer than 100 events were
expected is judged by its count: from and to are counts then.

"""


def write(run: Run) -> Written:
    """Play the rounds of this run and write both."""
    text, wrong = [INTRODUCTION], []
    for name in run.games:
        maths = load_maths(name)
        stake = maths.stakes[-1]
        tally = play_rounds(maths, stake, seeded_draw(random.Random(run.seed)), run.rounds)
        report = judge(maths, stake, tally, run.seed)
        text += [f"## {maths.game.title}\n\n", *written(report, "This run")]
        if report.alarm:
            wrong.append(f"Simulation: a part of {maths.game.title} is outside of its joint 99.99 % interval.")
        if (kept := kept_report(maths)) is None:
            wrong.append(f"Simulation: the one that is kept of {maths.game.title} is of other maths.")
        else:
            text += written(kept, f"Kept, of {dated((folder_of(name) / KEPT).relative_to(ROOT).as_posix())}")
    return Written("".join(text), wrong)


def written(report: Report, title: str) -> Iterator[str]:
    """Yield a simulation beside the exact figures."""
    yield (
        f"### {title}\n\n{report.rounds:,} rounds, seed {report.seed}: {report.simulated:.4f} %,"
        f" exactly {report.exact:.6f} %; sigma {report.sigma:.4f} bets.\n\n"
    )
    rows = (
        (
            *(part.name, f"{part.simulated:.4f}", f"{part.exact:.4f}", f"{part.low:.4f}", f"{part.high:.4f}"),
            *(f"{part.events:,}", "yes" if part.inside else "no"),
        )
        for part in report.parts
    )
    yield f"{table(HEAD, rows)}\n"


CHAPTER = Chapter(70, "Simulation", write)
