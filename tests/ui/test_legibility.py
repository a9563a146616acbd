"""Every word that the display draws can be read: large enough at 60 cm on 21 inches, and 4.5:1 to what it lies on."""

import re
from collections.abc import Callable
from functools import partial

import pytest

from tests.ui.legibility import CASES, Reader, Text, least_capitals, poor
from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import Rehearsal
from ui.layout import SHAPES

pytestmark = pytest.mark.sampled(4)

LOOKED_AT = (
    "attract_most",
    "autospin_pad",
    "autospin_settings",
    "bewitched_vials",
    "chest_cursor",
    "double_up_guess",
    "handpay",
    "idle",
    "lobby",
    "mona_lisa_jewels_idle",
    "mystery_elves_idle",
    "mystery_elves_respin",
    "pages_menu",
    "pages_volumes",
    "paytable",
    "witch_feature_idle",
)
"""The screens read by `make test`, which have each kind of ground that letters lie on; the proof reads all."""
LATER_S = (0.3, 0.7, 1.2, 1.6, 2.1)


def later(play: Callable[[Rehearsal], None], seconds: float, rehearsal: Rehearsal) -> None:
    """Lead to a screen and let so many seconds pass."""
    play(rehearsal)
    rehearsal.wait(seconds)


def rolled(text: Text) -> Text:
    """Return a text whose figures may have rolled on: without their digits."""
    return text._replace(words=re.sub(r"[\d.,]+", "0", text.words))


def unreadable(shape: str, language: str, names: tuple[str, ...]) -> dict[str, list[str]]:
    """Return what cannot be read well enough on each of the screens, with its contrast and height.

    What flies past (a coin) is no ground: a text that is poor is looked at again a few moments later.
    """
    reader = Reader(shape, language)
    found = {}
    for name in names:
        poor_ones = {read.text: read for read in reader.read(PROGRAMME[name]) if poor(read, shape)}
        for seconds in LATER_S:
            if poor_ones:
                seen = list(reader.read(partial(later, PROGRAMME[name], seconds)))
                clear = {read.text for read in seen if not poor(read, shape)}
                gone, rolled_on = poor_ones.keys() - {read.text for read in seen}, set(map(rolled, clear))
                readable = (poor_ones.keys() & clear) | {text for text in gone if rolled(text) in rolled_on}
                poor_ones = {text: read for text, read in poor_ones.items() if text not in readable}
        said = [f"{text.words}: {read.ratio:.2f}:1, {text.capitals:.0f} high" for text, read in poor_ones.items()]
        if said:
            found[name] = said
    return found


def test_the_least_letters_are_sixteen_minutes_of_arc() -> None:
    """2.79 mm at 60 cm, of a 21 inch monitor's 465, 417 or 261 mm across 1280, 1280 or 1080 units."""
    assert {shape: round(least_capitals(layout), 1) for shape, layout in SHAPES.items()} == {
        "wide": 7.7,
        "tall": 8.6,
        "portrait": 11.5,
    }


@pytest.mark.parametrize(("shape", "language"), CASES[::2])
def test_words_can_be_read(shape: str, language: str) -> None:
    """On the screens that have each kind of ground, in every shape of monitor."""
    assert not unreadable(shape, language, LOOKED_AT)


@pytest.mark.proof
@pytest.mark.parametrize(("shape", "language"), CASES)
def test_words_can_be_read_on_every_screen(shape: str, language: str) -> None:
    """On every screen of the programme, in every shape of monitor and both languages."""
    assert not unreadable(shape, language, tuple(PROGRAMME))
