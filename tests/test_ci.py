"""`.ci/run` runs the tests as a stranger has them: in a clone in an empty folder, whatever the checkout's state."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.rigs.needing import needs_tools, skipped_where
from tests.rigs.paths import ROOT

pytestmark = [pytest.mark.processes, needs_tools("git")]

MAKE = '#!/bin/sh\necho "$PWD"; echo "$@"; ls -A; ls -A ..\n'
"""Stands for `make`: where it was called, with what, and what lies there and beside it."""
NOBODY = 65534


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of two commits with `.ci/run`, with an untracked file and a folder beside it."""
    made = tmp_path / "checkout"
    (made / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "run", made / ".ci")
    (made / "tracked").touch()
    git(made, "init", "--quiet")
    for words in ("first", "second"):
        git(made, "add", ".")
        git(made, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "--allow-empty", "-m", words)
    (made / "untracked").touch()
    (tmp_path / "beside").mkdir()
    return made


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "safe.directory=*", "-C", folder, *words], check=True, capture_output=True)


def checked(checkout: Path, tmp_path: Path) -> list[str]:
    """Run the checkout's checks with stand-ins for make and apt-get; return what make saw, by lines."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("make", MAKE), ("apt-get", "#!/bin/sh\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    run = subprocess.run([checkout / ".ci" / "run"], env=environment, capture_output=True, text=True, check=True)
    place, words, *seen = run.stdout.splitlines()
    assert words == "test"
    assert not Path(place).exists(), "what was made for the run is removed"
    return seen


def test_a_clone_alone_is_tested(checkout: Path, tmp_path: Path) -> None:
    """In it is what is tracked, and beside it nothing of the checkout's neighbours."""
    assert checked(checkout, tmp_path) == [".ci", ".git", "tracked", "clone", "gitconfig"]


@pytest.mark.parametrize("state", ["shallow", "detached", "worktree"])
def test_a_clone_is_made_of_any_checkout(state: str, checkout: Path, tmp_path: Path) -> None:
    """Of one without its history, without a branch, or that is another repository's worktree."""
    other = tmp_path / "other"
    if state == "shallow":
        git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{checkout}", str(other))
    elif state == "detached":
        git(tmp_path, "clone", "--quiet", str(checkout), str(other))
        git(other, "checkout", "--quiet", "--detach", "HEAD~1")
    else:
        git(checkout, "worktree", "add", "--quiet", "--detach", str(other))
    assert checked(other, tmp_path) == [".ci", ".git", "tracked", "clone", "gitconfig"]


@skipped_where(os.geteuid() != 0, "only root may give files away", "run it as root")
def test_a_checkout_of_another_user_is_cloned(checkout: Path, tmp_path: Path) -> None:
    """As a container has it that mounts one."""
    for path in (checkout, *checkout.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    assert checked(checkout, tmp_path) == [".ci", ".git", "tracked", "clone", "gitconfig"]


@pytest.mark.parametrize("gone", [".git", ".git/objects"])
def test_a_tree_that_cannot_be_cloned_is_copied(gone: str, checkout: Path, tmp_path: Path) -> None:
    """An unpacked archive has no history, a partial clone not all of it; what is made in a tree is left behind."""
    shutil.rmtree(checkout / gone)
    for made in (".venv", "build"):
        (checkout / made).mkdir()
    assert checked(checkout, tmp_path) == [".ci", "tracked", "untracked", "clone", "gitconfig"]
