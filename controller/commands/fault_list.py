"""The list of all fault codes, to be posted inside the cabinet (requirements.md D10): `docs/faults.md`."""

from collections.abc import Iterator, Mapping

from controller.faults import DEVICE_SAS, EVERYTHING, LOCKS, Clears, Fault, Stops, known_faults, place_in_words

_CLEARED = {
    Clears.ITSELF: "itself",
    Clears.NEXT_PLAY: "next game",
    Clears.ATTENDANT: "attendant",
    Clears.TECHNICIAN: "technician",
}
_STOPPED = {
    Stops.PLAY: "play",
    Stops.COINS: "coins",
    Stops.NOTES: "notes",
    Stops.PAYOUT: "the hopper",
    Stops.DEVICE: "that device",
}

_HEAD = """# Error codes

For the inside of the cabinet; `cabinet faults` writes it. `…` is the place. A key clears only what is over: remove
the cause, then turn the key. "Itself" clears when its cause is gone. Every fault is in the event log and outlasts a
power cut. What to do: [recover.md](recover.md).

SAS is the exception that reports it to a host. "By device" is
{devices}.

| code | the screen says | cleared by | stops | SAS |
| --- | --- | --- | --- | --- |
"""

_LOCKS_HEAD = """
## Locks

Locks stop everything. Only a restart ends them; room ends `journal_full`. Write the exact cause on the screen down for
the technician.

"""


def fault_list() -> str:
    """Return the whole page in Markdown."""
    faults = "".join(f"| {' | '.join(_row(code, kind))} |\n" for code, kind in sorted(known_faults().items()))
    locks = "".join(f"- `{code}`: {text}\n" for code, text in sorted(LOCKS.items()))
    return _HEAD.format(devices=_by_place(DEVICE_SAS)) + faults + _LOCKS_HEAD + locks


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
    return "by device" if kind.sas_at == DEVICE_SAS else _by_place(kind.sas_at)


def _by_place(exceptions: Mapping[str, int]) -> str:
    """Return each exception with the places that it reports."""
    places: dict[int, list[str]] = {}
    for place, exception in exceptions.items():
        places.setdefault(exception, []).append(place_in_words(place))
    return ", ".join(f"{exception:02X} {' or '.join(words)}" for exception, words in places.items())
