"""What was found, and the text and JSON of a whole report."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec


class State(StrEnum):
    """What a finding means: as it should be, worth knowing, or to be mended."""

    OK = "OK"
    NOTE = "note"
    MEND = "MEND"


class Finding(msgspec.Struct, frozen=True):
    """One line of the report: subject, what was found, and the mend; `key` is one of cabinet.toml, if one is meant."""

    subject: str
    state: State
    found: str
    mend: str = ""
    key: str = ""


def fine(subject: str, found: str, *, key: str = "") -> Finding:
    """Return a finding that is as it should be."""
    return Finding(subject, State.OK, found, key=key)


def note(subject: str, found: str, mend: str = "", *, key: str = "") -> Finding:
    """Return a finding that is worth knowing; nothing needs to be done."""
    return Finding(subject, State.NOTE, found, mend, key)


def wrong(subject: str, found: str, mend: str, *, key: str = "") -> Finding:
    """Return a finding that must be mended."""
    return Finding(subject, State.MEND, found, mend, key)


def is_well(findings: Iterable[Finding]) -> bool:
    """Whether nothing has to be mended."""
    return all(one.state is not State.MEND for one in findings)


def as_table(findings: Iterable[Finding]) -> str:
    """Return the report as plain text: subject, state, what was found; the mend is indented below it."""
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
