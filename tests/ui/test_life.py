"""What moves for show alone while a game waits: where, how often, and when it stands still."""

from itertools import groupby, pairwise

import pygame
import pytest

from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import GAMES, Rehearsal, game_view
from ui.canvas import SoftwareCanvas
from ui.heat import ASKED_EVERY_S, COOL_C, HOT_C, Heat
from ui.layout import SHAPES
from ui.picture import TILE_LIFE, Dweller
from ui.protocol.messages import View
from ui.protocol.view_parts import LobbyGames
from ui.scenes.game import CALL_S, CALLS_AFTER_S
from ui.scenes.life import Life, living
from ui.scenes.tile_light import EVERY_S
from ui.scenes.wins import WIN_FRAMES
from ui.stage import Stage
from ui.theme import load

pytestmark = pytest.mark.sampled(2)


def waiting(game: str, **changes: object) -> Rehearsal:
    """Return an idle game that has been drawn."""
    rehearsal = Rehearsal()
    rehearsal.view(game_view(game, **changes))
    rehearsal.picture()
    return rehearsal


@pytest.mark.parametrize("game", GAMES)
def test_an_idle_game_moves_between_fifteen_and_thirty_times_a_second(game: str) -> None:
    """Each picture differs from the one before."""
    rehearsal = waiting(game)
    pictures = []
    for _ in range(20):
        due = rehearsal.scene_manager.due(rehearsal.now)
        assert 1 / 30 - 1e-6 <= due - rehearsal.now <= 1 / 15
        rehearsal.now = due
        pictures.append(rehearsal.pixels())
    assert all(later != sooner for sooner, later in pairwise(pictures))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("shape", ["wide", "tall", "portrait"])
def test_nothing_drifts_over_a_button_or_into_the_reels(game: str, shape: str) -> None:
    """Lanes lie beside the frame and between the buttons; the HUD's figures are out of reach."""
    layout = SHAPES[shape]
    theme = load(game)
    lanes = [layout.moved(drift.lane) for drift in theme.life]
    if shape == "portrait":
        lanes = [drift.lane for drift in theme.portrait_life]
    assert lanes
    for left, top, width, height in lanes:
        assert 0 <= left < left + width <= layout.canvas[0]
        assert top + height <= layout.hud.box[1]
        signs = (layout.hud.message, *filter(None, [layout.signs.pay_glass if shape == "portrait" else None]))
        for x, y, across, down in (*layout.hud.buttons.values(), layout.reels, *signs):
            assert left + width <= x or x + across <= left or top + height <= y or y + down <= top


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("shape", ["wide", "portrait"])
def test_what_dwells_in_a_world_moves_in_its_lane_and_is_gone_while_it_rests(game: str, shape: str) -> None:
    """Beside what drifts each world has creatures or lights of its own."""
    context, theme = Rehearsal(shape=shape).context, load(game)
    dwellers = [each for each in living(theme, context.layout) if isinstance(each, Dweller)]
    assert dwellers
    ground = pygame.Surface(tuple(map(int, context.layout.canvas)), 0, 32)
    for dweller in dwellers:
        life, world = Life(context.layout, (dweller,)), context.world(theme)
        wide = world.sprite(f"{dweller.loop}_00").get_width()
        lasts_s = (dweller.lane[2] + wide) / abs(dweller.speed) if dweller.speed else dweller.loop_s
        looks = set()
        for number in range(24):
            stage = Stage(SoftwareCanvas(ground.get_size()), 1)
            stage.begin(ground)
            life.draw(stage, world, number / 24 * (lasts_s + dweller.rests_s))
            drawn = stage.canvas.copy()
            looks.add(bytes(drawn.get_buffer().raw))
            drawn.fill((0, 0, 0), stage.pixels(dweller.lane))
            assert drawn.get_buffer().raw == ground.get_buffer().raw, dweller
        frames = {
            pygame.image.tobytes(world.sprite(f"{dweller.loop}_{number:02}"), "RGBA") for number in range(WIN_FRAMES)
        }
        assert len(looks) >= (5 if dweller.speed else min(5, len(frames))) > 1, dweller
        assert not dweller.rests_s or bytes(ground.get_buffer().raw) in looks, dweller


def test_a_hot_computer_stands_still_and_goes_on_when_it_has_cooled() -> None:
    """By the sensor's figure, asked now and then, with room between hot and cool."""
    measured: list[float | None] = [None, HOT_C - 1, HOT_C, HOT_C - 1, COOL_C, COOL_C - 1, HOT_C - 1]
    asked = iter(measured)
    heat = Heat(lambda: next(asked))
    said = []
    for number in range(len(measured)):
        said.append(heat.hot(number * ASKED_EVERY_S))
        assert heat.hot(number * ASKED_EVERY_S + 1) is said[-1]
    assert said == [False, False, True, True, True, False, False]
    rehearsal = waiting("neptune")
    rehearsal.context.calm = True
    rehearsal.picture()
    still = rehearsal.pixels()
    assert rehearsal.scene_manager.due(rehearsal.now) == float("inf")
    rehearsal.wait(CALLS_AFTER_S + 1)
    assert rehearsal.pixels() == still
    rehearsal.context.calm = False
    rehearsal.picture()
    assert rehearsal.scene_manager.due(rehearsal.now) < float("inf")


def lit(rehearsal: Rehearsal) -> bytes:
    """Return how the SPIN button looks."""
    left, top, width, height = rehearsal.context.layout.hud.buttons["spin"]
    hud = rehearsal.context.layout.hud.box[1]
    box = (left, hud, width, top + height - hud)
    return bytes(rehearsal.picture().subsurface(tuple(map(int, box))).copy().get_buffer().raw)


def test_spin_calls_after_some_seconds_and_less_than_three_times_a_second() -> None:
    """It lights up again and again; before, and where a press would play nothing, it does not."""
    rehearsal = waiting("neptune")
    rehearsal.director.picture_since = rehearsal.now
    calm = lit(rehearsal)
    looks = []
    for _ in range(round((CALLS_AFTER_S + 3 * CALL_S) * 60)):
        rehearsal.wait(1 / 60)
        looks.append(lit(rehearsal) != calm)
    assert not any(looks[: round(CALLS_AFTER_S * 60) - 2])
    changes = sum(before != after for before, after in pairwise(looks))
    assert 4 <= changes <= 6
    dead = waiting("neptune", controls=("service",))
    dead.director.picture_since = dead.now
    calm = lit(dead)
    dead.wait(CALLS_AFTER_S + 0.1)
    assert lit(dead) == calm


def test_a_past_round_is_shown_without_decoration() -> None:
    """What is shown again stands as it was."""
    rehearsal = Rehearsal()
    PROGRAMME["recall_neptune"](rehearsal)
    first = rehearsal.pixels()
    rehearsal.now += 0.3
    assert rehearsal.pixels() == first


def test_a_light_runs_over_one_tile_of_the_lobby_after_another() -> None:
    """Every tile in turn, in that tile alone; between two, and on a hot computer, nothing is drawn."""
    rehearsal = Rehearsal()
    rehearsal.view(View(state="lobby", lobby=LobbyGames(games=GAMES[:3]), controls=("sound",)))
    layout, rehearsal.context.calm = rehearsal.context.layout, True
    # The names of the games, below the stars, which move by themselves.
    tiles = [pygame.Rect(left + 20, top + 170, width - 40, 40) for left, top, width, _ in layout.lobby.tiles(3).boxes]
    still = [rehearsal.picture().subsurface(tile).copy().get_buffer().raw for tile in tiles]
    assert rehearsal.scene_manager.due(rehearsal.now) == float("inf")
    rehearsal.context.calm = False
    rehearsal.now, moved = 120.0, []
    while rehearsal.now < 120 + 3 * EVERY_S:
        looks = [rehearsal.picture().subsurface(tile).copy().get_buffer().raw for tile in tiles]
        moved.append(tuple(number for number, look in enumerate(looks) if look != still[number]))
        due = rehearsal.scene_manager.due(rehearsal.now)
        assert 0 < due - rehearsal.now < EVERY_S
        rehearsal.now = due
    turns = [turn for turn, _ in groupby(moved) if turn]
    assert sorted(turns) == [(0,), (1,), (2,)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("games", [GAMES, (*GAMES, *GAMES[:2])])
def test_the_star_of_each_tile_of_the_lobby_moves_now_and_then(shape: str, games: tuple[str, ...]) -> None:
    """In its piece of the tile alone; it stands still between, and on a hot computer, in smaller tiles too."""
    rehearsal = Rehearsal(shape=shape)
    rehearsal.view(View(state="lobby", lobby=LobbyGames(games=games), controls=("sound",)))
    layout, rehearsal.context.calm = rehearsal.context.layout, True
    boxes, tiling, _ = layout.lobby.tiles(len(games))
    left, top, width, height = TILE_LIFE
    pieces = [
        pygame.Rect([round(side * tiling.zoom) for side in (18 + left, 18 + top, width, height)]).move(x, y)
        for x, y, _, _ in boxes
    ]
    still = rehearsal.picture().copy()
    rehearsal.context.calm = False
    moves, stands = [set[bytes]() for _ in pieces], [0] * len(pieces)
    for _ in range(90):
        picture = rehearsal.picture()
        for number, piece in enumerate(pieces):
            look = picture.subsurface(piece).copy().get_buffer().raw
            stands[number] += look == still.subsurface(piece).copy().get_buffer().raw
            moves[number].add(look)
        rehearsal.now = rehearsal.scene_manager.due(rehearsal.now)
    assert all(stands)
    assert all(len(looks) > WIN_FRAMES / 2 for looks in moves)


def test_what_a_clip_leaves_out_is_not_covered_in_the_next_frame() -> None:
    """A frame costs no more than what was seen of its sprites: beyond their lane nothing is laid anew."""
    stage = Stage(SoftwareCanvas((100, 100)), 1)
    ground, sprite = pygame.Surface((100, 100), 0, 32), pygame.Surface((60, 60), 0, 32)
    stage.begin(ground)
    stage.canvas.set_clip(pygame.Rect(0, 0, 30, 30))
    stage.draw_all_centred([(sprite, 30, 30)])
    stage.canvas.set_clip(None)
    for place in ((20, 20), (50, 50)):
        stage.canvas.fill((255, 0, 0), pygame.Rect(place, (1, 1)))
    stage.begin(ground)
    shown = stage.canvas.copy()
    assert [shown.get_at(place)[:3] for place in ((20, 20), (50, 50))] == [(0, 0, 0), (255, 0, 0)]
