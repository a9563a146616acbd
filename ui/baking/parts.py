"""The moving parts of a symbol's SVG, and the drawing of each separately.

An element with `data-win`, `data-land` or `data-wait` is a part; parts may be nested. The source is cut into leaves in
drawing order: what moves together is drawn together, once, and `poses` places it in each pose. What a part hides is
drawn too, because everything below it is another leaf. What is invisible at rest (shut eyes, light) has
`display="none"`.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from xml.etree import ElementTree as ET

from ui.baking.moves import Move, MoveError, read_moves
from ui.baking.pictures import Picture
from ui.baking.sources import ArtError, Source, pixels, rasterise

KINDS = ("win", "land", "wait")
"""The animations of a symbol: winning, landing, and waiting while reels that may complete it still spin."""
_SVG = "http://www.w3.org/2000/svg"
_NEVER_DRAWN = {
    f"{{{_SVG}}}{tag}" for tag in ("defs", "clipPath", "mask", "symbol", "pattern", "filter", "title", "desc")
}
_DEFS = f"{{{_SVG}}}defs"
ET.register_namespace("", _SVG)


@dataclass(frozen=True)
class Part:
    """A part that moves as one: its moves in each animation, whether it is hidden at rest, and whether it is light."""

    name: str
    moves: dict[str, tuple[Move, ...]]
    is_hidden: bool = False
    is_light: bool = False

    def opacity(self, kind: str, at: float) -> float:
        """Return its opacity, 0 to 1; without a `show` it stays as it is at rest."""
        shown = [move.timing.amount(at) for move in self.moves.get(kind, ()) if move.verb == "show"]
        return min(1.0, max(0.0, shown[-1])) if shown else float(not self.is_hidden)


class Clip(NamedTuple):
    """The visible area of something: a picture whose alpha states it, and what moves the clip itself."""

    picture: Picture
    chain: tuple[Part, ...]


class Leaf(NamedTuple):
    """What moves together: a picture as large as a pose, the parts that contain it (outermost first), and its clips."""

    picture: Picture
    chain: tuple[Part, ...]
    clips: tuple[Clip, ...]


@dataclass(frozen=True)
class _Run:
    """Neighbours in the source that are drawn together, with the path to their parent."""

    path: tuple[ET.Element, ...]
    elements: tuple[ET.Element, ...]
    chain: tuple[Part, ...]


def motions(source: Source) -> dict[str, dict[str, str]]:
    """Return a source's declared animations: the text of each by part, `{"win": {"tail": "turn ..."}}`."""
    root = _parsed(source)
    declared = {
        kind: {_name(each, source): text for each in root.iter() if (text := each.get(f"data-{kind}"))}
        for kind in KINDS
    }
    return {kind: parts for kind, parts in declared.items() if parts}


def leaves(source: Source, scale: float, margin: int) -> list[Leaf]:
    """Return the leaves of a symbol, lowest first, drawn at `scale` with `margin` more pixels on each side."""
    root = _parsed(source)
    _refuse_strange(root, source)
    sheet = _Sheet(source, root, scale, margin)
    return [sheet.leaf(run) for run in _runs((root,), (_part(root, source),), source)]


def _parsed(source: Source) -> ET.Element:
    return ET.fromstring(source.svg)  # noqa: S314 - our own art, read and checked before


def _name(element: ET.Element, source: Source) -> str:
    name = element.get("id", source.name if element.tag == f"{{{_SVG}}}svg" else "")
    if not name:
        raise ArtError(f"{source.path}: what moves has no id: {dict(element.attrib)}; give it one")
    return name


def _is_part(element: ET.Element) -> bool:
    return any(f"data-{kind}" in element.attrib for kind in KINDS)


def _part(element: ET.Element, source: Source) -> Part:
    """Return the part for an element; raise `ArtError` with the file and the part."""
    name = _name(element, source)
    hidden, light = element.get("display") == "none", element.get("data-light") == "yes"
    try:
        moves = {kind: read_moves(text) for kind in KINDS if (text := element.get(f"data-{kind}"))}
    except MoveError as error:
        raise ArtError(f"{source.path}: part {name!r}: {error}") from error
    shown = [kind for kind, made in moves.items() if any(move.verb == "show" for move in made)]
    if (hidden or light) and not shown:
        raise ArtError(f"{source.path}: part {name!r} is never shown; give it a `show` in one animation")
    if light and not hidden:
        raise ArtError(f'{source.path}: part {name!r} is light, which no rest has; give it display="none"')
    return Part(name, moves, hidden, light)


def _refuse_strange(root: ET.Element, source: Source) -> None:
    """Raise `ArtError` for parts that would never be drawn, and for attributes that are allowed only on parts."""
    for element in root.iter():
        if element.tag in _NEVER_DRAWN:
            for inner in element.iter():
                if _is_part(inner):
                    raise ArtError(f"{source.path}: part {_name(inner, source)!r} lies in definitions; move its <use>")
        if element.get("data-light") and not _is_part(element):
            raise ArtError(f"{source.path}: {element.get('id')!r} has data-light and no motion; say when it is shown")


def _runs(path: tuple[ET.Element, ...], chain: tuple[Part, ...], source: Source) -> Iterator[_Run]:
    """Yield the runs below the last element of `path`, in drawing order."""
    still: list[ET.Element] = []
    for element in path[-1]:
        if element.tag in _NEVER_DRAWN:
            continue
        if not any(_is_part(inner) for inner in element.iter()):
            still.append(element)
            continue
        if still:
            yield _Run(path, tuple(still), chain)
            still = []
        below = (*chain, _part(element, source)) if _is_part(element) else chain
        if any(_is_part(inner) for child in element for inner in child.iter()):
            yield from _runs((*path, element), below, source)
        else:
            yield _Run(path, (element,), below)
    if still:
        yield _Run(path, tuple(still), chain)


class _Sheet:
    """Draws the leaves and clips of one source."""

    def __init__(self, source: Source, root: ET.Element, scale: float, margin: int) -> None:
        self._source = source
        self._root = root
        self._scale = scale
        self._margin = margin
        self._drawn_clip = cache(self._clip)

    def leaf(self, run: _Run) -> Leaf:
        """Return a run as a leaf. A clip of an element that contains a part does not move with the part."""
        chains = _chains(run)
        clipped = [
            number
            for number, element in enumerate(run.path)
            if "clip-path" in element.attrib and len(chains[number]) < len(run.chain)
        ]
        clips = tuple(Clip(self._drawn_clip(run.path[: number + 1]), chains[number]) for number in clipped)
        only = {id(element) for element in run.elements}
        unclipped = {id(run.path[number]) for number in clipped}
        picture = self._draw(_alone(self._root, run.path, only, unclipped))
        if not picture[..., 3].any():
            names = ", ".join(element.get("id", element.tag.rpartition("}")[2]) for element in run.elements)
            raise ArtError(f"{self._source.path}: nothing is drawn of {names}; look for a missing reference")
        return Leaf(picture, run.chain, clips)

    def _clip(self, path: tuple[ET.Element, ...]) -> Picture:
        """Return the visible area of the last element of `path`, in white."""
        everywhere = ET.Element(f"{{{_SVG}}}rect", {"x": "-4000", "y": "-4000", "width": "9000", "height": "9000"})
        everywhere.set("fill", "#fff")
        clipping = copy(path[-1])
        clipping[:] = [everywhere]
        for name in ("filter", "opacity"):
            clipping.attrib.pop(name, None)
        return self._draw(_alone(self._root, path[:-1], {id(path[-1])}, set(), {id(path[-1]): clipping}))

    def _draw(self, svg: str) -> Picture:
        width, height = pixels(self._source.width, self._scale), pixels(self._source.height, self._scale)
        view = (-self._margin, -self._margin, width + 2 * self._margin, height + 2 * self._margin)
        return rasterise(self._source, self._scale, svg=svg, bare=True, view=view)


def _chains(run: _Run) -> list[tuple[Part, ...]]:
    """Return, for each element of the path to a run, the parts that it moves with."""
    number = 0
    lengths: list[tuple[Part, ...]] = []
    for element in run.path:
        number += 1 if _is_part(element) or not lengths else 0
        lengths.append(run.chain[:number])
    return lengths


def _alone(
    element: ET.Element,
    path: tuple[ET.Element, ...],
    only: set[int],
    unclipped: set[int],
    instead: dict[int, ET.Element] | None = None,
) -> str:
    """Return a source that draws only `only` of the last element of `path`; the rest stays for its references."""
    return ET.tostring(_kept(element, path, only, unclipped, instead or {}), encoding="unicode")


def _kept(
    element: ET.Element,
    path: tuple[ET.Element, ...],
    only: set[int],
    unclipped: set[int],
    instead: dict[int, ET.Element],
) -> ET.Element:
    kept = ET.Element(element.tag, dict(element.attrib))
    kept.text = element.text
    if _is_part(element):
        kept.attrib.pop("display", None)
    if id(element) in unclipped:
        del kept.attrib["clip-path"]
    for child in element:
        if id(child) in only and element is path[-1]:
            kept.append(_seen(instead.get(id(child), child)))
        elif any(child is step for step in path):
            kept.append(_kept(child, path, only, unclipped, instead))
        elif child.tag in _NEVER_DRAWN:
            kept.append(child)
        else:
            stored = ET.SubElement(kept, _DEFS)
            stored.append(child)
    return kept


def _seen(element: ET.Element) -> ET.Element:
    """Return a part without the attribute that hides it at rest."""
    if not _is_part(element) or "display" not in element.attrib:
        return element
    seen = copy(element)
    seen.attrib.pop("display")
    return seen
