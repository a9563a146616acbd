"""The boards on which a cabinet runs, and why others do not fit: one table for `cabinet doctor` and docs/install.md.

`python -m controller.features.doctor.boards` prints the table of docs/install.md.
"""

import re
import sys
from typing import Final, NamedTuple

LEAST_GB: Final = 2
"""The least memory, in GB: the display's unit may use 780 MB, the venue link's 192, besides supervisor and system."""
LEAST_SEEN_MB: Final = 1_600
"""The least that the kernel of a board with `LEAST_GB` reports, in MB: firmware and GPU keep up to 400 MB."""
_PI: Final = "Raspberry Pi "
_TOO_LITTLE: Final = f"less than {LEAST_GB} GB: display, supervisor and system do not fit"
_32_BIT: Final = "a 32-bit processor: the packages and libraries are for 64 bit"


class Board(NamedTuple):
    """Boards of one kind: the device tree's model after `Raspberry Pi `, and why they fit or do not fit."""

    name: str
    models: tuple[str, ...]
    memory: str
    reason: str

    @property
    def fits(self) -> bool:
        """Whether a cabinet runs on it, given enough memory."""
        return self in FITTING


FITTING: Final = (
    Board("Raspberry Pi 5", ("5 Model",), "1 to 16 GB", "the fastest; by hand, since the image is for a Pi 4"),
    Board("Raspberry Pi 4", ("4 Model",), "1 to 8 GB", "what the image and the reckoned speeds are for"),
    Board(
        "Compute Module 4 and 5",
        ("Compute Module 4", "Compute Module 5"),
        "1 to 16 GB",
        "on a carrier with the 40 pins, USB and HDMI",
    ),
    Board("Pi 400, 500", ("400 ", "500 "), "4 to 16 GB", "a Pi 4 or 5 in a keyboard, which stays locked"),
)
_OTHERS: Final = (
    Board("Raspberry Pi 3, Compute Module 3", ("3 Model", "Compute Module 3"), "0.5 to 1 GB", _TOO_LITTLE),
    Board("Zero 2 W", ("Zero 2",), "0.5 GB", f"{_TOO_LITTLE}, and it has one USB socket"),
    Board("Raspberry Pi 2", ("2 Model",), "1 GB", f"{_TOO_LITTLE}; before revision 1.2 {_32_BIT}"),
    Board(
        "Raspberry Pi 1 (2012 to 2014), Zero, Compute Module 1",
        ("Model", "Zero", "Compute Module "),
        "0.25 to 0.5 GB",
        _32_BIT,
    ),
)
BOARDS: Final = (*FITTING, *_OTHERS)
"""All kinds of boards; a kind whose name could match another one comes first."""
MEND: Final = f"use a Raspberry Pi 4 or 5 with {LEAST_GB} GB or more (docs/install.md)"


def board_of(model: str) -> Board | None:
    """Return the kind of board by its device tree's model, or None if it is not in the table."""
    _, pi, rest = model.partition(_PI)
    return next((board for board in BOARDS if pi and rest.startswith(board.models)), None)


def memory_mb(meminfo: str) -> int | None:
    """Return the memory in MB from the text of /proc/meminfo, or None if it is not stated."""
    found = re.search(r"^MemTotal:\s+(\d+) kB", meminfo, re.MULTILINE)
    return None if found is None else int(found[1]) * 1024 // 1_000_000


def table() -> str:
    """Return the table in Markdown."""
    rows = [f"| {one.name} | {one.memory} | {_verdict(one)} | {one.reason} |" for one in BOARDS]
    return "\n".join(("| board | memory | a cabinet | why |", "| --- | --- | --- | --- |", *rows))


def _verdict(board: Board) -> str:
    return f"yes, with {LEAST_GB} GB or more" if board.fits else "no"


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
