"""Which file on the card's first partition is taken for the configuration: no file that was meant is passed over."""

import subprocess
from pathlib import Path

import pytest

from tests.rigs.paths import ROOT

SCRIPT = ROOT / "image/files/usr/lib/cabinet-image/given-configuration"


def given(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    """Ask for the configuration in a first partition with these files."""
    for name in (*names, "config.txt", "cmdline.txt", "overlays.txt", "._cabinet.toml", ".cabinet.toml.swp"):
        (folder / name).write_text("")
    return subprocess.run([SCRIPT, folder], check=False, capture_output=True, text=True)


@pytest.mark.parametrize(
    "name", ["cabinet.toml", "cabinet.toml.txt", "Cabinet.toml.TXT", "cabinet (1).toml", "cabinet.txt"]
)
def test_the_one_file_that_is_meant_is_taken(tmp_path: Path, name: str) -> None:
    """Also under the name that an editor or a copy has given it, which is said then."""
    done = given(tmp_path, name)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / name}\n")
    assert (name in done.stderr) == (name != "cabinet.toml")


def test_the_right_name_comes_first(tmp_path: Path) -> None:
    """Whatever else is there."""
    done = given(tmp_path, "cabinet.toml", "cabinet.toml.txt", "cabinet.toml~")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'cabinet.toml'}\n")


def test_of_several_none_is_taken_in_silence(tmp_path: Path) -> None:
    """The first start fails, and its last words name them."""
    done = given(tmp_path, "cabinet.toml.txt", "cabinet (1).toml")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[1:3] == ["    cabinet (1).toml", "    cabinet.toml.txt"]
    assert done.stderr.endswith("Rename one of them to cabinet.toml.\n")


def test_a_card_without_one_takes_the_sample(tmp_path: Path) -> None:
    """Nothing is printed where nothing is there."""
    done = given(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
