"""The faults as `cabinet faults` writes them, which modules detect each, and which tests name it."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from markupsafe import Markup

from controller.commands.fault_list import fault_list
from controller.faults import LOCKS, known_faults
from tests.dossier.chapter import Chapter, Run, Written, table
from tests.rigs.paths import ROOT

WORD = re.compile(r"\"([a-z_]+)\"|\b([A-Z][A-Z_]{4,})\b")
CATALOGUES = ("controller/faults.py", "controller/commands/fault_list.py")
DETECTION = """
## Where each is detected

The modules that name the code, and the test modules that do.

"""


def write(_run: Run) -> Written:
    """Write the list, and where each code is named."""
    codes = sorted({*known_faults(), *LOCKS})
    product = naming(codes, modules("controller", "drivers", "venue"))
    tests = naming(codes, modules("tests"))
    rows = ((code, Markup("<br>").join(product[code]), Markup("<br>").join(tests[code])) for code in codes)
    head = ("code", "detected, handled or cleared in", "tested in")
    unnamed = [f"The fault {code} is named by no test." for code in codes if not tests[code]]
    return Written(fault_list().partition("\n")[2] + DETECTION + table(head, rows), unnamed)


def modules(*folders: str) -> list[Path]:
    """Return the modules of folders of the tree but those of the catalogue."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    return [path for path in found if path.relative_to(ROOT).as_posix() not in CATALOGUES]


def naming(codes: Iterable[str], paths: Iterable[Path]) -> Mapping[str, list[str]]:
    """Return which of the modules name each code, as a text or by a constant of the code's own name."""
    found: dict[str, list[str]] = {code: [] for code in codes}
    constants = {code.upper(): code for code in found}
    for path in paths:
        words = {text or constants.get(name, "") for text, name in WORD.findall(path.read_text("utf-8"))}
        for code in words & found.keys():
            found[code].append(path.relative_to(ROOT).as_posix())
    return found


CHAPTER = Chapter(40, "Faults", write)
