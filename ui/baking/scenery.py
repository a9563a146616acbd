"""Full-screen backgrounds: one picture for every shape of monitor, cropped and never stretched.

A scenery is drawn 1280x1920 units. A wide monitor shows its middle; a tall one shows more above and below, and a
portrait one its full height without the outermost columns. An element along a monitor's own edge (a border) has the
class `wide`, `tall` or `portrait` and appears only in that shape.
"""

from ui.baking.pictures import Picture
from ui.baking.sources import ArtError, Source, pixels, rasterise

SIZE = (1280, 1920)
CUTS = {"": (0, 600, 1280, 720), "_tall": (0, 448, 1280, 1024), "_portrait": (100, 0, 1080, 1920)}
"""The name suffix of each shape, with its left, top, width and height in the picture, in units."""
_REACH = 80
"""How far, in units, a cut is drawn beyond its edges; the widest blur (`b24`) reaches this far."""
_CLASSES = {"": "wide", "_tall": "tall", "_portrait": "portrait"}


def cut(source: Source, scale: float) -> dict[str, Picture]:
    """Return the cuts of a scenery by sprite name; raise `ArtError` for a wrong size or a transparent pixel.

    Tall and portrait monitors are drawn at scale 1 only, so their cuts are made at that scale alone.
    """
    if (source.width, source.height) != SIZE:
        raise ArtError(f"{source.path}: a scenery is {SIZE[0]}x{SIZE[1]} units, not {source.width}x{source.height}")
    tails = CUTS if scale == 1 else [""]
    if len(tails) == 1 or any(f'class="{shape}"' in source.svg for shape in _CLASSES.values()):
        return {source.name + tail: _alone(source, scale, tail) for tail in tails}
    whole = _checked(source, rasterise(source, scale))
    return {source.name + tail: whole[_inner(scale, tail)].copy() for tail in tails}


def _alone(source: Source, scale: float, tail: str) -> Picture:
    """Return the cut for one shape, drawing only what that shape shows."""
    left, top, width, height = (pixels(units, scale) for units in CUTS[tail])
    right, bottom = (pixels(units, scale) for units in SIZE)
    reach = pixels(_REACH, scale)
    above, before = min(reach, top), min(reach, left)
    view = (
        left - before,
        top - above,
        before + width + min(reach, right - left - width),
        above + height + min(reach, bottom - top - height),
    )
    others = (f".{shape}" for other, shape in _CLASSES.items() if other != tail)
    picture = rasterise(source, scale, style=",".join(others) + "{display:none}", view=view)
    return _checked(source, picture[above : above + height, before : before + width].copy())


def _inner(scale: float, tail: str) -> tuple[slice, slice]:
    """Return the rows and columns of a shape's cut in the whole picture."""
    left, top, width, height = (pixels(units, scale) for units in CUTS[tail])
    return slice(top, top + height), slice(left, left + width)


def _checked(source: Source, picture: Picture) -> Picture:
    if int(picture[..., 3].min()) < 255:  # noqa: PLR2004  the largest value of a byte
        raise ArtError(f"{source.path}: a scenery fills its whole picture, but some of it is transparent")
    return picture
