"""Digit sets: a row of glyphs in one SVG, cut into sprites with their advances."""

from ui.baking.pictures import Picture
from ui.baking.sources import ArtError, Source, pixels, rasterise
from ui.glyphs import glyph_name

Digits = dict[str, int | dict[str, int]]


def cut(source: Source, scale: float) -> tuple[dict[str, Picture], Digits]:
    """Return the glyphs' pictures by sprite name, and the set's entry for the manifest.

    The source has `data-glyphs` (the characters in order), `data-advances` (units, one each), `data-space` and
    `data-pad`. Each glyph is in a box of its advance plus the pad on both sides, side by side.
    """
    try:
        glyphs = source.attributes["data-glyphs"]
        advances = [int(advance) for advance in source.attributes["data-advances"].split()]
        space, pad = int(source.attributes["data-space"]), int(source.attributes["data-pad"])
    except (KeyError, ValueError) as error:
        raise ArtError(f"{source.path}: data-glyphs, -advances, -space and -pad are needed: {error}") from error
    if len(advances) != len(glyphs) or sum(advances) + 2 * pad * len(glyphs) != source.width:
        needed = sum(advances) + 2 * pad * len(glyphs)
        raise ArtError(f"{source.path}: {len(glyphs)} glyphs, {len(advances)} advances, width should be {needed}")
    row = rasterise(source, scale)
    sprites: dict[str, Picture] = {}
    left = 0
    for glyph, advance in zip(glyphs, advances, strict=True):
        width = advance + 2 * pad
        sprite = row[:, pixels(left, scale) : pixels(left + width, scale)].copy()
        if not sprite[..., 3].any():
            raise ArtError(f"{source.path}: the box of {glyph!r} is empty; is its font loaded?")
        sprites[f"{source.name}_{glyph_name(glyph)}"] = sprite
        left += width
    pens = {glyph: pixels(advance, scale) for glyph, advance in zip(glyphs, advances, strict=True)}
    pens[" "] = pixels(space, scale)
    return sprites, {"pad": pixels(pad, scale), "height": pixels(source.height, scale), "advance": pens}
