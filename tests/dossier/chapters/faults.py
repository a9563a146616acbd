"""The faults as `cabinet faults` writes them, which modules detect each, and which tests name it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from controller.commands.fault_list import fault_list
from controller.faults import LOCKS, known_faults
from tests.dossier.chapter import Chapter, Run, Written, table
from tests.rigs.paths import ROOT

EXCEPTION = re.compile(r"^class (\w+Error)\b.*:\n(?:(?!class ).*\n)*?    code = \"(\w+)\"$", re.MULTILINE)
WORD = re.compile(r"\"([a-z_]+)\"|\b([A-Z][A-Z_]{4,}|\w+Error)\b")
LEFT_OUT = ("controller/faults.py", "controller/commands/fault_list.py", "tests/dossier/")
DETECTION = """
## Where each is detected

The modules that name the code, as a text, by a constant, or by the exception that has it; and the test modules that
do. A test that goes through a whole table of a device's codes names none of them.

"""


def write(_run: Run) -> Written:
    """Write the list, and where each code is named."""
    codes = sorted({*known_faults(), *LOCKS})
    of_product = modules("controller", "drivers", "venue")
    names = names_of(codes, of_product)
    product, tests = naming(names, of_product), naming(names, modules("tests"))
    rows = ((code, Markup("<br>").join(product[code]), Markup("<br>").join(tests[code])) for code in codes)
    head = ("code", "detected, handled or cleared in", "tested in")
    return Written(fault_list().partition("\n")[2] + DETECTION + table(head, rows))


def modules(*folders: str) -> list[Path]:
    """Return the modules of folders of the tree but those of the catalogue and of the dossier itself."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    return [path for path in found if not path.relative_to(ROOT).as_posix().startswith(LEFT_OUT)]


def names_of(codes: Iterable[str], paths: Iterable[Path]) -> Mapping[str, str]:
    """Return the code of each name that stands for one: itself, a constant of that name, an exception that has it."""
    names = {name: code for code in codes for name in (code, code.upper())}
    for path in paths:
        names.update((name, code) for name, code in EXCEPTION.findall(path.read_text("utf-8")) if code in names)
    return names


def naming(names: Mapping[str, str], paths: Iterable[Path]) -> Mapping[str, Sequence[str]]:
    """Return which of the modules name each code."""
    found: dict[str, list[str]] = {code: [] for code in names.values()}
    for path in paths:
        words = {text or name for text, name in WORD.findall(path.read_text("utf-8"))}
        for code in {names[word] for word in words & names.keys()}:
            found[code].append(path.relative_to(ROOT).as_posix())
    return found


CHAPTER = Chapter(40, "Faults", write)
