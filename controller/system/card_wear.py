"""The wear of the books' card, if the card reports it: an eMMC does since version 5.0, an SD card does not."""

import os
from pathlib import Path
from typing import Final

DEVICES: Final = Path("/sys/dev/block")
"""The block devices by number; each is a link to its own folder, and a partition's is within that of its card."""
_WORN_OUT: Final = 0x0B
_RESERVED_PERCENT: Final = {0x02: 80, 0x03: 90}
"""The used part of the reserved blocks in percent, by `pre_eol_info`: warning, then urgent."""


def card_wear_percent(books: Path, devices: Path = DEVICES) -> int | None:
    """Return the used part of the life of the card with this file, or None if the card does not report it.

    The kernel's `life_time` has EXT_CSD 268 and 269 of JESD84-B51, one for each type of memory: 1 to 10 are steps of 10
    %, of which the upper end is taken, and 11 means exceeded. `pre_eol_info` (EXT_CSD 267) is used if it is worse.
    """
    number = books.stat().st_dev
    found = (devices / f"{os.major(number)}:{os.minor(number)}").resolve()
    for device in (found / "device", found.parent / "device"):
        try:
            steps = [int(step, 16) for step in (device / "life_time").read_text("ascii").split()]
            reserved = int((device / "pre_eol_info").read_text("ascii"), 16)
        except (OSError, ValueError):
            continue
        known = [min(step, _WORN_OUT - 1) * 10 for step in steps if 0 < step <= _WORN_OUT]
        worst = max([*known, _RESERVED_PERCENT.get(reserved, 0)])
        return worst or None
    return None
