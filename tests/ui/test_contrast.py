"""Words and pictures can be read and told apart: the contrast of words in the art, and shapes without their colour."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pygame
import pytest

from tests.ui.rehearsal import BAKED
from ui import contrast
from ui.atlas import World
from ui.bake import worlds
from ui.baking import catalogues
from ui.baking.sources import Source, read, read_folder

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="76"'
TEXT = 'font-family="Roboto" font-weight="900" font-size="22" text-anchor="middle" x="60" y="46"'
POTIONS = ("red", "blue", "green")
ALIKE = 0.86
"""How much of two shapes may be common to both, of what either covers."""


def drawn(folder: Path, attributes: str, inside: str) -> Source:
    """Return a source that is drawn from such SVG."""
    path = folder / "word.svg"
    path.write_text(f"{HEAD} {attributes}>{inside}</svg>", "utf-8")
    return read(path)


def test_white_on_yellow_is_refused_and_ink_on_yellow_is_not(tmp_path: Path) -> None:
    """The measure finds the ratio that WCAG's formula gives for two flat colours."""
    ground = '<rect width="120" height="76" fill="#ffd050"/>'
    white = drawn(tmp_path, "", f'{ground}<text {TEXT} fill="#fff">COLLECT</text>')
    [found] = contrast.of_words(white)
    assert found.words == "COLLECT"
    assert found.ratio == pytest.approx(1.44, abs=0.02)
    [found] = contrast.of_words(drawn(tmp_path, "", f'{ground}<text {TEXT} fill="#240e00">COLLECT</text>'))
    assert found.ratio > contrast.LEAST


def test_a_gradient_does_not_hide_half_of_a_word(tmp_path: Path) -> None:
    """White letters on a key whose upper half is white too are measured there."""
    halves = '<rect width="120" height="38" fill="#fff"/><rect y="38" width="120" height="38" fill="#000"/>'
    [found] = contrast.of_words(drawn(tmp_path, "", f'{halves}<text {TEXT} fill="#fff">AUTO</text>'))
    assert found.ratio == pytest.approx(1, abs=0.01)


def test_an_edge_counts_as_the_letters_ground_and_a_state_is_measured_by_itself(tmp_path: Path) -> None:
    """White letters with a dark edge can be read on white; a lit key is another ground than a key at rest."""
    keys = (("normal", "#000"), ("lit", "#fff"))
    ground = "".join(f'<rect class="{state}" width="120" height="76" fill="{fill}"/>' for state, fill in keys)
    edged = f'<text {TEXT} fill="#000" stroke="#000" stroke-width="8">BET</text><text {TEXT} fill="#fff">BET</text>'
    assert all(each.ratio > 20 for each in contrast.of_words(drawn(tmp_path, "", ground + edged)))
    plain = drawn(
        tmp_path,
        'data-kind="states"',
        f'{ground}<text {TEXT} fill="#fff">BET</text><rect class="dead" width="9" height="9"/>',
    )
    ratios = {each.state: each.ratio for each in contrast.of_words(plain)}
    assert ratios[""] > 20
    assert ratios["_lit"] < 1.1


def bearing_words() -> Iterator[tuple[str, Source]]:
    """Yield every picture with words, in each language, by what it is called in a report."""
    languages = catalogues.read_catalogues()
    for world, folder in worlds().items():
        for source in contrast.with_words(read_folder(folder)):
            yield f"{world}/{source.name}", source
            for language, catalogue in languages.items():
                if (translated := catalogues.in_language(source, catalogue)) is not None:
                    yield f"{world}/{source.name}.{language}", translated


CASES = [
    pytest.param(*each, id=each[0], marks=[pytest.mark.proof] if "." in each[0] else []) for each in bearing_words()
]
"""Every picture with words; those of another language are proofs, for they differ in their words alone."""


@pytest.mark.proof
@pytest.mark.parametrize(("name", "source"), CASES)
def test_words_in_a_picture_stand_out_from_their_ground(name: str, source: Source) -> None:
    """Every word in the art, in every state and language, has at least 4.5:1 (WCAG 2.2, 1.4.3) to what it lies on."""
    poor = {
        (each.words, each.state): round(each.ratio, 2)
        for each in contrast.of_words(source)
        if each.ratio < contrast.LEAST
    }
    assert not poor, name


@pytest.mark.parametrize("kind", ["potion", "bottle", "token"])
def test_potions_are_told_apart_by_their_shape(kind: str) -> None:
    """Without their colours, as symbols, on the shelf and as tokens, no two potions have nearly the same outline."""
    world = World(BAKED, "witch_feature", 1)
    shapes = {potion: pygame.surfarray.array_alpha(world.sprite(f"{kind}_{potion}")) > 200 for potion in POTIONS}
    for one, other in combinations(POTIONS, 2):
        common, either = shapes[one] & shapes[other], shapes[one] | shapes[other]
        assert np.count_nonzero(common) / np.count_nonzero(either) < ALIKE, (one, other)
