import asyncio
import gc
import io
import tempfile
import weakref
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gpiozero.pins.mock import MockFactory
from rich.console import Console

from controller.rounds.draws import seeded_source
from drivers.pins.header import PinHeader
from drivers.simulated.pins.factory import ForgetfulPin
from tests.bench.__main__ import measured, table
from tests.bench.core_cabinet import CoreCabinet
from tests.bench.durable import UNIT_CENTS
from tests.bench.figures import Figure, Progress, quantile, tracked
from tests.bench.memory import look

LIKELY_OBJECTS = 100
"""What caches and the moment may add: half of what one object kept of each round would."""


async def objects_held(folder: Path) -> list[int]:
    """Return how many objects the whole process holds after 100, 200 and 300 rounds, and how many files are open."""
    held = []
    async with CoreCabinet(folder, draws=seeded_source(1), unit_cents=UNIT_CENTS, show_s=2.5) as cabinet:
        for number in range(1, 301):
            await cabinet.play_round()
            if number % 100 == 0:
                await asyncio.sleep(60)
                gc.collect()
                # A weak set drops its dead references when it pleases, so they come and go.
                held += [sum(not isinstance(one, weakref.ref) for one in gc.get_objects()), look(number).files]
    return held


async def test_a_supervisor_holds_nothing_of_the_rounds_that_are_over() -> None:
    """After 300 rounds, with lamps that flash and meters that pulse, it holds what it held after 100."""
    with tempfile.TemporaryDirectory(prefix="m") as folder:
        after_100, files, _, _, after_300, files_then = await objects_held(Path(folder))
    assert after_300 - after_100 <= LIKELY_OBJECTS
    assert files_then == files


def test_a_pin_keeps_no_history() -> None:
    """A lamp's pin holds no more after it has blinked a thousand times, and knows its level."""
    header = PinHeader(partial(MockFactory, pin_class=ForgetfulPin))
    lamp = header.output(17, "lamp")
    for _ in range(1000):
        lamp.set(on=True)
        lamp.set(on=False)
    lamp.set(on=True)
    pin = header.factory.pin(17)
    assert (pin.state, pin.states) == (True, [])
    header.close()


def test_the_table_says_of_each_figure_whether_its_aim_was_met() -> None:
    """A missed aim is printed as such, beside what was measured, the floor and the ratio of the two."""
    missed = Figure(what="frame", measured=1.5, floor=0.5, unit="ms", aim="at most 1 ms", met=False, notes="9 frames")
    met = Figure(what="rounds", measured=130_000, floor=1_300_000, unit="/s", aim="100,000 /s", met=True)
    paper = io.StringIO()
    Console(width=160, file=paper).print(table([missed, met], "here"))
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in paper.getvalue().splitlines()]
    assert ["frame", "1.50 ms", "0.50 ms", "3.00", "at most 1 ms", "no"] in lines
    assert ["rounds", "130,000 /s", "1,300,000 /s", "0.10", "100,000 /s", "yes"] in lines


def test_each_figure_is_printed_once_it_is_known() -> None:
    """Before the next one is measured; how far it is, every 15 s; and in the end the table and the times."""
    paper, now = io.StringIO(), [0.0]

    def run(name: str, progress: Progress) -> Iterator[Figure]:
        assert f"{name}: begun" in paper.getvalue()
        for number in tracked(range(4), progress):
            now[0] += 10.0
            if number % 2:
                yield Figure(what=f"{name} {number}", measured=2.5, floor=0.5, unit="s", aim="at most 2 s", met=False)
                assert f"{name} {number}: 2.50 s, floor 0.50 s; at most 2 s: missed" in paper.getvalue()

    measured(("first", "second"), Console(width=160, file=paper), run, lambda: now[0])
    text = paper.getvalue()
    assert "1 of 2, first: 2 of 4 after 20 s\n" in text
    assert "1 of 2, first: 1 of 4" not in text
    assert text.endswith("80 s in all: first 40, second 40\n")
    assert text.index("2 of 2, second: begun") < text.index("│ first 1") < text.index("│ second 3")


def test_a_terminal_shows_bars() -> None:
    """In place of lines, and the figures above them."""
    paper = io.StringIO()

    def run(_name: str, progress: Progress) -> Iterator[Figure]:
        progress(3, 7)
        yield Figure(what="figure", measured=2.5, floor=0.5, unit="s", aim="at most 2 s", met=True)

    measured(("first",), Console(width=160, file=paper, force_terminal=True, color_system=None), run)
    assert "3/7" in paper.getvalue()
    assert "begun" not in paper.getvalue()
    assert "figure: 2.50 s" in paper.getvalue()


def test_a_quantile_is_one_of_the_values() -> None:
    """99 of 100 values do not exceed the 99th percentile; of few values it is the largest."""
    values = [float(value) for value in range(100, 0, -1)]
    assert (quantile(values, 0.99), quantile(values, 0.5), quantile([3.0, 1.0], 0.99)) == (99.0, 50.0, 3.0)
