"""The tree that the dossier is about: its commit, its files and their dates, and the machine of the run."""

import platform
import subprocess
import tomllib
from datetime import datetime
from functools import cache

from tests.rigs.paths import ROOT


def git(*arguments: str) -> str:
    """Return what git says about the tree; raise `CalledProcessError` where it is no clone."""
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@cache
def version() -> str:
    """Return the version of the product."""
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return found


def files() -> list[str]:
    """Return the files that git keeps, sorted."""
    return sorted(git("ls-files", "-z").strip("\0").split("\0"))


def changed() -> list[str]:
    """Return the files that git keeps and that are not as in the commit."""
    return [line[3:] for line in git("status", "--porcelain", "--untracked-files=no").splitlines()]


def dated(file: str) -> str:
    """Return the day of the last commit that changed a file of the tree."""
    return git("log", "-1", "--format=%cs", "--", file) or "not committed"


def about(made: datetime) -> dict[str, str]:
    """Return what the first page says of product, commit and machine."""
    edited = changed()
    return {
        "Product": f"cabinet {version()}",
        "Commit": git("rev-parse", "HEAD") + (f", with {len(edited)} files changed since" if edited else ""),
        "Made": f"{made:%Y-%m-%d %H:%M} UTC",
        "Machine": f"{platform.platform()}, {platform.machine()}, Python {platform.python_version()}",
    }
