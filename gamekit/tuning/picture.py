"""A picture of what a search did to a game's strips: how many of each symbol the reels hold, before and after."""

from html import escape

from gamekit.exact.definition import count_symbols
from gamekit.reels import Reels

_CELL = 54
_ROW = 22
_LEFT = 130
_TOP = 56


def picture(title: str, before: Reels, after: Reels) -> str:
    """Return an SVG: a row for each symbol, a column for each reel; grey bars before, blue ones after."""
    reels = list(zip(count_symbols(before), count_symbols(after), strict=True))
    symbols = list(dict.fromkeys(symbol for counts, _ in reels for symbol in counts))
    most = max(counts.get(symbol, 0) for pair in reels for counts in pair for symbol in symbols)
    body = []
    for row, symbol in enumerate(symbols):
        y = _TOP + row * _ROW
        body.append(f'<text x="{_LEFT - 10}" y="{y + 13}" text-anchor="end">{escape(symbol)}</text>')
        for reel, (old, new) in enumerate(reels):
            x = _LEFT + reel * (_CELL + 24)
            for counts, top, colour in ((old, 2, "#b8bec8"), (new, 10, "#2a6fdb")):
                width = counts.get(symbol, 0) / most * _CELL
                body.append(f'<rect x="{x}" y="{y + top}" width="{width:.1f}" height="7" fill="{colour}"/>')
            body.append(f'<text x="{x + _CELL + 3}" y="{y + 15}" font-size="10">{new.get(symbol, 0)}</text>')
    for reel, (old, new) in enumerate(reels):
        stops = f"{sum(old.values())} → {sum(new.values())} stops"
        body.append(f'<text x="{_LEFT + reel * (_CELL + 24)}" y="{_TOP - 10}" font-size="10">{stops}</text>')
    width, height = _LEFT + len(reels) * (_CELL + 24), _TOP + len(symbols) * _ROW + 12
    title = f"{title}: symbols on the reels before (grey) and after (blue)"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' font-family="sans-serif" font-size="12" role="img"><title>{escape(title)}</title>'
        f'<rect width="{width}" height="{height}" fill="#fff"/>'
        f'<text x="10" y="22" font-size="14">{escape(title)}</text>'
        f"{''.join(body)}</svg>\n"
    )
