"""The games: version, date and digest of each, its PAR sheet as filed, and its rules."""

import msgspec

from controller.features.designer.par_files import write_sheet
from gamekit.agreement import KEPT, KeptSimulation, Report
from gamekit.catalogue import folder_of
from gamekit.maths import Maths, load_maths
from gamekit.par import par_sheet, with_constants
from tests.dossier.chapter import Chapter, Run, Written, attached, moved_down, table
from tests.dossier.tree import dated
from tests.rigs.paths import ROOT

HEAD = ("game", "maths version", "of", "SHA-256 of the maths", "least and greatest return of a bet", "PAR sheet")


def write(run: Run) -> Written:
    """Write sheets and rules of all games."""
    rows, rules = [], []
    (run.out / "par").mkdir(exist_ok=True)
    for name in run.games:
        maths, folder = load_maths(name), folder_of(name)
        sheet = with_constants(par_sheet(maths, kept_report(maths)))
        links = []
        for suffix in (".html", ".pdf"):
            file = f"par/{name}{suffix}"
            write_sheet(run.out / file, maths, sheet)
            links.append(attached(run, file))
        returns = sorted((bet.rtp_percent for bet in sheet.bets), key=float)
        of = dated((folder / "maths.py").relative_to(ROOT).as_posix())
        rows.append((maths.game.title, sheet.maths_version, of, sheet.maths_hash, f"{returns[0]} to {returns[-1]} %"))
        rows[-1] += (links[0] + ", " + links[1],)
        page = folder / "RULES.md"
        changed = dated(page.relative_to(ROOT).as_posix())
        rules.append(f"## Rules of {maths.game.title}, {changed}\n{moved_down(page.read_text('utf-8'))}\n")
    return Written(f"## PAR sheets\n\n{table(HEAD, rows)}\n" + "\n".join(rules))


def kept_report(maths: Maths) -> Report | None:
    """Return the simulation that is kept in a game's folder, if it is of these maths."""
    kept = msgspec.json.decode((folder_of(maths.game.name) / KEPT).read_bytes(), type=KeptSimulation)
    return kept.report if kept.report.maths_hash == maths.game.maths_hash else None


CHAPTER = Chapter(60, "Games", write)
