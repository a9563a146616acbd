"""The names of a digit set's characters, used by the bake for its sprites and by the display to find them."""

_NAMES = {
    ".": "dot",
    ",": "comma",
    "€": "euro",
    "-": "minus",
    "\N{MULTIPLICATION SIGN}": "times",
    "/": "slash",
    "+": "plus",
}


def glyph_name(character: str) -> str:
    """Return the name of `character` within its set; a digit is its own name."""
    return _NAMES.get(character, character)
