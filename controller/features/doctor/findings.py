"""The findings, and a whole report as text and JSON."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec


class State(StrEnum):
    """The kind of a finding: as it should be, a note, or a fault to correct."""

    OK = "OK"
    NOTE = "note"
    MEND = "MEND"


class Finding(msgspec.Struct, frozen=True):
    """One line of the report: subject, what was found, and the remedy; `key` is the key of cabinet.toml, if any."""

    subject: str
    state: State
    found: str
    mend: str = ""
    key: str = ""


def fine(subject: str, found: str, *, key: str = "") -> Finding:
    """Return a finding for something that is as it should be."""
    return Finding(subject, State.OK, found, key=key)


def note(subject: str, found: str, mend: str = "", *, key: str = "") -> Finding:
    """Return a finding that is only information; nothing needs to be done."""
    return Finding(subject, State.NOTE, found, mend, key)


def wrong(subject: str, found: str, mend: str, *, key: str = "") -> Finding:
    """Return a finding for a fault that must be corrected."""
    return Finding(subject, State.MEND, found, mend, key)


def is_well(findings: Iterable[Finding]) -> bool:
    """Whether nothing needs to be corrected."""
    return all(one.state is not State.MEND for one in findings)


def as_table(findings: Iterable[Finding]) -> str:
    """Return the report as plain text: subject, state, what was found; the remedy is indented below it."""
    rows = list(findings)
    width = max((len(row.subject) for row in rows), default=0)
    lines = []
    for row in rows:
        named = f"{row.key}: " if row.key else ""
        lines.append(f"{row.subject:<{width}}  {row.state:<4}  {named}{row.found}")
        if row.mend:
            lines.append(f"{'':<{width}}        mend: {row.mend}")
    mends = sum(row.state is State.MEND for row in rows)
    lines.append(f"{mends} to mend" if mends else "Nothing to mend")
    return "\n".join(lines)


def as_json(findings: Iterable[Finding]) -> str:
    """Return the report as JSON: `well`, and the list of `findings`."""
    rows = list(findings)
    return msgspec.json.encode({"well": is_well(rows), "findings": rows}).decode()
