import itertools
from collections.abc import Iterator

import pytest

from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import Rehearsal
from ui.layout import centre
from ui.lettering import PLAIN
from ui.ration import Ration, RationSpentError
from ui.stage import Stage
from ui.theatre import Theatre


def _rationed(name: str, texts: int) -> Rehearsal:
    """Return a rehearsal at the screen `name` that may set about so many new texts in a frame."""
    rehearsal = Rehearsal()
    PROGRAMME[name](rehearsal)
    ticks: Iterator[int] = itertools.count()
    stage = Stage(rehearsal.screen.canvas, rehearsal.screen.scale)
    rehearsal.theatre = Theatre(
        stage, rehearsal.director, rehearsal.props, share_s=texts, clock=lambda: float(next(ticks))
    )
    return rehearsal


@pytest.mark.parametrize("name", ["paytable", "rules", "pages_history", "double_up_guess"])
def test_a_page_that_takes_several_frames_becomes_the_same_picture(name: str) -> None:
    """Issue 4: what is too much for one frame is spread over several, and ends pixel for pixel as if drawn at once."""
    at_once = Rehearsal()
    PROGRAMME[name](at_once)
    rehearsal = _rationed(name, texts=3)
    frames = 0
    rehearsal.picture()
    while not rehearsal.theatre.whole:
        frames += 1
        rehearsal.picture()
    assert 2 <= frames < 40
    assert rehearsal.pixels() == at_once.pixels()


def test_a_page_that_is_not_whole_answers_no_finger_and_wants_the_next_frame_at_once() -> None:
    """Nobody sees its controls yet; once it is whole they answer."""
    rehearsal = _rationed("paytable", texts=3)
    x, y = centre(rehearsal.props.layout.way_back)
    rehearsal.picture()
    assert not rehearsal.theatre.whole
    assert rehearsal.theatre.due(rehearsal.now) == rehearsal.now
    assert rehearsal.theatre.touch(x, y, rehearsal.now) == ""
    while not rehearsal.theatre.whole:
        rehearsal.picture()
    assert rehearsal.theatre.touch(x, y, rehearsal.now) == "paytable_close"


def test_a_frame_sets_one_text_at_least_and_no_part_of_one_is_refused() -> None:
    """However slow the machine, each frame gets further."""
    ration, ticks = Ration(), itertools.count()
    ration.renew(0.5, lambda: float(next(ticks)))
    assert ration.spend(lambda: ration.spend(lambda: "set")) == "set"
    with pytest.raises(RationSpentError):
        ration.spend(lambda: "one more")


@pytest.mark.parametrize("width", [40, 120, 300, 900])
def test_each_line_holds_as_many_words_as_fit(width: int) -> None:
    """No word that would have fitted begins the next line, and only a lone word is too wide."""
    letters = Rehearsal().props.letters
    said = "Wild stands for every symbol except Mermaid and Treasure, and pays on its own.\n\nHighest win only."
    lines = letters.wrapped(said, 19, width)
    assert " ".join(lines).split() == said.split()
    assert "" in lines
    for line, after in itertools.pairwise(lines):
        assert letters.width(line, 19, PLAIN) <= width or " " not in line
        if line and after and not line.endswith("own."):
            assert letters.width(f"{line} {after.split()[0]}", 19, PLAIN) > width
