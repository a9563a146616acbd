"""The soak's rule: a leak is found by it, and what merely goes up and down is not taken for one."""

import asyncio
import os
import random
import socket
import time
from pathlib import Path

import pytest

from tests.rigs.displayed_cabinet import Presented
from tests.rigs.process_figures import handles
from tests.soak import flat
from tests.soak.cabinet import SoakedCabinet
from tests.soak.day_loop import run_day
from tests.soak.figures import Sample, look

STEADY = {
    "handles": 8,
    "fonts": 0,
    "threads": 2,
    "tasks": 1,
    "blocks": 257_000,
    "objects": 60_200,
    "resident": 76 << 20,
    "surfaces": 2,
    "pixels": 8,
}
"""What a cabinet that is down was seen to hold."""
SAMPLES = 100
CUTS_A_SAMPLE, ROUNDS_A_SAMPLE = 2, 80
"""A day's samples are some ten minutes apart."""
EVERYTHING = flat.HANDLES | flat.MEMORY


def day(grows: str = "", by: float = 0.0) -> list[dict[str, float]]:
    """A day of samples that go up and down, and of which one figure grows by so much a sample."""
    chance = random.Random(1)
    noisy = {"blocks": 1_500, "objects": 300, "resident": 6 << 20}
    return [
        {
            name: figure + chance.uniform(-1, 1) * noisy.get(name, 0) + (by * number if name == grows else 0)
            for name, figure in STEADY.items()
        }
        for number in range(SAMPLES)
    ]


def test_what_goes_up_and_down_is_flat() -> None:
    """Noise as it was seen is no growth, and neither is one sample that is high."""
    samples = day()
    for name in EVERYTHING:
        samples[-1][name] *= 3
    assert flat.grown(samples, EVERYTHING) == {}


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("handles", 1 / 24),
        ("threads", CUTS_A_SAMPLE),
        ("tasks", CUTS_A_SAMPLE),
        ("fonts", CUTS_A_SAMPLE),
        ("surfaces", CUTS_A_SAMPLE),
        ("objects", ROUNDS_A_SAMPLE),
        ("blocks", ROUNDS_A_SAMPLE),
        ("resident", 1024 * ROUNDS_A_SAMPLE * 4),
        ("pixels", 100 * 100 * 4 * ROUNDS_A_SAMPLE),
    ],
)
def test_a_small_leak_is_found(name: str, by: float) -> None:
    """A handle every four hours, a thread a cut, an object or four kilobytes a round: each is found, and it alone."""
    assert set(flat.grown(day(name, by), EVERYTHING)) == {name}


def test_a_figure_that_settles_early_is_flat_and_one_that_falls_too() -> None:
    """Only what is higher in the end than in the beginning grows."""
    samples = day("objects", -100)
    for one in samples[:5]:
        one["blocks"] += 100_000
    assert flat.grown(samples, EVERYTHING) == {}


def test_of_too_few_samples_nothing_is_said() -> None:
    """No verdict is better than one without data."""
    with pytest.raises(ValueError, match="5 samples are too few"):
        flat.grown(day()[:5], EVERYTHING)


def test_handles_are_counted_by_kind(tmp_path: Path) -> None:
    """A file by its name, a socket as one."""
    before = handles()
    with (tmp_path / "a-file").open("w"), socket.socket():
        assert handles() - before == {"a-file": 1, "socket": 1}


class Dark(SoakedCabinet):
    """A cabinet without a display."""

    def start_display(self, screen: Presented | None = None) -> None:
        """Start none."""


class Leaking(Dark):
    """A cabinet of which each start leaves a file handle and a thousand small objects behind."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.left_open: list[int] = []
        self.kept: list[list[list[int]]] = []

    def start_display(self, screen: Presented | None = None) -> None:
        """Leak."""
        del screen
        self.left_open.append(os.open("/dev/null", os.O_RDONLY))
        self.kept.append([[number] for number in range(1000)])


async def lives(cabinet: SoakedCabinet, count: int) -> list[Sample]:
    """Cut the power of `cabinet` so often; return what is held after each cut."""
    samples = []
    for number in range(count):
        await cabinet.start()
        cabinet.start_display()
        await asyncio.sleep(10.0)
        await cabinet.cut(mains=bool(number % 2))
        samples.append(
            await look(cabinet, "down", hours=number, wall_s=time.monotonic(), cuts=number, life=number, start_ms=0.0)
        )
    return samples


def grown_over_cuts(cabinet: SoakedCabinet) -> set[str]:
    """What the rule finds to grow over ten power cuts, the first left out."""
    samples = run_day(lives(cabinet, 10))
    limits = {"handles": 0, "threads": 0, "tasks": 0, "objects": flat.MEMORY["objects"]}
    return set(flat.grown([one.figures() for one in samples[1:]], limits))


@pytest.mark.proof
def test_a_leak_across_power_cuts_is_found(tmp_path: Path) -> None:
    """The whole way, from a handle and objects that each start of a cabinet leaves behind to the rule."""
    cabinet = Leaking(tmp_path, 1)
    try:
        assert grown_over_cuts(cabinet) == {"handles", "objects"}
    finally:
        for handle in cabinet.left_open:
            os.close(handle)


@pytest.mark.proof
def test_a_cabinet_that_is_cut_off_leaves_nothing_behind(tmp_path: Path) -> None:
    """The same ten cuts of the cabinet as it is."""
    assert grown_over_cuts(Dark(tmp_path, 1)) == set()
