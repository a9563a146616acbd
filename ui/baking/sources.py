"""SVG sources: reading, shared definitions, and rasterising with resvg.

A source is a plain SVG whose root says what it is by `data-kind`: `picture` (the default), `symbol` (gets a
blurred copy and a win animation), `loop` (twelve pictures of what moves by itself), `states` (drawn once each for
normal, lit and dead), `coin` (drawn at each angle of a turn), `digits` (a row of glyphs) or `scenery` (a background,
cut for each shape of monitor).
`<?include name?>` is replaced by the content of `_name.svg`, looked for beside the source and then in `ui/art`, so
that a gradient or a chisel is written once.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import resvg_py

from ui.baking import fonts
from ui.baking.pictures import Picture, decoded

KINDS = ("picture", "symbol", "loop", "states", "coin", "digits", "scenery")
STATES = {
    "": ".lit,.dead{display:none}",
    "_lit": ".normal,.dead{display:none}",
    "_dead": ".normal,.lit{display:none}",
}
"""The styles in which a source of `states` is drawn, by the suffix of the sprite's name."""
SHARED = Path(__file__).resolve().parent.parent / "art"
_INCLUDE = re.compile(r"<\?include\s+(\w+)\s*\?>")
_ROOT = re.compile(r"^.*?<svg[^>]*>|</svg>\s*$", re.DOTALL)
_SVG_TAG = re.compile(r"<svg\b[^>]*>")
_VIEW = re.compile(r'\s(?:viewBox|width|height)="[^"]*"')
_NAMESPACE = "{http://www.w3.org/2000/svg}"


class ArtError(ValueError):
    """A source cannot be baked; the message names the file and the remedy."""


@dataclass(frozen=True)
class Source:
    """One SVG with everything it includes; `width` and `height` in canvas units."""

    name: str
    path: Path
    svg: str
    kind: str
    width: int
    height: int
    attributes: dict[str, str]


def _included(name: str, beside: Path, seen: tuple[str, ...]) -> str:
    if name in seen:
        raise ArtError(f"_{name}.svg includes itself: {' -> '.join((*seen, name))}")
    for folder in (beside, SHARED):
        path = folder / f"_{name}.svg"
        if path.exists():
            return _expanded(_ROOT.sub("", path.read_text("utf-8")), beside, (*seen, name))
    raise ArtError(f"there is no _{name}.svg in {beside} or {SHARED}; write it or mend the <?include {name}?>")


def _expanded(text: str, beside: Path, seen: tuple[str, ...] = ()) -> str:
    return _INCLUDE.sub(lambda match: _included(match[1], beside, seen), text)


def checked(svg: str, path: Path) -> ET.Element:
    """Return the root of a complete source.

    Raises `ArtError` if it is truncated, an `id` is used twice, or a font or glyph is missing.
    """
    try:
        root = ET.fromstring(svg)  # noqa: S314 - our own art, no foreign document
    except ET.ParseError as error:
        raise ArtError(f"{path}: not well-formed: {error}") from error
    _refuse_twins(root, path)
    for element in root.iter(f"{_NAMESPACE}text"):
        family = element.get("font-family", "")
        weight = element.get("font-weight", "400")
        try:
            fonts.check(family, weight, "".join(element.itertext()))
        except fonts.MissingFontError as error:
            raise ArtError(f"{path}: {error}") from error
    return root


def _refuse_twins(root: ET.Element, path: Path) -> None:
    """Raise `ArtError` for an `id` that two elements have, since a fill or `<use>` would silently take either."""
    ids = Counter(name for element in root.iter() if (name := element.get("id")))
    twins = [name for name, count in ids.items() if count > 1]
    if twins:
        raise ArtError(
            f"{path}: more than one element has the id {', '.join(map(repr, twins))} (its includes count too); "
            "rename all but one, so that fills and references find theirs"
        )


def read(path: Path) -> Source:
    """Return the source at `path`; raise `ArtError` if it cannot be drawn."""
    svg = _expanded(path.read_text("utf-8"), path.parent)
    root = checked(svg, path)
    sizes = [root.get("width", ""), root.get("height", "")]
    if not all(size.isdecimal() and int(size) % 2 == 0 for size in sizes):
        raise ArtError(f"{path}: width and height must be even whole numbers (units), not {sizes}")
    kind = root.get("data-kind", "picture")
    if kind not in KINDS:
        raise ArtError(f"{path}: data-kind {kind!r} is none of {', '.join(KINDS)}")
    return Source(path.stem, path, svg, kind, int(sizes[0]), int(sizes[1]), dict(root.attrib))


def read_folder(folder: Path) -> list[Source]:
    """Return the sources of a world's art folder, by name; files that begin with `_` are only included."""
    return [read(path) for path in sorted(folder.glob("*.svg")) if not path.name.startswith(("_", "."))]


def pixels(units: int, scale: float) -> int:
    """Return `units` as whole pixels."""
    return round(units * scale)


def rasterise(
    source: Source,
    scale: float,
    *,
    svg: str | None = None,
    style: str | None = None,
    bare: bool = False,
    view: tuple[int, int, int, int] | None = None,
) -> Picture:
    """Return `source` (or `svg` in its stead, of the same size) drawn at `scale`; `style` is CSS laid over it.

    `view` is what is drawn of it, where that is not the picture: left, top, width and height in its pixels.
    Raises `ArtError` where the picture has no opaque pixel, unless it may be `bare`: resvg leaves out silently what it
    cannot draw.
    """
    width, height = pixels(source.width, scale), pixels(source.height, scale)
    svg = svg or source.svg
    if view is not None:
        svg = _viewed(source, svg, view, (width, height))
        width, height = view[2:]
    try:
        png = resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            height=height,
            skip_system_fonts=True,
            font_files=fonts.named_in(svg),
            style_sheet=style,
        )
    except ValueError as error:
        raise ArtError(f"{source.path}: resvg refuses it: {error}") from error
    picture = decoded(bytes(png))
    short = [height - picture.shape[0], width - picture.shape[1]]
    if any(short) and max(map(abs, short)) == 1:  # resvg keeps the proportions, and rounds once more
        picture = np.pad(picture, [(0, max(0, rows)) for rows in short] + [(0, 0)], mode="edge")[:height, :width]
    if picture.shape[:2] != (height, width):
        raise ArtError(f"{source.path}: drawn as {picture.shape[1]}x{picture.shape[0]}, not {width}x{height}")
    if not bare and int(picture[..., 3].max()) < 200:  # noqa: PLR2004 - nearly opaque; a lone shadow stays below
        raise ArtError(f"{source.path}: nothing opaque was drawn; look for a missing font or reference")
    return picture


def view_box(source: Source) -> tuple[float, float, float, float]:
    """Return the area that a source shows, in its own units: left, top, width, height."""
    box = source.attributes.get("viewBox", f"0 0 {source.width} {source.height}").replace(",", " ").split()
    left, top, width, height = map(float, box)
    return left, top, width, height


def _viewed(source: Source, svg: str, view: tuple[int, int, int, int], size: tuple[int, int]) -> str:
    """Return `svg`, which is drawn in `size` pixels, restricted to the `view` in those pixels."""
    left, top, width, height = view_box(source)
    across, down = width / size[0], height / size[1]
    box = f"{left + view[0] * across} {top + view[1] * down} {view[2] * across} {view[3] * down}"
    root = _SVG_TAG.search(svg)
    if root is None:
        raise ArtError(f"{source.path}: there is no <svg> in it")
    tag = f'<svg viewBox="{box}" width="{view[2]}" height="{view[3]}"'
    return svg[: root.start()] + _VIEW.sub("", root[0]).replace("<svg", tag, 1) + svg[root.end() :]
