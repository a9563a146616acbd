"""What the display keeps of the games: the one that is open, and nothing of those that were left."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from weakref import ref

import pytest

from tests.rigs.needing import skip
from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import ATTRACT, BAKED, BET_RANGES, GAMES, JACKPOTS, Rehearsal, game_view
from ui.allocation import give_pictures_pages_of_their_own
from ui.atlas import World
from ui.draw_context import DrawContext
from ui.frame_budget import FrameBudget
from ui.protocol.messages import View
from ui.protocol.view_parts import LobbyGames
from ui.scene_cache import KEPT_SCENES, MACHINE, SceneCache
from ui.scenes.attract import TURN_S
from ui.scenes.menu import Menu
from ui.theme import load

ROOT = Path(__file__).parents[2]
PAGES = ("paytable", "menu", "settings", "history", "autospin")

LOBBY = View(state="lobby", lobby=LobbyGames(games=GAMES, jackpots=JACKPOTS, bet_ranges=BET_RANGES))


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nothing is freed but what nobody refers to any more: the display freezes its objects (`gc.freeze`)."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def own_screens(game: str) -> list[str]:
    """Return the names of a game's screens in the programme."""
    others = tuple(f"{name}_" for name in (*GAMES, "recall", "service", "pages") if name != game)
    shared = [name for name in PROGRAMME if not name.startswith(others) and not name.startswith(f"{game}_")]
    return shared if game == "neptune" else [name for name in PROGRAMME if name.startswith(f"{game}_")]


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("game", GAMES)
def test_of_a_game_that_was_left_nothing_is_kept(game: str) -> None:
    """After all its screens another game is opened: its pictures and scenes are gone without a collector."""
    rehearsal = Rehearsal()
    scenes = set()
    worlds = set()
    for name in own_screens(game):
        PROGRAMME[name](rehearsal)
        rehearsal.picture()
        scenes |= {
            ref(scene) for (world, _), scene in rehearsal.scene_manager._scene_cache._games.items() if world == game
        }
        worlds |= {ref(world) for world in rehearsal.context.worlds() if world.name == game}
    assert scenes
    assert worlds
    other = GAMES[GAMES.index(game) - 1]
    rehearsal.view(game_view(other))
    rehearsal.picture()
    assert [scene() for scene in scenes if scene() is not None] == []
    assert [world() for world in worlds if world() is not None] == []
    assert {world.name for world in rehearsal.context.worlds()} == {"ui", other}


def test_attract_and_lobby_decode_one_game() -> None:
    """Each game has had its card; the one whose turn it is stays, and the lobby leaves the game that was open alone."""
    rehearsal = Rehearsal()
    rehearsal.view(game_view("neptune"))
    rehearsal.picture()
    rehearsal.view(LOBBY)
    rehearsal.picture()
    assert {world.name for world in rehearsal.context.worlds()} == {"ui", "neptune"}
    rehearsal.view(ATTRACT)
    rehearsal.context.calm = True  # cards alone
    for _ in GAMES:
        rehearsal.picture()
        assert {world.name for world in rehearsal.context.worlds()} == {"ui", rehearsal.context.opened}
        rehearsal.now += TURN_S


def test_the_game_that_is_open_is_opened_again_at_once() -> None:
    """From the lobby back to the game that was left: its pictures need not be decoded."""
    rehearsal = Rehearsal()
    rehearsal.view(game_view("neptune"))
    rehearsal.picture()
    world = rehearsal.context.world(load("neptune"))
    rehearsal.view(LOBBY)
    rehearsal.picture()
    rehearsal.view(game_view("neptune"))
    rehearsal.picture()
    assert rehearsal.context.world(load("neptune")) is world


def test_the_newest_scenes_of_a_game_are_kept() -> None:
    """Those not seen for the longest time go; the machine's own stay."""
    theme, context = load("neptune"), DrawContext(BAKED, 1)
    scene_cache = SceneCache(context)
    scene_cache.open(theme.world)
    machine = scene_cache.scene(MACHINE, "lobby", lambda: Menu(context, theme))
    first = scene_cache.scene(theme.world, "0", lambda: Menu(context, theme))
    second = scene_cache.scene(theme.world, "1", lambda: Menu(context, theme))
    for name in range(2, KEPT_SCENES):
        scene_cache.scene(theme.world, str(name), lambda: Menu(context, theme))
    assert scene_cache.scene(theme.world, "0", lambda: Menu(context, theme)) is first
    scene_cache.scene(theme.world, "one more", lambda: Menu(context, theme))
    assert scene_cache.scene(theme.world, "0", lambda: Menu(context, theme)) is first
    assert scene_cache.scene(theme.world, "1", lambda: Menu(context, theme)) is not second
    assert scene_cache.scene(MACHINE, "lobby", lambda: Menu(context, theme)) is machine


def test_a_world_that_is_closed_decodes_nothing_more_ahead() -> None:
    """What a loader would go on with is not begun."""
    world = World(BAKED, "neptune", 1, budget=FrameBudget())
    world.close()
    world.preload()
    assert repr(world).endswith("0 atlases loaded>")


_HOLES = """
import re, sys
from pathlib import Path
import pygame
from ui.allocation import give_pictures_pages_of_their_own
def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024
if sys.argv[1] == "own":
    assert give_pictures_pages_of_their_own()
pygame.Surface((4096, 1024), 0, 32).fill(0)  # glibc raises its threshold when this is freed
kept, pictures = [], []
for _ in range(60):
    pictures.append(pygame.Surface((1024, 512), 0, 32))
    pictures[-1].fill(1)
    kept.append(pygame.Surface((64, 64), 0, 32))
held = resident()
pictures.clear()
print(held - resident())
"""


@pytest.mark.parametrize(("way", "given_back"), [("own", True), ("plain", False)])
def test_what_pictures_took_is_given_back(way: str, *, given_back: bool) -> None:
    """120 MiB of pictures that are let go leave the process; without pages of their own they stay as holes."""
    if not give_pictures_pages_of_their_own():
        skip("the C library is not glibc", "run it on Debian")
    ended = subprocess.run([sys.executable, "-c", _HOLES, way], cwd=ROOT, check=True, capture_output=True, text=True)
    assert (int(ended.stdout.split()[-1]) > 110) is given_back
