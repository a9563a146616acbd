"""The lobby of few games and of many: tiles that can be read and touched, on as many pages as they need."""

from collections import Counter
from functools import partial
from itertools import combinations
from pathlib import Path

import pygame
import pytest

from tests.rigs.views import changed
from tests.ui.legibility import CASES, TARGET, Reader, poor
from tests.ui.rehearsal import BAKED, BET_RANGES, GAMES, JACKPOTS, Rehearsal
from ui.atlas import World, _Decoding
from ui.draw_context import DrawContext
from ui.layout import SHAPES, Box, centre
from ui.protocol.messages import View
from ui.protocol.view_parts import Balance, Jackpot, LobbyGames

MANY = tuple(f"game_{number}" for number in range(1, 41))
BUTTONS = ("home", "spin", "collect", "info", "sound", "service")
COUNTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 20, 40)


def lobby(games: tuple[str, ...], focus: str = "") -> View:
    """Return the view of a lobby with credit and every control alive."""
    named = (f"{does}:{game}" for game in games for does in ("game", "cursor"))
    return View(
        state="lobby",
        lobby=LobbyGames(games=games, jackpots=JACKPOTS, bet_ranges=BET_RANGES),
        focus=f"game:{focus or games[0]}",
        controls=(*named, *BUTTONS),
        balance=Balance(credit_cents=12_350),
    )


def controls(rehearsal: Rehearsal) -> dict[str, Box]:
    """Return the touch controls of what is shown."""
    return dict(rehearsal.scene_manager._lobby().controls(rehearsal.director))


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes have a point in common."""
    return bool(pygame.Rect(one).colliderect(pygame.Rect(other)))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_game_is_on_one_page_and_every_page_is_reached(shape: str) -> None:
    """By the cursor, which the panel's buttons move, and by the arrows, on and back, round; pages are about as full."""
    rehearsal = Rehearsal(shape=shape)
    for count in COUNTS:
        games, seen, at = MANY[:count], list[str](), MANY[0]
        pages = rehearsal.context.layout.lobby.pages(count)
        assert max(map(len, pages)) - min(map(len, pages)) < len(pages)
        for page in pages:
            rehearsal.view(lobby(games, at))
            placed = controls(rehearsal)
            here = [name.removeprefix("game:") for name in placed if name.startswith("game:")]
            assert here == list(games[page.start : page.stop])
            for game in here:
                rehearsal.view(lobby(games, game))
                assert controls(rehearsal) == placed
            seen += here
            arrows = [name.removeprefix("cursor:") for name in placed if name.startswith("cursor:")]
            assert len(arrows) == (2 if len(pages) > 1 else 0)
            at = arrows[1] if arrows else at
            if arrows:
                rehearsal.view(lobby(games, arrows[0]))
                assert f"cursor:{here[0]}" in controls(rehearsal)
        assert tuple(seen) == games
        assert at == games[0]


@pytest.mark.parametrize("shape", SHAPES)
def test_up_to_nine_games_are_on_one_page(shape: str) -> None:
    """Ten on a wide monitor, twelve on the others; only more are parted."""
    most = SHAPES[shape].lobby.most
    assert most == (10 if shape == "wide" else 12)
    assert [len(SHAPES[shape].lobby.pages(count)) for count in (1, 9, most, most + 1, 2 * most + 1)] == [1, 1, 1, 2, 3]


@pytest.mark.parametrize("shape", SHAPES)
def test_tiles_lie_apart_and_on_the_canvas(shape: str) -> None:
    """With their signs above and their bets below, clear of each other, the buttons, the HUD and the upper edge."""
    layout = SHAPES[shape]
    for count in range(1, layout.lobby.most + 1):
        boxes, tiling, title = layout.lobby.tiles(count)
        assert len(boxes) == count
        zoom, (left, top, across, down) = layout.lobby.zoom, layout.lobby.room
        whole = [(x, y - tiling.rise, wide, high + tiling.rise + 28 * zoom) for x, y, wide, high in boxes]
        for one, other in combinations(whole, 2):
            assert not overlap(one, other), count
        for box in whole:
            assert left <= box[0]
            assert box[0] + box[2] <= left + across
            assert title[1] + 20 * zoom <= box[1] + 6 * zoom, count
            assert box[1] + box[3] <= top + down, count
            assert not any(overlap(box, layout.hud.buttons[name]) for name in BUTTONS)
            assert not overlap(box, layout.hud.box)
        assert title[1] - 20 * zoom >= 0


@pytest.mark.parametrize("shape", SHAPES)
def test_a_hand_hits_tiles_and_arrows(shape: str) -> None:
    """Tiles are at least 170 units wide and 140 high, arrows as large as other keys, and all of them lie apart."""
    rehearsal = Rehearsal(shape=shape)
    rehearsal.view(lobby(MANY))
    placed = controls(rehearsal)
    for one, other in combinations(placed, 2):
        assert not overlap(placed[one], placed[other]), (one, other)
    for name, (_, _, width, height) in placed.items():
        if name.startswith("game:"):
            assert width >= 170
            assert height >= 140
        if name.startswith("cursor:"):
            assert min(width, height) >= (TARGET if shape == "portrait" else 64)
    assert not any(overlap(box, rehearsal.context.layout.lobby.words) for box in rehearsal.context.layout.lobby.arrows)


@pytest.fixture
def worlds(tmp_path: Path) -> Path:
    """Baked art with twenty games that look like ours."""
    for path in BAKED.iterdir():
        (tmp_path / path.name).symlink_to(path)
    for number, name in enumerate(MANY[:20]):
        (tmp_path / name).symlink_to(BAKED / GAMES[number % len(GAMES)])
    return tmp_path


class _Counting(DrawContext):
    """A context that counts how often each atlas is decoded."""

    def __init__(self, baked: Path) -> None:
        self.decoded = Counter[str]()
        super().__init__(baked, 1)

    def _load(self, name: str, size: str) -> World:
        decoded = self.decoded

        class Counted(World):
            def _decoding(self, name: str) -> _Decoding:
                decoded[f"{self.name}/{name}"] += name not in self._atlases
                return super()._decoding(name)

        return Counted(self.baked, name, self.scale, self.layout.shape, size=size, budget=self.budget)


@pytest.mark.parametrize("count", [6, 10])
def test_each_tile_is_decoded_once(worlds: Path, count: int) -> None:
    """For its picture, and for its star as it first moves, at full size and smaller."""
    context = _Counting(worlds)
    rehearsal = Rehearsal(context=context)
    rehearsal.view(lobby(MANY[:count]))
    for _ in range(12 * count):
        rehearsal.picture()
        rehearsal.wait(0.25)
    tiles = {name: times for name, times in context.decoded.items() if "/tile" in name}
    assert set(tiles.values()) == {1}
    assert sum("tile_life" in name for name in tiles) == count


def test_a_finger_turns_the_page(worlds: Path) -> None:
    """What is touched is what is seen: an arrow, then a game of the second page."""
    rehearsal = Rehearsal(context=DrawContext(worlds, 1))
    games = MANY[:13]
    rehearsal.view(lobby(games))
    first = rehearsal.pixels()
    box = rehearsal.context.layout.lobby.arrows[1]
    assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == "cursor:game_8"
    rehearsal.view(lobby(games, "game_8"))
    rehearsal.wait(1)
    assert rehearsal.pixels() != first
    tile = controls(rehearsal)["game:game_9"]
    assert rehearsal.scene_manager.touch(*centre(tile), rehearsal.now) == "game:game_9"


@pytest.mark.parametrize(("shape", "language"), CASES)
def test_signs_can_be_read_however_many_games_there_are(shape: str, language: str) -> None:
    """Jackpots, highest wins and bets, on tiles of every size: 16 minutes of arc and 4.5:1."""
    reader = Reader(shape, language)
    for count in sorted({tiling.most for tiling in SHAPES[shape].lobby.tilings}):
        view = lobby((GAMES * 3)[:count])
        found = [read for read in reader.read(partial(Rehearsal.view, view=view)) if poor(read, shape)]
        assert not found, (count, found)


def test_the_jackpots_of_every_page_are_shown() -> None:
    """A closed one says why; signs of a page are equally large, and are set anew when a jackpot grows."""
    rehearsal = Rehearsal()
    view = lobby(GAMES)
    rehearsal.view(view)
    before = rehearsal.pixels()
    grown = {**JACKPOTS, "bewitched": Jackpot(cents=22_345, coin_value_cents=5)}
    rehearsal.view(changed(view, jackpots=grown))
    assert rehearsal.pixels() != before
    rehearsal.view(view)
    assert rehearsal.pixels() == before
