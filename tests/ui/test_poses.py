"""Symbols win as themselves: what moves is read from the SVG, drawn once and put at its place in every pose."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from tests.ui.rehearsal import GAMES
from ui import bake
from ui.baking import poses
from ui.baking.moves import FRAMES, MoveError, read_moves
from ui.baking.parts import motions
from ui.baking.pictures import Picture, to_layer
from ui.baking.sources import ArtError, Source, rasterise, read, read_folder
from ui.theme import load

CALLS = {
    "bewitched": {"owl", "witches", "merlin"},
    "mona_lisa_jewels": {"mona_lisa", "palette", "jewel", "jackpot"},
    "mystery_elves": {"wild", "bonus"},
    "neptune": {"neptune", "mermaid", "treasure"},
    "star_quarry": {"comet", "beacon"},
    "witch_feature": {"wild", "free_spins"},
}
"""The wild, and what starts features: they land and wait in a way of their own too."""
STILL = {"ace", "king", "queen", "jack", "ten", "blank"}
"""Letters, and an empty cell."""
GROUND = '<rect x="20" y="20" width="120" height="110" fill="#0000ff"/>'


def symbol(tmp_path: Path, body: str, root: str = "") -> Source:
    path = tmp_path / "trial.svg"
    size = 'width="160" height="150" data-kind="symbol"'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {size} {root}>{body}</svg>', "utf-8")
    return read(path)


def frame(source: Source, number: int, kind: str = "win", scale: float = 1) -> Picture:
    """Return a frame without its margin; `source` keeps its size by a root that stands still."""
    margin = round(poses.MARGIN_UNITS * scale)
    return poses.frames(source, None, scale)[kind][number][margin:-margin, margin:-margin]


def colour(picture: Picture, x: int, y: int) -> str:
    """Return which of the three colours is strongest at a place."""
    return "rgb"[int(picture[y, x, :3].argmax())]


STILL_ROOT = 'data-win="shift 0 0 beat" data-land="shift 0 0 beat" data-wait="shift 0 0 beat"'
RED = '<rect x="40" y="60" width="20" height="20" fill="#ff0000"'


@pytest.mark.parametrize(
    ("moves", "number", "place"),
    [
        ("shift 50 0 keys 0:0 6:1", 6, (100, 70)),
        ("shift 50 0 beat", 6, (100, 70)),
        ("shift 0 40 wave", 3, (50, 110)),
        ("shift 0 -30 wave times 2 from .5", 8, (50, 100)),
        ("turn 90 at 80 75 keys 0:0 6:1", 6, (85, 45)),
        ("scale 1 2 at 50 80 keys 0:0 6:1", 6, (50, 45)),
        ("lean 45 at 50 100 keys 0:0 6:1", 6, (20, 70)),
        ("bend 40 0 at 50 130 to 50 70 keys 0:0 6:1", 6, (90, 70)),
        ("shift 20 0 keys 0:0 6:1; turn 180 at 80 75 keys 0:0 6:1", 6, (90, 80)),
        ("shift 50 0 steps 0:0 4:1", 11, (100, 70)),
    ],
)
def test_a_part_is_where_its_moves_bring_it(tmp_path: Path, moves: str, number: int, place: tuple[int, int]) -> None:
    """Each move at a known frame: the part is there, and where it was lies what it had hidden."""
    drawn = frame(symbol(tmp_path, f'{GROUND}{RED} id="box" data-win="{moves}"/>', STILL_ROOT), number)
    assert colour(drawn, *place) == "r"
    assert "scale" in moves or colour(drawn, 41, 62) == "b"


def test_a_part_moves_with_the_part_it_lies_in(tmp_path: Path) -> None:
    """Its own moves first, then those of the outer one; what lies over both still lies over them."""
    inner = f'{RED} id="inner" data-win="shift 20 0 keys 6:1"/>'
    body = (
        f'{GROUND}<g id="outer" data-win="shift 0 30 keys 6:1">{inner}</g><circle cx="70" cy="100" r="3" fill="#0f0"/>'
    )
    drawn = frame(symbol(tmp_path, body, STILL_ROOT), 6)
    assert [colour(drawn, x, y) for x, y in ((75, 108), (70, 100), (50, 70))] == ["r", "g", "b"]


def test_what_is_hidden_at_rest_is_shown_in_its_turn(tmp_path: Path) -> None:
    """Shut eyes: not in the resting picture, held by steps, gone again."""
    source = symbol(tmp_path, f'{GROUND}{RED} id="lid" display="none" data-win="show steps 0:0 3:1 5:0"/>', STILL_ROOT)
    assert "".join(colour(frame(source, number), 50, 70) for number in range(6)) == "bbbrrb"
    assert colour(rasterise(source, 1), 50, 70) == "b"


def test_a_clip_stays_where_it_is(tmp_path: Path) -> None:
    """What moves under a clip is cut by the resting clip: a pupil stays in its eye."""
    clip = '<defs><clipPath id="eye"><rect x="30" y="50" width="45" height="45"/></clipPath></defs>'
    body = f'{clip}{GROUND}<g clip-path="url(#eye)">{RED} id="pupil" data-win="shift 20 0 keys 6:1"/></g>'
    drawn = frame(symbol(tmp_path, body, STILL_ROOT), 6)
    assert [colour(drawn, x, 70) for x in (65, 73, 78)] == ["r", "r", "b"]


def test_light_is_added_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Red light on blue keeps the blue."""
    body = f'{GROUND}{RED} id="light" display="none" data-light="yes" data-win="show keys 0:0 6:1"/>'
    source = symbol(tmp_path, body, STILL_ROOT)
    assert frame(source, 6)[70, 50, :3].tolist() == [255, 0, 255]
    assert frame(source, 0)[70, 50, :3].tolist() == [0, 0, 255]


def test_a_part_may_be_referred_to_elsewhere(tmp_path: Path) -> None:
    """`<use>` of a part still draws it where it stands still."""
    body = f'{GROUND}{RED} id="one" data-win="shift 0 30 keys 6:1"/><use href="#one" x="40"/>'
    drawn = frame(symbol(tmp_path, body, STILL_ROOT), 6)
    assert [colour(drawn, x, y) for x, y in ((50, 100), (90, 70), (50, 62))] == ["r", "r", "b"]


@pytest.mark.parametrize("name", ["clam", "mermaid"])
def test_parts_that_stand_still_are_the_whole_source(name: str) -> None:
    """Drawn in parts it looks as a browser draws it: nothing is missing, doubled or in another order."""
    source = read(bake.worlds()["neptune"] / f"{name}.svg")
    whole, parts = to_layer(rasterise(source, 0.5)), poses.Stage(source, 0.5).pose("", 0)[6:-6, 6:-6]
    # Shadows of parts fall on each other, and light of the ground reaches beyond its cell.
    assert float(np.abs(whole - parts).mean()) < 2


@pytest.mark.parametrize(
    "text", ["turn 9 at 5 5 wave", "shift 1 2 beat times 3 from .25", "bend 1 2 at 0 0 to 0 9 keys 0:0 4:1"]
)
def test_a_loop_closes(text: str) -> None:
    """At its end an animation is where it begins, with no jump between."""
    (move,) = read_moves(text)
    amounts = [move.timing.amount(frame / FRAMES / 20) for frame in range(20 * FRAMES)]
    amounts.append(amounts[0])
    assert max(abs(later - sooner) for sooner, later in itertools.pairwise(amounts)) < 0.08


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wobble 3 wave", "'wobble' is no move"),
        ("turn 3 wave", "say `at X Y`"),
        ("shift 3 wave", "shift takes 2 figures, not 1"),
        ("shift 3 4 at 1 1 wave", "no other"),
        ("bend 3 4 at 1 1 to 1 1 wave", "from one place to another"),
        ("turn 3 at 1 wave", "2 figures were expected"),
        ("turn 3 at 1 1", "when is `wave`"),
        ("turn 3 at 1 1 wave times", "when is `wave`"),
        ("turn 3 at 1 1 wave speed 2", "takes `times N`"),
        ("turn 3 at 1 1 wave times 1.5", "whole number"),
        ("show keys 0:0 12:1", "below 12"),
        ("show keys 4:0 2:1", "grow"),
        ("show keys 4", "FRAME:AMOUNT"),
    ],
)
def test_a_motion_that_cannot_be_read_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """The error names the file, the part and what is wrong with it."""
    with pytest.raises(MoveError, match=said):
        read_moves(text)
    with pytest.raises(ArtError, match=rf"trial\.svg: part 'box': .*{said}"):
        poses.frames(symbol(tmp_path, f'{GROUND}{RED} id="box" data-win="{text}"/>'), None, 1)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (f'{RED} data-win="shift 1 1 wave"/>', "has no id"),
        (f'<defs>{RED} id="box" data-win="shift 1 1 wave"/></defs>', "'box' lies in definitions"),
        (f'{RED} id="box" display="none" data-win="shift 1 1 wave"/>', "'box' is never shown"),
        (f'{RED} id="box" data-light="yes" data-win="show beat"/>', "'box' is light"),
        (f'{RED} id="box" data-light="yes"/>', "'box' has data-light and no motion"),
        ('<use href="#nothing" id="box" data-win="shift 1 1 wave"/>', "nothing is drawn of box"),
    ],
)
def test_a_part_that_would_not_be_seen_is_refused(tmp_path: Path, body: str, said: str) -> None:
    """The error names the file and the part."""
    with pytest.raises(ArtError, match=rf"trial\.svg.*{said}"):
        poses.frames(symbol(tmp_path, f'{GROUND}<circle r="9" id="other" data-win="shift 1 1 wave"/>{body}'), None, 1)


@pytest.mark.parametrize("world", sorted(set(GAMES) | CALLS.keys()))
def test_every_picture_symbol_moves_in_a_way_of_its_own(world: str) -> None:
    """Each of every game but letters; wild, scatter and bonus land and wait too, and no two move alike."""
    sources = {each.name: each for each in read_folder(bake.worlds()[world]) if each.kind == "symbol"}
    starting = {trigger.symbol for trigger in load(world).triggers}
    assert starting <= CALLS[world] <= sources.keys()
    moving = {name: motions(source) for name, source in sources.items() if name not in STILL}
    lacking = {name for name, declared in moving.items() if "win" not in declared}
    lacking |= {name for name in CALLS[world] if moving[name].keys() != {"win", "land", "wait"}}
    assert lacking == set()
    texts = [tuple(sorted(declared["win"].values())) for declared in moving.values()]
    assert len(set(texts)) == len(texts)
