"""A whole report as text and JSON."""

from collections.abc import Iterable

import msgspec

from controller.system.findings import Finding, State


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
