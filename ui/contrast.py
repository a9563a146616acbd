"""The legibility of words in a picture: the contrast between their letters and the pixels around them.

The measure is the contrast ratio of WCAG 2.2, (L1 + 0.05) / (L2 + 0.05) of relative luminances. Letters are the words'
own shapes, in the middle of their strokes. Their ground is the ring of pixels around each letter in the finished
picture, so an edge drawn around letters counts as ground, and a gloss drawn over them counts as letter. Both are
medians in each third of the words' height, and the worst third counts, because a gradient must not hide half of a word.
"""

import copy
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from gamekit import catalogue
from gamekit.checking import Fault
from ui.baking import catalogues
from ui.baking.pictures import Picture
from ui.baking.sources import STATES, Source, rasterise, read_folder

LEAST = 4.5
"""The least contrast of letters to their ground: WCAG 2.2, success criterion 1.4.3 (AA), for any size."""
_SCALES = ((200, 2.0), (800, 1.0), (10_000, 0.5))
"""Pictures up to each side length are enlarged by the factor for measuring: small letters have few pixels."""
_RING = 2
"""The width of the ring around a letter, in canvas units."""
_EDGE = 0.16
"""The greatest width of the letters' own edge, as a part of the words' height; pixels beyond it can also be ground."""
_THIRDS = 3
_ENOUGH = 12
"""A third with fewer letter pixels than this is ignored."""
_HREF = ("href", "{http://www.w3.org/1999/xlink}href")
_HIDDEN = ("defs", "clipPath", "mask", "symbol", "pattern", "linearGradient", "radialGradient", "filter")

Mask = NDArray[np.bool_]
Luminance = NDArray[np.float64]


class Contrast(NamedTuple):
    """The contrast of some words in one state of a picture (`""`, `_lit`, `_dead`)."""

    words: str
    state: str
    ratio: float


def ratio(first: float, second: float) -> float:
    """Return the contrast ratio of two relative luminances, 1 to 21."""
    light, dark = max(first, second), min(first, second)
    return (light + 0.05) / (dark + 0.05)


def luminance(colours: NDArray[np.uint8]) -> Luminance:
    """Return the relative luminance, 0 to 1, of sRGB colours: an array whose last axis is red, green, blue."""
    part = colours.astype(np.float64) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004  sRGB's own knee
    light: Luminance = linear @ np.array([0.2126, 0.7152, 0.0722])
    return light


def with_words(sources: Iterable[Source]) -> list[Source]:
    """Return the pictures that contain words; digit glyphs are composed by the display and do not count."""
    return [each for each in sources if each.kind != "digits" and ("<text" in each.svg or "data-words" in each.svg)]


def faults(name: str, languages: Iterable[str]) -> list[Fault]:
    """Return the words in a game's pictures that are not legible enough, in English and in `languages`."""
    folder, known = catalogue.folder_of(name) / "display" / "art", catalogues.read_catalogues()
    found: dict[Fault, None] = {}
    for source in with_words(read_folder(folder)):
        own = [catalogues.in_language(source, known[each]) for each in languages if each in known]
        for drawn in [source, *(each for each in own if each is not None)]:
            for words, state, reached in of_words(drawn):
                if reached < LEAST:
                    said = f"{words!r}{state} has a contrast of {reached:.1f}:1 to its ground; give it {LEAST}:1"
                    found[Fault(str(source.path), said)] = None
    return list(found)


def of_words(source: Source) -> list[Contrast]:
    """Return the contrast of all words in a picture, in each of its states."""
    root = ET.fromstring(source.svg)  # noqa: S314 - our own art, read and checked before
    by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
    states = STATES if source.kind == "states" else {"": None}
    side = max(source.width, source.height)
    scale = next(scale for largest, scale in _SCALES if side <= largest)
    found = []
    for state, css in states.items():
        shown = rasterise(source, scale, style=css)
        for words, path in _last_drawn(root, by_id, state or "_normal").items():
            mask = rasterise(source, scale, style=css, svg=_alone(root, path), bare=True)[..., 3]
            found.append(Contrast(words, state, _worst(shown, mask, max(2, round(_RING * scale)))))
    return found


def _last_drawn(root: ET.Element, by_id: dict[str | None, ET.Element], state: str) -> dict[str, tuple[ET.Element, ...]]:
    """Return the path from the root to the uppermost drawing of each word; shadows and edges lie below it."""
    last: dict[str, tuple[ET.Element, ...]] = {}
    for path in _drawn(root, (root,), state):
        target = path[-1]
        if _tag(target) == "use":
            named = next((target.get(name, "") for name in _HREF if target.get(name)), "").lstrip("#")
            target = by_id.get(named, target)
        words = target.get("data-words") or "".join(
            "".join(text.itertext()) for text in target.iter() if _tag(text) == "text"
        )
        if any(letter.isalnum() for letter in words):
            last[words] = path
    return last


def _drawn(element: ET.Element, path: tuple[ET.Element, ...], state: str) -> Iterator[tuple[ET.Element, ...]]:
    """Yield the path to each element that may show words and is drawn in `state`, in drawing order."""
    for child in element:
        classes = child.get("class", "").split()
        if _tag(child) in _HIDDEN or (classes and f"{state.removeprefix('_')}" not in classes):
            continue
        way = (*path, child)
        if _tag(child) in ("text", "use") or child.get("data-words"):
            yield way
        else:
            yield from _drawn(child, way, state)


def _alone(root: ET.Element, path: tuple[ET.Element, ...]) -> str:
    """Return the picture with only the last element of `path`: filled, without edge, light and shadow."""
    places = [list(parent).index(child) for parent, child in pairwise(path)]
    element = alone = copy.deepcopy(root)
    for place in places:
        kept = element[place]
        for child in [child for child in element if child is not kept and _tag(child) not in _HIDDEN]:
            element.remove(child)
        element = kept
        for name in ("filter", "opacity", "fill-opacity"):
            element.attrib.pop(name, None)
    for part in alone.iter():
        if _tag(part) in ("text", "tspan", "use", "path", "g"):
            part.set("fill", "#000")
            part.set("stroke", "none")
    return ET.tostring(alone, "unicode")


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _worst(shown: Picture, cover: NDArray[np.uint8], reach: int) -> float:
    """Return the contrast of letters with this pixel coverage to the rings of that width around them."""
    letters, near = cover > 250, cover > 8  # noqa: PLR2004  wholly covered, and touched
    rows = np.flatnonzero(letters.any(axis=1))
    if not rows.size:
        return 1.0
    return max(_least(shown, letters, ring) for ring in _rings(near, reach, _EDGE * (rows[-1] - rows[0])))


def _rings(near: Mask, reach: int, edge: float) -> Iterator[Mask]:
    """Yield the rings of pixels around letters, one outside the other, until one lies beyond an edge of that width."""
    inner, far = _grown(near, 1), 1
    while True:
        outer = _grown(inner, reach)
        yield outer & ~inner
        inner, far = outer, far + reach
        if far > edge:
            return


def _least(shown: Picture, letters: Mask, ring: Mask) -> float:
    """Return the least contrast of letters to one ring around them, over the thirds of their height."""
    rows = np.flatnonzero(letters.any(axis=1))
    edges = np.linspace(rows[0], rows[-1] + 1, _THIRDS + 1).round().astype(int)
    worst = 21.0
    for ground in (0, 255):  # a transparent pixel may lie on any ground
        opaque = shown[..., 3:].astype(np.float64) / 255
        light = luminance((shown[..., :3] * opaque + ground * (1 - opaque)).round().astype(np.uint8))
        for top, bottom in pairwise(edges):
            inner, outer = light[top:bottom][letters[top:bottom]], light[top:bottom][ring[top:bottom]]
            if min(inner.size, outer.size) >= _ENOUGH:
                worst = min(worst, ratio(float(np.median(inner)), float(np.median(outer))))
    return worst


def _grown(mask: Mask, reach: int) -> Mask:
    """Return `mask` extended to all pixels at most `reach` away, horizontally and vertically."""
    grown = mask
    for axis in (0, 1):
        grown = np.logical_or.reduce([_moved(grown, step, axis) for step in range(-reach, reach + 1)])
    return grown


def _moved(mask: Mask, step: int, axis: int) -> Mask:
    moved = np.roll(mask, step, axis)
    edge = [slice(None), slice(None)]
    edge[axis] = slice(0, step) if step >= 0 else slice(step, None)
    moved[tuple(edge)] = False
    return moved
