"""Reel strips and the windows they show.

A strip is a closed loop of symbols. A stop is the strip position that the top row shows; the rows below
show the positions that follow. Every stop is equally likely, so each row sees each symbol equally often.
"""

from collections.abc import Sequence

from gamekit.play import Draw

Strip = tuple[str, ...]


class Reels:
    """The strips of one window of `rows` rows, spun together."""

    def __init__(self, strips: Sequence[Sequence[str]], rows: int) -> None:
        for number, strip in enumerate(strips, start=1):
            if len(strip) < rows:
                raise ValueError(f"reel {number} has {len(strip)} stops: a window shows {rows}")
        self.strips: tuple[Strip, ...] = tuple(tuple(strip) for strip in strips)
        self.rows = rows
        self.lengths = tuple(len(strip) for strip in self.strips)

    def spin(self, draw: Draw) -> tuple[int, ...]:
        """Draw a stop for each reel, from left to right."""
        return tuple(map(draw, self.lengths))

    def column(self, reel: int, stop: int) -> Strip:
        """Return the symbols of `reel` at `stop`, from top to bottom."""
        strip = self.strips[reel]
        return tuple(strip[(stop + row) % len(strip)] for row in range(self.rows))

    def window(self, stops: Sequence[int]) -> tuple[Strip, ...]:
        """Return the columns that `stops` show, from left to right."""
        return tuple(self.column(reel, stop) for reel, stop in enumerate(stops))
