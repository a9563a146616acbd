"""Broken games of every kind beside one that is whole: supervisor and display serve it, the books name the others."""

import os
import shutil
import time
from pathlib import Path

import pytest

from controller.books.audit import audit
from gamekit import catalogue
from tests.rigs.hall import Hall, until
from tests.rigs.logged_events import words_of
from tests.rigs.paths import ROOT

BAKED = ROOT / "build" / "baked"


def studios(folder: Path) -> Path:
    """A studio's folder with a game whose code raises and one whose game.toml is none."""
    for name, number, code in (("lagoon", "11", "raise RuntimeError('low tide')"), ("reef", "many", "")):
        (folder / name).mkdir(parents=True)
        (folder / name / catalogue.DEFINITION).write_text(f"number = {number}\n")
        (folder / name / "__init__.py").write_text(code)
    return folder


def program(folder: Path) -> Path:
    """A program with damaged files in two of its games, beside a wheel whose package raises."""
    for package in ("games", "gamekit"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    figures = folder / "games" / "witch_feature" / "figures.json"
    figures.write_text(figures.read_text("utf-8").replace('"maths_hash": "', '"maths_hash": "0'), "utf-8")
    with (folder / "games" / "mystery_elves" / "pays.py").open("a", encoding="utf-8") as pays:
        pays.write("\\0")
    (folder / "acme").mkdir()
    (folder / "acme" / "__init__.py").write_text("raise SystemExit('no licence')")
    about = folder / "acme-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{catalogue.ENTRY_POINTS}]\natoll = acme.atoll\n")
    return folder


def without_a_picture(folder: Path) -> Path:
    """The baked art, of which one of Bewitched's pictures is missing."""
    shutil.copytree(BAKED, folder, copy_function=os.symlink)
    next((folder / "bewitched" / "1").glob("*.webp")).unlink()
    return folder


@pytest.mark.processes
def test_broken_games_are_left_out_and_the_others_are_played(tmp_path: Path) -> None:
    """Each is an event with file and reason; what is left is offered, played and proved."""
    hall = Hall(tmp_path / "run")
    baked = without_a_picture(tmp_path / "baked")
    enabled = ("lagoon", "reef", "atoll", "witch_feature", "mystery_elves", "bewitched", "neptune")
    text = hall.run.write_configuration(baked, enabled).read_text()
    folder = studios(tmp_path / "studio")
    hall.run.configuration.write_text(text.replace("[games]\n", f'[games]\nfolder = "{folder}"\n', 1))
    tree = {"PYTHONPATH": str(program(tmp_path / "program")), "PYTHONSAFEPATH": "1"}
    display = ("ui", "--socket", hall.run.display_socket, "--frame-mirror", hall.run.frame_mirror, "--baked", baked)
    with hall.devices(), hall.supervisor(**tree), hall.process(*map(str, display), **tree) as shown:
        until(lambda: len(unfit(hall)) == len(enabled) - 1)
        until(lambda: plays(hall))
        assert shown.poll() is None
    events = unfit(hall)
    for game, reason in (
        ("lagoon", "RuntimeError: low tide"),
        ("reef", "cannot be read"),
        ("atoll", "no licence"),
        ("Witch Feature", "keeps the figures of another maths"),
        ("Mystery Elves", "mystery_elves"),
        ("Bewitched", "is missing"),
    ):
        (words,) = [words for words in events if words.startswith(f"{game} does not pass its check")]
        assert reason in words, words
    assert audit(hall.run.journal, lambda _what, _done, _total: None).failures == []


def unfit(hall: Hall) -> list[str]:
    """The events of games that are left out."""
    return hall.books.read(lambda tx: words_of(tx.execute, "game_unfit"), [])


def plays(hall: Hall) -> bool:
    """Push a note in until one is taken, then press SPIN; whether three games were played."""
    hall.hand.do("tap spin" if hall.books.credit_cents else "note 20")
    time.sleep(1.0)  # nobody pushes a note into a mouth that gives the last one back
    return hall.meter("games") >= 3
