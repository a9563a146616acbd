"""What the journal's tests share: opening a journal in a folder, and segments of no particular game."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from controller.journal.rounds import Segment, Wager
from controller.journal.store import Store


@contextmanager
def opened(folder: Path, *, create: bool = True) -> Iterator[Store]:
    """Open the journal in `folder` and close it afterwards."""
    store = Store(folder / "journal.sqlite", lambda: 0, simulated=True, create=create)
    try:
        yield store
    finally:
        store.close()


def wager(cents: int = 100) -> Wager:
    """A bet of `cents` on a game that is never replayed here."""
    return Wager(game="none", maths_version=1, maths_hash="0" * 64, lines=1, coins_per_line=cents, coin_value_cents=1)


def segment(win: int, *, ends: bool, answer: int | None = None) -> Segment:
    """A segment that pays `win` cents and ends the round or not."""
    return Segment(
        answer=answer,
        draws=((10, 3),),
        steps=(msgspec.Raw(b'{"type":"beat"}'),),
        win_cents=win,
        memory="null" if ends else None,
    )
