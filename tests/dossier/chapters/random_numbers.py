"""The random numbers: their description, and batteries of raw bits, of reels and of final outcomes."""

import os
import random
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path

from controller.rounds.randomness import WatchedGenerator
from tests.dossier.chapter import Chapter, Run, Written, attached, moved_down, table
from tests.rigs.draw_statistics import OF_ONE_STREAM, of_spins, reels_of, spins_of
from tests.rigs.paths import ROOT

LEVEL = 0.01
RAW_BYTES = 250_000
WIDTHS = {"bits": 1, "bytes": 8}
METHOD = """
## Batteries of this run

Each is run on the operating system's generator and on a control, Python's Mersenne Twister with the seed {seed}. The
bytes of both are kept in the folder `samples`. They go through the cabinet's own generator with its health tests, and
through each game's own play. `python -m tests.dossier --samples FOLDER` runs the batteries on kept bytes again. The
level is {level:.0%} for all p-values of a sample together: each has that divided by their number as its limit.

"""
HEAD = ("sample", "amount", "bytes kept", "p-values", "least p", "its test", "below 0.01 (expected)", "limit", "result")

Entropy = Callable[[int], bytes]
PValues = dict[str, float]


class Kept:
    """A source of bytes that keeps what it gives."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._given = bytearray()

    def __call__(self, count: int) -> bytes:
        """Return `count` bytes; raise `EOFError` if the source has no more."""
        given = self._entropy(count)
        if len(given) < count:
            raise EOFError("the sample ends: give it the amounts that it was drawn with")
        self._given += given
        return given

    def write(self, file: Path) -> None:
        """Write what was given."""
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(self._given)


def write(run: Run) -> Written:
    """Write the page, and draw the samples."""
    rows, values, wrong = [], [], []
    for name, amount, test in samples(run):
        for source, entropy in (("os", os.urandom), ("control", random.Random(run.seed).randbytes)):
            file = f"samples/{name}-{source}.bin"
            given = entropy if run.samples is None else BytesIO((run.samples / Path(file).name).read_bytes()).read
            kept = Kept(given)
            found = test(WatchedGenerator(kept))
            kept.write(run.out / file)
            limit, least = LEVEL / len(found), min(found, key=lambda key: found[key])
            small, passed = sum(p < LEVEL for p in found.values()), found[least] >= limit
            figures = len(found), f"{found[least]:.2g}", least, f"{small} ({LEVEL * len(found):.1f})", f"{limit:.2g}"
            ended = "passed" if passed else "failed"
            rows.append((f"{name}, {source}", amount, attached(run, file), *figures, ended))
            values += [(f"{name}, {source}", key, f"{p:.4f}") for key, p in found.items()]
            if not passed:
                wrong.append(f"Random numbers: {name}, {source}: p {found[least]:.2g} of {least} is below {limit:.2g}.")
    page = moved_down((ROOT / "docs" / "random-numbers.md").read_text("utf-8"))
    method = METHOD.format(seed=run.seed, level=LEVEL)
    every = "\n## Every p-value\n\n" + table(("sample", "test", "p"), values)
    return Written(f"## Description\n{page}\n{method}{table(HEAD, rows)}{every}", wrong)


def samples(run: Run) -> Iterator[tuple[str, str, Callable[[WatchedGenerator], PValues]]]:
    """Yield each sample's name, its amount and its tests."""
    yield "raw", f"{RAW_BYTES:,} bytes", of_raw
    for game in run.games:
        yield game, f"{run.spins:,} spins", lambda generator, game=game: of_game(game, run.spins, generator)


def of_raw(generator: WatchedGenerator) -> PValues:
    """Return the chance of each test of the generator's bits and bytes."""
    data = generator.raw(RAW_BYTES)
    streams = {"bits": [byte >> place & 1 for byte in data for place in range(8)], "bytes": [*data]}
    return {
        f"{test} of {unit}": chance(stream, 2 ** WIDTHS[unit])
        for unit, stream in streams.items()
        for test, chance in OF_ONE_STREAM.items()
    }


def of_game(game: str, spins: int, generator: WatchedGenerator) -> PValues:
    """Return the chance of each test of a game's reels, pairs of reels, windows and final outcomes."""
    return of_spins([*islice(spins_of(game, generator.draw), spins)], reels_of(game))


CHAPTER = Chapter(50, "Random numbers", write)
