"""Full-screen backgrounds: one picture that serves every shape of monitor, cut and never stretched.

A scenery is drawn 1280x1920 units. What a wide monitor shows is its middle; a tall one shows more above and below,
and a portrait one all of its height without the outermost columns. What runs along a monitor's own edge (a border)
bears the class `wide`, `tall` or `portrait` and appears in that shape alone.
"""

from collections.abc import Callable

from ui.baking.pictures import Picture
from ui.baking.sources import ArtError, Source, pixels, rasterise

SIZE = (1280, 1920)
CUTS = {"": (0, 600, 1280, 720), "_tall": (0, 448, 1280, 1024), "_portrait": (100, 0, 1080, 1920)}
"""What is added to the name for each shape, and that shape's left, top, width and height in the picture, in units."""
_CLASSES = {"": "wide", "_tall": "tall", "_portrait": "portrait"}


def cut(source: Source, scale: float) -> dict[str, Picture]:
    """Return the cuts of a scenery by sprite name; raise `ArtError` for a wrong size or a transparent pixel.

    Tall and portrait monitors are drawn at scale 1 only, so their cuts are made at that scale alone.
    """
    if (source.width, source.height) != SIZE:
        raise ArtError(f"{source.path}: a scenery is {SIZE[0]}x{SIZE[1]} units, not {source.width}x{source.height}")
    whole = _drawing(source, scale)
    found: dict[str, Picture] = {}
    for tail, (left, top, width, height) in CUTS.items():
        if tail and scale != 1:
            continue
        rows = slice(pixels(top, scale), pixels(top + height, scale))
        columns = slice(pixels(left, scale), pixels(left + width, scale))
        found[source.name + tail] = whole(tail)[rows, columns].copy()
    return found


def _drawing(source: Source, scale: float) -> Callable[[str], Picture]:
    """Return what draws the whole scenery for a shape: once for all, unless something belongs to one shape alone."""

    def drawn(style: str | None) -> Picture:
        picture = rasterise(source, scale, style=style)
        if int(picture[..., 3].min()) < 255:  # noqa: PLR2004  the largest value of a byte
            raise ArtError(f"{source.path}: a scenery fills its whole picture, but some of it is transparent")
        return picture

    if not any(f'class="{shape}"' in source.svg for shape in _CLASSES.values()):
        picture = drawn(None)
        return lambda _tail: picture
    return lambda tail: drawn(
        ",".join(f".{shape}" for other, shape in _CLASSES.items() if other != tail) + "{display:none}"
    )
