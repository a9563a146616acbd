"""What the characters of digit sets are called: the bake names its sprites so, and the display looks them up."""

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
    """Return the name of `character` within its set: digits are their own."""
    return _NAMES.get(character, character)
