"""`python -m tests.soak.processes [--minutes 20]`: supervisor, display and devices as processes of their own.

In real time, so it is a short one: what only real processes have (the writer's thread, ptys, pipes, the display's own
loop at sixty frames a second, the C library as it is) is looked at from outside while each of them lives on.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import msgspec

from controller.books.audit import audit
from drivers.simulated.front import Front
from tests.bench.live_cabinet import LiveCabinet
from tests.rigs.process_figures import fonts, handles, resident
from tests.soak import flat

LOOK_S = 5.0
WARM_PART = 1 / 4
"""The part of the time that is left out: by then every game was opened."""
LIMITS = flat.HANDLES | {"resident": flat.MEMORY["resident"]}
NAMES = {"controller.supervisor": "supervisor", "ui": "display", "drivers.simulated": "devices"}
TAPS = ("spin",) * 12 + ("auto", "bet", "lines", "info", "collect", "max_bet", "service")


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What one process holds: bytes, file handles by kind, and threads; `at_s` since the beginning."""

    process: str
    at_s: float
    resident: int
    handles: int
    fonts: int
    threads: int
    kinds: dict[str, int]

    def figures(self) -> dict[str, float]:
        """The figures that must be flat; tasks are not seen from outside."""
        names = ("resident", "handles", "fonts", "threads")
        return {"tasks": 0, **{name: getattr(self, name) for name in names}}


def look(process: str, pid: int, at_s: float) -> Look:
    """Look at a process from outside."""
    kinds = handles(pid)
    typefaces = fonts(kinds)
    return Look(
        process=process,
        at_s=round(at_s, 1),
        resident=resident(pid),
        handles=sum(kinds.values()) - typefaces,
        fonts=typefaces,
        threads=len(list(Path(f"/proc/{pid}/task").iterdir())),
        kinds=dict(sorted(kinds.items())),
    )


def play(cabinet: LiveCabinet, chance: random.Random, front: Front) -> None:
    """Do one thing at the front: money where there is little, the attendant's key where that is awaited, or a press."""
    do = cabinet.hand.client.do
    credit = cabinet.hand.books.credit_cents
    if front.lamps["collect"] and not front.lamps["spin"] and chance.random() < 0.2:
        for turned in ("on", "off"):
            do(f"key attendant {turned}")
            cabinet.rest(0.2)
    elif credit < 500 or chance.random() < 0.02:
        do("take note")
        do(f"note {chance.choice((5, 10, 20))}")
        cabinet.rest(3.0)
    elif chance.random() < 0.05:
        do(f"coin {chance.choice(('0.50', '1', '2'))}")
    else:
        do(f"tap {chance.choice(TAPS)}")
    do("take tray")
    cabinet.rest(chance.choice((0.2, 0.5, 1.0, 2.0)))


def soak(minutes: float, seed: int) -> tuple[list[Look], str]:
    """Play for so long; return what was seen of each process, and what the books say in the end."""
    chance = random.Random(seed)
    looks: list[Look] = []
    with LiveCabinet(seed) as cabinet:
        began = time.monotonic()
        first = {module: process.pid for module, process in cabinet.processes.items()}
        looked = 0.0
        while (at_s := time.monotonic() - began) < minutes * 60:
            if at_s - looked >= LOOK_S:
                looked = at_s
                looks += [look(NAMES.get(module, module), pid, at_s) for module, pid in first.items()]
            play(cabinet, chance, cabinet.hand.client.front)
        now = {module: process.pid for module, process in cabinet.processes.items()}
        assert now == first, f"processes died: {first} became {now}"
        proof = audit(cabinet.run.journal, lambda _what, _done, _total: None)
        assert proof.failures == []
        return looks, f"{proof.rounds} rounds, {proof.replayed} replayed, {proof.ledger_rows} ledger rows"


def report(looks: Sequence[Look], minutes: float, proved: str) -> tuple[str, bool]:
    """Return the report in Markdown, and whether everything was flat."""
    lines = [
        f"{minutes:g} minutes of play by three processes in real time; the books in the end: {proved}.",
        "",
        "| process | figure | first third | last third | growth | limit | |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    well = True
    for process in dict.fromkeys(one.process for one in looks):
        own = [one.figures() for one in looks if one.process == process and one.at_s >= minutes * 60 * WARM_PART]
        third, grown = len(own) // flat.THIRD, flat.grown(own, LIMITS)
        well = well and not grown
        for name in ("resident", "handles", "fonts", "threads"):
            first, last = (f"{median(one[name] for one in part):,.0f}" for part in (own[:third], own[-third:]))
            more, verdict = flat.growth(own, name), "**not flat**" if name in grown else "flat"
            lines.append(f"| {process} | {name} | {first} | {last} | {more:+,.0f} | {LIMITS[name]:,} | {verdict} |")
    newest = {one.process: one for one in looks}
    lines += [
        f"\n{process}: " + ", ".join(f"{kind} {count}" for kind, count in one.kinds.items())
        for process, one in newest.items()
    ]
    return "\n".join(lines) + "\n", well


def main() -> int:
    """Soak real processes; return 1 where anything grew."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.processes", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("build/soak"), help="where the report goes")
    options = parser.parse_args()
    looks, proved = soak(options.minutes, options.seed)
    options.folder.mkdir(parents=True, exist_ok=True)
    text, well = report(looks, options.minutes, proved)
    (options.folder / "processes.md").write_text(text)
    print(text)  # noqa: T201 - for whoever waits
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
