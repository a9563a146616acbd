"""A recorded round is drawn again by `python -m ui.redraw`."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pygame
import pytest

from gamekit.beats import CascadeFell
from gamekit.catalogue import load, names
from gamekit.play import Answer, Offer, Stake
from tests.rigs.round_records import record
from tests.rigs.views import changed
from tests.ui.rehearsal import BAKED, Rehearsal, game_view
from ui.layout import WIDE
from ui.protocol.values import Bet

pytestmark = pytest.mark.sampled(6)


def redrawn(folder: Path, given: object) -> subprocess.CompletedProcess[str]:
    """Draw a record into `folder`."""
    return subprocess.run(
        [sys.executable, "-m", "ui.redraw", "--baked", BAKED, folder],
        input=given if isinstance(given, str) else json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )


def listed(folder: Path) -> dict[str, Any]:
    """Return what was drawn."""
    found: dict[str, Any] = json.loads((folder / "round.json").read_text())
    return found


def windows(known: dict[str, Any]) -> int:
    """Return how many windows a recorded round shows: one a segment, and one more for each cascade."""
    game = load(known["game"])
    drawn = (value for segment in known["segments"] for _, value in segment["draws"])
    answers = (Answer(segment["answer"]) for segment in known["segments"][1:])
    play = game.play(Stake(**known["bet"]), lambda _bound: next(drawn), None)
    falls, step = 0, next(play)
    while True:
        falls += isinstance(step, CascadeFell)
        try:
            step = play.send(next(answers) if isinstance(step, Offer) else None)
        except StopIteration:
            return len(known["segments"]) + falls


@pytest.mark.parametrize("name", names())
def test_a_round_of_every_game_is_drawn(tmp_path: Path, name: str) -> None:
    """Each segment and window has a picture, every hash is reproduced, and the last picture's win is the round's."""
    known = record(name)
    ended = redrawn(tmp_path, known)
    assert (ended.returncode, ended.stderr) == (0, "")
    drawn = listed(tmp_path)
    assert drawn["matches"]
    assert len(drawn["shots"]) == windows(known)
    assert drawn["shots"][-1]["win_cents"] == known["win_cents"]
    assert all((tmp_path / shot["name"]).read_bytes().startswith(b"\x89PNG") for shot in drawn["shots"])


def test_each_picture_is_of_its_own_window(tmp_path: Path) -> None:
    """Whatever passes from one to the next is over: no picture is still the one before, in a chain or at a feature."""
    redrawn(tmp_path, record("star_quarry"))
    reels = [
        pygame.image.load(str(tmp_path / shot["name"])).subsurface(WIDE.reels).copy().get_buffer().raw
        for shot in listed(tmp_path)["shots"]
    ]
    assert len(reels) > 4
    assert all(one != other for one, other in pairwise(reels))


def test_a_game_that_is_bet_by_its_total_has_no_lines_to_choose(tmp_path: Path) -> None:
    """The bar below the reels is the one that the player had: a total bet, and ways where there are no lines."""
    (tmp_path / "round").mkdir()
    known = record("star_quarry")
    redrawn(tmp_path / "round", known)
    drawn = pygame.image.load(str(tmp_path / "round" / "01.png"))
    rehearsal = Rehearsal()
    view = game_view("star_quarry", state="round", controls=(), bet=Bet(**known["bet"]), bets_cents=(100,))
    rehearsal.view(changed(view, credit_cents=known["credit_before_cents"] - 100))
    bar = WIDE.hud.buttons["coin_value"]
    seen, expected = (pygame.image.tobytes(each.subsurface(bar), "RGB") for each in (drawn, rehearsal.picture()))
    assert seen == expected


def test_a_record_that_was_changed_does_not_match(tmp_path: Path) -> None:
    """Another draw, or another recorded hash, is drawn as it plays and marked."""
    known = record("neptune")
    bound, value = known["segments"][0]["draws"][0]
    known["segments"] = known["segments"][:1]
    known["segments"][0]["draws"][0] = [bound, (value + 1) % bound]
    redrawn(tmp_path, known)
    assert not (tmp_path / "round.json").exists() or not listed(tmp_path)["matches"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"maths_hash": "0" * 64}, "other mathematics"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"segments": [{"answer": None, "draws": [[7, 0]], "win_cents": 0, "sha256": ""}]}, "other draws"),
        ({"segments": 3}, "Expected `array`"),
    ],
)
def test_what_cannot_be_drawn_says_why(tmp_path: Path, change: dict[str, object], words: str) -> None:
    """A record of other mathematics, of an unknown game or of another form ends with one line of why."""
    ended = redrawn(tmp_path, record("neptune") | change)
    assert ended.returncode == 1
    assert words in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_the_credit_is_the_one_that_the_player_saw(tmp_path: Path) -> None:
    """Until the round's end the credit is without the stake; in the last picture it has the win."""
    known = record("neptune")
    redrawn(tmp_path, known)
    staked = known["credit_before_cents"] - known["bet"]["lines"] * known["bet"]["coins_per_line"] * 5
    seen = [shot["credit_cents"] for shot in listed(tmp_path)["shots"]]
    assert len(seen) > 1
    assert set(seen[:-1]) == {staked}
    assert seen[-1] == staked + known["win_cents"]


def test_a_round_is_drawn_in_a_language_and_in_a_currency(tmp_path: Path) -> None:
    """German words and another currency make other pictures of the same round."""
    money = {"symbol": "CHF", "decimal": ",", "thousands": ".", "symbol_first": True}
    pictures = []
    for name, change in (("en", {}), ("de", {"language": "de"}), ("chf", {"money": money})):
        (tmp_path / name).mkdir()
        ended = redrawn(tmp_path / name, record("bewitched") | change)
        assert (ended.returncode, ended.stderr) == (0, "")
        pictures.append((tmp_path / name / "01.png").read_bytes())
    assert len(set(pictures)) == 3
