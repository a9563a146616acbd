"""The boards that a cabinet runs on, and why others are none: `cabinet doctor` and docs/install.md have this one table.

`python -m controller.features.doctor.boards` prints the table of docs/install.md.
"""

import re
import sys
from typing import Final, NamedTuple

LEAST_GB: Final = 2
"""The least memory: the display's unit may take 780 MB and the venue link's 192, beside supervisor and system."""
LEAST_SEEN_MB: Final = 1_600
"""What the kernel of a board with `LEAST_GB` counts at least: firmware and GPU keep up to 400 MB of it."""
_PI: Final = "Raspberry Pi "
_TOO_LITTLE: Final = f"less than {LEAST_GB} GB: display, supervisor and system do not fit"
_32_BIT: Final = "a 32-bit processor: the packages and libraries are for 64 bit"


class Board(NamedTuple):
    """Boards of one kind: how their device tree's model goes on after `Raspberry Pi `, and why they fit or do not."""

    name: str
    models: tuple[str, ...]
    memory: str
    reason: str

    @property
    def fits(self) -> bool:
        """Whether a cabinet runs on it, with memory enough."""
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
"""Each kind of board, those that may be taken for another one first."""
MEND: Final = f"use a Raspberry Pi 4 or 5 with {LEAST_GB} GB or more (docs/install.md)"


def board_of(model: str) -> Board | None:
    """Return the kind of board by its device tree's model, None for one that is not in the table."""
    _, pi, rest = model.partition(_PI)
    return next((board for board in BOARDS if pi and rest.startswith(board.models)), None)


def memory_mb(meminfo: str) -> int | None:
    """Return the memory in MB by the text of /proc/meminfo, None where it does not say."""
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
