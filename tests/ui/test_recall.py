"""The recall of a round on the screen: marked in every frame, with keys of its own and none of the game's."""

import msgspec
import pytest

from gamekit.catalogue import load
from tests.rigs.views import changed
from tests.ui.programme_recall import KEYS, SEEDS, recalled
from tests.ui.rehearsal import Rehearsal, shape_of
from ui.layout import SHAPES
from ui.scenes.recall import CELLS, EDGE, MARK, SIGNS, Recall
from ui.scenes.service import Service

pytestmark = [pytest.mark.sampled(3), pytest.mark.requirement("L1")]


def marked(rehearsal: Rehearsal) -> bool:
    """Whether the present frame has its edge and its sign."""
    canvas = rehearsal.picture()
    width, height = canvas.get_size()
    left, top, _, tall = SIGNS[shape_of(rehearsal)]
    corners = ((1, height // 2), (width - 2, height // 2), (width // 2, 1), (width // 2, height - 2))
    places = (*corners, (int(left) + EDGE + 2, int(top) + 4), (int(left) + EDGE + 2, int(top + tall) - 4))
    return all(tuple(canvas.get_at(place))[:3] == MARK for place in places)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("game", SEEDS)
def test_every_frame_of_a_recall_is_marked(game: str, shape: str) -> None:
    """Through reels, wins, features and the final picture, of every step."""
    view, _ = recalled(game)
    count = int(view.pages.service.rows[0].value.rpartition(" ")[2]) if view.pages.service else 0
    rehearsal = Rehearsal(shape=shape)
    for at in range(min(count, 3)):
        view, step = recalled(game, at=at, playing=True)
        rehearsal.view(view)
        steps = [msgspec.json.decode(each, type=load(game).step_type) for each in step.steps]
        rehearsal.show(steps, credit_cents=0, win_cents=step.win_cents)
        for _ in range(6):
            rehearsal.wait(0.9)
            assert marked(rehearsal)
        rehearsal.view(recalled(game, at=at)[0])
        assert marked(rehearsal)


def test_a_recall_has_its_own_keys_and_none_of_the_games() -> None:
    """A finger on COLLECT, or where the game had its choices, does nothing."""
    rehearsal = Rehearsal()
    rehearsal.view(recalled("neptune", at=1)[0])
    rehearsal.picture()
    found = {rehearsal.scene_manager.touch(x, y, rehearsal.now) for x in range(0, 1280, 20) for y in range(0, 720, 10)}
    assert found - {""} == {f"service:{key}" for key in KEYS}


def test_leaving_a_recall_leads_back_to_the_page() -> None:
    """The same view without a round on its reels is the menu's page."""
    rehearsal = Rehearsal()
    view, _ = recalled("neptune")
    rehearsal.view(view)
    assert isinstance(rehearsal.scene_manager._beneath(), Recall)
    assert view.pages.service is not None
    assert len(view.pages.service.rows) > CELLS
    rehearsal.view(changed(view, replay=None))
    assert isinstance(rehearsal.scene_manager._beneath(), Service)
