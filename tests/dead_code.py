"""Finds unused code of the product: vulture, set up by `[tool.vulture]` of pyproject.toml; `python -m tests.dead_code`.

Names that the product looks up by a string count as used: features, drivers and commands by `"module:name"`, what
Django and gunicorn load by `"package.module.name"`.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from vulture import Vulture
from vulture.config import make_config

from tests.rigs.paths import ROOT

SETTINGS = make_config([f"--config={ROOT / 'pyproject.toml'}"])
LOOKED_UP = re.compile(r"[a-z_][\w.]*[:.](\w+)")


def looked_up(folders: Iterable[Path]) -> Iterator[str]:
    """Yield the last name of each string that is a module with a name in it."""
    for file in (file for folder in folders for file in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Constant(str(text)) if found := LOOKED_UP.fullmatch(text):
                    yield found[1]


def unused(folders: Iterable[Path]) -> list[str]:
    """Return a line for each definition in `folders` that is not used in them."""
    folders = list(folders)
    vulture = Vulture(ignore_names=SETTINGS["ignore_names"], ignore_decorators=SETTINGS["ignore_decorators"])
    vulture.scavenge([str(folder) for folder in folders], exclude=SETTINGS["exclude"])
    vulture.used_names.update(looked_up(folders))
    return [found.get_report() for found in vulture.get_unused_code(SETTINGS["min_confidence"])]


if __name__ == "__main__":
    sys.exit("\n".join(unused(ROOT / name for name in SETTINGS["paths"])) or 0)
