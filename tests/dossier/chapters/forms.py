"""The papers that people sign, with what is known filled in: letter, profile of each game, certification, release."""

from collections.abc import Iterable

from gamekit.catalogue import folder_of, number_of
from gamekit.maths import load_maths
from tests.dossier.chapter import Chapter, Run, Written, table
from tests.dossier.tree import about, dated
from tests.rigs.paths import ROOT

LINE = "_" * 40
SIGNED = ("name and position", "place and date", "signature")
UNSIGNED = "The forms are not signed."
APPLICATION = ("applicant, address", "contact", "jurisdiction and standards", "model, number, month of first make")
APPLICATION += ("where it is approved already", "meant for: new device, change, new game")
PROFILE = ("jurisdiction", "coin values on offer", "bets on offer", "options of the house (C.3, C.9)")
STATEMENTS = {
    "Engineer's certification": "I have built the program that this dossier is about from its sources and read its"
    " open points. As far as I know it does what the dossier says, and nothing else changes how a game plays.",
    "Indemnity": "The applicant bears the cost of the examination and what follows from wrong statements here.",
    "Release": "I answer for the release of this program, whose tests and open points I have read.",
}


def write(run: Run) -> Written:
    """Write the forms; the dossier names them as open until somebody has signed them on paper."""
    known = list(about(run.made).items())[:2]
    parts = [
        "To be printed, filled in and signed; a form of the jurisdiction's own comes first.\n\n",
        form("Application", known, APPLICATION),
    ]
    for name in run.games:
        game = load_maths(name).game
        day = dated((folder_of(name) / "maths.py").relative_to(ROOT).as_posix())
        rows = [
            ("game", game.title),
            ("number, as hosts are told", str(number_of(name))),
            ("maths version", f"{game.maths_version}, of {day}"),
            ("SHA-256 of the maths", game.maths_hash),
        ]
        parts.append(form(f"Profile: {game.title}", rows, PROFILE))
    parts += [form(title, known, SIGNED, words) for title, words in STATEMENTS.items()]
    return Written("".join(parts), [UNSIGNED])


def form(title: str, known: Iterable[tuple[str, str]], blank: Iterable[str], words: str = "") -> str:
    """Return a form: its words, what is known, and lines for the rest."""
    text = f"{words}\n\n" if words else ""
    return f"## {title}\n\n{text}{table(('', ''), [*known, *((name, LINE) for name in blank)])}\n"


CHAPTER = Chapter(130, "Forms", write)
