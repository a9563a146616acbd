"""Each feature can be deleted: `python -m tests.feature_proof [NAME ...]` runs the fast tests without it.

In a copy of the tree the folder of the feature is deleted, and with it every test that imports it, directly or through
a rig. All other fast tests must pass there. Ends with 1 if some fail; their names are printed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import grimp

from controller.feature import features
from tests.rigs.paths import ROOT

PACKAGES = ("tests", "controller", "drivers", "ui", "venue", "gamekit", "games", "common")


def importers(name: str) -> set[str]:
    """Return the modules of the tests that import the feature `name` or its tests, directly or through others."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True)
    gone = {
        module
        for package in (f"controller.features.{name}", f"tests.features.{name}")
        for module in (package, *graph.find_descendants(package))
    }
    found = {each for module in gone for each in graph.find_downstream_modules(module)}
    return {module for module in gone | found if module.startswith("tests.")}


def tree_without(name: str, folder: Path) -> list[str]:
    """Copy the tree to `folder` without the feature `name` and the tests of it; return those tests' modules."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    gone = importers(name)
    files = {f"{module.replace('.', '/')}{end}" for module in gone for end in (".py", "/__init__.py")}
    for place in filter(None, listed.stdout.split("\0")):
        if place not in files and not place.startswith(f"controller/features/{name}/"):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / place, folder / place)
    (folder / "build").symlink_to(ROOT / "build")
    return sorted(module for module in gone if module.rpartition(".")[2].startswith("test_"))


def passes_without(name: str, arguments: list[str]) -> bool:
    """Run the tests of a tree without the feature `name`; return whether all pass."""
    with tempfile.TemporaryDirectory(prefix=f"without-{name}-") as folder:
        gone = tree_without(name, Path(folder))
        say(f"without {name}: {len(gone)} files of tests are its own: {' '.join(gone)}")
        command = [sys.executable, "-m", "pytest", "-q", "-m", "not proof", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": folder}, check=False)
    say(f"without {name}: {'passes' if done.returncode == 0 else 'FAILS'}")
    return done.returncode == 0


def say(line: str) -> None:
    """Write a line before what pytest writes."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Prove the named features, or all; what follows `--` goes to pytest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {' '.join(features())}; by default all")
    parser.add_argument("--tests", nargs="+", default=["tests"], help="folders and files of tests, by default all")
    parser.add_argument("--workers", default="2", help="processes of pytest")
    asked = parser.parse_args()
    unknown = set(asked.names) - set(features())
    if unknown:
        parser.error(f"no feature is called {' '.join(sorted(unknown))}; they are {' '.join(features())}")
    arguments = ["-n", asked.workers, "--dist", "worksteal", *asked.tests]
    failed = [name for name in asked.names or features() if not passes_without(name, arguments)]
    say(f"fails without: {' '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
