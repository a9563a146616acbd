"""Any way of playing all games leaves the books balanced and every round replayable.

Bets change, features are bought, picks taken, wins doubled, autospin runs and past rounds are watched, while doors
open, faults of every class come and go, large wins lock up and the supervisor is killed in the middle of it. Reels are
put on features often, since luck alone would hardly bring them.
"""

from hypothesis import settings

from gamekit.catalogue import load, names
from tests.rigs.stateful.playing import OPENINGS, Playing


def test_every_opening_is_drawn() -> None:
    """Each game's openings are stops of its paid reels, so that they bring what they are there for."""
    for name in names():
        assert all(len(opening) >= load(name).reels for opening in OPENINGS[name])


Playing.TestCase.settings = settings(max_examples=20, stateful_step_count=25)
TestPlaying = Playing.TestCase
