"""`python -m tests.swarm`: lives from seeds, on all processors, until time or seeds are used up.

A failure is printed with its seed and, with `--shrink`, the shortest script that still fails; `--script FILE` replays
one. It ends with 1 after a failure.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import count, islice
from pathlib import Path

from tests.swarm.living import Outcome, lived, seed_lived
from tests.swarm.script import Life
from tests.swarm.shrinking import shrunk


def main() -> int:
    """Live, and return 1 if anything did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.swarm", description=__doc__)
    parser.add_argument("--seed", type=int, help="live this seed alone")
    parser.add_argument("--first", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--lives", type=int, help="how many seeds")
    parser.add_argument("--hours", type=float, help="how long")
    parser.add_argument("--shrink", action="store_true", help="shorten the script of each failure")
    parser.add_argument("--script", type=Path, help="replay the script in this file")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if options.script is not None:
        return _said(lived(Life.parse(options.script.read_text(encoding="utf-8"))), shrink=options.shrink)
    if options.seed is not None:
        return _said(seed_lived(options.seed), shrink=options.shrink)
    return _swarm(options)


def _swarm(options: argparse.Namespace) -> int:
    began = time.monotonic()
    until = began + 3600 * options.hours if options.hours else float("inf")
    seeds = islice(count(options.first), options.lives or (None if options.hours else 100))
    lives = 0
    befallen: set[tuple[str, str]] = set()
    failures, virtual_s = 0, 0.0
    with ProcessPoolExecutor(options.processes, max_tasks_per_child=200) as pool:
        while time.monotonic() < until:
            together = [*islice(seeds, 20 * options.processes)]
            if not together:
                break
            for outcome in pool.map(seed_lived, together):
                lives += 1
                befallen |= outcome.befallen
                virtual_s += outcome.seconds
                failures += _said(outcome, shrink=options.shrink, quiet=True)
    wall = time.monotonic() - began
    sys.stdout.write(
        f"{lives} lives, {failures} failed; {virtual_s:.0f} s of theirs in {wall:.0f} s; {len(befallen)} rows\n"
    )
    return int(failures > 0)


def _said(outcome: Outcome, *, shrink: bool, quiet: bool = False) -> int:
    """Print a failure and return 1, or 0."""
    if not outcome.wrong:
        if not quiet:
            sys.stdout.write(f"{outcome.life.text}# well, {outcome.seconds:.0f} s\n")
        return 0
    if shrink:
        outcome = shrunk(outcome)
    sys.stdout.write(f"--- seed {outcome.life.seed}\n{outcome.life.text}# {outcome.wrong}\n")
    sys.stdout.flush()
    return 1


if __name__ == "__main__":
    sys.exit(main())
