"""The ticket tray: keeps each piece of paper as data, and as a picture in a file."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from drivers.simulated.escpos.paper import Break, Mark, Piece
from drivers.simulated.front import TrayTicket


class _Written(msgspec.Struct, frozen=True):
    """The JSON file beside a picture: the content of the paper, as it was encoded."""

    number: int
    complete: bool
    cut: str
    height: int
    marks: tuple[Mark, ...]
    breaks: tuple[Break, ...]


class TicketTray:
    """Pieces of paper in the order in which they fell; `changed` is called with each one.

    `ticket-000001.png` in `folder` is the first one's picture, `ticket-000001.json` its data. They stay there when a
    hand takes the paper; `printed` counts all.
    """

    def __init__(
        self, folder: Path, *, tickets: Sequence[TrayTicket], printed: int, changed: Callable[[], None]
    ) -> None:
        self._folder = folder
        self._changed = changed
        self.printed = printed
        self.tickets = tuple(tickets)
        self.pieces: list[Piece] = []

    def drop(self, piece: Piece) -> None:
        """Add a piece of paper."""
        self.printed += 1
        self._folder.mkdir(exist_ok=True)
        picture = self._folder / f"ticket-{self.printed:06d}.png"
        picture.write_bytes(piece.png())
        written = _Written(self.printed, piece.complete, piece.cut, piece.height, piece.marks, piece.breaks)
        picture.with_suffix(".json").write_bytes(msgspec.json.encode(written))
        self.pieces.append(piece)
        self.tickets = (
            *self.tickets,
            TrayTicket(
                number=self.printed,
                complete=piece.complete,
                codes=tuple(piece.codes),
                picture=str(picture),
            ),
        )
        self._changed()

    def take(self) -> None:
        """Take all paper out."""
        self.tickets = ()
        self.pieces.clear()
        self._changed()
