"""Checks what a game tells designers and regulators: stored figures match its maths, its order of play has all parts.

A cabinet does not run these checks, and so needs no libraries for exact figures.
"""

from collections.abc import Iterator

from gamekit import catalogue, figures
from gamekit.checking import Fault, said
from gamekit.declared.line_game import LineGameMaths
from gamekit.declared.maths import LawMaths
from gamekit.maths import Maths, load_maths
from gamekit.read_back import DisagreementError, hold_kept


def faults_of_kept(name: str) -> list[Fault]:
    """Return where the files of the game called `name` differ from its exact mathematics.

    `gamekit.checking` reports figures of another maths; figures that need numpy are checked only if it is installed.
    """
    file = str(catalogue.folder_of(name) / "maths.py")
    found: list[Fault] = []
    try:
        maths = load_maths(name)
        found += _of_order(maths)
        hold_kept(maths)
    except figures.StaleFiguresError:
        pass
    except DisagreementError as error:
        found.append(Fault(file, str(error)))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a game's code raises is its author's to read
        if not (isinstance(error, ModuleNotFoundError) and error.name == "numpy"):
            found.append(Fault(file, f"its exact figures end in {said(error)}; mend it and check again"))
    return found


def _of_order(maths: Maths) -> Iterator[Fault]:
    for declared in (LineGameMaths, LawMaths):
        own = type(maths)
        if isinstance(maths, declared) and own.parts is not declared.parts and own.order is declared.order:
            yield Fault(
                str(catalogue.folder_of(maths.game.name) / "maths.py"),
                "MATHS.parts are its own and MATHS.order is the declared game's; say there what the added part pays,"
                " for PAR sheets print it",
            )
