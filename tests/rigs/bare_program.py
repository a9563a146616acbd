"""The program as it is installed without any extra: an environment of its own, of this one's packages."""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from pathlib import Path

from tests.rigs.paths import ROOT

NAME = re.compile(r"[A-Za-z0-9._-]+")


def make(folder: Path) -> Path:
    """Make an environment at `folder` with what the program needs and nothing more; return its Python."""
    site = folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    site.mkdir(parents=True)
    for needed in _needed("cabinet").values():
        for name in {Path(str(file)).parts[0] for file in needed.files or ()} - {"..", "__pycache__"}:
            whole = Path(str(needed.locate_file(name)))
            if whole.exists() and not (site / name).exists() and whole.suffix != ".pth":
                (site / name).symlink_to(whole)
    (site / "cabinet.pth").write_text(f"{ROOT}\n", "utf-8")
    python = folder / "bin" / "python"
    python.parent.mkdir()
    base = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}")
    python.symlink_to(base)
    (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\ninclude-system-site-packages = false\n", "utf-8")
    return python


def _needed(name: str) -> dict[str, Distribution]:
    """Return a distribution and all that it needs without an extra."""
    found: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # needed elsewhere, by its marker
            continue
        plain = (line for line in requires(name) or () if "extra ==" not in line)
        waiting += [match[0] for line in plain if (match := NAME.match(line))]
    return found
