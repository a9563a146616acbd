"""The list of all fault codes, to be posted inside the cabinet (requirements.md D10): `docs/faults.md`."""

from collections.abc import Iterator

from controller.faults import CATALOGUE, EVERYTHING, LOCKS, Clears, Fault, Stops, place_in_words

_CLEARED = {
    Clears.ITSELF: "by itself, when its cause is gone",
    Clears.NEXT_PLAY: "by the next game",
    Clears.ATTENDANT: "attendant's key",
    Clears.TECHNICIAN: "technician's key",
}
_STOPPED = {
    Stops.PLAY: "play",
    Stops.COINS: "coins",
    Stops.NOTES: "notes",
    Stops.PAYOUT: "the hopper",
    Stops.DEVICE: "that device",
}

_HEAD = """# Error codes

For the inside of the cabinet. `cabinet faults` writes this page from the program's own catalogue,
`controller/faults.py`.

The screen says what has happened and where; `…` is the place: a door, a device, a button, a meter. Under it
are who can put it right and the code. A key clears only what is over: first remove the cause, then turn the key.
Every fault is in the event log with its time, outlasts a power cut, and is tested again at the start.
SAS is the exception (hexadecimal) that reports it to a host.

| code | the screen says | cleared | stops | SAS |
| --- | --- | --- | --- | --- |
"""

_LOCKS_HEAD = """
## Locks

These stop everything at once, and nothing but a restart leads out of them; out of `journal_full` room does. The screen
also says the exact cause: write it down for the technician.

| code | the screen says |
| --- | --- |
"""


def fault_list() -> str:
    """Return the whole page in Markdown."""
    faults = "".join(f"| {' | '.join(_row(code, kind))} |\n" for code, kind in sorted(CATALOGUE.items()))
    locks = "".join(f"| `{code}` | {text} |\n" for code, text in sorted(LOCKS.items()))
    return _HEAD + faults + _LOCKS_HEAD + locks


def _row(code: str, kind: Fault) -> Iterator[str]:
    yield f"`{code}`"
    yield kind.text.format(place="…")
    yield _CLEARED[kind.clears]
    yield _stopped(kind.stops)
    yield _sas(kind)


def _stopped(stops: Stops) -> str:
    if stops == EVERYTHING:
        return "everything"
    return ", ".join(words for stop, words in _STOPPED.items() if stop in stops)


def _sas(kind: Fault) -> str:
    """Return the SAS exception of a fault and of its end, or those of its places."""
    if not kind.sas_at:
        over = "" if kind.sas_over is None else f", {kind.sas_over:02X} its end"
        return "" if kind.sas is None else f"{kind.sas:02X}{over}"
    return ", ".join(f"{exception:02X} {place_in_words(place)}" for place, exception in kind.sas_at.items())
