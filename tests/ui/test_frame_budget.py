import itertools
import threading
from collections.abc import Iterator

import pytest

from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import BAKED, GAMES, Rehearsal
from ui.draw_context import DrawContext
from ui.frame_budget import BudgetSpentError, FrameBudget, StillComingError
from ui.layout import centre
from ui.lettering import PLAIN
from ui.scene_manager import SceneManager
from ui.stage import Stage


def _rationed(name: str, texts: int) -> Rehearsal:
    """Return a rehearsal at the screen `name` that may set about so many new texts in a frame."""
    rehearsal = Rehearsal()
    PROGRAMME[name](rehearsal)
    context = rehearsal.context
    for world in (context.shared, context.world_of("neptune"), context.world_of("mystery_elves")):
        world.preload()
    for game in GAMES:
        context.themes.fetch(game).join()
    ticks: Iterator[int] = itertools.count()
    stage = Stage(rehearsal.screen.canvas, rehearsal.screen.scale)
    rehearsal.scene_manager = SceneManager(
        stage, rehearsal.director, rehearsal.context, share_s=texts, clock=lambda: float(next(ticks))
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
    while not rehearsal.scene_manager.frame_complete:
        frames += 1
        rehearsal.picture()
    assert 2 <= frames < 40
    assert rehearsal.pixels() == at_once.pixels()


def test_a_page_that_is_not_whole_answers_no_finger_and_wants_the_next_frame_at_once() -> None:
    """Nobody sees its controls yet; once it is whole they answer."""
    rehearsal = _rationed("paytable", texts=3)
    x, y = centre(rehearsal.context.layout.book.way_back)
    rehearsal.picture()
    assert not rehearsal.scene_manager.frame_complete
    assert rehearsal.scene_manager.due(rehearsal.now) == rehearsal.now
    assert rehearsal.scene_manager.touch(x, y, rehearsal.now) == ""
    while not rehearsal.scene_manager.frame_complete:
        rehearsal.picture()
    assert rehearsal.scene_manager.touch(x, y, rehearsal.now) == "paytable_close"


class _Hesitant(FrameBudget):
    """A ration under which whatever a thread makes ready is not there when it is first asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[int] = set()

    def wait(self, thread: threading.Thread) -> None:
        if id(thread) not in self.asked:
            self.asked.add(id(thread))
            raise StillComingError
        super().wait(thread)


_MOST_THREADS = 200
_SAMPLE = ("attract", "lobby", "all_lit", "pages_history", "chest_cursor", "double_up_guess", "bewitched_battle_won")


@pytest.mark.parametrize(
    "name", [each if each in _SAMPLE else pytest.param(each, marks=pytest.mark.proof) for each in PROGRAMME]
)
def test_a_screen_whose_pictures_come_late_becomes_the_same_picture(name: str) -> None:
    """Issue 4: a frame that must not wait for an atlas or a game leaves nothing behind, wherever it broke off."""
    at_once = Rehearsal()
    PROGRAMME[name](at_once)
    budget = _Hesitant()
    late = Rehearsal(context=DrawContext(BAKED, 1, budget=budget))
    PROGRAMME[name](late)
    for _ in range(_MOST_THREADS):
        late.picture()
        if late.scene_manager.frame_complete:
            break
    assert late.scene_manager.frame_complete
    assert budget.asked or name.startswith("service")  # words alone
    assert late.pixels() == at_once.pixels()


def test_a_wait_for_a_thread_ends_in_a_frame_and_lasts_without_one() -> None:
    """While frames are drawn what is not ready is done without; before and between them it is waited for."""
    budget, go = FrameBudget(), threading.Event()
    slow = threading.Thread(target=go.wait, daemon=True)
    slow.start()
    budget.renew(1.0, lambda: 0.0)
    with pytest.raises(StillComingError):
        budget.wait(slow)
    go.set()
    budget.renew(float("inf"), lambda: 0.0)
    budget.wait(slow)
    assert not slow.is_alive()


def test_what_is_charged_counts_once_with_its_parts_and_lets_them_be_refused() -> None:
    """A scene that is built spends what its words spend, and breaks off at a word where nothing is left."""
    ticks = itertools.count()
    budget = FrameBudget()
    budget.renew(3.5, lambda: float(next(ticks)))
    assert budget.charge(lambda: budget.spend(lambda: "word")) == "word"  # four readings of the clock: three ticks
    with pytest.raises(BudgetSpentError):
        budget.charge(lambda: (budget.spend(lambda: "first"), budget.spend(lambda: "second")))
    with pytest.raises(BudgetSpentError):
        budget.charge(lambda: "another scene")


def test_a_frame_sets_one_text_at_least_and_no_part_of_one_is_refused() -> None:
    """However slow the machine, each frame gets further."""
    budget, ticks = FrameBudget(), itertools.count()
    budget.renew(0.5, lambda: float(next(ticks)))
    assert budget.spend(lambda: budget.spend(lambda: "set")) == "set"
    with pytest.raises(BudgetSpentError):
        budget.spend(lambda: "one more")


@pytest.mark.parametrize("width", [40, 120, 300, 900])
def test_each_line_holds_as_many_words_as_fit(width: int) -> None:
    """No word that would have fitted begins the next line, and only a lone word is too wide."""
    letters = Rehearsal().context.letters
    said = "Wild stands for every symbol except Mermaid and Treasure, and pays on its own.\n\nHighest win only."
    lines = letters.wrapped(said, 19, width)
    assert " ".join(lines).split() == said.split()
    assert "" in lines
    for line, after in itertools.pairwise(lines):
        assert letters.width(line, 19, PLAIN) <= width or " " not in line
        if line and after and not line.endswith("own."):
            assert letters.width(f"{line} {after.split()[0]}", 19, PLAIN) > width
