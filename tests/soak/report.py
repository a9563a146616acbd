"""What a soak has to say, in Markdown: what was done, what was compared, what is held hour by hour, flat or not."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING

from tests.soak import flat
from tests.soak.figures import Sample
from tests.soak.host import METERS

if TYPE_CHECKING:
    from tests.soak.day import Day

WARM_PART = 1 / 8
"""The part of the day that is left out: by then every game was opened, every cache is full."""

LONG_LIFE = flat.LEAST + 2
"""A supervisor that was looked at so often within one life has lived long enough to be judged by itself, but for the
first two looks."""

EVERYTHING = flat.HANDLES | flat.MEMORY
RUNNING = flat.HANDLES | {"objects": flat.MEMORY["objects"]}
"""What is judged while everything runs. Memory, pictures and typefaces are then those of the games that this display
has opened so far; with nothing running they are all gone, and what is left must be flat."""


def verdicts(samples: Sequence[Sample]) -> dict[str, dict[str, float]]:
    """Return what has grown beyond its limit, by series: across cuts, running, and within each long life."""
    longest = max((one.hours for one in samples), default=0.0)
    warm = [one for one in samples if one.hours >= longest * WARM_PART]
    series = {
        "across cuts, with nothing running": ([one for one in warm if one.where == "down"], EVERYTHING),
        "across cuts, with everything running": ([one for one in warm if one.where == "up"], RUNNING),
    }
    running = [one for one in samples if one.where == "up"]
    for _life, of_life in groupby(running, key=lambda one: one.life):
        looks = list(of_life)
        if len(looks) >= LONG_LIFE:
            name = f"within the life from hour {looks[0].hours:.1f} to {looks[-1].hours:.1f}"
            series[name] = (looks[2:], RUNNING)
    return {
        name: flat.grown([one.figures() for one in looks], limits)
        for name, (looks, limits) in series.items()
        if len(looks) >= flat.LEAST
    }


def report(day: "Day", samples: Sequence[Sample]) -> str:
    """Return the whole report."""
    newest = samples[-1] if samples else None
    lived, wall, cpu = (newest.hours, newest.wall_s, newest.cpu_s) if newest else (0.0, 0.0, 0.0)
    state = f"**{len(day.failures)} failures**" if day.failures else _state(day, lived)
    lines = [
        "# Soak",
        "",
        (
            f"{lived:.2f} of {day.hours:g} hours of simulated time in {wall / 60:.1f} minutes "
            f"({lived * 3600 / wall if wall else 0:.0f} times as fast), {cpu / 60:.1f} of the processor's "
            f"({lived * 3600 / cpu if cpu else 0:.0f} times), seed {day.seed}: {state}."
        ),
        "",
        *_done(day),
        *_rounds(day),
        *_cents(day),
        *_host(day),
        *_flat(samples),
        *_hours(samples),
        *_kinds(samples),
    ]
    if day.failures:
        lines += ["", "## What failed", "", "```", *day.failures, "```"]
    return "\n".join(lines) + "\n"


def _state(day: "Day", lived: float) -> str:
    if not day.ended:
        return "**still running, or cut off**"
    return "whole" if lived >= day.hours else "**ended before its time**"


def _done(day: "Day") -> list[str]:
    cuts = day.cuts
    counts = {**day.player.counts, **day.staff.counts, **day.troubles.counts}
    return [
        "## What was done",
        "",
        f"{cuts.count} power cuts, {cuts.mains} of the mains and {cuts.count - cuts.mains} crashes; "
        f"{cuts.notes} with a note in the validator, {cuts.paying} while the hopper paid; in the states "
        + ", ".join(f"{state} {count}" for state, count in cuts.states.most_common())
        + ".",
        "",
        "| what | times |",
        "| --- | ---: |",
        *(f"| {what} | {count} |" for what, count in sorted(counts.items())),
        "",
    ]


def _rounds(day: "Day") -> list[str]:
    prover = day.prover
    return [
        "| game | rounds ended | of several parts (features, picks, gambles) | bought |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| {game} | {count} | {prover.asked[game]} | {prover.bought[game]} |"
            for game, count in prover.played.items()
        ),
        "",
    ]


def _cents(day: "Day") -> list[str]:
    tally, prover = day.tally, day.prover
    money = ("coins_in", "notes_in", "found_in", "service_credit", "stakes", "wins", "hopper_out", "hand_pay")
    whole = f"; {prover.whole_audits} whole audits from the first row"
    return [
        "## What was compared",
        "",
        f"- The books at every cut, {day.cuts.count} times: chain, equation, meters, hard meters, replay: "
        f"{prover.rows} ledger rows, {prover.replayed} rounds replayed{whole}"
        + (f", the last over {day.final_rounds} rounds" if day.ended else "")
        + ".",
        f"- Every cent {day.settlings} times: stacker, cash box, tray, hopper, returns and the hand's own tally.",
        (
            f"- Put in by hand {_euros(tally.coins_put)} in coins and {_euros(tally.notes_put)} in notes; paid by hand "
            f"{_euros(tally.known['hand_pay'])}, out of the hopper {_euros(day.cabinet.tray_cents)}. "
            f"{_euros(tally.forgotten)} of coins fell right before a mains cut, or while nobody heard the acceptor, "
            f"and were forgotten by it; {tally.either} acts were cut off when they were in the books already."
        ),
        "",
        "| meter | cents |",
        "| --- | ---: |",
        *(f"| {name} | {day.meters.get(name, 0)} |" for name in money),
        "",
    ]


def _host(day: "Day") -> list[str]:
    host = day.cabinet.host
    heard = host.host.tally.confirmed
    moved = {"to the machine": host.balance(0x00), "to the host": host.balance(0x80)}
    return [
        "## The host",
        "",
        (
            f"{host.host.polls} polls, {host.host.silences} without an answer, {len(host.host.chirps)} of the newest "
            f"chirps kept. Compared {host.agreed} times: {len(METERS)} meters, transfers, and {sum(heard.values())} "
            f"exceptions heard once each, of which {host.doubts} were confirmed just as a cut came; {host.repeated} of "
            f"them came again. The queue overflowed, and said so, {host.overflows} times."
        ),
        "",
        "| way | cents | transfers |",
        "| --- | ---: | ---: |",
        *(f"| {way} | {cents} | {count} |" for way, (cents, count, _) in moved.items()),
        "",
        "| exception | times |",
        "| --- | ---: |",
        *(f"| {code:02X} | {count} |" for code, count in sorted(heard.items()) if count),
        "",
        "| what | times |",
        "| --- | ---: |",
        *(f"| {what} | {count} |" for what, count in sorted(host.counts.items())),
        "",
    ]


def _euros(cents: int) -> str:
    return f"{cents / 100:,.2f}"


def _flat(samples: Sequence[Sample]) -> list[str]:
    found = verdicts(samples)
    lines = ["## Flat or not", ""]
    if not found:
        return [*lines, "Too few samples yet.", ""]
    for name, grown in found.items():
        lines.append(f"- {name}: " + ("**flat**" if not grown else f"**not flat**: {_figures(grown)}"))
    longest = max(one.hours for one in samples)
    lines += [
        "",
        (
            f"The rule (`tests/soak/flat.py`): of the samples after the first {longest * WARM_PART:.1f} hours, the "
            "median of the last third may lie above that of the first third by no more than the limit."
        ),
        "",
        "| figure | down, first third | last third | growth | limit |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    down = [one.figures() for one in samples if one.where == "down" and one.hours >= longest * WARM_PART]
    if len(down) >= flat.LEAST:
        third = len(down) // flat.THIRD
        for name, limit in EVERYTHING.items():
            first, last = (median(one[name] for one in part) for part in (down[:third], down[-third:]))
            lines.append(f"| {name} | {first:,.0f} | {last:,.0f} | {last - first:+,.0f} | {limit:,} |")
    return [*lines, ""]


def _figures(grown: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {more:+,.0f}" for name, more in grown.items())


def _hours(samples: Sequence[Sample]) -> list[str]:
    lines = [
        "## Hour by hour",
        "",
        "Medians of the hour's samples, between a cut and the next start (`down`) and with everything running (`up`).",
        "",
        (
            "| hour | cuts | rounds | journal MB | bytes a round | MB down | MB up | objects down | blocks down "
            "| handles down, up | threads down, up | tasks up | surfaces down | start ms | M.1 ms | M.6 ms | H.1 ms "
            "| times as fast |"
        ),
        "| ---: " * 18 + "|",
    ]
    before_s = 0.0
    for hour, of_hour in groupby(samples, key=lambda one: int(one.hours)):
        looks = list(of_hour)
        last, down, up = looks[-1], [one for one in looks if one.where == "down"], [x for x in looks if x.where == "up"]
        if not (down or up):
            continue
        rounds = max((one.rounds for one in looks), default=0)
        taken, before_s = last.wall_s - before_s, last.wall_s
        cells = [
            f"{hour}",
            f"{last.cuts}",
            f"{rounds}",
            f"{last.journal_bytes / 1e6:.1f}",
            f"{last.journal_bytes / rounds if rounds else 0:.0f}",
            *(_middle(part, lambda one: one.resident / 2**20) for part in (down, up)),
            _middle(down, lambda one: one.objects),
            _middle(down, lambda one: one.blocks),
            f"{_middle(down, lambda one: one.handles)}, {_middle(up, lambda one: one.handles)}",
            f"{_middle(down, lambda one: one.threads)}, {_middle(up, lambda one: one.threads)}",
            _middle(up, lambda one: one.tasks),
            _middle(down, lambda one: one.surfaces),
            _middle(up, lambda one: one.start_ms),
            *(_page(up, code) for code in ("M.1", "M.6", "H.1")),
            f"{3600 / taken if taken else 0:.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def _middle(samples: Sequence[Sample], figure: Callable[[Sample], float]) -> str:
    return f"{median(figure(one) for one in samples):,.0f}" if samples else ""


def _page(samples: Sequence[Sample], code: str) -> str:
    return f"{median(one.page_ms.get(code, 0.0) for one in samples):.2f}" if samples else ""


def _kinds(samples: Sequence[Sample]) -> list[str]:
    lines = ["## File handles by kind", "", "| where | first | last |", "| --- | --- | --- |"]
    for where in ("down", "up"):
        looks = [one for one in samples if one.where == where]
        if looks:
            kinds = [", ".join(f"{kind} {count}" for kind, count in one.kinds.items()) for one in (looks[0], looks[-1])]
            lines.append(f"| {where} | {kinds[0]} | {kinds[1]} |")
    return [*lines, ""]
