"""The character of each byte: ESC t's code pages and ESC R's international character sets (Epson's numbers)."""

from typing import Final

CODE_PAGES: Final = {
    0: "cp437",
    2: "cp850",
    3: "cp860",
    4: "cp863",
    5: "cp865",
    13: "cp857",
    14: "cp737",
    15: "iso8859_7",
    16: "cp1252",
    17: "cp866",
    18: "cp852",
    19: "cp858",
    32: "cp720",
    33: "cp775",
    34: "cp855",
    35: "cp861",
    36: "cp862",
    37: "cp864",
    38: "cp869",
    39: "iso8859_2",
    40: "iso8859_15",
    45: "cp1250",
    46: "cp1251",
    47: "cp1253",
    48: "cp1254",
    49: "cp1255",
    50: "cp1256",
    51: "cp1257",
    52: "cp1258",
    53: "kz1048",
}
"""By the n of ESC t, the tables that Python also has. A printer prints a missing table as its first one."""

_PLACES: Final = "#$@[\\]^`{|}~"
_SETS: Final = (
    "#$@[\\]^`{|}~",  # USA
    "#$à°ç§^`éùè¨",  # France
    "#$§ÄÖÜ^`äöüß",  # Germany
    "£$@[\\]^`{|}~",  # United Kingdom
    "#$@ÆØÅ^`æøå~",  # Denmark I
    "#¤ÉÄÖÅÜéäöåü",  # Sweden
    "#$@°\\é^ùàòèì",  # Italy
    "₧$@¡Ñ¿^`¨ñ}~",  # Spain I
    "#$@[¥]^`{|}~",  # Japan
    "#¤ÉÆØÅÜéæøåü",  # Norway
    "#$ÉÆØÅÜéæøåü",  # Denmark II
    "#$á¡Ñ¿é`íñóú",  # Spain II
    "#$á¡Ñ¿éüíñóú",  # Latin America
    "#$@[₩]^`{|}~",  # Korea
    "#$ŽŠĐĆČžšđćč",  # Slovenia, Croatia
    "#¥@[\\]^`{|}~",  # China
)
INTERNATIONAL_SETS: Final = range(len(_SETS))


def characters(data: bytes, *, code_page: int, international: int) -> str:
    """Return the characters printed for the bytes `data`; a byte without a character is a space."""
    upper = data.decode(CODE_PAGES.get(code_page, CODE_PAGES[0]), errors="replace").replace("\ufffd", " ")
    if len(upper) != len(data):
        return " " * len(data)
    local = str.maketrans(_PLACES, _SETS[international])
    return "".join(chr(byte).translate(local) if byte < 0x7F else seen for byte, seen in zip(data, upper, strict=True))  # noqa: PLR2004 - ASCII
