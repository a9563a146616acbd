"""One table says which boards a cabinet runs on: the doctor's verdicts and docs/install.md are its copies."""

from pathlib import Path

import pytest

from controller.features.doctor.boards import BOARDS, LEAST_GB, LEAST_SEEN_MB, MEND, board_of, memory_mb, table
from controller.features.doctor.report import report
from controller.system.findings import State
from tests.rigs.doctored import pi4
from tests.rigs.paths import ROOT
from tests.systemd.unit_files import values

MEMINFO = "MemTotal:        {} kB\nMemFree:           12345 kB\n"
FITS = (
    "Raspberry Pi 4 Model B Rev 1.5",
    "Raspberry Pi 5 Model B Rev 1.0",
    "Raspberry Pi Compute Module 4 Rev 1.1",
    "Raspberry Pi Compute Module 4S Rev 1.0",
    "Raspberry Pi Compute Module 5 Rev 1.0",
    "Raspberry Pi 400 Rev 1.0",
    "Raspberry Pi 500 Rev 1.0",
)
FITS_NOT = (
    "Raspberry Pi Model B Rev 2",
    "Raspberry Pi Model B Plus Rev 1.2",
    "Raspberry Pi Model A Plus Rev 1.1",
    "Raspberry Pi Compute Module Rev 1.0",
    "Raspberry Pi 2 Model B Rev 1.1",
    "Raspberry Pi 3 Model B Rev 1.2",
    "Raspberry Pi 3 Model B Plus Rev 1.3",
    "Raspberry Pi 3 Model A Plus Rev 1.0",
    "Raspberry Pi Compute Module 3 Plus Rev 1.0",
    "Raspberry Pi Zero W Rev 1.1",
    "Raspberry Pi Zero 2 W Rev 1.0",
)
"""What the device trees of Raspberry Pi OS call their boards."""


async def judged(folder: Path, model: str, kilobytes: int | None = 3_884_000) -> tuple[State, str, str]:
    """Return the doctor's line on the board of a computer with that model and memory."""
    computer = pi4(folder)
    computer.write("/proc/device-tree/model", f"{model}\0")
    if kilobytes is not None:
        computer.write("/proc/meminfo", MEMINFO.format(kilobytes))
    (line,) = [one for one in await report(computer.world, None) if one.subject == "board"]
    return line.state, line.found, line.mend


@pytest.mark.parametrize("model", FITS)
async def test_boards_that_fit_are_ok_with_their_memory(tmp_path: Path, model: str) -> None:
    """Also one whose memory cannot be read; one with too little of it is not."""
    assert await judged(tmp_path / "4", model) == (State.OK, f"{model}, 3,977 MB of memory", "")
    assert (await judged(tmp_path / "unknown", model, None))[0] is State.OK
    state, found, mend = await judged(tmp_path / "1", model, 945_000)
    assert (state, mend) == (State.MEND, MEND)
    assert found.endswith(f"967 MB of memory: less than {LEAST_GB} GB")


@pytest.mark.parametrize("model", FITS_NOT)
async def test_boards_that_do_not_fit_are_named_with_the_reason(tmp_path: Path, model: str) -> None:
    """Whatever memory they say they have."""
    known = board_of(model)
    assert known is not None
    state, found, mend = await judged(tmp_path, model, 8_000_000)
    assert (state, mend) == (State.MEND, MEND)
    assert known.reason in found


async def test_a_board_of_a_later_day_is_a_note(tmp_path: Path) -> None:
    """Neither OK nor refused: nobody knows."""
    assert (await judged(tmp_path, "Raspberry Pi 6 Model B Rev 1.0"))[0] is State.NOTE


def test_every_board_of_the_table_is_somebody_s() -> None:
    """Each row is found by a device tree's model, and no model by two."""
    assert {board_of(model) for model in (*FITS, *FITS_NOT)} == set(BOARDS)
    assert board_of("Banana Pi") is None


def test_the_least_memory_is_what_the_units_may_take() -> None:
    """The bounds of the units, the supervisor's (docs/benchmarks.md) and half a gigabyte for the system."""
    bounds = [values(unit, "MemoryMax") for unit in ("cabinet-display.service", "cabinet-venue-link.service")]
    most_mb = sum(int(bound.removesuffix("M")) for (bound,) in bounds)
    assert most_mb + 64 + 500 <= LEAST_SEEN_MB
    assert LEAST_SEEN_MB < LEAST_GB * 1000
    assert memory_mb(MEMINFO.format(1_849_000)) == 1_893
    assert memory_mb("") is None


def test_the_manual_has_the_same_table() -> None:
    """`python -m controller.features.doctor.boards` writes it."""
    assert table() in (ROOT / "docs" / "install.md").read_text("utf-8")
