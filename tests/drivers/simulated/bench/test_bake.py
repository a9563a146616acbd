import json
from importlib.util import find_spec
from pathlib import Path

import pygame
import pytest

from drivers.simulated.bench.bake import BakeError, bake, font_files, svg
from drivers.simulated.bench.sprites import SPRITES, Sprite
from tests.rigs.needing import skipped_where

pytestmark = skipped_where(find_spec("font_manrope") is None, "the fonts are not installed", "pip install '.[bake]'")


@pytest.fixture(scope="module")
def baked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("baked")
    bake(folder, 1)
    return folder


def test_every_picture_shows_something(baked: Path) -> None:
    """No picture of the bench is empty: resvg draws nothing, and says nothing, when a font or a paint is missing."""
    empty = []
    for name in SPRITES:
        picture = pygame.image.load(baked / "bench" / "1x" / f"{name}.png")
        if not pygame.mask.from_surface(picture, 40).count():
            empty.append(name)
    assert empty == []


def test_letters_are_drawn(baked: Path) -> None:
    """The fonts are found: two keycaps of one size that differ only in their letter differ in their pixels."""
    folder = baked / "bench" / "1x"
    assert (folder / "keycap_S.png").read_bytes() != (folder / "keycap_C.png").read_bytes()


def test_what_stands_is_not_drawn_again(baked: Path) -> None:
    """A second start only redraws a picture that is missing or whose source has changed."""
    folder = baked / "bench" / "1x"
    right = {name: (folder / f"{name}.png").read_bytes() for name in ("keycap_S", "coin_50", "note_500")}
    for name in ("keycap_S", "coin_50"):
        (folder / f"{name}.png").write_bytes(b"scribbled over")
    (folder / "note_500.png").unlink()
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"coin_50": "the hash of an older drawing"}))
    bake(baked, 1)
    got = {name: (folder / f"{name}.png").read_bytes() for name in right}
    (folder / "keycap_S.png").write_bytes(right["keycap_S"])
    assert got == right | {"keycap_S": b"scribbled over"}


def test_a_picture_is_twice_as_large_at_twice_the_zoom(tmp_path: Path) -> None:
    """`zoom` is pixels a bench unit."""
    picture = pygame.image.load(bake(tmp_path, 2, {"coin": SPRITES["coin_50"]}) / "coin.png")
    assert picture.get_size() == (88, 88)


def test_an_unknown_drawing_is_named() -> None:
    """A sprite of a drawing that is not there says which file is missing."""
    with pytest.raises(BakeError, match=r"unicorn\.svg: there is no such drawing"):
        svg(Sprite("unicorn"))


def test_an_unfilled_value_is_named() -> None:
    """A drawing that asks for more than its sprite gives says what."""
    with pytest.raises(BakeError, match=r"coin\.svg: \$\w+ is not filled in"):
        svg(Sprite("coin"))


def test_the_fonts_are_files() -> None:
    """The bench writes with the packaged fonts, never with a machine's own."""
    assert [file.suffix for file in font_files()] == [".ttf"] * 3
